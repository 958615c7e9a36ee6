// Plots a recorded branch: a probe, or the largest displacement, against time.
#ifndef CORDAGE_CLI_BRANCH_PLOT_H
#define CORDAGE_CLI_BRANCH_PLOT_H

#include "console.h"

typedef struct BranchAxis {
    int probe;  // -1: the largest displacement of a node
    int column; // of the probe; -1: the one that changes most
} BranchAxis;

// Reads "probe" or "probe.column", such as tip.z; NULL: the displacement. False: an error has been reported.
bool branch_axis_find(BranchAxis* axis, const CordWorld* world, const char* text);

// Writes .svg, .png and the .gnuplot script beside the recording, under its name. False: a warning has been
// printed.
bool branch_plot(const char* recording_path, BranchAxis axis, bool quiet);

#endif
