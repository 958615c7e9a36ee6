// Frontal LDL^T elimination along the rod (Irons 1970). The unknowns of a node are its position and the
// rotation of the frame of the edge after it. A corner couples those of its own node and the node before to
// the position of the next, 11 in all. A front of that size receives what the corners add, eliminates the
// four unknowns of its first node, and moves on. The unknowns of a ring's last two nodes, which fill-in
// couples to all others, stay in the front as a border until the end. Only kernels include this file.
#ifndef CORD_STEP_POSITION_FRONT_H
#define CORD_STEP_POSITION_FRONT_H

#include "step/position_lanes.h"

// Smallest pivot over its diagonal entry, for stiffness ratios beyond double precision.
#define PBD_LEAST_PIVOT 1e-15
#define PBD_LEFT (PBD_FRONT - 4) // unknowns that remain in the front of an open rod

typedef struct PbdLeft { // Schur complement on the remaining unknowns, on and above the diagonal
    CordWide m[PBD_LEFT][PBD_LEFT];
    CordWide right[PBD_LEFT];
} PbdLeft;

typedef struct PbdFront {
    CordWide m[PBD_FRONT][PBD_FRONT]; // on and above the diagonal
    CordWide right[PBD_FRONT];
} PbdFront;

// Eliminates the four unknowns of the first node by block LDL^T. Writes their rows, with the inverse pivots
// on the diagonal, and the Schur complement of the others.
WIDE_INLINE void front_eliminate(const PbdFront* f, CordWide* rows, PbdLeft* left)
{
    enum { SIZE = PBD_FRONT + 1 };
    const CordWide one = wide_set(1.0), least = wide_set(PBD_LEAST_PIVOT);
    CordWide y[4][SIZE], l[4][4], inv[4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) { // pivot block, by columns
#pragma GCC unroll 4
        for (int q = p; q < 4; q++) {
            CordWide sum = f->m[p][q];
#pragma GCC unroll 4
            for (int k = 0; k < p; k++) {
                sum -= l[k][p] * y[k][q];
            }
            y[p][q] = sum;
        }
        rows[p * SIZE + p] = inv[p] = one / wide_max(least * f->m[p][p], y[p][p]);
#pragma GCC unroll 4
        for (int q = p + 1; q < 4; q++) {
            l[p][q] = y[p][q] * inv[p];
            rows[p * SIZE + q] = l[p][q];
        }
    }
#pragma GCC unroll 8
    for (int j = 4; j < SIZE; j++) { // other columns and right-hand side
#pragma GCC unroll 4
        for (int p = 0; p < 4; p++) {
            CordWide sum = j < PBD_FRONT ? f->m[p][j] : f->right[p];
#pragma GCC unroll 4
            for (int k = 0; k < p; k++) {
                sum -= l[k][p] * y[k][j];
            }
            y[p][j] = sum;
            rows[p * SIZE + j] = sum * inv[p];
        }
    }
#pragma GCC unroll 8
    for (int i = 4; i < PBD_FRONT; i++) {
        CordWide u[4] = {rows[i], rows[SIZE + i], rows[2 * SIZE + i], rows[3 * SIZE + i]};
#pragma GCC unroll 8
        for (int j = i; j < SIZE; j++) {
            CordWide sum = j < PBD_FRONT ? f->m[i][j] : f->right[i];
            sum -= u[0] * y[0][j], sum -= u[1] * y[1][j], sum -= u[2] * y[2][j], sum -= u[3] * y[3][j];
            if (j < PBD_FRONT) {
                left->m[i - 4][j - 4] = sum;
            } else {
                left->right[i - 4] = sum;
            }
        }
    }
}

// ---- rings, whose front is larger: one unknown after the other

typedef struct PbdRing {
    CordWide m[PBD_RING][PBD_RING]; // on and above the diagonal
    CordWide right[PBD_RING];
} PbdRing;

static inline void ring_eliminate(PbdRing* f, int first, CordWide* rows) // four unknowns
{
    for (int p = first; p < first + 4; p++) {
        CordWide inv = wide_set(1.0) / f->m[p][p], *row = rows + (p - first) * (PBD_RING + 1);
        row[p] = inv;
        for (int j = p + 1; j < PBD_RING; j++) {
            row[j] = f->m[p][j] * inv;
        }
        row[PBD_RING] = f->right[p] * inv;
        for (int i = p + 1; i < PBD_RING; i++) {
            f->right[i] -= row[i] * f->right[p];
            for (int j = i; j < PBD_RING; j++) {
                f->m[i][j] -= row[i] * f->m[p][j];
            }
        }
    }
}

// After the first node is eliminated: shifts the front by one node and clears the entering unknowns.
static inline void ring_advance(PbdRing* f)
{
    const CordWide zero = wide_set(0.0);
    for (int i = 0; i < PBD_FRONT; i++) {
        bool there = i + 4 < PBD_FRONT;
        f->right[i] = there ? f->right[i + 4] : zero;
        for (int j = i; j < PBD_RING; j++) {
            bool moves = j < PBD_FRONT, known = there && (!moves || j + 4 < PBD_FRONT);
            f->m[i][j] = known ? f->m[i + 4][moves ? j + 4 : j] : zero;
        }
    }
}

#endif
