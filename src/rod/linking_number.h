// Linking numbers of polygons that may be open.
#ifndef CORD_ROD_LINKING_NUMBER_H
#define CORD_ROD_LINKING_NUMBER_H

#include "base/memory.h"

typedef struct LinkPolygon {
    const CordVec3* x; // (count)
    int count;
    bool closed;
} LinkPolygon;

// As cord_polygon_linking_number, with memory from m.
int64_t linking_number(Memory* m, LinkPolygon a, LinkPolygon b);

// By how much their linking number changes when polygons go from `a` and `b` to `a_now` and `b_now`, of as
// many nodes: 0 unless they pass through each other. Ends may move, and be slipped over. 0 without memory,
// too.
int64_t linking_number_change(Memory* m, LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now);

// Likewise, of the determinant of a polygon's own knot: does it change? No, without memory or where it is not
// known.
bool knot_determinant_changes(Memory* m, LinkPolygon a, LinkPolygon a_now);

#endif
