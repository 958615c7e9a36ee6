// Numerical continuation: finds an equilibrium, and follows the branch of equilibria as clamps and loads
// move.
#ifndef CORDAGE_CLI_CONTINUATION_H
#define CORDAGE_CLI_CONTINUATION_H

#include "console.h"

typedef struct ContinuationDef {
    CordWorld* world;
    CordRecorder* recorder; // NULL: no recording
    const CordSceneSolve* plan;
    bool quiet; // no progress
} ContinuationDef;

typedef enum ContinuationEnd {
    CONTINUATION_DONE,
    CONTINUATION_POINTS_SPENT,  // the plan's number of points was reached before the end
    CONTINUATION_INTERRUPTED,   // by the user
    CONTINUATION_NOT_CONVERGED, // or another failure of the world, which keeps the best state found
    CONTINUATION_NOT_RECORDED,  // the recording could not be written
    CONTINUATION_REFUSED,       // the rods do not have the vibration that the plan pushes along
    CONTINUATION_NOT_SUPPORTED, // the scene cannot be solved as it is
} ContinuationEnd;

typedef struct ContinuationReport {
    ContinuationEnd end;
    bool moves; // do clamps, obstacles or loads change within the range? If not, there is one point
    CordBranchPoint* points; // (count)
    int count;
    int switches;          // number of branches switched to
    double cpu;            // [s]
    CordSolveReport start; // of the first equilibrium
    CordMessage message;   // from the world or the recorder
} ContinuationReport;

ContinuationReport continuation_run(const ContinuationDef* def);
void continuation_free(ContinuationReport* report);

// Finds the equilibrium near the initial state, with the plan's push, solver and start time.
CordResult continuation_start(CordWorld* world, const CordSceneSolve* plan, CordSolveReport* report);

#endif
