// What the files of contact share with each other alone: contact.c has the stage and the step of implicit rods, relax.c equilibria.
#ifndef CORD_WORLD_CONTACT_PARTS_H
#define CORD_WORLD_CONTACT_PARTS_H

#include "contact/impulse.h"
#include "solve/implicit.h"
#include "world/world.h"

struct WorldContact {
    Touching touching;
    Blows blows; // of explicit rods
    StageMove since; // the start of the step: how they have moved
    size_t since_size;
    ImplicitGroup* groups; // of implicit rods (group_count)
    int group_count, group_capacity;
    CordContact* list; // of the present state (list_count)
    int list_count, list_capacity;
    StageMove force; // of them, with friction [N], [N m]
    size_t force_size;
    int64_t revision; // of the world, when they were worked out
};

void contact_place_solids(CordWorld* w, double time); // for a solve: from where they are to where they belong at `time`
void contact_settle_solids(CordWorld* w);             // they have gone there

#endif
