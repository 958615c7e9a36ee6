// Turns of clamps about the rod: however many a step takes, the rod is twisted by all of them. And frames
// that spin by themselves.
#include "claims.h"

enum { NODES = 49 };

static const double turns[] = {10.0, 10.25, -10.0, -10.25, 0.625, -1.5};

// A metre of round rod along x between clamps of the frame; the far one is driven by `motions`.
static CordWorld* wound_world(const Subject* s, const CordMotion* motions, int count, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_rod(s, NODES);
    def.twist = 0.0;
    def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3; // it keeps its nodes
    *rod = add_rod(world, &def);
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampDef clamp = clamp_def(*rod, cord_at_end(), CORD_FIX_FRAME);
    clamp.motions = motions, clamp.motion_count = count;
    clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0};
    add_clamp(world, &clamp);
    return world;
}

// Position-based rods have frames with inertia: twist runs along this one in some 50 ms, and no element may
// be twisted by half a turn on the way.
static double step_of(const Subject* s)
{
    return s->model == CORD_MODEL_PBD && !subject_is_implicit(s) ? 0.25 : s->step;
}

static CordMotion turned(double by, double from, double to)
{
    return cord_motion_rotate((CordVec3){1, 0, 0}, 2.0 * pi * by, from, to);
}

// The twist as the frames show it, without full turns between neighbours. Frames with inertia are at first
// turned by all of them at one corner, which only der has an energy for.
static double seen_twist(const Subject* s, CordWorld* world, CordRodId rod)
{
    CordVec3 x[NODES], m1[NODES];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    return s->dynamic_twist ? cord_rod_twist(world, rod) : cord_polygon_twist(x, NODES, false, m1);
}

// All of the turns in one step, at an instant within it, and in a step after one that did not turn.
static void in_one_step(const Subject* s)
{
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        double begin[] = {0.0, 0.5 * step_of(s), step_of(s)},
               end[] = {step_of(s), 0.5 * step_of(s), 2.0 * step_of(s)};
        for (int k = 0; k < 3; k++) {
            CordMotion motion = turned(turns[i], begin[k], end[k]);
            CordRodId rod;
            CordWorld* world = wound_world(s, &motion, 1, &rod);
            for (int n = 0; n < 3; n++) {
                run(world, step_of(s), 1);
                double expected = n > 0 || k < 2 ? turns[i] : 0.0;
                CHECK_NEAR(cord_rod_twist(world, rod), expected, 1e-12 * NODES);
                CHECK_NEAR(seen_twist(s, world, rod), expected, 1e-12 * NODES);
            }
            cord_world_destroy(world);
        }
    }
}

static void in_a_solve(const Subject* s)
{
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        CordMotion motion = turned(turns[i], 0.0, 1.0);
        CordRodId rod;
        CordWorld* world = wound_world(s, &motion, 1, &rod);
        for (int n = 0; n < 3; n++) { // there, part of the way back, and to the end again
            double time = n == 1 ? 0.5 : 1.0;
            CHECK_OK(cord_world_set_time(world, time));
            solve_as(world, true);
            CHECK_NEAR(cord_rod_twist(world, rod), time * turns[i], 1e-12 * NODES);
            CHECK_NEAR(seen_twist(s, world, rod), time * turns[i], 1e-12 * NODES);
        }
        cord_world_destroy(world);
    }
}

static void by_many_steps(const Subject* s)
{
    CordMotion motion = turned(20.0, 0.0, 8.0 * step_of(s));
    CordRodId rod;
    CordWorld* world = wound_world(s, &motion, 1, &rod);
    run_many(world, step_of(s), 4);
    CHECK_NEAR(cord_rod_twist(world, rod), 10.0, 1e-12 * NODES);
    cord_world_destroy(world);
}

// A state that was saved between two such steps goes on with the same bits, and loses no turn.
static void and_resumed(const Subject* s)
{
    CordMotion motion = turned(9.0, 0.0, 3.0 * step_of(s));
    CordRodId rod, again;
    CordWorld *world = wound_world(s, &motion, 1, &rod), *other = wound_world(s, &motion, 1, &again);
    run(world, step_of(s), 2);
    Saved middle = save(world);
    run(world, step_of(s), 2);
    run(other, 0.7 * step_of(s), 1);
    restore(other, &middle);
    run(other, step_of(s), 2);
    CHECK_NEAR(cord_rod_twist(other, again), 9.0, 1e-12 * NODES);
    CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
    drop_saved(&middle);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// The clamp also tilts, and the rod may buckle. The same motion in small steps has the same link, but for the
// part of a turn that the curve takes up.
static void with_a_change_of_direction(const Subject* s)
{
    double link[2], h = step_of(s);
    for (int k = 0; k < 2; k++) {
        CordMotion motions[] = {turned(10.0, 0.0, h), cord_motion_rotate((CordVec3){0, 1, 0}, 0.3, 0.0, h)};
        CordRodId rod;
        CordWorld* world = wound_world(s, motions, 2, &rod);
        run(world, k == 0 ? h : h / 128.0, k == 0 ? 1 : 128);
        link[k] = cord_rod_link(world, rod);
        cord_world_destroy(world);
    }
    CHECK_NEAR(link[0], link[1], 0.05);
    CHECK_NEAR(link[0], 10.0, 0.1);
}

// Frames with inertia that are turned too fast for the strain of their model: the step fails and says so.
static void too_fast(const Subject* s)
{
    CordMotion motion = turned(10.0, 0.0, s->step);
    CordRodId rod;
    CordWorld* world = wound_world(s, &motion, 1, &rod);
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_step(world, s->step), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "more elements");
    CHECK(cord_world_state_hash(world) == before);
    cord_world_destroy(world);
}

// Ten turns on four elements, which corde and pbd have no strain for.
static void too_many(const Subject* s)
{
    CordRodDef def = subject_rod(s, 5);
    def.twist = 0.0;
    CordMotion motion = turned(10.0, 0.0, 1.0);
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_rod(world, &def);
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &motion, 1);
    solve_as(world, true);
    CHECK_OK(cord_world_set_time(world, 1.0));
    if (s->model == CORD_MODEL_DER) {
        solve_as(world, true);
        CHECK_NEAR(cord_rod_twist(world, rod), 10.0, 1e-12);
    } else {
        CHECK_RESULT(cord_world_solve(world, &solve, &report), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "more elements");
        CHECK_NEAR(cord_rod_twist(world, rod), 0.0, 1e-12);
    }
    cord_world_destroy(world);
}

// Turns on twenty elements of a stiff rod, which corde can hold no more than fourteen of. Straight elements
// hold them, but once the rod has bent under the torque, directors could turn over and take two turns out of
// it. Until the step fails, no turn is lost.
static void wound_until_it_fails(const Subject* s, double by, double from, double to)
{
    double h = fmin(s->step, 4e-5);
    CordRodDef def = subject_rod(s, 21);
    def.twist = 0.0, def.material.young = 1e9, def.material.density = 1000.0;
    def.section = cord_section_disc(0.005);
    CordMotion motion = turned(by, from, to);
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_rod(world, &def);
    CordResult result = CORD_OK;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &motion, 1);
    for (int n = 0; n * h < to + 10.0 * h && result == CORD_OK; n++) {
        result = cord_world_step(world, h);
        if (n % 10 == 0 || result != CORD_OK) {
            double time = cord_world_time(world), before = from < to ? time / to : 0.0;
            CHECK_NEAR(cord_rod_link(world, rod), by * (time < to ? before : 1.0), 1e-3);
        }
    }
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "more elements, such as");
    cord_world_destroy(world);
}

static void too_many_in_steps(const Subject* s)
{
    if (s->model == CORD_MODEL_CORDE) {
        wound_until_it_fails(s, 12.0, 0.0, 0.2);
        wound_until_it_fails(s, -25.0, 0.0, 0.2);
    }
}

static void too_many_at_once(const Subject* s)
{
    if (s->model == CORD_MODEL_CORDE) {
        wound_until_it_fails(s, 37.25, 0.5 * s->step, 0.5 * s->step);
        wound_until_it_fails(s, -38.0, 0.5 * s->step, 0.5 * s->step);
        CordMotion motion = turned(200.0, 0.0, 0.0); // before the first step
        CordRodId rod;
        CordWorld* world = wound_world(s, &motion, 1, &rod);
        CHECK_RESULT(cord_world_step(world, s->step), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "more elements, such as");
        cord_world_destroy(world);
    }
}

// Another number of elements, each of which is twisted by more than half a turn.
static void carried(const Subject* s)
{
    CordMotion motion = turned(10.0, 0.0, 1.0);
    CordWorld* worlds[2];
    CordRodId rods[2];
    for (int i = 0; i < 2; i++) {
        CordRodDef def = subject_rod(s, i == 0 ? 9 : 12);
        def.twist = 0.0;
        worlds[i] = new_weightless_world();
        rods[i] = add_rod(worlds[i], &def);
        hold(worlds[i], rods[i], cord_at_start(), CORD_FIX_FRAME);
        hold_moving(worlds[i], rods[i], cord_at_end(), CORD_FIX_FRAME, &motion, 1);
    }
    CHECK_OK(cord_world_set_time(worlds[0], 1.0));
    solve_as(worlds[0], true);
    CHECK_WORLD_OK(worlds[1], cord_world_carry(worlds[1], worlds[0]));
    CHECK_NEAR(cord_rod_twist(worlds[1], rods[1]), 10.0, 1e-11);
    run(worlds[1], s->step, 1);
    CHECK_NEAR(cord_rod_twist(worlds[1], rods[1]), 10.0, 1e-11);
    cord_world_destroy(worlds[0]);
    cord_world_destroy(worlds[1]);
}

static void carried_where_it_can_be(const Subject* s)
{
    if (s->model == CORD_MODEL_DER) { // the other models have no strain for it
        carried(s);
    }
}

// A heavy wheel welded to the end that makes most of a turn in each step, and more: the step is cut.
static void by_a_body(const Subject* s)
{
    const double each[] = {0.3, 0.6, 2.2, -0.8}; // turns
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = subject_rod(s, NODES);
        def.twist = 0.0;
        CordWeldDef weld = cord_weld_def_default();
        weld.rod = add_rod(world, &def);
        hold(world, weld.rod, cord_at_start(), CORD_FIX_FRAME);
        CordBodyDef wheel = cord_body_def_default();
        wheel.mass = 1e3, wheel.inertia[0] = wheel.inertia[1] = wheel.inertia[2] = 1e6;
        wheel.position = (CordVec3){1, 0, 1}, wheel.spin = (CordVec3){2.0 * pi * each[i] / s->step, 0, 0};
        CordWeldId id;
        CHECK_OK(cord_body_create(world, &wheel, &weld.body));
        CHECK_OK(cord_weld_create(world, &weld, &id));
        run(world, s->step, 3);
        CHECK_NEAR(cord_rod_twist(world, weld.rod), 3.0 * each[i], 1e-6);
        cord_world_destroy(world);
    }
}

// A straight rod that spins about itself: its frames turn, and have the energy and the momentum of a shaft.
static void about_itself(const Subject* s)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_rod(s, NODES);
    CordVec3 before[NODES], after[NODES];
    double rate = 20.0, inertia = 0.5 * pi * 1e-8 * def.material.density; // pi r^4 / 2, over a metre
    def.twist = 0.0, def.spin = (CordVec3){rate, 0, 0};
    CordRodId rod = add_rod(world, &def);
    CHECK_OK(cord_rod_material_frames(world, rod, before));
    for (int n = 0; n < 3; n++) {
        CordMomentum m = cord_rod_momentum(world, rod);
        CHECK_NEAR(cord_rod_energy(world, rod).kinetic, 0.5 * inertia * rate * rate,
                   1e-12 * inertia * rate * rate);
        CHECK_VEC3(m.angular, ((CordVec3){inertia * rate, 0, 0}), 1e-12 * inertia * rate);
        run(world, s->step, 10);
    }
    CHECK_OK(cord_rod_material_frames(world, rod, after));
    for (int j = 0; j < NODES - 1; j++) { // kernels turn by 2 atan(a / 2), in each of thirty steps
        double a = rate * s->step, angle = atan2(cross(before[j], after[j]).x, dot(before[j], after[j]));
        CHECK_NEAR(angle, 30.0 * a, 30.0 * a * a * a / 11.9 + 1e-12);
    }
    cord_world_destroy(world);
}

// A bent rod that tumbles: the edges carry the spin of their frames along as they turn.
static double momentum_drift(const Subject* s, double h)
{
    enum { COUNT = 13 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_def(s);
    CordVec3 x[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (CordVec3){0.4 * sin(0.1 * i), 0.4 * cos(0.1 * i), 0.02 * i};
    }
    def.shape = cord_shape_points(x, COUNT), def.section = cord_section_disc(0.02);
    def.spin = (CordVec3){2, -1, 0.7}, def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    CordVec3 first = cord_rod_momentum(world, rod).angular;
    double worst = 0.0;
    while (cord_world_time(world) < 0.2) {
        run(world, h, 1);
        worst = fmax(worst, size_of(minus(cord_rod_momentum(world, rod).angular, first)) / size_of(first));
    }
    cord_world_destroy(world);
    return worst;
}

static void momentum_of_spin(const Subject* s)
{
    bool exact = subject_traits(s) & KEEPS_ANGULAR;
    double h = s->orientations == CORD_ORIENTATIONS_EXPLICIT ? s->step : 0.5 * s->step;
    double coarse = momentum_drift(s, h), fine = exact ? 0.0 : momentum_drift(s, 0.5 * h);
    print_message("    drift %.2g, %.2g at half the step\n", coarse, fine);
    CHECK(coarse < (exact ? 1e-11 : 2e-7)); // without the spin forces it was 4e-3
    CHECK(exact || fine < 0.3 * coarse);    // second order
}

static const Claim claims[] = {
    {"spin about itself", HAS_SPIN, 0, about_itself},
    {"momentum of spin", HAS_SPIN | IS_SOLVED, IS_ADAPTIVE, momentum_of_spin},
    {"turns of a body", TAKES_WELDS | IS_PHYSICAL | IS_SOLVED, OWN_DIRECTORS, by_a_body},
    {"turns in one step", IS_CHAIN | IS_PHYSICAL | IS_SOLVED, OWN_DIRECTORS, in_one_step},
    {"turns in a solve", IS_CHAIN | IS_PHYSICAL, 0, in_a_solve},
    {"turns by many steps", IS_CHAIN | IS_PHYSICAL | IS_SOLVED, OWN_DIRECTORS, by_many_steps},
    {"turns that are resumed", IS_CHAIN | IS_PHYSICAL | IS_SOLVED, OWN_DIRECTORS, and_resumed},
    {"turns with a change of direction", IS_CHAIN | IS_PHYSICAL | IS_SOLVED, OWN_DIRECTORS,
     with_a_change_of_direction},
    {"turns carried over", IS_CHAIN, IS_ADAPTIVE, carried_where_it_can_be},
    {"turns too fast to follow", OWN_DIRECTORS, 0, too_fast},
    {"turns too many in steps", IS_EXPLICIT, IS_ADAPTIVE, too_many_in_steps},
    {"turns too many at once", IS_EXPLICIT, IS_ADAPTIVE | OWN_DIRECTORS, too_many_at_once},
    {"turns too many for the elements", IS_CHAIN | IS_PHYSICAL, 0, too_many},
};

CLAIM_GROUP(turns)
