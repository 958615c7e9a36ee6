// Explicit corde rods in a world: twist of many turns, states that are put back, solves, positions that are
// set, memory, and what is refused.
#include "corde_rods.h"
#include "heap.h"

#include <cordage/solve.h>
#include <stdlib.h>

static const CordOrientations both[] = {CORD_ORIENTATIONS_QUASISTATIC, CORD_ORIENTATIONS_EXPLICIT};

static CordRodDef corde_def(CordRodDef def, CordOrientations orientations)
{
    def.model = CORD_MODEL_CORDE;
    def.corde.orientations = orientations;
    def.stiffness.rotary1 = def.stiffness.rotary2 = 1e-7, def.stiffness.spin_inertia = 2e-7;
    return def;
}

// ---- many turns

static void solve(CordWorld* world, CordSolveReport* report)
{
    CordSolveDef def = cord_solve_def_default();
    CordResult result = cord_world_solve(world, &def, report);
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK_OK(result);
}

// GJ so small that the rod does not buckle: Greenhill's moment is 2 pi EI / L = 0.0126 N m, that of twenty
// turns 0.0038 N m.
static CordRodDef soft_in_twist(CordRodDef def)
{
    def.stiffness.GJ = 3e-5;
    return def;
}

static CordWorld* wound_world(CordOrientations orientations, double turns, double until, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(soft_in_twist(line_def(101)), orientations);
    *rod = add_rod(world, &def);
    CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 2 * CORD_PI * turns, 0, until);
    CordClampDef end = clamp_def(*rod, cord_at_end(), CORD_FIX_FRAME);
    end.motions = &motion, end.motion_count = 1;
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    add_clamp(world, &end);
    return world;
}

static void run_until(CordWorld* world, double time)
{
    double h = 0.5 * cord_world_step_advice(world).step;
    run(world, h, (int)((time - cord_world_time(world)) / h) + 1);
}

// Between frames that clamps hold on a straight rod, the twist is what was wound, however many half turns
// each quaternion has seen. Straight but for round-off, so writhe adds nothing.
TEST(twenty_turns_wound_into_a_rod_stay_in_it)
{
    for (int i = 0; i < 2; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            CordRodId rod;
            CordWorld* world = wound_world(both[i], 20.0 * sign, 0.3, &rod);
            run_until(world, 0.15);
            double half = cord_world_time(world) / 0.3;
            CHECK_NEAR(cord_rod_twist(world, rod), 20.0 * sign * half, 1e-9);
            run_until(world, 0.32);
            CHECK_NEAR(cord_rod_twist(world, rod), 20.0 * sign, 1e-9);
            CHECK_NEAR(cord_rod_writhe(world, rod), 0.0, 1e-9);
            cord_world_destroy(world);
        }
    }
}

// The energy knows of it, too: by the measure 4 tan(phi/4), from edge to edge.
TEST(the_energy_is_that_of_twenty_turns)
{
    CordRodId rod;
    CordSolveReport report;
    CordWorld* world = wound_world(CORD_ORIENTATIONS_QUASISTATIC, 20.0, 0.3, &rod);
    run_until(world, 0.31);
    solve(world, &report);
    double phi = 2 * CORD_PI * 20 / 99, strain = 4 * tan(phi / 4);
    double energy = 99 * 0.5 * 3e-5 * strain * strain / 0.01;
    // as far as the solver goes, squared
    CHECK_NEAR(cord_rod_energy(world, rod).twist, energy, 1e-9 * energy);
    cord_world_destroy(world);
}

// Of a ring, twist and writhe make the link of its edge with its axis, which nothing changes: exactly so,
// since frames lie on the tangents.
TEST(a_ring_keeps_an_odd_number_of_turns)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(soft_in_twist(ring_def(40)), both[i % 2]);
        def.twist = 2 * CORD_PI * (i < 2 ? 3 : -5);
        CordRodId rod = add_rod(world, &def);
        CHECK_NEAR(cord_rod_twist(world, rod), i < 2 ? 3.0 : -5.0, 1e-12);
        uint64_t seed = 1;
        shake(world, rod, &seed, 1e-3);
        double link = cord_rod_twist(world, rod) + cord_rod_writhe(world, rod);
        CHECK_NEAR(link, i < 2 ? 3.0 : -5.0, 1e-12);
        run(world, 0.5 * cord_world_step_advice(world).step, 2000);
        CHECK_NEAR(cord_rod_twist(world, rod) + cord_rod_writhe(world, rod), link, 1e-12);
        cord_world_destroy(world);
    }
}

// What clamps turn together, friction does not hold back: no part of the rod is twisted against another once
// the motion is steady.
TEST(friction_does_not_hold_back_a_rod_that_turns_as_a_whole)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(line_def(21), both[i % 2]);
        def.damping_time = i < 2 ? 0.002 : 0.0;
        def.corde.friction_turn = i < 2 ? NAN : 1e-5;
        CordRodId rod = add_rod(world, &def);
        CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 10.0, 0, 1.0);
        for (int end = 0; end < 2; end++) {
            CordClampDef clamp = clamp_def(rod, end ? cord_at_end() : cord_at_start(), CORD_FIX_FRAME);
            clamp.motions = &motion, clamp.motion_count = 1;
            add_clamp(world, &clamp);
        }
        run_until(world, 0.9);
        CordVec3 m1[20];
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        for (int j = 1; j < 20; j++) { // the waves of setting out have died down
            CHECK_VEC3(m1[j], m1[0], 1e-6);
        }
        cord_world_destroy(world);
    }
}

// ---- states

// Of both kinds: an open rod that is wound and let go at 0.03 s, a ring with a seam, an inextensible one.
static CordWorld* build(void)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    for (int i = 0; i < 2; i++) {
        CordRodDef line = corde_def(line_def(14), both[i]), rope = corde_def(line_def(11), both[i]);
        CordVec3 x[12];
        for (int n = 0; n < 12; n++) {
            double a = 2 * CORD_PI * n / 12;
            x[n] = (CordVec3){0.2 * cos(a), 0.2 * sin(a), 0.05 * sin(2 * a)};
        }
        CordRodDef ring = corde_def(line_def(12), both[i]);
        ring.shape = cord_shape_points(x, 12), ring.closed = true, ring.rest = CORD_REST_STRAIGHT;
        ring.stiffness.EI2 = 2 * RODS_EI, ring.twist = 2.0;
        rope.inextensible = true;
        line.damping_time = 1e-4;
        CordRodId a = add_rod(world, &line), b = add_rod(world, &rope), c = add_rod(world, &ring);
        CordMotion motion = cord_motion_rotate((CordVec3){1, 0, 0}, 4.0, 0, 0.02);
        CordClampDef clamp = clamp_def(a, cord_at_end(), CORD_FIX_FRAME);
        clamp.motions = &motion, clamp.motion_count = 1, clamp.release = 0.03;
        hold(world, a, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &clamp);
        hold(world, b, cord_at_start(), CORD_FIX_DIRECTION);
        hold(world, c, cord_at_edge(3), CORD_FIX_FRAME);
    }
    return world;
}

#define STEP 1e-4

TEST(a_state_put_back_goes_on_with_the_same_bits)
{
    CordWorld *world = build(), *other = build();
    size_t size = cord_world_state_size(world);
    uint8_t* bytes = malloc(size);
    for (int i = 0; i < 8; i++) { // before and after the clamps let go
        CHECK_OK(cord_world_state_get(world, bytes, size));
        run(world, STEP, 50);
        uint64_t now = cord_world_state_hash(world);
        CHECK_OK(cord_world_state_set(world, bytes, size));
        run(world, STEP, 50);
        CHECK(cord_world_state_hash(world) == now);
        CHECK_OK(cord_world_state_set(other, bytes, size));
        run(other, STEP, 50);
        CHECK(cord_world_state_hash(other) == now);
    }
    free(bytes);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

TEST(many_steps_at_once_give_the_same_bits)
{
    CordWorld *world = build(), *other = build();
    run(world, STEP, 400);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(cord_world_step_many(other, STEP, 100));
    }
    CHECK(cord_world_state_hash(other) == cord_world_state_hash(world));
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// ---- memory

TEST(a_step_after_the_first_allocates_nothing)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    for (int i = 0; i < 4; i++) {
        CordRodDef rod_def = corde_def(i < 2 ? line_def(12) : ring_def(12), both[i % 2]);
        CordRodId rod = add_rod(world, &rod_def);
        CordClampDef clamp = clamp_def(rod, cord_at_edge(4), CORD_FIX_FRAME);
        clamp.release = 0.002;
        add_clamp(world, &clamp);
    }
    run(world, STEP, 2);
    int64_t calls = heap.calls;
    run(world, STEP, 50); // clamps let go
    CHECK_INT(heap.calls, calls);
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

// Calls again what had no memory: it must have changed nothing, and so succeed.
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        CordResult result_ = (call);                                                                         \
        if (result_ == CORD_NO_MEMORY) {                                                                     \
            CHECK_CONTAINS(cord_world_message(world), "memory");                                             \
            result_ = (call);                                                                                \
        }                                                                                                    \
        CHECK_OK(result_);                                                                                   \
    } while (0)

static uint64_t made_stepped_and_solved(Heap* heap)
{
    CordWorldDef def = def_on(heap);
    CordWorld* world;
    if (cord_world_create(&def, &world) == CORD_NO_MEMORY) {
        CHECK_OK(cord_world_create(&def, &world));
    }
    for (int i = 0; i < 4; i++) {
        CordRodDef rod_def = corde_def(i < 2 ? line_def(8) : ring_def(8), both[i % 2]);
        CordRodId rod;
        CordClampId clamp;
        TRY(cord_rod_create(world, &rod_def, &rod));
        CordClampDef start = clamp_def(rod, cord_at_edge(0), CORD_FIX_FRAME);
        TRY(cord_clamp_create(world, &start, &clamp));
    }
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    TRY(cord_world_step_many(world, STEP, 3));
    TRY(cord_world_solve(world, &solve, &report));
    TRY(cord_world_step(world, STEP));
    int64_t fail = heap->fail;
    heap->fail = 0;
    uint64_t hash = cord_world_state_hash(world);
    heap->fail = fail;
    cord_world_destroy(world);
    return hash;
}

TEST(when_any_one_allocation_fails_the_call_says_so_and_changes_nothing)
{
    Heap heap = {0};
    uint64_t expected = made_stepped_and_solved(&heap);
    int64_t calls = heap.calls;
    CHECK_INT(heap.held, 0);
    CHECK(calls > 30);
    for (int64_t n = 1; n <= calls; n++) {
        heap = (Heap){.fail = n};
        CHECK(made_stepped_and_solved(&heap) == expected);
        CHECK_INT(heap.held, 0);
    }
}

// ---- solves

// A solve holds third directors to the tangents, whoever asks for it: the same answer for every way of
// stepping.
TEST(an_equilibrium_does_not_depend_on_how_the_rod_is_stepped)
{
    enum { N = 21 };
    CordVec3 x[3][N];
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -2.0});
        CordRodDef def = corde_def(line_def(N), both[i % 2]);
        def.integrator = i == 2 ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
        def.stiffness.EI2 = 3 * RODS_EI, def.half_edge_start = true, def.m1 = (CordVec3){0, 1, 0.5};
        CordRodId rod = add_rod(world, &def);
        CordSolveReport report;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        if (i < 2) {
            run(world, 0.5 * cord_world_step_advice(world).step, 100); // from a state of its own
        }
        solve(world, &report);
        CHECK_OK(cord_rod_positions(world, rod, x[i]));
        cord_world_destroy(world);
    }
    for (int n = 0; n < N; n++) { // as far as the solver goes
        CHECK_VEC3(x[0][n], x[2][n], 1e-7);
        CHECK_VEC3(x[1][n], x[2][n], 1e-7);
    }
}

TEST(a_solve_keeps_the_turns_that_are_in_a_rod)
{
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordSolveReport report;
        CordWorld* world = wound_world(both[i], 20.0, 0.3, &rod);
        run_until(world, 0.31);
        solve(world, &report);
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        run(world, 0.5 * cord_world_step_advice(world).step, 100);
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        solve(world, &report);
        CHECK(report.iterations <= 3); // it was there, but for what the penalty makes of it
        CHECK_NEAR(cord_rod_twist(world, rod), 20.0, 1e-9);
        cord_world_destroy(world);
    }
}

// ---- positions that are set

// Frames go along by the least turn: that of a straight rod turned as a whole, about an axis across it, is
// the rotation itself.
TEST(frames_go_along_with_positions_that_are_set)
{
    enum { N = 15 };
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = corde_def(line_def(N), both[i]);
        def.stiffness.EI2 = 3 * RODS_EI, def.m1 = (CordVec3){0, 1, 0.3};
        CordRodId rod = add_rod(world, &def);
        CordVec3 x[N], before[N], after[N];
        CordQuat turn = cord_quat_about((CordVec3){0, 0.6, 0.8}, 0.7);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, before));
        for (int n = 0; n < N; n++) {
            x[n] = quat_rotate(turn, x[n]);
        }
        CHECK_OK(cord_rod_set_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, after));
        for (int j = 0; j < N - 1; j++) {
            // round-off; equilibrium is where it was
            CHECK_VEC3(after[j], quat_rotate(turn, before[j]), 1e-12);
        }
        cord_world_destroy(world);
    }
}

// Orientations with inertia keep their stresses; the others are in equilibrium.
TEST(a_free_rod_that_is_set_elsewhere_is_as_stressed_as_before)
{
    enum { N = 15 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_def(line_def(N), CORD_ORIENTATIONS_EXPLICIT);
    def.twist = 1.5;
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[N];
    CordQuat turn = cord_quat_about((CordVec3){0, 0.6, 0.8}, 0.7);
    CordEnergy before = cord_rod_energy(world, rod);
    CHECK(before.twist > 1e-4);
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int n = 0; n < N; n++) {
        x[n] = vec3_add(quat_rotate(turn, x[n]), (CordVec3){1, 2, 3});
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CordEnergy after = cord_rod_energy(world, rod);
    CHECK_NEAR(after.twist, before.twist, 1e-13 * before.twist); // round-off
    CHECK_NEAR(after.bend, before.bend, 1e-24);                  // both are round-off, squared
    CHECK_NEAR(cord_rod_twist(world, rod), 1.5 / (2 * CORD_PI), 1e-12);
    cord_world_destroy(world);
}

// ---- what is refused

static void check_refused(CordRodDef def, CordResult expected, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    def.name = "thread";
    CHECK_RESULT(cord_rod_create(world, &def, &rod), expected);
    CHECK_CONTAINS(cord_world_message(world), "thread");
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

TEST(what_makes_no_sense_is_refused_by_name)
{
    const CordRodDef fine = corde_def(line_def(5), CORD_ORIENTATIONS_EXPLICIT);
    CordRodDef def = fine;
    def.corde.orientations = (CordOrientations)7;
    check_refused(def, CORD_BAD_ARGUMENT, "orientations (7)");
    const double bad[] = {0.0, -1.0, INFINITY};
    for (int i = 0; i < 3; i++) {
        def = fine, def.corde.penalty = bad[i];
        check_refused(def, CORD_BAD_ARGUMENT, "penalty");
    }
    def = fine, def.corde.friction_stretch = -1.0;
    check_refused(def, CORD_BAD_ARGUMENT, "friction in stretching is -1");
    def = fine, def.corde.friction_turn = INFINITY;
    check_refused(def, CORD_BAD_ARGUMENT, "friction in turning is inf");
    def = fine, def.corde.printed_strain = true, def.integrator = CORD_INTEGRATOR_MIDPOINT;
    check_refused(def, CORD_NOT_SUPPORTED, "printed strain");
}

TEST(explicit_orientations_without_inertia_are_refused)
{
    for (int i = 0; i < 3; i++) {
        CordRodDef def = corde_def(line_def(5), CORD_ORIENTATIONS_EXPLICIT);
        *(i == 0   ? &def.stiffness.rotary1
          : i == 1 ? &def.stiffness.rotary2
                   : &def.stiffness.spin_inertia) = 0.0;
        check_refused(def, CORD_BAD_ARGUMENT, "need inertia");
        def.corde.orientations = CORD_ORIENTATIONS_QUASISTATIC; // which do without
        CordWorld* world = new_weightless_world();
        add_rod(world, &def);
        run(world, STEP, 3);
        cord_world_destroy(world);
    }
}

// ---- damaged states

TEST(orientations_of_no_length_are_refused)
{
    for (size_t way = 0; way < 2; way++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(9);
        def.model = CORD_MODEL_CORDE, def.corde.orientations = both[way];
        CordRodId id = add_rod(world, &def);
        CHECK_OK(cord_world_step(world, 1e-5));
        const Rod* rod = world_rod(world, id);
        uint64_t hash = cord_world_state_hash(world);
        size_t size = cord_world_state_size(world), length = 8 * (size_t)rod->line.edge_count, found = 0;
        unsigned char* bytes = test_malloc(size);
        CHECK_OK(cord_world_state_get(world, bytes, size));
        for (size_t at = 0; at + length <= size;
             at += 8) { // states are little-endian, and so are the machines that tests run on
            for (int k = 0; k < 4; k++) {
                const double* q = corde_of(rod)->edges.q[k] + rod->line.halo;
                if (q[0] != 0.0 && memcmp(bytes + at, q, length) == 0) {
                    memset(bytes + at, 0, length);
                    found++;
                    break;
                }
            }
        }
        CHECK(found > 0);
        CHECK(cord_world_state_set(world, bytes, size) == CORD_BAD_STATE);
        CHECK(cord_world_state_hash(world) == hash);
        test_free(bytes);
        cord_world_destroy(world);
    }
}

TEST_GROUP(corde, orientations_of_no_length_are_refused, twenty_turns_wound_into_a_rod_stay_in_it,
           the_energy_is_that_of_twenty_turns, a_ring_keeps_an_odd_number_of_turns,
           friction_does_not_hold_back_a_rod_that_turns_as_a_whole,
           a_state_put_back_goes_on_with_the_same_bits, many_steps_at_once_give_the_same_bits,
           a_step_after_the_first_allocates_nothing,
           when_any_one_allocation_fails_the_call_says_so_and_changes_nothing,
           an_equilibrium_does_not_depend_on_how_the_rod_is_stepped,
           a_solve_keeps_the_turns_that_are_in_a_rod, frames_go_along_with_positions_that_are_set,
           a_free_rod_that_is_set_elsewhere_is_as_stressed_as_before, what_makes_no_sense_is_refused_by_name,
           explicit_orientations_without_inertia_are_refused)
