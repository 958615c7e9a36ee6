// K - shift M = L U, by SuperLU.
#ifndef CORD_EIGS_FACTOR_H
#define CORD_EIGS_FACTOR_H

#include <cordage/modal.h>

typedef struct Factor Factor;

// NULL: no memory, or the matrix is not positive definite, and *result says which of the two.
Factor* factor_create(const CordEigenProblem* p, CordResult* result);
void factor_destroy(Factor* f);
bool factor_solve(Factor* f, double* x); // in place (size)

#endif
