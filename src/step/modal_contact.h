// Contact of modal rods with obstacles: contact forces on nodes and edges, projected on the modes, act during
// the whole step and leave no penetration at its end.
//
// A constant modal force F changes the amplitudes by qf F and the rates by vf F in a step, so a state in
// equilibrium with contact stays the same however long the step is. Alone, such a force would let a colliding
// rod rebound. Impulses at the end of the step therefore stop the contact points, and take back part of what
// the forces did. The residual flexibility of the truncated modes makes each contact slightly compliant.
#ifndef CORD_STEP_MODAL_CONTACT_H
#define CORD_STEP_MODAL_CONTACT_H

#include "contact/surface_law.h"
#include "step/modal.h"
#include "step/modal_springs.h"

// Largest motion of a contact in the last iteration, over the radius, for which the contact search counts as
// converged.
#define MODAL_LOOSE 0.05

typedef struct ModalPoint { // a contact of a modal rod with a solid, also at a small distance
    ContactKey key;         // a: node or edge; b: solid; part 0: a node, else a piece of an edge
    int edge;
    double at;         // position on the edge, 0 to 1
    double radius;     // [m]
    CordVec3 n;        // unit normal, out of the solid
    double gap;        // [m]
    double gap_before; // gap of the same rod point at the start of the step [m]
    CordVec3 slip;     // slip of the rod over the solid in the step [m]
    CordVec3 carried;  // motion of the solid's point in the step [m]
    CordVec3 place;    // contact point between the surfaces [m]
    SurfaceLaw grip;
    double push;       // normal force, mean over the step [N]
    double alone;      // normal force without friction [N]
    CordVec3 friction; // [N]
    bool slides;
} ModalPoint;

typedef struct ModalPoints {
    ModalPoint* all; // sorted by key, except during the search
    int count, capacity;
} ModalPoints;

typedef struct ModalContact {
    Rod* rod;
    int index;           // in the world
    Colliders colliders; // this rod and all obstacles
    double* node_radius; // radius of the thickest edge at the node [m] (node_count)
    int* node_edge;      // the edge that tests the node (node_count)
    int node_count;
    ModalPoints points; // contacts of the current step
    ModalPoints before; // contacts of the previous iteration
    ModalPoints warm;   // warm start: active contacts of the last step
    Spring* springs;    // (points.count)
    double* rows;       // (points.count x 3 x modes)
    int spring_capacity, row_capacity;
    double* room; // (room_count)
    int room_count, modes;
    Arena scratch;
    CordVec3* force; // contact force on each node [N] (node_count)
    int rounds;      // iterations of the last step
    double left;     // largest motion of a contact in the last iteration, over the radius
} ModalContact;

// Afterwards the caller adds the obstacles to the colliders and calls modal_contact_reserve. False: no
// memory.
bool modal_contact_make(Memory* m, ModalContact* t, Rod* rod, int index);
// Reserves scratch for the current number of modes. False: no memory.
bool modal_contact_reserve(Memory* m, ModalContact* t);
void modal_contact_free(Memory* m, ModalContact* t);

// Corrects a predicted step for contact; the motion of the solids must be set. False: no memory.
bool modal_contact_respond(Memory* m, ModalContact* t, const StepInfo* step, const SurfaceLaws* friction);
bool modal_contact_reserve_end(Memory* m, ModalContact* t); // makes room for the commit; false: no memory
void modal_contact_commit(Memory* m, ModalContact* t);
void modal_contact_state(Memory* m, ModalContact* t, Bytes* b);
CordContact modal_contact_describe(const ModalContact* t, const ModalPoint* p);

// Finds all points that touch at the colliders' `to`, collided on the motion there, or, if `again`, carried a
// force in the previous iteration (modal_narrow.c). False: no memory.
bool modal_narrow_phase(Memory* m, ModalContact* t, bool again);

#endif
