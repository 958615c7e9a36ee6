// Position-based rods that bench measures.
#ifndef CORDAGE_CLI_BENCH_PBD_H
#define CORDAGE_CLI_BENCH_PBD_H

#include "bench_world.h"

typedef struct BenchPbd { // [s per element]; NAN: it failed
    double iteration;     // or sweep
    double step;          // with as many of them as there are without being asked for
} BenchPbd;

// In steps of 1/240 s. What an iteration costs is what steps of many cost more than steps of few, so that the
// rest of a step does not count.
BenchPbd bench_pbd(BenchScale scale, int threads);

// A step of so many strands of hair, each held by its root, falling from the horizontal. From one step to the
// next each is out of the cache, as where a picture is made of every step [s]; NAN: it failed.
double bench_hair(int strands, int elements, int threads);

#endif
