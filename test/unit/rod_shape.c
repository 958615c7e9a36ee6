#include "base_heap.h"
#include "check.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "rod/shape.h"

#define MOST 2000

static const CordVec3 zigzag[] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {-1, 2, 1}};

static Message message;

static CordResult check(CordShape shape, bool closed)
{
    message.text[0] = '\0';
    return shape_check(&shape, closed, &message);
}

static void sample(CordShape shape, ShapeEnds ends, CordVec3* x)
{
    Memory m = new_memory();
    CHECK_OK(shape_check(&shape, ends.closed, &message));
    CHECK_OK(shape_sample(&m, &shape, ends, x, &message));
    CHECK_INT(m.bytes, 0);
}

static double distance(CordVec3 a, CordVec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

// Largest relative difference between two chords' lengths.
static double unevenness(const CordVec3* x, int n, bool closed)
{
    double least = INFINITY, most = 0.0;
    for (int j = 0; j < (closed ? n : n - 1); j++) {
        double len = distance(x[j], x[(j + 1) % n]);
        least = fmin(least, len), most = fmax(most, len);
    }
    return most / least - 1.0;
}

// ---- places on the curve

TEST(points_are_taken_as_they_are)
{
    CordVec3 x[4];
    sample(cord_shape_points(zigzag, 4), (ShapeEnds){0}, x);
    CHECK_INT(memcmp(x, zigzag, sizeof zigzag), 0);
}

TEST(a_line_has_its_ends_and_equal_edges)
{
    CordVec3 x[11], p = {1, 2, 3}, q = {-1, 0, 4};
    sample(cord_shape_line(p, q, 11), (ShapeEnds){0}, x);
    CHECK_VEC3(x[0], p, 0.0);
    CHECK_VEC3(x[10], q, 1e-15);                      // p + (q - p), of order 1
    CHECK_NEAR(unevenness(x, 11, false), 0.0, 1e-14); // round-off of 3 in 0.3
}

TEST(half_edges_at_the_ends_are_half_as_long)
{
    CordVec3 x[11];
    sample(cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11),
           (ShapeEnds){.half_start = true, .half_end = true}, x);
    double whole = 1.0 / 9; // ten edges, of which two are halves
    CHECK_NEAR(x[1].x, 0.5 * whole, 1e-16);
    CHECK_NEAR(x[2].x, 1.5 * whole, 1e-15);
    CHECK_NEAR(x[9].x, 1.0 - 0.5 * whole, 1e-15);
    CHECK_NEAR(x[10].x, 1.0, 0.0);
    sample(cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11), (ShapeEnds){.half_end = true}, x);
    CHECK_NEAR(x[1].x, 1.0 / 9.5, 1e-16);
    CHECK_NEAR(x[9].x, 9.0 / 9.5, 1e-15);
}

// A clamp holds the direction of the curve at its very end, not that of a chord; where the rod is straight
// they are the same.
TEST(half_edges_have_the_direction_of_the_curves_end)
{
    CordVec3 x[21], o = {0, 0, 0}, ex = {1, 0, 0}, ey = {0, 1, 0};
    const ShapeEnds halves = {.half_start = true, .half_end = true};
    CordShape arc = cord_shape_ellipse(o, ex, ey, 2.0, 2.0, 21),
              flat = cord_shape_ellipse(o, ex, ey, 2.0, 1.0, 21);
    arc.angle_to = flat.angle_to = 0.5 * 3.14159265358979323846;
    double half = 0.5 * 3.14159265358979323846 * 2.0 / 38; // a chord is shorter by 1e-4 of itself
    sample(arc, halves, x);
    CHECK_VEC3(x[0], ((CordVec3){2, 0, 0}), 1e-15);
    CHECK_VEC3(x[1], ((CordVec3){2, half, 0}), 1e-5);
    CHECK_NEAR(x[1].x, 2.0, 1e-9); // differences of 0.01 of an edge: its square
    CHECK_NEAR(x[19].y, 2.0, 1e-9);
    CHECK_VEC3(x[20], ((CordVec3){0, 2, 0}), 1e-15);
    sample(flat, halves, x);
    CHECK_NEAR(x[1].x, 2.0, 1e-9);
    CHECK_NEAR(x[19].y, 1.0, 1e-9);
    CordShape helix = cord_shape_helix(o, (CordVec3){0, 0, 1}, 1.0, 0.5, 1.0, 21);
    sample(helix, (ShapeEnds){.half_start = true}, x);
    CordVec3 t = vec3_unit(vec3_sub(x[1], x[0]));
    CHECK_NEAR(t.z, 0.5 / sqrt(4.0 * 9.86960440108935862 + 0.25), 1e-6);
    sample(arc, (ShapeEnds){0}, x); // no half edges: every node on the curve
    for (int i = 0; i < 21; i++) {
        CHECK_NEAR(distance(x[i], o), 2.0, 1e-14);
    }
}

TEST(a_circle_is_a_regular_polygon_on_it)
{
    CordVec3 x[100], center = {1, -2, 3}, normal = {1, 2, 2};
    sample(cord_shape_circle(center, normal, 0.5, 100), (ShapeEnds){.closed = true}, x);
    for (int i = 0; i < 100; i++) {
        CHECK_NEAR(distance(x[i], center), 0.5, 1e-15);
        CHECK_NEAR(vec3_dot(vec3_sub(x[i], center), normal), 0.0, 1e-14);
    }
    CHECK_NEAR(unevenness(x, 100, true), 0.0, 1e-13); // 4e-16 in edges of 0.03
    // the closing edge is not counted twice
    CHECK_NEAR(distance(x[0], x[1]), 2 * 0.5 * sin(3.14159265 / 100), 1e-9);
    CordVec3 area = {0, 0, 0};
    for (int i = 0; i < 100; i++) {
        area = vec3_add(area, vec3_cross(vec3_sub(x[i], center), vec3_sub(x[(i + 1) % 100], center)));
    }
    CHECK(vec3_dot(area, normal) > 0.0); // runs counter-clockwise about its normal
}

TEST(an_ellipse_is_sampled_on_it_at_equal_arc_length)
{
    static CordVec3 x[MOST];
    const int n = 400;
    sample(cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){2, 0, 0}, (CordVec3){5, 3, 0}, 2.0, 1.0, n),
           (ShapeEnds){.closed = true}, x);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(x[i].x * x[i].x / 4 + x[i].y * x[i].y, 1.0, 1e-14); // axis2 made orthogonal
        CHECK_NEAR(x[i].z, 0.0, 0.0);
    }
    // A chord is shorter than its arc by kappa^2 ds^2 / 24 of itself: kappa is at most 2, ds is 9.69 / 400.
    CHECK_NEAR(unevenness(x, n, true), 0.0, 4 * 0.0242 * 0.0242 / 24 + 1e-6);
    double perimeter = 0.0;
    for (int i = 0; i < n; i++) {
        perimeter += distance(x[i], x[(i + 1) % n]);
    }
    CHECK_NEAR(perimeter, 9.688448220547675, 9.69 * 1e-4); // 4 a E(3/4), less the chords' 1e-4
}

TEST(an_arc_begins_and_ends_at_its_angles)
{
    CordShape s =
        cord_shape_ellipse((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, 1.0, 1.0, 21);
    s.angle_from = 0.5 * CORD_PI, s.angle_to = CORD_PI;
    CordVec3 x[21];
    sample(s, (ShapeEnds){0}, x);
    CHECK_VEC3(x[0], ((CordVec3){0, 1, 0}), 1e-15);
    CHECK_VEC3(x[20], ((CordVec3){-1, 0, 0}), 1e-15);
    CHECK_NEAR(unevenness(x, 21, false), 0.0, 1e-13);
}

static void check_helix(double turns)
{
    static CordVec3 x[MOST];
    const int n = 301;
    const double pitch = 0.2, radius = 0.3;
    CordVec3 axis = {0, 0, 2}, start = {1, 1, 1};
    sample(cord_shape_helix(start, axis, radius, pitch, turns, n), (ShapeEnds){0}, x);
    for (int i = 0; i < n; i++) {
        CordVec3 arm = {x[i].x - 1, x[i].y - 1, 0};
        CHECK_NEAR(vec3_length(arm), radius, 1e-15);
        CHECK_NEAR(x[i].z, 1 + pitch * fabs(turns) * i / (n - 1), 1e-14);
    }
    CHECK_NEAR(unevenness(x, n, false), 0.0, 1e-12);
    CordVec3 a = vec3_sub(x[0], start), b = vec3_sub(x[1], start);
    CHECK(turns * vec3_cross(a, b).z > 0.0); // positive turns: right-handed, counter-clockwise as it rises
}

TEST(a_helix_has_its_radius_pitch_and_hand)
{
    check_helix(5.0);
    check_helix(-5.0);
}

// Nodes lie on the torus, go p times around its axis and q times through its hole.
TEST(a_torus_knot_winds_as_often_as_it_says)
{
    static CordVec3 x[MOST];
    const int n = 1200, p = 2, q = 3;
    const double a = 1.0, b = 0.4;
    sample(cord_shape_torus_knot((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, p, q, a, b, n),
           (ShapeEnds){.closed = true}, x);
    double around = 0.0, through = 0.0;
    for (int i = 0; i < n; i++) {
        CordVec3 y = x[(i + 1) % n];
        double ring = hypot(x[i].x, x[i].y), next = hypot(y.x, y.y);
        CHECK_NEAR(hypot(ring - a, x[i].z), b, 1e-14);
        around += remainder(atan2(y.y, y.x) - atan2(x[i].y, x[i].x), 2 * CORD_PI);
        through += remainder(atan2(y.z, next - a) - atan2(x[i].z, ring - a), 2 * CORD_PI);
    }
    CHECK_NEAR(around / (2 * CORD_PI), p, 1e-10);
    CHECK_NEAR(through / (2 * CORD_PI), q, 1e-10);
    // chords of 0.014 where curvature is 4 at most: 1.3e-4 / 1.33
    CHECK_NEAR(unevenness(x, n, true), 0.0, 1e-4);
}

TEST(a_polyline_is_resampled_along_itself)
{
    CordVec3 x[101];
    sample(cord_shape_polyline(zigzag, 4, 101), (ShapeEnds){0}, x);
    CHECK_VEC3(x[0], zigzag[0], 0.0);
    CHECK_VEC3(x[100], zigzag[3], 1e-15);
    double length = 1 + 2 + sqrt(5.0);
    for (int i = 0; i < 100; i++) { // on the legs nodes are L/100 apart; around a corner they are nearer
        double s = length * i / 100;
        CordVec3 expected = s <= 1 ? (CordVec3){s, 0, 0}
                            : s <= 3
                                ? (CordVec3){1, s - 1, 0}
                                : vec3_madd(zigzag[2], (CordVec3){-2 / sqrt(5.0), 0, 1 / sqrt(5.0)}, s - 3);
        CHECK_VEC3(x[i], expected, 1e-14);
    }
}

TEST(a_closed_polyline_comes_back_to_its_first_point)
{
    const CordVec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    CordVec3 x[40];
    sample(cord_shape_polyline(square, 4, 40), (ShapeEnds){.closed = true}, x);
    CHECK_NEAR(unevenness(x, 40, true), 0.0, 1e-13);
    CHECK_VEC3(x[39], ((CordVec3){0, 0.1, 0}), 1e-14);
}

// Least distance from a point to a sampled curve.
static double nearest(const CordVec3* x, int n, CordVec3 p)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        least = fmin(least, distance(x[i], p));
    }
    return least;
}

TEST(a_spline_goes_through_its_points_at_equal_spacing)
{
    static CordVec3 x[MOST];
    const int n = 2000;
    for (int closed = 0; closed < 2; closed++) {
        sample(cord_shape_spline(zigzag, 4, n), (ShapeEnds){.closed = closed != 0}, x);
        for (int i = 0; i < 4; i++) {
            // within half an edge of a node; 10 m long at the most
            CHECK_NEAR(nearest(x, n, zigzag[i]), 0.0, 0.5 * 10.0 / n);
        }
        CHECK_NEAR(unevenness(x, n, closed != 0), 0.0, 1e-4); // (curvature 5 x edge 0.005)^2 / 24
        if (!closed) {
            CHECK_VEC3(x[0], zigzag[0], 1e-15);
            CHECK_VEC3(x[n - 1], zigzag[3], 1e-14);
        }
    }
}

TEST(a_spline_through_points_of_a_line_is_that_line)
{
    const CordVec3 line[] = {{0, 0, 0}, {0.1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    CordVec3 x[31];
    sample(cord_shape_spline(line, 4, 31), (ShapeEnds){0}, x);
    for (int i = 0; i < 31; i++) {
        // spacing: the square of the fine grid's, 1e-3 x 3
        CHECK_VEC3(x[i], ((CordVec3){0.1 * i, 0, 0}), 1e-5);
    }
}

// ---- what is refused

static void refused(CordShape shape, bool closed, const char* part)
{
    CHECK_RESULT(check(shape, closed), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, part);
}

TEST(too_few_nodes_and_too_many_are_refused)
{
    CordVec3 o = {0, 0, 0}, e = {1, 0, 0};
    refused(cord_shape_line(o, e, 1), false, "1 nodes");
    refused(cord_shape_line(o, e, -5), false, "-5 nodes");
    refused(cord_shape_line(o, e, INT32_MAX), false, "nodes");
    refused(cord_shape_circle(o, e, 1.0, 2), true, "2 nodes");
    CHECK_OK(check(cord_shape_line(o, e, 2), false));
    CHECK_OK(check(cord_shape_circle(o, e, 1.0, 3), true));
}

TEST(points_that_are_missing_repeated_or_not_finite_are_refused)
{
    CordVec3 p[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}};
    refused(cord_shape_polyline(p, 1, 10), false, "1 points");
    refused(cord_shape_polyline(NULL, 4, 10), false, "points");
    refused(cord_shape_polyline(p, 2, 10), true, "closed");
    refused(cord_shape_polyline(p, 4, 10), true, "does not repeat its first point");
    CHECK_OK(check(cord_shape_polyline(p, 4, 10), false)); // an open one may come back
    p[2] = p[1];
    refused(cord_shape_spline(p, 4, 10), false, "points 1 and 2");
    p[2].y = NAN;
    refused(cord_shape_spline(p, 4, 10), false, "point 2");
}

TEST(points_are_nodes_so_their_numbers_must_agree)
{
    CordShape s = cord_shape_points(zigzag, 4);
    s.node_count = 50;
    refused(s, false, "4 points for 50 nodes");
    s.node_count = 3;
    refused(s, false, "4 points for 3 nodes");
}

TEST(a_line_needs_two_places)
{
    CordVec3 o = {0, 0, 0};
    refused(cord_shape_line(o, o, 10), false, "apart");
    refused(cord_shape_line(o, (CordVec3){INFINITY, 0, 0}, 10), false, "finite");
    refused(cord_shape_line(o, (CordVec3){1, 0, 0}, 10), true, "cannot be closed");
}

TEST(axes_must_span_a_plane)
{
    CordVec3 o = {0, 0, 0}, x = {1, 0, 0};
    refused(cord_shape_circle(o, o, 1.0, 10), true, "axis");
    refused(cord_shape_ellipse(o, x, (CordVec3){-3, 0, 0}, 2, 1, 10), true, "parallel");
    refused(cord_shape_ellipse(o, x, o, 2, 1, 10), true, "parallel");
    refused(cord_shape_helix(o, o, 1, 1, 1, 10), false, "axis");
    refused(cord_shape_helix(o, (CordVec3){NAN, 0, 1}, 1, 1, 1, 10), false, "axis");
}

TEST(sizes_must_be_positive_and_finite)
{
    CordVec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0};
    refused(cord_shape_circle(o, x, -1.0, 10), true, "-1");
    refused(cord_shape_ellipse(o, x, y, 1.0, 0.0, 10), true, "must be positive");
    refused(cord_shape_ellipse(o, x, y, NAN, 1.0, 10), true, "must be positive");
    refused(cord_shape_helix(o, x, 0.0, 1.0, 1.0, 10), false, "radius");
    refused(cord_shape_helix(o, x, 1.0, INFINITY, 1.0, 10), false, "pitch");
    refused(cord_shape_helix(o, x, 1.0, 1.0, 0.0, 10), false, "turns");
    CHECK_OK(check(cord_shape_helix(o, x, 1.0, 0.0, 0.5, 10), false)); // no pitch: an arc
    refused(cord_shape_torus_knot(o, x, 0, 3, 1.0, 0.3, 100), true, "p and q");
    refused(cord_shape_torus_knot(o, x, 2, 3, 1.0, 1.0, 100), true, "thinner than its ring");
}

TEST(open_and_closed_must_suit_the_curve)
{
    CordVec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0};
    refused(cord_shape_circle(o, x, 1.0, 10), false, "gap");
    refused(cord_shape_helix(o, x, 1.0, 1.0, 1.0, 10), true, "helix cannot be closed");
    refused(cord_shape_torus_knot(o, x, 2, 3, 1.0, 0.3, 100), false, "closed rod");
    CordShape arc = cord_shape_ellipse(o, x, y, 1.0, 1.0, 10);
    arc.angle_to = 3.0;
    refused(arc, true, "less than a turn");
    arc.angle_to = 7.0;
    refused(arc, false, "at most a full turn");
    arc.angle_to = -1.0;
    refused(arc, false, "larger one");
    arc.angle_to = NAN;
    refused(arc, false, "angle");
}

TEST(a_kind_that_is_none_is_refused)
{
    CordShape s = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 10);
    s.kind = (CordShapeKind)99;
    refused(s, false, "99");
}

TEST(sampling_without_memory_says_so)
{
    Heap heap = {.fail = 1, .from_then_on = true};
    Memory m = memory_on(&heap);
    CordShape s = cord_shape_spline(zigzag, 4, 10);
    CordVec3 x[10];
    CHECK_RESULT(shape_sample(&m, &s, (ShapeEnds){0}, x, &message), CORD_NO_MEMORY);
    CHECK_CONTAINS(message.text, "memory");
}

TEST_GROUP(rod_shape)
