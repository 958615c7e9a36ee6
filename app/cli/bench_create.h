// How long it takes to make and to destroy many things.
#ifndef CORDAGE_CLI_BENCH_CREATE_H
#define CORDAGE_CLI_BENCH_CREATE_H

typedef struct BenchCreation {
    double rods;           // made, each of eight elements [s]; NAN: it failed
    double others;         // a clamp, a load, a probe, a body and a weld for each, and an obstacle [s]
    double step;           // the first, which prepares all of it [s]
    double rods_destroyed; // with all but their bodies, one after the other, in the order they were made [s]
    double others_destroyed; // the bodies and obstacles, likewise, and the world [s]
} BenchCreation;

BenchCreation bench_creation(int count);

#endif
