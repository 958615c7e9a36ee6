// The ledger of energy and momentum: what it adds up, its entries and its bytes. ledger_samples.c says how
// work is found.
#include "world/ledger.h"

#include "base/real.h"
#include "world/contact_parts.h"
#include "world/obstacle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char* cord_ledger_kind_name(CordLedgerKind kind)
{
    static const char* const names[CORD_LEDGER_KIND_COUNT] = {
        "gravity", "clamp",      "load",    "obstacle",  "damping",    "contact",
        "start",   "integrator", "changes", "remeshing", "unaccounted"};
    return (unsigned)kind < CORD_LEDGER_KIND_COUNT ? names[kind] : NULL;
}

static void each_tally(CordWorld* w, void (*visit)(WorkTally* tally, void* user), void* user)
{
    WorldLedger* l = w->ledger;
    WorkTally* const own[] = {&l->gravity,    &l->damping, &l->contact,  &l->start,
                              &l->integrator, &l->changes, &l->remeshing};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        visit(own[i], user);
    }
    for (int i = 0; i < w->clamps.live_count; i++) {
        visit(&((Clamp*)slots_at(&w->clamps, i))->tally, user);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        visit(&((Load*)slots_at(&w->loads, i))->tally, user);
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        visit(&((Obstacle*)slots_at(&w->obstacles, i))->tally, user);
    }
}

// ---- the whole world

static void add_total(LedgerTotals* sum, CordEnergy e, CordMomentum m)
{
    sum->kinetic += e.kinetic;
    sum->energy += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    sum->momentum.linear = vec3_add(sum->momentum.linear, m.linear);
    sum->momentum.angular = vec3_add(sum->momentum.angular, m.angular);
}

static MadeTally* made_of(const CordWorld* w, int index)
{
    return &((Rod*)slots_at(&w->rods, index))->made;
}

static LedgerTotals totals_now(const CordWorld* w)
{
    LedgerTotals sum = {0};
    for (int i = 0; i < w->rods.live_count; i++) {
        CordRodId id = cord_world_rod(w, i);
        CordWork projected = {0};
        add_total(&sum, cord_rod_energy(w, id), cord_rod_momentum(w, id));
        ledger_add_projected(&projected, w, slots_at(&w->rods, i));
        ledger_add_to(&sum.projected, &projected, 1.0);
        made_of(w, i)->projected = projected.work;
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        CordBodyId id = cord_world_body(w, i);
        add_total(&sum, cord_body_energy(w, id), cord_body_momentum(w, id));
    }
    return sum;
}

static void finish_spread_loads(CordWorld* w, double dt)
{
    for (int i = 0; i < w->loads.live_count; i++) {
        Load* load = slots_at(&w->loads, i);
        if (!load_is_on(load, LOAD_ON_POINTS | CORD_LOAD_ON_BODY)) {
            ledger_finish_spread(&load->tally, dt);
        }
    }
    ledger_finish_spread(&w->ledger->gravity, dt);
    ledger_finish_spread(&w->ledger->damping, dt);
}

static void drop_spread(WorkTally* tally, void* user)
{
    (void)user;
    tally->next_start = tally->end = (TallySpread){0};
}

static CordResult sample_world(CordWorld* w, double dt, double load_time)
{
    w->ledger->load_time = load_time;
    each_tally(w, drop_spread, NULL); // left by an update that failed
    CORD_TRY(ledger_reserve(w));
    for (int i = 0; i < w->rods.live_count; i++) {
        CORD_TRY(ledger_sample_rod(w, slots_at(&w->rods, i)));
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        CORD_TRY(ledger_sample_body(w, slots_at(&w->bodies, i)));
    }
    finish_spread_loads(w, dt);
    return CORD_OK;
}

// ---- loads that come and go

static bool load_is_sampled(const Load* load)
{
    return !load->rod || !ledger_reads_steps(load->rod);
}

// Loads of explicit rods and of bodies act in whole steps: they are sampled as they were up to now, and as
// they are from now on.
void ledger_add_switches(CordWorld* w, double h)
{
    bool any = false;
    for (int i = 0; w->ledger && i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        any |= load_is_sampled(load) && load_switches(load, w->time - h, w->time);
    }
    if (!any) {
        return;
    }
    Message kept = w->message;
    WorldLedger* l = w->ledger;
    CordResult result = world_prepare(w);
    result = result == CORD_OK ? sample_world(w, w->time - l->time, w->time - h) : result;
    result = result == CORD_OK ? sample_world(w, 0.0, w->time) : result;
    l->has_gaps |= result != CORD_OK;
    l->time = w->time;
    l->steps = w->steps;
    w->message = kept;
}

// ---- contacts and first steps

void ledger_add_contact(CordWorld* w, double work, double exchanged)
{
    w->ledger->contact.pending.work += work;
    w->ledger->contact.pending.exchanged += exchanged;
}

void ledger_add_obstacles(CordWorld* w, double h)
{
    for (int i = 0; w->ledger && i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        Pose a = obstacle_pose_at(o, w->time), b = obstacle_pose_at(o, w->time + h);
        CordVec3 impulse = vec3_mul(o->impulse, -1.0);
        CordVec3 angular = vec3_sub(vec3_cross(b.point, impulse), o->angular_impulse);
        double work = vec3_dot(o->impulse, vec3_sub(b.point, a.point)) +
                      vec3_dot(o->angular_impulse, pose_rotation_vector(a, b));
        ledger_add_work(&o->tally.pending, -work / h, impulse, angular);
    }
}

static void drop_pending(WorkTally* tally, void* user)
{
    (void)user;
    tally->pending = (CordWork){0};
}

static void drop_all_pending(CordWorld* w)
{
    each_tally(w, drop_pending, NULL);
    for (int i = 0; i < w->rods.live_count; i++) {
        made_of(w, i)->pending = made_of(w, i)->moved = made_of(w, i)->by_contact = 0.0;
        made_of(w, i)->turned_by_contact = (CordVec3){0, 0, 0};
    }
}

void ledger_begin_step(CordWorld* w)
{
    if (w->ledger) {
        drop_all_pending(w);
        w->ledger->released_at = NAN;
    }
}

static void commit_pending(WorkTally* tally, void* user)
{
    (void)user;
    ledger_add_to(&tally->sum, &tally->pending, 1.0);
}

// Adds both parts of a rod to what integrators have exchanged.
static void commit_made(MadeTally* m, CordWork* sum)
{
    m->risen = real_max(m->risen + m->pending, 0.0);
    double more = real_max(m->risen - m->made, 0.0);
    m->made += more;
    m->taken += more - m->pending - m->moved;
    sum->exchanged += 2.0 * more - m->pending;
    m->pending = m->moved = 0.0;
}

static void commit_all_pending(CordWorld* w)
{
    each_tally(w, commit_pending, NULL);
    for (int i = 0; i < w->rods.live_count; i++) {
        commit_made(made_of(w, i), &w->ledger->integrator.sum);
    }
}

// A rod that is held stores more or less than one that is free.
void ledger_add_released(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    bool due = l && l->released_at == w->time, ready = due && world_prepare(w) == CORD_OK;
    if (due && !ready) {
        l->has_gaps = true;
    }
    if (ready) {
        CordWork now = ledger_stored(w);
        ledger_add_work(&l->changes.pending, now.work - l->stored.work, (CordVec3){0, 0, 0},
                        vec3_sub(now.angular, l->stored.angular));
        l->released_at = NAN;
    }
}

void ledger_commit_step(CordWorld* w)
{
    if (w->ledger) {
        ledger_add_released(w);
        commit_all_pending(w);
    }
}

void ledger_add_lag(CordWorld* w, const Rod* rod)
{
    for (int i = 0; w->ledger && i < rod->clamp_count; i++) {
        CordWork lag;
        w->ledger->has_gaps |= ledger_work_in_lag(w, rod->clamps[i], &lag) != CORD_OK;
        ledger_add_to(&rod->clamps[i]->tally.pending, &lag, 1.0);
    }
}

static CordWork work_in_lag(CordWorld* w)
{
    CordWork sum = {0}, lag;
    for (int i = 0; i < w->clamps.live_count; i++) {
        bool known = ledger_work_in_lag(w, slots_at(&w->clamps, i), &lag) == CORD_OK;
        w->ledger->has_gaps |= !known;
        ledger_add_to(&sum, &lag, known ? 1.0 : 0.0);
    }
    return sum;
}

LedgerTotals ledger_totals(CordWorld* w)
{
    LedgerTotals now = {0};
    if (w->ledger) {
        now = totals_now(w);
        now.turned = ledger_work_in_start(w);
        now.lag = work_in_lag(w);
    }
    return now;
}

static void add_difference(CordWorld* w, CordWork* to, const LedgerTotals* before)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        made_of(w, i)->moved += made_of(w, i)->projected;
    }
    LedgerTotals now = totals_now(w);
    for (int i = 0; i < w->rods.live_count; i++) {
        made_of(w, i)->moved -= made_of(w, i)->projected;
    }
    ledger_add_work(to, now.energy - before->energy, vec3_sub(now.momentum.linear, before->momentum.linear),
                    vec3_sub(now.momentum.angular, before->momentum.angular));
    ledger_add_to(&w->ledger->integrator.pending, &before->projected, 1.0); // readings add the present one
    ledger_add_to(&w->ledger->integrator.pending, &now.projected, -1.0);
}

void ledger_add_start(CordWorld* w, const LedgerTotals* before)
{
    if (w->ledger) {
        add_difference(w, &w->ledger->start.pending, before);
        w->ledger->start.pending.work -= ledger_work_in_start(w) - before->turned;
    }
}

void ledger_add_remeshing(CordWorld* w, const LedgerTotals* before)
{
    if (w->ledger) {
        CordWork lag = work_in_lag(w), *to = &w->ledger->remeshing.pending;
        add_difference(w, to, before);
        ledger_add_to(to, &before->lag, 1.0); // readings add the present one
        ledger_add_to(to, &lag, -1.0);
    }
}

// ---- what comes and goes

void ledger_forget(CordWorld* w, const WorkTally* tally)
{
    if (w->ledger) {
        ledger_add_to(&w->ledger->changes.sum, &tally->sum, 1.0);
    }
}

void ledger_forget_clamp(CordWorld* w, const Clamp* clamp)
{
    CordWork lag;
    ledger_forget(w, &clamp->tally);
    if (w->ledger) {
        bool known = ledger_work_in_lag(w, clamp, &lag) == CORD_OK;
        w->ledger->has_gaps |= !known;
        if (known) {
            ledger_add_to(&w->ledger->changes.sum, &lag, 1.0);
        }
    }
}

LedgerTotals ledger_begin_change(CordWorld* w)
{
    if (!w->ledger) {
        return (LedgerTotals){0};
    }
    w->ledger->has_gaps |= cord_ledger_update(w) != CORD_OK;
    drop_all_pending(w);
    return totals_now(w);
}

static void forget_sample(WorkTally* tally, void* user)
{
    (void)user;
    tally->last.valid = false;
}

// The change is made and cannot fail any more. Where there is no memory, it is unaccounted for.
void ledger_add_change(CordWorld* w, const LedgerTotals* before)
{
    if (!w->ledger) {
        return;
    }
    Message kept = w->message;
    CordResult result = world_prepare(w);
    if (result == CORD_OK) {
        add_difference(w, &w->ledger->changes.pending, before);
        commit_all_pending(w);
        each_tally(w, forget_sample, NULL); // loads do no work where nodes are moved at once
        result = sample_world(w, 0.0, w->time);
    }
    w->ledger->has_gaps |= result != CORD_OK;
    w->message = kept;
}

// ---- public functions

static void clear_tally(WorkTally* tally, void* user)
{
    (void)user;
    *tally = (WorkTally){0};
}

// What contact does between the velocities and the positions of the present state.
static void add_contact_lag(CordWorld* w, double times)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        CordWork lag = contact_work_in_lag(w, i);
        ledger_add_to(&((Obstacle*)slots_at(&w->obstacles, i))->tally.sum, &lag, times);
    }
    CordWork lag = contact_work_in_lag(w, -1);
    ledger_add_to(&w->ledger->contact.sum, &lag, times);
}

CordResult cord_ledger_open(CordWorld* w)
{
    CORD_TRY(world_prepare(w));
    if (!w->ledger) {
        w->ledger = memory_array(&w->memory, WorldLedger, 1);
        CORD_TRY(w->ledger ? CORD_OK : ledger_no_memory(w));
    }
    WorldLedger* l = w->ledger;
    l->has_gaps = l->has_slept = false;
    each_tally(w, clear_tally, NULL);
    LedgerTotals now = totals_now(w);
    for (int i = 0; i < w->rods.live_count; i++) {
        *made_of(w, i) = (MadeTally){.taken = made_of(w, i)->projected}; // a reading adds it again
    }
    l->from = l->time = w->time;
    l->steps = w->steps;
    l->energy_start = now.energy;
    l->momentum_start = now.momentum;
    l->peak = now.kinetic;
    ledger_add_to(&l->integrator.sum, &now.projected, -1.0); // a reading adds them again
    for (int i = 0; i < w->clamps.live_count; i++) {
        Clamp* clamp = slots_at(&w->clamps, i);
        CordWork lag;
        CORD_TRY(ledger_work_in_lag(w, clamp, &lag)); // a reading adds it again
        ledger_add_to(&clamp->tally.sum, &lag, -1.0);
    }
    add_contact_lag(w, -1.0); // likewise
    return sample_world(w, 0.0, w->time);
}

void cord_ledger_close(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    if (l) {
        memory_array_free(&w->memory, l->f, l->room);
        memory_array_free(&w->memory, l->m1, l->room);
        memory_array_free(&w->memory, l->entries, l->entry_capacity);
        memory_free(&w->memory, l->marked, l->marked_size);
        memory_array_free(&w->memory, l, 1);
        w->ledger = NULL;
    }
}

bool cord_ledger_is_open(const CordWorld* w)
{
    return w->ledger != NULL;
}

static CordResult check_open(CordWorld* w)
{
    return w->ledger ? CORD_OK
                     : message_fail(&w->message, CORD_BAD_ARGUMENT,
                                    "the ledger is not open; call cord_ledger_open before the first step");
}

CordResult cord_ledger_update(CordWorld* w)
{
    CORD_TRY(check_open(w));
    CORD_TRY(world_prepare(w));
    double dt = w->time - w->ledger->time;
    CORD_TRY(dt > 0.0 ? sample_world(w, dt, w->time) : CORD_OK);
    w->ledger->time = w->time;
    w->ledger->steps = w->steps;
    return CORD_OK;
}

// What the steps themselves do not tell of: loads, damping and couples of clamps, more often where a clamp
// that moves feeds waves into the rod. Without them the moment of gravity is left, which is smooth.
static int every_of(const Rod* rod)
{
    int every = stepper_of(rod)->ledger_every;
    bool damped = model_of(rod)->is_damped && model_of(rod)->is_damped(rod);
    bool smooth = rod->load_count == 0 && !damped, moves = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        smooth &= rod->clamps[i]->edge < 0;
        moves |= rod->clamps[i]->def.motion_count > 0;
    }
    return every == 1 ? 1 : smooth ? 4 * every : moves ? every / 4 : every;
}

int cord_ledger_every(const CordWorld* w)
{
    int every = w->rods.live_count > 0 ? INT_MAX : 1;
    for (int i = 0; i < w->rods.live_count; i++) {
        int own = every_of(slots_at(&w->rods, i));
        every = own < every ? own : every;
    }
    return every;
}

static CordLedgerEntry* put_entry(CordLedgerEntry* to, CordLedgerKind kind, int index, const WorkTally* tally)
{
    *to = (CordLedgerEntry){.kind = kind, .index = index, .done = tally->sum};
    snprintf(to->name, sizeof to->name, "%s", cord_ledger_kind_name(kind));
    return to;
}

// "clamp 1 (rope)", "drag 2"
static void name_entry(CordLedgerEntry* entry, const char* what, const char* where)
{
    snprintf(entry->name, sizeof entry->name, "%s %d%s%s%s", what, entry->index + 1, where ? " (" : "",
             where ? where : "", where ? ")" : "");
}

static const char* place_of_load(const CordWorld* w, const Load* load)
{
    const Body* body = load->rod ? NULL : world_body(w, load->def.body);
    return load->rod ? load->rod->name : body ? body->name : NULL;
}

static CordResult reserve_entries(CordWorld* w, int count)
{
    WorldLedger* l = w->ledger;
    if (count <= l->entry_capacity) {
        return CORD_OK;
    }
    CordLedgerEntry* larger = memory_array(&w->memory, CordLedgerEntry, count);
    CORD_TRY(larger ? CORD_OK : ledger_no_memory(w));
    memory_array_free(&w->memory, l->entries, l->entry_capacity);
    l->entries = larger;
    l->entry_capacity = count;
    return CORD_OK;
}

static CordResult list_entries(CordWorld* w, const LedgerTotals* now, int* count)
{
    WorldLedger* l = w->ledger;
    *count = 8 + w->clamps.live_count + w->loads.live_count + w->obstacles.live_count;
    CORD_TRY(reserve_entries(w, *count));
    CordLedgerEntry* to = put_entry(l->entries, CORD_LEDGER_GRAVITY, 0, &l->gravity);
    for (int i = 0; i < w->clamps.live_count; i++) {
        const Clamp* clamp = slots_at(&w->clamps, i);
        CordWork lag;
        CORD_TRY(ledger_work_in_lag(w, clamp, &lag));
        to = put_entry(to + 1, CORD_LEDGER_CLAMP, i, &clamp->tally);
        ledger_add_to(&to->done, &lag, 1.0);
        name_entry(to, "clamp", clamp->rod->name);
    }
    for (int i = 0; i < w->loads.live_count; i++) {
        const Load* load = slots_at(&w->loads, i);
        to = put_entry(to + 1, CORD_LEDGER_LOAD, i, &load->tally);
        name_entry(to, load->kind->info.name, place_of_load(w, load));
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, i);
        to = put_entry(to + 1, CORD_LEDGER_OBSTACLE, i, &o->tally);
        CordWork lag = contact_work_in_lag(w, i);
        ledger_add_to(&to->done, &lag, 1.0);
        snprintf(to->name, sizeof to->name, "obstacle %s", o->name);
    }
    to = put_entry(to + 1, CORD_LEDGER_DAMPING, 0, &l->damping);
    to = put_entry(to + 1, CORD_LEDGER_CONTACT, 0, &l->contact);
    CordWork lag = contact_work_in_lag(w, -1);
    ledger_add_to(&to->done, &lag, 1.0);
    to = put_entry(to + 1, CORD_LEDGER_START, 0, &l->start);
    to = put_entry(to + 1, CORD_LEDGER_INTEGRATOR, 0, &l->integrator);
    ledger_add_to(&to->done, &now->projected, 1.0);
    to = put_entry(to + 1, CORD_LEDGER_CHANGES, 0, &l->changes);
    to = put_entry(to + 1, CORD_LEDGER_REMESHING, 0, &l->remeshing);
    put_entry(to + 1, CORD_LEDGER_UNACCOUNTED, 0, &(WorkTally){0}); // its sums follow
    return CORD_OK;
}

// Modes are stepped exactly and make none, but what their supports do in a step is known roughly.
static bool gains_are_errors(const CordWorld* w)
{
    bool none = true;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        bool physical = !model_of(rod)->is_physical || model_of(rod)->is_physical(rod);
        none &= physical && !model_of(rod)->reduced;
    }
    for (int i = 0; i < w->engine_count; i++) {
        none &= !w->engines[i].ops->makes_energy;
    }
    return none;
}

void ledger_note_sleep(CordWorld* w)
{
    if (w->ledger) {
        w->ledger->has_slept = true;
    }
}

static void add_hidden(CordLedger* ledger, const char* name) // each once
{
    char* text = ledger->hidden_losses;
    size_t used = strlen(text);
    if (name && !strstr(text, name)) {
        snprintf(text + used, sizeof ledger->hidden_losses - used, "%s%s", used > 0 ? ", " : "", name);
    }
}

static void name_hidden_losses(const CordWorld* w, CordLedger* ledger)
{
    add_hidden(ledger, w->bodies.live_count > 0 ? "bodies" : NULL);
    for (int i = 0; i < w->rods.live_count; i++) {
        add_hidden(ledger, stepper_hidden_loss(slots_at(&w->rods, i)));
    }
    add_hidden(ledger, contact_has_spent_budget(w) ? "spent budgets of contact" : NULL);
    add_hidden(ledger, w->ledger->has_slept ? "rods that fell asleep" : NULL);
    add_hidden(ledger, w->ledger->has_gaps ? "steps for which memory was short" : NULL);
}

CordResult cord_ledger_read(CordWorld* w, CordLedger* ledger)
{
    CORD_TRY(cord_ledger_update(w));
    WorldLedger* l = w->ledger;
    LedgerTotals now = totals_now(w);
    *ledger = (CordLedger){.from = l->from,
                           .to = w->time,
                           .energy_start = l->energy_start,
                           .energy = now.energy,
                           .momentum_start = l->momentum_start,
                           .momentum = now.momentum,
                           .judged = gains_are_errors(w)};
    name_hidden_losses(w, ledger);
    ledger->complete = ledger->judged && ledger->hidden_losses[0] == '\0';
    CORD_TRY(list_entries(w, &now, &ledger->entry_count));
    ledger->entries = l->entries;
    ledger->error = now.energy - l->energy_start;
    ledger->linear_error = vec3_sub(now.momentum.linear, l->momentum_start.linear);
    ledger->angular_error = vec3_sub(now.momentum.angular, l->momentum_start.angular);
    double put_in = 0.0;
    for (int i = 0; i < ledger->entry_count - 1; i++) {
        const CordWork* done = &l->entries[i].done;
        ledger->error -= done->work;
        put_in += real_max(done->work, 0.0);
        ledger->linear_error = vec3_sub(ledger->linear_error, done->impulse);
        ledger->angular_error = vec3_sub(ledger->angular_error, done->angular);
    }
    put_in += real_max(ledger->error, 0.0);
    double taken = put_in - (now.energy - l->energy_start);
    ledger->turnover = l->peak = real_max(l->peak, real_max(now.kinetic, real_max(put_in, taken)));
    l->entries[ledger->entry_count - 1].done =
        (CordWork){ledger->error, ledger->turnover, ledger->linear_error, ledger->angular_error};
    return CORD_OK;
}

CordIntegratorWork cord_ledger_integrator(const CordWorld* w, CordRodId id)
{
    const Rod* rod = w->ledger ? world_rod(w, id) : NULL;
    CordWork now = {0};
    if (!rod) {
        return (CordIntegratorWork){0};
    }
    ledger_add_projected(&now, w, rod);
    return (CordIntegratorWork){
        .made = rod->made.made, .taken = rod->made.taken - now.work, .advice = stepper_damping_advice(rod)};
}

// ---- state

static void work_state(CordWork* work, Bytes* b)
{
    bytes_double(b, &work->work);
    bytes_double(b, &work->exchanged);
    bytes_doubles(b, &work->impulse.x, 3);
    bytes_doubles(b, &work->angular.x, 3);
}

static void spread_state(TallySpread* spread, Bytes* b)
{
    bytes_double(b, &spread->power);
    bytes_doubles(b, &spread->force.x, 3);
    bytes_doubles(b, &spread->moment.x, 3);
}

static void tally_state(WorkTally* tally, void* user)
{
    Bytes* b = user;
    TallySample* s = &tally->last;
    CordVec3* const vectors[] = {&s->spin,   &s->x[0], &s->x[1], &s->f[0],   &s->f[1],
                                 &s->couple, &s->t,    &s->m1,   &s->linear, &s->angular};
    work_state(&tally->sum, b);
    bytes_double(b, &tally->counted);
    bytes_bool(b, &s->valid);
    bytes_double(b, &s->time);
    bytes_double(b, &s->kinetic);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        bytes_doubles(b, &vectors[i]->x, 3);
    }
    spread_state(&tally->start, b);
}

static void ledger_state(CordWorld* w, Bytes* b)
{
    WorldLedger* l = w->ledger;
    bytes_expect(b, w->rods.live_count);
    bytes_expect(b, w->clamps.live_count);
    bytes_expect(b, w->loads.live_count);
    bytes_expect(b, w->obstacles.live_count);
    double* const numbers[] = {&l->from, &l->time, &l->energy_start, &l->peak};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bytes_double(b, numbers[i]);
    }
    bytes_i64(b, &l->steps);
    bytes_bool(b, &l->has_gaps);
    bytes_bool(b, &l->has_slept);
    bytes_doubles(b, &l->momentum_start.linear.x, 3);
    bytes_doubles(b, &l->momentum_start.angular.x, 3);
    each_tally(w, tally_state, b);
    for (int i = 0; i < w->rods.live_count; i++) {
        MadeTally* m = made_of(w, i);
        bytes_double(b, &m->risen);
        bytes_double(b, &m->made);
        bytes_double(b, &m->taken);
    }
}

size_t cord_ledger_state_size(const CordWorld* world)
{
    Bytes b = bytes_start(BYTES_COUNT, NULL, 0);
    if (world->ledger) {
        ledger_state((CordWorld*)world, &b); // counting changes nothing
    }
    return b.used;
}

CordResult cord_ledger_state_get(const CordWorld* world, void* bytes, size_t size)
{
    CordWorld* w = (CordWorld*)world; // writing bytes changes nothing
    CORD_TRY(check_open(w));
    if (size != cord_ledger_state_size(w)) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT, "the ledger takes %zu bytes and %zu were offered",
                            cord_ledger_state_size(w), size);
    }
    Bytes b = bytes_start(BYTES_WRITE, bytes, size);
    ledger_state(w, &b);
    return CORD_OK;
}

CordResult cord_ledger_state_set(CordWorld* w, const void* bytes, size_t size)
{
    bool was_open = w->ledger != NULL;
    CORD_TRY(was_open ? CORD_OK : cord_ledger_open(w));
    if (size != cord_ledger_state_size(w)) {
        if (!was_open) {
            cord_ledger_close(w);
        }
        return message_fail(&w->message, CORD_BAD_STATE,
                            "the ledger of %zu bytes does not fit this world, which was built differently",
                            size);
    }
    Bytes b = bytes_start(BYTES_READ, (void*)bytes, size);
    ledger_state(w, &b);
    if (b.failed) {
        CORD_TRY(cord_ledger_open(w));
        return message_fail(&w->message, CORD_BAD_STATE,
                            "the ledger does not fit this world, which was built differently");
    }
    return CORD_OK;
}

// Without memory the ledger counts trial steps.
void ledger_mark(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    size_t size = cord_ledger_state_size(w);
    if (l && l->marked_size != size) {
        memory_free(&w->memory, l->marked, l->marked_size);
        l->marked = memory_alloc(&w->memory, size);
        l->marked_size = l->marked ? size : 0;
        l->has_gaps |= !l->marked;
    }
    if (l && l->marked) {
        l->marked_hash = cord_world_state_hash(w);
        Bytes b = bytes_start(BYTES_WRITE, l->marked, size);
        ledger_state(w, &b);
    }
}

void ledger_go_back(CordWorld* w)
{
    WorldLedger* l = w->ledger;
    if (l && l->marked && l->marked_size == cord_ledger_state_size(w) &&
        l->marked_hash == cord_world_state_hash(w)) {
        Bytes b = bytes_start(BYTES_READ, l->marked, l->marked_size);
        ledger_state(w, &b);
    }
}
