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
#include "step/barrier_dense.h"

typedef struct BarrierSolver BarrierSolver;
typedef struct ContactPart ContactPart;

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
    double* right; // right-hand side of the rods, which several solves share
    int right_capacity;
    ContactPart* parts; // of all contacts
    int part_capacity;
} SparseSystem;

bool sparse_suits(const BarrierSolver* t);
bool sparse_begin(BarrierSolver* t); // keeps the systems' right-hand side; false: no memory
// Builds the matrix and right-hand side from the systems' bands and the contacts. False: no memory.
bool sparse_fill(BarrierSolver* t);
void sparse_restore_right_side(BarrierSolver* t); // in the systems
bool sparse_factor(BarrierSolver* t);         // false: singular
void sparse_solve(BarrierSolver* t);          // writes the solution into the moves of systems and bodies
// The matrix without contact, but with its curvature. False: no memory.
bool sparse_fill_alone(BarrierSolver* t);
bool sparse_compliance(BarrierSolver* t, const DenseContacts* d); // sets W, after factoring; false: no memory
void sparse_apply(BarrierSolver* t); // solves with the contact forces
void sparse_free(Memory* m, SparseSystem* s);

#endif
