// Contact of position-based and modal rods. Rods that contact moves are solved again in batches, and compute
// their compliance for the Delassus operator.
#include "base/real.h"
#include "world/contact_parts.h"

#include <string.h>

#define BATCHES_PER_TASK 16 // batches per task
// Memory limit of the Delassus operator between rods [bytes]. Rods beyond it respond by their node masses.
#define MOST_MEMORY 2.5e8

// ---- batches

static bool batch_accepts(Rod* const* batch, int count, const Rod* rod)
{
    const Stepper* stepper = stepper_of(rod);
    return count < stepper->batch && stepper_of(batch[0]) == stepper && stepper->alike &&
           stepper->alike(batch[0], rod);
}

typedef struct Batches {
    Rod** rods;
    int* collider; // index among the colliders
    int* starts;   // (count + 1)
    int count, rod_count;
} Batches;

static Batches make_batches(const CordWorld* w, Arena* scratch)
{
    int all = w->touch->newton.colliders.rod_count;
    return (Batches){.rods = arena_push(scratch, Rod*, all),
                     .collider = arena_push(scratch, int, all + 1),
                     .starts = arena_push(scratch, int, all + 1)};
}

static void add_to_batches(Batches* g, const Colliders* cs, int at)
{
    Rod* rod = cs->rods[at].rod;
    int first = g->count > 0 ? g->starts[g->count - 1] : 0;
    if (g->count == 0 || !batch_accepts(g->rods + first, g->rod_count - first, rod)) {
        g->starts[g->count++] = g->rod_count;
    }
    g->collider[g->rod_count] = at;
    g->rods[g->rod_count++] = rod;
    g->starts[g->count] = g->rod_count;
}

static int batch_task_count(int batches)
{
    int most = (batches + BATCHES_PER_TASK - 1) / BATCHES_PER_TASK;
    return most < CONTACT_TASKS ? most : CONTACT_TASKS;
}

static BatchTask* run_tasks(CordWorld* w, const Batches* g, void (*task)(void* context, int index), double h,
                            const ContactRound* round, size_t need, Arena* scratch)
{
    int count = batch_task_count(g->count);
    size_t lanes = round ? contact_compliance_scratch(w) : 0;
    BatchTask* tasks = arena_push(scratch, BatchTask, CONTACT_TASKS);
    for (int i = 0; i < count; i++) {
        tasks[i] = (BatchTask){.world = w,
                               .rods = g->rods,
                               .collider = g->collider,
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

// ---- solving again

// True if contact moves the rod differently than when it was last solved in this step. Records the present
// displacement.
static bool is_displaced(const ColliderRod* r, const DofVector* moved, const DofVector* redone)
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
        Message message; // apply does not fail for batched rods
        stepper_of(rods[0])->apply(rods, count, &step, &task->scratch, &message);
    }
}

void contact_redo_batches(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    size_t need = contact_batch_scratch(w);
    if (need == 0) {
        return;
    }
    arena_reset(scratch);
    Batches g = make_batches(w, scratch);
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        if (contact_is_batched(r->rod) && is_displaced(r, &c->constraints.moved, &c->redone)) {
            contact_apply_impulses(r, &c->constraints.moved, h);
            add_to_batches(&g, cs, i);
        }
    }
    run_tasks(w, &g, redo_task, h, NULL, need, scratch);
    for (int i = 0; i < g.rod_count; i++) {
        contact_measure_rod(cs, &cs->rods[g.collider[i]], &c->since, h);
    }
}

// ---- compliance

// True if the rod's end state changes with impulses by more than W tells.
static bool is_blind(const Colliders* cs, const WorldContact* c, int rod)
{
    const Rod* r = cs->rods[rod].rod;
    return (r->inextensible || contact_is_batched(r)) && !c->constraints.rods[rod].has_compliance;
}

static bool computes_compliance(const Rod* rod)
{
    return stepper_of(rod)->compliance && stepper_of(rod)->compliance_scratch(rod) > 0;
}

// Of the factor of W, where rods couple contacts.
static size_t factor_size(const CordWorld* w, int at)
{
    const Colliders* cs = &w->touch->newton.colliders;
    const Rod* rod = cs->rods[at].rod;
    return !cs->rods_pass && stepper_of(rod)->compliance_rank
               ? 3 * (size_t)w->touch->delassus.rods[at].count * (size_t)stepper_of(rod)->compliance_rank(rod)
               : 0;
}

static size_t compliance_size(int touched) // size of W
{
    return 16 * (size_t)touched * (size_t)touched;
}

static void compute_compliance(BatchTask* task, int batch)
{
    const Delassus* y = &task->world->touch->delassus;
    Compliance wanted[STEPPER_BATCH];
    Rod* const* rods = task->rods + task->starts[batch];
    int count = task->starts[batch + 1] - task->starts[batch];
    StepInfo step = step_of(task);
    for (int i = 0; i < count; i++) {
        const DelassusRod* rod = &y->rods[task->collider[task->starts[batch] + i]];
        wanted[i] = (Compliance){rod->W ? rod->count : 0, y->node + rod->first, rod->W, rod->factor};
    }
    if (computes_compliance(rods[0])) {
        stepper_of(rods[0])->compliance(rods, count, &step, wanted, &task->scratch);
    }
}

static SweepResult sweep_batch(CordWorld* w, DelassusBatch batch, const ContactRound* round, bool blind,
                               const Arena* scratch)
{
    const Delassus* y = &w->touch->delassus;
    ContactConstraints* b = round->constraints;
    SweepLimits limits = {.tolerance = round->tolerance,
                          .loose = round->loose,
                          .far = CONTACT_FAR * w->contact.tolerance,
                          .floor = round->floor,
                          .few = CONTACT_FEW_SWEEPS,
                          .most = blind ? CONTACT_SWEEPS_BLIND : CONTACT_SWEEPS,
                          .budget = &round->budget,
                          .blind = blind,
                          .scratch = scratch};
    delassus_begin(y, b, batch);
    SweepResult done = gauss_seidel_solve(y, b, batch, &limits);
    delassus_apply(y, b, batch, round->relaxation);
    return done;
}

// Keeps the batch that is farthest from its tolerance, or that is not a number.
static void merge_sweep_result(SweepResult* most, SweepResult done)
{
    if (isnan(most->change) || isnan(done.change)) {
        most->change = most->last = NAN;
        return;
    }
    int count = done.count > most->count ? done.count : most->count;
    bool cut = most->cut || done.cut;
    double last = real_max(done.last, most->last);
    *most = done.change * most->enough > most->change * done.enough || most->enough == 0.0 ? done : *most;
    most->count = count;
    most->cut = cut;
    most->last = last;
}

static void compliance_task(void* context, int index)
{
    BatchTask* task = (BatchTask*)context + index;
    for (int g = task->first; g < task->last; g++) {
        compute_compliance(task, g);
    }
}

// Where rods pass through each other, contacts do not couple them: each W is needed for its own rod only.
static void uncoupled_task(void* context, int index)
{
    BatchTask* task = (BatchTask*)context + index;
    const WorldContact* c = task->world->touch;
    Arena all = task->scratch;
    for (int g = task->first; g < task->last; g++) {
        arena_reset(&all);
        task->scratch = arena_slice(&all, task->lanes);
        for (int i = task->starts[g]; i < task->starts[g + 1]; i++) {
            DelassusRod* rod = &c->delassus.rods[task->collider[i]];
            rod->W = c->constraints.rods[task->collider[i]].has_compliance
                         ? arena_push(&all, double, compliance_size(rod->count))
                         : NULL;
        }
        compute_compliance(task, g);
        for (int i = task->starts[g]; i < task->starts[g + 1]; i++) {
            int rod = task->collider[i];
            DelassusBatch batch = delassus_of_rod(&c->delassus, rod);
            SweepResult done =
                sweep_batch(task->world, batch, task->round, is_blind(&c->newton.colliders, c, rod), NULL);
            if (batch.first < batch.last) {
                task->round->constraints->rods[rod].enough = done.enough;
            }
            merge_sweep_result(&task->done, done);
        }
    }
}

// Chooses the rods that compute their compliance, and reserves memory for it.
static bool reserve_compliance(CordWorld* w, double** W, size_t* each)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    size_t most = 0, sum = 0;
    int touched = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        int nodes = c->delassus.rods[i].count, largest = stepper_of(cs->rods[i].rod)->compliance_nodes;
        size_t size = compliance_size(nodes);
        touched += nodes > 0;
        // A rod without a kick keeps its velocities: see contact_velocity.c.
        bool computed = nodes > 0 && computes_compliance(cs->rods[i].rod) && nodes <= largest &&
                        cs->rods[i].kick > 0.0 &&
                        (cs->rods_pass ? nodes <= DELASSUS_MAX_NODES_ALONE
                                       : (double)(sum + size) * sizeof(double) <= MOST_MEMORY);
        c->constraints.rods[i].has_compliance = computed;
        sum += computed && !cs->rods_pass ? size + factor_size(w, i) : 0;
        most = computed && size > most ? size : most;
    }
    int all = cs->rod_count;
    *each = contact_compliance_scratch(w) +
            (cs->rods_pass ? STEPPER_BATCH * arena_space(sizeof(double) * most, 1) : 0);
    size_t need = arena_space(sizeof(Rod*), all) + 2 * arena_space(sizeof(int), all + 1) +
                  arena_space(sizeof(BatchTask), CONTACT_TASKS) +
                  (size_t)batch_task_count(touched) * arena_space(*each, 1) +
                  arena_space(sum * sizeof(double), 1);
    if (!arena_reserve(&w->memory, &c->delassus_arena, need)) {
        return false;
    }
    arena_reset(&c->delassus_arena);
    *W = arena_push(&c->delassus_arena, double, sum);
    return true;
}

bool contact_is_blind(const CordWorld* w)
{
    const WorldContact* c = w->touch;
    bool blind = false;
    for (int i = 0; i < c->newton.colliders.rod_count && !blind; i++) {
        blind = c->delassus.rods[i].count > 0 && is_blind(&c->newton.colliders, c, i);
    }
    return blind;
}

// Finds the active contacts, computes the compliance of their rods, and solves for those of each rod where
// rods do not touch each other.
static bool find_compliance(CordWorld* w, double h, const ContactRound* round, SweepResult* done)
{
    WorldContact* c = w->touch;
    c->drift = 0.0;
    const Colliders* cs = &c->newton.colliders;
    double* W;
    size_t each;
    if (!delassus_find(&w->memory, &c->delassus, round->constraints, cs) ||
        !reserve_compliance(w, &W, &each)) {
        return false;
    }
    Batches g = make_batches(w, &c->delassus_arena);
    for (int i = 0; i < cs->rod_count; i++) {
        DelassusRod* rod = &c->delassus.rods[i];
        if (rod->count > 0 && (cs->rods_pass || c->constraints.rods[i].has_compliance)) {
            add_to_batches(&g, cs, i);
        }
        if (!cs->rods_pass && c->constraints.rods[i].has_compliance) {
            size_t factor = factor_size(w, i);
            rod->W = W;
            W += compliance_size(rod->count);
            rod->factor = factor > 0 ? W : NULL;
            rod->rank = factor > 0 ? stepper_of(cs->rods[i].rod)->compliance_rank(cs->rods[i].rod) : 0;
            W += factor;
        }
    }
    BatchTask* tasks = run_tasks(w, &g, cs->rods_pass ? uncoupled_task : compliance_task, h, round, each,
                                 &c->delassus_arena);
    for (int i = 0; cs->rods_pass && i < batch_task_count(g.count); i++) {
        merge_sweep_result(done, tasks[i].done);
    }
    return true;
}

// ---- sweeps

#define LEAST_SWEPT 48 // constraints of a task: some microseconds of sweeps

// Groups of rods that contacts couple, which are solved for side by side.
typedef struct SweepTask {
    CordWorld* world;
    const ContactRound* round;
    int first, last; // groups [first, last)
    SweepResult done;
    Arena scratch;
} SweepTask;

static void sweep_task(void* context, int index)
{
    SweepTask* task = (SweepTask*)context + index;
    WorldContact* c = task->world->touch;
    for (int g = task->first; g < task->last; g++) {
        const Delassus* y = &c->delassus;
        int first = g == 0 ? 0 : y->groups[g - 1].last_rod, last = y->groups[g].last_rod;
        bool blind = false;
        for (int i = first; i < last; i++) {
            blind |= is_blind(&c->newton.colliders, c, y->by_group[i]);
        }
        SweepResult done = sweep_batch(task->world, y->groups[g], task->round, blind,
                                       c->sweep_scratch > 0 ? &task->scratch : NULL);
        for (int i = first; i < last && y->groups[g].first < y->groups[g].last; i++) {
            task->round->constraints->rods[y->by_group[i]].enough = done.enough;
        }
        merge_sweep_result(&task->done, done);
    }
}

// Memory for tasks, and for the columns of contacts that couple rods.
static bool reserve_sweeps(CordWorld* w, const ContactConstraints* b)
{
    WorldContact* c = w->touch;
    const Delassus* y = &c->delassus;
    size_t count = delassus_columns(y, b, delassus_all(y)), scratch = 0;
    count = (double)count * sizeof(double) > MOST_MEMORY ? 0 : count;
    for (int i = 0; i < y->touched_count && count > 0; i++) {
        size_t size = rod_newton_scratch(&y->rods[y->by_group[i]]);
        scratch = size > scratch ? size : scratch;
    }
    int tasks = y->group_count < CONTACT_TASKS ? y->group_count : CONTACT_TASKS;
    size_t need = arena_space(sizeof(double) * count, 1) + arena_space(sizeof(SweepTask), tasks) +
                  (size_t)tasks * arena_space(scratch, 1);
    if (!arena_reserve(&w->memory, &c->column_arena, need)) {
        return false;
    }
    arena_reset(&c->column_arena);
    c->sweep_tasks = arena_push(&c->column_arena, SweepTask, tasks);
    c->sweep_scratch = scratch;
    if (count > 0) {
        delassus_set_columns(y, b, delassus_all(y), arena_push(&c->column_arena, double, count));
    }
    return true;
}

static SweepResult sweep_groups(CordWorld* w, const ContactRound* round)
{
    WorldContact* c = w->touch;
    const Delassus* y = &c->delassus;
    SweepResult most = {0};
    int count = 0, enough = y->order_count / CONTACT_TASKS + 1;
    enough = enough > LEAST_SWEPT ? enough : LEAST_SWEPT;
    Arena all = c->column_arena;
    for (int g = 0; g < y->group_count; count++) {
        SweepTask* task = &c->sweep_tasks[count];
        *task = (SweepTask){
            .world = w, .round = round, .first = g, .scratch = arena_slice(&all, c->sweep_scratch)};
        int first = y->groups[g].first;
        while (g < y->group_count && y->groups[g].first - first < enough) {
            g++;
        }
        task->last = g;
    }
    world_run(w, sweep_task, c->sweep_tasks, count);
    for (int i = 0; i < count; i++) {
        merge_sweep_result(&most, c->sweep_tasks[i].done);
    }
    return most;
}

#define SAME 0.02 // over the radius: sum of the motions of rounds through which W is kept

// True if the blocks of the round before serve this one, too. The compliance of explicit rods changes little
// within a step. That of position-based rods changes as they turn, by about their motion over the radius: an
// older one makes rounds converge by that ratio, which is good enough once it is small.
static bool keeps_compliance(CordWorld* w, ContactConstraints* b)
{
    Delassus* y = &w->touch->delassus;
    double most2 = 0.0;
    if (b->rounds == 0 || w->touch->newton.colliders.rods_pass) {
        return false;
    }
    for (int i = 0; i < y->node_count && b->per_rod; i++) {
        const double* u = y->u + 4 * y->node_at[i];
        most2 = real_max(most2, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    w->touch->drift += sqrt(most2);
    return !b->per_rod || (w->touch->drift <= SAME * b->radius && delassus_select(y, b));
}

bool contact_solve_round(CordWorld* w, double h, const ContactRound* round, SweepResult* done)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    ContactConstraints* b = round->constraints;
    *done = (SweepResult){0};
    if (!keeps_compliance(w, b) &&
        (!find_compliance(w, h, round, done) || (!cs->rods_pass && !reserve_sweeps(w, b)))) {
        return false;
    }
    if (!cs->rods_pass) {
        *done = sweep_groups(w, round);
    }
    c->constraints.sweeps += done->count;
    c->constraints.sweeps_total += done->count;
    budget_take(&w->budget, done->count);
    c->used.spent |= done->cut;
    b->rounds++;
    return true;
}
