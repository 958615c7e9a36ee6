// A Newton system as block rows of one sparse matrix, which it shares with other systems that it touches
// (step/contact_newton_sparse.h).
//
// Each node of a rod has a block row: x, the angle of the edge after it, and the tension of the edge before
// it (if tensions are unknowns). The seam of a ring is an edge like any other. Each body has a block row of
// six: translation, then rotation. A carried node or frame moves with its body, and its own unknowns are
// unused: they have unit pivots.
//
// A tension is eliminated after the node whose block row it shares, so that its pivot is not zero. Where that
// node is clamped or carried, the tension has a block row of its own, which is eliminated after all free
// nodes before it.
#ifndef CORD_SOLVE_NEWTON_ROWS_H
#define CORD_SOLVE_NEWTON_ROWS_H

#include "solve/newton.h"

typedef struct RowPairs { // a growable list
    Memory* memory;
    SparseLduPair* all;
    int count, capacity;
} RowPairs;

bool row_pairs_add(RowPairs* pairs, int i, int j); // false: no memory

// A node moves by the first three unknowns of a block row, and turns with a body by the next three.
typedef struct RowMap {
    int row;
    int size;     // 6: a body carries the node; otherwise 3
    CordVec3 arm; // of a carried node: from the centre of the body [m]
} RowMap;

// The change of the node's position by unknown c.
static inline CordVec3 row_map_column(const RowMap* map, int c)
{
    CordVec3 e = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
    return c < 3 ? e : vec3_cross(e, map->arm);
}

// Sets the derivative by the unknowns of what changes by g times the node's position.
static inline void row_map_put(const RowMap* map, CordVec3 g, double* by)
{
    by[0] = g.x, by[1] = g.y, by[2] = g.z;
    if (map->size == 6) {
        CordVec3 turn = vec3_cross(map->arm, g);
        by[3] = turn.x, by[4] = turn.y, by[5] = turn.z;
    }
}

// The change of one unknown is T . the unknowns of a block row. `row` is -1 if there is no such unknown.
typedef struct RowVector {
    int row;
    int size; // later entries of T are zero
    double T[SPARSE_LDU_MAX_SIZE];
} RowVector;

int newton_number_rows(NewtonSystem* sys, int first); // returns the number after the last
void newton_put_row_sizes(const NewtonSystem* sys, int* sizes);
// Adds the pairs of block rows that the system couples, and to `later` those whose order of elimination is
// given (sparse_ldu_create_ordered). False: no memory.
bool newton_add_row_pairs(const NewtonSystem* sys, RowPairs* pairs, RowPairs* later);

// Writes the matrix of the system, as newton_assemble left it, into cleared block rows. Of a symmetric matrix
// it reads the upper triangle, as newton_factor does.
void newton_fill_rows(const NewtonSystem* sys, const SparseLdu* b);
// The right-hand side, into zeros. `offset`: first unknown of each block row.
void newton_put_rows(const NewtonSystem* sys, const int* offset, double* r);
void newton_get_rows(NewtonSystem* sys, const int* offset, const double* r); // the solution, into move

int newton_node_row(const NewtonSystem* sys, const NewtonRod* r, int node);
int newton_frame_row(const NewtonSystem* sys, const NewtonRod* r, int edge);
RowMap newton_node_map(const NewtonSystem* sys, const NewtonRod* r, int node);
RowVector newton_frame_map(const NewtonSystem* sys, const NewtonRod* r, int edge);
bool newton_frame_is_carried(const NewtonRod* r, int edge);
// Rotation of a frame about its tangent since the start of the step [rad]; of a carried one, with its body.
double newton_frame_turned(const NewtonSystem* sys, const NewtonRod* r, int edge);

#endif
