#include "bench_world.h"

#include "console.h"
#include "modal.h"

#include <cordage/contact.h>
#include <cordage/math.h>

#include <stdlib.h>

// ---- worlds

static void* counting_alloc(void* user, size_t size, size_t align)
{
    *(size_t*)user += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void counting_free(void* user, void* memory, size_t size, size_t align)
{
    (void)align;
    *(size_t*)user -= size;
    free(memory);
}

static CordWorld* empty_world(CordVec3 gravity, int threads, size_t* bytes)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = NULL;
    def.gravity = gravity;
    def.tasks = cord_tasks_openmp(threads);
    if (bytes) {
        *bytes = 0;
        def.allocator = (CordAllocator){counting_alloc, counting_free, bytes};
    }
    return cord_world_create(&def, &world) == CORD_OK ? world : NULL;
}

static CordVec3 usual_gravity(void)
{
    return cord_world_def_default().gravity;
}

// The world, if all of it could be made.
static CordWorld* finished(CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

// ---- rods

// Node k of rod i, with `waves` waves in 2 pi metres and a phase of its own for each rod.
static CordVec3 wave(const BenchRods* def, int i, int k, double waves)
{
    double s = def->length * k / def->elements;
    return cord_vec3(s, 0.02 * sin(waves * s + i), 0.02 * cos((waves - 2.0) * s));
}

static CordResult add_rod(CordWorld* world, const BenchRods* def, int i, CordVec3* x, CordVec3* rest)
{
    int nodes = def->elements + 1;
    for (int k = 0; k < nodes; k++) {
        x[k] = wave(def, i, k, 7.0);
        rest[k] = wave(def, i, k, 9.0);
    }
    CordRodDef rod = cord_rod_def_default();
    rod.model = def->model;
    rod.corde.orientations = def->orientations;
    rod.pbd.solver = def->solver;
    if (def->iterations > 0) {
        rod.pbd.iterations = def->iterations;
        rod.pbd.tolerance = 1e-300; // never reached, so that all iterations are taken
    }
    rod.material.young = 1e6;
    rod.shape = cord_shape_points(x, nodes);
    rod.rest = CORD_REST_STRAIGHT;
    rod.integrator = def->integrator;
    rod.inextensible = def->inextensible;
    if (def->general) {
        rod.section = cord_section_ellipse(0.001, 0.0005);
        rod.rest = CORD_REST_SHAPE;
        rod.rest_shape = cord_shape_points(rest, nodes);
    }
    CordRodId id;
    return cord_rod_create(world, &rod, &id);
}

CordWorld* bench_rods(const BenchRods* def, size_t* bytes)
{
    CordWorld* world = empty_world(usual_gravity(), def->threads, bytes);
    size_t nodes = (size_t)def->elements + 1;
    CordVec3* x = malloc(sizeof *x * 2 * nodes);
    CordResult result = x && world ? CORD_OK : CORD_NO_MEMORY;
    for (int i = 0; i < def->rods && result == CORD_OK; i++) {
        result = add_rod(world, def, i, x, x + nodes);
    }
    free(x);
    return finished(world, result);
}

static CordResult add_clamped(CordWorld* world, const CordRodDef* rod, CordPlace at, CordFix fix)
{
    CordClampDef clamp = cord_clamp_def_default();
    clamp.at = at;
    clamp.fix = fix;
    CordClampId id;
    CordResult result = world ? cord_rod_create(world, rod, &clamp.rod) : CORD_NO_MEMORY;
    return result == CORD_OK ? cord_clamp_create(world, &clamp, &id) : result;
}

CordWorld* bench_cantilever(int elements, CordIntegrator integrator, CordFix fix)
{
    CordWorld* world = empty_world(usual_gravity(), 1, NULL);
    CordRodDef rod = cord_rod_def_default();
    rod.material.young = 1e6;
    rod.material.poisson = 0.5;
    rod.material.density = 1000.0;
    rod.section = cord_section_disc(0.01);
    rod.shape = cord_shape_line(cord_vec3(0, 0, 0), cord_vec3(1, 0, 0), elements + 1);
    rod.integrator = integrator;
    rod.half_edge_start = fix != CORD_FIX_POSITION;
    return finished(world, add_clamped(world, &rod, cord_at_start(), fix));
}

// A lock of ten hairs, 80 um thick, that stick to each other, as in scenes/pbd/hair.json. Each points in a
// direction of its own.
CordWorld* bench_hair(int strands, int elements, int threads)
{
    const double length = 0.17, apart = 0.001;
    CordWorld* world = empty_world(usual_gravity(), threads, NULL);
    CordResult result = CORD_OK;
    for (int i = 0; i < strands && result == CORD_OK; i++) {
        CordVec3 root = cord_vec3(apart * (i % 100), apart * (double)(i / 100), 0);
        CordVec3 tip = cord_vec3(root.x + length * cos(2.4 * i), root.y + length * sin(2.4 * i), 0);
        CordRodDef rod = cord_rod_def_default();
        rod.model = CORD_MODEL_PBD;
        rod.section = cord_section_disc(0.0003);
        rod.stiffness.EI1 = rod.stiffness.EI2 = 8e-7;
        rod.stiffness.GJ = 6e-7;
        rod.stiffness.EA = 20.0;
        rod.stiffness.mass_per_length = 6.5e-5;
        rod.shape = cord_shape_line(root, tip, elements + 1);
        result = add_clamped(world, &rod, cord_at_start(), CORD_FIX_FRAME);
    }
    return finished(world, result);
}

// ---- junctions

static CordRodId add_branch(CordWorld* world, CordVec3 from, CordVec3 to, CordResult* result)
{
    enum { NODES = 11 };
    CordVec3 x[NODES];
    for (int k = 0; k < NODES; k++) {
        double share = (double)k / (NODES - 1);
        x[k] = cord_vec3_madd(from, cord_vec3_sub(to, from), share);
        x[k].y += 0.002 * sin(CORD_PI * share);
    }
    CordRodDef rod = cord_rod_def_default();
    rod.material.young = 1e6;
    rod.section = cord_section_disc(0.002);
    rod.shape = cord_shape_points(x, NODES);
    rod.rest = CORD_REST_STRAIGHT;
    rod.inextensible = true;
    CordRodId id = {0, 0};
    *result = *result == CORD_OK ? cord_rod_create(world, &rod, &id) : *result;
    return id;
}

CordWorld* bench_junctions(int junctions)
{
    const double length = 0.1;
    CordWorld* world = empty_world(cord_vec3(0, 0, 0), 1, NULL);
    CordResult result = world ? CORD_OK : CORD_NO_MEMORY;
    CordVec3 foot = {0, 0, 0};
    CordRodId stem = add_branch(world, foot, cord_vec3(length, 0, 0), &result);
    for (int i = 1; i <= junctions && result == CORD_OK; i++) {
        foot.x = i * length;
        CordVec3 twig_end = {foot.x, 0.3 * length, (i % 2 ? 0.9 : -0.9) * length};
        CordJointDef joint = cord_joint_def_default();
        joint.count = 3;
        joint.rods[0] = stem, joint.at[0] = cord_at_end();
        stem = add_branch(world, foot, cord_vec3(foot.x + length, 0, 0), &result);
        joint.rods[1] = stem, joint.at[1] = cord_at_start();
        joint.rods[2] = add_branch(world, foot, twig_end, &result), joint.at[2] = cord_at_start();
        CordBodyId id;
        result = result == CORD_OK ? cord_joint_create(world, &joint, &id) : result;
    }
    return finished(world, result);
}

// ---- contact

static CordWorld* contact_world(void)
{
    CordWorld* world = empty_world(cord_vec3(0, 0, 0), 1, NULL);
    CordContactDef def = cord_contact_def_default();
    return world ? finished(world, cord_world_set_contact(world, &def)) : NULL;
}

// The turns start a thousandth of a radius apart; at rest the spring would be half as high. Nodes of
// neighbouring turns do not lie side by side.
static CordResult add_spring(CordWorld* world, CordVec3 foot, int elements)
{
    const double radius = 0.004, coil = 0.04, turns = elements / 25.3;
    const CordVec3 up = {0, 0, 1};
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(radius);
    rod.material.young = 1e6;
    rod.shape = cord_shape_helix(foot, up, coil, 2.001 * radius, turns, elements + 1);
    rod.rest = CORD_REST_SHAPE;
    rod.rest_shape = cord_shape_helix(foot, up, coil, radius, turns, elements + 1);
    CordRodId id;
    return cord_rod_create(world, &rod, &id);
}

CordWorld* bench_springs(int springs, int elements)
{
    const double apart = 0.0885; // [m]: neighbours, but not in contact
    int row = (int)ceil(sqrt((double)springs));
    CordWorld* world = contact_world();
    CordResult result = world ? CORD_OK : CORD_NO_MEMORY;
    for (int i = 0; i < springs && result == CORD_OK; i++) {
        result = add_spring(world, cord_vec3(apart * (i % row), apart * (i / row), 0), elements);
    }
    return finished(world, result);
}

CordWorld* bench_knot(int elements)
{
    CordWorld* world = contact_world();
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(0.005);
    rod.material.young = 1e7;
    rod.shape = cord_shape_knot("overhand", 0, cord_vec3(0, 0, 0), 0.15, 0.2, elements + 1);
    rod.rest = CORD_REST_STRAIGHT;
    rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    CordRodId id;
    CordResult result = world ? cord_rod_create(world, &rod, &id) : CORD_NO_MEMORY;
    for (int k = 0; k < 2 && result == CORD_OK; k++) {
        CordMotion pull = cord_motion_translate(cord_vec3(k ? 0.05 : -0.05, 0, 0), 0.0, 0.2);
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = id;
        clamp.at = k ? cord_at_end() : cord_at_start();
        clamp.motions = &pull;
        clamp.motion_count = 1;
        CordClampId held;
        result = cord_clamp_create(world, &clamp, &held);
    }
    return finished(world, result);
}

// ---- a modal ball

typedef struct Ball {
    int rings, around, nodes, edges;
    CordVec3* x; // (nodes): the lower pole, the rings, the upper pole
    int* ends;   // (2 edges)
} Ball;

static void ball_edge(Ball* b, int from, int to)
{
    b->ends[2 * b->edges] = from;
    b->ends[2 * b->edges + 1] = to;
    b->edges++;
}

static void ball_connect(Ball* b)
{
    for (int i = 0; i < b->rings; i++) {
        for (int j = 0; j < b->around; j++) {
            int here = 1 + i * b->around + j, next = 1 + i * b->around + (j + 1) % b->around;
            ball_edge(b, here, next);
            ball_edge(b, here, i + 1 < b->rings ? here + b->around : b->nodes - 1);
            if (i + 1 < b->rings) {
                ball_edge(b, here, next + b->around);
            }
            if (i == 0) {
                ball_edge(b, 0, here);
            }
        }
    }
}

static bool ball_make(Ball* b, int rings)
{
    const double radius = 0.5;
    *b = (Ball){.rings = rings, .around = 2 * rings, .nodes = 2 * rings * rings + 2};
    b->x = malloc(sizeof *b->x * (size_t)b->nodes);
    b->ends = malloc(sizeof *b->ends * 6 * (size_t)b->nodes);
    if (!b->x || !b->ends) {
        return false;
    }
    b->x[0] = cord_vec3(0, 0, 0);
    b->x[b->nodes - 1] = cord_vec3(0, 0, 2.0 * radius);
    for (int i = 0; i < rings; i++) {
        double polar = CORD_PI * (i + 1) / (rings + 1);
        for (int j = 0; j < b->around; j++) {
            double turn = 2.0 * CORD_PI * j / b->around;
            b->x[1 + i * b->around + j] =
                cord_vec3(radius * sin(polar) * cos(turn), radius * sin(polar) * sin(turn),
                          radius * (1.0 - cos(polar)));
        }
    }
    ball_connect(b);
    return true;
}

static CordWorld* ball_world(const Ball* b, int modes)
{
    CordModalHooks hooks = modal_hooks_uncached();
    CordWorldDef def = cord_world_def_default();
    def.modal = &hooks;
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_MODAL;
    rod.modal.modes = modes;
    rod.material.young = 1.1e7;
    rod.section = cord_section_disc(0.008);
    rod.shape = cord_shape_network(b->x, b->nodes, b->ends, b->edges);
    CordWorld* world = NULL;
    CordResult result = cord_world_create(&def, &world);
    return finished(world,
                    result == CORD_OK ? add_clamped(world, &rod, cord_at_node(0), CORD_FIX_FRAME) : result);
}

CordWorld* bench_ball(int rings, int modes)
{
    Ball b;
    CordWorld* world = ball_make(&b, rings) ? ball_world(&b, modes) : NULL;
    free(b.x);
    free(b.ends);
    return world;
}

// ---- timing

double bench_time_steps(CordWorld* world, double h, int steps, int rounds, int threads)
{
    double (*clock)(void) = threads > 1 ? clock_wall : clock_cpu;
    size_t size = cord_world_state_size(world);
    void* state = malloc(size);
    bool good = state && cord_world_state_get(world, state, size) == CORD_OK;
    double best = INFINITY;
    for (int round = 0; round < rounds && good; round++) {
        good = cord_world_state_set(world, state, size) == CORD_OK;
        double begun = clock();
        good = good && cord_world_step_many(world, h, steps) == CORD_OK;
        best = fmin(best, clock() - begun);
    }
    free(state);
    return good ? best : (double)NAN;
}

double bench_step_time(CordWorld* world, BenchTiming t)
{
    bool good = world && cord_world_step_many(world, t.h, t.warm_up) == CORD_OK;
    double seconds = good ? bench_time_steps(world, t.h, t.steps, t.rounds, t.threads) : (double)NAN;
    cord_world_destroy(world);
    return seconds / t.steps;
}

// ---- creation

static CordVec3 start_of(int i) // of rod i: in rows, apart from each other [m]
{
    return cord_vec3(0.2 * (i % 1000), 0.01 * (i / 1000), 1.0);
}

static CordResult create_rod(CordWorld* world, int i)
{
    CordVec3 from = start_of(i), to = {from.x + 0.1, from.y, from.z};
    CordRodDef def = cord_rod_def_default();
    CordRodId id;
    def.shape = cord_shape_line(from, to, 9);
    return cord_rod_create(world, &def, &id);
}

static CordResult create_others(CordWorld* world, int i)
{
    CordRodId rod = cord_world_rod(world, i);
    CordClampDef clamp = cord_clamp_def_default();
    CordLoadDef load = cord_load_def_default();
    CordProbeDef probe = cord_probe_def_default();
    CordBodyDef body = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordObstacleDef obstacle = cord_obstacle_def_default();
    CordClampId clamp_id;
    CordLoadId load_id;
    CordProbeId probe_id;
    CordWeldId weld_id;
    CordObstacleId obstacle_id;
    clamp.rod = load.rod = probe.rod = weld.rod = rod;
    clamp.at = cord_at_start(), clamp.fix = CORD_FIX_POSITION;
    load.kind = CORD_LOAD_FORCE, load.at = cord_at_end(), load.force = cord_vec3(0, 0, 1e-3);
    body.position = cord_vec3_add(start_of(i), cord_vec3(0.1, 0, 0));
    weld.fix = CORD_FIX_POSITION;
    obstacle.position = cord_vec3(0, 0, -1.0 - i);
    CordResult result = cord_clamp_create(world, &clamp, &clamp_id);
    result = result == CORD_OK ? cord_load_create(world, &load, &load_id) : result;
    result = result == CORD_OK ? cord_probe_create(world, &probe, &probe_id) : result;
    result = result == CORD_OK ? cord_body_create(world, &body, &weld.body) : result;
    result = result == CORD_OK ? cord_weld_create(world, &weld, &weld_id) : result;
    return result == CORD_OK ? cord_obstacle_create(world, &obstacle, &obstacle_id) : result;
}

static CordResult destroy_rods(CordWorld* world)
{
    CordResult result = CORD_OK;
    while (cord_world_rod_count(world) > 0 && result == CORD_OK) {
        result = cord_rod_destroy(world, cord_world_rod(world, 0));
    }
    return result;
}

static CordResult destroy_others(CordWorld* world)
{
    CordResult result = CORD_OK;
    while (cord_world_body_count(world) > 0 && result == CORD_OK) {
        result = cord_body_destroy(world, cord_world_body(world, 0));
    }
    while (cord_world_obstacle_count(world) > 0 && result == CORD_OK) {
        result = cord_obstacle_destroy(world, cord_world_obstacle(world, 0));
    }
    return result;
}

static double lap(double* clock, bool good) // time since the last lap [s]
{
    double now = clock_cpu(), seconds = now - *clock;
    *clock = now;
    return good ? seconds : (double)NAN;
}

BenchCreation bench_creation(int count)
{
    BenchCreation cost;
    CordWorld* world = empty_world(usual_gravity(), 1, NULL);
    bool good = world != NULL;
    double clock = clock_cpu();
    for (int i = 0; i < count && good; i++) {
        good = create_rod(world, i) == CORD_OK;
    }
    cost.rods = lap(&clock, good);
    for (int i = 0; i < count && good; i++) {
        good = create_others(world, i) == CORD_OK;
    }
    cost.others = lap(&clock, good);
    good = good && cord_world_step(world, 1e-6) == CORD_OK;
    cost.step = lap(&clock, good);
    good = good && destroy_rods(world) == CORD_OK;
    cost.rods_destroyed = lap(&clock, good);
    good = good && destroy_others(world) == CORD_OK;
    cord_world_destroy(world);
    cost.others_destroyed = lap(&clock, good);
    return cost;
}
