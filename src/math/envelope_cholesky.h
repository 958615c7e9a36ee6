// Symmetric positive definite systems whose unknowns hang together in any way: ordered so that what fills in
// stays near the diagonal (reverse Cuthill-McKee), factored as L L' within the envelope of the rows. Chains
// cost what a band does; for meshes of tens of thousands of unknowns there is better (cordage/eigs.h).
#ifndef CORD_MATH_ENVELOPE_CHOLESKY_H
#define CORD_MATH_ENVELOPE_CHOLESKY_H

#include "base/memory.h"

#include <cordage/modal.h>

#define ENVELOPE_MAX_SIDES 3 // right-hand sides of one solve

// Rows are stored by fours, with the columns from `first` on, which is a multiple of four, up to the four's
// own: the entry of row 4 i + a in column c is at l[start[i] + 4 (c - first[i]) + a].
typedef struct Envelope {
    Memory* memory;
    int n;
    int rows;      // n, rounded up to a multiple of four: the matrix goes on with ones on its diagonal
    int* order;    // the unknown in this place (n)
    int* place;    // of this unknown (n)
    int* first;    // (rows / 4)
    size_t* start; // (rows / 4 + 1)
    double* l;     // (start[rows / 4]); on the diagonal 1 / L
    double* x;     // of a solve (ENVELOPE_MAX_SIDES x rows)
} Envelope;

// Room for K - shift M of this problem. False: no memory, and nothing is kept.
bool envelope_create(Memory* memory, const CordEigenProblem* p, Envelope* e);
void envelope_destroy(Envelope* e);

// K - shift M = L L'. Returns the unknown at which it turned out not to be positive definite; -1: it is.
int envelope_factor(const Envelope* e, const CordEigenProblem* p, double shift);
void envelope_solve(const Envelope* e, int count, double* x); // in place, one after the other (count x n)

#endif
