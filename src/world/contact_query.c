// Contact queries.
#include "world/contact_parts.h"

// ---- the present state

// Contact points of the present state, with solids at their present poses.
static bool find_touches(CordWorld* w)
{
    ContactNewton* t = &w->touch->newton;
    contact_move_solids(w, 0.0);
    colliders_begin_step(&t->colliders);
    contact_set_law(w);
    ContactLaw law = t->law;
    law.frozen = !contact_is_explicit(w);
    law.gap = w->contact.gap;
    return broad_phase_update(&w->memory, &t->colliders) &&
           narrow_phase_find(&w->memory, &t->contacts, &t->colliders, t->colliders.begin, &law);
}

CordContact contact_from_point(const WorldContact* wc, const ContactPoint* contact)
{
    const ContactNewton* t = &wc->newton;
    const Segment* a = &t->colliders.segments[contact->key.a];
    const WarmStart* warm = warm_starts_find(&t->warm, contact);
    const ImpulseWarmStart* constraint = contact_constraints_warm_start(&wc->constraints, contact);
    CordContact c = {
        .rod = t->colliders.rods[a->rod].index,
        .edge = a->edge,
        .at = contact->s,
        .point = vec3_add(colliders_axis_point(&t->colliders, t->colliders.begin, contact->key.a, contact->s),
                          contact->arm[0]),
        .normal = contact->n,
        .gap = contact->gap,
        .push = contact->push};
    if (contact->kind == CONTACT_SEGMENTS) {
        const Segment* b = &t->colliders.segments[contact->key.b];
        c.kind = CORD_TOUCH_ROD;
        c.other = t->colliders.rods[b->rod].index, c.other_edge = b->edge, c.other_at = contact->t;
    } else {
        c.kind = t->colliders.solids[contact->key.b].kind;
        c.other = t->colliders.solids[contact->key.b].index;
    }
    if (warm) {
        c.push = warm->normal;
        c.friction = warm->friction;
        c.slides = warm->slides;
        c.couple = warm->couple;
    } else if (constraint) {
        c.push = constraint->force;
        c.friction = constraint->friction;
        c.slides = constraint->slides;
        c.couple = constraint->couple;
    }
    return c;
}

static CordResult list_contact_points(CordWorld* w)
{
    WorldContact* c = w->touch;
    const ContactNewton* t = &c->newton;
    CORD_TRY(contact_fill(w)); // some colliders may be destroyed
    if (!find_touches(w) || !dof_vector_reserve(&w->memory, &c->force, &t->colliders, &c->force_size)) {
        return contact_no_memory(w);
    }
    dof_vector_clear(&c->force, &t->colliders);
    for (int i = 0; i < t->contacts.count; i++) {
        if (c->list_count == c->list_capacity && !memory_grow(&w->memory, (void**)&c->list, c->list_count,
                                                              &c->list_capacity, sizeof(CordContact))) {
            return contact_no_memory(w);
        }
        CordContact* contact = &c->list[c->list_count++];
        *contact = contact_from_point(c, &t->contacts.all[i]);
        contact_point_scatter(&t->colliders, &t->contacts.all[i],
                              vec3_madd(contact->friction, contact->normal, contact->push), &c->force);
        contact_point_scatter_couple(&t->colliders, &t->contacts.all[i], contact->couple, &c->force);
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
    CORD_TRY(list_contact_points(w));
    c->revision = w->revision;
    return CORD_OK;
}

static bool contacts_now(const CordWorld* world)
{
    CordWorld* w = (CordWorld*)world; // a cache is not part of the visible state
    return world_prepare(w) == CORD_OK && contact_is_on(w) && list_contacts(w) == CORD_OK;
}

const CordVec3* contact_forces_now(const CordWorld* w, const Rod* rod)
{
    if (!contacts_now(w)) {
        return NULL;
    }
    int i = contact_find_rod(w, rod);
    return i < 0 ? NULL : w->touch->force.x + w->touch->newton.colliders.rods[i].first_node;
}

void contact_add_forces(const CordWorld* w, const Rod* rod, CordVec3* f)
{
    const CordVec3* force = contact_forces_now(w, rod);
    for (int n = 0; force && n < rod->line.node_count; n++) {
        f[n] = vec3_add(f[n], force[n]);
    }
}

static void mark_segment(const Colliders* cs, const int* first_edge, int segment, double at, uint8_t* touched,
                         int* count)
{
    const Segment* g = &cs->segments[segment];
    int edge = first_edge[cs->rods[g->rod].index] + g->edge;
    touched[edge] |= at < 0.5 ? 1 : 2;
    count[edge]++;
}

static void mark_contact_point(const Colliders* cs, const int* first_edge, const ContactPoint* t,
                               uint8_t* touched, int* count)
{
    mark_segment(cs, first_edge, t->key.a, t->s, touched, count);
    if (t->kind == CONTACT_SEGMENTS) {
        mark_segment(cs, first_edge, t->key.b, t->t, touched, count);
    }
}

// Marks the contacts that carry a force after the last step.
void contact_mark(const CordWorld* w, const int* first_edge, uint8_t* touched, int* count)
{
    if (!contact_is_on(w)) {
        return;
    }
    const WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    bool constraints = contact_is_explicit(w) && w->contact.response == CORD_RESPONSE_IMPULSES;
    for (int i = 0; constraints && i < c->constraints.count; i++) {
        if (c->constraints.all[i].normal_impulse > 0.0) {
            mark_contact_point(cs, first_edge, &c->constraints.contacts.all[c->constraints.past[i].contact],
                               touched, count);
        }
    }
    for (int i = 0; !constraints && i < c->newton.contacts.count; i++) {
        const ContactPoint* t = &c->newton.contacts.all[i];
        if (contact_is_explicit(w) ? t->gap < w->contact.tolerance * t->radius : t->push > 0.0) {
            mark_contact_point(cs, first_edge, t, touched, count);
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
        const ContactNewton* t = &w->touch->newton;
        report.contacts = w->touch->list_count;
        report.deepest = t->contacts.deepest;
        report.nearest = t->contacts.nearest;
        bool is_explicit = contact_is_explicit(w);
        report.iterations = is_explicit ? w->touch->constraints.sweeps : t->iterations;
        report.iterations_in_all = is_explicit ? w->touch->constraints.sweeps_total : t->iterations_in_all;
        report.searches = t->colliders.searches;
        report.candidates =
            (int64_t)t->colliders.pair_count + t->colliders.solid_pair_count + t->colliders.mesh_pair_count;
        const BudgetUse* used = &w->touch->used;
        report.spent = used->spent, report.spent_in_all = used->spent_in_all;
        report.limited = used->limited, report.limited_in_all = used->limited_in_all;
        report.unmet = used->unmet, report.residual = used->residual;
        report.asleep = w->sleepers;
    }
    return report;
}
