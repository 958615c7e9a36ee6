// Contact in the step: implicit rods are solved for together, explicit ones put right after they have moved.
#include "base/real.h"
#include "world/contact_parts.h"

#include "world/obstacle.h"

#include <stdio.h>
#include <string.h>

// ---- the step

// A step that contact cannot follow is taken in halves.
static CordResult check_turns(CordWorld* w)
{
    return stage_turns_too_far(&w->touch->touching.stage)
               ? message_fail(&w->message, CORD_NOT_CONVERGED,
                              "at t = %.9g s something turns so far in one step that what it meets on its "
                              "way is not known; take a shorter step",
                              w->time)
               : CORD_OK;
}

void contact_move_solids(CordWorld* w, double h)
{
    Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        StageSolid* s = &st->solids[i];
        if (s->kind == CORD_TOUCH_BODY) {
            const Body* body = slots_at(&w->bodies, s->index);
            CordBodyState now = body->engine->get(body->engine_user, body->handle);
            s->begin = s->goal = body->pose;
            s->goal.point = vec3_madd(s->goal.point, now.velocity, h);
            s->turn = h * vec3_length(now.spin);
            continue;
        }
        const Obstacle* o = slots_at(&w->obstacles, s->index);
        s->begin = obstacle_pose_at(o, w->time);
        s->goal = obstacle_pose_at(o, w->time + h);
        s->turn = obstacle_turn(o, w->time, w->time + h);
        s->detour = obstacle_detour(o, w->time, w->time + h);
    }
}

void contact_place_solids(CordWorld* w, double time)
{
    Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        StageSolid* s = &st->solids[i];
        if (s->kind == CORD_TOUCH_BODY) {
            s->begin = s->goal = ((const Body*)slots_at(&w->bodies, s->index))->pose;
            continue;
        }
        const Obstacle* o = slots_at(&w->obstacles, s->index);
        s->begin = o->pose;
        s->goal = obstacle_pose_at(o, time);
    }
}

void contact_commit_solids(CordWorld* w)
{
    const Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->solid_count; i++) {
        if (st->solids[i].kind == CORD_TOUCH_OBSTACLE) {
            ((Obstacle*)slots_at(&w->obstacles, st->solids[i].index))->pose = st->solids[i].goal;
        }
    }
}

typedef struct Place {
    char text[320];
} Place;

// "rod 'a' LINK rod 'b' at its edge 3: at its edge 7, near (0.1, 0, 0.2) m"
static Place place_of(const CordWorld* w, const Touch* touch, const char* link)
{
    const Stage* st = &w->touch->touching.stage;
    const Segment* a = &st->segments[touch->key.a];
    CordVec3 p = stage_point(st, st->begin, touch->key.a, touch->s);
    char other[160];
    if (touch->kind == TOUCH_SEGMENTS) {
        const Segment* b = &st->segments[touch->key.b];
        bool same = a->rod == b->rod;
        snprintf(other, sizeof other, "%s%s%s at its edge %d", same ? "itself" : "rod '",
                 same ? "" : st->rods[b->rod].rod->name, same ? "" : "'", b->edge);
    } else {
        const StageSolid* s = &st->solids[touch->key.b];
        bool body = s->kind == CORD_TOUCH_BODY;
        snprintf(other, sizeof other, "%s '%s'", body ? "body" : "obstacle",
                 body ? ((const Body*)slots_at(&w->bodies, s->index))->name
                      : ((const Obstacle*)slots_at(&w->obstacles, s->index))->name);
    }
    Place place;
    const CordCenterline* c = &st->rods[a->rod].rod->line;
    bool held = c->w[slot_of(c, a->edge)] == 0.0 || c->w[slot_of(c, edge_end(c, a->edge))] == 0.0;
    snprintf(place.text, sizeof place.text, "rod '%s' %s %s: at its edge %d%s, near (%.4g, %.4g, %.4g) m",
             st->rods[a->rod].rod->name, link, other, a->edge, held ? ", which a clamp holds" : "", p.x, p.y,
             p.z);
    return place;
}

CordResult contact_overlap(CordWorld* w, const Touch* worst, double deep)
{
    return message_fail(
        &w->message, CORD_BAD_ARGUMENT,
        "at t = %.9g s %s, %.3g of a radius deep; move them apart, make them thinner, or untangle them first",
        w->time, place_of(w, worst, "overlaps").text, deep);
}

CordResult contact_tangle(CordWorld* w, const Touch* worst, double deep, const char* why)
{
    return message_fail(&w->message, CORD_NOT_CONVERGED,
                        "cannot be untangled, %s: at t = %.9g s %s, %.3g of a radius deep; move them apart "
                        "or make them thinner",
                        why, w->time, place_of(w, worst, "overlaps").text, deep);
}

static CordResult solve_barrier(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    StepInfo step = {w->time, h, h, w->gravity, true};
    Message message;
    contact_move_solids(w, h);
    contact_note_step(w, h);
    contact_set_law(w, w->touch->longest_next);
    stage_begin(&c->touching.stage);
    CORD_TRY(check_turns(w)); // before much is spent on it
    CordResult result =
        implicit_steps(c->groups, c->group_count, &c->touching, &w->memory, &step, scratch, &message);
    if (result == CORD_BAD_ARGUMENT) {
        return contact_overlap(w, &c->touching.touches.worst, c->touching.touches.deepest);
    }
    if (result == CORD_NOT_CONVERGED && c->touching.touches.nearest < INFINITY) {
        return message_fail(&w->message, result, "at t = %.9g s %s (most pressed: %s)", w->time, message.text,
                            place_of(w, &c->touching.touches.worst, "against").text);
    }
    return result == CORD_OK ? check_turns(w)
                             : message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
}

// ---- the step of explicit rods

#define MOST_OVERLAP 4.0 // of the tolerance, at the start of a step: more was never left by one
#define TRIES 3          // of a step, each looking farther around than the one before
// Of a radius: how much nearer than they were going to things may come while others are put right.
#define FIRST_SPARE 0.02
// Rounds of position-based rods that were no better than the best before: contacts go to and fro, and from
// then on half of the way.
#define STALLED 6
// Rounds of position-based rods, at the most: what has not come to rest by then takes less time in halves.
#define MOST_ROUNDS 60

bool contact_is_explicit(const CordWorld* w)
{
    return w->touch->group_count == 0;
}

void contact_set_masses(const Stage* st, Blows* b)
{
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        const CordCenterline* c = &r->rod->line;
        RodSpin spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod) : (RodSpin){0};
        for (int n = 0; n < r->node_count; n++) {
            b->w[r->first_node + n] = c->w[slot_of(c, n)];
        }
        for (int j = 0; j < r->segment_count; j++) {
            int s = slot_of(c, j);
            b->w_spin[r->first_segment + j] = spin.inertia ? spin.may_turn[s] / spin.inertia[s] : 0.0;
        }
    }
}

// Where all is at the end of the step as it stands, and how it has moved.
void contact_measure_rod(const Stage* st, const StageRod* r, StageMove* since, double h)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < r->node_count; n++) {
        int at = r->first_node + n;
        st->to[at] = slot_get(c->x_next, slot_of(c, n));
        since->x[at] = vec3_sub(st->to[at], st->begin[at]);
    }
    const double* spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod).next : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        since->spin[r->first_segment + j] = h * spin[slot_of(c, j)];
    }
}

static void take_next(const Stage* st, StageMove* since, double h)
{
    stage_move_clear(since, st);
    for (int i = 0; i < st->rod_count; i++) {
        contact_measure_rod(st, &st->rods[i], since, h);
    }
}

// A clamp that slides lets contact move its nodes along its axis alone.
static void keep_on_rails(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        for (int k = 0; clamp->holds && clamp->def.slides && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            CordVec3 free = slot_get(rod->v_free, s), added = vec3_sub(slot_get(c->v_next, s), free);
            slot_set(c->v_next, s, vec3_madd(free, clamp->axis, vec3_dot(added, clamp->axis)));
        }
    }
}

// Velocities as they were predicted, and what contact has added.
void contact_apply_impulses(const StageRod* r, const StageMove* moved, double h)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    for (int n = 0; n < r->node_count; n++) {
        int s = slot_of(c, n);
        slot_set(c->v_next, s, vec3_madd(slot_get(rod->v_free, s), moved->x[r->first_node + n], 1.0 / h));
    }
    keep_on_rails(rod);
    centerline_wrap(c, c->v_next);
    double* spin = rod->dynamic_twist ? model_of(rod)->spin(rod).next : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        int s = slot_of(c, j);
        spin[s] = rod->spin_free[s] + moved->spin[r->first_segment + j] / h;
    }
    if (spin) {
        centerline_wrap_one(c, spin);
    }
}

// The step as it is with these impulses: positions, and lengths.
static CordResult redo_rod(const StageRod* r, const StageMove* moved, double h, Arena* scratch,
                           Message* message)
{
    StepInfo step = {.h = h, .kick = r->rod->kick, .in_contact = true};
    contact_apply_impulses(r, moved, h);
    return stepper_of(r->rod)->apply(&r->rod, 1, &step, scratch, message);
}

static CordResult redo(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    for (int i = 0; i < st->rod_count; i++) {
        if (!contact_is_batched(st->rods[i].rod)) {
            CORD_TRY(redo_rod(&st->rods[i], &c->blows.moved, h, scratch, message));
            contact_measure_rod(st, &st->rods[i], &c->since, h);
        }
    }
    contact_redo_batches(w, h, scratch);
    return CORD_OK;
}

static bool any_projected(const Stage* st)
{
    for (int i = 0; i < st->rod_count; i++) {
        if (st->rods[i].rod->inextensible || contact_is_batched(st->rods[i].rod)) {
            return true;
        }
    }
    return false;
}

static const Touch* deepest_of(const Blows* b)
{
    int at = 0;
    for (int i = 1; i < b->count; i++) {
        at = b->past[i].gap < b->past[at].gap ? i : at;
    }
    return &b->touches.all[b->past[at].touch];
}

// Do clamps hold a rod at a touch with a solid, all through the step? Both are led there, then, however short
// the steps are.
static bool is_held_there(const CordWorld* w, const Touch* touch, double h)
{
    const Stage* st = &w->touch->touching.stage;
    const Segment* g = &st->segments[touch->key.a];
    const Rod* rod = st->rods[g->rod].rod;
    const double* inverse = w->touch->blows.w;
    if (touch->kind == TOUCH_SEGMENTS ||
        inverse[g->node[0]] * (1.0 - touch->s) + inverse[g->node[1]] * touch->s > 0.0) {
        return false;
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->def.slides || rod->clamps[i]->def.release <= w->time + h) {
            return false;
        }
    }
    return true;
}

// Before much is spent on it.
static CordResult check_held(CordWorld* w, double h, Message* message)
{
    const Stage* st = &w->touch->touching.stage;
    const Touches* touches = &w->touch->blows.touches;
    for (int i = 0; i < touches->count; i++) {
        const Touch* touch = &touches->all[i];
        double deep = is_held_there(w, touch, h) ? -touch_gap(st, touch, st->to) / touch->radius : 0.0;
        if (deep > w->contact.tolerance) {
            w->hopeless = true;
            return message_fail(message, CORD_NOT_CONVERGED,
                                "%s, and has nowhere to go: it would be %.2g of a radius deep; lead clamp or "
                                "obstacle elsewhere",
                                place_of(w, touch, "is pressed against").text, deep);
        }
    }
    return CORD_OK;
}

static CordResult respond_once(CordWorld* w, double h, double spare, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    Stage* st = &c->touching.stage;
    Blows* b = &c->blows;
    TouchLaw law = {.gap = spare, .tolerance = w->contact.tolerance};
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
    CORD_TRY(check_held(w, h, message));
    double enough = 0.5 * w->contact.tolerance, change = INFINITY, deepest = INFINITY, least = INFINITY;
    int stalls = 0;
    bool projected = any_projected(st);
    b->by_rod = contact_batch_scratch(w) > 0;
    int rounds = b->by_rod && w->contact.iterations > MOST_ROUNDS ? MOST_ROUNDS : w->contact.iterations;
    for (int n = 0; b->count > 0 && n < rounds; n++) {
        CORD_TRY(redo(w, h, scratch, message));
        deepest = blows_measure(b, st, &c->since);
        if (deepest <= enough && change <= enough) {
            return CORD_OK;
        }
        if (b->by_rod) {
            blows_find_busy(b, st, enough);
            if (!contact_yield(w, h, &(ContactRound){0.2 * enough, stalls < STALLED ? 1.0 : 0.5}, &change)) {
                return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
            }
            stalls += stalls < STALLED && !(change < 0.9 * least);
            least = real_min(change, least);
        } else {
            change = blows_sweep(b, 0.2 * enough, projected ? CONTACT_SWEEPS_BLIND : CONTACT_SWEEPS);
        }
        if (deepest <= enough && change <= 0.2 * enough && !projected) { // next to nothing was to be done
            return redo(w, h, scratch, message);
        }
        change = blows_foresee(b, st) ? INFINITY : change;
    }
    return b->count == 0
               ? CORD_OK
               : message_fail(message, CORD_NOT_CONVERGED,
                              "contacts do not come to rest in %d iterations, and may have nowhere to go: "
                              "%s, %.2g of a radius deep; press less, or "
                              "take a shorter step",
                              rounds, place_of(w, deepest_of(b), "is pressed against").text, deepest);
}

// The paper's way: displacements of the predicted positions. Lengths and contacts take turns.
static CordResult respond_zones(CordWorld* w, double h, Arena* scratch, Message* message)
{
    WorldContact* c = w->touch;
    Stage* st = &c->touching.stage;
    Blows* b = &c->blows;
    double left = INFINITY;
    b->count = 0;
    if (!stage_move_reserve(&w->memory, &b->moved, st, &b->moved_size)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    stage_move_clear(&b->moved, st);
    zones_begin(&c->zones);
    for (int n = 0; n < w->contact.iterations; n++) {
        if (!zones_resolve(&w->memory, &c->zones, st, b, &c->touching.friction, 0.5 * w->contact.tolerance,
                           w->contact.iterations, &left)) {
            return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
        }
        if (c->zones.rounds > 0) {
            CORD_TRY(redo(w, h, scratch, message));
        }
        if (n > 0 && left <= 0.5 * w->contact.tolerance) {
            break;
        }
    }
    b->sweeps = (int)c->zones.rounds;
    b->sweeps_in_all += c->zones.rounds;
    return left <= 0.5 * w->contact.tolerance
               ? CORD_OK
               : message_fail(message, CORD_NOT_CONVERGED, "collisions are left %.2g of a radius deep", left);
}

// Is all that is near apart at the end of the step, and has nothing passed through anything? False: no
// memory.
static bool is_clear(CordWorld* w, bool* clear)
{
    Touching* t = &w->touch->touching;
    TouchLaw law = {.no_barrier = true};
    if (!touches_find(&w->memory, &t->touches, &t->stage, t->stage.to, &law)) {
        return false;
    }
    *clear = t->touches.deepest <= w->contact.tolerance && !stage_passes(&t->stage);
    return true;
}

// What was put right may have come near something else, which is then looked at, too.
static CordResult solve_impulses(CordWorld* w, double h, Arena* scratch)
{
    WorldContact* c = w->touch;
    Stage* st = &c->touching.stage;
    Message message;
    contact_move_solids(w, h);
    stage_begin(st);
    CordResult result = stage_move_reserve(&w->memory, &c->since, st, &c->since_size) &&
                                stage_move_reserve(&w->memory, &c->redone, st, &c->redone_size)
                            ? CORD_OK
                            : contact_no_memory(w);
    CORD_TRY(result);
    stage_move_clear(&c->redone, st);
    contact_set_masses(st, &c->blows);
    take_next(st, &c->since, h);
    CORD_TRY(check_turns(w));
    stage_move_solids(st, 1.0);
    double spare = FIRST_SPARE;
    for (int n = 0; n < TRIES; n++, spare *= 10.0) {
        if (!stage_search(&w->memory, st)) {
            return contact_no_memory(w);
        }
        result = w->contact.response == CORD_RESPONSE_ZONES ? respond_zones(w, h, scratch, &message)
                                                            : respond_once(w, h, spare, scratch, &message);
        if (result == CORD_BAD_ARGUMENT) {
            return contact_overlap(w, &c->blows.touches.worst, c->blows.touches.deepest);
        }
        if (result != CORD_OK) {
            break;
        }
        bool clear = false;
        if (!stage_search(&w->memory, st) || !is_clear(w, &clear)) {
            return contact_no_memory(w);
        }
        if (clear) {
            return CORD_OK;
        }
    }
    if (result != CORD_OK) {
        return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
    }
    const Touches* ends = &c->touching.touches;
    return ends->deepest > w->contact.tolerance
               ? message_fail(&w->message, CORD_NOT_CONVERGED,
                              "at t = %.9g s %s, and has nowhere to go: it would be %.2g of a radius deep; "
                              "let it give way, or lead what presses it elsewhere",
                              w->time, place_of(w, &ends->worst, "is pressed against").text, ends->deepest)
               : message_fail(
                     &w->message, CORD_NOT_CONVERGED,
                     "at t = %.9g s rods would pass through each other or an obstacle; take a shorter step",
                     w->time);
}

CordResult contact_solve(CordWorld* w, double h)
{
    if (contact_is_on(w)) {
        Arena scratch = arena_slice(&w->scratch, contact_scratch(w));
        bool impulses = contact_is_explicit(w);
        stopwatch_start(&w->watch);
        CordResult result = impulses ? solve_impulses(w, h, &scratch) : solve_barrier(w, h, &scratch);
        stopwatch_lap(&w->watch, impulses ? &w->watch.times.contact : &w->watch.times.implicit);
        CORD_TRY(result);
    }
    return contact_modal_respond(w, h);
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

// Of explicit rods: what pushes a rod pushes back. Displacements times masses are forces times h^2.
static void note_blows(CordWorld* w, double h)
{
    const Blows* b = &w->touch->blows;
    const Stage* st = &w->touch->touching.stage;
    double per = 1.0 / (h * h);
    for (int i = 0; i < b->count; i++) {
        const Blow* blow = &b->all[i];
        const Touch* touch = &b->touches.all[b->past[i].touch];
        if (touch->kind != TOUCH_SEGMENTS) {
            double* sum = b->moved.solid + 6 * touch->key.b;
            CordVec3 f = vec3_mul(vec3_madd(blow->drag, touch->n, blow->push), -1.0);
            CordVec3 torque = vec3_cross(touch->arm[1], f);
            sum[0] += f.x, sum[1] += f.y, sum[2] += f.z;
            sum[3] += torque.x, sum[4] += torque.y, sum[5] += torque.z;
        }
    }
    for (int i = 0; i < st->solid_count; i++) { // none of them a body
        Obstacle* o = slots_at(&w->obstacles, st->solids[i].index);
        const double* sum = b->moved.solid + 6 * i;
        o->force = (CordVec3){sum[0] * per, sum[1] * per, sum[2] * per};
        o->torque = (CordVec3){sum[3] * per, sum[4] * per, sum[5] * per};
    }
}

// What may fail comes first.
CordResult contact_commit(CordWorld* w, double h)
{
    if (!contact_is_on(w)) {
        return CORD_OK;
    }
    bool is_explicit = contact_is_explicit(w);
    bool kept = is_explicit ? blows_end(&w->memory, &w->touch->blows, h)
                            : sticks_end(&w->memory, &w->touch->touching.sticks);
    if (!kept) {
        return contact_no_memory(w);
    }
    if (is_explicit) {
        note_blows(w, h);
    } else {
        note_forces(w);
        w->touch->longest_step = w->touch->longest_next;
        w->touch->presses = w->touch->touching.touches.count > 0;
    }
    return CORD_OK;
}
