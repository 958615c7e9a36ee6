// What clamps, loads, damping and integrators do, for the ledger. Forces of all actors are read at the start
// and at the end of an interval. With the share a of its end, a force f at a point x has done the work
//
//     W = ((1 - a) f_old + a f_new) . (x_new - x_old)
//
// Of rods whose steps are told (ledger_tells_steps) the interval is each substep, and a is the share b at
// which forces act in it (StepTimes.force_at): 1 for backward Euler, whose forces these are. Of other rods it
// is the time between two updates: where it has n steps, a is 1/2 + (b - 1/2) / n, which is exact if f
// changes linearly with time. For b = 1/2 it is the work of a force in Verlet steps, summed in another order.
// A couple works on the rotation of its frame in the same way. A force that is spread over a rod is
// integrated as power. A clamp also gives its nodes all their kinetic energy and momentum, so that the forces
// of inertia of held nodes, which jump where a motion begins, need not be integrated.
#include "world/ledger.h"

#include "math/elementary.h"
#include "rod/frame.h"
#include "world/world.h"

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

typedef struct Interval {
    double to;    // its end, or the present where a step begins [s]
    double share; // of forces at its end
    // A step that is told: the time that the present sample of a spread force stands for, and from the
    // present to what x_next has: h before the commit, -h after it [s]. Zero: the interval is between two
    // updates.
    double part, ahead;
} Interval;

static Interval interval_of(const CordWorld* w, const Rod* rod)
{
    double n = (double)(w->steps - w->ledger->steps);
    double share = stepper_of(rod)->times(rod, 0.0).force_at;
    return (Interval){.to = w->time, .share = 0.5 + (share - 0.5) / (n > 1.0 ? n : 1.0)};
}

// Of a step that is about to be committed (ahead > 0), or was (ahead < 0).
static Interval step_of(const CordWorld* w, const Rod* rod, double ahead)
{
    double share = stepper_of(rod)->times(rod, fabs(ahead)).force_at;
    return (Interval){w->time, share, ahead > 0.0 ? (1.0 - share) * ahead : -share * ahead, ahead};
}

static CordWork* sum_of(WorkTally* tally, const Interval* i)
{
    return i->ahead != 0.0 ? &tally->pending : &tally->sum;
}

typedef struct Turning { // what acts on the frames of a rod in an interval
    double work;         // [J]
    CordVec3 angular;    // [N m s]
} Turning;

// Adds what an actor that pushes at points has done since its last sample, and what its couple has to
// *turning.
static void tally_points(WorkTally* tally, TallySample* now, const Interval* i, Turning* turning)
{
    const TallySample* last = &tally->last;
    double share = i->share, dt = i->to - last->time;
    now->time = i->to;
    if (last->valid && now->valid && i->ahead <= 0.0) {
        CordVec3 couple = blend(last->couple, now->couple, share);
        double turned = vec3_dot(couple, rotation_between(last, now));
        double work = now->kinetic - last->kinetic + turned;
        for (int k = 0; k < 2; k++) {
            work += vec3_dot(blend(last->f[k], now->f[k], share), vec3_sub(now->x[k], last->x[k]));
        }
        CordVec3 force = blend(vec3_add(last->f[0], last->f[1]), vec3_add(now->f[0], now->f[1]), share);
        CordVec3 moment = blend(moment_of(last), moment_of(now), share);
        ledger_add_work(sum_of(tally, i), work, vec3_madd(vec3_sub(now->linear, last->linear), force, dt),
                        vec3_madd(vec3_sub(now->angular, last->angular), moment, dt));
        turning->work += turned;
        turning->angular = vec3_madd(turning->angular, couple, dt);
    }
    tally->last = i->ahead < 0.0 ? (TallySample){0} : *now; // a step that is told begins with its own
}

// Adds a rod's part of a force that is spread over rods.
static void tally_spread(WorkTally* tally, double power, CordVec3 force, CordVec3 moment, const Interval* i)
{
    if (i->ahead != 0.0) {
        ledger_add_work(&tally->pending, i->part * power, vec3_mul(force, i->part),
                        vec3_mul(moment, i->part));
        return;
    }
    const double weight[2] = {1.0 - i->share, i->share};
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

static CordVec3 pushed_by_contact(const CordWorld* w, const Clamp* clamp, int k)
{
    return rod_is_in_contact(w, clamp->rod) ? clamp->pushed[k] : (CordVec3){0, 0, 0};
}

// The clamp gives its nodes what they have and forces do not give them. Along the axis that it slides by,
// they share what forces give them all together.
static void sample_held_nodes(const CordWorld* w, const Clamp* clamp, const Interval* i, TallySample* s)
{
    const Rod* rod = clamp->rod;
    CordVec3* f = w->ledger->f;
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3* here = &f[clamp->node[k]];
        *here = vec3_madd(*here, w->gravity, rod_node_mass(rod, clamp->node[k]));
        *here = i->ahead < 0.0 ? vec3_add(*here, pushed_by_contact(w, clamp, k)) : *here;
    }
    double whole = 0.0, push = 0.0, slide = clamp->def.slides ? clamp_slide(clamp, rod->line.v) : 0.0;
    for (int k = 0; k < clamp->node_count && clamp->def.slides; k++) {
        push += vec3_dot(f[clamp->node[k]], clamp->axis);
        whole += rod_node_mass(rod, clamp->node[k]);
    }
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        double mass = rod_node_mass(rod, node);
        CordVec3 x = node_position(&rod->line, node), v = node_velocity(&rod->line, node), force = f[node];
        if (clamp->def.slides) {
            force = vec3_madd(force, clamp->axis, -push * mass / whole);
            v = vec3_madd(v, clamp->axis, -slide);
        }
        s->x[k] = x;
        s->f[k] = vec3_mul(force, -1.0);
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

static CordResult sample_clamp(const CordWorld* w, Clamp* clamp, const Interval* i, Turning* turning)
{
    TallySample s = {.valid = clamp->holds};
    WorkTally* tally = &clamp->tally;
    if (clamp->holds && model_of(clamp->rod)->reduced) {
        CORD_TRY(sample_support(w, clamp, &s));
    } else if (clamp->holds) {
        if (i->ahead == 0.0) { // steps have added their work
            tally->sum.exchanged += fabs(tally->sum.work - tally->counted);
        } else {
            sample_held_nodes(w, clamp, i, &s);
        }
        if (clamp->edge >= 0) {
            frame_of_edge(w, clamp->rod, clamp->edge, &s);
            s.couple = clamp->def.has_torque ? vec3_mul(s.t, clamp->def.torque)
                                             : vec3_mul(model_couple(clamp), -1.0);
            s.turn = clamp_motion_turn(clamp, tally->last.time, i->to);
        }
    }
    tally_points(tally, &s, i, turning);
    tally->counted = i->ahead == 0.0 ? tally->sum.work : tally->counted;
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
static void tally_kick(const CordWorld* w, Clamp* clamp, const StepInfo* step, const StepTimes* times)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    double share = times->staggered ? times->lag / times->kick : 0.5;
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k], s = slot_of(c, node);
        CordVec3 v = slot_get(c->v, s), next = slot_get(c->v_next, s);
        double mass = 1.0 / clamp->w[k];
        CordVec3 free = vec3_add(clamp->v_free[k], clamp->v_pulled[k]);
        CordVec3 impulse = vec3_mul(vec3_sub(next, free), mass);
        if (!clamp->def.slides && rod->load_count > 0) { // those of sliding clamps are in v_free
            impulse = vec3_madd(impulse, loads_force_on(rod, node, step->time), -step->kick);
        }
        if (!clamp->def.slides && model_of(rod)->spin_impulse) {
            impulse = vec3_sub(impulse, model_of(rod)->spin_impulse(rod, step->kick, node));
        }
        if (rod->inextensible) {
            impulse = vec3_madd(impulse, rod_node_pull(rod, node, c->pull_next), -step->kick);
        }
        impulse = vec3_madd(impulse, pushed_by_contact(w, clamp, k), -step->h);
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
            tally_kick(w, rod->clamps[i], step, &times);
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

static void sample_point_load(const CordWorld* w, Load* load, const Interval* i, Turning* turning)
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
    bool first = stepper_of(load->rod)->times(load->rod, 0.0).pushes_first && !load->kind->tether;
    if (first && i->ahead < 0.0) {
        memcpy(s.f, load->tally.last.f, sizeof s.f);
    }
    for (int k = 0; k < (load->edge >= 0 ? 2 : 1) && i->ahead != 0.0; k++) {
        CordVec3* f = &w->ledger->f[k == 0 ? load->node : edge_end(c, load->edge)];
        *f = vec3_add(*f, s.f[k]);
    }
    tally_points(&load->tally, &s, i, turning);
}

static void sample_flow(const CordWorld* w, Load* load, const Rod* rod, const Interval* i)
{
    double power = 0.0;
    CordVec3 force = {0, 0, 0}, moment = {0, 0, 0};
    const RodNow* now = rod_now(w, rod);
    for (int n = 0; now && load_acts(load, w->time) && n < rod->line.node_count; n++) {
        CordVec3 f = load_flow_force(load, rod, rod->line.x, n, now->v[n], w->time);
        power += vec3_dot(f, now->v[n]);
        force = vec3_add(force, f);
        moment = vec3_add(moment, vec3_cross(node_position(&rod->line, n), f));
    }
    tally_spread(&load->tally, power, force, moment, i);
}

// Steps that are told have drag at the mean velocity and along the tangents of their start, and solve for it.
static void sample_flow_of_step(const CordWorld* w, Load* load, const Rod* rod, const Interval* i)
{
    const CordCenterline* c = &rod->line;
    bool ends = i->ahead < 0.0;
    double* const* from = ends ? c->x_next : c->x;
    double* const* to = ends ? c->x : c->x_next;
    StepTimes times = stepper_of(rod)->times(rod, 0.0);
    double h = fabs(i->ahead),
           time = (ends ? w->time - h : w->time) + (times.pushes_first ? 0.0 : i->share * h);
    CordWork done = {0};
    for (int n = 0; load_acts(load, time) && n < c->node_count; n++) {
        CordVec3 a = slot_get(from, slot_of(c, n)), b = slot_get(to, slot_of(c, n)), moved = vec3_sub(b, a);
        CordVec3 f = load_flow_force(load, rod, from, n, vec3_mul(moved, 1.0 / h), time);
        w->ledger->f[n] = vec3_add(w->ledger->f[n], f);
        done.work += vec3_dot(f, moved);
        done.impulse = vec3_madd(done.impulse, f, h);
        done.angular = vec3_madd(done.angular, vec3_cross(blend(a, b, i->share), f), h);
    }
    if (ends) {
        ledger_add_work(&load->tally.pending, done.work, done.impulse, done.angular);
    }
}

static bool does_nothing(const Interval* i) // forces at the start of a step by backward Euler
{
    return i->ahead != 0.0 && i->part == 0.0;
}

// `moment` is the sum of mass times position.
static void sample_weight(CordWorld* w, double mass, CordVec3 moment, const Interval* i)
{
    tally_spread(&w->ledger->gravity, 0.0, vec3_mul(w->gravity, mass), vec3_cross(moment, w->gravity), i);
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
        return ledger_no_memory(w);
    }
    return CORD_OK;
}

// Frames are needed where something turns them.
static void evaluate_frames(CordWorld* w, const Rod* rod)
{
    bool framed = loads_have_torque(rod);
    for (int i = 0; i < rod->clamp_count; i++) {
        framed |= rod->clamps[i]->edge >= 0 && !rod->clamps[i]->carrier;
    }
    if (framed) {
        model_of(rod)->material_frames(rod, w->ledger->m1);
    }
}

static double elastic_energy(const Rod* rod)
{
    CordEnergy e = rod_elastic_energy(rod);
    return e.bend + e.twist + e.stretch;
}

// Work of a torque on an edge since its last sample.
static double work_of_torque(const CordWorld* w, const Rod* rod, int edge, const WorkTally* tally)
{
    TallySample now = tally->last;
    if (edge < 0 || !now.valid) {
        return 0.0;
    }
    frame_of_edge(w, rod, edge, &now);
    return vec3_dot(now.couple, rotation_between(&tally->last, &now));
}

// A start that lets frames go gives way to the torques on them, which the next update counts from their last
// sample.
double ledger_work_in_start(CordWorld* w)
{
    double sum = 0.0;
    for (int i = 0; i < w->rods.live_count && ledger_reserve(w) == CORD_OK; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (ledger_tells_steps(rod)) {
            continue;
        }
        evaluate_frames(w, rod);
        for (int k = 0; k < rod->load_count; k++) {
            sum += work_of_torque(w, rod, rod->loads[k]->edge, &rod->loads[k]->tally);
        }
        for (int k = 0; k < rod->clamp_count; k++) {
            const Clamp* clamp = rod->clamps[k];
            bool turns = clamp->def.has_torque && !model_of(rod)->reduced;
            sum += turns ? work_of_torque(w, rod, clamp->edge, &clamp->tally) : 0.0;
        }
    }
    return sum;
}

// ---- steps that are told

static void add_pull(const Rod* rod, const double* pull, CordVec3* f)
{
    for (int i = 0; i < rod->line.node_count && rod->inextensible; i++) {
        f[i] = vec3_add(f[i], rod_node_pull(rod, i, pull));
    }
}

bool ledger_tells_steps(const Rod* rod)
{
    return !stepper_of(rod)->frees_nodes && !model_of(rod)->reduced;
}

// A rod that shares its motion with bodies has no impulse of the integrator by itself.
static bool is_joined(const CordWorld* w, const Rod* rod)
{
    const Assembly* a = assembly_at(&w->assemblies, rod->assembly);
    return a && a->body_count > 0;
}

void ledger_add_projected(CordWork* sum, const CordWorld* w, const Rod* rod)
{
    StepTimes times = stepper_of(rod)->times(rod, 0.0);
    bool tells = times.lag == 0.0 && (stepper_of(rod)->frees_nodes || times.force_at == 1.0) &&
                 !model_of(rod)->reduced;
    const RodNow* now = tells && !is_joined(w, rod) ? rod_now(w, rod) : NULL;
    for (int i = 0; now && i < rod->line.node_count; i++) {
        CordVec3 v = node_velocity(&rod->line, i);
        CordVec3 more = vec3_mul(vec3_sub(now->v[i], v), rod_node_mass(rod, i));
        sum->work += 0.5 * vec3_dot(more, vec3_add(now->v[i], v));
        sum->impulse = vec3_add(sum->impulse, more);
        sum->angular = vec3_add(sum->angular, vec3_cross(node_position(&rod->line, i), more));
    }
}

// What was found at the end of the last step holds while nothing has changed since.
static RodTally frames_now(const CordWorld* w, const Rod* rod)
{
    if (rod->tally.revision == w->revision) {
        return rod->tally;
    }
    RodTally now = {.inner = elastic_energy(rod), .revision = w->revision};
    if (model_of(rod)->spin_energy) {
        double spin = 0.0;
        model_of(rod)->spin_energy(rod, 0.0, &spin, &now.spin);
        now.inner += spin;
    }
    return now;
}

// The part of the vector in a slot that the clamp of its node does not prescribe: all of it, or what the
// clamp slides by.
static CordVec3 free_part(const Clamp* clamp, double* const a[3], int s)
{
    return !clamp              ? slot_get(a, s)
           : clamp->def.slides ? vec3_mul(clamp->axis, clamp_slide(clamp, a))
                               : (CordVec3){0, 0, 0};
}

// Where forces F act at the end of a step of length h, u - v0 = h F / m and x - x0 = h u. Kinetic energy then
// changes by F (x - x0) - m |u - v0|^2 / 2, and angular momentum by x h F + (x - x0) m v0. Of F, inner forces
// f work on the way by other than they take from the elastic energy and from the spin of frames. What is left
// over in each of these is the integrator's. Then v is u, but where angular momentum is restored. After the
// commit x_next and v_next have x0 and v0. What turns frames, which those without inertia pass on, is still
// to be taken off.
static CordWork work_of_integrator(const CordWorld* w, Rod* rod, const CordVec3* f, double h)
{
    const CordCenterline* c = &rod->line;
    RodTally before = rod->tally;
    rod->tally = frames_now(w, rod);
    CordWork done = {.work = rod->tally.inner - before.inner};
    done.angular = vec3_sub(rod->tally.spin, before.spin);
    if (model_of(rod)->dissipation) {
        done.work += h * model_of(rod)->dissipation(rod);
    }
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        double mass = c->w[s] > 0.0 ? 1.0 / c->w[s] : 0.0;
        const Clamp* clamp = clamp_in_space(rod, i);
        CordVec3 x = slot_get(c->x, s), x0 = slot_get(c->x_next, s);
        CordVec3 v = free_part(clamp, c->v, s), v0 = free_part(clamp, c->v_next, s);
        CordVec3 u = vec3_mul(vec3_sub(free_part(clamp, c->x, s), free_part(clamp, c->x_next, s)), 1.0 / h);
        CordVec3 change = vec3_sub(u, v0), rest = vec3_sub(v, u);
        done.work += 0.5 * mass * (vec3_dot(v, v) - vec3_dot(u, u) - vec3_dot(change, change));
        done.work += vec3_dot(f[i], vec3_sub(x, x0));
        done.impulse = vec3_madd(done.impulse, rest, mass);
        done.angular = vec3_madd(done.angular, vec3_cross(x, rest), mass);
        done.angular = vec3_madd(done.angular, vec3_cross(vec3_sub(x, x0), v0), mass);
    }
    return done;
}

// Are the forces at the end of a step those that it has applied, so that what it loses is known?
static bool loss_is_known(const Rod* rod, const Interval* i)
{
    const Model* model = model_of(rod);
    const Stepper* stepper = stepper_of(rod);
    return i->share == 1.0 && stepper->tells_losses && stepper->tells_losses(rod) &&
           (!model->is_physical || model->is_physical(rod));
}

static CordResult sample_actors(CordWorld* w, Rod* rod, const Interval* i, Turning* turning)
{
    double mass = 0.0;
    CordVec3 moment = {0, 0, 0};
    evaluate_frames(w, rod);
    for (int k = 0; k < rod->load_count; k++) {
        if (load_is_on(rod->loads[k], LOAD_ON_POINTS)) {
            sample_point_load(w, rod->loads[k], i, turning);
        } else {
            (i->ahead == 0.0 ? sample_flow : sample_flow_of_step)(w, rod->loads[k], rod, i);
        }
    }
    for (int n = 0; n < rod->line.node_count && !does_nothing(i); n++) {
        double here = rod_node_mass(rod, n);
        mass += here;
        moment = vec3_madd(moment, node_position(&rod->line, n), here);
    }
    sample_weight(w, mass, moment, i);
    for (int k = 0; k < rod->clamp_count; k++) { // they bear what the others do to their nodes
        if (!rod->clamps[k]->carrier) {
            CORD_TRY(sample_clamp(w, rod->clamps[k], i, turning));
        }
    }
    return CORD_OK;
}

// Of the strain rates in a step both ends tell: its damping is that of its end.
static void sample_damping(CordWorld* w, const Rod* rod, const Interval* i)
{
    CordVec3 none = {0, 0, 0};
    if (model_of(rod)->dissipation && i->ahead <= 0.0) {
        Interval whole = {i->to, i->share, -i->ahead, i->ahead};
        tally_spread(&w->ledger->damping, -model_of(rod)->dissipation(rod), none, none, &whole);
    }
}

CordResult ledger_sample_rod(CordWorld* w, Rod* rod)
{
    Interval interval = interval_of(w, rod);
    Turning turning = {0};
    if (ledger_tells_steps(rod)) {
        return CORD_OK;
    }
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->node_velocities(rod);
    }
    sample_damping(w, rod, &interval);
    return sample_actors(w, rod, &interval, &turning);
}

static void sample_step(CordWorld* w, Rod* rod, double ahead)
{
    Interval interval = step_of(w, rod, ahead);
    Turning turning = {0};
    CordWork lost = {0};
    bool known = loss_is_known(rod, &interval), loses = known && ahead < 0.0;
    CordVec3* f = w->ledger->f;
    memset(f, 0, sizeof *f * (size_t)rod->line.node_count);
    if (!does_nothing(&interval) && (loses || rod->clamp_count > 0)) {
        rod_inner_forces(rod, f);
        add_pull(rod, ahead > 0.0 ? rod->line.pull_next : rod->line.pull, f);
        lost = loses ? work_of_integrator(w, rod, f, -ahead) : lost;
        if (model_of(rod)->spin_forces) { // they do no work, and carry moments to frames
            model_of(rod)->spin_forces(rod, f);
        }
        for (int i = 0; i < rod->line.node_count && loses && rod->dynamic_twist; i++) {
            lost.angular = vec3_madd(lost.angular, vec3_cross(node_position(&rod->line, i), f[i]), -ahead);
        }
    }
    if (known && ahead > 0.0) {
        rod->tally = frames_now(w, rod);
    }
    sample_damping(w, rod, &interval);
    (void)sample_actors(w, rod, &interval, &turning); // of reduced rods alone it may fail
    if (loses) {
        CordVec3 none = {0, 0, 0}, turned = rod->dynamic_twist ? turning.angular : none;
        bool alone = !is_joined(w, rod), own = stepper_of(rod)->times(rod, 0.0).force_at == interval.share;
        WorldLedger* l = w->ledger; // contact makes steps by the midpoint rule end in backward Euler
        ledger_add_work(own ? &l->integrator.pending : &l->contact.pending, lost.work - turning.work,
                        alone ? lost.impulse : none, alone ? vec3_sub(lost.angular, turned) : none);
    }
}

CordResult ledger_reserve(CordWorld* w)
{
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        CORD_TRY(reserve_rod(w, slots_at(&w->rods, i)));
    }
    return CORD_OK;
}

void ledger_add_step(CordWorld* w, double ahead)
{
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (ledger_tells_steps(rod)) {
            sample_step(w, rod, ahead);
        }
    }
}

bool ledger_tells_any_step(const CordWorld* w)
{
    bool any = false;
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        any |= ledger_tells_steps(slots_at(&w->rods, i));
    }
    return any;
}

// ---- clamps that let go

CordWork ledger_stored(const CordWorld* w)
{
    CordWork sum = {0};
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        sum.work += elastic_energy(rod);
        for (int n = 0; n < rod->line.node_count; n++) {
            double mass = rod_node_mass(rod, n);
            CordVec3 x = node_position(&rod->line, n), v = node_velocity(&rod->line, n);
            sum.work -= mass * vec3_dot(w->gravity, x);
            sum.angular = vec3_madd(sum.angular, vec3_cross(x, v), mass);
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

void ledger_add_release(CordWorld* w, const Rod* rod)
{
    if (w->ledger && clamps_are_due(rod, w->time) && w->ledger->released_at != w->time) {
        w->ledger->released_at = w->time;
        w->ledger->stored = ledger_stored(w);
    }
}

// ---- bodies

CordResult ledger_sample_body(CordWorld* w, Body* body)
{
    const CordBodyState* now = body_now(w, body);
    CORD_TRY(now ? CORD_OK : ledger_no_memory(w));
    Interval interval = {.to = w->time, .share = 0.5};
    Turning turning = {0};
    sample_weight(w, body->def.mass, vec3_mul(now->position, body->def.mass), &interval);
    for (Link* link = body->loads.first; link; link = link->after) {
        Load* load = LIST_ENTRY(link, Load, link);
        TallySample s = {.valid = true, .x = {now->position}};
        load->kind->wrench(load, load_share(load, w->time), &s.f[0], &s.couple);
        s.t = quat_rotate(now->rotation, (CordVec3){0, 0, 1});
        s.m1 = quat_rotate(now->rotation, (CordVec3){1, 0, 0});
        tally_points(&load->tally, &s, &interval, &turning);
    }
    return CORD_OK;
}
