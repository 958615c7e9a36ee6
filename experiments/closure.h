// Closes a rod that clamps hold at both ends, so that it has a writhe: what its ends turn is then the change
// of twist and writhe together.
#ifndef CORDAGE_EXPERIMENTS_CLOSURE_H
#define CORDAGE_EXPERIMENTS_CLOSURE_H

#include "lab.h"

typedef struct Closure {
    CordWorld* world;
    CordRodId rod;
    int nodes;
    CordVec3* x; // the closed polygon: the rod's nodes, and two of a tail on either side (nodes + 4)
    double far;  // length of a tail [m]
} Closure;

// Straight tails carry the clamped ends on, a thousand times as far as the rod is long, then go to one side
// and are joined there. As long as the clamps turn about the rod's tangent or move along it, and nothing
// passes through a tail, each tail stays on its line; so twist and writhe, of the rod's frames and of the
// closed polygon, change together by as much as its ends turn against each other (Calugareanu, White; exact
// for polygons).
Closure closure_open(Lab* lab, CordWorld* world, int rod); // joined on the side of z
double closure_writhe(Closure* c);                         // now, of the closed polygon [turns]
double closure_link(Closure* c);                           // likewise, with the rod's twist
const CordVec3* closure_nodes(const Closure* c);           // the rod's, as of then

#endif
