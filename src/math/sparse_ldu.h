// Solves A x = r with a sparse matrix of small dense blocks, by A = L D U without row exchanges (L D L' if A
// is symmetric). The pattern is known when the system is created: block rows are eliminated in minimum-degree
// order (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981), fill is
// allocated once, and factoring and solving allocate nothing. A tree has no fill, so that its cost is linear.
#ifndef CORD_MATH_SPARSE_LDU_H
#define CORD_MATH_SPARSE_LDU_H

#include "base/memory.h"
#include "math/ldu_pivots.h"

#define SPARSE_LDU_MAX_SIZE 8

// Block row i has the unknowns offset[i] .. offset[i + 1] - 1 of a right-hand side. The place of a block row
// is its position in the elimination order. An edge is a pair of coupled block rows, of A or filled in: it
// has one block above the diagonal and one below.
typedef struct SparseLdu {
    Memory* memory;
    int count;      // block rows
    int n;          // unknowns
    int edge_count; // fill included
    int* offset;    // first unknown of a block row                                    (count + 1)
    int* place;     // place of a block row                                                  (count)
    int* order;     // the block row at a place                                        (count)
    int* size;      // unknowns of the block row at a place                            (count)
    int* first;     // first edge from the block row at a place to a later one         (count + 1)
    int* later;     // place of an edge's later block row, ascending from `first`      (edge_count)
    size_t* square; // offset in `values` of the diagonal block at a place             (count)
    size_t* edge;   // offset of an edge's upper block; its lower block follows        (edge_count)
    size_t value_count;
    double* values; // all blocks                                                      (value_count)
    double* inv;    // 1 / D                                                           (n)
    double* diag;   // the diagonal before factoring                                   (n)
} SparseLdu;

typedef struct SparseLduPair {
    int i, j;
} SparseLduPair;

// Block sizes are 1 to SPARSE_LDU_MAX_SIZE. Each pair names two different block rows that are coupled, and
// may come more than once. All blocks begin as zero. CORD_NO_MEMORY leaves nothing behind.
CordResult sparse_ldu_create(Memory* memory, SparseLdu* b, const int* sizes, int count,
                             const SparseLduPair* pairs, int pair_count);
// The same with constraints on the elimination order: of each pair in `later`, i is eliminated after j. They
// must not form a cycle. A Lagrange multiplier whose diagonal entry is zero needs them.
CordResult sparse_ldu_create_ordered(Memory* memory, SparseLdu* b, const int* sizes, int count,
                                     const SparseLduPair* pairs, int pair_count, const SparseLduPair* later,
                                     int later_count);
void sparse_ldu_destroy(SparseLdu* b); // *b may be all zero
void sparse_ldu_clear(SparseLdu* b);   // zeroes all blocks

static inline int sparse_ldu_size(const SparseLdu* b, int i)
{
    return b->offset[i + 1] - b->offset[i];
}

static inline int sparse_ldu_padded(int size) // up to a multiple of four
{
    return (size + 3) & ~3;
}

// Distance between two rows of a block of column j.
static inline int sparse_ldu_stride(const SparseLdu* b, int j)
{
    return sparse_ldu_padded(sparse_ldu_size(b, j));
}

// The block in row i and column j, row-major, with padding that must stay zero. The pointer stays valid until
// the system is destroyed. NULL: the two block rows are not coupled.
double* sparse_ldu_at(const SparseLdu* b, int i, int j);
// Sets the blocks in row i and column j, and in row j and column i. False: they are not coupled.
bool sparse_ldu_pair_at(const SparseLdu* b, int i, int j, double* block[2]);

// Adds scale left right' to a block of column j. The second adds `rank` such products, of rows of left and
// right that are SPARSE_LDU_MAX_SIZE apart, to the first rows and columns of the block. Rows of `right` are
// padded like those of the block.
void sparse_ldu_add_outer(const SparseLdu* b, double* block, int rows, int j, double scale,
                          const double* left, const double* right);
void sparse_ldu_add_outers(const SparseLdu* b, double* block, int rows, int columns, int j, int rank,
                           const double* left, const double* right);

LduPivots sparse_ldu_factor(SparseLdu* b);            // overwrites the blocks with the factors
void sparse_ldu_solve(const SparseLdu* b, double* r); // r becomes the solution (n)

#endif
