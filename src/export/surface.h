// What pictures and exports share about surfaces that go along with rods.
#ifndef CORD_EXPORT_SURFACE_H
#define CORD_EXPORT_SURFACE_H

#include <cordage/surface.h>

bool surface_hides(const CordFrame* frame, int rod); // is there one to be shown in its place?

// Unit, outwards, at each vertex: the mean of its triangles, by their angles there, so that it does not depend on how the surface is cut up (vertex_count).
void surface_normals(const CordFrameSurface* surface, CordVec3* normals);

#endif
