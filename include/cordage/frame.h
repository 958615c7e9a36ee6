// The output of the simulation: probes, which read one quantity at every step, and frames, which hold the
// state of the world at one time for recordings, exports and pictures. cordage/cordage.h includes this
// header.
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
    CORD_MEASURE_FORCE,    // x y z of the force of the rod on its clamp or weld [N]
    CORD_MEASURE_TORQUE,   // x y z of the torque of the rod on its clamp or weld [N m]
    CORD_MEASURE_TENSION,  // of an edge [N]
    CORD_MEASURE_MOMENT,   // x y z, at a node [N m]
    CORD_MEASURE_ENERGY,   // kinetic bend twist stretch gravity, of the rod [J]
    CORD_MEASURE_MOMENTUM, // linear and angular, of the rod: six numbers
    CORD_MEASURE_TWIST,    // of the rod [turns]
    CORD_MEASURE_WRITHE,   // of the rod [turns]; the cost is quadratic in the number of elements
    CORD_MEASURE_LINK,     // twist + writhe of the rod [turns]; the same cost
    CORD_MEASURE_COUNT
} CordMeasure;

#define CORD_PROBE_MOST 9 // most numbers in one reading

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
    bool network; // its edges join the nodes in `ends`; those of other rods join consecutive nodes
} CordFrameRod;

typedef struct CordFrameBody {
    const char* name;
    CordSolid solid;   // a size of zero: an invisible joint of rods
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

// A contact of a rod with another rod or itself, with an obstacle, or with a body. Rods, obstacles and bodies
// are numbered in the order of creation.
typedef struct CordContact {
    int rod, edge;
    double at; // along the edge, 0 to 1
    CordTouch kind;
    int other, other_edge; // number of the rod, obstacle or body; edge of the rod, or 0
    double other_at;       // along the other rod's edge, 0 to 1, or 0
    CordVec3 point;        // between the two surfaces [m]
    CordVec3 normal;       // unit, towards the rod
    double gap;            // between the surfaces [m]; negative: penetration
    double push;           // normal force [N]
    CordVec3 friction;     // on the rod [N]
    bool slides;           // friction is at its limit
    CordVec3 couple;       // on the rod, of its resistance to rolling and spinning [N m]
} CordContact;

typedef struct CordAdaptReport CordAdaptReport; // cordage/adapt.h
typedef struct CordSurfaceTie CordSurfaceTie;   // cordage/surface.h
typedef struct CordLedgerEntry CordLedgerEntry; // cordage/ledger.h

// A surface of triangles that deforms with a rod: cordage/surface.h.
typedef struct CordFrameSurface {
    const char* name;
    int rod;    // that it deforms with, in the order of the frame
    bool hides; // pictures show the surface in place of the rod
    int vertex_count, triangle_count;
    const CordVec3* vertices;   // current positions [m] (vertex_count)
    const int* triangles;       // three vertices each (3 triangle_count)
    const CordSurfaceTie* ties; // of each vertex to the rod (CORD_SURFACE_TIES vertex_count); NULL: not known
} CordFrameSurface;

// The state of the world at one time, as const views. A frame from cord_world_frame is valid until the next
// call on the world.
typedef struct CordFrame {
    double time;   // [s]
    int64_t steps; // since creation
    int rod_count, node_count, edge_count;
    const CordFrameRod* rods; // (rod_count)
    const CordEnergy* energy; // (rod_count)
    const double* stretch;    // largest relative change of length (rod_count)
    const double* twist;    // total twist, with all its turns [turns] (rod_count); NAN: a network, not known
    const CordVec3* x;      // [m] (node_count)
    const CordVec3* v;      // [m/s] (node_count)
    const CordVec3* moment; // bending and twisting moment at the node [N m] (node_count)
    // Where pictures draw the node [m] (node_count). It differs from x for a short time after an adaptive rod
    // has changed. NULL: at x.
    const CordVec3* skin;
    // Refinement level of the nodes of adaptive rods: 0 for nodes that the rod was made with, 1 for nodes
    // that halved an element, 2 ... (node_count). NULL: no rod is adaptive.
    const uint8_t* level;
    const double* arc; // rest length from the rod's start to the node [m] (node_count); NULL: not known
    // Zeros for a rod that is not adaptive (rod_count). NULL: no rod is. cordage/adapt.h
    const CordAdaptReport* adapt;
    // The two nodes of each edge, numbered as in the frame (2 edge_count). NULL: no rod is a network.
    const int* ends;
    const CordVec3* m1;    // first material axis (edge_count)
    const double* radius;  // [m] (edge_count)
    const double* tension; // [N] (edge_count)
    const CordVec3* force; // section force: tension and shear [N] (edge_count)
    int body_count;
    const CordFrameBody* bodies; // (body_count)
    int obstacle_count, contact_count;
    const CordFrameObstacle* obstacles; // (obstacle_count)
    const CordContact* contacts;        // (contact_count): cordage/contact.h
    int surface_count;
    const CordFrameSurface* surfaces; // (surface_count)
    int ledger_count;                 // 0: the ledger is not open
    const CordLedgerEntry* ledger;    // (ledger_count): cordage/ledger.h
} CordFrame;

CORD_API CordResult cord_world_frame(CordWorld* world, CordFrame* frame);

// The two nodes of an edge of a rod, numbered as in the frame. The rod may be open, closed or a network.
CORD_API void cord_frame_ends(const CordFrame* frame, int rod, int edge, int nodes[2]);

#ifdef __cplusplus
}
#endif

#endif
