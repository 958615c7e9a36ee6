// The least distance between the rods of a frame, and of a rod from itself.
#ifndef CORDAGE_CLI_DISTANCE_H
#define CORDAGE_CLI_DISTANCE_H

#include <cordage/cordage.h>

typedef struct Distance {
    bool found;      // false: no pair of edges counts
    bool skipped;    // there are too many pairs
    double distance; // between centrelines [m]
    double gap;      // between surfaces, negative where they overlap [m]
    int rod[2];      // index in the frame
    int edge[2];     // index in the rod
} Distance;

// Tries all pairs of edges. Two edges of one rod count only if their distance is less than half their
// distance along the rod, so that neighbours and an open curve do not count; opposite sides of a circle are
// 2/pi of that apart. Rods that a joint connects do not count, since they have a point in common, nor do two
// edges of one network.
Distance distance_least(const CordFrame* frame);

// Between the segments a0 a1 and b0 b1, which may be points.
double distance_segments(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1);

#endif
