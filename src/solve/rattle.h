// Length constraints of inextensible rods: RATTLE (Andersen 1983), or the fast projection of Goldenthal et
// al. 2007 that DER section 8 uses.
#ifndef CORD_SOLVE_RATTLE_H
#define CORD_SOLVE_RATTLE_H

#include "rod/rod.h"

size_t rattle_scratch(const Rod* rod); // bytes that a call below takes from the arena

// Reads x, v_next and h. Corrects v_next and writes x_next and pull_next; *speed2 is the sum of the squares
// of v_next. CORD_NOT_CONVERGED names the edge with the largest length error.
CordResult rattle_project(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message);

// Projects velocities (by node) onto those that keep the lengths, as RATTLE does: the least change in the
// norm of the mass matrix.
void rattle_project_velocities(const Rod* rod, CordVec3* v, Arena* scratch);

// The inverse mass of nodes that keep the lengths, in the present state: displacements of `count` nodes by
// unit impulses on them, in rows and columns of four (x, y, z, and one that is left alone) (4 count x 4
// count).
void rattle_inverse_mass(const Rod* rod, int count, const int* node, double* W, Arena* scratch);

// Tension of each edge in the present state, from forces and velocities (both by node): the Lagrange
// multipliers for which the second time derivative of every length is zero. If the rod is taut between its
// clamps they are not determined: then those of the last step or solve.
void rattle_tension(const Rod* rod, const CordVec3* f, const CordVec3* v, double* tension, Arena* scratch);

#endif
