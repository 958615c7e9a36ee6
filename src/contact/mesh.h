// A surface of triangles that does not change, with a tree over them. Nothing passes it from either side, so
// it may be open, or have edges that more than two triangles share.
#ifndef CORD_CONTACT_MESH_H
#define CORD_CONTACT_MESH_H

#include "base/message.h"
#include "contact/bvh.h"

typedef struct Mesh {
    CordVec3* vertices; // (vertex_count)
    int* triangles;     // (3 triangle_count)
    int* edges; // each once, two vertices (2 edge_count); those across which the surface is flat are left out
    Aabb* triangle_boxes; // (triangle_count)
    Aabb* edge_boxes;     // (edge_count)
    int vertex_count, triangle_count, edge_count;
    int degenerate; // triangles without area, which were left out: see mesh.c
    // every edge has two triangles, of opposite sense along it; those left out count, if their corners differ
    bool closed;
    Bvh triangle_bvh, edge_bvh;
    Aabb box; // of all triangles
} Mesh;

// Copies, and leaves out triangles without area. Fails on vertices that are not finite or further away than
// 1e9 m, indices out of range, or nothing left; says which. The mesh is all zero then.
CordResult mesh_create(Memory* m, Mesh* mesh, const CordVec3* vertices, int vertex_count,
                       const int* triangles, int triangle_count, Message* message);
void mesh_destroy(Memory* m, Mesh* mesh); // also what is all zero

// Triangles, or edges, whose boxes overlap the given one (in the mesh's axes).
bool mesh_triangles_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context);
bool mesh_edges_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context);

#endif
