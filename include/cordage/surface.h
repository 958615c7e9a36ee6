// Surfaces of triangles that go along with rods: the skin of a network of beams, a leaf on a twig, the
// profile of a bar. They have no mass and no stiffness, and nothing touches them: they are there for pictures
// and exports.
//
// A vertex is tied to the edges of the rod that are nearest to it when the surface is made. Each of them
// carries it as if it were part of the edge; where several do, the vertex is at the mean of what they say,
// the nearer ones counting more. So a tube stays smooth around a bend, and what is at a node stays at the
// node.
#ifndef CORDAGE_SURFACE_H
#define CORDAGE_SURFACE_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORD_SURFACE_TIES 4 // edges that a vertex is tied to at the most

typedef struct CordSurfaceDef {
    const char* name;         // NULL: "surface1", "surface2", ...
    CordRodId rod;            // of any model, but not adaptive: its edges must stay the same ones
    const CordVec3* vertices; // in space, where they are while the rod is as it is now [m] (vertex_count)
    int vertex_count;
    const int* triangles; // three vertices each, counter-clockwise seen from outside (3 triangle_count)
    int triangle_count;
    bool hides; // pictures show the surface in place of the rod
} CordSurfaceDef;

CORD_API CordSurfaceDef cord_surface_def_default(void); // no triangles yet; hides the rod
CORD_API CordResult cord_surface_create(CordWorld* world, const CordSurfaceDef* def, CordSurfaceId* surface);
CORD_API CordResult cord_surface_destroy(CordWorld* world, CordSurfaceId surface); // goes with its rod, too
CORD_API int cord_world_surface_count(const CordWorld* world);
CORD_API CordSurfaceId cord_world_surface(const CordWorld* world, int index); // in order of creation
CORD_API const char* cord_surface_name(const CordWorld* world, CordSurfaceId surface);

// One of the edges that hold a vertex. By this edge alone, the vertex would be at
// x0 + along (x1 - x0) + offset.x t + offset.y m1 + offset.z m2, with x0 and x1 the edge's nodes, t its
// direction, m1 and m2 its material axes.
struct CordSurfaceTie {
    int edge;        // of the rod
    double weight;   // 0: no tie, and those after it are none either; the weights of a vertex add up to 1
    double along;    // from 0 at the edge's start to 1 at its end
    CordVec3 offset; // [m]
};

// Where the vertices of a surface are while its rod is as in the frame [m] (surface->vertex_count). The
// surface's own `vertices` are not looked at: recordings keep the ties alone.
CORD_API void cord_surface_place(const CordFrame* frame, const CordFrameSurface* surface, CordVec3* vertices);

#ifdef __cplusplus
}
#endif

#endif
