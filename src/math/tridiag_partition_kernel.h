// The inner loops of math/tridiag_partition.h.
#ifndef CORD_MATH_TRIDIAG_PARTITION_KERNEL_H
#define CORD_MATH_TRIDIAG_PARTITION_KERNEL_H

#include "math/kernel.h"
#include "math/tridiag_partition.h"

// Four separators q1 < m < q3 < n - 1 lie between the parts. Each part is eliminated from its far separator
// towards its near one: from the last row around the seam to q1; from m back to q1; from m on to q3; from the
// last row back to q3.
typedef struct TridiagParts {
    int separator[4];
    int start[4]; // row that is eliminated first
    int rows;     // rows of a part; the first `longer` parts have one more
    int longer;
} TridiagParts;

TridiagParts tridiag_parts(int n); // n >= 4

typedef struct TridiagSchur { // what each part adds to the Schur complement of the separators
    double near_diag[4], near_r[4];
    double far_diag[4], far_r[4];
    double link[4]; // couples the near and the far separator
    double least;   // smallest pivot
} TridiagSchur;

typedef struct TridiagPartitionKernels {
    TridiagSchur (*eliminate)(const TridiagPartition* c, const TridiagParts* p);
    // Solves for the parts once the separators are known. Returns the largest |x| of the parts.
    double (*substitute)(const TridiagPartition* c, const TridiagParts* p);
} TridiagPartitionKernels;

KERNEL_DECLARE(TridiagPartitionKernels, tridiag_partition_kernels);

#endif
