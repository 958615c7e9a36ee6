// Banded systems with an optional border, factored without pivoting: as a whole, or up to the last few
// unknowns, so that a chain between two ports is condensed onto them.
//
//     [ A    col    ] [ x        ]   [ r        ]
//     [ row  corner ] [ x_border ] = [ r_border ]
//
// The left port of a chain is the border, the right port the last n - pivots unknowns of the band. What
// couples the left port with the first unknowns stands in col and row; elimination carries it along to the
// right port.
#ifndef CORD_MATH_BAND_H
#define CORD_MATH_BAND_H

#include <stdbool.h>
#include <stddef.h>

#define BAND_MOST_HALF 32
#define BAND_MOST_BORDER 8

// A[i][j], |i - j| <= half, is a[i * stride + j - i + half]. stride - 1 is a multiple of four and a + half is
// aligned: four columns 4 k .. 4 k + 3 of any row are one aligned SIMD load, whatever the row. Rows are
// padded with zeros to whole groups of four columns, and some rows of zeros follow the last.
typedef struct Band {
    int n;
    int half;   // 1 .. BAND_MOST_HALF
    int border; // 0 .. BAND_MOST_BORDER
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
} Band;

// `least` is the smallest pivot over the diagonal that stood in its place, both in absolute value: what
// elimination has left of it, whatever the units of the unknowns. Near 1e-16 the matrix is singular to
// rounding; 0 is a pivot that is zero or not a number; it is never above 1. A diagonal that is zero to begin
// with (a multiplier) has nothing to lose, and shows only if its pivot is zero. In a symmetric matrix
// `negative` counts the negative eigenvalues, if pivots == n and there is no border; with ports, those of
// what is left for them must be added.
typedef struct BandPivots {
    int negative; // how many pivots are below zero
    double least; // 1 if there are no pivots
    int where;    // its unknown; -1 if there are no pivots
} BandPivots;

size_t band_space(int n, int half, int border);                      // how many doubles a matrix takes
void band_open(Band* b, int n, int half, int border, double* space); // space: aligned to 64 bytes
void band_clear(Band* b);                                            // zeroes all of it, padding too
// without the border, in whole fours; past the last, too, if it is among them
void band_clear_rows(Band* b, int from, int to);

static inline double* band_at(const Band* b, int i, int j)
{
    return b->a + (ptrdiff_t)i * b->stride + (j - i + b->half);
}

// Eliminates the first `pivots` unknowns. A[i][j] with i, j >= pivots, col[i], row[i] and corner then hold
// what is left for the two ports (the Schur complement); the rest holds the factors.
BandPivots band_factor(Band* b, int pivots);

// The same for a symmetric matrix, of which only A[i][j] with i <= j, col and the corner's upper triangle are
// read. What is left for the ports comes out whole.
BandPivots band_factor_symmetric(Band* b, int pivots);

// The same in parts, of a matrix without border and together with a right-hand side: rows that are needed
// only later may still be filled in by then, if they do so by adding. The diagonal has to be kept, as it will
// be when all is added, before elimination reaches a row: `half` before it.
void band_begin(Band* b, int pivots);
void band_keep_diagonal(Band* b, int from, int to);
// Eliminates unknowns up to `to` if it can, as many as are eliminated at once; all are if `to` is how many
// pivots there are. Returns up to where.
int band_eliminate(Band* b, int from, int to, bool symmetric, double* r);
BandPivots band_end(Band* b, bool symmetric);

// Eliminates the same unknowns from a right-hand side: r[pivots .. n) and r_border then hold that of the
// ports.
void band_forward(const Band* b, double* r, double* r_border); // r: (n); r_border: (border), NULL without one
// Once r[pivots .. n) holds the solution at the right port and x_border that at the left: r becomes the whole
// solution.
void band_backward(const Band* b, double* r, const double* x_border);

void band_solve(const Band* b, double* r); // without ports: r becomes the solution

#endif
