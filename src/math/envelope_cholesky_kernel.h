// The inner loops of envelope.h, compiled for each instruction set.
#ifndef CORD_MATH_ENVELOPE_CHOLESKY_KERNEL_H
#define CORD_MATH_ENVELOPE_CHOLESKY_KERNEL_H

#include "math/envelope_cholesky.h"

typedef struct EnvelopeKernels {
    int (*factor)(const Envelope* e); // in place; the row at which it is not positive definite, -1: it is
    void (*solve)(const Envelope* e, int count, double* x); // both triangles (count x rows)
} EnvelopeKernels;

#endif
