#include "contact/gauss_seidel.h"

#include "base/real.h"
#include "contact/gauss_seidel_kernel.h"
#include "contact/rod_newton.h"

#define ROUNDING 1e-12    // over the radius: the least displacement that sweeps resolve
#define TRIED 8           // single sweeps before pairs of them are tried
#define MOST_RESTARTS 0.3 // of conjugate gradients over single sweeps, for each
#define TOGETHER 10       // sweeps from one solve for all contacts of each rod to the next
#define SHARPER 0.2       // of the tolerance: where sweeps stop, so that the residual after them is below it

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

// ---- conjugate gradients
//
// A sweep is a step along a preconditioned gradient, so sweeps are accelerated by nonsmooth nonlinear
// conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010): directions by Fletcher and Reeves,
// restarted when a sweep is larger than the one before.
//
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
    const SweepKernels* kernels = KERNEL_CHOOSE(sweep_kernels);
    double norm2 = kernels->norm2(y, b, batch);
    bool falls = a->last > 0.0 && norm2 < (a->pairs ? a->last : a->before_last);
    a->restarts += !falls && a->last > 0.0;
    bool turn = !a->pairs && ++a->strides > TRIED && a->restarts > MOST_RESTARTS * a->strides;
    kernels->accelerate(y, b, batch, falls && !turn ? real_min(norm2 / a->last, 1.0) : 0.0);
    a->before_last = a->last > 0.0 ? a->last : INFINITY;
    a->last = turn ? 0.0 : norm2;
    a->pairs |= turn;
}

// Newton's method for each rod whose contacts the last sweep has moved by more than `enough`, and that has a
// factor, or for all. True: some of them have changed.
static bool solve_rods(const Delassus* y, ContactConstraints* b, DelassusBatch batch, bool all, double enough,
                       Arena scratch)
{
    bool any = false;
    for (int first = batch.first, last; first < batch.last; first = last) {
        int rod = b->all[y->order[first]].side[0].rod;
        double most = 0.0;
        for (last = first; last < batch.last && b->all[y->order[last]].side[0].rod == rod; last++) {
            const double* moved = y->all[y->order[last]].last;
            most = larger(most, larger(moved[0], moved[1]));
        }
        any |= most > enough &&
               (y->rods[rod].factor ? rod_newton_solve_few(y, b, first, last, 0.5 * enough, scratch)
                                    : all && rod_newton_solve(y, b, first, last, 0.5 * enough, scratch));
    }
    return any;
}

// ---- sweeps

static void merge(Sweep* sum, const Sweep* part)
{
    sum->change = larger(sum->change, part->change);
    sum->pushed += part->pushed;
    sum->pushing += part->pushing;
}

typedef struct ColourSweep { // of the stretches of one colour
    const Delassus* delassus;
    ContactConstraints* constraints;
    DelassusStretch* stretches;
    bool back, first;
} ColourSweep;

static void sweep_stretch(void* context, int i)
{
    const ColourSweep* c = context;
    DelassusStretch* stretch = &c->stretches[i];
    stretch->done =
        KERNEL_CHOOSE(sweep_kernels)
            ->sweep(c->delassus, c->constraints, stretch->first, stretch->last, c->back, c->first);
}

// Colour by colour, in the opposite order if `back`.
static Sweep sweep_batch(const Delassus* y, ContactConstraints* b, DelassusBatch batch,
                         const CordTasks* tasks, bool back, bool first)
{
    if (batch.first_stretch == batch.last_stretch) {
        return KERNEL_CHOOSE(sweep_kernels)->sweep(y, b, batch.first, batch.last, back, first);
    }
    DelassusStretch* all = y->stretches;
    const CordTasks none = {0};
    for (int i = batch.first_stretch, j = batch.last_stretch; i < j;) {
        int begin = back ? j - 1 : i, end = begin + 1;
        while (back && begin > i && all[begin - 1].colour == all[j - 1].colour) {
            begin--;
        }
        while (!back && end < j && all[end].colour == all[i].colour) {
            end++;
        }
        ColourSweep colour = {y, b, all + begin, back, first};
        tasks_run(tasks ? tasks : &none, sweep_stretch, &colour, end - begin);
        *(back ? &j : &i) = back ? begin : end;
    }
    Sweep done = {0};
    for (int i = batch.first_stretch; i < batch.last_stretch; i++) {
        merge(&done, &all[i].done);
    }
    return done;
}

static double smallest_radius(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    double least = batch.first < batch.last ? INFINITY : 0.0;
    for (int k = batch.first; k < batch.last; k++) {
        least = real_min(least, b->all[y->order[k]].radius);
    }
    return least;
}

static SweepResult solve(const Delassus* y, ContactConstraints* b, DelassusBatch batch,
                         const SweepLimits* limits)
{
    SweepResult done = {0};
    Acceleration a = {.before_last = INFINITY};
    double radius = smallest_radius(y, b, batch);
    for (bool open = false;;) {
        bool back = done.count % 2 != 0;
        if (!open) {
            KERNEL_CHOOSE(sweep_kernels)->begin(y, b, batch);
        }
        Sweep now = sweep_batch(y, b, batch, limits->tasks, back, done.count == 0);
        double scale = now.pushing > 0 ? now.pushed / now.pushing : 0.0;
        done.enough = larger(limits->tolerance * scale, ROUNDING * radius);
        done.change = done.count == 0 ? now.change : done.change;
        done.last = now.change;
        done.count++;
        double stop = larger(SHARPER * done.enough, limits->floor);
        bool ends = now.change <= stop || done.count >= limits->most ||
                    (done.count >= limits->few && now.change <= limits->loose * scale &&
                     now.change <= limits->far * radius);
        done.cut = !ends && limits->budget &&
                   (done.count >= limits->budget->left || budget_is_spent(limits->budget));
        if (ends || done.cut) {
            return done;
        }
        open = limits->blind || (a.pairs && !back);
        bool all = done.count % TOGETHER == 0;
        bool asks = !limits->blind && limits->scratch && (all || done.count % TOGETHER == 1);
        if (asks && solve_rods(y, b, batch, all, stop, *limits->scratch)) {
            a = (Acceleration){.before_last = INFINITY, .pairs = a.pairs};
            open = false;
        } else if (!open) {
            advance(&a, y, b, batch);
        }
    }
}

SweepResult gauss_seidel_solve(const Delassus* y, ContactConstraints* b, DelassusBatch batch,
                               const SweepLimits* limits)
{
    SweepResult done = solve(y, b, batch, limits);
    delassus_end(y, b, batch);
    return done;
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
