#include "math/eigen_ql.h"

#include "math/dense.h"
#include "math/eigen_jacobi.h"

#include <float.h>
#include <math.h>

#define MOST_ITERATIONS 60 // for one eigenvalue; two are usual

// H A H = A - v q' - q v' for the reflection H = 1 - tau v v' (Golub and Van Loan, 4th edition,
// section 8.3.1), in rows and columns from k + 1 on. q is scratch (n).
static void reflect(int n, double* a, int k, double tau, double* q)
{
    int m = n - k - 1;
    const double* v = a + k * n + k + 1;
    for (int i = 0; i < m; i++) {
        q[i] = tau * dense_dot(m, a + (k + 1 + i) * n + k + 1, v);
    }
    double half = 0.5 * tau * dense_dot(m, q, v);
    for (int i = 0; i < m; i++) {
        q[i] -= half * v[i];
    }
    for (int i = 0; i < m; i++) {
        double* row = a + (k + 1 + i) * n + k + 1;
        for (int j = 0; j < m; j++) {
            row[j] -= v[i] * q[j] + q[i] * v[j];
        }
    }
}

// Householder tridiagonalisation: writes the diagonal to d and the subdiagonal to e. Row k of a keeps v of
// its reflection to the right of the diagonal, and tau below it, at a[(k + 1) n + k].
static void tridiagonalise(int n, double* a, double* d, double* e)
{
    for (int k = 0; k < n; k++) {
        d[k] = a[k * n + k];
        if (k + 1 == n) {
            break;
        }
        double *v = a + k * n + k + 1, *tau = a + (k + 1) * n + k;
        double rest = dense_dot(n - k - 2, v + 1, v + 1), beside = v[0];
        *tau = 0.0;
        if (rest > 0.0) {
            double norm = sqrt(v[0] * v[0] + rest);
            beside = v[0] > 0.0 ? -norm : norm;
            v[0] -= beside;
            *tau = 2.0 / (v[0] * v[0] + rest);
            reflect(n, a, k, *tau, e + k); // e is free from here on
        }
        e[k] = beside;
    }
    e[n - 1] = 0.0;
}

// Transposed product of all reflections.
static void multiply_reflections(int n, const double* a, double* vectors)
{
    for (int j = 0; j < n; j++) {
        double* row = vectors + j * n;
        for (int i = 0; i < n; i++) {
            row[i] = i == j ? 1.0 : 0.0;
        }
        for (int k = n - 3; k >= 0; k--) {
            int m = n - k - 1;
            const double* v = a + k * n + k + 1;
            double s = a[(k + 1) * n + k] * dense_dot(m, v, row + k + 1);
            for (int i = 0; i < m && s != 0.0; i++) {
                row[k + 1 + i] -= s * v[i];
            }
        }
    }
}

// One QL iteration with implicit Wilkinson shift on rows l to m (EISPACK tql2).
static void ql_iteration(int n, double* d, double* e, double* vectors, int l, int m)
{
    double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = sqrt(g * g + 1.0);
    g = d[m] - d[l] + e[l] / (g + (g >= 0.0 ? r : -r));
    double s = 1.0, c = 1.0, p = 0.0;
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0.0) { // the matrix splits here
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        eigen_rotate(n, vectors + i * n, vectors + (i + 1) * n, 1, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

static int end_of_block(int n, const double* d, const double* e, int l)
{
    int m = l;
    while (m + 1 < n && !(fabs(e[m]) <= DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])))) {
        m++;
    }
    return m;
}

bool eigen_ql(int n, double* a, double* values, double* vectors, double* work)
{
    double* e = work;
    tridiagonalise(n, a, values, e);
    multiply_reflections(n, a, vectors);
    for (int l = 0; l < n; l++) {
        int iterations = 0;
        for (int m = end_of_block(n, values, e, l); m > l; m = end_of_block(n, values, e, l)) {
            if (iterations++ == MOST_ITERATIONS) {
                return false;
            }
            ql_iteration(n, values, e, vectors, l, m);
        }
    }
    eigen_sort(n, values, vectors, n, 1);
    return true;
}
