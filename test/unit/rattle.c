#include "solve/rattle.h"

#include "model/der/uniform.h"
#include "world_parts.h"

#define MOST 64
static CordRodDef rope_def(int nodes, CordLengthMethod method)
{
    CordRodDef def = line_def(nodes);
    def.inextensible = true;
    def.length_method = method;
    return def;
}

// ---- lengths are kept

static void check_lengths(CordWorld* world, double h, int steps)
{
    for (int i = 0; i < steps; i++) {
        run(world, h, 1);
        // the projection's own tolerance
        CHECK_NEAR(cord_rod_stretch(world, cord_world_rod(world, 0)), 0.0, 1e-12);
    }
}

TEST(ropes_that_swing_and_rings_that_fall_on_their_clamp_keep_every_edge_to_1e_12)
{
    for (int method = 0; method < 2; method++) {
        for (int nodes = 2; nodes <= 41; nodes += 3) {
            CordWorld* world = new_world(down);
            CordRodDef def = rope_def(nodes, (CordLengthMethod)method);
            hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_POSITION);
            check_lengths(world, 1e-4, 300);
            cord_world_destroy(world);
        }
        for (int nodes = 3; nodes <= 30; nodes += 3) {
            CordWorld* world = new_world((CordVec3){3, -9, 2});
            CordRodDef def = ring_def(nodes);
            def.inextensible = true, def.length_method = (CordLengthMethod)method;
            hold(world, add_rod(world, &def), cord_at_node(nodes / 2), CORD_FIX_POSITION);
            check_lengths(world, 1e-4, 200);
            cord_world_destroy(world);
        }
    }
}

TEST(a_thrown_rope_keeps_every_edge)
{
    CordWorld* world = new_world(down);
    CordRodDef def = rope_def(30, CORD_LENGTH_RATTLE);
    def.velocity = (CordVec3){1, 2, 3}, def.spin = (CordVec3){4, 5, 20};
    add_rod(world, &def);
    check_lengths(world, 1e-3, 500);
    cord_world_destroy(world);
}

// In a half circle that hangs down: slack, as a straight one between two clamps has no way to move.
TEST(clamps_in_the_middle_and_at_edges_leave_lengths_alone)
{
    CordWorld* world = new_world(down);
    CordRodDef def = rope_def(31, CORD_LENGTH_RATTLE);
    double radius = 1.0 / CORD_PI;
    def.shape = cord_shape_ellipse(origin, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 1}, radius, radius, 31);
    def.shape.angle_from = CORD_PI, def.shape.angle_to = 2 * CORD_PI;
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rope = add_rod(world, &def);
    hold(world, rope, cord_at_node(10), CORD_FIX_POSITION);
    hold(world, rope, cord_at_edge(20), CORD_FIX_DIRECTION);
    check_lengths(world, 1e-4, 500);
    cord_world_destroy(world);
}

// ---- velocities

static double worst_rate(CordWorld* world, CordRodId rod)
{
    CordVec3 x[MOST], v[MOST];
    int n = cord_rod_node_count(world, rod), edges = cord_rod_edge_count(world, rod);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_velocities(world, rod, v));
    double most = 0.0;
    for (int j = 0; j < edges; j++) {
        CordVec3 e = vec3_sub(x[(j + 1) % n], x[j]), dv = vec3_sub(v[(j + 1) % n], v[j]);
        most = fmax(most, fabs(vec3_dot(e, dv)) / vec3_length(e));
    }
    return most;
}

TEST(velocities_read_do_not_change_any_length)
{
    for (int closed = 0; closed < 2; closed++) {
        for (int method = 0; method < 2; method++) {
            CordWorld* world = new_world(down);
            CordRodDef def = closed ? ring_def(24) : line_def(24);
            def.inextensible = true;
            def.length_method = (CordLengthMethod)method;
            CordRodId rod = add_rod(world, &def);
            hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
            for (int i = 0; i < 100; i++) {
                run(world, 1e-3, 1);
                CHECK_NEAR(worst_rate(world, rod), 0.0, 1e-13); // speeds of order 1
            }
            cord_world_destroy(world);
        }
    }
}

TEST(held_nodes_keep_their_velocity_through_the_projection)
{
    CordWorld* world = new_world(down);
    CordRodDef def = rope_def(20, CORD_LENGTH_RATTLE);
    CordRodId rope = add_rod(world, &def);
    CordMotion motion = cord_motion_translate((CordVec3){0, 1, 0}, 0.0, 1.0);
    hold_moving(world, rope, cord_at_start(), CORD_FIX_POSITION, &motion, 1);
    run(world, 1e-3, 100);
    CordVec3 v[20];
    CHECK_OK(cord_rod_velocities(world, rope, v));
    CHECK_VEC3(v[0], ((CordVec3){0, 1, 0}), 1e-12); // differences of positions of order 0.1 over 1e-3
    cord_world_destroy(world);
}

// Projecting is the least change, weighed by mass: what it takes off is along the edges, so momentum stays.
TEST(projecting_velocities_keeps_the_momentum_of_a_free_rope)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rope_def(20, CORD_LENGTH_RATTLE);
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, 0.1, 2, 20);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rope = add_rod(world, &def);
    const Rod* rod = world_rod(world, rope);
    uint64_t seed = 9;
    CordVec3 v[20], sum = {0, 0, 0}, spin = {0, 0, 0}, after[20];
    for (int i = 0; i < 20; i++) {
        v[i] = random_vec3(&seed, 1.0);
    }
    CHECK_OK(cord_rod_set_velocities(world, rope, v));
    CHECK_OK(cord_rod_velocities(world, rope, after));
    for (int i = 0; i < 20; i++) {
        CordVec3 change = vec3_mul(vec3_sub(after[i], v[i]), rod_node_mass(rod, i));
        sum = vec3_add(sum, change);
        spin = vec3_add(spin, vec3_cross(node_position(&rod->line, i), change));
    }
    CHECK_VEC3(sum, ((CordVec3){0, 0, 0}), 1e-15);
    CHECK_VEC3(spin, ((CordVec3){0, 0, 0}), 1e-15);
    cord_world_destroy(world);
}

// ---- tension

TEST(tension_of_a_whirling_rope_is_centripetal)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rope_def(21, CORD_LENGTH_RATTLE);
    const double omega = 3.0;
    def.spin = (CordVec3){0, 0, omega};
    CordRodId rope = add_rod(world, &def);
    double tension[20], sum = 0.0;
    CHECK_OK(cord_rod_tensions(world, rope, tension));
    const Rod* rod = world_rod(world, rope);
    for (int j = 0; j < 10; j++) { // sum of m omega^2 r over the nodes outside
        sum += rod_node_mass(rod, j) * omega * omega * (0.5 - 0.05 * j);
        CHECK_NEAR(tension[j], sum, 1e-12);
        CHECK_NEAR(tension[19 - j], sum, 1e-12);
    }
    cord_world_destroy(world);
}

// ---- clamps that slide

// A straight rope pulled along x between a clamp and a clamp that slides along it hangs in z and keeps y and
// z there.
TEST(a_clamp_that_slides_moves_along_its_axis_alone)
{
    const CordFix fixes[] = {CORD_FIX_POSITION, CORD_FIX_DIRECTION, CORD_FIX_FRAME};
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = rope_def(21, (CordLengthMethod)(i % 2));
        CordRodId rope = add_rod(world, &def);
        hold(world, rope, cord_at_start(), CORD_FIX_POSITION);
        hold_sliding(world, rope, cord_at_end(), fixes[i / 2], (CordVec3){2, 0, 0});
        check_lengths(world, 5e-4, 400);
        CordVec3 tip = tip_of(world, rope), v[21];
        CHECK_NEAR(tip.y, 0.0, 0.0);
        CHECK_NEAR(tip.z, 0.0, 1e-15);
        CHECK(tip.x < 0.99); // the weight has pulled it in
        CHECK(node_of(world, rope, 10).z < -0.05);
        CHECK_OK(cord_rod_velocities(world, rope, v));
        CHECK_NEAR(v[20].z, 0.0, 1e-15);
        CHECK_NEAR(worst_rate(world, rope), 0.0, 1e-12);
        if (fixes[i / 2] != CORD_FIX_POSITION) {
            CHECK_NEAR(node_of(world, rope, 19).z, 0.0, 1e-15); // its edge keeps its direction
        }
        cord_world_destroy(world);
    }
}

TEST(a_ring_may_slide_at_any_node_or_edge_across_its_seam_too)
{
    const int nodes[] = {0, 1, 7, 14, 15};
    for (int i = 0; i < 20; i++) {
        CordWorld* world = new_world((CordVec3){5, 0, -9.81});
        CordRodDef def = ring_def(16);
        int node = nodes[i / 4];
        def.inextensible = true, def.length_method = (CordLengthMethod)(i % 2);
        CordRodId ring = add_rod(world, &def);
        CordVec3 before = node_of(world, ring, node), axis = {0, 0, 1};
        if (i / 2 % 2) {
            hold_sliding(world, ring, cord_at_edge(node), CORD_FIX_DIRECTION, axis);
        } else {
            hold_sliding(world, ring, cord_at_node(node), CORD_FIX_POSITION, axis);
        }
        check_lengths(world, 2e-4, 300);
        CordVec3 after = node_of(world, ring, node);
        CHECK_NEAR(after.x, before.x, 1e-15);
        CHECK_NEAR(after.y, before.y, 1e-15);
        CHECK_NEAR(after.z, -0.5 * 9.81 * 0.06 * 0.06, 0.3 * 0.018); // falls about as fast as the rest
        cord_world_destroy(world);
    }
}

// ---- the smallest ropes

TEST(a_rope_whose_every_node_is_held_has_nothing_to_solve)
{
    CordWorld* world = new_world(down);
    CordRodDef def = rope_def(3, CORD_LENGTH_RATTLE);
    CordRodId rope = add_rod(world, &def);
    for (int i = 0; i < 3; i++) {
        hold(world, rope, cord_at_node(i), CORD_FIX_POSITION);
    }
    run(world, 1e-3, 10);
    CHECK_VEC3(node_of(world, rope, 1), ((CordVec3){0.5, 0, 0}), 0.0);
    cord_world_destroy(world);
}

// Two bobs on massless springs would be exact; two nodes and a rigid edge are: the pendulum of one edge,
// whose period for a small swing is 2 pi sqrt(L/g).
TEST(one_edge_is_a_pendulum)
{
    CordWorld* world = new_world(down);
    CordRodDef def = rope_def(2, CORD_LENGTH_RATTLE);
    const double angle = 0.01;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){sin(angle), 0, -cos(angle)}, 2);
    CordRodId rope = add_rod(world, &def);
    hold(world, rope, cord_at_start(), CORD_FIX_POSITION);
    double period = 2 * CORD_PI / sqrt(9.81) * (1 + angle * angle / 16);
    const int steps = 1000;
    run(world, period / steps, steps);
    // at its turning point an error of phase of 1e-6 is second order: 0.01 * 1e-12
    CHECK_NEAR(tip_of(world, rope).x, sin(angle), 1e-9);
    run(world, period / steps, steps / 4);
    // Verlet's phase: (omega h)^2 / 24 = 1.6e-6
    CHECK_NEAR(tip_of(world, rope).x, 0.0, angle * 2 * CORD_PI * 1.25 * 2e-6);
    cord_world_destroy(world);
}

// A straight rod of unequal edges whose end is set in motion towards the other: all edges shorten at one
// rate.
TEST(clamps_that_approach_strain_all_edges_alike)
{
    const CordVec3 x[] = {{0, 0, 0}, {0.1, 0, 0}, {0.3, 0, 0}, {0.7, 0, 0}, {0.9, 0, 0}, {1, 0, 0}};
    CordVec3 v[6] = {[5] = {-1, 0, 0}};
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world = make_world(&world_def);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_points(x, 6);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    cord_rod_velocities(world, rod, v);
    for (int j = 0; j < 5; j++) {
        CHECK_NEAR((v[j + 1].x - v[j].x) / (x[j + 1].x - x[j].x), -1.0, 1e-12);
    }
    cord_world_destroy(world);
}

TEST_GROUP(rattle)
