// What clamps, loads, damping and integrators do, for the ledger. Forces of all actors are read at the start
// and at the end of an interval. With the share a of its end, a force f at a point x has done the work
//
//     W = ((1 - a) f_old + a f_new) . (x_new - x_old)
//
// The interval is the time between two updates: where it has n steps in which forces act at the share b
// (StepTimes.force_at), a is 1/2 + (b - 1/2) / n, which is exact if f changes linearly with time. For b = 1/2
// it is the work of a force in Verlet steps, summed in another order. Of rods that are read in every step
// (ledger_reads_steps) the interval is each substep, and f are the forces that the step has solved for, at
// x_old + b (x_new - x_old): the end for backward Euler, the middle for the midpoint rule.
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
    sum->exchanged += sign * part->exchanged;
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
// The error is of second order in their sizes, and perpendicular to both axes. Their spin tells how many
// turns they have made, and how far a body has turned.
static CordVec3 rotation_between(const TallySample* a, const TallySample* b)
{
    double half = 0.5 * (b->time - a->time);
    if (b->t.x == 0.0 && b->t.y == 0.0 && b->t.z == 0.0) {
        return vec3_mul(vec3_add(a->spin, b->spin), half);
    }
    double near = b->turn + half * (vec3_dot(a->spin, a->t) + vec3_dot(b->spin, b->t));
    CordVec3 axis = vec3_cross(a->t, b->t);
    double sine = vec3_length(axis), angle = cord_atan2(sine, vec3_dot(a->t, b->t));
    double spin = frame_unwrap(frame_angle(frame_transport(a->m1, a->t, b->t), b->m1, b->t), near);
    return vec3_madd(vec3_mul(axis, sine > 0.0 ? angle / sine : 1.0), b->t, spin);
}

static CordVec3 blend(CordVec3 a, CordVec3 b, double share)
{
    return vec3_add(vec3_mul(a, 1.0 - share), vec3_mul(b, share));
}

typedef struct Interval {
    double to;    // its end [s]
    double share; // of forces at its end, or of a step at which they act
    double h;     // of a step, for rods that are read in each [s]; 0: the interval is between two updates
    LedgerMoment moment;
} Interval;

static Interval interval_of(const CordWorld* w, const Rod* rod)
{
    double n = (double)(w->steps - w->ledger->steps);
    double share = stepper_of(rod)->times(rod, 0.0).force_at;
    return (Interval){.to = w->time, .share = 0.5 + (share - 0.5) / (n > 1.0 ? n : 1.0)};
}

typedef struct Turning { // what acts on the frames of a rod in an interval
    double work;         // [J]
    CordVec3 angular;    // [N m s]
} Turning;

// Adds what an actor that pushes at points has done since its last sample to *sum, and what its couple has to
// *turning. For rods that are read in every step, the last sample has the forces.
static void tally_points(WorkTally* tally, TallySample* now, const Interval* i, CordWork* sum,
                         Turning* turning)
{
    const TallySample *last = &tally->last, *to = i->h > 0.0 ? last : now;
    double dt = i->h > 0.0 ? i->h : i->to - last->time;
    now->time = i->to;
    if (last->valid && now->valid) {
        CordVec3 mean = blend(last->couple, now->couple, i->share), couple = i->h > 0.0 ? last->acts : mean;
        CordVec3 force = {0, 0, 0}, moment = couple;
        double turned = vec3_dot(mean, rotation_between(last, now)); // exact where it grows with the angle
        double work = now->kinetic - last->kinetic + turned;
        for (int k = 0; k < 2; k++) {
            CordVec3 f = blend(last->f[k], to->f[k], i->share);
            CordVec3 start = i->h > 0.0 ? blend(last->x[k], now->x[k], i->share) : last->x[k];
            CordVec3 end = i->h > 0.0 ? start : now->x[k];
            work += vec3_dot(f, vec3_sub(now->x[k], last->x[k]));
            force = vec3_add(force, f);
            moment =
                vec3_add(moment, blend(vec3_cross(start, last->f[k]), vec3_cross(end, to->f[k]), i->share));
        }
        ledger_add_work(sum, work, vec3_madd(vec3_sub(now->linear, last->linear), force, dt),
                        vec3_madd(vec3_sub(now->angular, last->angular), moment, dt));
        turning->work += turned;
        turning->angular = vec3_madd(turning->angular, couple, dt);
    }
    tally->last = i->h > 0.0 ? (TallySample){0} : *now; // every step begins with its own
}

// Adds a rod's part of a force that is spread over rods.
static void tally_spread(WorkTally* tally, double power, CordVec3 force, CordVec3 moment, const Interval* i)
{
    if (i->h > 0.0) {
        ledger_add_work(&tally->pending, i->h * power, vec3_mul(force, i->h), vec3_mul(moment, i->h));
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

// Vector of an edge at the share of a step that was committed: x_next has where it began.
static CordVec3 edge_in_step(const Rod* rod, int edge, double share)
{
    const CordCenterline* c = &rod->line;
    int a = slot_of(c, edge), b = slot_of(c, edge_end(c, edge));
    return blend(vec3_sub(slot_get(c->x_next, b), slot_get(c->x_next, a)), edge_vector(c, edge), share);
}

// What held nodes have: the clamp gives them all of it but what they share along the axis that it slides by.
static void place_held_nodes(const Clamp* clamp, TallySample* s)
{
    const Rod* rod = clamp->rod;
    double slide = clamp->def.slides ? clamp_slide(clamp, rod->line.v) : 0.0;
    for (int k = 0; k < clamp->node_count; k++) {
        double mass = rod_node_mass(rod, clamp->node[k]);
        CordVec3 x = node_position(&rod->line, clamp->node[k]), v = node_velocity(&rod->line, clamp->node[k]);
        v = clamp->def.slides ? vec3_madd(v, clamp->axis, -slide) : v;
        s->x[k] = x;
        s->kinetic += 0.5 * mass * vec3_dot(v, v);
        s->linear = vec3_madd(s->linear, v, mass);
        s->angular = vec3_madd(s->angular, vec3_cross(x, v), mass);
    }
}

// The clamp bears what others do to its nodes. Along the axis that it slides by, they share what forces give
// them all together.
static void bear_forces(const CordWorld* w, const Clamp* clamp, TallySample* s)
{
    const Rod* rod = clamp->rod;
    CordVec3* f = w->ledger->f;
    double whole = 0.0, push = 0.0;
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3* here = &f[clamp->node[k]];
        *here = vec3_madd(*here, w->gravity, rod_node_mass(rod, clamp->node[k]));
        *here = vec3_add(*here, ledger_pushed_by_contact(w, clamp, k));
        push += clamp->def.slides ? vec3_dot(*here, clamp->axis) : 0.0;
        whole += rod_node_mass(rod, clamp->node[k]);
    }
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        CordVec3 slides =
            vec3_mul(clamp->axis, clamp->def.slides ? push * rod_node_mass(rod, node) / whole : 0.0);
        s->f[k] = vec3_sub(slides, f[node]);
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

static CordVec3 couple_of(const Clamp* clamp, CordVec3 t)
{
    return clamp->def.has_torque ? vec3_mul(t, clamp->def.torque) : vec3_mul(model_couple(clamp), -1.0);
}

static CordResult sample_clamp(const CordWorld* w, Clamp* clamp, const Interval* i, Turning* turning)
{
    TallySample s = {.valid = clamp->holds};
    WorkTally* tally = &clamp->tally;
    if (clamp->holds && model_of(clamp->rod)->reduced) {
        CORD_TRY(sample_support(w, clamp, &s));
    } else if (clamp->holds) {
        tally->sum.exchanged += fabs(tally->sum.work - tally->counted); // that steps have added
        if (clamp->edge >= 0) {
            frame_of_edge(w, clamp->rod, clamp->edge, &s);
            s.couple = couple_of(clamp, s.t);
            s.turn = clamp_motion_turn(clamp, tally->last.time, i->to);
        }
    }
    tally_points(tally, &s, i, &tally->sum, turning);
    tally->counted = tally->sum.work;
    return CORD_OK;
}

// For rods that are read in every step. What a carrier does, its body loses: that has no entry.
static void add_clamp(const CordWorld* w, Clamp* clamp, const Interval* i, Turning* turning)
{
    WorkTally* tally = &clamp->tally;
    CordWork unused = {0}, *sum = clamp->carrier ? &unused : &tally->pending;
    const Rod* rod = clamp->rod;
    TallySample s = {.valid = clamp->holds, .time = i->to};
    if (clamp->holds && i->moment == STEP_ACTS) {
        bear_forces(w, clamp, &tally->last);
        if (clamp->edge >= 0) {
            CordVec3 t = vec3_unit(edge_in_step(rod, clamp->edge, i->share)),
                     now = edge_tangent(&rod->line, clamp->edge);
            CordVec3 couple = couple_of(clamp, now); // about the edge, but of position-based rods
            couple = vec3_madd(couple, now, -ledger_turned_by_contact(w, clamp));
            tally->last.acts = i->share == 1.0 ? couple : vec3_mul(t, vec3_dot(couple, now));
        }
    }
    if (i->moment == STEP_ACTS) {
        return;
    }
    if (clamp->holds) {
        place_held_nodes(clamp, &s);
        if (clamp->edge >= 0) {
            frame_of_edge(w, rod, clamp->edge, &s);
            s.couple = couple_of(clamp, s.t);
            s.turn = clamp_motion_turn(clamp, tally->last.time, i->to);
        }
    }
    if (i->moment == STEP_BEGINS) {
        tally->last = s;
    } else {
        tally_points(tally, &s, i, sum, turning);
    }
}

static TallySample place_of_load(const CordWorld* w, const Load* load)
{
    const CordCenterline* c = &load->rod->line;
    TallySample s = {.valid = true, .time = w->time, .x = {node_position(c, load->node)}};
    if (load->edge >= 0) {
        const Model* model = model_of(load->rod);
        double spin = model->spin ? model->spin(load->rod).now[slot_of(c, load->edge)] : 0.0;
        frame_of_edge(w, load->rod, load->edge, &s);
        s.spin = vec3_mul(s.t, spin);
        s.x[1] = node_position(c, edge_end(c, load->edge));
    }
    return s;
}

// A torque on an edge is a couple of forces on its two nodes, and a torque about its tangent.
static void push_by_load(const Load* load, const LoadPoint* at, CordVec3 v, TallySample* s)
{
    double acts = load_share(load, at->time);
    LoadTerms terms = acts > 0.0 ? load->kind->terms(load, acts, at) : (LoadTerms){0};
    CordVec3 force = vec3_madd(terms.force, v, -terms.damping), none = {0, 0, 0};
    bool on_edge = load->edge >= 0;
    s->f[0] = on_edge ? vec3_mul(force, -1.0) : force;
    s->f[1] = on_edge ? force : none;
    s->couple = on_edge ? vec3_mul(vec3_unit(at->edge), terms.torque) : none;
}

static void sample_point_load(const CordWorld* w, Load* load, const Interval* i, Turning* turning)
{
    const CordCenterline* c = &load->rod->line;
    TallySample s = place_of_load(w, load);
    LoadPoint at = {.time = w->ledger->load_time,
                    .x = s.x[0],
                    .from = s.x[0],
                    .ahead = s.x[0],
                    .edge = vec3_sub(s.x[1], s.x[0])};
    push_by_load(load, &at, node_velocity(c, load->node), &s);
    tally_points(&load->tally, &s, i, &load->tally.sum, turning);
}

// What the force of a tether did in a step beyond what its potential fell by and its damper took.
static double unresolved_work(const Load* load, const TallySample* last, const TallySample* now, double h)
{
    CordVec3 moved = vec3_sub(now->x[0], last->x[0]);
    LoadPoint from = {.x = last->x[0]}, to = {.x = now->x[0]};
    double fall = load->kind->energy(load, 1.0, &from) - load->kind->energy(load, 1.0, &to);
    double damped = load->def.damping * vec3_dot(moved, moved) / h;
    double work = vec3_dot(last->f[0], moved);
    return vec3_length(last->f[0]) > 0.0 ? work - fall + damped : 0.0; // one that does not act has no force
}

// At a share of the step; at its end loads count that act until then.
static double load_time(const CordWorld* w, double h, double share)
{
    double time = w->time + share * h;
    return share == 1.0 ? time_just_before(time) : time;
}

// For rods that are read in every step.
static void add_point_load(const CordWorld* w, Load* load, const Interval* i, Turning* turning)
{
    const Rod* rod = load->rod;
    const CordCenterline* c = &rod->line;
    TallySample now = place_of_load(w, load), *s = &load->tally.last;
    if (i->moment == STEP_BEGINS) {
        *s = now;
    } else if (i->moment == STEP_ENDS) {
        now.couple = s->couple;
        double more = load->kind->tether ? unresolved_work(load, s, &now, i->h) : 0.0;
        tally_points(&load->tally, &now, i, &load->tally.pending, turning);
        load->tally.pending.work -= more; // it is the integrator's
        turning->work -= more;
    } else {
        bool first = stepper_of(rod)->times(rod, 0.0).pushes_first && !load->kind->tether;
        double share = first ? 0.0 : i->share;
        CordVec3 x0 = s->x[0], moved = vec3_sub(now.x[0], x0);
        LoadPoint at = {.time = load_time(w, i->h, share), .from = x0};
        at.ahead = vec3_madd(x0, slot_get(c->v_next, slot_of(c, load->node)), i->h); // after the commit, v0
        if (load->kind->tether && share == 0.5) {
            LoadTether tether = load->kind->tether(load, at.from, at.ahead);
            double mass = assembly_mass(assembly_at(&w->assemblies, rod->assembly), rod);
            share = tether_share(&tether, mass, i->h);
        }
        at.x = vec3_madd(x0, moved, share);
        at.edge = load->edge >= 0 ? edge_in_step(rod, load->edge, share) : at.edge;
        push_by_load(load, &at, vec3_mul(moved, 1.0 / i->h), s);
        s->acts = s->couple;
        for (int k = 0; k < (load->edge >= 0 ? 2 : 1); k++) {
            CordVec3* f = &w->ledger->f[k == 0 ? load->node : edge_end(c, load->edge)];
            *f = vec3_add(*f, s->f[k]);
        }
    }
}

static void sample_flow(const CordWorld* w, Load* load, const Rod* rod, const Interval* i)
{
    double power = 0.0;
    CordVec3 force = {0, 0, 0}, moment = {0, 0, 0};
    const RodNow* now = rod_now(w, rod);
    for (int n = 0; now && load_acts(load, w->ledger->load_time) && n < rod->line.node_count; n++) {
        CordVec3 f = load_flow_force(load, rod, rod->line.x, n, now->v[n], w->time);
        power += vec3_dot(f, now->v[n]);
        force = vec3_add(force, f);
        moment = vec3_add(moment, vec3_cross(node_position(&rod->line, n), f));
    }
    tally_spread(&load->tally, power, force, moment, i);
}

// Implicit and position-based steps have drag at the mean velocity and along the tangents of their start, and
// solve for it.
static void add_flow(const CordWorld* w, Load* load, const Rod* rod, const Interval* i)
{
    const CordCenterline* c = &rod->line;
    double time = load_time(w, i->h, stepper_of(rod)->times(rod, 0.0).pushes_first ? 0.0 : i->share);
    CordWork done = {0};
    for (int n = 0; load_acts(load, time) && n < c->node_count; n++) {
        CordVec3 a = slot_get(c->x_next, slot_of(c, n)), b = node_position(c, n), moved = vec3_sub(b, a);
        CordVec3 f = load_flow_force(load, rod, c->x_next, n, vec3_mul(moved, 1.0 / i->h), time);
        w->ledger->f[n] = vec3_add(w->ledger->f[n], f);
        done.work += vec3_dot(f, moved);
        done.impulse = vec3_madd(done.impulse, f, i->h);
        done.angular = vec3_madd(done.angular, vec3_cross(blend(a, b, i->share), f), i->h);
    }
    ledger_add_work(&load->tally.pending, done.work, done.impulse, done.angular);
}

// `moment` is the sum of mass times position.
static void sample_weight(CordWorld* w, double mass, CordVec3 moment, const Interval* i)
{
    tally_spread(&w->ledger->gravity, 0.0, vec3_mul(w->gravity, mass), vec3_cross(moment, w->gravity), i);
}

// Of a rod whose nodes are at the share of a step between those of x_next and the present ones, or at these.
static void sample_weight_of(CordWorld* w, const Rod* rod, const Interval* i)
{
    const CordCenterline* c = &rod->line;
    double mass = 0.0;
    CordVec3 moment = {0, 0, 0};
    for (int n = 0; n < c->node_count; n++) {
        double here = rod_node_mass(rod, n);
        CordVec3 x = node_position(c, n);
        x = i->h > 0.0 ? blend(slot_get(c->x_next, slot_of(c, n)), x, i->share) : x;
        mass += here;
        moment = vec3_madd(moment, x, here);
    }
    sample_weight(w, mass, moment, i);
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
        framed |= rod->clamps[i]->edge >= 0;
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
    bool ready = ledger_reserve(w) == CORD_OK;
    for (int i = 0; ready && i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (ledger_reads_steps(rod)) {
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

// ---- rods that are read in every step

static void inner_forces(const Rod* rod, double time, CordVec3* f)
{
    if (stepper_of(rod)->forces) {
        stepper_of(rod)->forces(rod, time, f);
        return;
    }
    rod_inner_forces(rod, f);
    for (int i = 0; i < rod->line.node_count && rod->inextensible; i++) {
        f[i] = vec3_add(f[i], rod_node_pull(rod, i, rod->line.pull));
    }
}

bool ledger_reads_steps(const Rod* rod)
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
    bool tells = stepper_of(rod)->times(rod, 0.0).lag == 0.0 && !model_of(rod)->reduced;
    const RodNow* now = tells && !is_joined(w, rod) ? rod_now(w, rod) : NULL;
    for (int i = 0; now && i < rod->line.node_count; i++) {
        CordVec3 v = node_velocity(&rod->line, i);
        CordVec3 more = vec3_mul(vec3_sub(now->v[i], v), rod_node_mass(rod, i));
        double work = 0.5 * vec3_dot(more, vec3_add(now->v[i], v));
        sum->work += work;
        sum->exchanged -= work; // a projection takes energy
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

// Where forces F act at the share b of a step, x - x0 = h u and u - v0 = b h F / m. Kinetic energy and
// angular momentum change by what F does, at x0 + b (x - x0), and by what is left over: m |u - v0|^2 / 2 and
// (x - x0) m v0 for backward Euler, and nothing for the midpoint rule. Of F, inner forces f work by other
// than they take from the elastic energy and from the spin of frames. What is left over in each of these is
// the integrator's. Angular momentum that is restored makes another v of u, and where overlaps were put right
// in positions alone, `shift` tells by how much more than h u nodes have moved. After the commit x_next and
// v_next have x0 and v0. What the frames have more at the end, and what turns them, is still to be taken off.
static CordWork work_of_integrator(const Rod* rod, bool shifts, const CordVec3* f, const Interval* i)
{
    const CordCenterline* c = &rod->line;
    CordWork done = {0};
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        double mass = c->w[s] > 0.0 ? 1.0 / c->w[s] : 0.0;
        const Clamp* clamp = clamp_in_space(rod, n);
        CordVec3 x = slot_get(c->x, s), x0 = slot_get(c->x_next, s), moved = vec3_sub(x, x0);
        CordVec3 v = free_part(clamp, c->v, s), v0 = free_part(clamp, c->v_next, s), more = vec3_sub(v, v0);
        CordVec3 u =
            vec3_mul(vec3_sub(free_part(clamp, c->x, s), free_part(clamp, c->x_next, s)), 1.0 / i->h);
        CordVec3 solved = shifts ? vec3_madd(u, slot_get(rod->shift, s), -1.0 / i->h) : u;
        CordVec3 push = vec3_mul(vec3_sub(solved, v0), 1.0 / i->share); // h F / m
        done.work += mass * (0.5 * vec3_dot(more, vec3_add(v, v0)) - vec3_dot(push, u));
        done.work += vec3_dot(f[n], moved);
        done.impulse = vec3_madd(done.impulse, vec3_sub(more, push), mass);
        done.angular = vec3_madd(done.angular, vec3_cross(x, more), mass);
        done.angular = vec3_madd(done.angular, vec3_cross(moved, v0), mass);
        done.angular = vec3_madd(done.angular, vec3_cross(blend(x0, x, i->share), push), -mass);
    }
    return done;
}

// Are the forces of its steps known, so that what they lose is known?
static bool loss_is_known(const Rod* rod)
{
    const Model* model = model_of(rod);
    return !stepper_hidden_loss(rod) && (!model->is_physical || model->is_physical(rod));
}

static CordResult sample_actors(CordWorld* w, Rod* rod, const Interval* i)
{
    Turning turning = {0};
    evaluate_frames(w, rod);
    for (int k = 0; k < rod->load_count; k++) {
        if (load_is_on(rod->loads[k], LOAD_ON_POINTS)) {
            sample_point_load(w, rod->loads[k], i, &turning);
        } else {
            sample_flow(w, rod->loads[k], rod, i);
        }
    }
    sample_weight_of(w, rod, i);
    for (int k = 0; k < rod->clamp_count; k++) {
        if (!rod->clamps[k]->carrier) {
            CORD_TRY(sample_clamp(w, rod->clamps[k], i, &turning));
        }
    }
    return CORD_OK;
}

// Clamps come last: they bear what the others do to their nodes.
static Turning add_actors(CordWorld* w, Rod* rod, const Interval* i)
{
    Turning turning = {0};
    evaluate_frames(w, rod);
    for (int k = 0; k < rod->load_count; k++) {
        if (load_is_on(rod->loads[k], LOAD_ON_POINTS)) {
            add_point_load(w, rod->loads[k], i, &turning);
        } else if (i->moment == STEP_ACTS) {
            add_flow(w, rod->loads[k], rod, i);
        }
    }
    for (int k = 0; k < rod->clamp_count; k++) {
        add_clamp(w, rod->clamps[k], i, &turning);
    }
    return turning;
}

static void sample_damping(CordWorld* w, const Rod* rod, const Interval* i)
{
    CordVec3 none = {0, 0, 0};
    if (model_of(rod)->dissipation) {
        tally_spread(&w->ledger->damping, -model_of(rod)->dissipation(rod), none, none, i);
    }
}

CordResult ledger_sample_rod(CordWorld* w, Rod* rod)
{
    Interval interval = interval_of(w, rod);
    if (ledger_reads_steps(rod)) {
        return CORD_OK;
    }
    if (model_of(rod)->reduced) {
        model_of(rod)->reduced->node_velocities(rod);
    }
    sample_damping(w, rod, &interval);
    return sample_actors(w, rod, &interval);
}

static void begin_step(CordWorld* w, Rod* rod, const Interval* i)
{
    if (loss_is_known(rod)) {
        rod->tally = frames_now(w, rod);
    }
    (void)add_actors(w, rod, i);
}

// The moment of nodal forces about the origin, at the positions where they act.
static CordVec3 moment_of(const Rod* rod, const CordVec3* f, double share)
{
    CordVec3 sum = {0, 0, 0};
    for (int n = 0; n < rod->line.node_count; n++) {
        CordVec3 x =
            blend(slot_get(rod->line.x_next, slot_of(&rod->line, n)), node_position(&rod->line, n), share);
        sum = vec3_add(sum, vec3_cross(x, f[n]));
    }
    return sum;
}

static void add_forces(CordWorld* w, Rod* rod, const Interval* i)
{
    const Stepper* stepper = stepper_of(rod);
    CordVec3* f = w->ledger->f;
    bool known = loss_is_known(rod);
    memset(f, 0, sizeof *f * (size_t)rod->line.node_count);
    rod->tally.lost = (CordWork){0};
    if (known || rod->clamp_count > 0) {
        inner_forces(rod, w->time + i->share * i->h, f);
        rod->tally.lost = known ? work_of_integrator(rod, rod_is_in_contact(w, rod), f, i) : rod->tally.lost;
        CordVec3 moment = moment_of(rod, f, i->share);
        if (!stepper->forces && model_of(rod)->spin_forces) { // they do no work, and carry moments to frames
            model_of(rod)->spin_forces(rod, f);
            // half of them act at the end of the step, on its last velocities
            moment = vec3_mul(vec3_add(moment, moment_of(rod, f, i->share)), 0.5);
        }
        if (known && rod->dynamic_twist) {
            rod->tally.lost.angular = vec3_madd(rod->tally.lost.angular, moment, i->h);
        }
    }
    sample_weight_of(w, rod, i);
    (void)add_actors(w, rod, i);
}

static void end_step(CordWorld* w, Rod* rod, const Interval* i)
{
    Turning turning = add_actors(w, rod, i);
    sample_damping(w, rod, i);
    if (!loss_is_known(rod)) {
        return;
    }
    RodTally before = rod->tally;
    rod->tally = frames_now(w, rod);
    CordVec3 none = {0, 0, 0}, turned = rod->dynamic_twist ? turning.angular : none;
    turned = vec3_add(turned, rod->made.turned_by_contact);
    CordVec3 angular = vec3_add(before.lost.angular, vec3_sub(rod->tally.spin, before.spin));
    double work = before.lost.work + rod->tally.inner - before.inner - turning.work - rod->made.by_contact;
    rod->made.by_contact = 0.0;
    rod->made.turned_by_contact = none;
    work += model_of(rod)->dissipation ? i->h * model_of(rod)->dissipation(rod) : 0.0;
    bool alone = !is_joined(w, rod), own = stepper_of(rod)->times(rod, 0.0).force_at == i->share;
    WorldLedger* l = w->ledger; // contact makes steps by the midpoint rule end in backward Euler
    CordWork done = {work, own ? 0.0 : fabs(work), alone ? before.lost.impulse : none,
                     alone ? vec3_sub(angular, turned) : none};
    ledger_add_to(own ? &l->integrator.pending : &l->contact.pending, &done, 1.0);
    rod->made.pending += own ? work : 0.0;
}

CordResult ledger_reserve(CordWorld* w)
{
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        CORD_TRY(reserve_rod(w, slots_at(&w->rods, i)));
    }
    return CORD_OK;
}

void ledger_add_step(CordWorld* w, LedgerMoment moment, double h)
{
    static void (*const at[])(CordWorld*, Rod*, const Interval*) = {begin_step, add_forces, end_step};
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (ledger_reads_steps(rod)) {
            Interval step = {w->time, stepper_of(rod)->times(rod, h).force_at, h, moment};
            at[moment](w, rod, &step);
        }
    }
}

bool ledger_reads_any_step(const CordWorld* w)
{
    bool any = false;
    for (int i = 0; w->ledger && i < w->rods.live_count; i++) {
        any |= ledger_reads_steps(slots_at(&w->rods, i));
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
        TallySample s = {.valid = true, .x = {now->position}, .spin = now->spin};
        load->kind->wrench(load, load_share(load, w->ledger->load_time), &s.f[0], &s.couple);
        tally_points(&load->tally, &s, &interval, &load->tally.sum, &turning);
    }
    return CORD_OK;
}
