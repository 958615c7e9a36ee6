#include "math/dense.h"

#include <math.h>

static int largest_below(int n, const double* a, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++) {
        best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
    }
    return best;
}

static void exchange_rows(int n, double* a, double* b, int i, int k)
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
        exchange_rows(n, a, b, k, largest_below(n, a, k));
        double pivot = a[k * n + k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) {
            return false;
        }
        for (int i = k + 1; i < n; i++) {
            double share = a[i * n + k] / pivot;
            for (int j = k + 1; j < n; j++) {
                a[i * n + j] -= share * a[k * n + j];
            }
            b[i] -= share * b[k];
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
