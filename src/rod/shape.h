// Curves sampled into nodes.
#ifndef CORD_ROD_SHAPE_H
#define CORD_ROD_SHAPE_H

#include "base/memory.h"
#include "base/message.h"

typedef struct ShapeEnds {
    bool closed;
    bool half_start, half_end; // the first, last edge is half as long as the others
    // samples at these ticks of the edges (tick_count), of which each has tick_unit; NULL: at the nodes
    const int* tick;
    int tick_unit, tick_count;
} ShapeEnds;

CordResult shape_check(const CordShape* shape, bool closed, Message* message);

// A point of the centripetal Catmull-Rom spline through the shape's points, for u in [0, 1].
CordVec3 shape_spline_point(const CordShape* shape, bool closed, double u);

// Samples `shape`, which shape_check has accepted, into x (shape->node_count, or ends.tick_count).
CordResult shape_sample(Memory* m, const CordShape* shape, ShapeEnds ends, CordVec3* x, Message* message);

#endif
