#include "step/contact_statics.h"

#include "base/real.h"

#include <string.h>

#define STIFFER 1e4     // rho over the stiffness of a node between its neighbours
#define REFINEMENTS 6   // of a solution, so that held contacts do not move
#define STILL 1e-13     // motion of a held contact after them, over the largest motion
#define OVERLAP 1e-8    // over the radius: gaps that count as none
#define LEAST_PUSH 1e-8 // over the largest force of any contact: forces that count as none
#define AT_ONCE 6       // revisions of all active contacts at once
#define MOST_REVISIONS 24

// ---- start

static NewtonBody* body_in_whole(const NewtonSystem* whole, const Body* body)
{
    for (int i = 0; i < whole->body_count; i++) {
        if (whole->bodies[i].body == body) {
            return &whole->bodies[i];
        }
    }
    return NULL;
}

static void begin(void* coupled, NewtonSystem* whole)
{
    ContactStatics* s = coupled;
    ContactNewton* t = s->contact;
    s->whole = whole;
    s->settled = s->keeps = false;
    s->place(s->user, whole->time);
    s->no_memory = !contact_newton_begin(t, s->memory, whole->parts, whole->part_count, whole->mass);
    for (int i = 0; i < t->body_count && !s->no_memory; i++) {
        ContactNewtonBody* b = &t->bodies[i];
        ColliderSolid* solid = &t->colliders.solids[b->solid];
        b->body = body_in_whole(whole, t->solid_bodies[b->solid]);
        b->origin = whole->origin;
        solid->begin = solid->from = solid->to = solid->goal = b->body->body->pose;
    }
    for (int i = 0; i < t->last.count && !s->no_memory && !s->frozen; i++) {
        t->last.all[i].slides = true;
        t->last.all[i].friction = (CordVec3){0, 0, 0};
    }
    for (int i = 0; i < whole->rod_count; i++) { // slip counts from here
        memset(whole->rods[i].turned, 0, sizeof(double) * (size_t)whole->rods[i].rod->line.slot_count);
    }
    t->recovers = t->curved = t->at_rest = true;
}

// ---- assembly

// Stiffness of a node whose neighbours are held: of bending, of tension, and of the whole rod along itself.
static double side_stiffness(const ContactNewton* t, int segment)
{
    const Segment* g = &t->colliders.segments[segment];
    const NewtonRod* r = t->rods[g->rod].rod;
    const CordStiffness* k = rod_stiffness_at(r->rod, g->edge);
    double len = g->arc[1] - g->arc[0], n = fabs(r->n[slot_of(&r->rod->line, g->edge)]);
    return 16.0 * real_max(k->EI1, k->EI2) / (len * len * len) + 4.0 * n / len +
           (r->rod->inextensible ? 0.0 : k->EA / r->rod->length);
}

static double stiffness_at(const ContactNewton* t, const ContactPoint* contact)
{
    double stiffness = side_stiffness(t, contact->key.a);
    return contact->kind == CONTACT_SEGMENTS ? real_max(stiffness, side_stiffness(t, contact->key.b))
                                             : stiffness;
}

// What only touches a compliant obstacle has not compressed its spring, which cannot pull.
static bool is_active(const ContactStatics* s, int i)
{
    const NewtonContactPoint* p = &s->contact->points[i];
    const ContactPoint* contact = &s->contact->contacts.all[i];
    bool holds = s->hold == CONTACT_HOLD_TOUCHING && p->compliance == 0.0;
    return p->normal_before > 0.0 || p->gap < -OVERLAP * contact->radius ||
           (holds && p->gap <= s->contact->tolerance * contact->radius);
}

// Puts rods and solids of the colliders where the trial has them.
static void place_colliders(ContactStatics* s)
{
    ContactNewton* t = s->contact;
    Colliders* cs = &t->colliders;
    s->time = s->whole->time;
    s->place(s->user, s->time);
    contact_newton_update_positions(t);
    memcpy(cs->from, cs->to, sizeof *cs->from * (size_t)cs->node_count);
    for (int i = 0; i < cs->solid_count; i++) {
        bool moves = t->solid_bodies[i] != NULL;
        cs->solids[i].to = moves ? cs->solids[i].to : cs->solids[i].goal;
        cs->solids[i].from = cs->solids[i].to;
    }
    t->law.shape = cs->to; // sagittas follow the iterate
}

static void assemble(void* coupled)
{
    ContactStatics* s = coupled;
    ContactNewton* t = s->contact;
    if (s->no_memory || s->keeps) { // the contacts are those that were found at this y
        return;
    }
    place_colliders(s);
    s->revisions = 0;
    s->no_memory = !broad_phase_update(s->memory, &t->colliders) || !contact_newton_find(t);
    for (int i = 0; i < t->contacts.count && !s->no_memory; i++) {
        NewtonContactPoint* p = &t->points[i];
        p->rho = STIFFER * stiffness_at(t, &t->contacts.all[i]);
        p->active = is_active(s, i);
    }
}

// ---- the matrix

// Friction needs a force: a contact that only touches does not stick.
static bool sticks(const ContactStatics* s, int i)
{
    const NewtonContactPoint* p = &s->contact->points[i];
    return s->frozen && p->law.mu > 0.0 && p->normal_before > 0.0 && p->state == CONTACT_STICKS;
}

// C = rho along what is held. The spring of a compliant obstacle is in series with rho, and holds nothing.
static void hold_contact(ContactStatics* s, int i)
{
    NewtonContactPoint* p = &s->contact->points[i];
    CordVec3 n = p->law.axis[0];
    const double N[3] = {n.x, n.y, n.z};
    p->pushes = p->active;
    bool stuck = sticks(s, i);
    double across = stuck ? p->rho : 0.0, along = p->rho / (1.0 + p->rho * p->compliance) - across;
    s->whole->held += !p->pushes ? 0 : (stuck ? 2 : 0) + (p->compliance == 0.0);
    for (int k = 0; k < 9; k++) {
        p->C[k] = p->pushes ? along * N[k / 3] * N[k % 3] + across * (k % 4 == 0) : 0.0;
    }
}

static NewtonPivots factor(void* coupled)
{
    ContactStatics* s = coupled;
    ContactNewton* t = s->contact;
    NewtonPivots all = {0, 0.0};
    if (s->no_memory) {
        return all;
    }
    s->whole->held = 0;
    t->smooth = s->judges;
    t->mass = s->whole->mass;
    for (int i = 0; i < t->contacts.count; i++) {
        hold_contact(s, i);
    }
    if (!sparse_begin(t) || !sparse_fill(t)) {
        s->no_memory = true;
        return all;
    }
    LduPivots p = sparse_factor(t);
    all = (NewtonPivots){p.negative, p.least};
    for (int i = 0; i < t->system_count; i++) {
        if (!contact_newton_is_in_sparse(t, i)) {
            NewtonPivots own = newton_factor(&t->systems[i], true);
            all.negative += own.negative;
            all.least = real_min(all.least, own.least);
        }
    }
    return all;
}

// ---- solution

// Motion of an obstacle's surface from where it was assembled to where it is at `time`.
static CordVec3 obstacle_motion(ContactStatics* s, int i, double time)
{
    const ContactPoint* contact = &s->contact->contacts.all[i];
    ColliderSolid* solid = contact->kind == CONTACT_SEGMENTS || s->contact->solid_bodies[contact->key.b]
                               ? NULL
                               : &s->contact->colliders.solids[contact->key.b];
    if (!solid || time == s->time) {
        return (CordVec3){0, 0, 0};
    }
    Pose begin = solid->begin, to = solid->to;
    s->place(s->user, time);
    solid->begin = to, solid->to = solid->goal;
    CordVec3 motion = contact_point_solid_motion(&s->contact->colliders, contact);
    solid->begin = begin, solid->to = to;
    return motion;
}

// What vanishes along the normal at a contact that pushes with the force of the iterate before [m].
static double lack_of(const NewtonContactPoint* p)
{
    return p->gap + p->compliance * p->normal_before;
}

// What a held contact must move by, for its gap and slip to vanish at the end of the Newton step; while rates
// are assembled, the velocity at which an obstacle moves.
static CordVec3 wanted_motion(ContactStatics* s, int i)
{
    const NewtonContactPoint* p = &s->contact->points[i];
    const NewtonSystem* whole = s->whole;
    if (!whole->only_shift) {
        return vec3_sub(vec3_mul(p->law.axis[0], -lack_of(p)), p->slip);
    }
    return whole->rate_step > 0.0
               ? vec3_mul(obstacle_motion(s, i, whole->time + whole->rate_step), 1.0 / whole->rate_step)
               : (CordVec3){0, 0, 0};
}

static void put_contacts(ContactStatics* s, double* r)
{
    ContactNewton* t = s->contact;
    for (int i = 0; i < t->contacts.count && !s->whole->given; i++) {
        const NewtonContactPoint* p = &t->points[i];
        if (p->pushes) {
            CordVec3 by = vec3_sub(wanted_motion(s, i), sparse_contact_known(t, i));
            sparse_add_contact_force(t, i, contact_newton_mul(p->C, by), r);
        }
    }
}

// The force that a contact still lacks after the motion x [N]: its force is multiplier - C u so far.
static CordVec3 lacking_force(const ContactNewton* t, int i, const double* x, double multiplier)
{
    const NewtonContactPoint* p = &t->points[i];
    CordVec3 n = p->law.axis[0], u = sparse_contact_motion(t, i, x);
    double force = multiplier - vec3_dot(n, contact_newton_mul(p->C, u));
    return vec3_mul(contact_newton_mul(p->C, vec3_madd(u, n, p->compliance * force)), -1.0);
}

// Held contacts move by what the penalty leaves, and springs give way by as much more. Their multipliers, in
// f[0], take that away by Uzawa's iteration: the solution of a vibration obeys the constraints exactly.
static void refine(ContactStatics* s, double* x, int n)
{
    ContactNewton* t = s->contact;
    double* r = t->sparse.r;
    for (int i = 0; i < t->contacts.count; i++) {
        t->points[i].f[0] = 0.0;
    }
    for (int round = 0; round < REFINEMENTS; round++) {
        double most = 0.0, largest = 0.0;
        memset(r, 0, sizeof *r * (size_t)n);
        for (int i = 0; i < t->contacts.count; i++) {
            NewtonContactPoint* p = &t->points[i];
            if (p->pushes) {
                CordVec3 force = lacking_force(t, i, x, p->f[0]);
                sparse_add_contact_force(t, i, force, r);
                most = real_max(most, vec3_length(force) / p->rho);
                p->f[0] += vec3_dot(p->law.axis[0], force);
            }
        }
        for (int i = 0; i < n; i++) {
            largest = real_max(largest, fabs(x[i]));
        }
        if (!(most > STILL * largest)) {
            return;
        }
        sparse_ldu_solve(&t->sparse.blocks, r);
        for (int i = 0; i < n; i++) {
            x[i] += r[i];
        }
    }
}

static bool solve(void* coupled)
{
    ContactStatics* s = coupled;
    ContactNewton* t = s->contact;
    int n = t->sparse.blocks.n;
    if (s->no_memory ||
        !contact_newton_reserve(s->memory, (void**)&s->sum, n, &s->sum_capacity, sizeof(double))) {
        return false;
    }
    sparse_take_right(t);
    put_contacts(s, t->sparse.r);
    sparse_ldu_solve(&t->sparse.blocks, t->sparse.r);
    memcpy(s->sum, t->sparse.r, sizeof *s->sum * (size_t)n);
    if (s->whole->given) {
        refine(s, s->sum, n);
    }
    sparse_put_moves(t, s->sum);
    bool good = true;
    for (int i = 0; i < t->system_count; i++) {
        good = good && (contact_newton_is_in_sparse(t, i) || newton_solve(&t->systems[i]));
    }
    return good;
}

// ---- multipliers

static double normal_force(const NewtonContactPoint* p)
{
    return vec3_dot(p->force, p->law.axis[0]);
}

static double largest_push(const ContactNewton* t)
{
    double most = 0.0;
    for (int i = 0; i < t->contacts.count; i++) {
        most = real_max(most, fabs(normal_force(&t->points[i])));
    }
    return most;
}

// The forces and gaps that the Newton step leads to, in `force` and `u`.
static void find_forces(ContactStatics* s)
{
    ContactNewton* t = s->contact;
    contact_newton_gather(t);
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        CordVec3 n = p->law.axis[0], before = vec3_madd(p->friction_before, n, p->normal_before),
                 u = vec3_sub(p->u, obstacle_motion(s, i, s->whole->time));
        p->u = s->predicts ? u : vec3_add(u, vec3_madd(p->slip, n, p->active ? lack_of(p) : p->gap));
        p->force = p->active ? vec3_sub(before, contact_newton_mul(p->C, p->u)) : (CordVec3){0, 0, 0};
    }
}

// An active contact must not pull, another must not overlap.
static bool disagrees(const ContactStatics* s, int i, double least)
{
    const NewtonContactPoint* p = &s->contact->points[i];
    double radius = s->contact->contacts.all[i].radius;
    return p->active ? normal_force(p) < least : vec3_dot(p->u, p->law.axis[0]) < -OVERLAP * radius;
}

bool contact_statics_agrees(ContactStatics* s)
{
    ContactNewton* t = s->contact;
    s->keeps = false;
    if (s->no_memory) {
        return true;
    }
    find_forces(s);
    double least = -LEAST_PUSH * largest_push(t);
    bool at_once = s->revisions < AT_ONCE, revised = false;
    for (int i = 0; i < t->contacts.count && (at_once || !revised); i++) {
        if (disagrees(s, i, least)) {
            t->points[i].active = !t->points[i].active;
            revised = true;
        }
    }
    s->keeps = revised && ++s->revisions <= MOST_REVISIONS;
    return !s->keeps;
}

// Contacts that are held get the force of their constraint, the others none.
static void move(void* coupled)
{
    ContactStatics* s = coupled;
    ContactNewton* t = s->contact;
    s->keeps = false;
    if (s->no_memory) {
        return;
    }
    find_forces(s);
    s->predicts = false;
    double least = -LEAST_PUSH * largest_push(t);
    s->settled = true;
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        s->settled &= !disagrees(s, i, least);
        p->state = p->active && sticks(s, i) ? CONTACT_STICKS : CONTACT_SLIDES;
    }
    contact_newton_update_forces(t, 1.0);
    s->no_memory |= t->no_memory;
}

// Of the springs of compliant obstacles.
static double energy(const void* coupled)
{
    const ContactNewton* t = ((const ContactStatics*)coupled)->contact;
    double sum = 0.0;
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        double depth = real_max(0.0, -p->gap);
        sum += p->compliance > 0.0 ? 0.5 * depth * depth / p->compliance : 0.0;
    }
    return sum;
}

static void accept(void* coupled)
{
    ContactStatics* s = coupled;
    s->no_memory |= !s->no_memory && !contact_newton_keep_forces(s->contact);
}

// Entries of one sorted list that the other does not have.
static int count_missing(const WarmStarts* from, const WarmStarts* in)
{
    int count = 0;
    for (int i = 0, k = 0; i < from->count; i++) {
        while (k < in->count && contact_key_compare(&in->all[k].key, &from->all[i].key) < 0) {
            k++;
        }
        count += k == in->count || contact_key_compare(&in->all[k].key, &from->all[i].key) != 0;
    }
    return count;
}

int contact_statics_changes(const ContactStatics* s)
{
    const ContactNewton* t = s->contact;
    return count_missing(&t->warm, &t->last) + count_missing(&t->last, &t->warm);
}

bool contact_statics_path_is_free(ContactStatics* s)
{
    ContactNewton* t = s->contact;
    contact_newton_update_positions(t);
    return !s->no_memory && !contact_newton_tunnels(t);
}

void contact_statics_free(ContactStatics* s)
{
    memory_array_free(s->memory, s->sum, s->sum_capacity);
    *s = (ContactStatics){0};
}

const NewtonCoupling contact_statics_coupling = {
    .begin = begin,
    .assemble = assemble,
    .factor = factor,
    .solve = solve,
    .move = move,
    .accept = accept,
    .energy = energy,
};
