// The progress of long work on standard error: one line that is redrawn on a terminal, and a line now and
// then elsewhere.
#ifndef CORDAGE_CLI_PROGRESS_H
#define CORDAGE_CLI_PROGRESS_H

#include "console.h"

#include <stdbool.h>

typedef struct Progress {
    bool quiet;
    bool terminal;     // standard error is a terminal
    bool drawn;        // the line is on the terminal now
    double begun;      // [s of clock_wall]
    double shown;      // time of the last line [s of clock_wall]
    double shown_part; // the part that was done then
} Progress;

Progress progress_begin(bool quiet);
bool progress_is_due(Progress* p, double part); // part done, 0 to 1; NAN: unknown. Cheap, and mostly false
void progress_show(Progress* p, const char* format, ...) CONSOLE_PRINTF(2, 3);
void progress_clear(Progress* p);                     // before anything else is written to standard error
double progress_left(const Progress* p, double part); // time left at the rate so far [s]

// The progress of a run, with its rates.
typedef struct RunProgress {
    Progress line;
    double end; // simulated time at the end [s]
    int64_t elements;
    double clock, time; // when the rates were last measured: [s of clock_wall] and simulated time [s]
    int64_t steps;      // taken by then
    double rate;        // simulated seconds per second, smoothed; 0: not measured yet
    double step_cost;   // seconds per element and step, smoothed
} RunProgress;

RunProgress progress_run_begin(const CordWorld* world, double end, bool quiet);
void progress_run_update(RunProgress* p, const CordWorld* world);

// The progress of an export, as a CordProgress, which also stops it when the user interrupts.
typedef struct FrameProgress {
    Progress line;
    const char* doing; // "rendering picture"
    int done, total;
} FrameProgress;

FrameProgress progress_frames_begin(const char* doing);
CordProgress progress_frames_hook(FrameProgress* p);

typedef struct WorldTotals {
    double energy;  // of rods and bodies [J]
    double stretch; // largest relative change of length of any rod
    int64_t elements;
} WorldTotals;

WorldTotals world_totals(const CordWorld* world);

// ---- interruption by Ctrl-C, SIGTERM, or a terminal that closes

// From now on the first SIGINT, SIGTERM or SIGHUP sets a flag. A second one of its kind ends the program at
// once.
void interrupt_watch(void);
bool interrupt_raised(void);

#endif
