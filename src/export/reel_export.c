// The export format "reel": recordings and scenes for the page in the browser. docs/reel.md describes the
// bytes.
#include "export/output.h"
#include "export/reel.h"

#include <stdlib.h>

typedef struct Stream {
    const CordFrames* frames;
    const CordExportDef* def;
    const ReelSink* sink;
    int64_t sent;         // [bytes]
    CordReelBytes bytes;  // the chunk that is being made
    CordReelBytes layout; // the payload of the layout sent last
    double* writhe;       // (rod_capacity)
    int rod_capacity;
    CordMessage* message;
} Stream;

static CordResult no_memory(Stream* s)
{
    return export_fail(s->message, CORD_NO_MEMORY, "%s cannot be written: there is not enough memory",
                       s->def->path);
}

static CordResult too_large(const Stream* s, int64_t size)
{
    return export_fail(
        s->message, CORD_BAD_ARGUMENT,
        "%s would have about %lld MB, and %s holds at most %lld MB; choose fewer frames with --frames A:B",
        s->def->path, (long long)(size / 1000000), s->sink->what, (long long)(s->sink->most / 1000000));
}

static CordResult send(Stream* s)
{
    s->sent += (int64_t)s->bytes.size;
    if (s->sent > s->sink->most) {
        return too_large(s, s->sent);
    }
    s->sink->put(s->sink->user, s->bytes.data, s->bytes.size);
    s->bytes.size = 0;
    return CORD_OK;
}

static CordResult send_start(Stream* s)
{
    return cord_reel_put_head(&s->bytes) == CORD_OK ? send(s) : no_memory(s);
}

static CordResult send_scene(Stream* s)
{
    if (!s->def->scene) {
        return CORD_OK;
    }
    size_t mark = cord_reel_chunk_begin(&s->bytes, "SCEN");
    CordResult result = mark ? cord_reel_put_scene(s->def->scene, &s->bytes) : CORD_NO_MEMORY;
    if (result == CORD_BAD_ARGUMENT) {
        return export_fail(s->message, result, "the files that the scene names are too large for a reel");
    }
    return result == CORD_OK && cord_reel_chunk_end(&s->bytes, mark) == CORD_OK ? send(s) : no_memory(s);
}

// Sends the layout unless it equals the one sent last.
static CordResult send_layout(Stream* s, const CordFrame* frame)
{
    size_t mark = cord_reel_chunk_begin(&s->bytes, "LAYO");
    if (!mark || cord_reel_put_layout(frame, &s->bytes) != CORD_OK) {
        return no_memory(s);
    }
    const CordReelBytes payload = {.data = s->bytes.data + mark, .size = s->bytes.size - mark};
    if (cord_reel_bytes_equal(&s->layout, &payload)) {
        s->bytes.size = 0;
        return CORD_OK;
    }
    s->layout.size = 0;
    bool good =
        cord_reel_put_layout(frame, &s->layout) == CORD_OK && cord_reel_chunk_end(&s->bytes, mark) == CORD_OK;
    return good ? send(s) : no_memory(s);
}

static bool room_for_writhe(Stream* s, int rods)
{
    if (rods > s->rod_capacity) {
        free(s->writhe);
        s->writhe = calloc((size_t)rods, sizeof *s->writhe);
        s->rod_capacity = s->writhe ? rods : 0;
    }
    return rods <= s->rod_capacity;
}

static CordResult send_frame(Stream* s, const CordFrame* frame)
{
    if (!room_for_writhe(s, frame->rod_count)) {
        return no_memory(s);
    }
    cord_reel_find_writhe(frame, s->writhe);
    size_t mark = cord_reel_chunk_begin(&s->bytes, "FRAM");
    bool good = mark && cord_reel_put_frame(frame, s->writhe, &s->bytes) == CORD_OK &&
                cord_reel_chunk_end(&s->bytes, mark) == CORD_OK;
    return good ? send(s) : no_memory(s);
}

static CordResult send_frames(Stream* s)
{
    int first = s->def->first, total = s->def->last - first + 1;
    for (int i = 0; i < total; i++) {
        CordFrame frame;
        CORD_TRY(s->frames->read(s->frames->user, first + i, &frame, s->message));
        CORD_TRY(send_layout(s, &frame));
        int64_t before = s->sent;
        CORD_TRY(send_frame(s, &frame));
        int64_t expected = before + (s->sent - before) * total;
        if (i == 0 && expected > s->sink->most) { // reported now, not after minutes
            return too_large(s, expected);
        }
        if (!export_progress(s->def, i + 1, total)) {
            return CORD_OK;
        }
    }
    return CORD_OK;
}

CordResult reel_stream(const CordFrames* frames, const CordExportDef* def, const ReelSink* sink,
                       CordMessage* message)
{
    if (def->live && !def->scene) {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s cannot be written: there is no scene to run",
                           def->path);
    }
    Stream s = {.frames = frames, .def = def, .sink = sink, .message = message};
    CordResult result = send_start(&s);
    if (result == CORD_OK) {
        result = send_scene(&s);
    }
    if (result == CORD_OK && !def->live) {
        result = send_frames(&s);
    }
    cord_reel_bytes_free(&s.bytes);
    cord_reel_bytes_free(&s.layout);
    free(s.writhe);
    return result;
}

// ---- a file

static void put_to_file(void* user, const uint8_t* bytes, size_t size)
{
    fwrite(bytes, 1, size, user);
}

static CordResult reel_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, def->path, message));
    bool page = def->most > 0 && def->most < CORD_REEL_MOST;
    const ReelSink sink = {put_to_file, out.file, page ? def->most : CORD_REEL_MOST,
                           page ? "the page in the browser" : "a reel"};
    CordResult result = reel_stream(frames, def, &sink, message);
    return output_finish(&out, result, message);
}

const ExportWriter export_reel = {
    .format = {.name = "reel", .summary = "frames and scene for the page in the browser: docs/reel.md"},
    .write = reel_write,
};
