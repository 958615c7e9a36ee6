#include "picture_frames.h"

static CordPictureDef def_looking(CordVec3 from, int width, int height)
{
    CordPictureDef def = plain_def(width, height);
    def.eye = from;
    return def;
}

// The greatest distance of the box's corners from the picture's middle, as a fraction of its half width or
// height.
static double box_reach(const CordPictureDef* def, const Box* box)
{
    PictureCamera camera = camera_of(def);
    double most = 0;
    for (int k = 0; k < 8; k++) {
        double pixel[2];
        CordVec3 point = picture_camera_point(&camera, box_corner(box, k));
        CHECK(picture_camera_project(&camera, point, pixel) > 0);
        most = fmax(most, fabs(2 * pixel[0] / def->width - 1));
        most = fmax(most, fabs(2 * pixel[1] / def->height - 1));
    }
    return most;
}

TEST(bounds_hold_nodes_and_radii)
{
    Box box = box_of(&stage_line(2, 5, 0.25, 0)->frame);
    CHECK_VEC3(box.low, ((CordVec3){-0.25, -0.25, -0.25}), 0);
    CHECK_VEC3(box.high, ((CordVec3){2.25, 0.25, 0.25}), 0);
}

TEST(bounds_widen_over_frames)
{
    Box box = box_of(&stage_line(2, 5, 0.25, 0)->frame);
    box_add(&box, &stage_ring(1, 8, 0.5)->frame);
    CHECK_VEC3(box.low, ((CordVec3){-1.5, -1.5, -0.5}), 1e-15); // the ring's nodes are rounded cosines
    CHECK_VEC3(box.high, ((CordVec3){2.25, 1.5, 0.5}), 1e-15);
}

// Each box is held and touched by the shape: from far away along an axis, its outline reaches the box.
TEST(bounds_hold_bodies_and_no_more)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_line(1e-3, 2, 0, 0);
        stage_body(s, (CordSolidShape)shape, (CordVec3){0, 0, 0});
        CordFrameObstacle solid = solid_of_frame(&s->frame, 0);
        // fine enough to stand for the shape: off by 1 - cos(pi / 400) of its radius
        Box box = box_of(&s->frame), expected = box_of_solid(&solid, 400);
        CHECK_VEC3(box.low, expected.low, 5e-5);
        CHECK_VEC3(box.high, expected.high, 5e-5);
        CordVec3 wide = cord_vec3_sub(box.high, box.low);
        CHECK(wide.x > 0.1 && wide.y > 0.1 && wide.z > 0.1);
        s->bodies[0].solid.size = (CordVec3){0, 0, 0}; // a joint takes no room
        CHECK_NEAR(box_of(&s->frame).high.y, 0, 0);
    }
}

TEST(bounds_pass_over_nodes_that_are_not_finite)
{
    Stage* s = stage_line(2, 5, 0.25, 0);
    s->x[2].x = NAN;
    s->x[3].y = INFINITY;
    Box box = box_of(&s->frame);
    CHECK_VEC3(box.low, ((CordVec3){-0.25, -0.25, -0.25}), 0);
    CHECK_VEC3(box.high, ((CordVec3){2.25, 0.25, 0.25}), 0);
}

TEST(fit_shows_every_corner_of_every_box)
{
    const Box boxes[] = {
        {{-1, -1, -1}, {1, 1, 1}},               // a cube
        {{0, 0, 0}, {10, 10, 0}},                // flat
        {{-5, 0, 0}, {5, 1e-3, 1e-3}},           // long
        {{0, 0, -50}, {0.1, 0.1, 0}},            // tall
        {{123, 4, 5}, {123.001, 4.001, 5.0005}}, // tiny, far from the origin
        {{-600, -400, 0}, {400, 600, 30}},       // huge
        {{1e6, 1e6, 1e6}, {1e6 + 1, 1e6 + 1, 1e6 + 1}},
    };
    const CordVec3 from[] = {{0.3, -1, 0.36}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 1}, {-1, -0.5, 0.1}};
    const int sizes[][2] = {{1280, 720}, {300, 900}, {64, 64}};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        for (size_t d = 0; d < sizeof from / sizeof *from; d++) {
            for (size_t k = 0; k < 3; k++) {
                CordPictureDef def = def_looking(from[d], sizes[k][0], sizes[k][1]);
                cord_picture_fit(&def, boxes[b].low, boxes[b].high);
                double reach = box_reach(&def, &boxes[b]);
                CHECK(reach < 0.95); // a margin is left
                CHECK(reach > 0.8);  // but the picture is filled, one way or the other
            }
        }
    }
}

TEST(fit_leaves_equal_borders)
{
    CordPictureDef def = def_looking((CordVec3){0, -1, 0.5}, 640, 360);
    const Box box = {{-1, -1, 0}, {1, 1, 0.2}};
    cord_picture_fit(&def, box.low, box.high);
    PictureCamera camera = camera_of(&def);
    double top = INFINITY, bottom = -INFINITY;
    for (int k = 0; k < 8; k++) {
        double pixel[2];
        picture_camera_project(&camera, picture_camera_point(&camera, box_corner(&box, k)), pixel);
        top = fmin(top, pixel[1]);
        bottom = fmax(bottom, pixel[1]);
    }
    CHECK_NEAR(0.5 * (top + bottom), 180, 0.5); // the box is padded a little before it is fitted
}

TEST(fit_keeps_the_direction_and_lays_the_ground)
{
    CordPictureDef def = def_looking((CordVec3){3, -4, 2}, 640, 360);
    cord_picture_fit(&def, (CordVec3){0, 0, 7}, (CordVec3){1, 1, 8});
    CHECK(!def.fit);
    CordVec3 d = cord_vec3_unit_or(cord_vec3_sub(def.eye, def.target), (CordVec3){0, 0, 0});
    double wanted = sqrt(29);
    CHECK_VEC3(d, ((CordVec3){3 / wanted, -4 / wanted, 2 / wanted}), 1e-12); // rounding of a unit vector
    CHECK(def.ground_height < 7 && def.ground_height > 6.9);
}

TEST(fit_keeps_a_ground_that_is_given)
{
    CordPictureDef def = def_looking((CordVec3){3, -4, 2}, 640, 360);
    def.ground_height = -2.5;
    cord_picture_fit(&def, (CordVec3){0, 0, 7}, (CordVec3){1, 1, 8});
    CHECK_NEAR(def.ground_height, -2.5, 0);
}

TEST(fit_survives_boxes_that_are_none)
{
    const CordVec3 boxes[][2] = {
        {{1, 1, 1}, {-1, -1, -1}}, // empty
        {{2, 2, 2}, {2, 2, 2}},    // a point
        {{0, 0, 0}, {0, 0, 0}},    // the origin
        {{NAN, 0, 0}, {1, NAN, 1}}, {{-INFINITY, 0, 0}, {1, 1, 1}},
    };
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        CordPictureDef def = def_looking((CordVec3){0.3, -1, 0.36}, 640, 360);
        cord_picture_fit(&def, boxes[b][0], boxes[b][1]);
        camera_of(&def);
        CHECK(isfinite(def.ground_height));
    }
}

TEST(projection_and_ray_are_inverse)
{
    CordPictureDef def = def_looking((CordVec3){1, -2, 0.7}, 640, 360);
    cord_picture_fit(&def, (CordVec3){-1, -1, -1}, (CordVec3){2, 1, 1});
    PictureCamera camera = camera_of(&def);
    CordVec3 ray = picture_camera_ray(&camera, 123.25, 45.5);
    CordVec3 point = cord_vec3_madd(camera_eye(&camera), ray, 0.7);
    double pixel[2];
    CHECK(picture_camera_project(&camera, point, pixel) > 0);
    CHECK_NEAR(pixel[0], 123.25, 1e-9); // rounding, of numbers of order 100
    CHECK_NEAR(pixel[1], 45.5, 1e-9);
}

TEST(up_is_up_in_the_picture)
{
    CordPictureDef def = def_looking((CordVec3){1, -2, 0.7}, 640, 360);
    cord_picture_fit(&def, (CordVec3){-1, -1, -1}, (CordVec3){2, 1, 1});
    PictureCamera camera = camera_of(&def);
    double low[2], high[2];
    picture_camera_project(&camera, picture_camera_point(&camera, (CordVec3){0, 0, 0}), low);
    picture_camera_project(&camera, picture_camera_point(&camera, (CordVec3){0, 0, 0.5}), high);
    CHECK(high[1] < low[1] - 10);       // rows count downwards
    CHECK(fabs(high[0] - low[0]) < 10); // nearly the same column: perspective leans a little
}

TEST(eye_in_the_target_is_refused)
{
    CordPictureDef def = def_looking((CordVec3){1, 2, 3}, 640, 360);
    def.target = def.eye;
    PictureCamera camera;
    CordMessage message;
    CHECK_RESULT(picture_camera_make(&def, &camera, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "eye and target");
    def.eye.x = NAN;
    CHECK_RESULT(picture_camera_make(&def, &camera, &message), CORD_BAD_ARGUMENT);
}

TEST_GROUP(picture_camera)
