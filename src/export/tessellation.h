// The tessellation of rods: tubes around the curves that pictures draw, as every export has them. Surfaces
// that go along with rods are triangles already; what pictures and exports need to know of them is here, too.
//
// A tube is made in two steps. Sections are planned once for all frames of an export, as many in each, so
// that the mesh around them is made once and then moved: a chain has one at each node, and more between nodes
// where it bends or twists so much, in any frame, that straight walls from one to the next would show it. The
// nodes of an adaptive rod come and go: it has a section wherever along it there is a node in any of the
// frames. A network has two sections for each edge, at its ends. The mesh joins the outlines of the sections
// by walls and closes open ends by half balls. Each of its vertices belongs to one section and goes where
// this goes.
#ifndef CORD_EXPORT_TESSELLATION_H
#define CORD_EXPORT_TESSELLATION_H

#include "export/picture.h"
#include "export/solid_mesh.h"

#include <cordage/surface.h>

// ---- sections

typedef struct TubeSection {
    CordVec3 center;    // [m]
    CordVec3 m1, m2, t; // unit, right-handed: material axes and direction of the curve
    double radius;      // [m]
} TubeSection;

typedef struct TubePlan { // where the sections of a rod are
    int rod;
    int first_edge; // in the curves of the frame that is looked at; the caller sets it
    bool hidden;    // a surface is shown in its place: it has no sections
    bool network, closed, adaptive;
    int count;        // of sections, once the plan is finished
    int nodes, edges; // of the first frame; of a rod that is not adaptive, of all
    int* pieces;      // of each edge of a chain that is not adaptive, between sections (edges)
    // the section at each of its nodes, and, if it is closed, at the first once more (edges + 1)
    int* at_node;
    double* arc; // of each section of an adaptive rod: rest length from its start [m] (count)
    int arc_capacity;
    double length; // of an adaptive rod at rest, and around if it is closed [m]
} TubePlan;

// The curves of all rods of a frame that are to be seen, in metres; empty if there are none.
CordResult tube_curves(const CordFrame* frame, PictureCurves* curves, CordMessage* message);

// Begin with the first frame, which says what kind of rod it is; add every frame, the first among them;
// finish.
CordResult tube_plan_begin(TubePlan* plan, const CordFrame* frame, int rod, CordMessage* message);
CordResult tube_plan_add(TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                         CordMessage* message);
void tube_plan_finish(TubePlan* plan);
void tube_plan_free(TubePlan* plan);

// The sections in a frame (count).
void tube_sections(const TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                   TubeSection* sections);

// Which node a section of a chain is at in all frames; -1: it is between nodes, or the rod is adaptive.
int tube_plan_node(const TubePlan* plan, int section);

// ---- meshes

typedef struct TubeVertex {
    int section;
    int point; // vertices at one place that differ in their texture coordinates share one
    // from the section's centre, in its radii and along its axes m1, m2, t; it is the normal, too
    CordVec3 place;
    double u, v; // texture coordinates: once around from m1 towards m2; along, in mean circumferences
} TubeVertex;

typedef struct TubeMesh {
    int vertex_count, point_count, face_count;
    TubeVertex* vertices; // (vertex_count)
    int* first;           // vertex of each point (point_count)
    MeshFace* faces;      // of vertices, counter-clockwise seen from outside (face_count)
} TubeMesh;

// Of a rod whose sections are these. A network, which has no texture and many edges, has few sides. False: no
// memory.
bool tube_mesh_make(TubeMesh* mesh, const TubePlan* plan, const TubeSection* sections, int sides);
void tube_mesh_free(TubeMesh* mesh);

CordVec3 tube_direction(const TubeSection* section, CordVec3 place); // in space
CordVec3 tube_point(const TubeSection* section, CordVec3 place);     // [m]

// ---- surfaces of rods

bool surface_hides(const CordFrame* frame, int rod); // is there one to be shown in its place?

// Unit, outwards, at each vertex: the mean of its triangles, by their angles there, so that it does not
// depend on how the surface is cut up (vertex_count).
void surface_normals(const CordFrameSurface* surface, CordVec3* normals);

#endif
