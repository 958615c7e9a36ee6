// What the world's step, state and queries need of contact.
#ifndef CORD_WORLD_CONTACT_H
#define CORD_WORLD_CONTACT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "rod/remesh.h"

#include <cordage/solve.h>

typedef struct WorldContact WorldContact;

// switches position-based rods to Newton's method where contact needs it
CordResult contact_choose_steps(CordWorld* w);
CordResult contact_prepare(CordWorld* w); // the colliders brought up to date with rods, bodies and obstacles
void contact_free(CordWorld* w);
bool contact_is_on(const CordWorld* w);
bool contact_is_explicit(const CordWorld* w); // contacts are resolved by impulses, not by a barrier
bool contact_has_modal(const CordWorld* w);   // is it on for modal rods?
size_t contact_scratch(const CordWorld* w);

// Resolves the contacts of rods that have been predicted and of bodies that have flown.
CordResult contact_solve(CordWorld* w, double h);
// the step stands; without memory for that, it has changed nothing
CordResult contact_commit(CordWorld* w, double h);
CordResult contact_modal_reserve(CordWorld* w); // for the end of the step
void contact_modal_commit(CordWorld* w);        // likewise, after all others
// to equilibrium
CordResult solve_in_contact(CordWorld* w, const CordSolveDef* def, double time, CordSolveReport* report);
void contact_add_forces(const CordWorld* w, const Rod* rod, CordVec3* f); // of the present state, by node

// Adaptive rods. Which halves of their edges are touched, one bit each, and how often, by edge of all rods in
// order; the colliders after a rod has other nodes, with what is remembered; and after a state was set.
void contact_mark(const CordWorld* w, const int* first_edge, uint8_t* touched, int* count);
CordResult contact_recast(CordWorld* w, const Rod* rod, const Remesh* map);
CordResult contact_refill(CordWorld* w);
const CordVec3* contact_forces_now(const CordWorld* w, const Rod* rod); // by node; NULL: none are known

// topology.c: before a step, and after it; the latter fails if a knot or a link is not what it was.
CordResult topology_begin(CordWorld* w);
CordResult topology_check(CordWorld* w);
uint64_t topology_signature(CordWorld* w); // changes if a knot or a link does; 1 if nothing is watched
void topology_free(CordWorld* w);
void contact_state(CordWorld* w, Bytes* b);

#endif
