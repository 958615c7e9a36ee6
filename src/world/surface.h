// Surfaces of a world: see cordage/surface.h.
#ifndef CORD_WORLD_SURFACE_H
#define CORD_WORLD_SURFACE_H

#include "rod/rod.h"

#include <cordage/surface.h>

typedef struct Surface {
    char name[64];
    CordSurfaceId id;
    Rod* rod;
    Link link; // in the rod's list of surfaces
    bool hides;
    int vertex_count, triangle_count;
    CordVec3* vertices;   // positions at the last update [m] (vertex_count)
    int* triangles;       // (3 triangle_count)
    CordSurfaceTie* ties; // (CORD_SURFACE_TIES vertex_count)
} Surface;

void surfaces_destroy_of(CordWorld* w, Rod* rod);
void surfaces_destroy_all(CordWorld* w);

#endif
