// Reels: what is written is read again.
#include "heap.h"
#include "reel_stage.h"

#include <float.h>

static void check_vectors(const CordVec3* actual, const CordVec3* expected, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_VEC3(actual[i], expected[i], 0.0);
    }
}

TEST(a_scene_comes_back_with_its_settings_and_files)
{
    CordReelBytes* bytes = reel_bytes();
    CHECK_OK(cord_reel_put_head(bytes));
    CHECK_OK(reel_put_scene(bytes));
    CordReel* reel = reel_open(bytes);
    const CordReelScene* scene = cord_reel_scene(reel);
    CHECK_INT(cord_reel_frame_count(reel), 0);
    CHECK_STR(scene->path, "knot.json");
    CHECK_INT(scene->text_size, 16);
    CHECK(memcmp(scene->text, "{ \"cordage\": 1 }", 16) == 0);
    CHECK_INT(scene->setting_count, 2);
    CHECK_STR(scene->settings[1], "rods[*].model=\"pbd\"");
    CHECK_INT(scene->file_count, 3);
    CHECK_STR(scene->files[0].name, "a/b.obj");
    CHECK_INT(scene->files[1].size, 3);
    CHECK(memcmp(scene->files[1].bytes, "\0\xff\0", 3) == 0);
    CHECK_INT(scene->files[2].size, 0);
}

static void check_rods(const CordFrame* frame, const ReelStage* stage)
{
    CHECK_INT(frame->rod_count, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_STR(frame->rods[i].name, stage->rods[i].name);
        CHECK_INT(frame->rods[i].first_node, stage->rods[i].first_node);
        CHECK_INT(frame->rods[i].edge_count, stage->rods[i].edge_count);
        CHECK_INT(frame->rods[i].closed, stage->rods[i].closed);
        CHECK_INT(frame->rods[i].network, stage->rods[i].network);
        CHECK_NEAR(frame->energy[i].kinetic, stage->energy[i].kinetic, 0.0);
        CHECK_NEAR(frame->energy[i].gravity, stage->energy[i].gravity, 0.0);
    }
    check_vectors(frame->x, stage->x, STAGE_NODES);
    check_vectors(frame->m1, stage->m1, STAGE_EDGES);
    for (int e = 0; e < STAGE_EDGES; e++) {
        CHECK_NEAR(frame->radius[e], stage->radius[e], 0.0);
        CHECK_NEAR(frame->tension[e], stage->tension[e], 0.0);
        CHECK_INT(frame->ends[2 * e], stage->ends[2 * e]);
        CHECK_INT(frame->ends[2 * e + 1], stage->ends[2 * e + 1]);
    }
}

static void check_solids(const CordFrame* frame, const ReelStage* stage)
{
    CHECK_INT(frame->body_count, 1);
    CHECK_STR(frame->bodies[0].name, "crate");
    CHECK_INT(frame->bodies[0].solid.shape, CORD_SOLID_BOX);
    CHECK_VEC3(frame->bodies[0].solid.size, stage->bodies[0].solid.size, 0.0);
    CHECK_VEC3(frame->bodies[0].position, stage->bodies[0].position, 0.0);
    CHECK_NEAR(frame->bodies[0].rotation.w, stage->bodies[0].rotation.w, 0.0);
    CHECK_INT(frame->obstacle_count, 2);
    CHECK_STR(frame->obstacles[1].name, stage->obstacles[1].name);
    CHECK_INT(frame->obstacles[1].solid.shape, CORD_SOLID_TORUS);
    CHECK_NEAR(frame->obstacles[1].rotation.x, 1.0, 0.0);
    CHECK_INT(frame->obstacles[0].solid.mesh.triangle_count, 2);
    check_vectors(frame->obstacles[0].solid.mesh.vertices, stage->corners, 3);
    CHECK_INT(frame->obstacles[0].solid.mesh.triangles[4], 2);
    CHECK_INT(frame->surface_count, 1);
    CHECK_STR(frame->surfaces[0].name, "leaf");
    CHECK_INT(frame->surfaces[0].rod, 1);
    CHECK(frame->surfaces[0].hides);
    check_vectors(frame->surfaces[0].vertices, stage->vertices, STAGE_VERTICES);
    CHECK_INT(frame->surfaces[0].triangles[0], 2);
}

TEST(a_frame_comes_back_with_all_that_a_reel_keeps)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    CordReel* reel = reel_open(reel_whole(&stage));
    CHECK_INT(cord_reel_frame_count(reel), 2);
    CordFrame frame = reel_frame(reel, 0);
    CHECK_NEAR(frame.time, 0.1, 0.0);
    CHECK_INT(frame.steps, 1234567890123);
    check_rods(&frame, &stage);
    check_solids(&frame, &stage);
    CHECK_INT(frame.contact_count, STAGE_CONTACTS);
    for (int i = 0; i < STAGE_CONTACTS; i++) {
        CHECK_VEC3(frame.contacts[i].point, stage.contacts[i].point, 0.0);
        CHECK_VEC3(frame.contacts[i].normal, stage.contacts[i].normal, 0.0);
        CHECK_NEAR(frame.contacts[i].push, stage.contacts[i].push, 0.0);
        CHECK_INT(frame.contacts[i].kind, stage.contacts[i].kind);
    }
    CHECK_NEAR(frame.twist[0], 0.1, 0.0);
    CHECK(isnan(frame.twist[1]));
    CHECK_NEAR(cord_reel_writhe(reel)[0], -0.7, 0.0);
    frame = reel_frame(reel, 1);
    CHECK_INT(frame.contact_count, 0);
    CHECK(isnan(cord_reel_writhe(reel)[0]));
}

TEST(what_a_reel_does_not_keep_is_said_to_be_unknown)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    CordReel* reel = reel_open(reel_whole(&stage));
    CordFrame frame = reel_frame(reel, 0);
    CHECK(isnan(frame.v[STAGE_NODES - 1].x) && isnan(frame.moment[0].z) &&
          isnan(frame.force[STAGE_EDGES - 1].y));
    CHECK(isnan(frame.stretch[1]) && isnan(frame.bodies[0].velocity.x) && isnan(frame.obstacles[1].force.x));
    CHECK(isnan(frame.contacts[0].gap));
    CHECK(!frame.skin && !frame.level && !frame.arc && !frame.adapt && !frame.surfaces[0].ties);
    CordFrames frames = cord_reel_frames(reel);
    check_no_frame(&frames, 2, "no frame 2; its 2 frames count from 0");
}

TEST(the_skin_is_what_is_drawn)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    stage.frame.skin = stage.skin;
    CordReel* reel = reel_open(reel_whole(&stage));
    CordFrame frame = reel_frame(reel, 0);
    check_vectors(frame.x, stage.skin, STAGE_NODES);
}

TEST(a_layout_holds_from_where_it_stands)
{
    ReelStage stage, other;
    reel_stage_fill(&stage);
    reel_stage_fill(&other);
    other.rods[0].name = "hoop";
    CordReelBytes* bytes = reel_whole(&stage);
    CHECK_OK(reel_put_layout(&other.frame, bytes));
    CHECK_OK(reel_put_frame(&other.frame, NULL, bytes));
    CordReel* reel = reel_open(bytes);
    CHECK_STR(reel_frame(reel, 2).rods[0].name, "hoop");
    CHECK_STR(reel_frame(reel, 0).rods[0].name, "ring");
    CHECK_STR(reel_frame(reel, 2).rods[0].name, "hoop");
    CHECK_STR(reel_frame(reel, 1).rods[0].name, "ring");
}

TEST(layouts_are_told_apart)
{
    ReelStage stage;
    CordReelBytes *a = reel_bytes(), *b = reel_bytes();
    reel_stage_fill(&stage);
    CHECK_OK(cord_reel_put_layout(&stage.frame, a));
    stage.frame.time = 7.0, stage.x[0].x = 9.0, stage.frame.contact_count = 1;
    CHECK_OK(cord_reel_put_layout(&stage.frame, b));
    CHECK(cord_reel_bytes_equal(a, b));
    b->size = 0;
    stage.radius[STAGE_EDGES - 1] = 0.5;
    CHECK_OK(cord_reel_put_layout(&stage.frame, b));
    CHECK(!cord_reel_bytes_equal(a, b));
}

TEST(numbers_that_no_float_holds_become_the_largest)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    stage.x[1].x = 1e300, stage.tension[2] = -1e300;
    CordReel* reel = reel_open(reel_whole(&stage));
    CordFrame frame = reel_frame(reel, 0);
    CHECK_NEAR(frame.x[1].x, (double)FLT_MAX, 0.0);
    CHECK_NEAR(frame.tension[2], -(double)FLT_MAX, 0.0);
}

static uint64_t number_at(const CordReelBytes* bytes, size_t at, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) {
        value = value << 8 | bytes->data[at + (size_t)i];
    }
    return value;
}

// As the page needs it, which looks at the bytes in place.
TEST(payloads_begin_at_multiples_of_eight)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    stage.rods[1].name = "x"; // another length
    const CordReelBytes* bytes = reel_whole(&stage);
    CHECK(memcmp(bytes->data, "CORDREEL", 8) == 0);
    CHECK_INT(number_at(bytes, 8, 4), 1);
    size_t at = 16;
    int chunks = 0;
    while (at < bytes->size) {
        size_t size = (size_t)number_at(bytes, at + 8, 8);
        CHECK_INT(at % 8, 0);
        at += 16 + (size + 7) / 8 * 8;
        chunks++;
    }
    CHECK_INT(at, bytes->size);
    CHECK_INT(chunks, 4);
}

// A rod of n nodes along a helix of 10 turns.
static void helix(CordVec3* x, int n)
{
    for (int i = 0; i < n; i++) {
        double angle = 20.0 * acos(-1.0) * i / (n - 1);
        x[i] = (CordVec3){cos(angle), sin(angle), angle / 10.0};
    }
}

TEST(writhe_is_that_of_the_polygon_where_it_is_known)
{
    enum { SHORT = CORD_REEL_WRITHE_MOST + 1, LONG = SHORT + 1, ALL = SHORT + LONG + 2 };
    static CordVec3 x[ALL];
    const CordFrameRod rods[] = {{"short", 0, SHORT, 0, SHORT - 1, false, false},
                                 {"long", SHORT, LONG, SHORT - 1, LONG - 1, false, false},
                                 {"network", SHORT + LONG, 2, SHORT + LONG - 2, 1, false, true}};
    CordFrame frame = {.rod_count = 3, .rods = rods, .x = x};
    double writhe[3];
    helix(x, SHORT);
    helix(x + SHORT, LONG);
    cord_reel_find_writhe(&frame, writhe);
    CHECK_NEAR(writhe[0], cord_polygon_tailed_writhe(x, SHORT, false), 0.0);
    CHECK(isnan(writhe[1]) && isnan(writhe[2]));
}

TEST(writhe_is_left_out_where_it_would_take_too_long)
{
    enum {
        RODS = 2000,
        NODES = 37
    }; // 36 edges: 36^2 * 2000 pairs are more than 16 * 400^2, those of 1000 rods are fewer
    static CordVec3 x[NODES];
    static CordFrameRod rods[RODS];
    static double writhe[RODS];
    helix(x, NODES);
    for (int i = 0; i < RODS; i++) {
        rods[i] = (CordFrameRod){"hair", 0, NODES, 0, NODES - 1, false, false}; // all on the same nodes
    }
    CordFrame frame = {.rod_count = RODS, .rods = rods, .x = x};
    cord_reel_find_writhe(&frame, writhe);
    CHECK(isnan(writhe[0]) && isnan(writhe[RODS - 1]));
    frame.rod_count = RODS / 2;
    cord_reel_find_writhe(&frame, writhe);
    CHECK(isfinite(writhe[0]) && isfinite(writhe[RODS / 2 - 1]));
}

TEST(every_allocation_that_fails_while_writing_is_reported)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    Heap heap = {0};
    int64_t failed = 0;
    for (int64_t k = 1; k <= failed + 1; k++) {
        heap = (Heap){.fail = k};
        CordReelBytes bytes = {.allocator = {heap_alloc, heap_free, &heap}};
        CordResult result = CORD_OK;
        for (int i = 0; i < 20 && result == CORD_OK; i++) { // as many as it takes to grow twice
            result = i == 0 ? reel_put_whole(&stage, &bytes) : reel_put_layout(&stage.frame, &bytes);
        }
        CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
        failed = result == CORD_OK ? failed : k;
        cord_reel_bytes_free(&bytes);
        CHECK_INT(heap.held, 0);
    }
    CHECK(failed >= 2);
}

TEST(every_allocation_that_fails_while_reading_is_reported)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    const CordReelBytes* bytes = reel_whole(&stage);
    int64_t failed = 0;
    for (int64_t k = 1; k <= failed + 1; k++) {
        Heap heap = {.fail = k};
        CordReel* reel;
        CordMessage message = {""};
        CordResult result = cord_reel_open_with((CordAllocator){heap_alloc, heap_free, &heap}, bytes->data,
                                                bytes->size, &reel, &message);
        CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
        if (result != CORD_OK) {
            failed = k;
            CHECK(reel == NULL);
            CHECK_CONTAINS(message.text, "there is not enough memory");
        }
        cord_reel_close(reel);
        CHECK_INT(heap.held, 0);
    }
    CHECK(failed >= 4); // the reel itself, its scene, the layout, a frame
}

static void check_world_frame(const CordFrame* frame)
{
    CordFrame read = reel_frame(reel_of_frame(frame), 0);
    CHECK_INT(read.node_count, frame->node_count);
    CHECK_INT(read.surface_count, frame->surface_count);
    const CordVec3* x = frame->skin ? frame->skin : frame->x;
    for (int n = 0; n < frame->node_count; n++) {
        CHECK_NEAR(read.x[n].z, x[n].z, fabs(x[n].z) * 0x1p-24); // half of a float's last digit
    }
}

// Frames of worlds: a rod, many, bodies, a mesh, adaptive rods, a network.
TEST(frames_of_shipped_scenes_come_back)
{
    static const char* const names[] = {"swing", "table", "fringe", "mobile", "acm/fig3", "modal/tower"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/scenes/%s.json", CORD_SOURCE_DIR, names[i]);
        CordScene* scene;
        CordWorld* world = NULL;
        CordWorldDef hooks = cord_world_def_default();
        CordFrame frame;
        CHECK_OK(cord_scene_load(path, NULL, 0, &scene));
        CHECK_OK(cord_scene_build(scene, &hooks, &world));
        CHECK_OK(cord_world_frame(world, &frame));
        check_world_frame(&frame);
        cord_world_destroy(world);
        cord_scene_destroy(scene);
    }
}

TEST_GROUP(reel)
