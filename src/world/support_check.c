// What holds rods and bodies against all that pulls them. Where nothing does there is no equilibrium, and no
// need to look for one.
//
// What is free may still be at rest: a ring that nothing pulls, forces that cancel, a rod on a pin, which
// hangs down. So this judges only motions of the whole that no force can come to oppose on the way: along a
// straight line, since forces and weights are the same everywhere; and about a line that everything held lies
// on, if all forces are along it.
#include "world/island.h"

#define ALONG 1e-9 // sine of an angle that is none

typedef struct Pull {
    CordVec3 force;  // in all [N]
    CordVec3 torque; // of loads, in all [N m]
    double forces;   // sum of their sizes, before they cancel [N]
    double torques;  // likewise [N m]
} Pull;

typedef struct Hold {
    bool held;         // against going anywhere
    bool slides;       // along the axis alone
    bool has_point;    // something is held
    bool has_line;     // all that is held lies on one line
    bool turn_is_held; // about any line
    CordVec3 axis;     // of sliding; unit
    CordVec3 point, line;
    double turning; // torque of clamps, about the line [N m]
    double springs; // with what these can pull at the most, all together [N]
} Hold;

// ---- what pulls

static void add_force(Pull* p, CordVec3 force, double share)
{
    p->force = vec3_madd(p->force, force, share);
    p->forces += share * vec3_length(force);
}

static void add_wrench(Pull* p, const Load* load, double time)
{
    CordVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    load->kind->wrench(load, load_share(load, time), &force, &torque);
    add_force(p, force, 1.0);
    p->torque = vec3_add(p->torque, torque);
    p->torques += vec3_length(torque);
}

static void add_rod(Pull* p, const CordWorld* w, const Rod* rod, double time)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        add_force(p, w->gravity, rod_node_mass(rod, i));
    }
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->kind->wrench) {
            add_wrench(p, rod->loads[i], time);
        }
    }
}

static void add_body(Pull* p, const CordWorld* w, const Body* body, double time)
{
    add_force(p, w->gravity, body->def.mass);
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        if (load_is_on_body(load, body->id)) {
            add_wrench(p, load, time);
        }
    }
}

static Pull pull_on(const CordWorld* w, const Island* g, double time)
{
    Pull p = {0};
    for (int i = 0; i < g->rod_count; i++) {
        add_rod(&p, w, island_rod(g, i), time);
    }
    for (int i = 0; g->assembly && i < g->assembly->body_count; i++) {
        add_body(&p, w, g->assembly->bodies[i], time);
    }
    return p;
}

// ---- what holds

static bool is_along(CordVec3 a, CordVec3 unit)
{
    return vec3_length(vec3_cross(a, unit)) <= ALONG * vec3_length(a);
}

static void add_slide(Hold* h, CordVec3 axis)
{
    h->held |= h->slides && !is_along(axis, h->axis); // what slides two ways goes neither
    h->slides = true;
    h->axis = axis;
}

static void add_point(Hold* h, CordVec3 x, double length)
{
    CordVec3 apart = vec3_sub(x, h->point);
    if (!h->has_point) {
        h->point = x;
        h->has_point = true;
    } else if (vec3_length(h->line) == 0.0 && vec3_length(apart) > ALONG * length) {
        h->line = vec3_unit(apart);
        h->has_line = true;
    } else if (vec3_length(vec3_cross(apart, h->line)) > ALONG * length) {
        h->has_line = false; // for good: the line stays what it is
    }
}

static void add_clamp(Hold* h, const Clamp* clamp)
{
    const Rod* rod = clamp->rod;
    if (clamp->def.slides) {
        add_slide(h, clamp->axis);
    } else {
        h->held = true;
    }
    for (int k = 0; k < clamp->node_count; k++) {
        add_point(h, node_position(&rod->line, clamp->node[k]), rod->length);
    }
    h->turn_is_held |= clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque;
    if (clamp->def.has_torque) {
        h->turning += clamp->def.torque * vec3_dot(edge_tangent(&rod->line, clamp->edge), h->line);
    }
}

static Hold hold_on(const Island* g, double time)
{
    Hold h = {0};
    for (int i = 0; i < g->rod_count; i++) {
        const Rod* rod = island_rod(g, i);
        for (int k = 0; k < rod->clamp_count; k++) {
            if (rod->clamps[k]->holds && !rod->clamps[k]->carrier) {
                add_clamp(&h, rod->clamps[k]);
            }
        }
        for (int k = 0; k < rod->load_count; k++) {
            const Load* load = rod->loads[k];
            if (load->kind->tether && load_acts(load, time)) {
                CordVec3 x = node_position(&rod->line, load->node);
                h.springs += load->kind->tether(load, x, x).most;
                add_point(&h, x, rod->length);
            }
        }
    }
    return h;
}

// ---- one against the other

static const char* with_others(const Island* g)
{
    return g->assembly ? " and what it is joined to" : "";
}

static CordResult check_going(const Island* g, const Hold* h, const Pull* p, double tolerance,
                              Message* message)
{
    double along = fabs(vec3_dot(p->force, h->axis)), force = vec3_length(p->force),
           least = tolerance * p->forces;
    if (!h->held && h->slides && h->springs == 0.0 && along > least) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a force of %.3g N along (%.3g, %.3g, %.3g), where its clamps "
            "slide, so it has no equilibrium: clamp it there, too, or take away what pulls it",
            island_rod(g, 0)->name, with_others(g), along, h->axis.x, h->axis.y, h->axis.z);
    }
    if (!h->held && !h->slides && h->springs > 0.0 && force > h->springs) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "springs hold rod '%s'%s with at most %.3g N against a force of %.3g N, so it "
                            "has no equilibrium: let them pull "
                            "harder (most), or take away what pulls it",
                            island_rod(g, 0)->name, with_others(g), h->springs, force);
    }
    if (!h->held && !h->slides && h->springs == 0.0 && force > least) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a force of %.3g N, so it has no equilibrium: clamp it, or "
            "take away what pulls it (gravity or loads)",
            island_rod(g, 0)->name, with_others(g), force);
    }
    return CORD_OK;
}

static CordResult check_turning(const Island* g, const Hold* h, const Pull* p, double tolerance,
                                Message* message)
{
    bool free = !h->has_point && p->forces == 0.0;
    bool on_line = h->has_line && !h->turn_is_held && is_along(p->force, h->line) &&
                   fabs(vec3_dot(p->force, h->line)) >= p->forces * (1.0 - ALONG);
    double torque = free ? vec3_length(p->torque) : vec3_dot(p->torque, h->line) + h->turning;
    double all = p->torques + fabs(h->turning);
    if ((free || on_line) && fabs(torque) > tolerance * all) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a torque of %.3g N m, so it turns for ever: clamp its frame "
            "somewhere, or take the torque away",
            island_rod(g, 0)->name, with_others(g), fabs(torque));
    }
    return CORD_OK;
}

static bool is_our_own(const Body* body) // what another engine holds only it knows
{
    return body->engine == &body_engine_free;
}

CordResult island_check_held(CordWorld* w, const Island* g, double time, double tolerance)
{
    for (int i = 0; g->assembly && i < g->assembly->body_count; i++) {
        if (!is_our_own(g->assembly->bodies[i])) {
            return CORD_OK;
        }
    }
    Hold h = hold_on(g, time);
    Pull p = pull_on(w, g, time);
    CORD_TRY(check_going(g, &h, &p, tolerance, &w->message));
    return check_turning(g, &h, &p, tolerance, &w->message);
}

CordResult bodies_check_held(CordWorld* w, double time, double tolerance)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        Pull p = {0};
        if (body->assembly || !is_our_own(body)) {
            continue;
        }
        add_body(&p, w, body, time);
        double force = vec3_length(p.force), torque = vec3_length(p.torque);
        if (force > tolerance * p.forces || torque > tolerance * p.torques) {
            return message_fail(
                &w->message, CORD_NOT_CONVERGED,
                "body '%s' is welded to nothing that could hold it against a force of %.3g N and a torque of "
                "%.3g N m, so it has no equilibrium: weld it to a rod that is clamped, or leave it out",
                body->name, force, torque);
        }
    }
    return CORD_OK;
}
