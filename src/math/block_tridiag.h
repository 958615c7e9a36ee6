// Solves symmetric positive definite block tridiagonal systems of 3 x 3 blocks, open or cyclic, by block L D
// L' (Golub and Van Loan, Matrix Computations, 4th edition, section 4.5.1). A cyclic system is bordered: its
// last block row is condensed by a Schur complement. O(n).
#ifndef CORD_MATH_BLOCK_TRIDIAG_H
#define CORD_MATH_BLOCK_TRIDIAG_H

#include <stdbool.h>

// Block row i: link[i]' x[i-1] + diag[i] x[i] + link[i+1] x[i+1] = r[i]. One array for each entry of a block
// (n). link[0] couples the last row to the first of a cyclic system.
typedef struct BlockTridiag {
    int n;
    bool closed;     // then n >= 3
    double* diag[6]; // 11 12 13 22 23 33
    double* link[9]; // row-major, rows of i - 1 and columns of i
    double* work[9]; // A_open^-1 times the border of a cyclic system
    double* r[3];    // right-hand side
} BlockTridiag;

// diag, link and work become the factors. False: the matrix is not positive definite, or not finite.
bool block_tridiag_factor(const BlockTridiag* c);
void block_tridiag_solve(const BlockTridiag* c); // r becomes the solution; the factors stay

#endif
