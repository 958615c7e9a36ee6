// Limits the motion of rods in a step such that nothing passes through anything, whatever the contact solver
// has left open.
//
// Rods that would meet form a group, and all rods of a group take the same share of their motion: their paths
// are then the first part of what they were, up to their first time of impact. A group that meets a rod of
// another one on these paths takes it in. With everything at rest that nothing drives, a share of 0 is always
// safe, so there is always a limit. A smaller share of a motion has no more energy than the whole: speeds
// shrink with it, and a rod takes none of it where the shorter path would compress its edges by more than the
// energy that this sets free.
#ifndef CORD_CONTACT_MOTION_LIMIT_H
#define CORD_CONTACT_MOTION_LIMIT_H

#include "contact/colliders.h"

typedef struct MotionLimit {
    double* share;   // of its motion that each rod takes (colliders.rod_count)
    double* tested;  // the same in the pass under way (colliders.rod_count)
    int* group;      // parent of each rod in a union-find forest (colliders.rod_count)
    CordVec3* whole; // ends of the motion without limits [m] (colliders.node_count)
    int share_capacity, tested_capacity, group_capacity, whole_capacity;
    bool no_memory;
} MotionLimit;

// Finds the limits of the motion from the colliders' `from` to `to` in a step of h, and sets `to` to the end
// of the limited motion. Nodes with the inverse mass w 0 are driven and complete theirs. The candidates must
// be up to date. False: driven nodes and solids press into rods that do not move, or no memory.
bool motion_limit_find(Memory* m, MotionLimit* limit, Colliders* cs, const double* w, double h);
void motion_limit_free(Memory* m, MotionLimit* limit);

#endif
