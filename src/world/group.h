// What is solved for at once: a rod by itself, or an assembly of rods and bodies.
#ifndef CORD_WORLD_GROUP_H
#define CORD_WORLD_GROUP_H

#include "solve/joins.h"
#include "world/world.h"

#include <cordage/solve.h>

typedef struct Group {
    Rod* alone; // NULL: an assembly
    Assembly* assembly;
    Rod** rods; // of the assembly
    int rod_count;
    Joins* joins; // while it is open
} Group;

int world_group_count(const CordWorld* w);
Group world_group(const CordWorld* w, int index);
CordResult group_open(CordWorld* w, Group* g); // its rods can be solved for, until it is closed; to be closed even if this fails
void group_close(CordWorld* w, Group* g);

CordResult solve_check_def(CordWorld* w, const CordSolveDef* def);
void solve_add_report(CordSolveReport* sum, const CordSolveReport* one);

#endif
