// Sparse factorisation K - shift M = L U by SuperLU, in minimum-degree order.
#ifndef CORD_EIGS_SPARSE_LU_H
#define CORD_EIGS_SPARSE_LU_H

#include <cordage/modal.h>

typedef struct SparseLu SparseLu;

// NULL: no memory, or the matrix is not positive definite, and *result says which of the two.
SparseLu* sparse_lu_create(const CordEigenProblem* p, CordResult* result);
void sparse_lu_destroy(SparseLu* f);
bool sparse_lu_solve(SparseLu* f, double* x); // in place (size)

#endif
