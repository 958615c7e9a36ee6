// Contacts and obstacles in recordings. The frames are those of a world, with contacts filled in by hand, so
// that they are of every kind and their number changes as it likes.
#include "record_scene.h"

enum { FRAMES = 5, CONTACTS_MOST = 700, OBSTACLES = 5 };

static const int counts[FRAMES] = {0, 3, CONTACTS_MOST, 0, 1};

static CordVec3 random_vector(void)
{
    CordVec3 v = {record_random_half(), record_random_half(), record_random_half()};
    return v;
}

// The world's rods have 9 and 12 edges; it has two bodies, and two obstacles beside those below.
static CordContact contact_make(int i)
{
    static const int others[] = {
        [CORD_TOUCH_ROD] = 2, [CORD_TOUCH_OBSTACLE] = OBSTACLES, [CORD_TOUCH_BODY] = 2};
    CordTouch kind = (CordTouch)(i % 3);
    CordContact c = {.rod = i % 2, .edge = i % 9, .at = 0.5 + 0.5 * record_random_half(), .kind = kind};
    c.other = i % others[kind];
    c.other_edge = kind == CORD_TOUCH_ROD ? (i / 3) % 9 : 0;
    c.other_at = kind == CORD_TOUCH_ROD ? 0.5 + 0.5 * record_random_half() : 0.0;
    c.point = random_vector();
    c.point.x += 1e-12; // kept to the last bit
    c.normal = random_vector();
    c.gap = 1e-3 * record_random_half();
    c.gap = (double)(float)c.gap;
    c.push = 7.0 * fabs(record_random_half());
    c.push = (double)(float)c.push;
    c.friction = random_vector();
    c.slides = i % 5 < 2;
    return c;
}

static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2};

static RecordRun touched_world(void)
{
    RecordRun run = record_world(NULL);
    const CordQuat straight = {0, 0, 0, 1};
    record_obstacle(run.world, "ground, wet", (CordSolid){.shape = CORD_SOLID_PLANE}, (CordVec3){0, 0, -9},
                    straight);
    record_obstacle(run.world, "hull", (CordSolid){.shape = CORD_SOLID_MESH, .mesh = {corners, 4, faces, 3}},
                    (CordVec3){5, 6, 7}, cord_quat_about((CordVec3){1, 1, 0}, 0.7));
    record_obstacle(run.world, "pipe", (CordSolid){.shape = CORD_SOLID_TUBE, .size = {0.5, 0.25, 2.0}},
                    (CordVec3){-5, 0, 0}, straight);
    return run;
}

typedef struct Touched { // a frame whose obstacles and contacts are our own
    CordFrame frame;
    CordFrameObstacle obstacles[OBSTACLES];
    CordContact contacts[CONTACTS_MOST];
} Touched;

static Touched* touched_make(CordWorld* world, int index)
{
    Touched* t = keep_zeros(sizeof *t);
    CHECK_OK(cord_world_frame(world, &t->frame));
    CHECK_INT(t->frame.obstacle_count, OBSTACLES);
    record_random = (uint32_t)index + 1;
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

static CordRecording* touched_recording(void)
{
    const char* path = record_path("contacts.h5");
    RecordRun run = record_to(touched_world(), path);
    for (int i = 0; i < FRAMES; i++) {
        record_put(&run, &touched_make(run.world, i)->frame, NULL);
    }
    record_end(&run);
    return record_read(path);
}

TEST(contacts_come_back_whatever_their_number)
{
    CordRecording* recording = touched_recording();
    RecordRun run = touched_world();
    CHECK_INT(cord_recording_frames(recording).count, FRAMES);
    for (int k = 2 * FRAMES - 1; k >= 0; k--) {
        // backwards, and twice: room for more does not stay in the way
        int index = k % FRAMES;
        CordFrame frame = record_frame(recording, index);
        const CordFrame* put = &touched_make(run.world, index)->frame;
        CHECK_INT(frame.contact_count, counts[index]);
        record_check_contacts(&frame, put);
        record_check_solids(&frame, put);
    }
}

TEST(obstacles_come_back_with_their_meshes_poses_and_forces)
{
    CordFrame frame = record_frame(touched_recording(), 2);
    CHECK_INT(frame.obstacle_count, OBSTACLES);
    record_check_solids(&frame, &touched_make(touched_world().world, 2)->frame);
    const CordFrameObstacle* hull = &frame.obstacles[3];
    CHECK(hull->solid.mesh.vertex_count == 4 && hull->solid.mesh.triangle_count == 3 &&
          frame.obstacles[4].solid.mesh.triangle_count == 0);
    CHECK(record_same_bytes(hull->solid.mesh.vertices, corners, sizeof corners));
    CHECK(record_same_bytes(hull->solid.mesh.triangles, faces, sizeof faces));
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
        RecordRun run = record_to(touched_world(), path);
        CordMessage message = {""};
        CordFrame frame;
        CHECK_OK(cord_world_frame(run.world, &frame));
        frame.contact_count = 1;
        frame.contacts = &wrong[i];
        record_put(&run, &frame, NULL);
        record_end(&run);
        CHECK_RESULT(recording_read_frame(record_read(path), 0, &frame, &message), CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, "frame 0 is damaged");
    }
}

TEST(a_run_is_resumed_among_the_same_obstacles_alone)
{
    const char* path = record_path("among.h5");
    CordMessage message = {""};
    record_until(record_to(touched_world(), path), 1);
    RecordRun run = record_world(NULL);
    CHECK_RESULT(record_resume(&run, path, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "its obstacles are not those of the world");
    record_until(record_on(touched_world(), path), 1);
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
    keep(run.world, record_release_world);
    CHECK_OK(cord_rod_create(run.world, &rod, &id));
    return run;
}

// What is not there takes no room: one pair of offsets in a frame is all.
TEST(a_run_without_contact_has_empty_tables)
{
    const char* path = record_path("plain.h5");
    record_until(record_to(world_of_one_rod(4), path), 1);
    CordRecording* recording = record_read(path);
    for (int c = 0; c < column_count; c++) {
        LayoutDef table;
        CHECK(layout_def(&recording->shape, c, &table) == !columns[c].has); // neither bodies nor obstacles
        CHECK(columns[c].row != ROW_CONTACT || recording->tables[c].rows == 0);
    }
    CordFrame frame = record_frame(recording, 0);
    CHECK(frame.contact_count == 0 && frame.obstacle_count == 0);
}

// With contact the size of a state changes, and compressed snapshots must not share a chunk.
TEST(snapshots_of_any_size_come_back)
{
    const char* path = record_path("snapshots.h5");
    RecordRun run = record_to(world_of_one_rod(1000), path);
    size_t chunk = run.recorder->snapshot_chunk,
           sizes[] = {chunk, chunk + 100, 5, 3 * chunk - 1, chunk, 2 * chunk};
    int count = (int)(sizeof sizes / sizeof sizes[0]);
    CHECK(chunk > 16384);
    uint8_t* bytes = keep_zeros(3 * chunk);
    for (int i = 0; i < count; i++) {
        memset(bytes, 'a' + i, sizes[i]);
        CHECK(recorder_append_snapshot(
                  run.recorder,
                  &(RecordingSnapshot){.bytes = bytes, .size = sizes[i], .state_size = sizes[i]}) &&
              recorder_commit(run.recorder));
        CHECK_INT(run.recorder->tables[TABLE_SNAPSHOT_BYTES].rows % (int64_t)chunk, 0);
    }
    record_end(&run);
    CordRecording* recording = record_read(path);
    for (int i = 0; i < count; i++) {
        RecordingSnapshot snapshot = record_snapshot(recording, i);
        memset(bytes, 'a' + i, sizes[i]);
        CHECK(snapshot.size == sizes[i] && record_same_bytes(snapshot.bytes, bytes, sizes[i]));
    }
}

TEST_GROUP(record_contact)
