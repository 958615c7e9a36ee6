// Boxes in a tree, for finding those that overlap. Leaves stand in the order of a curve that fills space;
// that order is kept while boxes move, and found anew only when it has become much worse than it was. Boxes
// that are not finite, are more than 1e30 m away or have lo above hi are left out: they overlap nothing.
#ifndef CORD_CONTACT_BVH_H
#define CORD_CONTACT_BVH_H

#include "base/memory.h"
#include "math/vec3.h"

#define BVH_MAX_LEVELS 16 // of nodes with four below each: enough for any int

typedef struct Aabb {
    double lo[3], hi[3]; // [m]
} Aabb;

static inline bool aabb_overlap(const Aabb* a, const Aabb* b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

typedef struct Bvh { // all zero: empty
    int leaf_count;
    int node_count;
    int level_count;
    // first node of each level, those over leaves first; then node_count
    int level_start[BVH_MAX_LEVELS + 1];
    struct BvhNode* nodes; // (node_capacity)
    int* order;            // which box a leaf holds (leaf_capacity)
    struct BvhKey* keys;   // of leaves while they are put in order, twice (2 leaf_capacity)
    int leaf_capacity, node_capacity;
    double origin[3]; // that nodes are relative to [m]
    double cost;    // how far nodes reach beyond the boxes in them, when the order was found [m]: see tree.c
    int64_t orders; // how often it was found
} Bvh;

// Fits the tree to `count` boxes: refits if there were as many before and it is not much worse than when they
// were put in order, else orders anew. Up to as many boxes as there were at the most, it allocates nothing.
// False: no memory; the tree is empty then.
bool bvh_fit(Memory* m, Bvh* tree, const Aabb* boxes, int count);
void bvh_free(Memory* m, Bvh* tree);

// `boxes` are those of the last fit. Pairs and hits come in the order of leaves, which the boxes of that fit
// decide if it put them in order, and those of an earlier one if not: whoever needs an order that earlier
// fits have no part in sorts them.

// Calls `found` for each pair (i < j) of boxes that overlap, once each. It returns false to stop; so does
// this then.
typedef bool (*BvhPair)(void* context, int i, int j);
bool bvh_pairs(const Bvh* tree, const Aabb* boxes, BvhPair found, void* context);

// Calls `found` for each box that overlaps the given one, which may be infinite. False: it was stopped.
typedef bool (*BvhHit)(void* context, int i);
bool bvh_query(const Bvh* tree, const Aabb* boxes, const Aabb* box, BvhHit found, void* context);

#endif
