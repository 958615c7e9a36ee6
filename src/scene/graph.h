// Networks before they are rods: nodes, and edges between any two of them.
#ifndef CORD_SCENE_GRAPH_H
#define CORD_SCENE_GRAPH_H

#include "scene/mesh_file.h"

#define GRAPH_MOST 20000000 // nodes, and edges

typedef struct Graph {
    CordVec3* nodes; // [m] (node_count)
    int node_count;
    int* ends; // the two nodes of each edge (2 edge_count)
    int edge_count;
    double* size; // of an edge's section, over what the rod's own is (edge_count); NULL: 1
} Graph;

// Room for so many of them in the pool. False: no memory.
bool graph_make(Pool* pool, int node_count, int edge_count, Graph* graph);

// Each edge as `pieces` of the same length. Nodes keep their numbers, and those between come after them; the
// pieces of edge k are those from pieces k on. False: no memory.
bool graph_split(Pool* pool, int pieces, Graph* graph);

// Edges by the nodes that they join. There is room for as many as it is made for.
typedef struct EdgeSet {
    Memory* memory;
    int* slots; // 1 + the edge, 0: none; by hash of its nodes (slot_count, a power of two)
    size_t slot_count;
} EdgeSet;

bool edge_set_make(EdgeSet* set, Memory* memory, size_t most); // false: no memory
void edge_set_free(EdgeSet* set);
// Puts in an edge of `ends`, unless one of the same nodes is in already: returns that one, or -1.
int edge_set_add(EdgeSet* set, const int* ends, int edge);

typedef struct GraphPieces { // parts that no edge joins
    int count;
    int smallest; // nodes of it
} GraphPieces;

bool graph_pieces(Memory* memory, const Graph* graph, GraphPieces* pieces); // false: no memory

typedef struct GraphCells {   // of a grid: one layer of nodes more than cells each way
    CordVec3 corner, u, v, w; // [m]
    int count[3];             // 0 along w: a plane grid
    bool diagonals;
} GraphCells;

// How many nodes and edges a grid has: as numbers that do not overflow.
void graph_grid_size(const GraphCells* cells, double* nodes, double* edges);
bool graph_grid(Pool* pool, const GraphCells* cells, Graph* graph); // false: no memory

typedef struct GraphTree {
    CordVec3 base, tip;   // of the trunk [m]
    int levels, branches; // of the trunk itself: 1; from the tip of each edge
    double ratio, taper;  // of a branch's length and section, over those of the one that it is on
    double angle, turn;   // from the direction of the one that it is on, and about it [rad]
} GraphTree;

double graph_tree_size(const GraphTree* tree);                    // edges
bool graph_tree(Pool* pool, const GraphTree* tree, Graph* graph); // false: no memory

typedef struct GraphMesh { // what became of a mesh
    int merged;            // vertices that were at the place of an earlier one
    int lone;              // vertices without an edge, which were left out
    int flat;              // edges without a length, likewise
} GraphMesh;

// Vertices within `merge` [m] of an earlier one are that one. Edges are those of its polygons, each once, and
// its lines. Without edges none is made, and no memory is missing. False: no memory.
bool graph_from_mesh(Pool* pool, const PlacedMesh* placed, double merge, Graph* graph, GraphMesh* report);

// The diagonal of the box around them [m].
double graph_extent(const CordVec3* points, int count);

#endif
