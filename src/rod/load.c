#include "rod/load.h"

#include "math/cpu.h"
#include "math/trig.h"
#include "rod/drag_kernel.h"
#include "rod/rod.h"
#include "rod/spring.h"

extern const DragKernels drag_kernels_plain;
#ifndef CORD_NO_AVX2
extern const DragKernels drag_kernels_avx2;
#endif

CordLoadDef cord_load_def_default(void)
{
    return (CordLoadDef){
        .kind = CORD_LOAD_FORCE, .at = {.kind = CORD_AT_END}, .most = INFINITY, .from = -INFINITY, .to = INFINITY};
}

static CordResult check_wind(const CordWind* w, Message* message)
{
    bool finite = vec3_finite(w->velocity) && isfinite(w->gust) && isfinite(w->period) &&
                  isfinite(w->vortex) && isfinite(w->spacing);
    if (!finite || (w->gust != 0.0 && w->period <= 0.0) || (w->vortex != 0.0 && w->spacing <= 0.0)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "a wind must be finite, gusts need a positive period [s] and vortices a positive spacing [m]");
    }
    return CORD_OK;
}

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message)
{
    *load = (Load){.def = *def, .rod = rod};
    if (isnan(def->from) || isnan(def->to)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the times between which a load acts must be numbers");
    }
    if (!(isfinite(def->ramp) && def->ramp >= 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a load's ramp is %g s; it must not be negative",
                            def->ramp);
    }
    if (def->kind == CORD_LOAD_DRAG) {
        CORD_TRY(check_wind(&def->wind, message));
        bool right = isfinite(def->along) && def->along >= 0.0 && isfinite(def->across) && def->across >= 0.0;
        return right ? CORD_OK
                     : message_fail(message, CORD_BAD_ARGUMENT,
                                    "drag is %g along and %g across; both are in N s/m^2 and must not be negative",
                                    def->along, def->across);
    }
    if (def->kind == CORD_LOAD_SPRING) {
        CORD_TRY(spring_check(def, message));
    }
    if (!vec3_finite(def->force) || !vec3_finite(def->torque)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a force must be finite");
    }
    if (def->body.generation != 0) {
        return CORD_OK;
    }
    if (!rod) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a %s needs a rod%s to act on",
                            def->kind == CORD_LOAD_SPRING ? "spring" : "force",
                            def->kind == CORD_LOAD_SPRING ? "" : " or a body");
    }
    load->node = place_node(&rod->line, def->at, message);
    return load->node < 0 ? CORD_BAD_ARGUMENT : CORD_OK;
}

double load_share(const Load* load, double time)
{
    if (!load_acts(load, time)) {
        return 0.0;
    }
    double grown = time - load->def.from;
    return load->def.ramp > 0.0 && grown < load->def.ramp ? grown / load->def.ramp : 1.0;
}

CordVec3 load_force(const Load* load, double time)
{
    if (spring_acts(load, time)) {
        const CordCenterline* c = &load->rod->line;
        return spring_force(load, node_position(c, load->node), node_velocity(c, load->node));
    }
    return load->def.kind == CORD_LOAD_FORCE ? vec3_mul(load->def.force, load_share(load, time))
                                             : (CordVec3){0, 0, 0};
}

// ---- drag in moving air

CordVec3 wind_mean(const CordWind* w, double time)
{
    double gust = w->gust != 0.0 ? 1.0 + w->gust * cord_sin(2.0 * CORD_PI * time / w->period) : 1.0;
    return vec3_mul(w->velocity, gust);
}

WindVortices wind_vortices(const CordWind* w)
{
    return (WindVortices){CORD_PI / w->spacing, w->vortex / sqrt(6.0)};
}

// Vortices as large as their spacing, carried along by the wind: a field without sources whose curl is along itself, so that air turns about every direction
// (Arnold, Beltrami and Childress). Its greatest speed is sqrt(6).
CordVec3 load_wind_at(const CordWind* w, CordVec3 x, double time)
{
    CordVec3 u = wind_mean(w, time), s, c;
    if (w->vortex == 0.0) {
        return u;
    }
    WindVortices vortices = wind_vortices(w);
    CordVec3 at = vec3_mul(vec3_madd(x, w->velocity, -time), vortices.wave_number);
    cord_sin_cos(at.x, &s.x, &c.x);
    cord_sin_cos(at.y, &s.y, &c.y);
    cord_sin_cos(at.z, &s.z, &c.z);
    CordVec3 turn = {s.z + c.y, s.x + c.z, s.y + c.x};
    return vec3_madd(u, turn, vortices.speed);
}

// Mean direction of the rod at a node; none, where many meet.
static CordVec3 node_tangent(const CordCenterline* c, int node)
{
    if (c->ends) {
        return (CordVec3){0, 0, 0};
    }
    bool has_before = c->closed || node > 0, has_after = c->closed || node < c->node_count - 1;
    int s = slot_of(c, node);
    CordVec3 ahead = slot_get(c->x, has_after ? s + 1 : s), behind = slot_get(c->x, has_before ? s - 1 : s);
    CordVec3 across = vec3_sub(ahead, behind);
    double length = vec3_length(across);
    return length > 0.0 ? vec3_mul(across, 1.0 / length) : (CordVec3){0, 0, 0};
}

bool loads_drag(const Rod* rod, double time)
{
    for (int i = 0; i < rod->load_count; i++) {
        const CordLoadDef* d = &rod->loads[i]->def;
        if (d->kind == CORD_LOAD_DRAG && load_acts(rod->loads[i], time) && (d->along > 0.0 || d->across > 0.0)) {
            return true;
        }
    }
    return false;
}

NodeDrag load_drag_at(const Rod* rod, int node, double time)
{
    NodeDrag drag = {.t = node_tangent(&rod->line, node)};
    double length = rod_node_length(rod, node);
    CordVec3 x = node_position(&rod->line, node);
    for (int i = 0; i < rod->load_count; i++) {
        const CordLoadDef* d = &rod->loads[i]->def;
        if (d->kind != CORD_LOAD_DRAG || !load_acts(rod->loads[i], time)) {
            continue;
        }
        double along = d->along * length, across = d->across * length;
        CordVec3 wind = load_wind_at(&d->wind, x, time), part = vec3_mul(drag.t, vec3_dot(wind, drag.t));
        drag.along += along;
        drag.across += across;
        drag.force = vec3_madd(vec3_madd(drag.force, part, along), vec3_sub(wind, part), across);
    }
    return drag;
}

static void apply_drag(const Rod* rod, double time, double kick, double* const v[3])
{
    const CordCenterline* c = &rod->line;
    const DragKernels* kernels = CPU_CHOOSE(&drag_kernels_avx2, &drag_kernels_plain);
    DragArrays a = {.first = c->halo,
                    .count = c->node_count,
                    .open = !c->closed,
                    .w = c->w,
                    .rest_len = c->rest_len,
                    .time = time,
                    .kick = kick,
                    .loads = rod->loads,
                    .load_count = rod->load_count};
    for (int k = 0; k < 3; k++) {
        a.x[k] = c->x[k];
        a.v[k] = v[k];
    }
    kernels->apply(&a);
}

void loads_push(const Rod* rod, double time, double kick, double* const v[3])
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->def.kind == CORD_LOAD_FORCE ? load_share(load, time) : 0.0;
        if (share > 0.0) {
            int s = slot_of(&rod->line, load->node);
            slot_set(v, s, vec3_madd(slot_get(v, s), load->def.force, share * kick * rod->line.w[s]));
        }
    }
}

void loads_apply(Rod* rod, double time, double h, double kick, double* const v[3])
{
    loads_push(rod, time, kick, v);
    springs_take(rod, time, h, kick, v); // before drag, which then slows what they leave, at the mass they leave
    if (loads_drag(rod, time)) {
        apply_drag(rod, time, kick, v);
    }
}

void loads_add_forces(const Rod* rod, double time, CordVec3* f)
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->def.kind != CORD_LOAD_DRAG) {
            f[load->node] = vec3_add(f[load->node], load_force(load, time));
        }
    }
    for (int i = 0; loads_drag(rod, time) && i < rod->line.node_count; i++) {
        NodeDrag drag = load_drag_at(rod, i, time);
        CordVec3 v = node_velocity(&rod->line, i), along = vec3_mul(drag.t, vec3_dot(v, drag.t));
        f[i] = vec3_madd(vec3_madd(vec3_add(f[i], drag.force), along, -drag.along), vec3_sub(v, along),
                         -drag.across);
    }
}
