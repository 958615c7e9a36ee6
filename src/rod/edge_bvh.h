// The edges nearest to a point, of many that lie anywhere in space: a tree of boxes, each split across its
// longest side.
#ifndef CORD_ROD_EDGE_BVH_H
#define CORD_ROD_EDGE_BVH_H

#include "rod/polygon_bvh.h"

typedef struct ClosestEdge {
    int edge;
    double distance; // [m]
    double along;    // where it is nearest, from 0 at its start to 1 at its end
} ClosestEdge;

typedef struct EdgeBvh {
    const CordVec3* x; // not its own (node count)
    const int* ends;   // likewise: the two nodes of each edge (2 edge_count)
    int edge_count;
    int* order; // edges, leaf by leaf (edge_count)
    BoundingBox*
        boxes; // the root is 1, the children of k are 2k and 2k + 1, each with half of the edges (box_count)
    int box_count;
} EdgeBvh;

// false: no memory
bool edge_bvh_create(Memory* m, EdgeBvh* tree, const CordVec3* x, const int* ends, int edge_count);
void edge_bvh_destroy(Memory* m, EdgeBvh* tree);

// The `most` nearest ones (16 at the most), in order of their distance, equal ones in order of their numbers.
// Returns how many there are.
int edge_bvh_closest(const EdgeBvh* tree, CordVec3 point, int most, ClosestEdge* found);

#endif
