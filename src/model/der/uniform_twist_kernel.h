// Parallel transport along the rod, written on math/wide3.h and compiled for each instruction set.
#ifndef CORD_MODEL_DER_UNIFORM_TWIST_KERNEL_H
#define CORD_MODEL_DER_UNIFORM_TWIST_KERNEL_H

#include <cordage/cordage.h>

typedef struct TwistKernels {
    // The rotation that transports a frame from the edge after slot `from` to the edge after slot `to` >=
    // from: the product of the minimal rotations at the nodes between them.
    CordQuat (*transport)(const double* const x[3], int from, int to);
} TwistKernels;

const TwistKernels* twist_kernels(void);

#endif
