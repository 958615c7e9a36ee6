// A run that was stopped or killed goes on as if nothing had happened.
#include "record_scene.h"

#include <signal.h>
#include <sys/wait.h>

enum { FRAMES = 30 };

static uint64_t record_whole(const char* path) // the state's hash at the end of a run without a break
{
    RecordRun run = record_start(path);
    record_frames(&run, FRAMES);
    uint64_t hash = cord_world_state_hash(run.world);
    record_end(&run);
    return hash;
}

static void check_same(const char* path, const char* expected)
{
    CordRecording *a = record_read(path), *b = record_read(expected);
    int frames = cord_recording_frames(a).count;
    CHECK_INT(frames, cord_recording_frames(b).count);
    for (int i = 0; i < frames; i++) {
        CordFrame x = record_frame(a, i), y = record_frame(b, i);
        record_check_frame(&x, &y);
    }
    CHECK_INT(cord_recording_probe_rows(a), cord_recording_probe_rows(b));
    size_t rows = (size_t)cord_recording_probe_rows(a);
    for (int i = -1; i < cord_recording_probe_count(a); i++) {
        const double *u = record_probe(a, i), *v = record_probe(b, i);
        CHECK(record_same_bytes(u, v, rows * CORD_PROBE_MOST * sizeof *u));
    }
    CHECK(cord_recording_complete(a) && cord_recording_complete(b));
}

static void finish(const char* path, uint64_t hash, const char* expected)
{
    RecordRun run = record_on(record_world(NULL), path);
    record_frames(&run, FRAMES);
    CHECK(cord_world_state_hash(run.world) == hash);
    record_end(&run);
    check_same(path, expected);
    CHECK(file_size(record_path("part.h5.part")) < 0);
}

TEST(a_closed_run_goes_on_from_its_end)
{
    const char *whole = record_path("whole.h5"), *path = record_path("part.h5");
    uint64_t hash = record_whole(whole);
    for (int stop = 1; stop < FRAMES; stop += 6) {
        record_until(record_start(path), stop);
        finish(path, hash, whole);
    }
}

// As Ctrl-C does: steps and probes beyond the last frame, then a close.
TEST(a_run_stopped_between_frames_goes_on_from_there)
{
    const char *whole = record_path("whole.h5"), *path = record_path("part.h5");
    uint64_t hash = record_whole(whole);
    CordMessage message = {""};
    RecordRun run = record_start(path);
    record_frames(&run, 11);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cord_world_step(run.world, RECORD_STEP));
        CHECK_OK(cord_recorder_put_probes(run.recorder, &message));
    }
    int64_t steps = cord_world_steps(run.world);
    record_end(&run);
    run = record_on(record_world(NULL), path);
    CHECK_INT(cord_world_steps(run.world), steps);
    CHECK_INT(cord_recorder_frame_count(run.recorder), 11);
    record_end(&run);
    finish(path, hash, whole);
}

static void record_and_die(const char* path, int frames)
{
    pid_t child = fork();
    if (child == 0) {
        RecordRun run = record_start(path);
        record_frames(&run, frames);
        CHECK_OK(cord_world_step(run.world, RECORD_STEP));
        raise(SIGKILL);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(a_killed_run_goes_on_from_its_last_snapshot)
{
    const char *whole = record_path("whole.h5"), *path = record_path("part.h5");
    uint64_t hash = record_whole(whole);
    for (int frames = 1; frames < 12; frames += 2) {
        record_and_die(path, frames);
        CordRecording* recording = record_read(path);
        CHECK(!cord_recording_complete(recording));
        CHECK_INT(cord_recording_frames(recording).count, frames);
        RecordRun run = record_on(record_world(NULL), path);
        int snapshot = (frames - 1) / 4 * 4; // record_def asks for one with every fourth frame
        CHECK_INT(cord_recorder_frame_count(run.recorder), snapshot + 1);
        CHECK_INT(cord_world_steps(run.world), snapshot * RECORD_STEPS_PER_FRAME);
        record_end(&run);
        finish(path, hash, whole);
    }
}

TEST(a_run_killed_before_its_first_frame_starts_over)
{
    const char *whole = record_path("whole.h5"), *path = record_path("part.h5");
    uint64_t hash = record_whole(whole);
    record_and_die(path, 0);
    finish(path, hash, whole);
}

TEST(a_finished_run_can_be_made_longer)
{
    const char *whole = record_path("whole.h5"), *path = record_path("part.h5");
    uint64_t hash = record_whole(whole);
    record_until(record_start(path), FRAMES - 5);
    finish(path, hash, whole);
    finish(path, hash, whole); // and one that has reached its end is left as it is
}

static void check_refused(RecordRun* run, const char* path, const char* text)
{
    CordMessage message = {""};
    long size = file_size(path);
    uint64_t hash = cord_world_state_hash(run->world);
    CHECK_RESULT(record_resume(run, path, &message), CORD_BAD_FILE);
    CHECK(run->recorder == NULL);
    CHECK_CONTAINS(message.text, text);
    CHECK_CONTAINS(message.text, path);
    CHECK(file_size(path) == size && cord_world_state_hash(run->world) == hash);
}

TEST(another_run_is_refused)
{
    const char* path = record_path("part.h5");
    record_until(record_start(path), 3);

    RecordRun run = record_world("rods[0].elements=11");
    check_refused(&run, path, "the settings are not the ones");

    run = record_world(NULL);
    CordScene* scene = run.scene;
    cord_scene_parse("{ \"cordage\": 1 }", 16, "other.json", NULL, 0, &run.scene);
    check_refused(&run, path, "the scene is not the one");
    cord_scene_destroy(run.scene);
    run.scene = NULL;
    check_refused(&run, path, "the scene is not the one");
    run.scene = scene;

    CordProbeId probe;
    CordProbeDef def = {
        .name = "one more", .rod = cord_world_rod(run.world, 0), .measure = CORD_MEASURE_ENERGY};
    CHECK_OK(cord_probe_create(run.world, &def, &probe));
    check_refused(&run, path, "its probes are not those of the world");
    CHECK_OK(cord_body_destroy(run.world, cord_world_body(run.world, 1)));
    check_refused(&run, path, "its bodies are not those of the world");
    CHECK_OK(cord_rod_destroy(run.world, cord_world_rod(run.world, 1)));
    check_refused(&run, path, "its rods are not those of the world");
}

// The same rods by name, but not in size: only the state's own bytes can tell.
TEST(a_state_that_does_not_fit_is_refused)
{
    const char* path = record_path("part.h5");
    record_until(record_start(path), 3);
    RecordRun mixed = {.scene = record_world(NULL).scene, .world = record_world("rods[0].elements=10").world};
    check_refused(&mixed, path, "its snapshot does not fit the world");
}

TEST(another_version_is_refused)
{
    const char* path = record_path("part.h5");
    record_until(record_start(path), 2);
    RecordRun run = record_world(NULL);
    CordRecording* recording = record_read(path);
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(resume_fits(recording, &def, run.world, &message));
    snprintf(recording->version, sizeof recording->version, "9.9.9");
    CHECK_RESULT(resume_fits(recording, &def, run.world, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "was written by cordage 9.9.9");
}

TEST_GROUP(record_resume)
