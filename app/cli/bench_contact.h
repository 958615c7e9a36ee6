// Worlds in contact that bench measures.
#ifndef CORDAGE_CLI_BENCH_CONTACT_H
#define CORDAGE_CLI_BENCH_CONTACT_H

#include "bench_world.h"

typedef struct BenchTouch {
    double seconds;    // one step; NAN: it failed
    int contacts;      // pairs that are near each other
    double iterations; // of one step, in the mean
} BenchTouch;

// Close-coiled springs of rubber in rows, each of so many elements and pressed together by its own tension.
// Explicit.
BenchTouch bench_springs(int springs, int elements);
// Of the same steps, however many there are: how many iterations one takes changes from step to step. Seconds
// of one.
double bench_same_steps(int springs, int elements);

// The falling coil of ACM's figure 7, in the paper's steps, when it has slumped. Explicit.
BenchTouch bench_coil(void);

// An overhand knot of so many elements while it is pulled tight, in steps of 1 ms. Implicit.
BenchTouch bench_knot(int elements);

#endif
