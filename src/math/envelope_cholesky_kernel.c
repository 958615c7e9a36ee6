#include "math/envelope_cholesky_kernel.h"

#include "math/wide.h"

#include <float.h>
#include <math.h>

// Four rows by four columns: lane a of column b is the entry of row a.
typedef struct Tile {
    CordWide column[4];
} Tile;

static const double* at(const Envelope* e, int i, int column)
{
    return e->l + e->start[i] + 4 * (size_t)(column - e->first[i]);
}

// Tile (i, j) of A - L L', with the columns of L before those of j. Columns are subtracted in their order,
// lane by lane, so that every target gives the same bits.
WIDE_INLINE Tile subtract_products(const Envelope* e, int i, int j)
{
    int from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
    const double *here = at(e, i, from), *there = at(e, j, from), *own = at(e, i, 4 * j);
    Tile t = {{wide_load(own), wide_load(own + 4), wide_load(own + 8), wide_load(own + 12)}};
    for (int c = from; c < 4 * j; c++, here += 4, there += 4) {
        CordWide a = wide_load(here);
        t.column[0] -= a * wide_set(there[0]);
        t.column[1] -= a * wide_set(there[1]);
        t.column[2] -= a * wide_set(there[2]);
        t.column[3] -= a * wide_set(there[3]);
    }
    return t;
}

// Stores T L_jj'^-1.
WIDE_INLINE void divide_by_square(const Envelope* e, int j, Tile t, double* out)
{
    const double* l = at(e, j, 4 * j);
    for (int b = 0; b < 4; b++) {
        for (int k = 0; k < b; k++) {
            t.column[b] -= t.column[k] * wide_set(l[4 * k + b]);
        }
        t.column[b] *= wide_set(l[4 * b + b]);
        wide_store(out + 4 * b, t.column[b]);
    }
}

// Cholesky factor of a diagonal square, with zeros above the diagonal. Returns the row whose pivot is not
// positive, or -1.
static int factor_square(double* l)
{
    for (int b = 0; b < 4; b++) {
        for (int a = 0; a < 4; a++) {
            double sum = l[4 * b + a];
            for (int k = 0; k < b; k++) {
                sum -= l[4 * k + a] * l[4 * k + b];
            }
            l[4 * b + a] = a < b ? 0.0 : sum;
        }
        double pivot = l[4 * b + b];
        if (!(pivot > 0.0 && pivot <= DBL_MAX)) {
            return b;
        }
        double inverse = 1.0 / sqrt(pivot);
        for (int a = b + 1; a < 4; a++) {
            l[4 * b + a] *= inverse;
        }
        l[4 * b + b] = inverse;
    }
    return -1;
}

static int factor(const Envelope* e)
{
    for (int i = 0; i < e->rows / 4; i++) {
        for (int j = e->first[i] / 4; j <= i; j++) {
            double* out = e->l + (at(e, i, 4 * j) - e->l);
            Tile t = subtract_products(e, i, j);
            if (j < i) {
                divide_by_square(e, j, t, out);
                continue;
            }
            for (int b = 0; b < 4; b++) {
                wide_store(out + 4 * b, t.column[b]);
            }
            int bad = factor_square(out);
            if (bad >= 0) {
                return 4 * i + bad;
            }
        }
    }
    return -1;
}

// Four columns at a time, each with a sum of its own.
static void forward(const Envelope* e, int i, double* x)
{
    const double *l = at(e, i, e->first[i]), *y = x + e->first[i];
    double* own = x + 4 * i;
    CordWide sum[4] = {wide_load(own), wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    for (int c = e->first[i]; c < 4 * i; c += 4, l += 16, y += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] -= wide_load(l + 4 * k) * wide_set(y[k]);
        }
    }
    wide_store(own, (sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (int b = 0; b < 4; b++) {
        own[b] *= l[4 * b + b];
        for (int a = b + 1; a < 4; a++) {
            own[a] -= l[4 * b + a] * own[b];
        }
    }
}

static void backward(const Envelope* e, int i, double* x)
{
    const double* l = at(e, i, 4 * i);
    double* own = x + 4 * i;
    for (int b = 3; b >= 0; b--) {
        for (int a = b + 1; a < 4; a++) {
            own[b] -= l[4 * b + a] * own[a];
        }
        own[b] *= l[4 * b + b];
    }
    l = at(e, i, e->first[i]);
    for (int c = e->first[i]; c < 4 * i; c++, l += 4) {
        x[c] -= (l[0] * own[0] + l[1] * own[1]) + (l[2] * own[2] + l[3] * own[3]);
    }
}

// Reading a large L takes most of the time, so all right-hand sides pass through its rows together.
static void solve(const Envelope* e, int count, double* x)
{
    for (int i = 0; i < e->rows / 4; i++) {
        for (int k = 0; k < count; k++) {
            forward(e, i, x + (size_t)k * (size_t)e->rows);
        }
    }
    for (int i = e->rows / 4 - 1; i >= 0; i--) {
        for (int k = 0; k < count; k++) {
            backward(e, i, x + (size_t)k * (size_t)e->rows);
        }
    }
}

const EnvelopeKernels KERNEL(envelope_kernels) = {.factor = factor, .solve = solve};
