// What can be told of one frame: the numbers behind `cordage info`.
#ifndef CORDAGE_CLI_REPORT_H
#define CORDAGE_CLI_REPORT_H

#include "adaptive.h"
#include "distance.h"

typedef struct RodReport {
    CordFrameRod rod;
    double length, mass; // rest length [m], [kg]; NAN: not known
    CordEnergy energy;   // [J]
    bool has_momentum;
    CordMomentum momentum;
    double twist, writhe;                   // [turns]; NAN: not reckoned, or of a network
    int64_t knot;                           // determinant: 1 if there is none; -1: not reckoned
    double stretch;                         // greatest, relative
    double tension_least, tension_greatest; // [N]
    AdaptiveRods adapt;                     // itself, if it is adaptive
} RodReport;

typedef struct BodyReport {
    CordFrameBody body;
    bool is_joint; // of rods, whose mass it shares
    double mass;   // [kg]; NAN: not known
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
    CordFrameObstacle* obstacles; // (obstacle_count); their meshes are the frame's
    int surface_count;
    CordFrameSurface* surfaces; // (surface_count); their triangles are the frame's
    CordEnergy energy;          // of all of them
    bool has_momentum;
    CordMomentum momentum;
    double stretch;
    bool writhe_skipped; // for some rod: it would take too long
    Distance distance;
} Report;

// `world` was built from the frame's scene and lends its masses; it is moved to the frame if `moves_world`,
// and is of no use afterwards. NULL: no masses, no momentum. False: no memory.
bool report_make(Report* report, const CordFrame* frame, CordWorld* world, bool moves_world);
void report_free(Report* report);

double report_total(CordEnergy energy);

#endif
