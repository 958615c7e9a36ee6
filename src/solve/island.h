// An island is what one solve or one step treats as one system: a rod, a batch of alike rods side by side, or
// the rods and bodies that welds join.
#ifndef CORD_SOLVE_ISLAND_H
#define CORD_SOLVE_ISLAND_H

#include "solve/assembly.h"

typedef struct Island {
    Rod* const* rods; // all have the same stepper (rod_count)
    int rod_count;
    Assembly* assembly; // NULL: no weld
    Joins* joins;       // of the assembly, where Newton's method solves for it; NULL: it does not
} Island;

static inline int island_body_count(const Island* island)
{
    return island->assembly ? island->assembly->body_count : 0;
}

#endif
