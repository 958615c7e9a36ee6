// Restarts of leapfrog steps. Velocities are those of half a step ago, and the next kick spans half of each
// adjacent step. Where a clamp lets go, or a load comes or goes, the kick would have it in one half too
// many: velocities are brought to the time of the positions by the forces up to then, and the next kick is
// that of a first step.
#include "world/world.h"

#include <float.h>

static bool is_staggered(const Rod* rod)
{
    return stepper_of(rod)->times(rod, 1.0).staggered;
}

// All bodies are at one time, so that all rods that are welded start together. NULL: everything does.
static bool starts_with(const Rod* rod, const Rod* other)
{
    return !rod || rod == other || (rod->assembly && other->assembly);
}

static bool starts_bodies(const CordWorld* w, const Rod* rod)
{
    return (!rod || rod->assembly) && bodies_lag(w) > 0.0;
}

// Solves for all velocities before any is changed. False: there is no memory for it.
static bool find_velocities(CordWorld* w, const Rod* rod)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* other = slots_at(&w->rods, i);
        if (starts_with(rod, other) && is_staggered(other) && !rod_motion_now(w, other)) {
            return false;
        }
    }
    for (int i = 0; starts_bodies(w, rod) && i < w->bodies.live_count; i++) {
        if (!body_now(w, slots_at(&w->bodies, i))) {
            return false;
        }
    }
    return true;
}

static void advance_rod(CordWorld* w, Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double lag = stepper_of(rod)->times(rod, 0.0).lag;
    for (int i = 0; i < c->node_count; i++) {
        slot_set(c->v, slot_of(c, i), rod->now.v[i]);
    }
    centerline_wrap(c, c->v);
    if (model_of(rod)->advance_spin && lag > 0.0) {
        model_of(rod)->advance_spin(rod, w->time, lag);
    }
    rod->last_step = 0.0;
}

static void advance(CordWorld* w, const Rod* rod)
{
    bool bodies = starts_bodies(w, rod);
    for (int i = 0; i < w->rods.live_count; i++) { // with the velocities of all
        const Rod* other = slots_at(&w->rods, i);
        if (starts_with(rod, other) && is_staggered(other)) {
            ledger_add_lag(w, other);
        }
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* other = slots_at(&w->rods, i);
        if (starts_with(rod, other) && is_staggered(other)) {
            advance_rod(w, other);
        }
    }
    for (int i = 0; bodies && i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        body->engine->set(body->engine_user, body->handle, &body->now);
    }
    w->body_step = bodies ? 0.0 : w->body_step;
}

static bool lags(const CordWorld* w, const Rod* rod)
{
    bool any = starts_bodies(w, rod);
    for (int i = 0; i < w->rods.live_count && !rod && !any; i++) {
        const Rod* other = slots_at(&w->rods, i);
        any = stepper_of(other)->times(other, 0.0).lag > 0.0;
    }
    return any || (rod && stepper_of(rod)->times(rod, 0.0).lag > 0.0);
}

// Where there is no memory, rods go on as they are.
void world_restart_leapfrog(CordWorld* w, const Rod* rod, double ago)
{
    if (!lags(w, rod)) {
        return;
    }
    Message kept = w->message;
    double now = w->time;
    bool found = world_prepare(w) == CORD_OK;
    if (ago > 0.0) { // loads are those that have acted up to now
        w->time -= ago;
        world_mark(w, NULL, MARK_STATE);
    }
    if (found && find_velocities(w, rod)) {
        advance(w, rod);
    }
    w->time = now;
    w->message = kept;
    world_mark(w, NULL, MARK_STATE);
}

static CordResult reserve(const CordWorld* w, const Rod* rod)
{
    bool ready = !is_staggered(rod) || rod->now.f || rod_motion_now(w, rod);
    return ready ? CORD_OK : CORD_NO_MEMORY;
}

// In the first step, so that those that follow allocate nothing.
CordResult world_reserve_restarts(const CordWorld* w)
{
    bool all = false;
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        if (clamp->holds && isfinite(clamp->def.release)) {
            all |= clamp->rod->assembly;
            CORD_TRY(reserve(w, clamp->rod));
        }
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        if (load_switches(load, w->time, DBL_MAX)) {
            all |= !load->rod || load->rod->assembly;
            CORD_TRY(load->rod ? reserve(w, load->rod) : CORD_OK);
        }
    }
    for (int i = 0; all && i < w->rods.live_count; i++) {
        CORD_TRY(reserve(w, slots_at(&w->rods, i)));
    }
    return CORD_OK;
}

// Loads act in whole steps: up to now, those of the step's start have.
void world_switch_loads(CordWorld* w, double h)
{
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        if (load_switches(load, w->time - h, w->time)) {
            world_restart_leapfrog(w, load->rod, h);
        }
    }
}

void world_release_clamps(CordWorld* w, double time)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        bool moved;
        if (clamps_are_due(rod, time)) {
            world_restart_leapfrog(w, rod, 0.0);
        }
        ledger_add_release(w, rod);
        if (clamps_release(rod, time, &moved)) {
            world_mark(w, rod, MARK_HELD);
        }
        if (moved) {
            stepper_update_frames(rod, time, 0.0);
        }
    }
}
