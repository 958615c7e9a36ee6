#include "world_rods.h"

#include <cordage/ledger.h>

static const CordVec3 target = {0.9, 0.3, -0.2};

static CordLoadDef spring_def(CordRodId rod, CordPlace at, CordVec3 to, double stiffness)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_SPRING, def.rod = rod, def.at = at;
    def.target = to, def.stiffness = stiffness;
    return def;
}

static CordLoadId add_spring(CordWorld* world, CordRodId rod, CordPlace at, CordVec3 to, double stiffness)
{
    CordLoadDef def = spring_def(rod, at, to, stiffness);
    return add_load(world, &def);
}

static CordVec3 pull_of(const CordWorld* world, CordLoadId spring)
{
    CordVec3 pull;
    CHECK_OK(cord_load_force(world, spring, &pull));
    return pull;
}

// ---- steps

typedef struct Way {
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    bool inextensible;
    CordPbdMethod method;
    double h;
} Way;

static const Way ways[] = {
    {"der", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, false, 0, 1e-3},
    {"der, symplectic Euler", CORD_MODEL_DER, CORD_INTEGRATOR_SYMPLECTIC_EULER, false, 0, 1e-3},
    {"der, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, true, 0, 1e-3},
    {"der, midpoint", CORD_MODEL_DER, CORD_INTEGRATOR_MIDPOINT, false, 0, 1e-2},
    {"der, backward Euler", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, false, 0, 1.0 / 60},
    {"der, backward Euler, inextensible", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, true, 0, 1.0 / 60},
    {"corde", CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET, false, 0, 1e-3},
    {"corde, backward Euler", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, false, 0, 1.0 / 60},
    {"pbd", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, false, CORD_PBD_DIRECT, 1.0 / 60},
    {"pbd, inextensible", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, true, CORD_PBD_DIRECT, 1.0 / 60},
    {"pbd, sweeps", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, false, CORD_PBD_SWEEPS, 1.0 / 240},
};
#define WAYS ((int)(sizeof ways / sizeof *ways))

static CordRodDef def_of(const Way* way)
{
    CordRodDef def = line_def(11);
    def.model = way->model, def.integrator = way->integrator, def.inextensible = way->inextensible;
    def.pbd.method = way->method;
    return def;
}

static CordWorld* hung_rope(const Way* way, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = def_of(way);
    *rod = add_rod(world, &def);
    hold(world, *rod, cord_at_start(), CORD_FIX_POSITION);
    add_drag(world, *rod, 1.0); // so that it comes to rest
    return world;
}

static CordVec3 clamp_force(const CordWorld* world)
{
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(world, cord_world_clamp(world, 0), &force, &torque));
    return force;
}

static void check_below(const Way* way, const char* what, double value, double most)
{
    if (!(value < most)) {
        check_fail(__FILE__, __LINE__, "%s: %s is %g, at most %g allowed", way->name, what, value, most);
    }
}

static CordVec3 end_of(const CordWorld* world, CordRodId rod)
{
    CordVec3 x[11];
    CHECK_OK(cord_rod_positions(world, rod, x));
    return x[10];
}

// At rest the spring and the clamp carry the weight, whatever the model and the step.
TEST(a_rope_hangs_from_a_clamp_and_a_spring)
{
    for (int i = 0; i < WAYS; i++) {
        CordRodId rod;
        CordWorld* world = hung_rope(&ways[i], &rod);
        CordLoadId spring = add_spring(world, rod, cord_at_end(), target, 40.0);
        run(world, ways[i].h, (int)(12.0 / ways[i].h));
        CordVec3 pull = pull_of(world, spring), end = end_of(world, rod);
        CHECK_VEC3(pull, vec3_mul(vec3_sub(target, end), 40.0), 1e-12); // the law, at the node as it is
        CordVec3 rest = vec3_sub(vec3_sub(pull, clamp_force(world)), (CordVec3){0, 0, RODS_MASS * 9.81});
        // What is left of the motion after 12 s; sweeps leave part of the last millimetres of tension undone.
        check_below(&ways[i], "force that is not balanced", vec3_length(rest),
                    ways[i].method == CORD_PBD_SWEEPS ? 0.05 : 2e-3);
        CHECK(pull.z > 0.1); // it does carry a part
        cord_world_destroy(world);
    }
}

// Two springs at their limit pull one node to different places, in steps in which they move it far.
TEST(springs_at_one_node_act_in_any_order)
{
    for (int i = 0; i < WAYS; i++) {
        CordVec3 end[2];
        for (int order = 0; order < 2; order++) {
            CordRodId rod;
            CordWorld* world = hung_rope(&ways[i], &rod);
            for (int k = 0; k < 2; k++) {
                CordLoadDef def = spring_def(rod, cord_at_end(), target, 300.0);
                def.target = k == order ? target : (CordVec3){1.1, -0.2, 0.1},
                def.most = k == order ? 2.0 : 5.0;
                add_load(world, &def);
            }
            run(world, ways[i].h, 10);
            end[order] = end_of(world, rod);
            cord_world_destroy(world);
        }
        check_below(&ways[i], "difference by the order of springs", vec3_length(vec3_sub(end[0], end[1])),
                    1e-12);
    }
}

// The target goes from where the end of the rope is to where it was, at the speed of a hand.
static void lead(CordWorld* world, CordRodId rod, CordLoadId spring, double h, int steps)
{
    CordVec3 from = end_of(world, rod), way = vec3_sub(target, from);
    for (int i = 0; i < steps; i++) {
        CHECK_OK(cord_load_set_target(world, spring, vec3_madd(from, way, (i + 1.0) / steps)));
        run(world, h, 1);
    }
}

// A hand of any strength leads the node to where it is, and never blows up: the force is that of the end of
// the step.
TEST(a_spring_of_any_stiffness_is_stable)
{
    for (int i = 0; i < WAYS; i++) {
        for (double K = 1e2; K < 1e10; K *= 1e3) {
            CordRodId rod;
            CordWorld* world = hung_rope(&ways[i], &rod);
            // it sags: one that is straight and keeps its length is a strut
            run(world, ways[i].h, (int)(0.3 / ways[i].h));
            CordLoadId spring = add_spring(world, rod, cord_at_end(), target, K);
            lead(world, rod, spring, ways[i].h, (int)(1.0 / ways[i].h));
            run(world, ways[i].h, (int)(2.0 / ways[i].h));
            double off = vec3_length(vec3_sub(end_of(world, rod), target));
            // a rope of 1 N of weight, still swinging a little
            check_below(&ways[i], "distance from the target", off, 3.0 / K + 0.02);
            CHECK_OK(cord_load_destroy(world, spring));
            run(world, ways[i].h, 10);
            CHECK(fabs(cord_rod_mass(world, rod) - RODS_MASS) < 1e-12);
            cord_world_destroy(world);
        }
    }
}

// It pulls no harder than it may: a clamped rope with a far target.
TEST(a_spring_pulls_with_at_most_what_it_may)
{
    for (int i = 0; i < WAYS; i++) {
        CordRodId rod;
        CordWorld* world = hung_rope(&ways[i], &rod);
        CordLoadDef def = spring_def(rod, cord_at_end(), target, 1000.0);
        def.most = 0.5;
        CordLoadId spring = add_load(world, &def);
        CHECK_OK(cord_load_set_target(world, spring, (CordVec3){5, 0, 0}));
        run(world, ways[i].h, (int)(8.0 / ways[i].h));
        CordVec3 pull = pull_of(world, spring);
        CHECK_NEAR(vec3_length(pull), 0.5, 1e-12);
        check_below(&ways[i], "difference of the forces at both ends", fabs(clamp_force(world).x - pull.x),
                    ways[i].method == CORD_PBD_SWEEPS ? 0.05 : 5e-3); // what is left of the motion
        cord_world_destroy(world);
    }
}

// A free rod of 0.1 kg that a spring pulls to a point, from 0.1 m beside it: its centre of mass after five
// periods, and the energy of rod and spring.
static CordVec3 swung(const Way* way, double damping, double h, double* energy)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = def_of(way);
    def.stiffness = (CordStiffness){.EI1 = 0.1, .EI2 = 0.1, .GJ = 0.1, .EA = 100.0, .mass_per_length = 1.0};
    def.shape = cord_shape_line((CordVec3){0.1, -0.05, 0}, (CordVec3){0.1, 0.05, 0}, 3);
    CordRodId rod = add_rod(world, &def);
    CordLoadDef spring = spring_def(rod, cord_at_node(1), (CordVec3){0, 0, 0}, 10.0);
    spring.damping = damping;
    add_load(world, &spring);
    run(world, h, (int)(3.0 / h + 0.5));
    CordVec3 x[3];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CordEnergy e = cord_rod_energy(world, rod);
    *energy = e.kinetic + e.bend + e.twist + e.stretch + 5.0 * vec3_dot(x[1], x[1]);
    cord_world_destroy(world);
    return vec3_mul(vec3_add(vec3_add(x[0], x[2]), vec3_mul(x[1], 2.0)), 0.25);
}

// Nothing is lost but by the damper where the integrator has no damping of its own, and the motion is of
// second order in the step.
TEST(a_spring_damps_only_by_its_damper)
{
    const int kinds[] = {0, 2, 3, 6};
    for (int i = 0; i < 8; i++) {
        const Way* way = &ways[kinds[i / 2]];
        double damping = i % 2 ? 0.2 : 0.0, energy[3];
        CordVec3 x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = swung(way, damping, 1e-3 / (1 << k), &energy[k]);
        }
        double first = vec3_length(vec3_sub(x[0], x[1])), second = vec3_length(vec3_sub(x[1], x[2]));
        print_message("    %s, damping %g: %.2g and %.2g m, %.6g J of 0.05\n", way->name, damping, first,
                      second, energy[0]);
        CHECK_NEAR(log2(first / second), 2.0, 0.2);
        CHECK(damping > 0.0 || fabs(energy[0] - 0.05) < 1e-4 * 0.05); // (omega h)^2, omega = 10
    }
}

// A stiff bar on two springs, at 25 steps a period: its nodes alone would oscillate far faster than the bar.
static CordWorld* bar_on_springs(CordIntegrator integrator, int nodes, CordLoadId spring[2])
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(nodes);
    def.integrator = integrator;
    def.stiffness = (CordStiffness){.EI1 = 1e4, .EI2 = 1e4, .GJ = 1e4, .EA = 1e7, .mass_per_length = 0.3};
    CordRodId rod = add_rod(world, &def);
    spring[0] = add_spring(world, rod, cord_at_start(), (CordVec3){0, 0, 0}, 100.0);
    spring[1] = add_spring(world, rod, cord_at_end(), (CordVec3){1, 0, 0}, 100.0);
    CHECK_OK(cord_ledger_open(world));
    return world;
}

static double work_of(const CordLedger* ledger, CordLedgerKind kind)
{
    double sum = 0.0;
    for (int i = 0; i < ledger->entry_count; i++) {
        sum += ledger->entries[i].kind == kind ? ledger->entries[i].done.work : 0.0;
    }
    return sum;
}

// The bar sinks by 2 a = m g / K and rises again to where it was, however finely it is divided.
TEST(the_midpoint_rule_keeps_the_swing_of_a_bar_on_springs)
{
    for (int nodes = 21; nodes <= 81; nodes += 60) {
        CordLoadId spring[2];
        CordWorld* world = bar_on_springs(CORD_INTEGRATOR_MIDPOINT, nodes, spring);
        run(world, 0.01, 900);
        double highest = -INFINITY;
        for (int i = 0; i < 50; i++) {
            run(world, 0.01, 1);
            CordVec3 x[81];
            CHECK_OK(cord_rod_positions(world, cord_world_rod(world, 0), x));
            highest = fmax(highest, x[nodes / 2].z);
        }
        CordLedger ledger;
        CHECK_OK(cord_ledger_read(world, &ledger));
        print_message("    %d nodes: %.2g m below, %.2g J of %.2g J\n", nodes, -highest, ledger.error,
                      ledger.turnover);
        // it sinks by 29 mm; a reading may miss the top by half a step, 1 - cos(0.13) of 15 mm
        CHECK_NEAR(highest, 0.0, 0.3e-3);
        CHECK_NEAR(ledger.error, 0.0, 1e-9 * ledger.turnover);
        cord_world_destroy(world);
    }
}

// Once it is at rest, springs have taken what they store, and the integrator has taken the swing.
TEST(what_backward_euler_takes_is_not_the_springs)
{
    CordLoadId spring[2];
    CordWorld* world = bar_on_springs(CORD_INTEGRATOR_BACKWARD_EULER, 21, spring);
    run(world, 0.01, 1500);
    CordLedger ledger;
    CHECK_OK(cord_ledger_read(world, &ledger));
    double sag = 0.3 * 9.81 / 200.0, stored = 0.5 * 200.0 * sag * sag;
    CHECK_NEAR(work_of(&ledger, CORD_LEDGER_LOAD), -stored, 1e-3 * stored); // it bends a little
    CHECK_NEAR(work_of(&ledger, CORD_LEDGER_INTEGRATOR), -stored, 2e-3 * stored);
    CHECK_NEAR(ledger.error, 0.0, 1e-9 * ledger.turnover);
    cord_world_destroy(world);
}

// A hand that takes hold at 10 steps and lets go at 50: a step has it or has it not, and the ledger, which
// reads every such step, knows which.
TEST(what_a_spring_does_that_comes_and_goes_is_all_its_own)
{
    const int read[] = {3, 4, 5, 7, 8};
    for (int i = 0; i < 5; i++) {
        const Way* way = &ways[read[i]];
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef rod_def = def_of(way);
        CordRodId rod = add_rod(world, &rod_def);
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        CordLoadDef spring = spring_def(rod, cord_at_end(), target, 1.0);
        spring.from = 10 * way->h, spring.to = 50 * way->h;
        add_load(world, &spring);
        CHECK_OK(cord_ledger_open(world));
        run(world, way->h, 80);
        CordLedger ledger;
        CHECK_OK(cord_ledger_read(world, &ledger));
        CHECK_NEAR(ledger.error, 0.0, 1e-9 * ledger.turnover); // position-based steps iterate to 1e-10
        CHECK_VEC3(ledger.linear_error, ((CordVec3){0, 0, 0}), 1e-9);
        cord_world_destroy(world);
    }
}

// Backward Euler and a position-based step are the same equations.
TEST(models_that_step_alike_agree)
{
    CordVec3 end[2];
    for (int k = 0; k < 2; k++) {
        CordRodId rod;
        CordWorld* world = hung_rope(&ways[k == 0 ? 4 : 8], &rod);
        add_spring(world, rod, cord_at_end(), target, 40.0);
        run(world, 1.0 / 60, 30);
        end[k] = end_of(world, rod);
        cord_world_destroy(world);
    }
    CHECK_VEC3(end[0], end[1], 2e-4); // two laws of bending, in ten elements
}

TEST(a_spring_that_makes_no_sense_is_refused)
{
    CordRodId rod;
    CordWorld* world = hung_rope(&ways[0], &rod);
    CordLoadDef good = spring_def(rod, cord_at_end(), target, 1.0);
    CordLoadDef bad[6] = {good, good, good, good, good, good};
    bad[0].stiffness = 0.0, bad[1].stiffness = (double)INFINITY, bad[2].damping = -1.0, bad[3].most = 0.0;
    bad[4].target.x = (double)NAN, bad[5].rod = (CordRodId){0};
    CordLoadId id;
    for (int i = 0; i < 6; i++) {
        CHECK_RESULT(cord_load_create(world, &bad[i], &id), CORD_BAD_ARGUMENT);
    }
    CHECK_OK(cord_load_create(world, &good, &id));
    cord_world_destroy(world);
}

// A rod that nothing but a spring holds has an equilibrium: it hangs below the spring's target.
TEST(statics_knows_springs)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(21);
    CordRodId rod = add_rod(world, &def);
    CordLoadId spring = add_spring(world, rod, cord_at_node(10), (CordVec3){0, 0, 0}, 25.0);
    solve_as(world, false);
    CHECK_VEC3(pull_of(world, spring), ((CordVec3){0, 0, RODS_MASS * 9.81}),
               1e-6); // the solve's tolerance is below that
    cord_world_destroy(world);
}

static CordRodId add_modal_cantilever(CordWorld* world, int nodes, int modes, double EI, double damping_ratio)
{
    CordRodDef def = line_def(nodes);
    def.stiffness.EI1 = def.stiffness.EI2 = EI;
    def.model = CORD_MODEL_MODAL, def.modal.modes = modes, def.modal.damping_ratio = damping_ratio;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    return rod;
}

// A modal cantilever, pulled at its end by a little: as its bending stiffness has it.
TEST(a_modal_rod_is_pulled)
{
    for (double h = 1.0 / 30; h > 1e-3; h /= 4.0) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = add_modal_cantilever(world, 41, 12, RODS_EI, 0.3);
        CordLoadDef spring = spring_def(rod, cord_at_end(), (CordVec3){1, 0, 0.02}, 0.01);
        spring.damping = 0.001;
        CordLoadId id = add_load(world, &spring);
        run(world, h, (int)(60.0 / h));
        CordVec3 x[41], pull = pull_of(world, id);
        CHECK_OK(cord_rod_positions(world, rod, x));
        double L = 1.0; // supports of modal rods hold nodes
        double bends = 3.0 * RODS_EI / (L * L * L), share = 0.01 / (0.01 + bends);
        // twelve modes, four of them of bending this way
        CHECK_NEAR(x[40].z, 0.02 * share, 0.02 * share * 0.02);
        CHECK_NEAR(pull.z, bends * x[40].z, 0.02 * pull.z);
        cord_world_destroy(world);
    }
}

TEST(a_stiff_spring_on_a_modal_rod_is_stable)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodId rod = add_modal_cantilever(world, 21, 8, 0.5, 0.05);
    CordVec3 x[21], to = {0.9, 0, 0.3};
    add_spring(world, rod, cord_at_end(), to, 1e6);
    run(world, 1.0 / 30, 3000);
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK(vec3_length(vec3_sub(x[20], to)) < 0.05); // what the modes cannot follow
    cord_world_destroy(world);
}

// A free rod of 0.1 kg passes its target at 3 m/s: what a step takes of its momentum is no more than the
// spring may pull with.
TEST(a_node_that_passes_by_is_pulled_no_harder)
{
    for (int i = 0; i < WAYS; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = def_of(&ways[i]);
        def.velocity = (CordVec3){0, 3, 0};
        CordRodId rod = add_rod(world, &def);
        CordLoadDef spring = spring_def(rod, cord_at_node(5), (CordVec3){0.5, 0, 0}, 1e4);
        spring.most = 0.5;
        add_load(world, &spring);
        double before = cord_rod_momentum(world, rod).linear.y, h = ways[i].h;
        run(world, h, 1);
        double mean = (before - cord_rod_momentum(world, rod).linear.y) / h;
        // where it will be is foreseen without its neighbours; Verlet's first step has its velocity told half
        // a step on
        check_below(&ways[i], "mean pull", mean, 0.5 * 1.3);
        cord_world_destroy(world);
    }
}

// Modes that swing many times in a step are fed by nothing, without any damping of their own.
TEST(a_spring_on_an_undamped_modal_rod_is_stable)
{
    for (double K = 1.0; K < 1e8; K *= 10.0) {
        for (int fast = 0; fast < 2; fast++) {
            CordWorld* world = new_world((CordVec3){0, 0, -9.81});
            CordRodId rod = add_modal_cantilever(world, 21, 8, 0.5, 0.0);
            add_spring(world, rod, cord_at_end(), (CordVec3){0.95, 0, 0.2}, K);
            run(world, fast ? 1.0 / 240 : 1.0 / 30, 2000);
            // it swings on, if at all: weight times length is 1 J
            CHECK(cord_rod_energy(world, rod).kinetic < 0.2);
            cord_world_destroy(world);
        }
    }
}

// What a body welded to the rod weighs is what the spring at the weld pulls with: exactly in implicit steps.
TEST(a_spring_at_a_weld_carries_the_body)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(11);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    CordRodId rod = add_rod(world, &def);
    CordBodyDef body = cord_body_def_default();
    body.position = (CordVec3){1, 0, 0}, body.mass = 0.5, body.solid.size.x = 0.02;
    CordBodyId bob;
    CHECK_OK(cord_body_create(world, &body, &bob));
    CordWeldDef weld = cord_weld_def_default();
    weld.rod = rod, weld.body = bob;
    CordWeldId id;
    CHECK_OK(cord_weld_create(world, &weld, &id));
    CordLoadDef spring = spring_def(rod, cord_at_end(), (CordVec3){1, 0, 0}, 500.0);
    spring.damping = 1.0;
    CordLoadId hand = add_load(world, &spring);
    add_drag(world, rod, 1.0);
    run(world, 0.01, 2000);
    CordVec3 pull = pull_of(world, hand);
    CHECK_NEAR(pull.z, 9.81 * (0.5 + RODS_MASS), 1e-3 * pull.z); // what is left of the swing after 20 s
    cord_world_destroy(world);
}

// More than springs can carry has no equilibrium, and that is said.
TEST(statics_knows_how_hard_springs_pull)
{
    for (int weak = 0; weak < 2; weak++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(11);
        CordRodId rod = add_rod(world, &def);
        CordLoadDef spring = spring_def(rod, cord_at_node(5), (CordVec3){0, 0, 0}, 1e3);
        spring.most = weak ? 0.5 : 1.5;
        add_load(world, &spring);
        CordSolveReport report;
        CordSolveDef solve = cord_solve_def_default();
        CHECK_RESULT(cord_world_solve(world, &solve, &report), weak ? CORD_NOT_CONVERGED : CORD_OK);
        CHECK(!weak || strstr(cord_world_message(world), "springs hold") != NULL);
        cord_world_destroy(world);
    }
}

TEST_GROUP(rod_spring)
