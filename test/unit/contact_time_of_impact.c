// Continuous detection: never past the first time that things are too near, found by looking at two thousand
// moments; and not needlessly short of it.
#include "check.h"
#include "contact/time_of_impact.h"
#include "contact_random.h"

typedef enum Kind { SEGMENTS, POINT_TRIANGLE, SEGMENT_TRIANGLE } Kind;

typedef struct Pair {
    Kind kind;
    int first, count; // corners of the first thing, and of both
    MovingPoint x[5];
    double near;
} Pair;

static Pair new_pair(int n)
{
    Pair p = {.kind = (Kind)(n % 3)};
    p.first = p.kind == POINT_TRIANGLE ? 1 : 2;
    p.count = p.kind == SEGMENT_TRIANGLE ? 5 : 4;
    return p;
}

static double swept(const Pair* p)
{
    return p->kind == SEGMENTS         ? segments_time_of_impact(p->x, p->x + 2, p->near)
           : p->kind == POINT_TRIANGLE ? point_triangle_time_of_impact(p->x, p->x + 1, p->near)
                                       : segment_triangle_time_of_impact(p->x, p->x + 2, p->near);
}

static ClosestPoints closest_at(const Pair* p, double time)
{
    CordVec3 x[5]; // relative to one of them: sweeps are as exact far from the origin
    for (int i = 0; i < p->count; i++) {
        x[i] = vec3_madd(vec3_sub(p->x[i].from, p->x[0].from), vec3_sub(p->x[i].to, p->x[i].from), time);
    }
    return p->kind == SEGMENTS         ? closest_segment_segment(x[0], x[1], x[2], x[3])
           : p->kind == POINT_TRIANGLE ? closest_point_triangle(x[0], x[1], x[2], x[3])
                                       : closest_segment_triangle(x[0], x[1], x[2], x[3], x[4]);
}

static double distance_at(const Pair* p, double time)
{
    return closest_at(p, time).distance;
}

// Of the fastest corners of each, but for what they share.
static double closing_way(const Pair* p)
{
    CordVec3 mean = {0, 0, 0};
    double most[2] = {0, 0};
    for (int i = 0; i < p->count; i++) {
        mean = vec3_madd(mean, vec3_sub(p->x[i].to, p->x[i].from), 1.0 / p->count);
    }
    for (int i = 0; i < p->count; i++) {
        double way = vec3_length(vec3_sub(vec3_sub(p->x[i].to, p->x[i].from), mean));
        most[i < p->first ? 0 : 1] = fmax(most[i < p->first ? 0 : 1], way);
    }
    return most[0] + most[1];
}

static double least_until(const Pair* p, double share)
{
    double least = INFINITY;
    for (int k = 0; k <= 2000; k++) {
        least = fmin(least, distance_at(p, share * k / 2000.0));
    }
    return least;
}

// Rounding of the numbers that go in, in the place where they are: relative to a corner, and the motion that
// is shared.
static double rounding(const Pair* p)
{
    double most = 0.0;
    for (int i = 0; i < p->count; i++) {
        most = fmax(most, vec3_length(vec3_sub(p->x[i].from, p->x[0].from)) +
                              vec3_length(vec3_sub(p->x[i].to, p->x[i].from)));
    }
    // what sweep.c allows itself where things touch: a few times 64 units in the last place
    return 5e-14 * most;
}

static void check_sweep(const Pair* p)
{
    double share = swept(p), gap = distance_at(p, 0.0) - p->near;
    CHECK(share >= 0.0 && share <= 1.0);
    // and that is the rounding of the distance alone
    CHECK(least_until(p, share) >= p->near - 0.02 * rounding(p));
    if (share < 1.0) {
        CHECK(distance_at(p, share) <= p->near + 0.11 * gap + 2e-6 * closing_way(p));
    }
}

// ---- what starts apart

static void put_anywhere(Pair* p, uint64_t* seed, double motion)
{
    for (int i = 0; i < p->count; i++) {
        p->x[i].from = random_vec3(seed, 1.0);
        p->x[i].to = vec3_add(p->x[i].from, random_vec3(seed, motion));
    }
}

static void near_below(Pair* p, uint64_t* seed)
{
    double distance = distance_at(p, 0.0);
    p->near =
        distance * (random_int(seed, 2) ? random_in(seed, 0.0, 1.0) : 1.0 - random_power(seed, -9.0, 0.0));
}

TEST(random_motion_stops_in_time_and_not_too_early)
{
    uint64_t seed = 1;
    for (int n = 0; n < 3000; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, random_power(&seed, -6.0, 1.5));
        near_below(&p, &seed);
        check_sweep(&p);
    }
}

TEST(what_is_shared_by_all_does_not_matter)
{
    uint64_t seed = 2;
    for (int n = 0; n < 600; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, random_power(&seed, -3.0, 0.0));
        near_below(&p, &seed);
        p.near *= 0.999; // away from rounding, which is larger for the others
        double share = swept(&p);
        CordVec3 way = random_vec3(&seed, 1e3), place = random_vec3(&seed, 1e5);
        for (int i = 0; i < p.count; i++) {
            p.x[i].from = vec3_add(p.x[i].from, place);
            p.x[i].to = vec3_add(vec3_add(p.x[i].to, place), way);
        }
        check_sweep(&p);
        CHECK_NEAR(swept(&p), share, 1e-4); // coordinates are rounded by 1e-11, of gaps from 1e-4 on
    }
}

// Lengths of zero, corners that coincide, parallel edges, and things that stand still, all in one motion or
// another.
TEST(degenerate_things_stop_in_time_and_not_too_early)
{
    uint64_t seed = 3;
    for (int n = 0; n < 3000; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, random_power(&seed, -4.0, 1.0));
        int last = p.count - 1;
        CordVec3 edge = vec3_sub(p.x[1].from, p.x[0].from), way = vec3_sub(p.x[0].to, p.x[0].from);
        switch (random_int(&seed, 6)) {
        case 0: p.x[last] = p.x[last - 1]; break;
        case 1: p.x[last].from = vec3_madd(p.x[last - 1].from, edge, random_in(&seed, -2.0, 2.0)); break;
        case 2: p.x[last].to = vec3_madd(p.x[last - 1].to, edge, random_in(&seed, -2.0, 2.0)); break;
        case 3: p.x[last].to = p.x[last].from, p.x[0].to = p.x[0].from; break;
        case 4: p.x[1] = p.x[0], p.x[last] = p.x[last - 1]; break;
        default: // rigid, against what stands still
            for (int i = 0; i < p.count; i++) {
                p.x[i].to = i < p.first ? vec3_add(p.x[i].from, way) : p.x[i].from;
            }
            break;
        }
        near_below(&p, &seed);
        if (distance_at(&p, 0.0) - p.near > 1e-12) {
            check_sweep(&p);
        }
    }
}

// Past each other just above `near`, and just below it. Turned, so that no box along the axes can tell.
static double passing_share(double start, double height, double near)
{
    CordQuat turn = quat_unit((CordQuat){0.3, 0.5, 0.2, 0.7});
    Pair p = {SEGMENTS,
              2,
              4,
              {{{0.2, start, height}, {0.3, 3, height}},
               {{0.2, start - 1, height}, {0.2, 2, height}},
               {{-1, 0, 0}, {-1, 0, 0}},
               {{1, 0, 0}, {1, 0, 0}}},
              near};
    for (int i = 0; i < 4; i++) {
        p.x[i].from = quat_rotate(turn, p.x[i].from), p.x[i].to = quat_rotate(turn, p.x[i].to);
    }
    if (distance_at(&p, 0.0) - near > 1e-11) { // else it touches, to the sweep, for which other rules hold
        check_sweep(&p);
    }
    return swept(&p);
}

TEST(a_near_miss_is_a_miss_and_a_near_hit_a_hit)
{
    double near = 0.02;
    for (int n = -12; n < -1; n++) {
        double by = pow(10.0, n);
        CHECK(passing_share(-3.0, near - by, near) < 0.5);
        CHECK(passing_share(-near, near - by, near) < 0.5);
        passing_share(-3.0, near + by, near); // either way: most of the gap is gone as they pass
        CHECK_NEAR(passing_share(-1e-2 * by, near + by, near), 1.0, 0.0);
    }
}

TEST(a_thousand_radii_in_one_step_do_not_tunnel)
{
    double r = 1e-3;
    for (int n = 0; n < 100; n++) {
        double start = 2.5 * r + 0.3 * r * n, way = 1000.0 * r, z = start - way;
        MovingPoint a[2] = {{{-0.01, 0.001, start}, {-0.01, 0.001, z}},
                            {{0.01, 0.002, start}, {0.01, 0.002, z}}};
        MovingPoint b[2] = {{{0, -0.01, 0}, {0, -0.01, 0}}, {{0, 0.01, 0}, {0, 0.01, 0}}};
        double exact = (start - 2.0 * r) / way, share = segments_time_of_impact(a, b, 2.0 * r);
        CHECK(share <= exact && share >= 0.88 * exact);
        MovingPoint wall[3] = {b[0], b[1], {{0.02, 0, 0}, {0.02, 0, 0}}};
        share = segment_triangle_time_of_impact(a, wall, r);
        exact = (start - r) / way;
        CHECK(share <= exact && share >= 0.88 * exact);
        share = point_triangle_time_of_impact(&a[1], wall, r);
        CHECK(share <= exact && share >= 0.88 * exact);
    }
}

TEST(without_thickness_they_still_do_not_cross)
{
    MovingPoint a[2] = {{{-1, 0, 1}, {-1, 0, -1}}, {{1, 0, 1}, {1, 0, -1}}};
    MovingPoint b[2] = {{{0, -1, 0}, {0, -1, 0}}, {{0, 1, 0}, {0, 1, 0}}};
    double share = segments_time_of_impact(a, b, 0.0);
    CHECK(share < 0.5 && share >= 0.45);
}

// ---- what touches at the start

static const MovingPoint lying[2] = {{{0, -1, 0}, {0, -1, 0}}, {{0, 1, 0}, {0, 1, 0}}};

static double lifted(double height, double left, double right, double near)
{
    MovingPoint a[2] = {{{-1, 0, height}, {-1, 0, height + left}}, {{1, 0, height}, {1, 0, height + right}}};
    return segments_time_of_impact(a, lying, near);
}

TEST(what_touches_may_move_apart_and_slide_but_not_come_nearer)
{
    for (int n = -3; n <= 3; n++) {
        double near = 0.1, height = near * (1.0 + n * 1e-16);
        CHECK_NEAR(lifted(height, 0.5, 0.5, near), 1.0, 0.0);
        CHECK_NEAR(lifted(height, 0.5, 0.0, near), 1.0, 0.0);
        // one end goes down, but what is above the other goes up
        CHECK_NEAR(lifted(height, 0.5, -0.4, near), 1.0, 0.0);
        CHECK_NEAR(lifted(height, 0.0, 0.0, near), 1.0, 0.0);
        CHECK_NEAR(lifted(height, -1e-3, -1e-3, near), 0.0, 0.0);
        CHECK_NEAR(lifted(height, 0.4, -0.5, near), 0.0, 0.0);
        MovingPoint a[2] = {{{-1, 0, height}, {-0.3, 0.4, height}}, {{1, 0, height}, {0.2, -0.9, height}}};
        CHECK_NEAR(segments_time_of_impact(a, lying, near), 1.0, 0.0); // slides and turns, at the same height
    }
}

TEST(what_is_too_near_at_the_start_may_move_apart_only)
{
    CHECK_NEAR(lifted(0.05, 0.5, 0.5, 0.1), 1.0, 0.0);
    CHECK_NEAR(lifted(0.05, -1e-6, -1e-6, 0.1), 0.0, 0.0);
    CHECK_NEAR(lifted(0.05, 0.4, -0.5, 0.1), 0.0, 0.0);
    CHECK_NEAR(lifted(0.0, 0.5, 0.5, 0.0), 1.0, 0.0); // no distance to begin with, and no normal
    CHECK(lifted(0.0, 0.5, -0.4, 0.0) < 1.0);         // here there is no plane between the two
}

// Moves apart, turns, and comes back within the step: at first the contact rises with one end, and is later
// under the other.
TEST(what_moves_apart_is_seen_to_come_back)
{
    MovingPoint a[2] = {{{-0.1, 0, 0.1}, {-3.9, 0, 2.1}}, {{3.9, 0, 0.1}, {0.1, 0, -1.9}}};
    Pair p = {SEGMENTS, 2, 4, {a[0], a[1], lying[0], lying[1]}, 0.1};
    double share = swept(&p);
    CHECK(share > 0.0 && share < 1.0);
    CHECK(least_until(&p, share) >= 0.1 - rounding(&p));
    CHECK_NEAR(distance_at(&p, share), 0.1, 3e-6 * closing_way(&p));
}

// As near as rods are, whose edges are long beside their radii.
static void bring_closer(Pair* p, double share)
{
    CordVec3 off = vec3_mul(closest_at(p, 0.0).separation, share - 1.0);
    for (int i = 0; i < p->first; i++) {
        p->x[i].from = vec3_add(p->x[i].from, off);
        p->x[i].to = vec3_add(p->x[i].to, off);
    }
}

static void check_touching(const Pair* p)
{
    ClosestPoints c = closest_at(p, 0.0);
    double way = closing_way(p), early = 1e-7, share = swept(p);
    double rate = (distance_at(p, early) - c.distance) / (early * way);
    CHECK(least_until(p, share) >= p->near - rounding(p));
    if (rate < -1e-2) {
        CHECK_NEAR(share, 0.0, 0.0);
    } else if (rate > 1e-2) {
        CHECK(share > 0.0);
        CHECK(share == 1.0 || distance_at(p, share) <= p->near + 5e-6 * way);
    }
}

TEST(whatever_touches_stops_if_it_comes_nearer_and_only_then)
{
    uint64_t seed = 4;
    for (int n = 0; n < 4000; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, random_power(&seed, -6.0, 0.0));
        if (distance_at(&p, 0.0) < 1e-3) {
            continue;
        }
        bring_closer(&p, random_power(&seed, -3.0, 0.0));
        p.near = distance_at(&p, 0.0) * (1.0 + random_in(&seed, -3e-16, 3e-16));
        check_touching(&p);
    }
}

// All motion at right angles to the normal: no height along it changes.
TEST(whatever_slides_goes_all_the_way)
{
    uint64_t seed = 5;
    for (int n = 0; n < 3000; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, random_power(&seed, -6.0, 0.5));
        if (distance_at(&p, 0.0) < 1e-2) {
            continue;
        }
        bring_closer(&p, random_power(&seed, -2.0, 0.0));
        ClosestPoints c = closest_at(&p, 0.0);
        CordVec3 normal = vec3_unit(c.separation);
        for (int i = 0; i < p.count; i++) {
            p.x[i].to = vec3_add(p.x[i].from, vec3_reject(vec3_sub(p.x[i].to, p.x[i].from), normal));
        }
        p.near = c.distance;
        // by which the normal makes it come nearer
        double share = swept(&p), off = 1e-15 * closing_way(&p) / c.distance;
        CHECK(share == 1.0 || off > 0.1 * rounding(&p));
        CHECK(least_until(&p, share) >= p.near - rounding(&p));
    }
}

// End to end, a thousandth of their length apart, and past each other fast: the normal is known to three
// digits less than that.
TEST(ends_that_touch_slide_past_each_other)
{
    uint64_t seed = 7;
    for (int n = 0; n < 500; n++) {
        CordVec3 normal = vec3_unit(random_vec3(&seed, 1.0)), end = random_vec3(&seed, 1.0);
        CordVec3 way = vec3_mul(vec3_unit(vec3_reject(random_vec3(&seed, 1.0), normal)), 10.0);
        CordVec3 other = vec3_madd(end, normal, -1e-3), a1 = vec3_add(end, normal),
                 b1 = vec3_sub(other, normal);
        MovingPoint a[2] = {{end, vec3_add(end, way)}, {a1, vec3_add(a1, way)}},
                    b[2] = {{other, other}, {b1, b1}};
        double near = closest_segment_segment(end, a1, other, b1).distance;
        CHECK_NEAR(segments_time_of_impact(a, b, near), 1.0, 0.0);
    }
}

// ---- bad numbers

TEST(numbers_that_are_none_go_nowhere)
{
    uint64_t seed = 6;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int n = 0; n < 360; n++) {
        Pair p = new_pair(n);
        put_anywhere(&p, &seed, 1.0);
        CordVec3* where = n / 3 % 2 ? &p.x[n / 6 % p.count].from : &p.x[n / 6 % p.count].to;
        where->y = bad[n / 30 % 3];
        p.near = 0.1;
        CHECK_NEAR(swept(&p), 0.0, 0.0);
    }
}

TEST_GROUP(contact_time_of_impact)
