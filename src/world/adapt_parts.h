// What the files of adaptive rods share with each other alone: adapt.c has changes and when they are made,
// adapt_nodes.c a rod with other nodes, skin.c what pictures see of it.
#ifndef CORD_WORLD_ADAPT_PARTS_H
#define CORD_WORLD_ADAPT_PARTS_H

#include "adapt/patch.h"
#include "rod/grid.h"
#include "world/contact_parts.h"

struct WorldAdapt {
    Remesh map;   // from the nodes of a rod to others
    Remesh piece; // and to those of a piece of it
    PatchContact contact;
    int* first_edge; // of each rod (rod_capacity)
    int rod_capacity;
    uint8_t* touched; // halves of all edges of all rods (touched_capacity)
    int* contacts;    // and how often (contact_capacity)
    int touched_capacity, contact_capacity;
    bool *halve, *drop, *pinned; // of the rod that is looked at (node_capacity)
    CordVec3 *force, *next;      // on its nodes, before and after it has others [N] (node_capacity)
    CordVec3* goal;              // of nodes that are to be moved, once others are gone [m] (node_capacity)
    bool* moves;                 // which these are (node_capacity)
    bool blind;                  // what is near is not known, for want of memory: nothing is moved
    int* tick;                   // (node_capacity)
    int* counted;                // contacts by edge of the rod that it has become (node_capacity)
    double* bend;                // (node_capacity)
    int node_capacity;
};

CordResult adapt_no_memory(CordWorld* w);
bool adapt_open(CordWorld* w);                               // false: no memory
bool adapt_reserve_nodes(CordWorld* w, int count);           // likewise
bool adapt_reserve_edges(CordWorld* w, int rods, int edges); // likewise
void adapt_find_pinned(const Rod* rod, bool* pinned); // nodes that something holds, pulls at or measures
CordResult adapt_swap_rod(CordWorld* w, Rod* rod,
                          // in place of the one there was; whoever knows the rod by its address still does
                          Remesh* map);

// skin.c: where the skin of a node is, and that of an element half-way between two; one that is about to be
// moved to x stays where it is, as far as pictures go, and is there a little later.
CordVec3 skin_at(const Rod* rod, int node, double time);
CordVec3 skin_between(const Rod* rod, int before, int after, double time);
void skin_keep(Rod* rod, int node, CordVec3 skin, CordVec3 x, double time);

#endif
