// Rotation vectors, warped displacements and modal loads of eight nodes at a time.
#ifndef CORD_MODEL_MODAL_KERNEL_H
#define CORD_MODEL_MODAL_KERNEL_H

#include <stdbool.h>

// The mode table has, by node and mode, in single precision: rotation psi, displacement phi, and the node's
// share in the modal load of a uniform unit acceleration. A block has eight nodes side by side: first the
// rotations of all modes, then the displacements, then the loads.
#define MODAL_VALUES 9
#define MODAL_LANES 8
#define MODAL_STRIDE (MODAL_VALUES * MODAL_LANES)
#define MODAL_ROOM (2 + MODAL_LANES)

typedef struct ModalArrays {
    int block_count, mode_count;
    const float* table;                   // (block_count x mode_count x MODAL_STRIDE)
    const double* rest[3];                // [m] (8 block_count)
    const double* q;                      // amplitudes for the positions (mode_count)
    const double* ahead;                  // amplitudes for the load (mode_count)
    bool warp;                            // rotations are warped; false: linear theory
    double even[3], spread[9], origin[3]; // the Pull, in the carrier's axes
    bool spreads;                         // `spread` is not zero
    double turn[9], shift[3];             // from the carrier's axes to space: x -> turn (x - origin) + shift
    bool carried;                         // false: that map is the identity
    double reach;                         // upper limit of the displacement in `spread` [m]
    double* x[3];                         // output, positions in space [m]; NULL: not wanted (8 block_count)
    double* load;                         // output, modal load (mode_count); NULL: not wanted
    float* room;                          // scratch (MODAL_ROOM mode_count)
} ModalArrays;

typedef struct ModalKernels {
    void (*place)(const ModalArrays* a);
} ModalKernels;

#endif
