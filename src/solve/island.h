// An island is what is solved as one system: a rod, a batch of alike rods side by side, or the rods and
// bodies that welds join.
#ifndef CORD_SOLVE_ISLAND_H
#define CORD_SOLVE_ISLAND_H

#include "solve/assembly.h"

typedef struct Island {
    Rod* const* rods; // all have the same stepper (rod_count)
    int rod_count;
    Assembly* assembly; // NULL: no weld
    // Joins of the assembly for Newton's method; NULL: none. A step borrows the assembly's own; a solve makes
    // them in island_open, and island_close frees them.
    Joins* joins;
} Island;

static inline int island_body_count(const Island* island)
{
    return island->assembly ? island->assembly->body_count : 0;
}

#endif
