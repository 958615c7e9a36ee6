// What can be asked about contact.
#include "world/contact_parts.h"

// ---- the present state

// Touches of the present state, with solids where they are.
static bool find_touches(CordWorld* w)
{
    Touching* t = &w->touch->touching;
    contact_move_solids(w, 0.0);
    stage_begin(&t->stage);
    contact_set_law(w, w->touch->longest_step);
    TouchLaw law = t->law;
    law.no_barrier = contact_is_explicit(w);
    return stage_search(&w->memory, &t->stage) &&
           touches_find(&w->memory, &t->touches, &t->stage, t->stage.begin, &law);
}

CordContact contact_of_touch(const WorldContact* wc, const Touch* touch)
{
    const Touching* t = &wc->touching;
    const Segment* a = &t->stage.segments[touch->key.a];
    const StickMemory* stick = sticks_remember(&t->sticks, touch);
    const BlowMemory* blow = blows_remember(&wc->blows, touch);
    CordContact c = {
        .rod = t->stage.rods[a->rod].index,
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

static CordResult list_touches(CordWorld* w)
{
    WorldContact* c = w->touch;
    const Touching* t = &c->touching;
    CORD_TRY(contact_fill(w)); // whoever is gone
    if (!find_touches(w) || !stage_move_reserve(&w->memory, &c->force, &t->stage, &c->force_size)) {
        return contact_no_memory(w);
    }
    stage_move_clear(&c->force, &t->stage);
    touches_tilt(&t->stage, &t->touches, &c->force);
    for (int i = 0; i < t->touches.count; i++) {
        if (c->list_count == c->list_capacity && !memory_grow(&w->memory, (void**)&c->list, c->list_count,
                                                              &c->list_capacity, sizeof(CordContact))) {
            return contact_no_memory(w);
        }
        CordContact* contact = &c->list[c->list_count++];
        *contact = contact_of_touch(c, &t->touches.all[i]);
        touch_scatter(&t->stage, &t->touches.all[i],
                      vec3_madd(contact->friction, contact->normal, contact->push), &c->force);
    }
    return CORD_OK;
}

static CordResult list_contacts(CordWorld* w)
{
    WorldContact* c = w->touch;
    if (c->revision == w->revision) {
        return CORD_OK;
    }
    c->list_count = 0;
    CORD_TRY(contact_is_on(w) ? list_touches(w) : CORD_OK);
    CORD_TRY(contact_modal_list(w));
    c->revision = w->revision;
    return CORD_OK;
}

static bool contacts_now(const CordWorld* world)
{
    CordWorld* w = (CordWorld*)world; // what is kept can be worked out again at any time
    return world_prepare(w) == CORD_OK && (contact_is_on(w) || contact_has_modal(w)) &&
           list_contacts(w) == CORD_OK;
}

const CordVec3* contact_forces_now(const CordWorld* w, const Rod* rod)
{
    if (!contacts_now(w)) {
        return NULL;
    }
    const Stage* st = &w->touch->touching.stage;
    for (int i = 0; i < st->rod_count; i++) {
        if (st->rods[i].rod == rod) {
            return w->touch->force.x + st->rods[i].first_node;
        }
    }
    return contact_modal_forces(w, rod);
}

void contact_add_forces(const CordWorld* w, const Rod* rod, CordVec3* f)
{
    const CordVec3* force = contact_forces_now(w, rod);
    for (int n = 0; force && n < rod->line.node_count; n++) {
        f[n] = vec3_add(f[n], force[n]);
    }
}

static void mark(const Stage* st, const int* first_edge, int segment, double at, uint8_t* touched, int* count)
{
    const Segment* g = &st->segments[segment];
    int edge = first_edge[st->rods[g->rod].index] + g->edge;
    touched[edge] |= at < 0.5 ? 1 : 2;
    count[edge]++;
}

static void mark_touch(const Stage* st, const int* first_edge, const Touch* t, uint8_t* touched, int* count)
{
    mark(st, first_edge, t->key.a, t->s, touched, count);
    if (t->kind == TOUCH_SEGMENTS) {
        mark(st, first_edge, t->key.b, t->t, touched, count);
    }
}

// As the last step has left them: those that push.
void contact_mark(const CordWorld* w, const int* first_edge, uint8_t* touched, int* count)
{
    if (!contact_is_on(w)) {
        return;
    }
    const WorldContact* c = w->touch;
    const Stage* st = &c->touching.stage;
    bool blows = contact_is_explicit(w) && w->contact.response == CORD_RESPONSE_IMPULSES;
    for (int i = 0; blows && i < c->blows.count; i++) {
        if (c->blows.all[i].push > 0.0) {
            mark_touch(st, first_edge, &c->blows.touches.all[c->blows.past[i].touch], touched, count);
        }
    }
    for (int i = 0; !blows && i < c->touching.touches.count; i++) {
        const Touch* t = &c->touching.touches.all[i];
        if (contact_is_explicit(w) ? t->gap < w->contact.tolerance * t->radius : t->push > 0.0) {
            mark_touch(st, first_edge, t, touched, count);
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
        report.deepest = contact_is_on(w) ? t->touches.deepest : 0.0;
        report.nearest = contact_is_on(w) ? t->touches.nearest : INFINITY;
        report.energy = contact_is_on(w) ? t->touches.energy : 0.0;
        bool is_explicit = contact_is_explicit(w);
        report.iterations = is_explicit ? w->touch->blows.sweeps : t->iterations;
        report.iterations_in_all = is_explicit ? w->touch->blows.sweeps_in_all : t->iterations_in_all;
        report.searches = t->stage.searches;
        report.candidates =
            (int64_t)t->stage.pair_count + t->stage.solid_pair_count + t->stage.mesh_pair_count;
        contact_modal_report(w, &report);
    }
    return report;
}
