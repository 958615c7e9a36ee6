// Solves small dense systems: Gaussian elimination with partial pivoting, and Cholesky (Golub and Van Loan,
// Matrix Computations, 4th edition, sections 3.4 and 4.2). O(n^3).
#ifndef CORD_MATH_DENSE_H
#define CORD_MATH_DENSE_H

#include <stdbool.h>

static inline double dense_dot(int n, const double* a, const double* b) // in the order of the entries
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Solves a x = b. a (n x n, row-major) is destroyed, and b becomes x. False: a is singular.
bool dense_solve(int n, double* a, double* b);

// a = L L', in place, of a symmetric matrix (n x n, row-major). False: it is not positive definite. The solve
// makes b := a^-1 b.
bool dense_cholesky_factor(double* a, int n);
void dense_cholesky_solve(const double* a, int n, double* b);

#endif
