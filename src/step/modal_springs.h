// Contacts as stiff one-sided springs in a space of few unknowns y. Each spring pushes along its normal,
// never pulls, and has Coulomb friction across it.
//
// The unknowns are scaled so that y'y/2 is their energy. The springs leave them at the minimum of
//
//     y'y/2 + sum of psi(v),  v = at + B y
//
// where psi is the regularised contact and friction potential. For given friction limits this is convex and
// has one solution, however many springs there are. A few unknowns cannot satisfy all contacts exactly; the
// residual is shared by the springs' compliances.
#ifndef CORD_STEP_MODAL_SPRINGS_H
#define CORD_STEP_MODAL_SPRINGS_H

#include "math/vec3.h"

typedef struct Spring {
    CordVec3 n;  // unit
    CordVec3 at; // v at y = 0: the gap along n, the slip across it [m]
    // Force that acts already: the sum with it never pulls, and its friction is at most `most` [N].
    CordVec3 had;
    double compliance, compliance_across; // compliance along n and across it, positive [m/N]
    double most;                          // friction limit [N]; 0: no friction
} Spring;

typedef struct Springs {
    const Spring* all;   // (count)
    const double* rows;  // Jacobian by spring, axis and unknown (count x 3 x freedoms)
    const double* scale; // scale of each unknown: B = rows scale (freedoms)
    int count, freedoms;
    double* room; // (freedoms x freedoms + 3 freedoms)
} Springs;

CordVec3 springs_move(const Springs* s, int spring, const double* y);   // v [m]
CordVec3 springs_force(const Spring* spring, CordVec3 v, bool* slides); // total force, with `had` [N]
void springs_relax(const Springs* s, double* y);                        // Newton's method from the given y
static inline int springs_room(int freedoms)
{
    return freedoms * freedoms + 3 * freedoms;
}

#endif
