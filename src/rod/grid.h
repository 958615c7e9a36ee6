// The nodes that an adaptive rod may have. Every element it was made with is cut into ticks, as many as the
// shortest element takes, and a node sits at a tick: so rest lengths, sections and strains without stress of
// any element and any corner follow from those the rod was made with, whatever was halved and merged on the
// way, and nothing drifts.
#ifndef CORD_ROD_GRID_H
#define CORD_ROD_GRID_H

#include "base/bytes.h"
#include "base/message.h"
#include "rod/centerline.h"

#include <cordage/adapt.h>

typedef struct Rod Rod;

#define GRID_MOST 64 // ticks of an element, and elements that may become one, at the most

typedef struct RodGrid {
    CordAdaptDef def;
    int unit;         // ticks in an element that the def asks for: a power of two
    int end;          // the tick of the rod's end, or of a ring's first node once around
    int longest;      // ticks in the longest element there may be
    int node_count;   // that it begins with
    int base_count;   // elements that it begins with: those, or parts of them where its shape turns sharply
    int* base_tick;   // of their nodes (base_count + 1)
    double* base_len; // rest lengths of these [m] (base_count)
    // without stress, at their nodes: bending in the frame half-way, and twist, per length [rad/m] (3
    // (base_count + 1))
    double* strain;
    // likewise, what a node has beyond that: corners sharper than what is about them, which stay where they
    // are [rad] (3 (base_count + 1))
    double* kink;
    bool kinked;          // any is not 0
    CordStiffness* along; // where sections vary: by element (base_count); else NULL
    double* radii;        // likewise [m]
    int* tick;            // of each node (node_count)
    double* since;        // of each edge: when it was last touched, or made [s] (edge_count)
    double* merged; // of each edge: when it became one; -INFINITY: it was made so, or halved (edge_count)
    // of each node: where its skin was, from where it would be, at the time below [m] (node_count)
    CordVec3* aside;
    double* changed; // of each node: when that was [s]; -INFINITY: never (node_count)
    int capacity;    // of the five above
    // nodes have, since the last step: its velocities must be such as lengths and welds allow before implicit
    // steps go on
    bool changes;
    CordAdaptReport report;
} RodGrid;

CordResult grid_check_def(const CordAdaptDef* def, Message* message);

// Of a rod that is being made, for so many elements, with nodes at all ticks first: then those that it begins
// with are chosen by the shape, whose points are x, one for each tick. Lengths and sections come after, and
// strains, from its model. NULL: no memory.
RodGrid* grid_create(Memory* m, const CordAdaptDef* def, int elements, bool closed);
int grid_tick_count(const RodGrid* g, bool closed); // nodes at the most
void grid_choose_nodes(RodGrid* g, const CordVec3* x, bool closed, bool whole_start, bool whole_end,
                       bool plain);                        // plain: no part of an element
bool grid_set_base(Memory* m, RodGrid* g, const Rod* rod); // false: no memory
void grid_destroy(Memory* m, RodGrid* g);
bool grid_reserve(Memory* m, RodGrid* g, int node_count); // room for so many nodes; false: no memory

void grid_set_strain(RodGrid* g, const Rod* rod, int node,
                     // of a rod as it is made, at an inner node: bending and twist [rad]
                     const double strain[3]);
// 2 for a half edge, held or not: a strain without stress is as it was made
double grid_edge_weight(const Rod* rod, int edge);
// what its ends have, which have no corner: as their neighbours; and kinks are set apart
void grid_finish_strains(RodGrid* g, const Rod* rod);

// The rod's own node numbers; `edge` may be any of its edges.
int grid_tick_after(const RodGrid* g, const CordCenterline* c, int edge); // where an edge ends
// the edge that a tick is in, or begins
int grid_edge_at(const RodGrid* g, const CordCenterline* c, int tick);
bool grid_can_halve(const RodGrid* g, const CordCenterline* c, int edge);
bool grid_can_merge(const RodGrid* g, const CordCenterline* c, int node);
bool grid_admits(const RodGrid* g, const CordCenterline* c, const int* tick,
                 int node_count);           // could the rod have nodes at these ticks, and no others?
int grid_level(const RodGrid* g, int tick); // 0: the rod was made with it

// Of an element between two ticks.
double grid_length(const RodGrid* g, int from, int to);
void grid_strain(const RodGrid* g, int from, int to, bool at_end,
                 double strain[3]); // adds its share in what the corner at its start, or end, has [rad]

// of the node there, if it has one
void grid_add_kink(const RodGrid* g, int tick, double share, double strain[3]);

// but for the ticks, which decide how much else there is
void grid_state(RodGrid* g, const CordCenterline* c, Bytes* b);

#endif
