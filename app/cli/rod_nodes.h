// A rod of a world, given the nodes that an adaptive rod of the same scene has in a frame.
#ifndef CORDAGE_CLI_ROD_NODES_H
#define CORDAGE_CLI_ROD_NODES_H

#include <cordage/adapt.h>

// Halves and merges its elements until it has the `count` nodes at these rest lengths from its start [m].
// Contact must be off, so that nothing near keeps it from that. False: it cannot have them, or there is no
// memory.
bool rod_nodes_take(CordWorld* world, CordRodId rod, const double* arc, int count);

#endif
