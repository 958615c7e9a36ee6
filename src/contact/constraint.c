#include "contact/constraint.h"

#include "base/real.h"
#include "base/sort.h"

#include <stdlib.h>

#define LEAST_CHORD 0.5  // over the radius: a sharp fold may bring the ends of a chord closer than that
#define LEAST_COSINE 0.5 // between axis and chord, likewise

// ---- the Jacobian

static CordVec3 side_motion(const ContactSide* side, CordVec3 n, const DofVector* move)
{
    const CordVec3 u[4] = {move->x[side->node[0]], move->x[side->node[1]], move->x[side->node[2]],
                           move->x[side->node[3]]};
    return contact_side_motion(side, n, u, move->spin[side->segment]);
}

CordVec3 constraint_motion(const ContactConstraint* c, const DofVector* move)
{
    CordVec3 u = side_motion(&c->side[0], c->n, move);
    return c->sides == 2 ? vec3_sub(u, side_motion(&c->side[1], c->n, move)) : u;
}

void constraint_apply(ContactConstraints* b, const ContactConstraint* c, CordVec3 f)
{
    for (int k = 0; k < c->sides; k++) {
        const ContactSide* side = &c->side[k];
        SideForce force = contact_side_force(side, c->n, k == 0 ? f : vec3_mul(f, -1.0));
        for (int i = 0; i < 4; i++) {
            CordVec3* u = &b->moved.x[side->node[i]];
            *u = vec3_madd(*u, force.node[i], b->w[side->node[i]]);
        }
        b->moved.spin[side->segment] += b->w_spin[side->segment] * force.torque;
    }
}

// ---- sides

static double node_arc(const Colliders* cs, const ColliderRod* r, int node) // beyond both ends of a ring, too
{
    int turns = 0;
    for (; node < 0; node += r->segment_count) {
        turns--;
    }
    for (; node > r->segment_count; node -= r->segment_count) {
        turns++;
    }
    const Segment* all = &cs->segments[r->first_segment];
    double whole = all[r->segment_count - 1].arc[1];
    return turns * whole + (node < r->segment_count ? all[node].arc[0] : whole);
}

// The smallest symmetric window of nodes about the contact that is two radii long: the segment itself if it
// is so long; moved inwards at the ends of an open rod, and the whole rod if that is shorter.
static void find_chord(const Colliders* cs, ContactSide* side)
{
    const Segment* g = &cs->segments[side->segment];
    if (g->arc[1] - g->arc[0] >= 2.0 * g->radius) {
        return;
    }
    const ColliderRod* r = &cs->rods[g->rod];
    bool closed = r->rod->line.closed;
    int lo = g->edge + (side->s == 1.0), hi = g->edge + (side->s > 0.0), last = r->segment_count;
    int most = closed ? last / 2 : last;
    while (hi == lo || (hi - lo < most && node_arc(cs, r, hi) - node_arc(cs, r, lo) < 2.0 * g->radius)) {
        lo -= closed || lo > 0;
        hi += closed || hi < last;
    }
    side->node[2] = r->first_node + (lo + (closed ? last : 0)) % r->node_count;
    side->node[3] = r->first_node + hi % r->node_count;
}

static void set_side(const ContactConstraints* b, const Colliders* cs, const CordVec3* x,
                     const ContactPoint* contact, int at, ContactConstraint* c)
{
    ContactSide* side = &c->side[at];
    side->segment = at == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[side->segment];
    side->rod = g->rod;
    side->node[0] = g->node[0], side->node[1] = g->node[1];
    side->s = at == 0 ? contact->s : contact->t;
    side->arm = (at == 0 ? -1.0 : 1.0) * (g->radius + 0.5 * contact->gap);
    side->axis = contact->axis[at];
    side->chord = side->axis, side->inv_chord = contact->inv_len[at], side->roll = 0.0;
    side->node[2] = g->node[0], side->node[3] = g->node[1];
    if (c->mu > 0.0) {
        find_chord(cs, side);
        CordVec3 chord = vec3_sub(x[side->node[3]], x[side->node[2]]);
        double length = larger(vec3_length(chord), LEAST_CHORD * g->radius);
        side->inv_chord = 1.0 / length;
        side->chord = vec3_mul(chord, side->inv_chord);
        double cosine = vec3_dot(side->axis, side->chord);
        side->roll = b->w_spin[side->segment] > 0.0 ? 1.0 / larger(cosine, LEAST_COSINE) : 0.0;
    }
}

// Inverse mass along the normal, by masses alone [1/kg].
static double normal_inverse_mass(const ContactConstraints* b, const ContactConstraint* c)
{
    double sum = 0.0;
    for (int k = 0; k < c->sides; k++) {
        const ContactSide* side = &c->side[k];
        sum +=
            b->w[side->node[0]] * (1.0 - side->s) * (1.0 - side->s) + b->w[side->node[1]] * side->s * side->s;
    }
    return sum;
}

// Field by field, because a compound literal would be built and then copied.
static void set_constraint(ContactConstraint* c, const ContactConstraints* b, const Colliders* cs,
                           const CordVec3* x, const ContactPoint* contact, double mu)
{
    c->sides = contact->kind == CONTACT_SEGMENTS ? 2 : 1;
    c->part = contact->key.part;
    c->n = contact->n;
    c->radius = contact->radius;
    c->mu = mu;
    c->normal_impulse = c->gap = 0.0;
    c->friction_impulse = c->slip = (CordVec3){0, 0, 0};
    c->slides = false;
    for (int side = 0; side < c->sides; side++) {
        set_side(b, cs, x, contact, side, c);
    }
}

static ConstraintHistory new_history(const ContactConstraints* b, const Colliders* cs,
                                     const FrictionCoefficients* grip, int i)
{
    const ContactPoint* contact = &b->contacts.all[i];
    double other = contact->kind == CONTACT_SEGMENTS ? cs->segments[contact->key.b].radius : 0.0;
    return (ConstraintHistory){.contact = i,
                               .across = {grip->across[0], grip->across[1]},
                               .radii = cs->segments[contact->key.a].radius + other,
                               .asked = b->target_gap > 0.0 ? b->target_gap * contact->radius
                                                            : real_min(0.0, contact->gap),
                               .change = INFINITY};
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

// The first kick of staggered velocities is half as long as the step.
double constraint_kick(const Colliders* cs, const ContactConstraint* c)
{
    double kick = cs->rods[c->side[0].rod].kick;
    return c->sides == 2 ? 0.5 * (kick + cs->rods[c->side[1].rod].kick) : kick;
}

CordVec3 constraint_force(const Colliders* cs, const ContactConstraint* c, double h)
{
    return vec3_mul(vec3_madd(c->friction_impulse, c->n, c->normal_impulse),
                    1.0 / (h * constraint_kick(cs, c)));
}

static void apply_warm_start(ContactConstraints* b, ContactConstraint* c, const ImpulseWarmStart* warm,
                             double h)
{
    c->normal_impulse = warm->force * h * h;
    c->friction_impulse = vec3_mul(vec3_reject(warm->friction, c->n), c->mu > 0.0 ? h * h : 0.0);
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

bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const CordVec3* x,
                               const ContactLaw* law, const FrictionLaw* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    for (int i = 0; i < cs->segment_count; i++) {
        b->travel[i] = x == cs->to ? 0.0 : path_length(cs, i);
    }
    ContactLaw by_motion = *law;
    by_motion.travel = b->travel;
    if (!dof_vector_reserve(m, &b->moved, cs, &b->moved_size) ||
        !narrow_phase_find(m, &b->contacts, cs, x, &by_motion) || !reserve(m, b, b->contacts.count)) {
        return false;
    }
    dof_vector_clear(&b->moved, cs);
    int next = 0;
    LastFriction last = {.rod = -1};
    for (int i = 0; i < b->contacts.count; i++) {
        const ContactPoint* contact = &b->contacts.all[i];
        FrictionCoefficients grip = grip_of(cs, contact, friction, &last);
        ContactConstraint* c = &b->all[b->count];
        set_constraint(c, b, cs, x, contact, grip.mu);
        b->past[b->count] = new_history(b, cs, &grip, i);
        if (normal_inverse_mass(b, c) == 0.0) { // clamped on both sides
            continue;
        }
        const ImpulseWarmStart* warm = next_warm_start(b, contact, &next);
        if (warm) {
            apply_warm_start(b, c, warm, h);
        }
        b->count++;
    }
    return true;
}

bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->warm, count, &b->warm_capacity, sizeof(ImpulseWarmStart));
}

bool contact_constraints_end(Memory* m, ContactConstraints* b, const Colliders* cs, double h)
{
    if (!contact_constraints_reserve(m, b, b->count)) {
        return false;
    }
    b->warm_count = 0;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        double per = 1.0 / (h * constraint_kick(cs, c));
        if (c->normal_impulse > 0.0) {
            b->warm[b->warm_count++] =
                (ImpulseWarmStart){.key = contact_persistent_key(&b->contacts.all[b->past[i].contact]),
                                   .force = c->normal_impulse * per,
                                   .friction = vec3_mul(c->friction_impulse, per),
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
    const int *k = c->side[0].node, *l = c->side[1].node;
    CordVec3 p[2] = {cs->to[k[0]], cs->to[k[1]]}, q[2] = {cs->to[l[0]], cs->to[l[1]]};
    return segments_gap(c->part, c->n, p, q) - b->past[i].radii;
}

double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin)
{
    double most = 0.0;
    for (int i = 0; i < b->count; i++) {
        ContactConstraint* c = &b->all[i];
        b->past[i].gap = gap_now(b, cs, i);
        c->gap = b->past[i].gap - b->past[i].asked;
        most = larger(most, -c->gap / c->radius);
        if (c->mu > 0.0) {
            CordVec3 u = constraint_motion(c, since_begin);
            if (c->sides == 1) {
                u = vec3_sub(u, contact_point_solid_motion(cs, &b->contacts.all[b->past[i].contact]));
            }
            c->slip = vec3_reject(u, c->n);
        }
    }
    return most;
}

void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double enough)
{
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].active = false;
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        bool holds = -c->gap <= enough && b->past[i].change <= enough;
        for (int side = 0; side < c->sides && !holds; side++) {
            b->rods[c->side[side].rod].active = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        b->past[i].at_rest = true;
        for (int side = 0; side < c->sides; side++) {
            b->past[i].at_rest &= !b->rods[c->side[side].rod].active;
        }
        b->past[i].change = 0.0;
    }
}
