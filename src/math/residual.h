// Residual of a linear system in twice the working precision, for iterative refinement (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd edition, chapter 12), by compensated dot products (Dot2 of Ogita,
// Rump and Oishi, SIAM J. Sci. Comput. 26, 2005). The stiffness of a fine mesh is so large beside its lowest
// mode that a plain residual is all rounding: elements that are k times shorter lose a factor of k^4.
#ifndef CORD_MATH_RESIDUAL_H
#define CORD_MATH_RESIDUAL_H

#include <cordage/modal.h>

// r = b - (K - shift M) x, rounded once (size each).
void residual_dot2(const CordEigenProblem* p, double shift, const double* b, const double* x, double* r);

#endif
