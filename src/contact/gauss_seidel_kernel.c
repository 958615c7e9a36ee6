#include "contact/gauss_seidel_kernel.h"
#include "base/real.h"
#include "contact/delassus_rows.h"
#include "contact/rolling.h"

#define NO_GRIP 1e-12 // over the coefficient of friction: less of it in some direction is none
#define LEAST 1e-9    // smallest slope of the gap by the normal impulse, over W_nn
#define SECULAR 40    // iterations of the secular equation
#define ON_CONE 1e-12 // relative tolerance of the secular equation
#define ALONE 20      // iterations for the normal and friction impulses of one contact
#define ENOUGH 1e-9   // relative tolerance of the normal impulse
#define NEWTON 6      // iterations for both impulses of a sliding contact together
#define NEARLY 1e-5   // relative step of theirs whose square, the error that it leaves, is small enough
#define INEXACT 0.1   // likewise after the first sweep, over the correction of the contact

// ---- one constraint

// A constraint as all the others leave it, without its own impulses.
typedef struct Isolated {
    const ContactConstraint* constraint;
    const ConstraintHistory* past;
    const DelassusBlock* block;
    double gap, slip[2];
    bool exactly; // it is to be solved for exactly
} Isolated;

typedef struct Friction {
    double d[2];
    bool slides;
    double grip, lambda; // of a sliding contact: friction coefficient along d, and the multiplier
} Friction;

// `u` is the motion of its surfaces by the impulses of the round.
static Isolated isolate(const ContactConstraints* b, int i, const DelassusBlock* block, const double u[3])
{
    const double* P = block->impulse;
    Isolated lone = {.constraint = &b->all[i], .past = &b->past[i], .block = block};
    lone.gap = block->gap + u[0] - block->W_nn * P[0] - block->W_tn[0] * P[1] - block->W_tn[1] * P[2];
    for (int k = 0; k < 2; k++) {
        lone.slip[k] = block->slip[k] + u[1 + k] - block->W_tn[k] * P[0] - block->W_tt[k] * P[1 + k];
    }
    return lone;
}

static CordVec3 in_space(const DelassusBlock* block, const double d[2])
{
    return vec3_madd(vec3_mul(block->across[0], d[0]), block->across[1], d[1]);
}

static double grip_along(const Isolated* lone, const double d[2], double size)
{
    return constraint_grip(lone->constraint, lone->past, in_space(lone->block, d), size);
}

// A sliding contact's friction impulse d lies on the cone and opposes the slip: (W_tt + lambda) d = goal for
// some lambda > 0, where goal = W_tt d of sticking. The cone's radius over |d| is nearly linear in lambda
// (the secular equation of trust-region methods: More and Sorensen 1983), so Newton's method converges fast;
// where friction depends on the direction, the secant method does.
static void solve_sliding(const Isolated* lone, const double goal[2], double normal, Friction* friction)
{
    double *d = friction->d, least = 0.0, most = INFINITY, last = 0.0, last_share = 0.0;
    double mean = 0.5 * (lone->block->W_tt[0] + lone->block->W_tt[1]); // exact where both are alike
    double lambda =
        friction->lambda > 0.0
            ? friction->lambda
            : real_max(0.0,
                       sqrt(goal[0] * goal[0] + goal[1] * goal[1]) / (lone->constraint->mu * normal) - mean);
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
        if (n > 0 && !lone->past->shape.even) {
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

// Friction for a given normal impulse: sticking, or sliding. It may be none in the direction of the slip.
// `lambda` is a guess; 0: none.
static Friction friction_at(const Isolated* lone, double normal, double lambda)
{
    Friction friction = {.lambda = lambda};
    double goal[2];
    for (int k = 0; k < 2; k++) {
        goal[k] = -(lone->slip[k] + normal * lone->block->W_tn[k]);
        friction.d[k] = goal[k] / lone->block->W_tt[k];
    }
    double size = sqrt(friction.d[0] * friction.d[0] + friction.d[1] * friction.d[1]);
    friction.slides = size > grip_along(lone, friction.d, size) * normal;
    friction.lambda = friction.slides ? lambda : 0.0;
    size = sqrt(goal[0] * goal[0] + goal[1] * goal[1]);
    if (friction.slides && !(grip_along(lone, goal, size) > NO_GRIP * lone->constraint->mu)) {
        return (Friction){.slides = true};
    }
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
    double slope = block->W_nn + lone->constraint->compliance, by_coupling = 0.0, by_friction = 0.0,
           inverse[2];
    if (friction->slides && friction->grip == 0.0) {
        return slope;
    }
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
    double W_nn = block->W_nn + lone->constraint->compliance;
    double normal = guess > 0.0 ? guess : -lone->gap / W_nn, least = 0.0, most = INFINITY;
    for (int n = 0;; n++) {
        *friction = friction_at(lone, normal, friction->lambda);
        double gap =
            lone->gap + W_nn * normal + block->W_tn[0] * friction->d[0] + block->W_tn[1] * friction->d[1];
        double slope = gap_slope(lone, friction, normal), next = normal - gap / slope;
        if (fabs(next - normal) <= ENOUGH * normal || n == ALONE) {
            return normal;
        }
        *(gap < 0.0 ? &least : &most) = normal;
        if (!(slope >= LEAST * W_nn && next > least && next < most)) {
            next = most < INFINITY ? 0.5 * (least + most) : normal - gap / W_nn;
        }
        normal = next;
    }
}

// Sticking: a linear system for both impulses. False: they lie outside the friction cone.
static bool solve_sticking(const Isolated* lone, double* normal, Friction* friction)
{
    const DelassusBlock* block = lone->block;
    double gap = lone->gap, W_nn = block->W_nn + lone->constraint->compliance, slope = W_nn, inverse[2];
    for (int k = 0; k < 2; k++) {
        inverse[k] = 1.0 / block->W_tt[k];
        gap -= block->W_tn[k] * inverse[k] * lone->slip[k];
        slope -= block->W_tn[k] * inverse[k] * block->W_tn[k];
    }
    *normal = -gap / slope;
    if (!(slope >= LEAST * W_nn && *normal > 0.0)) {
        return false;
    }
    double* d = friction->d;
    for (int k = 0; k < 2; k++) {
        d[k] = -(lone->slip[k] + *normal * block->W_tn[k]) * inverse[k];
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    return size <= grip_along(lone, d, size) * *normal;
}

// Sliding, with the same friction in all directions: Newton's method for the normal impulse and the
// multiplier together, from those of the last sweep. After the first sweep a share of each correction may be
// left over: corrections vanish as sweeps converge, and what is left of them does. False: it does not
// converge.
static bool solve_together(const Isolated* lone, double* normal, Friction* friction)
{
    const DelassusBlock* block = lone->block;
    const double *W = block->W_tt, *W_tn = block->W_tn, mu = lone->constraint->mu;
    double W_nn = block->W_nn + lone->constraint->compliance, before = block->impulse[0],
           n = before > 0.0 ? before : -lone->gap / W_nn, lambda = friction->lambda;
    if (!lone->past->shape.even) {
        return false;
    }
    if (!(lambda > 0.0)) {
        double p = lone->slip[0] + n * W_tn[0], q = lone->slip[1] + n * W_tn[1];
        lambda = real_max(0.0, sqrt(p * p + q * q) / (mu * n) - 0.5 * (W[0] + W[1]));
    }
    for (int i = 0; i < NEWTON; i++) {
        double p = 1.0 / (W[0] + lambda), q = 1.0 / (W[1] + lambda);
        double x = -(lone->slip[0] + n * W_tn[0]) * p, y = -(lone->slip[1] + n * W_tn[1]) * q;
        double inverse = 1.0 / sqrt(x * x + y * y), share = mu * n * inverse;
        double gap = lone->gap + W_nn * n + W_tn[0] * x + W_tn[1] * y;
        // derivatives of the gap, and of the cone's radius over the friction impulse, by n and lambda
        double coupling = x * p * W_tn[0] + y * q * W_tn[1], bend = share * inverse * inverse;
        double gap_n = W_nn - W_tn[0] * W_tn[0] * p - W_tn[1] * W_tn[1] * q, gap_l = -coupling,
               share_n = mu * inverse + bend * coupling, share_l = bend * (x * x * p + y * y * q);
        double det = gap_n * share_l - gap_l * share_n;
        double dn = ((share - 1.0) * gap_l - gap * share_l) / det,
               dl = (gap * share_n - (share - 1.0) * gap_n) / det;
        n += dn, lambda += dl;
        if (!(det > 0.0 && n > 0.0 && lambda > 0.0)) {
            return false;
        }
        double dx = -(W_tn[0] * dn + x * dl) * p, dy = -(W_tn[1] * dn + y * dl) * q;
        x += dx, y += dy;
        double step = W_nn * fabs(dn) + W[0] * (fabs(dx) + fabs(dy)),
               change = W_nn * fabs(n - before) +
                        W[0] * (fabs(x - block->impulse[1]) + fabs(y - block->impulse[2]));
        if (step <= (lone->exactly ? NEARLY * W_nn * n : larger(INEXACT * change, ENOUGH * W_nn * n))) {
            double scale = mu * n / sqrt(x * x + y * y); // exactly onto the cone
            *normal = n;
            *friction = (Friction){{x * scale, y * scale}, true, mu, lambda};
            return true;
        }
    }
    return false;
}

// Both impulses of a contact that rubs.
static double solve_rubbing(const Isolated* lone, Friction* friction)
{
    double normal, lambda = lone->block->lambda;
    if (solve_sticking(lone, &normal, friction)) {
        return normal;
    }
    friction->lambda = lambda;
    if (solve_together(lone, &normal, friction)) {
        return normal;
    }
    friction->lambda = 0.0;
    return solve_contact(lone, lone->block->impulse[0], friction);
}

// The lever turns a surface across the normal, so the axis alone counts.
static inline double normal_motion_of_side(const double* u, const ContactSide* side, CordVec3 n)
{
    const double *p = u + 4 * side->node[0], *q = u + 4 * side->node[1], s = side->s, r = 1.0 - s;
    return n.x * (r * p[0] + s * q[0]) + n.y * (r * p[1] + s * q[1]) + n.z * (r * p[2] + s * q[2]);
}

// J u along the normal, of any constraint.
static inline double normal_motion(const Delassus* y, const ContactConstraint* c)
{
    double u = normal_motion_of_side(y->u, &c->side[0], c->n);
    return c->sides == 2 ? u - normal_motion_of_side(y->u, &c->side[1], c->n) : u;
}

// True if a constraint that does not push has nothing to hold.
static bool is_separated(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block)
{
    const double* P = block->impulse;
    bool pushes = block->known
                      ? P[0] != 0.0 || P[1] != 0.0 || P[2] != 0.0
                      : c->normal_impulse != 0.0 || vec3_dot(c->friction_impulse, c->friction_impulse) != 0.0;
    return !pushes && c->gap + normal_motion(y, c) >= 0.0;
}

// Corrects one constraint; the normal impulse is never negative. Returns the displacement of the surfaces
// [m].
static double correct(const Delassus* y, const ContactConstraints* b, int i, bool first)
{
    const ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    if (is_separated(y, c, block)) {
        return 0.0;
    }
    if (!block->known) {
        delassus_diagonal(y, b, i);
    }
    if (!(block->W_nn > 0.0)) {
        return 0.0;
    }
    double u[4];
    rows_motion(y, block, u);
    Isolated lone = isolate(b, i, block, u);
    lone.exactly = first;
    Friction friction = {.slides = false};
    double normal = 0.0;
    if (lone.gap < 0.0) {
        bool rubs = c->mu > 0.0 && block->W_tt[0] > 0.0;
        normal = rubs ? solve_rubbing(&lone, &friction) : -lone.gap / (block->W_nn + c->compliance);
    }
    double* P = block->impulse;
    const double more[4] = {normal - P[0], friction.d[0] - P[1], friction.d[1] - P[2], 0.0};
    double p = block->W_nn * more[0], q = block->W_tt[0] * more[1], r = block->W_tt[1] * more[2],
           far = larger(fabs(p), sqrt(q * q + r * r));
    if (far > 0.0) {
        rows_push(y, c, block, more);
    }
    P[0] = normal, P[1] = friction.d[0], P[2] = friction.d[1];
    block->slides = friction.slides;
    block->lambda = friction.lambda;
    return far;
}

static Sweep sweep(const Delassus* y, ContactConstraints* b, int begin, int end, bool back, bool first)
{
    Sweep done = {0};
    for (int k = begin; k < end; k++) {
        // forward and backward in turn: corrections spread both ways
        int i = y->order[back ? begin + end - 1 - k : k];
        double turned = b->rolls ? rolling_correct(y, b, i) : 0.0; // the force follows it
        double far = larger(turned, correct(y, b, i, first));
        if (first) {
            b->past[i].change = far;
        }
        DelassusBlock* block = &y->all[i];
        block->last[back] = far;
        done.change = larger(done.change, far);
        double normal = block->known ? block->impulse[0] : b->all[i].normal_impulse;
        if (normal > 0.0) {
            done.pushed += block->W_nn * normal;
            done.pushing++;
        }
    }
    return done;
}

// ---- conjugate gradients: see gauss_seidel.c

static void begin_sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    for (int n = batch.first_node; n < batch.last_node; n++) {
        wide_store(y->u_before + 4 * y->node_at[n], wide_load(y->u + 4 * y->node_at[n]));
    }
    for (int k = batch.first; k < batch.last; k++) {
        DelassusBlock* block = &y->all[y->order[k]];
        wide_store(block->before, wide_load(block->impulse));
        if (b->rolls) {
            rolling_begin_sweep(b, y->order[k]);
        }
    }
}

static double sweep_norm2(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    double sum = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        const DelassusBlock* block = &y->all[y->order[k]];
        sum += b->rolls ? rolling_sweep_norm2(b, y->order[k]) : 0.0;
        if (block->known) { // others have not changed
            double normal = block->impulse[0] - block->before[0], s = block->impulse[1] - block->before[1],
                   t = block->impulse[2] - block->before[2];
            sum += block->W_nn * normal * normal + block->W_tt[0] * (s * s + t * t);
        }
    }
    return sum;
}

// direction := share direction + change of the sweep; then a step of `share` along the old direction.
WIDE_INLINE void accelerate_one(double* now, const double* before, double* direction, CordWide share)
{
    CordWide more = share * wide_load(direction), at = wide_load(now);
    wide_store(direction, more + (at - wide_load(before)));
    wide_store(now, at + more);
}

static void accelerate(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share)
{
    CordWide by = wide_set(share);
    for (int n = batch.first_node; n < batch.last_node; n++) {
        int i = 4 * y->node_at[n];
        accelerate_one(y->u + i, y->u_before + i, y->u_direction + i, by);
    }
    for (int k = batch.first; k < batch.last; k++) {
        DelassusBlock* block = &y->all[y->order[k]];
        if (b->rolls) {
            rolling_accelerate(b, y->order[k], share);
        }
        if (block->known) {
            accelerate_one(block->impulse, block->before, block->direction, by);
        }
    }
}

extern const SweepKernels KERNEL(sweep_kernels);
const SweepKernels KERNEL(sweep_kernels) = {
    .sweep = sweep, .begin = begin_sweep, .norm2 = sweep_norm2, .accelerate = accelerate};
