#include "contact/constraint.h"

// Gauss-Seidel sweeps over contact constraints by inverse masses alone, and Aitken extrapolation of rounds of
// sweeps.

// Scales a friction impulse back to the friction cone.
static CordVec3 project_to_cone(ContactConstraint* c, const ConstraintHistory* past, CordVec3 wanted,
                                double force)
{
    double size = vec3_length(wanted), most = c->mu * force;
    if (size > 0.0 && (past->across[0] != 1.0 || past->across[1] != 1.0)) {
        most *= friction_anisotropy(c->axis, past->across, c->sides, vec3_mul(wanted, 1.0 / size));
    }
    c->slides = size > most;
    return c->slides ? vec3_mul(wanted, most / size) : wanted;
}

// Corrects one contact: the normal impulse by what the gap lacks, but never to a pull; then friction within
// its cone. Returns the displacement of the surfaces, over the radius.
static double correct(ContactConstraints* b, ContactConstraint* c, const ConstraintHistory* past)
{
    CordVec3 u = constraint_motion(c, &b->moved);
    double next = larger(0.0, c->normal_impulse - (c->gap + vec3_dot(c->n, u)) / c->W_nn);
    if (next == 0.0 && c->normal_impulse == 0.0) { // separated, so there is no friction either
        return 0.0;
    }
    double change = next - c->normal_impulse, far = fabs(change) * c->W_nn;
    CordVec3 f = vec3_mul(c->n, change);
    if (c->mu > 0.0) {
        // the friction impulse that would return the anchor's deflection to zero
        CordVec3 slip = vec3_add(c->slip, vec3_reject(vec3_madd(u, c->W_tn, change), c->n));
        CordVec3 wanted = vec3_madd(c->friction_impulse, slip, -1.0 / c->W_tt);
        CordVec3 friction = project_to_cone(c, past, wanted, next),
                 more = vec3_sub(friction, c->friction_impulse);
        far = larger(far, vec3_length(more) * c->W_tt);
        f = vec3_add(f, more);
        c->friction_impulse = friction;
    }
    if (far > 0.0) {
        constraint_apply(b, c, f);
        c->normal_impulse = next;
    }
    return far / c->radius;
}

double gauss_seidel_sweep(ContactConstraints* b, double enough, int most)
{
    double change = INFINITY, first = 0.0;
    for (int n = 0; n < most && change > enough; n++) {
        change = 0.0;
        for (int k = 0; k < b->count; k++) {
            // forward and backward in turn: corrections spread both ways
            int i = n % 2 == 0 ? k : b->count - 1 - k;
            change = larger(change, correct(b, &b->all[i], &b->past[i]));
        }
        first = n == 0 ? change : first;
        b->sweeps++;
        b->sweeps_total++;
    }
    return first;
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
    if (b->rounds == 0) {
        // The first round has none before it; warm starts do not count.
        past->normal_impulse = past->normal_step = 0.0;
        past->friction_impulse = past->friction_step = (CordVec3){0, 0, 0};
    }
    double step = c->normal_impulse - past->normal_impulse;
    CordVec3 friction = vec3_sub(c->friction_impulse, past->friction_impulse);
    *dot += c->W_nn * step * past->normal_step + c->W_tt * vec3_dot(friction, past->friction_step);
    *norm2 += c->W_nn * past->normal_step * past->normal_step +
              c->W_tt * vec3_dot(past->friction_step, past->friction_step);
    past->normal_step = step, past->friction_step = friction;
    past->normal_impulse = c->normal_impulse, past->friction_impulse = c->friction_impulse;
}

static bool is_steady(double ratio, double before)
{
    return ratio >= LEAST_RATIO && ratio <= MOST_RATIO && fabs(ratio - before) <= STEADY * (1.0 - ratio);
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

static ConstraintRod* group_of(ContactConstraints* b, const Colliders* cs, int i)
{
    return b->per_rod ? &b->rods[cs->segments[b->all[i].segment[0]].rod] : &b->together;
}

// Rods that touch solids alone are independent: each is extrapolated by its own ratio.
bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs)
{
    bool now = b->rounds + 1 > FIRST_ROUNDS && (b->rounds + 1) % EVERY == 0, any = false;
    ConstraintRod* groups = b->per_rod ? b->rods : &b->together;
    int group_count = b->per_rod ? cs->rod_count : 1;
    for (int i = 0; i < group_count; i++) {
        groups[i].dot = groups[i].norm2 = 0.0;
    }
    for (int i = 0; i < b->count; i++) {
        ConstraintRod* group = group_of(b, cs, i);
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
        if (group_of(b, cs, i)->extrapolates) {
            extrapolate(b, i, group_of(b, cs, i)->ratio);
        }
    }
    b->rounds++;
    return any;
}
