// The functions that the browser calls. A session is a scene and the world made from it. The page may have
// several sessions, so that a scene that cannot be built leaves the running one alone. What a call returns is
// valid until the next call with the same session, unless its comment says otherwise.
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

// Takes over why the world refused something, and the line of the scene that this is about.
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
        // The first step would be refused for the same reason.
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

// Opens the scene that a reel holds with its settings and files. Without `build` the scene is only read, to
// see what is wrong with it. Returns NULL if there is no memory.
WEB(web_open) Session* web_open(const void* bytes, size_t size, bool build)
{
    Session* s = calloc(1, sizeof *s);
    CordReel* reel = NULL;
    CordResult result = s ? cord_reel_open(bytes, size, &reel, &s->message) : CORD_NO_MEMORY;
    if (result == CORD_BAD_FILE) {
        // The page made the reel out of strings, so only the text itself can be wrong.
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

// Goes on from the state of another session, which was opened from the same scene with other values: the same
// rods with another model, other elements or another thickness. Where this fails, the message says why, this
// session must be closed, and the other one is unchanged.
WEB(web_carry) bool web_carry(Session* s, const Session* from)
{
    return s->world && from->world && hold_carry(s, from);
}

// ---- running

// Sets when the run ends [s]; INFINITY: never. Before this call, the scene's own end holds.
WEB(web_set_end) void web_set_end(Session* s, double end)
{
    s->pace.def.end = end;
}

// Takes up to `most` steps. Returns 0 if they were taken, 1 at the time of a frame, 2 at the end, 3 if the
// step would be too short, and -1 if a step failed: the message says why.
WEB(web_advance) int web_advance(Session* s, int most)
{
    for (;;) {
        CordPaceNext next = cord_pace_next(&s->pace, s->world);
        if (next.kind != CORD_PACE_STEPS || most <= 0) {
            // A frame that the last step has reached is reported now, not by the next call.
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

WEB(web_step_length) double web_step_length(const Session* s) // length of the last step [s]
{
    return cord_world_last_step(s->world);
}

WEB(web_knot) double web_knot(const Session* s, int rod) // knot determinant; -1: unknown
{
    return (double)cord_rod_knot(s->world, cord_world_rod(s->world, rod));
}

WEB(web_hash) uint64_t web_hash(const Session* s)
{
    return cord_world_state_hash(s->world);
}
