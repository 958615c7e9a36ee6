// Corners, edges and nodes added to a band, four at a time: the inner loops of assembling, written on
// math/wide.h and compiled for each instruction set.
#ifndef CORD_SOLVE_BAND_SYSTEM_KERNEL_H
#define CORD_SOLVE_BAND_SYSTEM_KERNEL_H

#include "math/band_ldu.h"
#include "model/corner.h"

#include <stdbool.h>

typedef struct BandCorners {
    BandLdu* band;
    double* right;            // right-hand side
    const CornerTerms* terms; // by slot, less its base
    int block;   // unknowns of a node: its position, the angle of the edge after it, and maybe a tension
    int first;   // unknown at which the node before the first corner begins
    int slot;    // of the first corner
    int count;   // corners, one after the other, whose nodes are all in the band
    bool matrix; // or the right-hand side alone
} BandCorners;

// Edges that pull with a tension of their own, and the inertia of the nodes they start from: see system.c for
// the equations.
typedef struct BandEdges {
    BandLdu* band;
    double* right;
    int block;       // 4: a tension that the length gives; 5: one that is an unknown
    int first;       // unknown at which the first edge's node begins
    int slot, count; // of the first edge; edges, one after the other, whose nodes are all in the band
    const double *y[3], *x[3], *start[3], *n, *rest_len; // by slot
    const double* soft;                                  // rest length over EA; 0: inextensible [m/N]
    const double* weight;                                // mass of a node [kg]
    double mass;                                         // what a mass counts for [1/s^2]
    double gravity[3];                                   // [m/s^2]
    double viscous;
    bool midpoint;
    bool matrix;         // or the right-hand side alone
    const double* slack; // give of a tension that is an unknown [m/N]
} BandEdges;

// The solution of Newton's method, by slot: of nodes, and of the edges after them.
typedef struct BandMoves {
    int slot, count; // of the first node or edge; how many, one after the other
    const double *x[3], *angle;
    const double* rest_len; // also before the first and after the last; 0: no edge there
    const BandEdges* edges;
    double share; // of the solution that is taken
    double* n;
} BandMoves;

typedef struct BandKernels {
    void (*add_corners)(const BandCorners* s);
    void (*add_edges)(const BandEdges* s); // with augment = 0, and without drag
    // largest, of positions over edge length and of angles; NAN if any is
    double (*change)(const BandMoves* m);
    void (*pull)(const BandMoves* m); // tensions that the lengths give, before positions move
} BandKernels;

#endif
