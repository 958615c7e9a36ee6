// What is left of a linear system, with twice the digits of a double. The stiffness of a fine mesh is so
// large beside its softest mode that a plain residual is all rounding: elements k times shorter lose k^4.
#ifndef CORD_MATH_RESIDUAL_H
#define CORD_MATH_RESIDUAL_H

#include <cordage/modal.h>

// r = b - (K - shift M) x, rounded once (size each).
void residual_dot2(const CordEigenProblem* p, double shift, const double* b, const double* x, double* r);

#endif
