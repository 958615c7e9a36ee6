// Small dense systems.
#ifndef CORD_MATH_DENSE_H
#define CORD_MATH_DENSE_H

#include <stdbool.h>

// a x = b, by elimination with row exchanges; a (n x n, row-major) is destroyed, x comes into b. False: a is
// singular.
bool dense_solve(int n, double* a, double* b);

// A symmetric positive matrix of a few rows, row-major and full: its Cholesky factor in place; false: it is
// none. Then b := its inverse times b.
bool dense_cholesky_factor(double* a, int n);
void dense_cholesky_solve(const double* a, int n, double* b);

#endif
