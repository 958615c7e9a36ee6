// What can be asked: reactions, frames, positions and velocities set from outside.
#include "world_parts.h"

// ---- what the rod does to its clamps

TEST(a_twisted_rod_turns_its_clamps_by_its_twisting_moment)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(21);
    def.twist = 1.5;
    CordRodId rod = add_rod(world, &def);
    CordClampId start = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    run(world, 1e-4, 3);
    double expected = RODS_GJ * 1.5 / 0.95;
    Reaction r = clamp_reaction(world, start);
    CHECK_VEC3(r.torque, ((CordVec3){expected, 0, 0}),
               1e-13);                                 // it would untwist: the start is turned forward
    CHECK_VEC3(r.force, ((CordVec3){0, 0, 0}), 1e-12); // round-off of EA
    CHECK_VEC3(clamp_reaction(world, end).torque, ((CordVec3){-expected, 0, 0}), 1e-13);
    cord_world_destroy(world);
}

// Turned forward at the end a rod is twisted forward, at the start backward.
static void check_torque(CordPlace turned, CordPlace held, double twist_sign)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_line(world, 21);
    CordClampId holding = hold(world, rod, held, CORD_FIX_FRAME);
    CordClampId turner = hold_with_torque(world, rod, turned, 2e-3);
    run(world, 1e-4, 1);
    CHECK_VEC3(clamp_reaction(world, holding).torque, ((CordVec3){2e-3, 0, 0}), 1e-15);
    CHECK_VEC3(clamp_reaction(world, turner).torque, ((CordVec3){-2e-3, 0, 0}), 1e-15);
    CHECK_NEAR(cord_rod_twist(world, rod), twist_sign * 2e-3 * 0.95 / RODS_GJ / (2 * CORD_PI), 1e-15);
    cord_world_destroy(world);
}

TEST(a_prescribed_torque_comes_back_from_both_clamps)
{
    check_torque(cord_at_end(), cord_at_start(), 1.0);
    check_torque(cord_at_start(), cord_at_end(), -1.0);
}

// From its last node, from its middle: the edges on both sides pull.
TEST(a_rope_pulls_a_clamp_anywhere_on_it_by_its_weight)
{
    for (int node = 0; node <= 20; node += 10) {
        CordWorld* world = new_world(down);
        CordRodDef def = line_def(21);
        def.inextensible = true;
        double top = 0.05 * node; // so that it hangs straight, or stands on its lower half
        def.shape = cord_shape_line((CordVec3){0, 0, top}, (CordVec3){0, 0, top - 1}, 21);
        CordRodId rod = add_rod(world, &def);
        CordClampId clamp = hold(world, rod, cord_at_node(node), CORD_FIX_POSITION);
        CHECK_VEC3(clamp_reaction(world, clamp).force, ((CordVec3){0, 0, -9.81 * RODS_MASS}), 1e-12);
        cord_world_destroy(world);
    }
}

// A rod swung up and down as one: the clamp carries weight and acceleration.
TEST(a_clamp_that_accelerates_a_rigid_edge_feels_its_mass)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_line(world, 2);
    CordMotion motion = cord_motion_oscillate((CordVec3){0, 0, 0.01}, 2.0, 0.0);
    CordClampId id = hold_moving(world, rod, cord_at_start(), CORD_FIX_DIRECTION, &motion, 1);
    const double h = 1e-4, omega = 4 * CORD_PI;
    for (int i = 1; i <= 2000; i++) {
        run(world, h, 1);
        Reaction r = clamp_reaction(world, id);
        double expected = -RODS_MASS * (9.81 - 0.01 * omega * omega * sin(omega * h * i));
        if (i > 1) { // the first step has no speed before it
            // (omega h)^2 / 12 = 1.3e-7 of it, and round-off 1e-16 / h^2
            CHECK_NEAR(r.force.z, expected, 2e-5 * 0.158);
        }
    }
    cord_world_destroy(world);
}

TEST(a_clamp_that_slides_feels_nothing_along_its_axis)
{
    CordWorld* world = new_world((CordVec3){-3, 0, -9.81});
    CordRodId rod = add_line(world, 11);
    CordClampId id = hold_sliding(world, rod, cord_at_start(), CORD_FIX_FRAME, (CordVec3){1, 0, 0});
    run(world, 1e-4, 100);
    Reaction r = clamp_reaction(world, id);
    CHECK_NEAR(r.force.x, 0.0, 1e-15);
    CHECK(r.force.z < -1e-3);
    // it falls along the axis as a whole
    CHECK(cord_rod_momentum(world, rod).linear.x < -0.9 * 3 * RODS_MASS * 0.01);
    cord_world_destroy(world);
}

// ---- positions and velocities from outside

TEST(positions_and_velocities_that_make_no_sense_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodDef closed = ring_def(3);
    CordRodId rod = add_line(world, 3), ring = add_rod(world, &closed);
    uint64_t before = cord_world_state_hash(world);
    CordVec3 bad[3] = {{0, 0, 0}, {1, 0, 0}, {NAN, 0, 0}};
    CHECK_RESULT(cord_rod_set_positions(world, rod, bad), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "position 2");
    CHECK_RESULT(cord_rod_set_velocities(world, rod, bad), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "velocity 2");
    bad[2] = bad[1];
    CHECK_RESULT(cord_rod_set_positions(world, rod, bad), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "edge 1");
    bad[2] = bad[0]; // a rod there and back, and the closing edge of a ring
    CHECK_RESULT(cord_rod_set_positions(world, rod, bad), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "edge 1 of rod 'rod1' would lie folded onto edge 0");
    CHECK_RESULT(cord_rod_set_positions(world, ring, bad), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "edge 2");
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

// The sum of twist and writhe stays where no edge crosses another: set positions of a ring bent out of its
// plane.
// Squares of such lengths overflow, or vanish.
TEST(edges_of_no_length_that_can_be_meant_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[11];
    uint64_t hash = cord_world_state_hash(world);
    for (double far = 1e12; far < 1e300; far *= 1e40) {
        CHECK_OK(cord_rod_positions(world, rod, x));
        x[10].y = far;
        CHECK_RESULT(cord_rod_set_positions(world, rod, x), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(world), "0.1 m long at rest");
        x[10] = x[9], x[10].y += 1.0 / far;
        CHECK_RESULT(cord_rod_set_positions(world, rod, x), CORD_BAD_ARGUMENT);
        CHECK(cord_world_state_hash(world) == hash);
    }
    cord_world_destroy(world);
}

TEST(twist_is_carried_along_when_positions_are_set)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = ring_def(40);
    def.twist = 2 * CORD_PI;
    CordRodId ring = add_rod(world, &def);
    CHECK_NEAR(cord_rod_twist(world, ring), 1.0, 1e-14);
    CordVec3 x[40], m1[40];
    CHECK_OK(cord_rod_positions(world, ring, x));
    for (int step = 1; step <= 20; step++) {
        for (int i = 0; i < 40; i++) {
            double a = 2 * CORD_PI * i / 40;
            x[i].z = 0.01 * step * sin(2 * a + 0.3) + 0.005 * step * cos(3 * a);
        }
        CHECK_OK(cord_rod_set_positions(world, ring, x));
    }
    double twist = cord_rod_twist(world, ring), writhe = cord_rod_writhe(world, ring);
    CHECK(fabs(writhe) > 0.01);
    CHECK_NEAR(twist + writhe, 1.0, 1e-12);
    CHECK_OK(cord_rod_material_frames(world, ring, m1));
    CHECK_NEAR(cord_polygon_twist(x, 40, true, m1), twist, 1e-12); // as the frames themselves say
    cord_world_destroy(world);
}

TEST(a_rod_turned_around_in_one_go_still_has_frames)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_line(world, 9);
    CordVec3 x[9], m1[8];
    for (int i = 0; i < 9; i++) {
        x[i] = (CordVec3){-0.125 * i, 0, 0};
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    for (int j = 0; j < 8; j++) {
        CHECK_NEAR(vec3_length(m1[j]), 1.0, 1e-15);
        CHECK_NEAR(m1[j].x, 0.0, 1e-15);
    }
    run(world, 1e-4, 3);
    cord_world_destroy(world);
}

TEST(frames_are_unit_normal_and_twist_between_clamps)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(25);
    def.twist = 6.0;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    run(world, 1e-4, 500);
    CordVec3 x[25], m1[24];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    for (int j = 0; j < 24; j++) {
        CordVec3 t = vec3_unit(vec3_sub(x[j + 1], x[j]));
        CHECK_NEAR(vec3_dot(m1[j], t), 0.0, 1e-14);
        CHECK_NEAR(vec3_length(m1[j]), 1.0, 1e-14);
    }
    CHECK_NEAR(cord_polygon_twist(x, 25, false, m1), cord_rod_twist(world, rod), 1e-13);
    cord_world_destroy(world);
}

// ---- the forces

TEST(energies_of_gravity_and_motion_are_sums_over_nodes)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(11);
    def.shape = cord_shape_line((CordVec3){0, 0, 1}, (CordVec3){0, 0, 3}, 11);
    def.velocity = (CordVec3){0, 2, 0};
    CordRodId rod = add_rod(world, &def);
    CordEnergy e = cord_rod_energy(world, rod);
    CHECK_NEAR(e.kinetic, 0.5 * 0.2 * 4, 1e-15);
    CHECK_NEAR(e.gravity, 0.2 * 9.81 * 2, 1e-14);
    cord_world_destroy(world);
}

static double first_tension(const CordWorld* world, CordRodId rope)
{
    double tension[10];
    CHECK_OK(cord_rod_tensions(world, rope, tension));
    return tension[0];
}

// What is kept between queries must follow every change.
TEST(queries_follow_what_changes_between_them)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(11);
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, 11);
    CordRodId rope = add_rod(world, &def);
    CordClampId top = hold(world, rope, cord_at_start(), CORD_FIX_POSITION);
    double weight = 9.81 * RODS_MASS * 0.95;
    CHECK_NEAR(first_tension(world, rope), weight, 1e-12);
    CordLoadId load = add_force(world, rope, cord_at_end(), (CordVec3){0, 0, -1});
    CHECK_NEAR(first_tension(world, rope), weight + 1, 1e-12);
    CHECK_OK(cord_load_set_force(world, load, (CordVec3){0, 0, -2}));
    CHECK_NEAR(first_tension(world, rope), weight + 2, 1e-12);
    CHECK_OK(cord_load_destroy(world, load));
    cord_world_set_gravity(world, (CordVec3){0, 0, -19.62});
    CHECK_NEAR(first_tension(world, rope), 2 * weight, 1e-12);
    CHECK_OK(cord_clamp_destroy(world, top));
    CHECK_NEAR(first_tension(world, rope), 0.0, 1e-12); // in free fall
    CordVec3 v[11];
    for (int i = 0; i < 11; i++) {
        v[i] = (CordVec3){0.1 * i - 0.5, 0, 0}; // about its middle, 1 rad/s
    }
    CHECK_OK(cord_rod_set_velocities(world, rope, v));
    CHECK_NEAR(first_tension(world, rope), RODS_MASS * 0.05 * 0.5, 1e-12); // the end node's m omega^2 r
    cord_world_destroy(world);
}

// ---- the frame

TEST(a_frame_says_what_the_queries_say)
{
    CordWorld* world = new_world(down);
    CordRodDef defs[] = {line_def(9), ring_def(12), line_def(5)};
    defs[0].name = "line", defs[1].name = "ring", defs[2].name = "rope";
    defs[2].inextensible = true;
    for (int i = 0; i < 3; i++) {
        hold(world, add_rod(world, &defs[i]), cord_at_start(), CORD_FIX_FRAME);
    }
    run(world, 1e-4, 100);
    CordFrame f;
    CHECK_OK(cord_world_frame(world, &f));
    CHECK(f.time == cord_world_time(world) && f.steps == 100);
    CHECK(f.rod_count == 3 && f.node_count == 26 && f.edge_count == 8 + 12 + 4);
    int node = 0, edge = 0;
    for (int i = 0; i < 3; i++) {
        CordRodId rod = cord_world_rod(world, i);
        CordFrameRod r = f.rods[i];
        CHECK_STR(r.name, defs[i].name);
        CHECK(r.first_node == node && r.node_count == cord_rod_node_count(world, rod));
        CHECK(r.first_edge == edge && r.edge_count == cord_rod_edge_count(world, rod));
        CHECK(r.closed == defs[i].closed);
        CordVec3 a[12];
        double t[12];
        size_t nodes = sizeof *a * (size_t)r.node_count, edges = sizeof *a * (size_t)r.edge_count;
        CHECK_OK(cord_rod_positions(world, rod, a));
        CHECK_INT(memcmp(a, f.x + node, nodes), 0);
        CHECK_OK(cord_rod_velocities(world, rod, a));
        CHECK_INT(memcmp(a, f.v + node, nodes), 0);
        CHECK_OK(cord_rod_moments(world, rod, a));
        CHECK_INT(memcmp(a, f.moment + node, nodes), 0);
        CHECK_OK(cord_rod_material_frames(world, rod, a));
        CHECK_INT(memcmp(a, f.m1 + edge, edges), 0);
        CHECK_OK(cord_rod_tensions(world, rod, t));
        CHECK_INT(memcmp(t, f.tension + edge, sizeof *t * (size_t)r.edge_count), 0);
        CordEnergy e = cord_rod_energy(world, rod);
        CHECK_INT(memcmp(&e, &f.energy[i], sizeof e), 0);
        CHECK(f.stretch[i] == cord_rod_stretch(world, rod));
        CHECK(f.radius[edge] == defs[i].section.radius);
        node += r.node_count, edge += r.edge_count;
    }
    cord_world_destroy(world);
}

// A rod in a vice, loaded askew and let come to rest: in the held edge and at the wall there is what the rod
// does to its clamp, but for the weight of the wall's own node.
TEST(held_edges_pass_on_what_the_rod_beside_them_brings)
{
    for (int kind = 0; kind < 4; kind++) {
        bool end = kind % 2;
        CordWorld* world = new_world(down);
        CordRodDef def = line_def(21);
        def.inextensible = kind / 2, def.half_edge_start = !end, def.half_edge_end = end;
        CordRodId rod = add_rod(world, &def);
        CordClampId wall = hold(world, rod, end ? cord_at_end() : cord_at_start(), CORD_FIX_FRAME);
        add_force(world, rod, end ? cord_at_start() : cord_at_end(), (CordVec3){0.01, 0.02, 0.01});
        solve_as(world, false);
        CordVec3 force[20], moment[21];
        double tension[20];
        CHECK_OK(cord_rod_section_forces(world, rod, force));
        CHECK_OK(cord_rod_moments(world, rod, moment));
        CHECK_OK(cord_rod_tensions(world, rod, tension));
        Reaction r = clamp_reaction(world, wall);
        int edge = end ? 19 : 0, node = end ? 20 : 0;
        // half of half an edge
        double length = 1.0 / 19.5, own = RODS_MASS * 0.25 * length, side = end ? -1.0 : 1.0;
        CHECK_VEC3(vec3_mul(force[edge], side), vec3_sub(r.force, (CordVec3){0, 0, -9.81 * own}), 1e-8);
        CHECK_VEC3(vec3_mul(moment[node], side), r.torque, 1e-8);
        CordVec3 t = {1, 0, 0};
        CHECK_NEAR(tension[edge], vec3_dot(force[edge], t), 1e-12);
        cord_world_destroy(world);
    }
}

TEST_GROUP(world_query)
