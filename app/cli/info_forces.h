// The largest internal forces in the frames of a recording, and where and when they were.
#ifndef CORDAGE_CLI_INFO_FORCES_H
#define CORDAGE_CLI_INFO_FORCES_H

#include "json.h"
#include "source.h"

typedef enum ForceKind {
    FORCE_TENSION,       // the greatest [N]
    FORCE_LEAST_TENSION, // negative: pushed together [N]
    FORCE_SHEAR,         // [N]
    FORCE_BENDING,       // moment [N m]
    FORCE_TORQUE,        // the largest either way [N m]
    FORCE_COUNT
} ForceKind;

typedef struct ForceExtreme {
    bool found; // else it was not recorded
    double value;
    int rod, place; // the edge, or the node of a moment
    double arc;     // from the rod's start [m]
    int frame;
    double time; // [s]
} ForceExtreme;

typedef struct ForceReport {
    int first, last; // frames looked at
    bool skipped;    // they are too many
    ForceExtreme extremes[FORCE_COUNT];
} ForceReport;

// Looks through frames [first, last]; what is wrong has been said when it returns other than EXIT_GOOD.
int forces_find(ForceReport* report, const Source* source, int first, int last);

// `rods` are those of any frame: they keep their names.
void forces_print(const ForceReport* report, const CordFrameRod* rods);
void forces_json(Json* j, const ForceReport* report, const CordFrameRod* rods);

#endif
