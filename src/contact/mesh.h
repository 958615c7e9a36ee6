// A rigid triangle mesh with bounding-volume hierarchies. Nothing passes it from either side, so it may be
// open or non-manifold.
#ifndef CORD_CONTACT_MESH_H
#define CORD_CONTACT_MESH_H

#include "base/message.h"
#include "contact/bvh.h"

typedef struct Mesh {
    CordVec3* vertices; // (vertex_count)
    int* triangles;     // (3 triangle_count)
    // unique edges, two vertices each, without those across which the surface is flat (2 edge_count)
    int* edges;
    Aabb* triangle_boxes; // (triangle_count)
    Aabb* edge_boxes;     // (edge_count)
    int vertex_count, triangle_count, edge_count;
    int degenerate; // number of triangles without area, which were left out
    // every edge has two triangles of opposite orientation; triangles without area count if their corners
    // differ
    bool closed;
    Bvh triangle_bvh, edge_bvh;
    Aabb box; // of all triangles
} Mesh;

// Copies the mesh without its degenerate triangles. Fails with a message on vertices that are not finite or
// farther than 1e9 m, on indices out of range, and if no triangle is left; the mesh is all zero then.
CordResult mesh_create(Memory* m, Mesh* mesh, const CordVec3* vertices, int vertex_count,
                       const int* triangles, int triangle_count, Message* message);
void mesh_destroy(Memory* m, Mesh* mesh); // may be all zero

// Visits the triangles, or edges, whose boxes overlap the given one, in the mesh's axes.
bool mesh_triangles_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context);
bool mesh_edges_near(const Mesh* mesh, const Aabb* box, BvhHit found, void* context);

#endif
