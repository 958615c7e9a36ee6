// Networks: edges between whichever nodes.
#ifndef CORD_ROD_NETWORK_H
#define CORD_ROD_NETWORK_H

#include "base/memory.h"
#include "base/message.h"

// Refuses edges that lead nowhere, have no length, or are there twice, and nodes without an edge.
CordResult network_check(Memory* m, const CordShape* s, Message* message);

// Numbers the parts that hang together, from 0 in the order of their first nodes, and returns how many there
// are.
int network_components(const int* ends, int edge_count, int node_count, int* component); // (node_count)

#endif
