// What the files of contact share with each other alone: contact.c has the colliders, contact_step.c steps,
// contact_query.c answers, relax.c equilibria.
#ifndef CORD_WORLD_CONTACT_PARTS_H
#define CORD_WORLD_CONTACT_PARTS_H

#include "contact/delassus.h"
#include "contact/impact_zones.h"
#include "step/implicit.h"
#include "step/modal_contact.h"
#include "world/world.h"

#define CONTACT_TASKS 64

#define CONTACT_SWEEPS 50      // over all contacts, between two looks at where that has brought them
#define CONTACT_SWEEPS_BLIND 4 // likewise, where lengths or elasticity have a say that sweeps do not know of

typedef struct ContactRound { // of sweeps over the contacts of position-based rods
    double enough;            // of a radius, for them to end
    double share;             // of what they lead to, that is taken
} ContactRound;

// Groups of position-based rods that are solved for side by side.
typedef struct BatchTask {
    CordWorld* world;
    Rod** rods;
    const int* collider; // where each is among the colliders
    const int* starts;   // of groups
    int first, last;     // groups [first, last)
    double h;
    const ContactRound* round; // NULL: they are solved for, and not swept
    size_t lanes;              // scratch of those that tell how they give way
    SweepResult done;          // the most of any
    Arena scratch;
} BatchTask;

struct WorldContact {
    BarrierSolver barrier;
    bool stale;                     // things came or went since the colliders were filled
    ContactConstraints constraints; // of explicit rods
    // since implicit rods began to touch anything; with the step under way [s]
    double longest_step, longest_next;
    bool presses;      // they do, after the last step
    ImpactZones zones; // likewise, as the paper has it
    DofVector since;   // the start of the step: how they have moved
    size_t since_size;
    DofVector redone; // what contact had moved when position-based rods were last solved for in this step
    size_t redone_size;
    Delassus delassus;   // of position-based rods
    Arena room;          // for them
    ModalContact* modal; // of modal rods (modal_count)
    int modal_count, modal_capacity;
    ImplicitIsland* islands; // of implicit rods (island_count)
    int island_count, island_capacity;
    CordContact* list; // of the present state (list_count)
    int list_count, list_capacity;
    DofVector force; // of them, with friction [N], [N m]
    size_t force_size;
    int64_t revision; // of the world, when they were worked out
};

CordResult contact_no_memory(CordWorld* w);
// Does the rod's stepper tell its compliance, and solve for several rods side by side?
static inline bool contact_is_batched(const Rod* rod)
{
    return stepper_of(rod)->compliance != NULL;
}
// the message that says who overlaps whom
CordResult contact_overlap(CordWorld* w, const ContactPoint* worst, double deep);
CordResult contact_tangle(CordWorld* w, const ContactPoint* worst, double deep,
                          const char* why); // likewise, of what cannot be untangled
CordResult contact_fill(CordWorld* w);      // the colliders, even if contact is off
CordContact contact_from_point(const WorldContact* c, const ContactPoint* contact);
void contact_note_step(CordWorld* w, double h);          // of implicit rods, before it
void contact_set_law(CordWorld* w, double longest_step); // of touches, as steps have it
size_t contact_batch_scratch(const CordWorld* w); // of position-based rods, side by side; 0: there are none
size_t contact_compliance_scratch(const CordWorld* w); // likewise, of those that tell how they give way
void contact_set_masses(const Colliders* cs, ContactConstraints* b);
// Of explicit rods. Velocities as they were predicted, and what contact has added; where all is at the end of
// the step as it stands, and how it has moved.
void contact_apply_impulses(const ColliderRod* r, const DofVector* moved, double h);
void contact_measure_rod(const Colliders* cs, const ColliderRod* r, DofVector* since, double h);
// contact_modal.c: modal rods, which touch obstacles and nothing else.
bool contact_modal_fill(CordWorld* w);                    // false: no memory
CordResult contact_modal_respond(CordWorld* w, double h); // of rods that have been predicted
CordResult contact_modal_prepare(CordWorld* w);
void contact_modal_free(CordWorld* w);
void contact_modal_state(CordWorld* w, Bytes* b);
CordResult contact_modal_list(CordWorld* w);                              // adds to the list of contacts
void contact_modal_report(const CordWorld* w, CordContactReport* report); // adds
const CordVec3* contact_modal_forces(const CordWorld* w, const Rod* rod); // by node; NULL: there are none
// contact_lanes.c: position-based rods.
// solved for once more, those that contact has moved
void contact_redo_batches(CordWorld* w, double h, Arena* scratch);
// A round of sweeps, by how they give way. False: no memory.
bool contact_delassus_round(CordWorld* w, double h, const ContactRound* round, double* change);
// a step from now: where they begin, and where they are to be
void contact_move_solids(CordWorld* w, double h);
// for a solve: from where they are to where they belong at `time`
void contact_place_solids(CordWorld* w, double time);
void contact_commit_solids(CordWorld* w); // they have gone there

#endif
