#include "math/eigen_jacobi.h"

#include <math.h>
#include <stddef.h>

#define MOST_SWEEPS 60 // convergence is quadratic: ten are the rule

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

static void turn_columns(int n, double* a, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double u = a[k * n + p], v = a[k * n + q];
        a[k * n + p] = c * u - s * v;
        a[k * n + q] = s * u + c * v;
    }
}

static void turn_rows(int n, double* a, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double u = a[p * n + k], v = a[q * n + k];
        a[p * n + k] = c * u - s * v;
        a[q * n + k] = s * u + c * v;
    }
}

// The rotation in the plane of p and q that makes a[p][q] zero.
static void rotate(int n, double* a, double* vectors, int p, int q)
{
    double apq = a[p * n + q];
    if (apq == 0.0) {
        return;
    }
    double tau = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    turn_columns(n, a, p, q, c, s);
    turn_rows(n, a, p, q, c, s);
    a[p * n + q] = a[q * n + p] = 0.0;
    if (vectors) {
        turn_columns(n, vectors, p, q, c, s);
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
