// Meshes of rigid bodies, obstacles, and surfaces of rods. Bodies and obstacles are both solids, and
// cord_solid_tessellate makes their faces. Rods are in tessellation.h.
#ifndef CORD_EXPORT_MESH_H
#define CORD_EXPORT_MESH_H

#include "export/keyframes.h"

#include <cordage/cordage.h>

static inline const CordSolidKind* solid_kind(const CordFrameObstacle* solid)
{
    return cord_solid_kind((int)solid->solid.shape);
}

// A body as an obstacle of its shape, at its pose.
static inline CordFrameObstacle solid_from_body(const CordFrameBody* body)
{
    return (CordFrameObstacle){
        .name = body->name, .solid = body->solid, .position = body->position, .rotation = body->rotation};
}

// Solid `index` of a frame. Bodies come first, then obstacles.
static inline CordFrameObstacle solid_of_frame(const CordFrame* frame, int index)
{
    return index < frame->body_count ? solid_from_body(&frame->bodies[index])
                                     : frame->obstacles[index - frame->body_count];
}

Pose solid_pose(const CordFrame* frame, int index);

// False for a joint of rods, which has no size.
static inline bool solid_is_seen(const CordFrameObstacle* solid)
{
    return solid_kind(solid)->size_count == 0 || solid->solid.size.x > 0.0;
}

// ---- meshes

typedef struct MeshFace {
    int count;     // 3 or 4
    int vertex[4]; // counter-clockwise, seen from outside
} MeshFace;

typedef struct Mesh {
    int vertex_count, point_count, face_count;
    CordVec3* x;      // [m] (vertex_count)
    CordVec3* normal; // outwards, unit (vertex_count)
    int* point;       // number of its point; points are numbered by their first vertex (vertex_count)
    MeshFace* faces;  // (face_count)
} Mesh;

// The surface of a solid at its pose, with `sides` faces around it. A joint of rods has no size and no faces.
// A plane is endless: its mesh is a square in front of the box from low to high [m]. Returns false if there
// is no memory.
bool mesh_of_solid(Mesh* mesh, const CordFrameObstacle* solid, CordVec3 low, CordVec3 high, int sides);
// A surface of a rod, with a point for each vertex. Returns false if there is no memory.
bool mesh_of_surface(Mesh* mesh, const CordFrameSurface* surface);
void mesh_free(Mesh* mesh);

bool surface_hides(const CordFrame* frame, int rod); // is a surface shown instead of the rod?

// Unit normals at the vertices (vertex_count): means of the triangles' normals, weighted by their angles
// there, so that the result does not depend on how the surface is triangulated.
void surface_normals(const CordFrameSurface* surface, CordVec3* normals);

// ---- models

// A solid of an animated export: its surface in its own axes, made once, with two colours as in pictures.
typedef struct SolidModel {
    const char* name;   // belongs to the frame
    Mesh mesh;          // [m]; no faces: nothing is visible
    uint8_t* tones;     // which of its colours each face has (mesh.face_count)
    uint32_t colors[2]; // 0xrrggbb
    bool both_sides;    // it may be seen from behind: a mesh need not be closed
} SolidModel;

// Of solid `index`; low and high as for mesh_of_solid. Returns false if there is no memory.
bool solid_model_make(SolidModel* model, const CordFrame* frame, int index, CordVec3 low, CordVec3 high,
                      int sides);
void solid_model_free(SolidModel* model);

#endif
