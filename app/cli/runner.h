// The loop of a run: steps from frame to frame until the end, or until something stops it.
#ifndef CORDAGE_CLI_RUNNER_H
#define CORDAGE_CLI_RUNNER_H

#include "console.h"
#include "progress.h"

#include <cordage/pace.h>

typedef struct RunnerDef {
    CordWorld* world;
    const CordScene* scene; // that it was made from
    CordRecorder* recorder; // NULL: nothing is kept
    double step;            // [s]; 0: auto
    double end;             // [s]
    double fps;             // frames per simulated second
    bool quiet;             // errors and warnings only
    // For one run among several.
    const char* name;         // put before what it warns of; NULL: it runs alone
    bool timed;               // the processor's time of its steps is measured
    void (*tick)(void* user); // every few steps, to show how far all of them are; NULL: nobody asks
    void* user;
} RunnerDef;

typedef enum RunnerEnd {
    RUNNER_DONE,
    RUNNER_INTERRUPTED,    // by the user; the recording has a snapshot to go on from
    RUNNER_STEP_TOO_SHORT, // a frame would take more than CORD_PACE_MOST_STEPS
    RUNNER_DIVERGED,       // or any other failure of the world; it keeps the last good state
    RUNNER_NOT_RECORDED,   // the recording could not be written
} RunnerEnd;

typedef struct RunnerReport {
    RunnerEnd end;
    int64_t steps;                   // taken in this run
    int64_t retries;                 // of them, that had to be taken in halves
    int64_t unfinished;              // steps of single position-based rods whose iterations ran out
    int64_t iterations;              // of Newton's method, all implicit rods together
    double shortest, longest;        // step planned [s]
    double wall;                     // [s]
    double cpu;                      // processor time of the steps alone, if they were timed [s]
    double last_frame;               // time of the last frame recorded [s]
    double energy_start, energy_end; // [J]
    double h;                        // the last step's length [s]
    // what was advised when it was chosen, or when it first was too long [s]; INFINITY: any, since rods are
    // implicit
    double stable;
    double stretch;      // largest at any frame, of position-based rods that should keep their length
    double stretch_time; // of that [s]
    int stretch_rod;     // likewise
    CordResult result;   // of the step that failed
    CordMessage message; // what the recorder said
} RunnerReport;

// Runs the world from where it stands to def->end. A new recording gets its first frame; one that is resumed
// has it.
RunnerReport runner_run(const RunnerDef* def);

// The same frame by frame, for several worlds in step with each other.
typedef struct Runner {
    const RunnerDef* def;
    CordWorld* world;
    CordPace pace;
    RunnerReport report;
    RunProgress progress;
    bool going;            // neither at the end nor stopped
    double begun;          // when it was begun [s of clock_wall]
    double step_cost;      // wall time of one step, as last measured [s]
    double told_step;      // longest step last spoken of; 0: none
    bool warned;           // the user's step is too long, and was told so
    int since_snapshot;    // frames
    double snapshot_clock; // when the last snapshot was put
} Runner;

Runner runner_begin(const RunnerDef* def); // keeps the pointer; at the first frame
// to the next frame, or to the end if that is before; false: it did not get there
bool runner_advance(Runner* r);
RunnerReport runner_end(Runner* r);

// What is said about how long a step is, and --step of the commands that have it.

typedef struct StepText {
    char text[256];
} StepText;

// "bending waves in rod "a" at node 3"
StepText step_limit_text(const CordWorld* world, CordStepAdvice advice);
StepText step_remedy_text(const CordWorld* world, CordStepAdvice advice,
                          double h); // what else to write where a step of h is too long: "at most 0.001", ...

// Of a step that reaches beyond the next frame no more is taken than up to there. name: of one run among
// several, or NULL.
void step_warn_of_frame(const char* name, double user_step, double fps);

#endif
