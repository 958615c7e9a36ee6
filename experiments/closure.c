#include "closure.h"

enum { TAIL = 2 }; // nodes of a tail

Closure closure_open(Lab* lab, CordWorld* world, int rod)
{
    CordRodId id = cord_world_rod(world, rod);
    int nodes = cord_rod_node_count(world, id);
    return (Closure){.world = world,
                     .rod = id,
                     .nodes = nodes,
                     .x = lab_room(lab, (size_t)nodes + 2 * TAIL, sizeof(CordVec3)),
                     .far = 1000.0 * cord_rod_length(world, id)};
}

const CordVec3* closure_nodes(const Closure* c)
{
    return c->x + TAIL;
}

// From an end, away from the node before it; and from there aside.
static void carry_on(const Closure* c, CordVec3 before, CordVec3 end, CordVec3* far, CordVec3* aside)
{
    CordVec3 e = cord_vec3_sub(end, before);
    *far = cord_vec3_madd(end, e, c->far / cord_vec3_length(e));
    *aside = cord_vec3_madd(*far, (CordVec3){0, 0, 1}, c->far);
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

double closure_link(Closure* c)
{
    return cord_rod_twist(c->world, c->rod) + closure_writhe(c);
}
