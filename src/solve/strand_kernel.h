// Corners added to a band, four at a time: the inner loop of assembling, written on math/wide.h and compiled for each instruction set.
#ifndef CORD_SOLVE_STRAND_KERNEL_H
#define CORD_SOLVE_STRAND_KERNEL_H

#include "math/band.h"
#include "model/corner.h"

typedef struct StrandCorners {
    Band* band;
    double* right;            // right-hand side
    const CornerTerms* terms; // by slot
    int block; // unknowns of a node: its position, the angle of the edge after it, and maybe a tension
    int first; // unknown at which the node before the first corner begins
    int slot;  // of the first corner
    int count; // corners, one after the other, whose nodes are all in the band
} StrandCorners;

typedef struct StrandKernels {
    const char* name;
    void (*add_corners)(const StrandCorners* s);
} StrandKernels;

#endif
