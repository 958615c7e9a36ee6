// Rods between clamps that are as far apart as the rods are long, or nearly: what they bear, in solves and
// steps.
#include "solves.h"

#define NODES 41
#define GRAVITY 0.5 // [m/s^2]

// A straight rod between clamps that keep their distance cannot move if it cannot stretch, however much it is
// twisted: it is stable, and the vibration that would buckle it costs nothing or more. One that hardly
// stretches buckles by next to nothing, which is a saddle to leave, and has as much energy: the strain of
// buckling is below 1e-4.
TEST(a_taut_rod_may_be_twisted_as_much_as_one_likes)
{
    double energy[3];
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        bool stretches = i / 3;
        def.model = i % 3 == 0 ? CORD_MODEL_DER : i % 3 == 1 ? CORD_MODEL_CORDE : CORD_MODEL_PBD;
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        def.inextensible = !stretches, def.twist = 12.0;
        def.stiffness.EA = 1e10 * RODS_EI;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        CordSolveReport report = solve(world);
        if (!stretches) {
            double omega2;
            CHECK(report.iterations <= 6);
            CHECK_OK(cord_world_modes(world, 1, &omega2, NULL));
            CHECK(omega2 >= 0.0);
            energy[i % 3] = report.energy;
        }
        CHECK_NEAR(report.energy / energy[i % 3], 1.0, 1e-4);
        cord_world_destroy(world);
    }
}

// A taut rod under a load across it has no equilibrium, and no step either: tension would have to be
// infinite. Along it, many tensions balance. (Explicit steps of pbd approximate an inextensible rod.)
TEST(nothing_across_a_taut_rod_is_balanced)
{
    for (int i = 0; i < 24; i++) {
        const CordIntegrator integrators[4] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT,
                                               CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_VERLET};
        const CordModel models[3] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};
        bool across = i % 2;
        CordWorld* world = new_world(across ? (CordVec3){0, 0.3, -0.4} : (CordVec3){GRAVITY, 0, 0});
        CordRodDef def = line_def(NODES);
        def.model = models[i / 2 % 3];
        def.integrator = integrators[i / 6], def.inextensible = true;
        def.length_method = i / 6 == 3 ? CORD_LENGTH_FAST_PROJECTION : CORD_LENGTH_RATTLE;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        bool exact = def.model != CORD_MODEL_PBD || def.integrator != CORD_INTEGRATOR_VERLET;
        CHECK_RESULT(cord_world_step(world, 1e-3), across && exact ? CORD_NOT_CONVERGED : CORD_OK);
        CHECK(!across || !exact || strstr(cord_world_message(world), "is taut between its clamps"));
        if (across) {
            CordSolveDef tight = cord_solve_def_default();
            CordSolveReport report;
            CHECK_RESULT(cord_world_solve(world, &tight, &report), CORD_NOT_CONVERGED);
            CHECK(!report.converged);
            CHECK_CONTAINS(cord_world_message(world), "is taut between its clamps at nodes 1 and 40");
        } else {
            solve(world);
        }
        cord_world_destroy(world);
    }
}

// So it is with a body on what projects beyond the clamps, and where a load across it comes later.
TEST(a_taut_rod_bears_what_pulls_along_it_until_something_pulls_across)
{
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_world((CordVec3){GRAVITY, 0, 0});
        CordRodDef def = line_def(NODES);
        def.inextensible = true;
        def.length_method = i == 1 ? CORD_LENGTH_FAST_PROJECTION : CORD_LENGTH_RATTLE;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        hold(world, rod, cord_at_node(NODES - 5), CORD_FIX_POSITION);
        CordBodyDef body = odd_body_def((CordVec3){1, 0, 0}, 0.02, 0.05);
        if (i == 2) {
            add_weld(world, rod, cord_at_end(), add_body(world, &body), CORD_FIX_POSITION);
        }
        for (int n = 0; n < 20; n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, 2e-4));
        }
        CHECK_VEC3(tip_of(world, rod), ((CordVec3){1, 0, 0}), 1e-12); // the tolerance of lengths
        CHECK_OK(cord_world_set_gravity(world, (CordVec3){GRAVITY, 0, -GRAVITY}));
        CordResult result = CORD_OK;
        for (int n = 0; n < 5 && result == CORD_OK; n++) {
            result = cord_world_step(world, 1e-3);
        }
        CHECK_RESULT(result, CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "is taut between its clamps");
        cord_world_destroy(world);
    }
}

// Nor is anything refused where nothing acts on it but round-off, however long the step.
TEST(a_taut_rod_that_nothing_pulls_is_at_rest)
{
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(17);
        CordVec3 from = {0.078016499444326759, -0.015576598790462901, 0.18349603642742343},
                 to = {0.33259815655306807, -0.20883199283112419, 0.11292504669464661};
        def.shape = cord_shape_line(from, to, 17), def.inextensible = true, def.rest_twist = 0.8;
        def.integrator = i % 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        for (int n = 0; n < 20; n++) {
            CHECK_WORLD_OK(world, cord_world_step(world, 1e-3 * pow(10.0, i / 2)));
        }
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
        cord_world_destroy(world);
    }
}

// Clamps that approach do not help where a step begins taut, whatever keeps the lengths.
TEST(a_taut_rod_cannot_begin_to_sag)
{
    for (int fast = 0; fast < 2; fast++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(NODES);
        CordMotion approach = cord_motion_translate((CordVec3){-0.6, 0, 0}, 0.0, 1.0);
        def.inextensible = true;
        def.length_method = fast ? CORD_LENGTH_FAST_PROJECTION : CORD_LENGTH_RATTLE;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        hold_moving(world, rod, cord_at_end(), CORD_FIX_POSITION, &approach, 1);
        CHECK_RESULT(cord_world_step(world, 1e-3), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "is taut between its clamps");
        cord_world_destroy(world);
    }
}

// The least slack is enough: the tension of a nearly taut chord of slack s is its weight over sqrt(24 s).
TEST(a_rod_that_is_nearly_taut_has_the_tension_of_its_slack)
{
    for (int i = 0; i < 3; i++) {
        double slack = 1e-4 * pow(0.1, i), apart = 1.0 - slack, tension[NODES - 1];
        CordVec3 v[3] = {{0, 0, 0}, {0.5 * apart, 0, -0.5 * sqrt(1.0 - apart * apart)}, {apart, 0, 0}};
        CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
        CordRodDef def = line_def(NODES);
        def.shape = cord_shape_polyline(v, 3, NODES), def.rest = CORD_REST_STRAIGHT, def.inextensible = true;
        def.stiffness.EI1 = def.stiffness.EI2 = 1e-6 * RODS_EI;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION),
            hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        solve(world);
        CHECK_OK(cord_rod_tensions(world, rod, tension));
        double expected = GRAVITY * cord_rod_mass(world, rod) / sqrt(24.0 * slack);
        CHECK_NEAR(tension[NODES / 2] / expected, 1.0,
                   5e-4); // chords of an arc: 1 / (4 edges^2), and the stiffness
        cord_world_destroy(world);
    }
}

// Three parts of a rod that clamps hold taut, the one in the middle laid in the other direction: any tension
// keeps their lengths, and the one of the solve bears the weight along them. Across them there is no
// equilibrium, and no step.
TEST(taut_rods_that_are_joined_bear_their_weight_along_them_alone)
{
    for (int k = 0; k < 8; k++) {
        bool across = k % 2;
        CordWorld* world = new_world(across ? (CordVec3){0, 0, -GRAVITY} : (CordVec3){GRAVITY, 0, 0});
        CordRodDef def = line_def(9);
        CordRodId rods[3];
        double weight = 0.0, sum = 0.0;
        def.inextensible = true, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        for (int i = 0; i < 3; i++) {
            CordVec3 ends[2] = {{i / 3.0, 0, 0}, {(i + 1) / 3.0, 0, 0}};
            def.shape = cord_shape_line(ends[i == 1], ends[i != 1], 9);
            rods[i] = add_rod(world, &def);
            weight += GRAVITY * cord_rod_mass(world, rods[i]);
        }
        hold(world, rods[0], cord_at_start(), CORD_FIX_FRAME);
        hold(world, rods[2], cord_at_end(), CORD_FIX_FRAME);
        CordJointKind kind = k / 2 % 2 ? CORD_JOINT_WELD : CORD_JOINT_PIN;
        add_joint(world, kind, rods[0], cord_at_end(), rods[1], cord_at_end());
        add_joint(world, kind, rods[1], cord_at_start(), rods[2], cord_at_start());
        if (across) {
            CordSolveDef tight = cord_solve_def_default();
            CordSolveReport report;
            CHECK_RESULT(k / 4 ? cord_world_step(world, 1e-3) : cord_world_solve(world, &tight, &report),
                         CORD_NOT_CONVERGED);
            CHECK(strstr(cord_world_message(world), "the 3 joined rods from rod"));
        } else {
            CordSolveReport report = solve(world);
            for (int i = 0; i < 2; i++) {
                CordVec3 force, torque;
                CHECK_OK(cord_clamp_reaction(world, cord_world_clamp(world, i), &force, &torque));
                sum += force.x;
            }
            CHECK_NEAR(sum, weight, 25 * report.residual + 1e-13 * weight); // each node may keep the residual
        }
        cord_world_destroy(world);
    }
}

// So it is where they are joined at a node between the ends, and where one is a ring: a triangle with a side
// from x = 1 to 1.5, whose nodes are numbered from some place on, in either direction.
TEST(taut_rods_that_are_joined_between_their_ends_are_refused)
{
    for (int k = 0; k < 16; k++) {
        bool ring = k / 2 % 2, back = k / 4 % 2;
        CordVec3 x[12];
        for (int i = 0; i < 12; i++) {
            double along = i % 4 / 4.0;
            CordVec3 corner[4] = {{1.0, 0, 0}, {1.5, 0, 0}, {1.25, 0.4, 0}, {1.0, 0, 0}};
            int at = (back ? 14 - i : i + 10) % 12, side = i / 4;
            CordVec3 ring_x = vec3_madd(vec3_mul(corner[side], 1.0 - along), corner[side + 1], along);
            x[ring   ? at
              : back ? 11 - i
                     : i] = ring ? ring_x : (CordVec3){1.0 + 0.1 * fmax(i - 6, 0), 0.1 * fmax(6 - i, 0), 0};
        }
        CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
        CordRodDef def = line_def(9);
        def.inextensible = true, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        CordRodId straight = add_rod(world, &def);
        def.shape = cord_shape_points(x, 12), def.closed = ring;
        CordRodId other = add_rod(world, &def);
        int joined = ring ? (back ? 2 : 10) : back ? 5 : 6, held = ring ? (back ? 10 : 2) : back ? 0 : 11;
        hold(world, straight, cord_at_start(), CORD_FIX_POSITION);
        hold(world, other, cord_at_node(held), CORD_FIX_POSITION);
        add_joint(world, CORD_JOINT_PIN, straight, cord_at_end(), other, cord_at_node(joined));
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        solve_def.tolerance = k / 8 ? 1e-4 : solve_def.tolerance;
        CHECK_RESULT(k % 2 ? cord_world_step(world, 1e-3) : cord_world_solve(world, &solve_def, &report),
                     CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "the 2 joined rods from rod");
        cord_world_destroy(world);
    }
}

// However many there are, whether the solve comes near enough to its tolerance, and whatever that is.
TEST(long_chains_of_taut_rods_are_refused_at_any_tolerance)
{
    enum { RODS = 1002 };
    for (int k = 0; k < 4; k++) {
        int rods = k == 3 ? RODS : k == 2 ? 34 : 4;
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodId rod[RODS];
        for (int i = 0; i < rods; i++) {
            CordRodDef def = cord_rod_def_default();
            def.shape = cord_shape_line((CordVec3){0.1 * i, 0, 0}, (CordVec3){0.1 * (i + 1), 0, 0}, 5);
            def.section = cord_section_disc(2e-3), def.material.young = 1e6;
            def.inextensible = true, def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
            rod[i] = add_rod(world, &def);
            if (i > 0) {
                add_joint(world, CORD_JOINT_WELD, rod[i - 1], cord_at_end(), rod[i], cord_at_start());
            }
        }
        hold(world, rod[0], cord_at_start(), CORD_FIX_POSITION);
        hold(world, rod[rods - 1], cord_at_end(), CORD_FIX_POSITION);
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        solve_def.tolerance = k == 0 ? solve_def.tolerance : 1e-4;
        CHECK_RESULT(k == 3 ? cord_world_step(world, 1e-3) : cord_world_solve(world, &solve_def, &report),
                     k == 3 ? CORD_NOT_SUPPORTED : CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), k == 3   ? "more than 1000 joints are in one line from rod"
                                                  : k == 2 ? "the 34 joined rods"
                                                           : "the 4 joined rods");
        cord_world_destroy(world);
    }
}

TEST_GROUP(solve_taut)
