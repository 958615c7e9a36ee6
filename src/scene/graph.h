// Graphs of nodes and edges, from which networks of beams are made.
#ifndef CORD_SCENE_GRAPH_H
#define CORD_SCENE_GRAPH_H

#include "scene/mesh_file.h"

#define GRAPH_MOST 20000000 // nodes, and edges

typedef struct Graph {
    CordVec3* nodes; // [m] (node_count)
    int node_count;
    int* ends; // the two nodes of each edge (2 edge_count)
    int edge_count;
    double* size; // scale of an edge's section, relative to the rod's (edge_count); NULL: 1
} Graph;

// Allocates the nodes and edges in the pool. False: there is no memory.
bool graph_make(Pool* pool, int node_count, int edge_count, Graph* graph);

// Splits each edge into `pieces` of the same length. Old nodes keep their numbers, and new ones follow them.
// The pieces of edge k are the edges from pieces * k on. False: there is no memory.
bool graph_split(Pool* pool, int pieces, Graph* graph);

// A hash set of edges by the two nodes that they join.
typedef struct EdgeSet {
    int* slots; // 1 + the edge, 0: empty (slot_count, a power of two)
    size_t slot_count;
} EdgeSet;

bool edge_set_make(EdgeSet* set, Pool* pool, size_t most); // room for `most`; false: no memory
// Adds an edge of `ends`. Returns -1, or the edge of the same two nodes that is in the set already.
int edge_set_add(EdgeSet* set, const int* ends, int edge);

typedef struct GraphPieces { // connected components
    int count;
    int smallest; // nodes of the smallest one
} GraphPieces;

bool graph_pieces(Pool* pool, const Graph* graph, GraphPieces* pieces); // false: no memory

typedef struct GraphCells {   // a grid, or a lattice of boxes
    CordVec3 corner, u, v, w; // a corner, and the edges of the whole grid from it [m]
    int count[3];             // cells along u, v and w; 0 along w: a plane grid
    bool diagonals;
} GraphCells;

// The numbers of nodes and edges of a grid, as doubles because they may be beyond any integer.
void graph_grid_size(const GraphCells* cells, double* nodes, double* edges);
bool graph_grid(Pool* pool, const GraphCells* cells, Graph* graph); // false: no memory

typedef struct GraphTree {
    CordVec3 base, tip;   // ends of the trunk [m]
    int levels, branches; // levels with the trunk; branches at each tip
    double ratio, taper;  // length and section of a branch, relative to the edge that carries it
    double angle, turn;   // of a branch, from that edge and about it [rad]
} GraphTree;

double graph_tree_size(const GraphTree* tree);                    // its number of edges
bool graph_tree(Pool* pool, const GraphTree* tree, Graph* graph); // false: no memory

typedef struct GraphMesh { // what making a graph from a mesh left out
    int merged;            // vertices that were merged into an earlier one
    int lone;              // vertices without an edge
    int flat;              // edges without a length
} GraphMesh;

// Makes a graph of a mesh: one node of all vertices within `merge` [m] of each other, and one edge of each
// edge of a polygon and of each line. The graph may have no edges. False: there is no memory.
bool graph_from_mesh(Pool* pool, const PlacedMesh* placed, double merge, Graph* graph, GraphMesh* report);

// The diagonal of the bounding box of the points [m].
double graph_extent(const CordVec3* points, int count);

#endif
