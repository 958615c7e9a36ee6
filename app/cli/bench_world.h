// The worlds that bench measures.
#ifndef CORDAGE_CLI_BENCH_WORLD_H
#define CORDAGE_CLI_BENCH_WORLD_H

#include <cordage/cordage.h>

// A world and what it holds in memory.
typedef struct BenchWorld {
    CordWorld* world; // NULL: it could not be made
    size_t bytes;
} BenchWorld;

// rods of soft rubber, wavy so that every term of the forces counts, falling freely
typedef struct BenchScale {
    int rods, elements;
    double length; // of each rod [m]
    CordIntegrator integrator;
    bool inextensible;
    bool general; // unlike in its two directions of bending, and curved by nature in another way than it is
    CordModel model;
    CordOrientations orientations; // of corde
    CordPbdSolver solver;          // of pbd
    int iterations;                // of pbd in each step, no fewer and no more; 0: as is usual
} BenchScale;

void bench_empty_open(BenchWorld* b); // without rods, for one thread
void bench_world_open(BenchWorld* b, BenchScale scale, int threads);

// A metre of rubber, 2 cm thick, horizontal at first: held as in a vice, or hung by a hinge. Rod 0 of its
// world.
void bench_cantilever_open(BenchWorld* b, int elements, CordIntegrator integrator, CordFix fix);

// So many junctions in a row, each of three inextensible rods of ten elements: a stem from junction to
// junction, and a twig from each. They are bent a little at first, and tremble.
void bench_junctions_open(BenchWorld* b, int junctions);

void bench_world_close(BenchWorld* b);

// Time of `steps` steps of h, at its best of several rounds, each from the same state [s]; NAN: they failed.
// Of one thread the processor's time counts, so that other programs on the machine do not; of several, the
// clock's.
double bench_time_steps(CordWorld* world, double h, int steps, int rounds, int threads);

// of bench_junctions_open [s per junction and step]; NAN: it failed
double bench_junction_cost(int junctions);

#endif
