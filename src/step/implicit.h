// Implicit time steps of a rod, or of rods and bodies that are welded together: Newton's method on positions,
// frame angles, tensions and poses at once.
//
// Midpoint (second order): forces act at y, the middle of the old and the new positions, so that linear and
// angular momentum are kept to round-off. An edge's force is its own business: along its mean direction, as
// large as the mean of its old and new length asks, so that stretching energy is kept exactly and an
// inextensible edge does no work and has its length at the end of the step (the discrete gradient of Gonzalez
// and Simo). With the force at the middle alone, an edge that turns in a step would be stretched by it.
// Backward Euler (first order): forces at the new positions.
#ifndef CORD_STEP_IMPLICIT_H
#define CORD_STEP_IMPLICIT_H

#include "solve/newton.h"
#include "step/barrier.h"
#include "step/stepper.h"

typedef struct ImplicitHistory { // of the last step, from which the next one starts: rod->stepping
    double* accel[3];            // acceleration over the last step [m/s^2] (slot_count)
    double* jerk[3];             // its change, by time [m/s^3] (slot_count)
    double* pull_rate;           // change of the tensions, by time [N/s] (slot_count)
    bool frames_settled;         // the step has put the frames in equilibrium with friction
    double* block;               // all of the arrays
} ImplicitHistory;

CordResult implicit_reserve_history(Memory* m, Rod* rod, Message* message); // unless it is there already
void implicit_free_history(Memory* m, Rod* rod);

// Of one rod by itself, or of an assembly, whose bodies have flown for the step by themselves: `rod` is any
// of its rods then. From x and v: writes x_next, v_next and pull_next, leaves the trial frames at y, and
// gives the bodies their poses and velocities. CORD_NOT_CONVERGED: a shorter step may do.
CordResult implicit_step(Rod* rod, const Joins* joins, const StepInfo* step, Arena* scratch,
                         Message* message);

// All implicit rods and their bodies at once, where they may touch. Steps in which anything comes near
// anything are taken by backward Euler, so that what collides does not bounce: the midpoint rule would turn
// the velocity that a constraint takes up around.
typedef struct ImplicitIsland {
    Rod* rod;           // any of it
    const Joins* joins; // NULL: the rod by itself
} ImplicitIsland;

// CORD_BAD_ARGUMENT: something overlaps at the start of the step already; the worst of the touches says
// where.
size_t implicit_scratch(const ImplicitIsland* islands, int count);
CordResult implicit_steps(const ImplicitIsland* islands, int count, BarrierSolver* barrier, Memory* m,
                          const StepInfo* step, Arena* scratch, Message* message);

#endif
