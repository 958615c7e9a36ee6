// The inner loops of band.h, compiled for each instruction set.
#ifndef CORD_MATH_BAND_LDU_KERNEL_H
#define CORD_MATH_BAND_LDU_KERNEL_H

#include "math/band_ldu.h"

// A = L D U, L and U with unit diagonals. Unknowns are eliminated four at a time, k = 0, 4, 8 ...; the last
// pivots % 4 one by one. Of the four,
//     the square A[k .. k+3][k .. k+3] holds L below and U above its diagonal;
//     row k + s holds column k + s of L, rows k + 4 .. k + 3 + 4 groups, in the columns that elimination has
//     emptied, from k - 4 groups on, as the forward pass reads it; the squares to the right hold U, each
//     transposed, as the backward pass reads it.
// Rows eliminated one by one hold U as it is, not transposed. Rows of the border hold L in `row` and U in
// `col`; inv holds 1 / D.
typedef struct BandLduKernels {
    // Eliminate the unknowns [from, to): whole fours, but for the last of b->pivots.
    void (*factor)(const BandLdu* b, int from, int to);
    void (*factor_symmetric)(const BandLdu* b, int from, int to);
    void (*forward)(const BandLdu* b, double* r, double* r_border, int from, int to);
    void (*backward)(const BandLdu* b, double* r, const double* x_border);
    LduPivots (*judge)(const BandLdu* b); // from inv and from diag as it was before
} BandLduKernels;

static inline int band_ldu_groups(int half) // of four columns that the four pivots reach on either side
{
    return (half + 3) / 4;
}

#endif
