// Contact in the step: who is on stage, the implicit step of all that may touch, and what can be asked about it.
#include "world/contact_parts.h"

#include "solve/lengths.h"
#include "world/obstacle.h"

#include <stdio.h>

#include <string.h>

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "no memory for contacts");
}

// ---- who is on stage

static bool add_obstacle(CordWorld* w, Stage* st, int i)
{
    const Obstacle* o = slots_at(&w->obstacles, i);
    StageSolid solid = {.solid = o->solid,
                        .mesh = o->def.shape == CORD_OBSTACLE_MESH ? &o->mesh : NULL,
                        .kind = CORD_TOUCH_OBSTACLE,
                        .index = i,
                        .surface = o->def.surface,
                        .friction = o->def.friction};
    return stage_add_solid(&w->memory, st, &solid);
}

static bool fill_stage(CordWorld* w, Stage* st)
{
    stage_clear(st);
    double thickest = 0.0;
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod->intangible && !stage_add_rod(&w->memory, st, rod, i)) {
            return false;
        }
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        if (!add_obstacle(w, st, i)) {
            return false;
        }
    }
    for (int i = 0; i < st->segment_count; i++) {
        thickest = fmax(thickest, st->segments[i].radius);
    }
    st->reach = w->contact.gap * thickest;
    return true;
}

static bool add_group(CordWorld* w, WorldContact* c, ImplicitGroup group)
{
    if (c->group_count == c->group_capacity &&
        !memory_grow(&w->memory, (void**)&c->groups, c->group_count, &c->group_capacity, sizeof(ImplicitGroup))) {
        return false;
    }
    c->groups[c->group_count++] = group;
    return true;
}

static bool find_groups(CordWorld* w, WorldContact* c)
{
    c->group_count = 0;
    for (int i = 0; i < w->assemblies.count; i++) {
        const Assembly* a = &w->assemblies.all[i];
        if (a->joins && !add_group(w, c, (ImplicitGroup){a->rods[0], a->joins})) {
            return false;
        }
    }
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (rod_is_implicit(rod) && !rod->assembly && !add_group(w, c, (ImplicitGroup){rod, NULL})) {
            return false;
        }
    }
    return true;
}

// Explicit rods are put right after they have moved, implicit ones while they are: they cannot wait for each other.
static CordResult check_integrators(CordWorld* w)
{
    const Rod *explicit_rod = NULL, *implicit_rod = NULL;
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        *(rod_is_implicit(rod) ? &implicit_rod : &explicit_rod) = rod;
    }
    if (explicit_rod && implicit_rod) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is explicit and rod '%s' implicit; where contact is on, give all rods one kind of integrator",
                            explicit_rod->name, implicit_rod->name);
    }
    if (explicit_rod && w->welds.live_count > 0) {
        return message_fail(&w->message, CORD_NOT_SUPPORTED,
                            "rod '%s' is explicit; where contact is on, rods that are welded to bodies need an implicit integrator",
                            explicit_rod->name);
    }
    return CORD_OK;
}

static bool reserve(Memory* m, double** array, int count, int* capacity)
{
    if (count > *capacity) {
        double* larger = memory_array(m, double, count);
        if (!larger) {
            return false;
        }
        memory_array_free(m, *array, *capacity);
        *array = larger;
        *capacity = count;
    }
    return true;
}

static bool reserve_blows(CordWorld* w)
{
    Blows* b = &w->touch->blows;
    const Stage* st = &w->touch->touching.stage;
    return reserve(&w->memory, &b->w, st->node_count, &b->w_capacity) &&
           reserve(&w->memory, &b->w_spin, st->segment_count, &b->w_spin_capacity);
}

// Explicit rods that may touch keep what was predicted before lengths and contacts were seen to.
static bool reserve_free(CordWorld* w)
{
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (!rod_is_implicit(rod) && !rod->v_free[0] && !rod_reserve_free(&w->memory, rod)) {
            return false;
        }
    }
    return true;
}

CordResult contact_prepare(CordWorld* w, bool* changed)
{
    if (!w->cast_changed && !*changed) {
        return CORD_OK;
    }
    for (int i = 0; i < w->rods.live_count; i++) { // even one that is intangible: one step takes all
        ((Rod*)slots_at(&w->rods, i))->touched = w->contact.on;
    }
    if (!w->contact.on) {
        w->cast_changed = false;
        return CORD_OK;
    }
    if (!w->touch && !(w->touch = memory_array(&w->memory, WorldContact, 1))) {
        return no_memory(w);
    }
    Touching* t = &w->touch->touching;
    t->law = (TouchLaw){.gap = w->contact.gap};
    t->friction = (FrictionLaw){w->contact.friction, w->contact.pairs, w->contact.pair_count};
    if (w->cast_changed) { // what is remembered goes by numbers that others may have now
        t->sticks.kept_count = w->touch->blows.kept_count = 0;
        CORD_TRY(fill_stage(w, &t->stage) ? CORD_OK : no_memory(w));
    }
    if (!find_groups(w, w->touch)) {
        return no_memory(w);
    }
    CORD_TRY(check_integrators(w));
    if (!reserve_blows(w) || !reserve_free(w)) {
        return no_memory(w);
    }
    w->cast_changed = false;
    *changed = true;
    return CORD_OK;
}

void contact_free(CordWorld* w)
{
    WorldContact* c = w->touch;
    if (!c) {
        return;
    }
    touching_free(&w->memory, &c->touching);
    blows_free(&w->memory, &c->blows);
    stage_move_free(&w->memory, &c->since, &c->since_size);
    memory_array_free(&w->memory, c->groups, c->group_capacity);
    memory_array_free(&w->memory, c->list, c->list_capacity);
    stage_move_free(&w->memory, &c->force, &c->force_size);
    memory_array_free(&w->memory, c, 1);
    w->touch = NULL;
}

size_t contact_scratch(const CordWorld* w)
{
    if (!contact_is_on(w)) {
        return 0;
    }
    size_t most = implicit_scratch(w->touch->groups, w->touch->group_count);
    for (int i = 0; i < w->rods.live_count; i++) {
        const Rod* rod = slots_at(&w->rods, i);
        size_t need = rod->inextensible && !rod_is_implicit(rod) ? lengths_scratch(rod) : 0;
        most = need > most ? need : most;
    }
    return most;
}

bool contact_is_on(const CordWorld* w)
{
    return w->contact.on && w->touch && w->touch->touching.stage.rod_count > 0;
}

// ---- the step

static void place_solids(CordWorld* w, double h)
{
    Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        StageSolid* s = &st->solids[i];
        const Obstacle* o = slots_at(&w->obstacles, s->index);
        s->begin = obstacle_pose_at(o, w->time);
        s->goal = obstacle_pose_at(o, w->time + h);
    }
}

void contact_place_solids(CordWorld* w, double time)
{
    Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        StageSolid* s = &st->solids[i];
        const Obstacle* o = slots_at(&w->obstacles, s->index);
        s->begin = o->pose;
        s->goal = obstacle_pose_at(o, time);
    }
}

void contact_settle_solids(CordWorld* w)
{
    const Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        ((Obstacle*)slots_at(&w->obstacles, st->solids[i].index))->pose = st->solids[i].goal;
    }
}

// Who overlaps whom, where and how deep.
static CordResult overlap(CordWorld* w, const Touch* worst, double deep)
{
    const Stage* st = &w->touch->touching.stage;
    const Segment* a = &st->segments[worst->key.a];
    CordVec3 p = stage_point(st, st->begin, worst->key.a, worst->s);
    char other[160];
    if (worst->kind == TOUCH_SEGMENTS) {
        const Segment* b = &st->segments[worst->key.b];
        bool same = a->rod == b->rod;
        snprintf(other, sizeof other, "%s%s%s at its edge %d", same ? "itself" : "rod '",
                 same ? "" : st->rods[b->rod].rod->name, same ? "" : "'", b->edge);
    } else {
        const StageSolid* s = &st->solids[worst->key.b];
        snprintf(other, sizeof other, "obstacle '%s'", ((const Obstacle*)slots_at(&w->obstacles, s->index))->name);
    }
    return message_fail(&w->message, CORD_BAD_ARGUMENT,
                        "at t = %.9g s rod '%s' overlaps %s: at its edge %d, near (%.4g, %.4g, %.4g) m, %.3g of a radius deep; move them "
                        "apart, make them thinner, or untangle them first",
                        w->time, st->rods[a->rod].rod->name, other, a->edge, p.x, p.y, p.z, deep);
}

CordResult contact_step_implicit(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    if (!contact_is_on(w) || c->group_count == 0) {
        return CORD_OK;
    }
    StepInfo step = {w->time, h, h, w->gravity};
    Message message;
    place_solids(w, h);
    CordResult result =
        implicit_steps(c->groups, c->group_count, &c->touching, &w->memory, &step, scratch, &message);
    if (result == CORD_BAD_ARGUMENT) {
        return overlap(w, &c->touching.touches.worst, c->touching.touches.deepest);
    }
    return result == CORD_OK ? CORD_OK : message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
}

// ---- the step of explicit rods

#define MOST_OVERLAP 4.0   // of the tolerance, at the start of a step: more was never left by one
#define TRIES 3            // of a step, each looking farther around than the one before
#define FIRST_SPARE 0.02   // of a radius: how much nearer than they were going to things may come while others are put right
#define SWEEPS 50          // over all contacts, between two looks at where that has brought them
#define SWEEPS_PROJECTED 4 // likewise, where the lengths of rods have a say

static bool is_explicit(const CordWorld* w)
{
    return w->touch->group_count == 0;
}

static void weigh(const Stage* st, Blows* b)
{
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        const CordCenterline* c = &r->rod->line;
        const ModelTrial* trial = model_ops(r->rod->model)->trial;
        const double* inertia = r->rod->dynamic_twist ? trial->spin_inertia(r->rod) : NULL;
        const double* may_turn = inertia ? trial->may_turn(r->rod) : NULL;
        for (int n = 0; n < r->node_count; n++) {
            b->w[r->first_node + n] = c->w[slot_of(c, n)];
        }
        for (int j = 0; j < r->segment_count; j++) {
            int s = slot_of(c, j);
            b->w_spin[r->first_segment + j] = inertia ? may_turn[s] / inertia[s] : 0.0;
        }
    }
}

// Where all is at the end of the step as it stands, and how it has moved.
static void take_next(const Stage* st, StageMove* since, double h)
{
    stage_move_clear(since, st);
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int n = 0; n < r->node_count; n++) {
            int at = r->first_node + n;
            st->to[at] = slot_get(c->x_next, slot_of(c, n));
            since->x[at] = vec3_sub(st->to[at], st->begin[at]);
        }
        const double* spin = r->rod->dynamic_twist ? model_ops(r->rod->model)->trial->spin_next(r->rod) : NULL;
        for (int j = 0; spin && j < r->segment_count; j++) {
            since->spin[r->first_segment + j] = h * spin[slot_of(c, j)];
        }
    }
}

// Velocities as they were predicted, and what contact has added; then lengths. Contact's own part is what it has added since the last time.
static CordResult redo_rod(const StageRod* r, const Stage* st, StageMove* moved, double h, Arena* scratch, Message* message)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    (void)st;
    for (int n = 0; n < r->node_count; n++) {
        int s = slot_of(c, n);
        slot_set(c->v_next, s, vec3_madd(slot_get(rod->v_free, s), moved->x[r->first_node + n], 1.0 / h));
    }
    centerline_wrap(c, c->v_next);
    double* spin = rod->dynamic_twist ? model_ops(rod->model)->trial->spin_next(rod) : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        int s = slot_of(c, j);
        spin[s] = rod->spin_free[s] + moved->spin[r->first_segment + j] / h;
    }
    if (spin) {
        centerline_wrap_one(c, spin);
    }
    if (rod->inextensible) {
        double speed2;
        arena_reset(scratch);
        return lengths_project(rod, h, rod->kick, scratch, &speed2, message);
    }
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->x_next[k][s] = c->x[k][s] + h * c->v_next[k][s];
        }
    }
    return CORD_OK;
}

static CordResult redo(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    for (int i = 0; i < st->rod_count; i++) {
        CORD_TRY(redo_rod(&st->rods[i], st, &c->blows.moved, h, scratch, message));
    }
    take_next(st, &c->since, h);
    return CORD_OK;
}

static bool any_inextensible(const Stage* st)
{
    for (int i = 0; i < st->rod_count; i++) {
        if (st->rods[i].rod->inextensible) {
            return true;
        }
    }
    return false;
}

static CordResult respond_once(CordWorld* w, double h, double spare, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    Stage* st = &c->touching.stage;
    Blows* b = &c->blows;
    TouchLaw law = {.gap = spare, .by_motion = true};
    for (int i = 0; i < st->solid_count; i++) {
        st->solids[i].to = st->solids[i].begin;
    }
    if (!blows_begin(&w->memory, b, st, &law, &c->touching.friction, h)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    if (b->touches.deepest > MOST_OVERLAP * w->contact.tolerance) {
        return CORD_BAD_ARGUMENT;
    }
    stage_move_solids(st, 1.0);
    double enough = 0.5 * w->contact.tolerance, change = INFINITY, deepest = INFINITY;
    bool projected = any_inextensible(st);
    for (int n = 0; b->count > 0 && n < w->contact.iterations; n++) {
        CORD_TRY(redo(w, h, scratch, message));
        deepest = blows_deepest(b, st);
        if (deepest <= w->contact.tolerance && change <= enough) {
            return CORD_OK;
        }
        change = blows_sweep(b, st, &c->since, 0.2 * enough, projected ? SWEEPS_PROJECTED : SWEEPS);
    }
    return b->count == 0 ? CORD_OK
                         : message_fail(message, CORD_NOT_CONVERGED,
                                        "contacts are left %.2g of a radius deep after %d iterations", deepest,
                                        w->contact.iterations);
}

// What was put right may have come near something else, which is then looked at, too.
CordResult contact_respond(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    if (!contact_is_on(w) || !is_explicit(w)) {
        return CORD_OK;
    }
    Stage* st = &c->touching.stage;
    Message message;
    place_solids(w, h);
    stage_begin(st);
    CordResult result = stage_move_reserve(&w->memory, &c->since, st, &c->since_size) ? CORD_OK : no_memory(w);
    CORD_TRY(result);
    weigh(st, &c->blows);
    take_next(st, &c->since, h);
    stage_move_solids(st, 1.0);
    double spare = FIRST_SPARE;
    for (int n = 0; n < TRIES; n++, spare *= 10.0) {
        if (!stage_search(&w->memory, st)) {
            return no_memory(w);
        }
        result = respond_once(w, h, spare, scratch, &message);
        if (result == CORD_BAD_ARGUMENT) {
            return overlap(w, &c->blows.touches.worst, c->blows.touches.deepest);
        }
        if (result != CORD_OK) {
            break;
        }
        if (!stage_search(&w->memory, st)) {
            return no_memory(w);
        }
        Touches* ts = &c->touching.touches;
        if (!touches_find(&w->memory, ts, st, st->to, &(TouchLaw){.gap = w->contact.gap})) {
            return no_memory(w);
        }
        if (ts->deepest <= 2.0 * w->contact.tolerance && !stage_passes(st)) {
            return CORD_OK;
        }
    }
    return result == CORD_OK ? message_fail(&w->message, CORD_NOT_CONVERGED,
                                            "at t = %.9g s rods would pass through each other or an obstacle", w->time)
                             : message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
}

static void note_forces(CordWorld* w)
{
    const Touching* t = &w->touch->touching;
    for (int i = 0; i < t->stage.solid_count; i++) {
        const StageSolid* s = &t->stage.solids[i];
        const double* f = t->force.solid + 6 * i;
        if (s->kind == CORD_TOUCH_OBSTACLE) {
            Obstacle* o = slots_at(&w->obstacles, s->index);
            o->force = (CordVec3){f[0], f[1], f[2]};
            o->torque = (CordVec3){f[3], f[4], f[5]};
        }
    }
}

CordResult contact_settle(CordWorld* w, double h)
{
    if (!contact_is_on(w)) {
        return CORD_OK;
    }
    if (is_explicit(w)) {
        return blows_end(&w->memory, &w->touch->blows, h) ? CORD_OK : no_memory(w);
    }
    note_forces(w);
    return sticks_end(&w->memory, &w->touch->touching.sticks) ? CORD_OK : no_memory(w);
}

// ---- as bytes

static void visit_memory(StickMemory* s, Bytes* b)
{
    bytes_int(b, &s->key.a);
    bytes_int(b, &s->key.b);
    bytes_int(b, &s->key.feature);
    bytes_int(b, &s->key.part);
    bytes_doubles(b, &s->drift.x, 3);
    bytes_doubles(b, &s->force.x, 3);
    bytes_bool(b, &s->slides);
}

void contact_state(CordWorld* w, Bytes* b)
{
    if (!contact_is_on(w)) {
        return;
    }
    Sticks* s = &w->touch->touching.sticks;
    int count = s->kept_count;
    bytes_int(b, &count);
    if (b->mode == BYTES_READ) {
        bool fits = count >= 0 && (size_t)count <= b->size / sizeof(double); // each takes more than one
        b->failed |= !fits || !sticks_reserve(&w->memory, s, count);
        s->kept_count = b->failed ? 0 : count;
    }
    for (int i = 0; i < s->kept_count; i++) {
        visit_memory(&s->kept[i], b);
    }
}

// ---- the present state

// Touches of the present state, with solids where they are.
static bool find_touches(CordWorld* w)
{
    Touching* t = &w->touch->touching;
    place_solids(w, 0.0);
    stage_begin(&t->stage);
    TouchLaw law = t->law;
    law.no_barrier = is_explicit(w);
    return stage_search(&w->memory, &t->stage) &&
           touches_find(&w->memory, &t->touches, &t->stage, t->stage.begin, &law);
}

static CordContact contact_of(const WorldContact* wc, const Touch* touch)
{
    const Touching* t = &wc->touching;
    const Segment* a = &t->stage.segments[touch->key.a];
    const StickMemory* stick = sticks_remember(&t->sticks, touch);
    const BlowMemory* blow = blows_remember(&wc->blows, touch);
    CordContact c = {.rod = t->stage.rods[a->rod].index,
                     .edge = a->edge,
                     .at = touch->s,
                     .point = vec3_add(stage_point(&t->stage, t->stage.begin, touch->key.a, touch->s), touch->arm[0]),
                     .normal = touch->n,
                     .gap = touch->gap,
                     .push = touch->push};
    if (touch->kind == TOUCH_SEGMENTS) {
        const Segment* b = &t->stage.segments[touch->key.b];
        c.kind = CORD_TOUCH_ROD;
        c.other = t->stage.rods[b->rod].index, c.other_edge = b->edge, c.other_at = touch->t;
    } else {
        c.kind = t->stage.solids[touch->key.b].kind;
        c.other = t->stage.solids[touch->key.b].index;
    }
    if (stick) {
        c.friction = stick->force;
        c.slides = stick->slides;
    } else if (blow) {
        c.push = blow->force;
        c.friction = blow->friction;
        c.slides = blow->slides;
    }
    return c;
}

static CordResult list_contacts(CordWorld* w)
{
    WorldContact* c = w->touch;
    if (c->revision == w->revision) {
        return CORD_OK;
    }
    const Touching* t = &c->touching;
    c->list_count = 0;
    if (!find_touches(w) || !stage_move_reserve(&w->memory, &c->force, &t->stage, &c->force_size)) {
        return no_memory(w);
    }
    stage_move_clear(&c->force, &t->stage);
    touches_tilt(&t->stage, &t->touches, &c->force);
    for (int i = 0; i < t->touches.count; i++) {
        if (c->list_count == c->list_capacity &&
            !memory_grow(&w->memory, (void**)&c->list, c->list_count, &c->list_capacity, sizeof(CordContact))) {
            return no_memory(w);
        }
        CordContact* contact = &c->list[c->list_count++];
        *contact = contact_of(c, &t->touches.all[i]);
        touch_scatter(&t->stage, &t->touches.all[i], vec3_madd(contact->friction, contact->normal, contact->push),
                      &c->force);
    }
    c->revision = w->revision;
    return CORD_OK;
}

static bool contacts_now(const CordWorld* world)
{
    CordWorld* w = (CordWorld*)world; // what is kept can be worked out again at any time
    return world_prepare(w) == CORD_OK && contact_is_on(w) && list_contacts(w) == CORD_OK;
}

void contact_add_forces(const CordWorld* w, const Rod* rod, CordVec3* f)
{
    if (!contacts_now(w)) {
        return;
    }
    const Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        for (int n = 0; r->rod == rod && n < r->node_count; n++) {
            f[n] = vec3_add(f[n], w->touch->force.x[r->first_node + n]);
        }
    }
}

int cord_world_contact_count(const CordWorld* w)
{
    return contacts_now(w) ? w->touch->list_count : 0;
}

const CordContact* cord_world_contacts(const CordWorld* w)
{
    return contacts_now(w) ? w->touch->list : NULL;
}

CordContactReport cord_world_contact_report(const CordWorld* w)
{
    CordContactReport report = {.nearest = INFINITY};
    if (contacts_now(w)) {
        const Touching* t = &w->touch->touching;
        report.contacts = w->touch->list_count;
        report.deepest = t->touches.deepest;
        report.nearest = t->touches.nearest;
        report.iterations = t->iterations;
        report.iterations_in_all = t->iterations_in_all;
        report.searches = t->stage.searches;
        report.candidates = (int64_t)t->stage.pair_count + t->stage.solid_pair_count + t->stage.mesh_pair_count;
    }
    return report;
}
