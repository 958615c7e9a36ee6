// Shared by the files of patch.h: patch.c has the search, patch_piece.c the small rod, patch_touch.c contact,
// patch_lengths.c the length projection.
#ifndef CORD_ADAPT_PATCH_PARTS_H
#define CORD_ADAPT_PATCH_PARTS_H

#include "adapt/patch.h"

#define PIECE_MOST 8 // largest number of nodes

typedef struct Patch {
    Rod piece;
    Clamp ends[2];
    Clamp* list[2];
    const PatchChange* change;
    PatchContact* contact; // NULL: no contact
    Memory* memory;
    int moved[2], moved_count; // nodes of the piece that move
    int collider_node[3];      // collider nodes of the moved ones, and of the removed one
    CordVec3 held_end;         // other end of the merged element [m]
    CordVec3 origin;           // positions on the piece are relative to it [m]
    CordVec3 start[2];         // initial positions of the moved nodes [m]
    double first;              // initial value of the functional [J]
    CordVec3 force[2];         // [N]
    double spare;              // energy tolerance, a small share of the bending energy [J]
    double stiffness;          // penalty on overlaps [N/m]
    double matrix[36];         // factored preconditioner
    bool wider;                // the search left the region of the candidate pairs
    bool failed;               // no memory
} Patch;

CordResult patch_open_piece(Patch* p, Remesh* map, Message* message);
void patch_close_piece(Patch* p);
double patch_bend_stiffness(const Rod* rod, int edge); // the larger of EI1 and EI2 [N m^2]
double patch_shortest_edge(const Rod* rod);            // [m]

bool patch_set_colliders(Patch* p); // false: no memory
// Leaves the colliders at the accepted positions (`there`) or at the initial ones, for the next change.
void patch_leave_colliders(const Patch* p, bool there);
void patch_place_colliders(const Patch* p, const CordVec3* x); // moves the collider nodes to x
double patch_touch_energy(Patch* p, CordVec3* gradient);       // adds to the gradient of the moved nodes
double patch_deepest(Patch* p);                                // initial overlap over the thinner radius
// True if nothing is too near at x and nothing was passed through; `deep` is the initial overlap.
bool patch_is_clear(Patch* p, const CordVec3* x, double deep);

// Projects the moved nodes so that their edges have their rest lengths, if the rod is inextensible. Returns
// false if there are no such positions.
bool patch_keep_lengths(const Patch* p, CordVec3* x);

#endif
