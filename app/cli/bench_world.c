#include "bench_world.h"

#include "talk.h"

#include <math.h>
#include <stdlib.h>

static void* heap_alloc(void* user, size_t size, size_t align)
{
    ((BenchWorld*)user)->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void heap_free(void* user, void* memory, size_t size, size_t align)
{
    (void)align;
    ((BenchWorld*)user)->bytes -= size;
    free(memory);
}

static bool open_empty(BenchWorld* b, int threads)
{
    CordWorldDef def = cord_world_def_default();
    def.tasks = cord_tasks_openmp(threads);
    def.allocator = (CordAllocator){heap_alloc, heap_free, b};
    *b = (BenchWorld){.world = NULL};
    return cord_world_create(&def, &b->world) == CORD_OK;
}

void bench_empty_open(BenchWorld* b)
{
    open_empty(b, 1);
}

void bench_world_close(BenchWorld* b)
{
    cord_world_destroy(b->world);
    b->world = NULL;
}

// Node k of rod i, with so many waves to 2 pi metres, and others for each rod.
static CordVec3 wave(const BenchScale* scale, int i, int k, double waves)
{
    double s = scale->length * k / scale->elements;
    return (CordVec3){s, 0.02 * sin(waves * s + i), 0.02 * cos((waves - 2.0) * s)};
}

static CordResult add_rod(CordWorld* world, const BenchScale* scale, int i, CordVec3* x, CordVec3* rest)
{
    int nodes = scale->elements + 1;
    for (int k = 0; k < nodes; k++) {
        x[k] = wave(scale, i, k, 7.0);
        rest[k] = wave(scale, i, k, 9.0);
    }
    CordRodDef rod = cord_rod_def_default();
    rod.model = scale->model;
    rod.corde.orientations = scale->orientations;
    rod.pbd.solver = scale->solver;
    if (scale->iterations > 0) {
        rod.pbd.iterations = scale->iterations;
        rod.pbd.tolerance = 1e-300; // none is so small that it would be the last
    }
    rod.material.young = 1e6;
    rod.shape = cord_shape_points(x, nodes);
    rod.rest = CORD_REST_STRAIGHT;
    rod.integrator = scale->integrator;
    rod.inextensible = scale->inextensible;
    if (scale->general) {
        rod.section = cord_section_ellipse(0.001, 0.0005);
        rod.rest = CORD_REST_SHAPE;
        rod.rest_shape = cord_shape_points(rest, nodes);
    }
    CordRodId id;
    return cord_rod_create(world, &rod, &id);
}

void bench_world_open(BenchWorld* b, BenchScale scale, int threads)
{
    if (!open_empty(b, threads)) {
        return;
    }
    size_t nodes = (size_t)scale.elements + 1;
    CordVec3* x = malloc(sizeof *x * 2 * nodes);
    CordResult result = x ? CORD_OK : CORD_NO_MEMORY;
    for (int i = 0; i < scale.rods && result == CORD_OK; i++) {
        result = add_rod(b->world, &scale, i, x, x + nodes);
    }
    free(x);
    if (result != CORD_OK) {
        bench_world_close(b);
    }
}

void bench_cantilever_open(BenchWorld* b, int elements, CordIntegrator integrator, CordFix fix)
{
    if (!open_empty(b, 1)) {
        return;
    }
    CordRodDef rod = cord_rod_def_default();
    rod.material.young = 1e6;
    rod.material.poisson = 0.5;
    rod.material.density = 1000.0;
    rod.section = cord_section_disc(0.01);
    rod.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    rod.integrator = integrator;
    rod.half_edge_start = fix != CORD_FIX_POSITION;
    CordClampDef clamp = cord_clamp_def_default();
    clamp.fix = fix;
    CordClampId id;
    if (cord_rod_create(b->world, &rod, &clamp.rod) != CORD_OK ||
        cord_clamp_create(b->world, &clamp, &id) != CORD_OK) {
        bench_world_close(b);
    }
}

static CordRodId add_branch(CordWorld* world, CordVec3 from, CordVec3 to, CordResult* result)
{
    enum { NODES = 11 };
    CordVec3 x[NODES];
    for (int k = 0; k < NODES; k++) {
        double share = (double)k / (NODES - 1), bulge = 0.002 * sin(3.14159265358979323846 * share);
        x[k] = (CordVec3){from.x + share * (to.x - from.x), from.y + share * (to.y - from.y) + bulge,
                          from.z + share * (to.z - from.z)};
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

void bench_junctions_open(BenchWorld* b, int junctions)
{
    if (!open_empty(b, 1)) {
        return;
    }
    const double length = 0.1;
    CordResult result = cord_world_set_gravity(b->world, (CordVec3){0, 0, 0});
    CordVec3 foot = {0, 0, 0};
    CordRodId stem = add_branch(b->world, foot, (CordVec3){length, 0, 0}, &result);
    for (int i = 1; i <= junctions && result == CORD_OK; i++) {
        foot.x = i * length;
        CordVec3 twig_end = {foot.x, 0.3 * length, (i % 2 ? 0.9 : -0.9) * length};
        CordJointDef joint = cord_joint_def_default();
        joint.count = 3;
        joint.rods[0] = stem, joint.at[0] = cord_at_end();
        stem = add_branch(b->world, foot, (CordVec3){foot.x + length, 0, 0}, &result);
        joint.rods[1] = stem, joint.at[1] = cord_at_start();
        joint.rods[2] = add_branch(b->world, foot, twig_end, &result), joint.at[2] = cord_at_start();
        CordBodyId id;
        result = result == CORD_OK ? cord_joint_create(b->world, &joint, &id) : result;
    }
    if (result != CORD_OK) {
        bench_world_close(b);
    }
}

static double bench_clock(int threads)
{
    return threads > 1 ? talk_clock() : talk_cpu_clock();
}

double bench_time_steps(CordWorld* world, double h, int steps, int rounds, int threads)
{
    size_t size = cord_world_state_size(world);
    void* state = malloc(size);
    bool good = state && cord_world_state_get(world, state, size) == CORD_OK;
    double best = INFINITY;
    for (int round = 0; round < rounds && good; round++) {
        good = cord_world_state_set(world, state, size) == CORD_OK;
        double clock = bench_clock(threads);
        good = good && cord_world_step_many(world, h, steps) == CORD_OK;
        best = fmin(best, bench_clock(threads) - clock);
    }
    free(state);
    return good ? best : (double)NAN;
}

double bench_junction_cost(int junctions)
{
    BenchWorld b;
    bench_junctions_open(&b, junctions);
    if (!b.world) {
        return NAN;
    }
    int steps = (int)fmax(10.0, 1e4 / junctions);
    double h = 0.5 * cord_world_step_advice(b.world).step;
    bool good = cord_world_step_many(b.world, h, 20) == CORD_OK; // warm-up
    double seconds = good ? bench_time_steps(b.world, h, steps, 15, 1) : (double)NAN;
    bench_world_close(&b);
    return seconds / ((double)steps * junctions);
}
