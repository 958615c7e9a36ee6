// Several models on the same scene: what is kept of each, frame by frame and at the end.
#ifndef CORDAGE_CLI_COMPARE_H
#define CORDAGE_CLI_COMPARE_H

#include "compare_difference.h"
#include "compare_variant.h"
#include "report.h"
#include "runner.h"
#include "simulation.h"

// A difference of more than this share of a rod's length, and two shapes are no longer the same.
#define COMPARE_SHARE 0.01

typedef struct CompareRow { // a run at a frame
    double time;            // [s]
    CordEnergy energy;      // of rods and bodies
    double twist;           // of all rods [turns]
    bool compared;          // false: the reference has no such frame
    Difference difference;  // to the reference
} CompareRow;

typedef enum CompareState {
    COMPARE_REFUSED, // the model does not take the scene
    COMPARE_DONE,
    COMPARE_STOPPED, // a step failed, or it could not be recorded
    COMPARE_DIVERGED,
    COMPARE_INTERRUPTED,
} CompareState;

typedef struct CompareRun {
    const Variant* variant;
    CompareState state;
    char message[1200]; // why it was refused or stopped
    Simulation sim;
    CordRecorder* recorder;
    char path[LIBRARY_PATH_MOST]; // of the recording; "": there is none
    RunnerDef def;
    Runner runner;
    RunnerReport report;
    bool at_frame;    // it has just reached one
    CompareRow* rows; // (row_count)
    int row_count, row_room;
    double gap; // least between surfaces, at any frame [m]; INFINITY: contact is off, or nothing is near
    Difference largest;             // of all frames
    double largest_time, over_time; // of that, and of the first beyond COMPARE_SHARE [s]; NAN: there is none
    Report last;                    // of the state it ended in; its rods are NULL without one
} CompareRun;

typedef struct Compare {
    const char* title;
    char scene[LIBRARY_PATH_MOST];
    char directory[LIBRARY_PATH_MOST];
    double end, fps; // [s], frames per simulated second
    VariantList variants;
    CompareRun runs[VARIANTS_MOST]; // (variants.count)
    int reference;                  // the first that is not refused
} Compare;

static inline const CompareRun* compare_reference(const Compare* c)
{
    return &c->runs[c->reference];
}

// compare_print.c: to standard output.
void compare_print_table(const Compare* c);
void compare_print_json(const Compare* c);

// compare_plot.c: compare.csv, and what gnuplot makes of it. False: it has been said.
bool compare_write(const Compare* c);
bool compare_plot(const Compare* c, bool quiet);

#endif
