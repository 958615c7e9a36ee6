// Solving for equilibria: what a solve leaves behind, what it reports, and what it does when it cannot.
#include "solves.h"
#include "world_branches.h"

static CordSolveReport fail_to_solve(CordWorld* world, int iterations)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.iterations = iterations > 0 ? iterations : def.iterations;
    CHECK_RESULT(cord_world_solve(world, &def, &report), CORD_NOT_CONVERGED);
    CHECK(!report.converged && report.unstable == -1); // nothing is known of it
    return report;
}

#define GRAVITY 0.5 // on the moon of a moon: it bends by half its length

// A flat or round cantilever under its weight, loaded askew.
static CordWorld* cantilever_world(bool flat, bool inextensible, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
    CordRodDef def = line_def(NODES);
    def.stiffness.EI2 = flat ? 3 * RODS_EI : RODS_EI, def.inextensible = inextensible;
    *rod = add_rod(world, &def);
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, *rod, cord_at_end(), (CordVec3){0.001, 0.002, 0});
    return world;
}

// An end of a rod, whose start is held, is moved within a second. The rod is solved for at tenths of it.
static void move_end(CordWorld* world, CordRodId rod, const CordMotion* motions, int count, int first)
{
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, motions, count);
    for (int part = first; part <= 10; part++) {
        CHECK_OK(cord_world_set_time(world, part / 10.0));
        solve(world);
    }
}

// ---- what an equilibrium is

// The force in a section is what acts beyond it; the moment at a corner has the moment of that about it, to
// second order in the corner's angle.
TEST(sections_pass_on_what_acts_beyond_them)
{
    for (int i = 0; i < 4; i++) {
        CordRodId rod;
        CordWorld* world = cantilever_world(i % 2, i / 2, &rod);
        CordVec3 section[NODES - 1], moment[NODES], x[NODES], f = {0.001, 0.002, 0}, m = {0, 0, 0};
        double mass[NODES], tension[NODES - 1];
        solve(world);
        CHECK_OK(cord_rod_section_forces(world, rod, section));
        CHECK_OK(cord_rod_tensions(world, rod, tension));
        CHECK_OK(cord_rod_moments(world, rod, moment));
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_masses(world, rod, mass));
        for (int n = NODES - 1; n > 1; n--) {
            f.z -= GRAVITY * mass[n];
            CHECK_VEC3(section[n - 1], f, 1e-8); // what is left on the nodes beyond
            CordVec3 e = vec3_sub(x[n], x[n - 1]), t = vec3_unit(e);
            CHECK_NEAR(tension[n - 1], vec3_dot(t, f), 1e-8);
            m = vec3_add(m, vec3_cross(e, f));
            double corner = vec3_length(m) / RODS_EI / (NODES - 1); // at the most
            // EI kappa is the moment but for tan^2 of half the corner's angle
            CHECK_VEC3(moment[n - 1], m, 0.26 * corner * corner * vec3_length(m) + 1e-8);
        }
        cord_world_destroy(world);
    }
}

// An arc held at both ends whose edges are a hundredth too short at first. Without stress in that state, it
// cannot put them right but uphill.
TEST(inextensible_rods_are_put_right_even_uphill)
{
    CordVec3 short_of[NODES], rest[NODES];
    for (int i = 0; i < NODES; i++) {
        double a = 2.0 * i / (NODES - 1);
        short_of[i] = (CordVec3){sin(a), 0, 1 - cos(a)};
        rest[i] = (CordVec3){1.01 * sin(a), 0, 1.01 * (1 - cos(a))};
    }
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_points(short_of, NODES), def.inextensible = true;
    def.rest = CORD_REST_SHAPE, def.rest_shape = cord_shape_points(rest, NODES);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION), hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    CHECK(solve(world).energy > 0.0);
    CHECK_NEAR(cord_rod_stretch(world, rod), 0.0, 1e-9); // that is what the solver asks for
    cord_world_destroy(world);
}

// Without contact a ring may pass through itself, which changes its writhe by two: link stays but for that.
TEST(a_ring_keeps_its_link_when_it_is_solved)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        for (int tenths = 8; tenths <= 25; tenths += 17) { // turns below and above Michell's 1.15
            CordWorld* world = new_weightless_world();
            CordRodDef def = ring_def(60);
            def.twist = 0.1 * tenths * 2 * CORD_PI, def.inextensible = inextensible,
            def.stiffness.EA = 1000.0;
            CordRodId ring = add_rod(world, &def);
            CordSolveReport report = solve(world);
            double link = cord_rod_twist(world, ring) + cord_rod_writhe(world, ring) - 0.1 * tenths;
            CHECK_NEAR(link, 2.0 * nearbyint(0.5 * link), 1e-9);
            CHECK(tenths > 12 ? report.saddles_left > 0 : report.saddles_left == 0 && fabs(link) < 1e-9);
            cord_world_destroy(world);
        }
    }
}

// A branch is recorded while the solver has it, where a round rod has other data than in a run.
TEST(a_ring_keeps_its_link_on_a_branch)
{
    for (int held = 0; held < 2; held++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = ring_def(40);
        def.twist = 0.7 * 2 * CORD_PI;
        CordRodId ring = add_rod(world, &def);
        if (held) {
            hold(world, ring, cord_at_edge(7), CORD_FIX_FRAME);
        }
        CordBranchDef range = cord_branch_def_default();
        CordBranchPoint point;
        CordBranch* branch;
        CHECK_OK(cord_branch_create(world, &range, &branch));
        CHECK_NEAR(cord_rod_twist(world, ring), 0.7, 1e-13);
        CHECK_OK(cord_branch_next(branch, &point));
        CHECK_NEAR(cord_rod_twist(world, ring) + cord_rod_writhe(world, ring), 0.7, 1e-13);
        cord_branch_destroy(branch);
        cord_world_destroy(world);
    }
}

// ---- clamps at another time

// A flat arc of a rod that is straight at rest: it can be pushed together and pulled apart.
static CordRodDef arc_def(bool flat, bool inextensible)
{
    CordRodDef def = line_def(NODES);
    static const CordVec3 through[3] = {{0, 0, 0}, {0.5, 0.1, 0.02}, {1, 0, 0}};
    def.shape = cord_shape_spline(through, 3, NODES);
    def.rest = CORD_REST_STRAIGHT;
    def.stiffness.EI2 = flat ? 3 * RODS_EI : RODS_EI, def.inextensible = inextensible;
    return def;
}

TEST(clamps_are_where_they_are_at_that_time)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = arc_def(i % 2, i / 2);
        CordRodId rod = add_rod(world, &def);
        CordMotion motions[] = {cord_motion_translate((CordVec3){-0.2, 0.1, 0}, 0, 1),
                                cord_motion_rotate((CordVec3){0, 0, 1}, 0.5, 0, 1)};
        CordVec3 x[NODES], y[NODES];
        CHECK_OK(cord_rod_positions(world, rod, x));
        move_end(world, rod, motions, 2, 0);
        CHECK_OK(cord_rod_positions(world, rod, y));
        CordVec3 middle = vec3_mul(vec3_add(x[NODES - 1], x[NODES - 2]), 0.5),
                 e = vec3_sub(x[NODES - 1], x[NODES - 2]);
        CordVec3 now = vec3_mul(vec3_add(y[NODES - 1], y[NODES - 2]), 0.5),
                 f = vec3_sub(y[NODES - 1], y[NODES - 2]);
        CHECK_VEC3(now, ((CordVec3){middle.x - 0.2, middle.y + 0.1, middle.z}), 1e-12);
        CHECK_VEC3(f, ((CordVec3){cos(0.5) * e.x - sin(0.5) * e.y, sin(0.5) * e.x + cos(0.5) * e.y, e.z}),
                   1e-12);
        CHECK(cord_world_time(world) == 1.0);
        cord_world_destroy(world);
    }
}

// A clamp that has let go by then has no part in a solve, and a branch does not go past that time.
TEST(clamps_that_have_let_go_hold_nothing)
{
    CordWorld *world = new_world((CordVec3){0, 0, -9.81}), *other = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(NODES);
    CordRodId rod = add_rod(world, &def), alone = add_rod(other, &def);
    CordClampDef end = {.rod = rod, .at = cord_at_end(), .release = 1.0};
    CordClampId id;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold(other, alone, cord_at_start(), CORD_FIX_FRAME);
    CHECK_OK(cord_clamp_create(world, &end, &id));
    CordBranchDef range = cord_branch_def_default();
    CordBranch* branch;
    CordBranchPoint point = {0};
    range.to = 2.0, range.step = 0.25;
    CHECK_OK(cord_branch_create(world, &range, &branch));
    CordResult result = CORD_OK;
    while (result == CORD_OK && point.event != CORD_BRANCH_END) {
        result = cord_branch_next(branch, &point);
    }
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "lets go at 1 s");
    CHECK(point.time > 0.99 && point.time < 1.0);
    cord_branch_destroy(branch);
    CHECK_OK(cord_world_set_time(world, 1.0));
    solve_as(world, false);
    solve_as(other, false);
    CordVec3 x[NODES], y[NODES];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_positions(other, alone, y));
    CHECK_VEC3(x[NODES - 1], y[NODES - 1], 1e-8);
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// Farther apart than the rod is long: no shape does it. The rod is left in one that it can have, and goes on
// from there.
TEST(clamps_that_move_too_far_are_told_of)
{
    for (int flat = 0; flat < 2; flat++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = arc_def(flat, true);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        double energy = solve(world).energy;
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){0.1, 0, 0}, (CordQuat){0, 0, 0, 1}));
        fail_to_solve(world, 0);
        CHECK_CONTAINS(cord_world_message(world), "farther apart than the");
        CHECK(cord_rod_stretch(world, rod) < 1e-12);
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){0, 0, 0}, (CordQuat){0, 0, 0, 1}));
        CHECK_NEAR(solve(world).energy, energy, 1e-9 * energy);
        cord_world_destroy(world);
    }
}

// It is straight, so that at first no small move of its nodes brings its ends nearer: it must be bent on the
// way.
TEST(a_straight_rod_is_pushed_together)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        def.stiffness.EI2 = i % 2 ? 3 * RODS_EI : RODS_EI, def.inextensible = i / 2;
        CordRodId rod = add_rod(world, &def);
        CordMotion motion = cord_motion_translate((CordVec3){-0.2, 0, 0}, 0, 1);
        move_end(world, rod, &motion, 1, 1);
        CHECK(cord_rod_energy(world, rod).bend > 1e-3);
        cord_world_destroy(world);
    }
}

// ---- reports

static double potential(const CordWorld* world, CordRodId rod) // of a cantilever
{
    CordEnergy e = cord_rod_energy(world, rod);
    return e.bend + e.twist + e.gravity - vec3_dot(tip_of(world, rod), (CordVec3){0.001, 0.002, 0});
}

TEST(a_solve_that_ends_early_has_come_nearer)
{
    CordRodId rod;
    CordWorld* world = cantilever_world(true, true, &rod);
    double before = potential(world, rod);
    CordSolveReport early = fail_to_solve(world, 1);
    CHECK(early.residual > 0.0 && early.residual_relative > cord_solve_def_default().tolerance);
    CHECK_INT(early.iterations, 1);
    CHECK(early.energy < before);
    CHECK_CONTAINS(cord_world_message(world), "more iterations");
    CordSolveReport whole = solve(world);
    CHECK(whole.energy < early.energy);
    CHECK_NEAR(whole.energy, potential(world, rod), 1e-12);
    cord_world_destroy(world);
}

// Heights are from the origin of the scene, whichever end of the rod is numbered first and wherever it moves.
TEST(the_energy_of_a_solve_is_that_of_its_rods)
{
    double energy[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
        CordRodDef def = line_def(NODES);
        CordVec3 ends[2] = {{0, 0, 3}, {1, 0, 3}};
        def.shape = cord_shape_line(ends[i], ends[1 - i], NODES);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, i ? cord_at_end() : cord_at_start(), CORD_FIX_FRAME);
        CordEnergy e;
        energy[i] = solve(world).energy;
        e = cord_rod_energy(world, rod);
        CHECK_NEAR(energy[i], e.stretch + e.bend + e.twist + e.gravity, 1e-12);
        cord_world_destroy(world);
    }
    CHECK_NEAR(energy[0], energy[1], 1e-12);
}

// ---- far from the origin

// A cantilever under its weight, with an arc as its rest shape, at some place.
static void solve_at_place(CordModel model, CordIntegrator integrator, bool inextensible, CordVec3 at,
                           CordVec3* x)
{
    CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
    CordRodDef def = line_def(NODES);
    CordVec3 through[3] = {at, vec3_add(at, (CordVec3){0.5, 0.1, 0.02}), vec3_add(at, (CordVec3){1, 0, 0})};
    def.shape = cord_shape_spline(through, 3, NODES);
    def.model = model, def.integrator = integrator, def.inextensible = inextensible;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    solve(world);
    CHECK(solve(world).iterations < 4); // again, from rounded positions
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i < NODES; i++) {
        x[i] = vec3_sub(x[i], at);
    }
    cord_world_destroy(world);
}

// There positions have a round-off of 1.5e-11 m, by which the edges of the rest shape, 0.05 m long, turn
// against each other; over twenty of them that makes 1e-8 m at the tip.
TEST(a_solve_does_not_depend_on_where_the_rod_is)
{
    const CordVec3 far = {1e5, -7e4, 3e4};
    for (int i = 0; i < 12; i++) {
        CordModel model = i % 3 == 0 ? CORD_MODEL_DER : i % 3 == 1 ? CORD_MODEL_CORDE : CORD_MODEL_PBD;
        CordIntegrator integrator = i / 6 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET;
        CordVec3 x[NODES], y[NODES];
        solve_at_place(model, integrator, i / 3 % 2, (CordVec3){0, 0, 0}, x);
        solve_at_place(model, integrator, i / 3 % 2, far, y);
        CHECK_VEC3(y[NODES - 1], x[NODES - 1], 1e-8);
    }
}

// A rod that is so stiff that it swings a hundred times more slowly than it bends: upright on a pin it falls,
// and hangs after few iterations. As a rigid bar it has omega^2 = 3 g / 2 L; masses are at its nodes.
TEST(a_stiff_rod_does_not_stand_on_a_pin)
{
    CordWorld* world = new_world((CordVec3){-1e-3 * RODS_EI, 0, 0});
    CordRodDef def = line_def(11);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordSolveDef stay = cord_solve_def_default();
    CordSolveReport report;
    stay.accept_saddle = true;
    CHECK_WORLD_OK(world, cord_world_solve(world, &stay, &report));
    CHECK_INT(report.unstable, 2);
    report = solve(world);
    CHECK_NEAR(tip_of(world, rod).x, -1.0, 1e-9);
    CHECK(report.iterations < 30);
    cord_world_destroy(world);
}

// With a body the state after too few iterations is one that can be: the weld holds.
TEST(a_solve_that_ends_early_keeps_welds_together)
{
    CordRodId rod;
    CordWorld* world = cantilever_world(false, false, &rod);
    add_weld(world, rod, cord_at_end(), add_odd_body(world, (CordVec3){1.1, 0, 0.05}, 0.02, 0.05),
             CORD_FIX_FRAME);
    fail_to_solve(world, 2);
    CHECK(weld_gap(world) < 1e-12);
    cord_world_destroy(world);
}

// A clamp that cannot get where it belongs leaves its rod and the body on it as they were, to the last bit,
// spinning as it was; other rods are solved for.
TEST(what_cannot_be_solved_stays_as_it_was)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
        CordRodDef def = line_def(NODES);
        def.inextensible = true;
        CordRodId rod = add_rod(world, &def);
        CordMotion apart = cord_motion_translate((CordVec3){0.5, 0, 0}, 0, 1);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        hold_moving(world, rod, cord_at_end(), CORD_FIX_POSITION, &apart, 1);
        CordBodyDef body = odd_body_def((CordVec3){0.5, 0, 0}, 0.02, 0.05);
        body.spin = (CordVec3){1, 2, 3}, body.rotation = quat_unit((CordQuat){0.1, 0.2, 0.3, 0.9});
        add_weld(world, rod, cord_at_node(NODES / 2), add_body(world, &body), CORD_FIX_POSITION);
        CHECK_OK(cord_world_set_time(world, 1.0));
        if (i == 1) {
            fail_to_solve(world, 0);
        }
        hash[i] = cord_world_state_hash(world);
        CordRodId other = add_rod(world, &def);
        hold(world, other, cord_at_start(), CORD_FIX_FRAME);
        fail_to_solve(world, 0);
        CHECK(tip_of(world, other).z < -0.1);
        cord_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
}

// A clamp that is due lets go in a step and in a solve, and not because somebody has asked for vibrations or
// for a branch that is refused.
TEST(a_question_lets_go_of_nothing)
{
    CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
    CordRodId rod = add_line(world, 11);
    double omega2[2], held[2];
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_until(world, rod, cord_at_end(), CORD_FIX_FRAME, 0.5);
    CHECK_OK(cord_world_modes(world, 2, held, NULL));
    CHECK_OK(cord_world_set_time(world, 1.0));
    uint64_t hash = cord_world_state_hash(world);
    CHECK_OK(cord_world_modes(world, 2, omega2, NULL));
    CHECK(omega2[0] <
          0.1 * held[0]); // a cantilever's first is 40 times below that of a rod held at both ends
    CHECK(cord_world_state_hash(world) == hash);
    CordContactDef contact = cord_contact_def_default();
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch;
    def.from = 1.0, def.to = 2.0, def.method = CORD_BRANCH_ARC;
    hash = cord_world_state_hash(world);
    CHECK_RESULT(cord_branch_create(world, &def, &branch), CORD_NOT_SUPPORTED);
    CHECK(cord_world_state_hash(world) == hash);
    CordLoadDef torque = cord_load_def_default();
    torque.kind = CORD_LOAD_TORQUE, torque.rod = rod, torque.at = cord_at_edge(5);
    torque.torque = (CordVec3){0, 1e-3, 0};
    add_load(world, &torque);
    hash = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_modes(world, 2, omega2, NULL), CORD_NOT_SUPPORTED);
    CHECK(cord_world_state_hash(world) == hash);
    cord_world_destroy(world);
}

typedef struct Taken { // how much was asked for, whatever was given back
    Heap heap;
    int64_t bytes;
} Taken;

static void* taken_alloc(void* user, size_t size, size_t align)
{
    ((Taken*)user)->bytes += (int64_t)size;
    return heap_alloc(user, size, align);
}

static int64_t bytes_of_solve(int rods)
{
    Taken taken = {0};
    CordWorldDef world_def = cord_world_def_default();
    world_def.allocator = (CordAllocator){taken_alloc, heap_free, &taken};
    CordWorld* world = make_world(&world_def);
    for (int i = 0; i < rods; i++) {
        hold(world, add_line(world, 11), cord_at_start(), CORD_FIX_FRAME);
    }
    solve(world); // what is kept for the next time is there
    int64_t before = taken.bytes;
    solve(world);
    before = taken.bytes - before;
    cord_world_destroy(world);
    return before;
}

// Each rod by itself: twice the rods keep twice the state, not four times.
TEST(rods_by_themselves_cost_the_same_however_many_they_are)
{
    CHECK_NEAR((double)bytes_of_solve(40) / (double)bytes_of_solve(20), 2.0, 0.1);
}

TEST(the_same_solve_is_the_same_bits)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordWorld* world = cantilever_world(true, false, &rod);
        solve(world);
        hash[i] = cord_world_state_hash(world);
        solve(world); // once more: nothing is left to do
        cord_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(rods_are_solved_one_by_one_and_reported_together)
{
    CordWorld* world = new_world(down);
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        CordRodDef def = line_def(20 + i);
        def.stiffness.EI2 = (1 + i) * RODS_EI;
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
        CordWorld* alone = new_world(down);
        hold(alone, add_rod(alone, &def), cord_at_start(), CORD_FIX_FRAME);
        sum += solve(alone).energy;
        cord_world_destroy(alone);
    }
    CHECK_NEAR(solve(world).energy, sum, 1e-13);
    cord_world_destroy(world);
    world = new_weightless_world();
    CHECK(solve(world).energy == 0.0); // no rods: nothing to do
    cord_world_destroy(world);
}

// A column above its load may fall to any side; all are as low.
TEST(every_seed_finds_an_equilibrium_as_low)
{
    double energy[4];
    for (int seed = 0; seed < 4; seed++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = add_line(world, NODES);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_force(world, rod, cord_at_end(), (CordVec3){-1.5 * CORD_PI * CORD_PI / 4 * RODS_EI, 0, 0});
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        solve_def.seed = (uint64_t)seed;
        CHECK_OK(cord_world_solve(world, &solve_def, &report));
        CHECK(report.unstable == 0 && report.saddles_left >= 1);
        energy[seed] = report.energy;
        cord_world_destroy(world);
    }
    for (int seed = 1; seed < 4; seed++) {
        CHECK_NEAR(energy[seed], energy[0], 1e-9 * fabs(energy[0]));
    }
}

// ---- vibrations

static void refuse_one_more(CordWorld* world, int count)
{
    double omega2[32];
    char part[32];
    snprintf(part, sizeof part, "these rods have %d:", count);
    CHECK_RESULT(cord_world_modes(world, count + 1, omega2, NULL), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
}

static int of_those(const double* omega2, int count, double value)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        // tensions have a trace of give, 4e-8 of that of an edge here
        found += fabs(omega2[i] / value - 1.0) < 1e-7;
    }
    return found;
}

// The determinant of a chain of four masses m, the last of half that, on springs k; the first spring has the
// held half edge in series.
static double chain_determinant(double k, double m, double omega2)
{
    double first = k / 1.5, inner = 2.0 * k - omega2 * m;
    double p1 = first + k - omega2 * m, p2 = inner * p1 - k * k, p3 = inner * p2 - k * k * p1;
    return (k - 0.5 * omega2 * m) * p3 - k * k * p2;
}

// Its root number `which`, from 0.
static double chain_omega2(double k, double m, int which)
{
    double step = 1e-3 * 4.0 * k / m, low = 0.0;
    while (which >= 0) {
        low += step;
        which -= chain_determinant(k, m, low) * chain_determinant(k, m, low + step) < 0.0;
    }
    double high = low + step, sign = chain_determinant(k, m, low);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(chain_determinant(k, m, middle) * sign > 0.0 ? &low : &high) = middle;
    }
    return low;
}

// Four free nodes: a straight rod's twelve motions are four along it, which are those of a chain of springs,
// and eight across, in pairs. Without the four there are eight.
TEST(a_rod_has_all_of_its_vibrations)
{
    double across[8];
    for (int inextensible = 1; inextensible >= 0; inextensible--) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(6);
        def.inextensible = inextensible;
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
        double omega2[12], h = 0.2;
        int count = inextensible ? 8 : 12;
        CHECK_OK(cord_world_modes(world, count, omega2, NULL));
        for (int i = 0; i < 8; i++) {
            across[i] = inextensible ? omega2[i] : across[i];
            CHECK_INT(of_those(omega2, count, across[i]), 2);
        }
        for (int k = 0; k < 4 && !inextensible; k++) {
            CHECK_INT(of_those(omega2, count, chain_omega2(RODS_EA / h, RODS_MASS * h, k)), 1);
        }
        refuse_one_more(world, count);
        cord_world_destroy(world);
    }
}

// Taut between its clamps, it has as many as it has free nodes in two directions; and of a pair both are
// found.
TEST(a_taut_rod_has_all_of_its_vibrations)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(6);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    double all[6];
    CHECK_OK(cord_world_modes(world, 6, all, NULL));
    for (int count = 1; count <= 6; count++) {
        double omega2[6];
        CHECK_OK(cord_world_modes(world, count, omega2, NULL));
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(omega2[i] / all[i], 1.0, 1e-9);
            CHECK_NEAR(omega2[i] / all[i ^ 1], 1.0, 1e-9);
        }
    }
    refuse_one_more(world, 6);
    cord_world_destroy(world);
}

// A hanging chain that is straight has the tension of its weight before it is solved for, too.
TEST(vibrations_of_a_state_as_it_is_know_the_tension_of_loads)
{
    double omega2[2][4];
    for (int solved = 0; solved < 2; solved++) {
        CordWorld* world = new_world((CordVec3){0, 0, -GRAVITY});
        CordRodDef def = line_def(NODES);
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, NODES);
        def.inextensible = true;
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_POSITION);
        if (solved) {
            solve(world);
        }
        uint64_t hash = cord_world_state_hash(world);
        CHECK_OK(cord_world_modes(world, 4, omega2[solved], NULL));
        CHECK(cord_world_state_hash(world) == hash);
        cord_world_destroy(world);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(omega2[0][i] / omega2[1][i], 1.0, 1e-9);
    }
}

// An unstressed helix is at rest as it is, with no reaction but the round-off of its bending; one that hangs
// hands its weight to its clamp. Rods of pbd that are inextensible are very stiff springs, whose lengths know
// their tensions to four digits only.
TEST(reactions_of_stiff_rods_are_exact_after_a_solve)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, i / 2 ? -GRAVITY : 0.0});
        CordRodDef def = line_def(NODES);
        def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.05, 0.05, 3.0, NODES);
        def.model = i % 2 ? CORD_MODEL_PBD : CORD_MODEL_DER, def.inextensible = true;
        CordRodId rod = add_rod(world, &def);
        CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        CordVec3 force, torque;
        solve_def.tolerance = 1e-12;
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
        CHECK_INT(report.unstable, 0);
        CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque));
        double weight = i / 2 ? GRAVITY * cord_rod_mass(world, rod) : 0.0;
        CHECK_VEC3(force, ((CordVec3){0, 0, -weight}), 1e-11);
        cord_world_destroy(world);
    }
}

// Just beyond its critical twist a rod that hardly stretches buckles by 1e-3 or less: no larger turn of it
// lowers the energy. In the second case what is left of the forces at a loose tolerance makes the helix that
// it has become seem to be unstable against turning about its axis, which costs nothing.
TEST(a_saddle_is_left_by_as_little_as_it_takes)
{
    const struct {
        double EI, GJ, EA, mass, tolerance;
    } cases[] = {{1.28497e-4, 2.72456e-4, 33548.9, 1.33997e-4, 3.95e-8},
                 {1.14191e-6, 2.50612e-6, 1500837.0, 1.71458e-3, 2.26e-8}};
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(21);
        def.stiffness.EI1 = def.stiffness.EI2 = cases[i].EI, def.stiffness.GJ = cases[i].GJ;
        def.stiffness.EA = cases[i].EA, def.stiffness.mass_per_length = cases[i].mass;
        def.twist = 5.0;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        solve_def.tolerance = cases[i].tolerance;
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
        CHECK_INT(report.unstable, 0);
        cord_world_destroy(world);
    }
}

// The paper's solver of pbd has no stiffness that an equilibrium could follow from.
TEST(rods_that_are_solved_for_by_weights_have_no_equilibria)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    def.model = CORD_MODEL_PBD, def.pbd.solver = CORD_PBD_PBD;
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    double omega2;
    CHECK_RESULT(cord_world_solve(world, &solve, &report), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "xpbd");
    CHECK_RESULT(cord_world_modes(world, 1, &omega2, NULL), CORD_NOT_SUPPORTED);
    cord_world_destroy(world);
}

TEST(defs_that_make_no_sense_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.tolerance = 0.0;
    CHECK_RESULT(cord_world_solve(world, &def, &report), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "tolerance");
    def.tolerance = NAN;
    CHECK_RESULT(cord_world_solve(world, &def, &report), CORD_BAD_ARGUMENT);
    def = cord_solve_def_default();
    def.iterations = 0;
    CHECK_RESULT(cord_world_solve(world, &def, &report), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "iteration");
    CHECK_RESULT(cord_world_set_time(world, INFINITY), CORD_BAD_ARGUMENT);
    cord_world_destroy(world);
}

TEST_GROUP(solve_statics)
