// The inner loops of math/band_ldu.h.
#ifndef CORD_MATH_BAND_LDU_KERNEL_H
#define CORD_MATH_BAND_LDU_KERNEL_H

#include "math/band_ldu.h"
#include "math/kernel.h"

// A = L D U, where L and U have unit diagonals. Unknowns are eliminated in groups of four, k = 0, 4, 8 ...;
// the last pivots % 4 one by one. For a group of four,
//     the square A[k .. k+3][k .. k+3] holds L below and U above its diagonal;
//     row k + s holds column k + s of L, rows k + 4 .. k + 3 + 4 groups, in the columns from k - 4 groups on
//     that elimination has emptied, as the forward pass reads it; the squares to the right hold U, each
//     transposed, as the backward pass reads it.
// Rows that are eliminated one by one hold U as it is, not transposed. The border holds L in `row` and U in
// `col`; inv holds 1 / D.
typedef struct BandLduKernels {
    // Eliminate the unknowns [from, to): whole groups of four, but for the last of b->pivots.
    void (*factor)(const BandLdu* b, int from, int to);
    void (*factor_symmetric)(const BandLdu* b, int from, int to);
    void (*forward)(const BandLdu* b, double* r, double* r_border, int from, int to);
    void (*backward)(const BandLdu* b, double* r, const double* x_border);
    LduPivots (*pivots)(const BandLdu* b); // from inv and diag
} BandLduKernels;

KERNEL_DECLARE(BandLduKernels, band_ldu_kernels);

#endif
