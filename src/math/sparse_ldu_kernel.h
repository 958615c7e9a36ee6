// The arithmetic of blocks.h on single dense blocks, compiled for each instruction set.
#ifndef CORD_MATH_SPARSE_LDU_KERNEL_H
#define CORD_MATH_SPARSE_LDU_KERNEL_H

typedef struct Block {
    double* values; // row-major
    int rows;
    int stride; // from one row to the next: four or eight
} Block;

typedef struct SparseLduKernels {
    // a becomes L below its diagonal and D U on and above it; inv: 1 / D
    void (*factor)(Block a, double* inv);
    void (*divide_left)(Block a, Block x);                     // x becomes L^-1 x
    void (*divide_right)(Block a, const double* inv, Block x); // x becomes x (D U)^-1
    void (*subtract)(Block c, Block x, Block y);               // c -= x y
    // a += scale left right^T
    void (*add_outer)(Block a, double scale, const double* left, const double* right);
} SparseLduKernels;

#endif
