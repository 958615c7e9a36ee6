// Sparse systems of small dense blocks: a block row for each body, pin or seam where rods meet. What is
// coupled is known when the system is made: an order of elimination with little fill is found once, and
// factoring and solving allocate nothing. A tree has no fill at all, so that its cost is linear.
#ifndef CORD_MATH_SPARSE_LDU_H
#define CORD_MATH_SPARSE_LDU_H

#include "base/memory.h"
#include "math/ldu_pivots.h"

#define SPARSE_LDU_MAX_SIZE 8

// Block row i has the unknowns offset[i] .. offset[i + 1] - 1 of a right-hand side. The place of a block row
// is its turn in the order of elimination. An edge is two coupled block rows, given or filled in: one block
// above the diagonal, one below.
typedef struct SparseLdu {
    Memory* memory;
    int count;      // block rows
    int n;          // unknowns
    int edge_count; // fill included
    int* offset;    // first unknown of a block row                                    (count + 1)
    int* place;     // of a block row                                                  (count)
    int* order;     // the block row at a place                                        (count)
    int* size;      // unknowns of the block row at a place                            (count)
    int* first;     // the first edge of the block row at a place to later ones        (count + 1)
    int* later;     // the place of an edge's later block row, ascending from `first`  (edge_count)
    size_t* square; // where in `values` the diagonal block at a place is              (count)
    size_t* edge;   // where an edge's upper block is; its lower block follows         (edge_count)
    size_t value_count;
    double* values; // all blocks                                                      (value_count)
    double* inv;    // inverse pivots                                                  (n)
    double* diag;   // the diagonal before factoring                                   (n)
} SparseLdu;

typedef struct SparseLduPair {
    int i, j;
} SparseLduPair;

// Sizes from 1 to SPARSE_LDU_MAX_SIZE. Pairs of different block rows, in any order; the same one may come
// more than once. All blocks are zero. CORD_NO_MEMORY leaves nothing behind.
CordResult sparse_ldu_create(Memory* memory, SparseLdu* b, const int* sizes, int count,
                             const SparseLduPair* pairs, int pair_count);
void sparse_ldu_destroy(SparseLdu* b); // also what is all zero
void sparse_ldu_clear(SparseLdu* b);   // zeroes all blocks

static inline int sparse_ldu_size(const SparseLdu* b, int i)
{
    return b->offset[i + 1] - b->offset[i];
}

static inline int sparse_ldu_padded(int size) // up to a multiple of four
{
    return (size + 3) & ~3;
}

// From one row of a block to the next, in the blocks of column j.
static inline int sparse_ldu_stride(const SparseLdu* b, int j)
{
    return sparse_ldu_padded(sparse_ldu_size(b, j));
}

// Row-major, with padding that must stay zero; stays where it is until the end. NULL: the two are not
// coupled.
double* sparse_ldu_at(const SparseLdu* b, int i, int j);

// Adds scale left right^T to a block in column j, of so many rows; right is as long as a row, padding
// included.
void sparse_ldu_add_outer(const SparseLdu* b, double* block, int rows, int j, double scale,
                          const double* left, const double* right);

LduPivots sparse_ldu_factor(SparseLdu* b);            // overwrites the blocks with their factors; no pivoting
void sparse_ldu_solve(const SparseLdu* b, double* r); // r becomes the solution (n)

#endif
