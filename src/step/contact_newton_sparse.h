// The sparse matrix of all rods and bodies in contact. It has block rows for the Newton systems
// (solve/newton_rows.h), and one for each body without welds. A rod couples a node with the next two; a
// contact couples the nodes of two edges, or the bodies that carry them. A minimum-degree elimination order
// keeps the fill small where rods lie side by side, as in knots and plectonemes. The matrix need not be
// positive definite.
#ifndef CORD_STEP_CONTACT_NEWTON_SPARSE_H
#define CORD_STEP_CONTACT_NEWTON_SPARSE_H

#include "base/arena.h"
#include "math/sparse_ldu.h"
#include "solve/newton_rows.h"
#include "step/coulomb.h"

typedef struct ContactNewton ContactNewton;
typedef struct ContactParts ContactParts;
// What the parts of a contact tell of its surfaces: their motion, or their turn, for its couple.
typedef enum Told { TOLD_MOTION, TOLD_TURN } Told;

typedef struct SparseSystem {
    SparseLdu blocks; // allocated from the pool
    // Grows when it is too small. New contacts need a new matrix, and a step must not allocate each time.
    Arena pool;
    Memory from_pool;
    bool is_built; // for this step: the elimination order must not depend on earlier ones
    int row_count; // block rows
    int* sizes;    // of the block rows
    int* offset;   // first unknown of a block row
    int size_capacity, offset_capacity;
    RowPairs pairs;                            // coupled block rows, those of the systems first
    RowPairs later;                            // constraints on the elimination order
    RowPairs pairs_of_blocks, later_of_blocks; // of which `blocks` was created
    double* r;                                 // right-hand side, then solution
    int r_capacity;
    double* right; // right-hand side without a change of the contact forces, which several solves share
    int right_capacity;
    ContactParts* parts; // of the contacts, as far as they were needed since sparse_begin
    int parts_capacity;
    ContactParts* turns; // likewise, of their couples, if some surfaces resist rolling
    int turns_capacity;
} SparseSystem;

bool sparse_begin(ContactNewton* t); // after assembling: takes the right-hand side; false: no memory
// Builds the matrix and right-hand side from the systems and the contacts. False: no memory.
bool sparse_fill(ContactNewton* t);
LduPivots sparse_factor(ContactNewton* t);
void sparse_solve(ContactNewton* t); // writes the solution into the moves of systems and bodies
// After that, and after contact_newton_gather: adds to the points' u what contacts gain as they turn.
void sparse_add_turning(ContactNewton* t);
void sparse_put_moves(ContactNewton* t, const double* x); // writes the unknowns x into these moves
void sparse_take_right(ContactNewton* t);                 // takes the systems' right-hand sides into r

// Of contact i, which must push: J x, the motion that is prescribed, and r += J' f.
CordVec3 sparse_contact_motion(const ContactNewton* t, int i, const double* x);
CordVec3 sparse_contact_known(const ContactNewton* t, int i);
void sparse_add_contact_force(const ContactNewton* t, int i, CordVec3 f, double* r);
void sparse_free(Memory* m, SparseSystem* s);

#endif
