// The arithmetic of math/sparse_ldu.h on single dense blocks.
#ifndef CORD_MATH_SPARSE_LDU_KERNEL_H
#define CORD_MATH_SPARSE_LDU_KERNEL_H

#include "math/kernel.h"
#include "math/sparse_ldu.h"

typedef struct Block {
    double* values; // row-major
    int rows;
    int stride; // distance between rows: four or eight
} Block;

typedef struct SparseLduKernels {
    // a becomes L below its diagonal and D U on and above it; inv: 1 / D
    void (*factor)(Block a, double* inv);
    void (*divide_left)(Block a, Block x);                     // x becomes L^-1 x
    void (*divide_right)(Block a, const double* inv, Block x); // x becomes x (D U)^-1
    void (*subtract)(Block c, Block x, Block y);               // c -= x y
    // Eliminates the block row at place p as sparse_ldu.c does, where all its blocks are 4 x 4.
    void (*eliminate_four)(SparseLdu* b, int p, double* inv);
    // a += scale left right'
    void (*add_outer)(Block a, double scale, const double* left, const double* right);
    // the sum of `rank` such products, of rows that are SPARSE_LDU_MAX_SIZE apart, in the first columns
    void (*add_outers)(Block a, int columns, int rank, const double* left, const double* right);
} SparseLduKernels;

KERNEL_DECLARE(SparseLduKernels, sparse_ldu_kernels);

#endif
