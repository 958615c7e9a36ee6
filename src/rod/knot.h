// The knot determinant of a polygon, in three steps: KMT reduction of its vertices, projection to a knot
// diagram, and the determinant of the diagram's colouring matrix.
#ifndef CORD_ROD_KNOT_H
#define CORD_ROD_KNOT_H

#include "base/memory.h"

#define KNOT_TOUCH 1e-9            // distance below which parts of a polygon of size 1 touch
#define KNOT_MOST_CROSSINGS 100000 // of a diagram that is simplified

// As cord_polygon_knot, with memory from m.
int64_t knot_determinant(Memory* m, const CordVec3* x, int node_count, bool closed);

// Removes vertices of a closed polygon of size 1 as long as no edge passes through another; the rest move up.
// Returns how many are left, or -1: no memory.
int knot_reduce(Memory* m, CordVec3* x, int count);

typedef struct KnotCurve {
    int count; // vertices
    bool closed;
    int stays; // the first vertex and every so many after it stay, and those between are removed; 1: all stay
} KnotCurve;

// Removes vertices of curves that are one after the other in x and of size 1. *kept: no edge had to pass
// through another, so that knots and links are what they were. False: no memory.
bool knot_coarsen(Memory* m, CordVec3* x, const KnotCurve* curves, int curve_count, bool* kept);

// A knot diagram as its Gauss code: along the knot each crossing comes twice, once over and once under.
typedef struct KnotPass {
    int crossing;
    bool over;
} KnotPass;

typedef struct KnotDiagram {
    KnotPass* passes; // (2 crossing_count)
    int crossing_count;
    int capacity; // of passes
} KnotDiagram;

// Projects a closed polygon of size 1. False: no memory, or far too many crossings.
bool knot_diagram_create(Memory* m, KnotDiagram* d, const CordVec3* x, int count);
void knot_diagram_destroy(Memory* m, KnotDiagram* d);

// Simplifies by Reidemeister moves I and II. False: no memory.
bool knot_diagram_simplify(Memory* m, KnotDiagram* d);

// -1: no memory, or more than 63 bits.
int64_t knot_diagram_determinant(Memory* m, const KnotDiagram* d);

#endif
