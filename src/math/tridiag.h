// Tridiagonal systems, factored once and solved often. Both run from the two ends towards the middle at once:
// two independent chains of operations take half the time of one.
#ifndef CORD_MATH_TRIDIAG_H
#define CORD_MATH_TRIDIAG_H

#include <stdbool.h>

// Row i: lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = r[i]. In a cyclic system lower[0] and upper[n-1]
// couple the first and last unknowns; otherwise they are not read. No pivoting: rows must be diagonally
// dominant, or the matrix close to symmetric positive definite.
typedef struct Tridiag {
    int n;
    bool cyclic;
    double* lower;     // (n); changed by factoring, as are the next two
    double* diag;      // (n)
    double* upper;     // (n)
    double* border;    // (n); cyclic: the influence of the last unknown on the others
    double last_inv;   // cyclic: inverse pivot of the last unknown
    double to_last[2]; // cyclic: coefficients of the first and last-but-one unknown in the last row
} Tridiag;

bool tridiag_factor(Tridiag* t);                 // false: singular, to round-off
void tridiag_solve(const Tridiag* t, double* r); // r becomes the solution

#endif
