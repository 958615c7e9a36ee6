// Position-based steps (Umetani, Schmidt and Stam 2014) of alike rods, side by side in SIMD lanes.
#ifndef CORD_STEP_POSITION_H
#define CORD_STEP_POSITION_H

#include "model/pbd/pbd.h"
#include "step/position_lanes.h"
#include "step/stepper.h"

typedef struct PbdLane {
    const Rod* rod;
    int at;          // its lane, 0 to 3
    double h;        // time step [s]
    bool warm;       // solves the step again, from x_next of the previous solve
    CordVec3 origin; // positions in the lane are relative to it [m]
} PbdLane;
PbdLane pbd_lane(const Rod* rod, int at, double h, bool warm);

// Sets up lanes for substeps of h. They live on scratch, which is emptied first.
PbdLanes pbd_lanes_open(const Rod* rod, double h, const StepInfo* step, Arena* scratch);
void pbd_lanes_put(PbdLanes* p, const PbdLane* lane, const StepInfo* step);

// position_lanes.c
bool pbd_alike(const Rod* a, const Rod* b); // may they share a batch?
size_t pbd_scratch(const Rod* rod);
// Advances from v_next and spin_next, which hold the effect of external forces, to x_next, v_next and
// spin_next. It cannot fail.
void pbd_advance(Rod* const* rods, int count, const StepInfo* step, bool warm, Arena* scratch);

// position_compliance.c
size_t pbd_compliance_scratch(const Rod* rod);
void pbd_compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                    Arena* scratch);

#endif
