// Banded systems with an optional border, factored without pivoting: as a whole, or up to the last few
// unknowns, so that a chain between two ports is condensed onto them.
//
//     [ A    col    ] [ x        ]   [ r        ]
//     [ row  corner ] [ x_border ] = [ r_border ]
//
// The left port of a chain is the border, the right port the last n - pivots unknowns of the band. What
// couples the left port with the first unknowns stands in col and row; elimination carries it along to the
// right port.
#ifndef CORD_MATH_BAND_LDU_H
#define CORD_MATH_BAND_LDU_H

#include "math/ldu_pivots.h"

#include <stdbool.h>
#include <stddef.h>

#define BAND_LDU_MAX_HALF 32
#define BAND_LDU_MAX_BORDER 8

// A[i][j], |i - j| <= half, is a[i * stride + j - i + half]. stride - 1 is a multiple of four and a + half is
// aligned: four columns 4 k .. 4 k + 3 of any row are one aligned SIMD load, whatever the row. Rows are
// padded with zeros to whole groups of four columns, and some rows of zeros follow the last.
typedef struct BandLdu {
    int n;
    int half;   // 1 .. BAND_LDU_MAX_HALF
    int border; // 0 .. BAND_LDU_MAX_BORDER
    int pivots; // eliminated by the last factoring
    int stride;
    int border_stride; // border, rounded up to a multiple of four
    double* a;
    double* col;    // A[i][border b] at col[i * border_stride + b]          (n)
    double* row;    // A[border b][i] at row[i * border_stride + b]          (n)
    double* corner; // A[border b][border c] at corner[b * border_stride + c] (border)
    double* inv;    // inverse pivots                                        (pivots)
    double* diag;   // A's diagonal before factoring                         (pivots)
    double* space;
} BandLdu;

size_t band_ldu_space(int n, int half, int border);                         // how many doubles a matrix takes
void band_ldu_init(BandLdu* b, int n, int half, int border, double* space); // space: aligned to 64 bytes
void band_ldu_clear(BandLdu* b);                                            // zeroes all of it, padding too
// without the border, in whole fours; past the last, too, if it is among them
void band_ldu_clear_rows(BandLdu* b, int from, int to);

static inline double* band_ldu_at(const BandLdu* b, int i, int j)
{
    return b->a + (ptrdiff_t)i * b->stride + (j - i + b->half);
}

// Eliminates the first `pivots` unknowns. A[i][j] with i, j >= pivots, col[i], row[i] and corner then hold
// what is left for the two ports (the Schur complement); the rest holds the factors.
LduPivots band_ldu_factor(BandLdu* b, int pivots);

// The same for a symmetric matrix, of which only A[i][j] with i <= j, col and the corner's upper triangle are
// read. What is left for the ports comes out whole.
LduPivots band_ldu_factor_symmetric(BandLdu* b, int pivots);

// The same in parts, of a matrix without border and together with a right-hand side: rows that are needed
// only later may still be filled in by then, if they do so by adding. The diagonal has to be kept, as it will
// be when all is added, before elimination reaches a row: `half` before it.
void band_ldu_begin(BandLdu* b, int pivots);
void band_ldu_save_diagonal(BandLdu* b, int from, int to);
// Eliminates unknowns up to `to` if it can, as many as are eliminated at once; all are if `to` is how many
// pivots there are. Returns up to where.
int band_ldu_eliminate(BandLdu* b, int from, int to, bool symmetric, double* r);
LduPivots band_ldu_end(BandLdu* b, bool symmetric);

// Eliminates the same unknowns from a right-hand side: r[pivots .. n) and r_border then hold that of the
// ports.
void band_ldu_forward(const BandLdu* b, double* r,
                      double* r_border); // r: (n); r_border: (border), NULL without one
// Once r[pivots .. n) holds the solution at the right port and x_border that at the left: r becomes the whole
// solution.
void band_ldu_backward(const BandLdu* b, double* r, const double* x_border);

void band_ldu_solve(const BandLdu* b, double* r); // without ports: r becomes the solution

#endif
