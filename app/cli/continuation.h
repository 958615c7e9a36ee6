// The loop of a solve: an equilibrium, and from there along the branch of them, until its end or until
// something stops it.
#ifndef CORDAGE_CLI_CONTINUATION_H
#define CORDAGE_CLI_CONTINUATION_H

#include "console.h"

typedef struct ContinuationDef {
    CordWorld* world;
    CordRecorder* recorder; // NULL: nothing is kept
    const CordSceneSolve* plan;
    bool quiet; // errors only
} ContinuationDef;

typedef enum ContinuationEnd {
    CONTINUATION_DONE,
    CONTINUATION_POINTS_SPENT,  // as many as the plan allows, before the range was done
    CONTINUATION_INTERRUPTED,   // by the user
    CONTINUATION_NOT_CONVERGED, // or any other failure of the world; it keeps the best state found
    CONTINUATION_NOT_RECORDED,  // the recording could not be written
    CONTINUATION_REFUSED,       // the plan asks for what the rods do not have
    CONTINUATION_NOT_SUPPORTED, // nor can the scene be solved as it is
} ContinuationEnd;

typedef struct ContinuationReport {
    ContinuationEnd end;
    bool moves;              // does anything change between the plan's times? If not, there is one point
    CordBranchPoint* points; // (count)
    int count, capacity;
    int switches;          // of the plan's, that were made
    double cpu;            // [s]
    CordSolveReport start; // of the first equilibrium, from the scene's own state
    CordMessage message;   // what the world or the recorder said
} ContinuationReport;

ContinuationReport continuation_run(const ContinuationDef* def);
void continuation_free(ContinuationReport* report);

// The equilibrium near the scene's own state, by the plan: its push, its solver, its first time.
CordResult continuation_start(CordWorld* world, const CordSceneSolve* plan, CordSolveReport* report);

#endif
