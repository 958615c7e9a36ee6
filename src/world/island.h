// Islands of a world (solve/island.h): those of a step, and those of a solve.
#ifndef CORD_WORLD_ISLAND_H
#define CORD_WORLD_ISLAND_H

#include "world/world.h"

#include <cordage/solve.h>

// Finds the islands that are predicted: single rods and batches. An assembly is joined after its rods.
CordResult islands_prepare(CordWorld* w);
void islands_free(CordWorld* w);
Island assembly_island(Assembly* a); // as a step joins it

// The islands of a solve are the assemblies and the single rods; rods of a batch are solved one by one.
int world_solve_island_count(const CordWorld* w);
Island world_solve_island(const CordWorld* w, int index);
// Prepares the island for a solve. The caller must close it, even if this fails.
CordResult island_open(CordWorld* w, Island* island);
void island_commit_motion(const Island* island, double time); // accepts the clamp targets at `time`
void island_close(CordWorld* w, Island* island);

// support_check.c. Fails where nothing holds the island, or free bodies, against the forces at `time`. Forces
// below `tolerance` times the sum of all forces count as zero.
CordResult island_check_held(CordWorld* w, const Island* g, double time, double tolerance);
// Whether some translation meets no clamp and no spring, and so costs nothing in an equilibrium.
bool island_drifts(const Island* g, double time);
CordResult bodies_check_held(CordWorld* w, double time, double tolerance);

CordResult solve_check_def(CordWorld* w, const CordSolveDef* def);
void solve_add_report(CordSolveReport* sum, const CordSolveReport* one);

#endif
