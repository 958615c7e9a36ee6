// Turns of clamps about the rod: however many a step takes, the rod is twisted by all of them.
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
        double begin[] = {0.0, 0.5 * s->step, s->step}, end[] = {s->step, 0.5 * s->step, 2.0 * s->step};
        for (int k = 0; k < 3; k++) {
            CordMotion motion = turned(turns[i], begin[k], end[k]);
            CordRodId rod;
            CordWorld* world = wound_world(s, &motion, 1, &rod);
            for (int n = 0; n < 3; n++) {
                run(world, s->step, 1);
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
    CordMotion motion = turned(20.0, 0.0, 8.0 * s->step);
    CordRodId rod;
    CordWorld* world = wound_world(s, &motion, 1, &rod);
    run_many(world, s->step, 4);
    CHECK_NEAR(cord_rod_twist(world, rod), 10.0, 1e-12 * NODES);
    cord_world_destroy(world);
}

// A state that was saved between two such steps goes on with the same bits, and loses no turn.
static void and_resumed(const Subject* s)
{
    CordMotion motion = turned(9.0, 0.0, 3.0 * s->step);
    CordRodId rod, again;
    CordWorld *world = wound_world(s, &motion, 1, &rod), *other = wound_world(s, &motion, 1, &again);
    run(world, s->step, 2);
    Saved middle = save(world);
    run(world, s->step, 2);
    run(other, 0.7 * s->step, 1);
    restore(other, &middle);
    run(other, s->step, 2);
    CHECK_NEAR(cord_rod_twist(other, again), 9.0, 1e-12 * NODES);
    CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
    drop_saved(&middle);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// The clamp also tilts. The same motion in small steps tells how many turns there are; the curve, and with it
// the part of a turn that it takes up, is a little different.
static void with_a_change_of_direction(const Subject* s)
{
    double twist[2];
    for (int k = 0; k < 2; k++) {
        CordMotion motions[] = {turned(10.0, 0.0, s->step),
                                cord_motion_rotate((CordVec3){0, 1, 0}, 0.3, 0.0, s->step)};
        CordRodId rod;
        CordWorld* world = wound_world(s, motions, 2, &rod);
        run(world, k == 0 ? s->step : s->step / 128.0, k == 0 ? 1 : 128);
        twist[k] = cord_rod_twist(world, rod);
        cord_world_destroy(world);
    }
    CHECK_NEAR(twist[0], twist[1], 0.1);
    CHECK_NEAR(twist[0], 10.0, 0.1);
}

static const Claim claims[] = {
    {"turns in one step", IS_CHAIN, 0, in_one_step},
    {"turns in a solve", IS_CHAIN, 0, in_a_solve},
    {"turns by many steps", IS_CHAIN, 0, by_many_steps},
    {"turns that are resumed", IS_CHAIN, 0, and_resumed},
    {"turns with a change of direction", IS_CHAIN, 0, with_a_change_of_direction},
};

CLAIM_GROUP(turns)
