// Dense systems that tests of the linear solvers compare with: row by row, rows `stride` apart.
#ifndef CORD_TEST_UNIT_MATH_DENSE_H
#define CORD_TEST_UNIT_MATH_DENSE_H

#include "check.h"
#include "random.h"

// Eliminates the first `pivots` of n unknowns in a and in the right-hand side r.
static inline void dense_eliminate(double* a, int stride, int n, int pivots, double* r)
{
    for (int k = 0; k < pivots; k++) {
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * stride + k] / a[k * stride + k];
            for (int j = k; j < n; j++) {
                a[i * stride + j] -= factor * a[k * stride + j];
            }
            r[i] -= factor * r[k];
        }
    }
}

// Spends a; r becomes the solution. Does not pivot.
static inline void dense_solve(double* a, int stride, int n, double* r)
{
    dense_eliminate(a, stride, n, n, r);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            r[i] -= a[i * stride + j] * r[j];
        }
        r[i] /= a[i * stride + i];
    }
}

static inline double random_sign(uint64_t* seed)
{
    return random_in(seed, -1, 1) < 0 ? -1.0 : 1.0;
}

// Makes the diagonal dominant, with both signs: no method loses digits, half of each diagonal stays as a
// pivot at least, and the number of negative diagonals is that of negative pivots, in any order.
static inline void dense_dominate(double* a, int stride, int n, uint64_t* seed)
{
    for (int i = 0; i < n; i++) {
        double sum = 1.0;
        for (int j = 0; j < n; j++) {
            sum += i == j ? 0.0 : fabs(a[i * stride + j]) + fabs(a[j * stride + i]);
        }
        a[i * stride + i] = sum * random_sign(seed);
    }
}

static inline int dense_negative_diagonals(const double* a, int stride, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += a[i * stride + i] < 0.0;
    }
    return count;
}

// L D L^T of a unit lower triangle l and random D, added to a: as many negative eigenvalues as D has
// (Sylvester), which are returned.
static inline int dense_add_congruence(double* a, int stride, int n, const double* l, uint64_t* seed)
{
    int negative = 0;
    for (int k = 0; k < n; k++) {
        double d = random_in(seed, 0.5, 2.0) * random_sign(seed);
        negative += d < 0.0;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                a[i * stride + j] += l[i * stride + k] * d * l[j * stride + k];
            }
        }
    }
    return negative;
}

// A spring of this stiffness between unknowns i and j.
static inline void dense_add_spring(double* a, int stride, int i, int j, double stiffness)
{
    a[i * stride + i] += stiffness, a[j * stride + j] += stiffness;
    a[i * stride + j] -= stiffness, a[j * stride + i] -= stiffness;
}

// Uncouples unknown k, so that elimination does not touch its pivot, which is `diagonal`.
static inline void dense_isolate(double* a, int stride, int n, int k, double diagonal)
{
    for (int j = 0; j < n; j++) {
        a[k * stride + j] = a[j * stride + k] = 0.0;
    }
    a[k * stride + k] = diagonal;
}

static inline void check_entries(const double* actual, const double* expected, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(actual[i], expected[i], tolerance);
    }
}

#endif
