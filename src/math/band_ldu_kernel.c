#include "math/band_ldu_kernel.h"

#include "math/wide.h"

#include <stdbool.h>

#define MOST_GROUPS (BAND_LDU_MAX_HALF / 4)
#define MOST_WIDES (BAND_LDU_MAX_BORDER / 4)

// The shape of a matrix, a compile-time constant in the kernels for common shapes.
typedef struct Shape {
    int half;
    int groups; // groups of four columns on either side
    int wides;  // SIMD values in a row of the border
    bool symmetric;
} Shape;

WIDE_INLINE int row_step(Shape z) // from A[i][j] to A[i+1][j]
{
    return 8 * z.groups + 4;
}

WIDE_INLINE void transpose(CordWide a[4])
{
    CordWide p = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
             q = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    CordWide r = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
             s = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    a[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    a[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    a[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    a[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// The diagonal square of four pivots, L D U.
typedef struct Square {
    CordWide l[4][4]; // L below the diagonal; all lanes are equal, as in u and inv
    CordWide u[4][4]; // D U above it
    CordWide inv[4];  // 1 / D
} Square;

// Each pivot waits for the division by the one before. The order of operations keeps all else out of that
// chain.
WIDE_INLINE void square_factor(Square* f, const double* d, int step, bool symmetric)
{
    const double *d1 = d + step, *d2 = d + 2 * step, *d3 = d + 3 * step;
    double u01 = d[1], u02 = d[2], u03 = d[3];
    double c10 = symmetric ? u01 : d1[0], c20 = symmetric ? u02 : d2[0], c30 = symmetric ? u03 : d3[0];
    double i0 = 1.0 / d[0];
    double l10 = c10 * i0, l20 = c20 * i0, l30 = c30 * i0;
    double u12 = d1[2] - l10 * u02, u13 = d1[3] - l10 * u03;
    double c21 = symmetric ? u12 : d2[1] - l20 * u01, c31 = symmetric ? u13 : d3[1] - l30 * u01;
    double i1 = 1.0 / (d1[1] - c10 * u01 * i0);
    double l21 = c21 * i1, l31 = c31 * i1;
    double u23 = d2[3] - l20 * u03 - l21 * u13;
    double c32 = symmetric ? u23 : d3[2] - l30 * u02 - l31 * u12;
    double i2 = 1.0 / (d2[2] - l20 * u02 - c21 * u12 * i1);
    double l32 = c32 * i2;
    double i3 = 1.0 / (d3[3] - l30 * u03 - l31 * u13 - c32 * u23 * i2);
    f->l[1][0] = wide_set(l10), f->l[2][0] = wide_set(l20), f->l[2][1] = wide_set(l21),
    f->l[3][0] = wide_set(l30), f->l[3][1] = wide_set(l31), f->l[3][2] = wide_set(l32);
    f->u[0][1] = wide_set(u01), f->u[0][2] = wide_set(u02), f->u[0][3] = wide_set(u03),
    f->u[1][2] = wide_set(u12), f->u[1][3] = wide_set(u13), f->u[2][3] = wide_set(u23);
    f->inv[0] = wide_set(i0), f->inv[1] = wide_set(i1), f->inv[2] = wide_set(i2), f->inv[3] = wide_set(i3);
}

WIDE_INLINE void square_store(Shape z, const Square* f, double* d)
{
    const int step = row_step(z);
    for (int s = 0; s < 4; s++) {
        for (int p = 0; p < s; p++) {
            d[s * step + p] = f->l[s][p][0];
            d[p * step + s] = z.symmetric ? f->l[s][p][0] : f->u[p][s][0] * f->inv[p][0];
        }
    }
}

// x becomes L^-1 x (four rows).
WIDE_INLINE void square_rows(const Square* f, CordWide x[4])
{
    for (int s = 1; s < 4; s++) {
        for (int p = 0; p < s; p++) {
            x[s] -= f->l[s][p] * x[p];
        }
    }
}

// x becomes x (D U)^-1 (four columns).
WIDE_INLINE void square_columns(const Square* f, CordWide x[4])
{
    for (int s = 0; s < 4; s++) {
        for (int p = 0; p < s; p++) {
            x[s] -= f->u[p][s] * x[p];
        }
        x[s] *= f->inv[s];
    }
}

WIDE_INLINE void square_divide(const Square* f, CordWide x[4])
{
    for (int s = 0; s < 4; s++) {
        x[s] *= f->inv[s];
    }
}

// Group g of the rows and columns that follow the pivots k .. k + 3: u gets its part of their rows of D U,
// and its part of their columns of L is stored where elimination has emptied the row. d is A[k][k].
WIDE_INLINE void panel(Shape z, const Square* f, double* d, CordWide u[][4], int g)
{
    const int step = row_step(z);
    CordWide l[4];
    for (int s = 0; s < 4; s++) {
        u[g][s] = wide_load(d + s * step + 4 * (g + 1));
    }
    square_rows(f, u[g]);
    if (z.symmetric) {
        memcpy(l, u[g], sizeof l);
        square_divide(f, l);
    } else {
        for (int t = 0; t < 4; t++) {
            l[t] = wide_load(d + (4 * (g + 1) + t) * step);
        }
        transpose(l);
        square_columns(f, l);
    }
    for (int s = 0; s < 4; s++) {
        wide_store(d + s * step + 4 * (g - z.groups), l[s]);
    }
}

// Stores U, transposed: D U over D, or L in a symmetric matrix.
WIDE_INLINE void store_upper(Shape z, const Square* f, double* d, CordWide u[][4], int g)
{
    const int step = row_step(z);
    CordWide x[4];
    for (int s = 0; s < 4; s++) {
        x[s] = z.symmetric ? wide_load(d + s * step + 4 * (g - z.groups)) : u[g][s] * f->inv[s];
    }
    transpose(x);
    for (int s = 0; s < 4; s++) {
        wide_store(d + s * step + 4 * (g + 1), x[s]);
    }
}

// Subtracts L D U of the four pivots from row k + 4 + t, in the groups of columns from `from` on. The first
// pivots do not reach the last three rows of the band.
WIDE_INLINE void update_row(Shape z, double* d, CordWide u[][4], int t, int from)
{
    const int step = row_step(z), past = t - (z.half - 4), first = past > 0 ? past : 0;
    const double* l = d - 4 * z.groups + t;
    double* x = d + (4 + t) * step + 4;
    for (int g = from; g < z.groups; g++) {
        CordWide a = wide_load(x + 4 * g);
        for (int s = first; s < 4; s++) {
            a -= wide_set(l[s * step]) * u[g][s];
        }
        wide_store(x + 4 * g, a);
    }
}

// Updates the rows of group g; in a symmetric matrix, from their own diagonal square on.
WIDE_INLINE void update_rows(Shape z, double* d, CordWide u[][4], int g)
{
    const int from = z.symmetric ? g : 0;
    update_row(z, d, u, 4 * g, from);
    update_row(z, d, u, 4 * g + 1, from);
    update_row(z, d, u, 4 * g + 2, from);
    update_row(z, d, u, 4 * g + 3, from);
}

// The border: stores the rows of U of the four pivots in col and their columns of L in row, and subtracts L D
// U from the rows that follow and from the corner. In a symmetric matrix row is written for the pivots alone.
WIDE_INLINE void border_four(const BandLdu* b, Shape z, const Square* f, const double* d, CordWide u[][4],
                             int k)
{
    const int step = row_step(z), width = 4 * z.wides, reach = z.half < 4 * z.groups ? z.half : 4 * z.groups;
    double *col = b->col + (ptrdiff_t)k * width, *row = b->row + (ptrdiff_t)k * width;
    double upper[4 * MOST_GROUPS][4];
    for (int g = 0; g < z.groups; g++) {
        CordWide by_column[4] = {u[g][0], u[g][1], u[g][2], u[g][3]};
        transpose(by_column);
        for (int t = 0; t < 4; t++) {
            wide_store(upper[4 * g + t], by_column[t]);
        }
    }
    for (int w = 0; w < width; w += 4) {
        CordWide c[4], m[4];
        for (int s = 0; s < 4; s++) {
            c[s] = wide_load(col + s * width + w);
            m[s] = wide_load(row + s * width + w);
        }
        square_rows(f, c);
        if (z.symmetric) {
            memcpy(m, c, sizeof m);
            square_divide(f, m);
        } else {
            square_columns(f, m);
        }
        for (int s = 0; s < 4; s++) {
            wide_store(col + s * width + w, c[s]);
            wide_store(row + s * width + w, m[s]);
        }
        for (int t = 0; t < reach; t++) {
            const double* l = d - 4 * z.groups + t;
            double *x = col + (4 + t) * width + w, *y = row + (4 + t) * width + w;
            CordWide below = wide_load(x), right = wide_load(y);
            for (int s = 0; s < 4; s++) {
                below -= wide_set(l[s * step]) * c[s];
                right -= wide_set(upper[t][s]) * m[s];
            }
            wide_store(x, below);
            if (!z.symmetric) {
                wide_store(y, right);
            }
        }
    }
    for (int w = 0; w < width; w += 4) {
        CordWide c[4];
        for (int s = 0; s < 4; s++) {
            c[s] = wide_load(col + s * width + w);
        }
        for (int i = 0; i < b->border; i++) {
            CordWide x = wide_load(b->corner + i * width + w);
            for (int s = 0; s < 4; s++) {
                x -= wide_set(row[s * width + i]) * c[s];
            }
            wide_store(b->corner + i * width + w, x);
        }
        square_divide(f, c);
        for (int s = 0; s < 4; s++) {
            wide_store(col + s * width + w, c[s]);
        }
    }
}

// Where column k + s of L stores row i; k is the first of the four.
static inline double* lower_at(const BandLdu* b, int k, int s, int i)
{
    const ptrdiff_t step = b->stride - 1;
    return i < k + 4 ? b->a + i * step + (k + s) : b->a + (k + s) * step + (i - 4 - 4 * b->groups);
}

static void border_single(const BandLdu* b, bool symmetric, int p)
{
    const int width = b->border_stride, last = band_ldu_last(b, p);
    double *col = b->col + (ptrdiff_t)p * width, *row = b->row + (ptrdiff_t)p * width;
    for (int c = 0; c < b->border; c++) {
        double m = (symmetric ? col[c] : row[c]) * b->inv[p];
        row[c] = m;
        for (int j = p + 1; j <= last && !symmetric; j++) {
            row[(j - p) * width + c] -= m * *band_ldu_at(b, p, j);
        }
        for (int e = 0; e < b->border; e++) {
            b->corner[c * width + e] -= m * col[e];
        }
    }
}

// One pivot k + s of the last, incomplete group of four.
static void factor_single(const BandLdu* b, bool symmetric, int k, int s)
{
    const int p = k + s, width = b->border_stride, last = band_ldu_last(b, p);
    double *u = band_ldu_at(b, p, p), *col = b->col + (ptrdiff_t)p * width;
    double inv = 1.0 / u[0];
    b->inv[p] = inv;
    for (int i = p + 1; i <= last; i++) {
        double l = (symmetric ? u[i - p] : *band_ldu_at(b, i, p)) * inv;
        double* x = band_ldu_at(b, i, p);
        for (int j = symmetric ? i : p + 1; j <= last; j++) {
            x[j - p] -= l * u[j - p];
        }
        for (int c = 0; c < b->border; c++) {
            col[(i - p) * width + c] -= l * col[c];
        }
        *lower_at(b, k, s, i) = l;
    }
    border_single(b, symmetric, p);
    for (int j = p + 1; j <= last; j++) {
        u[j - p] *= inv;
    }
    for (int c = 0; c < b->border; c++) {
        col[c] *= inv;
    }
}

// This and update_later unroll three groups, the common case, so that u stays in registers.
WIDE_INLINE void panels(Shape z, const Square* f, double* d, CordWide u[][4])
{
    panel(z, f, d, u, 0);
    if (z.groups == 3) {
        panel(z, f, d, u, 1);
        panel(z, f, d, u, 2);
        return;
    }
    for (int g = 1; g < z.groups; g++) {
        panel(z, f, d, u, g);
    }
}

WIDE_INLINE void update_later(Shape z, double* d, CordWide u[][4])
{
    if (z.groups == 3) {
        update_rows(z, d, u, 1);
        update_rows(z, d, u, 2);
        return;
    }
    for (int g = 1; g < z.groups; g++) {
        update_rows(z, d, u, g);
    }
}

// The next square is factored as soon as its rows are ready. Its divisions wait for each other, and the rest
// of the update fills that time.
WIDE_INLINE void factor(const BandLdu* b, Shape z, int from, int to)
{
    const int step = row_step(z);
    double* a = b->a;
    Square squares[2];
    int k = from;
    if (k + 4 <= to) {
        square_factor(&squares[k / 4 % 2], a + (ptrdiff_t)k * step + k, step, z.symmetric);
    }
    for (; k + 4 <= to; k += 4) {
        double* d = a + (ptrdiff_t)k * step + k;
        const Square* f = &squares[k / 4 % 2];
        CordWide u[MOST_GROUPS][4];
        panels(z, f, d, u);
        update_rows(z, d, u, 0);
        if (k + 8 <= to) {
            square_factor(&squares[(k / 4 + 1) % 2], d + 4 * step + 4, step, z.symmetric);
        }
        update_later(z, d, u);
        if (z.wides > 0) {
            border_four(b, z, f, d, u, k);
        }
        for (int g = 0; g < z.groups; g++) {
            store_upper(z, f, d, u, g);
        }
        square_store(z, f, d);
        for (int s = 0; s < 4; s++) {
            b->inv[k + s] = f->inv[s][0];
        }
    }
    for (int s = 0; k + s < to; s++) {
        factor_single(b, z.symmetric, k, s);
    }
}

// x becomes L^-1 x for a square L with these entries below its diagonal. The product with L^-1, most of which
// does not wait for x, takes half the time of substitution, in which each unknown waits for the one before.
WIDE_INLINE void square_solve(double x[4], double l10, double l20, double l21, double l30, double l31,
                              double l32)
{
    double m20 = l21 * l10 - l20, m31 = l32 * l21 - l31, m30 = (l31 * l10 - l30) - l32 * m20;
    double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    x[1] = x1 - l10 * x0;
    x[2] = (x2 - l21 * x1) + m20 * x0;
    x[3] = (x3 - l32 * x2) + (m31 * x1 + m30 * x0);
}

// Eliminates four unknowns from a right-hand side. x is r[k].
WIDE_INLINE void forward_four(Shape z, const double* d, double* x)
{
    const int step = row_step(z);
    const double *d1 = d + step, *d2 = d + 2 * step, *d3 = d + 3 * step;
    double y[4] = {x[0], x[1], x[2], x[3]};
    square_solve(y, d1[0], d2[0], d2[1], d3[0], d3[1], d3[2]);
    for (int g = 0; g < z.groups; g++) {
        const double* l = d + 4 * (g - z.groups);
        CordWide t0 = wide_set(y[0]) * wide_load(l), t1 = wide_set(y[1]) * wide_load(l + step);
        CordWide t2 = wide_set(y[2]) * wide_load(l + 2 * step), t3 = wide_set(y[3]) * wide_load(l + 3 * step);
        wide_store(x + 4 * (g + 1), ((wide_load(x + 4 * (g + 1)) - t0) - t1) - (t2 + t3));
    }
    memcpy(x, y, sizeof y);
}

WIDE_INLINE void forward_border(const BandLdu* b, Shape z, int k, int count, const double* x,
                                CordWide border[])
{
    for (int s = 0; s < count; s++) {
        for (int w = 0; w < z.wides; w++) {
            border[w] -= wide_set(x[s]) * wide_load(b->row + (ptrdiff_t)(k + s) * 4 * z.wides + 4 * w);
        }
    }
}

// Solves for four unknowns once those of the groups that follow are known.
WIDE_INLINE void backward_four(const BandLdu* b, Shape z, int k, const double* d, double* x,
                               const CordWide border[])
{
    const int step = row_step(z);
    CordWide y = wide_load(x) * wide_load(b->inv + k), part[4];
    for (int w = 0; w < z.wides; w++) {
        CordWide c[4];
        for (int s = 0; s < 4; s++) {
            c[s] = wide_load(b->col + (ptrdiff_t)(k + s) * 4 * z.wides + 4 * w) * border[w];
        }
        transpose(c);
        y -= (c[0] + c[1]) + (c[2] + c[3]);
    }
    for (int g = z.groups; g > 0; g--) {
        for (int s = 0; s < 4; s++) {
            part[s] = wide_set(x[4 * g + s]) * wide_load(d + s * step + 4 * g);
        }
        y = ((y - part[3]) - part[2]) - (part[1] + part[0]);
    }
    const double *d1 = d + step, *d2 = d + 2 * step;
    double back[4] = {y[3], y[2], y[1], y[0]};
    square_solve(back, d2[3], d1[3], d1[2], d[3], d[2], d[1]);
    for (int s = 0; s < 4; s++) {
        x[s] = back[3 - s];
    }
}

// The kernels work on whole groups, so the last unknowns pass through a buffer that is padded.
#define TAIL (8 + 8 * MOST_GROUPS)

typedef struct Tail {
    int start; // groups before it reach no further than r
    size_t size;
    double x[TAIL];
} Tail;

WIDE_INLINE Tail tail_of(const BandLdu* b, Shape z, const double* r)
{
    int room = b->n - 4 * z.groups, most = room < b->pivots ? room : b->pivots;
    Tail t = {.start = most > 0 ? most / 4 * 4 : 0};
    int count = b->n - t.start < TAIL ? b->n - t.start : TAIL;
    t.size = sizeof *r * (size_t)count;
    memcpy(t.x, r + t.start, t.size);
    return t;
}

WIDE_INLINE void forward(const BandLdu* b, Shape z, double* r, double* r_border, int from, int to)
{
    const ptrdiff_t step = row_step(z);
    const int pivots = b->pivots, n = b->n;
    double* a = b->a;
    CordWide border[MOST_WIDES] = {{0}};
    if (z.wides > 0) {
        memcpy(border, r_border, sizeof *r_border * (size_t)b->border);
    }
    int k = from;
    for (; k + 4 <= to && k + 4 + 4 * z.groups <= n; k += 4) {
        forward_four(z, a + k * step + k, r + k);
        forward_border(b, z, k, 4, r + k, border);
    }
    if (to < pivots) {
        return;
    }
    Tail tail = tail_of(b, z, r);
    double* x = tail.x;
    for (; k + 4 <= pivots; k += 4, x += 4) {
        forward_four(z, a + k * step + k, x);
        forward_border(b, z, k, 4, x, border);
    }
    for (int s = 0; k + s < pivots; s++) {
        for (int i = k + s + 1; i <= band_ldu_last(b, k + s); i++) {
            x[i - k] -= *lower_at(b, k, s, i) * x[s];
        }
    }
    forward_border(b, z, k, pivots - k, x, border);
    memcpy(r + tail.start, tail.x, tail.size);
    if (z.wides > 0) {
        memcpy(r_border, border, sizeof *r_border * (size_t)b->border);
    }
}

WIDE_INLINE void backward(const BandLdu* b, Shape z, double* r, const double* x_border)
{
    const ptrdiff_t step = row_step(z);
    const int pivots = b->pivots;
    const double* a = b->a;
    CordWide border[MOST_WIDES] = {{0}};
    if (z.wides > 0) {
        memcpy(border, x_border, sizeof *x_border * (size_t)b->border);
    }
    Tail tail = tail_of(b, z, r);
    int k = pivots / 4 * 4;
    double* x = tail.x + (k - tail.start);
    for (int s = pivots - k - 1; s >= 0; s--) {
        const int p = k + s;
        double y = x[s] * b->inv[p];
        for (int c = 0; c < b->border; c++) {
            y -= b->col[(ptrdiff_t)p * b->border_stride + c] * x_border[c];
        }
        for (int j = p + 1; j <= band_ldu_last(b, p); j++) {
            y -= *band_ldu_at(b, p, j) * x[j - k];
        }
        x[s] = y;
    }
    for (k -= 4, x -= 4; k >= tail.start; k -= 4, x -= 4) {
        backward_four(b, z, k, a + k * step + k, x, border);
    }
    memcpy(r + tail.start, tail.x, tail.size);
    for (; k >= 0; k -= 4) {
        backward_four(b, z, k, a + k * step + k, r + k, border);
    }
}

// Common shapes have kernels in which the shape is a constant. Padding is zero, so any band of two groups can
// be treated as one of blocks of four, and one of three groups, unless of blocks, as one of
// half-bandwidth 12.
WIDE_INLINE void factor_by_shape(const BandLdu* b, bool symmetric, int from, int to)
{
    const int groups = b->groups, wides = b->border_stride / 4;
    const bool three = groups == 3 && b->half <= 12;
    if (groups == 2 && wides == 0) {
        factor(b, (Shape){11, 2, 0, symmetric}, from, to);
    } else if (groups == 2 && wides == 2) {
        factor(b, (Shape){11, 2, 2, symmetric}, from, to);
    } else if (three && wides == 0) {
        factor(b, (Shape){12, 3, 0, symmetric}, from, to);
    } else if (three && wides == 1) {
        factor(b, (Shape){12, 3, 1, symmetric}, from, to);
    } else if (three) {
        factor(b, (Shape){12, 3, 2, symmetric}, from, to);
    } else {
        factor(b, (Shape){b->half, groups, wides, symmetric}, from, to);
    }
}

static void factor_general(const BandLdu* b, int from, int to)
{
    factor_by_shape(b, false, from, to);
}

static void factor_symmetric(const BandLdu* b, int from, int to)
{
    factor_by_shape(b, true, from, to);
}

static void forward_any(const BandLdu* b, double* r, double* r_border, int from, int to)
{
    int groups = b->groups;
    if (groups == 2 && b->border == 0) {
        forward(b, (Shape){b->half, 2, 0, false}, r, r_border, from, to);
    } else if (groups == 3 && b->border == 0) {
        forward(b, (Shape){b->half, 3, 0, false}, r, r_border, from, to);
    } else {
        forward(b, (Shape){b->half, groups, b->border_stride / 4, false}, r, r_border, from, to);
    }
}

static void backward_any(const BandLdu* b, double* r, const double* x_border)
{
    int groups = b->groups;
    if (groups == 2 && b->border == 0) {
        backward(b, (Shape){b->half, 2, 0, false}, r, x_border);
    } else if (groups == 3 && b->border == 0) {
        backward(b, (Shape){b->half, 3, 0, false}, r, x_border);
    } else {
        backward(b, (Shape){b->half, groups, b->border_stride / 4, false}, r, x_border);
    }
}

// Each lane looks at every fourth pivot and keeps the first with the smallest ratio.
static LduPivots pivots_of(const BandLdu* b)
{
    const CordWide one = wide_set(1.0), infinite = wide_set(INFINITY);
    CordWide worst = one, negative = wide_set(0.0), where = wide_set(0.0), index = {0.0, 1.0, 2.0, 3.0};
    for (int i = 0; i < b->pivots; i += WIDE_LANES) {
        CordWide inv = wide_load(b->inv + i), loss = wide_abs(wide_load(b->diag + i) * inv);
        loss = wide_select((CordWideMask)(loss <= infinite), loss, infinite); // NaN counts as a zero pivot
        CordWideMask there = wide_first(b->pivots - i);
        CordWideMask worse = (CordWideMask)(loss > worst) & there;
        worst = wide_select(worse, loss, worst);
        where = wide_select(worse, index, where);
        negative += wide_select((CordWideMask)(inv < wide_set(0.0)) & there, one, wide_set(0.0));
        index += wide_set(4.0);
    }
    LduPivots p = {.negative = (int)wide_sum(negative), .least = worst[0], .where = (int)where[0]};
    for (int k = 1; k < WIDE_LANES; k++) {
        if (worst[k] > p.least || (worst[k] == p.least && worst[k] > 1.0 && (int)where[k] < p.where)) {
            p.least = worst[k], p.where = (int)where[k];
        }
    }
    p.least = 1.0 / p.least;
    p.where = b->pivots > 0 ? p.where : -1;
    return p;
}

const BandLduKernels KERNEL(band_ldu_kernels) = {.factor = factor_general,
                                                 .factor_symmetric = factor_symmetric,
                                                 .forward = forward_any,
                                                 .backward = backward_any,
                                                 .pivots = pivots_of};
