// PolygonBvh in a tree, for finding those that overlap. Leaves stand in the order of a curve that fills
// space; that order is kept while boxes move, and found anew only when it has become much worse than it was.
// PolygonBvh that are not finite, are more than 1e30 m away or have lo above hi are left out: they overlap
// nothing.
#ifndef CORD_CONTACT_TREE_H
#define CORD_CONTACT_TREE_H

#include "base/memory.h"
#include "math/vec3.h"

#define TREE_MOST_LEVELS 16 // of nodes with four below each: enough for any int

typedef struct Box {
    double lo[3], hi[3]; // [m]
} Box;

static inline bool boxes_overlap(const Box* a, const Box* b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

typedef struct Tree { // all zero: empty
    int leaf_count;
    int node_count;
    int level_count;
    // first node of each level, those over leaves first; then node_count
    int level_start[TREE_MOST_LEVELS + 1];
    struct TreeNode* nodes; // (node_capacity)
    int* order;             // which box a leaf holds (leaf_capacity)
    struct TreeKey* keys;   // of leaves while they are put in order, twice (2 leaf_capacity)
    int leaf_capacity, node_capacity;
    double origin[3]; // that nodes are relative to [m]
    double cost;    // how far nodes reach beyond the boxes in them, when the order was found [m]: see tree.c
    int64_t orders; // how often it was found
} Tree;

// Fits the tree to `count` boxes: refits if there were as many before and it is not much worse than when they
// were put in order, else orders anew. Up to as many boxes as there were at the most, it allocates nothing.
// False: no memory; the tree is empty then.
bool tree_fit(Memory* m, Tree* tree, const Box* boxes, int count);
void tree_free(Memory* m, Tree* tree);

// `boxes` are those of the last fit. Pairs and hits come in the order of leaves, which the boxes of that fit
// decide if it put them in order, and those of an earlier one if not: whoever needs an order that earlier
// fits have no part in sorts them.

// Calls `found` for each pair (i < j) of boxes that overlap, once each. It returns false to stop; so does
// this then.
typedef bool (*TreePair)(void* context, int i, int j);
bool tree_pairs(const Tree* tree, const Box* boxes, TreePair found, void* context);

// Calls `found` for each box that overlaps the given one, which may be infinite. False: it was stopped.
typedef bool (*TreeHit)(void* context, int i);
bool tree_hits(const Tree* tree, const Box* boxes, const Box* box, TreeHit found, void* context);

#endif
