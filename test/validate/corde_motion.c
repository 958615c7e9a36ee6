// Explicit corde rods in motion: momentum, energy, the two ways to step orientations against each other, and
// the advised step against the longest that is stable.
#include "random.h"
#include "rods.h"

static const CordOrientations both[] = {CORD_ORIENTATIONS_QUASISTATIC, CORD_ORIENTATIONS_EXPLICIT};
static const char* const ways[] = {"quasistatic", "explicit"};

// ---- a free rod

#define FREE_NODES 12

// A thick flat rod, bent from straight and twisted, that tumbles and has every node thrown. What is in
// equilibrium cannot be twisted.
static CordWorld* tumbling(CordOrientations orientations, CordIntegrator integrator, CordRodId* rod)
{
    CordVec3 x[FREE_NODES], v[FREE_NODES];
    uint64_t seed = 3;
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    for (int i = 0; i < FREE_NODES; i++) {
        x[i] = plus((CordVec3){0.1 * cos(0.5 * i), 0.1 * sin(0.5 * i), 0.04 * i}, random_vec3(&seed, 0.01));
    }
    def.model = CORD_MODEL_CORDE, def.corde.orientations = orientations, def.integrator = integrator;
    def.shape = cord_shape_points(x, FREE_NODES), def.rest = CORD_REST_STRAIGHT;
    def.section = cord_section_rectangle(0.03, 0.015), def.material.young = 1e6;
    def.twist = orientations == CORD_ORIENTATIONS_EXPLICIT ? 3.0 : 0.0, def.spin = (CordVec3){20, -10, 15};
    *rod = add_rod(world, &def);
    CHECK_OK(cord_rod_velocities(world, *rod, v));
    for (int i = 0; i < FREE_NODES; i++) {
        v[i] = plus(v[i], random_vec3(&seed, 1.0));
    }
    CHECK_OK(cord_rod_set_velocities(world, *rod, v));
    return world;
}

typedef struct Drift {
    double linear, angular, energy; // at the most, relative
} Drift;

static Drift drift_of(CordOrientations orientations, CordIntegrator integrator, double h)
{
    CordRodId rod;
    CordWorld* world = tumbling(orientations, integrator, &rod);
    run_many(world, h, 1); // into equilibrium
    CordMomentum start = cord_rod_momentum(world, rod);
    double energy = total_energy(world, rod);
    Drift most = {0};
    while (cord_world_time(world) < 0.02) {
        run_many(world, h, 1);
        CordMomentum now = cord_rod_momentum(world, rod);
        most.linear = fmax(most.linear, size_of(minus(now.linear, start.linear)) / size_of(start.linear));
        most.angular =
            fmax(most.angular, size_of(minus(now.angular, start.angular)) / size_of(start.angular));
        most.energy = fmax(most.energy, fabs(total_energy(world, rod) / energy - 1.0));
    }
    cord_world_destroy(world);
    return most;
}

// Over 0.02 s, in which it turns by half a radian, at steps of 10 us:
//
//                                      angular momentum      energy
//     explicit, verlet                 2e-15                 9.5e-7, order 2.00
//     explicit, symplectic Euler       4.8e-6, order 1.00    1.5e-4, order 0.95      (40) to (42) as printed
//     quasistatic, verlet              1.5e-12               2.5e-7, order 2.00
//     quasistatic, symplectic Euler    1.5e-12               6.1e-5, order 0.98
//
// Linear momentum stays to 1e-14.
TEST(a_free_rod_keeps_its_momentum)
{
    for (int i = 0; i < 4; i++) {
        CordOrientations way = both[i / 2];
        CordIntegrator integrator = i % 2 ? CORD_INTEGRATOR_SYMPLECTIC_EULER : CORD_INTEGRATOR_VERLET;
        Drift coarse = drift_of(way, integrator, 2e-5), fine = drift_of(way, integrator, 1e-5);
        double order = log2(coarse.angular / fine.angular), energy_order = log2(coarse.energy / fine.energy);
        print_message("    %s, %s: linear %.1e, angular %.2e (order %.2f), energy %.2e (order %.2f)\n",
                      ways[i / 2], i % 2 ? "symplectic Euler" : "verlet", fmax(coarse.linear, fine.linear),
                      fine.angular, order, fine.energy, energy_order);
        CHECK_NEAR(fmax(coarse.linear, fine.linear), 0.0, 1e-12);
        if (way == CORD_ORIENTATIONS_QUASISTATIC) {
            CHECK_NEAR(fine.angular, 0.0, 1e-10); // torques that Newton's method leaves
        } else if (i % 2) {
            CHECK_NEAR(order, 1.0, 0.1); // h is small enough for the next term to be less than that
            CHECK_NEAR(energy_order, 1.0, 0.1);
        } else {
            CHECK_NEAR(fine.angular, 0.0, 1e-12); // round-off
            CHECK_NEAR(energy_order, 2.0, 0.1);
        }
    }
}

// ---- a rod that swings

#define SWING_NODES 21

// Let go from a quarter of a circle out of the vertical plane, free of stress or bent from straight.
static CordWorld* swinging(CordOrientations orientations, CordRest rest, CordSection section, double inertia,
                           CordRodId* rod)
{
    CordVec3 x[SWING_NODES];
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    for (int i = 0; i < SWING_NODES; i++) {
        double a = 0.5 * pi * i / (SWING_NODES - 1);
        x[i] = (CordVec3){sin(a) / (0.5 * pi), 0.2 * (1 - cos(a)), (1 - cos(a)) / (0.5 * pi)};
    }
    def.model = CORD_MODEL_CORDE, def.corde.orientations = orientations;
    def.shape = cord_shape_points(x, SWING_NODES), def.rest = rest;
    def.section = section, def.material.young = 1e7, def.m1 = (CordVec3){0, 1, 0.5};
    CordStiffness true_ones = cord_stiffness_from(&def.material, &def.section);
    def.stiffness.rotary1 = inertia * true_ones.rotary1, def.stiffness.rotary2 = inertia * true_ones.rotary2;
    def.stiffness.spin_inertia = inertia * true_ones.spin_inertia;
    *rod = add_held(world, &def);
    return world;
}

static CordVec3 swung(CordOrientations orientations, double inertia, double h, double time)
{
    CordRodId rod;
    CordSection flat = cord_section_rectangle(0.02, 0.01);
    CordWorld* world = swinging(orientations, CORD_REST_AS_SHAPED, flat, inertia, &rod);
    run_many(world, h, (int)(time / h + 0.5));
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

// Orientations without inertia are the limit of those with less and less of it, and what is left goes with
// it.
TEST(explicit_orientations_approach_quasistatic_ones_as_their_inertia_goes)
{
    CordVec3 limit = swung(both[0], 1.0, 1e-5, 0.1);
    double apart[3];
    for (int k = 0; k < 3; k++) {
        double inertia = 1.0 / (1 << (2 * k));
        apart[k] = size_of(minus(swung(both[1], inertia, 1e-5, 0.1), limit));
        print_message("    inertia %g: %.3e m apart at the tip\n", inertia, apart[k]);
    }
    CHECK_NEAR(log2(apart[0] / apart[1]) / 2.0, 1.0, 0.2); // the swing of what is left, beside its mean
    CHECK_NEAR(log2(apart[1] / apart[2]) / 2.0, 1.0, 0.2);
}

#define FALL 1.0 // of the order of what gravity gives and takes in a swing [J]

typedef struct Range {
    double low, high; // of the energy, from where it starts [J]
} Range;

static Range energy_range(CordOrientations orientations, CordSection section, double share, double time)
{
    CordRodId rod;
    CordWorld* world = swinging(orientations, CORD_REST_STRAIGHT, section, 1.0, &rod);
    double h = share * cord_world_step_advice(world).step;
    run_many(world, h, 1); // into equilibrium
    double start = total_energy(world, rod);
    Range range = {0};
    while (cord_world_time(world) < time) {
        run_many(world, h, 100);
        double off = total_energy(world, rod) - start;
        range.low = fmin(range.low, off), range.high = fmax(range.high, off);
    }
    CHECK_INT(cord_world_retries(world), 0);
    cord_world_destroy(world);
    return range;
}

// Bent and let go, it swings ten times or so, and vibrates a thousand times: 9.6e-4 J at half of the advised
// step, 2.5e-4 J at a quarter.
TEST(explicit_orientations_keep_the_energy_at_second_order)
{
    CordSection round = cord_section_disc(0.01);
    Range coarse = energy_range(both[1], round, 0.5, 10.0), fine = energy_range(both[1], round, 0.25, 10.0);
    double a = coarse.high - coarse.low, b = fine.high - fine.low;
    print_message("    energy within %.2e J, and %.2e J at half the step: order %.2f\n", a, b, log2(a / b));
    CHECK_NEAR(a, 0.0, 5e-3 * FALL);
    CHECK_NEAR(log2(a / b), 2.0, 0.5); // of the extremes of a motion that is not the same for long
}

static void check_takes_energy(CordSection section, double share, double most_taken)
{
    Range range = energy_range(both[0], section, share, 10.0);
    print_message("    share %.2f: %+.2e J to %+.2e J\n", share, range.low, range.high);
    CHECK_NEAR(range.high, 0.0, 5e-3 * FALL); // as far as the explicit ones go at half of the advised step
    CHECK(range.low > -most_taken);
}

// Frames without inertia that lose their equilibrium snap into another, and what that sets free is gone; none
// ever comes in. Flat rods that are bent the stiff way do so, many times in such a run.
TEST(quasistatic_orientations_take_energy_and_never_give_any)
{
    const double shares[] = {0.55, 0.5, 0.4, 0.35, 0.3, 0.25};
    check_takes_energy(cord_section_disc(0.01), 0.5, 0.05 * FALL);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        check_takes_energy(cord_section_rectangle(0.02, 0.01), shares[i], INFINITY);
    }
}

// ---- the advised step

typedef struct Case {
    const char* name;
    int nodes;
    double radius;         // [m], of a metre of rod
    double width1, width2; // instead: a ribbon
    double penalty;        // times EI / l^2; 0: what comes by itself
    double damping_time, friction_turn;
    double inertia; // times the true one; 0: once
    double twist, stretched;
    bool inextensible, ring, clamped, printed;
} Case;

static const Case cases[] = {
    {.name = "straight", .nodes = 21, .radius = 0.01},
    {.name = "thick, r > l", .nodes = 21, .radius = 0.06},
    {.name = "thin, r = l/20", .nodes = 21, .radius = 0.0025},
    {.name = "fine", .nodes = 101, .radius = 0.01},
    {.name = "two edges", .nodes = 3, .radius = 0.1},
    {.name = "clamped", .nodes = 21, .radius = 0.06, .clamped = true},
    {.name = "ribbon 1:100", .nodes = 21, .width1 = 0.1, .width2 = 0.001},
    {.name = "ribbon 100:1", .nodes = 21, .width1 = 0.001, .width2 = 0.1},
    {.name = "small penalty", .nodes = 21, .radius = 0.01, .penalty = 1.0},
    {.name = "big penalty", .nodes = 21, .radius = 0.01, .penalty = 1000.0},
    {.name = "thick with a big penalty", .nodes = 21, .radius = 0.06, .penalty = 1e4},
    {.name = "inextensible", .nodes = 21, .radius = 0.01, .inextensible = true},
    {.name = "inextensible and thick", .nodes = 21, .radius = 0.06, .inextensible = true},
    {.name = "damped", .nodes = 21, .radius = 0.01, .damping_time = 1e-3},
    {.name = "inextensible and damped",
     .nodes = 21,
     .radius = 0.01,
     .damping_time = 1e-2,
     .inextensible = true},
    {.name = "with (30)", .nodes = 21, .radius = 0.01, .friction_turn = 1e-3},
    {.name = "with little inertia", .nodes = 21, .radius = 0.01, .inertia = 0.01},
    {.name = "with much inertia", .nodes = 21, .radius = 0.01, .inertia = 100.0},
    {.name = "twisted", .nodes = 21, .radius = 0.01, .twist = 6.0},
    {.name = "twisted and taut", .nodes = 21, .radius = 0.01, .twist = 40.0, .stretched = 0.05},
    {.name = "taut and thin", .nodes = 21, .radius = 0.001, .stretched = 0.5},
    {.name = "a ring", .nodes = 21, .radius = 0.01, .ring = true},
    {.name = "a ring of five", .nodes = 5, .radius = 0.03, .ring = true},
    {.name = "strain as printed", .nodes = 21, .radius = 0.01, .printed = true, .twist = 6.0},
};

static CordRodDef case_def(const Case* c, CordOrientations orientations)
{
    CordRodDef def = cord_rod_def_default();
    double l = 1.0 / (c->nodes - 1), inertia = c->inertia > 0.0 ? c->inertia : 1.0;
    def.model = CORD_MODEL_CORDE, def.corde.orientations = orientations,
    def.corde.printed_strain = c->printed;
    def.section =
        c->width1 > 0.0 ? cord_section_rectangle(c->width1, c->width2) : cord_section_disc(c->radius);
    def.material.young = 1e7, def.inextensible = c->inextensible;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1.0 + c->stretched, 0, 0}, c->nodes);
    if (c->stretched > 0.0) {
        def.rest = CORD_REST_SHAPE;
        def.rest_shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, c->nodes);
    }
    if (c->ring) {
        def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0.3, 1}, 0.5 / pi, c->nodes);
        def.closed = true, def.rest = CORD_REST_STRAIGHT;
    }
    CordStiffness k = cord_stiffness_from(&def.material, &def.section);
    def.stiffness.rotary1 = inertia * k.rotary1, def.stiffness.rotary2 = inertia * k.rotary2;
    def.stiffness.spin_inertia = inertia * k.spin_inertia;
    def.corde.penalty = c->penalty > 0.0 ? c->penalty * fmax(k.EI1, k.EI2) / (l * l) : NAN;
    def.corde.friction_turn = c->friction_turn > 0.0 ? c->friction_turn * k.GJ : NAN;
    def.damping_time = c->damping_time, def.twist = c->twist;
    return def;
}

// Pushed at random, and so slightly that it hardly leaves its place.
static CordWorld* case_world(const Case* c, CordOrientations orientations, CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = case_def(c, orientations);
    CordVec3 v[MOST_NODES];
    uint64_t seed = 7;
    *rod = add_rod(world, &def);
    bool held = c->twist > 0.0 || c->stretched > 0.0;
    if (held || c->clamped) {
        hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    }
    if (held) {
        hold(world, *rod, cord_at_end(), CORD_FIX_FRAME);
    }
    for (int i = 0; i < c->nodes; i++) {
        v[i] = random_vec3(&seed, 1e-4);
        v[i].x *= c->inextensible ? 0.0 : 1.0;
    }
    CHECK_OK(cord_rod_set_velocities(world, *rod, v));
    return world;
}

// Does it hold still at so many times the advised step?
static bool is_stable(const Case* c, CordOrientations orientations, double share, int steps)
{
    CordRodId rod;
    CordWorld* world = case_world(c, orientations, &rod);
    double h = share * cord_world_step_advice(world).step, start = total_energy(world, rod);
    bool stable = true;
    for (int n = 0; n < 50 && stable; n++) {
        stable = cord_world_step_many(world, h, steps / 50) == CORD_OK;
        // energies of steps near the limit swing, by two or so
        stable = stable && total_energy(world, rod) < 4.0 * start;
    }
    cord_world_destroy(world);
    return stable;
}

TEST(the_advised_step_is_stable_and_twice_as_long_a_one_is_not)
{
    for (int way = 0; way < 2; way++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bool at_advice = is_stable(&cases[i], both[way], 0.95, 20000);
            bool at_twice = is_stable(&cases[i], both[way], 2.0, 5000);
            if (!at_advice || at_twice) {
                print_error("%s, %s: %s\n", cases[i].name, ways[way],
                            at_advice ? "stable at twice the advice" : "not stable at the advice");
            }
            CHECK(at_advice && !at_twice);
        }
    }
}

TEST_GROUP(corde_motion)
