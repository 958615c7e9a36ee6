// Steps: that fail, that let go; and how long they may be.
#include "world_parts.h"

#include <cordage/solve.h>

TEST(a_hundred_rods_in_fewer_tasks_are_all_stepped)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(3);
    for (int i = 0; i < 150; i++) {
        add_rod(world, &def);
    }
    run(world, 1e-3, 10);
    for (int i = 0; i < 150; i++) {
        CHECK_NEAR(cord_rod_momentum(world, cord_world_rod(world, i)).linear.z, -9.81 * RODS_MASS * 0.01,
                   1e-15);
    }
    cord_world_destroy(world);
}

// ---- steps that fail

TEST(a_step_must_be_positive_and_finite)
{
    CordWorld* world = new_weightless_world();
    const double bad[] = {0.0, -1e-3, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        CHECK_RESULT(cord_world_step(world, bad[i]), CORD_BAD_ARGUMENT);
        CHECK_RESULT(cord_world_step_many(world, bad[i], 10), CORD_BAD_ARGUMENT);
    }
    CHECK_INT(cord_world_steps(world), 0);
    cord_world_destroy(world);
}

// A calm rod beside one that is shaken a little, to be stepped longer than it can bear.
static CordWorld* world_that_diverges(void)
{
    CordWorld* world = new_world(down);
    CordRodDef calm = line_def(5), wild = line_def(21);
    calm.name = "calm", wild.name = "wild";
    calm.stiffness.EA = 1e-3, calm.stiffness.EI1 = calm.stiffness.EI2 = 1e-9;
    uint64_t seed = 5;
    add_rod(world, &calm);
    CordRodId rod = add_rod(world, &wild);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    shake(world, rod, &seed, 1e-6);
    return world;
}

TEST(divergence_names_rod_node_and_cause_and_keeps_the_last_good_state)
{
    CordWorld *one = world_that_diverges(), *many = world_that_diverges();
    double h = 1.5 * cord_world_step_advice(one).step;
    CordResult result = CORD_OK;
    uint64_t before = 0;
    for (int i = 0; i < 1000 && result == CORD_OK; i++) {
        before = cord_world_state_hash(one);
        result = cord_world_step(one, h);
    }
    CHECK_RESULT(result, CORD_DIVERGED);
    CHECK(cord_world_state_hash(one) == before);
    CHECK(cord_world_steps(one) > 4);
    CHECK_CONTAINS(cord_world_message(one), "rod 'wild' diverged at node ");
    CHECK_CONTAINS(cord_world_message(one), "at t = ");
    CHECK_CONTAINS(cord_world_message(one), "too long a step");
    for (int i = 0; i < 21; i++) {
        CHECK(vec3_finite(node_of(one, cord_world_rod(one, 1), i)));
    }
    CHECK_RESULT(cord_world_step_many(many, h, 1000), CORD_DIVERGED); // stops there, too
    CHECK_STR(cord_world_message(many), cord_world_message(one));
    CHECK_INT(cord_world_steps(many), cord_world_steps(one));
    CHECK(cord_world_state_hash(many) == cord_world_state_hash(one));
    cord_world_destroy(one);
    cord_world_destroy(many);
}

TEST(a_force_beyond_all_bounds_diverges_at_once)
{
    const double sizes[] = {1e308, 1e100, 1e308}; // over the mass of a node not finite; finite, and far
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(11);
        def.inextensible = i == 2;
        add_force(world, add_rod(world, &def), cord_at_node(7), (CordVec3){0, sizes[i], 0});
        check_step_fails(world, 1e-2, CORD_DIVERGED, "node 7");
        cord_world_destroy(world);
    }
}

TEST(a_rod_that_only_flies_fast_has_not_diverged)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(101);
    def.velocity = (CordVec3){0, 5e4, 0}; // fifty times its length in a step
    CordRodId rod = add_rod(world, &def);
    run(world, 1e-3, 3);
    CHECK_NEAR(cord_rod_momentum(world, rod).center.y, 150.0, 1e-10);
    cord_world_destroy(world);
}

// A rope in a half circle, held at its start.
static CordRodId add_slack_rope(CordWorld* world)
{
    CordRodDef def = line_def(21);
    def.inextensible = true, def.rest = CORD_REST_STRAIGHT;
    def.shape = cord_shape_ellipse(origin, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 1}, 0.3, 0.3, 21);
    def.shape.angle_from = CORD_PI, def.shape.angle_to = 2 * CORD_PI;
    CordRodId rope = add_rod(world, &def);
    hold(world, rope, cord_at_start(), CORD_FIX_POSITION);
    return rope;
}

// A slack rope whose far end is driven out of reach within one step, beside a twisted rod that a clamp lets
// go of half-way.
static CordWorld* world_that_snaps(double h, CordClampId* released)
{
    CordWorld* world = new_weightless_world();
    CordRodDef twisted = line_def(11);
    twisted.twist = 1.0;
    CordRodId first = add_rod(world, &twisted), second = add_slack_rope(world);
    hold(world, first, cord_at_start(), CORD_FIX_FRAME);
    *released = hold_until(world, first, cord_at_end(), CORD_FIX_FRAME, 1.4 * h);
    CordMotion jump = cord_motion_translate((CordVec3){1.0, 0, 0}, h, 2 * h);
    jump.ease = CORD_EASE_SMOOTH; // half-way at 1.5 h: still in reach is what lies before 1.4 h or so
    hold_moving(world, second, cord_at_end(), CORD_FIX_POSITION, &jump, 1);
    return world;
}

TEST(a_step_that_fails_in_halves_puts_back_clamps_that_let_go_on_the_way)
{
    const double h = 1e-2;
    CordClampId released;
    CordWorld* world = world_that_snaps(h, &released);
    run(world, h, 1);
    check_step_fails(world, h, CORD_NOT_CONVERGED, "'rod2'");
    CHECK(cord_clamp_holds(world, released));
    CHECK_NEAR(cord_rod_twist(world, cord_world_rod(world, 0)), 1.0 / (2 * CORD_PI), 1e-14);
    cord_world_destroy(world);
}

// The sum of steps is 0.1 but for round-off: above it or below.
TEST(clamps_let_go_and_loads_end_with_the_step_that_ends_then)
{
    int below = 0;
    for (int n = 100; n <= 1000; n += 60) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(2);
        def.integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER;
        CordRodId held = add_rod(world, &def), pushed = add_rod(world, &def);
        CordClampId clamp = hold_until(world, held, cord_at_start(), CORD_FIX_FRAME, 0.1);
        CordLoadDef load = cord_load_def_default();
        load.rod = pushed, load.force = (CordVec3){1, 0, 0}, load.to = 0.1;
        add_load(world, &load);
        run(world, 0.1 / n, n - 1);
        CHECK(cord_clamp_holds(world, clamp));
        run(world, 0.1 / n, 1);
        below += cord_world_time(world) < 0.1;
        CHECK(!cord_clamp_holds(world, clamp));
        run(world, 0.1 / n, 10);
        CHECK_NEAR(cord_rod_momentum(world, pushed).linear.x, 0.1, 1e-12);
        cord_world_destroy(world);
    }
    CHECK(below > 2 && below < 14);
}

TEST(a_step_that_fails_when_a_clamp_is_due_lets_go_of_nothing)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def), other = add_rod(world, &def);
    CordClampId clamp = hold_until(world, other, cord_at_start(), CORD_FIX_FRAME, 1e-3);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    run(world, 1e-3, 1);
    CHECK_OK(cord_clamp_move(world, end, (CordVec3){5, 0, 0}, quat_identity()));
    bool held = cord_clamp_holds(world, clamp);
    check_step_fails(world, 1e-3, CORD_NOT_CONVERGED, "'rod1'");
    CHECK(cord_clamp_holds(world, clamp) == held);
    cord_world_destroy(world);
}

// Rods that lie askew and are free, held at one end or at both, with twist that only some of them will keep.
TEST(a_first_step_that_fails_leaves_twist_and_frames_as_they_were)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11), ring = ring_def(14), rope = line_def(5);
    def.shape = cord_shape_line((CordVec3){0.1, 0.2, 0.3}, (CordVec3){1.1, -0.4, 0.7}, 11);
    def.twist = ring.twist = 1.0;
    ring.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){1, 2, 3}, 0.2, 14);
    rope.inextensible = true;
    CordRodId rods[3] = {add_rod(world, &def), add_rod(world, &def), add_rod(world, &def)};
    add_rod(world, &ring);
    hold(world, rods[1], cord_at_end(), CORD_FIX_FRAME);
    hold(world, rods[2], cord_at_start(), CORD_FIX_FRAME);
    hold(world, rods[2], cord_at_edge(5), CORD_FIX_FRAME);
    CordRodId bound = add_rod(world, &rope);
    hold(world, bound, cord_at_start(), CORD_FIX_POSITION);
    CordClampId end = hold(world, bound, cord_at_end(), CORD_FIX_POSITION);
    CHECK_OK(cord_clamp_move(world, end, (CordVec3){5, 0, 0}, quat_identity()));
    uint64_t before = cord_world_state_hash(world);
    check_step_fails(world, 1e-4, CORD_NOT_CONVERGED, "'rod5'");
    CHECK_RESULT(cord_world_step_many(world, 1e-4, 10), CORD_NOT_CONVERGED);
    CHECK(cord_world_state_hash(world) == before);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(cord_rod_twist(world, rods[i]), 1.0 / (2 * CORD_PI), 1e-15);
    }
    CHECK_OK(cord_clamp_destroy(world, end));
    hold(world, rods[1], cord_at_start(), CORD_FIX_FRAME); // in time: its twist is held now
    run(world, 1e-4, 1);
    CHECK_NEAR(cord_rod_twist(world, rods[0]), 0.0, 0.0);
    CHECK_NEAR(cord_rod_twist(world, rods[1]), 1.0 / (2 * CORD_PI), 1e-13);
    cord_world_destroy(world);
}

// The far end of a whirling rope turns by more than a radian in a step: taken in halves of halves, and
// counted once.
TEST(a_step_too_long_for_the_projection_is_taken_in_halves)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(3);
    def.inextensible = true;
    def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
    def.spin = (CordVec3){0, 0, 300};
    CordRodId rod = add_rod(world, &def);
    run(world, 1e-2, 3); // three radians in each
    CHECK_INT(cord_world_retries(world), 3);
    CHECK_INT(cord_world_steps(world), 3);
    CHECK_NEAR(cord_world_time(world), 0.03, 1e-15);
    CHECK_NEAR(cord_rod_stretch(world, rod), 0.0, 1e-12);
    cord_world_destroy(world);
}

// ---- clamps that let go

TEST(a_clamp_lets_go_when_its_time_has_come)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_line(world, 5);
    CordClampId id = hold_until(world, rod, cord_at_node(2), CORD_FIX_POSITION, 0.125);
    const double h = 1.0 / 1024;
    for (int i = 1; i <= 256; i++) {
        run(world, h, 1);
        CHECK(cord_clamp_holds(world, id) == (i * h < 0.125));
        CHECK((node_of(world, rod, 2).z == 0.0) == (i * h <= 0.125)); // moves from the step after
    }
    CHECK_INT(cord_world_clamp_count(world), 1); // released, not destroyed
    cord_world_destroy(world);
}

TEST(a_clamp_whose_time_is_past_never_holds)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_line(world, 5);
    CordClampDef clamp = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
    clamp.release = 0.0;
    CHECK(!cord_clamp_holds(world, add_clamp(world, &clamp)));
    run(world, 1e-3, 10);
    CHECK_NEAR(cord_rod_momentum(world, rod).linear.z, -9.81 * RODS_MASS * 0.01, 1e-15);
    cord_world_destroy(world);
}

// The clamp and its rod are where they were until the step.
TEST(driving_a_clamp_changes_no_reaction_before_the_step)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_line(world, 11);
    CordClampId gripper = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    run(world, 1e-3, 20);
    Reaction before = clamp_reaction(world, gripper);
    CHECK_OK(cord_clamp_move(world, gripper, (CordVec3){0, 0.5, 0}, quat_identity()));
    Reaction after = clamp_reaction(world, gripper);
    CHECK_INT(memcmp(&after, &before, sizeof before), 0);
    cord_world_destroy(world);
}

// All three nodes are held, and the last goes to where the first is: bending has no end there, whatever comes
// next.
TEST(a_rod_that_is_folded_onto_itself_is_told_of)
{
    for (int i = 0; i < 8; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(3);
        def.name = "hinge";
        def.stiffness.EI2 = i % 2 ? 3 * RODS_EI : RODS_EI;
        def.integrator = (CordIntegrator)(i / 2);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        hold(world, rod, cord_at_node(1), CORD_FIX_POSITION);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        run(world, 1e-3, 1);
        CordVec3 x[3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0, 0}};
        CHECK_RESULT(cord_rod_set_positions(world, rod, x), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(world), "edge 1 of rod 'hinge' would lie folded onto edge 0");
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){-1, 0, 0}, quat_identity()));
        CordResult result = cord_world_step(world, 1e-3); // implicit rods fail at once, the others get there
        result = result == CORD_OK ? cord_world_step(world, 1e-3) : result;
        CHECK(result == CORD_DIVERGED || (i / 2 >= 2 && result == CORD_NOT_CONVERGED));
        CHECK_CONTAINS(cord_world_message(world), "'hinge'");
        CHECK(result != CORD_DIVERGED || strstr(cord_world_message(world), "folded onto itself at node 1"));
        cord_world_destroy(world);
    }
}

typedef enum WayToGo { DRIVEN, TIME_SET, AT_AN_INSTANT, WAYS } WayToGo;

// An end of a slack rope that is held 15 cm nearer at once, which a step of 20 ms only does in halves: each
// goes its share.
static CordWorld* rope_that_is_moved(WayToGo way)
{
    CordWorld* world = new_world(down);
    CordRodId rod = add_slack_rope(world);
    CordVec3 by = {-0.15, 0, 0};
    CordMotion move =
        way == AT_AN_INSTANT ? cord_motion_translate(by, 0.013, 0.013) : cord_motion_translate(by, 1.0, 2.0);
    CordClampId id = hold_moving(world, rod, cord_at_end(), CORD_FIX_POSITION, &move, way != DRIVEN);
    if (way == DRIVEN) {
        CHECK_OK(cord_clamp_move(world, id, by, quat_identity()));
    }
    if (way == TIME_SET) {
        CHECK_OK(cord_world_set_time(world, 2.0));
    }
    return world;
}

TEST(a_clamp_that_jumps_goes_its_share_in_steps_that_are_halved)
{
    CordVec3 x[WAYS][21];
    for (WayToGo way = 0; way < WAYS; way++) {
        CordWorld* world = rope_that_is_moved(way);
        run(world, 0.02, 1);
        CHECK(cord_world_retries(world) > 0);
        CHECK_OK(cord_rod_positions(world, cord_world_rod(world, 0), x[way]));
        CHECK_VEC3(x[way][20], ((CordVec3){0.15, 0, 0}), 1e-15);
        for (int i = 0; i < 21; i++) { // one way is as good as the other
            CHECK_VEC3(x[way][i], x[0][i], 1e-12);
        }
        cord_world_destroy(world);
    }
}

// Frames that nothing turns back, or that have no neighbour to be twisted against.
TEST(rods_of_one_edge_and_rods_without_twisting_stiffness_are_stepped)
{
    for (int kind = 0; kind < 12; kind++) {
        CordWorld* world = new_world(down);
        CordRodDef def = line_def(kind % 2 ? 2 : 11);
        def.stiffness.GJ = kind % 2 ? RODS_GJ : 0.0;
        def.stiffness.EI2 = kind / 2 % 3 == 0 ? 2 * RODS_EI : RODS_EI;
        def.damping_time = kind / 2 % 3 == 1 ? 1e-3 : 0.0;
        def.integrator = kind / 2 % 3 == 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
        def.inextensible = kind / 6;
        CordRodId rod = add_rod(world, &def);
        CordVec3 start = cord_rod_momentum(world, rod).center;
        run(world, 1e-4, 100);
        CordVec3 fallen = vec3_sub(cord_rod_momentum(world, rod).center, start);
        CHECK_NEAR(fallen.z, -0.5 * 9.81 * 0.01 * 0.01, 1e-12);
        cord_world_destroy(world);
    }
}

TEST(an_edge_that_slides_and_turns_keeps_its_length)
{
    for (int kind = 0; kind < 4; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.inextensible = kind % 2;
        def.integrator = kind / 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordMotion turn = cord_motion_rotate((CordVec3){0, 1, 0}, CORD_PI / 6, 0.0, 1.0);
        CordClampDef clamp = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0};
        clamp.motions = &turn, clamp.motion_count = 1;
        add_clamp(world, &clamp);
        double h = kind / 2 ? 0.01 : fmin(0.01, 0.5 * cord_world_step_advice(world).step);
        int steps = (int)(1.0 / h) + 1;
        CHECK_OK(cord_world_step_many(world, 1.0 / steps, steps));
        CordVec3 tip = tip_of(world, rod), edge = vec3_sub(tip, node_of(world, rod, 19));
        CHECK_NEAR(vec3_length(edge) / 0.05, 1.0, 1e-12);
        CHECK_NEAR(-edge.z / 0.05, 0.5, 1e-12); // sine of 30 degrees
        CHECK(tip.x < 1.0 - 1e-3);              // drawn in
        cord_world_destroy(world);
    }
}

// Spin forces and drag push a node that slides off its axis, and the clamp holds it there.
TEST(what_slides_stays_on_its_axis_as_the_rod_spins_in_wind)
{
    for (int kind = 0; kind < 8; kind++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(21);
        def.inextensible = kind % 2, def.dynamic_twist = true;
        def.stiffness.spin_inertia = 1e-5, def.spin = (CordVec3){300, 0, 0};
        CordRodId rod = add_rod(world, &def);
        CordClampDef clamp =
            clamp_def(rod, cord_at_start(), kind / 2 % 2 ? CORD_FIX_DIRECTION : CORD_FIX_POSITION);
        clamp.slides = true, clamp.axis = (CordVec3){0.6, 0.8, 0};
        add_clamp(world, &clamp);
        if (kind / 4) {
            add_drag(world, rod, 0.3);
        }
        run(world, 1e-4, 200);
        CHECK(vec3_length(vec3_sub(tip_of(world, rod), (CordVec3){1, 0, 0})) > 1e-3); // it falls
        for (int i = 0; i <= kind / 2 % 2; i++) {
            CordVec3 moved = vec3_sub(node_of(world, rod, i), (CordVec3){0.05 * i, 0, 0});
            CHECK_NEAR(vec3_length(vec3_reject(moved, clamp.axis)), 0.0, 1e-14);
        }
        cord_world_destroy(world);
    }
}

// A taut rod of every model and stepper: a clamp or a body takes hold of an edge and leaves it.
TEST(an_edge_that_is_gripped_and_let_go_keeps_energy_and_tension)
{
    for (int kind = 0; kind < 20; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(9);
        def.model = kind % 5 == 3 ? CORD_MODEL_CORDE : kind % 5 == 4 ? CORD_MODEL_PBD : CORD_MODEL_DER;
        def.integrator = kind % 5 == 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
        def.damping_time = kind % 5 == 1 ? 1e-3 : 0.0;
        CordRodId rod = add_rod(world, &def);
        CordVec3 x[3][9];
        double tension[8], before = 0.5 * RODS_EA * 0.05 * 0.05;
        for (int i = 0; i < 9; i++) {
            x[0][i] = (CordVec3){1.05 * i / 8.0, 0, 0};
        }
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        CHECK_OK(cord_rod_set_positions(world, rod, x[0]));
        CHECK_NEAR(elastic_energy(world, rod), before, 1e-12);
        CordPlace at = cord_at_edge(kind / 5 % 2 ? 4 : 2);
        CordClampId clamp = {0, 0};
        CordWeldId weld = {0, 0};
        if (kind / 10) {
            CordBodyDef ball = cord_body_def_default();
            ball.mass = 1.0, ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1e-2;
            CordBodyId body;
            CordWeldDef w = cord_weld_def_default();
            CHECK_OK(cord_body_create(world, &ball, &body));
            w.rod = rod, w.body = body, w.at = at;
            CHECK_WORLD_OK(world, cord_weld_create(world, &w, &weld));
        } else {
            clamp = hold(world, rod, at, CORD_FIX_FRAME);
        }
        CHECK_OK(cord_rod_positions(world, rod, x[1]));
        CHECK_NEAR(vec3_length(vec3_sub(x[1][at.index + 1], x[1][at.index])), 1.0 / 8.0, 1e-14);
        CHECK_NEAR(elastic_energy(world, rod), before, 1e-12);
        CHECK_OK(cord_rod_tensions(world, rod, tension));
        for (int j = 0; j < 8; j++) {
            CHECK_NEAR(tension[j], 0.05 * RODS_EA, 1e-12);
        }
        CHECK_OK(kind / 10 ? cord_weld_destroy(world, weld) : cord_clamp_destroy(world, clamp));
        CHECK_NEAR(elastic_energy(world, rod), before, 1e-12);
        CHECK_OK(cord_rod_positions(world, rod, x[2]));
        for (int i = 0; i < 9; i++) {
            CHECK_VEC3(x[2][i], x[0][i], 1e-14);
        }
        cord_world_destroy(world);
    }
}

// The held half edge takes its share of the stretch from the next edge as it becomes free.
TEST(an_edge_that_is_let_go_keeps_the_energy)
{
    for (int kind = 0; kind < 2; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(9);
        def.half_edge_start = true;
        def.integrator = kind ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
        CordRodId rod = add_rod(world, &def);
        CordSolveDef solve = cord_solve_def_default();
        CordSolveReport report;
        hold_until(world, rod, cord_at_start(), CORD_FIX_FRAME, 1.5e-6);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){0.05, 0, 0}, quat_identity()));
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve, &report));
        run(world, 1e-6, 1);
        double before = total_energy(world, rod);
        CHECK_NEAR(before / (0.5 * RODS_EA * 0.05 * 0.05), 1.0, 1e-9);
        run(world, 1e-6, 2); // the first of them lets go; nothing has moved by more than 1e-9 m since
        CHECK_NEAR(total_energy(world, rod) / before, 1.0, 1e-6);
        cord_world_destroy(world);
    }
}

// ---- the longest step

// After 5000 steps, over that at first.
static double energy_after(CordRodDef def, double part_of_advice, CordStepLimit limit, CordResult* result)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_rod(world, &def);
    CordStepAdvice advice = cord_world_step_advice(world);
    CHECK_INT(advice.limit, limit);
    CHECK_INT(advice.rod.slot, rod.slot);
    CHECK_NEAR(advice.frequency * advice.step, 1 / CORD_PI, 1e-14); // 2 / omega
    uint64_t seed = 3;
    shake(world, rod, &seed, 1e-7);
    double before = elastic_energy(world, rod);
    *result = cord_world_step_many(world, part_of_advice * advice.step, 5000);
    double after = total_energy(world, rod); // nothing twists it, and it has no weight
    cord_world_destroy(world);
    return after / before;
}

// The bound is close for a uniform rod in which one kind of wave is far faster than the other: within it
// small waves stay small, a twentieth beyond it they grow without end.
TEST(the_advised_step_is_stable_and_a_little_more_is_not)
{
    CordRodDef stretchy = line_def(41), stiff = line_def(41), ring = ring_def(40);
    stiff.stiffness.EI1 = stiff.stiffness.EI2 = 1.0;
    stretchy.stiffness.EI1 = stretchy.stiffness.EI2 = 1e-9;
    ring.stiffness.EI1 = ring.stiffness.EI2 = 1e-9;
    const CordRodDef defs[] = {stretchy, stiff, ring};
    const CordStepLimit limits[] = {CORD_LIMIT_STRETCH, CORD_LIMIT_BEND, CORD_LIMIT_STRETCH};
    for (int i = 0; i < 3; i++) {
        CordResult result;
        double grown = energy_after(defs[i], 0.98, limits[i], &result);
        CHECK_OK(result);
        CHECK(grown < 100.0); // at 0.98 of the limit Verlet's own energy is 1 / (1 - 0.96) = 25 times off
        grown = energy_after(defs[i], 1.05, limits[i], &result);
        CHECK(result == CORD_DIVERGED || grown > 1e6);
    }
}

// Damping shortens the step by sqrt(1 + z^2) + z, z = omega time / 2, and is what limits it once that is more
// than two: z above 3/4.
TEST(damping_limits_a_step_that_it_more_than_halves)
{
    const double z[] = {0.0, 0.74, 0.76};
    CordRodDef def = line_def(41);
    double free_step = 0.0; // 2 / omega
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_weightless_world();
        def.damping_time = z[i] * free_step;
        add_rod(world, &def);
        CordStepAdvice advice = cord_world_step_advice(world);
        free_step = i == 0 ? advice.step : free_step;
        CHECK_INT(advice.limit, i < 2 ? CORD_LIMIT_STRETCH : CORD_LIMIT_DAMPING);
        CHECK_NEAR(advice.step / free_step, sqrt(1 + z[i] * z[i]) - z[i], 1e-12); // the inverse of the factor
        cord_world_destroy(world);
    }
    CHECK_STR(cord_step_limit_name(CORD_LIMIT_DAMPING), "internal damping");
}

TEST(a_rod_that_cannot_oscillate_has_no_longest_step)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.inextensible = true;
    def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
    add_rod(world, &def);
    CordStepAdvice advice = cord_world_step_advice(world);
    CHECK(advice.step == INFINITY && advice.limit == CORD_LIMIT_NONE && advice.rod.slot == 0);
    cord_world_destroy(world);
}

// A rope without bending stiffness, taut by its weight: sqrt(4 T w / e) for the shortest wave at the top, at
// three weights.
TEST(a_hanging_rope_is_limited_by_its_tension)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(41);
    def.inextensible = true;
    def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, 41);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordStepAdvice advice = cord_world_step_advice(world);
    CHECK_INT(advice.limit, CORD_LIMIT_TENSION);
    double edge = 0.025, mass = RODS_MASS * edge, tension = RODS_MASS * 9.81;
    double present = 2 / sqrt(4 * tension / (mass * edge));
    CHECK_NEAR(advice.step / present, 1 / sqrt(3.0), 1e-12); // room for three times the weight
    cord_world_destroy(world);
}

// ---- where the time goes

static void add_rods(CordWorld* world) // seven, of which three are inextensible
{
    for (int i = 0; i < 7; i++) {
        CordRodDef def = i % 3 == 2 ? ring_def(10 + i) : line_def(8 + 3 * i);
        CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 1.0 + i, 0.0, 0.05);
        def.inextensible = i % 2 == 1, def.twist = i % 3 == 1 ? 0.0 : 2.0;
        CordRodId rod = add_rod(world, &def);
        hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, &motion, 1);
        if (i % 3 != 2) {
            hold_sliding(world, rod, cord_at_end(), CORD_FIX_FRAME, (CordVec3){1, 0, 0});
            add_force(world, rod, cord_at_node(4), (CordVec3){0, 0.01, 0.02});
        }
    }
    add_drag(world, (CordRodId){0, 0}, 0.02);
}

static double count_calls(void* user) // a clock that ticks once each time it is looked at
{
    return ++*(double*)user;
}

// Each rod and step: one tick for forces, one for the projection of those that are inextensible, one for
// frames.
TEST(a_clock_tells_the_time_of_each_phase)
{
    double calls = 0.0;
    CordWorldDef def = cord_world_def_default();
    def.clock = (CordClock){count_calls, &calls};
    CordWorld* world = make_world(&def);
    add_rods(world);
    run(world, 1e-4, 10);
    CHECK_OK(cord_world_step_many(world, 1e-4, 20));
    CordStepTimes times = cord_world_step_times(world);
    CHECK(times.forces == 30 * 7 && times.lengths == 30 * 3 && times.frames == 30 * 7);
    CHECK(times.implicit == 0.0);
    CordWorld* plain = new_world(down);
    add_rods(plain);
    run(plain, 1e-4, 30);
    times = cord_world_step_times(plain);
    CHECK(times.forces == 0.0 && times.lengths == 0.0 && times.frames == 0.0);
    CHECK(cord_world_state_hash(plain) == cord_world_state_hash(world)); // looking at a clock changes nothing
    cord_world_destroy(world);
    cord_world_destroy(plain);
}

TEST_GROUP(world_step)
