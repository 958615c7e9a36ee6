// Implicit time steps of a rod, or of rods and bodies that welds join. Newton's method solves for positions,
// frame angles, tensions and poses together.
//
// Midpoint rule (second order): forces act at y, the middle of the old and the new positions, so linear and
// angular momentum are conserved to round-off. The stretching force of an edge is a discrete gradient
// (Gonzalez 1996; Simo, Tarnow and Wong 1992): it acts along the mean edge direction, and its size comes from
// the mean of the old and new length. Stretching energy is then conserved exactly, and an inextensible edge
// does no work and has its rest length at the end of the step. With the force at the midpoint alone, an edge
// that rotates during the step would be stretched.
//
// Backward Euler (first order): forces act at the new positions.
#ifndef CORD_STEP_IMPLICIT_H
#define CORD_STEP_IMPLICIT_H

#include "solve/newton.h"
#include "step/contact_newton.h"
#include "step/stepper.h"

typedef struct ImplicitHistory { // derivatives from the last step, which predict the next one: rod->stepping
    double* accel[3];            // acceleration over the last step [m/s^2] (slot_count)
    double* jerk[3];             // rate of change of the acceleration [m/s^3] (slot_count)
    double* pull_rate;           // rate of change of the tensions [N/s] (slot_count)
    bool frames_settled;         // the step left the frames in equilibrium with friction
    bool ended;                  // forces act at the end of the step that is being taken
    double* block;               // memory of all arrays
} ImplicitHistory;

// ---- implicit_history.c

static inline ImplicitHistory* implicit_history(const Rod* rod)
{
    return rod->stepping;
}
CordResult implicit_history_reserve(Memory* m, Rod* rod, Message* message); // does nothing if there is one
bool implicit_history_remesh(Memory* m, Rod* rod, const Remesh* map);       // false: no memory
void implicit_history_free(Memory* m, Rod* rod);
void implicit_history_clear(Rod* rod);
void implicit_history_update(Rod* rod, double h); // before a step of h is committed
void implicit_history_state(Rod* rod, Bytes* b);

// ---- implicit.c

// Steps all implicit rods and their bodies together, where they may be in contact. A step in which any pair
// comes near is taken by backward Euler, so that collisions are inelastic. The midpoint rule would reverse
// the normal velocity that the contact constraint absorbs. CORD_BAD_ARGUMENT: something overlaps already at
// the start of the step; the contacts of `t` say where. No message is written then.
size_t implicit_scratch(const Island* islands, int count);
CordResult implicit_steps(const Island* islands, int count, ContactNewton* t, Memory* m, const StepInfo* step,
                          Arena* scratch, Message* message);

#endif
