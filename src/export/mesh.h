// The surface of a rigid body or an obstacle, as flat faces. Corners that look alike share a vertex; vertices
// at one place that look different (an edge of a box) share a point.
#ifndef CORD_EXPORT_MESH_H
#define CORD_EXPORT_MESH_H

#include <cordage/cordage.h>

typedef struct MeshFace {
    int count;     // 3 or 4
    int vertex[4]; // counter-clockwise, seen from outside
} MeshFace;

typedef struct Mesh {
    int vertex_count, point_count, face_count;
    CordVec3* x;      // [m] (vertex_count)
    CordVec3* normal; // outwards, unit (vertex_count)
    int* point;       // from 0; a point's first vertex comes before that of the next (vertex_count)
    MeshFace* faces;  // (face_count)
} Mesh;

// The body in its place, with `sides` faces around; a joint, which has no size, gives no faces. False: no
// memory.
bool mesh_make(Mesh* mesh, const CordFrameBody* body, int sides);

// An obstacle likewise. A plane goes on for ever: of it, the mesh has a square before the box from low to
// high [m].
bool mesh_make_obstacle(Mesh* mesh, const CordFrameObstacle* obstacle, CordVec3 low, CordVec3 high,
                        int sides);
void mesh_free(Mesh* mesh);

#endif
