// Sparse systems of small dense blocks: a block row for each body, pin or seam where rods meet. What is
// coupled is known when the system is made: an order of elimination with little fill is found once, and
// factoring and solving allocate nothing. A tree has no fill at all, so that its cost is linear.
#ifndef CORD_MATH_BLOCKS_H
#define CORD_MATH_BLOCKS_H

#include "base/memory.h"

#define BLOCKS_MOST_SIZE 8

// Block row i has the unknowns offset[i] .. offset[i + 1] - 1 of a right-hand side. The place of a block row
// is its turn in the order of elimination. An edge is two coupled block rows, given or filled in: one block
// above the diagonal, one below.
typedef struct Blocks {
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
} Blocks;

typedef struct BlocksPair {
    int i, j;
} BlocksPair;

// As BandPivots in band.h. The matrix need not be symmetric; if it is, `negative` counts its negative
// eigenvalues.
typedef struct BlocksPivots {
    int negative; // how many pivots are below zero
    double least; // smallest pivot over the diagonal that stood in its place; at most 1
    int where;    // its unknown; -1 if there are none
} BlocksPivots;

// Sizes from 1 to BLOCKS_MOST_SIZE. Pairs of different block rows, in any order; the same one may come more
// than once. All blocks are zero. CORD_NO_MEMORY leaves nothing behind.
CordResult blocks_create(Memory* memory, Blocks* b, const int* sizes, int count, const BlocksPair* pairs,
                         int pair_count);
void blocks_destroy(Blocks* b); // also what is all zero
void blocks_clear(Blocks* b);   // zeroes all blocks

static inline int blocks_size(const Blocks* b, int i)
{
    return b->offset[i + 1] - b->offset[i];
}

static inline int blocks_padded(int size) // up to a multiple of four
{
    return (size + 3) & ~3;
}

// From one row of a block to the next, in the blocks of column j.
static inline int blocks_stride(const Blocks* b, int j)
{
    return blocks_padded(blocks_size(b, j));
}

// Row-major, with padding that must stay zero; stays where it is until the end. NULL: the two are not
// coupled.
double* blocks_at(const Blocks* b, int i, int j);

// Adds scale left right^T to a block in column j, of so many rows; right is as long as a row, padding
// included.
void blocks_add_outer(const Blocks* b, double* block, int rows, int j, double scale, const double* left,
                      const double* right);

BlocksPivots blocks_factor(Blocks* b);         // overwrites the blocks with their factors; no pivoting
void blocks_solve(const Blocks* b, double* r); // r becomes the solution (n)

#endif
