// Position-based steps of rods that are alike, side by side in SIMD lanes.
#ifndef CORD_STEP_POSITION_H
#define CORD_STEP_POSITION_H

#include "model/pbd/pbd.h"
#include "step/position_lanes.h"
#include "step/stepper.h"

typedef struct PbdLane { // of one rod
    const Rod* rod;
    int at;
    double h;  // of the step [s]
    bool warm; // it is solved for once more: x_next is where that led the last time
} PbdLane;

// Into lanes, for substeps of h; what is pushed on scratch, which starts empty, is theirs.
PbdLanes pbd_lanes_open(const Rod* rod, double h, const StepInfo* step, Arena* scratch);
void pbd_lanes_put(PbdLanes* p, const PbdLane* lane, const StepInfo* step);

// position_lanes.c. From v_next and spin_next, as forces from outside have left them, to x_next, v_next and
// spin_next. It cannot fail.
bool pbd_alike(const Rod* a, const Rod* b);
size_t pbd_scratch(const Rod* rod);
void pbd_advance(Rod* const* rods, int count, const StepInfo* step, bool warm, Arena* scratch);

// position_compliance.c
size_t pbd_compliance_scratch(const Rod* rod);
void pbd_compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                    Arena* scratch);

#endif
