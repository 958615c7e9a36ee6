// Drawings of knots: each strand is a curve in the plane with a height at each crossing.
#ifndef CORD_ROD_KNOT_TABLE_H
#define CORD_ROD_KNOT_TABLE_H

#include <stdbool.h>

#define KNOT_STRANDS 2 // strands of a knot, at most

// Heights are letters, one for each crossing along the strand: o is one level up (over), u one level down
// (under). Where more than two strands are stacked, a digit is that many levels up, and a, b, c ... are one,
// two, three down. Two strands that cross are at least two levels apart.
typedef struct KnotStrand {
    const signed char (*points)[2]; // points of the spline (point_count)
    int point_count;
    const char* heights;
    bool closed;
} KnotStrand;

typedef struct KnotDrawing {
    const char* name;
    KnotStrand strands[KNOT_STRANDS];
    int strand_count;
    double level; // height of a level, in units of the drawing
    double pole;  // radius of a pole along y through (0, 0), in levels; 0: none
} KnotDrawing;

extern const KnotDrawing knot_drawings[];
extern const int knot_drawing_count;

#endif
