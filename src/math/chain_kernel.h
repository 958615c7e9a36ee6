// The inner loops of chain.h, compiled for each instruction set.
#ifndef CORD_MATH_CHAIN_KERNEL_H
#define CORD_MATH_CHAIN_KERNEL_H

#include "math/chain.h"

// Four rows q1 < m < q3 < n - 1 separate the pieces. Each piece is eliminated from the row beside one of
// them, its far end, towards another, its near end: from the last row on, around the ring, to q1; from m back
// to q1; from m on to q3; from the last row back to q3.
typedef struct ChainPieces {
    int separator[4];
    int start[4]; // row that is eliminated first
    int rows;     // in each piece; the first `longer` of them have one more
    int longer;
} ChainPieces;

ChainPieces chain_pieces(int n); // n rows, four at least

typedef struct ChainReduced { // what eliminating the pieces leaves between the separators, by piece
    double near_diag[4], near_r[4];
    double far_diag[4], far_r[4];
    double link[4]; // of the near and the far end
    double least;   // pivot
} ChainReduced;

typedef struct ChainKernels {
    const char* name;
    ChainReduced (*eliminate)(const Chain* c, const ChainPieces* p);
    // separators are known; returns the largest |x| of the others
    double (*substitute)(const Chain* c, const ChainPieces* p);
} ChainKernels;

#endif
