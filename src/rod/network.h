// Networks: edges between any nodes.
#ifndef CORD_ROD_NETWORK_H
#define CORD_ROD_NETWORK_H

#include "base/memory.h"
#include "base/message.h"

// Refuses edges to missing nodes, of no length or given twice, and nodes without an edge.
CordResult network_check(Memory* m, const CordShape* s, Message* message);

// Connected components, numbered from 0 in the order of their first nodes. Returns how many there are.
int network_components(const int* ends, int edge_count, int node_count, int* component); // (node_count)

#endif
