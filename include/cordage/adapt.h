// Adaptive rods: nodes where they are needed. A rod whose def says adapt.on takes in nodes at the end of
// steps, and gives them up; here is what it did, and how to do it by hand. docs/adapt.md.
//
// Numbers of nodes and edges change with it; clamps, welds, loads and probes stay where they are on the rod,
// and so do places by rest length from its start.
#ifndef CORDAGE_ADAPT_H
#define CORDAGE_ADAPT_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// off; 0.6 and 0.2 rad, by contact, 0.1 s, 1/4 to 1, the minimum in 20 iterations, 0.05 s
CORD_API CordAdaptDef cord_adapt_def_default(void);

typedef struct CordAdaptReport { // since the rod was made
    int made_with;               // nodes that it was made with
    int nodes;                   // that it has
    int finest, coarsest;        // that it may have, at the most and at the least
    int64_t refined, merged;     // nodes taken in, and given up
    // changes that something near did not allow: nodes that stayed, or were put in the middle of their
    // element
    int64_t kept_off;
    int64_t iterations; // of the searches for the least energy, in all
    int64_t steps;      // in which it changed
    double node_steps;  // nodes, summed over all steps: over their number, the mean
    int64_t flickers;   // elements that were halved within merge_time of having become one
} CordAdaptReport;

CORD_API bool cord_rod_is_adaptive(const CordWorld* world, CordRodId rod);
CORD_API CordAdaptReport cord_rod_adapt_report(const CordWorld* world, CordRodId rod); // zeros if it is not

CORD_API CordResult cord_rod_arcs(const CordWorld* world, CordRodId rod,
                                  // of every rod: rest length from its start to each node [m] (nodes)
                                  double* arc);
// see CordFrame (nodes)
CORD_API CordResult cord_rod_levels(const CordWorld* world, CordRodId rod, int* level);

// One change of an adaptive rod by hand, whatever bends or touches it: halves an edge; gives up the node
// between two halves. CORD_BAD_ARGUMENT if the bounds of its def, what holds it there, or something near do
// not allow it.
CORD_API CordResult cord_rod_refine(CordWorld* world, CordRodId rod, int edge);
CORD_API CordResult cord_rod_merge(CordWorld* world, CordRodId rod, int node);

#ifdef __cplusplus
}
#endif

#endif
