#include "rod/load.h"

#include "rod/rod.h"

CordLoadDef cord_load_def_default(void)
{
    return (CordLoadDef){.kind = CORD_LOAD_FORCE, .at = {.kind = CORD_AT_END}, .from = -INFINITY, .to = INFINITY};
}

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message)
{
    *load = (Load){.def = *def, .rod = rod};
    if (isnan(def->from) || isnan(def->to)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the times between which a load acts must be numbers");
    }
    if (def->kind == CORD_LOAD_DRAG) {
        bool right = isfinite(def->along) && def->along >= 0.0 && isfinite(def->across) && def->across >= 0.0;
        return right ? CORD_OK
                     : message_fail(message, CORD_BAD_ARGUMENT,
                                    "drag is %g along and %g across; both are in N s/m^2 and must not be negative",
                                    def->along, def->across);
    }
    if (!rod) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a force needs a rod to act on");
    }
    if (!vec3_finite(def->force)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a force must be finite");
    }
    load->node = place_node(&rod->line, def->at, message);
    return load->node < 0 ? CORD_BAD_ARGUMENT : CORD_OK;
}

typedef struct Drag {
    double along, across; // [N s/m^2]
} Drag;

static Drag total_drag(const Rod* rod, double time)
{
    Drag drag = {0.0, 0.0};
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_DRAG && load_acts(load, time)) {
            drag.along += load->def.along;
            drag.across += load->def.across;
        }
    }
    return drag;
}

// Mean direction of the rod at a node.
static CordVec3 node_tangent(const CordCenterline* c, int node)
{
    bool has_before = c->closed || node > 0, has_after = c->closed || node < c->node_count - 1;
    int s = slot_of(c, node);
    CordVec3 ahead = slot_get(c->x, has_after ? s + 1 : s), behind = slot_get(c->x, has_before ? s - 1 : s);
    CordVec3 across = vec3_sub(ahead, behind);
    double length = vec3_length(across);
    return length > 0.0 ? vec3_mul(across, 1.0 / length) : (CordVec3){0, 0, 0};
}

// (1 + kick c / m)^-1 on each of the two parts of the velocity: stable at any step.
static void apply_drag(const Rod* rod, Drag drag, double kick, double* const v[3])
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        double rate = kick * c->w[s] * rod_node_length(rod, i);
        CordVec3 t = node_tangent(c, i), u = slot_get(v, s);
        CordVec3 along = vec3_mul(t, vec3_dot(u, t)), across = vec3_sub(u, along);
        CordVec3 slowed = vec3_madd(vec3_mul(along, 1.0 / (1.0 + rate * drag.along)), across,
                                    1.0 / (1.0 + rate * drag.across));
        slot_set(v, s, slowed);
    }
}

void loads_apply(const Rod* rod, double time, double kick, double* const v[3])
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE && load_acts(load, time)) {
            int s = slot_of(&rod->line, load->node);
            slot_set(v, s, vec3_madd(slot_get(v, s), load->def.force, kick * rod->line.w[s]));
        }
    }
    Drag drag = total_drag(rod, time);
    if (drag.along > 0.0 || drag.across > 0.0) {
        apply_drag(rod, drag, kick, v);
    }
}

void loads_add_forces(const Rod* rod, double time, CordVec3* f)
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind == CORD_LOAD_FORCE && load_acts(load, time)) {
            f[load->node] = vec3_add(f[load->node], load->def.force);
        }
    }
    Drag drag = total_drag(rod, time);
    if (drag.along == 0.0 && drag.across == 0.0) {
        return;
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        CordVec3 t = node_tangent(&rod->line, i), v = node_velocity(&rod->line, i);
        CordVec3 along = vec3_mul(t, vec3_dot(v, t)), across = vec3_sub(v, along);
        double length = rod_node_length(rod, i);
        f[i] = vec3_madd(vec3_madd(f[i], along, -drag.along * length), across, -drag.across * length);
    }
}
