// Overlaps: where they are, rods pushed apart without passing through anything, and what cannot be.
#include "contact/closest_points.h"
#include "world_parts.h"

#define RADIUS 0.01

enum { MOST_NODES = 200 };

static CordWorld* new_touching_world(void)
{
    CordWorld* world = new_weightless_world();
    turn_contact_on(world);
    return world;
}

static CordRodId add_cord(CordWorld* world, const char* name, CordVec3 from, CordVec3 to,
                          CordIntegrator integrator, bool inextensible)
{
    CordRodDef def = cord_rod_def_default();
    def.name = name;
    def.shape = cord_shape_line(from, to, 11);
    def.section = cord_section_disc(RADIUS);
    def.integrator = integrator, def.inextensible = inextensible;
    return add_rod(world, &def);
}

static CordRodId add_line_here(CordWorld* world, const char* name, CordVec3 from, CordVec3 to)
{
    return add_cord(world, name, from, to, CORD_INTEGRATOR_BACKWARD_EULER, false);
}

static CordRodId add_shape(CordWorld* world, CordShape shape, bool closed)
{
    CordRodDef def = cord_rod_def_default();
    def.shape = shape, def.closed = closed;
    def.section = cord_section_disc(RADIUS);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    return add_rod(world, &def);
}

static CordRodId add_ring(CordWorld* world, CordVec3 center, CordVec3 normal, double wide)
{
    return add_shape(world, cord_shape_circle(center, normal, wide, 40), true);
}

// Two cords of 40 cm that cross at such a height.
static void add_crossing(CordWorld* world, double slope, double height, CordRodId rods[2])
{
    rods[0] = add_line_here(world, "low", (CordVec3){-0.2, 0, 0}, (CordVec3){0.2, slope, 0});
    rods[1] = add_line_here(world, "high", (CordVec3){0, -0.2, height}, (CordVec3){0, 0.2, height});
}

static void untangle(CordWorld* world)
{
    CHECK_WORLD_OK(world, cord_world_untangle(world));
}

static double depth(const CordWorld* world) // of the deepest overlap, over the radius
{
    CordContact deepest;
    return cord_world_deepest(world, &deepest) ? -deepest.gap / RADIUS : 0.0;
}

// The farthest that any node of a rod is from where it was.
static double moved(const CordWorld* world, CordRodId rod, const CordVec3* before)
{
    CordVec3 x[MOST_NODES];
    double most = 0.0;
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int n = 0; n < cord_rod_node_count(world, rod); n++) {
        most = fmax(most, vec3_length(vec3_sub(x[n], before[n])));
    }
    return most;
}

// ---- where

TEST(the_deepest_overlap_is_where_it_is)
{
    for (int on = 0; on < 2; on++) { // wherever contact is on or not
        CordWorld* world = on ? new_touching_world() : new_weightless_world();
        CordContact deepest;
        add_line_here(world, "low", (CordVec3){-0.5, 0.013, 0}, (CordVec3){0.5, 0.013, 0});
        CHECK(!cord_world_deepest(world, &deepest));
        add_line_here(world, "high", (CordVec3){0.074, -0.5, 0.015}, (CordVec3){0.074, 0.5, 0.015});
        add_line_here(world, "grazing", (CordVec3){-0.2, -0.5, 0.019}, (CordVec3){-0.2, 0.5, 0.019});
        add_line_here(world, "apart", (CordVec3){0.3, -0.5, 0.021}, (CordVec3){0.3, 0.5, 0.021});
        CHECK(cord_world_deepest(world, &deepest));
        CHECK_INT(deepest.kind, CORD_TOUCH_ROD);
        CHECK_INT(deepest.rod, 0);
        CHECK_INT(deepest.other, 1);
        CHECK_INT(deepest.edge, 5); // elements of 0.1 m
        CHECK_INT(deepest.other_edge, 5);
        CHECK_NEAR(deepest.at, 0.74, 1e-12);
        CHECK_NEAR(deepest.other_at, 0.13, 1e-12);
        CHECK_NEAR(deepest.gap, -0.005, 1e-15);
        CHECK_VEC3(deepest.point, ((CordVec3){0.074, 0.013, 0.0075}), 1e-15); // between the surfaces
        CHECK_VEC3(deepest.normal, ((CordVec3){0, 0, -1}), 1e-15);
        cord_world_destroy(world);
    }
}

// A start that overlaps within the tolerance of contact counts as touching.
TEST(what_touches_does_not_overlap)
{
    const double tolerance = cord_contact_def_default().tolerance;
    const double depths[] = {1e-15, 0.99 * tolerance, 1.01 * tolerance};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_touching_world();
        CordContact deepest;
        double height = (2.0 - depths[i]) * RADIUS;
        add_line_here(world, "low", (CordVec3){-0.5, 0, 0}, (CordVec3){0.5, 0, 0});
        add_line_here(world, "high", (CordVec3){0.04, -0.5, height}, (CordVec3){0.04, 0.5, height});
        CHECK(cord_world_deepest(world, &deepest));
        CHECK(cord_world_overlaps(world, &deepest) == (i == 2));
        cord_world_destroy(world);
    }
}

TEST(rods_may_overlap_obstacles_bodies_and_themselves)
{
    CordWorld* world = new_touching_world();
    CordContact deepest;
    CordRodDef eight = cord_rod_def_default();
    const CordVec3 points[] = {
        {0, 0, 1}, {0.3, 0, 1}, {0.3, 0.2, 1.017}, {0.1, 0.2, 1.017}, {0.1, -0.2, 1.017}};
    eight.shape = cord_shape_polyline(points, 5, 60);
    eight.section = cord_section_disc(RADIUS);
    eight.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    CordRodId rod = add_rod(world, &eight);
    CHECK(cord_world_deepest(world, &deepest));
    CHECK_INT(deepest.kind, CORD_TOUCH_ROD);
    CHECK_INT(deepest.other, deepest.rod);
    CHECK_NEAR(deepest.gap, -0.003, 1e-12);
    CHECK_VEC3(deepest.point, ((CordVec3){0.1, 0, 1.0085}), 1e-12);
    CordBodyDef ball = cord_body_def_default(); // of 1 cm
    CordBodyId body;
    ball.position = (CordVec3){0.1, -0.1, 1.017 + 0.016};
    CHECK_OK(cord_body_create(world, &ball, &body));
    CHECK(cord_world_deepest(world, &deepest));
    CHECK_INT(deepest.kind, CORD_TOUCH_BODY);
    CHECK_NEAR(deepest.gap, -0.004, 1e-12);
    add_ground(world, 0.995);
    CHECK(cord_world_deepest(world, &deepest));
    CHECK_INT(deepest.kind, CORD_TOUCH_OBSTACLE);
    CHECK_INT(deepest.other, 0);
    CHECK_NEAR(deepest.gap, -0.005, 1e-12);
    CHECK_OK(cord_rod_destroy(world, rod));
    eight.intangible = true;
    add_rod(world, &eight);
    CHECK(!cord_world_deepest(world, &deepest)); // it touches nothing
    cord_world_destroy(world);
}

// ---- apart

TEST(two_crossing_rods_are_parted_each_to_its_side)
{
    for (int i = 0; i < 8; i++) {
        CordIntegrator integrator = (CordIntegrator)(i / 2);
        bool inextensible = i % 2 == 1;
        CordWorld* world = new_touching_world();
        CordVec3 low[MOST_NODES], high[MOST_NODES];
        CordRodId a = add_cord(world, "low", (CordVec3){-0.2, 0, 0}, (CordVec3){0.2, 0.03, 0}, integrator,
                               inextensible);
        CordRodId b = add_cord(world, "high", (CordVec3){0.01, -0.2, 0.012}, (CordVec3){0, 0.2, 0.012},
                               integrator, inextensible);
        CHECK_OK(cord_rod_positions(world, a, low));
        CHECK_OK(cord_rod_positions(world, b, high));
        CHECK_NEAR(depth(world), 0.8, 1e-12);
        CHECK_RESULT(cord_world_step(world, 1e-5), CORD_BAD_ARGUMENT);
        untangle(world);
        CHECK(depth(world) <= 1e-3); // the tolerance
        double sum = moved(world, a, low) + moved(world, b, high);
        CHECK(sum > 0.79 * RADIUS && sum < 2.0 * RADIUS); // as far as it takes
        CHECK(node_of(world, a, 5).z < 0.0 && node_of(world, b, 5).z > 0.012);
        if (inextensible) {
            CordFrame frame;
            CHECK_OK(cord_world_frame(world, &frame));
            CHECK_NEAR(fmax(frame.stretch[0], frame.stretch[1]), 0.0, 1e-8); // what projection leaves
        }
        run(world, 1e-5, 3);
        CHECK(depth(world) <= 1e-3);
        cord_world_destroy(world);
    }
}

TEST(what_does_not_overlap_is_left_as_it_is)
{
    CordWorld* world = new_touching_world();
    CordRodId rods[2];
    add_crossing(world, 0.0, 0.0206, rods);
    uint64_t before = cord_world_state_hash(world);
    untangle(world);
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

TEST(rods_are_lifted_out_of_obstacles)
{
    CordWorld* world = new_touching_world();
    add_ground(world, 0.0);
    CordRodId a = add_line_here(world, "rope", (CordVec3){-0.2, 0, 0.004}, (CordVec3){0.2, 0, 0.006});
    CHECK_NEAR(depth(world), 0.6, 1e-12);
    untangle(world);
    CHECK(depth(world) <= 1e-3);
    for (int n = 0; n < 11; n++) {
        double z = node_of(world, a, n).z;
        CHECK(z >= RADIUS && z < 1.2 * RADIUS);
    }
    cord_world_destroy(world);
}

TEST(what_is_held_stays_and_the_other_gives_way)
{
    CordWorld* world = new_touching_world();
    CordVec3 low[MOST_NODES], high[MOST_NODES];
    CordRodId rods[2];
    add_crossing(world, 0.0, 0.012, rods);
    for (int n = 0; n < 11; n++) {
        hold(world, rods[0], cord_at_node(n), CORD_FIX_POSITION);
    }
    CHECK_OK(cord_rod_positions(world, rods[0], low));
    CHECK_OK(cord_rod_positions(world, rods[1], high));
    untangle(world);
    CHECK(depth(world) <= 1e-3);
    CHECK_NEAR(moved(world, rods[0], low), 0.0, 0.0);
    CHECK(moved(world, rods[1], high) > 0.8 * RADIUS);
    cord_world_destroy(world);
}

// ---- links and knots

// A ring that goes through a coil, a little higher each time: where it meets the wire, the two overlap.
TEST(a_ring_through_a_coil_stays_through_it)
{
    int parted = 0;
    for (int i = 0; i < 24; i++) {
        CordWorld* world = new_touching_world();
        CordRodId coil =
            add_shape(world, cord_shape_helix(origin, (CordVec3){0, 0, 1}, 0.06, 0.06, 4.0, 120), false);
        CordRodId ring = add_ring(world, (CordVec3){0.06, 0, 0.1 + 0.0027 * i}, (CordVec3){0, 1, 0.2}, 0.05);
        double deep = depth(world);
        if (deep > 0.05 && deep < 1.4) { // beyond, sides cannot be told
            int64_t link = cord_rod_linking_number(world, coil, ring);
            untangle(world);
            CHECK(depth(world) <= 1e-3);
            CHECK_INT(cord_rod_linking_number(world, coil, ring), link);
            CHECK_INT(cord_rod_knot(world, coil), 1);
            run(world, 1e-4, 2);
            parted++;
        }
        cord_world_destroy(world);
    }
    CHECK(parted >= 6);
}

TEST(a_knot_tied_too_tight_stays_the_knot_it_is)
{
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_touching_world();
        CordShape shape = cord_shape_torus_knot(origin, (CordVec3){0, 0, 1}, 2, i == 0 ? 3 : 5, 0.1,
                                                i == 0 ? 0.0085 : 0.0095, 160);
        CordRodId knot = add_shape(world, shape, true);
        CHECK(depth(world) > 0.05);
        CHECK_INT(cord_rod_knot(world, knot), i == 0 ? 3 : 5);
        untangle(world);
        CHECK(depth(world) <= 1e-3);
        CHECK_INT(cord_rod_knot(world, knot), i == 0 ? 3 : 5);
        cord_world_destroy(world);
    }
}

// Rings thrown on a heap. What cannot be told, or has nowhere to go, is refused, and left as it was.
TEST(heaps_of_rings_keep_their_links)
{
    enum { RINGS = 5 };
    int parted = 0, refused = 0, linked = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 40; i++) {
        CordWorld* world = new_touching_world();
        CordRodId rings[RINGS];
        int64_t links[RINGS][RINGS];
        for (int k = 0; k < RINGS; k++) {
            rings[k] = add_ring(world, random_vec3(&seed, 0.12), random_vec3(&seed, 1.0),
                                random_in(&seed, 0.06, 0.12));
            for (int j = 0; j < k; j++) {
                links[k][j] = cord_rod_linking_number(world, rings[k], rings[j]);
                linked += links[k][j] != 0;
            }
        }
        uint64_t before = cord_world_state_hash(world);
        bool overlaps = depth(world) > 0.0;
        CordResult result = cord_world_untangle(world);
        CHECK(result == CORD_OK || result == CORD_NOT_CONVERGED);
        parted += overlaps && result == CORD_OK, refused += result != CORD_OK;
        if (result == CORD_OK) {
            CHECK(depth(world) <= 1e-3);
        } else {
            CHECK(cord_world_state_hash(world) == before);
        }
        for (int k = 0; k < RINGS; k++) {
            for (int j = 0; j < k; j++) {
                CHECK_INT(cord_rod_linking_number(world, rings[k], rings[j]), links[k][j]);
            }
        }
        cord_world_destroy(world);
    }
    CHECK(parted >= 8 && refused >= 3 && linked >= 20);
}

// ---- what cannot be

static void refused(CordWorld* world, const char* why)
{
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_untangle(world), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), why);
    CHECK(!strstr(cord_world_message(world), "untangle them")); // it was tried
    CHECK(cord_world_state_hash(world) == before);
}

TEST(axes_that_all_but_cross_are_refused)
{
    const double heights[] = {0.0, 0.001, 0.0039,
                              0.0045}; // a fifth of the distance at which they touch is 4 mm
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_touching_world();
        CordRodId rods[2];
        add_crossing(world, 0.03, heights[i], rods);
        if (i < 3) {
            refused(world, "which side is which cannot be told");
            CHECK_CONTAINS(cord_world_message(world), "'low'");
            CHECK_CONTAINS(cord_world_message(world), "'high'");
        } else {
            untangle(world);
        }
        cord_world_destroy(world);
    }
}

// Two rods in one place have no normal between them, but a place.
TEST(rods_in_the_same_place_are_told_where)
{
    for (int i = 0; i < 20; i++) {
        CordWorld* world = new_touching_world();
        CordContact deepest;
        uint64_t seed = (uint64_t)i + 1;
        CordVec3 from = random_vec3(&seed, 0.3), to = random_vec3(&seed, 0.3);
        add_line_here(world, "a", from, to), add_line_here(world, "b", from, to);
        CHECK(cord_world_deepest(world, &deepest));
        CHECK(isfinite(deepest.point.x) && isfinite(deepest.point.y) && isfinite(deepest.point.z));
        CHECK_NEAR(deepest.gap, -2.0 * RADIUS, 1e-9);
        refused(world, "which side is which cannot be told");
        cord_world_destroy(world);
    }
}

TEST(what_has_nowhere_to_go_is_refused_and_left_as_it_was)
{
    CordWorld* world = new_touching_world();
    CordObstacleDef ceiling = cord_obstacle_def_default();
    ceiling.position = (CordVec3){0, 0, 1.7 * RADIUS};
    ceiling.rotation = cord_quat_about((CordVec3){1, 0, 0}, CORD_PI);
    add_ground(world, 0.0);
    add_obstacle(world, &ceiling);
    add_line_here(world, "rope", (CordVec3){-0.2, 0, 0.8 * RADIUS}, (CordVec3){0.2, 0, 0.8 * RADIUS});
    refused(world, "'rope' overlaps");
    cord_world_destroy(world);
    world = new_touching_world();
    CordRodId rods[2];
    add_crossing(world, 0.0, 0.012, rods);
    for (int i = 0; i < 22; i++) {
        hold(world, rods[i / 11], cord_at_node(i % 11), CORD_FIX_POSITION);
    }
    refused(world, "'low' overlaps");
    cord_world_destroy(world);
}

TEST_GROUP(world_untangle)
