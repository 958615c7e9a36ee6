// The largest internal forces in the frames of a recording, and where and when they were.
#ifndef CORDAGE_CLI_INFO_FORCES_H
#define CORDAGE_CLI_INFO_FORCES_H

#include "json.h"

typedef enum ForceKind {
    FORCE_TENSION,       // the greatest [N]
    FORCE_LEAST_TENSION, // negative: pushed together [N]
    FORCE_SHEAR,         // [N]
    FORCE_BENDING,       // moment [N m]
    FORCE_TORQUE,        // the largest either way [N m]
    FORCE_COUNT
} ForceKind;

typedef struct ForceExtreme {
    bool found;         // else it was not recorded
    double value, rank; // the one with the highest rank counts
    int rod, place;     // the edge, or the node of a moment
    double arc;         // from the rod's start [m]
    int frame;
    double time; // [s]
} ForceExtreme;

typedef struct ForceReport {
    int first, last; // frames looked at
    bool skipped;    // they are too many
    ForceExtreme extremes[FORCE_COUNT];
} ForceReport;

// Begins with frames [first, last] to come, and looks at one of them; what is wrong has been said when it
// returns other than EXIT_GOOD.
void forces_begin(ForceReport* report, int first, int last);
int forces_look(ForceReport* report, const CordFrame* frame, int index);

// `rods` are those of any frame: they keep their names.
void forces_print(const ForceReport* report, const CordFrameRod* rods);
void forces_json(Json* j, const ForceReport* report, const CordFrameRod* rods);

#endif
