// Runs a world: steps from frame to frame until the end, or until something stops it.
#ifndef CORDAGE_CLI_RUNNER_H
#define CORDAGE_CLI_RUNNER_H

#include "console.h"
#include "progress.h"

#include <cordage/ledger.h>
#include <cordage/pace.h>

typedef struct RunnerDef {
    CordWorld* world;
    const CordScene* scene; // the world was built from it
    CordRecorder* recorder; // NULL: no recording
    double step;            // [s]; 0: auto
    double end;             // [s]
    double fps;             // frames per simulated second
    bool quiet;             // errors and warnings only
    // For one run among several:
    const char* name;         // prefix of warnings; NULL: it runs alone
    bool timed;               // measure the processor time of the steps
    void (*tick)(void* user); // called every few steps; may be NULL
    void* user;
} RunnerDef;

typedef enum RunnerEnd {
    RUNNER_DONE,
    RUNNER_INTERRUPTED,    // by the user; a snapshot allows --resume
    RUNNER_STEP_TOO_SHORT, // a frame would take more than CORD_PACE_MOST_STEPS
    RUNNER_DIVERGED,       // or another failure of the world, which keeps the last good state
    RUNNER_NOT_RECORDED,   // the recording could not be written
    RUNNER_ENERGY,         // energy has come from nowhere
} RunnerEnd;

typedef struct RunnerReport {
    RunnerEnd end;
    int64_t steps;                   // of this run
    int64_t retries;                 // steps retried at half their length
    int64_t unfinished;              // position-based steps of a rod that ran out of iterations
    int64_t spent;                   // steps that have spent the budget of contact
    int64_t limited;                 // motions of rods that were limited by it
    int64_t iterations;              // of Newton's method, in all implicit rods
    double shortest, longest;        // planned step [s]
    double wall;                     // [s]
    double cpu;                      // of the steps alone, if timed [s]
    double last_frame;               // time of the last frame recorded [s]
    double energy_start, energy_end; // [J]
    double h;                        // of the last step [s]
    CordPaceChoice choice;           // when h was chosen
    // stable step when h was chosen, or when h first exceeded it [s]; INFINITY: any step is stable
    double stable;
    double stretch;      // largest of position-based inextensible rods at any frame
    double stretch_time; // when it was reached [s]
    int stretch_rod;     // index of the rod
    // Energy that the ledger does not account for, that integrators have made and taken, and the energy
    // in motion [J]; 0: it is not open.
    double ledger_error, ledger_made, ledger_taken, ledger_turnover;
    char hidden_losses[sizeof((CordLedger){0}.hidden_losses)]; // CordLedger.hidden_losses
    bool ledger_still;                                         // what moves is round-off
    bool ledger_remeshed;      // energy that adaptive rods have made stopped the run, and no step helps
    const char* ledger_advice; // how steps would damp the motion less; NULL: they damp it little
    CordResult result;         // of the failed step
    CordMessage message;       // why it was not recorded, or what the ledger found
} RunnerReport;

// Runs the world from its current time to def->end. A new recording gets the first frame; a resumed one has
// it.
RunnerReport runner_run(const RunnerDef* def);

// The same frame by frame, for several worlds in lockstep.
typedef struct Runner {
    const RunnerDef* def;
    CordWorld* world;
    CordPace pace;
    RunnerReport report;
    RunProgress progress;
    bool going;                  // not at the end and not stopped
    double begun;                // [s of clock_wall]
    double step_cost;            // wall time of the last step [s]
    double told_step;            // longest step last printed [s]; 0: none
    int steps_reported;          // how many times it has changed by much
    bool warned;                 // a warning of the user's step has been printed
    int since_snapshot;          // frames recorded since the last snapshot
    double snapshot_clock;       // time of the last snapshot [s of clock_wall]
    int ledger_every;            // steps between updates of the ledger; 0: it is not open
    bool energy_warned;          // that energy came from nowhere
    int frames_off, frames_lost; // frames in a row in which energy came from nowhere, some or half of all
} Runner;

Runner runner_begin(const RunnerDef* def); // records the first frame; def must outlive the runner
// to the next frame or the end; false: it did not get there
bool runner_advance(Runner* r);
RunnerReport runner_end(Runner* r);

// ---- the length of a step in words

typedef struct StepText {
    char text[256];
} StepText;

// What limits the step: "bending waves in rod "a" at node 3".
StepText step_limit_text(const CordWorld* world, CordStepAdvice advice);
#define STEP_DRIVEN "to follow what moves, or comes and goes"
bool step_is_driven(CordPaceChoice choice); // has that set an automatic step?
StepText step_remedy_text(const CordWorld* world, CordStepAdvice advice,
                          double h); // advice for a step of h that is too long: "at most 0.001", ...

// Why a run stops whose frame would take more than CORD_PACE_MOST_STEPS steps, and what to write instead.
CordMessage step_too_short_text(const CordWorld* world, CordPaceChoice choice, double h);

// Warns of a step longer than a frame, which is cut at the frame. name: of one run among several, or NULL.
void step_warn_of_frame(const char* name, double user_step, double fps);

#endif
