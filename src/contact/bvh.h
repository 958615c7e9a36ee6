// Bounding-volume hierarchy of axis-aligned boxes, with four children a node. Leaves are sorted along a
// Hilbert curve; moving boxes are refitted, and sorted again only when the hierarchy has become much worse.
// Boxes that are not finite, are more than 1e30 m away, or have lo above hi are left out: they overlap
// nothing.
#ifndef CORD_CONTACT_BVH_H
#define CORD_CONTACT_BVH_H

#include "base/memory.h"
#include "math/vec3.h"

#define BVH_MAX_LEVELS 16 // with four children a node: enough for any int

typedef struct Aabb {
    double lo[3], hi[3]; // [m]
} Aabb;

#define AABB_EMPTY                                                                                           \
    {                                                                                                        \
        {INFINITY, INFINITY, INFINITY},                                                                      \
        {                                                                                                    \
            -INFINITY, -INFINITY, -INFINITY                                                                  \
        }                                                                                                    \
    }

static inline void aabb_add(Aabb* box, CordVec3 p) // grows it to hold p
{
    double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) {
        box->lo[k] = x[k] < box->lo[k] ? x[k] : box->lo[k];
        box->hi[k] = x[k] > box->hi[k] ? x[k] : box->hi[k];
    }
}

static inline bool aabb_overlap(const Aabb* a, const Aabb* b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

typedef struct Bvh { // all zero is an empty hierarchy
    int leaf_count;
    int node_count;
    int level_count;
    // first node of each level, the level over the leaves first; then node_count
    int level_start[BVH_MAX_LEVELS + 1];
    struct BvhNode* nodes; // (node_capacity)
    int* order;            // the box of each leaf (leaf_capacity)
    struct BvhKey* keys;   // sort keys and scratch (2 leaf_capacity)
    int leaf_capacity, node_capacity;
    double origin[3]; // of the nodes' coordinates [m]
    double cost;      // excess size of the nodes after the last sort [m]: see bvh.c
    int64_t orders;   // number of sorts
} Bvh;

// Fits the hierarchy to `count` boxes: refits it if the count is unchanged and it is not much worse than
// after the last sort, otherwise sorts anew. It allocates only when the count exceeds all earlier ones.
// False: no memory; the hierarchy is empty then.
bool bvh_fit(Memory* m, Bvh* bvh, const Aabb* boxes, int count);
void bvh_free(Memory* m, Bvh* bvh);

// In the functions below, `boxes` must be those of the last fit. Results come in the order of the leaves,
// which depends on when they were last sorted; a caller that needs a reproducible order sorts them.

// Calls `found` once for each pair (i < j) of overlapping boxes. If it returns false, the search stops and
// returns false.
typedef bool (*BvhPair)(void* context, int i, int j);
bool bvh_pairs(const Bvh* bvh, const Aabb* boxes, BvhPair found, void* context);

// Calls `found` for each box that overlaps the given one, which may be infinite. False: `found` stopped it.
typedef bool (*BvhHit)(void* context, int i);
bool bvh_query(const Bvh* bvh, const Aabb* boxes, const Aabb* box, BvhHit found, void* context);

#endif
