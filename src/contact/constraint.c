#include "contact/constraint.h"

#include "base/real.h"
#include "base/sort.h"
#include "contact/chord.h"
#include "contact/contact_gap.h"

#include <stdlib.h>
#include <string.h>

#define COARSE 0.1   // over the radius: a step that would move some rod farther is a long one
#define AT_ONCE 0.25 // of a step: impacts that are added together
// Of the tolerance: overlap that is left to a contact beside a nearer one. The two are nearly the same
// constraint, which sweeps would resolve slowly.
#define YIELDS 0.1

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

static void apply_to_side(ContactConstraints* b, const ContactSide* side, const SideForce* force)
{
    for (int i = 0; i < 4; i++) {
        CordVec3* u = &b->moved.x[side->node[i]];
        *u = vec3_madd(*u, force->node[i], b->w[side->node[i]]);
    }
    b->moved.spin[side->segment] += b->w_spin[side->segment] * force->torque;
}

void constraint_apply(ContactConstraints* b, const ContactConstraint* c, CordVec3 f)
{
    for (int k = 0; k < c->sides; k++) {
        SideForce force = contact_side_force(&c->side[k], c->n, k == 0 ? f : vec3_mul(f, -1.0));
        apply_to_side(b, &c->side[k], &force);
    }
}

static CordVec3 side_turn(const ContactSide* side, const DofVector* move)
{
    const CordVec3 u[4] = {move->x[side->node[0]], move->x[side->node[1]], move->x[side->node[2]],
                           move->x[side->node[3]]};
    return contact_side_turn(side, u, move->spin[side->segment]);
}

CordVec3 constraint_turn(const ContactConstraint* c, const DofVector* move)
{
    CordVec3 turn = side_turn(&c->side[0], move);
    return c->sides == 2 ? vec3_sub(turn, side_turn(&c->side[1], move)) : turn;
}

void constraint_apply_couple(ContactConstraints* b, const ContactConstraint* c, CordVec3 couple)
{
    for (int k = 0; k < c->sides; k++) {
        SideForce force = contact_side_couple(&c->side[k], k == 0 ? couple : vec3_mul(couple, -1.0));
        apply_to_side(b, &c->side[k], &force);
    }
}

// ---- sides

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
    bool turns_with_segment = contact->time == 0.0 && chord_is_segment(cs, side->segment);
    if (c->mu > 0.0 && turns_with_segment) {
        side->roll = b->w_spin[side->segment] > 0.0 ? 1.0 : 0.0;
    } else if (c->mu > 0.0) {
        Chord chord = chord_of(cs, x, contact, at);
        side->node[2] = chord.node[0], side->node[3] = chord.node[1];
        side->chord = chord.axis, side->inv_chord = chord.inv_len;
        side->roll = b->w_spin[side->segment] > 0.0 ? chord.roll : 0.0;
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
    c->normal_impulse = c->gap = c->compliance = 0.0;
    c->friction_impulse = c->slip = (CordVec3){0, 0, 0};
    c->slides = false;
    for (int side = 0; side < c->sides; side++) {
        set_side(b, cs, x, contact, side, c);
    }
}

static ConstraintHistory new_history(const ContactConstraints* b, const Colliders* cs, const SurfaceLaw* grip,
                                     int i)
{
    const ContactPoint* contact = &b->contacts.all[i];
    double other = contact->kind == CONTACT_SEGMENTS ? cs->segments[contact->key.b].radius : 0.0;
    double yields = contact->yields ? YIELDS * b->tolerance * contact->radius : 0.0;
    return (ConstraintHistory){.contact = i,
                               .shape = grip->shape,
                               .radii = cs->segments[contact->key.a].radius + other,
                               .asked = b->target_gap > 0.0 ? b->target_gap * contact->radius
                                                            : real_min(-yields, contact->gap),
                               .change = INFINITY}; // not measured yet
}

// Caches the coefficients, since most consecutive contacts are between the same two surfaces.
typedef struct LastFriction {
    SurfacePair pair;
    SurfaceLaw grip;
} LastFriction;

static SurfaceLaw grip_of(const Colliders* cs, const ContactPoint* contact, const SurfaceLaws* law,
                          LastFriction* last)
{
    SurfacePair pair = contact_point_surfaces(cs, contact);
    if (last->pair.a != pair.a || last->pair.b != pair.b) {
        *last = (LastFriction){pair, surface_pair_law(law, pair)};
    }
    return last->grip;
}

// Motion of surface a relative to b by velocities of rods and solids.
static CordVec3 velocity_of(const ContactConstraint* c, const ContactPoint* contact,
                            const DofVector* velocity)
{
    return vec3_sub(constraint_motion(c, velocity), contact_point_solid_velocity(contact, velocity));
}

// In a step, a compliant obstacle gives way. Overlaps with it are not put right (false), and it holds
// velocities that are read as a rigid one does.
static bool set_spring(ContactConstraints* b, const Colliders* cs, const ContactPoint* contact,
                       const SurfaceLaws* laws, int i)
{
    ContactConstraint* c = &b->all[i];
    ContactSpring spring = contact_point_spring(cs, contact, contact->gap, b->h);
    if (spring.compliance > 0.0 && laws->kick) {
        c->compliance = spring.compliance / (b->h * constraint_kick(cs, c));
        b->past[i].asked = spring.asked;
    }
    return spring.compliance == 0.0 || b->target_gap == 0.0;
}

// What depends on the velocity at the start of the step: static or kinetic friction, and rebound.
static void set_by_velocity(ContactConstraints* b, const ContactPoint* contact, const SurfaceLaws* laws,
                            const SurfaceLaw* law, int i)
{
    ContactConstraint* c = &b->all[i];
    ConstraintHistory* past = &b->past[i];
    if (!laws->velocity || (law->mu == law->mu_kinetic && law->restitution == 0.0)) {
        return;
    }
    CordVec3 v = velocity_of(c, contact, laws->velocity);
    c->mu = friction_coefficient(laws, law, c->n, v);
    if (laws->kick && c->compliance == 0.0) { // a compliant obstacle rebounds by itself
        CordVec3 kick = velocity_of(c, contact, laws->kick);
        Rebound rebound = surface_rebound(laws, law, c->n, v, kick, contact->gap, b->h);
        past->slip = rebound.slip;
        past->asked = rebound.parts > 0.0 ? contact->gap + rebound.parts : past->asked;
    }
}

// ---- warm start

static int compare(const void* p, const void* q)
{
    return contact_key_compare(&((const ImpulseWarmStart*)p)->key, &((const ImpulseWarmStart*)q)->key);
}

static ImpulseWarmStart* find_warm_start(const ContactConstraints* b, const ContactKey* key)
{
    ImpulseWarmStart wanted = {.key = *key};
    return b->warm_count > 0 ? bsearch(&wanted, b->warm, (size_t)b->warm_count, sizeof wanted, compare)
                             : NULL;
}

const ImpulseWarmStart* contact_constraints_warm_start(const ContactConstraints* b,
                                                       const ContactPoint* contact)
{
    ContactKey key = contact_persistent_key(contact);
    return find_warm_start(b, &key);
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

CordVec3 constraint_couple(const Colliders* cs, const ContactConstraints* b, int i, double h)
{
    return b->rolls ? vec3_mul(b->couples[i].impulse, 1.0 / (h * constraint_kick(cs, &b->all[i])))
                    : (CordVec3){0, 0, 0};
}

static void apply_warm_start(ContactConstraints* b, int i, ImpulseWarmStart* warm, double h)
{
    ContactConstraint* c = &b->all[i];
    c->normal_impulse = warm->force * h * h;
    c->friction_impulse = vec3_mul(vec3_reject(warm->friction, c->n), c->mu > 0.0 ? h * h : 0.0);
    constraint_apply(b, c, vec3_madd(c->friction_impulse, c->n, c->normal_impulse));
    if (b->rolls) {
        const TurningAxes* to = &b->couples[i].axes;
        for (int k = 0; k < 3; k++) {
            b->couples[i].impulse =
                vec3_madd(b->couples[i].impulse, to->axis[k], h * h * vec3_dot(to->dual[k], warm->couple));
        }
        constraint_apply_couple(b, c, b->couples[i].impulse);
    }
    warm->used = true;
}

// ---- keys by segments
//
// Each segment has a chain of the keys that begin with it. It replaces a sorted list, in which a search takes
// ten comparisons and more.

static bool reserve_chains(Memory* m, ContactConstraints* b, const Colliders* cs, int count)
{
    return memory_reserve(m, (void**)&b->next, count, &b->next_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&b->chains, cs->segment_count, &b->chain_capacity, sizeof(int));
}

static void clear_chains(ContactConstraints* b, const Colliders* cs)
{
    b->chained = cs->segment_count;
    for (int i = 0; i < b->chained; i++) {
        b->chains[i] = -1;
    }
}

static void add_to_chain(ContactConstraints* b, const ContactKey* key, int i)
{
    if (key->a < b->chained) {
        b->next[i] = b->chains[key->a];
        b->chains[key->a] = i;
    }
}

// The first of the indices that were added for a segment; the next is b->next[i]; -1: none.
static int chain_of(const ContactConstraints* b, int segment)
{
    return segment >= 0 && segment < b->chained ? b->chains[segment] : -1;
}

static bool keys_match(const ContactKey* p, const ContactKey* q)
{
    return p->a == q->a && p->b == q->b && p->feature == q->feature && p->part == q->part;
}

// ---- applying warm starts

static ImpulseWarmStart* chained_warm_start(const ContactConstraints* b, const ContactKey* key)
{
    int i = chain_of(b, key->a);
    while (i >= 0 && !keys_match(&b->warm[i].key, key)) {
        i = b->next[i];
    }
    return i >= 0 ? &b->warm[i] : NULL;
}

// Segments of all rods are numbered one after the other.
static bool is_of_same_rods(const Colliders* cs, const ContactKey* key, const ContactKey* other)
{
    return cs->segments[key->a].rod == cs->segments[other->a].rod &&
           cs->segments[key->b].rod == cs->segments[other->b].rod;
}

// A contact of two rods that has slid from one segment to the next begins with the impulse that it had there.
static void apply_passed_on(ContactConstraints* b, const Colliders* cs, int i, double h)
{
    ContactKey key = contact_persistent_key(&b->contacts.all[b->past[i].contact]);
    for (int k = 0; k < 9; k++) {
        ContactKey old = {key.a + k / 3 - 1, key.b + k % 3 - 1, key.feature, key.part};
        ImpulseWarmStart* warm = chained_warm_start(b, &old);
        if (warm && !warm->used && is_of_same_rods(cs, &key, &old)) {
            apply_warm_start(b, i, warm, h);
            return;
        }
    }
}

static void apply_warm_starts(ContactConstraints* b, const Colliders* cs, double h)
{
    int used = 0;
    if (b->warm_count == 0) {
        return;
    }
    clear_chains(b, cs);
    for (int i = 0; i < b->warm_count; i++) {
        b->warm[i].used = false;
        add_to_chain(b, &b->warm[i].key, i);
    }
    for (int i = 0; i < b->count; i++) {
        ContactKey key = contact_persistent_key(&b->contacts.all[b->past[i].contact]);
        ImpulseWarmStart* warm = chained_warm_start(b, &key);
        if (warm) {
            apply_warm_start(b, i, warm, h);
            used++;
        }
    }
    for (int i = 0; i < b->count && used < b->warm_count; i++) {
        if (b->all[i].sides == 2 && b->all[i].normal_impulse == 0.0) {
            apply_passed_on(b, cs, i, h);
        }
    }
}

static double path_length(const Colliders* cs, int segment)
{
    const int* n = cs->segments[segment].node;
    CordVec3 p = vec3_sub(cs->to[n[0]], cs->begin[n[0]]), q = vec3_sub(cs->to[n[1]], cs->begin[n[1]]);
    return sqrt(larger(vec3_dot(p, p), vec3_dot(q, q)));
}

// Finds how far each segment moves in the step. True if some segment moves far.
static bool find_travel(ContactConstraints* b, const Colliders* cs, const CordVec3* x)
{
    bool coarse = false;
    for (int i = 0; i < cs->segment_count; i++) {
        b->travel[i] = x == cs->to ? 0.0 : path_length(cs, i);
        coarse |= b->travel[i] > COARSE * cs->segments[i].radius;
    }
    return coarse;
}

static bool reserve(Memory* m, ContactConstraints* b, int count)
{
    return (!b->rolls ||
            memory_reserve(m, (void**)&b->couples, count, &b->couple_capacity, sizeof(ContactCouple))) &&
           memory_reserve(m, (void**)&b->all, count, &b->capacity, sizeof(ContactConstraint)) &&
           memory_reserve(m, (void**)&b->past, count, &b->past_capacity, sizeof(ConstraintHistory));
}

// Finds contact points at positions x that may push before the colliders' `to`. A contact that pushed in the
// step before does not wait: it would be left out and found again in turn, and nothing would come to rest.
static bool find_contacts(Memory* m, ContactConstraints* b, ContactPoints* found, Colliders* cs,
                          const CordVec3* x, const ContactLaw* law)
{
    ContactLaw by_motion = *law;
    by_motion.travel = b->travel;
    by_motion.moves = x != cs->to;
    by_motion.coarse = b->coarse;
    if (!narrow_phase_find(m, found, cs, x, &by_motion)) {
        return false;
    }
    int kept = 0;
    for (int i = 0; i < found->count && b->coarse; i++) {
        const ContactPoint* at = &found->all[i];
        if (at->waits && (found != &b->contacts || !contact_constraints_warm_start(b, at))) {
            continue;
        }
        if (kept != i) {
            found->all[kept] = *at;
        }
        kept++;
    }
    found->count = b->coarse ? kept : found->count;
    return true;
}

// True if the rods of a contact have frames with inertia: others cannot take its couple.
static bool turns(const Colliders* cs, const ContactConstraint* c)
{
    bool turns = true;
    for (int k = 0; k < c->sides; k++) {
        turns &= cs->rods[c->side[k].rod].rod->dynamic_twist;
    }
    return turns;
}

// Sets constraint i for a contact point. False: it does not count, since it is clamped on both sides.
static bool set_from_point(ContactConstraints* b, const Colliders* cs, const CordVec3* x, int i, int contact,
                           const SurfaceLaws* friction, LastFriction* last)
{
    const ContactPoint* at = &b->contacts.all[contact];
    SurfaceLaw grip = grip_of(cs, at, friction, last);
    ContactConstraint* c = &b->all[i];
    set_constraint(c, b, cs, x, at, grip.mu);
    b->past[i] = new_history(b, cs, &grip, contact);
    if (b->rolls) {
        bool turn = turns(cs, c);
        b->couples[i] = (ContactCouple){.rolling = turn ? grip.rolling : 0.0,
                                        .spinning = turn ? grip.spinning : 0.0,
                                        .axes = contact_point_turning_axes(cs, at)};
    }
    bool counts = set_spring(b, cs, at, friction, i);
    set_by_velocity(b, at, friction, &grip, i);
    return counts && normal_inverse_mass(b, c) > 0.0;
}

#define LEAST_CONSTRAINTS 512 // that are worth a task of their own

typedef struct ConstraintTasks { // each range writes its constraints without gaps, from its first place on
    ContactConstraints* constraints;
    const Colliders* colliders;
    const CordVec3* x;
    const SurfaceLaws* friction;
    int first, contact;       // place of the first constraint, and its contact point
    int counts[TASKS_RANGES]; // constraints of each range
} ConstraintTasks;

static void set_range(void* context, int range, int first, int last)
{
    ConstraintTasks* t = context;
    LastFriction grip = {0};
    int count = 0;
    for (int i = first; i < last; i++) {
        count += set_from_point(t->constraints, t->colliders, t->x, t->first + first + count, t->contact + i,
                                t->friction, &grip);
    }
    t->counts[range] = count;
}

static void move_constraints(ContactConstraints* b, int from, int to, int count)
{
    if (from != to && count > 0) {
        memmove(b->all + to, b->all + from, sizeof *b->all * (size_t)count);
        memmove(b->past + to, b->past + from, sizeof *b->past * (size_t)count);
        if (b->rolls) {
            memmove(b->couples + to, b->couples + from, sizeof *b->couples * (size_t)count);
        }
    }
}

// Adds constraints for all contact points from this one on.
static void add_constraints(ContactConstraints* b, const Colliders* cs, const CordVec3* x, int contact,
                            const SurfaceLaws* friction)
{
    ConstraintTasks t = {b, cs, x, friction, b->count, contact, {0}};
    int count = b->contacts.count - contact, ranges = tasks_ranges(&cs->tasks, count, LEAST_CONSTRAINTS);
    tasks_run_ranges(&cs->tasks, ranges, count, set_range, &t);
    for (int i = 0; i < ranges; i++) {
        move_constraints(b, t.first + tasks_range_start(ranges, count, i), b->count, t.counts[i]);
        b->count += t.counts[i];
    }
    for (int i = t.first; i < b->count; i++) {
        b->radius = real_min(b->radius, b->all[i].radius);
    }
}

bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const CordVec3* x,
                               const ContactLaw* law, const SurfaceLaws* friction, double h)
{
    b->count = b->sweeps = b->rounds = 0;
    b->tolerance = law->tolerance;
    b->h = h;
    b->radius = INFINITY;
    b->coarse = find_travel(b, cs, x);
    b->rolls = friction->rolls;
    if (!dof_vector_reserve(m, &b->moved, cs, &b->moved_size) ||
        !find_contacts(m, b, &b->contacts, cs, x, law) || !reserve(m, b, b->contacts.count) ||
        !reserve_chains(m, b, cs, b->warm_count)) {
        return false;
    }
    dof_vector_clear(&b->moved, cs);
    b->postponed = b->contacts.left_out;
    add_constraints(b, cs, x, 0, friction);
    apply_warm_starts(b, cs, h);
    return true;
}

void contact_constraints_reapply(ContactConstraints* b, const Colliders* cs)
{
    dof_vector_clear(&b->moved, cs);
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        constraint_apply(b, c, vec3_madd(c->friction_impulse, c->n, c->normal_impulse));
        if (b->rolls) {
            constraint_apply_couple(b, c, b->couples[i].impulse);
        }
    }
}

double contact_constraints_misfit(const ContactConstraints* b, bool pushed)
{
    double sum = 0.0;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        double lack = constraint_lack(c);
        sum += lack > 0.0 ? lack : pushed && c->normal_impulse > 0.0 ? -lack : 0.0;
    }
    return sum;
}

void contact_constraints_drop(ContactConstraints* b, const Colliders* cs)
{
    dof_vector_clear(&b->moved, cs);
    for (int i = 0; i < b->count; i++) {
        b->all[i].normal_impulse = 0.0;
        b->all[i].friction_impulse = (CordVec3){0, 0, 0};
        if (b->rolls) {
            b->couples[i].impulse = (CordVec3){0, 0, 0};
        }
    }
}

static void chain_contacts(ContactConstraints* b, const Colliders* cs)
{
    clear_chains(b, cs);
    for (int i = 0; i < b->contacts.count; i++) {
        b->keys[i] = contact_persistent_key(&b->contacts.all[i]);
        add_to_chain(b, &b->keys[i], i);
    }
}

static bool is_known(const ContactConstraints* b, const ContactPoint* contact)
{
    ContactKey key = contact_persistent_key(contact);
    int i = chain_of(b, key.a);
    while (i >= 0 && !keys_match(&b->keys[i], &key)) {
        i = b->next[i];
    }
    return i >= 0;
}

bool contact_constraints_extend(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                                const SurfaceLaws* friction)
{
    int old = b->contacts.count;
    (void)find_travel(b, cs, cs->begin); // whether the step is a long one was decided at its start
    if (!find_contacts(m, b, &b->found, cs, cs->begin, law) || !reserve_chains(m, b, cs, old) ||
        !memory_reserve(m, (void**)&b->keys, old, &b->key_capacity, sizeof(ContactKey)) ||
        !memory_reserve(m, (void**)&b->contacts.all, old + b->found.count, &b->contacts.capacity,
                        sizeof(ContactPoint)) ||
        !reserve(m, b, b->count + b->found.count)) {
        return false;
    }
    chain_contacts(b, cs);
    int kept = 0;
    double first = 1.0;
    for (int i = 0; i < b->found.count; i++) {
        const ContactPoint* at = &b->found.all[i];
        if (!is_known(b, at)) {
            first = at->time > 0.0 ? real_min(first, at->time) : first;
            b->found.all[kept++] = *at;
        }
    }
    for (int i = 0; i < kept; i++) {
        if (b->found.all[i].time <= first + AT_ONCE) {
            b->contacts.all[b->contacts.count++] = b->found.all[i];
        }
    }
    add_constraints(b, cs, cs->begin, old, friction);
    b->postponed = b->contacts.count < old + kept;
    b->rounds = 0; // W does not know the new ones
    return true;
}

bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count)
{
    return memory_reserve(m, (void**)&b->warm, count, &b->warm_capacity, sizeof(ImpulseWarmStart));
}

// True if the step has left this contact out, because all that it touches sleeps.
static bool is_asleep(const Colliders* cs, const ContactKey* key)
{
    const Rod* a = cs->rods[cs->segments[key->a].rod].rod;
    return a->rest.asleep && (key->feature >= 0 || cs->rods[cs->segments[key->b].rod].rod->rest.asleep);
}

bool contact_constraints_end(Memory* m, ContactConstraints* b, const Colliders* cs, double h)
{
    if (!contact_constraints_reserve(m, b, b->warm_count + b->count)) {
        return false;
    }
    int kept = 0;
    for (int i = 0; i < b->warm_count; i++) {
        if (is_asleep(cs, &b->warm[i].key)) {
            b->warm[kept++] = b->warm[i];
        }
    }
    b->warm_count = kept;
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        double per = 1.0 / (h * constraint_kick(cs, c));
        if (c->normal_impulse > 0.0) {
            b->warm[b->warm_count++] = (ImpulseWarmStart){
                .key = contact_persistent_key(&b->contacts.all[b->past[i].contact]),
                .force = c->normal_impulse * per,
                .friction = vec3_mul(c->friction_impulse, per),
                .couple = b->rolls ? vec3_mul(b->couples[i].impulse, per) : (CordVec3){0, 0, 0},
                .slides = c->slides};
        }
    }
    heap_sort(b->warm, b->warm_count, sizeof *b->warm, compare);
    return true;
}

void contact_constraints_free(Memory* m, ContactConstraints* b)
{
    contact_points_free(m, &b->contacts);
    contact_points_free(m, &b->found);
    memory_array_free(m, b->keys, b->key_capacity);
    memory_array_free(m, b->next, b->next_capacity);
    memory_array_free(m, b->chains, b->chain_capacity);
    memory_array_free(m, b->all, b->capacity);
    memory_array_free(m, b->past, b->past_capacity);
    memory_array_free(m, b->couples, b->couple_capacity);
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
    if (b->coarse && c->part == 0 && !b->contacts.all[b->past[i].contact].yields) {
        return crossing_gap(cs, c->side[0].segment, c->side[1].segment, c->n, cs->to);
    }
    const int *k = c->side[0].node, *l = c->side[1].node;
    CordVec3 p[2] = {cs->to[k[0]], cs->to[k[1]]}, q[2] = {cs->to[l[0]], cs->to[l[1]]};
    return segments_gap(c->part, c->n, p, q) - b->past[i].radii;
}

#define LEAST_MEASURED 2048 // constraints that are worth a task of their own

typedef struct MeasureTasks {
    ContactConstraints* constraints;
    const Colliders* colliders;
    const DofVector* since_begin;
    double most[TASKS_RANGES]; // lack of the constraints in a range, over the radius
} MeasureTasks;

static void measure_range(void* context, int range, int first, int last)
{
    MeasureTasks* t = context;
    ContactConstraints* b = t->constraints;
    const Colliders* cs = t->colliders;
    double most = 0.0;
    for (int i = first; i < last; i++) {
        ContactConstraint* c = &b->all[i];
        b->past[i].gap = gap_now(b, cs, i);
        c->gap = b->past[i].gap - b->past[i].asked;
        most = larger(most, constraint_lack(c) / c->radius);
        if (c->mu > 0.0) {
            CordVec3 u = constraint_motion(c, t->since_begin);
            if (c->sides == 1) {
                u = vec3_sub(u, contact_point_solid_motion(cs, &b->contacts.all[b->past[i].contact]));
            }
            c->slip = vec3_add(vec3_reject(u, c->n), b->past[i].slip);
        }
        if (b->rolls) {
            b->couples[i].turn = vec3_sub(constraint_turn(c, t->since_begin),
                                          contact_point_solid_turn(cs, &b->contacts.all[b->past[i].contact]));
        }
    }
    t->most[range] = most;
}

double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin)
{
    MeasureTasks t = {.constraints = b, .colliders = cs, .since_begin = since_begin};
    int ranges = tasks_ranges(&cs->tasks, b->count, LEAST_MEASURED);
    tasks_run_ranges(&cs->tasks, ranges, b->count, measure_range, &t);
    double most = 0.0;
    for (int i = 0; i < ranges; i++) {
        most = larger(most, t.most[i]);
    }
    return most;
}

static bool is_idle(const ContactConstraint* c, double near)
{
    return c->normal_impulse == 0.0 && c->gap > near * c->radius;
}

void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double near)
{
    for (int i = 0; i < cs->rod_count; i++) {
        b->rods[i].active = false;
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        double enough = b->rods[c->side[0].rod].enough;
        bool holds = is_idle(c, near) || (constraint_lack(c) <= enough && b->past[i].change <= enough);
        for (int side = 0; side < c->sides && !holds; side++) {
            b->rods[c->side[side].rod].active = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        b->past[i].at_rest = is_idle(c, near);
        bool rests = true;
        for (int side = 0; side < c->sides; side++) {
            rests &= !b->rods[c->side[side].rod].active;
        }
        b->past[i].at_rest |= rests;
        b->past[i].change = 0.0;
    }
}
