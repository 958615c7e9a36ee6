// What clamps, loads, damping and integrators do, for the ledger. An update reads the forces of all actors
// and integrates them over the time since the update before. With the share a of its end, a force f at a
// point x has done the work
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

#include "math/elementary.h"
#include "rod/frame.h"
#include "world/world.h"

#include <float.h>
#include <string.h>

CordResult ledger_no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory for the ledger");
}

// ---- sums

void ledger_add_to(CordWork* sum, const CordWork* part, double sign)
{
    sum->work += sign * part->work;
    sum->exchanged += part->exchanged;
    sum->impulse = vec3_madd(sum->impulse, part->impulse, sign);
    sum->angular = vec3_madd(sum->angular, part->angular, sign);
}

void ledger_add_work(CordWork* sum, double work, CordVec3 impulse, CordVec3 angular)
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
    double spin = frame_unwrap(frame_angle(frame_transport(a->m1, a->t, b->t), b->m1, b->t), b->turn);
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
        ledger_add_work(&tally->sum, work, vec3_madd(vec3_sub(now->linear, last->linear), force, dt),
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

void ledger_finish_spread(WorkTally* tally, double dt)
{
    const TallySpread *a = &tally->start, *b = &tally->end;
    if (tally->last.valid) {
        ledger_add_work(&tally->sum, dt * (a->power + b->power), vec3_mul(vec3_add(a->force, b->force), dt),
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
            s.turn = clamp_motion_turn(clamp, tally->last.time, i->to);
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

CordResult ledger_work_in_lag(const CordWorld* w, const Clamp* clamp, CordWork* sum)
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
    const RodNow* now = rod_now(w, rod);
    for (int i = 0; now && load_acts(load, w->time) && i < rod->line.node_count; i++) {
        CordVec3 v = now->v[i], f = load_flow_force(load, rod, i, v, w->time);
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

CordResult ledger_reserve_rod(CordWorld* w, const Rod* rod)
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
        return ledger_no_memory(w);
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

static double elastic_energy(const Rod* rod)
{
    CordEnergy e = {0};
    model_of(rod)->energy(rod, &e);
    return e.bend + e.twist + e.stretch;
}

static double inner_energy(const Rod* rod) // elastic, and of the spin of frames
{
    double spin = 0.0;
    CordVec3 momentum;
    if (model_of(rod)->spin_energy) {
        model_of(rod)->spin_energy(rod, stepper_of(rod)->times(rod, 0.0).lag, &spin, &momentum);
    }
    return elastic_energy(rod) + spin;
}

void ledger_forget_start(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        rod->tallied = isfinite(rod->tallied) ? inner_energy(rod) : rod->tallied;
    }
}

// Where forces F act at the end of a step, u - v0 = h F / m and x - x0 = h u. Kinetic energy then changes by
// F (x - x0) - m |u - v0|^2 / 2, and the elastic energy V by less than its slope at the end tells: the step
// loses m |u - v0|^2 / 2 and V' (x - x0) - (V - V0). Then v is u, but where angular momentum is restored.
// `turned` is the work on frames. They stay in equilibrium, or what they lose is what their spin and their
// twist have less than that.
static double work_of_integrator(const CordWorld* w, const Rod* rod, double inner, double turned)
{
    const CordCenterline* c = &rod->line;
    CordVec3* slope = w->ledger->f;
    double work = inner - rod->tallied - turned;
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
    const Stepper* stepper = stepper_of(rod);
    if (force_at < 1.0 || !stepper->tells_losses || !stepper->tells_losses(rod) || model->reduced ||
        (model->is_physical && !model->is_physical(rod))) {
        return;
    }
    double inner = inner_energy(rod);
    double slack = 1e-9 * dt + 4.0 * DBL_EPSILON * fabs(w->time); // round-off of times
    if (dt > 0.0 && fabs(rod->last_step - dt) <= slack && isfinite(rod->tallied)) {
        CordVec3 none = {0, 0, 0};
        ledger_add_work(to, work_of_integrator(w, rod, inner, turned), none, none);
    }
    rod->tallied = inner;
}

CordResult ledger_sample_rod(CordWorld* w, Rod* rod, double dt)
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

// ---- clamps that let go

double ledger_stored_energy(const CordWorld* w)
{
    double sum = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        sum += elastic_energy(rod);
        for (int n = 0; n < rod->line.node_count; n++) {
            sum -= rod_node_mass(rod, n) * vec3_dot(w->gravity, node_position(&rod->line, n));
        }
    }
    return sum;
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
        w->ledger->stored = ledger_stored_energy(w);
    }
    if (stepper_of(rod)->frees_nodes || ledger_reserve_rod(w, rod) != CORD_OK) {
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
                ledger_add_to(&kept.pending, &clamp->tally.sum, 1.0);
            }
            clamp->tally = kept;
        }
    }
    sample_integrator(w, rod, force_at, turned, w->time - w->ledger->time, &w->ledger->integrator.pending);
    rod->tallied = NAN; // an update must not compare with what is stored after
}

// ---- bodies

CordResult ledger_sample_body(CordWorld* w, Body* body)
{
    const CordBodyState* now = body_now(w, body);
    CORD_TRY(now ? CORD_OK : ledger_no_memory(w));
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
