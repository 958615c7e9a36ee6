// Bodies in the step and in queries: their engines, and the assemblies that they form with rods.
#include "body/inertia.h"
#include "math/elementary.h"
#include "solve/joins.h"
#include "world/world.h"

#include <string.h>

// ---- time
//
// Bodies are staggered in time if the rods that they are welded to are.

static StepTimes bodies_times(const CordWorld* w, double h)
{
    const Weld* weld = w->welds.live_count > 0 ? slots_at(&w->welds, 0) : NULL;
    StepTimes times = weld ? stepper_of(weld->clamp.rod)->times(weld->clamp.rod, h) : (StepTimes){0};
    if (!weld || times.staggered) {
        times.kick = 0.5 * (w->body_step + h);
        times.lag = 0.5 * w->body_step;
    }
    return times;
}

double bodies_lag(const CordWorld* w)
{
    return bodies_times(w, 0.0).lag;
}

// ---- data derived from the welds

static size_t engine_size(const EngineUse* engine)
{
    return engine->ops->state_size ? engine->ops->state_size(engine->user) : 0;
}

static CordResult reserve_snapshot(CordWorld* w, EngineUse* engine)
{
    size_t size = engine_size(engine);
    if (size > engine->snapshot_size) {
        void* larger = memory_alloc(&w->memory, size);
        if (!larger) {
            return message_fail(&w->message, CORD_NO_MEMORY,
                                "no memory to keep the bodies' state before a step");
        }
        memory_free(&w->memory, engine->snapshot, engine->snapshot_size);
        engine->snapshot = larger;
        engine->snapshot_size = size;
    }
    return CORD_OK;
}

static CordResult make_joins(CordWorld* w, Assembly* a)
{
    if (!stepper_of(a->rods[0])->joins) {
        return CORD_OK;
    }
    Joins* joins = memory_array(&w->memory, Joins, 1);
    if (!joins) {
        return message_fail(&w->message, CORD_NO_MEMORY,
                            "no memory for rods and bodies that are welded together");
    }
    CordResult result = joins_create(&w->memory, joins, a, false, &w->message);
    if (result != CORD_OK) {
        memory_array_free(&w->memory, joins, 1);
        return result;
    }
    a->joins = joins;
    return CORD_OK;
}

CordResult bodies_reserve_engines(CordWorld* w)
{
    for (int i = 0; i < w->engine_count && w->bodies.live_count > 0; i++) {
        bool own = w->engines[i].ops == &body_engine_free; // its state grows with the number of bodies
        CORD_TRY(own && !(w->marks & MARK_WELDS) ? CORD_OK : reserve_snapshot(w, &w->engines[i]));
    }
    return CORD_OK;
}

CordResult bodies_prepare(CordWorld* w)
{
    if (!assemblies_find(&w->memory, &w->assemblies, &w->rods, &w->bodies, &w->welds)) {
        return message_fail(&w->message, CORD_NO_MEMORY,
                            "no memory for rods and bodies that are welded together");
    }
    for (int i = 0; i < w->assemblies.count; i++) {
        CORD_TRY(make_joins(w, &w->assemblies.all[i]));
    }
    return CORD_OK;
}

static size_t query_scratch(const Assembly* a)
{
    return welds_scratch(a) + arena_space(sizeof(BodyForce), a->body_count);
}

// ---- snapshot and rollback

static void snapshot_engine(EngineUse* engine)
{
    if (engine->ops == &body_engine_free) {
        free_bodies_snapshot(engine->user);
        return;
    }
    engine->snapshot_used = engine_size(engine);
    if (engine->snapshot_used > 0) {
        engine->ops->state_get(engine->user, engine->snapshot);
    }
}

static void snapshot(CordWorld* w)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        body->start_state = body->engine->get(body->engine_user, body->handle);
        if (body->engine != &body_engine_free) {
            body->start_L = tensor_mul(body_inertia(body).tensor, body->start_state.spin);
        }
    }
    for (int i = 0; i < w->engine_count; i++) {
        snapshot_engine(&w->engines[i]);
    }
}

void bodies_rollback(CordWorld* w)
{
    if (!w->bodies_flown) { // the step failed before
        return;
    }
    w->bodies_flown = false;
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        if (body->engine != &body_engine_free) {
            body->engine->set(body->engine_user, body->handle, &body->start_state);
        }
    }
    for (int i = 0; i < w->engine_count; i++) {
        const EngineUse* engine = &w->engines[i];
        if (engine->ops == &body_engine_free) {
            free_bodies_rollback(engine->user);
        } else if (engine->snapshot_used > 0) {
            engine->ops->state_set(engine->user, engine->snapshot, engine->snapshot_used);
        }
    }
}

// ---- forces on bodies

static BodyForce loads_on_body(const CordWorld* w, const Body* body)
{
    BodyForce f = {{0, 0, 0}, {0, 0, 0}};
    for (Link* link = body->loads.first; link; link = link->after) {
        const Load* load = LIST_ENTRY(link, Load, link);
        load->kind->wrench(load, load_share(load, w->time), &f.force, &f.torque);
    }
    return f;
}

// Returns the couple of the weld at its first tie, and zero at the others, so that it counts once.
static CordVec3 weld_couple(const Tie* tie)
{
    const Clamp* clamp = &tie->weld->clamp;
    return tie->k == 0 ? model_couple(clamp) : (CordVec3){0, 0, 0};
}

// All forces on a body but those of rods.
static BodyForce outside_force(const CordWorld* w, const Body* body)
{
    if (body->has_outside) {
        return (BodyForce){body->outside_force, body->outside_torque};
    }
    BodyForce f = loads_on_body(w, body);
    f.force = vec3_madd(f.force, w->gravity, body->def.mass);
    return f;
}

BodyForce body_force(const CordWorld* w, const Body* body)
{
    BodyForce f = outside_force(w, body);
    const Assembly* a = assembly_at(&w->assemblies, body->assembly);
    for (int t = 0; a && t < a->tie_count; t++) {
        if (a->ties[t].body == body->index) {
            f.torque = vec3_add(f.torque, weld_couple(&a->ties[t]));
        }
    }
    return f;
}

// ---- the step

// A frame follows its body by the nearest angle, which is the right one up to half a turn [rad].
#define MOST_TURN (0.75 * CORD_PI)

static bool carries_frame(const Body* body)
{
    for (Link* link = body->welds.first; link; link = link->after) {
        if (clamp_holds_frame(&LIST_ENTRY(link, Weld, link)->clamp)) {
            return true;
        }
    }
    return false;
}

static CordResult check_body(CordWorld* w, const Body* body, double h)
{
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    bool finite = vec3_finite(s.position) && vec3_finite(s.velocity) && vec3_finite(s.spin) &&
                  isfinite(quat_norm(s.rotation));
    if (!finite) {
        return message_fail(&w->message, CORD_DIVERGED,
                            "at t = %.9g s body '%s' diverged: its state is no longer finite", w->time,
                            body->name);
    }
    double turn = h * vec3_length(s.spin);
    return turn <= MOST_TURN || !carries_frame(body)
               ? CORD_OK
               : message_fail(
                     &w->message, CORD_NOT_CONVERGED,
                     "at t = %.9g s body '%s' makes %.3g turns in a step, more than the rods that are "
                     "welded to it can follow; take a shorter one",
                     w->time, body->name, turn / (2.0 * CORD_PI));
}

CordResult bodies_check(CordWorld* w, double h)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        CORD_TRY(check_body(w, slots_at(&w->bodies, i), h));
    }
    return CORD_OK;
}

static void add_wrenches(CordWorld* w, double kick, double h)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        const Body* body = slots_at(&w->bodies, i);
        body->engine->add_wrench(body->engine_user, body->handle, body->force, body->torque);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        const Body* body = world_body(w, load->def.body);
        if (body) {
            BodyForce f = {{0, 0, 0}, {0, 0, 0}};
            load->kind->wrench(load, load_share(load, w->time), &f.force, &f.torque);
            body->engine->add_wrench(body->engine_user, body->handle, f.force, f.torque);
        }
    }
    for (int i = 0; i < w->assemblies.count; i++) {
        const Assembly* a = &w->assemblies.all[i];
        for (int k = 0; k < a->rod_count; k++) { // welds_push needs it before the rods are predicted
            a->rods[k]->kick = stepper_of(a->rods[k])->times(a->rods[k], h).kick;
        }
        if (!a->joins) { // implicit rods apply their forces in the solve
            welds_push(a, kick);
        }
    }
}

// Applies the forces of rods, loads and pushes, and steps the engines. Rods and welds follow.
CordResult bodies_fly(CordWorld* w, double h)
{
    if (w->bodies.live_count == 0) {
        return CORD_OK;
    }
    StepTimes times = bodies_times(w, h);
    stopwatch_start(&w->watch);
    snapshot(w);
    w->bodies_flown = true;
    add_wrenches(w, times.kick, h);
    for (int i = 0; i < w->engine_count; i++) {
        w->engines[i].ops->step(w->engines[i].user, w->gravity, times.kick - times.after, h, times.after);
    }
    CordResult result = bodies_check(w, h);
    stopwatch_lap(&w->watch, &w->watch.times.bodies);
    return result;
}

// Measures what an engine adds by itself, such as contacts, joints or water: the change of momentum less the
// impulses of rods. It is stored as an impulse first. Positions are still those of the start of the step.
static void measure_impulse(Body* body)
{
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    CordBodyInertia inertia = body_inertia(body);
    body->has_outside = true;
    body->outside_force = vec3_mul(vec3_sub(s.velocity, body->start_state.velocity), inertia.mass);
    body->outside_torque = vec3_sub(tensor_mul(inertia.tensor, s.spin), body->start_L);
}

static void subtract_weld_impulses(const Assembly* a, double kick)
{
    for (int t = 0; t < a->tie_count; t++) {
        const Tie* tie = &a->ties[t];
        Body* body = a->bodies[tie->body];
        if (body->engine != &body_engine_free) {
            const Rod* rod = a->rods[tie->rod];
            CordVec3 pulled = vec3_mul(tie->weld->pull_next[tie->k], rod->kick);
            CordVec3 arm = vec3_sub(slot_get(rod->line.x, tie->slot), body->pose.point);
            CordVec3 turned = vec3_add(vec3_cross(arm, pulled), vec3_mul(weld_couple(tie), kick));
            body->outside_force = vec3_sub(body->outside_force, pulled);
            body->outside_torque = vec3_sub(body->outside_torque, turned);
        }
    }
}

static bool is_measured(const CordWorld* w, const Body* body)
{
    const Assembly* a = assembly_at(&w->assemblies, body->assembly);
    return body->engine != &body_engine_free && !(a && a->joins);
}

static void measure_outside_forces(CordWorld* w, double kick)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        if (is_measured(w, body)) {
            measure_impulse(body);
        }
    }
    for (int i = 0; i < w->assemblies.count; i++) {
        if (!w->assemblies.all[i].joins) {
            subtract_weld_impulses(&w->assemblies.all[i], kick);
        }
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        if (is_measured(w, body)) {
            body->outside_force = vec3_mul(body->outside_force, 1.0 / kick);
            body->outside_torque = vec3_mul(body->outside_torque, 1.0 / kick);
        }
    }
}

void body_refresh_pose(Body* body)
{
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    body->pose = (Pose){s.position, s.rotation};
}

void bodies_commit(CordWorld* w, double h)
{
    measure_outside_forces(w, bodies_times(w, h).kick);
    for (int i = 0; i < w->bodies.live_count; i++) {
        body_refresh_pose(slots_at(&w->bodies, i));
    }
    for (int i = 0; i < w->assemblies.count; i++) {
        welds_commit(&w->assemblies.all[i]);
    }
    w->body_step = h;
}

void bodies_forget_pushes(CordWorld* w)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        body->force = body->torque = (CordVec3){0, 0, 0};
    }
}

void welds_move_nodes(Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->carrier && k < clamp->node_count; k++) {
            slot_set(rod->line.x, slot_of(&rod->line, clamp->node[k]),
                     body_node(clamp->carrier, weld_of(clamp), k));
        }
    }
    centerline_wrap(&rod->line, rod->line.x);
}

// ---- the present state

static void synchronise_velocity(const CordWorld* w, Body* body, const BodyForce* f)
{
    double lag = bodies_lag(w);
    CordBodyInertia inertia = body_inertia(body);
    body->now = body->engine->get(body->engine_user, body->handle);
    body->now.velocity = vec3_madd(body->now.velocity, f->force, lag / inertia.mass);
    body->now.spin = vec3_madd(body->now.spin, tensor_solve(inertia.tensor, f->torque), lag);
    body->revision = w->revision;
}

CordResult assembly_now(CordWorld* w, Assembly* a)
{
    if (a->bodies[0]->revision == w->revision) {
        return CORD_OK;
    }
    for (int i = 0; i < a->rod_count; i++) {
        CORD_TRY(rod_now_open(w, a->rods[i]));
    }
    if (!arena_reserve(&w->memory, &w->query, query_scratch(a))) {
        return message_fail(&w->message, CORD_NO_MEMORY, "no memory for a query on body '%s'",
                            a->bodies[0]->name);
    }
    arena_reset(&w->query);
    BodyForce* forces = arena_push(&w->query, BodyForce, a->body_count);
    for (int i = 0; i < a->body_count; i++) {
        forces[i] = outside_force(w, a->bodies[i]);
    }
    for (int t = 0; t < a->tie_count; t++) {
        BodyForce* f = &forces[a->ties[t].body];
        f->torque = vec3_add(f->torque, weld_couple(&a->ties[t]));
    }
    for (int i = 0; i < a->body_count; i++) {
        synchronise_velocity(w, a->bodies[i], &forces[i]);
    }
    Arena rest = w->query; // each query uses the rest of the arena in turn
    welds_velocities(a, &rest);
    rest = w->query;
    welds_tensions(a, forces, &rest);
    return CORD_OK;
}

const CordBodyState* body_now(const CordWorld* world, const Body* const_body)
{
    CordWorld* w = (CordWorld*)world; // a cache is not part of the visible state
    Body* body = (Body*)const_body;
    if (world_prepare(w) != CORD_OK) {
        return NULL;
    }
    Assembly* a = assembly_at(&w->assemblies, body->assembly);
    if (a && assembly_now(w, a) != CORD_OK) {
        return NULL;
    }
    if (body->revision != w->revision) {
        BodyForce f = body_force(w, body);
        synchronise_velocity(w, body, &f);
    }
    return &body->now;
}

// Rods count all of their mass. What moves with a joint is in its nodes, so that only the inertia that a
// joint has beyond them is its own.
CordEnergy body_energy_now(const CordWorld* w, const Body* body, CordMomentum* momentum)
{
    CordEnergy energy = body_energy(body, w->gravity, &body->now);
    *momentum = body_momentum(body, &body->now);
    for (Link* link = body->welds.first; link && body->is_joint; link = link->after) {
        const Clamp* clamp = &LIST_ENTRY(link, Weld, link)->clamp;
        for (int k = 0; k < clamp->node_count; k++) {
            int node = clamp->node[k];
            double mass = clamp->joint_mass_share * rod_lumped_mass(clamp->rod, node);
            CordVec3 x = node_position(&clamp->rod->line, node), v = clamp->rod->now.v[node];
            energy.kinetic -= 0.5 * mass * vec3_dot(v, v);
            energy.gravity += mass * vec3_dot(w->gravity, x);
            momentum->linear = vec3_madd(momentum->linear, v, -mass);
            momentum->angular = vec3_madd(momentum->angular, vec3_cross(x, v), -mass);
        }
    }
    return energy;
}

bool assembly_starts(const Assembly* a)
{
    for (int i = 0; i < a->rod_count; i++) {
        if (a->rods[i]->last_step == 0.0) {
            return true;
        }
    }
    return false;
}

CordResult bodies_project_velocities(CordWorld* w)
{
    for (int i = 0; i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        const Assembly* a = assembly_at(&w->assemblies, body->assembly);
        bool moving = a && !a->joins && w->body_step != 0.0; // staggered, as its rods are
        if (!a || moving || !assembly_starts(a)) {
            continue;
        }
        const CordBodyState* now = body_now(w, body);
        if (!now) {
            return CORD_NO_MEMORY;
        }
        CordBodyState admitted = *now;
        body->engine->set(body->engine_user, body->handle, &admitted);
    }
    return CORD_OK;
}

CordResult bodies_before_weld(CordWorld* w)
{
    bool first = w->welds.live_count == 0 && bodies_lag(w) > 0.0;
    for (int i = 0; first && i < w->bodies.live_count; i++) {
        if (!body_now(w, slots_at(&w->bodies, i))) {
            return CORD_NO_MEMORY;
        }
    }
    return CORD_OK;
}

void bodies_after_weld(CordWorld* w, const Body* welded, double lag)
{
    bool together = lag > 0.0 && bodies_lag(w) == 0.0;
    for (int i = 0; together && i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        body->engine->set(body->engine_user, body->handle, &body->now);
    }
    for (Link* link = welded->welds.first; link; link = link->after) {
        Rod* rod = LIST_ENTRY(link, Weld, link)->clamp.rod;
        rod->last_step = stepper_of(rod)->joins ? 0.0 : rod->last_step;
    }
}

CordResult weld_reaction_now(const CordWorld* world, const Weld* weld, CordVec3* force, CordVec3* torque)
{
    CordWorld* w = (CordWorld*)world;
    *force = *torque = (CordVec3){0, 0, 0};
    CORD_TRY(world_prepare(w));
    CORD_TRY(assembly_now(w, assembly_at(&w->assemblies, weld->body->assembly)));
    const Clamp* clamp = &weld->clamp;
    const Pose* pose = &weld->body->pose;
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3 arm = quat_rotate(pose->rotation, vec3_sub(clamp->offset[k], clamp->point));
        *force = vec3_add(*force, weld->pull_now[k]);
        *torque = vec3_add(*torque, vec3_cross(arm, weld->pull_now[k]));
    }
    *torque = vec3_add(*torque, weld_couple(&(Tie){.weld = (Weld*)weld}));
    return CORD_OK;
}

// ---- state

static void visit_body(Body* body, Bytes* b)
{
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    bytes_doubles(b, &s.position.x, 3);
    bytes_doubles(b, &s.rotation.x, 4);
    bytes_doubles(b, &s.velocity.x, 3);
    bytes_doubles(b, &s.spin.x, 3);
    bytes_doubles(b, &body->force.x, 3);
    bytes_doubles(b, &body->torque.x, 3);
    bytes_bool(b, &body->has_outside);
    bytes_doubles(b, &body->outside_force.x, 3);
    bytes_doubles(b, &body->outside_torque.x, 3);
    if (b->mode == BYTES_READ && !b->failed) {
        body->engine->set(body->engine_user, body->handle, &s);
    }
}

// Whole words, copied bit by bit, so that the bytes of any engine pass through.
static void visit_engine(EngineUse* engine, Bytes* b)
{
    size_t size = engine_size(engine);
    unsigned char* snapshot = engine->snapshot;
    bytes_expect(b, (int64_t)size);
    if (size > 0 && (b->mode == BYTES_WRITE || b->mode == BYTES_HASH)) {
        engine->ops->state_get(engine->user, snapshot);
    }
    bytes_doubles(b, engine->snapshot, (int)(size / 8));
    for (size_t i = size / 8 * 8; i < size; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < size; k++) {
            word |= (uint64_t)snapshot[i + k] << (8 * k);
        }
        bytes_u64(b, &word);
        for (size_t k = 0; k < 8 && i + k < size; k++) {
            snapshot[i + k] = (unsigned char)(word >> (8 * k));
        }
    }
    if (size > 0 && b->mode == BYTES_READ && !b->failed) {
        b->failed |= !engine->ops->state_set(engine->user, snapshot, size);
    }
}

void body_state(Body* body, Bytes* b)
{
    visit_body(body, b);
    if (body->engine == &body_engine_free) {
        free_body_state(body->handle, b);
    }
    if (b->mode == BYTES_READ) {
        body_refresh_pose(body);
    }
}

void bodies_state(CordWorld* w, Bytes* b)
{
    if (w->bodies.live_count == 0) {
        return;
    }
    bytes_expect(b, w->bodies.live_count);
    bytes_expect(b, w->welds.live_count);
    bytes_double(b, &w->body_step);
    for (int i = 0; i < w->bodies.live_count; i++) {
        visit_body(slots_at(&w->bodies, i), b);
    }
    for (int i = 0; i < w->welds.live_count; i++) {
        Weld* weld = slots_at(&w->welds, i);
        bytes_doubles(b, &weld->pull[0].x, 3);
        bytes_doubles(b, &weld->pull[1].x, 3);
    }
    for (int i = 0; i < w->engine_count; i++) {
        visit_engine(&w->engines[i], b);
    }
    for (int i = 0; i < w->bodies.live_count && b->mode == BYTES_READ; i++) {
        body_refresh_pose(slots_at(&w->bodies, i));
    }
}
