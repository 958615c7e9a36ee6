// The double Fisherman's knot of ACM, figure 5 and table 1: the scene acm/fig5 with ropes that are fine all
// along, adaptive, and coarse.
#ifndef CORDAGE_EXPERIMENTS_ACM_FISHERMAN_H
#define CORDAGE_EXPERIMENTS_ACM_FISHERMAN_H

#include "lab.h"

typedef enum FishermanKind {
    FISHERMAN_HIGH,
    FISHERMAN_ADAPTIVE,
    FISHERMAN_LOW,
    FISHERMAN_KINDS
} FishermanKind;

enum { FISHERMAN_ROPES = 2, FISHERMAN_NODES = 600, FISHERMAN_SAMPLES = 50 };

extern const char* const fisherman_names[FISHERMAN_KINDS];
extern const double fisherman_step;   // of all three: what the finest elements need [s]
extern const double fisherman_radius; // of the ropes [m]
extern const double fisherman_pull;   // at the standing ends [N]

typedef struct FishermanShape { // both ropes at one moment
    int nodes[FISHERMAN_ROPES];
    CordVec3 x[FISHERMAN_ROPES][FISHERMAN_NODES]; // [m]
    double arc[FISHERMAN_ROPES][FISHERMAN_NODES]; // rest length from the standing end [m]
} FishermanShape;

typedef struct FishermanSample { // of steps that follow each other
    double time;                 // after the last of them [s]
    int nodes;                   // of both ropes
    int contacts;                // that push
    double step;                 // time of the processor for one [s]
    double apart;                // how far the standing ends are from each other [m]
} FishermanSample;

typedef struct FishermanRun {
    FishermanSample at[FISHERMAN_SAMPLES];
    FishermanShape shape; // at the end
    double nodes;         // in the mean of all steps
    double contacts;      // in the mean, while the knot is tight
    double step;          // time of the processor for one, in the mean [s]
    double slip;          // by which the standing ends go apart while it is tight [m]
    double deepest;       // overlap after any sample, over the radius
    bool tied;            // in the end as in the beginning: two double overhand knots
    // as often around each other as in the beginning, as far as ends that swing do not change that
    bool linked;
    // Of adaptive ropes:
    CordAdaptReport report; // of both together
    double changing;        // share of steps in which a rope changes
    double adapting;        // share of time spent on that
} FishermanRun;

// Ropes as in the scene, or as short as the paper's, of 63 nodes where they are coarse.
typedef enum FishermanRopes { FISHERMAN_AS_SCENE, FISHERMAN_AS_PAPER } FishermanRopes;

// All three in turns, so that whatever else the machine does falls on all alike (FISHERMAN_KINDS).
const FishermanRun* fisherman_run(Lab* lab, const char* model, FishermanRopes ropes);

// By how much the knot of `other` differs from that of `fine`: distance of places of equal rest length, in
// the mean of squares, over the length of rope that is in the fine knot, which may be elsewhere along the
// pull and turned about it.
double fisherman_difference(const FishermanShape* fine, const FishermanShape* other);
double fisherman_length(const FishermanShape* shape); // of rope in the knot, of both [m]

#endif
