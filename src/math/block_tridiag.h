// Symmetric positive definite systems of three unknowns a link, each coupled to the links beside it alone:
// block tridiagonal, open or cyclic.
#ifndef CORD_MATH_BLOCK_TRIDIAG_H
#define CORD_MATH_BLOCK_TRIDIAG_H

#include <stdbool.h>

// Block row i: link[i]' x[i-1] + diag[i] x[i] + link[i+1] x[i+1] = r[i]. Arrays by i, one for each entry;
// link[0] couples the last row to the first, in a closed chain.
typedef struct BlockTridiag {
    int n;
    bool closed;     // then n >= 3
    double* diag[6]; // 11 12 13 22 23 33
    double* link[9]; // row-major, rows of i - 1 and columns of i
    double* work[9]; // of closed chains
    double* r[3];    // right-hand side
} BlockTridiag;

// diag, link and work become the factors. False: it is not positive definite, or not finite
bool block_tridiag_factor(const BlockTridiag* c);
void block_tridiag_solve(const BlockTridiag* c); // r becomes the solution; the factors stay

#endif
