#include "math/dense.h"

#include <math.h>

static int pivot_row(int n, const double* a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++) {
        best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
    }
    return best;
}

static void swap_rows(int n, double* a, double* b, int i, int k)
{
    for (int j = 0; j < n; j++) {
        double kept = a[i * n + j];
        a[i * n + j] = a[k * n + j], a[k * n + j] = kept;
    }
    double kept = b[i];
    b[i] = b[k], b[k] = kept;
}

bool dense_solve(int n, double* a, double* b)
{
    for (int k = 0; k < n; k++) {
        swap_rows(n, a, b, k, pivot_row(n, a, k));
        double pivot = a[k * n + k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) {
            return false;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / pivot;
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    return true;
}

bool dense_cholesky_factor(double* a, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

void dense_cholesky_solve(const double* a, int n, double* b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] /= a[i * n + i];
    }
}
