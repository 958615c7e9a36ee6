// The functions that the browser calls. A session is a scene and the world made from it; the page may have
// several, so that one that cannot be built leaves the other alone. Pointers are numbers there: what one call
// returns is valid until the next with the same session, unless said otherwise.
#include "session.h"

#include <stdlib.h>
#include <string.h>

// ---- memory of the caller

WEB(web_alloc) void* web_alloc(size_t size)
{
    return malloc(size);
}

WEB(web_free) void web_free(void* block)
{
    free(block);
}

WEB(web_version) const char* web_version(void)
{
    return cord_version();
}

// ---- opening

static const char no_text[] =
    "the scene is no text: there is a character NUL in it, or in the name of a file; save it as UTF-8";

// The world refused something: why, and where the scene has what it is about.
static void take_message(Session* s)
{
    strncpy(s->message.text, cord_world_message(s->world), sizeof s->message.text - 1);
    cord_scene_blame(s->scene, s->world, cord_world_time(s->world), s->message.text, &s->line, &s->column);
}

static void session_build(Session* s)
{
    CordFrame frame;
    CordWorldDef hooks = cord_world_def_default();
    CordResult result = cord_scene_build(s->scene, &hooks, &s->world);
    if (result == CORD_OK && cord_world_frame(s->world, &frame) != CORD_OK) {
        // what its first step would be refused for
        take_message(s);
        cord_world_destroy(s->world);
        s->world = NULL;
        return;
    }
    if (result == CORD_OK) {
        const CordSceneRun* run = cord_scene_run(s->scene);
        s->pace = cord_pace_begin(&(CordPaceDef){s->scene, run->step, run->end, run->fps});
    }
}

// A reel that holds the scene, its settings and its files; unless `build`, it is only read, to see what is
// wrong with it. 0: no memory.
WEB(web_open) Session* web_open(const void* bytes, size_t size, bool build)
{
    Session* s = calloc(1, sizeof *s);
    CordReel* reel = NULL;
    CordResult result = s ? cord_reel_open(bytes, size, &reel, &s->message) : CORD_NO_MEMORY;
    if (result == CORD_BAD_FILE) {
        // the page made the reel out of strings, so that little can be wrong with it
        strncpy(s->message.text, no_text, sizeof s->message.text - 1);
    }
    if (result != CORD_OK) {
        return s;
    }
    if (cord_reel_scene(reel) && cord_reel_scene_parse(cord_reel_scene(reel), &s->scene) == CORD_OK &&
        build) {
        session_build(s);
    }
    cord_reel_close(reel);
    return s;
}

WEB(web_close) void web_close(Session* s)
{
    cord_world_destroy(s->world);
    cord_scene_destroy(s->scene);
    cord_reel_bytes_free(&s->layout);
    cord_reel_bytes_free(&s->layout_before);
    cord_reel_bytes_free(&s->frame);
    cord_reel_bytes_free(&s->text);
    free(s);
}

WEB(web_is_built) bool web_is_built(const Session* s)
{
    return s->world != NULL;
}

WEB(web_message) const char* web_message(const Session* s)
{
    return s->message.text;
}

WEB(web_message_line) int web_message_line(const Session* s)
{
    return s->line;
}

WEB(web_message_column) int web_message_column(const Session* s)
{
    return s->column;
}

WEB(web_note_count) int web_note_count(const Session* s)
{
    return s->scene ? cord_scene_note_count(s->scene) : 0;
}

WEB(web_note_is_error) bool web_note_is_error(const Session* s, int index)
{
    return cord_scene_note(s->scene, index).is_error;
}

WEB(web_note_line) int web_note_line(const Session* s, int index)
{
    return cord_scene_note(s->scene, index).line;
}

WEB(web_note_column) int web_note_column(const Session* s, int index)
{
    return cord_scene_note(s->scene, index).column;
}

WEB(web_note_text) const char* web_note_text(const Session* s, int index)
{
    return cord_scene_note(s->scene, index).text;
}

// Goes on from how another session stands, which was opened from the same scene with other values: the same
// rods with another model, other elements or another thickness. False: the message says why not, and this one
// is of no more use; the other stays as it is.
WEB(web_carry) bool web_carry(Session* s, const Session* from)
{
    return s->world && from->world && hold_carry(s, from);
}

// ---- running

// How long the run goes on [s]; INFINITY: for ever. The scene's own end until it is called.
WEB(web_set_end) void web_set_end(Session* s, double end)
{
    s->pace.def.end = end;
}

// Takes up to so many steps. 0: they were taken; 1: a frame's time has come; 2: the end; 3: the step would be
// too short; -1: one failed, and the message says why.
WEB(web_advance) int web_advance(Session* s, int most)
{
    for (;;) {
        CordPaceNext next = cord_pace_next(&s->pace, s->world);
        if (next.kind != CORD_PACE_STEPS || most <= 0) {
            // a frame that the last of the steps reached is told now, not by the next call
            return (int)next.kind;
        }
        int count = hold_is_turning(s) ? 1 : next.count < most ? next.count : most;
        double turned[TWISTS_MOST];
        hold_turn(s, next.h, turned);
        if (cord_world_step_many(s->world, next.h, count) != CORD_OK) {
            take_message(s);
            hold_unturn(s, turned);
            return -1;
        }
        most -= count;
    }
}

WEB(web_time) double web_time(const Session* s)
{
    return cord_world_time(s->world);
}

WEB(web_steps) double web_steps(const Session* s)
{
    return (double)cord_world_steps(s->world);
}

WEB(web_step_length) double web_step_length(const Session* s) // that was last taken [s]
{
    return cord_world_last_step(s->world);
}

WEB(web_knot) double web_knot(const Session* s, int rod) // its determinant; -1: none can be told
{
    return (double)cord_rod_knot(s->world, cord_world_rod(s->world, rod));
}

WEB(web_hash) uint64_t web_hash(const Session* s)
{
    return cord_world_state_hash(s->world);
}
