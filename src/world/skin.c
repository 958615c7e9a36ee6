// The skin is what pictures draw of an adaptive rod. Its surface does not jump when the nodes change.
#include "world/adapt_parts.h"

CordVec3 skin_at(const Rod* rod, int node, double time)
{
    const RodGrid* g = rod->grid;
    double left = g->def.blend > 0.0 ? 1.0 - (time - g->changed[node]) / g->def.blend : 0.0;
    left = left > 0.0 && left <= 1.0 ? left * left * (3.0 - 2.0 * left) : left > 1.0 ? 1.0 : 0.0;
    return vec3_madd(node_position(&rod->line, node), g->aside[node], left);
}

void rod_skin(const Rod* rod, double time, CordVec3* skin)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        skin[i] = rod->grid ? skin_at(rod, i, time) : node_position(&rod->line, i);
    }
}

// Returns the middle of an element's skin, on the curve through its ends and their neighbours that pictures
// draw.
CordVec3 skin_between(const Rod* rod, int before, int after, double time)
{
    const CordCenterline* c = &rod->line;
    bool left = c->closed || before > 0, right = c->closed || after < c->node_count - 1;
    CordVec3 a = skin_at(rod, before, time), b = skin_at(rod, after, time);
    CordVec3 far_a = left ? skin_at(rod, (before + c->node_count - 1) % c->node_count, time) : a;
    CordVec3 far_b = right ? skin_at(rod, (after + 1) % c->node_count, time) : b;
    CordVec3 sum = vec3_mul(vec3_add(a, b), 9.0 / 16.0);
    return vec3_madd(sum, vec3_add(far_a, far_b), -1.0 / 16.0);
}

// A node that is about to move to x keeps its drawn position, which then follows smoothly.
void skin_keep(Rod* rod, int node, CordVec3 skin, CordVec3 x, double time)
{
    rod->grid->aside[node] = vec3_sub(skin, x);
    rod->grid->changed[node] = time;
}
