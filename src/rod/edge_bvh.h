// Closest edges to a point: a bounding-volume hierarchy whose boxes are split at the median of their
// longest side. Built in O(n log n).
#ifndef CORD_ROD_EDGE_BVH_H
#define CORD_ROD_EDGE_BVH_H

#include "rod/polygon_bvh.h"

typedef struct ClosestEdge {
    int edge;
    double distance; // [m]
    double along;    // closest point, from 0 at the start of the edge to 1 at its end
} ClosestEdge;

typedef struct EdgeBvh {
    const CordVec3* x; // nodes, owned by the caller
    const int* ends;   // the two nodes of each edge, owned by the caller (2 edge_count)
    int edge_count;
    int* order; // edges, leaf by leaf (edge_count)
    BoundingBox*
        boxes; // the root is 1, the children of k are 2k and 2k + 1, each with half of the edges (box_count)
    int box_count;
} EdgeBvh;

// false: no memory
bool edge_bvh_create(Memory* m, EdgeBvh* tree, const CordVec3* x, const int* ends, int edge_count);
void edge_bvh_destroy(Memory* m, EdgeBvh* tree);

// Writes the `most` closest edges (16 at most) in order of distance, then of number. Returns how many there
// are.
int edge_bvh_closest(const EdgeBvh* tree, CordVec3 point, int most, ClosestEdge* found);

#endif
