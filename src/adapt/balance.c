#include "adapt/balance.h"

// Length constraint forces, which no energy contains.
static void add_tensions(const Rod* rod, CordVec3* force)
{
    const CordCenterline* c = &rod->line;
    for (int j = 0; rod->inextensible && j < c->edge_count; j++) {
        CordVec3 f = rod_pull_force(rod, j);
        int end = edge_end(c, j);
        force[j] = vec3_sub(force[j], f);
        force[end] = vec3_add(force[end], f);
    }
}

void balance_forces(const Rod* rod, const CordVec3* without, CordVec3* force)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        force[i] = (CordVec3){0, 0, 0};
    }
    model_of(rod)->gradient(rod, force);
    add_tensions(rod, force);
    for (int i = 0; without && i < rod->line.node_count; i++) {
        force[i] = vec3_sub(force[i], without[i]);
    }
}

void balance_add_loads(const Rod* rod, double time, double times, CordVec3* force)
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load_is_on(load, LOAD_ON_POINTS)) {
            load_add_force(load, time, times, force);
        }
    }
}

// Force over mass at a node of the old rod. Returns NAN in x for a held node, whose reaction does not scale
// with mass.
static CordVec3 density_at(const Rod* from, const CordVec3* force, int node)
{
    bool held = from->line.w[slot_of(&from->line, node)] == 0.0 || clamp_of_node(from, node);
    return held ? (CordVec3){NAN, 0, 0} : vec3_mul(force[node], 1.0 / rod_node_mass(from, node));
}

void balance_share(const Remesh* map, const Rod* rod, const CordVec3* force, CordVec3* next)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < map->node_count; i++) {
        int was = map->node[i];
        if (was < 0) {
            int edge = map->edge[i];
            CordVec3 a = density_at(rod, force, edge), b = density_at(rod, force, edge_end(c, edge));
            CordVec3 mean = isnan(a.x) && isnan(b.x) ? (CordVec3){0, 0, 0}
                            : isnan(a.x)             ? b
                            : isnan(b.x)             ? a
                                                     : vec3_mul(vec3_add(a, b), 0.5);
            next[i] = vec3_mul(mean, 0.5 * rod_edge_mass(rod, edge));
            continue;
        }
        // A quarter of each halved edge goes to its middle.
        double mass = rod_node_mass(rod, was), left = mass;
        int before = (i + map->edge_count - 1) % map->edge_count;
        if ((c->closed || i > 0) && map->kind[before] == REMESH_SECOND_HALF) {
            left -= 0.25 * rod_edge_mass(rod, map->edge[before]);
        }
        if (i < map->edge_count && map->kind[i] == REMESH_FIRST_HALF) {
            left -= 0.25 * rod_edge_mass(rod, map->edge[i]);
        }
        next[i] = vec3_mul(force[was], left / mass);
    }
}
