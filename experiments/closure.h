// Closes a rod that clamps hold at both ends, so that it has a writhe: what its ends turn is then the change
// of twist and writhe together.
#ifndef CORDAGE_EXPERIMENTS_CLOSURE_H
#define CORDAGE_EXPERIMENTS_CLOSURE_H

#include "lab.h"

typedef struct Closure {
    CordWorld* world;
    CordRodId rod;
    int nodes;
    CordVec3* x; // the rod's nodes (nodes)
} Closure;

// Straight tails carry the clamped ends on, to infinity. As long as the clamps turn about the rod's tangent
// or move along it, and nothing passes through a tail, each tail stays on its line; so twist and writhe, of
// the rod's frames and of the tailed polygon, change together by as much as its ends turn against each other
// (Calugareanu, White; exact for polygons).
Closure closure_open(Lab* lab, CordWorld* world, int rod);
double closure_writhe(Closure* c);               // now, with the tails [turns]
double closure_link(Closure* c);                 // likewise, with the rod's twist
const CordVec3* closure_nodes(const Closure* c); // the rod's, as of then

#endif
