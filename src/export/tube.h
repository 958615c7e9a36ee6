// The surface of a rod: a ring of points around every node, turned with the material frame, so that a texture on it
// shows twist.
#ifndef CORD_EXPORT_TUBE_H
#define CORD_EXPORT_TUBE_H

#include <cordage/cordage.h>

typedef struct Tube {
    int ring_count; // one per node, or at both ends of an edge; a closed rod's last ring is joined to its first
    int sides;      // points in a ring; point k is at the angle 2 pi k / sides from m1 towards m2
    bool closed;
    CordVec3* x;      // (ring_count x sides) [m]
    CordVec3* normal; // (ring_count x sides)
    CordVec3* center; // (ring_count) [m]
    CordVec3* t;      // tangent (ring_count)
    double* along; // arc length in mean circumferences (ring_count, and one more for a closed rod's way round)
} Tube;

bool tube_make(Tube* tube, const CordFrame* frame, int rod, int sides); // of a chain; false: no memory
bool tube_make_edge(Tube* tube, const CordFrame* frame, int rod, int edge, int sides); // of one edge of a network
void tube_free(Tube* tube);

#endif
