// The ledger of energy and momentum. An update reads the forces of all actors and integrates them over the
// time since the update before. With the share a of its end, a force f at a point x has done the work
//
//     W = ((1 - a) f_old + a f_new) . (x_new - x_old)
//
// Where forces act at the share b of a step (StepTimes.force_at) and the interval has n steps, a is
// 1/2 + (b - 1/2) / n, which is exact if f changes linearly with time. For b = 1/2 it is the work of a force
// in Verlet steps, summed in another order; for b = 1 and n = 1 that in a step of backward Euler. A couple
// works on the rotation of its frame in the same way. A force that is spread over a rod is integrated as
// power. A clamp also gives its nodes all their kinetic energy and momentum, so that the forces of inertia of
// held nodes, which jump where a motion begins, need not be integrated.
#include "world/ledger.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/frame.h"
#include "world/contact_parts.h"
#include "world/obstacle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char* cord_ledger_kind_name(CordLedgerKind kind)
{
    static const char* const names[CORD_LEDGER_KIND_COUNT] = {"gravity", "clamp",      "load",  "obstacle",
                                                              "damping", "contact",    "start", "integrator",
                                                              "changes", "unaccounted"};
    return (unsigned)kind < CORD_LEDGER_KIND_COUNT ? names[kind] : NULL;
}

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory for the ledger");
}

// ---- sums

static void add_work(CordWork* sum, double work, CordVec3 impulse, CordVec3 angular)
{
    sum->work += work;
    sum->exchanged += fabs(work);
    sum->impulse = vec3_add(sum->impulse, impulse);
    sum->angular = vec3_add(sum->angular, angular);
}

// The rotation of a frame, as axis times angle: the smallest one of its tangent, then one about the tangent.
// The error is of second order in their sizes, and perpendicular to both axes.
static CordVec3 rotation_between(const TallySample* a, const TallySample* b)
{
    CordVec3 axis = vec3_cross(a->t, b->t);
    double sine = vec3_length(axis), angle = cord_atan2(sine, vec3_dot(a->t, b->t));
    double spin = frame_angle(frame_transport(a->m1, a->t, b->t), b->m1, b->t);
    return vec3_madd(vec3_mul(axis, sine > 0.0 ? angle / sine : 1.0), b->t, spin);
}

static CordVec3 moment_of(const TallySample* s)
{
    CordVec3 sum = s->couple;
    for (int k = 0; k < 2; k++) {
        sum = vec3_add(sum, vec3_cross(s->x[k], s->f[k]));
    }
    return sum;
}

static CordVec3 blend(CordVec3 a, CordVec3 b, double share)
{
    return vec3_add(vec3_mul(a, 1.0 - share), vec3_mul(b, share));
}

// The end of an interval between two updates, and its weights.
typedef struct Interval {
    double to;    // [s]
    double share; // of forces
    double over;  // of forces that are known as their mean over a step
} Interval;

static Interval interval_of(const CordWorld* w, double force_at)
{
    double n = (double)(w->steps - w->ledger->steps), steps = n > 1.0 ? n : 1.0;
    return (Interval){w->time, 0.5 + (force_at - 0.5) / steps,
                      w->ledger->steps > 0 ? 0.5 + 0.5 / steps : 1.0};
}

// Adds what an actor that pushes at points has done since its last sample. Returns the work of its couple.
static double tally_points(WorkTally* tally, TallySample* now, const Interval* i)
{
    const TallySample* last = &tally->last;
    double share = i->share, dt = i->to - last->time, turned = 0.0;
    now->time = i->to;
    if (last->valid && now->valid) {
        turned = vec3_dot(blend(last->couple, now->couple, share), rotation_between(last, now));
        double work = now->kinetic - last->kinetic + turned;
        for (int k = 0; k < 2; k++) {
            work += vec3_dot(blend(last->f[k], now->f[k], share), vec3_sub(now->x[k], last->x[k]));
        }
        CordVec3 force = blend(vec3_add(last->f[0], last->f[1]), vec3_add(now->f[0], now->f[1]), share);
        CordVec3 moment = blend(moment_of(last), moment_of(now), share);
        for (int k = 0; k < 2; k++) {
            CordVec3 over = blend(last->over[k], now->over[k], i->over);
            work += vec3_dot(over, vec3_sub(now->x[k], last->x[k]));
            force = vec3_add(force, over);
            moment = vec3_add(moment, vec3_cross(blend(last->x[k], now->x[k], 0.5), over));
        }
        add_work(&tally->sum, work, vec3_madd(vec3_sub(now->linear, last->linear), force, dt),
                 vec3_madd(vec3_sub(now->angular, last->angular), moment, dt));
    }
    tally->last = *now;
    return turned;
}

// Adds a rod's part of a force that is spread over rods.
static void tally_spread(WorkTally* tally, double power, CordVec3 force, CordVec3 moment, double share)
{
    const double weight[2] = {1.0 - share, share};
    TallySpread* const parts[2] = {&tally->next_start, &tally->end};
    for (int k = 0; k < 2; k++) {
        parts[k]->power += weight[k] * power;
        parts[k]->force = vec3_madd(parts[k]->force, force, weight[k]);
        parts[k]->moment = vec3_madd(parts[k]->moment, moment, weight[k]);
    }
}

static void tally_finish_spread(WorkTally* tally, double dt)
{
    const TallySpread *a = &tally->start, *b = &tally->end;
    if (tally->last.valid) {
        add_work(&tally->sum, dt * (a->power + b->power), vec3_mul(vec3_add(a->force, b->force), dt),
                 vec3_mul(vec3_add(a->moment, b->moment), dt));
    }
    tally->last.valid = true;
    tally->start = tally->next_start;
    tally->next_start = tally->end = (TallySpread){0};
}

// ---- rods

static void frame_of_edge(const CordWorld* w, const Rod* rod, int edge, TallySample* s)
{
    s->t = edge_tangent(&rod->line, edge);
    s->m1 = w->ledger->m1[edge];
}

static void sample_held_nodes(const Clamp* clamp, const CordVec3* f, TallySample* s)
{
    const Rod* rod = clamp->rod;
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        CordVec3 x = node_position(&rod->line, node), v = node_velocity(&rod->line, node);
        CordVec3 force = f[node];
        CordVec3 pull = rod->inextensible ? rod_node_pull(rod, node, rod->line.pull) : (CordVec3){0, 0, 0};
        if (clamp->def.slides) {
            force = vec3_reject(force, clamp->axis), pull = vec3_reject(pull, clamp->axis);
            v = vec3_reject(v, clamp->axis);
        }
        double mass = rod_node_mass(rod, node);
        s->x[k] = x;
        s->f[k] = vec3_mul(force, -1.0);
        s->over[k] = vec3_mul(pull, -1.0);
        s->kinetic += 0.5 * mass * vec3_dot(v, v);
        s->linear = vec3_madd(s->linear, v, mass);
        s->angular = vec3_madd(s->angular, vec3_cross(x, v), mass);
    }
}

// A reduced model tells the resultant of a clamp alone, with the forces of inertia.
static CordResult sample_support(const CordWorld* w, const Clamp* clamp, TallySample* s)
{
    CordVec3 force, torque;
    CORD_TRY(modal_reaction(w, clamp, &force, &torque));
    s->x[0] = clamp->last.point;
    s->f[0] = vec3_mul(force, -1.0);
    s->couple = vec3_mul(torque, -1.0);
    s->t = quat_rotate(clamp->last.rotation, (CordVec3){0, 0, 1});
    s->m1 = quat_rotate(clamp->last.rotation, (CordVec3){1, 0, 0});
    return CORD_OK;
}

// Adds the work on frames to *turned.
static CordResult sample_clamp(const CordWorld* w, Clamp* clamp, const Interval* i, double* turned)
{
    TallySample s = {.valid = clamp->holds};
    WorkTally* tally = &clamp->tally;
    if (clamp->holds && model_of(clamp->rod)->reduced) {
        CORD_TRY(sample_support(w, clamp, &s));
    } else if (clamp->holds) {
        if (stepper_of(clamp->rod)->frees_nodes) { // steps have added their work
            tally->sum.exchanged += fabs(tally->sum.work - tally->counted);
        } else {
            sample_held_nodes(clamp, w->ledger->f, &s);
        }
        if (clamp->edge >= 0) {
            frame_of_edge(w, clamp->rod, clamp->edge, &s);
            s.couple = clamp->def.has_torque ? vec3_mul(s.t, clamp->def.torque)
                                             : vec3_mul(model_couple(clamp), -1.0);
        }
    }
    *turned += tally_points(tally, &s, i);
    tally->counted = tally->sum.work;
    return CORD_OK;
}

// A clamp gives a node the kinetic energy and the momentum that others do not: these have pushed it from the
// velocity `from` to `to` with an impulse less that of the clamp, and their work is done at the velocity
// `at`.
static void add_held_node(CordWork* sum, double mass, CordVec3 x, CordVec3 from, CordVec3 to,
                          CordVec3 impulse, CordVec3 at)
{
    CordVec3 others = vec3_sub(vec3_mul(vec3_sub(to, from), mass), impulse);
    sum->work += 0.5 * mass * (vec3_dot(to, to) - vec3_dot(from, from)) - vec3_dot(others, at);
    sum->impulse = vec3_add(sum->impulse, impulse);
    sum->angular = vec3_add(sum->angular, vec3_cross(x, impulse));
}

// What the clamp of an explicit step gives to its nodes is what they have more than forces have given them.
// Forces work on the mean of the displacements in the last and in this step.
static void tally_kick(Clamp* clamp, const StepInfo* step, const StepTimes* times)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    double share = times->staggered ? times->lag / times->kick : 0.5;
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k], s = slot_of(c, node);
        CordVec3 v = slot_get(c->v, s), next = slot_get(c->v_next, s);
        double mass = 1.0 / clamp->w[k];
        CordVec3 impulse = vec3_mul(vec3_sub(next, clamp->v_free[k]), mass);
        if (!clamp->def.slides && rod->load_count > 0) { // those of sliding clamps are in v_free
            impulse = vec3_madd(impulse, loads_force_on(rod, node, step->time), -step->kick);
        }
        if (!clamp->def.slides && model_of(rod)->spin_impulse) {
            impulse = vec3_sub(impulse, model_of(rod)->spin_impulse(rod, step->kick, node));
        }
        if (rod->inextensible) {
            impulse = vec3_madd(impulse, rod_node_pull(rod, node, c->pull_next), -step->kick);
        }
        add_held_node(&clamp->tally.pending, mass, slot_get(c->x, s), v, next, impulse,
                      blend(next, v, share));
    }
}

void ledger_add_kick(CordWorld* w, Rod* rod, const StepInfo* step)
{
    if (!w->ledger || !stepper_of(rod)->frees_nodes || rod->clamp_count == 0) {
        return;
    }
    StepTimes times = stepper_of(rod)->times(rod, step->h);
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->holds && !rod->clamps[i]->carrier) {
            tally_kick(rod->clamps[i], step, &times);
        }
    }
}

// Velocities of staggered steps lag behind positions, energies and momenta do not: what the clamp does in the
// time between them is counted by a reading, and not kept.
static CordResult work_in_lag(const CordWorld* w, const Clamp* clamp, CordWork* sum)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    double lag = stepper_of(rod)->times(rod, 0.0).lag;
    *sum = (CordWork){0};
    if (!clamp->holds || clamp->carrier || lag == 0.0 || !stepper_of(rod)->frees_nodes) {
        return CORD_OK;
    }
    const RodNow* now = rod_now(w, rod);
    CORD_TRY(now ? CORD_OK : CORD_NO_MEMORY);
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        CordVec3 v = node_velocity(c, node);
        CordVec3 impulse = vec3_mul(clamp_node_reaction(clamp, node, now), -lag);
        add_held_node(sum, 1.0 / clamp->w[k], node_position(c, node), v, now->v[node], impulse, v);
    }
    return CORD_OK;
}

static double sample_point_load(const CordWorld* w, Load* load, const Interval* i) // work on a frame
{
    const CordCenterline* c = &load->rod->line;
    CordVec3 force = load_force_now(load, w->time);
    TallySample s = {.valid = true, .x = {node_position(c, load->node)}, .f = {force}};
    if (load->edge >= 0) { // a couple of forces on the edge's two nodes, and a torque about its tangent
        frame_of_edge(w, load->rod, load->edge, &s);
        double acts = load_share(load, w->time);
        LoadPoint at = {.time = w->time, .edge = edge_vector(c, load->edge)};
        s.f[0] = vec3_mul(force, -1.0);
        s.f[1] = force;
        s.x[1] = node_position(c, edge_end(c, load->edge));
        s.couple = vec3_mul(s.t, acts > 0.0 ? load->kind->terms(load, acts, &at).torque : 0.0);
    }
    return tally_points(&load->tally, &s, i);
}

static void sample_spread_load(const CordWorld* w, Load* load, const Rod* rod, double share)
{
    double power = 0.0;
    CordVec3 force = {0, 0, 0}, moment = {0, 0, 0};
    for (int i = 0; load_acts(load, w->time) && i < rod->line.node_count; i++) {
        CordVec3 v = node_velocity(&rod->line, i), f = load_flow_force(load, rod, i, v, w->time);
        power += vec3_dot(f, v);
        force = vec3_add(force, f);
        moment = vec3_add(moment, vec3_cross(node_position(&rod->line, i), f));
    }
    tally_spread(&load->tally, power, force, moment, share);
}

// `moment` is the sum of mass times position.
static void sample_weight(CordWorld* w, double mass, CordVec3 moment, double share)
{
    tally_spread(&w->ledger->gravity, 0.0, vec3_mul(w->gravity, mass), vec3_cross(moment, w->gravity), share);
}

static CordResult reserve_rod(CordWorld* w, const Rod* rod)
{
    WorldLedger* l = w->ledger;
    int need = rod->line.node_count > rod->line.edge_count ? rod->line.node_count : rod->line.edge_count;
    if (need <= l->room) {
        return CORD_OK;
    }
    memory_array_free(&w->memory, l->f, l->room);
    memory_array_free(&w->memory, l->m1, l->room);
    l->f = memory_array(&w->memory, CordVec3, need);
    l->m1 = memory_array(&w->memory, CordVec3, need);
    l->room = l->f && l->m1 ? need : 0;
    if (l->room == 0) {
        memory_array_free(&w->memory, l->f, need);
        memory_array_free(&w->memory, l->m1, need);
        l->f = l->m1 = NULL;
        return no_memory(w);
    }
    return CORD_OK;
}

// Forces are needed where clamps hold nodes, frames where something turns them.
static void evaluate_rod(CordWorld* w, const Rod* rod)
{
    bool held = false, framed = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        held |= rod->clamps[i]->holds && !rod->clamps[i]->carrier;
        framed |= rod->clamps[i]->edge >= 0 && !rod->clamps[i]->carrier;
    }
    if (held && !model_of(rod)->reduced && !stepper_of(rod)->frees_nodes) {
        rod_forces_now(w, rod, w->ledger->f);
    }
    if (framed || loads_have_torque(rod)) {
        model_of(rod)->material_frames(rod, w->ledger->m1);
    }
}

// Where forces F act at the end of a step, u - v0 = h F / m and x - x0 = h u. Kinetic energy then changes by
// F (x - x0) - m |u - v0|^2 / 2, and the elastic energy V by less than its slope at the end tells: the step
// loses m |u - v0|^2 / 2 and V' (x - x0) - (V - V0). Then v is u, but where angular momentum is restored.
// `turned` is the work on frames, which stay in equilibrium.
static double work_of_integrator(const CordWorld* w, const Rod* rod, double elastic, double turned)
{
    const CordCenterline* c = &rod->line;
    CordVec3* slope = w->ledger->f;
    double work = elastic - rod->tallied - turned;
    memset(slope, 0, sizeof *slope * (size_t)c->node_count);
    model_of(rod)->gradient(rod, slope);
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        CordVec3 v = slot_get(c->v, s), moved = vec3_sub(slot_get(c->x, s), slot_get(c->x_next, s));
        CordVec3 u = vec3_mul(moved, 1.0 / rod->last_step), change = vec3_sub(u, slot_get(c->v_next, s));
        double kinetic = vec3_dot(v, v) - vec3_dot(u, u) - vec3_dot(change, change);
        work += (c->w[s] > 0.0 ? 0.5 / c->w[s] * kinetic : 0.0) - vec3_dot(slope[i], moved);
        work += rod->inextensible ? vec3_dot(rod_node_pull(rod, i, c->pull), moved) : 0.0;
    }
    return work;
}

// Known where the interval is one step, which was not cut and has not changed the nodes.
static void sample_integrator(CordWorld* w, Rod* rod, double force_at, double turned, double dt, CordWork* to)
{
    const Model* model = model_of(rod);
    if (force_at < 1.0 || model->reduced || (model->is_physical && !model->is_physical(rod))) {
        return;
    }
    CordEnergy e = {0};
    model->energy(rod, &e);
    double elastic = e.bend + e.twist + e.stretch;
    if (dt > 0.0 && fabs(rod->last_step - dt) <= 1e-9 * dt && isfinite(rod->tallied)) {
        CordVec3 none = {0, 0, 0};
        add_work(to, work_of_integrator(w, rod, elastic, turned), none, none);
    }
    rod->tallied = elastic;
}

static CordResult sample_rod(CordWorld* w, Rod* rod, double dt)
{
    double force_at = stepper_of(rod)->times(rod, 0.0).force_at, turned = 0.0, mass = 0.0;
    Interval interval = interval_of(w, force_at);
    double share = interval.share;
    CordVec3 none = {0, 0, 0}, moment = none;
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->node_velocities(rod);
    }
    evaluate_rod(w, rod);
    for (int i = 0; i < rod->clamp_count; i++) {
        if (!rod->clamps[i]->carrier) {
            CORD_TRY(sample_clamp(w, rod->clamps[i], &interval, &turned));
        }
    }
    for (int i = 0; i < rod->load_count; i++) {
        if (load_is_on(rod->loads[i], LOAD_ON_POINTS)) {
            turned += sample_point_load(w, rod->loads[i], &interval);
        } else {
            sample_spread_load(w, rod->loads[i], rod, share);
        }
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        double here = rod_node_mass(rod, i);
        mass += here;
        moment = vec3_madd(moment, node_position(&rod->line, i), here);
    }
    sample_weight(w, mass, moment, share);
    sample_integrator(w, rod, force_at, turned, dt, &w->ledger->integrator.sum);
    if (model_of(rod)->dissipation) {
        tally_spread(&w->ledger->damping, -model_of(rod)->dissipation(rod), none, none, share);
    }
    return CORD_OK;
}

// ---- bodies

static CordResult sample_body(CordWorld* w, Body* body)
{
    const CordBodyState* now = body_now(w, body);
    CORD_TRY(now ? CORD_OK : no_memory(w));
    sample_weight(w, body->def.mass, vec3_mul(now->position, body->def.mass), 0.5);
    for (Link* link = body->loads.first; link; link = link->after) {
        Load* load = LIST_ENTRY(link, Load, link);
        TallySample s = {.valid = true, .x = {now->position}};
        load->kind->wrench(load, load_share(load, w->time), &s.f[0], &s.couple);
        s.t = quat_rotate(now->rotation, (CordVec3){0, 0, 1});
        s.m1 = quat_rotate(now->rotation, (CordVec3){1, 0, 0});
        Interval interval = interval_of(w, 0.5);
        tally_points(&load->tally, &s, &interval);
    }
    return CORD_OK;
}

static void each_tally(CordWorld* w, void (*visit)(WorkTally* tally, void* user), void* user)
{
    WorldLedger* l = w->ledger;
    WorkTally* const own[] = {&l->gravity, &l->damping, &l->contact, &l->start, &l->integrator, &l->changes};
    for (int i = 0; i < 6; i++) {
        visit(own[i], user);
    }
    for (int i = 0; i < w->clamps.live_count; i++) {
        visit(&((Clamp*)slots_at(&w->clamps, i))->tally, user);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        visit(&((Load*)slots_at(&w->loads, i))->tally, user);
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        visit(&((Obstacle*)slots_at(&w->obstacles, i))->tally, user);
    }
}

// ---- the whole world

static void add_total(LedgerTotals* sum, CordEnergy e, CordMomentum m)
{
    sum->kinetic += e.kinetic;
    sum->energy += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    sum->momentum.linear = vec3_add(sum->momentum.linear, m.linear);
    sum->momentum.angular = vec3_add(sum->momentum.angular, m.angular);
}

static LedgerTotals totals_now(const CordWorld* w)
{
    LedgerTotals sum = {0};
    for (int i = 0; i < w->rods.live_count; i++) {
        CordRodId id = cord_world_rod(w, i);
        add_total(&sum, cord_rod_energy(w, id), cord_rod_momentum(w, id));
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        CordBodyId id = cord_world_body(w, i);
        add_total(&sum, cord_body_energy(w, id), cord_body_momentum(w, id));
    }
    return sum;
}

// What barriers store they have taken from the motion.
static void sample_barriers(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    bool stored = contact_is_on(w) && !contact_is_explicit(w);
    double energy = stored ? cord_world_contact_report(w).energy : 0.0;
    CordVec3 none = {0, 0, 0};
    if (energy != l->barrier) {
        add_work(&l->contact.sum, l->barrier - energy, none, none);
    }
    l->barrier = energy;
}

static void finish_spread_loads(CordWorld* w, double dt)
{
    for (int i = 0; i < w->loads.live_count; i++) {
        Load* load = slots_at(&w->loads, i);
        if (!load_is_on(load, LOAD_ON_POINTS | CORD_LOAD_ON_BODY)) {
            tally_finish_spread(&load->tally, dt);
        }
    }
    tally_finish_spread(&w->ledger->gravity, dt);
    tally_finish_spread(&w->ledger->damping, dt);
}

static void drop_spread(WorkTally* tally, void* user)
{
    (void)user;
    tally->next_start = tally->end = (TallySpread){0};
}

static CordResult sample_world(CordWorld* w, double dt)
{
    each_tally(w, drop_spread, NULL); // left by an update that failed
    for (int i = 0; i < w->rods.live_count; i++) {
        CORD_TRY(reserve_rod(w, slots_at(&w->rods, i)));
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        CORD_TRY(sample_rod(w, slots_at(&w->rods, i), dt));
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        CORD_TRY(sample_body(w, slots_at(&w->bodies, i)));
    }
    finish_spread_loads(w, dt);
    sample_barriers(w);
    return CORD_OK;
}

// ---- contacts and first steps

void ledger_add_contact(CordWorld* w, double work, double exchanged)
{
    w->ledger->contact.pending.work += work;
    w->ledger->contact.pending.exchanged += exchanged;
}

void ledger_add_obstacles(CordWorld* w, double h)
{
    for (int i = 0; w->ledger && i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        Pose a = obstacle_pose_at(o, w->time), b = obstacle_pose_at(o, w->time + h);
        CordVec3 impulse = vec3_mul(o->force, -h);
        CordVec3 angular = vec3_madd(vec3_cross(b.point, impulse), o->torque, -h);
        double work =
            vec3_dot(o->force, vec3_sub(b.point, a.point)) + vec3_dot(o->torque, pose_rotation_vector(a, b));
        add_work(&o->tally.pending, -work, impulse, angular);
    }
}

static void add_to(CordWork* sum, const CordWork* part, double sign)
{
    sum->work += sign * part->work;
    sum->exchanged += part->exchanged;
    sum->impulse = vec3_madd(sum->impulse, part->impulse, sign);
    sum->angular = vec3_madd(sum->angular, part->angular, sign);
}

static void drop_pending(WorkTally* tally, void* user)
{
    (void)user;
    tally->pending = (CordWork){0};
}

void ledger_begin_step(CordWorld* w)
{
    if (w->ledger) {
        each_tally(w, drop_pending, NULL);
        w->ledger->released_at = NAN;
    }
}

static void commit_pending(WorkTally* tally, void* user)
{
    (void)user;
    add_to(&tally->sum, &tally->pending, 1.0);
}

// Elastic energy and that of gravity, which positions and clamps alone decide.
static double stored_energy(const CordWorld* w)
{
    double sum = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        CordEnergy e = {0};
        model_of(rod)->energy(rod, &e);
        sum += e.bend + e.twist + e.stretch;
        for (int n = 0; n < rod->line.node_count; n++) {
            sum -= rod_node_mass(rod, n) * vec3_dot(w->gravity, node_position(&rod->line, n));
        }
    }
    return sum;
}

void ledger_commit_step(CordWorld* w)
{
    if (!w->ledger) {
        return;
    }
    each_tally(w, commit_pending, NULL);
    if (w->ledger->released_at == w->time &&
        world_prepare(w) == CORD_OK) { // a rod that is held stores more or less than one that is free
        CordVec3 none = {0, 0, 0};
        add_work(&w->ledger->changes.sum, stored_energy(w) - w->ledger->stored, none, none);
    }
}

double ledger_energy(const CordWorld* w)
{
    return w->ledger ? totals_now(w).energy : 0.0;
}

void ledger_add_start(CordWorld* w, double energy_before)
{
    if (w->ledger) {
        double work = totals_now(w).energy - energy_before;
        add_work(&w->ledger->start.pending, work, (CordVec3){0, 0, 0}, (CordVec3){0, 0, 0});
    }
}

static bool clamps_are_due(const Rod* rod, double time)
{
    bool any = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        any |= clamp_is_due(rod->clamps[i], time);
    }
    return any;
}

// An update finds clamps that do not hold, so their last interval is added before. A failure loses it.
void ledger_add_release(CordWorld* w, Rod* rod)
{
    if (!w->ledger || !clamps_are_due(rod, w->time)) {
        return;
    }
    if (w->ledger->released_at != w->time) {
        w->ledger->released_at = w->time;
        w->ledger->stored = stored_energy(w);
    }
    if (stepper_of(rod)->frees_nodes || reserve_rod(w, rod) != CORD_OK) {
        return;
    }
    double force_at = stepper_of(rod)->times(rod, 0.0).force_at, turned = 0.0;
    Interval interval = interval_of(w, force_at);
    evaluate_rod(w, rod);
    for (int i = 0; i < rod->clamp_count; i++) {
        Clamp* clamp = rod->clamps[i];
        if (!clamp->carrier && clamp_is_due(clamp, w->time)) {
            WorkTally kept = clamp->tally; // its sum grows once the step is accepted
            clamp->tally.sum = (CordWork){0};
            if (sample_clamp(w, clamp, &interval, &turned) == CORD_OK) {
                add_to(&kept.pending, &clamp->tally.sum, 1.0);
            }
            clamp->tally = kept;
        }
    }
    sample_integrator(w, rod, force_at, turned, w->time - w->ledger->time, &w->ledger->integrator.pending);
    rod->tallied = NAN; // an update must not compare with what is stored after
}

// ---- what comes and goes

void ledger_forget(CordWorld* w, const WorkTally* tally)
{
    if (w->ledger) {
        add_to(&w->ledger->changes.sum, &tally->sum, 1.0);
    }
}

void ledger_forget_clamp(CordWorld* w, const Clamp* clamp)
{
    CordWork lag;
    ledger_forget(w, &clamp->tally);
    if (w->ledger && work_in_lag(w, clamp, &lag) == CORD_OK) {
        add_to(&w->ledger->changes.sum, &lag, 1.0);
    }
}

LedgerTotals ledger_begin_change(CordWorld* w)
{
    if (!w->ledger) {
        return (LedgerTotals){0};
    }
    (void)cord_ledger_update(w); // a failure loses the time since the last one, as if none were asked for
    return totals_now(w);
}

void ledger_add_change(CordWorld* w, const LedgerTotals* before)
{
    if (w->ledger && world_prepare(w) == CORD_OK) {
        LedgerTotals now = totals_now(w);
        add_work(&w->ledger->changes.sum, now.energy - before->energy,
                 vec3_sub(now.momentum.linear, before->momentum.linear),
                 vec3_sub(now.momentum.angular, before->momentum.angular));
        sample_world(w, 0.0);
    }
}

// ---- public functions

static void clear_tally(WorkTally* tally, void* user)
{
    (void)user;
    *tally = (WorkTally){0};
}

CordResult cord_ledger_open(CordWorld* w)
{
    CORD_TRY(world_prepare(w));
    if (!w->ledger) {
        w->ledger = memory_array(&w->memory, WorldLedger, 1);
        CORD_TRY(w->ledger ? CORD_OK : no_memory(w));
    }
    WorldLedger* l = w->ledger;
    each_tally(w, clear_tally, NULL);
    LedgerTotals now = totals_now(w);
    l->from = l->time = w->time;
    l->steps = w->steps;
    l->energy_start = l->energy_before = now.energy;
    l->momentum_start = now.momentum;
    l->peak = now.kinetic;
    sample_barriers(w);
    clear_tally(&l->contact, NULL);
    for (int i = 0; i < w->clamps.live_count; i++) {
        Clamp* clamp = slots_at(&w->clamps, i);
        CordWork lag;
        CORD_TRY(work_in_lag(w, clamp, &lag)); // a reading adds it again
        add_to(&clamp->tally.sum, &lag, -1.0);
    }
    return sample_world(w, 0.0);
}

void cord_ledger_close(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    if (l) {
        memory_array_free(&w->memory, l->f, l->room);
        memory_array_free(&w->memory, l->m1, l->room);
        memory_array_free(&w->memory, l->entries, l->entry_capacity);
        memory_array_free(&w->memory, l, 1);
        w->ledger = NULL;
    }
}

bool cord_ledger_is_open(const CordWorld* w)
{
    return w->ledger != NULL;
}

static CordResult check_open(CordWorld* w)
{
    return w->ledger ? CORD_OK
                     : message_fail(&w->message, CORD_BAD_ARGUMENT,
                                    "the ledger is not open; call cord_ledger_open before the first step");
}

CordResult cord_ledger_update(CordWorld* w)
{
    CORD_TRY(check_open(w));
    CORD_TRY(world_prepare(w));
    double dt = w->time - w->ledger->time;
    CORD_TRY(dt > 0.0 ? sample_world(w, dt) : CORD_OK);
    w->ledger->time = w->time;
    w->ledger->steps = w->steps;
    return CORD_OK;
}

// What the steps themselves do not tell of: loads, damping and couples of clamps, more often where a clamp
// that moves feeds waves into the rod. Without them the moment of gravity is left, which is smooth.
static int every_of(const Rod* rod)
{
    int every = stepper_of(rod)->ledger_every;
    bool damped = model_of(rod)->is_damped && model_of(rod)->is_damped(rod);
    bool smooth = rod->load_count == 0 && !damped, moves = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        smooth &= rod->clamps[i]->edge < 0;
        moves |= rod->clamps[i]->def.motion_count > 0;
    }
    return every == 1 ? 1 : smooth ? 4 * every : moves ? every / 4 : every;
}

int cord_ledger_every(const CordWorld* w)
{
    int every = w->rods.live_count > 0 ? INT_MAX : 1;
    for (int i = 0; i < w->rods.live_count; i++) {
        int own = every_of(slots_at(&w->rods, i));
        every = own < every ? own : every;
    }
    return every;
}

static CordLedgerEntry* put_entry(CordLedgerEntry* to, CordLedgerKind kind, int index, const WorkTally* tally)
{
    *to = (CordLedgerEntry){.kind = kind, .index = index, .done = tally->sum};
    snprintf(to->name, sizeof to->name, "%s", cord_ledger_kind_name(kind));
    return to;
}

// "clamp 1 (rope)", "drag 2"
static void name_entry(CordLedgerEntry* entry, const char* what, const char* where)
{
    snprintf(entry->name, sizeof entry->name, "%s %d%s%s%s", what, entry->index + 1, where ? " (" : "",
             where ? where : "", where ? ")" : "");
}

static const char* place_of_load(const CordWorld* w, const Load* load)
{
    const Body* body = load->rod ? NULL : world_body(w, load->def.body);
    return load->rod ? load->rod->name : body ? body->name : NULL;
}

static CordResult reserve_entries(CordWorld* w, int count)
{
    WorldLedger* l = w->ledger;
    if (count <= l->entry_capacity) {
        return CORD_OK;
    }
    CordLedgerEntry* larger = memory_array(&w->memory, CordLedgerEntry, count);
    CORD_TRY(larger ? CORD_OK : no_memory(w));
    memory_array_free(&w->memory, l->entries, l->entry_capacity);
    l->entries = larger;
    l->entry_capacity = count;
    return CORD_OK;
}

static CordResult list_entries(CordWorld* w, int* count)
{
    WorldLedger* l = w->ledger;
    *count = 7 + w->clamps.live_count + w->loads.live_count + w->obstacles.live_count;
    CORD_TRY(reserve_entries(w, *count));
    CordLedgerEntry* to = put_entry(l->entries, CORD_LEDGER_GRAVITY, 0, &l->gravity);
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        CordWork lag;
        CORD_TRY(work_in_lag(w, clamp, &lag));
        to = put_entry(to + 1, CORD_LEDGER_CLAMP, i, &clamp->tally);
        add_to(&to->done, &lag, 1.0);
        name_entry(to, "clamp", clamp->rod->name);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        to = put_entry(to + 1, CORD_LEDGER_LOAD, i, &load->tally);
        name_entry(to, load->kind->info.name, place_of_load(w, load));
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, i);
        to = put_entry(to + 1, CORD_LEDGER_OBSTACLE, i, &o->tally);
        snprintf(to->name, sizeof to->name, "obstacle %s", o->name);
    }
    to = put_entry(to + 1, CORD_LEDGER_DAMPING, 0, &l->damping);
    to = put_entry(to + 1, CORD_LEDGER_CONTACT, 0, &l->contact);
    to = put_entry(to + 1, CORD_LEDGER_START, 0, &l->start);
    to = put_entry(to + 1, CORD_LEDGER_INTEGRATOR, 0, &l->integrator);
    to = put_entry(to + 1, CORD_LEDGER_CHANGES, 0, &l->changes);
    put_entry(to + 1, CORD_LEDGER_UNACCOUNTED, 0, &(WorkTally){0}); // its sums follow
    return CORD_OK;
}

static bool makes_no_energy(const CordWorld* w)
{
    bool none = true;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        none &= !model_of(rod)->is_physical || model_of(rod)->is_physical(rod);
    }
    for (int i = 0; i < w->engine_count; i++) {
        none &= !w->engines[i].ops->makes_energy;
    }
    return none;
}

static bool tells_losses(const CordWorld* w)
{
    bool all = w->bodies.live_count == 0 && !(contact_is_on(w) && !contact_is_explicit(w));
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        all &= !rod->grid && stepper_of(rod)->tells_losses && stepper_of(rod)->tells_losses(rod);
    }
    return all;
}

CordResult cord_ledger_read(CordWorld* w, CordLedger* ledger)
{
    CORD_TRY(cord_ledger_update(w));
    WorldLedger* l = w->ledger;
    LedgerTotals now = totals_now(w);
    l->peak = real_max(l->peak, real_max(now.kinetic, fabs(now.energy - l->energy_before)));
    l->energy_before = now.energy;
    *ledger = (CordLedger){.from = l->from,
                           .to = w->time,
                           .energy_start = l->energy_start,
                           .energy = now.energy,
                           .momentum_start = l->momentum_start,
                           .momentum = now.momentum,
                           .turnover = l->peak,
                           .judged = makes_no_energy(w),
                           .complete = makes_no_energy(w) && tells_losses(w)};
    CORD_TRY(list_entries(w, &ledger->entry_count));
    ledger->entries = l->entries;
    ledger->error = now.energy - l->energy_start;
    ledger->linear_error = vec3_sub(now.momentum.linear, l->momentum_start.linear);
    ledger->angular_error = vec3_sub(now.momentum.angular, l->momentum_start.angular);
    for (int i = 0; i < ledger->entry_count - 1; i++) {
        const CordWork* done = &l->entries[i].done;
        ledger->error -= done->work;
        ledger->turnover += done->exchanged;
        ledger->linear_error = vec3_sub(ledger->linear_error, done->impulse);
        ledger->angular_error = vec3_sub(ledger->angular_error, done->angular);
    }
    l->entries[ledger->entry_count - 1].done =
        (CordWork){ledger->error, ledger->turnover, ledger->linear_error, ledger->angular_error};
    return CORD_OK;
}

// ---- state

static void work_state(CordWork* work, Bytes* b)
{
    bytes_double(b, &work->work);
    bytes_double(b, &work->exchanged);
    bytes_doubles(b, &work->impulse.x, 3);
    bytes_doubles(b, &work->angular.x, 3);
}

static void spread_state(TallySpread* spread, Bytes* b)
{
    bytes_double(b, &spread->power);
    bytes_doubles(b, &spread->force.x, 3);
    bytes_doubles(b, &spread->moment.x, 3);
}

static void tally_state(WorkTally* tally, void* user)
{
    Bytes* b = user;
    TallySample* s = &tally->last;
    CordVec3* const vectors[] = {&s->x[0],   &s->x[1], &s->f[0], &s->f[1],   &s->over[0], &s->over[1],
                                 &s->couple, &s->t,    &s->m1,   &s->linear, &s->angular};
    work_state(&tally->sum, b);
    bytes_double(b, &tally->counted);
    bytes_bool(b, &s->valid);
    bytes_double(b, &s->time);
    bytes_double(b, &s->kinetic);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        bytes_doubles(b, &vectors[i]->x, 3);
    }
    spread_state(&tally->start, b);
}

static void ledger_state(CordWorld* w, Bytes* b)
{
    WorldLedger* l = w->ledger;
    bytes_expect(b, w->rods.live_count);
    bytes_expect(b, w->clamps.live_count);
    bytes_expect(b, w->loads.live_count);
    bytes_expect(b, w->obstacles.live_count);
    double* const numbers[] = {&l->from,          &l->time, &l->energy_start,
                               &l->energy_before, &l->peak, &l->barrier};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bytes_double(b, numbers[i]);
    }
    bytes_i64(b, &l->steps);
    bytes_doubles(b, &l->momentum_start.linear.x, 3);
    bytes_doubles(b, &l->momentum_start.angular.x, 3);
    each_tally(w, tally_state, b);
    for (int i = 0; i < w->rods.live_count; i++) {
        bytes_double(b, &((Rod*)slots_at(&w->rods, i))->tallied);
    }
}

size_t cord_ledger_state_size(const CordWorld* world)
{
    Bytes b = bytes_start(BYTES_COUNT, NULL, 0);
    if (world->ledger) {
        ledger_state((CordWorld*)world, &b); // counting changes nothing
    }
    return b.used;
}

CordResult cord_ledger_state_get(const CordWorld* world, void* bytes, size_t size)
{
    CordWorld* w = (CordWorld*)world; // writing bytes changes nothing
    CORD_TRY(check_open(w));
    if (size != cord_ledger_state_size(w)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "the ledger takes %zu bytes and %zu were offered",
                            cord_ledger_state_size(w), size);
    }
    Bytes b = bytes_start(BYTES_WRITE, bytes, size);
    ledger_state(w, &b);
    return CORD_OK;
}

CordResult cord_ledger_state_set(CordWorld* w, const void* bytes, size_t size)
{
    CORD_TRY(w->ledger ? CORD_OK : cord_ledger_open(w));
    if (size != cord_ledger_state_size(w)) {
        return message_fail(&w->message, CORD_BAD_STATE,
                            "the ledger of %zu bytes does not fit this world, which was built differently",
                            size);
    }
    Bytes b = bytes_start(BYTES_READ, (void*)bytes, size);
    ledger_state(w, &b);
    if (b.failed) {
        CORD_TRY(cord_ledger_open(w));
        return message_fail(&w->message, CORD_BAD_STATE,
                            "the ledger does not fit this world, which was built differently");
    }
    return CORD_OK;
}
