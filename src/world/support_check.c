// Support check: tests whether clamps hold rods and bodies against all forces. Without support there is no
// equilibrium to search for.
//
// A free rod may still be at rest: a ring without load, forces that cancel, a rod that hangs from a pin. So
// the check considers only rigid motions that no force can come to oppose. These are translations, since
// forces and weights are the same everywhere, and rotations about a line through all held points, if all
// forces are along it.
#include "world/island.h"

#define ANGLE_TOLERANCE 1e-9 // sine of an angle that counts as zero

typedef struct AppliedLoads {
    CordVec3 force;  // total force [N]
    CordVec3 torque; // total torque of loads [N m]
    double forces;   // sum of force magnitudes [N]
    double torques;  // sum of torque magnitudes [N m]
} AppliedLoads;

typedef struct Supports {
    bool held;         // against all translation
    bool slides;       // free along the axis only
    bool has_point;    // some point is held
    bool has_line;     // all held points lie on one line
    bool turn_is_held; // against rotation about any line
    CordVec3 axis;     // of sliding clamps; unit
    CordVec3 point, line;
    double turning; // torque of clamps about the line [N m]
    double springs; // largest total pull of springs [N]
} Supports;

// ---- applied forces

static void add_force(AppliedLoads* p, CordVec3 force, double share)
{
    p->force = vec3_madd(p->force, force, share);
    p->forces += share * vec3_length(force);
}

static void add_wrench(AppliedLoads* p, const Load* load, double time)
{
    CordVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    load->kind->wrench(load, load_share(load, time), &force, &torque);
    add_force(p, force, 1.0);
    p->torque = vec3_add(p->torque, torque);
    p->torques += vec3_length(torque);
}

static void add_rod(AppliedLoads* p, const CordWorld* w, const Rod* rod, double time)
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

static void add_body(AppliedLoads* p, const CordWorld* w, const Body* body, double time)
{
    add_force(p, w->gravity, body->def.mass);
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        if (load_is_on_body(load, body->id)) {
            add_wrench(p, load, time);
        }
    }
}

static AppliedLoads find_loads(const CordWorld* w, const Island* g, double time)
{
    AppliedLoads p = {0};
    for (int i = 0; i < g->rod_count; i++) {
        add_rod(&p, w, g->rods[i], time);
    }
    for (int i = 0; i < island_body_count(g); i++) {
        add_body(&p, w, g->assembly->bodies[i], time);
    }
    return p;
}

// ---- supports

static bool is_along(CordVec3 a, CordVec3 unit)
{
    return vec3_length(vec3_cross(a, unit)) <= ANGLE_TOLERANCE * vec3_length(a);
}

static void add_slide(Supports* h, CordVec3 axis)
{
    h->held |= h->slides && !is_along(axis, h->axis); // two sliding axes allow no translation
    h->slides = true;
    h->axis = axis;
}

static void add_point(Supports* h, CordVec3 x, double length)
{
    CordVec3 difference = vec3_sub(x, h->point);
    if (!h->has_point) {
        h->point = x;
        h->has_point = true;
    } else if (vec3_length(h->line) == 0.0 && vec3_length(difference) > ANGLE_TOLERANCE * length) {
        h->line = vec3_unit(difference);
        h->has_line = true;
    } else if (vec3_length(vec3_cross(difference, h->line)) > ANGLE_TOLERANCE * length) {
        h->has_line = false; // never true again, since the line stays
    }
}

static void add_clamp(Supports* h, const Clamp* clamp)
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

static Supports find_supports(const Island* g, double time)
{
    Supports h = {0};
    for (int i = 0; i < g->rod_count; i++) {
        const Rod* rod = g->rods[i];
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

// ---- the checks

static const char* joined_text(const Island* g)
{
    return g->assembly ? " and what it is joined to" : "";
}

static bool is_built_in(const Body* body) // the supports of other engines are unknown
{
    return body->engine == &body_engine_free;
}

bool island_drifts(const Island* g, double time)
{
    Supports h = find_supports(g, time);
    bool known = true;
    for (int i = 0; i < island_body_count(g); i++) {
        known &= is_built_in(g->assembly->bodies[i]);
    }
    return known && !h.held && h.springs == 0.0;
}

static CordResult check_translation(const Island* g, const Supports* h, const AppliedLoads* p,
                                    double tolerance, Message* message)
{
    double along = fabs(vec3_dot(p->force, h->axis)), force = vec3_length(p->force),
           least = tolerance * p->forces;
    if (!h->held && h->slides && h->springs == 0.0 && along > least) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a force of %.3g N along (%.3g, %.3g, %.3g), where its clamps "
            "slide, so it has no equilibrium: clamp it there, too, or take away what pulls it",
            g->rods[0]->name, joined_text(g), along, h->axis.x, h->axis.y, h->axis.z);
    }
    if (!h->held && !h->slides && h->springs > 0.0 && force > h->springs) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "springs hold rod '%s'%s with at most %.3g N against a force of %.3g N, so it "
                            "has no equilibrium: let them pull "
                            "harder (most), or take away what pulls it",
                            g->rods[0]->name, joined_text(g), h->springs, force);
    }
    if (!h->held && !h->slides && h->springs == 0.0 && force > least) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a force of %.3g N, so it has no equilibrium: clamp it, or "
            "take away what pulls it (gravity or loads)",
            g->rods[0]->name, joined_text(g), force);
    }
    return CORD_OK;
}

static CordResult check_rotation(const Island* g, const Supports* h, const AppliedLoads* p, double tolerance,
                                 Message* message)
{
    bool free = !h->has_point && p->forces == 0.0;
    bool on_line = h->has_line && !h->turn_is_held && is_along(p->force, h->line) &&
                   fabs(vec3_dot(p->force, h->line)) >= p->forces * (1.0 - ANGLE_TOLERANCE);
    double torque = free ? vec3_length(p->torque) : vec3_dot(p->torque, h->line) + h->turning;
    double all = p->torques + fabs(h->turning);
    if ((free || on_line) && fabs(torque) > tolerance * all) {
        return message_fail(
            message, CORD_NOT_CONVERGED,
            "nothing holds rod '%s'%s against a torque of %.3g N m, so it turns for ever: clamp its frame "
            "somewhere, or take the torque away",
            g->rods[0]->name, joined_text(g), fabs(torque));
    }
    return CORD_OK;
}

CordResult island_check_held(CordWorld* w, const Island* g, double time, double tolerance)
{
    for (int i = 0; i < island_body_count(g); i++) {
        if (!is_built_in(g->assembly->bodies[i])) {
            return CORD_OK;
        }
    }
    Supports h = find_supports(g, time);
    AppliedLoads p = find_loads(w, g, time);
    CORD_TRY(check_translation(g, &h, &p, tolerance, &w->message));
    return check_rotation(g, &h, &p, tolerance, &w->message);
}

CordResult bodies_check_held(CordWorld* w, double time, double tolerance)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        AppliedLoads p = {0};
        if (body->assembly || !is_built_in(body)) {
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
