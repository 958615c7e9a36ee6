// Remeshing: the map from a rod to one with other nodes, and the transfer of the part that all models share.
#ifndef CORD_ROD_REMESH_H
#define CORD_ROD_REMESH_H

#include "rod/rod.h"

typedef enum RemeshKind {
    REMESH_WHOLE, // an unchanged edge
    REMESH_FIRST_HALF,
    REMESH_SECOND_HALF,
    REMESH_MERGED, // two neighbours became one edge
} RemeshKind;

typedef struct Remesh {
    const Rod* from;
    bool piece; // a temporary piece of a rod; its first and last edge are held
    int node_count, edge_count;
    int* node; // old index of a node; -1: a new node (node_count)
    // Old edge of an edge: the same edge, the edge it is half of, or the first of two merged ones
    // (edge_count).
    int* edge;
    RemeshKind* kind; // (edge_count)
    int* tick;        // ticks of the nodes (node_count)
    int* old_node;    // new index of an old node; -1: it was removed (from->line.node_count)
    // New edge of an old one: the first half if it was halved, the merged edge if it was merged
    // (from->line.edge_count).
    int* old_edge;
    int capacity, old_capacity;
} Remesh;

bool remesh_reserve(Memory* m, Remesh* map, int node_count, int old_count); // false: no memory
void remesh_free(Memory* m, Remesh* map);

// Maps to the nodes after the edges in `halve` are halved and the nodes in `drop` are removed.
void remesh_fill(Remesh* map, const Rod* from, const bool* halve, const bool* drop);
// Maps to nodes at these ticks. State of elements that both meshes have is transferred; other values are only
// finite.
void remesh_fill_ticks(Remesh* map, const Rod* from, const int* tick, int node_count);
// Maps to a piece of `from`: `count` nodes from `first` on, across the seam of a ring, without the node
// `drop` (-1: none).
void remesh_fill_piece(Remesh* map, const Rod* from, int first, int count, int drop);

// True if neither edge of the node changes.
bool remesh_keeps_corner(const Remesh* map, const CordCenterline* c, int node);
// Writes the rest strain at an inner node of the new rod: bending in the mean frame of its edges, and twist
// [rad].
void remesh_rest_strain(const Remesh* map, const Rod* rod, int node, double strain[3]);

// Creates `rod` from `map->from` with the new nodes. New nodes are at midpoints; velocities conserve mass and
// momentum. Clamps and loads keep the old numbers, and the rod has no model yet. A piece has no clamps, loads
// or grid. Returns false without memory, and then nothing is allocated.
bool remesh_rod(Memory* m, Rod* rod, const Remesh* map);

// remesh_nodes interpolates node values at new nodes. remesh_edges copies an edge's value to its halves; with
// per_length, values are per length and are scaled to the new length.
void remesh_nodes(const Rod* rod, const Remesh* map, double* const to[3], double* const from[3]);
void remesh_edges(const Rod* rod, const Remesh* map, double* to, const double* from, bool per_length);

// Renumbers the nodes and edges of clamps and loads from old to new, or back.
void remesh_renumber(Rod* rod, const Remesh* map, bool back);

#endif
