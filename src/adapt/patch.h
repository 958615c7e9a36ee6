// Where new nodes go, and what moves when one goes (ACM sections 5.2 and 5.3): the least of the energy of a
// few elements, their surroundings held, with all that pushes and pulls on them.
//
// The elements are a small rod of their own, of the same model, whose first and last edge are held: so any
// model that can make one and tell its energy and gradient will do. Frames are in equilibrium at all times,
// which leaves the positions of two nodes as unknowns: the new one and a neighbour (when a node goes, the
// neighbour alone).
//
// What is in equilibrium is to stay so, and what is not, to be accelerated as it was. So each node is pulled
// by the force that holds the present elastic force at bay, be it weight, contact, load or inertia; new ones
// have their share of it by mass. Barrier surfaces push on top of that as implicit steps have it (where they
// do, their present push is left out of that force), or once they overlap.
//
// Edges that keep their length are stiff in the search, and are put back to it afterwards by projection.
#ifndef CORD_ADAPT_PATCH_H
#define CORD_ADAPT_PATCH_H

#include "contact/narrow_phase.h"
#include "step/stepper.h"

typedef struct PatchContact { // what may touch the rod about a change; all zero: nothing
    Colliders* colliders;     // where all is now, with its candidates up to date; NULL: nothing touches
    int rod;                  // of the colliders
    ContactLaw law;           // of its barriers, or without
    double tolerance;         // without: overlap over the thinner radius that may be
    Colliders near;           // those candidates that the change concerns
    int pair_capacity, solid_capacity, mesh_capacity;
    ContactPoints contacts;
} PatchContact;

void patch_contact_free(Memory* m, PatchContact* c);

typedef struct PatchChange {
    Rod* rod;
    int node;      // that has just been taken in, in the middle of an element; or that is to go
    bool goes;     // it is
    int neighbour; // that moves, too; -1: none may
    double time;   // [s]
    int iterations;
    double aside; // how far all of an element's mass may be moved, over its length; 0: any way
    // on the node and on the neighbour [N]: if the node goes, on the neighbour alone, of both
    CordVec3 force[2];
} PatchChange;

typedef struct PatchEnd {
    // CORD_NOT_CONVERGED: it cannot be without coming too near something, or the lengths do not allow it
    CordResult result;
    int iterations;
    // of the way to the least energy that was gone; 0: a new node stays in the middle of its element
    double share;
    CordVec3 x[2]; // where they are to be [m]
} PatchEnd;

// Leaves the rod as it is.
PatchEnd patch_find(Memory* m, Remesh* map, const PatchChange* change, PatchContact* contact,
                    Message* message);

#endif
