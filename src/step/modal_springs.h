// Contacts as springs in a space of few freedoms y: each pushes along its normal, never pulls, and rubs
// across it, by Coulomb's law.
//
// The freedoms are scaled so that y'y/2 is what they cost. Where the springs leave them is the least of
//
//     y'y/2 + sum of psi(v),  v = at + B y
//
// which is convex while the most that each rubs with is given, and has one solution however many springs
// there are: in a few freedoms they cannot all be met, and what is left of v is shared by how each gives way.
#ifndef CORD_STEP_MODAL_SPRINGS_H
#define CORD_STEP_MODAL_SPRINGS_H

#include "math/vec3.h"

typedef struct Spring {
    CordVec3 n;  // unit
    CordVec3 at; // v at y = 0: along n the gap, across it the slip [m]
    // force that acts without it: the sum with that never pulls, and rubs with `most` at the most [N]
    CordVec3 had;
    double give, give_across; // along n and across it, above 0 [m/N]
    double most;              // [N]; 0: no friction
} Spring;

typedef struct Springs {
    const Spring* all;   // (count)
    const double* rows;  // by spring, by axis, by freedom (count x 3 x freedoms)
    const double* scale; // of each freedom, by which they become B (freedoms)
    int count, freedoms;
    double* room; // (freedoms x freedoms + 3 freedoms)
} Springs;

CordVec3 springs_move(const Springs* s, int spring, const double* y);   // v [m]
CordVec3 springs_force(const Spring* spring, CordVec3 v, bool* slides); // in all, with what it had [N]
void springs_relax(const Springs* s, double* y); // by Newton's method, from the y that is given
static inline int springs_room(int freedoms)
{
    return freedoms * freedoms + 3 * freedoms;
}

#endif
