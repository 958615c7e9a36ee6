// Knots as they are drawn: each strand a curve in the plane, and how high it passes at each crossing it comes
// to.
#ifndef CORD_ROD_KNOT_TABLE_H
#define CORD_ROD_KNOT_TABLE_H

#include <stdbool.h>

#define KNOT_STRANDS 2 // ropes of a knot, at the most

// The heights are letters, one for each crossing along the strand: o over and u under, by one level each;
// where there is more than one on top of another, a digit for so many levels up, and a, b, c ... for one,
// two, three down. Two that cross are two levels apart at least.
typedef struct KnotStrand {
    const signed char (*points)[2]; // that a smooth curve passes through (point_count)
    int point_count;
    const char* heights;
    bool closed;
} KnotStrand;

typedef struct KnotDrawing {
    const char* name;
    KnotStrand strands[KNOT_STRANDS];
    int strand_count;
    double level; // of height, in units of the drawing
    double pole;  // radius of a pole along y through (0, 0), in levels; 0: none
} KnotDrawing;

extern const KnotDrawing knot_drawings[];
extern const int knot_drawing_count;

#endif
