// Limits the motion of rods in a step such that nothing passes through anything, whatever the contact solver
// has left open.
//
// Rods that would come too close to something take a share of their motion: up to their time of impact, again
// and again until no pair comes too close, and none where that takes long. With everything at rest that
// nothing drives, a share of 0 is always safe, so there is always a limit. What put overlaps right at the end
// of the step is kept as long as it leads into nothing: else rods that overlap would hold each other for
// ever.
//
// A share of a motion has no more energy than the whole: speeds shrink with it, and a rod takes none of it
// where the shorter path would compress its edges by more than the energy that this sets free.
#ifndef CORD_CONTACT_MOTION_LIMIT_H
#define CORD_CONTACT_MOTION_LIMIT_H

#include "contact/colliders.h"

typedef struct RodLimit {
    double share;  // of its motion that the rod takes
    bool corrects; // its overlaps are put right
    double time;   // first impact in the pass under way; 1: none
} RodLimit;

typedef struct MotionLimit {
    RodLimit* rods;   // (colliders.rod_count)
    CordVec3* motion; // ends of the motion before overlaps are put right, set by the caller [m] (node_count)
    CordVec3* whole;  // and after that [m] (node_count)
    bool* tested;     // rods whose pairs the next pass tests: those that met something (rod_count)
    bool no_memory;
    int rod_capacity, motion_capacity, whole_capacity, tested_capacity;
} MotionLimit;

// Memory for these colliders. False: there is none.
bool motion_limit_reserve(Memory* m, MotionLimit* limit, const Colliders* cs);
// Finds the limits of the motion from the colliders' `from` to `to` in a step of h, and sets `to` to the end
// of the limited motion. Nodes with the inverse mass w 0 are driven and complete theirs. False: driven nodes
// and solids press into rods that do not move, or no memory.
bool motion_limit_find(Memory* m, MotionLimit* limit, Colliders* cs, const double* w, double h);
void motion_limit_free(Memory* m, MotionLimit* limit);

#endif
