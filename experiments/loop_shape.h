// The loop that a twisted rod makes between two clamps on a line along x: where it is bent most, and where it
// crosses itself.
#ifndef CORDAGE_EXPERIMENTS_LOOP_SHAPE_H
#define CORDAGE_EXPERIMENTS_LOOP_SHAPE_H

#include <cordage/cordage.h>

#include <stdbool.h>

double loop_curvature(const CordVec3* x, int node); // of an inner node [1/m]

// Where the middle half of the rod is bent most: its ends are bent by the clamps.
int loop_apex(const CordVec3* x, int nodes);

// Do two edges cross, as they are seen square to the plane in which the loop hangs: that of the clamps and
// the apex?
bool loop_crosses(const CordVec3* x, int apex, int edge, int other);
int loop_crossings(const CordVec3* x, int nodes); // how many do

#endif
