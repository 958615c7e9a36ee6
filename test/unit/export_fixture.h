// What the tests of recordings, reels, exports and pictures share. What their fixtures make is released when
// the program ends, last first: a test has no lines for it, and a check that fails leaks nothing.
#ifndef CORD_TEST_EXPORT_FIXTURE_H
#define CORD_TEST_EXPORT_FIXTURE_H

#include "check.h"

#include <cordage/io.h>

#include <stdlib.h>

typedef struct Kept {
    void* thing;
    void (*release)(void* thing);
    struct Kept* before;
} Kept;

static Kept* kept;

static inline void release_kept(void)
{
    while (kept) {
        Kept last = *kept;
        free(kept);
        kept = last.before;
        last.release(last.thing);
    }
}

static inline void* keep(void* thing, void (*release)(void* thing))
{
    Kept* last = malloc(sizeof *last);
    CHECK(thing && last);
    if (!kept) {
        atexit(release_kept);
    }
    *last = (Kept){thing, release, kept};
    kept = last;
    return thing;
}

static inline void* keep_zeros(size_t size) // [bytes]
{
    return keep(calloc(size + 1, 1), free);
}

// The call succeeded; if not, its message says why.
static inline void check_said(CordResult result, const CordMessage* message)
{
    if (result != CORD_OK) {
        print_error("%s\n", message->text);
    }
    CHECK_OK(result);
}

static inline CordFrame frame_at(const CordFrames* frames, int index)
{
    CordFrame frame;
    CordMessage message = {""};
    check_said(frames->read(frames->user, index, &frame, &message), &message);
    return frame;
}

static inline void check_no_frame(const CordFrames* frames, int index, const char* text)
{
    CordFrame frame;
    CordMessage message = {""};
    CHECK_RESULT(frames->read(frames->user, index, &frame, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, text);
}

#endif
