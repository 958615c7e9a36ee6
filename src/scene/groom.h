// Strands that grow on a mesh, such as hair on a head: their roots, and the curve of each. Results are the
// same on every platform: random numbers come from integers, and the rest is arithmetic and square roots.
#ifndef CORD_SCENE_GROOM_H
#define CORD_SCENE_GROOM_H

#include "scene/mesh_grid.h"

typedef struct GroomPlane { // all roots are above it
    CordVec3 through, normal;
} GroomPlane;

typedef struct GroomStyle {
    CordVec3 lean;       // direction that strands turn to; zero: the normal of the mesh
    double bend;         // length in which they turn to it [m]
    double spread;       // scatter of the strands about it, as a share
    double clearance[2]; // least and most distance from the mesh, drawn for each strand [m]
    double curl_radius;  // of the helix at the end of a strand [m]
    double curl_turns;   // 0: no helix
    double curl_from;    // place along the strand where the helix begins, 0 to 1
} GroomStyle;

typedef struct GroomDef {
    const MeshFile* mesh;
    int count;
    int elements; // of each strand
    int seed;
    double length[2];        // least and most, drawn for each strand [m]
    double lift;             // height of the roots above the mesh [m]
    double least;            // distance from the mesh that all of a strand keeps [m]
    const GroomPlane* where; // (plane_count)
    int plane_count;
    GroomStyle style;
} GroomDef;

typedef struct Groom {
    GroomDef def;
    MeshGrid grid;
    double* area;  // cumulative area of the triangles that may have roots [m^2] (triangle_count)
    uint64_t next; // number of the next place that is tried as a root
} Groom;

bool groom_make(Pool* pool, const GroomDef* def, Groom* groom); // false: there is no memory

typedef enum GroomEnd {
    GROOM_GROWN,
    GROOM_NO_ROOT, // no place, or hardly any, is above all planes
    GROOM_NO_ROOM, // all strands, or nearly all, come too near the mesh
} GroomEnd;

// Grows the next strand that keeps clear of the mesh, as points (elements + 1) at equal distances along it.
GroomEnd groom_grow(Groom* groom, CordVec3* points);

#endif
