// The inner loops of chain.h, compiled for each instruction set.
#ifndef CORD_MATH_TRIDIAG_PARTITION_KERNEL_H
#define CORD_MATH_TRIDIAG_PARTITION_KERNEL_H

#include "math/tridiag_partition.h"

// Four rows q1 < m < q3 < n - 1 separate the pieces. Each piece is eliminated from the row beside one of
// them, its far end, towards another, its near end: from the last row on, around the ring, to q1; from m back
// to q1; from m on to q3; from the last row back to q3.
typedef struct TridiagParts {
    int separator[4];
    int start[4]; // row that is eliminated first
    int rows;     // in each piece; the first `longer` of them have one more
    int longer;
} TridiagParts;

TridiagParts tridiag_parts(int n); // n rows, four at least

typedef struct TridiagSchur { // what eliminating the pieces leaves between the separators, by piece
    double near_diag[4], near_r[4];
    double far_diag[4], far_r[4];
    double link[4]; // of the near and the far end
    double least;   // pivot
} TridiagSchur;

typedef struct TridiagPartitionKernels {
    TridiagSchur (*eliminate)(const TridiagPartition* c, const TridiagParts* p);
    // separators are known; returns the largest |x| of the others
    double (*substitute)(const TridiagPartition* c, const TridiagParts* p);
} TridiagPartitionKernels;

#endif
