// The arithmetic of math/sparse_ldu.h on dense blocks.
#ifndef CORD_MATH_SPARSE_LDU_KERNEL_H
#define CORD_MATH_SPARSE_LDU_KERNEL_H

#include "math/kernel.h"
#include "math/sparse_ldu.h"

typedef struct SparseLduKernels {
    // Factors the block row at place p, and subtracts its L D U from the later ones that it is coupled with.
    void (*eliminate)(SparseLdu* b, int p);
    // Solve with L, from the first place to the last, and with D U back again.
    void (*forward)(const SparseLdu* b, int p, double* r);
    void (*backward)(const SparseLdu* b, int p, double* r);
    // Adds scale left right' to a block, whose rows are `stride` apart: four or eight.
    void (*add_outer)(double* block, int rows, int stride, double scale, const double* left,
                      const double* right);
    // Adds `rank` such products, of rows that are SPARSE_LDU_MAX_SIZE apart, to the first columns.
    void (*add_outers)(double* block, int rows, int columns, int stride, int rank, const double* left,
                       const double* right);
} SparseLduKernels;

KERNEL_DECLARE(SparseLduKernels, sparse_ldu_kernels);

#endif
