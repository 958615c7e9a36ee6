// Position-based rods in a world: what is refused, states, steps that fail, positions and velocities that are
// set, clamps of every kind.
#include "pbd_ways.h"

// ---- what is refused

TEST(words_and_numbers_that_make_no_sense_are_refused)
{
    const CordRodDef fine = pbd_def(line_def(5), DIRECT);
    for (int i = 0; i < 4; i++) {
        CordRodDef def = fine;
        def.pbd.solver = i == 0 ? (CordPbdSolver)2 : fine.pbd.solver;
        def.pbd.method = i == 1 ? (CordPbdMethod)-1 : fine.pbd.method;
        def.pbd.order = i == 2 ? (CordPbdOrder)3 : fine.pbd.order;
        def.pbd.gravity = i == 3 ? (CordPbdGravity)9 : fine.pbd.gravity;
        check_rod_refused(def, CORD_BAD_ARGUMENT,
                          "solver, method, order or gravity on ghosts is none that there is");
    }
    CordRodDef def = fine;
    def.pbd.substeps = 0;
    check_rod_refused(def, CORD_BAD_ARGUMENT, "0 substeps of 0 iterations; there must be one at least");
    def = fine, def.pbd.iterations = -1;
    check_rod_refused(def, CORD_BAD_ARGUMENT, "1 substeps of -1 iterations");
    const double tolerances[] = {0.0, -1e-3, 1.1, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        def = fine, def.pbd.tolerance = tolerances[i];
        check_rod_refused(def, CORD_BAD_ARGUMENT, "tolerance is");
    }
    const double masses[] = {0.0, 1.0, -0.5, NAN}, lengths[] = {0.0, -1.0, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        def = fine, def.pbd.ghost_mass = masses[i];
        check_rod_refused(def, CORD_BAD_ARGUMENT, "ghosts of mass");
        def = fine, def.pbd.ghost_length = lengths[i];
        check_rod_refused(def, CORD_BAD_ARGUMENT, "at the distance");
    }
}

TEST(shares_are_from_0_to_1)
{
    const char* names[] = {"weight of bending about m1", "weight of bending about m2", "weight of twisting",
                           "weight of stretching", "damping"};
    const double bad[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 15; i++) {
        CordRodDef def = pbd_def(line_def(5), PAPER);
        double* shares[] = {&def.pbd.weight_bend1, &def.pbd.weight_bend2, &def.pbd.weight_twist,
                            &def.pbd.weight_stretch, &def.pbd.damping};
        *shares[i / 3] = bad[i % 3];
        check_rod_refused(def, CORD_BAD_ARGUMENT, names[i / 3]);
        *shares[i / 3] = i % 2; // the ends count
        CordWorld* world = new_world(down);
        add_rod(world, &def);
        run(world, STEP, 3);
        cord_world_destroy(world);
    }
}

TEST(turns_beyond_what_the_law_holds_are_refused)
{
    CordRodDef def = pbd_def(line_def(3), DIRECT);
    def.twist = 3.0; // in one corner
    check_rod_refused(def, CORD_BAD_ARGUMENT, "7/16 of a turn");
    const CordVec3 sharp[] = {{0, 0, 0}, {1, 0, 0}, {0.05, 0.2, 0}};
    def = pbd_def(line_def(3), DIRECT), def.shape = cord_shape_points(sharp, 3);
    check_rod_refused(def, CORD_BAD_ARGUMENT, "put more nodes where it turns");
}

TEST(ghost_points_keep_their_nodes)
{
    CordRodDef def = pbd_def(line_def(9), PAPER);
    def.adapt.on = true;
    check_rod_refused(def, CORD_NOT_SUPPORTED, "take \"xpbd\" for an adaptive rod");
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER; // which has none
    CordWorld* world = new_world(down);
    add_rod(world, &def);
    run(world, STEP, 3);
    cord_world_destroy(world);
}

TEST(a_torque_has_nothing_to_act_on_where_weights_are)
{
    CordWorld* world = new_world(down);
    CordRodDef def = pbd_def(line_def(9), PAPER);
    def.name = "thread";
    CordClampDef clamp = clamp_def(add_rod(world, &def), cord_at_end(), CORD_FIX_FRAME);
    CordClampId id;
    clamp.has_torque = true, clamp.torque = 1e-3;
    CHECK_RESULT(cord_clamp_create(world, &clamp, &id), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "thread");
    CHECK_CONTAINS(cord_world_message(world), "take \"xpbd\"");
    run(world, STEP, 3); // and all is as it was
    cord_world_destroy(world);
}

TEST(velocities_beyond_all_numbers_are_told_by_name)
{
    for (Way way = DIRECT; way < WAYS; way++) {
        CordWorld* world = new_world(down);
        CordRodDef def = pbd_def(line_def(5), way);
        CordVec3 v[5] = {{0, 0, 0}, {0, 0, 1e300}};
        def.name = "thread";
        CordRodId rod = add_rod(world, &def);
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        check_step_fails(world, STEP, CORD_DIVERGED, "thread");
        v[1].z = 0.0;
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        run(world, STEP, 5);
        cord_world_destroy(world);
    }
}

// ---- clamps

static double wound_by(double torque, double l) // in a corner: GJ/l beta (1 + beta^2/4) is the torque
{
    double beta = torque * l / RODS_GJ;
    for (int i = 0; i < 50; i++) {
        beta = torque * l / RODS_GJ / (1.0 + 0.25 * beta * beta);
    }
    return 2.0 * atan(0.5 * beta);
}

// Elements as long as each other, half ones at both ends: T L / GJ, but for the tangent.
TEST(a_torque_winds_a_rod_by_t_l_over_gj)
{
    const double torques[] = {1e-3, -5e-3};
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(21), i < 4 ? DIRECT : SWEEPS);
        def.half_edge_start = def.half_edge_end = true, def.damping_time = 0.02;
        def.pbd.substeps = i < 4 ? 1 : 10, def.pbd.iterations = i < 4 ? 0 : 100;
        if (i / 2 == 1) {
            def.stiffness.spin_inertia = 0.0; // frames follow at once
        }
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordClampDef clamp = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        double torque = clamp.torque = torques[i % 2];
        clamp.has_torque = true;
        add_clamp(world, &clamp);
        run(world, STEP, 100);
        double turned = 2 * CORD_PI * cord_rod_twist(world, rod), right = 19 * wound_by(torque, 1.0 / 19);
        CHECK_NEAR(right, torque / RODS_GJ, 5e-3 * fabs(right));
        // sweeps lose some of a torque: MOST_GOAL in pbd.c
        CHECK_NEAR(turned, right, (i < 4 ? 1e-6 : 1e-2) * fabs(right));
        CHECK(isfinite(cord_rod_energy(world, rod).kinetic));
        cord_world_destroy(world);
    }
}

// Sweeps need short substeps, or the corner beside the clamp is past half a turn before the next have heard
// of it.
TEST(turns_that_a_clamp_winds_in_are_in_the_rod)
{
    for (Way way = DIRECT; way < PAPER; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = pbd_def(line_def(31), way);
        def.pbd.substeps = way == SWEEPS ? 16 : 1;
        CordRodId rod = add_rod(world, &def);
        CordMotion wind = cord_motion_rotate((CordVec3){1, 0, 0}, 6 * CORD_PI, 0.0, 1.0);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &wind, 1);
        run(world, STEP, 120);
        CHECK_NEAR(cord_rod_twist(world, rod), 3.0, 1e-9);
        cord_world_destroy(world);
    }
}

TEST_GROUP(pbd_rod)
