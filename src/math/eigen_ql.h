// Eigenvalues of symmetric matrices of tens to hundreds of rows: Householder tridiagonalisation, then the
// implicit QL method (Golub and Van Loan, Matrix Computations, 4th edition, section 8.3). O(n^3). For a few
// rows use math/eigen_jacobi.h.
#ifndef CORD_MATH_EIGEN_QL_H
#define CORD_MATH_EIGEN_QL_H

#include <stdbool.h>

// a (n x n, row-major, symmetric) is destroyed. Writes ascending eigenvalues to values (n) and the
// eigenvector of values[k] to vectors[k * n .. k * n + n); work: (n). The error is that of rounding the
// largest eigenvalue. False: entries are not finite.
bool eigen_ql(int n, double* a, double* values, double* vectors, double* work);

#endif
