// What the files of contact share with each other alone: contact.c has the stage, contact_step.c steps, contact_query.c answers, relax.c equilibria.
#ifndef CORD_WORLD_CONTACT_PARTS_H
#define CORD_WORLD_CONTACT_PARTS_H

#include "contact/zones.h"
#include "solve/implicit.h"
#include "world/world.h"

#define CONTACT_TASKS 64

typedef struct RedoTask { // groups of rods that are solved for side by side
    CordWorld* world;
    Rod* const* rods;
    const int* starts;
    int first, last; // groups [first, last)
    double h;
    Arena scratch;
} RedoTask;

struct WorldContact {
    Touching touching;
    Blows blows;         // of explicit rods
    double longest_step; // since implicit rods began to touch anything [s]
    bool presses;        // they do, after the last step
    Zones zones;         // likewise, as the paper has it
    StageMove since;     // the start of the step: how they have moved
    size_t since_size;
    StageMove redone; // what contact had moved when position-based rods were last solved for in this step
    size_t redone_size;
    ImplicitGroup* groups; // of implicit rods (group_count)
    int group_count, group_capacity;
    CordContact* list; // of the present state (list_count)
    int list_count, list_capacity;
    StageMove force; // of them, with friction [N], [N m]
    size_t force_size;
    int64_t revision; // of the world, when they were worked out
};

CordResult contact_no_memory(CordWorld* w);
CordResult contact_overlap(CordWorld* w, const Touch* worst, double deep); // the message that says who overlaps whom
CordResult contact_tangle(CordWorld* w, const Touch* worst, double deep,
                          const char* why); // likewise, of what cannot be untangled
CordResult contact_fill(CordWorld* w);      // the stage, even if contact is off
CordContact contact_of_touch(const WorldContact* c, const Touch* touch);
void contact_note_step(CordWorld* w, double h);  // of implicit rods, before it
void contact_set_law(CordWorld* w);              // of touches, as steps have it
size_t contact_lane_scratch(const CordWorld* w); // of position-based rods, side by side; 0: there are none
void contact_weigh(const Stage* st, Blows* b);
void contact_solids_over(CordWorld* w, double h); // a step from now: where they begin, and where they are to be
void contact_place_solids(CordWorld* w, double time); // for a solve: from where they are to where they belong at `time`
void contact_settle_solids(CordWorld* w);             // they have gone there

#endif
