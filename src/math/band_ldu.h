// Solves A x = r with a band matrix A and an optional border, by A = L D U without row exchanges (Golub and
// Van Loan, Matrix Computations, 4th edition, section 4.3), or by L D L' if A is symmetric. Factoring costs
// O(n half^2), a solve O(n half). Elimination may stop early: the Schur complement then condenses a chain
// onto two ports.
//
//     [ A    col    ] [ x        ]   [ r        ]
//     [ row  corner ] [ x_border ] = [ r_border ]
//
// The left port of a chain is the border, and its right port is the last n - pivots unknowns of the band. col
// and row hold what couples the left port to the first unknowns; elimination carries it along to the right
// port.
#ifndef CORD_MATH_BAND_LDU_H
#define CORD_MATH_BAND_LDU_H

#include "math/ldu_pivots.h"

#include <stdbool.h>
#include <stddef.h>

#define BAND_LDU_MAX_HALF 32
#define BAND_LDU_MAX_BORDER 8

// Unknowns come in groups of four, which are eliminated together. A row stores the columns of its own group
// and of `groups` groups on either side.
typedef struct BandLduWidth {
    int half;   // half-bandwidth, 1 .. BAND_LDU_MAX_HALF
    int groups; // 1 .. BAND_LDU_MAX_HALF / 4
} BandLduWidth;

// The width of any matrix with this half-bandwidth.
static inline BandLduWidth band_ldu_width(int half)
{
    return (BandLduWidth){half, (half + 3) / 4};
}

// The width of a matrix of 4 x 4 blocks, each of which couples to `groups` blocks on either side. The last
// row of a block does not reach as far as its first, which saves a group.
static inline BandLduWidth band_ldu_block_width(int groups)
{
    return (BandLduWidth){4 * groups + 3, groups};
}

// A[i][j] is a[i * stride + j - i]. stride - 1 is a multiple of four and a is aligned, so that the columns
// 4 k .. 4 k + 3 of any row are one aligned SIMD load. Rows are padded with zeros to whole groups of four
// columns, and a few rows of zeros follow the last.
typedef struct BandLdu {
    int n;
    int half;   // half-bandwidth
    int groups; // groups of four columns on either side of a row's own
    int border; // 0 .. BAND_LDU_MAX_BORDER
    int pivots; // unknowns eliminated by the last factorisation
    int stride;
    int border_stride; // border, rounded up to a multiple of four
    double* a;
    double* col;    // A[i][border b] at col[i * border_stride + b]          (n)
    double* row;    // A[border b][i] at row[i * border_stride + b]          (n)
    double* corner; // A[border b][border c] at corner[b * border_stride + c] (border)
    double* inv;    // 1 / D                                                 (pivots)
    double* diag;   // A's diagonal before factoring                         (pivots)
    double* space;
} BandLdu;

size_t band_ldu_space(int n, BandLduWidth width, int border); // doubles that a matrix takes
// space: aligned to 64 bytes
void band_ldu_init(BandLdu* b, int n, BandLduWidth width, int border, double* space);
void band_ldu_clear(BandLdu* b); // zeroes all of it, padding too
// Zeroes the rows [from, to) without the border. Both are multiples of four, or `to` is n or more; then the
// padding rows are zeroed too.
void band_ldu_clear_rows(BandLdu* b, int from, int to);

static inline double* band_ldu_at(const BandLdu* b, int i, int j)
{
    return b->a + (ptrdiff_t)i * b->stride + (j - i);
}

// The first and the last column that row i stores; also the rows that store column i.
static inline int band_ldu_first(const BandLdu* b, int i)
{
    int by_group = i / 4 * 4 - 4 * b->groups, by_half = i - b->half;
    int first = by_group > by_half ? by_group : by_half;
    return first > 0 ? first : 0;
}

static inline int band_ldu_last(const BandLdu* b, int i)
{
    int by_group = i / 4 * 4 + 4 * b->groups + 3, by_half = i + b->half;
    int last = by_group < by_half ? by_group : by_half;
    return last < b->n ? last : b->n - 1;
}

static inline bool band_ldu_has(const BandLdu* b, int i, int j)
{
    return j >= band_ldu_first(b, i) && j <= band_ldu_last(b, i);
}

// Eliminates the first `pivots` unknowns. A[i][j] with i, j >= pivots, col[i], row[i] and corner then hold
// the Schur complement on the two ports; the rest holds the factors.
LduPivots band_ldu_factor(BandLdu* b, int pivots);

// The same for a symmetric matrix. Reads only A[i][j] with i <= j, col, and the corner's upper triangle; the
// Schur complement is written in full.
LduPivots band_ldu_factor_symmetric(BandLdu* b, int pivots);

// The same in parts, for a matrix without a border and together with a right-hand side. Rows that elimination
// has not reached yet may still be added to. A row's diagonal must be saved, with all that will be added to
// it, before elimination comes within `half` rows of it.
void band_ldu_begin(BandLdu* b, int pivots);
void band_ldu_save_diagonal(BandLdu* b, int from, int to);
// Eliminates whole groups of four unknowns in [from, to); all the rest if `to` is the number of pivots.
// Returns the first unknown that is not eliminated.
int band_ldu_eliminate(BandLdu* b, int from, int to, bool symmetric, double* r);
LduPivots band_ldu_end(BandLdu* b, bool symmetric);

// Forward substitution: eliminates the same unknowns from a right-hand side. r[pivots .. n) and r_border then
// hold that of the Schur complement. r: (n); r_border: (border), NULL without a border.
void band_ldu_forward(const BandLdu* b, double* r, double* r_border);
// Back substitution: r[pivots .. n) holds the solution at the right port and x_border that at the left. r
// becomes the solution.
void band_ldu_backward(const BandLdu* b, double* r, const double* x_border);

void band_ldu_solve(const BandLdu* b, double* r); // without ports: r becomes the solution

#endif
