// The step of a world as a transaction.
#include "base/message.h"
#include "base/real.h"
#include "rod/grid.h"
#include "world/island.h"
#include "world/tasks.h"

#include <string.h>

#define MOST_HALVINGS 8 // retries at half the step
// The same in contact, where rods may approach at a thousand radii a step.
#define MOST_HALVINGS_TOUCHING 12

// ---- all rods

static StepInfo step_of(const CordWorld* w, const Rod* rod, double time, double h)
{
    return (StepInfo){time, h, stepper_of(rod)->times(rod, h).kick, w->gravity, rod_is_in_contact(w, rod)};
}

static CordResult predict_island(StepTask* task, const Island* island, double time)
{
    StepInfo step = step_of(task->world, island->rods[0], time, task->h);
    task->rod = island->rods[0];
    task->result =
        stepper_of(task->rod)->predict(island, &step, &task->scratch, &task->watch, &task->message);
    return task->result;
}

static void predict_task(void* context, int index)
{
    StepTask* task = (StepTask*)context + index;
    for (int i = task->first; i < task->last && task->result == CORD_OK; i++) {
        predict_island(task, &task->world->islands[i], task->world->time);
    }
}

static void settle_island(StepTask* task, const Island* island, double time)
{
    for (int i = 0; i < island->rod_count; i++) {
        Rod* rod = island->rods[i];
        if (stepper_of(rod)->settle) {
            StepInfo step = step_of(task->world, rod, time, task->h);
            stopwatch_start(&task->watch);
            stepper_of(rod)->settle(rod, &step);
            stopwatch_lap(&task->watch, &task->watch.times.frames);
        }
    }
}

// The ledger, if it is open, reads the forces of the step before frames settle.
static void commit_island(StepTask* task, const Island* island, double time)
{
    for (int i = 0; i < island->rod_count; i++) {
        StepInfo step = step_of(task->world, island->rods[i], time, task->h);
        ledger_add_kick(task->world, island->rods[i], &step);
        stopwatch_start(&task->watch);
        stepper_of(island->rods[i])->commit(island->rods[i], &step);
        stopwatch_lap(&task->watch, &task->watch.times.frames);
    }
    if (!task->world->ledger) {
        settle_island(task, island, time);
    }
}

static void commit_task(void* context, int index)
{
    StepTask* task = (StepTask*)context + index;
    for (int i = task->first; i < task->last; i++) {
        commit_island(task, &task->world->islands[i], task->world->time);
    }
}

static void settle_task(void* context, int index)
{
    StepTask* task = (StepTask*)context + index;
    for (int i = task->first; i < task->last; i++) {
        settle_island(task, &task->world->islands[i], task->world->time);
    }
}

// Takes several steps of each island before the next one, so that its arrays stay in the cache.
static void many_task(void* context, int index)
{
    StepTask* task = (StepTask*)context + index;
    for (int i = task->first; i < task->last && task->result == CORD_OK; i++) {
        const Island* island = &task->world->islands[i];
        double time = task->world->time;
        for (task->done = 0; task->done < task->steps; task->done++) {
            if (predict_island(task, island, time) != CORD_OK) {
                break;
            }
            commit_island(task, island, time);
            task->result = stepper_check_frames(island->rods[0], &task->message);
            if (task->result != CORD_OK) {
                break;
            }
            time += task->h;
        }
    }
}

static StepTask* make_tasks(CordWorld* w, double h, int steps)
{
    arena_reset(&w->scratch);
    int count = step_task_count(w);
    StepTask* tasks = arena_push(&w->scratch, StepTask, count);
    size_t scratch = step_task_scratch(w);
    for (int i = 0; i < count; i++) {
        tasks[i] = (StepTask){.world = w,
                              .first = (int)((int64_t)w->island_count * i / count),
                              .last = (int)((int64_t)w->island_count * (i + 1) / count),
                              .h = h,
                              .steps = steps,
                              .scratch = arena_slice(&w->scratch, scratch),
                              .watch = {.clock = w->watch.clock}};
    }
    return tasks;
}

static void add_times(CordWorld* w, const StepTask* tasks)
{
    for (int i = 0; i < step_task_count(w); i++) {
        stopwatch_add(&w->watch, &tasks[i].watch);
    }
}

CordStepTimes cord_world_step_times(const CordWorld* w)
{
    return w->watch.times;
}

// Reports the time, rod, node and likely cause. A step advice would describe the state after it diverged.
static CordResult step_failed(CordWorld* w, const StepTask* task)
{
    if (task->result == CORD_DIVERGED && !stepper_of(task->rod)->any_step) {
        return message_fail(&w->message, task->result,
                            "at t = %.9g s %s; the usual cause is too long a step (this one was %.3g s)",
                            w->time, task->message.text, task->h);
    }
    return message_fail(&w->message, task->result, "at t = %.9g s %s", w->time, task->message.text);
}

static CordResult first_failure(CordWorld* w, const StepTask* tasks)
{
    for (int i = 0; i < step_task_count(w); i++) {
        if (tasks[i].result != CORD_OK) {
            return step_failed(w, &tasks[i]);
        }
    }
    return CORD_OK;
}

// ---- the first step
//
// A rod's first step removes twist that nothing holds, and projects velocities onto lengths, welds and
// clamps. That is written in place, so a first step needs a snapshot of the whole world.

// Velocities of explicit rods lag behind positions once they have made a step, and are projected in it.
static bool rod_starts(const Rod* rod)
{
    bool changed = stepper_of(rod)->joins && rod->grid && rod->grid->changes;
    return !rod->rest.asleep && (rod->inextensible || rod->assembly) && (rod->last_step == 0.0 || changed);
}

static bool projection_is_due(const CordWorld* w, const Rod* rod)
{
    const Assembly* a = assembly_at(&w->assemblies, rod->assembly);
    return rod_starts(rod) || (a && stepper_of(rod)->joins && assembly_starts(a));
}

static bool anything_starts(const CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        if (!rod->stepped || rod_starts(rod)) {
            return true;
        }
    }
    return false;
}

static bool frames_may_fail(const CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        if (stepper_frames_may_fail(slots_at(&w->rods, i))) {
            return true;
        }
    }
    return false;
}

static void mark_first_steps(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod->stepped) {
            world_mark(w, rod, MARK_HELD);
        }
    }
}

// Implicit steps need velocities that satisfy length and weld constraints. They may not at the start, after
// velocities were set, and after nodes changed. Later steps keep the constraints. Explicit ones would do the
// same in their first step, and what stops nodes that a clamp holds would be a force over it.
static CordResult project_velocities(CordWorld* w, double h)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (projection_is_due(w, rod)) {
            clamps_apply(rod, w->time + h, h, rod->line.v);
            world_mark(w, NULL, MARK_STATE);
        }
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!projection_is_due(w, rod)) {
            continue;
        }
        const RodNow* now = rod_motion_now(w, rod);
        if (!now) {
            return CORD_NO_MEMORY;
        }
        for (int n = 0; n < rod->line.node_count; n++) {
            slot_set(rod->line.v, slot_of(&rod->line, n), now->v[n]);
        }
        centerline_wrap(&rod->line, rod->line.v);
        if (rod->grid && rod->grid->changes) {
            rod->grid->changes = false;
            world_mark(w, NULL, MARK_STATE);
        }
    }
    return bodies_project_velocities(w);
}

static CordResult check_step(CordWorld* w, double h)
{
    return isfinite(h) && h > 0.0 ? CORD_OK
                                  : message_fail(&w->message, CORD_BAD_ARGUMENT,
                                                 "a step of %g s was asked for; it must be positive", h);
}

static CordResult check_frames(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Message message;
        CordResult result = stepper_check_frames(slots_at(&w->rods, i), &message);
        if (result != CORD_OK) {
            return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
        }
    }
    return CORD_OK;
}

static CordResult release_twist(CordWorld* w)
{
    mark_first_steps(w);
    CORD_TRY(world_prepare(w));
    return check_frames(w);
}

static CordResult start(CordWorld* w, double h)
{
    LedgerTotals before = ledger_totals(w);
    CORD_TRY(release_twist(w));
    CORD_TRY(project_velocities(w, h));
    ledger_add_start(w, &before);
    return CORD_OK;
}

static CordResult take_snapshot(CordWorld* w)
{
    CORD_TRY(world_take_snapshot(w));
    w->has_snapshot = true;
    return CORD_OK;
}

// Engines of bodies are called here, so this is not done in parallel.
static CordResult join_assemblies(CordWorld* w, double h)
{
    Arena scratch = arena_slice(&w->scratch, join_scratch(w));
    for (int i = 0; i < w->assemblies.count; i++) {
        Island island = assembly_island(&w->assemblies.all[i]);
        StepInfo step = step_of(w, island.rods[0], w->time, h);
        Message message;
        CordResult result = stepper_of(island.rods[0])->join(&island, &step, &scratch, &w->watch, &message);
        if (result != CORD_OK) {
            return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
        }
    }
    return CORD_OK;
}

static CordResult predict_islands(CordWorld* w, StepTask** tasks, double h)
{
    *tasks = make_tasks(w, h, 1);
    world_run(w, predict_task, *tasks, step_task_count(w));
    return first_failure(w, *tasks);
}

// Takes the most iterations and the largest error over all rods, and adds them up over the substeps of a
// step.
static void report_substep(CordWorld* w)
{
    int most = 0, unfinished = 0;
    double error = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        rod->report.unfinished_part |= rod->report.unfinished;
        unfinished += rod->report.unfinished_part;
        most = rod->report.iterations > most ? rod->report.iterations : most;
        error = real_max(error, rod->report.error);
    }
    w->report.iterations += most;
    w->report.error += error;
    w->report.unfinished = unfinished; // in any substep so far
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

// Clamps let go at the end of the step that reaches their time, so that a failed step has released nothing.
// Fails where frames find no equilibrium; the snapshot of the step's start then undoes it.
static CordResult commit(CordWorld* w, StepTask* tasks, double h)
{
    ledger_add_step(w, STEP_BEGINS, h);
    ledger_add_obstacles(w, h);
    stopwatch_start(&w->watch);
    bodies_commit(w, h); // before the rods: welded frames follow the bodies
    stopwatch_lap(&w->watch, &w->watch.times.bodies);
    world_run(w, commit_task, tasks, step_task_count(w));
    if (ledger_reads_any_step(w)) { // only frames of such rods settle
        ledger_add_step(w, STEP_ACTS, h);
        world_run(w, settle_task, tasks, step_task_count(w));
    }
    add_times(w, tasks);
    CordResult result = check_frames(w);
    sleep_note_motion(w, h);
    w->frames_failed = result != CORD_OK;
    contact_keep_energy(w);
    w->time += h;
    world_mark(w, NULL, MARK_STATE);
    ledger_add_step(w, STEP_ENDS, h);
    world_switch_loads(w, h);
    world_release_clamps(w, w->time);
    report_substep(w);
    if (w->frames_failed) {
        contact_rollback(w);
    }
    return result;
}

static CordResult predict_awake(CordWorld* w, StepTask** tasks, double h)
{
    bool woken = true;
    while (woken) {
        CORD_TRY(predict_islands(w, tasks, h)); // every stepper, in parallel: forces and free motion
        CORD_TRY(sleep_wake_touched(w, h, &woken));
        CORD_TRY(woken ? world_prepare(w) : CORD_OK);
    }
    return CORD_OK;
}

// A rod that sleeps does not give way. Where contact drives something into it, all is done again with it
// awake: once for each rod at the most.
static CordResult predict_and_touch(CordWorld* w, StepTask** tasks, double h)
{
    for (;;) {
        CORD_TRY(predict_awake(w, tasks, h));
        CORD_TRY(join_assemblies(w, h)); // welds hold rods to bodies
        CORD_TRY(bodies_check(w, h));
        CordResult result = contact_solve(w, h); // pairs, times of impact, impulses within the friction cone
        bool solved = result == CORD_OK || result == CORD_NOT_CONVERGED;
        if (!solved || !sleep_wake_pushed(w)) {
            return result;
        }
        w->retry_is_futile = false;
        CORD_TRY(world_prepare(w));
    }
}

// Everything of a substep that may fail. Steppers write x_next and v_next alone; bodies have a snapshot.
static CordResult predict(CordWorld* w, StepTask** tasks, double h)
{
    CORD_TRY(bodies_fly(w, h)); // engines step their bodies
    CORD_TRY(predict_and_touch(w, tasks, h));
    return contact_commit(w, h); // the last call that may fail, and it then changes nothing
}

// All or nothing, unless it sets frames_failed.
static CordResult substep(CordWorld* w, double h)
{
    StepTask* tasks = NULL;
    w->retry_is_futile = w->frames_failed = false;
    w->bodies_flown = false;
    CORD_TRY(world_prepare(w));
    ledger_add_released(w);
    CordResult result = check_frames(w);
    w->retry_is_futile = result != CORD_OK; // a shorter step begins with the same frames
    CORD_TRY(result);
    CORD_TRY(ledger_reserve(w));
    CORD_TRY(world_reserve_restarts(w));
    result = predict(w, &tasks, h);
    if (result != CORD_OK) {
        bodies_rollback(w);
        contact_rollback(w);
        return result;
    }
    return commit(w, tasks, h);
}

static int most_halvings(const CordWorld* w)
{
    return w->contact.on ? MOST_HALVINGS_TOUCHING : MOST_HALVINGS;
}

// Length projection fails where an edge turns by more than about 0.2 rad in one step, as at the crack of a
// whip. The step is then taken as two of half its length, and so on. At the shortest length the failure is
// reported.
static CordResult step_halved(CordWorld* w, double h, int depth)
{
    w->halvings = depth;
    CordResult result = substep(w, h);
    if (result != CORD_NOT_CONVERGED || w->retry_is_futile || w->frames_failed || depth == most_halvings(w)) {
        return result;
    }
    log_write(&w->log, CORD_LOG_DEBUG, "at t = %.9g s a step of %.3g s is taken in halves again", w->time, h);
    CORD_TRY(step_halved(w, 0.5 * h, depth + 1));
    return step_halved(w, 0.5 * h, depth + 1);
}

static void begin_motions(CordWorld* w, double h)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_begin_step(slots_at(&w->rods, i), w->time, w->time + h);
    }
    obstacles_begin_step(w, w->time, w->time + h);
}

// Takes each part of the step in 2^depth pieces, which may be cut further.
static CordResult step_in_pieces(CordWorld* w, double h, int depth)
{
    int pieces = w->parts << depth;
    for (int i = 0; i < pieces; i++) {
        CORD_TRY(step_halved(w, h / pieces, depth));
    }
    return CORD_OK;
}

static CordResult begin(CordWorld* w, double h)
{
    begin_report(w);
    contact_begin_budget(w);
    ledger_begin_step(w);
    begin_motions(w, h);
    sleep_begin_step(w, h);
    return w->starting ? start(w, h) : CORD_OK;
}

static void restore_start(CordWorld* w) // from the snapshot, and what it does not keep of clamps
{
    world_restore(w, w->snapshot, w->snapshot_size);
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_rollback(slots_at(&w->rods, i));
    }
}

// Retries from the start of the step, which the snapshot keeps. A piece that failed is cut again, but what
// was committed before it, or with frames that failed, is undone first: the step is then taken anew in twice
// as many pieces.
static CordResult retry_halved(CordWorld* w, double h)
{
    log_write(&w->log, CORD_LOG_WARNING, "%s; the step is taken in halves", w->message.text);
    CORD_TRY(w->has_snapshot ? CORD_OK : take_snapshot(w));
    CordResult result = CORD_NOT_CONVERGED;
    for (int depth = 1; result == CORD_NOT_CONVERGED && depth <= most_halvings(w); depth++) {
        if (w->frames_failed || (depth == 1 && w->parts > 1)) {
            restore_start(w);
            CORD_TRY(begin(w, h));
        } else if (depth > 1) {
            break;
        }
        begin_report(w);
        result = step_in_pieces(w, h, depth);
    }
    w->retries++;
    return result;
}

static CordResult step_or_retry(CordWorld* w, double h)
{
    CordResult result = CORD_OK;
    w->halvings = 0;
    for (int i = 0; i < w->parts && result == CORD_OK; i++) {
        result = substep(w, h / w->parts);
    }
    return result == CORD_NOT_CONVERGED && !w->retry_is_futile ? retry_halved(w, h) : result;
}

static void commit_motions(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_commit_motion(slots_at(&w->rods, i), w->time);
    }
    obstacles_commit_motion(w);
}

// Names clamps out of reach, for which a step of any length fails. Their targets at the end of the step and
// the time at its start must still be there.
static void explain_failure(CordWorld* w, double h, CordResult result)
{
    bool asks = result == CORD_NOT_CONVERGED && !w->retry_is_futile;
    for (int i = 0; asks && i < w->rods.live_count; i++) {
        clamps_are_within_reach(slots_at(&w->rods, i), w->time + h, &w->message);
    }
}

static CordResult rollback(CordWorld* w, double h, CordResult result)
{
    if (w->has_snapshot) {
        world_restore(w, w->snapshot, w->snapshot_size);
        world_mark(w, NULL, MARK_KNOTS); // topology_check may have stored the knots of the step
    }
    explain_failure(w, h, result);
    for (int i = 0; i < w->rods.live_count; i++) {
        clamps_rollback(slots_at(&w->rods, i));
        loads_restore_masses(slots_at(&w->rods, i));
    }
    obstacles_rollback(w);
    return result;
}

static CordResult commit_step(CordWorld* w, double h)
{
    commit_motions(w);
    contact_commit_budget(w);
    bodies_forget_pushes(w);
    w->steps++;
    w->last_step = h;
    CORD_TRY(world_adapt(w));
    sleep_commit_step(w);
    return CORD_OK;
}

// On any result but CORD_OK the state is what it was before the call. A substep that fails leaves positions,
// velocities, frames and bodies as they were; rollback restores node masses that springs have changed. The
// rest is undone from a snapshot, which is taken where it is needed: before a first step, where knots are
// watched, where frames may find no equilibrium, before a step in several parts, and before one is retried.
CordResult cord_world_step(CordWorld* w, double h)
{
    CORD_TRY(check_no_branch(w, "no step is taken"));
    CORD_TRY(check_step(w, h));
    CORD_TRY(world_prepare(w));
    CORD_TRY(topology_begin(w));
    bool starts = anything_starts(w);
    w->has_snapshot = w->retry_is_futile = false;
    bool keeps = starts || w->parts > 1 || w->contact.watch_topology || frames_may_fail(w) || w->sleepers > 0;
    CORD_TRY(keeps ? take_snapshot(w) : CORD_OK);
    w->starting = starts;
    w->stepping = true;
    CordResult result = begin(w, h);
    result = result == CORD_OK ? step_or_retry(w, h) : result;
    result = result == CORD_OK ? topology_check(w) : result;
    result = result == CORD_OK ? commit_step(w, h) : result;
    w->starting = false;
    result = result == CORD_OK ? CORD_OK : rollback(w, h, result);
    if (result == CORD_OK) {
        ledger_add_switches(w, h);
        ledger_commit_step(w);
    }
    w->has_snapshot = w->stepping = false;
    if (starts) {
        world_trim_snapshot(w);
    }
    return result;
}

double cord_world_last_step(const CordWorld* w)
{
    return w->last_step;
}

CordAdviceMemory cord_world_advice_memory(const CordWorld* w)
{
    return w->advice_memory;
}

void cord_world_set_advice_memory(CordWorld* w, CordAdviceMemory memory)
{
    w->advice_memory = memory;
}

int64_t cord_world_retries(const CordWorld* w)
{
    return w->retries;
}

// ---- many steps

// Rods that nothing joins may be stepped one after the other, while no clamp lets go or jumps and no load
// comes or goes.
static bool rods_are_independent(const CordWorld* w, double h, int count)
{
    if (w->bodies.live_count > 0 || w->contact.on || world_is_adaptive(w) || ledger_reads_any_step(w)) {
        return false;
    }
    double end = w->time + h * ((double)count + 1.0);
    for (int i = 0; i < w->loads.live_count; i++) {
        if (load_switches(slots_at(&w->loads, i), w->time, end)) {
            return false;
        }
    }
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        if (clamp_is_due(clamp, end) || (clamp->holds && clamp_jumps(clamp, w->time, end))) {
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
    world_mark(w, NULL, MARK_STATE);
    if (count > 0) {
        commit_motions(w);
        begin_report(w);
        report_substep(w); // of the last step
    }
}

static bool many_steps_need_snapshot(const CordWorld* w)
{
    return w->rods.live_count > 1 || frames_may_fail(w);
}

// A single rod keeps its last good step. Several rods roll back together, to the start.
static CordResult finish_one_by_one(CordWorld* w, const StepTask* tasks, double h, int count)
{
    int done = 0;
    if (!many_steps_need_snapshot(w)) {
        done = tasks[0].done;
        count_steps(w, h, done);
        ledger_commit_step(w);
    } else {
        restore_start(w);
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
    if (anything_starts(w)) {
        CORD_TRY(cord_world_step(w, h));
        count--;
    }
    if (many_steps_need_snapshot(w)) {
        CORD_TRY(take_snapshot(w));
    }
    CORD_TRY(world_prepare(w));
    CORD_TRY(check_frames(w));
    ledger_begin_step(w);
    begin_motions(w, h);
    StepTask* tasks = make_tasks(w, h, count);
    world_run(w, many_task, tasks, step_task_count(w));
    add_times(w, tasks);
    for (int i = 0; i < step_task_count(w); i++) {
        if (tasks[i].result != CORD_OK) {
            return finish_one_by_one(w, tasks, h, count);
        }
    }
    count_steps(w, h, count);
    ledger_commit_step(w);
    return CORD_OK;
}
