// The inner loops of math/envelope_cholesky.h.
#ifndef CORD_MATH_ENVELOPE_CHOLESKY_KERNEL_H
#define CORD_MATH_ENVELOPE_CHOLESKY_KERNEL_H

#include "math/envelope_cholesky.h"
#include "math/kernel.h"

typedef struct EnvelopeKernels {
    int (*factor)(const Envelope* e); // in place; returns the row whose pivot is not positive, or -1
    void (*solve)(const Envelope* e, int count, double* x); // forward and back substitution (count x rows)
} EnvelopeKernels;

KERNEL_DECLARE(EnvelopeKernels, envelope_kernels);

#endif
