// Contact of position-based rods: those that it moves are solved for once more, side by side, and tell how
// they give way.
#include "base/real.h"
#include "world/contact_parts.h"

#include <string.h>

#define GROUPS_EACH 16 // that are worth a task
// For how rods give way that touch each other [bytes]: further ones go by the masses of their nodes.
#define MOST_MEMORY 2.5e8

// ---- in groups

static bool fits(Rod* const* group, int count, const Rod* rod)
{
    const Stepper* stepper = stepper_of(rod);
    return count < stepper->batch && stepper_of(group[0]) == stepper && stepper->alike(group[0], rod);
}

typedef struct Groups {
    Rod** rods;
    int* stage;  // where they are
    int* starts; // (count + 1)
    int count, rod_count;
} Groups;

static Groups make_groups(const CordWorld* w, Arena* scratch)
{
    int all = w->touch->touching.stage.rod_count;
    return (Groups){.rods = arena_push(scratch, Rod*, all),
                    .stage = arena_push(scratch, int, all + 1),
                    .starts = arena_push(scratch, int, all + 1)};
}

static void add_to_groups(Groups* g, const Stage* st, int at)
{
    Rod* rod = st->rods[at].rod;
    int first = g->count > 0 ? g->starts[g->count - 1] : 0;
    if (g->count == 0 || !fits(g->rods + first, g->rod_count - first, rod)) {
        g->starts[g->count++] = g->rod_count;
    }
    g->stage[g->rod_count] = at;
    g->rods[g->rod_count++] = rod;
    g->starts[g->count] = g->rod_count;
}

static int tasks_of(int groups)
{
    int most = (groups + GROUPS_EACH - 1) / GROUPS_EACH;
    return most < CONTACT_TASKS ? most : CONTACT_TASKS;
}

static BatchTask* run_tasks(CordWorld* w, const Groups* g, void (*task)(void* context, int index), double h,
                            const ContactRound* round, size_t need, Arena* scratch)
{
    int count = tasks_of(g->count);
    size_t lanes = round ? contact_compliance_scratch(w) : 0;
    BatchTask* tasks = arena_push(scratch, BatchTask, CONTACT_TASKS);
    for (int i = 0; i < count; i++) {
        tasks[i] = (BatchTask){.world = w,
                               .rods = g->rods,
                               .stage = g->stage,
                               .starts = g->starts,
                               .first = (int)((int64_t)g->count * i / count),
                               .last = (int)((int64_t)g->count * (i + 1) / count),
                               .h = h,
                               .round = round,
                               .lanes = lanes,
                               .scratch = arena_slice(scratch, need)};
    }
    world_run(w, task, tasks, count);
    return tasks;
}

static StepInfo step_of(const BatchTask* task)
{
    return (StepInfo){task->world->time, task->h, task->h, task->world->gravity, true};
}

// ---- solved for once more

// Does contact move it otherwise than when it was last solved for in this step? If so, from now on it does
// not.
static bool is_displaced(const StageRod* r, const StageMove* moved, const StageMove* redone)
{
    size_t nodes = sizeof *moved->x * (size_t)r->node_count,
           segments = sizeof *moved->spin * (size_t)r->segment_count;
    CordVec3 *x = redone->x + r->first_node, *now = moved->x + r->first_node;
    double *spin = redone->spin + r->first_segment, *spin_now = moved->spin + r->first_segment;
    bool displaced = memcmp(x, now, nodes) != 0 || memcmp(spin, spin_now, segments) != 0;
    memcpy(x, now, nodes);
    memcpy(spin, spin_now, segments);
    return displaced;
}

static void redo_task(void* context, int index)
{
    BatchTask* task = (BatchTask*)context + index;
    StepInfo step = step_of(task);
    for (int g = task->first; g < task->last; g++) {
        Rod* const* rods = task->rods + task->starts[g];
        int count = task->starts[g + 1] - task->starts[g];
        Message message; // it cannot fail
        stepper_of(rods[0])->apply(rods, count, &step, &task->scratch, &message);
    }
}

void contact_redo_batches(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    size_t need = contact_batch_scratch(w);
    if (need == 0) {
        return;
    }
    arena_reset(scratch);
    Groups g = make_groups(w, scratch);
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        if (contact_is_batched(r->rod) && is_displaced(r, &c->blows.moved, &c->redone)) {
            contact_apply_impulses(r, &c->blows.moved, h);
            add_to_groups(&g, st, i);
        }
    }
    run_tasks(w, &g, redo_task, h, NULL, need, scratch);
    for (int i = 0; i < g.rod_count; i++) {
        contact_measure_rod(st, &st->rods[g.stage[i]], &c->since, h);
    }
}

// ---- how they give way

static bool tells(const Rod* rod)
{
    return contact_is_batched(rod) && stepper_of(rod)->compliance_scratch(rod) > 0;
}

static size_t entries_of(int touched) // of W
{
    return 16 * (size_t)touched * (size_t)touched;
}

static void ask(BatchTask* task, int group)
{
    const Yields* y = &task->world->touch->yields;
    Compliance wanted[STEPPER_BATCH];
    Rod* const* rods = task->rods + task->starts[group];
    int count = task->starts[group + 1] - task->starts[group];
    StepInfo step = step_of(task);
    for (int i = 0; i < count; i++) {
        const YieldRod* rod = &y->rods[task->stage[task->starts[group] + i]];
        wanted[i] = (Compliance){rod->W ? rod->count : 0, y->node + rod->first, rod->W};
    }
    if (tells(rods[0])) {
        stepper_of(rods[0])->compliance(rods, count, &step, wanted, &task->scratch);
    }
}

static YieldSweeps sweep(CordWorld* w, YieldBatch batch, const ContactRound* round, bool told)
{
    const Yields* y = &w->touch->yields;
    Blows* b = &w->touch->blows;
    yields_weigh(y, b, batch);
    YieldSweeps done =
        yields_sweep(y, b, batch, round->enough, told ? CONTACT_SWEEPS : CONTACT_SWEEPS_BLIND, !told);
    yields_take(y, b, batch, round->share);
    return done;
}

static void note(YieldSweeps* most, YieldSweeps done)
{
    most->count = done.count > most->count ? done.count : most->count;
    most->change = real_max(done.change, most->change);
}

static void ask_task(void* context, int index)
{
    BatchTask* task = (BatchTask*)context + index;
    for (int g = task->first; g < task->last; g++) {
        ask(task, g);
    }
}

// Rods that pass through each other go their own ways: W is needed no longer than the rod is looked at.
static void alone_task(void* context, int index)
{
    BatchTask* task = (BatchTask*)context + index;
    const WorldContact* c = task->world->touch;
    Arena all = task->scratch;
    for (int g = task->first; g < task->last; g++) {
        arena_reset(&all);
        task->scratch = arena_slice(&all, task->lanes);
        for (int i = task->starts[g]; i < task->starts[g + 1]; i++) {
            YieldRod* rod = &c->yields.rods[task->stage[i]];
            rod->W =
                c->blows.rods[task->stage[i]].tells ? arena_push(&all, double, entries_of(rod->count)) : NULL;
        }
        ask(task, g);
        for (int i = task->starts[g]; i < task->starts[g + 1]; i++) {
            YieldBatch batch = yields_of_rod(&c->yields, task->stage[i]);
            note(&task->done,
                 sweep(task->world, batch, task->round, c->yields.rods[task->stage[i]].W != NULL));
        }
    }
}

// Which rods tell, and room for what they do.
static bool make_room(CordWorld* w, double** W, size_t* each)
{
    WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    size_t most = 0, sum = 0, largest = entries_of(st->rods_pass ? YIELD_MOST_ALONE : YIELD_MOST_NODES);
    int touched = 0;
    for (int i = 0; i < st->rod_count; i++) {
        size_t size = entries_of(c->yields.rods[i].count);
        touched += size > 0;
        bool told = size > 0 && tells(st->rods[i].rod) && size <= largest &&
                    (st->rods_pass || (double)(sum + size) * sizeof(double) <= MOST_MEMORY);
        c->blows.rods[i].tells = told;
        sum += told && !st->rods_pass ? size : 0;
        most = told && size > most ? size : most;
    }
    int all = st->rod_count;
    *each = contact_compliance_scratch(w) +
            (st->rods_pass ? STEPPER_BATCH * arena_space(sizeof(double) * most, 1) : 0);
    size_t need =
        arena_space(sizeof(Rod*), all) + 2 * arena_space(sizeof(int), all + 1) +
        arena_space(sizeof(BatchTask), CONTACT_TASKS) + (size_t)tasks_of(touched) * arena_space(*each, 1) +
        3 * arena_space(4 * sizeof(double), c->yields.node_count) + arena_space(sum * sizeof(double), 1);
    size_t spare = need > c->room.size ? need / 2 : 0; // so that it does not grow in every other step
    if (!arena_reserve(&w->memory, &c->room, need + spare)) {
        return false;
    }
    arena_reset(&c->room);
    double** u[] = {&c->yields.u, &c->yields.u_before, &c->yields.u_way};
    for (int i = 0; i < 3; i++) {
        *u[i] = arena_push(&c->room, double, 4 * c->yields.node_count);
        memset(*u[i], 0, 4 * sizeof(double) * (size_t)c->yields.node_count);
    }
    *W = arena_push(&c->room, double, sum);
    return true;
}

bool contact_yield(CordWorld* w, double h, const ContactRound* round, double* change)
{
    WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    YieldSweeps most = {0, 0.0};
    double* W;
    size_t each;
    if (!yields_find(&w->memory, &c->yields, &c->blows, st) || !make_room(w, &W, &each)) {
        return false;
    }
    Groups g = make_groups(w, &c->room);
    bool told = true;
    for (int i = 0; i < st->rod_count; i++) {
        YieldRod* rod = &c->yields.rods[i];
        if (rod->count > 0) {
            add_to_groups(&g, st, i);
            told &= c->blows.rods[i].tells;
        }
        if (!st->rods_pass && c->blows.rods[i].tells) {
            rod->W = W;
            W += entries_of(rod->count);
        }
    }
    BatchTask* tasks = run_tasks(w, &g, st->rods_pass ? alone_task : ask_task, h, round, each, &c->room);
    for (int i = 0; i < tasks_of(g.count); i++) {
        note(&most, tasks[i].done);
    }
    if (!st->rods_pass) {
        most = sweep(w, yields_all(&c->yields), round, told);
    }
    c->blows.sweeps += most.count;
    c->blows.sweeps_in_all += most.count;
    *change = most.change;
    return true;
}
