// Torques on edges and bodies against closed forms: arcs of circles, twist, momentum.
#include "rods.h"

typedef struct Way { // to step a rod
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    CordPbdMethod method;
    bool spins; // its frames have inertia
    double h;   // [s]
} Way;

static const Way ways[] = {
    {"der", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, CORD_PBD_DIRECT, false, 2e-4},
    {"der, frames with inertia", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, CORD_PBD_DIRECT, true, 2e-4},
    {"der, midpoint", CORD_MODEL_DER, CORD_INTEGRATOR_MIDPOINT, CORD_PBD_DIRECT, false, 5e-3},
    {"der, backward Euler", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, CORD_PBD_DIRECT, false, 5e-3},
    {"corde", CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET, CORD_PBD_DIRECT, false, 2e-4},
    {"corde, backward Euler", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, CORD_PBD_DIRECT, false, 5e-3},
    {"pbd", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, CORD_PBD_DIRECT, true, 5e-3},
    {"pbd, sweeps", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, CORD_PBD_SWEEPS, true, 1e-3},
};
#define WAYS ((int)(sizeof ways / sizeof *ways))
#define ELEMENTS 20

static CordRodDef rod_of(const Way* way)
{
    CordRodDef def = unit_rod(ELEMENTS);
    def.model = way->model, def.integrator = way->integrator, def.pbd.method = way->method;
    def.inextensible = false;
    def.dynamic_twist = way->spins && way->model == CORD_MODEL_DER;
    return def;
}

typedef struct Held {
    CordWorld* world; // without gravity
    CordRodId rod;
    CordClampId clamp; // of its start
} Held;

static Held hold_rod(const CordRodDef* def)
{
    Held h = {.world = new_weightless_world()};
    h.rod = add_rod(h.world, def);
    h.clamp = hold(h.world, h.rod, cord_at_start(), CORD_FIX_FRAME);
    return h;
}

static Held held_rod(const Way* way)
{
    CordRodDef def = rod_of(way);
    return hold_rod(&def);
}

static CordLoadDef torque_def(CordRodId rod, CordPlace at, CordVec3 torque)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_TORQUE, def.rod = rod, def.at = at, def.torque = torque;
    return def;
}

static void add_torque(CordWorld* world, CordRodId rod, CordPlace at, CordVec3 torque)
{
    CordLoadDef def = torque_def(rod, at, torque);
    add_load(world, &def);
}

static CordVec3 reaction_of(const Held* h, CordVec3* force) // its torque
{
    CordVec3 torque;
    CHECK_OK(cord_clamp_reaction(h->world, h->clamp, force, &torque));
    return torque;
}

static CordVec3 edge_of(CordWorld* world, CordRodId rod, int edge)
{
    return minus(node_of(world, rod, edge + 1), node_of(world, rod, edge));
}

// From one edge to another, in the plane of x and y [rad].
static double turn_between(CordWorld* world, CordRodId rod, int from, int to)
{
    CordVec3 a = edge_of(world, rod, from), b = edge_of(world, rod, to);
    return atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
}

static double twist_of(CordWorld* world, CordRodId rod) // [rad]
{
    return 2.0 * pi * cord_rod_twist(world, rod);
}

static void check(const char* name, double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        print_error("%s: %.9g, and not %.9g\n", name, value, wanted);
    }
    CHECK_NEAR(value, wanted, tolerance);
}

// Clamps and torques act at the middles of their edges, which are a length less an edge apart.
static const double apart = 1.0 - 1.0 / ELEMENTS;

// The elastica under an end moment is an arc of a circle, of curvature T / EI.
TEST(a_cantilever_with_a_torque_at_its_end_is_an_arc)
{
    for (int i = 0; i < WAYS; i++) {
        Held h = held_rod(&ways[i]);
        const double T = 1.2;
        add_torque(h.world, h.rod, cord_at_end(), (CordVec3){0, 0, T});
        solve(h.world);
        // of DER's law, moments are off by (kappa l)^2 / 3
        check(ways[i].name, turn_between(h.world, h.rod, 0, ELEMENTS - 1), T * apart, 2e-3 * T);
        for (int k = 1; k + 1 < ELEMENTS; k++) { // everywhere the same
            double turn = turn_between(h.world, h.rod, k, k + 1);
            check(ways[i].name, turn, T / ELEMENTS, 2e-3 * T / ELEMENTS);
        }
        CordVec3 force, torque = reaction_of(&h, &force);
        CHECK_VEC3(force, ((CordVec3){0, 0, 0}), 1e-6);
        CHECK_VEC3(torque, ((CordVec3){0, 0, T}), 1e-3);
        cord_world_destroy(h.world);
    }
}

// The same at the end of a motion that drag brings to rest, in which the torque grows.
TEST(steps_come_to_rest_as_an_arc)
{
    for (int i = 0; i < WAYS; i++) {
        Held h = held_rod(&ways[i]);
        CordLoadDef load = torque_def(h.rod, cord_at_end(), (CordVec3){0, 0, 1.2});
        load.from = 0.0, load.ramp = 1.0;
        add_load(h.world, &load);
        add_drag(h.world, (CordRodId){0, 0}, 5.0);
        run_many(h.world, ways[i].h, (int)(6.0 / ways[i].h));
        // what is left of the motion; sweeps leave more undone
        double allowed = ways[i].method == CORD_PBD_SWEEPS ? 0.05 : 5e-3;
        check(ways[i].name, turn_between(h.world, h.rod, 0, ELEMENTS - 1), 1.2 * apart, allowed);
        cord_world_destroy(h.world);
    }
}

// About its axis a cantilever twists by T L / GJ.
TEST(a_torque_about_the_axis_twists)
{
    for (int i = 0; i < 2 * WAYS; i++) {
        const Way* way = &ways[i / 2];
        const double T = 0.4;
        bool solved = i % 2;
        Held h = held_rod(way);
        CordLoadDef load = torque_def(h.rod, cord_at_end(), (CordVec3){T, 0, 0});
        // frames with inertia go along with what grows over many of their periods, of 0.04 s
        load.from = solved ? -1.0 : 0.0, load.ramp = 0.5;
        add_load(h.world, &load);
        if (solved) {
            solve(h.world);
        } else {
            run_many(h.world, way->h, (int)(0.6 / way->h));
        }
        // other laws of twist: up to (T l / GJ)^2
        double allowed = way->spins && !solved ? 0.05 : 2e-3;
        CordVec3 force;
        check(way->name, twist_of(h.world, h.rod), T * apart, allowed * T);
        check(way->name, reaction_of(&h, &force).x, T, (solved ? 1e-6 : 0.05) * T);
        cord_world_destroy(h.world);
    }
}

// A torque of the clamp at one end twists the rod by T L / GJ, and arrives in full at the other.
TEST(a_clamp_that_turns_with_a_torque_twists_the_rod)
{
    CordRodDef def = unit_rod(ELEMENTS);
    def.stiffness.GJ = 0.5;
    def.half_edge_start = def.half_edge_end = true;
    Held h = hold_rod(&def);
    CordClampDef driven = clamp_def(h.rod, cord_at_end(), CORD_FIX_FRAME);
    CordVec3 force;
    driven.has_torque = true, driven.torque = 0.3;
    add_clamp(h.world, &driven);
    run(h.world, 1e-5, 1);
    CHECK_NEAR(twist_of(h.world, h.rod), 0.3 / 0.5, 2.0 * pi * 1e-12);
    CHECK_NEAR(reaction_of(&h, &force).x, 0.3, 1e-12);
    cord_world_destroy(h.world);
}

// Between two ends that are held, the frame where T acts turns by T a b / (GJ (a + b)).
TEST(a_torque_between_two_clamps_is_shared)
{
    for (int i = 0; i < WAYS; i++) {
        Held h = held_rod(&ways[i]), end = h;
        end.clamp = hold(h.world, h.rod, cord_at_end(), CORD_FIX_FRAME);
        const int edge = 5;
        const double T = 0.4, a = edge / (double)ELEMENTS, b = apart - a;
        CordVec3 force;
        add_torque(h.world, h.rod, cord_at_edge(edge), (CordVec3){T, 0, 0});
        solve(h.world);
        // other laws of twist: up to (T l / GJ)^2
        check(ways[i].name, reaction_of(&h, &force).x, T * b / (a + b), 1e-4 * T);
        check(ways[i].name, reaction_of(&end, &force).x, T * a / (a + b), 1e-4 * T);
        check(ways[i].name, twist_of(h.world, h.rod), 0.0, 1e-9);
        cord_world_destroy(h.world);
    }
}

// In space, where the torque's stiffness is not symmetric, solves and steps agree, and the clamp carries all
// of it.
TEST(a_torque_about_any_axis_is_carried_by_the_clamp)
{
    for (int i = 0; i < WAYS; i++) {
        Held h = held_rod(&ways[i]);
        CordVec3 T = {0.5, 0.4, 0.6}, force;
        add_torque(h.world, h.rod, cord_at_arc(0.8), T);
        solve(h.world);
        CordVec3 torque = reaction_of(&h, &force);
        CHECK_VEC3(force, ((CordVec3){0, 0, 0}), 1e-4);
        CHECK_VEC3(torque, T, 2e-3); // directors of corde stand aside from tangents
        CordVec3 solved = tip_of(h.world, h.rod);
        if (ways[i].integrator != CORD_INTEGRATOR_VERLET) {
            add_drag(h.world, (CordRodId){0, 0}, 5.0);
            run_many(h.world, ways[i].h, 200);
            CHECK_VEC3(tip_of(h.world, h.rod), solved, 1e-5);
        }
        cord_world_destroy(h.world);
    }
}

// A free rod keeps its momentum, and its angular momentum grows by T t.
TEST(momentum_grows_by_the_torque)
{
    for (int i = 0; i < WAYS; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = rod_of(&ways[i]);
        def.velocity = (CordVec3){0.3, 0, 0.1};
        CordRodId rod = add_rod(world, &def);
        const double T = 0.05;
        add_torque(world, rod, cord_at_node(ELEMENTS / 2), (CordVec3){0, 0, T});
        CordMomentum before = cord_rod_momentum(world, rod);
        int steps = (int)(0.5 / ways[i].h);
        run_many(world, ways[i].h, steps);
        CordMomentum after = cord_rod_momentum(world, rod);
        bool euler = ways[i].integrator == CORD_INTEGRATOR_BACKWARD_EULER || ways[i].model == CORD_MODEL_PBD;
        CHECK_VEC3(after.linear, before.linear, 1e-9);
        CordVec3 gained = minus(after.angular, before.angular), wanted = {0, 0, T * ways[i].h * steps};
        double allowed = (euler ? 0.02 : 1e-9) * T; // steps of first order lose a share of h times the rate
        check(ways[i].name, gained.z, wanted.z, allowed);
        CHECK_VEC3(gained, wanted, allowed);
        cord_world_destroy(world);
    }
}

// Frames with inertia I per length turn about their axis by T t^2 / (2 I L).
TEST(frames_with_inertia_spin_up)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rod_of(&ways[1]);
    CordRodId rod = add_rod(world, &def);
    CordVec3 before[ELEMENTS], after[ELEMENTS];
    CHECK_OK(cord_rod_material_frames(world, rod, before));
    const double T = 1e-4;
    add_torque(world, rod, cord_at_end(), (CordVec3){T, 0, 0});
    run_many(world, ways[1].h, (int)(1.0 / ways[1].h));
    CHECK_OK(cord_rod_material_frames(world, rod, after));
    for (int i = 0; i < ELEMENTS; i++) {
        CordVec3 a = before[i], b = after[i];
        double turn = atan2(a.y * b.z - a.z * b.y, a.y * b.y + a.z * b.z);
        // torsional waves twist it by T L / GJ
        check("der", turn, 0.5 * T / def.stiffness.spin_inertia, 3.0 * T);
    }
    cord_world_destroy(world);
}

// Small loads on a modal cantilever: T L^2 / (2 EI) aside, T L / GJ about itself.
TEST(a_modal_rod_bends_and_twists)
{
    for (int about = 0; about < 2; about++) {
        CordRodDef def = unit_rod(ELEMENTS);
        def.inextensible = false;
        def.model = CORD_MODEL_MODAL, def.modal.modes = 60, def.modal.damping_ratio = 0.7;
        Held h = hold_rod(&def);
        const double T = 1e-3, a = 1.0 - 0.5 / ELEMENTS; // modal clamps hold nodes
        CordVec3 torque = about ? (CordVec3){T, 0, 0} : (CordVec3){0, 0, T}, force;
        add_torque(h.world, h.rod, cord_at_end(), torque);
        run_many(h.world, 0.01, 1000);
        CHECK_VEC3(reaction_of(&h, &force), torque, 0.02 * T);
        if (about) {
            // what modes leave out goes with one over their number
            check("twist", twist_of(h.world, h.rod), T * a, 0.05 * T);
        } else {
            check("tip", tip_of(h.world, h.rod).y, T * (0.5 * a * a + a * (1.0 - a)), 0.01 * T);
        }
        cord_world_destroy(h.world);
    }
}

// I w' = T.
TEST(a_body_spins_up)
{
    CordWorld* world = new_weightless_world();
    CordBodyDef def = ball_def((CordVec3){0, 0, 0}, 2.0, 0.5);
    CordBodyId body = add_body(world, &def);
    CordLoadDef load = cord_load_def_default();
    load.kind = CORD_LOAD_TORQUE, load.body = body, load.torque = (CordVec3){0, 0, 3};
    add_load(world, &load);
    run_many(world, 0.01, 50);
    CHECK_VEC3(cord_body_momentum(world, body).angular, ((CordVec3){0, 0, 3 * 0.5}), 1e-12);
    CHECK_VEC3(cord_body_momentum(world, body).linear, ((CordVec3){0, 0, 0}), 0.0);
    cord_world_destroy(world);
}

static CordBodyId weld_ball(CordWorld* world, CordRodId rod, double mass, double radius)
{
    CordBodyDef def = cord_body_def_default();
    def.position = (CordVec3){1, 0, 0}, def.mass = mass, def.solid.size.x = radius;
    CordBodyId body = add_body(world, &def);
    weld(world, rod, cord_at_end(), body, CORD_FIX_FRAME);
    return body;
}

// A torque on the last edge of a rod whose end carries a body turns that body as well: all of it arrives.
TEST(a_torque_at_a_weld_reaches_the_clamp)
{
    for (int i = 0; i < WAYS; i++) {
        Held h = held_rod(&ways[i]);
        CordVec3 T = {0.2, 0, 0.3}, force;
        weld_ball(h.world, h.rod, 0.1, 0.05);
        add_torque(h.world, h.rod, cord_at_end(), T);
        solve(h.world);
        CHECK_VEC3(reaction_of(&h, &force), T, 2e-3);
        cord_world_destroy(h.world);
    }
}

// A rod and a body on its end fly free: what the torque on the welded edge does to rod and body together is
// all of it.
TEST(a_torque_at_a_weld_turns_rod_and_body)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = rod_of(&ways[i]);
        CordRodId rod = add_rod(world, &def);
        CordBodyId end = weld_ball(world, rod, 0.5, 0.1);
        CordVec3 T = {2e-4, 0, 0.02};
        add_torque(world, rod, cord_at_end(), T);
        int steps = (int)(0.2 / ways[i].h);
        run_many(world, ways[i].h, steps);
        CordMomentum a = cord_rod_momentum(world, rod), b = cord_body_momentum(world, end);
        CordVec3 all = plus(a.angular, b.angular), wanted = times(T, ways[i].h * steps);
        // the edge turns, and steps see it so to first order
        check(ways[i].name, all.z, wanted.z, 0.02 * wanted.z);
        if (!ways[i].spins) { // the momentum of frames that spin is not told
            check(ways[i].name, all.x, wanted.x, 0.02 * wanted.x);
        }
        CHECK_VEC3(plus(a.linear, b.linear), ((CordVec3){0, 0, 0}), 1e-10);
        cord_world_destroy(world);
    }
}

TEST(rods_that_no_torque_can_act_on_refuse_it)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(ELEMENTS);
    CordLoadDef load = cord_load_def_default();
    CordLoadId id;
    load.kind = CORD_LOAD_TORQUE, load.torque = (CordVec3){0, 0, 1};
    def.model = CORD_MODEL_PBD, def.pbd.solver = CORD_PBD_PBD, def.inextensible = false;
    load.rod = add_rod(world, &def);
    CHECK_RESULT(cord_load_create(world, &load, &id), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(world), "no stiffness that a torque could act on");
    CordSolveDef solve_def = cord_solve_def_default();
    CordSolveReport report;
    CordRodDef loose = unit_rod(ELEMENTS);
    CordWorld* free_world = new_weightless_world();
    CordRodId rod = add_rod(free_world, &loose);
    add_torque(free_world, rod, cord_at_end(), (CordVec3){0, 0, 1});
    CHECK_RESULT(cord_world_solve(free_world, &solve_def, &report), CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(free_world), "nothing holds rod");
    double omega2;
    hold(free_world, rod, cord_at_start(), CORD_FIX_FRAME);
    CHECK_OK(cord_world_solve(free_world, &solve_def, &report));
    CHECK_RESULT(cord_world_modes(free_world, 1, &omega2, NULL), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(cord_world_message(free_world), "no potential");
    cord_world_destroy(free_world);
    cord_world_destroy(world);
}

// Frames without inertia that nothing holds would turn at any speed.
TEST(a_torque_that_nothing_holds_against_is_told_of)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(ELEMENTS);
    CordRodId rod = add_rod(world, &def);
    add_torque(world, rod, cord_at_end(), (CordVec3){1, 0, 0});
    CordResult result = CORD_OK;
    for (int i = 0; i < 10 && result == CORD_OK; i++) {
        result = cord_world_step(world, 1e-4);
    }
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    CHECK_CONTAINS(cord_world_message(world), "frames with inertia");
    cord_world_destroy(world);
}

TEST_GROUP(torque)
