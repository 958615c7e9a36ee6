#include "export/picture.h"

#include "check.h"
#include "picture_frames.h"

#include <cordage/contact.h>

// A straight rod along x as the eye at (0, -1, 0) sees it: units are metres.
typedef struct Shot {
    Stage* stage;
    CordPictureDef def;
    PictureCamera camera;
    PictureCurves curves;
    PictureSolids bodies;
} Shot;

static Shot shot_make(int nodes, double radius)
{
    Shot shot = {.stage = stage_line(1.0, nodes, radius, 0), .def = plain_def(800, 600)};
    CordMessage message;
    shot.def.least_radius = 0;
    CHECK_OK(picture_camera_make(&shot.def, &shot.camera, &message));
    return shot;
}

static void shot_take(Shot* shot)
{
    CordMessage message;
    CHECK_OK(picture_curves_make(&shot->stage->frame, &shot->def, &shot->camera, &shot->curves, &message));
    CHECK_OK(picture_solids_make(&shot->stage->frame, &shot->camera, &shot->bodies, &message));
    CHECK_OK(
        picture_markers_make(&shot->stage->frame, &shot->curves, &shot->camera, &shot->bodies, &message));
}

static void shot_free(Shot* shot)
{
    picture_curves_free(&shot->curves);
    picture_solids_free(&shot->bodies);
    free(shot->stage);
}

static double distance(CordVec3 a, CordVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static CordVec3 between(CordVec3 a, CordVec3 b, double length) // from a towards b
{
    double s = length / distance(a, b);
    return (CordVec3){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
}

static const CordVec3 eye = {0, -1, 0};

TEST(every_node_has_a_marker_on_the_side_of_the_eye)
{
    Shot shot = shot_make(5, 0.02);
    shot_take(&shot);
    CHECK_INT(shot.bodies.count, 5);
    CHECK_INT(shot.bodies.exact_count, 5);
    for (int i = 0; i < 5; i++) {
        const PictureSolid* b = &shot.bodies.list[i];
        CordVec3 there = {shot.stage->x[i].x, -0.02, 0}; // on the tube, in the node's own section
        CHECK(b->solid.shape == CORD_SOLID_SPHERE && b->marker == MARKER_BLACK);
        CHECK_NEAR(distance(b->center, there), 0.0, 1e-12); // rounding
        CHECK_NEAR(b->solid.size.x, 0.42 * 0.02, 1e-12);
        CHECK_NEAR(b->high.z - b->low.z, 2 * b->solid.size.x, 1e-12);
    }
    shot_free(&shot);
}

TEST(nodes_that_were_taken_in_are_white_in_front)
{
    static const uint8_t level[] = {0, 2, 1, 2, 0};
    Shot shot = shot_make(5, 0.02);
    shot.stage->frame.level = level;
    shot_take(&shot);
    for (int i = 0; i < 5; i++) {
        const PictureSolid* b = &shot.bodies.list[i];
        CordVec3 front = between(b->center, eye, b->solid.size.x), rim = b->center;
        rim.z += b->solid.size.x;
        CHECK_INT(b->marker, level[i] > 0 ? MARKER_WHITE : MARKER_BLACK);
        CHECK_INT(picture_solid_tone(b, front), level[i] > 0);
        CHECK_INT(picture_solid_tone(b, rim), level[i] == 0); // seen on any colour
    }
    shot_free(&shot);
}

TEST(markers_of_neighbours_stay_apart_and_those_of_thin_rods_are_seen)
{
    Shot shot = shot_make(101, 0.02); // a hundredth apart, half a radius
    shot_take(&shot);
    for (int i = 1; i < 101; i++) {
        const PictureSolid *a = &shot.bodies.list[i - 1], *b = &shot.bodies.list[i];
        CHECK(a->solid.size.x + b->solid.size.x < distance(a->center, b->center));
    }
    shot_free(&shot);
    shot = shot_make(5, 1e-5);
    shot_take(&shot);
    double height = 2.0 * shot.camera.half_height; // at the eye's distance from node 0
    CHECK_NEAR(shot.bodies.list[0].solid.size.x, 0.0055 * height, 1e-12);
    shot_free(&shot);
    shot = shot_make(1001, 1e-5); // closer than can be told apart
    shot_take(&shot);
    CHECK_NEAR(shot.bodies.list[0].solid.size.x, 0.0025 * height, 1e-12);
    shot_free(&shot);
}

TEST(bodies_keep_their_order_around_them)
{
    static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int triangle[] = {0, 1, 2};
    CordFrameObstacle obstacles[2] = {
        {.name = "wall",
         .solid.shape = CORD_SOLID_PLANE,
         .rotation = cord_quat_about((CordVec3){1, 0, 0}, 1.5)},
        {.name = "sail",
         .solid.shape = CORD_SOLID_MESH,
         .solid.mesh.vertices = corners,
         .solid.mesh.triangles = triangle},
    };
    obstacles[1].solid.mesh.vertex_count = 3;
    obstacles[1].solid.mesh.triangle_count = 1;
    Shot shot = shot_make(4, 0.02);
    stage_body(shot.stage, CORD_SOLID_BOX, (CordVec3){0, 3, 0});
    shot.stage->frame.obstacles = obstacles;
    shot.stage->frame.obstacle_count = 2;
    shot_take(&shot);
    CHECK_INT(shot.bodies.count, 1 + 4 + 1 + 1);
    CHECK_INT(shot.bodies.exact_count, 5);
    CHECK_INT(shot.bodies.mesh_count, 1);
    CHECK_INT(shot.bodies.list[0].solid.shape, CORD_SOLID_BOX);
    CHECK_INT(shot.bodies.list[4].marker, MARKER_BLACK);
    CHECK_INT(shot.bodies.list[5].solid.shape, CORD_SOLID_MESH);
    CHECK_INT(shot.bodies.list[6].solid.shape, CORD_SOLID_PLANE);
    shot_free(&shot);
}

TEST(rods_are_drawn_along_their_skin)
{
    Shot shot = shot_make(5, 0.02);
    CordVec3 skin[5], low = {1, 1, 1}, high = {-1, -1, -1};
    for (int i = 0; i < 5; i++) {
        skin[i] = shot.stage->x[i];
        skin[i].z += 0.125;
    }
    shot.stage->frame.skin = skin;
    shot_take(&shot);
    CHECK_NEAR(picture_curves_point(&shot.curves, 2, 0.5).z, 0.125, 1e-12);
    CHECK_NEAR(distance(shot.bodies.list[3].center, skin[3]), 0.02, 1e-12);
    cord_picture_bounds(&shot.stage->frame, &low, &high);
    CHECK_NEAR(low.z, 0.125 - 0.02, 1e-12);
    shot_free(&shot);
}

// The pixel where a node is: light or dark without a colour, as nothing else in the picture.
TEST(a_picture_shows_them_if_asked_to)
{
    static const uint8_t level[] = {0, 0, 1, 0, 0};
    if (!pictures_are_built()) {
        skip();
    }
    for (int asked = 0; asked < 2; asked++) {
        Shot shot = shot_make(5, 0.05);
        CordMessage message;
        uint8_t* rgb = malloc(3 * 800 * 600);
        shot.stage->frame.level = level;
        for (int i = 0; i < 5; i++) {
            shot.stage->x[i].x -= 0.5; // node 2 in the middle of the picture
        }
        shot.def.fit = false;
        shot.def.eye = (CordVec3){0, -3, 0};
        shot.def.nodes = asked;
        CHECK_OK(cord_picture_render(&shot.stage->frame, &shot.def, rgb, &message));
        const uint8_t* white = &rgb[3 * (300 * 800 + 400)];
        int step = (int)(0.25 / (2.0 * tan(0.5 * shot.def.field_of_view) * 3.0) * 600.0);
        const uint8_t* black = white + 3 * step;
        bool is_white = white[0] > 150 && abs(white[0] - white[2]) < 30;
        bool is_black = black[0] < 70 && abs(black[0] - black[2]) < 30;
        CHECK_INT(is_white, asked);
        CHECK_INT(is_black, asked);
        free(rgb);
        free(shot.stage);
    }
}

TEST_GROUP(picture_marker, every_node_has_a_marker_on_the_side_of_the_eye,
           nodes_that_were_taken_in_are_white_in_front,
           markers_of_neighbours_stay_apart_and_those_of_thin_rods_are_seen,
           bodies_keep_their_order_around_them, rods_are_drawn_along_their_skin,
           a_picture_shows_them_if_asked_to)
