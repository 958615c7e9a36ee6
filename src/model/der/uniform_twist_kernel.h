// Parallel transport along the rod, written on math/wide3.h and compiled for each instruction set.
#ifndef CORD_MODEL_DER_UNIFORM_TWIST_KERNEL_H
#define CORD_MODEL_DER_UNIFORM_TWIST_KERNEL_H

#include <cordage/cordage.h>

typedef struct TwistKernels {
    // The rotation that carries a frame from the edge after slot `from` to that after slot `to`, which does
    // not lie before it: the product of the least ones at the nodes between.
    CordQuat (*transport)(const double* const x[3], int from, int to);
} TwistKernels;

const TwistKernels* twist_kernels(void);

#endif
