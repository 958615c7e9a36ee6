#include "closure.h"

Closure closure_open(Lab* lab, CordWorld* world, int rod)
{
    CordRodId id = cord_world_rod(world, rod);
    int nodes = cord_rod_node_count(world, id);
    return (Closure){
        .world = world, .rod = id, .nodes = nodes, .x = lab_room(lab, (size_t)nodes, sizeof(CordVec3))};
}

const CordVec3* closure_nodes(const Closure* c)
{
    return c->x;
}

double closure_writhe(Closure* c)
{
    cord_rod_positions(c->world, c->rod, c->x);
    return cord_polygon_tailed_writhe(c->x, c->nodes, false);
}

double closure_link(Closure* c)
{
    return cord_rod_twist(c->world, c->rod) + closure_writhe(c);
}
