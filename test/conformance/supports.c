// What holds rods and what acts on them: clamps, loads and equilibria.
#include "claims.h"

enum { NODES = 13 };

static const CordVec3 down = {0, 0, -9.81};

static CordVec3 weight_of(CordWorld* world, CordRodId rod)
{
    return times(cord_world_gravity(world), cord_rod_mass(world, rod));
}

// The moment of the weight about a place.
static CordVec3 moment_of_weight(CordWorld* world, CordRodId rod, CordVec3 about)
{
    return cross(minus(cord_rod_momentum(world, rod).center, about), weight_of(world, rod));
}

static bool is_modal(const Subject* s)
{
    return s->model == CORD_MODEL_MODAL;
}

static CordRodDef beam_def(const Subject* s) // a metre along x, of a flat section
{
    CordRodDef def = subject_rod(s, NODES);
    def.section = cord_section_rectangle(0.02, 0.014), def.twist = 0.0;
    def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3; // it keeps its nodes
    def.material.young = is_modal(s) ? 1e8 : 1e6;
    return def;
}

// A round one: a flat rod that is straight and free to turn about itself has no equilibrium of its frames.
static CordRodDef round_def(const Subject* s)
{
    CordRodDef def = beam_def(s);
    def.section = cord_section_disc(0.01);
    return def;
}

// ---- clamps

// An edge that is moved and turned is where its clamp is, after every step.
static void held(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = beam_def(s);
    def.pbd.substeps = 3;
    CordRodId rod = add_rod(world, &def);
    double end = 20.0 * s->step;
    CordMotion motions[] = {cord_motion_translate((CordVec3){0, 0.03, 0.01}, 0.0, end),
                            cord_motion_rotate((CordVec3){0, 1, 0}, 0.3, 0.0, end)};
    hold_moving(world, rod, cord_at_start(), CORD_FIX_FRAME, motions, 2);
    CordVec3 x[NODES], m1[NODES], first[NODES], first_m1[NODES];
    CHECK_OK(cord_rod_positions(world, rod, first));
    CHECK_OK(cord_rod_material_frames(world, rod, first_m1));
    CordVec3 middle = is_modal(s) ? first[0] : times(plus(first[0], first[1]), 0.5);
    for (int n = 1; n <= 24; n++) {
        double share = fmin(1.0, n / 20.0);
        CordQuat turn = cord_quat_about((CordVec3){0, 1, 0}, 0.3 * share);
        CordVec3 to = plus(middle, times((CordVec3){0, 0.03, 0.01}, share));
        run(world, s->step, 1);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        for (int i = 0; i < (is_modal(s) ? 1 : 2); i++) {
            CHECK_VEC3(x[i], plus(to, rotate(turn, minus(first[i], middle))), 1e-12);
        }
        if (!is_modal(s)) {
            CHECK_VEC3(m1[0], rotate(turn, first_m1[0]), 1e-12);
        }
    }
    cord_world_destroy(world);
}

// A clamp that is driven from outside is there at the end of the step, and what lets go holds no more.
static void driven(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = round_def(s);
    CordRodId rod = add_rod(world, &def);
    CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordVec3 x[NODES], force, torque;
    for (int n = 1; n <= 5; n++) {
        CHECK_OK(cord_clamp_move(world, clamp, (CordVec3){0, 1e-4 * n, 0}, (CordQuat){0, 0, 0, 1}));
        run(world, s->step, 1);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK_VEC3(x[0], ((CordVec3){0, 1e-4 * n, 1}), 1e-12);
    }
    CHECK_OK(cord_clamp_destroy(world, clamp));
    CHECK_RESULT(cord_clamp_reaction(world, clamp, &force, &torque), CORD_BAD_ID);
    cord_world_destroy(world);
}

// After its time a clamp holds no more, and the rod falls freely.
static void released(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = beam_def(s);
    CordRodId rod = add_rod(world, &def);
    CordClampId id = hold_until(world, rod, cord_at_start(), CORD_FIX_FRAME, 9.5 * s->step);
    run(world, s->step, 9);
    CHECK(cord_clamp_holds(world, id));
    run(world, s->step, 2);
    CHECK(!cord_clamp_holds(world, id));
    CordMomentum before = cord_rod_momentum(world, rod);
    run(world, s->step, 10);
    CordMomentum after = cord_rod_momentum(world, rod);
    CordVec3 gained = times(weight_of(world, rod), 10.0 * s->step), force, torque;
    CHECK_VEC3(after.linear, plus(before.linear, gained), 1e-9 * size_of(gained));
    CHECK_OK(cord_clamp_reaction(world, id, &force, &torque));
    CHECK_VEC3(force, ((CordVec3){0, 0, 0}), 0.0);
    CHECK_VEC3(torque, ((CordVec3){0, 0, 0}), 0.0);
    cord_world_destroy(world);
}

// Clamps farther apart than the rod is long: no state has its lengths. A step says so and changes nothing,
// and the rod goes on once it can.
static void too_far_apart(const Subject* s)
{
    const CordVec3 through[3] = {{0, 0, 1}, {0.5, 0, 0.9}, {1, 0, 1}};
    const CordQuat straight_on = {0, 0, 0, 1};
    for (int bow = 0; bow < 2; bow++) { // straight in its first step, slack in a later one
        CordWorld* world = new_world(down);
        CordRodDef def = beam_def(s);
        def.name = "tether", def.rest = CORD_REST_STRAIGHT, def.damping_time = 1e-3 * bow;
        def.shape = bow ? cord_shape_spline(through, 3, NODES) : def.shape;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), bow ? CORD_FIX_POSITION : CORD_FIX_FRAME);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        run(world, s->step, 5 * bow);
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){bow ? 0.5 : 5e-4, 0, 0}, straight_on));
        uint64_t before = cord_world_state_hash(world);
        int64_t steps = cord_world_steps(world);
        double time = cord_world_time(world);
        CHECK_RESULT(cord_world_step(world, s->step), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(cord_world_message(world), "'tether'");
        CHECK_CONTAINS(cord_world_message(world), "farther apart than");
        CHECK(cord_world_state_hash(world) == before);
        CHECK(cord_world_steps(world) == steps && cord_world_time(world) == time);
        CHECK_NEAR(cord_rod_stretch(world, rod), 0.0, bow ? 1e-12 : 1e-15);
        CHECK_OK(cord_clamp_move(world, end, (CordVec3){0, 0, 0}, straight_on));
        for (int n = 0; n < 10 * bow; n++) {
            run(world, s->step, 1);
            CHECK_NEAR(cord_rod_stretch(world, rod), 0.0, 1e-12);
        }
        cord_world_destroy(world);
    }
}

// Both ends on upright rails, and swinging across them: the rod falls as it would without them, and its ends
// stay on the rails.
static void sliding(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = round_def(s);
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[NODES], v[NODES] = {{0, 0, 0}};
    double h = s->step, lag = subject_order(s) == 1 ? h : 0.0;
    for (int i = 0; i < 2; i++) {
        hold_sliding(world, rod, cord_at_node(i * (NODES - 1)), CORD_FIX_POSITION, (CordVec3){0, 0, 2});
    }
    v[NODES / 2].y = 0.1;
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    run(world, h, 30);
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i < NODES; i++) { // stiffness in y and z is the same, and nothing bends it in z
        double t = 30.0 * h;
        CHECK_NEAR(x[i].z, 1.0 - 0.5 * 9.81 * t * (t + lag), 1e-9);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(x[i * (NODES - 1)].x, i, 1e-9);
        CHECK_NEAR(x[i * (NODES - 1)].y, 0.0, 1e-9);
    }
    CHECK(fabs(x[NODES / 2].y) > 1e-6);
    cord_world_destroy(world);
}

// ---- loads

// The momentum of a free rod grows by the force times the time, whatever it is that pulls.
static void forces(const Subject* s)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = round_def(s);
    CordRodId rod = add_rod(world, &def);
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        CordVec3 force = {0.001 * i, 0.002, -0.003 * i};
        add_force(world, rod, cord_at_node(6 * i), force);
        sum = plus(sum, force);
    }
    run(world, s->step, 50);
    double time = cord_world_time(world);
    CHECK_VEC3(cord_rod_momentum(world, rod).linear, times(sum, time),
               1e-8 * size_of(sum) * time); // the residual of fast projection
    cord_world_destroy(world);
}

typedef struct Loads {
    CordLoadDef force, spring;
} Loads;

static Loads add_loads(CordWorld* world, CordRodId rod, bool with_spring)
{
    Loads l = {cord_load_def_default(), cord_load_def_default()};
    l.force.rod = l.spring.rod = rod;
    l.force.at = cord_at_end(), l.force.force = (CordVec3){0.02, 0.1, 0.3};
    l.spring.kind = CORD_LOAD_SPRING, l.spring.at = cord_at_node(6);
    l.spring.target = (CordVec3){0.5, 0.1, 1.05}, l.spring.stiffness = with_spring ? 3.0 : 0.0;
    add_load(world, &l.force);
    if (with_spring) {
        add_load(world, &l.spring);
    }
    return l;
}

static double energy_with_loads(CordWorld* world, CordRodId rod, const Loads* l)
{
    CordVec3 x[NODES];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CordVec3 away = minus(x[6], l->spring.target);
    return total_energy(world, rod) + 0.5 * l->spring.stiffness * dot(away, away) -
           dot(l->force.force, x[NODES - 1]);
}

static double work_error(const Subject* s, bool with_spring, double h) // over the kinetic energy at the end
{
    CordWorld* world = new_world(down);
    CordRodDef def = beam_def(s);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    Loads loads = add_loads(world, rod, with_spring);
    double start = energy_with_loads(world, rod, &loads), most = 0.0;
    for (int n = 0; n < (int)(0.06 / h + 0.5); n++) {
        run(world, h, 1);
        most = fmax(most, fabs(energy_with_loads(world, rod, &loads) - start));
    }
    double kinetic = cord_rod_energy(world, rod).kinetic;
    cord_world_destroy(world);
    return most / kinetic;
}

// What forces and springs do to a rod is in its energy: the sum with their potentials is kept, at the order
// of the integrator.
static void work(const Subject* s)
{
    double h = fmin(s->step, subject_order(s) == 2 ? 4e-4 : 2e-4); // errors above the tolerance of solvers
    for (int with_spring = 0; with_spring < 2; with_spring++) {
        double coarse = work_error(s, with_spring, h), fine = work_error(s, with_spring, 0.5 * h);
        double order = log2(coarse / fine);
        print_message("    %s: off by %.2g, order %.2f\n", with_spring ? "spring" : "force", fine, order);
        CHECK_NEAR(order, subject_order(s), 0.1);
        CHECK(fine < 5e-3);
    }
}

// A rod that falls broadside through thick air comes to the speed mu g / c.
static void drag(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = round_def(s);
    CordRodId rod = add_rod(world, &def);
    CordLoadDef air = cord_load_def_default();
    CordVec3 v[NODES];
    double mass = cord_rod_mass(world, rod);
    air.kind = CORD_LOAD_DRAG, air.along = 1.0, air.across = mass / (20.0 * s->step);
    add_load(world, &air);
    run_many(world, s->step, 800); // forty times the time it takes to settle
    CHECK_OK(cord_rod_velocities(world, rod, v));
    for (int i = 0; i < NODES; i++) {
        CHECK_NEAR(v[i].z / (-9.81 * 20.0 * s->step), 1.0, 1e-9);
    }
    cord_world_destroy(world);
}

// ---- equilibria

static CordWorld* loaded(const Subject* s, CordRodId* rod, CordClampId* clamp)
{
    CordWorld* world = new_world((CordVec3){0, 0, -2.0});
    CordRodDef def = beam_def(s);
    def.m1 = (CordVec3){0, 1, 0.5}, def.half_edge_start = !is_modal(s);
    *rod = add_rod(world, &def);
    *clamp = hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, *rod, cord_at_end(), (CordVec3){0, 0.01, 0.005});
    return world;
}

static CordSolveReport solve_tightly(CordWorld* world)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.tolerance = 1e-11;
    CHECK_WORLD_OK(world, cord_world_solve(world, &def, &report));
    CHECK(report.converged);
    return report;
}

// A rod that its clamps hold taut: its length gives no tension, and the one that the solve found bears the
// weight along it.
static void taut(const Subject* s)
{
    CordWorld* world = new_world((CordVec3){-2.0, 0, 0});
    CordRodDef def = beam_def(s);
    CordVec3 force, torque, sum = {0, 0, 0};
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold(world, rod, cord_at_end(), CORD_FIX_DIRECTION);
    CordSolveReport report = solve_tightly(world);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cord_clamp_reaction(world, cord_world_clamp(world, i), &force, &torque));
        sum = plus(sum, force);
    }
    // every node may keep the residual that the solve reports
    CHECK_VEC3(sum, weight_of(world, rod), NODES * report.residual);
    cord_world_destroy(world);
}

static double largest_apart(const CordVec3* a, const CordVec3* b)
{
    double most = 0.0;
    for (int i = 0; i < NODES; i++) {
        most = fmax(most, size_of(minus(a[i], b[i])));
    }
    return most;
}

// No force is left on any node, the clamp bears all that acts on the rod, and a run that starts there stays.
static void equilibrium(const Subject* s)
{
    CordRodId rod;
    CordClampId clamp;
    CordWorld* world = loaded(s, &rod, &clamp);
    CordVec3 f[NODES], x[NODES], y[NODES], force, torque, end = {0, 0.01, 0.005};
    double mass[NODES], most = 0.0;
    CordSolveReport report = solve_tightly(world);
    CHECK(is_modal(s) || report.unstable == 0);
    CHECK(cord_rod_energy(world, rod).kinetic == 0.0);
    CHECK(!s->inextensible || cord_rod_stretch(world, rod) < 1e-12);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_OK(cord_rod_masses(world, rod, mass));
    CHECK_OK(cord_rod_forces(world, rod, f));
    for (int i = 2; i < NODES && !is_modal(s) && !s->inextensible; i++) {
        CordVec3 left = plus(f[i], times((CordVec3){0, 0, -2}, mass[i]));
        most = fmax(most, size_of(i == NODES - 1 ? plus(left, end) : left));
    }
    CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque));
    CordVec3 right = plus(weight_of(world, rod), end);
    CordVec3 moment = plus(moment_of_weight(world, rod, x[0]), cross(minus(x[NODES - 1], x[0]), end));
    run_many(world, s->step, 40);
    CHECK_OK(cord_rod_positions(world, rod, y));
    double moved = largest_apart(x, y);
    print_message("    force left %.2g N; reaction off by %.2g and %.2g; moves by %.2g m\n", most,
                  size_of(minus(force, right)) / size_of(right),
                  size_of(minus(torque, moment)) / size_of(moment), moved);
    // A solve holds directors to the tangents. Explicit steps of corde do so by a penalty, which gives way.
    bool penalty = s->model == CORD_MODEL_CORDE && !subject_is_implicit(s);
    CHECK_NEAR(most, 0.0, 1e-11 * size_of(right));
    CHECK_VEC3(force, right, 1e-10 * size_of(right));
    CHECK_VEC3(torque, moment, (penalty ? 0.02 : 1e-10) * size_of(moment));
    if (subject_traits(s) & IS_SOLVED) {
        bool coarse = is_modal(s) || s->length_method == CORD_LENGTH_FAST_PROJECTION;
        double later = penalty ? 0.02 : coarse ? 1e-7 : 1e-9;
        CHECK_NEAR(moved, 0.0, penalty ? 1e-5 : 1e-9);
        CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque)); // over a step, now
        CHECK_VEC3(force, right, later * size_of(right));
        CHECK_VEC3(torque, moment, later * size_of(moment));
    }
    cord_world_destroy(world);
}

// A rod that hangs at rest: each section carries what is below it, and the clamp all of it.
static void hanging(const Subject* s)
{
    CordWorld* world = new_world(down);
    CordRodDef def = round_def(s);
    CordVec3 force, torque;
    double tension[NODES], mass[NODES], below = 0.0, weight;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, -1}, NODES);
    CordRodId rod = add_rod(world, &def);
    CordClampId clamp = hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    solve_tightly(world);
    // explicit steps find tensions to round-off
    double most = s->inextensible && !subject_is_implicit(s) ? 1e-11 : 1e-8;
    for (int stepped = 0; stepped < 2; stepped++) {
        weight = 9.81 * cord_rod_mass(world, rod), below = 0.0;
        CHECK_OK(cord_rod_tensions(world, rod, tension));
        CHECK_OK(cord_rod_masses(world, rod, mass));
        CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque));
        CHECK_VEC3(force, ((CordVec3){0, 0, -weight}), most * weight);
        for (int j = NODES - 2; j >= 0; j--) {
            below += 9.81 * mass[j + 1];
            CHECK_NEAR(tension[j], below, most * weight);
        }
        run(world, s->step, 10);
    }
    cord_world_destroy(world);
}

// The same for every way of stepping a model, from a state of its own.
static void one_equilibrium(const Subject* s)
{
    Subject reference = *s;
    CordVec3 x[2][NODES];
    reference.integrator = CORD_INTEGRATOR_MIDPOINT, reference.dynamic_twist = false,
    reference.adaptive = false;
    for (int i = 0; i < 2; i++) {
        CordRodId rod;
        CordClampId clamp;
        CordWorld* world = loaded(i ? &reference : s, &rod, &clamp);
        run(world, s->step, i ? 0 : 10);
        solve_tightly(world);
        CHECK_OK(cord_rod_positions(world, rod, x[i]));
        cord_world_destroy(world);
    }
    CHECK_NEAR(largest_apart(x[0], x[1]), 0.0, 1e-7);
}

// F L^3 / 3 EI.
static double sag(const Subject* s, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = subject_def(s);
    CordVec3 x[64];
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = def.stiffness.mass_per_length = 1.0;
    def.stiffness.EA = 1e4;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    def.half_edge_start = !is_modal(s), def.adapt.merge_time = 1e3;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, rod, cord_at_end(), (CordVec3){0, 0, -1e-4});
    solve_tightly(world);
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
    return -x[elements].z / (1e-4 / 3.0);
}

static void order_in_space(const Subject* s)
{
    double coarse = sag(s, 10) - 1.0, fine = sag(s, 20) - 1.0, order = log2(fabs(coarse / fine));
    print_message("    off by %.2g with 20 elements, order %.2f\n", fine, order);
    CHECK_NEAR(order, 2.0, 0.1);
    CHECK(fabs(fine) < 1e-3);
}

// ---- stretch at clamps

enum { BAR_ELEMENTS = 8, BAR_NODES = BAR_ELEMENTS + 1 };

// A metre along x with EA 1e4 N, its half edges at both ends.
static CordRodDef bar_def(const Subject* s)
{
    CordRodDef def = subject_def(s);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = def.stiffness.mass_per_length = 1.0;
    def.stiffness.EA = 1e4;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, BAR_NODES);
    def.half_edge_start = def.half_edge_end = true, def.adapt.merge_time = 1e3;
    return def;
}

// Solves, and checks that steps leave the rod where it is. Returns by how much its end has moved.
static double end_moved(CordWorld* world, const Subject* s, CordRodId rod)
{
    CordVec3 x[BAR_NODES], y[BAR_NODES];
    solve_tightly(world);
    CHECK_OK(cord_rod_positions(world, rod, x));
    run(world, fmin(s->step, 1e-3), 10); // a tenth of the time that a wave takes along an element
    CHECK_OK(cord_rod_positions(world, rod, y));
    for (int i = 0; i < BAR_NODES && (subject_traits(s) & IS_SOLVED); i++) {
        CHECK_VEC3(y[i], x[i], 1e-9);
    }
    return x[BAR_NODES - 1].x - 1.0;
}

// A clamp acts at the middle of its edge, where an end clamp has the end of the rod: between there and the
// load the rod is longer by F L / EA, for any number of elements.
static void stretch_at_clamps(const Subject* s)
{
    const double F = 10.0, EA = 1e4; // a strain of 1e-3
    const struct {
        CordPlace at;
        double from; // where the clamp acts [m]
    } cases[] = {{cord_at_start(), 0.0}, {cord_at_edge(3), 3.0 / (BAR_ELEMENTS - 1)}};
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = bar_def(s);
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cases[i].at, CORD_FIX_FRAME);
        add_force(world, rod, cord_at_end(), (CordVec3){F, 0, 0});
        CHECK_NEAR(end_moved(world, s, rod) / (F * (1.0 - cases[i].from) / EA), 1.0, 1e-8);
        cord_world_destroy(world);
    }
}

// Two end clamps whose distance grows pull with EA times the strain of the whole rod.
static void pull_of_clamps(const Subject* s)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = bar_def(s);
    CordVec3 force, torque;
    CordRodId rod = add_rod(world, &def);
    CordClampId first = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampId last = hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    CHECK_OK(cord_clamp_move(world, last, (CordVec3){1e-3, 0, 0}, (CordQuat){0, 0, 0, 1}));
    CHECK_NEAR(end_moved(world, s, rod), 1e-3, 1e-12);
    CHECK_OK(cord_clamp_reaction(world, first, &force, &torque));
    CHECK_NEAR(fabs(force.x) / (1e4 * 1e-3), 1.0, 1e-8);
    CHECK_NEAR(cord_rod_stretch(world, rod), 1e-3, 2e-8); // ends of edges of 1/7 m are off by up to 1e-9 m
    cord_world_destroy(world);
}

// The largest error of the reaction of a clamp that shakes a bar lengthwise, which moves as one: M A w^2
// cos(w t), held nodes included. It begins at rest, and is read after each step but those of the start.
static double shaken_error(const Subject* s, double h, double* most)
{
    const double A = 0.01, frequency = 2.0, omega = 6.283185307179586 * frequency;
    CordWorld* world = new_world((CordVec3){0, 0, 0});
    CordRodDef def = subject_rod(s, 5);
    def.twist = 0.0;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 5);
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_oscillate((CordVec3){A, 0, 0}, frequency, 0.25 * 6.283185307179586);
    CordClampId clamp = hold_moving(world, rod, cord_at_edge(0), CORD_FIX_FRAME, &motion, 1);
    double error = 0.0;
    *most = cord_rod_mass(world, rod) * A * omega * omega;
    for (int n = 0; n < (int)(0.25 / h); n++) {
        CordVec3 force, torque;
        run(world, h, 1);
        CHECK_WORLD_OK(world, cord_clamp_reaction(world, clamp, &force, &torque));
        double expected = *most * cos(omega * cord_world_time(world));
        error = n < 10 ? 0.0 : fmax(error, fabs(force.x - expected));
    }
    print_message("    h %.1e: off by %.2g of %.3g N\n", h, error / *most, *most);
    cord_world_destroy(world);
    return error;
}

// The clamp accelerates held nodes too, at the time of the reaction and not a step before: of second order.
static void shaken(const Subject* s)
{
    double most, coarse = shaken_error(s, 4e-4, &most), fine = shaken_error(s, 2e-4, &most);
    CHECK(coarse < 1e-4 * most && fine < 0.3 * coarse);
}

static const Claim claims[] = {
    {.name = "shaken_bars", .needs = IS_INEXTENSIBLE, .run = shaken},
    {.name = "held", .run = held},
    {.name = "driven", .needs = IS_CHAIN, .run = driven},
    {.name = "released", .needs = IS_CHAIN | IS_PHYSICAL, .run = released},
    {.name = "too far apart", .needs = IS_INEXTENSIBLE, .run = too_far_apart},
    {.name = "sliding", .needs = IS_CHAIN | IS_PHYSICAL, .bars = IS_INEXTENSIBLE, .run = sliding},
    {.name = "forces", .needs = IS_CHAIN | IS_PHYSICAL, .run = forces},
    {.name = "work", .needs = IS_CHAIN | IS_SOLVED, .run = work},
    {.name = "drag", .needs = IS_CHAIN | IS_SOLVED, .run = drag},
    {.name = "equilibrium", .needs = IS_PHYSICAL, .run = equilibrium},
    {.name = "taut", .needs = IS_INEXTENSIBLE | IS_PHYSICAL, .run = taut},
    {.name = "hanging", .needs = IS_CHAIN | IS_SOLVED, .run = hanging},
    {.name = "one equilibrium", .needs = IS_CHAIN | IS_PHYSICAL, .run = one_equilibrium},
    {.name = "order in space", .needs = IS_CHAIN | IS_PHYSICAL, .run = order_in_space},
    {.name = "stretch at clamps",
     .needs = IS_CHAIN | IS_PHYSICAL,
     .bars = IS_INEXTENSIBLE,
     .run = stretch_at_clamps},
    {.name = "pull of clamps",
     .needs = IS_CHAIN | IS_PHYSICAL,
     .bars = IS_INEXTENSIBLE,
     .run = pull_of_clamps},
};

CLAIM_GROUP(supports)
