// Contact, as the world's step, state and queries use it.
#ifndef CORD_WORLD_CONTACT_H
#define CORD_WORLD_CONTACT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "rod/remesh.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

typedef struct WorldContact WorldContact;

// Switches explicit and position-based rods to Newton's method where contact needs it.
CordResult contact_choose_steps(CordWorld* w);
bool contact_switches_rods(const CordContactDef* def); // may these settings need Newton's method?
// Brings velocities that lag behind positions up to date, if these settings will switch rods that have any.
// Call this before something changes that may cause it. is_cause: what changes causes it, whatever else there
// is.
void contact_restart_before(CordWorld* w, const CordContactDef* def, bool is_cause);
CordResult contact_prepare(CordWorld* w); // updates the colliders after rods, bodies or obstacles changed
void contact_free(CordWorld* w);
bool contact_is_on(const CordWorld* w);
bool contact_is_explicit(
    const CordWorld* w); // true: contacts are resolved by impulses; false: inside Newton's method
size_t contact_scratch(const CordWorld* w);
// Opens the budget of a step, and closes it once the step is accepted. Substeps share it.
void contact_begin_budget(CordWorld* w);
void contact_commit_budget(CordWorld* w);
// After a substep with inexact contacts was committed: slows rods down that have gained energy by it.
void contact_keep_energy(CordWorld* w);
bool contact_has_spent_budget(const CordWorld* w); // in any step so far

// Resolves the contacts of predicted rods and bodies.
CordResult contact_solve(CordWorld* w, double h);
// Accepts the step. Without memory it fails and has changed nothing.
CordResult contact_commit(CordWorld* w, double h);
// After a step that failed: its motion, which may not even be finite, must not choose later candidate pairs.
void contact_rollback(CordWorld* w);
// Judges the state that a solve has come to rest in, and completes the report. CORD_NOT_CONVERGED: its forces
// do not balance.
typedef CordResult ContactJudge(void* user, double time, CordSolveReport* report);
// Finds an equilibrium of rods in contact. `judge`: NULL, or what it must stand up to.
CordResult solve_in_contact(CordWorld* w, const CordSolveDef* def, double time, ContactJudge* judge,
                            void* user, CordSolveReport* report);
// contact_velocity.c: does contact resist half a kick of the rod's velocities to the time of its positions?
// contact_motion_now then opens `now` of all rods in contact, and finds their velocities together.
bool contact_resists_kick(const CordWorld* w, const Rod* rod);
CordResult contact_motion_now(CordWorld* w);
// What an obstacle does in that half kick, for the ledger; -1: what contact itself takes.
CordWork contact_work_in_lag(const CordWorld* w, int obstacle);
// Adds the contact forces of the present state (node_count).
void contact_add_forces(const CordWorld* w, const Rod* rod, CordVec3* f);

// Adaptive rods. contact_mark sets one bit for each touched half of an edge and counts the contacts of each
// edge, over the edges of all rods in order. contact_remap renumbers the colliders and the warm starts after
// a rod was remeshed; the next preparation of the world fills them. contact_refill rebuilds the colliders
// after a state was set.
void contact_mark(const CordWorld* w, const int* first_edge, uint8_t* touched, int* count);
void contact_remap(CordWorld* w, const Rod* rod, const Remesh* map);
CordResult contact_refill(CordWorld* w);
const CordVec3* contact_forces_now(const CordWorld* w, const Rod* rod); // (node_count); NULL: not known

// topology.c. topology_begin runs before a step. topology_check runs after it and fails if a watched knot or
// link has changed.
CordResult topology_begin(CordWorld* w);
CordResult topology_check(CordWorld* w);
// A hash of the knot and the links of a rod; 1 if nothing is watched.
uint64_t topology_signature(CordWorld* w, const Rod* rod);
void topology_free(CordWorld* w);
void contact_state(CordWorld* w, Bytes* b);

#endif
