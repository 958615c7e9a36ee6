// Remeshing: the map from a rod to one with other nodes, and the transfer of the part that all models share.
#ifndef CORD_ROD_REMESH_H
#define CORD_ROD_REMESH_H

#include "rod/rod.h"

typedef enum RemeshKind {
    REMESH_WHOLE, // an unchanged edge
    REMESH_FIRST_HALF,
    REMESH_SECOND_HALF,
    REMESH_MERGED, // one edge of two neighbours
} RemeshKind;

typedef struct Remesh {
    const Rod* from;
    bool piece; // a temporary piece of a rod; its first and last edge are held
    int node_count, edge_count;
    int* node; // old node of a node; -1: it is new (node_count)
    int* edge; // old edge of an edge: the same, the one it is half of, or the first of two (edge_count)
    RemeshKind* kind; // (edge_count)
    int* tick;        // ticks of the nodes (node_count)
    int* old_node;    // new node of an old one; -1: it was removed (from->line.node_count)
    // new edge of an old one: the first half if it was halved, the whole if it was merged
    // (from->line.edge_count)
    int* old_edge;
    int capacity, old_capacity;
} Remesh;

bool remesh_reserve(Memory* m, Remesh* map, int node_count, int old_count); // false: no memory
void remesh_free(Memory* m, Remesh* map);

// Halves edges and removes nodes of `from`.
void remesh_fill(Remesh* map, const Rod* from, const bool* halve, const bool* drop);
// To nodes at these ticks. State of elements that both meshes have is transferred; the rest is only finite.
void remesh_fill_ticks(Remesh* map, const Rod* from, const int* tick, int node_count);
// A piece of `from`: `count` nodes from `first` on, across the seam if need be, without the node `drop` (-1:
// none).
void remesh_fill_piece(Remesh* map, const Rod* from, int first, int count, int drop);

bool remesh_keeps_corner(const Remesh* map, const CordCenterline* c,
                         int node); // neither edge of the node changes
// Rest strain at an inner node of the new rod: bending in the frame half-way, and twist [rad].
void remesh_rest_strain(const Remesh* map, const Rod* rod, int node, double strain[3]);

// Makes `rod` of `map->from` with the new nodes: new ones at midpoints, and velocities that conserve mass and
// momentum. Clamps and loads still have the old numbers, and the rod has no model yet. A piece has no clamps,
// loads or grid. False: no memory, and nothing is left behind.
bool remesh_rod(Memory* m, Rod* rod, const Remesh* map);

// Values by node, which new nodes have between those beside them; and by edge, of which halves have as much,
// or per_length their share.
void remesh_nodes(const Rod* rod, const Remesh* map, double* const to[3], double* const from[3]);
void remesh_edges(const Rod* rod, const Remesh* map, double* to, const double* from, bool per_length);

// Renumbers the nodes and edges of clamps and loads, from old to new, or back.
void remesh_renumber(Rod* rod, const Remesh* map, bool back);

#endif
