// The inner loops of Gauss-Seidel sweeps, over all constraints of a batch.
#ifndef CORD_CONTACT_GAUSS_SEIDEL_KERNEL_H
#define CORD_CONTACT_GAUSS_SEIDEL_KERNEL_H

#include "contact/gauss_seidel.h"
#include "math/kernel.h"

typedef struct SweepKernels {
    // Over [begin, end) of the order, from the end if `back`.
    Sweep (*sweep)(const Delassus*, ContactConstraints*, int begin, int end, bool back, bool first);
    void (*begin)(const Delassus*, ContactConstraints*, DelassusBatch);         // before one or two sweeps
    double (*norm2)(const Delassus*, const ContactConstraints*, DelassusBatch); // squared, of their change
    void (*accelerate)(const Delassus*, ContactConstraints*, DelassusBatch, double share);
} SweepKernels;

KERNEL_DECLARE(SweepKernels, sweep_kernels);

#endif
