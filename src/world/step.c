#include "base/log.h"
#include "base/real.h"
#include "rod/grid.h"
#include "rod/spring.h"
#include "solve/implicit.h"
#include "solve/lengths.h"
#include "world/rod_step.h"

#include <string.h>

#define MOST_HALVINGS 8 // of a step that does not converge
#define MOST_HALVINGS_TOUCHING                                                                               \
    12 // likewise, where rods may touch: they may come at each other at a thousand radii a step
#define MOST_TASKS 64 // groups of rods; more would not balance better and costs scratch

// ---- before a step

// Scratch of a task: the largest any of its rods needs.
static size_t task_scratch(const CordWorld* w)
{
    size_t most = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        size_t need = rod_is_implicit(rod)            ? system_scratch((Rod*)rod, NULL)
                      : rod->positioned || rod->modal ? model_ops(rod->model)->advance_scratch(rod)
                      : rod->inextensible             ? lengths_scratch(rod)
                                                      : 0;
        most = need > most ? need : most;
    }
    return most;
}

// Rods that are stepped side by side are not to be parted.
static int rods_together(const CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        if (((const Rod*)slots_at(&w->rods, i))->positioned) {
            return MODEL_LANES;
        }
    }
    return 1;
}

static int task_count(const CordWorld* w)
{
    int parts = (w->rods.live_count + w->together - 1) / w->together;
    return parts < MOST_TASKS ? parts : MOST_TASKS;
}

typedef struct RodsTask {
    CordWorld* world;
    int first, last; // rods [first, last)
    double h;
    int steps;
    int done; // steps of the task's last rod
    Arena scratch;
    Stopwatch watch;
    CordResult result;
    const Rod* rod; // that it failed at, or the first of several side by side
    Message message;
} RodsTask;

CordResult rod_prepare(CordWorld* w, Rod* rod)
{
    if (rod->held_changed) {
        rod_update_held(rod);
        CORD_TRY(model_ops(rod->model)->update_held(&w->memory, rod, w->time, &w->message));
        rod->held_changed = false;
    }
    return CORD_OK;
}

static CordResult reserve_backup(CordWorld* w, size_t size)
{
    if (size > w->backup_size) {
        void* larger = memory_alloc(&w->memory, size);
        if (!larger) {
            return message_fail(&w->message, CORD_NO_MEMORY, "no memory to keep the state before a step");
        }
        memory_free(&w->memory, w->backup, w->backup_size);
        w->backup = larger;
        w->backup_size = size;
    }
    return CORD_OK;
}

static bool any_may_fail(const CordWorld* w) // in a way that a shorter step may cure
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (rod->inextensible || rod_is_implicit(rod) || rod->assembly || rod->touched) {
            return true;
        }
    }
    return false;
}

CordResult world_prepare(const CordWorld* world)
{
    CordWorld* w = (CordWorld*)world; // tables follow from clamps: bringing them up to date changes nothing to be seen
    if (w->prepared == w->revision) {
        return CORD_OK;
    }
    bool changed = w->scratch.size == 0 || w->sizes_changed;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        changed |= rod->held_changed;
        CORD_TRY(rod_prepare(w, rod));
    }
    CORD_TRY(bodies_prepare(w, &changed));
    CORD_TRY(contact_prepare(w, &changed));
    if (changed) {
        w->together = rods_together(w);
        int tasks = task_count(w);
        size_t need = arena_space(sizeof(RodsTask), tasks + 1) + arena_space(task_scratch(w), 1) * (size_t)tasks +
                      arena_space(bodies_scratch(w), 1) + arena_space(contact_scratch(w), 1);
        if (!arena_reserve(&w->memory, &w->scratch, need)) {
            return message_fail(&w->message, CORD_NO_MEMORY, "no memory for the scratch of a step");
        }
        if (any_may_fail(w)) { // a step of theirs may have to be taken in halves
            CORD_TRY(reserve_backup(w, world_state_count(w)));
        }
    }
    w->sizes_changed = false;
    w->prepared = w->revision;
    return CORD_OK;
}

// ---- all rods

static void predict_task(void* context, int index)
{
    RodsTask* task = (RodsTask*)context + index;
    CordWorld* w = task->world;
    for (int i = task->first, count; i < task->last && task->result == CORD_OK; i += count) {
        Rod* rods[MODEL_LANES];
        count = rods_take(w, i, task->last, rods);
        task->rod = rods[0];
        StepInfo step = {w->time, task->h, rod_kick(rods[0], task->h), w->gravity};
        task->result = rods_predict(rods, count, &step, &task->scratch, &task->watch, &task->message);
    }
}

static void settle_task(void* context, int index)
{
    RodsTask* task = (RodsTask*)context + index;
    CordWorld* w = task->world;
    for (int i = task->first; i < task->last; i++) {
        Rod* rod = slots_at(&w->rods, i);
        StepInfo step = {w->time, task->h, rod_kick(rod, task->h), w->gravity};
        rod_settle(rod, &step, &task->watch);
    }
}

// Several steps of each rod before the next rod: its arrays stay in the cache.
static void many_task(void* context, int index)
{
    RodsTask* task = (RodsTask*)context + index;
    CordWorld* w = task->world;
    for (int i = task->first, count; i < task->last && task->result == CORD_OK; i += count) {
        Rod* rods[MODEL_LANES];
        double time = w->time;
        count = rods_take(w, i, task->last, rods);
        task->rod = rods[0];
        task->done = 0;
        for (int n = 0; n < task->steps && task->result == CORD_OK; n++) {
            StepInfo step = {time, task->h, rod_kick(rods[0], task->h), w->gravity};
            task->result = rods_predict(rods, count, &step, &task->scratch, &task->watch, &task->message);
            for (int k = 0; k < count && task->result == CORD_OK; k++) {
                rod_settle(rods[k], &step, &task->watch);
            }
            task->done += task->result == CORD_OK;
            time += task->h;
        }
    }
}

static int first_of(int rods, int each, int parts, int task, int count)
{
    int first = each * (int)((int64_t)parts * task / count);
    return first < rods ? first : rods;
}

static RodsTask* make_tasks(CordWorld* w, double h, int steps)
{
    arena_reset(&w->scratch);
    int count = task_count(w), rods = w->rods.live_count, each = w->together, parts = (rods + each - 1) / each;
    RodsTask* tasks = arena_push(&w->scratch, RodsTask, count + 1);
    size_t scratch = task_scratch(w);
    for (int i = 0; i < count; i++) {
        tasks[i] = (RodsTask){.world = w,
                              .first = first_of(rods, each, parts, i, count),
                              .last = first_of(rods, each, parts, i + 1, count),
                              .h = h,
                              .steps = steps,
                              .scratch = arena_slice(&w->scratch, scratch),
                              .watch = {.clock = w->watch.clock}};
    }
    return tasks;
}

static void add_times(CordWorld* w, const RodsTask* tasks)
{
    for (int i = 0; i < task_count(w); i++) {
        stopwatch_add(&w->watch, &tasks[i].watch);
    }
}

CordStepTimes cord_world_step_times(const CordWorld* w)
{
    return w->watch.times;
}

// When, which rod and node, and the likely cause. What would be advised now is for a state that is blown up already.
static CordResult step_failed(CordWorld* w, const RodsTask* task)
{
    if (task->result == CORD_DIVERGED && !task->rod->any_step) {
        return message_fail(&w->message, task->result,
                            "at t = %.9g s %s; the usual cause is too long a step (this one was %.3g s)",
                            w->time, task->message.text, task->h);
    }
    return message_fail(&w->message, task->result, "at t = %.9g s %s", w->time, task->message.text);
}

static CordResult first_failure(CordWorld* w, const RodsTask* tasks)
{
    for (int i = 0; i < task_count(w); i++) {
        if (tasks[i].result != CORD_OK) {
            return step_failed(w, &tasks[i]);
        }
    }
    return CORD_OK;
}

// A rod's first step lets go of twist that nothing holds. If the step fails, it did not happen.
static void start_rods(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        rod->held_changed |= !rod->started;
        rod->started = true;
    }
    w->prepared = -1;
}

static void unstart_rods(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        rod->held_changed |= rod->started != rod->stepped;
        rod->started = rod->stepped;
    }
    w->prepared = -1;
}

// Implicit steps go on with the velocities there are: at the start, once they have been set, and after nodes have changed, those must be such as lengths and welds allow. Later ones are.
static CordResult admit_velocities(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        bool bound = rod->inextensible || rod->assembly, changed = rod->grid && rod->grid->changes;
        if (!rod_is_implicit(rod) || (rod->last_step > 0.0 && !changed) || !bound) {
            continue;
        }
        const RodNow* now = rod_now(w, rod);
        if (!now) {
            return CORD_NO_MEMORY;
        }
        for (int n = 0; n < rod->line.node_count; n++) {
            slot_set(rod->line.v, slot_of(&rod->line, n), now->v[n]);
        }
        centerline_wrap(&rod->line, rod->line.v);
        if (changed) {
            rod->grid->changes = false;
            w->revision++;
        }
    }
    return bodies_admit_velocities(w);
}

static CordResult check_step(CordWorld* w, double h)
{
    return isfinite(h) && h > 0.0 ? CORD_OK
                                  : message_fail(&w->message, CORD_BAD_ARGUMENT,
                                                 "a step of %g s was asked for; it must be positive", h);
}

static CordResult keep_state(CordWorld* w)
{
    CORD_TRY(world_prepare(w));
    size_t size = world_state_count(w);
    CORD_TRY(reserve_backup(w, size));
    return cord_world_state_get(w, w->backup, size);
}

static CordResult predict_touching(CordWorld* w, double h)
{
    Arena scratch = arena_slice(&w->scratch, contact_scratch(w));
    stopwatch_start(&w->watch);
    CordResult result =
        contact_is_explicit(w) ? contact_respond(w, h, &scratch) : contact_step_implicit(w, h, &scratch);
    stopwatch_lap(&w->watch, contact_is_explicit(w) ? &w->watch.times.contact : &w->watch.times.implicit);
    return result;
}

// Bodies, and the rods that welds tie to them.
static CordResult predict_bodies(CordWorld* w, double h)
{
    Arena scratch = arena_slice(&w->scratch, bodies_scratch(w));
    CORD_TRY(bodies_advance(w, h, &scratch));
    CordResult touched = contact_is_on(w) ? predict_touching(w, h) : CORD_OK;
    touched = touched == CORD_OK ? contact_modal_respond(w, h) : touched;
    if (touched != CORD_OK) {
        bodies_go_back(w);
        return touched;
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        Message message;
        bool together = rod->assembly || rod->touched;
        CordResult result = together ? rod_check_speed(rod, rod_speed2(rod), h, &message) : CORD_OK;
        if (result != CORD_OK) {
            bodies_go_back(w);
            return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
        }
    }
    return CORD_OK;
}

static CordResult predict(CordWorld* w, RodsTask** tasks, double h)
{
    CORD_TRY(world_prepare(w));
    *tasks = make_tasks(w, h, 1);
    world_run(w, predict_task, *tasks, task_count(w));
    CORD_TRY(first_failure(w, *tasks));
    return predict_bodies(w, h);
}

// Of all implicit rods, most iterations and largest error; a step that was taken in parts has those of all of them.
static void report_part(CordWorld* w)
{
    int most = 0, unfinished = 0;
    double error = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        rod->report.unfinished_part |= rod->positioned && rod->report.unfinished;
        unfinished += rod->report.unfinished_part;
        if (rod_is_implicit(rod)) {
            most = rod->report.iterations > most ? rod->report.iterations : most;
            error = real_max(error, rod->report.error);
        }
    }
    w->report.iterations += most;
    w->report.error += error;
    w->report.unfinished = unfinished; // in any of the parts so far
}

static void begin_report(CordWorld* w)
{
    w->report.iterations = 0;
    w->report.error = 0.0;
    w->report.unfinished = 0;
    for (int i = 0; i < w->rods.live_count; i++) {
        ((Rod*)slots_at(&w->rods, i))->report.unfinished_part = false;
    }
}

CordStepReport cord_world_step_report(const CordWorld* w)
{
    CordStepReport report = w->report;
    for (int i = 0; i < w->rods.live_count; i++) {
        const RodReport* one = &((const Rod*)slots_at(&w->rods, i))->report;
        report.iterations_in_all += one->iterations_in_all;
        report.factorings_in_all += one->factorings_in_all;
        report.unfinished_in_all += one->unfinished_in_all;
    }
    return report;
}

// Clamps let go at the end of the step that reaches their time, so that a step that fails has let go of nothing.
static CordResult step_once(CordWorld* w, double h)
{
    RodsTask* tasks;
    start_rods(w);
    w->hopeless = false;
    CordResult result = world_prepare(w);
    result = result == CORD_OK ? admit_velocities(w) : result;
    result = result == CORD_OK ? predict(w, &tasks, h) : result;
    if (result != CORD_OK) {
        unstart_rods(w);
        return result;
    }
    CORD_TRY(contact_settle(w, h));
    CORD_TRY(contact_modal_settle(w));
    stopwatch_start(&w->watch);
    bodies_settle(w, h); // welded frames follow them
    stopwatch_lap(&w->watch, &w->watch.times.bodies);
    world_run(w, settle_task, tasks, task_count(w));
    add_times(w, tasks);
    w->time += h;
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_release(slots_at(&w->rods, i), w->time);
    }
    report_part(w);
    w->revision++;
    return CORD_OK;
}

// An edge that turns by a fifth of a radian in one step, as at the crack of a whip, is beyond the length projection: the step is then taken
// as two of half its length, and each of those again if need be. What fails at the shortest is not a matter of time.
static CordResult step_in_halves(CordWorld* w, double h, int depth)
{
    CordResult result = step_once(w, h);
    if (result != CORD_NOT_CONVERGED || w->hopeless ||
        depth == (w->contact.on ? MOST_HALVINGS_TOUCHING : MOST_HALVINGS)) {
        return result;
    }
    log_write(&w->log, CORD_LOG_DEBUG, "at t = %.9g s a step of %.3g s is taken in halves again", w->time, h);
    w->retries++;
    CORD_TRY(step_in_halves(w, 0.5 * h, depth + 1));
    return step_in_halves(w, 0.5 * h, depth + 1);
}

// From the start of the step, whose state comes back if it fails all the same.
static CordResult start_in_halves(CordWorld* w, double h)
{
    log_write(&w->log, CORD_LOG_WARNING, "%s; the step is taken in halves", w->message.text);
    begin_report(w);
    CORD_TRY(keep_state(w));
    w->retries++;
    CordResult result = step_in_halves(w, 0.5 * h, 1);
    result = result == CORD_OK ? step_in_halves(w, 0.5 * h, 1) : result;
    if (result != CORD_OK) {
        world_restore(w, w->backup, w->backup_size);
    }
    for (int i = 0; i < w->rods.live_count && result == CORD_NOT_CONVERGED; i++) { // what no step is short enough for
        clamps_are_within_reach(slots_at(&w->rods, i), w->time + h, &w->message);
    }
    return result;
}

static void set_out(CordWorld* w, double h)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_set_out(slots_at(&w->rods, i), w->time, w->time + h);
    }
    obstacles_set_out(w, w->time, w->time + h);
}

static void arrive(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_arrive(slots_at(&w->rods, i), w->time);
    }
    obstacles_arrive(w);
}

static CordResult give_up(CordWorld* w, CordResult result)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_give_up(slots_at(&w->rods, i));
        springs_drop(slots_at(&w->rods, i));
    }
    obstacles_give_up(w);
    return result;
}

// A step that changes a knot or a link did not happen.
static CordResult begin_watch(CordWorld* w)
{
    CORD_TRY(world_prepare(w));
    CORD_TRY(watch_begin(w));
    return w->contact.watch_topology ? keep_state(w) : CORD_OK;
}

static CordResult end_watch(CordWorld* w)
{
    CordResult result = watch_check(w);
    if (result != CORD_OK) {
        world_restore(w, w->backup, w->backup_size);
    }
    return result;
}

CordResult cord_world_step(CordWorld* w, double h)
{
    CORD_TRY(check_no_branch(w, "no step is taken"));
    CORD_TRY(check_step(w, h));
    CORD_TRY(begin_watch(w));
    begin_report(w);
    set_out(w, h);
    CordResult result = step_once(w, h);
    if (result == CORD_NOT_CONVERGED && !w->hopeless) {
        result = start_in_halves(w, h);
    }
    if (result == CORD_OK) {
        result = end_watch(w);
    }
    if (result != CORD_OK) {
        return give_up(w, result);
    }
    arrive(w);
    bodies_forget_pushes(w);
    w->steps++;
    w->last_step = h;
    result = world_adapt(w);
    if (result != CORD_OK) { // where knots are watched, the state before the step was kept
        world_restore(w, w->backup, w->backup_size);
    }
    return result;
}

double cord_world_last_step(const CordWorld* w)
{
    return w->last_step;
}

int64_t cord_world_retries(const CordWorld* w)
{
    return w->retries;
}

// ---- many steps

// Rods that nothing joins may be stepped one after the other, as long as no clamp lets go or jumps on the way.
static bool rods_are_independent(const CordWorld* w, double h, int count)
{
    if (w->bodies.live_count > 0 || w->contact.on || world_is_adaptive(w)) {
        return false;
    }
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        double end = w->time + h * ((double)count + 1.0);
        if (clamp->holds && (clamp->def.release <= end || clamp_jumps(clamp, w->time, end))) {
            return false;
        }
    }
    return true;
}

static CordResult step_one_by_one(CordWorld* w, double h, int count)
{
    for (int n = 0; n < count; n++) {
        CORD_TRY(cord_world_step(w, h));
    }
    return CORD_OK;
}

static void count_steps(CordWorld* w, double h, int count)
{
    for (int n = 0; n < count; n++) {
        w->time += h;
    }
    w->steps += count;
    w->last_step = count > 0 ? h : w->last_step;
    w->revision++;
    if (count > 0) {
        arrive(w);
        begin_report(w);
        report_part(w); // of the last
    }
}

// One rod stands at its last good step by itself; several must go back together, to find the step that all of them reach.
static CordResult finish_one_by_one(CordWorld* w, const RodsTask* tasks, double h, int count)
{
    int done = 0;
    if (w->rods.live_count == 1) {
        done = tasks[0].done;
        count_steps(w, h, done);
    } else {
        world_restore(w, w->backup, w->backup_size);
    }
    return step_one_by_one(w, h, count - done);
}

CordResult cord_world_step_many(CordWorld* w, double h, int count)
{
    CORD_TRY(check_no_branch(w, "no step is taken"));
    CORD_TRY(check_step(w, h));
    if (count < 4 || w->rods.live_count == 0 || !rods_are_independent(w, h, count)) {
        return step_one_by_one(w, h, count);
    }
    if (w->rods.live_count > 1) {
        CORD_TRY(keep_state(w));
    }
    set_out(w, h);
    start_rods(w);
    CordResult result = world_prepare(w);
    result = result == CORD_OK ? admit_velocities(w) : result;
    if (result != CORD_OK) {
        unstart_rods(w);
        return give_up(w, result);
    }
    RodsTask* tasks = make_tasks(w, h, count);
    world_run(w, many_task, tasks, task_count(w));
    add_times(w, tasks);
    for (int i = 0; i < task_count(w); i++) {
        if (tasks[i].result != CORD_OK) {
            return finish_one_by_one(w, tasks, h, count);
        }
    }
    count_steps(w, h, count);
    return CORD_OK;
}
