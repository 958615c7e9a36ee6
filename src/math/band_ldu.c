#include "math/band_ldu.h"

#include "base/assert.h"
#include "math/band_ldu_kernel.h"

#include <string.h>

static const BandLduKernels* kernels(void)
{
    return KERNEL_CHOOSE(band_ldu_kernels);
}

static size_t lines(size_t doubles) // whole cache lines
{
    return (doubles + 7) / 8 * 8;
}

static size_t row_count(int n, int groups) // with padding: the last four pivots reach past row n
{
    return (size_t)n + 4 * (size_t)groups + 4;
}

static int stride_of(int groups) // distance of A[i][j] and A[i+1][j+1]
{
    return 8 * groups + 5;
}

static int border_stride_of(int border)
{
    return (border + 3) / 4 * 4;
}

size_t band_ldu_space(int n, BandLduWidth width, int border)
{
    size_t rows = row_count(n, width.groups), across = (size_t)border_stride_of(border);
    return lines(rows * (size_t)stride_of(width.groups)) + 2 * lines(rows) + 2 * lines(rows * across) +
           lines((size_t)border * across);
}

void band_ldu_init(BandLdu* b, int n, BandLduWidth width, int border, double* space)
{
    CORD_ASSERT(n >= 0 && width.half >= 1 && width.half <= BAND_LDU_MAX_HALF && border >= 0 &&
                border <= BAND_LDU_MAX_BORDER);
    size_t rows = row_count(n, width.groups), across = (size_t)border_stride_of(border);
    *b = (BandLdu){.n = n, .half = width.half, .groups = width.groups, .border = border, .space = space};
    b->stride = stride_of(width.groups);
    b->border_stride = border_stride_of(border);
    b->a = space + (ptrdiff_t)4 * width.groups;
    b->inv = space + lines(rows * (size_t)b->stride);
    b->diag = b->inv + lines(rows);
    b->col = b->diag + lines(rows);
    b->row = b->col + lines(rows * across);
    b->corner = b->row + lines(rows * across);
}

void band_ldu_clear(BandLdu* b)
{
    memset(b->space, 0, sizeof(double) * band_ldu_space(b->n, (BandLduWidth){b->half, b->groups}, b->border));
}

void band_ldu_clear_rows(BandLdu* b, int from, int to)
{
    CORD_ASSERT(from % 4 == 0 && (to % 4 == 0 || to >= b->n));
    size_t first = (size_t)from, last = to < b->n ? (size_t)to : row_count(b->n, b->groups);
    memset(b->space + first * (size_t)b->stride, 0, sizeof(double) * (last - first) * (size_t)b->stride);
}

void band_ldu_begin(BandLdu* b, int pivots)
{
    CORD_ASSERT(pivots >= 0 && pivots <= b->n);
    b->pivots = pivots;
}

void band_ldu_save_diagonal(BandLdu* b, int from, int to)
{
    for (int i = from; i < to; i++) {
        b->diag[i] = *band_ldu_at(b, i, i);
    }
}

LduPivots band_ldu_factor(BandLdu* b, int pivots)
{
    band_ldu_begin(b, pivots);
    band_ldu_save_diagonal(b, 0, pivots);
    kernels()->factor(b, 0, pivots);
    return kernels()->pivots(b);
}

// The symmetric kernel writes the upper triangle of the Schur complement and col alone.
static void mirror(BandLdu* b)
{
    for (int i = b->pivots; i < b->n; i++) {
        for (int j = i + 1; j <= band_ldu_last(b, i); j++) {
            *band_ldu_at(b, j, i) = *band_ldu_at(b, i, j);
        }
        memcpy(b->row + (ptrdiff_t)i * b->border_stride, b->col + (ptrdiff_t)i * b->border_stride,
               sizeof(double) * (size_t)b->border_stride);
    }
    for (int i = 0; i < b->border; i++) {
        for (int j = 0; j < i; j++) {
            b->corner[i * b->border_stride + j] = b->corner[j * b->border_stride + i];
        }
    }
}

LduPivots band_ldu_factor_symmetric(BandLdu* b, int pivots)
{
    band_ldu_begin(b, pivots);
    band_ldu_save_diagonal(b, 0, pivots);
    kernels()->factor_symmetric(b, 0, pivots);
    return band_ldu_end(b, true);
}

int band_ldu_eliminate(BandLdu* b, int from, int to, bool symmetric, double* r)
{
    CORD_ASSERT(b->border == 0 && from % 4 == 0);
    const BandLduKernels* k = kernels();
    if (to < b->pivots) { // the last entries of r pass through a buffer, all in one call
        int most = b->n - 4 * b->groups;
        most = most < b->pivots ? most : b->pivots;
        to = (to < most ? to : most) / 4 * 4;
    }
    if (to <= from && to < b->pivots) {
        return from;
    }
    symmetric ? k->factor_symmetric(b, from, to) : k->factor(b, from, to);
    k->forward(b, r, NULL, from, to);
    return to;
}

LduPivots band_ldu_end(BandLdu* b, bool symmetric)
{
    if (symmetric) {
        mirror(b);
    }
    return kernels()->pivots(b);
}

void band_ldu_forward(const BandLdu* b, double* r, double* r_border)
{
    kernels()->forward(b, r, r_border, 0, b->pivots);
}

void band_ldu_backward(const BandLdu* b, double* r, const double* x_border)
{
    kernels()->backward(b, r, x_border);
}

void band_ldu_solve(const BandLdu* b, double* r)
{
    CORD_ASSERT(b->pivots == b->n && b->border == 0);
    const BandLduKernels* k = kernels();
    k->forward(b, r, NULL, 0, b->pivots);
    k->backward(b, r, NULL);
}
