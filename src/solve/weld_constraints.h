// Rods and bodies that are welded together: the projection that makes welds hold and inextensible edges keep
// their length, for a whole assembly at once.
#ifndef CORD_SOLVE_WELD_CONSTRAINTS_H
#define CORD_SOLVE_WELD_CONSTRAINTS_H

#include "solve/assembly.h"

size_t welds_scratch(const Assembly* a); // bytes a call below takes from the arena

// Before the bodies' step: what the rods do to them, as far as it is known. That is the moment of twist, and
// the pull of the step before. body_kick: time over which forces act on bodies in that step [s].
void welds_push(const Assembly* a, double body_kick);

// After it: from each rod's x and v_next, and the bodies as their engines have them, corrects both, and
// writes x_next, v_next, pull_next.
CordResult welds_project(const Assembly* a, double h, Arena* scratch, Message* message);
void welds_commit(const Assembly* a); // the step stands

// In the present state. Velocities in the rods' and bodies' `now` are made to obey welds and lengths: the
// least change, weighed by mass. Then, from these and from forces (in rods' now.f; on bodies by body, force
// and torque), the tensions of edges, and in the welds' pull_now the force of the rod on the body at each
// node.
typedef struct BodyForce {
    CordVec3 force, torque; // [N], [N m] about the centre
} BodyForce;
void welds_velocities(const Assembly* a, Arena* scratch);
void welds_tensions(const Assembly* a, const BodyForce* forces, Arena* scratch);

#endif
