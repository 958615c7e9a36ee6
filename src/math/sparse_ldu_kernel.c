#include "math/sparse_ldu_kernel.h"

#include "math/wide.h"

#include <stdbool.h>

// A row of a block with its padding.
typedef struct Row {
    CordWide w[2];
} Row;

WIDE_INLINE Row row_load(const double* p, int wides)
{
    return (Row){{wide_load(p), wides == 2 ? wide_load(p + 4) : wide_set(0.0)}};
}

WIDE_INLINE void row_store(double* p, Row a, int wides)
{
    wide_store(p, a.w[0]);
    if (wides == 2) {
        wide_store(p + 4, a.w[1]);
    }
}

WIDE_INLINE Row row_subtract(Row a, double l, Row b, int wides) // a - l b
{
    a.w[0] -= wide_set(l) * b.w[0];
    if (wides == 2) {
        a.w[1] -= wide_set(l) * b.w[1];
    }
    return a;
}

WIDE_INLINE Row row_after(Row a, int k, int wides) // zero up to column k
{
    a.w[0] = wide_select(wide_first(k + 1), wide_set(0.0), a.w[0]);
    if (wides == 2) {
        a.w[1] = wide_select(wide_first(k + 1 - 4), wide_set(0.0), a.w[1]);
    }
    return a;
}

WIDE_INLINE void factor_rows(Block a, double* inv, int wides)
{
    const int stride = 4 * wides;
    for (int k = 0; k < a.rows; k++) {
        double pivot = 1.0 / a.values[k * stride + k];
        Row u = row_after(row_load(a.values + k * stride, wides), k, wides);
        inv[k] = pivot;
        for (int i = k + 1; i < a.rows; i++) {
            double* x = a.values + i * stride;
            double l = x[k] * pivot;
            row_store(x, row_subtract(row_load(x, wides), l, u, wides), wides);
            x[k] = l;
        }
    }
}

WIDE_INLINE void divide_left_rows(Block a, Block x, int wides)
{
    const int stride = 4 * wides;
    for (int i = 1; i < x.rows; i++) {
        Row sum = row_load(x.values + i * stride, wides);
        for (int k = 0; k < i; k++) {
            sum =
                row_subtract(sum, a.values[i * a.stride + k], row_load(x.values + k * stride, wides), wides);
        }
        row_store(x.values + i * stride, sum, wides);
    }
}

WIDE_INLINE void divide_right_rows(Block a, const double* inv, Block x, int wides)
{
    const int stride = 4 * wides;
    for (int k = 0; k < a.rows; k++) {
        Row u = row_after(row_load(a.values + k * stride, wides), k, wides);
        for (int i = 0; i < x.rows; i++) {
            double* y = x.values + i * stride;
            double l = y[k] * inv[k];
            row_store(y, row_subtract(row_load(y, wides), l, u, wides), wides);
            y[k] = l;
        }
    }
}

WIDE_INLINE void subtract_rows(Block c, Block x, Block y, int wides)
{
    const int stride = 4 * wides;
    for (int i = 0; i < c.rows; i++) {
        Row sum = row_load(c.values + i * stride, wides);
        for (int k = 0; k < y.rows; k++) {
            sum =
                row_subtract(sum, x.values[i * x.stride + k], row_load(y.values + k * stride, wides), wides);
        }
        row_store(c.values + i * stride, sum, wides);
    }
}

WIDE_INLINE void add_outer_rows(Block a, double scale, const double* left, const double* right, int wides)
{
    const int stride = 4 * wides;
    Row u = row_load(right, wides);
    for (int i = 0; i < a.rows; i++) {
        double* x = a.values + i * stride;
        row_store(x, row_subtract(row_load(x, wides), -(scale * left[i]), u, wides), wides);
    }
}

WIDE_INLINE void add_outers_rows(Block a, int rank, const double* left, const double* right, int wides)
{
    for (int i = 0; i < a.rows; i++) {
        double* x = a.values + i * a.stride;
        Row sum = row_load(x, wides);
        for (int k = 0; k < rank; k++) {
            sum = row_subtract(sum, -left[k * SPARSE_LDU_MAX_SIZE + i],
                               row_load(right + k * SPARSE_LDU_MAX_SIZE, wides), wides);
        }
        row_store(x, sum, wides);
    }
}

// ---- blocks of 4 x 4, as rods have them: the same arithmetic in the same order, with all rows in registers

WIDE_INLINE bool is_four(Block a)
{
    return a.rows == WIDE_LANES && a.stride == WIDE_LANES;
}

WIDE_INLINE void divide_left_four(const double* a, double* x)
{
    CordWide row[4] = {wide_load(x), wide_load(x + 4), wide_load(x + 8), wide_load(x + 12)};
    for (int i = 1; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            row[i] -= wide_set(a[4 * i + k]) * row[k];
        }
        wide_store(x + 4 * i, row[i]);
    }
}

WIDE_INLINE void divide_right_four(const double* a, const double* inv, double* x)
{
    CordWide u[4];
    for (int k = 0; k < 4; k++) {
        u[k] = wide_select(wide_first(k + 1), wide_set(0.0), wide_load(a + 4 * k));
    }
    for (int i = 0; i < 4; i++) {
        CordWide row = wide_load(x + 4 * i);
        for (int k = 0; k < 4; k++) {
            double l = row[k] * inv[k];
            row -= wide_set(l) * u[k];
            row[k] = l;
        }
        wide_store(x + 4 * i, row);
    }
}

WIDE_INLINE void subtract_four(double* c, const double* x, const double* y)
{
    CordWide row[4] = {wide_load(y), wide_load(y + 4), wide_load(y + 8), wide_load(y + 12)};
    for (int i = 0; i < 4; i++) {
        CordWide sum = wide_load(c + 4 * i);
        for (int k = 0; k < 4; k++) {
            sum -= wide_set(x[4 * i + k]) * row[k];
        }
        wide_store(c + 4 * i, sum);
    }
}

// ---- blocks of 5 x 5, as inextensible rods have them

WIDE_INLINE bool is_five(Block a)
{
    return a.rows == 5 && a.stride == 2 * WIDE_LANES;
}

WIDE_INLINE void subtract_five(double* c, const double* x, const double* y)
{
    Row row[5];
    for (int k = 0; k < 5; k++) {
        row[k] = row_load(y + 8 * k, 2);
    }
    for (int i = 0; i < 5; i++) {
        Row sum = row_load(c + 8 * i, 2);
        for (int k = 0; k < 5; k++) {
            sum = row_subtract(sum, x[8 * i + k], row[k], 2);
        }
        row_store(c + 8 * i, sum, 2);
    }
}

// ---- a block row of 4 x 4

// An upper block is followed by its lower one.
#define LOWER 16

static void eliminate_four(SparseLdu* b, int p, double* inv)
{
    double *values = b->values, *square = values + b->square[p];
    factor_rows((Block){square, 4, 4}, inv, 1);
    int first = b->first[p], end = b->first[p + 1];
    for (int e = first; e < end; e++) {
        divide_left_four(square, values + b->edge[e]);
        divide_right_four(square, inv, values + b->edge[e] + LOWER);
    }
    for (int e = first; e < end; e++) {
        int q = b->later[e];
        const double *upper = values + b->edge[e], *lower = upper + LOWER;
        subtract_four(values + b->square[q], lower, upper);
        for (int f = b->first[q], d = e + 1; d < end; d++) {
            while (b->later[f] < b->later[d]) {
                f++;
            }
            double* to = values + b->edge[f];
            const double* from = values + b->edge[d];
            subtract_four(to, lower, from);
            subtract_four(to + LOWER, from + LOWER, upper);
        }
    }
}

// ---- blocks of any size

// The number of SIMD values in a row is a constant in either branch.
#define BY_STRIDE(call, stride, ...) ((stride) == WIDE_LANES ? call(__VA_ARGS__, 1) : call(__VA_ARGS__, 2))

static void factor(Block a, double* inv)
{
    BY_STRIDE(factor_rows, a.stride, a, inv);
}

static void divide_left(Block a, Block x)
{
    if (is_four(x)) {
        divide_left_four(a.values, x.values);
    } else {
        BY_STRIDE(divide_left_rows, x.stride, a, x);
    }
}

static void divide_right(Block a, const double* inv, Block x)
{
    if (is_four(x) && is_four(a)) {
        divide_right_four(a.values, inv, x.values);
    } else {
        BY_STRIDE(divide_right_rows, x.stride, a, inv, x);
    }
}

static void subtract(Block c, Block x, Block y)
{
    if (is_four(c) && is_four(y)) {
        subtract_four(c.values, x.values, y.values);
    } else if (is_five(c) && is_five(y)) {
        subtract_five(c.values, x.values, y.values);
    } else {
        BY_STRIDE(subtract_rows, c.stride, c, x, y);
    }
}

static void add_outer(Block a, double scale, const double* left, const double* right)
{
    BY_STRIDE(add_outer_rows, a.stride, a, scale, left, right);
}

static void add_outers(Block a, int columns, int rank, const double* left, const double* right)
{
    if (columns <= WIDE_LANES) {
        add_outers_rows(a, rank, left, right, 1);
    } else {
        add_outers_rows(a, rank, left, right, 2);
    }
}

const SparseLduKernels KERNEL(sparse_ldu_kernels) = {.factor = factor,
                                                     .divide_left = divide_left,
                                                     .divide_right = divide_right,
                                                     .subtract = subtract,
                                                     .eliminate_four = eliminate_four,
                                                     .add_outer = add_outer,
                                                     .add_outers = add_outers};
