// Modal rods in frames per second, and what finding their modes takes.
#ifndef CORDAGE_CLI_BENCH_MODAL_H
#define CORDAGE_CLI_BENCH_MODAL_H

#include "bench_world.h"

typedef struct BenchModal {
    double modes; // to find them [s]; NAN: they were not found, or a step failed
    double frame; // a step, with all forces, and the positions of all nodes [s]
    int nodes, elements, unknowns, found;
} BenchModal;

// Of the world's rod 0, with steps of 1/30 s. The world must not have looked at a state before, and is destroyed.
BenchModal bench_modal(CordWorld* world);

BenchModal bench_modal_animal(void); // the scene modal/fig7

// A ball of beams, the edges of triangles, that stands on its lower pole: so many rings of twice as many nodes.
BenchModal bench_modal_ball(int rings, int modes);

#endif
