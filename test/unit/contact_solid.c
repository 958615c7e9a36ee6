// Solids by formula, against samples of their surfaces, their slopes, and segments and sweeps looked at point by point.
#include "check.h"
#include "contact/solid.h"
#include "contact_random.h"
#include "math/trig.h"

static const Solid solids[] = {
    {CORD_OBSTACLE_PLANE, {0, 0, 0}},        {CORD_OBSTACLE_SPHERE, {0.7, 0, 0}},
    {CORD_OBSTACLE_BOX, {0.8, 1.4, 0.5}},    {CORD_OBSTACLE_BOX, {1.0, 1.0, 1.0}},
    {CORD_OBSTACLE_CYLINDER, {0.6, 0, 1.1}}, {CORD_OBSTACLE_CYLINDER, {0.9, 0, 0.1}},
    {CORD_OBSTACLE_CAPSULE, {0.4, 0, 0.9}},  {CORD_OBSTACLE_CAPSULE, {0.4, 0, 0}},
    {CORD_OBSTACLE_TORUS, {0.7, 0.2, 0}},    {CORD_OBSTACLE_TORUS, {0.5, 0.45, 0}},
    {CORD_OBSTACLE_TUBE, {0.8, 0.5, 1.0}},   {CORD_OBSTACLE_TUBE, {0.9, 0.2, 0.1}},
    {CORD_OBSTACLE_TUBE, {0.51, 0.5, 1.6}},  {CORD_OBSTACLE_TUBE, {0.8, 0.0, 1.0}},
};
#define SOLID_COUNT ((int)(sizeof solids / sizeof solids[0]))

static bool is_convex(const Solid* s)
{
    return s->shape != CORD_OBSTACLE_TORUS && !(s->shape == CORD_OBSTACLE_TUBE && s->size.y > 0.0);
}

static CordVec3 turned(double angle, double rho, double z)
{
    return (CordVec3){rho * cord_cos(angle), rho * cord_sin(angle), z};
}

// ---- points

// Whether a point is in the solid, by its definition.
static bool holds_point(const Solid* s, CordVec3 p)
{
    CordVec3 z = s->size;
    double rho = sqrt(p.x * p.x + p.y * p.y), over = fmax(fabs(p.z) - 0.5 * z.z, 0.0);
    switch (s->shape) {
    case CORD_OBSTACLE_SPHERE: return vec3_length(p) < z.x;
    case CORD_OBSTACLE_BOX: return fabs(p.x) < 0.5 * z.x && fabs(p.y) < 0.5 * z.y && fabs(p.z) < 0.5 * z.z;
    case CORD_OBSTACLE_CYLINDER: return rho < z.x && over == 0.0;
    case CORD_OBSTACLE_CAPSULE: return rho * rho + over * over < z.x * z.x;
    case CORD_OBSTACLE_TORUS: return (rho - z.x) * (rho - z.x) + p.z * p.z < z.y * z.y;
    case CORD_OBSTACLE_TUBE: return rho > z.y && rho < z.x && over == 0.0;
    default: return p.z < 0.0;
    }
}

// A point of the profile that is turned about z, (rho, z), for x from 0 to 1 all along it.
static void profile_at(const Solid* s, double x, double* rho, double* z)
{
    CordVec3 size = s->size;
    double half = 0.5 * size.z, angle = 2.0 * CORD_PI * x;
    switch (s->shape) {
    case CORD_OBSTACLE_SPHERE:
        *rho = size.x * cord_sin(0.5 * angle), *z = size.x * cord_cos(0.5 * angle);
        break;
    case CORD_OBSTACLE_TORUS: *rho = size.x + size.y * cord_cos(angle), *z = size.y * cord_sin(angle); break;
    case CORD_OBSTACLE_CAPSULE:
        if (x < 1.0 / 3.0) {
            *rho = size.x, *z = half * (6.0 * x - 1.0);
        } else {
            angle = 0.5 * CORD_PI * (x < 2.0 / 3.0 ? 3.0 * x - 1.0 : 3.0 * x - 2.0);
            *rho = size.x * cord_cos(angle), *z = (half + size.x * cord_sin(angle)) * (x < 2.0 / 3.0 ? 1.0 : -1.0);
        }
        break;
    default: { // a rectangle; that of a cylinder has no inner side
        double inner = s->shape == CORD_OBSTACLE_TUBE ? size.y : 0.0, along = 4.0 * x - floor(4.0 * x);
        int side = (int)(4.0 * x) % (inner > 0.0 ? 4 : 3);
        *rho = side == 0 ? size.x : side == 3 ? inner : inner + (size.x - inner) * along;
        *z = side == 1 ? half : side == 2 ? -half : half * (2.0 * along - 1.0);
    }
    }
}

// The nearest of many points of the surface; it is off by less than `*off`.
static double sampled_distance(const Solid* s, CordVec3 p, double* off)
{
    double least = INFINITY;
    *off = 0.0;
    if (s->shape == CORD_OBSTACLE_BOX) {
        for (int k = 0; k < 6 * 60 * 60; k++) {
            double u = (k / 6 % 60) / 59.0 - 0.5, v = (k / 360) / 59.0 - 0.5, w = k % 2 - 0.5;
            CordVec3 q = k % 6 < 2   ? (CordVec3){w, u, v}
                         : k % 6 < 4 ? (CordVec3){u, w, v}
                                     : (CordVec3){u, v, w};
            q = (CordVec3){q.x * s->size.x, q.y * s->size.y, q.z * s->size.z};
            least = fmin(least, vec3_length(vec3_sub(p, q)));
        }
        *off = 0.5 * sqrt(2.0) * 1.4 / 59.0;
        return least;
    }
    CordVec3 last = {0, 0, 0};
    for (int k = 0; k < 4000; k++) { // the nearest point is in the plane through the axis and p
        double rho, z;
        profile_at(s, k / 4000.0, &rho, &z);
        CordVec3 q = turned(cord_atan2(p.y, p.x), rho, z);
        double step = vec3_length(vec3_sub(q, last));
        *off = k > 0 && step < 0.01 ? fmax(*off, step) : *off; // where it jumps, it goes on elsewhere
        least = fmin(least, vec3_length(vec3_sub(p, q)));
        last = q;
    }
    return least;
}

TEST(distances_are_those_to_the_nearest_point_of_the_surface)
{
    uint64_t seed = 1;
    for (int k = 1; k < SOLID_COUNT; k++) {
        int inside = 0;
        for (int n = 0; n < 300; n++) {
            CordVec3 p = random_vec3(&seed, n % 2 ? 0.7 : 1.5);
            double off, sampled = sampled_distance(&solids[k], p, &off),
                        distance = solid_point(&solids[k], p).distance;
            CHECK(off < 0.03);
            CHECK(fabs(distance) <= sampled + 1e-15 && fabs(distance) >= sampled - off);
            CHECK((distance < 0.0) == holds_point(&solids[k], p));
            inside += distance < 0.0;
        }
        CHECK(inside > 0 && inside < 300);
    }
    CHECK_NEAR(solid_point(&solids[0], (CordVec3){3, 4, -5}).distance, -5.0, 0.0);
}

TEST(distances_change_by_no_more_than_a_point_moves)
{
    uint64_t seed = 2;
    for (int k = 0; k < SOLID_COUNT; k++) {
        for (int n = 0; n < 20000; n++) {
            CordVec3 p = random_vec3(&seed, 1.2),
                     q = vec3_add(p, random_vec3(&seed, random_power(&seed, -6.0, 0.3)));
            double change = solid_point(&solids[k], q).distance - solid_point(&solids[k], p).distance;
            CHECK(fabs(change) <= vec3_length(vec3_sub(q, p)) + 1e-15); // a few roundings of numbers of order 1
        }
    }
}

// On one side of a surface that is equally near to two of its parts, and the other: not smooth there.
static bool is_smooth(const Solid* s, CordVec3 p, double within)
{
    CordVec3 n = solid_point(s, p).normal;
    uint64_t seed = 7;
    for (int i = 0; i < 12; i++) {
        CordVec3 q = vec3_add(p, random_vec3(&seed, within));
        if (vec3_dot(solid_point(s, q).normal, n) < 0.99) {
            return false;
        }
    }
    return true;
}

TEST(normals_are_the_gradient)
{
    uint64_t seed = 3;
    for (int k = 0; k < SOLID_COUNT; k++) {
        const Solid* s = &solids[k];
        int smooth = 0;
        for (int n = 0; n < 3000; n++) {
            CordVec3 p = random_vec3(&seed, 1.2);
            SolidPoint at = solid_point(s, p);
            CHECK_NEAR(vec3_length(at.normal), 1.0, 4e-16);
            if (!is_smooth(s, p, 1e-3)) {
                continue;
            }
            smooth++;
            const CordVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            for (int i = 0; i < 3; i++) { // radii of curvature are above 0.01 there: error (1e-6 / 0.01)^2
                double h = 1e-6, there = solid_point(s, vec3_madd(p, axes[i], h)).distance;
                double slope = (there - solid_point(s, vec3_madd(p, axes[i], -h)).distance) / (2.0 * h);
                CHECK_NEAR(slope, vec3_dot(at.normal, axes[i]), 1e-7);
            }
        }
        CHECK(smooth > 2000);
    }
}

TEST(normals_are_unit_where_there_is_more_than_one)
{
    const CordVec3 places[] = {{0, 0, 0},        {0, 0, 0.3}, {0, 0, -2},      {0.7, 0, 0},   {0, 0.5, 0},
                               {0.4, 0.7, 0.25}, {0.5, 0, 5}, {0.25, 0.25, 0}, {0, 0, 1e-200}};
    for (int k = 0; k < SOLID_COUNT; k++) {
        for (int i = 0; i < (int)(sizeof places / sizeof places[0]); i++) {
            CHECK_NEAR(vec3_length(solid_point(&solids[k], places[i]).normal), 1.0, 4e-16);
        }
    }
}

TEST(a_ball_of_its_radius_holds_a_solid)
{
    uint64_t seed = 4;
    CHECK(isinf(solid_radius(&solids[0])));
    for (int k = 1; k < SOLID_COUNT; k++) {
        double radius = solid_radius(&solids[k]), far = 0.0;
        for (int n = 0; n < 100000; n++) {
            CordVec3 p = random_vec3(&seed, 1.2);
            far = holds_point(&solids[k], p) ? fmax(far, vec3_length(p)) : far;
        }
        CHECK(far <= radius && far >= 0.9 * radius);
    }
}

// ---- segments

static double sampled_segment(const Solid* s, CordVec3 a, CordVec3 b, int count)
{
    double least = INFINITY;
    for (int i = 0; i <= count; i++) {
        least = fmin(least, solid_point(s, between(a, b, (double)i / count)).distance);
    }
    return least;
}

static void check_segment(const Solid* s, CordVec3 a, CordVec3 b)
{
    SolidPoint at = solid_segment(s, a, b, INFINITY);
    double size = fmax(vec3_length(a), vec3_length(b)) + 2.0, length = vec3_length(vec3_sub(b, a));
    CHECK(at.s >= 0.0 && at.s <= 1.0);
    CHECK_NEAR(vec3_length(at.normal), 1.0, 4e-16);
    CHECK_NEAR(at.distance, solid_point(s, between(a, b, at.s)).distance, 1e-15 * size);
    // One step on either side at a finer scale each time: the least that is next to it.
    double sampled = sampled_segment(s, a, b, 500);
    CHECK(at.distance <= sampled + 1e-12 * size);
    CHECK(at.distance >= sampled - length / 1000.0 - 1e-15 * size); // no place is further than that from a sample
    for (double h = 1e-2; h > 1e-12; h *= 0.1) {
        CordVec3 before = between(a, b, fmax(at.s - h, 0.0)), after = between(a, b, fmin(at.s + h, 1.0));
        CHECK(at.distance <= solid_point(s, before).distance + 1e-12 * size);
        CHECK(at.distance <= solid_point(s, after).distance + 1e-12 * size);
    }
}

// A tenth of all are of a kind that formulas fail on.
static void random_segment(uint64_t* seed, const Solid* s, CordVec3* a, CordVec3* b)
{
    *a = random_vec3(seed, 1.3);
    *b = random_int(seed, 2) ? random_vec3(seed, 1.3)
                             : vec3_add(*a, random_vec3(seed, random_power(seed, -6.0, 0.0)));
    double inner = s->size.y, angle = random_in(seed, 0.0, 6.3);
    switch (random_int(seed, 30)) {
    case 0: *b = *a; break;
    case 1: b->x = a->x, b->y = a->y; break;                                 // along the axis
    case 2: *a = (CordVec3){0, 0, a->z}, *b = (CordVec3){0, 0, b->z}; break; // on it
    case 3: b->z = a->z; break;                                              // across it
    case 4: *b = vec3_mul(*a, -random_in(seed, 0.0, 1.0)); break;            // through the middle
    case 5: b->x = -a->x, b->y = -a->y; break;                               // through the axis
    case 6: a->z = b->z = 0.5 * s->size.z; break;                            // along a face
    case 7: a->z = b->z = 0.0, b->x = -a->x, b->y = -a->y; break;
    case 8: *a = turned(angle, inner, a->z), *b = turned(angle, inner, b->z); break; // along the bore's wall
    case 9:
        *a = turned(angle, inner, a->z), *b = turned(angle + random_in(seed, 0.0, 3.2), inner, b->z);
        break;
    default: break;
    }
}

TEST(segments_have_the_least_distance_of_their_points)
{
    uint64_t seed = 5;
    for (int k = 0; k < SOLID_COUNT; k++) {
        for (int n = 0; n < 4000; n++) {
            CordVec3 a, b;
            random_segment(&seed, &solids[k], &a, &b);
            check_segment(&solids[k], a, b);
        }
    }
}

// Chords through a ring's hole: two dips, of which either may be the lower.
TEST(the_lower_of_two_dips_is_found)
{
    Solid ring = {CORD_OBSTACLE_TORUS, {0.7, 0.2, 0}};
    for (int n = -20; n <= 20; n++) {
        double tilt = 1e-3 * n;
        SolidPoint p =
            solid_segment(&ring, (CordVec3){-1, 0.1, 0.3 - tilt}, (CordVec3){1, 0.1, 0.3 + tilt}, INFINITY);
        CHECK(n == 0 || (n > 0 ? p.s < 0.5 : p.s > 0.5));
        CHECK(p.distance < 0.1 + 1e-9);
        check_segment(&ring, (CordVec3){-1, 0.1, 0.3 - tilt}, (CordVec3){1, 0.1, 0.3 + tilt});
    }
}

// Of millions, some of the few in which a dip lies between two others, or next to one, in each part of a tube.
TEST(no_dip_beside_a_tube_is_missed)
{
    static const struct {
        CordVec3 size, a, b;
    } cases[] = {
        {{0.7843, 0.6253, 1.007}, {0.06161, 0.1993, 1.017}, {0.7476, -0.6684, 1.203}}, // its rim
        {{0.7169, 0.4183, 2.506}, {0.4193, 0.4819, 1.808}, {0.0743, -0.08183, 1.619}},
        {{0.3142, 0.1902, 9.995}, {0.07982, 0.2182, 1.797}, {0.2039, 0.1456, -5.109}}, // within its wall, near the bore
        {{0.7047, 0.6558, 8.878}, {-0.01435, 0.687, 0.174}, {0.1487, 0.6604, -5.093}}, // and on both sides of the middle
        {{0.8995, 0.7527, 8.293}, {-0.06834, 0.3139, 7.011}, {-0.2146, 0.1705, 1.558}}, // out of the bore, past the rim
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        Solid tube = {CORD_OBSTACLE_TUBE, cases[i].size};
        check_segment(&tube, cases[i].a, cases[i].b);
        check_segment(&tube, cases[i].b, cases[i].a);
    }
}

TEST(segments_that_are_far_are_said_to_be_far)
{
    uint64_t seed = 6;
    for (int k = 0; k < SOLID_COUNT; k++) {
        for (int n = 0; n < 2000; n++) {
            CordVec3 a, b;
            random_segment(&seed, &solids[k], &a, &b);
            double far = random_in(&seed, -0.2, 1.0), exact = solid_segment(&solids[k], a, b, INFINITY).distance;
            SolidPoint p = solid_segment(&solids[k], a, b, far);
            CHECK(exact >= far ? p.distance >= far : p.distance <= exact + 1e-12);
        }
    }
}

// ---- sweeps

typedef struct Sweep {
    const Solid* solid;
    SweptPoint a[2];
    double near;
} Sweep;

static double distance_at(const Sweep* w, double time)
{
    CordVec3 p = between(w->a[0].from, w->a[0].to, time), q = between(w->a[1].from, w->a[1].to, time);
    return solid_segment(w->solid, p, q, INFINITY).distance;
}

static double least_until(const Sweep* w, double share, int count)
{
    double least = INFINITY;
    for (int k = 0; k <= count; k++) {
        least = fmin(least, distance_at(w, share * k / count));
    }
    return least;
}

static double way_of(const Sweep* w)
{
    return fmax(vec3_length(vec3_sub(w->a[0].to, w->a[0].from)), vec3_length(vec3_sub(w->a[1].to, w->a[1].from)));
}

static void check_sweep(const Sweep* w, double gap)
{
    double share = solid_sweep(w->solid, w->a, w->near), way = way_of(w);
    CHECK(share >= 0.0 && share <= 1.0);
    CHECK(least_until(w, share, 500) >= w->near - 1e-12 * (3.0 + way));
    if (share < 1.0) {
        CHECK(distance_at(w, share) <= w->near + 0.11 * gap + 2e-6 * way);
    }
}

TEST(sweeps_stop_in_time_and_not_too_early)
{
    uint64_t seed = 7;
    for (int k = 0; k < SOLID_COUNT; k++) {
        int stopped = 0;
        for (int n = 0; n < 300; n++) {
            Sweep w = {.solid = &solids[k]};
            double motion = random_power(&seed, -3.0, 1.0);
            random_segment(&seed, w.solid, &w.a[0].from, &w.a[1].from);
            for (int i = 0; i < 2; i++) {
                w.a[i].to = vec3_add(w.a[i].from, random_vec3(&seed, motion));
            }
            double distance = distance_at(&w, 0.0);
            w.near = distance * (n % 2 ? random_in(&seed, 0.0, 1.0) : 1.0 - random_power(&seed, -4.0, 0.0));
            if (distance > 1e-2) {
                check_sweep(&w, distance - w.near);
                stopped += solid_sweep(w.solid, w.a, w.near) < 1.0;
            }
        }
        CHECK(stopped > 30);
    }
}

// A rope that touches, and is drawn along what it touches: over the outside of what is convex, and along the bore of a tube.
TEST(what_slides_along_a_solid_goes_all_the_way)
{
    uint64_t seed = 8;
    for (int k = 0; k < SOLID_COUNT; k++) {
        int slid = 0;
        for (int n = 0; n < 2000 && is_convex(&solids[k]); n++) {
            Sweep w = {.solid = &solids[k], .near = 0.0};
            CordVec3 a = random_vec3(&seed, 1.5), b = random_vec3(&seed, 1.5);
            SolidPoint p = solid_segment(w.solid, a, b, INFINITY);
            if (p.distance < 0.05) {
                continue;
            }
            w.near = p.distance;
            w.a[0] = (SweptPoint){a, vec3_add(a, vec3_reject(random_vec3(&seed, 0.5), p.normal))};
            w.a[1] = (SweptPoint){b, vec3_add(b, vec3_reject(random_vec3(&seed, 0.5), p.normal))};
            CHECK_NEAR(solid_sweep(w.solid, w.a, w.near), 1.0, 0.0);
            slid++;
        }
        CHECK(slid > 200 || !is_convex(&solids[k]));
    }
    Solid tube = {CORD_OBSTACLE_TUBE, {0.8, 0.5, 1.0}};
    for (int n = 0; n < 100; n++) {
        double near = 0.1, angle = 0.06 * n;
        CordVec3 a = turned(angle, 0.4, -0.4), b = turned(angle + 0.01 * n, 0.4, 0.2);
        SweptPoint along[2] = {{a, vec3_add(a, (CordVec3){0, 0, 0.9})}, {b, vec3_add(b, (CordVec3){0, 0, 0.9})}};
        CHECK_NEAR(solid_sweep(&tube, along, near * (1.0 - 1e-15)), 1.0, 0.0);
        SweptPoint out[2] = {{a, vec3_mul(a, 1.01)}, {b, vec3_mul(b, 1.01)}};
        CHECK_NEAR(solid_sweep(&tube, out, near * (1.0 + 1e-15)), 0.0, 0.0);
    }
}

TEST(what_touches_a_solid_may_move_apart_but_not_come_nearer)
{
    uint64_t seed = 9;
    for (int k = 0; k < SOLID_COUNT; k++) {
        for (int n = 0; n < 200; n++) {
            Sweep w = {.solid = &solids[k]};
            CordVec3 a = random_vec3(&seed, 1.5), b = random_vec3(&seed, 1.5);
            SolidPoint p = solid_segment(w.solid, a, b, INFINITY);
            if (p.distance < 0.05 || !is_smooth(w.solid, between(a, b, p.s), 1e-3)) {
                continue;
            }
            w.near = p.distance;
            for (int away = -1; away <= 1; away += 2) {
                CordVec3 way = vec3_mul(p.normal, 0.02 * away);
                w.a[0] = (SweptPoint){a, vec3_add(a, way)}, w.a[1] = (SweptPoint){b, vec3_add(b, way)};
                double share = solid_sweep(w.solid, w.a, w.near);
                CHECK(away > 0 ? share > 0.0 : share == 0.0);
                CHECK(least_until(&w, share, 300) >= w.near - 1e-11); // what counts as touching: sixty roundings of a dip's
            }
        }
    }
}

TEST(what_is_inside_a_solid_may_leave_it)
{
    Solid ball = {CORD_OBSTACLE_SPHERE, {0.5, 0, 0}};
    SweptPoint a[2] = {{{-0.2, 0, 0.3}, {-0.2, 0, 3}}, {{0.2, 0, 0.3}, {0.2, 0, 3}}};
    CHECK_NEAR(solid_sweep(&ball, a, 0.1), 1.0, 0.0);
    a[0].to.z = a[1].to.z = -3.0;
    CHECK_NEAR(solid_sweep(&ball, a, 0.1), 0.0, 0.0);
}

TEST(a_thousand_radii_in_one_step_do_not_pass_a_solid)
{
    double r = 1e-3;
    for (int k = 0; k < SOLID_COUNT; k++) {
        double top = k == 0 ? 0.0 : solid_radius(&solids[k]);
        SweptPoint a[2] = {{{-1, 0.61, top + 0.1}, {-1, 0.61, -top - 1}},
                           {{1, 0.6, top + 0.1}, {1, 0.6, -top - 1}}};
        Sweep w = {&solids[k], {a[0], a[1]}, r};
        check_sweep(&w, distance_at(&w, 0.0) - r);
        CHECK(solid_sweep(w.solid, a, r) < 1.0 || least_until(&w, 1.0, 10000) > r);
    }
}

TEST(numbers_that_are_none_go_nowhere)
{
    for (int k = 0; k < SOLID_COUNT; k++) {
        SweptPoint a[2] = {{{9, 9, 9}, {9, 9, 9}}, {{9, 9, 8}, {9, NAN, 8}}},
                   b[2] = {{{9, INFINITY, 9}, {9, 9, 9}}, a[0]};
        CHECK_NEAR(solid_sweep(&solids[k], a, 0.1), 0.0, 0.0);
        CHECK_NEAR(solid_sweep(&solids[k], b, 0.1), 0.0, 0.0);
    }
}

TEST_MAIN(distances_are_those_to_the_nearest_point_of_the_surface,
          distances_change_by_no_more_than_a_point_moves, normals_are_the_gradient,
          normals_are_unit_where_there_is_more_than_one, a_ball_of_its_radius_holds_a_solid,
          segments_have_the_least_distance_of_their_points, the_lower_of_two_dips_is_found,
          no_dip_beside_a_tube_is_missed, segments_that_are_far_are_said_to_be_far,
          sweeps_stop_in_time_and_not_too_early, what_slides_along_a_solid_goes_all_the_way,
          what_touches_a_solid_may_move_apart_but_not_come_nearer, what_is_inside_a_solid_may_leave_it,
          a_thousand_radii_in_one_step_do_not_pass_a_solid, numbers_that_are_none_go_nowhere)
