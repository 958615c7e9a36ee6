// Solves tridiagonal systems, open or cyclic, factored once and solved often, by Gaussian elimination from
// both ends towards the middle (twisted factorisation; "burn at both ends" in LINPACK): two independent
// chains of operations take half the time of one. A cyclic system is bordered: its last row is condensed by a
// Schur complement. O(n).
#ifndef CORD_MATH_TRIDIAG_H
#define CORD_MATH_TRIDIAG_H

#include <stdbool.h>

// Row i: lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = r[i]. In a cyclic system lower[0] and upper[n-1]
// couple the first and last unknowns; otherwise they are not read. No pivoting: rows must be diagonally
// dominant, or the matrix close to symmetric positive definite.
typedef struct Tridiag {
    int n;
    bool cyclic;
    double* lower;     // (n); factoring overwrites this and the next two
    double* diag;      // (n)
    double* upper;     // (n)
    double* border;    // (n); cyclic: A_open^-1 times the last column
    double last_inv;   // cyclic: 1 / Schur complement of the last unknown
    double to_last[2]; // cyclic: coefficients of the first and the last but one unknown in the last row
} Tridiag;

// Returns false if rows depend on each other, to round-off. The solution is then zero at as many unknowns and
// solves the other rows, and all of them if the right-hand sides are as dependent as the rows.
bool tridiag_factor(Tridiag* t);
void tridiag_solve(const Tridiag* t, double* r); // r becomes the solution
// Makes right-hand sides as dependent as the rows of an open system, by the least change (in squares over
// weight): the contradiction is spread over all rows that depend on each other.
void tridiag_share(const Tridiag* t, const double* weight, double* r); // weight: positive (n)

#endif
