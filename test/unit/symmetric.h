// Random symmetric matrices for tests of eigenvalues.
#ifndef CORD_TEST_UNIT_SYMMETRIC_H
#define CORD_TEST_UNIT_SYMMETRIC_H

#include "check.h"
#include "random.h"

static inline void random_symmetric(int n, uint64_t* seed, double* a)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            a[i * n + j] = a[j * n + i] = random_in(seed, -1, 1);
        }
    }
}

// |A v - value v| and how far the vectors are from orthonormal: the largest entry. The k-th vector begins at
// vectors[k * vector], its entries are `entry` apart.
static inline double worst_pair(int n, const double* a, const double* values, const double* vectors,
                                int vector, int entry)
{
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            double sum = -values[k] * vectors[k * vector + i * entry], dot = i == k ? -1.0 : 0.0;
            for (int j = 0; j < n; j++) {
                sum += a[i * n + j] * vectors[k * vector + j * entry];
                dot += vectors[i * vector + j * entry] * vectors[k * vector + j * entry];
            }
            worst = fmax(worst, fmax(fabs(sum), fabs(dot)));
        }
    }
    return worst;
}

#endif
