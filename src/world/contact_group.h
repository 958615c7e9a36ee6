// All rods and bodies of a world that has contact, as one static system.
#ifndef CORD_WORLD_CONTACT_GROUP_H
#define CORD_WORLD_CONTACT_GROUP_H

#include "solve/statics.h"
#include "step/contact_statics.h"
#include "world/contact_parts.h"
#include "world/island.h"

typedef struct ContactGroup {
    CordWorld* world;
    Island* islands; // (island_count)
    int island_count, opened;
    Body** bodies; // without welds (body_count)
    int body_count, body_capacity;
    ContactStatics contact;
    NewtonGroup group; // points into this struct, which must not move
} ContactGroup;

// The caller must close it, even if this fails.
CordResult contact_group_open(CordWorld* w, ContactGroup* g, ContactHold hold, bool frozen);
CordResult contact_group_open_islands(ContactGroup* g); // queries of rods need them closed
void contact_group_close(ContactGroup* g);
// Makes the contact forces of the present state the warm starts that the group begins with. Where rods
// respond by impulses, these replace warm starts of Newton's method that are not in use.
CordResult contact_group_take_forces(ContactGroup* g);

// Friction in a solve. Contacts that are to be frozen are those of the present state. Release it after the
// solve, so that steps have Coulomb's law.
CordResult contact_set_grip(CordWorld* w, CordSolveFriction friction);
void contact_release_grip(CordWorld* w);
// Does any contact slide with friction? It then has no potential, and no stability that an energy would tell.
bool contact_friction_slides(CordWorld* w);
// Is what a solve has come to rest at an equilibrium? `st` and `report` are those of statics_report, whose
// residual counts all contact forces, of contacts that slide as well. CORD_NOT_CONVERGED: it is none.
CordResult contact_check_balance(CordWorld* w, const Statics* st, const CordSolveDef* def,
                                 CordSolveReport* report);
// May anything rub on anything?
bool contact_has_friction(const CordWorld* w);

#endif
