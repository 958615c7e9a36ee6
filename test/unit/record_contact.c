// Contacts and obstacles in recordings. The frames are those of a world, with contacts filled in by hand, so
// that they are of every kind and their number changes as it likes.
#include "record_scene.h"

#include "export/recorder.h"
#include "export/recording.h"

#include <cordage/contact.h>

enum { FRAMES = 5, CONTACTS_MOST = 700, OBSTACLES = 5 };

static const int counts[FRAMES] = {0, 3, CONTACTS_MOST, 0, 1};

static uint32_t random_state = 1;

static double random_half(void) // between -1 and 1, and no more digits than a float has
{
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 9) / (1 << 22) - 1.0;
}

static CordVec3 random_vector(void)
{
    CordVec3 v = {random_half(), random_half(), random_half()};
    return v;
}

// The world's rods have 9 and 12 edges; it has two bodies, and two obstacles beside those below.
static CordContact contact_make(int i)
{
    static const int others[] = {
        [CORD_TOUCH_ROD] = 2, [CORD_TOUCH_OBSTACLE] = OBSTACLES, [CORD_TOUCH_BODY] = 2};
    CordTouch kind = (CordTouch)(i % 3);
    CordContact c = {.rod = i % 2, .edge = i % 9, .at = 0.5 + 0.5 * random_half(), .kind = kind};
    c.other = i % others[kind];
    c.other_edge = kind == CORD_TOUCH_ROD ? (i / 3) % 9 : 0;
    c.other_at = kind == CORD_TOUCH_ROD ? 0.5 + 0.5 * random_half() : 0.0;
    c.point = random_vector();
    c.point.x += 1e-12; // kept to the last bit
    c.normal = random_vector();
    c.gap = 1e-3 * random_half();
    c.gap = (double)(float)c.gap;
    c.push = 7.0 * fabs(random_half());
    c.push = (double)(float)c.push;
    c.friction = random_vector();
    c.slides = i % 5 < 2;
    return c;
}

static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2};

static void make_obstacles(CordWorld* world)
{
    CordObstacleId id;
    CordObstacleDef def = cord_obstacle_def_default();
    def.name = "ground, wet";
    def.position.z = -9.0;
    CHECK_OK(cord_obstacle_create(world, &def, &id));
    def = cord_obstacle_def_default();
    def.name = "hull";
    def.solid.shape = CORD_SOLID_MESH;
    def.solid.mesh.vertices = corners;
    def.solid.mesh.vertex_count = 4;
    def.solid.mesh.triangles = faces;
    def.solid.mesh.triangle_count = 3;
    def.position = (CordVec3){5, 6, 7};
    def.rotation = cord_quat_about((CordVec3){1, 1, 0}, 0.7);
    CHECK_OK(cord_obstacle_create(world, &def, &id));
    def = cord_obstacle_def_default();
    def.name = "pipe";
    def.solid.shape = CORD_SOLID_TUBE;
    def.solid.size = (CordVec3){0.5, 0.25, 2.0};
    def.position = (CordVec3){-5, 0, 0};
    CHECK_OK(cord_obstacle_create(world, &def, &id));
}

typedef struct Touched { // a frame whose obstacles and contacts are our own
    CordFrame frame;
    CordFrameObstacle obstacles[OBSTACLES];
    CordContact contacts[CONTACTS_MOST];
} Touched;

static Touched* touched_make(CordWorld* world, int index)
{
    Touched* t = calloc(1, sizeof *t);
    CHECK_OK(cord_world_frame(world, &t->frame));
    CHECK_INT(t->frame.obstacle_count, OBSTACLES);
    random_state = (uint32_t)index + 1;
    for (int i = 0; i < t->frame.obstacle_count; i++) {
        t->obstacles[i] = t->frame.obstacles[i];
        t->obstacles[i].position = random_vector();
        t->obstacles[i].force = random_vector();
        t->obstacles[i].torque = random_vector();
    }
    t->frame.obstacles = t->obstacles;
    t->frame.contact_count = counts[index];
    t->frame.contacts = t->contacts;
    for (int i = 0; i < counts[index]; i++) {
        t->contacts[i] = contact_make(i);
    }
    return t;
}

static RecordRun touched_start(const char* path, bool obstacles)
{
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    if (obstacles) {
        make_obstacles(run.world);
    }
    CordRecorderDef def = record_def(&run, path);
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    return run;
}

static void touched_record(const char* path)
{
    RecordRun run = touched_start(path, true);
    for (int i = 0; i < FRAMES; i++) {
        Touched* t = touched_make(run.world, i);
        CHECK(recorder_append_frame(run.recorder, &t->frame, NULL) && recorder_commit(run.recorder));
        free(t);
    }
    record_end(&run);
}

TEST(contacts_come_back_whatever_their_number)
{
    const char* path = record_path("contacts.h5");
    touched_record(path);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    make_obstacles(run.world);
    CHECK_INT(frames.count, FRAMES);
    for (int k = 2 * FRAMES - 1; k >= 0; k--) {
        // backwards, and twice: room for more does not stay in the way
        int index = k % FRAMES;
        CordFrame frame;
        Touched* t = touched_make(run.world, index);
        CHECK_OK(frames.read(frames.user, index, &frame, &message));
        CHECK_INT(frame.contact_count, counts[index]);
        CHECK(record_contacts_equal(&frame, &t->frame));
        CHECK(record_bodies_equal(&frame, &t->frame) && record_obstacles_equal(&frame, &t->frame));
        free(t);
    }
    cord_recording_close(recording);
    record_end(&run);
}

TEST(obstacles_come_back_with_their_meshes_poses_and_forces)
{
    const char* path = record_path("contacts.h5");
    touched_record(path);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    CordFrame frame;
    make_obstacles(run.world);
    Touched* t = touched_make(run.world, 2);
    CHECK_OK(frames.read(frames.user, 2, &frame, &message));
    CHECK(frame.obstacle_count == OBSTACLES && record_obstacles_equal(&frame, &t->frame));
    const CordFrameObstacle* hull = &frame.obstacles[3];
    CHECK(hull->solid.mesh.vertex_count == 4 && hull->solid.mesh.triangle_count == 3 &&
          frame.obstacles[4].solid.mesh.triangle_count == 0);
    CHECK(record_same_bytes(hull->solid.mesh.vertices, corners, sizeof corners));
    CHECK(record_same_bytes(hull->solid.mesh.triangles, faces, sizeof faces));
    free(t);
    cord_recording_close(recording);
    record_end(&run);
}

// Each kind of wrong number, in a file that is whole otherwise: nobody who trusts a frame is led astray.
TEST(contacts_that_point_nowhere_are_damage)
{
    const CordContact wrong[] = {
        {.rod = 2},
        {.rod = -1},
        {.edge = 9},
        {.edge = -1},
        {.kind = CORD_TOUCH_ROD, .other = 2},
        {.kind = CORD_TOUCH_ROD, .other = 1, .other_edge = 12},
        {.kind = CORD_TOUCH_OBSTACLE, .other = OBSTACLES},
        {.kind = CORD_TOUCH_BODY, .other = 2},
        {.kind = (CordTouch)3},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof wrong[0]); i++) {
        const char* path = record_path("wrong.h5");
        RecordRun run = touched_start(path, true);
        CordMessage message = {""};
        CordFrame frame;
        CHECK_OK(cord_world_frame(run.world, &frame));
        frame.contact_count = 1;
        frame.contacts = &wrong[i];
        CHECK(recorder_append_frame(run.recorder, &frame, NULL) && recorder_commit(run.recorder));
        record_end(&run);
        CordRecording* recording = record_read(path);
        CordFrames frames = cord_recording_frames(recording);
        CHECK_RESULT(frames.read(frames.user, 0, &frame, &message), CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, "frame 0 is damaged");
        cord_recording_close(recording);
    }
}

TEST(a_changed_set_of_obstacles_is_refused)
{
    RecordRun run = touched_start(record_path("changed.h5"), false);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_put_frame(run.recorder, &message));
    make_obstacles(run.world);
    CHECK_RESULT(cord_recorder_put_frame(run.recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "began with 2 obstacles and the world now has 5");
    record_end(&run);
}

TEST(a_run_is_resumed_among_the_same_obstacles_alone)
{
    const char* path = record_path("among.h5");
    RecordRun run = touched_start(path, true);
    CordMessage message = {""};
    CHECK_OK(cord_recorder_put_frame(run.recorder, &message));
    record_end(&run);
    run = record_world(NULL);
    CordRecorderDef def = record_def(&run, path);
    CHECK_RESULT(cord_recorder_resume(&def, run.world, &run.recorder, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "its obstacles are not those of the world");
    make_obstacles(run.world);
    CHECK_OK(cord_recorder_resume(&def, run.world, &run.recorder, &message));
    record_end(&run);
}

static RecordRun world_of_one_rod(int elements) // which touches nothing
{
    RecordRun run = {0};
    CordWorldDef hooks = cord_world_def_default();
    CordRodDef rod = cord_rod_def_default();
    CordRodId id;
    rod.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    rod.section = cord_section_disc(0.01);
    CHECK_OK(cord_world_create(&hooks, &run.world));
    CHECK_OK(cord_rod_create(run.world, &rod, &id));
    return run;
}

// What is not there takes no room: one pair of offsets in a frame is all.
TEST(a_run_without_contact_has_empty_tables)
{
    const char* path = record_path("plain.h5");
    CordMessage message = {""};
    RecordRun run = world_of_one_rod(4);
    CordRecorderDef def = record_def(&run, path);
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    CHECK_OK(cord_recorder_put_frame(run.recorder, &message));
    record_end(&run);
    CordRecording* recording = record_read(path);
    for (int c = 0; c < column_count; c++) {
        LayoutDef table;
        CHECK(layout_def(&recording->shape, c, &table) == !columns[c].has); // neither bodies nor obstacles
        CHECK(columns[c].row != ROW_CONTACT || recording->tables[c].rows == 0);
    }
    CordFrames frames = cord_recording_frames(recording);
    CordFrame frame;
    CHECK_OK(frames.read(frames.user, 0, &frame, &message));
    CHECK(frame.contact_count == 0 && frame.obstacle_count == 0);
    cord_recording_close(recording);
}

// With contact the size of a state changes, and compressed snapshots must not share a chunk.
TEST(snapshots_of_any_size_come_back)
{
    const char* path = record_path("snapshots.h5");
    CordMessage message = {""};
    RecordRun run = world_of_one_rod(1000);
    CordRecorderDef def = record_def(&run, path);
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    size_t chunk = run.recorder->snapshot_chunk,
           sizes[] = {chunk, chunk + 100, 5, 3 * chunk - 1, chunk, 2 * chunk};
    int count = (int)(sizeof sizes / sizeof sizes[0]);
    CHECK(chunk > 16384);
    uint8_t* bytes = malloc(3 * chunk);
    for (int i = 0; i < count; i++) {
        memset(bytes, 'a' + i, sizes[i]);
        CHECK(recorder_append_snapshot(run.recorder, bytes, sizes[i], 0, 0) && recorder_commit(run.recorder));
        CHECK_INT(run.recorder->tables[TABLE_SNAPSHOT_BYTES].rows % (int64_t)chunk, 0);
    }
    record_end(&run);
    CordRecording* recording = record_read(path);
    for (int i = 0; i < count; i++) {
        RecordingSnapshot snapshot;
        memset(bytes, 'a' + i, sizes[i]);
        CHECK_OK(recording_read_snapshot(recording, i, &snapshot, &message));
        CHECK(snapshot.size == sizes[i] && record_same_bytes(snapshot.bytes, bytes, sizes[i]));
        free(snapshot.bytes);
    }
    free(bytes);
    cord_recording_close(recording);
}

TEST_GROUP(record_contact, contacts_come_back_whatever_their_number,
           obstacles_come_back_with_their_meshes_poses_and_forces, contacts_that_point_nowhere_are_damage,
           a_changed_set_of_obstacles_is_refused, a_run_is_resumed_among_the_same_obstacles_alone,
           a_run_without_contact_has_empty_tables, snapshots_of_any_size_come_back)
