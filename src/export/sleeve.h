// A surface around rings: walls from ring to ring and round ends, as vertices that each belong to one ring. Where the rings are is not in it: it is made once, and goes where they go.
#ifndef CORD_EXPORT_SLEEVE_H
#define CORD_EXPORT_SLEEVE_H

#include "export/mesh.h"
#include "export/ring.h"

typedef struct SleeveVertex {
    int ring;
    int point;      // vertices at one place that differ in their texture share one
    CordVec3 place; // from the ring's centre, in its radii and along its axes m1, m2, t; it is the normal, too
    double u, v;    // of a texture: once around from m1 towards m2; along in mean circumferences
} SleeveVertex;

typedef struct Sleeve {
    int vertex_count, point_count, face_count;
    SleeveVertex* vertices; // (vertex_count)
    int* first;             // vertex of each point (point_count)
    MeshFace* faces;        // of vertices, counter-clockwise seen from outside (face_count)
} Sleeve;

// Of a rod whose rings are as in `list`. A network, which has no texture and many edges, has few sides. False: no memory.
bool sleeve_make(Sleeve* sleeve, const RodRings* rings, const Ring* list, int sides);
void sleeve_free(Sleeve* sleeve);

CordVec3 sleeve_direction(const Ring* ring, CordVec3 place); // in space
CordVec3 sleeve_point(const Ring* ring, CordVec3 place);     // [m]

#endif
