// Position-based rods cannot blow up: random scenes, each from its seed, with stiffnesses that no material
// has, steps far too long, and clamps that are yanked at 100 m/s.
#include "contacts.h"

enum { MOST = 64, STEPS = 30, YANKED = 15 }; // nodes; steps of a scene, and those in which its clamps move

// ---- dice

static double of_any_size(uint64_t* d, double from, double to)
{
    return exp(random_in(d, log(from), log(to)));
}

static bool happens(uint64_t* d, double share)
{
    return random_in(d, 0.0, 1.0) < share;
}

static CordVec3 any_direction(uint64_t* d)
{
    for (;;) {
        CordVec3 p = random_vec3(d, 1.0);
        double size = size_of(p);
        if (size > 0.1 && size <= 1.0) {
            return times(p, 1.0 / size);
        }
    }
}

static uint64_t dice_of(int seed)
{
    uint64_t d = (uint64_t)seed * 7919u + 13u;
    for (int i = 0; i < 10; i++) { // small seeds begin alike
        random_in(&d, 0.0, 1.0);
    }
    return d;
}

// ---- scenes

typedef struct Scene {
    uint64_t dice;
    CordWorld* world;
    CordRodId rod;
    int clamp_count;
    CordClampId clamps[2];
    CordVec3 offset[2];    // [m]
    int first[2], last[2]; // nodes of a clamp
    double step;           // [s]
    bool closed, turns;
} Scene;

static const char* const solvers[] = {"direct", "sweeps", "pbd"};

static int any_solver(CordRodDef* def, uint64_t* d)
{
    int solver = random_int(d, 3);
    def->model = CORD_MODEL_PBD;
    def->pbd.solver = solver == 2 ? CORD_PBD_PBD : CORD_PBD_XPBD;
    def->pbd.method = solver == 1 ? CORD_PBD_SWEEPS : CORD_PBD_DIRECT;
    def->pbd.order = (CordPbdOrder)random_int(d, 3), def->pbd.gravity = (CordPbdGravity)random_int(d, 3);
    def->pbd.iterations = happens(d, 0.3) ? 1 : 1 + random_int(d, 19);
    def->pbd.substeps = happens(d, 0.7) ? 1 : 1 + random_int(d, 7);
    def->pbd.damping = happens(d, 0.3) ? random_in(d, 0.0, 1.0) : 0.0;
    def->pbd.ghost_mass = random_in(d, 0.01, 0.99), def->pbd.ghost_length = of_any_size(d, 0.01, 100.0);
    def->damping_time = happens(d, 0.3) ? of_any_size(d, 1e-6, 10.0) : 0.0;
    return solver;
}

static void any_shape(CordRodDef* def, uint64_t* d, double length)
{
    int nodes = 5 + random_int(d, 36);
    CordVec3 axis = any_direction(d), start = {0, 0, 0};
    def->closed = happens(d, 0.3);
    if (def->closed) {
        def->shape = cord_shape_circle(start, axis, 0.5 * length / pi, nodes);
    } else if (happens(d, 0.5)) {
        def->shape = cord_shape_line(start, times(axis, length), nodes);
    } else {
        def->shape = cord_shape_helix(start, axis, length / 20.0, length / 20.0, 3.0, nodes + 20);
    }
    def->rest = happens(d, 0.3) ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
    bool glued = def->closed && def->rest == CORD_REST_AS_SHAPED; // seam
    def->twist = happens(d, 0.3) && !glued ? random_in(d, -1.5, 1.5) * (nodes - 2) : 0.0;
    def->section = cord_section_disc(length * of_any_size(d, 1e-4, 0.05));
}

static void absurd_stiffness(CordRodDef* def, uint64_t* d)
{
    double* by[] = {&def->stiffness.EI1, &def->stiffness.EI2, &def->stiffness.GJ, &def->stiffness.EA};
    def->material.young = of_any_size(d, 1.0, 1e18), def->material.poisson = random_in(d, 0.0, 0.49);
    def->material.density = of_any_size(d, 1.0, 1e5);
    for (int i = 0; i < 4; i++) {
        *by[i] = happens(d, 0.3) ? of_any_size(d, 1e-15, 1e18) : NAN;
    }
    def->inextensible = happens(d, 0.3);
}

// At the two ends of a rod, or on both sides of a ring.
static void any_clamps(Scene* s, double slide)
{
    int nodes = cord_rod_node_count(s->world, s->rod), edges = cord_rod_edge_count(s->world, s->rod);
    s->clamp_count = random_int(&s->dice, 3);
    s->turns = happens(&s->dice, 0.5);
    for (int k = 0; k < s->clamp_count; k++) {
        CordFix fix = (CordFix)random_int(&s->dice, 3);
        bool node = fix == CORD_FIX_POSITION;
        int at = k == 0 ? 0 : s->closed ? nodes / 2 : node ? nodes - 1 : edges - 1;
        CordClampDef clamp = clamp_def(s->rod, node ? cord_at_node(at) : cord_at_edge(at), fix);
        clamp.slides = happens(&s->dice, slide), clamp.axis = any_direction(&s->dice);
        s->clamps[k] = add_clamp(s->world, &clamp);
        s->first[k] = at, s->last[k] = node ? at : (at + 1) % nodes;
    }
}

// By 100 m/s or not at all, and turned from one step to the next by anything less than half a turn, or not at
// all.
static void yank(Scene* s)
{
    for (int k = 0; k < s->clamp_count; k++) {
        CordVec3 way = any_direction(&s->dice);
        double far = happens(&s->dice, 0.5) ? 100.0 * s->step : 0.0, turn = random_in(&s->dice, -3.0, 3.0);
        s->offset[k] = plus(s->offset[k], times(way, far));
        CHECK_OK(cord_clamp_move(s->world, s->clamps[k], s->offset[k],
                                 cord_quat_about(way, s->turns ? turn : 0.0)));
    }
}

static void step(Scene* s, int seed)
{
    CordResult result = cord_world_step(s->world, s->step);
    if (result != CORD_OK) {
        print_error("seed %d, step %d: %s\n", seed, (int)cord_world_steps(s->world),
                    cord_world_message(s->world));
    }
    CHECK_OK(result);
}

// How far any node has come, over how far clamps and gravity would take it. What a clamp has bent or
// stretched is thrown, as fast as its energy has it: some 50 times as far. What blows up is soon beyond all
// that.
#define FARTHEST 1e4

static double far_off(const Scene* s, const CordVec3* x, int nodes)
{
    double t = cord_world_time(s->world), most = 0.0;
    for (int i = 0; i < nodes; i++) {
        most = fmax(most, size_of(x[i]));
    }
    return most / (2.0 * cord_rod_length(s->world, s->rod) + 100.0 * t + 0.5 * 30.0 * t * t);
}

static void check_finite(Scene* s, int seed)
{
    CordVec3 x[MOST], v[MOST], m1[MOST];
    int nodes = cord_rod_node_count(s->world, s->rod), edges = cord_rod_edge_count(s->world, s->rod);
    CHECK(nodes <= MOST);
    CHECK_OK(cord_rod_positions(s->world, s->rod, x));
    CHECK_OK(cord_rod_velocities(s->world, s->rod, v));
    CHECK_OK(cord_rod_material_frames(s->world, s->rod, m1));
    double sum = total_energy(s->world, s->rod);
    for (int i = 0; i < nodes; i++) {
        sum += size_of(x[i]) + size_of(v[i]);
    }
    bool frames = true;
    for (int j = 0; j < edges; j++) {
        frames = frames && fabs(size_of(m1[j]) - 1.0) < 1e-6;
    }
    bool near = far_off(s, x, nodes) < FARTHEST;
    if (!isfinite(sum) || !frames || !near) {
        print_error("seed %d, step %d: not finite, far away, or frames that are none\n", seed,
                    (int)cord_world_steps(s->world));
    }
    CHECK(isfinite(sum) && frames && near);
}

// ---- absurd scenes

static Scene absurd(int seed, int* solver)
{
    Scene s = {.dice = dice_of(seed)};
    CordRodDef def = cord_rod_def_default();
    s.world = new_world(times(any_direction(&s.dice), random_in(&s.dice, 0.0, 30.0)));
    *solver = any_solver(&def, &s.dice);
    any_shape(&def, &s.dice, of_any_size(&s.dice, 0.01, 10.0));
    absurd_stiffness(&def, &s.dice);
    s.closed = def.closed, s.step = of_any_size(&s.dice, 1e-4, 0.1);
    s.rod = add_rod(s.world, &def);
    any_clamps(&s, 0.2);
    return s;
}

TEST(a_thousand_absurd_scenes_stay_finite)
{
    int count[3] = {0};
    for (int seed = 0; seed < 1000; seed++) {
        int solver;
        Scene s = absurd(seed, &solver);
        for (int n = 0; n < STEPS; n++) {
            if (n < YANKED) {
                yank(&s);
            }
            step(&s, seed);
            check_finite(&s, seed);
        }
        count[solver]++;
        cord_world_destroy(s.world);
    }
    for (int i = 0; i < 3; i++) {
        print_message("    %s: %d scenes\n", solvers[i], count[i]);
        CHECK(count[i] > 250);
    }
}

// ---- lengths

// Inextensible, undamped (a damped rod that was stretched takes its time), and with less resistance to
// bending than the solver's springs have to stretching: those are at the most 1e10 of what inertia is in a
// step, and a rod that is as stiff in bending would rather stretch.
#define STIFFEST 1e4 // EI h^2 / mu l^4

static Scene inextensible(int seed)
{
    Scene s = {.dice = dice_of(seed), .step = 0.0};
    CordRodDef def = cord_rod_def_default();
    double length = of_any_size(&s.dice, 0.01, 10.0), h = of_any_size(&s.dice, 1e-4, 0.1);
    s.world = new_world(times(any_direction(&s.dice), random_in(&s.dice, 0.0, 30.0)));
    any_shape(&def, &s.dice, length);
    double mass = of_any_size(&s.dice, 1e-6, 1e3),
           unit = mass * pow(length / def.shape.node_count, 4.0) / (h * h);
    def.model = CORD_MODEL_PBD, def.inextensible = true, def.stiffness.mass_per_length = mass;
    def.stiffness.EI1 = unit * of_any_size(&s.dice, 1e-12, STIFFEST);
    def.stiffness.EI2 = unit * of_any_size(&s.dice, 1e-12, STIFFEST);
    def.stiffness.GJ = unit * of_any_size(&s.dice, 1e-12, STIFFEST);
    s.closed = def.closed, s.step = h;
    s.rod = add_rod(s.world, &def);
    any_clamps(&s, 0.0);
    return s;
}

// Of the nodes from one to another: its rest length, or their distance if that is more.
static double forced(const CordVec3* x, int nodes, double edge, int from, int to)
{
    return fmax(edge * ((to - from + nodes) % nodes), size_of(minus(x[to], x[from])));
}

// How much longer the rod is than its clamps force it to be, as a share.
static double excess(const Scene* s)
{
    CordVec3 x[MOST];
    int nodes = cord_rod_node_count(s->world, s->rod), edges = cord_rod_edge_count(s->world, s->rod);
    double rest = cord_rod_length(s->world, s->rod), edge = rest / edges, most = rest, length = 0.0;
    CHECK_OK(cord_rod_positions(s->world, s->rod, x));
    for (int j = 0; j < edges; j++) {
        length += size_of(minus(x[(j + 1) % nodes], x[j]));
    }
    if (s->clamp_count == 2) {
        most += forced(x, nodes, edge, s->last[0], s->first[1]) - edge * (s->first[1] - s->last[0]);
    }
    if (s->clamp_count == 2 && s->closed) {
        most += forced(x, nodes, edge, s->last[1], s->first[0]) - edge * (nodes - s->last[1]);
    }
    return length / most - 1.0;
}

// Ten iterations a step. At rest, springs that the weight of the rod stretches by a billionth have done so;
// while a clamp is yanked, by up to a hundred lengths of the rod in a step, iterations run out.
TEST(clamps_alone_stretch_an_inextensible_rod)
{
    double yanked = 0.0, held = 0.0;
    for (int seed = 0; seed < 200; seed++) {
        Scene s = inextensible(seed);
        for (int n = 0; n < STEPS; n++) {
            if (n < YANKED) {
                yank(&s);
            }
            step(&s, seed);
            yanked = fmax(yanked, excess(&s));
        }
        held = fmax(held, excess(&s));
        cord_world_destroy(s.world);
    }
    print_message("    longer by %.1e at the most while they move, and %.1e at rest\n", yanked, held);
    CHECK(yanked < 0.5);
    CHECK(held < 1e-4);
}

// ---- contact

// A straight rod, thrown, that lands with one end first, with friction or without.
static Scene landing(int seed, int* solver)
{
    Scene s = {.dice = dice_of(seed)};
    CordRodDef def = cord_rod_def_default();
    double length = of_any_size(&s.dice, 0.1, 2.0);
    s.world = new_world((CordVec3){0, 0, -9.81});
    touch_with(s.world, happens(&s.dice, 0.5) ? 0.0 : random_in(&s.dice, 0.0, 1.0));
    add_ground(s.world);
    *solver = any_solver(&def, &s.dice);
    absurd_stiffness(&def, &s.dice);
    def.pbd.ghost_mass = 0.5, def.pbd.ghost_length = 1.0;
    def.section = cord_section_disc(length * of_any_size(&s.dice, 1e-3, 5e-3));
    CordVec3 start = {0, 0, 0.02 * length}, end = {length, 0, random_in(&s.dice, 0.02, 0.3) * length};
    def.shape = cord_shape_line(start, end, 5 + random_int(&s.dice, 8));
    def.velocity = (CordVec3){random_in(&s.dice, -3.0, 3.0), random_in(&s.dice, -3.0, 3.0),
                              -random_in(&s.dice, 0.0, 3.0)};
    s.step = of_any_size(&s.dice, 1e-3, 0.02);
    s.rod = add_rod(s.world, &def);
    return s;
}

// Contact may refuse a step that it finds no way for, and the world is as it was, then: of rods as stiff as
// these, one in a hundred or so.
TEST(rods_that_land_stay_above_the_ground)
{
    int touched = 0, refused = 0;
    for (int seed = 0; seed < 200; seed++) {
        int solver, contacts = 0;
        Scene s = landing(seed, &solver);
        CordResult result = CORD_OK;
        for (int n = 0; n < 6 && result == CORD_OK; n++) {
            result = cord_world_step(s.world, s.step);
            CHECK(result == CORD_OK || result == CORD_NOT_CONVERGED);
            check_finite(&s, seed);
            contacts += cord_world_contact_report(s.world).contacts;
            CHECK(cord_world_contact_report(s.world).deepest < 1e-3); // the tolerance of contact
        }
        touched += contacts > 0, refused += result != CORD_OK;
        cord_world_destroy(s.world);
    }
    print_message("    %d of 200 touched the ground, %d were refused a step\n", touched, refused);
    CHECK(touched > 100 && refused <= 4);
}

TEST_GROUP(pbd_hardy)
