// Solves symmetric positive definite tridiagonal systems, open or cyclic, once each, by the partition method
// (Wang, ACM Transactions on Mathematical Software 7, 1981): four parts of the chain are eliminated side by
// side, one in each SIMD lane, and a dense Schur complement of the four rows between them is solved. O(n);
// pivots of four parts wait for their divisions at the same time.
#ifndef CORD_MATH_TRIDIAG_PARTITION_H
#define CORD_MATH_TRIDIAG_PARTITION_H

// Row i: diag[i] x[i] - factor (link[i] x[i-1] + link[i+1] x[i+1]) = r[i]. link[0] couples the first row to
// the last; it is 0 in an open chain.
typedef struct TridiagPartition {
    int n;
    double factor;
    const double* link; // (n)
    const double* diag; // (n)
    double* r;          // right-hand side, becomes the solution (n)
    double* work[3];    // scratch (n)
} TridiagPartition;

// Returns the largest |x|. -1: the matrix is not positive definite, and r is unchanged.
double tridiag_partition_solve(const TridiagPartition* c);

#endif
