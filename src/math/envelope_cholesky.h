// Solves sparse symmetric positive definite systems K - shift M by Cholesky factorisation L L' within the
// envelope (skyline) of the rows, in reverse Cuthill-McKee order (George and Liu 1981). O(sum of
// squared row widths): a chain costs what a band does; meshes of tens of thousands of unknowns are better
// solved by cordage/eigs.h.
#ifndef CORD_MATH_ENVELOPE_CHOLESKY_H
#define CORD_MATH_ENVELOPE_CHOLESKY_H

#include "base/memory.h"

#include <cordage/modal.h>

#define ENVELOPE_MAX_SIDES 3 // right-hand sides of one solve

// Rows are stored in groups of four, from column first[i], a multiple of four, up to the diagonal square: the
// entry of row 4 i + a in column c is at l[start[i] + 4 (c - first[i]) + a].
typedef struct Envelope {
    Memory* memory;
    int n;
    int rows;      // n, rounded up to a multiple of four; the padding has ones on its diagonal
    int* order;    // unknown at a place (n)
    int* place;    // place of an unknown (n)
    int* first;    // (rows / 4)
    size_t* start; // (rows / 4 + 1)
    double* l;     // L, with 1 / L on its diagonal (start[rows / 4])
    double* x;     // scratch of a solve (ENVELOPE_MAX_SIDES x rows)
} Envelope;

// Allocates the envelope of K - shift M. False: no memory, and nothing is left behind.
bool envelope_create(Memory* memory, const CordEigenProblem* p, Envelope* e);
void envelope_destroy(Envelope* e);

// K - shift M = L L'. Returns the unknown whose pivot is not positive; -1: the matrix is positive definite.
int envelope_factor(const Envelope* e, const CordEigenProblem* p, double shift);
void envelope_solve(const Envelope* e, int count, double* x); // in place (count x n)

#endif
