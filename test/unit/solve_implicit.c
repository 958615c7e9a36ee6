// Implicit steps: what they keep, their order, clamps of every kind against the explicit integrator, and what
// a step leaves behind.
#include "world_parts.h"

#include <stdlib.h>

#define NODES 21

static double largest_difference(const CordVec3* a, const CordVec3* b)
{
    double most = 0.0;
    for (int i = 0; i < NODES; i++) {
        most = fmax(most, vec3_length(vec3_sub(a[i], b[i])));
    }
    return most;
}

// ---- a free flat rod that tumbles

// A turn of a helix, flat, curved and twisted at rest, thrown and spun.
static CordRodDef tumbler_def(bool inextensible, CordIntegrator integrator)
{
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_helix(origin, (CordVec3){0, 0, 1}, 0.15, 0.2, 1.0, NODES);
    def.inextensible = inextensible, def.integrator = integrator;
    def.stiffness.EI2 = 4 * RODS_EI, def.stiffness.EI12 = 0.5 * RODS_EI, def.stiffness.EA = 500.0;
    def.rest_twist = 1.0;
    def.velocity = (CordVec3){0.03, -0.02, 0.01}, def.spin = (CordVec3){1.0, 3.0, 4.0};
    return def;
}

static CordWorld* tumbling_world(CordIntegrator integrator, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = tumbler_def(false, integrator);
    *rod = add_rod(world, &def);
    CordVec3 v[NODES];
    CHECK_OK(cord_rod_velocities(world, *rod, v));
    for (int i = 0; i < NODES; i++) { // bends it to and fro
        v[i] = vec3_add(v[i], (CordVec3){0, 0, 0.5 * sin(4 * CORD_PI * i / NODES)});
    }
    CHECK_OK(cord_rod_set_velocities(world, *rod, v));
    return world;
}

// ---- clamps, against the explicit integrator

typedef enum ClampKind {
    MOVING_NODE,
    MOVING_EDGE,
    SLIDING_NODE,
    SLIDING_EDGE,
    SLIDING_AND_MOVING,
    TURNED,
    TORQUE,
    RELEASED,
    CLAMPS
} ClampKind;

// A flat rod that swings from its first edge and is clamped in one way or another at its end.
static void clamped_positions(ClampKind kind, bool inextensible, bool implicit, int steps, CordVec3* x)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 0.05, 0.5, 2.0, NODES);
    def.stiffness.EI2 = 4 * RODS_EI, def.inextensible = inextensible;
    def.integrator = implicit ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    bool node = kind == MOVING_NODE || kind == SLIDING_NODE;
    CordClampDef clamp = clamp_def(rod, cord_at_end(), node ? CORD_FIX_POSITION : CORD_FIX_FRAME);
    CordMotion move = cord_motion_translate((CordVec3){-0.1, 0.1, 0}, 0, 0.2);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0.2}, 2.0, 0, 0.2);
    move.ease = turn.ease = CORD_EASE_SMOOTH;
    if (kind == MOVING_NODE || kind == MOVING_EDGE || kind == SLIDING_AND_MOVING) {
        clamp.motions = &move, clamp.motion_count = 1;
    }
    if (kind == TURNED) {
        clamp.motions = &turn, clamp.motion_count = 1;
    }
    if (kind == SLIDING_NODE || kind == SLIDING_EDGE || kind == SLIDING_AND_MOVING) {
        clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0.3};
    }
    clamp.has_torque = kind == TORQUE, clamp.torque = 0.01;
    clamp.release = kind == RELEASED ? 0.05 : INFINITY;
    add_clamp(world, &clamp);
    run(world, 0.1 / steps, steps);
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
}

// Both are of second order, so that their extrapolations differ by terms of higher order; the explicit one is
// of first where a clamp lets go, since velocities that lag by half a step see the whole of the next kick.
// The rods have moved by 5 cm by then.
TEST(clamps_of_every_kind_agree_with_the_explicit_integrator)
{
    for (ClampKind kind = 0; kind < CLAMPS; kind++) {
        for (int inextensible = 0; inextensible < 2; inextensible++) {
            CordVec3 x[2][2][NODES], extrapolated[2][NODES];
            for (int implicit = 0; implicit < 2; implicit++) {
                for (int fine = 0; fine < 2; fine++) {
                    int steps = (implicit ? 400 : 800) << fine;
                    clamped_positions(kind, inextensible, implicit, steps, x[implicit][fine]);
                }
                for (int i = 0; i < NODES; i++) {
                    CordVec3 change = vec3_sub(x[implicit][1][i], x[implicit][0][i]);
                    double share = kind == RELEASED && !implicit ? 1.0 : 1.0 / 3.0;
                    extrapolated[implicit][i] = vec3_madd(x[implicit][1][i], change, share);
                }
            }
            CHECK_NEAR(largest_difference(extrapolated[0], extrapolated[1]), 0.0, 2e-6);
        }
    }
}

// ---- units, place

// A rod that slides through a clamp, with masses in another unit, at another place.
static void slid_positions(double mass, CordVec3 place, CordIntegrator integrator, CordVec3* x)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_line(place, vec3_add(place, (CordVec3){1, 0, 0}), NODES);
    def.integrator = integrator;
    def.stiffness.EI1 *= mass, def.stiffness.EI2 *= mass, def.stiffness.GJ *= mass, def.stiffness.EA *= mass;
    def.stiffness.mass_per_length *= mass;
    def.velocity = (CordVec3){2, 1, 0};
    CordRodId rod = add_rod(world, &def);
    CordClampDef clamp = clamp_def(rod, cord_at_edge(7), CORD_FIX_FRAME);
    clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0.3};
    add_clamp(world, &clamp);
    run(world, 1e-4, 20);
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i < NODES; i++) {
        x[i] = vec3_sub(x[i], place);
    }
    cord_world_destroy(world);
}

// With the unit of mass 2^40 times as small, every number is the same but for its exponent. At 1e5 m
// coordinates have a round-off of 1.5e-11 m, in each of 20 steps.
TEST(steps_depend_on_neither_units_nor_place)
{
    for (int i = 0; i < 2; i++) {
        CordIntegrator integrator = i == 0 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
        CordVec3 x[NODES], heavy[NODES], far[NODES];
        slid_positions(1.0, origin, integrator, x);
        slid_positions(0x1p40, origin, integrator, heavy);
        slid_positions(1.0, (CordVec3){6e4, -7e4, 3e4}, integrator, far);
        CHECK_NEAR(largest_difference(x, heavy), 0.0, 1e-15);
        CHECK_NEAR(largest_difference(x, far), 0.0, 20 * 1.5e-11);
    }
}

// ---- clamps that are driven

// A bow whose end a gripper pushes in by 4 mm within one step of 10 ms. That may take shorter steps, in each
// of which the gripper goes its share: all of it in the first would be a harder push the shorter the step.
TEST(a_bow_is_pushed_together_in_one_step)
{
    static const CordVec3 through[3] = {{0, 0, 0}, {0.5, 0, -0.1}, {1, 0, 0}};
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = line_def(NODES);
        def.shape = cord_shape_spline(through, 3, NODES), def.rest = CORD_REST_STRAIGHT;
        def.stiffness.EI2 = 3 * RODS_EI, def.inextensible = i % 2;
        def.integrator = i / 2 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){-0.004, 0, 0}, (CordQuat){0, 0, 0, 1}));
        run(world, 1e-2, 1);
        CHECK_VEC3(tip_of(world, rod), ((CordVec3){0.996, 0, 0}), 1e-12);
        cord_world_destroy(world);
    }
}

// A clamp that goes and turns evenly, by a motion or driven step by step: in the middle of a step it is half
// the way either way.
TEST(a_clamp_that_is_driven_goes_as_one_that_moves)
{
    const int steps = 40;
    const double h = 5e-3;
    CordVec3 x[2][NODES], reach = {0, 0.1, 0}, axis = {1, 0, 0};
    for (int driven = 0; driven < 2; driven++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        def.stiffness.EI2 = 3 * RODS_EI, def.integrator = CORD_INTEGRATOR_MIDPOINT, def.rest_twist = 0.5;
        CordRodId rod = add_rod(world, &def);
        CordMotion motions[2] = {cord_motion_translate(reach, 0, steps * h),
                                 cord_motion_rotate(axis, 4.0, 0, steps * h)};
        CordClampId id = hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, motions, driven ? 0 : 2);
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        for (int n = 1; n <= steps; n++) {
            if (driven) {
                double share = (double)n / steps;
                CHECK_OK(
                    cord_clamp_move(world, id, vec3_mul(reach, share), cord_quat_about(axis, 4.0 * share)));
            }
            run(world, h, 1);
        }
        CHECK_OK(cord_rod_positions(world, rod, x[driven]));
        cord_world_destroy(world);
    }
    // round-off, in a hundred motions that may grow
    CHECK_NEAR(largest_difference(x[0], x[1]), 0.0, 1e-11);
}

// ---- the report

// Two rods that tumble, one of which is stepped alone as well: all they did is counted, and a matrix that is
// kept is not factored again.
TEST(iterations_and_factorings_are_counted_step_by_step_and_in_many)
{
    CordStepReport report[2];
    CordRodDef def = tumbler_def(true, CORD_INTEGRATOR_MIDPOINT);
    for (int many = 0; many < 2; many++) {
        CordWorld* world = new_weightless_world();
        CordRodId first = add_rod(world, &def);
        def.spin = (CordVec3){9, 0, 0};
        add_rod(world, &def);
        def.spin = (CordVec3){1, 3, 4};
        int64_t most = 0;
        for (int n = 0; n < 20 && !many; n++) {
            run(world, 5e-3, 1);
            most += cord_world_step_report(world).iterations;
        }
        if (many) {
            CHECK_OK(cord_world_step_many(world, 5e-3, 20));
        }
        report[many] = cord_world_step_report(world);
        CHECK_INT(cord_world_retries(world), 0);
        CHECK(many || (report[0].iterations_in_all > most && report[0].iterations_in_all <= 2 * most));
        CHECK_OK(cord_rod_destroy(world, first)); // what it did stays counted
        CHECK(cord_world_step_report(world).iterations_in_all == report[many].iterations_in_all);
        CHECK(cord_world_step_report(world).factorings_in_all == report[many].factorings_in_all);
        cord_world_destroy(world);
    }
    CHECK_INT(report[1].iterations, report[0].iterations);
    CHECK(report[1].error == report[0].error);
    CHECK(report[1].iterations_in_all == report[0].iterations_in_all);
    CHECK(report[1].factorings_in_all == report[0].factorings_in_all);
    CHECK(report[0].factorings_in_all >= 40 && report[0].factorings_in_all < report[0].iterations_in_all);
}

// The estimate for one step from a smooth state, against a hundred small ones: within a factor of three.
TEST(the_error_of_a_step_is_about_what_it_is_said_to_be)
{
    for (int euler = 0; euler < 2; euler++) {
        CordRodId rod, same;
        CordIntegrator integrator = euler ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT;
        CordWorld *a = tumbling_world(integrator, &rod), *b = tumbling_world(CORD_INTEGRATOR_MIDPOINT, &same);
        CordVec3 x[NODES], y[NODES], v[NODES];
        run(a, 1e-3, 50);
        CHECK_OK(cord_rod_positions(a, rod, x));
        CHECK_OK(cord_rod_velocities(a, rod, v));
        CHECK_OK(cord_rod_set_positions(b, same, x));
        CHECK_OK(cord_rod_set_velocities(b, same, v));
        run(a, 1e-3, 1);
        run(b, 1e-5, 100);
        CHECK_OK(cord_rod_positions(a, rod, x));
        CHECK_OK(cord_rod_positions(b, same, y));
        CordStepReport report = cord_world_step_report(a);
        double error = largest_difference(x, y);
        CHECK(report.iterations >= 2 && report.iterations <= 5);
        CHECK(report.iterations_in_all >= 51 * 2);
        CHECK(report.error > error / 3 && report.error < 3 * error);
        cord_world_destroy(a);
        cord_world_destroy(b);
    }
}

// The midpoint rule is exact in a fall: what it is off by is round-off of positions near 1 m.
TEST(a_free_fall_by_the_midpoint_rule_has_no_error)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(NODES);
    def.integrator = CORD_INTEGRATOR_MIDPOINT;
    add_rod(world, &def);
    run(world, 0.01, 5); // the first one knows no acceleration
    CHECK(cord_world_step_report(world).error < 1e-14);
    cord_world_destroy(world);
}

// The frames of a chain have neither stiffness nor inertia..
TEST(a_chain_takes_implicit_steps)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(NODES);
    def.integrator = CORD_INTEGRATOR_MIDPOINT, def.inextensible = true;
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 0.0;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    run(world, 0.001, 100);
    CHECK_NEAR(cord_rod_energy(world, rod).kinetic + cord_rod_energy(world, rod).gravity, 0.0, 1e-9);
    CHECK(node_of(world, rod, NODES - 1).z < -0.02);
    cord_world_destroy(world);
}

// A flat rod hangs from a pin and starts straight out, with its section oblique to its weight. Nothing
// resists that all of it turns about itself, and the least curvature makes it turn flat, in its first step.
// It then falls in the vertical plane.
TEST(a_flat_rod_that_is_free_to_turn_turns_flat_and_falls)
{
    const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};
    const double steps[] = {1e-3, 1e-4};
    for (int k = 0; k < 24; k++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = cord_rod_def_default();
        CordVec3 x[21];
        def.model = models[k % 3];
        def.integrator = k / 3 % 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_BACKWARD_EULER;
        def.inextensible = k / 6 % 2;
        def.section = cord_section_rectangle(0.052, 0.001), def.m1 = (CordVec3){0, 1, 1};
        def.material.young = 3e10, def.material.density = 1500.0;
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 21);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        for (int n = 0; n < 20; n++) {
            CHECK_OK(cord_world_step(world, steps[k / 12]));
        }
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK(x[20].z < 0.0);
        CHECK_NEAR(x[20].y, 0.0, 1e-6 * -x[20].z); // frames are in equilibrium to 1e-7
        cord_world_destroy(world);
    }
}

// A straight flat rod is pinned at one end and thrown sideways. It is free to turn about itself, so that it
// bends about its softer axis, however it was laid, exactly on its edge too: Newton's method may find that it
// stands on its edge, and only at the end of the first step, whose part in the bending energy is a hundredth,
// is it turned over. About the other axis it has three times the energy.
TEST(a_flat_rod_that_is_free_to_turn_bends_about_its_softer_axis)
{
    const CordIntegrator integrators[] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT,
                                          CORD_INTEGRATOR_VERLET};
    enum { ANGLES = 12 };
    for (int i = 0; i < 3; i++) {
        double bend[ANGLES];
        for (int k = 0; k < ANGLES; k++) {
            CordWorld* world = new_world((CordVec3){0, 0, 0});
            CordRodDef def = cord_rod_def_default();
            double angle = k * CORD_PI / ANGLES;
            def.integrator = integrators[i];
            def.section = cord_section_ellipse(3e-3, 1.7e-3);
            def.m1 = 2 * k == ANGLES ? (CordVec3){0, 0, 1} : (CordVec3){0, cos(angle), sin(angle)};
            def.material.young = 5e7, def.material.density = 3600.0;
            def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.4, 0, 0}, 5);
            def.velocity = (CordVec3){0, 0, -0.5};
            CordRodId rod = add_rod(world, &def);
            hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
            run(world, i < 2 ? 1e-3 : 1e-4, i < 2 ? 10 : 100);
            bend[k] = cord_rod_energy(world, rod).bend;
            CHECK_NEAR(bend[k], bend[0], 1e-2 * bend[0]);
            cord_world_destroy(world);
        }
    }
}

// A wavy rod of elements of 10 mm that straightens. Returns the iterations of its last step.
static int iterations_of_wavy_rod(int elements)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordVec3* x = calloc((size_t)elements + 1, sizeof *x);
    for (int i = 0; i <= elements; i++) {
        double s = 0.01 * i;
        x[i] = (CordVec3){s, 0.02 * sin(7.0 * s), 0.02 * cos(5.0 * s)};
    }
    CordRodDef def = cord_rod_def_default();
    def.material.young = 1e6;
    def.shape = cord_shape_points(x, elements + 1);
    def.rest = CORD_REST_STRAIGHT;
    def.integrator = CORD_INTEGRATOR_MIDPOINT;
    add_rod(world, &def);
    run(world, 1e-3, 12);
    int iterations = cord_world_step_report(world).iterations;
    free(x);
    cord_world_destroy(world);
    return iterations;
}

// Far from the start of a long rod positions are rounded to more than Newton's method leaves in a short one.
TEST(a_long_rod_takes_no_more_iterations_than_a_short_one)
{
    CHECK(iterations_of_wavy_rod(50000) <= iterations_of_wavy_rod(50));
}

TEST_GROUP(solve_implicit)
