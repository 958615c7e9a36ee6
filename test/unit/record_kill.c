// kill -9 at random moments: no finished frame is ever lost. CORD_KILLS sets how often;
// test/unit/record_write.c goes through the moments one by one.
#include "record_scene.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// Records as fast as it can, and tells the pipe the number of frames after each that is finished.
static void record_until_killed(const char* path, int report)
{
    RecordRun run = record_start(path);
    CordMessage message;
    for (;;) {
        if (record_next(&run, &message) != CORD_OK) {
            _exit(3);
        }
        int frames = cord_recorder_frame_count(run.recorder);
        if (write(report, &frames, sizeof frames) != sizeof frames) {
            _exit(4);
        }
    }
}

static void pause_for(double seconds)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)(seconds * 1e9)};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

static int last_report(int reports, int frames)
{
    int next;
    while (read(reports, &next, sizeof next) == sizeof next) {
        frames = next;
    }
    return frames;
}

// The frames it had finished. Time runs from its start, or, so that slow machines see some too, from its
// first frame.
static int record_and_kill(const char* path, double seconds, bool from_first_frame)
{
    int ends[2], status, frames = 0;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        record_until_killed(path, ends[1]);
    }
    close(ends[1]);
    CHECK(!from_first_frame || read(ends[0], &frames, sizeof frames) == sizeof frames);
    pause_for(seconds);
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    frames = last_report(ends[0], frames);
    close(ends[0]);
    return frames;
}

static void check_kept(const char* path, int frames)
{
    CordRecording* recording = record_read(path);
    int count = cord_recording_frames(recording).count;
    CHECK(count == frames || count == frames + 1); // finished, but not yet told
    for (int i = 0; i < count; i++) {
        CHECK_INT(record_frame(recording, i).steps, i * RECORD_STEPS_PER_FRAME);
    }
    CHECK_INT(cord_recording_probe_rows(recording), count > 0 ? (count - 1) * RECORD_STEPS_PER_FRAME : 0);
    record_probe(recording, -1);
    record_probe(recording, 0);
    CHECK_INT(recording->count[COUNT_SNAPSHOTS], (count + 3) / 4);
    for (int i = 0; i < recording->count[COUNT_SNAPSHOTS]; i++) {
        record_snapshot(recording, i);
    }
}

TEST(killed_at_random_every_finished_frame_is_there)
{
    const char* path = record_path("killed.h5");
    const char* text = getenv("CORD_KILLS");
    int kills = text ? atoi(text) : 20, with_frames = 0;
    uint32_t random = (uint32_t)time(NULL);
    for (int i = 0; i < kills; i++) {
        random = random * 1664525u + 1013904223u;
        remove(path);
        int frames = record_and_kill(path, 0.002 + 0.1 * (random >> 8) / (1 << 24), i % 2 == 1);
        if (frames > 0 || file_size(path) >= 0) {
            check_kept(path, frames);
        }
        with_frames += frames > 0;
    }
    print_message("  %d kills, %d of them with frames, none lost\n", kills, with_frames);
    CHECK(with_frames > 0);
}

TEST_GROUP(record_kill)
