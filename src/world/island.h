// What is solved for at once: a rod by itself, or an assembly of rods and bodies.
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
    Joins* joins; // while it is open
} Island;

static inline Rod* island_rod(const Island* g, int i)
{
    return g->rods ? g->rods[i] : g->alone;
}

int world_island_count(const CordWorld* w);
bool world_next_island(const CordWorld* w, int* at, Island* g); // from 0 on; false: that was all
// its rods can be solved for, until it is closed; to be closed even if this fails
CordResult island_open(CordWorld* w, Island* g);
void island_commit_motion(const Island* g, double time); // its clamps have gone to where they are then
void island_close(CordWorld* w, Island* g);

// held.c: fails where nothing holds all of it, or bodies that are welded to nothing, against what pulls at
// `time`. What is less than `tolerance` of all forces is none.
CordResult island_check_held(CordWorld* w, const Island* g, double time, double tolerance);
CordResult bodies_check_held(CordWorld* w, double time, double tolerance);

CordResult solve_check_def(CordWorld* w, const CordSolveDef* def);
void solve_add_report(CordSolveReport* sum, const CordSolveReport* one);
double solve_rods_energy(const CordWorld* w); // of rods at rest: elastic, and of weight [J]

#endif
