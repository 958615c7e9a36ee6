// Kernels that add corners, edges and nodes to the band, four at a time. They are written on math/wide.h and
// compiled for each instruction set.
#ifndef CORD_SOLVE_BAND_SYSTEM_KERNEL_H
#define CORD_SOLVE_BAND_SYSTEM_KERNEL_H

#include "math/band_ldu.h"
#include "model/corner.h"

#include <stdbool.h>

typedef struct BandCorners {
    BandLdu* band;
    double* right;            // right-hand side
    const CornerTerms* terms; // indexed by slot minus terms->base
    int block;                // unknowns per node: position, angle of the edge after it, possibly a tension
    int first;                // first unknown of the node before the first corner
    int slot;                 // slot of the first corner
    int count;                // number of consecutive corners; all their nodes must be in the band
    bool matrix;              // false: right-hand side only
} BandCorners;

// Edges under tension, and the inertia of the nodes they start from. newton_rod.c has the equations.
typedef struct BandEdges {
    BandLdu* band;
    double* right;
    int block;       // 4: the tension follows from the length; 5: it is an unknown
    int first;       // first unknown of the first edge's first node
    int slot, count; // slot of the first edge; number of consecutive edges, all with nodes in the band
    const double *y[3], *x[3], *start[3], *n, *rest_len; // by slot
    const double* soft;                                  // rest length over EA; 0: inextensible [m/N]
    const double* weight;                                // mass of a node [kg]
    double mass;                                         // factor of the mass matrix [1/s^2]
    double extra_inertia;                                // see NewtonSystem
    double gravity[3];                                   // [m/s^2]
    double viscous;
    bool midpoint;
    bool matrix;         // false: right-hand side only
    const double* slack; // regularising compliance of a tension unknown [m/N]
} BandEdges;

// The Newton step, by slot: of nodes, and of the edges after them.
typedef struct BandMoves {
    int slot, count; // slot of the first node or edge; number of consecutive ones
    const double *x[3], *angle;
    const double* rest_len; // also valid before the first and after the last; 0: no edge there
    const BandEdges* edges;
    double share; // fraction of the Newton step that is taken
    double* n;
} BandMoves;

typedef struct BandKernels {
    void (*add_corners)(const BandCorners* s);
    void (*add_edges)(const BandEdges* s); // requires augment = 0 and no drag
    // Largest change: positions over edge length, and angles. Returns NAN if any entry is NAN.
    double (*change)(const BandMoves* m);
    // Updates the tensions that follow from lengths. Call it before positions move.
    void (*pull)(const BandMoves* m);
} BandKernels;

#endif
