// Symmetric tridiagonal systems that are positive definite, open or cyclic, each solved once. Four pieces of
// the chain are eliminated side by side, one in each SIMD lane: a pivot waits for the one before it, and so
// four wait at the same time.
#ifndef CORD_MATH_TRIDIAG_PARTITION_H
#define CORD_MATH_TRIDIAG_PARTITION_H

// Row i: diag[i] x[i] - factor (link[i] x[i-1] + link[i+1] x[i+1]) = r[i]. link[0] couples the first row to
// the last: 0 in an open chain.
typedef struct TridiagPartition {
    int n;
    double factor;
    const double* link; // (n)
    const double* diag; // (n)
    double* r;          // becomes the solution (n)
    double* work[3];    // scratch, of no use afterwards (n)
} TridiagPartition;

double tridiag_partition_solve(
    const TridiagPartition* c); // returns the largest |x|; -1: not positive definite, and r is as it was

#endif
