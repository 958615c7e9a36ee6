// Eigenvalues of symmetric matrices of tens to hundreds of rows: Householder's tridiagonal form, then QL. For
// a few rows, math/eigen_jacobi.h.
#ifndef CORD_MATH_EIGEN_QL_H
#define CORD_MATH_EIGEN_QL_H

#include <stdbool.h>

// a (n x n, row-major, symmetric) is destroyed. Eigenvalues ascending into values (n); that of values[k] has
// its eigenvector at vectors[k * n], n numbers in a row; work (n). Right to rounding of the largest
// eigenvalue. False: entries are not finite.
bool eigen_ql(int n, double* a, double* values, double* vectors, double* work);

#endif
