// Tessellation of rods: tubes around the curves that pictures draw. All exports use them.
//
// A tube is made in two steps. First the sections are planned for all frames of an export. Their number is
// the same in every frame, so that the mesh is made once and then moved. A chain has a section at each node,
// and more sections between nodes where it bends or twists so much in some frame that flat walls would show.
// An adaptive rod has a section wherever it has a node in any of the frames. A network has two sections for
// each edge, at its ends. Then the mesh joins the section outlines by walls and closes open ends by
// hemispheres. Each vertex belongs to one section and moves with it.
#ifndef CORD_EXPORT_TESSELLATION_H
#define CORD_EXPORT_TESSELLATION_H

#include "export/mesh.h"
#include "export/picture.h"

#include <cordage/surface.h>

// ---- sections

typedef struct TubeSection {
    CordVec3 center;    // [m]
    CordVec3 m1, m2, t; // unit, right-handed: material axes and tangent
    double radius;      // [m]
} TubeSection;

typedef struct TubePlan { // where the sections of a rod are
    int rod;
    int first_edge; // in the curves of the current frame; the caller sets it
    bool hidden;    // a surface is shown instead: the rod has no sections
    bool network, closed, adaptive;
    int count;        // number of sections, once the plan is finished
    int nodes, edges; // of the first frame, and of all frames if the rod is not adaptive
    int* pieces;      // between sections, for each edge of a chain that is not adaptive (edges)
    // The section at each node of that chain, and, if it is closed, at the first node again (edges + 1).
    int* at_node;
    double* arc; // of each section of an adaptive rod: rest length from the start [m] (count)
    int arc_capacity;
    double length; // rest length of an adaptive rod [m]
} TubePlan;

// The curves of all visible rods of a frame, in metres; empty if there are none.
CordResult tube_curves(const CordFrame* frame, PictureCurves* curves, CordMessage* message);

// Call begin with the first frame, add with every frame including the first, and then finish.
CordResult tube_plan_begin(TubePlan* plan, const CordFrame* frame, int rod, CordMessage* message);
CordResult tube_plan_add(TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                         CordMessage* message);
void tube_plan_finish(TubePlan* plan);
void tube_plan_free(TubePlan* plan);

// The sections in a frame (count).
void tube_sections(const TubePlan* plan, const CordFrame* frame, const PictureCurves* curves,
                   TubeSection* sections);

// The node at which a section of a chain is in all frames; -1: it is between nodes, or the rod is adaptive.
int tube_plan_node(const TubePlan* plan, int section);

// ---- meshes

typedef struct TubeVertex {
    int section;
    int point; // shared by vertices at one place that differ in their texture coordinates
    // Position relative to the section's centre, in radii, along its axes m1, m2, t. It is also the normal.
    CordVec3 place;
    // texture coordinates: around the rod from m1 towards m2, and along it in mean circumferences
    double u, v;
} TubeVertex;

typedef struct TubeMesh {
    int vertex_count, point_count, face_count;
    TubeVertex* vertices; // (vertex_count)
    int* first;           // the first vertex of each point (point_count)
    MeshFace* faces;      // of vertices, counter-clockwise seen from outside (face_count)
} TubeMesh;

// The mesh of a rod with these sections. A network has no texture and many edges, so it gets few sides.
// Returns false if there is no memory.
bool tube_mesh_make(TubeMesh* mesh, const TubePlan* plan, const TubeSection* sections, int sides);
void tube_mesh_free(TubeMesh* mesh);

CordVec3 tube_direction(const TubeSection* section, CordVec3 place); // the vector in space
CordVec3 tube_point(const TubeSection* section, CordVec3 place);     // the point in space [m]

#endif
