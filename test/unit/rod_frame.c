#include "check.h"
#include "math/elementary.h"
#include "random.h"
#include "rod/frame.h"

#include <stdlib.h>

static CordVec3 random_unit(uint64_t* seed)
{
    return vec3_unit(random_vec3(seed, 1.0));
}

// At right angles to t; twice, as the first time loses digits if the two are nearly parallel.
static CordVec3 random_normal(uint64_t* seed, CordVec3 t)
{
    return vec3_unit(vec3_reject(vec3_unit(vec3_reject(random_unit(seed), t)), t));
}

#define ROUND 2e-15 // a dozen products of order 1

// ---- transport

TEST(transport_keeps_length_and_right_angle)
{
    uint64_t seed = 1;
    for (int i = 0; i < 10000; i++) {
        CordVec3 s = random_unit(&seed), t = random_unit(&seed);
        double room = 1.0 + vec3_dot(s, t); // round-off grows where the two point opposite ways
        CordVec3 u = random_normal(&seed, s), p = frame_transport(u, s, t);
        CHECK_NEAR(vec3_length(p), 1.0, ROUND / room);
        CHECK_NEAR(vec3_dot(p, t), 0.0, ROUND / room);
    }
}

// The formula of DER section 4.2.2 for any vector: c v + w x v + (w.v)/(1+c) w with w = s x t.
TEST(transport_is_the_least_rotation)
{
    uint64_t seed = 2;
    for (int i = 0; i < 10000; i++) {
        CordVec3 s = random_unit(&seed), t = random_unit(&seed);
        double c = vec3_dot(s, t);
        if (c < -0.9) {
            continue;
        }
        CordVec3 u = random_normal(&seed, s), w = vec3_cross(s, t);
        CordVec3 turned =
            vec3_madd(vec3_add(vec3_mul(u, c), vec3_cross(w, u)), w, vec3_dot(w, u) / (1.0 + c));
        CHECK_VEC3(frame_transport(u, s, t), turned, 20 * ROUND);
    }
}

TEST(transport_along_no_turn_changes_nothing)
{
    CordVec3 s = {0, 0, 1}, u = {0.6, 0.8, 0};
    CHECK_VEC3(frame_transport(u, s, s), u, 0.0);
}

TEST(transport_to_the_opposite_tangent_still_gives_a_frame)
{
    CordVec3 s = {0.48, 0.6, 0.64}, u = vec3_any_normal(s), p = frame_transport(u, s, vec3_mul(s, -1.0));
    CHECK_NEAR(vec3_length(p), 1.0, ROUND);
    CHECK_NEAR(vec3_dot(p, s), 0.0, ROUND);
}

// Around a spherical triangle the frame comes back turned by the triangle's area (Gauss and Bonnet). The area
// by Van Oosterom and Strackee: tan(area / 2) = a.(b x c) / (1 + a.b + b.c + c.a).
TEST(holonomy_of_a_spherical_triangle_is_its_solid_angle)
{
    uint64_t seed = 3;
    for (int i = 0; i < 1000; i++) {
        CordVec3 a = random_unit(&seed), b = random_unit(&seed), c = random_unit(&seed);
        double ab = vec3_dot(a, b), bc = vec3_dot(b, c), ca = vec3_dot(c, a);
        if (fmin(fmin(ab, bc), ca) < -0.8) {
            continue;
        }
        double area = 2.0 * atan2(vec3_dot(a, vec3_cross(b, c)), 1.0 + ab + bc + ca);
        CordVec3 u = vec3_any_normal(a);
        CordVec3 around = frame_transport(frame_transport(frame_transport(u, a, b), b, c), c, a);
        double difference = remainder(frame_angle(u, around, a) - area, 2.0 * CORD_PI);
        CHECK_NEAR(difference, 0.0, 30 * ROUND);
    }
}

TEST(an_angle_is_what_turning_by_it_makes)
{
    uint64_t seed = 4;
    for (int i = 0; i < 1000; i++) {
        CordVec3 t = random_unit(&seed), u = vec3_any_normal(t);
        double angle = random_in(&seed, -3.14, 3.14);
        CHECK_NEAR(frame_angle(u, frame_rotate(u, t, angle), t), angle, 2 * ROUND);
    }
    CordVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    CHECK_NEAR(frame_angle(x, y, z), CORD_PI / 2, ROUND); // counter-clockwise is positive
}

TEST(unwrapping_continues_the_last_angle)
{
    CHECK_NEAR(frame_unwrap(-3.0, 3.2), -3.0 + 2 * CORD_PI, ROUND);
    CHECK_NEAR(frame_unwrap(1.0, 1.5), 1.0, 0.0);
    CHECK_NEAR(frame_unwrap(0.1, 20 * CORD_PI), 0.1 + 20 * CORD_PI, 10 * ROUND);
}

// ---- twist

// m1 at angle `theta` per edge about a straight line.
TEST(twist_of_a_straight_line_counts_the_turns_of_its_frames)
{
    const double theta = 0.7;
    CordVec3 x[51], m1[50];
    for (int i = 0; i < 51; i++) {
        x[i] = (CordVec3){0, 0, 0.1 * i};
        if (i < 50) {
            m1[i] = (CordVec3){cos(theta * i), sin(theta * i), 0};
        }
    }
    CHECK_NEAR(cord_polygon_twist(x, 51, false, m1), 49 * theta / (2 * CORD_PI), 50 * ROUND);
}

TEST(twist_of_a_planar_ring_includes_the_closing_edge)
{
    enum { N = 40 };
    CordVec3 x[N], m1[N], z = {0, 0, 1};
    for (int i = 0; i < N; i++) {
        double a = 2 * CORD_PI * i / N;
        x[i] = (CordVec3){cos(a), sin(a), 0};
    }
    for (int i = 0; i < N; i++) { // once around the tangent on the way around
        CordVec3 t = vec3_unit(vec3_sub(x[(i + 1) % N], x[i]));
        m1[i] = frame_rotate(z, t, 2 * CORD_PI * i / N);
    }
    CHECK_NEAR(cord_polygon_twist(x, N, true, m1), 1.0, N * ROUND);
    // edges 0 .. N-2: one turn of 2 pi/N less twice
    CHECK_NEAR(cord_polygon_twist(x, N, false, m1), (N - 2.0) / N, N * ROUND);
}

// ---- writhe and link

static void knot(CordVec3* x, int n, double sign)
{
    for (int i = 0; i < n; i++) {
        double u = 2 * CORD_PI * i / n, ring = 1.0 + 0.4 * cos(3 * u);
        x[i] = (CordVec3){ring * cos(2 * u), ring * sin(2 * u), sign * 0.4 * sin(3 * u)};
    }
}

TEST(writhe_of_a_planar_curve_is_zero)
{
    uint64_t seed = 5;
    CordVec3 x[30];
    for (int i = 0; i < 30; i++) {
        double a = 2 * CORD_PI * i / 30, r = random_in(&seed, 0.5, 1.5);
        x[i] = (CordVec3){r * cos(a), 0, r * sin(a)};
    }
    CHECK_NEAR(cord_polygon_writhe(x, 30, true), 0.0, 0.0);
    CHECK_NEAR(cord_polygon_writhe(x, 30, false), 0.0, 0.0);
}

TEST(writhe_changes_sign_in_a_mirror)
{
    CordVec3 x[60], y[60];
    knot(x, 60, 1.0);
    knot(y, 60, -1.0);
    double wr = cord_polygon_writhe(x, 60, true);
    CHECK(fabs(wr) > 2.0); // a trefoil's three crossings, seen from most directions
    CHECK_NEAR(cord_polygon_writhe(y, 60, true), -wr, 1e-13);
}

TEST(writhe_does_not_depend_on_where_a_ring_starts_or_how_it_lies)
{
    CordVec3 x[60], y[60];
    CordQuat q = quat_unit((CordQuat){0.3, -0.5, 0.7, 0.2});
    knot(x, 60, 1.0);
    for (int i = 0; i < 60; i++) {
        y[i] = vec3_add(quat_rotate(q, vec3_mul(x[(i + 17) % 60], 3.0)), (CordVec3){5, 6, 7});
    }
    // 1700 pairs, some nearly in a plane
    CHECK_NEAR(cord_polygon_writhe(y, 60, true), cord_polygon_writhe(x, 60, true), 1e-11);
}

// Gauss's double integral of the smooth trefoil by the rectangle rule, which for periodic functions converges
// faster than any power; the diagonal, where the integrand tends to zero, is left out.
static double gauss_integral(int n)
{
    CordVec3* x = calloc((size_t)n, sizeof *x);
    CordVec3* d = calloc((size_t)n, sizeof *d);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double u = 2 * CORD_PI * i / n, ring = 1 + 0.4 * cos(3 * u), slope = -1.2 * sin(3 * u);
        x[i] = (CordVec3){ring * cos(2 * u), ring * sin(2 * u), 0.4 * sin(3 * u)};
        d[i] = (CordVec3){slope * cos(2 * u) - 2 * ring * sin(2 * u),
                          slope * sin(2 * u) + 2 * ring * cos(2 * u), 1.2 * cos(3 * u)};
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            CordVec3 apart = vec3_sub(x[i], x[j]);
            double r = vec3_length(apart);
            sum += 2.0 * vec3_dot(vec3_cross(d[i], d[j]), apart) / (r * r * r);
        }
    }
    free(x), free(d);
    return sum * (2 * CORD_PI / n) * (2 * CORD_PI / n) / (4 * CORD_PI);
}

TEST(writhe_of_a_trefoil_converges_to_gauss_integral_at_second_order)
{
    double smooth = gauss_integral(1000), error[2];
    // the cusp that the integrand has on the diagonal is O(1/n^2)
    CHECK_NEAR(smooth, gauss_integral(700), 1e-4);
    for (int k = 0; k < 2; k++) {
        static CordVec3 x[200];
        int n = 100 << k;
        knot(x, n, 1.0);
        error[k] = fabs(cord_polygon_writhe(x, n, true) - smooth);
    }
    CHECK(error[0] < 0.02);
    CHECK_NEAR(error[0] / error[1], 4.0, 0.5);
}

static void ring(CordVec3* x, int n, CordVec3 center, CordVec3 e1, CordVec3 e2)
{
    for (int i = 0; i < n; i++) {
        double a = 2 * CORD_PI * (i + 0.3) / n;
        x[i] = vec3_madd(vec3_madd(center, e1, cos(a)), e2, sin(a));
    }
}

TEST(a_hopf_link_is_plus_or_minus_one)
{
    CordVec3 x[20], y[33], ex = {1, 0, 0}, ey = {0, 1, 0}, ez = {0, 0, 1};
    ring(x, 20, (CordVec3){0, 0, 0}, ex, ey);
    ring(y, 33, ex, ex, ez);
    double link = cord_polygon_link(x, 20, y, 33);
    CHECK_NEAR(fabs(link), 1.0, 1e-12); // 660 angles
    CHECK_NEAR(cord_polygon_link(y, 33, x, 20), link, 1e-12);
    ring(y, 33, ex, ez, ex); // the other way around
    CHECK_NEAR(cord_polygon_link(x, 20, y, 33), -link, 1e-12);
    ring(y, 33, (CordVec3){5, 0, 0}, ex, ez);
    CHECK_NEAR(cord_polygon_link(x, 20, y, 33), 0.0, 1e-12);
}

// Two strands that wind k times around one ring, right-handed: link k. One is the ring itself, the other runs
// beside it at the end of a frame that turns k times: link = twist + writhe of the ring, which is planar
// (Calugareanu).
TEST(link_of_a_double_helix_is_its_turns)
{
    enum { N = 240 };
    for (int k = -3; k <= 3; k++) {
        CordVec3 x[N], y[N];
        for (int i = 0; i < N; i++) {
            double a = 2 * CORD_PI * i / N;
            CordVec3 out = {cos(a), sin(a), 0}, t = {-sin(a), cos(a), 0};
            x[i] = out;
            y[i] = vec3_madd(out, frame_rotate(out, t, k * a), 0.2);
        }
        CHECK_NEAR(cord_polygon_link(x, N, y, N), k, 1e-11); // 57,600 angles
    }
}

// An open curve between ends on one line, of which the tails go on: a coil of k turns that is drawn out of a
// straight line. The frames at the ends stand still, so that twist and writhe keep their sum, however the
// coil stands; their sum is that of the straight line.
TEST(twist_and_writhe_of_an_open_curve_keep_their_sum)
{
    enum { N = 241 };
    for (int k = -2; k <= 2; k++) {
        for (int n = 0; n <= 6; n++) {
            CordVec3 x[N], m1[N];
            for (int i = 0; i < N; i++) {
                double s = (double)i / (N - 1), out = 0.05 * n * (s > 0.1 && s < 0.9),
                       a = 2 * CORD_PI * k * s;
                double ramp = out * pow(sin(CORD_PI * (s - 0.1) / 0.8), 2);
                x[i] = (CordVec3){s, ramp * cos(a), ramp * sin(a)};
            }
            CordVec3 u = {0, 1, 0}, t = {1, 0, 0};
            for (int i = 0; i + 1 < N;
                 i++) { // without twist, but for the last edges, which stand as they did
                CordVec3 next = vec3_unit(vec3_sub(x[i + 1], x[i]));
                u = frame_transport(u, t, next);
                m1[i] = i + 5 < N ? u : (CordVec3){0, 1, 0};
                t = next;
            }
            double sum = cord_polygon_twist(x, N - 0, false, m1) + cord_polygon_tailed_writhe(x, N, false);
            CHECK_NEAR(sum - nearbyint(sum), 0.0, 1e-11); // the twist is told up to full turns
            CHECK_NEAR(cord_polygon_tailed_writhe(x, N, true), cord_polygon_writhe(x, N, true), 0.0);
        }
    }
}

TEST(tails_of_a_planar_curve_have_no_writhe)
{
    CordVec3 hook[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
             bent[3] = {{0, 0, 0}, {1, 0, 0}, {1.5, 0.7, 0}};
    CHECK_NEAR(cord_polygon_tailed_writhe(hook, 4, false), 0.0, 0.0);
    CHECK_NEAR(cord_polygon_tailed_writhe(bent, 3, false), 0.0, 0.0);
}

// Mirror images have opposite writhe and a plane curve is its own mirror image, whether its tails cross, its
// edges, or a tail and an edge.
TEST(a_plane_curve_that_crosses_itself_has_no_writhe)
{
    enum { N = 31 };
    const CordVec3 u = vec3_unit((CordVec3){1, 2, -0.5}), v = vec3_unit(vec3_cross(u, (CordVec3){0.3, 1, 2}));
    for (int k = 0; k < 6; k++) {
        double side = k % 2 ? -1.0 : 1.0, turn = (k / 2 == 0 ? 1.5 : k / 2 == 1 ? 1.9 : 2.4) * CORD_PI;
        CordVec3 x[N];
        for (int i = 0; i < N; i++) {
            double a = turn * i / (N - 1), grown = 1.0 + 0.1 * i / N;
            x[i] = vec3_madd(vec3_mul(u, grown * sin(a)), v, side * grown * (1.0 - cos(a)));
        }
        // triple products are roundings, and over HALF_AROUND they are at most 1e-10
        CHECK_NEAR(cord_polygon_tailed_writhe(x, N, false), 0.0, 1e-9);
    }
}

// Two crossings with the tails make up what a loop has more than its own edges tell: far tails converge to
// it.
TEST(tails_are_the_limit_of_long_edges)
{
    enum { N = 60 };
    CordVec3 x[N + 2];
    for (int i = 0; i < N; i++) {
        double a = 2 * CORD_PI * i / (N - 1);
        x[i + 1] = (CordVec3){0.3 * i / N - sin(a), 1 - cos(a), 0.4 * i / N};
    }
    CordVec3 e = vec3_sub(x[2], x[1]), f = vec3_sub(x[N], x[N - 1]);
    x[0] = vec3_madd(x[1], e, -1e7), x[N + 1] = vec3_madd(x[N], f, 1e7);
    double tailed = cord_polygon_tailed_writhe(x + 1, N, false);
    CHECK_NEAR(cord_polygon_writhe(x, N + 2, false), tailed, 1e-6);
    CHECK(fabs(tailed - cord_polygon_writhe(x + 1, N, false)) > 0.05);
}

// Lk = Tw + Wr for a trefoil with a frame: the second strand runs a little beside the first.
TEST(link_is_twist_plus_writhe)
{
    enum { N = 300 };
    static CordVec3 x[N], y[N], m1[N];
    knot(x, N, 1.0);
    for (int i = 0; i < N; i++) {
        CordVec3 t = vec3_unit(vec3_sub(x[(i + 1) % N], x[i]));
        m1[i] = vec3_unit(vec3_reject((CordVec3){0, 0, 1}, t));
        y[i] = vec3_madd(vec3_mul(vec3_add(x[i], x[(i + 1) % N]), 0.5), m1[i], 0.02);
    }
    double sum = cord_polygon_twist(x, N, true, m1) + cord_polygon_writhe(x, N, true);
    CHECK_NEAR(cord_polygon_link(x, N, y, N), nearbyint(sum), 1e-10);
    CHECK_NEAR(sum, nearbyint(sum), 1e-10); // 45,000 angles; exact for polygons, too
}

TEST_GROUP(rod_frame)
