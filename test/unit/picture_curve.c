#include "picture_frames.h"

static const PictureCurves* curves_of(const Stage* s)
{
    return &shot_of(&s->frame)->curves;
}

static double angle_between(CordVec3 a, CordVec3 b)
{
    return acos(fmin(1, cord_vec3_dot(a, b)));
}

TEST(curve_passes_through_every_node)
{
    Stage* s = stage_make();
    CordVec3* x = stage_rod(s, 40, false, 0.01);
    for (int i = 0; i < 40; i++) {
        x[i] = (CordVec3){0.1 * i, sin(0.7 * i), cos(1.1 * i)};
    }
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 39; j++) {
        CHECK_VEC3(picture_curves_point(c, j, 0), x[j], 1e-15); // the weights are exactly 0 and 1
        CHECK_VEC3(picture_curves_point(c, j, 1), x[j + 1], 1e-15);
    }
}

// A cubic with handles 4/3 R tan(angle/4) follows an arc to 4/27 sin^6(angle/4) / cos^2(angle/4) R (for 60
// degrees 4.6e-5, known from drawing programs).
TEST(hexagon_is_drawn_as_a_circle)
{
    Stage* s = stage_ring(1, 6, 0.05);
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k <= 20; k++) {
            CordVec3 p = picture_curves_point(c, j, k / 20.0);
            CHECK_NEAR(hypot(p.x, p.y), 1, 5e-5);
        }
    }
}

TEST(arc_stays_an_arc_to_its_open_ends)
{
    Stage* s = stage_make();
    CordVec3* x = stage_rod(s, 5, false, 0.01);
    for (int i = 0; i < 5; i++) {
        x[i] = (CordVec3){cos(0.5 * i), sin(0.5 * i), 0};
    }
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 4; j++) {
        CordVec3 p = picture_curves_point(c, j, 0.5);
        // the arc's own cubic: 4/27 sin^6(1/8) / cos^2(1/8) is 6e-7; bends add up
        CHECK_NEAR(hypot(p.x, p.y), 1, 2e-5);
    }
}

TEST(ring_has_no_seam)
{
    Stage* s = stage_ring(1, 8, 0.05);
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 8; j++) {
        int next = (j + 1) % 8;
        CordVec3 end = picture_curves_tangent(c, j, 1), start = picture_curves_tangent(c, next, 0);
        CHECK_VEC3(end, start, 1e-12); // unit vectors, rounded
        CHECK_VEC3(picture_curves_m1(c, j, 1, end), picture_curves_m1(c, next, 0, start), 1e-12);
    }
}

TEST(uneven_edges_join_smoothly)
{
    Stage* s = stage_make();
    CordVec3* x = stage_rod(s, 6, false, 0.01);
    const double at[] = {0, 0.5, 0.6, 1.5, 1.55, 2.5};
    for (int i = 0; i < 6; i++) {
        x[i] = (CordVec3){at[i], at[i] * at[i] / 4, 0};
    }
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 4; j++) {
        CHECK_VEC3(picture_curves_tangent(c, j, 1), picture_curves_tangent(c, j + 1, 0), 1e-12); // rounding
    }
    for (int j = 0; j < 5; j++) {
        for (int k = 0; k < 10; k++) { // no loop or bulge beside a short edge: it always goes forward
            CHECK(picture_curves_tangent(c, j, k / 10.0).x > 0);
        }
    }
}

TEST(frame_in_an_edge_middle_is_the_edges_own)
{
    Stage* s = stage_line(1, 6, 0.01, 0.8);
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 5; j++) {
        // rounding
        CHECK_VEC3(picture_curves_m1(c, j, 0.5, picture_curves_tangent(c, j, 0.5)), s->m1[j], 1e-12);
    }
}

// Between middles a turn of 0.16 turns (57.6 degrees) an edge is shared evenly: u is measured along the edge.
TEST(frame_turns_evenly_between_middles)
{
    Stage* s = stage_line(1, 6, 0.01, 0.8);
    const PictureCurves* c = curves_of(s);
    CordVec3 t = {1, 0, 0};
    double step = 2 * TEST_PI * 0.8 / 5;
    for (int k = 0; k <= 10; k++) {
        double u = 0.5 + k / 20.0;
        CordVec3 m1 = picture_curves_m1(c, 2, u, t);
        CHECK_NEAR(angle_between(m1, s->m1[2]), (u - 0.5) * step, 1e-7); // acos near 1 keeps half the digits
        CHECK_NEAR(cord_vec3_dot(m1, m1), 1, 1e-12);
    }
}

// Frames nearly opposite: a mean of the two vectors would vanish half way.
TEST(frame_does_not_vanish_when_it_turns_by_almost_half_a_turn)
{
    Stage* s = stage_line(1, 3, 0.01, 0.98); // 0.49 turns an edge
    const PictureCurves* c = curves_of(s);
    CordVec3 m1 = picture_curves_m1(c, 0, 1, (CordVec3){1, 0, 0});
    CHECK_NEAR(angle_between(m1, s->m1[0]), TEST_PI * 0.49, 1e-7);
    CHECK_NEAR(angle_between(m1, s->m1[1]), TEST_PI * 0.49, 1e-7);
}

TEST(nearest_finds_the_foot_of_a_point)
{
    Stage* s = stage_ring(1, 8, 0.05);
    const PictureCurves* c = curves_of(s);
    for (int k = 1; k < 10; k++) {
        double u = k / 10.0;
        CordVec3 p = picture_curves_point(c, 3, u);
        CordVec3 out = {1.05 * p.x, 1.05 * p.y, 0};
        // it stops at an error of this order
        CHECK_NEAR(picture_curves_nearest(c, 3, fmin(1, u + 0.2), out), u, 1e-3);
    }
}

TEST(nodes_on_top_of_each_other_do_no_harm)
{
    Stage* s = stage_line(1, 6, 0.01, 0.3);
    s->x[0] = s->x[1] = s->x[2];
    s->x[5] = s->x[4];
    s->m1[0] = (CordVec3){0, 0, 0};
    s->m1[1] = (CordVec3){NAN, 0, 0};
    const PictureCurves* c = curves_of(s);
    for (int j = 0; j < 5; j++) {
        for (int k = 0; k <= 4; k++) {
            CordVec3 t = picture_curves_tangent(c, j, k / 4.0), m1 = picture_curves_m1(c, j, k / 4.0, t);
            CHECK_NEAR(cord_vec3_dot(t, t), 1, 1e-12);
            CHECK_NEAR(cord_vec3_dot(m1, m1), 1, 1e-12);
        }
    }
}

TEST(thin_rods_are_drawn_thick_enough_to_see)
{
    CordPictureDef def = plain_def(640, 360);
    def.least_radius = 0.01;
    Shot* shot = shot_make(&stage_line(1, 2, 1e-6, 0)->frame, &def);
    // at distance 1: 1 % of the height
    CHECK_NEAR(picture_curves_radius(&shot->curves, 0, 0), 0.01 * 2 * shot->camera.half_height, 1e-15);
}

static void check_broken(const Stage* s, const char* text)
{
    CordPictureDef def = plain_def(640, 360);
    PictureCamera camera = camera_of(&def);
    PictureCurves curves;
    CordMessage message = {""};
    CHECK_RESULT(picture_curves_make(&s->frame, &def, &camera, &curves, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, text);
}

TEST(broken_frames_are_named)
{
    Stage* s = stage_line(1, 6, 0.01, 0);
    s->x[4].z = NAN;
    check_broken(s, "node 4 of rod \"rope\"");
    s->frame.rod_count = 0;
    check_broken(s, "no rods");
    s->frame.rod_count = 1;
    s->rods[0].edge_count = 6;
    check_broken(s, "6 nodes and 6 edges");
}

TEST_GROUP(picture_curve)
