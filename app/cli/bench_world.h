// The worlds that bench measures.
#ifndef CORDAGE_CLI_BENCH_WORLD_H
#define CORDAGE_CLI_BENCH_WORLD_H

#include <cordage/cordage.h>

// A world and what it holds in memory.
typedef struct BenchWorld {
    CordWorld* world; // NULL: it could not be made
    size_t bytes;
} BenchWorld;

typedef struct BenchScale { // rods of soft rubber, wavy so that every term of the forces counts, falling freely
    int rods, elements;
    double length; // of each rod [m]
    CordIntegrator integrator;
    bool inextensible;
    bool general; // unlike in its two directions of bending, and curved by nature in another way than it is
} BenchScale;

void bench_world_open(BenchWorld* b, BenchScale scale, int threads);

// A metre of rubber, 2 cm thick, horizontal at first: held as in a vice, or hung by a hinge. Rod 0 of its
// world.
void bench_cantilever_open(BenchWorld* b, int elements, CordIntegrator integrator, CordFix fix);

void bench_world_close(BenchWorld* b);

#endif
