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

// Change of the linking number when polygons move from `a` and `b` to `a_now` and `b_now`, which have as many
// nodes: 0 unless they pass through each other. Ends may move, and may be slipped over. Also 0 without
// memory.
int64_t linking_number_change(Memory* m, LinkPolygon a, LinkPolygon a_now, LinkPolygon b, LinkPolygon b_now);

// Does the knot determinant of a polygon change when it moves from `a` to `a_now`? False without memory or
// where it is not known.
bool knot_determinant_changes(Memory* m, LinkPolygon a, LinkPolygon a_now);

#endif
