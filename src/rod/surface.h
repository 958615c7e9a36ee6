// Skinning: vertices of a surface are tied to the edges of a rod and follow them.
#ifndef CORD_ROD_SURFACE_H
#define CORD_ROD_SURFACE_H

#include "rod/edge_bvh.h"

#include <cordage/surface.h>

typedef struct SurfaceRod { // a state of a rod
    const CordVec3* x;      // nodes [m]
    const CordVec3* m1;     // first material axes (edge_count)
    const int* ends;        // the two nodes of each edge, as x counts them (2 edge_count); NULL: a chain
    int first_node, node_count, edge_count; // a chain's first node in x, and how many it has
} SurfaceRod;

// Ties a vertex to its closest edges. `tree` must hold the same rod in the same state.
void surface_tie(const SurfaceRod* rod, const EdgeBvh* tree, CordVec3 vertex,
                 CordSurfaceTie ties[CORD_SURFACE_TIES]);
CordVec3 surface_place(const SurfaceRod* rod, const CordSurfaceTie ties[CORD_SURFACE_TIES]);

#endif
