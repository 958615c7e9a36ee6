// Constraints of rods and bodies that are welded together, for explicit steps: one projection of a whole
// assembly makes welds hold and keeps the lengths of inextensible edges.
#ifndef CORD_SOLVE_WELD_CONSTRAINTS_H
#define CORD_SOLVE_WELD_CONSTRAINTS_H

#include "solve/assembly.h"

size_t welds_scratch(const Assembly* a); // bytes that a call below takes from the arena

// Call before the bodies' step. Applies the rods' known forces to the bodies: the moment of twist (DER
// section 8.2), and the constraint forces of the last step (warm start). body_kick is the time over which
// forces act on bodies in that step [s].
void welds_push(const Assembly* a, double body_kick);

// Call after the bodies' step. Reads each rod's x and v_next, and the bodies from their engines. Corrects
// both, and writes x_next, v_next and pull_next.
CordResult welds_project(const Assembly* a, double h, Arena* scratch, Message* message);
void welds_commit(const Assembly* a); // commits the constraint forces of the step

// Queries of the present state. welds_velocities projects the velocities in the rods' and bodies' `now` onto
// those that obey welds and lengths: the least change in the norm of the mass matrix. welds_tensions then
// finds, from these velocities and from forces (now.f of the rods, `forces` by body), the tensions of edges,
// and in the welds' pull_now the force of the rod on the body at each node.
typedef struct BodyForce {
    CordVec3 force, torque; // [N], [N m] about the body's centre
} BodyForce;
void welds_velocities(const Assembly* a, Arena* scratch);
void welds_tensions(const Assembly* a, const BodyForce* forces, Arena* scratch);

#endif
