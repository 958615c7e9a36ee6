// What the files of patch.h share with each other alone: patch.c has the search, patch_piece.c the small rod,
// patch_touch.c what touches, patch_lengths.c lengths that are kept.
#ifndef CORD_ADAPT_PATCH_PARTS_H
#define CORD_ADAPT_PATCH_PARTS_H

#include "adapt/patch.h"

#define PIECE_MOST 8 // nodes

typedef struct Patch {
    Rod piece;
    Clamp ends[2];
    Clamp* list[2];
    const PatchChange* change;
    PatchContact* contact; // NULL: nothing touches
    Memory* memory;
    int moved[2], moved_count; // nodes of the piece
    int collider_node[3];      // of the colliders: of the moved ones, and of the one that goes
    CordVec3 held_end;         // the other end of what becomes one
    CordVec3 start[2];         // where the moved ones set out from
    double first;              // value of the functional there [J]
    CordVec3 force[2];         // [N]
    double touched;            // energy of barriers there [J]
    double spare;              // a little of what bending costs [J]
    double stiffness;          // of surfaces that overlap [N/m]
    double matrix[36];         // of the preconditioner, factored
    bool wider;                // the way led beyond what candidates were looked for
    bool failed;               // no memory
} Patch;

CordResult patch_open_piece(Patch* p, Remesh* map, Message* message);
void patch_close_piece(Patch* p);
double patch_bend_stiffness(const Rod* rod, int edge); // the larger one [N m^2]
double patch_shortest_edge(const Rod* rod);            // [m]

bool patch_set_colliders(Patch* p); // false: no memory
// the next change sets out from where this one has left things
void patch_leave_colliders(const Patch* p, bool there);
void patch_place_colliders(const Patch* p, const CordVec3* x); // the moved nodes, and the one that goes
double patch_touch_energy(Patch* p, CordVec3* gradient);       // adds to the gradient of the moved nodes
double patch_deepest(Patch* p); // overlap at the start, over the thinner radius
bool patch_is_clear(Patch* p, const CordVec3* x,
                    // nothing is too near, nor was passed through on the way; `deep`: at the start
                    double deep);

// Moved nodes to where the edges at them have their length again, if the rod keeps lengths. False: there is
// no such place.
bool patch_keep_lengths(const Patch* p, CordVec3* x);

#endif
