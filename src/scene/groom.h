// Strands that grow on a mesh, such as hair on a head: where their roots are, and the curve of each. The same
// on every platform: random numbers are of integers, and all else is arithmetic and square roots.
#ifndef CORD_SCENE_GROOM_H
#define CORD_SCENE_GROOM_H

#include "scene/mesh_grid.h"

typedef struct GroomPlane { // roots are above it
    CordVec3 through, normal;
} GroomPlane;

typedef struct GroomStyle {
    CordVec3 lean; // the direction that strands turn to; zero: they stand off the mesh
    double bend;   // length over which they turn to it [m]
    double spread; // how far the directions of single strands are off it, as a share
    // distance from the mesh that a strand keeps, once it has come so far: evenly between these [m]
    double clearance[2];
    double curl_radius; // of the helix that a strand ends in [m]
    double curl_turns;  // of it; 0: none
    double curl_from;   // where along a strand it begins, 0 to 1
} GroomStyle;

typedef struct GroomDef {
    const MeshFile* mesh;
    int count;
    int elements; // of each
    int seed;
    double length[2];        // of a strand: evenly between these [m]
    double lift;             // how far above the mesh roots are [m]
    double least;            // distance from the mesh that all of a strand has [m]
    const GroomPlane* where; // (plane_count)
    int plane_count;
    GroomStyle style;
} GroomDef;

typedef struct Groom {
    GroomDef def;
    MeshGrid grid;
    double* area;  // of the triangles up to each that roots may be on, and itself [m^2] (triangle_count)
    uint64_t next; // of the places tried as roots
} Groom;

bool groom_make(Pool* pool, const GroomDef* def, Groom* groom); // false: there is no memory

typedef enum GroomEnd {
    GROOM_GROWN,
    GROOM_NO_ROOT, // roots have no place above all planes, or hardly any
    GROOM_NO_ROOM, // strands come too near the mesh, all or nearly all of them
} GroomEnd;

// The next strand that keeps clear of the mesh, into points (elements + 1), at equal distances along it.
GroomEnd groom_grow(Groom* groom, CordVec3* points);

#endif
