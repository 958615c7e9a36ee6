// Contact in equilibria: what couples rods and bodies that touch into one static system (NewtonCoupling).
//
// Contacts are constraints, whose forces are Lagrange multipliers f. At each iterate the active ones are
// held,
//
//   A d + J' rho (J d + gap) = r + J' f,      f <- f - rho (gap + J d),
//
// and the others have no force. Active are first those with a force or an overlap. Where the solution has one
// of them pull, or another overlap, the set is revised: all at once (a primal-dual active set: Hintermueller,
// Ito and Kunisch 2003), and where that does not settle, one after the other, the first first (Murty 1974).
// Where this converges, 0 <= f_n _|_ gap >= 0 holds exactly, as the multipliers do not depend on rho
// (augmented Lagrangian). With a compliant obstacle, gap + f_n / k stands for the gap: its spring is a part
// of A, and holds nothing. Contacts that are frozen are held along their tangents, too. A is the stiffness of
// all rods and bodies with that of the contacts' curved gaps; the matrix has as many negative pivots as A has
// negative eigenvalues on the motions that the held contacts leave free.
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
    bool judges;  // the matrix is that of a stability or of vibrations, and not of Newton's method
    bool settled; // complementarity holds after the last move
    // The active contacts of this iterate were revised: assembling again at the same y keeps them.
    bool keeps;
    int revisions; // of the active contacts, at this iterate
    bool predicts; // the next move is along a tangent: forces follow their rates, and gaps are not closed
    NewtonSystem* whole;
    double time; // of the last assembly [s]
    double* sum; // unknowns (sum_capacity)
    int sum_capacity;
    bool no_memory;
} ContactStatics;

extern const NewtonCoupling contact_statics_coupling; // its `coupled` is a ContactStatics

// With a Newton step solved for: revises the active contacts where they disagree with it. True: they agree,
// or have been revised often enough. Solve again at the same y otherwise.
bool contact_statics_agrees(ContactStatics* s);
void contact_statics_free(ContactStatics* s);
// The number of contacts that have begun or ceased to press in the trial.
int contact_statics_changes(const ContactStatics* s);
// Does nothing pass through anything on the straight motion from the last state to the trial?
bool contact_statics_path_is_free(ContactStatics* s);

#endif
