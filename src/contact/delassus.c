#include "contact/delassus.h"

#include "base/real.h"

#include <string.h>

#define LEAST 1e-9    // smallest ratio of the two tangential eigenvalues
#define SECULAR 40    // iterations of the secular equation
#define ON_CONE 1e-12 // relative tolerance of the secular equation
#define ALONE 20      // iterations for the normal and friction impulses of one contact
#define ENOUGH 1e-9   // relative tolerance of the normal impulse

// ---- active constraints and their nodes

static bool is_active(const ContactConstraints* b, int i)
{
    return !b->past[i].at_rest;
}

static int rod_at(const Colliders* cs, const ContactConstraint* c, int side)
{
    return cs->segments[c->segment[side]].rod;
}

static bool reserve(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    return memory_reserve(m, (void**)&y->all, b->count, &y->block_capacity, sizeof(DelassusBlock)) &&
           memory_reserve(m, (void**)&y->order, b->count, &y->order_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->rods, cs->rod_count, &y->rod_capacity, sizeof(DelassusRod)) &&
           memory_reserve(m, (void**)&y->node, cs->node_count, &y->node_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->place, cs->node_count, &y->place_capacity, sizeof(int));
}

// Sorts the active constraints by rod, otherwise in their own order.
static void find_order(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    int sum = 0;
    for (int i = 0; i < b->count; i++) {
        y->rods[rod_at(cs, &b->all[i], 0)].last_constraint += is_active(b, i);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        DelassusRod* rod = &y->rods[i];
        int count = rod->last_constraint;
        rod->first_constraint = rod->last_constraint = sum;
        sum += count;
    }
    y->order_count = sum;
    for (int i = 0; i < b->count; i++) {
        if (is_active(b, i)) {
            y->order[y->rods[rod_at(cs, &b->all[i], 0)].last_constraint++] = i;
        }
    }
}

static void find_nodes(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    memset(y->place, 0, sizeof *y->place * (size_t)cs->node_count);
    for (int k = 0; k < y->order_count; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int j = 0; j < 2 * c->sides; j++) {
            y->place[c->node[j]] = 1;
        }
    }
    y->node_count = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        DelassusRod* rod = &y->rods[i];
        rod->first = y->node_count;
        for (int n = 0; n < cs->rods[i].node_count; n++) {
            int* place = &y->place[cs->rods[i].first_node + n];
            if (*place) {
                *place = y->node_count - rod->first;
                y->node[y->node_count++] = n;
            }
        }
        rod->count = y->node_count - rod->first;
    }
}

bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    if (!reserve(m, y, b, cs)) {
        return false;
    }
    memset(y->rods, 0, sizeof *y->rods * (size_t)cs->rod_count);
    find_order(y, b, cs);
    find_nodes(y, b, cs);
    for (int k = 0; k < y->order_count; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        DelassusBlock* block = &y->all[y->order[k]];
        for (int side = 0; side < c->sides; side++) {
            block->rod[side] = rod_at(cs, c, side);
            block->place[2 * side] = y->place[c->node[2 * side]];
            block->place[2 * side + 1] = y->place[c->node[2 * side + 1]];
        }
    }
    return true;
}

DelassusBatch delassus_all(const Delassus* y)
{
    return (DelassusBatch){0, y->order_count, 0, y->node_count};
}

DelassusBatch delassus_of_rod(const Delassus* y, int rod)
{
    const DelassusRod* r = &y->rods[rod];
    return (DelassusBatch){r->first_constraint, r->last_constraint, r->first, r->first + r->count};
}

void delassus_free(Memory* m, Delassus* y)
{
    memory_array_free(m, y->all, y->block_capacity);
    memory_array_free(m, y->order, y->order_capacity);
    memory_array_free(m, y->rods, y->rod_capacity);
    memory_array_free(m, y->node, y->node_capacity);
    memory_array_free(m, y->place, y->place_capacity);
    *y = (Delassus){0};
}

// ---- one side of a constraint: seven unknowns, three of each node and the turn

#define OF_SIDE 7

static const int unknown[OF_SIDE] = {0, 1, 2, 3, 0, 1, 2};

static inline int index_of(const DelassusBlock* block, int side, int k)
{
    return 4 * block->place[2 * side + (k > 3)] + unknown[k];
}

static inline void forces_of(const ContactConstraint* c, int side, CordVec3 f, double out[OF_SIDE])
{
    CordVec3 second = constraint_second_node(c, side, f), first = vec3_sub(f, second);
    out[0] = first.x, out[1] = first.y, out[2] = first.z;
    out[3] = c->w_spin[side] > 0.0 ? constraint_torque(c, side, f) : 0.0;
    out[4] = second.x, out[5] = second.y, out[6] = second.z;
}

static inline CordVec3 surface_of(const ContactConstraint* c, int side, const double u[OF_SIDE])
{
    return constraint_surface_motion(c, side, (CordVec3){u[0], u[1], u[2]}, (CordVec3){u[4], u[5], u[6]},
                                     u[3]);
}

static inline double inverse_mass_of(const ContactConstraints* b, const ContactConstraint* c, int side, int k)
{
    return k == 3 ? c->w_spin[side] : b->w[c->node[2 * side + (k > 3)]];
}

static void apply_side(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                       const DelassusBlock* block, int side, CordVec3 f)
{
    const DelassusRod* rod = &y->rods[block->rod[side]];
    double force[OF_SIDE], *u = y->u + 4 * rod->first;
    forces_of(c, side, f, force);
    if (!rod->W) {
        for (int k = 0; k < OF_SIDE; k++) {
            u[index_of(block, side, k)] += inverse_mass_of(b, c, side, k) * force[k];
        }
        return;
    }
    const int size = 4 * rod->count;
    const double* first = rod->W + (size_t)size * (size_t)(4 * block->place[2 * side]);
    const double* second = rod->W + (size_t)size * (size_t)(4 * block->place[2 * side + 1]);
    for (int i = 0; i < size; i++) {
        double p = first[i] * force[0] + first[size + i] * force[1] + first[2 * size + i] * force[2];
        double q = second[i] * force[4] + second[size + i] * force[5] + second[2 * size + i] * force[6];
        u[i] += (p + q) + first[3 * size + i] * force[3];
    }
}

static CordVec3 gather_side(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block,
                            int side)
{
    const double* from = y->u + 4 * y->rods[block->rod[side]].first;
    double u[OF_SIDE];
    for (int k = 0; k < OF_SIDE; k++) {
        u[k] = from[index_of(block, side, k)];
    }
    return surface_of(c, side, u);
}

static CordVec3 gather(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block)
{
    CordVec3 u = gather_side(y, c, block, 0);
    return c->sides == 2 ? vec3_sub(u, gather_side(y, c, block, 1)) : u;
}

// ---- diagonal blocks

// The motion of the surface of `side` by a force on that of `other`, both on one rod.
static CordVec3 own_motion_of_side(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                                   const DelassusBlock* block, int side, int other, CordVec3 f)
{
    const DelassusRod* rod = &y->rods[block->rod[side]];
    double force[OF_SIDE], u[OF_SIDE] = {0};
    forces_of(c, other, f, force);
    for (int i = 0; i < OF_SIDE; i++) {
        if (rod->W) {
            const double* row = rod->W + (size_t)(4 * rod->count) * (size_t)index_of(block, side, i);
            for (int k = 0; k < OF_SIDE; k++) {
                u[i] += row[index_of(block, other, k)] * force[k];
            }
        } else if (side == other) {
            u[i] = inverse_mass_of(b, c, side, i) * force[i];
        }
    }
    return surface_of(c, side, u);
}

static CordVec3 own_motion(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                           const DelassusBlock* block, CordVec3 f)
{
    CordVec3 sum = {0, 0, 0};
    for (int side = 0; side < c->sides; side++) {
        for (int other = 0; other < c->sides; other++) {
            if (block->rod[side] == block->rod[other]) {
                CordVec3 u = own_motion_of_side(y, b, c, block, side, other, f);
                sum = vec3_madd(sum, u, side == other ? 1.0 : -1.0);
            }
        }
    }
    return sum;
}

// Diagonalises the symmetric tangential block (a, b; b, c) by a Jacobi rotation.
static void find_axes(DelassusBlock* block, CordVec3 one, CordVec3 two, double a, double b, double c)
{
    double half = 0.5 * (a - c), size = sqrt(half * half + b * b), mean = 0.5 * (a + c);
    double cosine = 1.0, sine = 0.0;
    if (size > 0.0) { // cosine and sine of half the angle of (half, b)
        double x = sqrt(0.5 * (1.0 + fabs(half) / size)), other = b / (2.0 * size * x);
        cosine = half >= 0.0 ? x : fabs(other);
        sine = half >= 0.0 ? other : (b >= 0.0 ? x : -x);
    }
    block->across[0] = vec3_madd(vec3_mul(one, cosine), two, sine);
    block->across[1] = vec3_madd(vec3_mul(two, cosine), one, -sine);
    block->W_tt[0] = mean + size;
    block->W_tt[1] = real_max(mean - size, LEAST * (mean + size));
}

static void compute_block(const Delassus* y, const ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    CordVec3 one = vec3_any_normal(c->n), two = vec3_cross(c->n, one);
    CordVec3 along = own_motion(y, b, c, block, c->n), p = own_motion(y, b, c, block, one),
             q = own_motion(y, b, c, block, two);
    find_axes(block, one, two, vec3_dot(p, one), 0.5 * (vec3_dot(p, two) + vec3_dot(q, one)),
              vec3_dot(q, two));
    block->start = (ContactImpulse){c->normal_impulse, c->friction_impulse};
    block->direction = (ContactImpulse){0};
    block->W_nn = vec3_dot(along, c->n);
    block->gap = b->past[i].gap - b->target_gap * c->radius;
    CordVec3 slip = contact_constraints_slip(b, i);
    for (int k = 0; k < 2; k++) {
        block->W_tn[k] = vec3_dot(along, block->across[k]);
        block->slip[k] = vec3_dot(slip, block->across[k]);
    }
}

void delassus_diagonal(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    for (int k = batch.first; k < batch.last; k++) {
        compute_block(y, b, y->order[k]);
    }
}

// ---- one constraint

// A constraint as all the others leave it, without its own impulses.
typedef struct Isolated {
    const ContactConstraint* constraint;
    const ConstraintHistory* past;
    const DelassusBlock* block;
    double gap, slip[2];
} Isolated;

typedef struct Friction {
    double d[2];
    bool slides;
    double grip, lambda; // of a sliding contact: friction coefficient along d, and the multiplier
} Friction;

static Isolated isolate(const ContactConstraints* b, int i, const DelassusBlock* block, CordVec3 u)
{
    const ContactConstraint* c = &b->all[i];
    Isolated lone = {.constraint = c, .past = &b->past[i], .block = block};
    lone.gap = block->gap + vec3_dot(c->n, u) - block->W_nn * c->normal_impulse;
    for (int k = 0; k < 2; k++) {
        double friction = vec3_dot(c->friction_impulse, block->across[k]);
        lone.gap -= block->W_tn[k] * friction;
        lone.slip[k] = block->slip[k] + vec3_dot(u, block->across[k]) - block->W_tn[k] * c->normal_impulse -
                       block->W_tt[k] * friction;
    }
    return lone;
}

static CordVec3 in_space(const DelassusBlock* block, const double d[2])
{
    return vec3_madd(vec3_mul(block->across[0], d[0]), block->across[1], d[1]);
}

static bool is_even(const ConstraintHistory* past) // isotropic friction
{
    return past->across[0] == 1.0 && past->across[1] == 1.0;
}

static double grip_along(const Isolated* lone, const double d[2], double size)
{
    if (is_even(lone->past) || size == 0.0) {
        return lone->constraint->mu;
    }
    return lone->constraint->mu * friction_anisotropy(lone->constraint->axis, lone->past->across,
                                                      lone->constraint->sides,
                                                      vec3_mul(in_space(lone->block, d), 1.0 / size));
}

// A sliding contact's friction impulse d lies on the cone and opposes the slip: (W_tt + lambda) d = goal for
// some lambda > 0, where goal = W_tt d of sticking. The cone's radius over |d| is nearly linear in lambda
// (the secular equation of trust-region methods: More and Sorensen 1983), so Newton's method converges fast;
// where friction depends on the direction, the secant method does.
static void solve_sliding(const Isolated* lone, const double goal[2], double normal, Friction* friction)
{
    double *d = friction->d, lambda = 0.0, least = 0.0, most = INFINITY, last = 0.0, last_share = 0.0;
    for (int n = 0; n < SECULAR; n++) {
        double p = 1.0 / (lone->block->W_tt[0] + lambda), q = 1.0 / (lone->block->W_tt[1] + lambda);
        d[0] = goal[0] * p, d[1] = goal[1] * q;
        double size2 = d[0] * d[0] + d[1] * d[1], size = sqrt(size2);
        friction->grip = grip_along(lone, d, size);
        double share = friction->grip * normal / size;
        if (fabs(share - 1.0) <= ON_CONE) {
            break;
        }
        double slope = share * (d[0] * d[0] * p + d[1] * d[1] * q) / size2,
               next = lambda + (1.0 - share) / slope;
        if (n > 0 && !is_even(lone->past)) {
            double secant = lambda + (1.0 - share) * (lambda - last) / (share - last_share);
            next = secant > least ? secant : next;
        }
        *(share < 1.0 ? &least : &most) = lambda;
        last = lambda, last_share = share;
        lambda = next > least && next < most ? next : 0.5 * (least + most);
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1]), scale = size > 0.0 ? friction->grip * normal / size : 0.0;
    d[0] *= scale, d[1] *= scale; // exactly onto the cone
    friction->lambda = lambda;
}

// Friction for a given normal impulse: sticking, or sliding.
static Friction friction_at(const Isolated* lone, double normal)
{
    Friction friction = {.slides = false};
    double goal[2];
    for (int k = 0; k < 2; k++) {
        goal[k] = -(lone->slip[k] + normal * lone->block->W_tn[k]);
        friction.d[k] = goal[k] / lone->block->W_tt[k];
    }
    double size = sqrt(friction.d[0] * friction.d[0] + friction.d[1] * friction.d[1]);
    friction.slides = size > grip_along(lone, friction.d, size) * normal;
    if (friction.slides) {
        solve_sliding(lone, goal, normal, &friction);
    }
    return friction;
}

// Derivative of the gap by the normal impulse, with the friction that follows it. For a sliding contact:
// (W_tt + lambda) d' + lambda' d = -W_tn and d.d' = grip^2 times the normal impulse.
static double gap_slope(const Isolated* lone, const Friction* friction, double normal)
{
    const DelassusBlock* block = lone->block;
    double slope = block->W_nn, by_coupling = 0.0, by_friction = 0.0, inverse[2];
    for (int k = 0; k < 2; k++) {
        inverse[k] = 1.0 / (block->W_tt[k] + friction->lambda);
        slope -= block->W_tn[k] * block->W_tn[k] * inverse[k];
        by_coupling += friction->d[k] * inverse[k] * block->W_tn[k];
        by_friction += friction->d[k] * inverse[k] * friction->d[k];
    }
    return friction->slides
               ? slope + by_coupling * (friction->grip * friction->grip * normal + by_coupling) / by_friction
               : slope;
}

// Solves for both impulses together, by Newton's method with bisection. Solving for one after the other might
// not converge where friction lifts what is pressed down.
static double solve_contact(const Isolated* lone, double guess, Friction* friction)
{
    const DelassusBlock* block = lone->block;
    double normal = guess > 0.0 ? guess : -lone->gap / block->W_nn, least = 0.0, most = INFINITY;
    for (int n = 0;; n++) {
        *friction = friction_at(lone, normal);
        double gap = lone->gap + block->W_nn * normal + block->W_tn[0] * friction->d[0] +
                     block->W_tn[1] * friction->d[1];
        double slope = gap_slope(lone, friction, normal), next = normal - gap / slope;
        if (fabs(next - normal) <= ENOUGH * normal || n == ALONE) {
            return normal;
        }
        *(gap < 0.0 ? &least : &most) = normal;
        if (!(slope >= LEAST * block->W_nn && next > least && next < most)) {
            next = most < INFINITY ? 0.5 * (least + most) : normal - gap / block->W_nn;
        }
        normal = next;
    }
}

// Corrects one constraint; the normal impulse is never negative. Returns the displacement of the surfaces,
// over the radius.
static double correct(const Delassus* y, ContactConstraints* b, int i)
{
    ContactConstraint* c = &b->all[i];
    const DelassusBlock* block = &y->all[i];
    if (!(block->W_nn > 0.0)) {
        return 0.0;
    }
    Isolated lone = isolate(b, i, block, gather(y, c, block));
    Friction friction = {.slides = false};
    double next = 0.0;
    if (lone.gap < 0.0) {
        bool rubs = c->mu > 0.0 && block->W_tt[0] > 0.0;
        next = rubs ? solve_contact(&lone, c->normal_impulse, &friction) : -lone.gap / block->W_nn;
    }
    CordVec3 d = in_space(block, friction.d), more = vec3_sub(d, c->friction_impulse);
    double p = block->W_nn * (next - c->normal_impulse),
           q = block->W_tt[0] * vec3_dot(more, block->across[0]),
           r = block->W_tt[1] * vec3_dot(more, block->across[1]),
           far = real_max(fabs(p), sqrt(q * q + r * r));
    if (far > 0.0) {
        CordVec3 f = vec3_madd(more, c->n, next - c->normal_impulse);
        apply_side(y, b, c, block, 0, f);
        if (c->sides == 2) {
            apply_side(y, b, c, block, 1, vec3_mul(f, -1.0));
        }
    }
    c->normal_impulse = next;
    c->friction_impulse = d;
    c->slides = friction.slides;
    return far / c->radius;
}

static double sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch, bool back, bool first)
{
    double change = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        // forward and backward in turn: corrections spread both ways
        int i = y->order[back ? batch.first + batch.last - 1 - k : k];
        double far = correct(y, b, i);
        b->past[i].change = first ? far : b->past[i].change;
        change = real_max(change, far);
    }
    return change;
}

// ---- conjugate gradients
//
// A sweep is a step along a preconditioned gradient, so sweeps are accelerated by nonsmooth nonlinear
// conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010): directions by Fletcher and Reeves,
// restarted when a sweep is larger than the one before.

static void begin_sweep(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    size_t size = 4 * sizeof(double) * (size_t)(batch.last_node - batch.first_node);
    memcpy(y->u_before + 4 * batch.first_node, y->u + 4 * batch.first_node, size);
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        y->all[y->order[k]].before = (ContactImpulse){c->normal_impulse, c->friction_impulse};
    }
}

// Squared norm of the last sweep.
static double sweep_norm2(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    double sum = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        const DelassusBlock* block = &y->all[y->order[k]];
        double normal = c->normal_impulse - block->before.normal_impulse;
        CordVec3 friction = vec3_sub(c->friction_impulse, block->before.friction_impulse);
        sum += block->W_nn * normal * normal + block->W_tt[0] * vec3_dot(friction, friction);
    }
    return sum;
}

// direction := share direction + change of the sweep; then a step of `share` along the old direction.
static void accelerate(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share)
{
    for (int i = 4 * batch.first_node; i < 4 * batch.last_node; i++) {
        double step = y->u[i] - y->u_before[i], more = share * y->u_direction[i];
        y->u_direction[i] = more + step;
        y->u[i] += more;
    }
    for (int k = batch.first; k < batch.last; k++) {
        ContactConstraint* c = &b->all[y->order[k]];
        DelassusBlock* block = &y->all[y->order[k]];
        double normal = share * block->direction.normal_impulse;
        CordVec3 friction = vec3_mul(block->direction.friction_impulse, share);
        block->direction.normal_impulse = normal + (c->normal_impulse - block->before.normal_impulse);
        block->direction.friction_impulse =
            vec3_add(friction, vec3_sub(c->friction_impulse, block->before.friction_impulse));
        c->normal_impulse += normal;
        c->friction_impulse = vec3_add(c->friction_impulse, friction);
    }
}

SweepResult delassus_sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double enough,
                           int most, bool blind)
{
    SweepResult done = {0, 0.0};
    double before = 0.0;
    for (;;) {
        begin_sweep(y, b, batch);
        double change = sweep(y, b, batch, done.count % 2 != 0, done.count == 0);
        done.change = done.count == 0 ? change : done.change;
        done.count++;
        if (change <= enough || done.count >= most) {
            return done;
        }
        double now = sweep_norm2(y, b, batch);
        accelerate(y, b, batch, !blind && before > 0.0 && now < before ? now / before : 0.0);
        before = now;
    }
}

// The result stays within the friction cones, because they are convex.
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share)
{
    for (int k = batch.first; k < batch.last; k++) {
        int i = y->order[k];
        ContactConstraint* c = &b->all[i];
        const ContactImpulse* first = &y->all[i].start;
        if (share < 1.0) {
            c->normal_impulse = first->normal_impulse + share * (c->normal_impulse - first->normal_impulse);
            c->friction_impulse = vec3_madd(first->friction_impulse,
                                            vec3_sub(c->friction_impulse, first->friction_impulse), share);
        }
        constraint_apply(b, c,
                         vec3_madd(vec3_sub(c->friction_impulse, first->friction_impulse), c->n,
                                   c->normal_impulse - first->normal_impulse));
    }
}
