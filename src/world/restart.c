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

// What starts anew together. All bodies are at one time, so that all rods that are welded start together.
typedef struct Start {
    List rods;
    bool bodies;
} Start;

static void add_rod(Start* start, Rod* rod)
{
    if (!rod->starts && is_staggered(rod)) {
        rod->starts = true;
        list_append(&start->rods, &rod->start);
    }
}

static bool rod_lags(const Rod* rod)
{
    return stepper_of(rod)->times(rod, 0.0).lag > 0.0;
}

static void add_welded(const CordWorld* w, Start* start)
{
    start->bodies = true;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (rod->assembly) {
            add_rod(start, rod);
        }
    }
}

// The rod, and all that start with it, if any of them lags.
static void add_lagging(const CordWorld* w, Start* start, Rod* rod)
{
    bool bodies = rod->assembly && bodies_lag(w) > 0.0;
    if (rod->assembly && !start->bodies && (bodies || rod_lags(rod))) {
        add_welded(w, start);
    } else if (!rod->assembly && rod_lags(rod)) {
        add_rod(start, rod);
    }
}

static void add_all_if_any_lags(const CordWorld* w, Start* start)
{
    bool any = bodies_lag(w) > 0.0;
    for (int i = 0; i < w->rods.live_count && !any; i++) {
        any = rod_lags(slots_at(&w->rods, i));
    }
    start->bodies |= any;
    for (int i = 0; any && i < w->rods.live_count; i++) {
        add_rod(start, slots_at(&w->rods, i));
    }
}

// ---- the restart

static Rod* rod_of_start(Link* link)
{
    return LIST_ENTRY(link, Rod, start);
}

// Solves for all velocities before any is changed. False: there is no memory for it.
static bool find_velocities(CordWorld* w, const Start* start)
{
    for (Link* link = start->rods.first; link; link = link->after) {
        if (!rod_motion_now(w, rod_of_start(link))) {
            return false;
        }
    }
    for (int i = 0; start->bodies && i < w->bodies.live_count; i++) {
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

static void advance(CordWorld* w, const Start* start)
{
    for (Link* link = start->rods.first; link; link = link->after) { // with the velocities of all
        ledger_add_lag(w, rod_of_start(link));
    }
    for (Link* link = start->rods.first; link; link = link->after) {
        advance_rod(w, rod_of_start(link));
    }
    for (int i = 0; start->bodies && i < w->bodies.live_count; i++) {
        Body* body = slots_at(&w->bodies, i);
        body->engine->set(body->engine_user, body->handle, &body->now);
    }
    w->body_step = start->bodies ? 0.0 : w->body_step;
}

// Where there is no memory, rods go on as they are.
static void restart(CordWorld* w, Start* start, double ago)
{
    if (!start->rods.first && !start->bodies) {
        return;
    }
    start->bodies &= bodies_lag(w) > 0.0;
    Message kept = w->message;
    double now = w->time;
    bool found = world_prepare(w) == CORD_OK;
    if (ago > 0.0) { // loads are those that have acted up to now
        w->time -= ago;
        world_mark(w, NULL, MARK_STATE);
    }
    if (found && find_velocities(w, start)) {
        advance(w, start);
    }
    for (Link* link = start->rods.first; link; link = link->after) {
        rod_of_start(link)->starts = false;
    }
    w->time = now;
    w->message = kept;
    world_mark(w, NULL, MARK_STATE);
}

static void add(const CordWorld* w, Start* start, Rod* rod)
{
    if (rod) {
        add_lagging(w, start, rod);
    } else {
        add_all_if_any_lags(w, start);
    }
}

void world_restart_leapfrog(CordWorld* w, Rod* rod)
{
    Start start = {0};
    add(w, &start, rod);
    restart(w, &start, 0.0);
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
    Start start = {0};
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        if (load_switches(load, w->time - h, w->time)) {
            add(w, &start, load->rod);
        }
    }
    restart(w, &start, h);
}

void world_release_clamps(CordWorld* w, double time)
{
    Start start = {0};
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (clamps_are_due(rod, time)) {
            add(w, &start, rod);
        }
    }
    restart(w, &start, 0.0);
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        bool moved;
        ledger_add_release(w, rod);
        if (clamps_release(rod, time, &moved)) {
            world_mark(w, rod, MARK_HELD);
        }
        if (moved) {
            stepper_update_frames(rod, time, 0.0);
        }
    }
}
