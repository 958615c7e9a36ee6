#include "contact/gauss_seidel.h"

#include "base/real.h"
#include "contact/rod_newton.h"
#include "contact/rolling.h"

#include <string.h>

#define NO_GRIP 1e-12     // over the coefficient of friction: less of it in some direction is none
#define LEAST 1e-9        // smallest slope of the gap by the normal impulse, over W_nn
#define SECULAR 40        // iterations of the secular equation
#define ON_CONE 1e-12     // relative tolerance of the secular equation
#define ALONE 20          // iterations for the normal and friction impulses of one contact
#define ENOUGH 1e-9       // relative tolerance of the normal impulse
#define NEWTON 6          // iterations for both impulses of a sliding contact together
#define NEARLY 1e-5       // relative step of theirs whose square, the error that it leaves, is small enough
#define INEXACT 0.1       // likewise after the first sweep, over the correction of the contact
#define ROUNDING 1e-12    // over the radius: the least displacement that sweeps resolve
#define TRIED 8           // single sweeps before pairs of them are tried
#define MOST_RESTARTS 0.3 // of conjugate gradients over single sweeps, for each
#define TOGETHER 10       // sweeps from one solve for all contacts of each rod to the next
#define SHARPER 0.2       // of the tolerance: where sweeps stop, so that the residual after them is below it

// ---- one constraint

// A constraint as all the others leave it, without its own impulses.
typedef struct Isolated {
    const ContactConstraint* constraint;
    const ConstraintHistory* past;
    const DelassusBlock* block;
    double gap, slip[2];
    double friction[2]; // its friction impulse as it is
    bool exactly;       // it is to be solved for exactly
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
    lone.gap = c->gap + vec3_dot(c->n, u) - block->W_nn * c->normal_impulse;
    for (int k = 0; k < 2; k++) {
        double friction = vec3_dot(c->friction_impulse, block->across[k]);
        lone.friction[k] = friction;
        lone.gap -= block->W_tn[k] * friction;
        lone.slip[k] = vec3_dot(vec3_add(c->slip, u), block->across[k]) - block->W_tn[k] * c->normal_impulse -
                       block->W_tt[k] * friction;
    }
    return lone;
}

static CordVec3 in_space(const DelassusBlock* block, const double d[2])
{
    return vec3_madd(vec3_mul(block->across[0], d[0]), block->across[1], d[1]);
}

static double constraint_anisotropy(const ContactConstraint* c, const ConstraintHistory* past, CordVec3 e)
{
    const CordVec3 axis[2] = {c->side[0].axis, c->side[1].axis};
    return friction_anisotropy(axis, &past->shape, c->sides, e);
}

double constraint_grip(const ContactConstraint* c, const ConstraintHistory* past, CordVec3 d, double size)
{
    bool even = past->shape.even || size == 0.0;
    return even ? c->mu : c->mu * constraint_anisotropy(c, past, vec3_mul(d, 1.0 / size));
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
    double W_nn = block->W_nn + lone->constraint->compliance, before = lone->constraint->normal_impulse,
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
                        W[0] * (fabs(x - lone->friction[0]) + fabs(y - lone->friction[1]));
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
    return solve_contact(lone, lone->constraint->normal_impulse, friction);
}

// Corrects one constraint; the normal impulse is never negative. Returns the displacement of the surfaces
// [m].
static double correct(const Delassus* y, ContactConstraints* b, int i, bool first)
{
    ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    if (c->normal_impulse == 0.0 && c->gap + delassus_normal_motion(y, c) >= 0.0 &&
        vec3_dot(c->friction_impulse, c->friction_impulse) == 0.0) { // separated, as before
        return 0.0;
    }
    CordVec3 u = delassus_motion(y, c);
    if (!block->known) {
        delassus_diagonal(y, b, i);
    }
    if (!(block->W_nn > 0.0)) {
        return 0.0;
    }
    Isolated lone = isolate(b, i, block, u);
    lone.exactly = first;
    Friction friction = {.slides = false};
    double next = 0.0;
    if (lone.gap < 0.0) {
        bool rubs = c->mu > 0.0 && block->W_tt[0] > 0.0;
        next = rubs ? solve_rubbing(&lone, &friction) : -lone.gap / (block->W_nn + c->compliance);
    }
    CordVec3 d = in_space(block, friction.d), more = vec3_sub(d, c->friction_impulse);
    double p = block->W_nn * (next - c->normal_impulse),
           q = block->W_tt[0] * vec3_dot(more, block->across[0]),
           r = block->W_tt[1] * vec3_dot(more, block->across[1]),
           far = real_max(fabs(p), sqrt(q * q + r * r));
    if (far > 0.0) {
        delassus_push(y, b, i, vec3_madd(more, c->n, next - c->normal_impulse));
    }
    c->normal_impulse = next;
    c->friction_impulse = d;
    c->slides = friction.slides;
    block->lambda = friction.lambda;
    return far;
}

typedef struct Sweep {
    double change; // largest displacement [m]
    double scale;  // mean displacement by the normal impulses that push [m]
} Sweep;

static Sweep sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch, bool back, bool first)
{
    Sweep done = {0.0, 0.0};
    double sum = 0.0;
    int count = 0;
    for (int k = batch.first; k < batch.last; k++) {
        // forward and backward in turn: corrections spread both ways
        int i = y->order[back ? batch.first + batch.last - 1 - k : k];
        double turned = b->rolls ? rolling_correct(y, b, i) : 0.0; // the force follows it
        double far = larger(turned, correct(y, b, i, first));
        if (first) {
            b->past[i].change = far;
        }
        y->all[i].last = far;
        done.change = larger(done.change, far);
        if (b->all[i].normal_impulse > 0.0) {
            sum += y->all[i].W_nn * b->all[i].normal_impulse;
            count++;
        }
    }
    done.scale = count > 0 ? sum / count : 0.0;
    return done;
}

// ---- conjugate gradients
//
// A sweep is a step along a preconditioned gradient, so sweeps are accelerated by nonsmooth nonlinear
// conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010): directions by Fletcher and Reeves,
// restarted when a sweep is larger than the one before.

static void begin_sweep(const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    size_t size = 4 * sizeof(double) * (size_t)(batch.last_node - batch.first_node);
    memcpy(y->u_before + 4 * batch.first_node, y->u + 4 * batch.first_node, size);
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        DelassusBlock* block = &y->all[y->order[k]];
        if (block->known) { // others have not changed
            block->before = (ContactImpulse){c->normal_impulse, c->friction_impulse};
        }
        if (b->rolls) {
            rolling_begin_sweep(b, y->order[k]);
        }
    }
}

// Squared norm of the last sweep.
static double sweep_norm2(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    double sum = 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        const DelassusBlock* block = &y->all[y->order[k]];
        sum += b->rolls ? rolling_sweep_norm2(b, y->order[k]) : 0.0;
        if (!block->known) {
            continue;
        }
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
        if (b->rolls) {
            rolling_accelerate(b, y->order[k], share);
        }
        if (!block->known) {
            continue;
        }
        double normal = share * block->direction.normal_impulse;
        CordVec3 friction = vec3_mul(block->direction.friction_impulse, share);
        block->direction.normal_impulse = normal + (c->normal_impulse - block->before.normal_impulse);
        block->direction.friction_impulse =
            vec3_add(friction, vec3_sub(c->friction_impulse, block->before.friction_impulse));
        c->normal_impulse += normal;
        c->friction_impulse = vec3_add(c->friction_impulse, friction);
    }
}

// Conjugate gradients over strides of one sweep, or of one forward and one backward: sweeps of the two
// directions differ in size where contacts slide and part, so that single ones would restart every other
// time.
typedef struct Acceleration {
    double last, before_last; // squared norms of the last two strides
    int strides, restarts;
    bool pairs;
} Acceleration;

static void advance(Acceleration* a, const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    double norm2 = sweep_norm2(y, b, batch);
    bool falls = a->last > 0.0 && norm2 < (a->pairs ? a->last : a->before_last);
    a->restarts += !falls && a->last > 0.0;
    bool turn = !a->pairs && ++a->strides > TRIED && a->restarts > MOST_RESTARTS * a->strides;
    accelerate(y, b, batch, falls && !turn ? real_min(norm2 / a->last, 1.0) : 0.0);
    a->before_last = a->last > 0.0 ? a->last : INFINITY;
    a->last = turn ? 0.0 : norm2;
    a->pairs |= turn;
}

// Newton's method for each rod whose contacts the last sweep has moved by more than `enough`, and that has a
// factor, or for all. True: some of them have changed.
static bool solve_rods(const Delassus* y, ContactConstraints* b, DelassusBatch batch, bool all, double enough)
{
    bool any = false;
    for (int first = batch.first, last; first < batch.last; first = last) {
        int rod = b->all[y->order[first]].side[0].rod;
        double most = 0.0;
        for (last = first; last < batch.last && b->all[y->order[last]].side[0].rod == rod; last++) {
            most = larger(most, y->all[y->order[last]].last);
        }
        any |=
            most > enough && (y->rods[rod].factor ? rod_newton_solve_few(y, b, first, last, 0.5 * enough)
                                                  : all && rod_newton_solve(y, b, first, last, 0.5 * enough));
    }
    return any;
}

static double smallest_radius(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    double least = batch.first < batch.last ? INFINITY : 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        least = real_min(least, b->all[y->order[k]].radius);
    }
    return least;
}

SweepResult gauss_seidel_solve(const Delassus* y, ContactConstraints* b, DelassusBatch batch,
                               const SweepLimits* limits)
{
    SweepResult done = {0};
    Acceleration a = {.before_last = INFINITY};
    double radius = smallest_radius(y, b, batch);
    for (bool open = false;;) {
        bool back = done.count % 2 != 0;
        if (!open) {
            begin_sweep(y, b, batch);
        }
        Sweep now = sweep(y, b, batch, back, done.count == 0);
        done.enough = larger(limits->tolerance * now.scale, ROUNDING * radius);
        done.change = done.count == 0 ? now.change : done.change;
        done.last = now.change;
        done.count++;
        double stop = larger(SHARPER * done.enough, limits->floor);
        bool ends = now.change <= stop || done.count >= limits->most ||
                    (done.count >= limits->few && now.change <= limits->loose * now.scale &&
                     now.change <= limits->far * radius);
        done.cut = !ends && limits->budget &&
                   (done.count >= limits->budget->left || budget_is_spent(limits->budget));
        if (ends || done.cut) {
            return done;
        }
        open = limits->blind || (a.pairs && !back);
        bool all = done.count % TOGETHER == 0;
        if (!limits->blind && (all || done.count % TOGETHER == 1) && solve_rods(y, b, batch, all, stop)) {
            a = (Acceleration){.before_last = INFINITY, .pairs = a.pairs};
            open = false;
        } else if (!open) {
            advance(&a, y, b, batch);
        }
    }
}

// ---- Aitken extrapolation

#define FIRST_ROUNDS 5 // before the ratio is trusted
#define EVERY 4        // rounds from one extrapolation to the next, which measure the ratio
#define LEAST_RATIO 0.3
#define MOST_RATIO 0.9999
#define STEADY 0.2 // largest difference of two ratios, over 1 - ratio

// Adds a contact's part to the products of the changes in the last two rounds.
static void measure_ratio(const ContactConstraints* b, int i, double* dot, double* norm2)
{
    const ContactConstraint* c = &b->all[i];
    ConstraintHistory* past = &b->past[i];
    if (b->rounds == 1) {
        // The first round has none before it; warm starts do not count.
        past->normal_impulse = past->normal_step = 0.0;
        past->friction_impulse = past->friction_step = (CordVec3){0, 0, 0};
    }
    double step = c->normal_impulse - past->normal_impulse;
    CordVec3 friction = vec3_sub(c->friction_impulse, past->friction_impulse);
    *dot += step * past->normal_step + vec3_dot(friction, past->friction_step);
    *norm2 += past->normal_step * past->normal_step + vec3_dot(past->friction_step, past->friction_step);
    past->normal_step = step, past->friction_step = friction;
    past->normal_impulse = c->normal_impulse, past->friction_impulse = c->friction_impulse;
}

static bool is_steady(double ratio, double before)
{
    return ratio >= LEAST_RATIO && ratio <= MOST_RATIO && fabs(ratio - before) <= STEADY * (1.0 - ratio);
}

// Scales a friction impulse back to the friction cone.
static CordVec3 project_to_cone(ContactConstraint* c, const ConstraintHistory* past, CordVec3 wanted,
                                double force)
{
    const CordVec3 axis[2] = {c->side[0].axis, c->side[1].axis};
    CordVec3 friction = friction_within_cone(axis, &past->shape, c->sides, wanted, c->mu * force);
    c->slides = vec3_length(friction) < vec3_length(wanted);
    return friction;
}

static void extrapolate(ContactConstraints* b, int i, double ratio)
{
    double more = ratio / (1.0 - ratio);
    ContactConstraint* c = &b->all[i];
    ConstraintHistory* past = &b->past[i];
    double next = larger(0.0, c->normal_impulse + more * past->normal_step);
    CordVec3 friction =
        project_to_cone(c, past, vec3_madd(c->friction_impulse, past->friction_step, more), next);
    constraint_apply(b, c,
                     vec3_madd(vec3_sub(friction, c->friction_impulse), c->n, next - c->normal_impulse));
    c->normal_impulse = past->normal_impulse = next;
    c->friction_impulse = past->friction_impulse = friction;
}

static ConstraintRod* group_of(ContactConstraints* b, int i)
{
    return b->per_rod ? &b->rods[b->all[i].side[0].rod] : &b->together;
}

// Rods that touch solids alone are independent: each is extrapolated by its own ratio.
bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs)
{
    bool now = b->rounds > FIRST_ROUNDS && b->rounds % EVERY == 0, any = false;
    ConstraintRod* groups = b->per_rod ? b->rods : &b->together;
    int group_count = b->per_rod ? cs->rod_count : 1;
    for (int i = 0; i < group_count; i++) {
        groups[i].dot = groups[i].norm2 = 0.0;
    }
    for (int i = 0; i < b->count; i++) {
        ConstraintRod* group = group_of(b, i);
        measure_ratio(b, i, &group->dot, &group->norm2);
    }
    for (int i = 0; i < group_count; i++) {
        ConstraintRod* group = &groups[i];
        double before = group->ratio;
        group->ratio = group->norm2 > 0.0 ? group->dot / group->norm2 : 0.0;
        group->extrapolates = now && is_steady(group->ratio, before) &&
                              (!b->per_rod || (group->active && !group->has_compliance));
        any |= group->extrapolates;
    }
    for (int i = 0; i < b->count && any; i++) {
        if (group_of(b, i)->extrapolates) {
            extrapolate(b, i, group_of(b, i)->ratio);
        }
    }
    return any;
}
