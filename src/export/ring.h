// Rings across rods, on the curves that pictures draw: as many in every frame of an export, so that a surface around them is made once and then moved.
//
// A chain has a ring at each node, and more between nodes where it bends or twists so much, in any frame, that straight walls from one to the next would show it. The nodes of an adaptive rod
// come and go: it has a ring wherever along it there is a node in any of the frames. A network has two rings for each edge, at its ends.
#ifndef CORD_EXPORT_RING_H
#define CORD_EXPORT_RING_H

#include "export/picture.h"

typedef struct Ring {
    CordVec3 center;    // [m]
    CordVec3 m1, m2, t; // unit, right-handed: material axes and direction of the curve
    double radius;      // [m]
} Ring;

typedef struct RodRings {
    int rod;
    int first_edge; // in the curves of the frame that is looked at; the caller sets it
    bool hidden;    // a surface is shown in its place: it has no rings
    bool network, closed, adaptive;
    int count;        // rings, once they are settled
    int nodes, edges; // of the first frame; of a rod that is not adaptive, of all
    int* pieces;      // of each edge of a chain that is not adaptive, between rings (edges)
    int* at_node; // the ring at each of its nodes, and, if it is closed, at the first once more (edges + 1)
    double* arc;  // of each ring of an adaptive rod: rest length from its start [m] (count)
    int arc_capacity;
    double length; // of an adaptive rod at rest, and around if it is closed [m]
} RodRings;

// The curves of all rods of a frame that are to be seen, in metres; empty if there are none.
CordResult ring_curves(const CordFrame* frame, PictureCurves* curves, CordMessage* message);

// Looks at every frame in turn, the first of which says what kind of rod it is; then settles how many rings it has.
CordResult rod_rings_begin(RodRings* rings, const CordFrame* frame, int rod, CordMessage* message);
CordResult rod_rings_see(RodRings* rings, const CordFrame* frame, const PictureCurves* curves, CordMessage* message);
void rod_rings_settle(RodRings* rings);
void rod_rings_free(RodRings* rings);

void rod_rings_fill(const RodRings* rings, const CordFrame* frame, const PictureCurves* curves,
                    Ring* list); // (count)

// Which node a ring of a chain is at in all frames; -1: it is between nodes, or the rod is adaptive.
int rod_rings_node(const RodRings* rings, int ring);

#endif
