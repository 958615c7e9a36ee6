// The dyadic grid of an adaptive rod. Every initial element is divided into ticks of the size of the shortest
// element, and a node sits at a tick. Rest lengths, sections and rest strains of any element follow from
// those of the initial ones, whatever was refined and merged in between, so that nothing drifts.
#ifndef CORD_ROD_GRID_H
#define CORD_ROD_GRID_H

#include "base/bytes.h"
#include "base/message.h"
#include "rod/centerline.h"

#include <cordage/adapt.h>

typedef struct Rod Rod;

#define GRID_MOST 64 // ticks of an initial element, and initial elements that may merge into one, at most

typedef struct RodGrid {
    CordAdaptDef def;
    int unit;         // ticks in an element of the def: a power of two
    int end;          // tick of the rod's end, or of a closed rod's first node once around
    int longest;      // ticks in the longest element allowed
    int node_count;   // initial nodes
    int base_count;   // initial elements: those of the def, or parts of them where the shape turns sharply
    int* base_tick;   // ticks of their nodes (base_count + 1)
    double* base_len; // their rest lengths [m] (base_count)
    // rest strain at their nodes: curvature in the frame half-way, and twist, per length [rad/m] (3
    // (base_count + 1))
    double* strain;
    // rest angles of kinks, which are sharper than their surroundings and stay at their node [rad] (3
    // (base_count + 1))
    double* kink;
    bool kinked;          // any kink is not 0
    CordStiffness* along; // sections by initial element (base_count); NULL: all are alike
    double* radii;        // contact radii by initial element [m] (base_count); NULL: all are alike
    int* tick;            // tick of each node (node_count)
    double* since;        // time at which an edge was last in contact, or made [s] (edge_count)
    double* merged; // time at which an edge was merged; -INFINITY: it is initial, or was halved (edge_count)
    // offset of a node at the time `changed`, for blending in the drawn shape [m] (node_count)
    CordVec3* aside;
    double* changed; // time of a node's last change [s]; -INFINITY: never (node_count)
    int capacity;    // of the five arrays above
    // nodes changed since the last step: velocities must be projected onto lengths and welds before an
    // implicit step
    bool changes;
    CordAdaptReport report;
} RodGrid;

CordResult grid_check_def(const CordAdaptDef* def, Message* message);

// Creates the grid of a rod of so many elements, with nodes at all ticks. grid_choose_nodes then chooses the
// initial nodes by the shape, whose points x are one for each tick; grid_set_base copies lengths and
// sections; the model sets strains. NULL: no memory.
RodGrid* grid_create(Memory* m, const CordAdaptDef* def, int elements, bool closed);
int grid_tick_count(const RodGrid* g, bool closed); // nodes at most
// keep_start, keep_end: the first, last element is not divided; plain: none is
void grid_choose_nodes(RodGrid* g, const CordVec3* x, bool closed, bool keep_start, bool keep_end,
                       bool plain);
bool grid_set_base(Memory* m, RodGrid* g, const Rod* rod); // false: no memory
void grid_destroy(Memory* m, RodGrid* g);
bool grid_reserve(Memory* m, RodGrid* g, int node_count); // false: no memory

// Rest strain at an inner node of the initial rod: bending and twist [rad].
void grid_set_strain(RodGrid* g, const Rod* rod, int node, const double strain[3]);
// 2 for a half edge, held or not
double grid_edge_weight(const Rod* rod, int edge);
// Ends, which have no corner, get the strain of their neighbours, and kinks are separated.
void grid_finish_strains(RodGrid* g, const Rod* rod);

// The rod's own node numbers; `edge` may be any of its edges.
int grid_tick_after(const RodGrid* g, const CordCenterline* c, int edge); // tick at which an edge ends
// the edge that contains a tick or begins there
int grid_edge_at(const RodGrid* g, const CordCenterline* c, int tick);
bool grid_can_halve(const RodGrid* g, const CordCenterline* c, int edge);
bool grid_can_merge(const RodGrid* g, const CordCenterline* c, int node);
// Could the rod have nodes at these ticks and no others?
bool grid_admits(const RodGrid* g, const CordCenterline* c, const int* tick, int node_count);
int grid_level(const RodGrid* g, int tick); // refinement level; 0: a node of the def

// Rest length of an element between two ticks [m].
double grid_length(const RodGrid* g, int from, int to);
// Adds the share of this element in the rest strain at its start, or end [rad].
void grid_strain(const RodGrid* g, int from, int to, bool at_end, double strain[3]);

// Adds a share of the kink at a tick, if there is one [rad].
void grid_add_kink(const RodGrid* g, int tick, double share, double strain[3]);

// Everything but the ticks, which decide the size of the rest.
void grid_state(RodGrid* g, const CordCenterline* c, Bytes* b);

#endif
