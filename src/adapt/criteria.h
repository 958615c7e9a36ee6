// Refinement criteria: which elements of an adaptive rod to halve and which nodes to remove (ACM
// section 5.1).
#ifndef CORD_ADAPT_CRITERIA_H
#define CORD_ADAPT_CRITERIA_H

#include "rod/rod.h"

#include <stdint.h>

enum { TOUCHED_FIRST = 1, TOUCHED_SECOND = 2 }; // halves of an edge

typedef struct Criteria {
    double time;            // [s]
    const uint8_t* touched; // TOUCHED_... (edge_count)
    double* bend;           // scratch for curvatures (node_count)
    const bool* pinned;     // nodes that a clamp, load or probe needs (node_count)
} Criteria;

// Chooses elements to halve or, if there are none, nodes to remove. Chosen places are so far apart that their
// patches do not overlap; later steps choose the others. Returns how many.
int criteria_choose(const Rod* rod, const Criteria* in, bool* halve, bool* drop);

// True if a clamp or load acts on the edge as a whole, or a joint has taken over part of its mass.
bool criteria_holds_edge(const Rod* rod, int edge);

#endif
