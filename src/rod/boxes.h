// Boxes about the edges of a closed polygon, in a binary tree that follows their order: neighbours along a
// curve are near each other.
#ifndef CORD_ROD_BOXES_H
#define CORD_ROD_BOXES_H

#include "base/memory.h"

typedef struct Box {
    CordVec3 low, high;
} Box;

typedef struct Boxes {
    Box* nodes; // the root is 1, the children of k are 2k and 2k + 1; leaves begin at leaf_count   (2 room)
    int leaf_count; // a power of two
    int room;       // leaves there is memory for
} Boxes;

Box box_empty(void);
Box box_of_points(const CordVec3* points, int count, double margin);

bool boxes_create(Memory* m, Boxes* b, int edges); // room for that many; false: no memory
void boxes_destroy(Memory* m, Boxes* b);

// Leaf k becomes the box of the edge from x[k] to the next vertex; count is at most what there is room for.
void boxes_fill(Boxes* b, const CordVec3* x, int count);
void boxes_set(Boxes* b, int leaf, Box box);

// Calls visit for each leaf whose box meets the query, in order, until one returns false. True: all returned
// true.
bool boxes_visit(const Boxes* b, Box query, bool (*visit)(void* user, int leaf), void* user);

#endif
