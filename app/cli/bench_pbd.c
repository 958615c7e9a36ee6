#include "bench_pbd.h"

#include <math.h>

static const double h = 1.0 / 240.0; // [s]

// ---- iterations

static double step_of(BenchScale scale, int threads) // [s]
{
    enum { ROUNDS = 7 };
    BenchWorld b;
    bench_world_open(&b, scale, threads);
    int steps = (int)fmax(2.0, 1e5 / ((double)scale.rods * scale.elements));
    bool good = b.world && cord_world_step_many(b.world, h, 12) == CORD_OK; // warm-up
    double seconds = good ? bench_time_steps(b.world, h, steps, ROUNDS, threads) : (double)NAN;
    bench_world_close(&b);
    return seconds / steps;
}

BenchPbd bench_pbd(BenchScale scale, int threads)
{
    enum { FEW = 2, MANY = 12 };
    double elements = (double)scale.rods * scale.elements;
    BenchScale few = scale, many = scale;
    few.iterations = FEW, many.iterations = MANY;
    double difference = step_of(many, threads) - step_of(few, threads);
    return (BenchPbd){difference / ((MANY - FEW) * elements), step_of(scale, threads) / elements};
}

// ---- hair

// A lock of ten hairs, 80 um thick, that stick to each other, as in scenes/pbd/hair.json.
static CordResult add_strand(CordWorld* world, int i, int elements)
{
    const double length = 0.17, apart = 0.001, turn = 2.4 * i; // every one in another direction
    const CordVec3 root = {apart * (i % 100), apart * (double)(i / 100), 0};
    const CordVec3 tip = {root.x + length * cos(turn), root.y + length * sin(turn), 0};
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_PBD;
    rod.section = cord_section_disc(0.0003);
    rod.stiffness.EI1 = rod.stiffness.EI2 = 8e-7;
    rod.stiffness.GJ = 6e-7;
    rod.stiffness.EA = 20.0;
    rod.stiffness.mass_per_length = 6.5e-5;
    rod.shape = cord_shape_line(root, tip, elements + 1);
    CordClampDef clamp = cord_clamp_def_default();
    clamp.fix = CORD_FIX_FRAME;
    CordResult result = cord_rod_create(world, &rod, &clamp.rod);
    CordClampId id;
    return result == CORD_OK ? cord_clamp_create(world, &clamp, &id) : result;
}

double bench_hair(int strands, int elements, int threads)
{
    enum { WARM = 12, ROUNDS = 9 };
    CordWorldDef def = cord_world_def_default();
    def.tasks = cord_tasks_openmp(threads);
    CordWorld* world;
    CordResult result = cord_world_create(&def, &world);
    if (result != CORD_OK) {
        return NAN;
    }
    for (int i = 0; i < strands && result == CORD_OK; i++) {
        result = add_strand(world, i, elements);
    }
    result = result == CORD_OK ? cord_world_step_many(world, h, WARM) : result;
    double seconds = result == CORD_OK ? bench_time_steps(world, h, 1, ROUNDS, threads) : (double)NAN;
    cord_world_destroy(world);
    return seconds;
}
