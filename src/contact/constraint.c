#include "contact/constraint.h"

#include "base/sort.h"

#include <stdlib.h>

static void add_inverse_masses(const ContactConstraints* b, const ContactPoint* contact, int side,
                               ContactConstraint* c)
{
    double s = side == 0 ? contact->s : contact->t, slope = vec3_dot(c->n, c->axis[side]);
    double p = b->w[c->node[2 * side]], q = b->w[c->node[2 * side + 1]];
    double at = c->at[side], lever = c->lever[side], arm = c->arm[side];
    double sine2 = larger(0.0, 1.0 - slope * slope); // squared, between the axis and the normal
    double couple = (p + q) * lever * lever, spin = c->w_spin[side] * arm * arm;
    c->W_nn += p * (1.0 - s) * (1.0 - s) + q * s * s;
    c->W_tt += p * (1.0 - at) * (1.0 - at) + q * at * at + sine2 * larger(couple, spin);
    c->W_tn = vec3_madd(c->W_tn, vec3_reject(c->axis[side], c->n), lever * (p * (1.0 - s) - q * s));
}

static void set_side(const ContactConstraints* b, const Colliders* cs, const ContactPoint* contact, int side,
                     ContactConstraint* c)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    double s = side == 0 ? contact->s : contact->t;
    c->node[2 * side] = g->node[0], c->node[2 * side + 1] = g->node[1];
    c->segment[side] = segment;
    c->axis[side] = contact->axis[side];
    c->arm[side] = (side == 0 ? -1.0 : 1.0) * (g->radius + 0.5 * contact->gap);
    c->lever[side] = c->arm[side] * contact->inv_len[side];
    c->at[side] = s + c->lever[side] * vec3_dot(c->n, c->axis[side]);
    c->w_spin[side] = b->w_spin[segment];
    c->radii += g->radius;
    add_inverse_masses(b, contact, side, c);
}

// Field by field, because a compound literal would be built and then copied.
static void set_constraint(ContactConstraint* c, const ContactConstraints* b, const Colliders* cs,
                           const ContactPoint* contact, double mu)
{
    c->sides = contact->kind == CONTACT_SEGMENTS ? 2 : 1;
    c->part = contact->key.part;
    c->n = contact->n;
    c->radius = contact->radius;
    c->mu = mu;
    c->radii = c->W_nn = c->W_tt = c->normal_impulse = c->gap = 0.0;
    c->W_tn = c->friction_impulse = c->slip = (CordVec3){0, 0, 0};
    c->slides = false;
    for (int side = 0; side < c->sides; side++) {
        set_side(b, cs, contact, side, c);
    }
}

// Caches the coefficients, since most consecutive contacts are between the same two colliders.
typedef struct LastFriction {
    int rod, other;
    ContactKind kind;
    FrictionCoefficients grip;
} LastFriction;

static FrictionCoefficients grip_of(const Colliders* cs, const ContactPoint* contact, const FrictionLaw* law,
                                    LastFriction* last)
{
    int rod = cs->segments[contact->key.a].rod;
    int other = contact->kind == CONTACT_SEGMENTS ? cs->segments[contact->key.b].rod : contact->key.b;
    if (last->rod != rod || last->other != other || last->kind != contact->kind) {
        *last = (LastFriction){rod, other, contact->kind, contact_point_friction(cs, contact, law)};
    }
    return last->grip;
}

// ---- warm start

static int compare(const void* p, const void* q)
{
    return contact_key_compare(&((const ImpulseWarmStart*)p)->key, &((const ImpulseWarmStart*)q)->key);
}

const ImpulseWarmStart* contact_constraints_warm_start(const ContactConstraints* b,
                                                       const ContactPoint* contact)
{
    ImpulseWarmStart wanted = {.key = contact_persistent_key(contact)};
    return b->warm_count > 0 ? bsearch(&wanted, b->warm, (size_t)b->warm_count, sizeof wanted, compare)
                             : NULL;
}

// Contact points come in the order of their keys, but for those of meshes, so the next warm start is mostly
// close by.
static const ImpulseWarmStart* next_warm_start(const ContactConstraints* b, const ContactPoint* contact,
                                               int* next)
{
    ContactKey key = contact_persistent_key(contact);
    while (*next < b->warm_count && contact_key_compare(&b->warm[*next].key, &key) < 0) {
        (*next)++;
    }
    if (*next < b->warm_count && contact_key_compare(&b->warm[*next].key, &key) == 0) {
        return &b->warm[*next];
    }
    bool passed = *next > 0 && contact_key_compare(&b->warm[*next - 1].key, &key) >= 0;
    return passed ? contact_constraints_warm_start(b, contact) : NULL;
}

static void apply_warm_start(ContactConstraints* b, ContactConstraint* c, ConstraintHistory* past,
                             const ImpulseWarmStart* warm, double h)
{
    past->deflection = vec3_reject(warm->deflection, c->n);
    c->normal_impulse = warm->force * h * h;
    c->friction_impulse = vec3_mul(vec3_reject(warm->friction, c->n), h * h);
    constraint_apply(b, c, vec3_madd(c->friction_impulse, c->n, c->normal_impulse));
}

static double path_length(const Colliders* cs, int segment)
{
    const int* n = cs->segments[segment].node;
    CordVec3 p = vec3_sub(cs->to[n[0]], cs->begin[n[0]]), q = vec3_sub(cs->to[n[1]], cs->begin[n[1]]);
    return sqrt(larger(vec3_dot(p, p), vec3_dot(q, q)));
}

static bool reserve(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->all, count, &b->capacity, sizeof(ContactConstraint)) &&
           memory_reserve(m, (void**)&b->past, count, &b->past_capacity, sizeof(ConstraintHistory));
}

bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                               const FrictionLaw* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    for (int i = 0; i < cs->segment_count; i++) {
        b->travel[i] = path_length(cs, i);
    }
    ContactLaw by_motion = *law;
    by_motion.travel = b->travel;
    if (!dof_vector_reserve(m, &b->moved, cs, &b->moved_size) ||
        !narrow_phase_find(m, &b->contacts, cs, cs->begin, &by_motion) || !reserve(m, b, b->contacts.count)) {
        return false;
    }
    dof_vector_clear(&b->moved, cs);
    int next = 0;
    LastFriction last = {.rod = -1};
    for (int i = 0; i < b->contacts.count; i++) {
        const ContactPoint* contact = &b->contacts.all[i];
        FrictionCoefficients grip = grip_of(cs, contact, friction, &last);
        ContactConstraint* c = &b->all[b->count];
        ConstraintHistory* past = &b->past[b->count];
        set_constraint(c, b, cs, contact, grip.mu);
        past->contact = i;
        past->across[0] = grip.across[0], past->across[1] = grip.across[1];
        past->change = INFINITY;
        past->deflection = (CordVec3){0, 0, 0};
        if (c->W_nn == 0.0) { // clamped on both sides
            continue;
        }
        const ImpulseWarmStart* warm = next_warm_start(b, contact, &next);
        if (warm) {
            apply_warm_start(b, c, past, warm, h);
        }
        b->count++;
    }
    return true;
}

bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->warm, count, &b->warm_capacity, sizeof(ImpulseWarmStart));
}

CordVec3 contact_constraints_slip(const ContactConstraints* b, int c)
{
    const ContactConstraint* at = &b->all[c];
    return vec3_add(at->slip, vec3_reject(constraint_motion(at, &b->moved), at->n));
}

bool contact_constraints_end(Memory* m, ContactConstraints* b, double h)
{
    double per = 1.0 / (h * h);
    if (!contact_constraints_reserve(m, b, b->count)) {
        return false;
    }
    b->warm_count = 0;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        if (c->normal_impulse > 0.0) {
            b->warm[b->warm_count++] = (ImpulseWarmStart){
                .key = contact_persistent_key(&b->contacts.all[b->past[i].contact]),
                .force = c->normal_impulse * per,
                .friction = vec3_mul(c->friction_impulse, per),
                .deflection = c->slides ? (CordVec3){0, 0, 0} : contact_constraints_slip(b, i),
                .slides = c->slides};
        }
    }
    heap_sort(b->warm, b->warm_count, sizeof *b->warm, compare);
    return true;
}

void contact_constraints_free(Memory* m, ContactConstraints* b)
{
    contact_points_free(m, &b->contacts);
    memory_array_free(m, b->all, b->capacity);
    memory_array_free(m, b->past, b->past_capacity);
    memory_array_free(m, b->warm, b->warm_capacity);
    dof_vector_free(m, &b->moved, &b->moved_size);
    memory_array_free(m, b->w, b->w_capacity);
    memory_array_free(m, b->w_spin, b->w_spin_capacity);
    memory_array_free(m, b->travel, b->travel_capacity);
    memory_array_free(m, b->rods, b->rod_capacity);
    *b = (ContactConstraints){0};
}

// ---- gaps and slips

static double gap_now(const ContactConstraints* b, const Colliders* cs, int i)
{
    const ContactConstraint* c = &b->all[i];
    if (c->sides == 1) {
        return contact_point_gap(cs, &b->contacts.all[b->past[i].contact], cs->to);
    }
    const int* k = c->node;
    CordVec3 p[2] = {cs->to[k[0]], cs->to[k[1]]}, q[2] = {cs->to[k[2]], cs->to[k[3]]};
    return segments_gap(c->part, c->n, p, q) - c->radii;
}

double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin)
{
    double deepest = 0.0;
    for (int i = 0; i < b->count; i++) {
        ContactConstraint* c = &b->all[i];
        CordVec3 own = constraint_motion(c, &b->moved),
                 free = vec3_sub(constraint_motion(c, since_begin), own);
        double gap = gap_now(b, cs, i);
        if (c->sides == 1) {
            free = vec3_sub(free, contact_point_solid_motion(cs, &b->contacts.all[b->past[i].contact]));
        }
        deepest = larger(deepest, -gap / c->radius);
        b->past[i].gap = gap;
        c->gap = gap - b->target_gap * c->radius - vec3_dot(c->n, own);
        c->slip = vec3_reject(vec3_add(b->past[i].deflection, free), c->n);
    }
    return deepest;
}

void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double enough)
{
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].active = false;
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        ConstraintHistory* past = &b->past[i];
        bool holds = -past->gap <= enough * c->radius && past->change <= enough;
        for (int side = 0; side < c->sides && !holds; side++) {
            b->rods[cs->segments[c->segment[side]].rod].active = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        b->past[i].at_rest = true;
        for (int side = 0; side < c->sides; side++) {
            b->past[i].at_rest &= !b->rods[cs->segments[c->segment[side]].rod].active;
        }
        b->past[i].change = 0.0;
    }
}
