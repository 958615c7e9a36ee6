#include "math/eigen_jacobi.h"

#include <math.h>
#include <stddef.h>

#define MOST_SWEEPS 60 // ten are usual

static double off_diagonal(int n, const double* a)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            sum += a[i * n + j] * a[i * n + j];
        }
    }
    return sum;
}

// Rotates in the plane of p and q so that a[p][q] = 0 (Golub and Van Loan, 4th edition, algorithm 8.5.1).
static void rotate(int n, double* a, double* vectors, int p, int q)
{
    double apq = a[p * n + q];
    if (apq == 0.0) {
        return;
    }
    double tau = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    eigen_rotate(n, a + p, a + q, n, c, s);
    eigen_rotate(n, a + p * n, a + q * n, 1, c, s);
    a[p * n + q] = a[q * n + p] = 0.0;
    if (vectors) {
        eigen_rotate(n, vectors + p, vectors + q, n, c, s);
    }
}

void eigen_sort(int n, double* values, double* vectors, int vector, int entry)
{
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++) {
            least = values[j] < values[least] ? j : least;
        }
        double t = values[i];
        values[i] = values[least], values[least] = t;
        for (int k = 0; vectors && least != i && k < n; k++) {
            double *a = &vectors[i * vector + k * entry], *b = &vectors[least * vector + k * entry];
            t = *a;
            *a = *b, *b = t;
        }
    }
}

void eigen_jacobi(int n, double* a, double* values, double* vectors)
{
    for (int i = 0; vectors && i < n * n; i++) {
        vectors[i] = i / n == i % n ? 1.0 : 0.0;
    }
    double size = off_diagonal(n, a);
    for (int i = 0; i < n; i++) {
        size += a[i * n + i] * a[i * n + i];
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && off_diagonal(n, a) > 1e-32 * size; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                rotate(n, a, vectors, p, q);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
    eigen_sort(n, values, vectors, 1, n);
}
