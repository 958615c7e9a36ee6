// Linking numbers of polygons that may be open.
#ifndef CORD_ROD_LINK_H
#define CORD_ROD_LINK_H

#include "base/memory.h"

typedef struct LinkLine {
    const CordVec3* x; // (count)
    int count;
    bool closed;
} LinkLine;

// As cord_polygon_linking_number, with memory from m.
int64_t link_number(Memory* m, LinkLine a, LinkLine b);

// By how much their linking number changes when polygons go from `a` and `b` to `a_now` and `b_now`, of as
// many nodes: 0 unless they pass through each other. Ends may move, and be slipped over. 0 without memory,
// too.
int64_t link_change(Memory* m, LinkLine a, LinkLine a_now, LinkLine b, LinkLine b_now);

// Likewise, of the determinant of a polygon's own knot: does it change? No, without memory or where it is not
// known.
bool link_knot_changes(Memory* m, LinkLine a, LinkLine a_now);

#endif
