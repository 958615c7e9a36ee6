// Overlaps: where they are, and rods pushed apart until there are none.
#include "solve/lengths.h"
#include "world/contact_parts.h"

#include <string.h>

#define ROUNDS 400
#define SWEEPS 20
#define AMBIGUOUS                                                                                            \
    0.2 // of the distance at which they touch: nearer than that, which side is which cannot be told
#define SPARE 0.05 // of a radius, that is looked around

// ---- where

static bool look(CordWorld* w, double spare)
{
    Touching* t = &w->touch->touching;
    contact_solids_over(w, 0.0);
    stage_begin(&t->stage);
    TouchLaw law = {.gap = spare, .no_barrier = true};
    return stage_search(&w->memory, &t->stage) &&
           touches_find(&w->memory, &t->touches, &t->stage, t->stage.begin, &law);
}

bool cord_world_deepest(const CordWorld* world, CordContact* deepest)
{
    CordWorld* w = (CordWorld*)world; // what is kept can be worked out again at any time
    *deepest = (CordContact){0};
    if (world_prepare(w) != CORD_OK || contact_fill(w) != CORD_OK || !look(w, SPARE)) {
        return false;
    }
    const Touches* ts = &w->touch->touching.touches;
    w->touch->revision = -1; // the list of contacts is worked out anew
    if (ts->deepest <= 0.0) {
        return false;
    }
    *deepest = contact_of_touch(w->touch, &ts->worst);
    deepest->point =
        stage_point(&w->touch->touching.stage, w->touch->touching.stage.begin, ts->worst.key.a, ts->worst.s);
    return true;
}

// ---- apart

static CordResult is_ambiguous(CordWorld* w)
{
    const Touches* ts = &w->touch->touching.touches;
    const Touch* worst = &ts->worst;
    const Stage* st = &w->touch->touching.stage;
    double touch = st->segments[worst->key.a].radius +
                   (worst->kind == TOUCH_SEGMENTS ? st->segments[worst->key.b].radius : 0.0);
    if (ts->deepest <= 0.0 || worst->gap + touch > AMBIGUOUS * touch) {
        return CORD_OK;
    }
    contact_overlap(w, worst, ts->deepest);
    char where[sizeof w->message.text];
    memcpy(where, w->message.text, sizeof where);
    return message_fail(&w->message, CORD_NOT_CONVERGED,
                        "cannot be untangled, since which side is which cannot be told: %s", where);
}

// How far apart they must be: implicit rods in the middle of their barriers, explicit ones at touch.
static double wanted_gap(const CordWorld* w)
{
    return contact_is_explicit(w) ? 0.0 : 0.5 * w->contact.gap;
}

static CordResult move_rod(CordWorld* w, const StageRod* r, const StageMove* moved)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    CordVec3* x = memory_array(&w->memory, CordVec3, r->node_count);
    if (!x || !arena_reserve(&w->memory, &w->query, lengths_scratch(rod))) {
        memory_array_free(&w->memory, x, x ? r->node_count : 0);
        return contact_no_memory(w);
    }
    CordResult result = CORD_OK;
    for (int n = 0; n < r->node_count; n++) {
        slot_set(c->v_next, slot_of(c, n), moved->x[r->first_node + n]);
        x[n] = vec3_add(node_position(c, n), moved->x[r->first_node + n]);
    }
    if (rod->inextensible) { // one second at the speed of a metre a metre
        double speed2;
        centerline_wrap(c, c->v_next);
        arena_reset(&w->query);
        result = lengths_project(rod, 1.0, 1.0, &w->query, &speed2, &w->message);
        for (int n = 0; n < r->node_count && result == CORD_OK; n++) {
            x[n] = slot_get(c->x_next, slot_of(c, n));
        }
    }
    result = result == CORD_OK ? cord_rod_set_positions(w, rod->id, x) : result;
    memory_array_free(&w->memory, x, r->node_count);
    return result;
}

static CordResult push_apart(CordWorld* w)
{
    WorldContact* c = w->touch;
    Stage* st = &c->touching.stage;
    Blows* b = &c->blows;
    FrictionLaw none = {0};
    TouchLaw law = {.gap = SPARE, .by_motion = true, .tolerance = w->contact.tolerance};
    b->kept_count = 0;
    b->wanted = wanted_gap(w) + w->contact.tolerance;
    contact_weigh(st, b);
    bool good = stage_move_reserve(&w->memory, &c->since, st, &c->since_size) &&
                blows_begin(&w->memory, b, st, &law, &none, 1.0);
    if (good) {
        stage_move_clear(&c->since, st);
        blows_sweep(b, st, &c->since, 0.0, SWEEPS);
    }
    b->wanted = 0.0;
    CordResult result = good ? CORD_OK : contact_no_memory(w);
    for (int i = 0; i < st->rod_count && result == CORD_OK; i++) {
        result = move_rod(w, &st->rods[i], &b->moved);
    }
    return result;
}

CordResult cord_world_untangle(CordWorld* w)
{
    CORD_TRY(check_no_branch(w, "nothing is untangled"));
    CORD_TRY(world_prepare(w));
    CORD_TRY(contact_fill(w));
    double enough = wanted_gap(w);
    for (int n = 0; n < ROUNDS; n++) {
        if (!look(w, SPARE)) {
            return contact_no_memory(w);
        }
        const Touches* ts = &w->touch->touching.touches;
        double least = INFINITY; // gap over radius
        for (int i = 0; i < ts->count; i++) {
            least = fmin(least, ts->all[i].gap / ts->all[i].radius);
        }
        w->revision++;
        if (fmin(least, -ts->deepest) >= (enough > 0.0 ? 0.0 : -w->contact.tolerance) &&
            least >= 0.8 * enough - w->contact.tolerance) {
            w->touch->blows.kept_count = 0;
            return CORD_OK;
        }
        CORD_TRY(is_ambiguous(w));
        CORD_TRY(push_apart(w));
    }
    contact_overlap(w, &w->touch->touching.touches.worst, w->touch->touching.touches.deepest);
    return CORD_NOT_CONVERGED;
}
