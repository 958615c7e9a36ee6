// Which elements of an adaptive rod are to be halved, and which nodes are to go (ACM section 5.1).
#ifndef CORD_ADAPT_CRITERIA_H
#define CORD_ADAPT_CRITERIA_H

#include "rod/rod.h"

#include <stdint.h>

enum { TOUCHED_FIRST = 1, TOUCHED_SECOND = 2 }; // halves of an edge

typedef struct Criteria {
    double time;            // [s]
    const uint8_t* touched; // TOUCHED_... (edge_count)
    double* bend;           // room for curvatures (node_count)
    const bool* pinned;     // nodes that something holds, pulls at or measures (node_count)
} Criteria;

// Elements to be halved, or, where there are none, nodes to go: far enough from each other that what happens
// at one does not reach the next. The others have their turn in the next steps. Returns how many.
int criteria_choose(const Rod* rod, const Criteria* in, bool* halve, bool* drop);

// does anything hold or turn it as a whole, or share in its mass?
bool criteria_holds_edge(const Rod* rod, int edge);

#endif
