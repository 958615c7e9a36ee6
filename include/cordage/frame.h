// What leaves the simulation: probes, which read one thing at every step, and frames, a picture of the world
// at one moment for recordings, exports and pictures. cordage/cordage.h brings it along.
#ifndef CORDAGE_FRAME_H
#define CORDAGE_FRAME_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- probes

typedef enum CordMeasure {
    CORD_MEASURE_POSITION, // x y z of a node [m]
    CORD_MEASURE_VELOCITY, // x y z of a node [m/s]
    CORD_MEASURE_FRAME,    // t, m1, m2 of an edge: nine numbers
    CORD_MEASURE_FORCE,    // x y z, what the rod does to the clamp or weld there [N]
    CORD_MEASURE_TORQUE,   // x y z, likewise [N m]
    CORD_MEASURE_TENSION,  // of an edge [N]
    CORD_MEASURE_MOMENT,   // x y z, at a node [N m]
    CORD_MEASURE_ENERGY,   // kinetic bend twist stretch gravity, of the rod [J]
    CORD_MEASURE_MOMENTUM, // linear and angular, of the rod: six numbers
    CORD_MEASURE_TWIST,    // of the rod [turns]
    CORD_MEASURE_WRITHE,   // of the rod [turns]; costs the square of the number of elements
    CORD_MEASURE_COUNT
} CordMeasure;

#define CORD_PROBE_MOST 9 // numbers in one reading at the most

typedef struct CordProbeDef {
    const char* name; // NULL: "probe1", "probe2", ...
    CordRodId rod;
    CordPlace at;
    CordBodyId body; // instead of a rod: its position, velocity, frame (its axes x, y, z), energy or momentum
    CordMeasure measure;
    // instead of a rod: its position, or the force or torque of all rods on it, about its position
    CordObstacleId obstacle;
} CordProbeDef;

CORD_API CordProbeDef cord_probe_def_default(void);                        // position of the end
CORD_API const char* cord_measure_name(CordMeasure measure);               // "position", ...
CORD_API int cord_measure_size(CordMeasure measure);                       // numbers in one reading
CORD_API const char* cord_measure_column(CordMeasure measure, int column); // "x", "bend", ...
CORD_API CordResult cord_probe_create(CordWorld* world, const CordProbeDef* def, CordProbeId* probe);
CORD_API int cord_world_probe_count(const CordWorld* world);
CORD_API CordProbeId cord_world_probe(const CordWorld* world, int index); // in order of creation
CORD_API const char* cord_probe_name(const CordWorld* world, CordProbeId probe);
CORD_API CordMeasure cord_probe_measure(const CordWorld* world, CordProbeId probe);
// (cord_measure_size)
CORD_API CordResult cord_probe_read(const CordWorld* world, CordProbeId probe, double* values);

// ---- frames

typedef struct CordFrameRod {
    const char* name;
    int first_node, node_count;
    int first_edge, edge_count;
    bool closed;
    bool network; // its edges join whichever nodes `ends` says, not one to the next
} CordFrameRod;

typedef struct CordFrameBody {
    const char* name;
    CordSolid solid;   // sizes of zero: a joint of rods, nothing to be seen
    CordVec3 position; // [m]
    CordQuat rotation;
    CordVec3 velocity; // [m/s]
    CordVec3 spin;     // [rad/s]
    CordEnergy energy; // kinetic and gravity
} CordFrameBody;

typedef struct CordFrameObstacle {
    const char* name;
    CordSolid solid;
    CordVec3 position; // [m]
    CordQuat rotation;
    CordVec3 force, torque; // of all rods on it, about its position [N], [N m]
} CordFrameObstacle;

typedef enum CordTouch { CORD_TOUCH_ROD, CORD_TOUCH_OBSTACLE, CORD_TOUCH_BODY } CordTouch;

// A place where a rod is touched. What touches it is a rod (the same one, maybe), an obstacle or a body, by
// its place in the order of creation.
typedef struct CordContact {
    int rod, edge;
    double at; // along the edge, 0 to 1
    CordTouch kind;
    int other, other_edge; // of a rod; else 0
    double other_at;       // likewise
    CordVec3 point;        // between the two surfaces [m]
    CordVec3 normal;       // unit, towards the rod
    double gap;            // between the surfaces [m]; negative: penetration
    double push;           // normal force [N]
    CordVec3 friction;     // on the rod [N]
    bool slides;           // friction is at its limit
} CordContact;

typedef struct CordAdaptReport CordAdaptReport; // cordage/adapt.h
typedef struct CordSurfaceTie CordSurfaceTie;   // cordage/surface.h

// A surface of triangles that goes along with a rod: cordage/surface.h.
typedef struct CordFrameSurface {
    const char* name;
    int rod;    // that it goes along with, in the order of the frame
    bool hides; // pictures show the surface in place of the rod
    int vertex_count, triangle_count;
    const CordVec3* vertices;   // where they are now [m] (vertex_count)
    const int* triangles;       // three vertices each (3 triangle_count)
    const CordSurfaceTie* ties; // what holds each vertex (CORD_SURFACE_TIES vertex_count); NULL: not known
} CordFrameSurface;

// A picture of the world at one moment, as const views: all that leaves the simulation for recordings,
// exports and pictures. From cord_world_frame it is valid until the next call on the world.
typedef struct CordFrame {
    double time;   // [s]
    int64_t steps; // since creation
    int rod_count, node_count, edge_count;
    const CordFrameRod* rods; // (rod_count)
    const CordEnergy* energy; // (rod_count)
    const double* stretch;    // largest relative change of length (rod_count)
    const CordVec3* x;        // [m] (node_count)
    const CordVec3* v;        // [m/s] (node_count)
    const CordVec3* moment;   // bending and twist passed on at the node [N m] (node_count)
    // where pictures draw the node: x, but for adaptive rods shortly after a change [m] (node_count); NULL:
    // as x
    const CordVec3* skin;
    // of adaptive rods: 0, a node that the rod was made with; 1, one that halved an element; 2 ...
    // (node_count); NULL: no rod is adaptive
    const uint8_t* level;
    const double* arc; // rest length from the rod's start to the node [m] (node_count); NULL: not known
    // zeros for a rod that is not adaptive (rod_count); NULL: none is. cordage/adapt.h
    const CordAdaptReport* adapt;
    // the two nodes of each edge, counted as those of the frame are (2 edge_count); NULL: no rod is a network
    const int* ends;
    const CordVec3* m1;    // first material axis (edge_count)
    const double* radius;  // [m] (edge_count)
    const double* tension; // [N] (edge_count)
    const CordVec3* force; // the whole force in the section, tension and shear [N] (edge_count)
    int body_count;
    const CordFrameBody* bodies; // (body_count)
    int obstacle_count, contact_count;
    const CordFrameObstacle* obstacles; // (obstacle_count)
    const CordContact* contacts;        // (contact_count): cordage/contact.h
    int surface_count;
    const CordFrameSurface* surfaces; // (surface_count)
} CordFrame;

CORD_API CordResult cord_world_frame(CordWorld* world, CordFrame* frame);

// The two nodes of an edge of a rod, counted as those of the frame are: chain, ring or network.
CORD_API void cord_frame_ends(const CordFrame* frame, int rod, int edge, int nodes[2]);

#ifdef __cplusplus
}
#endif

#endif
