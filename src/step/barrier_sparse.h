// The whole matrix of rods and bodies that touch: a block row for the unknowns of each node, and one for each
// body that nothing is welded to. Rods couple a node with the next two, touches those of two edges. An order
// of elimination with little fill makes it cheap where strands lie side by side, as in knots and plectonemes,
// and it need not be definite.
//
// For open rods that no body carries: their bands have no ports.
#ifndef CORD_STEP_BARRIER_SPARSE_H
#define CORD_STEP_BARRIER_SPARSE_H

#include "base/arena.h"
#include "math/sparse_ldu.h"
#include "step/barrier_row.h"

typedef struct SparseSystem {
    SparseLdu blocks; // in the pool
    // made larger when it will not do: new touches need a new matrix, and a step is not to allocate
    Arena pool;
    Memory from_pool;
    int* sizes; // of block rows
    int size_capacity;
    int node_count, body_count; // that it was made for
    SparseLduPair* pairs;       // of block rows that are coupled; those of rods first
    int pair_count, pair_capacity;
    double* r; // right-hand side, then solution (blocks.n)
    int r_capacity;
} SparseSystem;

bool sparse_suits(const BarrierSolver* t);
// from the systems' bands and the rows of touches, with the right-hand side; false: no memory
bool sparse_fill(BarrierSolver* t);
bool sparse_factor(BarrierSolver* t);     // false: singular
void sparse_solve(BarrierSolver* t);      // into the systems' moves, and the bodies'
void sparse_take_right(BarrierSolver* t); // another right-hand side: the one that stands in the systems
void sparse_free(Memory* m, SparseSystem* whole);

#endif
