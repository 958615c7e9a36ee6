// Inextensible rods: the projection that keeps every edge at its rest length (DER section 8).
#ifndef CORD_SOLVE_RATTLE_H
#define CORD_SOLVE_RATTLE_H

#include "rod/rod.h"

size_t rattle_scratch(const Rod* rod); // bytes a call below takes from the arena

// From x, v_next and h: corrects v_next, and writes x_next and pull_next. Returns the sum of the squares of
// v_next in *speed2. CORD_NOT_CONVERGED names the edge that is worst.
CordResult rattle_project(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message);

// Velocities (by node) made to keep the lengths, as RATTLE does: the least change, weighed by mass.
void rattle_project_velocities(const Rod* rod, CordVec3* v, Arena* scratch);

// Tension of each edge in the present state, from the forces and velocities (both by node): the multipliers
// that keep the lengths' second derivative zero.
void rattle_tension(const Rod* rod, const CordVec3* f, const CordVec3* v, double* tension, Arena* scratch);

#endif
