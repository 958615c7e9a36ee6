#include "math/sparse_ldu_kernel.h"

#include "base/assert.h"
#include "math/wide.h"

#include <stdbool.h>

// ---- rows

// A row of a block. `width` is a constant in every call: the row has one SIMD value (4), one and a column
// (5), or two (8), with padding.
typedef struct Row {
    CordWide w[2];
    double last;
} Row;

WIDE_INLINE int stride_of(int width)
{
    return width == 4 ? 4 : 8;
}

WIDE_INLINE Row row_load(const double* p, int width)
{
    CordWide none = wide_set(0.0);
    return (Row){{wide_load(p), width == 8 ? wide_load(p + 4) : none}, width == 5 ? p[4] : 0.0};
}

WIDE_INLINE void row_store(double* p, Row a, int width)
{
    wide_store(p, a.w[0]);
    if (width == 8) {
        wide_store(p + 4, a.w[1]);
    } else if (width == 5) {
        p[4] = a.last;
    }
}

WIDE_INLINE Row row_subtract(Row a, double l, Row b, int width) // a - l b
{
    a.w[0] -= wide_set(l) * b.w[0];
    if (width == 8) {
        a.w[1] -= wide_set(l) * b.w[1];
    } else if (width == 5) {
        a.last -= l * b.last;
    }
    return a;
}

WIDE_INLINE Row row_after(Row a, int k, int width) // zero up to column k
{
    a.w[0] = wide_select(wide_first(k + 1), wide_set(0.0), a.w[0]);
    if (width == 8) {
        a.w[1] = wide_select(wide_first(k + 1 - 4), wide_set(0.0), a.w[1]);
    } else if (width == 5) {
        a.last = k < 4 ? a.last : 0.0;
    }
    return a;
}

// ---- blocks, row-major

// a becomes L below its diagonal and D U on and above it; inv: 1 / D
WIDE_INLINE void factor_rows(double* a, double* inv, int rows, int width)
{
    const int stride = stride_of(width);
    for (int k = 0; k < rows; k++) {
        double pivot = 1.0 / a[k * stride + k];
        Row u = row_after(row_load(a + k * stride, width), k, width);
        inv[k] = pivot;
        for (int i = k + 1; i < rows; i++) {
            double* x = a + i * stride;
            double l = x[k] * pivot;
            row_store(x, row_subtract(row_load(x, width), l, u, width), width);
            x[k] = l;
        }
    }
}

// The same for 4 or 5 rows, with all in registers.
WIDE_INLINE void factor_small(double* a, double* inv, int rows)
{
    const int stride = stride_of(rows);
    double m[5][5];
    for (int i = 0; i < rows * rows; i++) {
        m[i / rows][i % rows] = a[i / rows * stride + i % rows];
    }
    for (int k = 0; k < rows; k++) {
        inv[k] = 1.0 / m[k][k];
        for (int i = k + 1; i < rows; i++) {
            m[i][k] *= inv[k];
            for (int j = k + 1; j < rows; j++) {
                m[i][j] -= m[i][k] * m[k][j];
            }
        }
    }
    for (int i = 0; i < rows * rows; i++) {
        a[i / rows * stride + i % rows] = m[i / rows][i % rows];
    }
}

// x becomes L^-1 x
WIDE_INLINE void divide_left_rows(const double* a, double* x, int rows, int width)
{
    const int stride = stride_of(width), step = sparse_ldu_padded(rows);
    Row row[SPARSE_LDU_MAX_SIZE];
    for (int i = 0; i < rows; i++) {
        row[i] = row_load(x + i * stride, width);
        for (int k = 0; k < i; k++) {
            row[i] = row_subtract(row[i], a[i * step + k], row[k], width);
        }
        row_store(x + i * stride, row[i], width);
    }
}

// x becomes x (D U)^-1
WIDE_INLINE void divide_right_rows(const double* a, const double* inv, double* x, int rows, int columns,
                                   int width)
{
    const int stride = stride_of(width);
    for (int k = 0; k < columns; k++) {
        Row u = row_after(row_load(a + k * stride, width), k, width);
        for (int i = 0; i < rows; i++) {
            double* y = x + i * stride;
            double l = y[k] * inv[k];
            row_store(y, row_subtract(row_load(y, width), l, u, width), width);
            y[k] = l;
        }
    }
}

// The same for 4 or 5 columns, one row.
WIDE_INLINE void divide_right_one(const double* a, const double* inv, double* x, int columns)
{
    for (int k = 0; k < columns; k++) {
        double sum = x[k];
        for (int m = 0; m < k; m++) {
            sum -= x[m] * a[m * stride_of(columns) + k];
        }
        x[k] = sum * inv[k];
    }
}

// Four rows of them at once: a SIMD value has a column.
WIDE_INLINE void divide_right_four(const double* a, const double* inv, double* x, int columns)
{
    const int stride = stride_of(columns);
    CordWide c[5], last = wide_set(0.0);
    for (int i = 0; i < 4; i++) {
        c[i] = wide_load(x + i * stride);
        last[i] = columns == 5 ? x[i * stride + 4] : 0.0;
    }
    wide_transpose(c);
    c[4] = last;
    for (int k = 0; k < columns; k++) {
        for (int m = 0; m < k; m++) {
            c[k] -= c[m] * wide_set(a[m * stride + k]);
        }
        c[k] *= wide_set(inv[k]);
    }
    wide_transpose(c);
    for (int i = 0; i < 4; i++) {
        wide_store(x + i * stride, c[i]);
        if (columns == 5) {
            x[i * stride + 4] = c[4][i];
        }
    }
}

WIDE_INLINE void divide_right_small(const double* a, const double* inv, double* x, int rows, int columns)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        divide_right_four(a, inv, x + i * stride_of(columns), columns);
    }
    for (; i < rows; i++) {
        divide_right_one(a, inv, x + i * stride_of(columns), columns);
    }
}

// c -= x y, where y has `inner` rows
WIDE_INLINE void subtract_rows(double* c, const double* x, const double* y, int rows, int inner, int width)
{
    const int stride = stride_of(width), step = sparse_ldu_padded(inner);
    Row row[SPARSE_LDU_MAX_SIZE];
    for (int k = 0; k < inner; k++) {
        row[k] = row_load(y + k * stride, width);
    }
    for (int i = 0; i < rows; i++) {
        Row sum = row_load(c + i * stride, width);
        for (int k = 0; k < inner; k++) {
            sum = row_subtract(sum, x[i * step + k], row[k], width);
        }
        row_store(c + i * stride, sum, width);
    }
}

// ---- blocks by their sizes

// Rods have 4 unknowns at a node, or 5 with tensions: loops over these have constant bounds.
#define BY_WIDTH(columns, call, ...)                                                                         \
    ((columns) <= 4 ? call(__VA_ARGS__, 4) : (columns) == 5 ? call(__VA_ARGS__, 5) : call(__VA_ARGS__, 8))

static void factor(double* a, double* inv, int rows)
{
    if (rows == 4) {
        factor_small(a, inv, 4);
    } else if (rows == 5) {
        factor_small(a, inv, 5);
    } else {
        BY_WIDTH(rows, factor_rows, a, inv, rows);
    }
}

static void divide_left(const double* a, double* x, int rows, int columns)
{
    if (rows == 4) {
        BY_WIDTH(columns, divide_left_rows, a, x, 4);
    } else if (rows == 5) {
        BY_WIDTH(columns, divide_left_rows, a, x, 5);
    } else {
        BY_WIDTH(columns, divide_left_rows, a, x, rows);
    }
}

static void divide_right(const double* a, const double* inv, double* x, int rows, int columns)
{
    if (columns == 4) {
        divide_right_small(a, inv, x, rows, 4);
    } else if (columns == 5) {
        divide_right_small(a, inv, x, rows, 5);
    } else {
        BY_WIDTH(columns, divide_right_rows, a, inv, x, rows, columns);
    }
}

static void subtract(double* c, const double* x, const double* y, int rows, int inner, int columns)
{
    if (inner == 4) {
        BY_WIDTH(columns, subtract_rows, c, x, y, rows, 4);
    } else if (inner == 5) {
        BY_WIDTH(columns, subtract_rows, c, x, y, rows, 5);
    } else {
        BY_WIDTH(columns, subtract_rows, c, x, y, rows, inner);
    }
}

// ---- elimination

// `all`: the size of all block rows that place p couples, 4; or 0 where they have several.
WIDE_INLINE void subtract_as(int all, double* c, const double* x, const double* y, int rows, int inner,
                             int columns)
{
    if (all > 0) {
        subtract_rows(c, x, y, all, all, all);
    } else {
        subtract(c, x, y, rows, inner, columns);
    }
}

// Any two of the later block rows share an edge.
WIDE_INLINE void eliminate_as(SparseLdu* b, int p, int all)
{
    const int size = b->size[p], first = b->first[p], end = b->first[p + 1];
    double *values = b->values, *square = values + b->square[p], *inv = b->inv + b->offset[b->order[p]];
    factor(square, inv, size);
    for (int e = first; e < end; e++) {
        int other = b->size[b->later[e]];
        divide_left(square, values + b->edge[e], size, other);
        divide_right(square, inv, values + b->edge[e] + size * sparse_ldu_padded(other), other, size);
    }
    for (int e = first; e < end; e++) {
        int q = b->later[e], rows = b->size[q];
        const double *upper = values + b->edge[e], *lower = upper + size * sparse_ldu_padded(rows);
        subtract_as(all, values + b->square[q], lower, upper, rows, size, rows);
        for (int f = b->first[q], d = e + 1; d < end; d++) {
            while (b->later[f] < b->later[d]) {
                f++;
            }
            CORD_ASSERT(b->later[f] == b->later[d]);
            int columns = b->size[b->later[d]], stride = sparse_ldu_padded(columns);
            double* to = values + b->edge[f];
            const double* from = values + b->edge[d];
            subtract_as(all, to, lower, from, rows, size, columns);
            subtract_as(all, to + rows * stride, from + size * stride, upper, columns, size, rows);
        }
    }
}

static bool has_fours(const SparseLdu* b, int p)
{
    bool four = b->size[p] == 4;
    for (int e = b->first[p]; e < b->first[p + 1]; e++) {
        four &= b->size[b->later[e]] == 4;
    }
    return four;
}

static void eliminate(SparseLdu* b, int p)
{
    if (has_fours(b, p)) {
        eliminate_as(b, p, 4);
    } else {
        eliminate_as(b, p, 0);
    }
}

// ---- substitution

// r -= a x, for four rows: SIMD values have columns of a
WIDE_INLINE void subtract_product_four(double* r, const double* a, const double* x, int columns)
{
    const int stride = stride_of(columns);
    CordWide sum = wide_load(r), last = wide_set(0.0), c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = wide_load(a + i * stride);
        last[i] = columns == 5 ? a[i * stride + 4] : 0.0;
    }
    wide_transpose(c);
    for (int k = 0; k < 4; k++) {
        sum -= c[k] * wide_set(x[k]);
    }
    wide_store(r, columns == 5 ? sum - last * wide_set(x[4]) : sum);
}

WIDE_INLINE void subtract_product_rows(double* r, const double* a, const double* x, int rows, int columns)
{
    for (int i = 0; i < rows; i++) {
        const double* v = a + i * sparse_ldu_padded(columns);
        double sum = r[i];
        for (int k = 0; k < columns; k++) {
            sum -= v[k] * x[k];
        }
        r[i] = sum;
    }
}

WIDE_INLINE void subtract_product_small(double* r, const double* a, const double* x, int rows, int columns)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        subtract_product_four(r + i, a + i * stride_of(columns), x, columns);
    }
    subtract_product_rows(r + i, a + i * stride_of(columns), x, rows - i, columns);
}

WIDE_INLINE void subtract_product(double* r, const double* a, const double* x, int rows, int columns)
{
    if (columns == 4) {
        subtract_product_small(r, a, x, rows, 4);
    } else if (columns == 5) {
        subtract_product_small(r, a, x, rows, 5);
    } else {
        subtract_product_rows(r, a, x, rows, columns);
    }
}

static bool is_zero(const double* x, int count)
{
    bool zero = true;
    for (int k = 0; k < count; k++) {
        zero &= x[k] == 0.0;
    }
    return zero;
}

// Most of a sparse right-hand side stays zero.
static void forward(const SparseLdu* b, int p, double* r)
{
    const int size = b->size[p], stride = sparse_ldu_padded(size);
    const double* square = b->values + b->square[p];
    double* x = r + b->offset[b->order[p]];
    for (int k = 1; k < size; k++) {
        for (int c = 0; c < k; c++) {
            x[k] -= square[k * stride + c] * x[c];
        }
    }
    int last = is_zero(x, size) ? b->first[p] : b->first[p + 1];
    for (int e = b->first[p]; e < last; e++) {
        int q = b->later[e], other = b->size[q];
        const double* lower = b->values + b->edge[e] + size * sparse_ldu_padded(other);
        subtract_product(r + b->offset[b->order[q]], lower, x, other, size);
    }
}

static void backward(const SparseLdu* b, int p, double* r)
{
    const int size = b->size[p], stride = sparse_ldu_padded(size), from = b->offset[b->order[p]];
    const double *square = b->values + b->square[p], *inv = b->inv + from;
    double* x = r + from;
    for (int e = b->first[p]; e < b->first[p + 1]; e++) {
        int q = b->later[e];
        subtract_product(x, b->values + b->edge[e], r + b->offset[b->order[q]], size, b->size[q]);
    }
    for (int k = size - 1; k >= 0; k--) {
        for (int c = k + 1; c < size; c++) {
            x[k] -= square[k * stride + c] * x[c];
        }
        x[k] *= inv[k];
    }
}

// ---- assembly

WIDE_INLINE void add_outer_rows(double* block, int rows, double scale, const double* left,
                                const double* right, int width)
{
    Row u = row_load(right, width);
    for (int i = 0; i < rows; i++) {
        double* x = block + i * stride_of(width);
        row_store(x, row_subtract(row_load(x, width), -(scale * left[i]), u, width), width);
    }
}

static void add_outer(double* block, int rows, int stride, double scale, const double* left,
                      const double* right)
{
    BY_WIDTH(stride, add_outer_rows, block, rows, scale, left, right);
}

WIDE_INLINE void add_outers_rows(double* block, int rows, int stride, int rank, const double* left,
                                 const double* right, int width)
{
    for (int i = 0; i < rows; i++) {
        double* x = block + i * stride;
        Row sum = row_load(x, width);
        for (int k = 0; k < rank; k++) {
            sum = row_subtract(sum, -left[k * SPARSE_LDU_MAX_SIZE + i],
                               row_load(right + k * SPARSE_LDU_MAX_SIZE, width), width);
        }
        row_store(x, sum, width);
    }
}

static void add_outers(double* block, int rows, int columns, int stride, int rank, const double* left,
                       const double* right)
{
    BY_WIDTH(columns, add_outers_rows, block, rows, stride, rank, left, right);
}

const SparseLduKernels KERNEL(sparse_ldu_kernels) = {.eliminate = eliminate,
                                                     .forward = forward,
                                                     .backward = backward,
                                                     .add_outer = add_outer,
                                                     .add_outers = add_outers};
