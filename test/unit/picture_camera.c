#include "export/mesh.h"
#include "export/picture.h"

#include "check.h"
#include "picture_frames.h"

static CordPictureDef def_looking(CordVec3 from, int width, int height)
{
    CordPictureDef def = plain_def(width, height);
    def.eye = from;
    return def;
}

// The greatest distance of the box's corners from the picture's middle, as a fraction of its half width or
// height.
static double box_reach(const CordPictureDef* def, CordVec3 low, CordVec3 high)
{
    PictureCamera camera;
    CordMessage message;
    CHECK_OK(picture_camera_make(def, &camera, &message));
    double most = 0;
    for (int k = 0; k < 8; k++) {
        CordVec3 x = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        double pixel[2];
        CHECK(picture_camera_project(&camera, picture_camera_point(&camera, x), pixel) > 0);
        most = fmax(most, fabs(2 * pixel[0] / def->width - 1));
        most = fmax(most, fabs(2 * pixel[1] / def->height - 1));
    }
    return most;
}

TEST(bounds_hold_nodes_and_radii)
{
    Stage* s = stage_line(2, 5, 0.25, 0);
    CordVec3 low = {1, 0, 0}, high = {-1, 0, 0};
    cord_picture_bounds(&s->frame, &low, &high);
    CHECK_VEC3(low, ((CordVec3){-0.25, -0.25, -0.25}), 0);
    CHECK_VEC3(high, ((CordVec3){2.25, 0.25, 0.25}), 0);
    free(s);
}

TEST(bounds_widen_over_frames)
{
    Stage *a = stage_line(2, 5, 0.25, 0), *b = stage_ring(1, 8, 0.5);
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    cord_picture_bounds(&a->frame, &low, &high);
    cord_picture_bounds(&b->frame, &low, &high);
    CHECK_VEC3(low, ((CordVec3){-1.5, -1.5, -0.5}), 1e-15); // the ring's nodes are rounded cosines
    CHECK_VEC3(high, ((CordVec3){2.25, 1.5, 0.5}), 1e-15);
    free(a);
    free(b);
}

// Each box is held and touched by the shape: from far away along an axis, its outline reaches the box.
TEST(bounds_hold_bodies_and_no_more)
{
    for (int shape = CORD_SOLID_SPHERE; shape <= CORD_SOLID_CAPSULE; shape++) {
        Stage* s = stage_line(1e-3, 2, 0, 0);
        stage_body(s, (CordSolidShape)shape, (CordVec3){0, 0, 0});
        CordVec3 low = {1, 0, 0}, high = {-1, 0, 0}, wide;
        cord_picture_bounds(&s->frame, &low, &high);
        Mesh mesh; // fine enough to stand for the shape: off by 1 - cos(pi / 400) of its radius
        CordFrameObstacle solid = solid_of_frame(&s->frame, 0);
        CHECK(mesh_of_solid(&mesh, &solid, solid.position, solid.position, 400));
        CordVec3 least = {INFINITY, INFINITY, INFINITY}, most = {-INFINITY, -INFINITY, -INFINITY};
        for (int i = 0; i < mesh.vertex_count; i++) {
            least = (CordVec3){fmin(least.x, mesh.x[i].x), fmin(least.y, mesh.x[i].y),
                               fmin(least.z, mesh.x[i].z)};
            most =
                (CordVec3){fmax(most.x, mesh.x[i].x), fmax(most.y, mesh.x[i].y), fmax(most.z, mesh.x[i].z)};
        }
        CHECK_VEC3(low, least, 5e-5);
        CHECK_VEC3(high, most, 5e-5);
        wide = (CordVec3){high.x - low.x, high.y - low.y, high.z - low.z};
        CHECK(wide.x > 0.1 && wide.y > 0.1 && wide.z > 0.1);
        mesh_free(&mesh);
        s->bodies[0].solid.size = (CordVec3){0, 0, 0}; // a joint takes no room
        low = (CordVec3){1, 0, 0}, high = (CordVec3){-1, 0, 0};
        cord_picture_bounds(&s->frame, &low, &high);
        CHECK_NEAR(high.y, 0, 0);
        free(s);
    }
}

TEST(bounds_pass_over_nodes_that_are_not_finite)
{
    Stage* s = stage_line(2, 5, 0.25, 0);
    s->x[2].x = NAN;
    s->x[3].y = INFINITY;
    CordVec3 low = {1, 0, 0}, high = {-1, 0, 0};
    cord_picture_bounds(&s->frame, &low, &high);
    CHECK_VEC3(low, ((CordVec3){-0.25, -0.25, -0.25}), 0);
    CHECK_VEC3(high, ((CordVec3){2.25, 0.25, 0.25}), 0);
    free(s);
}

TEST(fit_shows_every_corner_of_every_box)
{
    const CordVec3 boxes[][2] = {
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
                cord_picture_fit(&def, boxes[b][0], boxes[b][1]);
                double reach = box_reach(&def, boxes[b][0], boxes[b][1]);
                CHECK(reach < 0.95); // a margin is left
                CHECK(reach > 0.8);  // but the picture is filled, one way or the other
            }
        }
    }
}

TEST(fit_leaves_equal_borders)
{
    CordPictureDef def = def_looking((CordVec3){0, -1, 0.5}, 640, 360);
    CordVec3 low = {-1, -1, 0}, high = {1, 1, 0.2};
    cord_picture_fit(&def, low, high);
    PictureCamera camera;
    CordMessage message;
    CHECK_OK(picture_camera_make(&def, &camera, &message));
    double top = INFINITY, bottom = -INFINITY;
    for (int k = 0; k < 8; k++) {
        CordVec3 x = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        double pixel[2];
        picture_camera_project(&camera, picture_camera_point(&camera, x), pixel);
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
    CordVec3 d = {def.eye.x - def.target.x, def.eye.y - def.target.y, def.eye.z - def.target.z};
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z), wanted = sqrt(29);
    CHECK_VEC3(((CordVec3){d.x / length, d.y / length, d.z / length}),
               ((CordVec3){3 / wanted, -4 / wanted, 2 / wanted}), 1e-12); // rounding of a unit vector
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
        PictureCamera camera;
        CordMessage message;
        CHECK_OK(picture_camera_make(&def, &camera, &message));
        CHECK(isfinite(def.ground_height));
    }
}

TEST(projection_and_ray_are_inverse)
{
    CordPictureDef def = def_looking((CordVec3){1, -2, 0.7}, 640, 360);
    cord_picture_fit(&def, (CordVec3){-1, -1, -1}, (CordVec3){2, 1, 1});
    PictureCamera camera;
    CordMessage message;
    CHECK_OK(picture_camera_make(&def, &camera, &message));
    CordVec3 ray = picture_camera_ray(&camera, 123.25, 45.5);
    CordVec3 point = {-camera.forward.x + 0.7 * ray.x, -camera.forward.y + 0.7 * ray.y,
                      -camera.forward.z + 0.7 * ray.z};
    double pixel[2];
    CHECK(picture_camera_project(&camera, point, pixel) > 0);
    CHECK_NEAR(pixel[0], 123.25, 1e-9); // rounding, of numbers of order 100
    CHECK_NEAR(pixel[1], 45.5, 1e-9);
}

TEST(up_is_up_in_the_picture)
{
    CordPictureDef def = def_looking((CordVec3){1, -2, 0.7}, 640, 360);
    cord_picture_fit(&def, (CordVec3){-1, -1, -1}, (CordVec3){2, 1, 1});
    PictureCamera camera;
    CordMessage message;
    CHECK_OK(picture_camera_make(&def, &camera, &message));
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

TEST_GROUP(picture_camera, bounds_hold_nodes_and_radii, bounds_widen_over_frames,
           bounds_hold_bodies_and_no_more, bounds_pass_over_nodes_that_are_not_finite,
           fit_shows_every_corner_of_every_box, fit_leaves_equal_borders,
           fit_keeps_the_direction_and_lays_the_ground, fit_keeps_a_ground_that_is_given,
           fit_survives_boxes_that_are_none, projection_and_ray_are_inverse, up_is_up_in_the_picture,
           eye_in_the_target_is_refused)
