// Symmetric positive definite systems of three unknowns a link, each coupled to the links beside it alone: block tridiagonal, open or cyclic. Each
// is solved once.
#ifndef CORD_MATH_CHAIN3_H
#define CORD_MATH_CHAIN3_H

#include <stdbool.h>

// Block row i: link[i]' x[i-1] + diag[i] x[i] + link[i+1] x[i+1] = r[i]. Arrays by i, one for each entry; link[0] couples the last row to the first, in
// a closed chain.
typedef struct Chain3 {
    int n;
    bool closed;     // then n >= 3
    double* diag[6]; // 11 12 13 22 23 33; of no use afterwards
    double* link[9]; // row-major, rows of i - 1 and columns of i; of no use afterwards
    double* r[3];    // becomes the solution
    double* work[9]; // scratch of closed chains
} Chain3;

bool chain3_solve(const Chain3* c); // false: it is not positive definite, or not finite

#endif
