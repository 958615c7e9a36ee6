// Turns, displacements and loads of eight nodes at a time.
#ifndef CORD_MODEL_MODAL_KERNEL_H
#define CORD_MODEL_MODAL_KERNEL_H

#include <stdbool.h>

// By node and mode, as floats: turn psi, displacement phi, and what a unit acceleration of the node's
// surroundings does to the mode. Eight nodes are side by side: first the turns of all modes, then the
// displacements, then the loads.
#define MODAL_VALUES 9
#define MODAL_LANES 8
#define MODAL_STRIDE (MODAL_VALUES * MODAL_LANES)
#define MODAL_ROOM (2 + MODAL_LANES)

typedef struct ModalArrays {
    int block_count, mode_count;
    const float* table;    // (block_count x mode_count x MODAL_STRIDE)
    const double* rest[3]; // [m] (8 block_count)
    const double* q;       // of the positions (mode_count)
    const double* ahead;   // of the load (mode_count)
    bool warp;
    double even[3], spread[9], origin[3]; // the pull, in the carrier's axes
    bool spreads;
    double turn[9], shift[3]; // from the carrier's axes to space: x -> turn (x - origin) + shift
    bool carried;             // else they are the same
    double reach;             // no displacement counts for more, where pulls go by the place [m]
    double* x[3];             // in space; NULL: not wanted (8 block_count)
    double* load;             // (mode_count); NULL: not wanted
    float* room;              // scratch (MODAL_ROOM mode_count)
} ModalArrays;

typedef struct ModalKernels {
    void (*place)(const ModalArrays* a);
} ModalKernels;

#endif
