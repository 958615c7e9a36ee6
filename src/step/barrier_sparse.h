// The sparse matrix of all rods and bodies in contact. It has a block row for the unknowns of each node, and
// one for each body without welds. A rod couples a node with the next two; a contact couples the nodes of two
// edges. A minimum-degree elimination order keeps the fill small where rods lie side by side, as in knots and
// plectonemes. The matrix need not be positive definite.
//
// It applies to open rods without welds to bodies, whose bands have no border.
#ifndef CORD_STEP_BARRIER_SPARSE_H
#define CORD_STEP_BARRIER_SPARSE_H

#include "base/arena.h"
#include "math/sparse_ldu.h"
#include "step/barrier_row.h"

typedef struct SparseSystem {
    SparseLdu blocks; // allocated from the pool
    // Grows when it is too small. New contacts need a new matrix, and a step must not allocate each time.
    Arena pool;
    Memory from_pool;
    int* sizes; // of the block rows
    int size_capacity;
    int node_count, body_count; // of the matrix as it was built
    SparseLduPair* pairs;       // coupled block rows, those of rods first
    int pair_count, pair_capacity;
    double* r; // right-hand side, then solution (blocks.n)
    int r_capacity;
} SparseSystem;

bool sparse_suits(const BarrierSolver* t);
// Builds the matrix and right-hand side from the systems' bands and the contact rows. False: no memory.
bool sparse_fill(BarrierSolver* t);
bool sparse_factor(BarrierSolver* t);         // false: singular
void sparse_solve(BarrierSolver* t);          // writes the solution into the moves of systems and bodies
void sparse_set_right_side(BarrierSolver* t); // copies the systems' right-hand side
void sparse_free(Memory* m, SparseSystem* s);

#endif
