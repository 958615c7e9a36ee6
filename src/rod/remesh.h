// A rod with other nodes than it had: what of it comes from where, and the part of it that all models share.
#ifndef CORD_ROD_REMESH_H
#define CORD_ROD_REMESH_H

#include "rod/rod.h"

typedef enum RemeshKind {
    REMESH_WHOLE, // an edge as it was
    REMESH_FIRST_HALF,
    REMESH_SECOND_HALF,
    REMESH_MERGED, // of two that were beside each other
} RemeshKind;

typedef struct Remesh {
    const Rod* from;
    bool piece; // of a rod, for a while: its first and last edge are held as they are
    int node_count, edge_count;
    int* node;        // that a node was; -1: it is new (node_count)
    int* edge;        // that an edge was, is half of, or begins with (edge_count)
    RemeshKind* kind; // (edge_count)
    int* tick;        // of the nodes (node_count)
    int* old_node;    // the other way: that a node has become; -1: it is gone (from->line.node_count)
    // that an edge has become, the first if it was halved, the one it is part of if it was merged
    // (from->line.edge_count)
    int* old_edge;
    int capacity, old_capacity;
} Remesh;

bool remesh_reserve(Memory* m, Remesh* map, int node_count, int old_count); // false: no memory
void remesh_free(Memory* m, Remesh* map);

// By edges that are to be halved and nodes that are to go, of `from`.
void remesh_fill(Remesh* map, const Rod* from, const bool* halve, const bool* drop);
// To nodes at these ticks, whatever is there now: what elements have in common with those there were is
// carried over, and the rest may be anything that is finite.
void remesh_fill_ticks(Remesh* map, const Rod* from, const int* tick, int node_count);
// Of `from`, nodes from `first` on, `count` of them, as they are, but for one that is to go (-1: none);
// around a ring if need be.
void remesh_fill_piece(Remesh* map, const Rod* from, int first, int count, int drop);

bool remesh_keeps_corner(const Remesh* map, const CordCenterline* c, int node); // nothing about it changes
// Strain without stress at an inner node of the rod with the new nodes: bending in the frame half-way, and
// twist [rad].
void remesh_rest_strain(const Remesh* map, const Rod* rod, int node, double strain[3]);

// Starts `rod` as `map->from` with the new nodes: new ones in the middle, velocities such that mass and
// momentum are those there were. Its clamps and loads are still numbered as before, and it has no model yet.
// A piece has neither clamps nor loads nor a grid. False: no memory, and nothing was made.
bool remesh_rod(Memory* m, Rod* rod, const Remesh* map);

// Values by node, which new nodes have between those beside them; and by edge, of which halves have as much,
// or per_length their share.
void remesh_nodes(const Rod* rod, const Remesh* map, double* const to[3], double* const from[3]);
void remesh_edges(const Rod* rod, const Remesh* map, double* to, const double* from, bool per_length);

// Clamps and loads go by numbers of nodes and edges: of those there were (forth), or are (back).
void remesh_renumber(Rod* rod, const Remesh* map, bool back);

#endif
