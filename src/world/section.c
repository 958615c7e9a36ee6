// Section forces: force, tension and moment that a rod transmits. An edge that a clamp or a body holds is
// rigid, so its shape does not give its force. It takes the force of the free edge beside it, or the mean of
// both sides. A held edge at the rod's end has the moment that follows from that force.
#include "world/world.h"

#include <string.h>

static bool is_held(const Clamp* clamp)
{
    return clamp->holds && clamp->edge >= 0;
}

static bool any_held(const Rod* rod)
{
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= is_held(rod->clamps[i]);
    }
    return any;
}

// Weight of a held node less mass times its acceleration. The acceleration of bodies is not known here.
static CordVec3 node_weight(const CordWorld* w, const Clamp* clamp, int k)
{
    CordVec3 a = clamp->carrier ? (CordVec3){0, 0, 0} : clamp_acceleration(clamp, clamp->node[k]);
    return vec3_mul(vec3_sub(w->gravity, a), rod_node_mass(clamp->rod, clamp->node[k]));
}

static CordVec3 held_force(const CordWorld* w, const Clamp* clamp, const CordVec3* force)
{
    const CordCenterline* c = &clamp->rod->line;
    bool before = c->closed || clamp->edge > 0, after = c->closed || clamp->edge < c->edge_count - 1;
    CordVec3 sum = {0, 0, 0};
    if (after) {
        sum = vec3_add(sum, vec3_add(force[edge_end(c, clamp->edge)], node_weight(w, clamp, 1)));
    }
    if (before) {
        sum = vec3_add(sum, vec3_sub(force[edge_before(c, clamp->edge)], node_weight(w, clamp, 0)));
    }
    return vec3_mul(sum, before && after ? 0.5 : 1.0);
}

// Inextensible edges carry a constraint force that no energy contains.
static CordResult find_forces(const CordWorld* w, const Rod* rod, CordVec3* force)
{
    model_of(rod)->sections(rod, force, NULL);
    const RodNow* now = rod->inextensible ? rod_now(w, rod) : NULL;
    if (rod->inextensible && !now) {
        return CORD_NO_MEMORY;
    }
    for (int j = 0; now && j < rod->line.edge_count; j++) {
        CordVec3 t = edge_tangent(&rod->line, j);
        force[j] = vec3_madd(vec3_reject(force[j], t), t, now->tension[j]);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (is_held(clamp)) {
            force[clamp->edge] = held_force(w, clamp, force);
        }
    }
    return CORD_OK;
}

CordResult cord_rod_section_forces(const CordWorld* w, CordRodId id, CordVec3* force)
{
    const Rod* rod;
    CORD_TRY(query_rod(w, id, &rod));
    return find_forces(w, rod, force);
}

// Uses scratch that the rod owns.
static CordResult find_own_forces(const CordWorld* w, const Rod* rod, const CordVec3** force)
{
    const RodNow* now = rod_now(w, rod);
    if (!now) {
        return CORD_NO_MEMORY;
    }
    *force = now->section;
    return find_forces(w, rod, now->section);
}

CordResult cord_rod_tensions(const CordWorld* w, CordRodId id, double* tension)
{
    const Rod* rod;
    const RodNow* now;
    CORD_TRY(query_rod_now(w, id, &rod, &now));
    memcpy(tension, now->tension, sizeof *tension * (size_t)rod->line.edge_count);
    if (!any_held(rod)) {
        return CORD_OK;
    }
    const CordVec3* force;
    CORD_TRY(find_own_forces(w, rod, &force));
    for (int i = 0; i < rod->clamp_count; i++) {
        int edge = rod->clamps[i]->edge;
        if (is_held(rod->clamps[i])) {
            tension[edge] = vec3_dot(force[edge], edge_tangent(&rod->line, edge));
        }
    }
    return CORD_OK;
}

// M' = -t x F, integrated from the inner node beside the end edge to the end.
static void end_moments(const Rod* rod, const Clamp* clamp, const CordVec3* force, CordVec3* moment)
{
    const CordCenterline* c = &rod->line;
    int a = clamp->edge, b = a + 1;
    CordVec3 arm = vec3_sub(node_position(c, b), node_position(c, a)), turn = vec3_cross(arm, force[a]);
    if (a == 0) {
        moment[a] = vec3_add(moment[b], turn);
    } else if (b == c->node_count - 1) {
        moment[b] = vec3_sub(moment[a], turn);
    }
}

CordResult cord_rod_moments(const CordWorld* w, CordRodId id, CordVec3* moment)
{
    const Rod* rod;
    CORD_TRY(query_rod(w, id, &rod));
    memset(moment, 0, sizeof *moment * (size_t)rod->line.node_count);
    model_of(rod)->moments(rod, moment);
    if (rod->line.closed || !any_held(rod)) {
        return CORD_OK;
    }
    const CordVec3* force;
    CORD_TRY(find_own_forces(w, rod, &force));
    for (int i = 0; i < rod->clamp_count; i++) {
        if (is_held(rod->clamps[i]) && rod->line.edge_count > 1) {
            end_moments(rod, rod->clamps[i], force, moment);
        }
    }
    return CORD_OK;
}
