#include "picture_frames.h"

static CordFrameObstacle plane_at(CordVec3 position, CordVec3 axis, double angle)
{
    return (CordFrameObstacle){.name = "plane",
                               .solid.shape = CORD_SOLID_PLANE,
                               .position = position,
                               .rotation = cord_quat_about(axis, angle)};
}

TEST(the_highest_plane_that_faces_up_is_the_floor)
{
    const CordVec3 x = {1, 0, 0};
    CordFrameObstacle planes[] = {
        plane_at((CordVec3){0, 0, 9}, x, 0.3),     // a slope
        plane_at((CordVec3){0, 0, 9}, x, TEST_PI), // a ceiling
        plane_at((CordVec3){5, 5, -2}, x, 0),
        plane_at((CordVec3){5, 5, -1}, (CordVec3){0, 0, 1}, 1.0),
    };
    CordFrame frame = {.obstacle_count = 2, .obstacles = planes};
    CHECK(isnan(picture_floor_height(&frame)));
    frame.obstacle_count = 4;
    CHECK_NEAR(picture_floor_height(&frame), -1.0, 0.0);
}

// The camera is at (0, -1, 0) and looks along y.
TEST(planes_are_seen_from_their_front)
{
    const CordVec3 x = {1, 0, 0};
    CordFrameObstacle planes[] = {
        plane_at((CordVec3){7, 0.5, 0}, x, 0.5 * TEST_PI),   // the wall behind, which faces the camera
        plane_at((CordVec3){0, -0.5, 0}, x, -0.5 * TEST_PI), // the one before, which would hide everything
        plane_at((CordVec3){0, 0, -1}, x, 0),                // the floor
    };
    CordFrame frame = {.obstacle_count = 3, .obstacles = planes};
    const PictureSolids* bodies = &shot_of(&frame)->bodies;
    CHECK(bodies->count == 1 && bodies->exact_count == 0 && bodies->mesh_count == 0);
    const PictureSolid* wall = &bodies->list[0];
    // before the camera, wherever the plane's own origin is
    CHECK_VEC3(wall->center, ((CordVec3){0, 0.5, 0}), 1e-12);
    double distance;
    CHECK(picture_solid_hit(wall, (CordVec3){0.1, -1, 0.2}, (CordVec3){0, 1, 0}, &distance));
    CHECK_NEAR(distance, 1.5, 1e-12);
    CHECK_VEC3(picture_solid_normal(wall, wall->center), ((CordVec3){0, -1, 0}), 1e-12);
    CHECK(!picture_solid_hit(wall, (CordVec3){0, 1, 0}, (CordVec3){0, -1, 0}, &distance)); // from behind
    CHECK(!picture_solid_hit(wall, (CordVec3){9, -1, 0}, (CordVec3){0, 1, 0}, &distance)); // past its edge
    int tones[2] = {0, 0};
    for (int i = 0; i < 400; i++) {
        CordVec3 point = {random_between(-0.5, 0.5), 0.5, random_between(-0.5, 0.5)};
        tones[picture_solid_tone(wall, point)]++;
    }
    CHECK(tones[0] > 150 && tones[1] > 150); // squares in turn
}

TEST(the_box_holds_obstacles_but_no_planes_and_not_all_of_large_ones)
{
    Stage* s = stage_line(1, 3, 0.1, 0); // from (0, 0, 0) to (1, 0, 0)
    CordFrameObstacle obstacles[] = {
        plane_at((CordVec3){50, 0, -50}, (CordVec3){1, 0, 0}, 0.3),
        {.name = "ball",
         .solid.shape = CORD_SOLID_SPHERE,
         .solid.size = {0.25, 0, 0},
         .position = {0.5, 0, 1},
         .rotation = {0, 0, 0, 1}},
        {.name = "floor",
         .solid.shape = CORD_SOLID_BOX,
         .solid.size = {90, 90, 1},
         .position = {0, 0, -1},
         .rotation = {0, 0, 0, 1}},
    };
    s->frame.obstacles = obstacles;
    s->frame.obstacle_count = 2;
    Box box = box_of(&s->frame);
    CHECK_VEC3(box.low, ((CordVec3){-0.1, -0.25, -0.1}), 1e-12);
    CHECK_VEC3(box.high, ((CordVec3){1.1, 0.25, 1.25}), 1e-12);
    s->frame.obstacle_count = 3;
    box = box_of(&s->frame);
    // as far around as the rod is long
    CHECK_VEC3(box.low, ((CordVec3){-0.1 - 1.2, -0.1 - 1.2, -0.1 - 1.2}), 1e-12);
    CHECK_VEC3(box.high, ((CordVec3){1.1 + 1.2, 0.1 + 1.2, 1.25}), 1e-12);
}

// The corners of each shape's mesh are in its box, and touch every side of it.
TEST(boxes_hold_their_shapes_tightly)
{
    const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[] = {0, 1, 2, 1, 2, 3};
    for (int shape = CORD_SOLID_SPHERE; shape < CORD_SOLID_COUNT; shape++) {
        CordFrameObstacle o = {
            .name = "it", .solid.shape = (CordSolidShape)shape, .solid.size = {0.6, 0.2, 0.5}};
        o.position = random_vector(1);
        o.rotation = cord_quat_about((CordVec3){1, 2, -1}, 0.8);
        o.solid.mesh = (CordSolidMesh){corners, 4, triangles, 2};
        CordVec3 low, high;
        CHECK(picture_solid_box(&o, &low, &high));
        Box box = box_of_solid(&o, 200);
        // around, and again along a ring or over a ball
        const double facets = 0.8 * 2 * (1 - cos(TEST_PI / 200)) + 1e-12;
        CHECK_VEC3(low, box.low, facets);
        CHECK_VEC3(high, box.high, facets);
    }
}

// A square of two triangles, seen from its two sides: it is there from both.
TEST(surfaces_of_triangles_have_two_sides)
{
    const CordVec3 corners[] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    const int triangles[] = {0, 1, 2, 0, 2, 3};
    CordFrameObstacle sheet = {.name = "sheet", .solid.shape = CORD_SOLID_MESH, .rotation = {0, 0, 0, 1}};
    sheet.position = (CordVec3){0, 0.25, 0};
    sheet.solid.mesh = (CordSolidMesh){corners, 4, triangles, 2};
    Stage* s = stage_line(0.1, 2, 0.01, 0);
    s->frame.obstacles = &sheet;
    s->frame.obstacle_count = 1;
    Shot* shot = shot_of(&s->frame);
    shot_trace(shot);
    CHECK(shot->bodies.exact_count == 0 && shot->bodies.mesh_count == 1);
    for (int side = -1; side <= 1; side += 2) {
        PictureHit hit;
        CordVec3 from = {0.5, 0.25 + 2.0 * side, 0.5}, direction = {0, -side, 0};
        CHECK(picture_tracer_hit(shot->tracer, from, direction, &hit));
        CHECK(hit.edge == -1 && hit.body == 0);
        CHECK_NEAR(hit.distance, 2.0, 1e-6); // single precision
        CHECK_NEAR(hit.normal.y, side, 1e-6);
        CHECK(picture_tracer_blocked(shot->tracer, from, direction));
    }
}

static int differing(const uint8_t* a, const uint8_t* b, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += abs(a[i] - b[i]) > 24;
    }
    return sum;
}

// The rod lies on the ground, which is its floor: lowering the plane takes its shadow away from it.
TEST(pictures_show_obstacles)
{
    enum { WIDE = 96, HIGH = 64, SIZE = 3 * WIDE * HIGH };
    Stage* s = stage_line(1, 3, 0.05, 0);
    CordPictureDef def = plain_def(WIDE, HIGH);
    def.fit = false;
    def.target = (CordVec3){0.5, 0, 0};
    def.eye = (CordVec3){0.5, -3, 1.5};
    const uint8_t* plain = drawn(&s->frame, &def);
    for (int shape = 0; shape < CORD_SOLID_COUNT; shape++) {
        bool plane = shape == CORD_SOLID_PLANE;
        if (cord_solid_kind(shape)->is_mesh) {
            continue; // the test above
        }
        CordFrameObstacle o = {
            .name = "it", .solid.shape = (CordSolidShape)shape, .solid.size = {0.3, 0.1, 0.3}};
        o.position = plane ? (CordVec3){0, 1, 0} : (CordVec3){0.5, 0.5, 0.2};
        o.rotation = cord_quat_about((CordVec3){1, 0, 0}, plane ? 0.5 * TEST_PI : 0.4);
        s->frame.obstacles = &o;
        s->frame.obstacle_count = 1;
        CHECK(differing(plain, drawn(&s->frame, &def), SIZE) > SIZE / 100);
    }
    CordFrameObstacle ground = plane_at((CordVec3){0, 0, -0.05}, (CordVec3){1, 0, 0}, 0);
    s->frame.obstacles = &ground;
    def.ground = true;
    plain = drawn(&s->frame, &def);
    ground.position.z = -0.6;
    CHECK(differing(plain, drawn(&s->frame, &def), SIZE) > SIZE / 100);
}

TEST(lost_obstacles_are_named)
{
    CordFrameObstacle lost = {.name = "round",
                              .solid = {.shape = CORD_SOLID_TUBE, .size = {0.4, 0.3, 0.9}},
                              .rotation = {0, 0, 0, 1}};
    CordFrame frame = {.obstacle_count = 1, .obstacles = &lost};
    lost.position.x = NAN;
    check_lost(&frame, "obstacle \"round\" is not at a finite point");
}

TEST_GROUP(picture_obstacle)
