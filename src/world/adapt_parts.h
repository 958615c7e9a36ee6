// Shared by the files of adaptive rods: adapt.c chooses and makes changes, adapt_nodes.c remeshes a rod,
// adapt_contact.c finds what is near, skin.c smooths what pictures draw.
#ifndef CORD_WORLD_ADAPT_PARTS_H
#define CORD_WORLD_ADAPT_PARTS_H

#include "adapt/patch.h"
#include "rod/grid.h"
#include "world/contact_parts.h"

struct WorldAdapt {
    Remesh map;   // from the nodes of a rod to its new ones
    Remesh piece; // from the nodes of a rod to a piece of it
    PatchContact contact;
    Colliders near;  // the rod that changes, what is near it, and all solids
    int* first_edge; // index of the first edge of each rod (rod_capacity)
    int rod_capacity;
    // Contact forces on rods that nothing near has changed since [N] (pushed_capacity), and the first one of
    // each rod; -1: not known (known_count).
    CordVec3* pushed;
    int* known;
    int known_capacity, pushed_capacity, known_count;
    uint8_t* touched; // touched halves of all edges of all rods (touched_capacity)
    int* contacts;    // number of contacts by edge (contact_capacity)
    int touched_capacity, contact_capacity;
    bool *halve, *drop, *pinned; // of the current rod (node_capacity)
    CordVec3 *force, *next;      // node forces before and after remeshing [N] (node_capacity)
    CordVec3* goal; // target positions of moved nodes, once other nodes are removed [m] (node_capacity)
    bool* moves;    // nodes that have a goal (node_capacity)
    bool blind;     // candidate pairs are unknown for want of memory: no node is moved
    int* tick;      // (node_capacity)
    int* counted;   // contacts by edge of the remeshed rod (node_capacity)
    double* bend;   // (node_capacity)
    int node_capacity;
};

CordResult adapt_no_memory(CordWorld* w);
bool adapt_open(CordWorld* w);                               // false: no memory
bool adapt_reserve_nodes(CordWorld* w, int count);           // false: no memory
bool adapt_reserve_edges(CordWorld* w, int rods, int edges); // false: no memory
void adapt_find_pinned(const Rod* rod, bool* pinned);        // nodes that a clamp, load or probe needs
// Replaces the rod in place by the remeshed one, so that pointers to it stay valid.
CordResult adapt_swap_rod(CordWorld* w, Rod* rod, Remesh* map);

// adapt_contact.c: finds what the rod may touch while its nodes change.
CordResult adapt_open_contact(CordWorld* w, const Rod* rod);
// Contact forces on the nodes of a rod (node_count), which are kept for those rods that no change since has
// been near; NULL: none, or they are part of the impulses of the step. adapt_forget_forces begins anew, and
// adapt_forget_near after a change of the rod that contact was opened for.
const CordVec3* adapt_contact_forces(CordWorld* w, const Rod* rod);
void adapt_forget_forces(CordWorld* w);
void adapt_forget_near(CordWorld* w);

// skin.c. skin_at returns the drawn position of a node, skin_between that of the middle of an element.
// skin_keep leaves the drawn position of a node that is about to move to x, and lets it follow smoothly.
CordVec3 skin_at(const Rod* rod, int node, double time);
CordVec3 skin_between(const Rod* rod, int before, int after, double time);
void skin_keep(Rod* rod, int node, CordVec3 skin, CordVec3 x, double time);

#endif
