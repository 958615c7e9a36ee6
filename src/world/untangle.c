// Overlaps: finds them, and pushes rods apart until there are none.
#include "base/real.h"
#include "solve/rattle.h"
#include "world/contact_parts.h"

#define ROUNDS 400
#define SWEEPS 20
#define MOST_HALVINGS 20
// Over the distance at touch: at a smaller distance the normal is ambiguous.
#define AMBIGUOUS 0.2
#define MARGIN 0.05         // margin of the broad phase, over a radius
#define SMOOTHING_RADII 4.0 // width of the smoothing, in radii
#define MOST_ROUNDS 1000.0

// ---- finding overlaps

static bool find_overlaps(CordWorld* w, double margin)
{
    ContactNewton* t = &w->touch->newton;
    contact_move_solids(w, 0.0);
    colliders_begin_step(&t->colliders);
    ContactLaw law = {.gap = margin, .tolerance = w->contact.tolerance};
    return broad_phase_update(&w->memory, &t->colliders) &&
           narrow_phase_find(&w->memory, &t->contacts, &t->colliders, t->colliders.begin, &law);
}

// The deepest overlap, if it is deeper than `least` radii.
static bool deepest_beyond(const CordWorld* world, double least, CordContact* deepest)
{
    CordWorld* w = (CordWorld*)world; // a cache is not part of the visible state
    *deepest = (CordContact){0};
    if (world_prepare(w) != CORD_OK || contact_fill(w) != CORD_OK || !find_overlaps(w, MARGIN)) {
        return false;
    }
    const ContactPoints* ts = &w->touch->newton.contacts;
    w->touch->revision = -1; // expires the cached list of contacts
    if (ts->deepest <= least) {
        return false;
    }
    const ContactPoint* worst = &ts->worst; // has no normal where axes intersect
    for (int i = 0; i < ts->count; i++) {
        worst = ts->all[i].gap <= ts->worst.gap ? &ts->all[i] : worst;
    }
    *deepest = contact_from_point(w->touch, worst);
    return true;
}

bool cord_world_deepest(const CordWorld* world, CordContact* deepest)
{
    return deepest_beyond(world, 0.0, deepest);
}

bool cord_world_overlaps(const CordWorld* world, CordContact* deepest)
{
    return deepest_beyond(world, world->contact.tolerance, deepest);
}

// ---- pushing apart

static CordResult fail_untangle(CordWorld* w, const char* why)
{
    const ContactPoints* ts = &w->touch->newton.contacts;
    return contact_tangle(w, &ts->worst, ts->deepest, why);
}

static CordResult is_ambiguous(CordWorld* w)
{
    const ContactPoints* ts = &w->touch->newton.contacts;
    const ContactPoint* worst = &ts->worst;
    const Colliders* cs = &w->touch->newton.colliders;
    double touching = cs->segments[worst->key.a].radius +
                      (worst->kind == CONTACT_SEGMENTS ? cs->segments[worst->key.b].radius : 0.0);
    if (ts->deepest <= 0.0 || worst->gap + touching > AMBIGUOUS * touching) {
        return CORD_OK;
    }
    return fail_untangle(w, "since which side is which cannot be told");
}

static double largest_length(const CordVec3* a, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = real_max(most, vec3_length(a[i]));
    }
    return most;
}

// Smooths node displacements over a few radii, so that no kink remains that would spring back. Then scales
// them to their former magnitude.
static void smooth_displacement(const ColliderRod* r, CordVec3* moved)
{
    const CordCenterline* c = &r->rod->line;
    double wide = SMOOTHING_RADII * r->rod->radius * r->segment_count / r->rod->length,
           before = largest_length(moved, r->node_count);
    int rounds = (int)real_min(wide * wide, MOST_ROUNDS);
    for (int n = 0; n < rounds; n++) {
        CordVec3 last = c->closed ? moved[r->node_count - 1] : moved[0], first = moved[0];
        for (int i = 0; i < r->node_count; i++) {
            CordVec3 own = moved[i], next = i + 1 < r->node_count ? moved[i + 1] : c->closed ? first : own;
            bool held = c->w[slot_of(c, i)] == 0.0;
            moved[i] = held ? own : vec3_madd(vec3_mul(vec3_add(last, next), 0.25), own, 0.5);
            last = own;
        }
    }
    double after = largest_length(moved, r->node_count);
    for (int i = 0; i < r->node_count && after > 0.0; i++) {
        moved[i] = vec3_mul(moved[i], before / after);
    }
}

static CordResult displace_rod(CordWorld* w, const ColliderRod* r, const DofVector* moved)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    CordVec3* x = memory_array(&w->memory, CordVec3, r->node_count);
    if (!x || !arena_reserve(&w->memory, &w->query, rattle_scratch(rod))) {
        memory_array_free(&w->memory, x, x ? r->node_count : 0);
        return contact_no_memory(w);
    }
    CordResult result = CORD_OK;
    for (int n = 0; n < r->node_count; n++) {
        slot_set(c->v_next, slot_of(c, n), moved->x[r->first_node + n]);
        x[n] = vec3_add(node_position(c, n), moved->x[r->first_node + n]);
    }
    if (rod->inextensible) { // projects over one second, so that velocity equals displacement
        double speed2;
        centerline_wrap(c, c->v_next);
        arena_reset(&w->query);
        result = rattle_project(rod, 1.0, 1.0, &w->query, &speed2, &w->message);
        for (int n = 0; n < r->node_count && result == CORD_OK; n++) {
            x[n] = slot_get(c->x_next, slot_of(c, n));
        }
    }
    result = result == CORD_OK ? cord_rod_set_positions(w, rod->id, x) : result;
    memory_array_free(&w->memory, x, r->node_count);
    return result;
}

// Halves the displacement until nothing tunnels. Returns false without memory.
static bool limit_displacement(CordWorld* w, DofVector* moved)
{
    Colliders* cs = &w->touch->newton.colliders;
    for (int n = 0; n < MOST_HALVINGS; n++) {
        for (int i = 0; i < cs->node_count; i++) {
            cs->to[i] = vec3_add(cs->begin[i], moved->x[i]);
        }
        if (!broad_phase_update(&w->memory, cs)) {
            return false;
        }
        if (!colliders_tunnel(cs)) {
            break;
        }
        for (int i = 0; i < cs->node_count; i++) {
            moved->x[i] = vec3_mul(moved->x[i], 0.5);
        }
    }
    return true;
}

// Positions of a reduced model follow from its modes: it stays where it is.
static bool stays(const ColliderRod* r)
{
    return model_of(r->rod)->reduced != NULL;
}

static void set_masses(const Colliders* cs, ContactConstraints* b)
{
    contact_set_masses(cs, b);
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int n = 0; n < r->node_count && stays(r); n++) {
            b->w[r->first_node + n] = 0.0;
        }
    }
}

static CordResult push_apart(CordWorld* w)
{
    WorldContact* c = w->touch;
    Colliders* cs = &c->newton.colliders;
    ContactConstraints* b = &c->constraints;
    SurfaceLaws none = {0};
    ContactLaw law = {.gap = MARGIN, .tolerance = w->contact.tolerance};
    b->warm_count = 0;
    b->target_gap = w->contact.tolerance;
    set_masses(cs, b);
    bool good = dof_vector_reserve(&w->memory, &c->since, cs, &c->since_size) &&
                contact_constraints_begin(&w->memory, b, cs, cs->begin, &law, &none, 1.0) &&
                delassus_find(&w->memory, &c->delassus, b, cs);
    if (good) {
        DelassusBatch all = delassus_all(&c->delassus);
        dof_vector_clear(&c->since, cs);
        contact_constraints_measure(b, cs, &c->since);
        delassus_begin(&c->delassus, b, all);
        gauss_seidel_solve(&c->delassus, b, all,
                           &(SweepLimits){.few = SWEEPS, .most = SWEEPS, .blind = true});
        delassus_apply(&c->delassus, b, all, 1.0);
    }
    b->target_gap = 0.0;
    CordResult result = good ? CORD_OK : contact_no_memory(w);
    for (int i = 0; i < cs->rod_count && result == CORD_OK; i++) {
        smooth_displacement(&cs->rods[i], b->moved.x + cs->rods[i].first_node);
    }
    result = result == CORD_OK && !limit_displacement(w, &b->moved) ? contact_no_memory(w) : result;
    for (int i = 0; i < cs->rod_count && result == CORD_OK; i++) {
        result = stays(&cs->rods[i]) ? CORD_OK : displace_rod(w, &cs->rods[i], &b->moved);
    }
    return result;
}

static CordResult untangle(CordWorld* w)
{
    for (int n = 0; n < ROUNDS; n++) {
        if (!find_overlaps(w, MARGIN)) {
            return contact_no_memory(w);
        }
        const ContactPoints* ts = &w->touch->newton.contacts;
        double least = INFINITY; // gap over radius
        for (int i = 0; i < ts->count; i++) {
            least = real_min(least, ts->all[i].gap / ts->all[i].radius);
        }
        world_mark(w, NULL, MARK_STATE);
        if (real_min(least, -ts->deepest) >= -w->contact.tolerance) {
            w->touch->constraints.warm_count = 0;
            return CORD_OK;
        }
        CORD_TRY(is_ambiguous(w));
        CORD_TRY(push_apart(w));
    }
    return fail_untangle(w, "since there is no room for it");
}

CordResult cord_world_untangle(CordWorld* w)
{
    CORD_TRY(check_no_branch(w, "nothing is untangled"));
    CORD_TRY(world_prepare(w));
    CORD_TRY(contact_fill(w));
    size_t size = cord_world_state_size(w);
    unsigned char* before = memory_array(&w->memory, unsigned char, size);
    if (!before) {
        return contact_no_memory(w);
    }
    CordResult result = world_state_write(w, before, size);
    result = result == CORD_OK ? untangle(w) : result;
    if (result != CORD_OK) { // the state has not changed
        Message why = w->message;
        cord_world_state_set(w, before, size);
        w->message = why;
    }
    memory_array_free(&w->memory, before, size);
    return result;
}
