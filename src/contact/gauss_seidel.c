#include "contact/gauss_seidel.h"

#include "base/sort.h"

#include <stdlib.h>

// ---- what a contact moves, and is moved by

static inline double larger(double a, double b) // of numbers: fmax asks whether they are
{
    return a > b ? a : b;
}

static inline CordVec3 gather_side(const ContactConstraint* constraint, int side, const DofVector* move)
{
    const int* node = constraint->node + 2 * side;
    return constraint_surface_motion(constraint, side, move->x[node[0]], move->x[node[1]],
                                     move->spin[constraint->segment[side]]);
}

// How surface a moves over surface b.
static inline CordVec3 gather(const ContactConstraint* constraint, const DofVector* move)
{
    CordVec3 u = gather_side(constraint, 0, move);
    return constraint->sides == 2 ? vec3_sub(u, gather_side(constraint, 1, move)) : u;
}

static inline void push_side(ContactConstraints* b, const ContactConstraint* constraint, int side, CordVec3 f)
{
    const int* node = constraint->node + 2 * side;
    CordVec3 *p = &b->moved.x[node[0]], *q = &b->moved.x[node[1]],
             second = constraint_second_node(constraint, side, f);
    *p = vec3_madd(*p, vec3_sub(f, second), b->w[node[0]]);
    *q = vec3_madd(*q, second, b->w[node[1]]);
    if (constraint->w_spin[side] > 0.0) {
        b->moved.spin[constraint->segment[side]] +=
            constraint->w_spin[side] * constraint_torque(constraint, side, f);
    }
}

// Displacements that a force makes: its scatter, weighed by inverse masses.
static inline void push(ContactConstraints* b, const ContactConstraint* constraint, CordVec3 f)
{
    push_side(b, constraint, 0, f);
    if (constraint->sides == 2) {
        push_side(b, constraint, 1, vec3_mul(f, -1.0));
    }
}

static void weigh_side(const ContactConstraints* b, const ContactPoint* contact, int side,
                       ContactConstraint* constraint)
{
    double s = side == 0 ? contact->s : contact->t, slope = vec3_dot(constraint->n, constraint->axis[side]);
    double p = b->w[constraint->node[2 * side]], q = b->w[constraint->node[2 * side + 1]];
    double at = constraint->at[side], lever = constraint->lever[side], arm = constraint->arm[side];
    double mollifier = larger(0.0, 1.0 - slope * slope); // squared, of the axis across the normal
    double couple = (p + q) * lever * lever, spin = constraint->w_spin[side] * arm * arm;
    constraint->W_nn += p * (1.0 - s) * (1.0 - s) + q * s * s;
    constraint->W_tt += p * (1.0 - at) * (1.0 - at) + q * at * at + mollifier * larger(couple, spin);
    constraint->W_tn = vec3_madd(constraint->W_tn, vec3_reject(constraint->axis[side], constraint->n),
                                 lever * (p * (1.0 - s) - q * s));
}

static void set_side(const ContactConstraints* b, const Colliders* cs, const ContactPoint* contact, int side,
                     ContactConstraint* constraint)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    double s = side == 0 ? contact->s : contact->t;
    constraint->node[2 * side] = g->node[0], constraint->node[2 * side + 1] = g->node[1];
    constraint->segment[side] = segment;
    constraint->axis[side] = contact->axis[side];
    constraint->arm[side] = (side == 0 ? -1.0 : 1.0) * (g->radius + 0.5 * contact->gap);
    constraint->lever[side] = constraint->arm[side] * contact->inv_len[side];
    constraint->at[side] = s + constraint->lever[side] * vec3_dot(constraint->n, constraint->axis[side]);
    constraint->w_spin[side] = b->w_spin[segment];
    constraint->radii += g->radius;
    weigh_side(b, contact, side, constraint);
}

// Field by field: all at once would be a copy of all of it.
static void set_blow(ContactConstraint* constraint, const ContactConstraints* b, const Colliders* cs,
                     const ContactPoint* contact, double mu)
{
    constraint->sides = contact->kind == CONTACT_SEGMENTS ? 2 : 1;
    constraint->part = contact->key.part;
    constraint->n = contact->n;
    constraint->radius = contact->radius;
    constraint->mu = mu;
    constraint->radii = constraint->W_nn = constraint->W_tt = constraint->normal_impulse = constraint->gap =
        0.0;
    constraint->W_tn = constraint->friction_impulse = constraint->slip = (CordVec3){0, 0, 0};
    constraint->slides = false;
    for (int side = 0; side < constraint->sides; side++) {
        set_side(b, cs, contact, side, constraint);
    }
}

// Most touches in a row are of the same two.
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

// ---- from step to step

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

// ContactPoints come in the order of their keys, but for those of meshes: what is remembered of the next one
// is mostly near by.
static const ImpulseWarmStart* remember_next(const ContactConstraints* b, const ContactPoint* contact,
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

static void recall(ContactConstraints* b, ContactConstraint* constraint, ConstraintHistory* past,
                   const ImpulseWarmStart* memory, double h)
{
    past->deflection = vec3_reject(memory->deflection, constraint->n);
    constraint->normal_impulse = memory->force * h * h;
    constraint->friction_impulse = vec3_mul(vec3_reject(memory->friction, constraint->n), h * h);
    push(b, constraint, vec3_madd(constraint->friction_impulse, constraint->n, constraint->normal_impulse));
}

static double way_of(const Colliders* cs, int segment)
{
    const int* n = cs->segments[segment].node;
    CordVec3 p = vec3_sub(cs->to[n[0]], cs->begin[n[0]]), q = vec3_sub(cs->to[n[1]], cs->begin[n[1]]);
    return sqrt(larger(vec3_dot(p, p), vec3_dot(q, q)));
}

static bool make_room(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->all, count, &b->capacity, sizeof(ContactConstraint)) &&
           memory_reserve(m, (void**)&b->past, count, &b->past_capacity, sizeof(ConstraintHistory));
}

bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                               const FrictionLaw* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    for (int i = 0; i < cs->segment_count; i++) {
        b->travel[i] = way_of(cs, i);
    }
    ContactLaw by_motion = *law;
    by_motion.travel = b->travel;
    if (!dof_vector_reserve(m, &b->moved, cs, &b->moved_size) ||
        !narrow_phase_find(m, &b->contacts, cs, cs->begin, &by_motion) ||
        !make_room(m, b, b->contacts.count)) {
        return false;
    }
    dof_vector_clear(&b->moved, cs);
    int next = 0;
    LastFriction last = {.rod = -1};
    for (int i = 0; i < b->contacts.count; i++) {
        const ContactPoint* contact = &b->contacts.all[i];
        FrictionCoefficients grip = grip_of(cs, contact, friction, &last);
        ContactConstraint* constraint = &b->all[b->count];
        ConstraintHistory* past = &b->past[b->count];
        set_blow(constraint, b, cs, contact, grip.mu);
        past->contact = i;
        past->across[0] = grip.across[0], past->across[1] = grip.across[1];
        past->change = INFINITY;
        past->deflection = (CordVec3){0, 0, 0};
        if (constraint->W_nn == 0.0) { // held on both sides
            continue;
        }
        const ImpulseWarmStart* memory = remember_next(b, contact, &next);
        if (memory) {
            recall(b, constraint, past, memory, h);
        }
        b->count++;
    }
    return true;
}

bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->warm, count, &b->warm_capacity, sizeof(ImpulseWarmStart));
}

CordVec3 contact_constraints_slip(const ContactConstraints* b, int constraint)
{
    const ContactConstraint* at = &b->all[constraint];
    return vec3_add(at->slip, vec3_reject(gather(at, &b->moved), at->n));
}

void contact_constraints_apply(ContactConstraints* b, int constraint, CordVec3 force)
{
    push(b, &b->all[constraint], force);
}

bool contact_constraints_end(Memory* m, ContactConstraints* b, double h)
{
    double per = 1.0 / (h * h);
    if (!contact_constraints_reserve(m, b, b->count)) {
        return false;
    }
    b->warm_count = 0;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* constraint = &b->all[i];
        if (constraint->normal_impulse > 0.0) {
            b->warm[b->warm_count++] = (ImpulseWarmStart){
                .key = contact_persistent_key(&b->contacts.all[b->past[i].contact]),
                .force = constraint->normal_impulse * per,
                .friction = vec3_mul(constraint->friction_impulse, per),
                .deflection = constraint->slides ? (CordVec3){0, 0, 0} : contact_constraints_slip(b, i),
                .slides = constraint->slides};
        }
    }
    sort_in_place(b->warm, b->warm_count, sizeof *b->warm, compare);
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

// ---- where things are

static double gap_now(const ContactConstraints* b, const Colliders* cs, int i)
{
    const ContactConstraint* constraint = &b->all[i];
    if (constraint->sides == 1) {
        return contact_point_gap(cs, &b->contacts.all[b->past[i].contact], cs->to);
    }
    const int* k = constraint->node;
    CordVec3 p[2] = {cs->to[k[0]], cs->to[k[1]]}, q[2] = {cs->to[k[2]], cs->to[k[3]]};
    return segments_gap(constraint->part, constraint->n, p, q) - constraint->radii;
}

double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin)
{
    double deepest = 0.0;
    for (int i = 0; i < b->count; i++) {
        ContactConstraint* constraint = &b->all[i];
        CordVec3 own = gather(constraint, &b->moved), free = vec3_sub(gather(constraint, since_begin), own);
        double gap = gap_now(b, cs, i);
        if (constraint->sides == 1) {
            free = vec3_sub(free, contact_point_solid_motion(cs, &b->contacts.all[b->past[i].contact]));
        }
        deepest = larger(deepest, -gap / constraint->radius);
        b->past[i].gap = gap;
        constraint->gap = gap - b->target_gap * constraint->radius - vec3_dot(constraint->n, own);
        constraint->slip = vec3_reject(vec3_add(b->past[i].deflection, free), constraint->n);
    }
    return deepest;
}

// ---- one sweep after the other

// What there is of a drag that is wanted, with mu times the push at the most.
static CordVec3 within_cone(ContactConstraint* constraint, const ConstraintHistory* past, CordVec3 wanted,
                            double force)
{
    double size = vec3_length(wanted), most = constraint->mu * force;
    if (size > 0.0 && (past->across[0] != 1.0 || past->across[1] != 1.0)) {
        most *= friction_anisotropy(constraint->axis, past->across, constraint->sides,
                                    vec3_mul(wanted, 1.0 / size));
    }
    constraint->slides = size > most;
    return constraint->slides ? vec3_mul(wanted, most / size) : wanted;
}

// Normal: what is missing of the gap, but never a pull. Returns by how much the surfaces were moved, over the
// radius.
static double correct(ContactConstraints* b, ContactConstraint* constraint, const ConstraintHistory* past)
{
    CordVec3 u = gather(constraint, &b->moved);
    double next = larger(0.0, constraint->normal_impulse -
                                  (constraint->gap + vec3_dot(constraint->n, u)) / constraint->W_nn);
    if (next == 0.0 && constraint->normal_impulse == 0.0) { // apart, and so without drag
        return 0.0;
    }
    double change = next - constraint->normal_impulse, far = fabs(change) * constraint->W_nn;
    CordVec3 f = vec3_mul(constraint->n, change);
    if (constraint->mu > 0.0) {
        // what brings the drift back to nothing
        CordVec3 slip =
            vec3_add(constraint->slip, vec3_reject(vec3_madd(u, constraint->W_tn, change), constraint->n));
        CordVec3 wanted = vec3_madd(constraint->friction_impulse, slip, -1.0 / constraint->W_tt);
        CordVec3 drag = within_cone(constraint, past, wanted, next),
                 more = vec3_sub(drag, constraint->friction_impulse);
        far = larger(far, vec3_length(more) * constraint->W_tt);
        f = vec3_add(f, more);
        constraint->friction_impulse = drag;
    }
    if (far > 0.0) {
        push(b, constraint, f);
        constraint->normal_impulse = next;
    }
    return far / constraint->radius;
}

void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double enough)
{
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].active = false;
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* constraint = &b->all[i];
        ConstraintHistory* past = &b->past[i];
        bool holds = -past->gap <= enough * constraint->radius && past->change <= enough;
        for (int side = 0; side < constraint->sides && !holds; side++) {
            b->rods[cs->segments[constraint->segment[side]].rod].active = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* constraint = &b->all[i];
        b->past[i].at_rest = true;
        for (int side = 0; side < constraint->sides; side++) {
            b->past[i].at_rest &= !b->rods[cs->segments[constraint->segment[side]].rod].active;
        }
        b->past[i].change = 0.0;
    }
}

double gauss_seidel_sweep(ContactConstraints* b, double enough, int most)
{
    double change = INFINITY, first = 0.0;
    for (int n = 0; n < most && change > enough; n++) {
        change = 0.0;
        for (int k = 0; k < b->count; k++) {
            int i = n % 2 == 0 ? k : b->count - 1 - k; // there and back: news travels both ways
            change = larger(change, correct(b, &b->all[i], &b->past[i]));
        }
        first = n == 0 ? change : first;
        b->sweeps++;
        b->sweeps_total++;
    }
    return first;
}

// ---- where rounds of sweeps lead

#define FIRST_ROUNDS 5 // until shares are the same
#define EVERY 4        // rounds: those between tell the share
#define LEAST_SHARE 0.3
#define MOST_SHARE 0.9999
#define SAME 0.2 // of what is left of one: by which the shares of two rounds may differ

// How a contact went on in the last round, beside the one before.
static void compare_rounds(const ContactConstraints* b, int i, double* same, double* size)
{
    const ContactConstraint* constraint = &b->all[i];
    ConstraintHistory* past = &b->past[i];
    if (b->rounds == 0) {
        // what recalled pushes were is of no interest: the first round has nothing before it
        past->normal_impulse = past->normal_step = 0.0;
        past->friction_impulse = past->friction_step = (CordVec3){0, 0, 0};
    }
    double step = constraint->normal_impulse - past->normal_impulse;
    CordVec3 drag = vec3_sub(constraint->friction_impulse, past->friction_impulse);
    *same +=
        constraint->W_nn * step * past->normal_step + constraint->W_tt * vec3_dot(drag, past->friction_step);
    *size += constraint->W_nn * past->normal_step * past->normal_step +
             constraint->W_tt * vec3_dot(past->friction_step, past->friction_step);
    past->normal_step = step, past->friction_step = drag;
    past->normal_impulse = constraint->normal_impulse, past->friction_impulse = constraint->friction_impulse;
}

static bool leads_on(double share, double before)
{
    return share >= LEAST_SHARE && share <= MOST_SHARE && fabs(share - before) <= SAME * (1.0 - share);
}

static void go_on(ContactConstraints* b, int i, double share)
{
    double more = share / (1.0 - share);
    ContactConstraint* constraint = &b->all[i];
    ConstraintHistory* past = &b->past[i];
    double next = larger(0.0, constraint->normal_impulse + more * past->normal_step);
    CordVec3 drag = within_cone(constraint, past,
                                vec3_madd(constraint->friction_impulse, past->friction_step, more), next);
    push(b, constraint,
         vec3_madd(vec3_sub(drag, constraint->friction_impulse), constraint->n,
                   next - constraint->normal_impulse));
    constraint->normal_impulse = past->normal_impulse = next;
    constraint->friction_impulse = past->friction_impulse = drag;
}

static ConstraintRod* rod_of(const ContactConstraints* b, const Colliders* cs, int i)
{
    return &b->rods[cs->segments[b->all[i].segment[0]].rod];
}

// Rods that rest on solids go their own ways: each by its own share.
static bool foresee_by_rod(ContactConstraints* b, const Colliders* cs, bool now)
{
    bool any = false;
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].same = b->rods[i].size = 0.0;
    }
    for (int i = 0; i < b->count; i++) {
        ConstraintRod* rod = rod_of(b, cs, i);
        compare_rounds(b, i, &rod->same, &rod->size);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        ConstraintRod* rod = &b->rods[i];
        double before = rod->share;
        rod->share = rod->size > 0.0 ? rod->same / rod->size : 0.0;
        rod->extrapolates = now && rod->active && !rod->has_compliance && leads_on(rod->share, before);
        any |= rod->extrapolates;
    }
    for (int i = 0; i < b->count && any; i++) {
        if (rod_of(b, cs, i)->extrapolates) {
            go_on(b, i, rod_of(b, cs, i)->share);
        }
    }
    return any;
}

bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs)
{
    bool now = b->rounds + 1 > FIRST_ROUNDS && (b->rounds + 1) % EVERY == 0;
    double same = 0.0, size = 0.0, before = b->share;
    if (b->per_rod) {
        bool any = foresee_by_rod(b, cs, now);
        b->rounds++;
        return any;
    }
    for (int i = 0; i < b->count; i++) {
        compare_rounds(b, i, &same, &size);
    }
    b->rounds++;
    b->share = size > 0.0 ? same / size : 0.0;
    if (!now || !leads_on(b->share, before)) {
        return false;
    }
    for (int i = 0; i < b->count; i++) {
        go_on(b, i, b->share);
    }
    return true;
}
