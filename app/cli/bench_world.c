#include "bench_world.h"

#include "console.h"
#include "heap.h"

#include <cordage/contact.h>
#include <cordage/math.h>

#include <stdlib.h>

// ---- worlds

static CordVec3 usual_gravity(void)
{
    return cord_world_def_default().gravity;
}

static CordWorld* threaded_world(Lab* lab, int threads, size_t* bytes)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = NULL;
    def.tasks = cord_tasks_openmp(threads);
    if (bytes) {
        def.allocator = heap_counting(bytes);
    }
    (void)cord_world_create(&def, &world);
    lab_adopt(lab, world);
    return world;
}

// ---- rods

// Node k of rod i, with `waves` waves in 2 pi metres and a phase of its own for each rod.
static CordVec3 wave(const BenchRods* def, int i, int k, double waves)
{
    double s = def->length * k / def->elements;
    return cord_vec3(s, 0.02 * sin(waves * s + i), 0.02 * cos((waves - 2.0) * s));
}

static void add_rod(Lab* lab, CordWorld* world, const BenchRods* def, int i, CordVec3* x, CordVec3* rest)
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
    lab_rod(lab, world, &rod);
}

CordWorld* bench_rods(Lab* lab, const BenchRods* def, size_t* bytes)
{
    CordWorld* world = threaded_world(lab, def->threads, bytes);
    size_t nodes = (size_t)def->elements + 1;
    CordVec3* x = lab_room(lab, 2 * nodes, sizeof *x);
    for (int i = 0; i < def->rods; i++) {
        add_rod(lab, world, def, i, x, x + nodes);
    }
    return world;
}

CordWorld* bench_cantilever(Lab* lab, int elements, CordIntegrator integrator, CordFix fix)
{
    CordWorld* world = lab_world_empty(lab, usual_gravity(), LAB_UNTIMED);
    CordRodDef rod = cord_rod_def_default();
    rod.material.young = 1e6;
    rod.material.poisson = 0.5;
    rod.material.density = 1000.0;
    rod.section = cord_section_disc(0.01);
    rod.shape = cord_shape_line(cord_vec3(0, 0, 0), cord_vec3(1, 0, 0), elements + 1);
    rod.integrator = integrator;
    rod.half_edge_start = fix != CORD_FIX_POSITION;
    lab_clamp(lab, world, lab_rod(lab, world, &rod), cord_at_start(), fix);
    return world;
}

// A lock of ten hairs, 80 um thick, that stick to each other, as in scenes/pbd/hair.json. Each points in a
// direction of its own.
CordWorld* bench_hair(Lab* lab, int strands, int elements, int threads)
{
    const double length = 0.17, apart = 0.001;
    CordWorld* world = threaded_world(lab, threads, NULL);
    for (int i = 0; i < strands; i++) {
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
        lab_clamp(lab, world, lab_rod(lab, world, &rod), cord_at_start(), CORD_FIX_FRAME);
    }
    return world;
}

// ---- junctions

static CordRodId add_branch(Lab* lab, CordWorld* world, CordVec3 from, CordVec3 to)
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
    return lab_rod(lab, world, &rod);
}

CordWorld* bench_junctions(Lab* lab, int junctions)
{
    const double length = 0.1;
    CordWorld* world = lab_world_empty(lab, cord_vec3(0, 0, 0), LAB_UNTIMED);
    CordVec3 foot = {0, 0, 0};
    CordRodId stem = add_branch(lab, world, foot, cord_vec3(length, 0, 0));
    for (int i = 1; i <= junctions; i++) {
        foot.x = i * length;
        CordVec3 twig_end = {foot.x, 0.3 * length, (i % 2 ? 0.9 : -0.9) * length};
        CordJointDef joint = cord_joint_def_default();
        joint.count = 3;
        joint.rods[0] = stem, joint.at[0] = cord_at_end();
        stem = add_branch(lab, world, foot, cord_vec3(foot.x + length, 0, 0));
        joint.rods[1] = stem, joint.at[1] = cord_at_start();
        joint.rods[2] = add_branch(lab, world, foot, twig_end), joint.at[2] = cord_at_start();
        CordBodyId id;
        lab_ok(lab, world, cord_joint_create(world, &joint, &id));
    }
    return world;
}

// ---- contact

static void turn_contact_on(Lab* lab, CordWorld* world)
{
    CordContactDef def = cord_contact_def_default();
    lab_ok(lab, world, cord_world_set_contact(world, &def));
}

static CordWorld* contact_world(Lab* lab)
{
    CordWorld* world = lab_world_empty(lab, cord_vec3(0, 0, 0), LAB_UNTIMED);
    turn_contact_on(lab, world);
    return world;
}

// The turns start a thousandth of a radius apart; at rest the spring would be half as high. Nodes of
// neighbouring turns do not lie side by side.
static void add_spring(Lab* lab, CordWorld* world, CordVec3 foot, int elements)
{
    const double radius = 0.004, coil = 0.04, turns = elements / 25.3;
    const CordVec3 up = {0, 0, 1};
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(radius);
    rod.material.young = 1e6;
    rod.shape = cord_shape_helix(foot, up, coil, 2.001 * radius, turns, elements + 1);
    rod.rest = CORD_REST_SHAPE;
    rod.rest_shape = cord_shape_helix(foot, up, coil, radius, turns, elements + 1);
    lab_rod(lab, world, &rod);
}

CordWorld* bench_springs(Lab* lab, int springs, int elements)
{
    const double apart = 0.0885; // [m]: neighbours, but not in contact
    int row = (int)ceil(sqrt((double)springs));
    CordWorld* world = contact_world(lab);
    for (int i = 0; i < springs; i++) {
        add_spring(lab, world, cord_vec3(apart * (i % row), apart * (i / row), 0), elements);
    }
    return world;
}

CordWorld* bench_knot(Lab* lab, int elements)
{
    CordWorld* world = contact_world(lab);
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(0.005);
    rod.material.young = 1e7;
    rod.shape = cord_shape_knot("overhand", 0, cord_vec3(0, 0, 0), 0.15, 0.2, elements + 1);
    rod.rest = CORD_REST_STRAIGHT;
    rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    CordRodId id = lab_rod(lab, world, &rod);
    for (int k = 0; k < 2; k++) {
        CordMotion pull = cord_motion_translate(cord_vec3(k ? 0.05 : -0.05, 0, 0), 0.0, 0.2);
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = id;
        clamp.at = k ? cord_at_end() : cord_at_start();
        clamp.motions = &pull;
        clamp.motion_count = 1;
        CordClampId held;
        lab_ok(lab, world, cord_clamp_create(world, &clamp, &held));
    }
    return world;
}

// ---- heaps and games

static CordRodDef soft_rope(double radius, CordVec3 from, CordVec3 to, int elements)
{
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_PBD;
    rod.section = cord_section_disc(radius);
    rod.material.young = 1e7;
    rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
    rod.shape = cord_shape_line(from, to, elements + 1);
    return rod;
}

static void add_obstacle(Lab* lab, CordWorld* world, CordSolidShape shape, CordVec3 size, CordVec3 position)
{
    CordObstacleDef def = cord_obstacle_def_default();
    CordObstacleId id;
    def.solid.shape = shape;
    def.solid.size = size;
    def.position = position;
    lab_ok(lab, world, cord_obstacle_create(world, &def, &id));
}

// Walls of an open box that stands on the ground about the origin; `half` is half its inner width.
static void add_open_box(Lab* lab, CordWorld* world, double half, double height)
{
    const double thick = 0.02;
    add_obstacle(lab, world, CORD_SOLID_PLANE, cord_vec3(1, 0, 0), cord_vec3(0, 0, 0));
    for (int side = -1; side <= 1; side += 2) {
        double middle = side * (half + thick / 2);
        add_obstacle(lab, world, CORD_SOLID_BOX, cord_vec3(2 * half, thick, height),
                     cord_vec3(0, middle, height / 2));
        add_obstacle(lab, world, CORD_SOLID_BOX, cord_vec3(thick, 2 * half + 2 * thick, height),
                     cord_vec3(middle, 0, height / 2));
    }
}

// A layer has ten ropes of 0.3 m, 6 mm thick.
CordWorld* bench_heap(Lab* lab, int ropes, int elements, int threads)
{
    enum { LAYER = 10 };
    const double half = 0.15, apart = 0.03, radius = 0.003;
    CordWorld* world = threaded_world(lab, threads, NULL);
    turn_contact_on(lab, world);
    add_open_box(lab, world, half + 0.02, 0.4);
    for (int i = 0; i < ropes; i++) {
        int layer = i / LAYER;
        double side = apart * (i % LAYER - 0.5 * (LAYER - 1)), z = 0.05 + 0.03 * layer,
               lean = 0.004 * (i % 3);
        CordVec3 from = cord_vec3(-half, side, z), to = cord_vec3(half, side + lean, z + lean);
        if (layer % 2 == 1) {
            from = cord_vec3(from.y, from.x, z), to = cord_vec3(to.y, to.x, to.z);
        }
        CordRodDef rod = soft_rope(radius, from, to, elements);
        lab_rod(lab, world, &rod);
    }
    return world;
}

// Every half a metre a box with a rope that falls across it, and beside it a rope that swings from a hook.
CordWorld* bench_game(Lab* lab, int ropes, int elements)
{
    enum { ROW = 10 };
    const double apart = 0.5, length = 0.4, radius = 0.005, top = 0.15;
    CordWorld* world = threaded_world(lab, 1, NULL);
    turn_contact_on(lab, world);
    add_obstacle(lab, world, CORD_SOLID_PLANE, cord_vec3(1, 0, 0), cord_vec3(0, 0, 0));
    for (int i = 0; i < ropes / 2; i++) {
        CordVec3 at = cord_vec3(apart * (i % ROW), apart * (i / ROW), 0);
        add_obstacle(lab, world, CORD_SOLID_BOX, cord_vec3(0.2, 0.2, top), cord_vec3(at.x, at.y, top / 2));
        CordVec3 low = cord_vec3(at.x - length / 2, at.y - 0.02, top + 0.02),
                 hook = cord_vec3(at.x - 0.1, at.y + 0.05, 0.5);
        CordRodDef lying = soft_rope(radius, low, cord_vec3(low.x + length, at.y + 0.03, low.z), elements);
        CordRodDef swinging = soft_rope(radius, hook, cord_vec3(hook.x - length, hook.y, hook.z), elements);
        lab_rod(lab, world, &lying);
        lab_clamp(lab, world, lab_rod(lab, world, &swinging), cord_at_start(), CORD_FIX_POSITION);
    }
    return world;
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

static Ball ball_make(Lab* lab, int rings)
{
    const double radius = 0.5;
    Ball b = {.rings = rings, .around = 2 * rings, .nodes = 2 * rings * rings + 2};
    b.x = lab_room(lab, (size_t)b.nodes, sizeof *b.x);
    b.ends = lab_room(lab, 6 * (size_t)b.nodes, sizeof *b.ends);
    b.x[0] = cord_vec3(0, 0, 0);
    b.x[b.nodes - 1] = cord_vec3(0, 0, 2.0 * radius);
    for (int i = 0; i < rings; i++) {
        double polar = CORD_PI * (i + 1) / (rings + 1);
        for (int j = 0; j < b.around; j++) {
            double turn = 2.0 * CORD_PI * j / b.around;
            b.x[1 + i * b.around + j] =
                cord_vec3(radius * sin(polar) * cos(turn), radius * sin(polar) * sin(turn),
                          radius * (1.0 - cos(polar)));
        }
    }
    ball_connect(&b);
    return b;
}

CordWorld* bench_ball(Lab* lab, int rings, int modes)
{
    Ball b = ball_make(lab, rings);
    CordWorld* world = lab_world_empty(lab, usual_gravity(), LAB_UNTIMED);
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_MODAL;
    rod.modal.modes = modes;
    rod.material.young = 1.1e7;
    rod.section = cord_section_disc(0.008);
    rod.shape = cord_shape_network(b.x, b.nodes, b.ends, b.edges);
    lab_clamp(lab, world, lab_rod(lab, world, &rod), cord_at_node(0), CORD_FIX_FRAME);
    return world;
}

// ---- timing

double bench_time_steps(CordWorld* world, double h, int steps, int rounds, int threads)
{
    double (*clock)(void) = threads > 1 ? clock_wall : clock_cpu;
    size_t size = cord_world_state_size(world);
    void* state = heap_take(1, size);
    bool good = cord_world_state_get(world, state, size) == CORD_OK;
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

double bench_step_time(Lab* lab, CordWorld* world, BenchTiming t)
{
    lab_steps(lab, world, t.h, t.warm_up);
    return lab_time(lab, world, t.h, t.steps, t.rounds, t.threads) / t.steps;
}

BenchFrames bench_frames(CordWorld* world, double h, int steps, double limit)
{
    BenchFrames f = {0};
    double sum = 0.0;
    while (f.steps < steps && sum < limit && !f.refused) {
        double begun = clock_cpu();
        f.refused = cord_world_step(world, h) != CORD_OK;
        double cost = clock_cpu() - begun;
        sum += cost;
        f.worst = fmax(f.worst, cost);
        f.steps++;
    }
    f.mean = sum / fmax(f.steps, 1.0);
    return f;
}

// ---- creation

static CordVec3 start_of(int i) // of rod i: in rows, apart from each other [m]
{
    return cord_vec3(0.2 * (i % 1000), 0.01 * (i / 1000), 1.0);
}

static void create_rod(Lab* lab, CordWorld* world, int i)
{
    CordVec3 from = start_of(i), to = {from.x + 0.1, from.y, from.z};
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(from, to, 9);
    lab_rod(lab, world, &def);
}

static void create_others(Lab* lab, CordWorld* world, int i)
{
    CordRodId rod = cord_world_rod(world, i);
    CordLoadDef load = cord_load_def_default();
    CordProbeDef probe = cord_probe_def_default();
    CordBodyDef body = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordObstacleDef obstacle = cord_obstacle_def_default();
    CordProbeId probe_id;
    CordWeldId weld_id;
    CordObstacleId obstacle_id;
    load.rod = probe.rod = weld.rod = rod;
    load.kind = CORD_LOAD_FORCE, load.at = cord_at_end(), load.force = cord_vec3(0, 0, 1e-3);
    body.position = cord_vec3_add(start_of(i), cord_vec3(0.1, 0, 0));
    weld.fix = CORD_FIX_POSITION;
    obstacle.position = cord_vec3(0, 0, -1.0 - i);
    lab_clamp(lab, world, rod, cord_at_start(), CORD_FIX_POSITION);
    lab_load(lab, world, &load);
    lab_ok(lab, world, cord_probe_create(world, &probe, &probe_id));
    lab_ok(lab, world, cord_body_create(world, &body, &weld.body));
    lab_ok(lab, world, cord_weld_create(world, &weld, &weld_id));
    lab_ok(lab, world, cord_obstacle_create(world, &obstacle, &obstacle_id));
}

static void destroy_rods(Lab* lab, CordWorld* world)
{
    while (cord_world_rod_count(world) > 0) {
        lab_ok(lab, world, cord_rod_destroy(world, cord_world_rod(world, 0)));
    }
}

static void destroy_others(Lab* lab, CordWorld* world)
{
    while (cord_world_body_count(world) > 0) {
        lab_ok(lab, world, cord_body_destroy(world, cord_world_body(world, 0)));
    }
    while (cord_world_obstacle_count(world) > 0) {
        lab_ok(lab, world, cord_obstacle_destroy(world, cord_world_obstacle(world, 0)));
    }
    lab_discard(lab, world);
}

static double lap(double* clock) // time since the last lap [s]
{
    double now = clock_cpu(), seconds = now - *clock;
    *clock = now;
    return seconds;
}

BenchCreation bench_creation(Lab* lab, int count)
{
    BenchCreation cost;
    CordWorld* world = lab_world_empty(lab, usual_gravity(), LAB_UNTIMED);
    double clock = clock_cpu();
    for (int i = 0; i < count; i++) {
        create_rod(lab, world, i);
    }
    cost.rods = lap(&clock);
    for (int i = 0; i < count; i++) {
        create_others(lab, world, i);
    }
    cost.others = lap(&clock);
    lab_ok(lab, world, cord_world_step(world, 1e-6));
    cost.step = lap(&clock);
    destroy_rods(lab, world);
    cost.rods_destroyed = lap(&clock);
    destroy_others(lab, world);
    cost.others_destroyed = lap(&clock);
    return cost;
}
