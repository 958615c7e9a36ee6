// What is put is what is read.
#include "record_scene.h"

// Positions, times, energies, bodies, obstacles and probes keep every bit; the rest is rounded to float,
// once.
TEST(every_frame_reads_back_bit_for_bit)
{
    const char* path = record_path("frames.h5");
    RecordRun twin = record_world(NULL);
    record_until(record_start(path), 23);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    CHECK_INT(frames.count, 23);
    CHECK(cord_recording_complete(recording));
    CHECK_STR(cord_recording_version(recording), cord_version());
    int contacts = 0;
    for (int i = 0; i < frames.count; i++) {
        CordFrame put, read = frame_at(&frames, i);
        while (cord_world_steps(twin.world) < (int64_t)i * RECORD_STEPS_PER_FRAME) {
            CHECK_OK(cord_world_step(twin.world, RECORD_STEP));
        }
        CHECK_OK(cord_world_frame(twin.world, &put));
        record_check_frame(&read, &put);
        contacts += read.contact_count;
    }
    CHECK(contacts > 0); // the rope has come down on the bump
    check_no_frame(&frames, 23, "has no frame 23");
}

TEST(every_probe_row_reads_back_bit_for_bit)
{
    enum { FRAMES = 200, ROWS = (FRAMES - 1) * RECORD_STEPS_PER_FRAME }; // more than a buffer of rows
    const char* path = record_path("probes.h5");
    RecordRun twin = record_world(NULL);
    CordMessage message = {""};
    record_until(record_start(path), FRAMES);
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_probe_count(recording), 3);
    CHECK_INT(cord_recording_probe_rows(recording), ROWS);
    CHECK_STR(cord_recording_probe_name(recording, 1), "pull");
    CHECK_INT(cord_recording_probe_measure(recording, 1), CORD_MEASURE_TENSION);
    const double *times = record_probe(recording, -1), *values[3];
    for (int p = 0; p < 3; p++) {
        values[p] = record_probe(recording, p);
    }
    for (int row = 0; row < ROWS; row++) {
        CHECK_OK(cord_world_step(twin.world, RECORD_STEP));
        CHECK(times[row] == cord_world_time(twin.world));
        for (int p = 0; p < 3; p++) {
            double expected[CORD_PROBE_MOST];
            size_t width = (size_t)cord_measure_size(cord_recording_probe_measure(recording, p));
            CHECK_OK(cord_probe_read(twin.world, cord_world_probe(twin.world, p), expected));
            CHECK(record_same_bytes(&values[p][(size_t)row * width], expected, width * sizeof *expected));
        }
    }
    double none[CORD_PROBE_MOST];
    CHECK_RESULT(cord_recording_probe_values(recording, 3, none, &message), CORD_BAD_ARGUMENT);
}

// Rods and frames large enough to be compressed, in chunks of one frame.
TEST(large_frames_are_compressed_and_read_back)
{
    const char* path = record_path("large.h5");
    RecordRun run = record_to(record_world("rods[*].elements=2500"), path);
    CordMessage message = {""};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cord_world_step(run.world, 1e-6));
        CHECK_OK(cord_recorder_put_frame(run.recorder, &message));
    }
    CordRecording* recording = record_open(path); // while it is being written
    CHECK(!cord_recording_complete(recording));
    CHECK_INT(cord_recording_frames(recording).count, 3);
    CordFrame put, read = record_frame(recording, 2);
    CHECK_OK(cord_world_frame(run.world, &put));
    record_check_frame(&read, &put);
    cord_recording_close(recording);
    long plain = 3L * (put.node_count + put.edge_count) * 40 + 2L * (long)cord_world_state_size(run.world);
    record_end(&run); // frames of 80 bytes a node, and the snapshots of the first frame and the end
    CHECK(file_size(path) > plain / 10 && file_size(path) < plain);
}

TEST(scene_and_settings_are_kept)
{
    const char* path = record_path("scene.h5");
    CordMessage message = {""};
    record_until(record_to(record_world("rods[0].elements=11"), path), 1);
    CordScene* scene;
    size_t size;
    CHECK_OK(cord_recording_scene(record_read(path), &scene, &message));
    keep(scene, record_release_scene);
    CHECK_STR(cord_scene_text(scene, &size), record_scene_text);
    CHECK_INT(size, sizeof record_scene_text - 1);
    CHECK_STR(cord_scene_path(scene), "recorded.json");
    CHECK_INT(cord_scene_setting_count(scene), 1);
    CHECK_STR(cord_scene_setting(scene, 0), "rods[0].elements=11");
}

TEST(a_world_without_scene_is_recorded_too)
{
    const char* path = record_path("bare.h5");
    RecordRun run = record_world(NULL);
    run.scene = NULL;
    record_until(record_to(run, path), 2);
    CordRecording* recording = record_read(path);
    CordScene* scene;
    CordMessage message = {""};
    CHECK_RESULT(cord_recording_scene(recording, &scene, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "holds no scene");
    CHECK_INT(cord_recording_frames(recording).count, 2);
}

// Names that cannot be names in an HDF5 file, and two that are alike, still lead to their probes.
TEST(any_probe_name_works)
{
    const char* path = record_path("names.h5");
    RecordRun run = record_world(NULL);
    const char* names[] = {"a/b", ".", "tip", "_x", "na\xc3\xafve"};
    for (int i = 0; i < 5; i++) {
        CordProbeId probe;
        CordProbeDef def = {
            .name = names[i], .rod = cord_world_rod(run.world, i % 2), .measure = CORD_MEASURE_ENERGY};
        if (cord_probe_create(run.world, &def, &probe) != CORD_OK) {
            CHECK_STR(names[i], "tip"); // only a repeated name may be refused
        }
    }
    int count = cord_world_probe_count(run.world);
    record_until(record_to(run, path), 3);
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_probe_count(recording), count);
    for (int i = 0; i < count; i++) {
        double last[CORD_PROBE_MOST], *values = record_probe(recording, i);
        CordProbeId probe = cord_world_probe(run.world, i);
        size_t width = (size_t)cord_measure_size(cord_probe_measure(run.world, probe));
        CHECK_STR(cord_recording_probe_name(recording, i), cord_probe_name(run.world, probe));
        CHECK_OK(cord_probe_read(run.world, probe, last));
        CHECK(
            record_same_bytes(values + (2 * RECORD_STEPS_PER_FRAME - 1) * width, last, width * sizeof *last));
    }
}

TEST(a_new_recording_replaces_an_old_one)
{
    const char* path = record_path("replace.h5");
    record_until(record_start(path), 5);
    record_until(record_start(path), 2);
    CHECK_INT(cord_recording_frames(record_read(path)).count, 2);
    CHECK(access(record_path("replace.h5.part"), F_OK) != 0);
}

TEST(a_changed_set_of_rods_bodies_or_obstacles_is_refused)
{
    RecordRun run = record_start(record_path("rods.h5"));
    record_frames(&run, 1);
    record_obstacle(run.world, "third", (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {1, 0, 0}},
                    (CordVec3){9, 9, 9}, (CordQuat){0, 0, 0, 1});
    record_check_put_refused(&run, "began with 2 obstacles and the world now has 3");
    CHECK_OK(cord_body_destroy(run.world, cord_world_body(run.world, 0)));
    record_check_put_refused(&run, "began with 2 bodies and the world now has 1");
    CHECK_OK(cord_rod_destroy(run.world, cord_world_rod(run.world, 1)));
    record_check_put_refused(&run, "began with 2 rods and the world now has 1");
    record_end(&run);
}

// A world without bodies has none in its recording, and no tables for them.
TEST(a_run_without_bodies_reads_back)
{
    const char* path = record_path("no_bodies.h5");
    RecordRun run = record_world(NULL);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cord_body_destroy(run.world, cord_world_body(run.world, 0)));
    }
    record_until(record_to(run, path), 2);
    CordFrame put, read = record_frame(record_read(path), 1);
    CHECK_OK(cord_world_frame(run.world, &put));
    CHECK_INT(read.body_count, 0);
    record_check_frame(&read, &put);
}

TEST(a_failure_is_kept_and_not_called_complete)
{
    const char* path = record_path("failed.h5");
    RecordRun run = record_start(path);
    record_frames(&run, 3);
    cord_recorder_set_failure(run.recorder, "node 3 of rod \"rope\" flew away");
    CordRecording* recording = record_open(path); // it is kept when the recorder is closed, not before
    CHECK(cord_recording_failure(recording) == NULL);
    cord_recording_close(recording);
    record_end(&run);
    recording = record_read(path);
    CHECK(!cord_recording_complete(recording));
    CHECK_STR(cord_recording_failure(recording), "node 3 of rod \"rope\" flew away");
    CHECK_INT(cord_recording_frames(recording).count, 3);
    record_until(record_on(record_world(NULL), path), 5); // another try, which goes well
    recording = record_read(path);
    CHECK(cord_recording_complete(recording) && cord_recording_failure(recording) == NULL);
}

// One layout is read, and whoever has a file of another is told what to do.
TEST(another_layout_is_refused)
{
    const char* path = record_path("other_layout.h5");
    const char* const others[] = {"7", "9", "80", "8 ", "", "eight"};
    for (int i = 0; i < 6; i++) {
        Hdf5File file;
        CordRecording* recording;
        CordMessage message = {""};
        CHECK(hdf5_create(&file, path) && hdf5_attribute_write(&file, "/", "format", LAYOUT_FORMAT));
        CHECK(hdf5_attribute_write(&file, "/", "program_version", "0.0.1"));
        CHECK(hdf5_attribute_write(&file, "/", "format_version", others[i]) && hdf5_close(&file));
        CHECK_RESULT(cord_recording_open(path, &recording, &message), CORD_BAD_FILE);
        CHECK(recording == NULL);
        CHECK_CONTAINS(message.text, "written by cordage 0.0.1");
        CHECK_CONTAINS(message.text,
                       "reads layout 8 alone; use the version that wrote it, or run the scene again");
    }
}

TEST(a_world_without_rods_is_refused)
{
    CordWorld* world;
    CordWorldDef hooks = cord_world_def_default();
    CordMessage message = {""};
    CordRecorder* recorder;
    CordRecorderDef def = cord_recorder_def_default();
    def.path = record_path("empty.h5");
    CHECK_OK(cord_world_create(&hooks, &world));
    CHECK_RESULT(cord_recorder_create(&def, world, &recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "no rods");
    CHECK(recorder == NULL && access(def.path, F_OK) != 0);
    cord_world_destroy(world);
}

TEST(features_say_whether_recordings_work)
{
    char path[] = P_tmpdir "/cordage_features_XXXXXX";
    int file = mkstemp(path);
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    CordRecording* recording;
    CordResult result = record_create(&run, path, &message);
    if (strstr(cord_io_features(), "hdf5")) {
        CHECK_OK(result);
        record_end(&run);
    } else {
        CHECK_RESULT(result, CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(message.text, "this build has no HDF5; install libhdf5-dev");
        CHECK_RESULT(record_resume(&run, path, &message), CORD_NOT_SUPPORTED);
        CHECK(write(file, "\x89HDF\r\n\x1a\n", 8) == 8 && cord_recording_is(path));
        CHECK_RESULT(cord_recording_open(path, &recording, &message), CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(message.text, "this build has no HDF5; install libhdf5-dev");
    }
    close(file);
    remove(path);
}

TEST_GROUP(record_file)
