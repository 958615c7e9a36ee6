// What the tests of recordings, reels, exports and pictures share. What their fixtures make is released when
// the program ends, last first: a test has no lines for it, and a check that fails leaks nothing.
#ifndef CORD_TEST_EXPORT_FIXTURE_H
#define CORD_TEST_EXPORT_FIXTURE_H

#include "check.h"

#include <cordage/io.h>

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

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

static inline void* keep_zeros(size_t size) // [bytes]; no more, so that sanitizers see who goes beyond them
{
    return keep(calloc(size > 0 ? size : 1, 1), free);
}

// ---- files

static char test_directory[64];

static inline int remove_one(const char* path, const struct stat* info, int type, struct FTW* walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static inline void remove_directory(void* directory)
{
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline char* test_path(const char* name) // in a directory that is removed at the end
{
    if (test_directory[0] == '\0') {
        snprintf(test_directory, sizeof test_directory, "%s", P_tmpdir "/cordage_test_XXXXXX");
        keep(mkdtemp(test_directory), remove_directory);
    }
    size_t size = strlen(test_directory) + strlen(name) + 2;
    char* path = keep_zeros(size);
    snprintf(path, size, "%s/%s", test_directory, name);
    return path;
}

static inline long file_size(const char* path) // [bytes]; -1: no such file
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static inline char* file_load(const char* path) // and a zero after its bytes
{
    long size = file_size(path);
    CHECK(size >= 0);
    char* bytes = keep_zeros((size_t)size + 1);
    FILE* file = fopen(path, "rb");
    CHECK(file && fread(bytes, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0);
    return bytes;
}

static inline void file_save(const char* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

// ---- calls that succeed

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

// ---- progress

typedef struct Progress {
    int calls, last_done, last_total;
    int stop_after; // calls; 0: never
} Progress;

static inline bool progress_count(void* user, int done, int total)
{
    Progress* progress = user;
    progress->calls++;
    progress->last_done = done;
    progress->last_total = total;
    return progress->stop_after == 0 || progress->calls < progress->stop_after;
}

#endif
