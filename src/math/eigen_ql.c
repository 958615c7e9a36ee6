#include "math/eigen_ql.h"

#include "math/eigen_jacobi.h"

#include <float.h>
#include <math.h>

#define MOST_TURNS 60 // of QL for one eigenvalue: two are the rule

static double dot(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// A - v q' - q v' is H A H for the reflection H = 1 - tau v v', in the rows and columns from k + 1 on. q is
// scratch (n).
static void reflect(int n, double* a, int k, double tau, double* q)
{
    int m = n - k - 1;
    const double* v = a + k * n + k + 1;
    for (int i = 0; i < m; i++) {
        q[i] = tau * dot(m, a + (k + 1 + i) * n + k + 1, v);
    }
    double half = 0.5 * tau * dot(m, q, v);
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

// Householder: the diagonal into d, what stands beside it into e. Row k of a keeps its reflection's v to the
// right of the diagonal, and tau below it, at a[(k + 1) n + k].
static void make_tridiagonal(int n, double* a, double* d, double* e)
{
    for (int k = 0; k < n; k++) {
        d[k] = a[k * n + k];
        if (k + 1 == n) {
            break;
        }
        double *v = a + k * n + k + 1, *tau = a + (k + 1) * n + k;
        double rest = dot(n - k - 2, v + 1, v + 1), beside = v[0];
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

// The product of all reflections, transposed.
static void gather_reflections(int n, const double* a, double* vectors)
{
    for (int j = 0; j < n; j++) {
        double* row = vectors + j * n;
        for (int i = 0; i < n; i++) {
            row[i] = i == j ? 1.0 : 0.0;
        }
        for (int k = n - 3; k >= 0; k--) {
            int m = n - k - 1;
            const double* v = a + k * n + k + 1;
            double s = a[(k + 1) * n + k] * dot(m, v, row + k + 1);
            for (int i = 0; i < m && s != 0.0; i++) {
                row[k + 1 + i] -= s * v[i];
            }
        }
    }
}

static void turn_rows(int n, double* p, double* q, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double u = p[i], v = q[i];
        p[i] = c * u - s * v;
        q[i] = s * u + c * v;
    }
}

// One turn of QL with its implicit shift, on the rows from l to m.
static void turn(int n, double* d, double* e, double* vectors, int l, int m)
{
    double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = sqrt(g * g + 1.0);
    g = d[m] - d[l] + e[l] / (g + (g >= 0.0 ? r : -r));
    double s = 1.0, c = 1.0, p = 0.0;
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0.0) { // it falls apart here
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
        turn_rows(n, vectors + i * n, vectors + (i + 1) * n, c, s);
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
    make_tridiagonal(n, a, values, e);
    gather_reflections(n, a, vectors);
    for (int l = 0; l < n; l++) {
        int turns = 0;
        for (int m = end_of_block(n, values, e, l); m > l; m = end_of_block(n, values, e, l)) {
            if (turns++ == MOST_TURNS) {
                return false;
            }
            turn(n, values, e, vectors, l, m);
        }
    }
    eigen_sort(n, values, vectors, n, 1);
    return true;
}
