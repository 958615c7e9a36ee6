// What is put is what is read.
#include "record_scene.h"

#include "export/recorder.h"
#include "export/recording.h"

static float as_float(double value)
{
    return (float)value;
}

static void check_stored(const CordFrame* put, const CordFrame* read)
{
    CHECK(put->time == read->time);
    CHECK_INT(read->steps, put->steps);
    CHECK_INT(read->rod_count, put->rod_count);
    CHECK_INT(read->node_count, put->node_count);
    CHECK_INT(read->edge_count, put->edge_count);
    for (int r = 0; r < put->rod_count; r++) {
        CHECK_STR(read->rods[r].name, put->rods[r].name);
        CHECK_INT(read->rods[r].first_node, put->rods[r].first_node);
        CHECK_INT(read->rods[r].node_count, put->rods[r].node_count);
        CHECK_INT(read->rods[r].first_edge, put->rods[r].first_edge);
        CHECK_INT(read->rods[r].edge_count, put->rods[r].edge_count);
        CHECK(read->rods[r].closed == put->rods[r].closed);
        CHECK(record_same_bytes(&read->energy[r], &put->energy[r], sizeof(CordEnergy)));
        CHECK(read->stretch[r] == put->stretch[r]);
    }
    CHECK(record_same_bytes(read->x, put->x, (size_t)put->node_count * sizeof(CordVec3)));
    for (int i = 0; i < put->node_count; i++) {
        CHECK(read->v[i].x == as_float(put->v[i].x) && read->v[i].y == as_float(put->v[i].y));
        CHECK(read->v[i].z == as_float(put->v[i].z) && read->moment[i].x == as_float(put->moment[i].x));
        CHECK(read->moment[i].y == as_float(put->moment[i].y) &&
              read->moment[i].z == as_float(put->moment[i].z));
    }
    for (int i = 0; i < put->edge_count; i++) {
        CHECK(read->m1[i].x == as_float(put->m1[i].x) && read->m1[i].y == as_float(put->m1[i].y));
        CHECK(read->m1[i].z == as_float(put->m1[i].z));
        CHECK(read->radius[i] == as_float(put->radius[i]) && read->tension[i] == as_float(put->tension[i]));
        CHECK(read->force[i].x == as_float(put->force[i].x) && read->force[i].y == as_float(put->force[i].y));
        CHECK(read->force[i].z == as_float(put->force[i].z));
    }
    CHECK(record_bodies_equal(read, put) && record_obstacles_equal(read, put));
    CHECK_INT(read->contact_count, put->contact_count);
    for (int i = 0; i < put->contact_count; i++) {
        const CordContact *p = &put->contacts[i], *r = &read->contacts[i];
        CHECK(r->rod == p->rod && r->edge == p->edge && r->kind == p->kind && r->other == p->other);
        CHECK(record_same_bytes(&r->point, &p->point, sizeof p->point) && r->push == as_float(p->push));
    }
}

// Positions, times, energies, bodies, obstacles and probes keep every bit; the rest is rounded to float,
// once.
TEST(every_frame_reads_back_bit_for_bit)
{
    const char* path = record_path("frames.h5");
    RecordRun run = record_start(path), twin = record_world(NULL);
    CordMessage message = {""};
    record_frames(&run, 23);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    CHECK_INT(frames.count, 23);
    CHECK(cord_recording_complete(recording));
    CHECK_STR(cord_recording_version(recording), cord_version());
    int contacts = 0;
    for (int i = 0; i < frames.count; i++) {
        CordFrame put, read;
        while (cord_world_steps(twin.world) < (int64_t)i * RECORD_STEPS_PER_FRAME) {
            CHECK_OK(cord_world_step(twin.world, RECORD_STEP));
        }
        CHECK_OK(cord_world_frame(twin.world, &put));
        CHECK_OK(frames.read(frames.user, i, &read, &message));
        check_stored(&put, &read);
        contacts += read.contact_count;
    }
    CHECK(contacts > 0); // the rope has come down on the bump
    CordFrame frame;
    CHECK_RESULT(frames.read(frames.user, 23, &frame, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "has no frame 23");
    cord_recording_close(recording);
    cord_world_destroy(twin.world);
    cord_scene_destroy(twin.scene);
}

TEST(every_probe_row_reads_back_bit_for_bit)
{
    enum { FRAMES = 200, ROWS = (FRAMES - 1) * RECORD_STEPS_PER_FRAME }; // more than a buffer of rows
    const char* path = record_path("probes.h5");
    RecordRun run = record_start(path), twin = record_world(NULL);
    CordMessage message = {""};
    record_frames(&run, FRAMES);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_probe_count(recording), 3);
    CHECK_INT(cord_recording_probe_rows(recording), ROWS);
    CHECK_STR(cord_recording_probe_name(recording, 1), "pull");
    CHECK_INT(cord_recording_probe_measure(recording, 1), CORD_MEASURE_TENSION);
    static double times[ROWS], values[3][ROWS * 5], expected[CORD_PROBE_MOST];
    CHECK_OK(cord_recording_probe_times(recording, times, &message));
    for (int p = 0; p < 3; p++) {
        CHECK_OK(cord_recording_probe_values(recording, p, values[p], &message));
    }
    for (int row = 0; row < ROWS; row++) {
        CHECK_OK(cord_world_step(twin.world, RECORD_STEP));
        CHECK(times[row] == cord_world_time(twin.world));
        for (int p = 0; p < 3; p++) {
            size_t width = (size_t)cord_measure_size(cord_recording_probe_measure(recording, p));
            CHECK_OK(cord_probe_read(twin.world, cord_world_probe(twin.world, p), expected));
            CHECK(record_same_bytes(&values[p][(size_t)row * width], expected, width * sizeof *expected));
        }
    }
    CHECK_RESULT(cord_recording_probe_values(recording, 3, values[0], &message), CORD_BAD_ARGUMENT);
    cord_recording_close(recording);
    cord_world_destroy(twin.world);
    cord_scene_destroy(twin.scene);
}

// Adaptive rods change their number of nodes: made up here, frame by frame.
TEST(node_counts_may_change_from_frame_to_frame)
{
    enum { MOST = 3000 };
    const char* path = record_path("adaptive.h5");
    RecordRun run = record_world(NULL);
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(recorder_open(&def, run.world, &run.recorder, &message));
    static CordVec3 vectors[3 * MOST];
    static double numbers[3 * MOST];
    for (int i = 0; i < 3 * MOST; i++) {
        vectors[i] = (CordVec3){i, 0.5 * i, -i};
        numbers[i] = 1.0 / (1 + i);
    }
    CordEnergy energy[2] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    CordFrameRod rods[2];
    CordFrameBody bodies[2] = {
        {.name = "ball", .solid.shape = CORD_SOLID_SPHERE, .solid.size = {0.01, 0.01, 0.01}},
        {.name = "brick, red", .solid.shape = CORD_SOLID_BOX, .solid.size = {0.1, 0.2, 0.3}}};
    CordFrame frame = {.rod_count = 2, .rods = rods, .energy = energy, .stretch = numbers, .m1 = vectors};
    frame.body_count = 2, frame.bodies = bodies;
    CordFrameObstacle obstacles[2] = {
        {.name = "bump", .solid.shape = CORD_SOLID_SPHERE, .solid.size = {0.05, 0, 0}},
        {.name = "sail, torn",
         .solid.shape = CORD_SOLID_MESH,
         .solid.mesh.vertex_count = 3,
         .solid.mesh.triangle_count = 1}};
    frame.obstacle_count = 2, frame.obstacles = obstacles;
    int counts[] = {10, 3000, 2, 700, 701, 3000, 5};
    int frame_count = (int)(sizeof counts / sizeof counts[0]);
    for (int pass = 0; pass < 2; pass++) {
        CordRecording* recording = pass == 1 ? record_read(path) : NULL;
        for (int i = 0; i < frame_count; i++) {
            int n = counts[i];
            rods[0] = (CordFrameRod){"rope", 0, n, 0, n - 1, false, false};
            rods[1] = (CordFrameRod){"ring, small", n, 12, n - 1, 12, true, false};
            frame.time = i, frame.steps = i, frame.node_count = n + 12, frame.edge_count = n + 11;
            frame.x = vectors + i, frame.v = vectors + 2 * i, frame.moment = vectors + 3 * i;
            frame.radius = numbers + i, frame.tension = numbers + 2 * i, frame.force = vectors + 4 * i;
            bodies[1].position = vectors[i], bodies[0].spin = vectors[2 * i], bodies[0].energy.gravity = i;
            obstacles[0].position = vectors[i], obstacles[1].torque = vectors[2 * i];
            if (pass == 0) {
                CHECK(recorder_append_frame(run.recorder, &frame, NULL) && recorder_commit(run.recorder));
            } else {
                CordFrame read;
                CHECK_OK(recording_read_frame(recording, i, &read, &message));
                check_stored(&frame, &read);
            }
        }
        if (pass == 0) {
            CHECK_OK(recording_lock_publish(&run.recorder->lock, false, &message));
            record_end(&run);
        }
        cord_recording_close(recording);
    }
}

// Rods and frames large enough to be compressed, in chunks of one frame.
TEST(large_frames_are_compressed_and_read_back)
{
    const char* path = record_path("large.h5");
    RecordRun run = record_world("rods[*].elements=2500");
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    CordFrame put, read;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(cord_world_step(run.world, 1e-6));
        CHECK_OK(cord_recorder_put_frame(run.recorder, &message));
    }
    CordRecording* recording = record_read(path); // while it is being written
    CHECK(!cord_recording_complete(recording));
    CHECK_INT(cord_recording_frames(recording).count, 3);
    CHECK_OK(cord_world_frame(run.world, &put));
    CHECK_OK(recording_read_frame(recording, 2, &read, &message));
    check_stored(&put, &read);
    cord_recording_close(recording);
    long plain = 3L * (put.node_count + put.edge_count) * 40 + 2L * (long)cord_world_state_size(run.world);
    record_end(&run); // frames of 80 bytes a node, and the snapshots of the first frame and the end
    CHECK(record_size(path) > plain / 10 && record_size(path) < plain);
}

TEST(scene_and_settings_are_kept)
{
    const char* path = record_path("scene.h5");
    RecordRun run = record_world("rods[0].elements=11");
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    record_frames(&run, 1);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CordScene* scene;
    size_t size;
    CHECK_OK(cord_recording_scene(recording, &scene, &message));
    CHECK_STR(cord_scene_text(scene, &size), record_scene_text);
    CHECK_INT(size, sizeof record_scene_text - 1);
    CHECK_STR(cord_scene_path(scene), "recorded.json");
    CHECK_INT(cord_scene_setting_count(scene), 1);
    CHECK_STR(cord_scene_setting(scene, 0), "rods[0].elements=11");
    cord_scene_destroy(scene);
    cord_recording_close(recording);
}

TEST(a_world_without_scene_is_recorded_too)
{
    const char* path = record_path("bare.h5");
    RecordRun run = record_world(NULL);
    CordRecorderDef def = record_def(&run, path);
    def.scene = NULL;
    CordMessage message = {""};
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    record_frames(&run, 2);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CordScene* scene;
    CHECK_RESULT(cord_recording_scene(recording, &scene, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "holds no scene");
    CHECK_INT(cord_recording_frames(recording).count, 2);
    cord_recording_close(recording);
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
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    record_frames(&run, 3);
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_probe_count(recording), count);
    for (int i = 0; i < count; i++) {
        double values[2 * RECORD_STEPS_PER_FRAME * CORD_PROBE_MOST], last[CORD_PROBE_MOST];
        CordProbeId probe = cord_world_probe(run.world, i);
        size_t width = (size_t)cord_measure_size(cord_probe_measure(run.world, probe));
        CHECK_STR(cord_recording_probe_name(recording, i), cord_probe_name(run.world, probe));
        CHECK_OK(cord_recording_probe_values(recording, i, values, &message));
        CHECK_OK(cord_probe_read(run.world, probe, last));
        CHECK(
            record_same_bytes(values + (2 * RECORD_STEPS_PER_FRAME - 1) * width, last, width * sizeof *last));
    }
    cord_recording_close(recording);
    record_end(&run);
}

TEST(a_new_recording_replaces_an_old_one)
{
    const char* path = record_path("replace.h5");
    RecordRun run = record_start(path);
    record_frames(&run, 5);
    record_end(&run);
    run = record_start(path);
    record_frames(&run, 2);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_frames(recording).count, 2);
    cord_recording_close(recording);
    CHECK(access(record_path("replace.h5.part"), F_OK) != 0);
}

TEST(a_changed_set_of_rods_is_refused)
{
    RecordRun run = record_start(record_path("rods.h5"));
    CordMessage message = {""};
    record_frames(&run, 1);
    CHECK_OK(cord_rod_destroy(run.world, cord_world_rod(run.world, 1)));
    CHECK_RESULT(cord_recorder_put_frame(run.recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "began with 2 rods and the world now has 1");
    cord_recorder_close(run.recorder, &message);
    cord_world_destroy(run.world);
    cord_scene_destroy(run.scene);
}

TEST(a_changed_set_of_bodies_is_refused)
{
    RecordRun run = record_start(record_path("bodies.h5"));
    CordMessage message = {""};
    record_frames(&run, 1);
    CHECK_OK(cord_body_destroy(run.world, cord_world_body(run.world, 0)));
    CHECK_RESULT(cord_recorder_put_frame(run.recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "began with 2 bodies and the world now has 1");
    cord_recorder_close(run.recorder, &message);
    cord_world_destroy(run.world);
    cord_scene_destroy(run.scene);
}

// A world without bodies has none in its recording, and no tables for them.
TEST(a_run_without_bodies_reads_back)
{
    const char* path = record_path("no_bodies.h5");
    RecordRun run = record_world(NULL);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cord_body_destroy(run.world, cord_world_body(run.world, 0)));
    }
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    record_frames(&run, 2);
    CordFrame put, read;
    CordRecording* recording = record_read(path);
    CHECK_OK(cord_world_frame(run.world, &put));
    CHECK_OK(recording_read_frame(recording, 1, &read, &message));
    CHECK_INT(read.body_count, 0);
    check_stored(&put, &read);
    cord_recording_close(recording);
    record_end(&run);
}

TEST(a_failure_is_kept_and_not_called_complete)
{
    const char* path = record_path("failed.h5");
    RecordRun run = record_start(path);
    CordMessage message = {""};
    record_frames(&run, 3);
    cord_recorder_set_failure(run.recorder, "node 3 of rod \"rope\" flew away");
    CordRecording* recording = record_read(path); // it is kept when the recorder is closed, not before
    CHECK(cord_recording_failure(recording) == NULL);
    cord_recording_close(recording);
    record_end(&run);
    recording = record_read(path);
    CHECK(!cord_recording_complete(recording));
    CHECK_STR(cord_recording_failure(recording), "node 3 of rod \"rope\" flew away");
    CHECK_INT(cord_recording_frames(recording).count, 3);
    cord_recording_close(recording);

    run = record_world(NULL); // another try, which goes well
    CordRecorderDef def = record_def(&run, path);
    CHECK_OK(cord_recorder_resume(&def, run.world, &run.recorder, &message));
    record_frames(&run, 5);
    record_end(&run);
    recording = record_read(path);
    CHECK(cord_recording_complete(recording) && cord_recording_failure(recording) == NULL);
    cord_recording_close(recording);
}

// One layout is read, and whoever has a file of another is told what to do.
TEST(another_layout_is_refused)
{
    const char* path = record_path("other_layout.h5");
    const char* const others[] = {"5", "7", "60", "6 ", "", "six"};
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
                       "reads layout 6 alone; use the version that wrote it, or run the scene again");
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
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CordRecording* recording;
    CordResult result = cord_recorder_create(&def, run.world, &run.recorder, &message);
    if (strstr(cord_io_features(), "hdf5")) {
        CHECK_OK(result);
        CHECK_OK(cord_recorder_close(run.recorder, &message));
    } else {
        CHECK_RESULT(result, CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(message.text, "this build has no HDF5; install libhdf5-dev");
        CHECK_RESULT(cord_recorder_resume(&def, run.world, &run.recorder, &message), CORD_NOT_SUPPORTED);
        CHECK(write(file, "\x89HDF\r\n\x1a\n", 8) == 8 && cord_recording_is(path));
        CHECK_RESULT(cord_recording_open(path, &recording, &message), CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(message.text, "this build has no HDF5; install libhdf5-dev");
    }
    cord_world_destroy(run.world);
    cord_scene_destroy(run.scene);
    close(file);
    remove(path);
}

TEST_GROUP(record_file, features_say_whether_recordings_work, every_frame_reads_back_bit_for_bit,
           every_probe_row_reads_back_bit_for_bit, node_counts_may_change_from_frame_to_frame,
           large_frames_are_compressed_and_read_back, scene_and_settings_are_kept,
           a_world_without_scene_is_recorded_too, any_probe_name_works, a_new_recording_replaces_an_old_one,
           a_changed_set_of_rods_is_refused, a_changed_set_of_bodies_is_refused,
           a_run_without_bodies_reads_back, a_failure_is_kept_and_not_called_complete,
           another_layout_is_refused, a_world_without_rods_is_refused)
