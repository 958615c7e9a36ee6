// The progress of long work: one line redrawn on a terminal, a line now and then elsewhere.
#ifndef CORDAGE_CLI_PROGRESS_H
#define CORDAGE_CLI_PROGRESS_H

#include "talk.h"

typedef struct ProgressTotals { // over all rods
    double energy;              // and bodies [J]
    double stretch;             // largest relative change of length
    int64_t elements;
} ProgressTotals;

ProgressTotals progress_totals(const CordWorld* world);

typedef struct Progress {
    bool quiet;
    bool terminal; // standard error is one
    bool drawn;    // a line stands there to be redrawn
    double end;    // simulated time at the end [s]
    int64_t elements;
    double shown;      // when the last line came [s of talk_clock]
    double shown_part; // and how much was done by then
    // For the rates: when they were last measured, and there.
    double clock, time;
    int64_t steps;
    double rate;         // simulated seconds per second, smoothed; 0: not known yet
    double element_cost; // seconds per element and step, smoothed
} Progress;

Progress progress_begin(const CordWorld* world, double end, bool quiet);
void progress_update(Progress* p, const CordWorld* world); // cheap: looks at the clock and mostly returns
void progress_clear(Progress* p); // before anything else is written to standard error

// The same for work that counts in frames, as a CordProgress; it stops when the user interrupts.
typedef struct ProgressFrames {
    const char* doing; // "rendering picture"
    bool terminal;
    double shown;
    int done, total;
} ProgressFrames;

ProgressFrames progress_frames_begin(const char* doing);
CordProgress progress_frames_hook(ProgressFrames* p);
void progress_frames_end(ProgressFrames* p);

// The same for work of which it is known what part is done.
typedef struct ProgressPart {
    bool quiet, terminal;
    bool drawn;          // a line stands there to be redrawn
    double begun, shown; // [s of talk_clock]
    double shown_part;
} ProgressPart;

ProgressPart progress_part_begin(bool quiet);
// from 0 to 1; `doing` is put after it
void progress_part_update(ProgressPart* p, double part, const char* doing);
void progress_part_clear(ProgressPart* p);

// The same while modes are found, of which little is known in advance.
typedef struct ProgressModes {
    bool quiet, terminal;
    bool drawn;          // a line stands there to be redrawn
    double begun, shown; // [s of talk_clock]
    double shown_part;
} ProgressModes;

ProgressModes progress_modes_begin(bool quiet);
void progress_modes_update(ProgressModes* p, const char* what, double share); // share NAN: nobody knows
void progress_modes_clear(ProgressModes* p);

// The same for a branch of equilibria.
typedef struct ProgressBranch {
    bool quiet, terminal;
    bool drawn;          // a line stands there to be redrawn
    bool returns;        // time may run back, so that nobody knows how much is left
    double from, to;     // [s]
    double begun, shown; // [s of talk_clock]
    int points;
    int events; // folds, bifurcations, jumps
} ProgressBranch;

ProgressBranch progress_branch_begin(const CordBranchDef* def, bool quiet);
void progress_branch_update(ProgressBranch* p, const CordBranchPoint* point); // once for each point
void progress_branch_end(ProgressBranch* p);

#endif
