// The loop of a solve: an equilibrium, and from there along the branch of them, until its end or until
// something stops it.
#ifndef CORDAGE_CLI_FOLLOWER_H
#define CORDAGE_CLI_FOLLOWER_H

#include "talk.h"

typedef struct FollowerDef {
    CordWorld* world;
    CordRecorder* recorder; // NULL: nothing is kept
    const CordSceneSolve* plan;
    bool quiet; // errors only
} FollowerDef;

typedef enum FollowerEnd {
    FOLLOWER_DONE,
    FOLLOWER_POINTS_SPENT,  // as many as the plan allows, before the range was done
    FOLLOWER_INTERRUPTED,   // by the user
    FOLLOWER_NOT_CONVERGED, // or any other failure of the world; it keeps the best state found
    FOLLOWER_NOT_RECORDED,  // the recording could not be written
    FOLLOWER_REFUSED,       // the plan asks for what the rods do not have
    FOLLOWER_NOT_SUPPORTED, // nor can the scene be solved as it is
} FollowerEnd;

typedef struct FollowerReport {
    FollowerEnd end;
    bool moves;              // does anything change between the plan's times? If not, there is one point
    CordBranchPoint* points; // (count)
    int count, capacity;
    int switches;          // of the plan's, that were made
    double cpu;            // [s]
    CordSolveReport start; // of the first equilibrium, from the scene's own state
    CordMessage message;   // what the world or the recorder said
} FollowerReport;

FollowerReport follower_follow(const FollowerDef* def);
void follower_free(FollowerReport* report);

// The equilibrium near the scene's own state, by the plan: its push, its solver, its first time.
CordResult follower_start(CordWorld* world, const CordSceneSolve* plan, CordSolveReport* report);

#endif
