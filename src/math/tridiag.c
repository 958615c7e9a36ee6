#include "math/tridiag.h"

#include <math.h>

#define SINGULAR 1e-11 // a pivot over its diagonal entry; a chain of n links has 1 / n or more

// A row that depends on those eliminated before it, to round-off, has no pivot, nor has one that is no
// number. Its unknown becomes zero, and the others solve the rows that are left.
static double inverse_pivot(double pivot, double entry, bool* singular)
{
    if (!(fabs(pivot) > SINGULAR * fabs(entry))) {
        *singular = true;
        return 0.0;
    }
    return 1.0 / pivot;
}

// Eliminates rows 0 .. m-1 downwards and n-1 .. m+1 upwards; both meet at row m. Afterwards diag holds
// inverse pivots; upper[i] above m and lower[j] below it hold the coefficient of the neighbour nearer to m
// over the pivot.
static bool factor_open(double* lower, double* diag, double* upper, int n)
{
    int m = n / 2;
    int i = 0, j = n - 1;
    double before = diag[0], after = diag[j], middle = diag[m]; // entries of rows i, j and m
    bool singular = false;
    while (i < m || j > m) {
        if (i < m) {
            double inv = inverse_pivot(diag[i], before, &singular);
            before = diag[i + 1];
            diag[i] = inv;
            diag[i + 1] -= lower[i + 1] * upper[i] * inv;
            upper[i] *= inv;
            i++;
        }
        if (j > m) {
            double inv = inverse_pivot(diag[j], after, &singular);
            after = diag[j - 1];
            diag[j] = inv;
            diag[j - 1] -= upper[j - 1] * lower[j] * inv;
            lower[j] *= inv;
            j--;
        }
    }
    diag[m] = inverse_pivot(diag[m], middle, &singular);
    return !singular;
}

static void solve_open(const double* lower, const double* diag, const double* upper, int n, double* r)
{
    int m = n / 2;           // as many rows above it as below, or one more
    double a = 0.0, b = 0.0; // the last unknown eliminated on each side, over its pivot
    int i = 1, j = n - 2;
    if (m > 0) {
        r[0] = a = r[0] * diag[0];
    }
    if (m < n - 1) {
        r[n - 1] = b = r[n - 1] * diag[n - 1];
    }
    for (; j > m; i++, j--) {
        a = (r[i] - lower[i] * a) * diag[i];
        r[i] = a;
        b = (r[j] - upper[j] * b) * diag[j];
        r[j] = b;
    }
    if (i < m) {
        a = (r[i] - lower[i] * a) * diag[i];
        r[i] = a;
    }
    double x = r[m];
    x -= m > 0 ? lower[m] * a : 0.0;
    x -= m < n - 1 ? upper[m] * b : 0.0;
    x *= diag[m];
    r[m] = x;
    a = x, b = x;
    i = m - 1, j = m + 1;
    for (; i >= 0 && j < n; i--, j++) {
        a = r[i] - upper[i] * a;
        r[i] = a;
        b = r[j] - lower[j] * b;
        r[j] = b;
    }
    for (; i >= 0; i--) {
        a = r[i] - upper[i] * a;
        r[i] = a;
    }
    for (; j < n; j++) {
        b = r[j] - lower[j] * b;
        r[j] = b;
    }
}

bool tridiag_factor(Tridiag* t)
{
    int n = t->n;
    if (!t->cyclic || n < 3) {
        return factor_open(t->lower, t->diag, t->upper, n);
    }
    // The first n - 1 rows are open, bordered by one column and one row.
    int k = n - 1;
    for (int i = 0; i < k; i++) {
        t->border[i] = 0.0;
    }
    t->border[0] += t->lower[0];
    t->border[k - 1] += t->upper[k - 1];
    t->to_last[0] = t->upper[k];
    t->to_last[1] = t->lower[k];
    bool singular = !factor_open(t->lower, t->diag, t->upper, k);
    solve_open(t->lower, t->diag, t->upper, k, t->border);
    double last = t->diag[k] - t->to_last[0] * t->border[0] - t->to_last[1] * t->border[k - 1];
    t->last_inv = inverse_pivot(last, t->diag[k], &singular);
    return !singular;
}

void tridiag_solve(const Tridiag* t, double* r)
{
    int n = t->n;
    if (!t->cyclic || n < 3) {
        solve_open(t->lower, t->diag, t->upper, n, r);
        return;
    }
    int k = n - 1;
    solve_open(t->lower, t->diag, t->upper, k, r);
    double last = (r[k] - t->to_last[0] * r[0] - t->to_last[1] * r[k - 1]) * t->last_inv;
    for (int i = 0; i < k; i++) {
        r[i] -= t->border[i] * last;
    }
    r[k] = last;
}

// Elimination leaves a row without a pivot where y times the rows vanishes, with y = 1 there and the rest of
// y from that row back to where elimination began. Takes share weight y off r, and adds up y r and weight y y
// before that.
static void combine(const Tridiag* t, const double* weight, int row, int way, double share, double* r,
                    double* product, double* square)
{
    double y = 1.0;
    for (int i = row + way; 0 <= i && i < t->n; i += way) {
        y *= -(way < 0 ? t->lower[i + 1] : t->upper[i - 1]) * t->diag[i];
        *product += y * r[i], *square += weight[i] * y * y;
        r[i] -= share * weight[i] * y;
    }
}

void tridiag_share(const Tridiag* t, const double* weight, double* r)
{
    int m = t->n / 2;
    for (int row = 0; row < t->n && !t->cyclic; row++) {
        double share = 0.0;
        for (int pass = 0; pass < 2 && t->diag[row] == 0.0; pass++) {
            double product = r[row], square = weight[row];
            r[row] -= share * weight[row];
            if (row <= m) {
                combine(t, weight, row, -1, share, r, &product, &square);
            }
            if (row >= m) {
                combine(t, weight, row, 1, share, r, &product, &square);
            }
            share = product / square;
        }
    }
}
