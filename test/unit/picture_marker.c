#include "picture_frames.h"

#include <cordage/contact.h>

// A straight rod along x as the eye at (0, -1, 0) sees it: units are metres.
static Stage* rod_of(int nodes, double radius)
{
    return stage_line(1.0, nodes, radius, 0);
}

static Shot* shot_with_markers(const Stage* s)
{
    CordPictureDef def = plain_def(800, 600);
    CordMessage message = {""};
    def.least_radius = 0;
    Shot* shot = shot_make(&s->frame, &def);
    check_said(picture_markers_make(&s->frame, &shot->curves, &shot->camera, &shot->bodies, &message),
               &message);
    return shot;
}

static double distance(CordVec3 a, CordVec3 b)
{
    return cord_vec3_length(cord_vec3_sub(a, b));
}

static const CordVec3 eye = {0, -1, 0};

TEST(every_node_has_a_marker_on_the_side_of_the_eye)
{
    Stage* s = rod_of(5, 0.02);
    const PictureSolids* bodies = &shot_with_markers(s)->bodies;
    CHECK_INT(bodies->count, 5);
    CHECK_INT(bodies->exact_count, 5);
    for (int i = 0; i < 5; i++) {
        const PictureSolid* b = &bodies->list[i];
        CordVec3 there = {s->x[i].x, -0.02, 0}; // on the tube, in the node's own section
        CHECK(b->solid.shape == CORD_SOLID_SPHERE && b->marker == MARKER_BLACK);
        CHECK_NEAR(distance(b->center, there), 0.0, 1e-12); // rounding
        CHECK_NEAR(b->solid.size.x, 0.42 * 0.02, 1e-12);
        CHECK_NEAR(b->high.z - b->low.z, 2 * b->solid.size.x, 1e-12);
    }
}

TEST(nodes_that_were_taken_in_are_white_in_front)
{
    static const uint8_t level[] = {0, 2, 1, 2, 0};
    Stage* s = rod_of(5, 0.02);
    s->frame.level = level;
    const PictureSolids* bodies = &shot_with_markers(s)->bodies;
    for (int i = 0; i < 5; i++) {
        const PictureSolid* b = &bodies->list[i];
        CordVec3 to_eye = cord_vec3_unit_or(cord_vec3_sub(eye, b->center), eye);
        CordVec3 front = cord_vec3_madd(b->center, to_eye, b->solid.size.x), rim = b->center;
        rim.z += b->solid.size.x;
        CHECK_INT(b->marker, level[i] > 0 ? MARKER_WHITE : MARKER_BLACK);
        CHECK_INT(picture_solid_tone(b, front), level[i] > 0);
        CHECK_INT(picture_solid_tone(b, rim), level[i] == 0); // seen on any colour
    }
}

TEST(markers_of_neighbours_stay_apart_and_those_of_thin_rods_are_seen)
{
    Shot* shot = shot_with_markers(rod_of(101, 0.02)); // a hundredth apart, half a radius
    for (int i = 1; i < 101; i++) {
        const PictureSolid *a = &shot->bodies.list[i - 1], *b = &shot->bodies.list[i];
        CHECK(a->solid.size.x + b->solid.size.x < distance(a->center, b->center));
    }
    shot = shot_with_markers(rod_of(5, 1e-5));
    double height = 2.0 * shot->camera.half_height; // at the eye's distance from node 0
    CHECK_NEAR(shot->bodies.list[0].solid.size.x, 0.0055 * height, 1e-12);
    shot = shot_with_markers(rod_of(1001, 1e-5)); // closer than can be told apart
    CHECK_NEAR(shot->bodies.list[0].solid.size.x, 0.0025 * height, 1e-12);
}

TEST(bodies_keep_their_order_around_them)
{
    static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int triangle[] = {0, 1, 2};
    CordFrameObstacle obstacles[2] = {
        {.name = "wall",
         .solid.shape = CORD_SOLID_PLANE,
         .rotation = cord_quat_about((CordVec3){1, 0, 0}, 1.5)},
        {.name = "sail", .solid.shape = CORD_SOLID_MESH, .solid.mesh = {corners, 3, triangle, 1}},
    };
    Stage* s = rod_of(4, 0.02);
    stage_body(s, CORD_SOLID_BOX, (CordVec3){0, 3, 0});
    s->frame.obstacles = obstacles;
    s->frame.obstacle_count = 2;
    const PictureSolids* bodies = &shot_with_markers(s)->bodies;
    CHECK_INT(bodies->count, 1 + 4 + 1 + 1);
    CHECK_INT(bodies->exact_count, 5);
    CHECK_INT(bodies->mesh_count, 1);
    CHECK_INT(bodies->list[0].solid.shape, CORD_SOLID_BOX);
    CHECK_INT(bodies->list[4].marker, MARKER_BLACK);
    CHECK_INT(bodies->list[5].solid.shape, CORD_SOLID_MESH);
    CHECK_INT(bodies->list[6].solid.shape, CORD_SOLID_PLANE);
}

TEST(rods_are_drawn_along_their_skin)
{
    Stage* s = rod_of(5, 0.02);
    CordVec3 skin[5];
    for (int i = 0; i < 5; i++) {
        skin[i] = s->x[i];
        skin[i].z += 0.125;
    }
    s->frame.skin = skin;
    Shot* shot = shot_with_markers(s);
    CHECK_NEAR(picture_curves_point(&shot->curves, 2, 0.5).z, 0.125, 1e-12);
    CHECK_NEAR(distance(shot->bodies.list[3].center, skin[3]), 0.02, 1e-12);
    CHECK_NEAR(box_of(&s->frame).low.z, 0.125 - 0.02, 1e-12);
}

// The pixel where a node is: light or dark without a colour, as nothing else in the picture.
TEST(a_picture_shows_them_if_asked_to)
{
    static const uint8_t level[] = {0, 0, 1, 0, 0};
    Stage* s = rod_of(5, 0.05);
    CordPictureDef def = plain_def(800, 600);
    s->frame.level = level;
    for (int i = 0; i < 5; i++) {
        s->x[i].x -= 0.5; // node 2 in the middle of the picture
    }
    def.least_radius = 0;
    def.fit = false;
    def.eye = (CordVec3){0, -3, 0};
    for (int asked = 0; asked < 2; asked++) {
        def.nodes = asked;
        const uint8_t* white = drawn(&s->frame, &def) + 3 * (300 * 800 + 400);
        int step = (int)(0.25 / (2.0 * tan(0.5 * def.field_of_view) * 3.0) * 600.0);
        const uint8_t* black = white + 3 * step;
        bool is_white = white[0] > 150 && abs(white[0] - white[2]) < 30;
        bool is_black = black[0] < 70 && abs(black[0] - black[2]) < 30;
        CHECK_INT(is_white, asked);
        CHECK_INT(is_black, asked);
    }
}

TEST_GROUP(picture_marker)
