// A patch finds the positions of new nodes, and of the neighbours of removed ones (ACM sections 5.2 and 5.3).
// It minimises the energy of a few elements with fixed surroundings, under all external forces.
//
// The elements form a small rod of the same model, whose first and last edge are clamped. So every model
// works that offers its energy and gradient. Frames are in equilibrium at all times. The unknowns are the
// positions of two nodes: the new one and one neighbour. When a node is removed, only the neighbour moves.
//
// A rod in equilibrium must stay in equilibrium, and a moving one must keep its acceleration. So each node is
// loaded with the force that balances the present elastic force: weight, contact, loads and inertia. New
// nodes get their share by mass. Overlaps are penalised.
//
// Inextensible edges are stiff during the search. A projection restores their length afterwards.
#ifndef CORD_ADAPT_PATCH_H
#define CORD_ADAPT_PATCH_H

#include "contact/narrow_phase.h"
#include "step/stepper.h"

typedef struct PatchContact { // contact near a change; all zero: none
    Colliders* colliders;     // present positions, with candidate pairs up to date; NULL: no contact
    int rod;                  // index of the rod among the colliders
    double tolerance;         // allowed overlap over the thinner radius
    // Nodes may not move farther: what is near them then is not among the colliders [m]; 0: no limit.
    double room;
    Colliders near; // the candidate pairs near the change
    int pair_capacity, solid_capacity, mesh_capacity;
    ContactPoints contacts;
} PatchContact;

void patch_contact_free(Memory* m, PatchContact* c);

typedef struct PatchChange {
    Rod* rod;
    int node;      // the new node in the middle of an element, or the node to remove
    bool goes;     // the node is removed
    int neighbour; // the neighbour that moves, too; -1: none
    double time;   // [s]
    int iterations;
    // Allowed displacement of the centre of mass of one element, over its length; 0: no limit.
    double aside;
    // Force on the node and on the neighbour [N]. If the node is removed, the neighbour has the sum.
    CordVec3 force[2];
} PatchChange;

typedef struct PatchEnd {
    // CORD_NOT_CONVERGED: the change would bring things too near, or no positions keep the lengths.
    CordResult result;
    int iterations;
    // Fraction of the path to the minimum that was taken. At 0 a new node stays in the middle of its element.
    double share;
    CordVec3 x[2]; // new positions of node and neighbour [m]
} PatchEnd;

// Does not change the rod.
PatchEnd patch_find(Memory* m, Remesh* map, const PatchChange* change, PatchContact* contact,
                    Message* message);

#endif
