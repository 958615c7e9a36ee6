// The quantities of one frame that `cordage info` and `cordage compare` print.
#ifndef CORDAGE_CLI_REPORT_H
#define CORDAGE_CLI_REPORT_H

#include "adaptive.h"
#include "distance.h"

typedef struct RodReport {
    CordFrameRod rod;
    double length, mass; // rest length [m], [kg]; NAN: unknown
    CordEnergy energy;   // [J]
    bool has_momentum;
    CordMomentum momentum;
    double twist, writhe;                   // [turns]; NAN: not computed, or a network
    int64_t knot;                           // determinant: 1: unknotted; -1: not computed
    double stretch;                         // greatest, relative
    double tension_least, tension_greatest; // [N]
    AdaptiveRods adapt;                     // count is 0 if it is not adaptive
} RodReport;

typedef struct BodyReport {
    CordFrameBody body;
    bool is_joint; // a joint of rods, which lend it mass
    double mass;   // [kg]; NAN: unknown
    bool has_momentum;
    CordMomentum momentum;
} BodyReport;

typedef struct Report {
    double time; // [s]
    int64_t steps;
    int rod_count, node_count, edge_count;
    RodReport* rods; // (rod_count)
    int body_count;
    BodyReport* bodies; // (body_count)
    int obstacle_count, contact_count;
    CordFrameObstacle* obstacles; // (obstacle_count) their meshes belong to the frame
    int surface_count;
    CordFrameSurface* surfaces; // (surface_count) their triangles belong to the frame
    CordEnergy energy;          // of all rods and bodies
    bool has_momentum;
    CordMomentum momentum;
    double stretch;
    bool writhe_skipped; // for at least one rod, because it would take too long
    Distance distance;
} Report;

// `world` was built from the frame's scene and supplies masses; NULL: there are none, and no momentum. If
// `moves_world` it is moved to the frame. The caller must not step it afterwards.
void report_make(Report* report, const CordFrame* frame, CordWorld* world, bool moves_world);
void report_free(Report* report);

CordEnergy report_energy(const CordFrame* frame); // of all rods and bodies
double report_total(CordEnergy energy);
void report_json_energy(Json* j, CordEnergy energy); // "energy": its parts and their sum

#endif
