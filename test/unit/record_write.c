// A run killed at any moment has done some of its writes to the file, and perhaps part of one: the system can
// cut a write at a page's edge. So the writes of a run are noted, then done again one by one, and after each
// the file is read as if the run had died there. Every frame that was finished by then must be there.
#define _GNU_SOURCE
#include "record_scene.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>

typedef struct Write {
    off_t at;
    size_t size;   // 0: the file is cut or stretched to `at`
    uint8_t* data; // (size)
    int finished;  // frames that the recorder had reported by then
} Write;

enum { WRITES_MOST = 20000 };
static Write writes[WRITES_MOST];
static int write_count, finished_frames;
static bool noting;

static void note(off_t at, const void* data, size_t size)
{
    if (noting && write_count < WRITES_MOST) {
        Write* w = &writes[write_count++];
        *w = (Write){.at = at, .size = size, .data = malloc(size + 1), .finished = finished_frames};
        memcpy(w->data, data, size);
    }
}

// In front of the C library's: HDF5 calls these. Visible, though the tree hides what it does not export.
CORD_API ssize_t pwrite(int file, const void* data, size_t size, off_t at)
{
    note(at, data, size);
    return syscall(SYS_pwrite64, file, data, size, at);
}

CORD_API ssize_t pwrite64(int file, const void* data, size_t size, off64_t at)
{
    return pwrite(file, data, size, at);
}

CORD_API int ftruncate(int file, off_t size)
{
    note(size, "", 0);
    return (int)syscall(SYS_ftruncate, file, size);
}

CORD_API int ftruncate64(int file, off64_t size)
{
    return ftruncate(file, size);
}

enum { FRAMES = 9, PAGE = 4096 };

static void note_run(RecordRun run, const char* path)
{
    finished_frames = -1; // not in its place yet
    write_count = 0;
    noting = true;
    run = record_to(run, path);
    for (finished_frames = 0; finished_frames < FRAMES; finished_frames++) {
        record_frames(&run, finished_frames + 1);
    }
    record_end(&run);
    noting = false;
}

static CordResult read_all(const char* path, int* frames, CordMessage* message)
{
    CordRecording* recording;
    CordFrame frame;
    CordResult result = cord_recording_open(path, &recording, message);
    *frames = result == CORD_OK ? (int)recording->count[COUNT_FRAMES] : -1;
    for (int i = 0; result == CORD_OK && i < *frames; i++) {
        result = recording_read_frame(recording, i, &frame, message);
        if (result == CORD_OK && cord_recording_is_branch(recording)) {
            CordBranchPoint point;
            result = cord_recording_branch_point(recording, i, &point, message);
            if (result == CORD_OK) {
                record_check_point(&point, i, frame.time);
            }
        }
    }
    double values[FRAMES * RECORD_STEPS_PER_FRAME * 5];
    for (int i = 0; result == CORD_OK && i < 3; i++) {
        result = cord_recording_probe_values(recording, i, values, message);
    }
    if (result == CORD_OK && *frames > 0) {
        RecordingSnapshot snapshot;
        result = recording_read_snapshot(recording, (*frames - 1) / 4, &snapshot, message);
        free(snapshot.bytes);
    }
    cord_recording_close(recording);
    return result;
}

static void check_state(const char* path, int finished)
{
    CordMessage message = {""};
    int frames;
    if (finished < 0) {
        return; // the file still has its other name
    }
    check_said(read_all(path, &frames, &message), &message);
    CHECK(frames == finished || frames == finished + 1);
}

static void replay(RecordRun run)
{
    const char* path = record_path("replayed.h5");
    note_run(run, record_path("noted.h5"));
    CHECK(write_count > 100 && write_count < WRITES_MOST);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666), states = 0, cut = 0;
    CHECK(file >= 0);
    for (int i = 0; i < write_count; i++) {
        Write* w = &writes[i];
        if (w->size == 0) {
            CHECK(ftruncate(file, w->at) == 0);
        }
        for (size_t done = 0; done < w->size;) {
            size_t page_end = (size_t)((w->at + (off_t)done) / PAGE + 1) * PAGE - (size_t)w->at;
            size_t end = page_end < w->size ? page_end : w->size;
            CHECK(pwrite(file, w->data + done, end - done, w->at + (off_t)done) == (ssize_t)(end - done));
            if (end < w->size) {
                check_state(path, w->finished);
                cut++;
            }
            done = end;
        }
        check_state(path, w->finished);
        states++;
        free(w->data);
    }
    print_message("  %d writes, cut in %d places: none loses a frame\n", states, cut);
    close(file);
    CordRecording* recording = record_open(path);
    CHECK(cord_recording_complete(recording));
    cord_recording_close(recording);
}

TEST(killed_after_any_write_or_within_one_every_finished_frame_is_there)
{
    replay(record_world(NULL));
}

TEST(killed_after_any_write_or_within_one_every_point_of_a_branch_is_there)
{
    replay(record_branch());
}

// The ring makes one of two of its elements as it goes, so that frames have other numbers of nodes.
TEST(killed_after_any_write_or_within_one_every_frame_of_adaptive_rods_is_there)
{
    replay(record_world(
        "rods[1].adapt={\"refine_turn\": 1.2, \"merge_turn\": 0.6, \"longest\": 2, \"merge_time\": 0}"));
    CordRecording* recording = record_open(record_path("replayed.h5"));
    CHECK_INT(record_frame(recording, 0).rods[1].node_count, 12);
    CHECK(record_frame(recording, FRAMES - 1).rods[1].node_count < 12);
    cord_recording_close(recording); // the next replay writes to the same file
}

TEST_GROUP(record_write)
