// How near the rods of a frame come to each other and to themselves.
#ifndef CORDAGE_CLI_DISTANCE_H
#define CORDAGE_CLI_DISTANCE_H

#include <cordage/cordage.h>

typedef struct Distance {
    bool found;      // false: no two edges count as a pair
    bool skipped;    // there are too many edges to try every pair
    double distance; // between centrelines [m]
    double gap;      // between surfaces, negative where they overlap [m]
    int rod[2];      // index in the frame
    int edge[2];     // of its rod
} Distance;

// Tries every pair of edges. Two edges of one rod count only where the rod comes back on itself: where they
// are nearer to each other than half the way between them along the rod, so that neither neighbours nor an
// open curve's own length do (the two sides of a circle are 2/pi of that way apart). Rods that a joint joins
// do not count as a pair: they have a point in common. Nor do two edges of one network, where there is no
// such way.
Distance distance_least(const CordFrame* frame);

// Between two segments a0 a1 and b0 b1, which may be points.
double distance_segments(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1);

#endif
