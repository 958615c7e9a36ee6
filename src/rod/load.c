#include "rod/load.h"

#include "math/elementary.h"
#include "rod/rod.h"

// By CordLoadKind, in order of application: drag comes last, with the effective masses of springs.
static const LoadKind* const kinds[CORD_LOAD_COUNT] = {
    [CORD_LOAD_FORCE] = &load_force,
    [CORD_LOAD_TORQUE] = &load_torque,
    [CORD_LOAD_SPRING] = &load_spring,
    [CORD_LOAD_DRAG] = &load_drag,
};

const CordLoadKindInfo* cord_load_kind(int i)
{
    return (unsigned)i < CORD_LOAD_COUNT ? &kinds[i]->info : NULL;
}

CordLoadDef cord_load_def_default(void)
{
    return (CordLoadDef){.kind = CORD_LOAD_FORCE,
                         .at = {.kind = CORD_AT_END},
                         .most = INFINITY,
                         .from = -INFINITY,
                         .to = INFINITY};
}

// ---- one load

static CordResult check_def(const CordLoadDef* def, Message* message)
{
    if ((unsigned)def->kind >= CORD_LOAD_COUNT) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no load of kind %d", (int)def->kind);
    }
    if (isnan(def->from) || isnan(def->to)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the times between which a load acts must be numbers");
    }
    if (!(isfinite(def->ramp) && def->ramp >= 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a load's ramp is %g s; it must not be negative",
                            def->ramp);
    }
    return kinds[def->kind]->check(def, message);
}

static CordResult place_on_node(Load* load, Message* message)
{
    load->node = place_node(&load->rod->line, load->def.at, message);
    return load->node < 0 ? CORD_BAD_ARGUMENT : CORD_OK;
}

// The edge that begins at a node, or one that ends there.
static int edge_at_node(const CordCenterline* c, int node)
{
    int ends = -1;
    for (int j = 0; j < c->edge_count && node >= 0; j++) {
        if (edge_start(c, j) == node) {
            return j;
        }
        ends = edge_end(c, j) == node ? j : ends;
    }
    return ends;
}

CordResult load_check_torque(const Rod* rod, Message* message)
{
    return rod->stiffness.GJ > 0.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "rod '%s' has no twisting stiffness that a torque could act on", rod->name);
}

static CordResult place_on_edge(Load* load, Message* message)
{
    const Rod* rod = load->rod;
    const CordCenterline* c = &rod->line;
    bool at_node = load->def.at.kind == CORD_AT_NODE;
    load->edge = at_node ? edge_at_node(c, place_node(c, load->def.at, message))
                         : place_edge(c, load->def.at, message);
    if (load->edge < 0) {
        return CORD_BAD_ARGUMENT;
    }
    load->node = edge_start(c, load->edge);
    return load_check_torque(rod, message);
}

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message)
{
    CORD_TRY(check_def(def, message));
    *load = (Load){.def = *def, .kind = kinds[def->kind], .rod = rod, .edge = -1};
    const char* name = load->kind->info.name;
    bool on_body = load_is_on(load, CORD_LOAD_ON_BODY);
    if (def->body.slot != 0) {
        return on_body && !rod
                   ? CORD_OK
                   : message_fail(message, CORD_BAD_ARGUMENT,
                                  "a load acts on a rod or on a body, and a body takes no %s", name);
    }
    if (load_is_on(load, CORD_LOAD_ON_ROD)) {
        return CORD_OK;
    }
    if (!rod) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a %s needs a rod%s to act on", name,
                            on_body ? " or a body" : "");
    }
    return load_is_on(load, CORD_LOAD_ON_EDGE) ? place_on_edge(load, message) : place_on_node(load, message);
}

bool load_is_on_body(const Load* load, CordBodyId body)
{
    return load->def.body.slot == body.slot && load->def.body.generation == body.generation;
}

double load_share(const Load* load, double time)
{
    if (!load_acts(load, time)) {
        return 0.0;
    }
    double grown = real_max(time - load->def.from, 0.0);
    return load->def.ramp > 0.0 && grown < load->def.ramp ? grown / load->def.ramp : 1.0;
}

bool load_changes(const Load* load, double from, double to)
{
    bool varies = load->kind->rate && load->kind->rate(load) > 0.0;
    return load_switches(load, from, to) || load_share(load, from) != load_share(load, to) ||
           (varies && load_acts(load, from));
}

// A load that comes and goes is half an oscillation, and so is its ramp.
void load_add_drive(const Load* load, Drive* drive)
{
    const CordLoadDef* d = &load->def;
    double rate = load->kind->rate ? load->kind->rate(load) : 0.0, lasts = d->to - d->from;
    drive_add(drive, d->from, d->to, real_max(rate, lasts > 0.0 ? CORD_PI / lasts : 0.0));
    drive_add_jump(drive, d->from);
    drive_add_jump(drive, d->to);
    if (d->ramp > 0.0) {
        drive_add(drive, d->from, real_min(d->from + d->ramp, d->to), CORD_PI / d->ramp);
    }
}

CordVec3 load_force_now(const Load* load, double time)
{
    const CordCenterline* c = load->rod ? &load->rod->line : NULL; // NULL: on a body
    CordVec3 none = {0, 0, 0}, x = c ? node_position(c, load->node) : none;
    LoadPoint at = {.time = time,
                    .x = x,
                    .from = x,
                    .ahead = x,
                    .edge = load->edge >= 0 ? edge_vector(c, load->edge) : none};
    double share = load_share(load, time);
    if (share == 0.0) {
        return none;
    }
    LoadTerms f = load->kind->terms(load, share, &at);
    return vec3_madd(f.force, c ? node_velocity(c, load->node) : none, -f.damping);
}

void load_add_force(const Load* load, double time, double times, CordVec3* f)
{
    CordVec3 force = load_force_now(load, time);
    int node = load->node;
    if (load->edge >= 0) {
        f[node] = vec3_madd(f[node], force, -times);
        node = edge_end(&load->rod->line, load->edge);
    }
    f[node] = vec3_madd(f[node], force, times);
}

// ---- frames

bool loads_have_torque(const Rod* rod)
{
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->edge >= 0) {
            return true;
        }
    }
    return false;
}

static double torque_of_clamp(const Rod* rod, int edge)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp->holds && clamp->edge == edge && clamp->def.has_torque) {
            return clamp->def.torque;
        }
    }
    return 0.0;
}

void loads_set_torques(const Rod* rod, double time, bool clamps, double* torque)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->load_count; i++) {
        int edge = rod->loads[i]->edge;
        if (edge >= 0) {
            torque[slot_of(c, edge)] = clamps ? torque_of_clamp(rod, edge) : 0.0;
        }
    }
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->edge >= 0 ? load_share(load, time) : 0.0;
        if (share > 0.0) {
            LoadPoint at = {.time = time, .edge = edge_vector(c, load->edge)};
            torque[slot_of(c, load->edge)] += load->kind->terms(load, share, &at).torque;
        }
    }
    if (c->closed && loads_have_torque(rod)) {
        centerline_wrap_one(c, torque);
    }
}

// ---- distributed loads

// The tangent at a node is that of the vector between its neighbours; an end has one only.
typedef struct NodeSpan {
    int behind, ahead; // slots
    double inv_length; // [1/m]
    CordVec3 t;        // zero in a network
} NodeSpan;

static inline NodeSpan node_span(const CordCenterline* c, double* const x[3], int node)
{
    int s = slot_of(c, node);
    if (c->ends) {
        return (NodeSpan){s, s, 0.0, {0, 0, 0}};
    }
    bool has_before = c->closed || node > 0, has_after = c->closed || node < c->node_count - 1;
    NodeSpan span = {.behind = has_before ? s - 1 : s, .ahead = has_after ? s + 1 : s};
    CordVec3 across = vec3_sub(slot_get(x, span.ahead), slot_get(x, span.behind));
    double length = vec3_length(across);
    span.inv_length = length > 0.0 ? 1.0 / length : 0.0;
    span.t = vec3_mul(across, span.inv_length);
    return span;
}

LoadFlow load_flow(const Load* load, CordVec3 x, double time)
{
    bool acts = load->kind->flow && load_acts(load, time);
    return acts ? load->kind->flow(load, x, time) : (LoadFlow){.along = 0.0};
}

CordVec3 load_flow_force(const Load* load, const Rod* rod, double* const x[3], int node, CordVec3 v,
                         double time)
{
    LoadFlow f = load_flow(load, slot_get(x, slot_of(&rod->line, node)), time);
    CordVec3 t = node_span(&rod->line, x, node).t, u = vec3_sub(f.wind, v);
    CordVec3 along = vec3_mul(t, vec3_dot(u, t));
    return vec3_mul(vec3_madd(vec3_mul(along, f.along), vec3_sub(u, along), f.across),
                    rod_node_length(rod, node));
}

bool loads_have_drag(const Rod* rod, double time)
{
    for (int i = 0; i < rod->load_count; i++) {
        LoadFlow f = load_flow(rod->loads[i], (CordVec3){0, 0, 0}, time);
        if (f.along > 0.0 || f.across > 0.0) {
            return true;
        }
    }
    return false;
}

NodeDrag loads_drag_at(const Rod* rod, int node, double time)
{
    NodeDrag drag = {.t = node_span(&rod->line, rod->line.x, node).t};
    double length = rod_node_length(rod, node);
    CordVec3 x = node_position(&rod->line, node);
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->kind->flow && load_acts(rod->loads[i], time)) {
            LoadFlow f = rod->loads[i]->kind->flow(rod->loads[i], x, time);
            double along = f.along * length, across = f.across * length;
            CordVec3 part = vec3_mul(drag.t, vec3_dot(f.wind, drag.t));
            drag.along += along;
            drag.across += across;
            drag.force = vec3_madd(vec3_madd(drag.force, part, along), vec3_sub(f.wind, part), across);
        }
    }
    return drag;
}

// F = across u + (along - across) (u.t) t, times the node's length; t is the direction of the span d:
//
//     dF/dd = (along - across) ((u.t) 1 + t u') (1 - t t') / |d|,   dF/du = across + (along - across) t t'
static void add_wind(NodeWind* w, const NodeSpan* span, const LoadFlow* f, double length, const double G[9])
{
    const double t[3] = {span->t.x, span->t.y, span->t.z}, u[3] = {f->wind.x, f->wind.y, f->wind.z};
    double un = vec3_dot(f->wind, span->t), across = f->across * length, rest = f->along * length - across;
    w->force = vec3_madd(vec3_madd(w->force, f->wind, across), span->t, rest * un);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double turned = (i == j ? un : 0.0) + t[i] * (u[j] - 2.0 * un * t[j]);
            double along = t[0] * G[j] + t[1] * G[3 + j] + t[2] * G[6 + j];
            w->K_span[3 * i + j] -= rest * turned * span->inv_length;
            w->K[3 * i + j] -= across * G[3 * i + j] + rest * t[i] * along;
        }
    }
}

NodeWind loads_wind_at(const Rod* rod, int node, double* const x[3], CordVec3 origin, double time)
{
    const CordCenterline* c = &rod->line;
    NodeSpan span = node_span(c, x, node);
    NodeWind wind = {.behind = span.behind, .ahead = span.ahead};
    CordVec3 at = vec3_add(slot_get(x, slot_of(c, node)), origin);
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->kind->flow && load_acts(load, time)) {
            double G[9];
            LoadFlow f = load->kind->flow(load, at, time);
            load->kind->flow_gradient(load, at, time, G);
            add_wind(&wind, &span, &f, rod_node_length(rod, node), G);
        }
    }
    return wind;
}

bool loads_circulate(const Rod* rod, double time)
{
    bool any = loads_have_torque(rod);
    for (int i = 0; i < rod->load_count; i++) {
        any |= load_flow(rod->loads[i], (CordVec3){0, 0, 0}, time).circulates;
    }
    return any;
}

// ---- steps

void loads_kick(Rod* rod, const LoadStep* step, unsigned places, double* const v[3])
{
    for (int k = 0; rod->load_count > 0 && k < CORD_LOAD_COUNT; k++) {
        if (kinds[k]->info.on & places) {
            kinds[k]->kick(rod, step, v);
        }
    }
}

void loads_restore_masses(Rod* rod)
{
    if (rod->sprung) {
        rod_weigh_nodes(rod);
        rod->sprung = false;
    }
}

// ---- the present state

bool loads_have_tether(const Rod* rod, double time)
{
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->kind->tether && load_acts(rod->loads[i], time)) {
            return true;
        }
    }
    return false;
}

// Adds -along times the part of v along the tangent and -across times the rest.
static CordVec3 add_resistance(const NodeDrag* drag, CordVec3 v, CordVec3 f)
{
    CordVec3 along = vec3_mul(drag->t, vec3_dot(v, drag->t));
    return vec3_madd(vec3_madd(f, along, -drag->along), vec3_sub(v, along), -drag->across);
}

CordVec3 loads_resist(const Rod* rod, int node, CordVec3 v, double time)
{
    NodeDrag drag = loads_drag_at(rod, node, time);
    CordVec3 x = node_position(&rod->line, node), f = add_resistance(&drag, v, (CordVec3){0, 0, 0});
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->kind->tether && load->node == node && load_acts(load, time)) {
            f = vec3_madd(f, v, -load->kind->tether(load, x, x).damping);
        }
    }
    return f;
}

void loads_add_forces(const Rod* rod, double time, CordVec3* f)
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load_is_on(load, LOAD_ON_POINTS)) {
            load_add_force(load, time, 1.0, f);
        }
    }
    bool drags = loads_have_drag(rod, time);
    for (int i = 0; drags && i < rod->line.node_count; i++) {
        NodeDrag drag = loads_drag_at(rod, i, time);
        f[i] = add_resistance(&drag, node_velocity(&rod->line, i), vec3_add(f[i], drag.force));
    }
}

CordVec3 loads_force_on(const Rod* rod, int node, double time)
{
    const CordCenterline* c = &rod->line;
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        bool at_edge = load->edge >= 0, start = at_edge && load->node == node;
        if (!load_is_on(load, LOAD_ON_POINTS)) {
            sum = vec3_add(sum, load_flow_force(load, rod, c->x, node, node_velocity(c, node), time));
        } else if (start || (at_edge ? edge_end(c, load->edge) : load->node) == node) {
            sum = vec3_madd(sum, load_force_now(load, time), start ? -1.0 : 1.0);
        }
    }
    return sum;
}

void loads_make_tethers_implicit(const Rod* rod, double time, double lag, CordVec3* v)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->load_count && lag > 0.0; i++) {
        const Load* load = rod->loads[i];
        double w = c->w[slot_of(c, load->node)];
        if (load->kind->tether && load_acts(load, time) && w > 0.0) {
            CordVec3 x = node_position(c, load->node), before = node_velocity(c, load->node);
            LoadTether s = load->kind->tether(load, x, x);
            TetherShares share =
                tether_shares(&s, rod_node_mass(rod, load->node), &(LoadStep){time, lag, lag, false});
            double pull = lag * s.stiffness, resists = share.damped * s.damping;
            double heavier = 1.0 + lag * (share.ahead * pull + resists) * w,
                   lasting = lag * (share.behind * pull + resists) * w; // damping acted on `before`
            v[load->node] = vec3_mul(vec3_madd(v[load->node], before, lasting), 1.0 / heavier);
        }
    }
}
