// Implicit time steps of a rod, or of rods and bodies that are welded together: Newton's method on positions,
// frame angles, tensions and poses at once.
//
// Midpoint (second order): forces act at y, the middle of the old and the new positions, so that linear and
// angular momentum are kept to round-off. An edge's force is its own business: along its mean direction, as
// large as the mean of its old and new length asks, so that stretching energy is kept exactly and an
// inextensible edge does no work and has its length at the end of the step (the discrete gradient of Gonzalez
// and Simo). With the force at the middle alone, an edge that turns in a step would be stretched by it.
// Backward Euler (first order): forces at the new positions.
#ifndef CORD_SOLVE_IMPLICIT_H
#define CORD_SOLVE_IMPLICIT_H

#include "solve/system.h"
#include "solve/touching.h"

// Of one rod by itself, or of an assembly, whose bodies have flown for the step by themselves: `rod` is any
// of its rods then. From x and v: writes x_next, v_next and pull_next, leaves the trial frames at y, and
// gives the bodies their poses and velocities. CORD_NOT_CONVERGED: a shorter step may do.
CordResult implicit_step(Rod* rod, const Joins* joins, const StepInfo* step, Arena* scratch,
                         Message* message);

// All implicit rods and their bodies at once, where they may touch. Steps in which anything comes near
// anything are taken by backward Euler, so that what collides does not bounce: the midpoint rule would turn
// the velocity that a constraint takes up around.
typedef struct ImplicitGroup {
    Rod* rod;           // any of it
    const Joins* joins; // NULL: the rod by itself
} ImplicitGroup;

// CORD_BAD_ARGUMENT: something overlaps at the start of the step already; the worst of the touches says
// where.
size_t implicit_scratch(const ImplicitGroup* groups, int count);
CordResult implicit_steps(const ImplicitGroup* groups, int count, Touching* touching, Memory* m,
                          const StepInfo* step, Arena* scratch, Message* message);

// Once the step stands: the trial frames are the rod's, and its acceleration is known for the next one's
// start.
void implicit_commit(Rod* rod, double h);

#endif
