// Bounding-volume hierarchy over the edges of a closed polygon: an implicit binary tree of axis-aligned boxes
// in the order of the edges, since neighbours along a curve are near each other. Built in O(n); an update of
// a leaf costs O(log n).
#ifndef CORD_ROD_POLYGON_BVH_H
#define CORD_ROD_POLYGON_BVH_H

#include "base/memory.h"

typedef struct BoundingBox {
    CordVec3 low, high;
} BoundingBox;

typedef struct PolygonBvh {
    // The root is 1, the children of k are 2k and 2k + 1, and leaves begin at leaf_count   (2 room)
    BoundingBox* nodes;
    int leaf_count; // a power of two
    int room;       // leaves there is memory for
} PolygonBvh;

BoundingBox bounding_box_empty(void);
void bounding_box_add(BoundingBox* box, CordVec3 point);
BoundingBox bounding_box_of_points(const CordVec3* points, int count, double margin);
bool bounding_boxes_overlap(const BoundingBox* a, const BoundingBox* b);

bool polygon_bvh_create(Memory* m, PolygonBvh* b, int edges); // room for this many; false: no memory
void polygon_bvh_destroy(Memory* m, PolygonBvh* b);

// Leaf k becomes the box of the edge from x[k] to the next vertex. count is at most the number that it was
// created for.
void polygon_bvh_fit(PolygonBvh* b, const CordVec3* x, int count);
void polygon_bvh_set_leaf(PolygonBvh* b, int leaf, BoundingBox box);

// Calls visit for each leaf whose box overlaps the query, in order, until one returns false. True: all
// returned true.
bool polygon_bvh_query(const PolygonBvh* b, BoundingBox query, bool (*visit)(void* user, int leaf),
                       void* user);

#endif
