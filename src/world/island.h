// An island is solved as one system: a single rod, or an assembly of rods and bodies.
#ifndef CORD_WORLD_ISLAND_H
#define CORD_WORLD_ISLAND_H

#include "solve/joins.h"
#include "world/world.h"

#include <cordage/solve.h>

typedef struct Island {
    Rod* alone; // NULL: an assembly
    Assembly* assembly;
    Rod** rods; // of the assembly
    int rod_count;
    Joins* joins; // while the island is open
} Island;

static inline Rod* island_rod(const Island* g, int i)
{
    return g->rods ? g->rods[i] : g->alone;
}

int world_island_count(const CordWorld* w);
bool world_next_island(const CordWorld* w, int* at, Island* g); // starts at *at = 0; false: there are no more
// Prepares the island for a solve. The caller must close it, even if this fails.
CordResult island_open(CordWorld* w, Island* g);
void island_commit_motion(const Island* g, double time); // accepts the clamp targets at `time`
void island_close(CordWorld* w, Island* g);

// support_check.c. Fails where nothing holds the island, or free bodies, against the forces at `time`. Forces
// below `tolerance` times the sum of all forces count as zero.
CordResult island_check_held(CordWorld* w, const Island* g, double time, double tolerance);
CordResult bodies_check_held(CordWorld* w, double time, double tolerance);

CordResult solve_check_def(CordWorld* w, const CordSolveDef* def);
void solve_add_report(CordSolveReport* sum, const CordSolveReport* one);
double solve_rods_energy(const CordWorld* w); // elastic energy and weight of rods at rest [J]

#endif
