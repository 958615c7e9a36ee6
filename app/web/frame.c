// Writes the state of a world for the page, as the payloads of a reel's chunks.
#include "session.h"

#include <math.h>
#include <stdlib.h>

static const double writhe_each_frame = 2e4; // pairs of edges that one frame can afford

// Writhe sums over all pairs of edges: returns in which frames, every so many-th, it is computed.
static int writhe_every(const CordFrame* frame)
{
    double pairs = 0.0;
    for (int i = 0; i < frame->rod_count; i++) {
        double edges = frame->rods[i].network ? 0.0 : frame->rods[i].edge_count;
        pairs += edges * edges;
    }
    return (int)fmin(1.0 + pairs / writhe_each_frame, 1e6);
}

static void find_writhe(const Session* s, const CordFrame* frame, double* writhe)
{
    int every = writhe_every(frame);
    bool whole = every <= 100 && s->frames % every == 0;
    for (int i = 0; i < frame->rod_count; i++) {
        CordRodId rod = cord_world_rod(s->world, i);
        bool chain = !frame->rods[i].network;
        writhe[i] = chain && whole ? cord_rod_writhe(s->world, rod) : (double)NAN;
    }
}

static bool put_frame(Session* s, const CordFrame* frame)
{
    double* writhe = malloc(sizeof(double) * (size_t)(frame->rod_count + 1));
    if (!writhe) {
        return false;
    }
    find_writhe(s, frame, writhe);
    s->frame.size = 0;
    bool good = cord_reel_put_frame(frame, writhe, &s->frame) == CORD_OK;
    free(writhe);
    return good;
}

// Makes the payloads for the world as it is. Returns 1 if the layout has changed, 0 if it is the same, and -1
// if there is no memory.
WEB(web_frame) int web_frame(Session* s)
{
    CordFrame frame;
    CordReelBytes before = s->layout_before;
    if (cord_world_frame(s->world, &frame) != CORD_OK) {
        return -1;
    }
    s->layout_before = s->layout, s->layout = before;
    s->layout.size = 0;
    if (cord_reel_put_layout(&frame, &s->layout) != CORD_OK ||
        cord_world_frame(s->world, &frame) != CORD_OK || !put_frame(s, &frame)) {
        return -1;
    }
    s->frames++;
    return !cord_reel_bytes_equal(&s->layout, &s->layout_before);
}

WEB(web_layout_bytes) const uint8_t* web_layout_bytes(const Session* s)
{
    return s->layout.data;
}

WEB(web_layout_size) size_t web_layout_size(const Session* s)
{
    return s->layout.size;
}

WEB(web_frame_bytes) const uint8_t* web_frame_bytes(const Session* s)
{
    return s->frame.data;
}

WEB(web_frame_size) size_t web_frame_size(const Session* s)
{
    return s->frame.size;
}

// ---- recordings

// Returns "" if the bytes are a reel that can be played, else what is wrong with them. The text is valid
// until the next call with the same session.
WEB(web_check_reel) const char* web_check_reel(Session* s, const void* bytes, size_t size)
{
    CordReel* reel;
    s->message.text[0] = '\0';
    if (cord_reel_open(bytes, size, &reel, &s->message) == CORD_OK) {
        cord_reel_close(reel);
    }
    return s->message.text;
}

WEB(web_new) Session* web_new(void) // a session without a scene, for web_check_reel and web_materials
{
    return calloc(1, sizeof(Session));
}
