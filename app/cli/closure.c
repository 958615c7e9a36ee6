#include "closure.h"

#include <math.h>
#include <stdlib.h>

enum { TAIL = 2 }; // nodes of a tail

bool closure_open(Closure* c, CordWorld* world, CordVec3 side)
{
    return closure_open_rod(c, world, cord_world_rod(world, 0), side);
}

bool closure_open_rod(Closure* c, CordWorld* world, CordRodId rod, CordVec3 side)
{
    int nodes = cord_rod_node_count(world, rod);
    *c = (Closure){.world = world,
                   .rod = rod,
                   .nodes = nodes,
                   .x = calloc((size_t)nodes + 2 * TAIL, sizeof *c->x),
                   .far = 1000.0 * cord_rod_length(world, rod),
                   .side = side};
    return c->x;
}

void closure_close(Closure* c)
{
    free(c->x);
}

const CordVec3* closure_nodes(const Closure* c)
{
    return c->x + TAIL;
}

static CordVec3 moved(CordVec3 a, CordVec3 by, double share)
{
    return (CordVec3){a.x + share * by.x, a.y + share * by.y, a.z + share * by.z};
}

// From an end, away from the node before it; and from there aside.
static void carry_on(const Closure* c, CordVec3 before, CordVec3 end, CordVec3* far, CordVec3* aside)
{
    CordVec3 e = moved(end, before, -1.0);
    *far = moved(end, e, c->far / sqrt(e.x * e.x + e.y * e.y + e.z * e.z));
    *aside = moved(*far, c->side, c->far);
}

double closure_writhe(Closure* c)
{
    CordVec3* rod = c->x + TAIL;
    int n = c->nodes;
    cord_rod_positions(c->world, c->rod, rod);
    carry_on(c, rod[1], rod[0], &rod[-1], &rod[-2]);
    carry_on(c, rod[n - 2], rod[n - 1], &rod[n], &rod[n + 1]);
    return cord_polygon_writhe(c->x, n + 2 * TAIL, true);
}
