// A plot of a recorded branch: time against what a probe reads, or how far the rods have gone.
#ifndef CORDAGE_CLI_BRANCH_PLOT_H
#define CORDAGE_CLI_BRANCH_PLOT_H

#include "console.h"

typedef struct BranchAxis {
    int probe;  // -1: the largest displacement of a node
    int column; // of what it reads; -1: the one that changes most
} BranchAxis;

// "probe" or "probe.column", such as tip.z; NULL: the displacement. False: there is none such, and it has
// been said.
bool branch_axis_find(BranchAxis* axis, const CordWorld* world, const char* text);

// Draws beside the recording, under its name: .svg, .png, and the .gnuplot that made them. False: not drawn,
// and that has been said.
bool branch_plot(const char* recording_path, BranchAxis axis, bool quiet);

#endif
