// Contact of modal rods with obstacles: forces on nodes and edges, projected on the modes, that act for the
// whole of a step and leave it without penetration.
//
// A force F on the modes moves them by qf F in a step and changes their rates by vf F: a state that contact
// keeps in balance stays as it is, however long the step. What hits would come back with the speed that it
// had, so impulses at the end of the step stop it there, and take back some of what the forces did. Modes
// left out would let contacts give way a little, and so they do.
#ifndef CORD_STEP_MODAL_CONTACT_H
#define CORD_STEP_MODAL_CONTACT_H

#include "contact/friction.h"
#include "step/modal.h"
#include "step/modal_springs.h"

#define MODAL_LOOSE                                                                                          \
    0.05 // of a radius: if the last round moves what touches by more, it is not known where that ends up

typedef struct ModalPoint { // where a modal rod touches a solid, or is about to
    ContactKey key;         // a: node, or edge; b: solid; part 0: a node, else a piece of an edge
    int edge;
    double at;         // on the edge, 0 to 1
    double radius;     // [m]
    CordVec3 n;        // unit, out of the solid
    double gap;        // [m]
    double gap_before; // at the start of the step, of the same point of the rod [m]
    CordVec3 slip;     // of the rod over the solid, in the step [m]
    CordVec3 carried;  // by how far the solid's point goes in the step [m]
    CordVec3 place;    // between the surfaces [m]
    FrictionCoefficients grip;
    double push;       // along n, over the step [N]
    double alone;      // likewise, if there were no friction
    CordVec3 friction; // [N]
    bool slides;
} ModalPoint;

typedef struct ModalPoints {
    ModalPoint* all; // sorted by key, but while they are looked for
    int count, capacity;
} ModalPoints;

typedef struct ModalContact {
    Rod* rod;
    int index;           // in the world
    Colliders colliders; // of this rod alone, and all obstacles
    double* node_radius; // of the thickest edge there [m] (node_count)
    int* node_edge;      // that it is looked at with (node_count)
    int node_count;
    ModalPoints points; // of the step under way
    ModalPoints before; // of the round before
    ModalPoints warm;   // those that pushed in the last step
    Spring* springs;    // (points.count)
    double* rows;       // (points.count x 3 x modes)
    int spring_capacity, row_capacity;
    double* room; // (room_count)
    int room_count, modes;
    Arena scratch;
    CordVec3* force; // of those that pushed, by node [N] (node_count)
    int rounds;      // of the last step
    double left;     // by which the last of them moved what touches, over the radius
} ModalContact;

// False: no memory.
bool modal_contact_make(Memory* m, ModalContact* t, Rod* rod,
                        int index); // obstacles are then put on its stage, and it is given room
bool modal_contact_reserve(Memory* m, ModalContact* t); // for the modes that there are now
void modal_contact_free(Memory* m, ModalContact* t);

// After the rod has been advanced, with the solids' ways set: puts it right. False: no memory.
bool modal_contact_respond(Memory* m, ModalContact* t, const StepInfo* step, const FrictionLaw* friction);
bool modal_contact_reserve_end(Memory* m, ModalContact* t); // for the end of the step. False: no memory
void modal_contact_commit(Memory* m, ModalContact* t);      // the step stands
void modal_contact_state(Memory* m, ModalContact* t, Bytes* b);
CordContact modal_contact_describe(const ModalContact* t, const ModalPoint* p);

// modal_look.c: all points that touch at the colliders' `to`, have touched on the way there, or pushed in the
// round before if there was one. False: no memory.
bool modal_narrow_phase(Memory* m, ModalContact* t, bool again);

#endif
