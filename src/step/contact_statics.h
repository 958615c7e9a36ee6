// Contact in equilibria: what couples rods and bodies that touch into one static system (NewtonCoupling).
//
// Contacts are constraints, whose forces are Lagrange multipliers f. At each iterate the active ones, those
// with f_n - rho gap > 0, are held (a primal-dual active set: Hintermueller, Ito and Kunisch 2003),
//
//   A d + J' rho (J d + gap) = r + J' f,      f <- f - rho (gap + J d),
//
// the others have no force. Where this converges, 0 <= f_n _|_ gap >= 0 holds exactly, as the multipliers do
// not depend on rho (augmented Lagrangian). Contacts that are frozen are held along their tangents, too. A is
// the stiffness of all rods and bodies with that of the contacts' curved gaps; the matrix has as many
// negative pivots as A has negative eigenvalues on the motions that the held contacts leave free.
#ifndef CORD_STEP_CONTACT_STATICS_H
#define CORD_STEP_CONTACT_STATICS_H

#include "step/contact_newton.h"

typedef enum ContactHold {
    CONTACT_HOLD_PRESSING, // contacts that bear a force, or would overlap: equilibria and their stability
    CONTACT_HOLD_TOUCHING, // contacts that touch, whether they bear a force or not: vibrations
} ContactHold;

typedef struct ContactStatics {
    ContactNewton* contact;
    Memory* memory;
    // Sets the colliders' obstacles: `begin` to their present poses and `goal` to those at `time`.
    void (*place)(void* user, double time);
    void* user;
    ContactHold hold;
    bool frozen;  // contacts that stick stay stuck
    bool settled; // complementarity holds after the last move
    NewtonSystem* whole;
    double time; // of the last assembly [s]
    double* sum; // unknowns (sum_capacity)
    int sum_capacity;
    bool no_memory;
} ContactStatics;

extern const NewtonCoupling contact_statics_coupling; // its `coupled` is a ContactStatics

void contact_statics_free(ContactStatics* s);
// Does nothing pass through anything on the straight motion from the last state to the trial?
bool contact_statics_path_is_free(ContactStatics* s);

#endif
