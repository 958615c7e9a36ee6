// Solves for the Newton step and the contact forces together (contact_newton.h).
#include "base/real.h"
#include "step/contact_newton.h"
#include "step/coulomb.h"

#include <string.h>

#define MOST_MATRICES 12 // of Newton's method for the contacts
#define FULL 12          // likewise, without a line search
#define FEW 3            // likewise, far from the solution
#define MOST_MATRICES_WITH_LIMITS 30
#define EASE 30.0       // factor on the proximal term where they do not settle
#define EASE_BACK 10.0  // and back, in the next iterate
#define LEAST_EASE 0.01 // close to the solution
#define MOST_EASE 500.0
#define MUCH_LESS 0.5 // factor on the merit
#define ROUNDS 8      // of iterations with limits of friction and iterations without
#define SLOPES 12     // most evaluations of the slope in a line search with limits
#define FLAT 0.1      // slope that ends it, over the first
#define HALVINGS 5    // of a step in the line search without limits
#define DECREASE 0.1  // of the merit, over the share of the step
#define ENOUGH 1e-10  // error of the contact forces, over the largest

static void gather_moves(ContactNewton* t)
{
    const Colliders* cs = &t->colliders;
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordCenterline* c = &r->rod->line;
        const NewtonRod* from = t->rods[i].rod;
        for (int n = 0; n < r->node_count; n++) {
            t->move.x[r->first_node + n] = slot_get(from->move.x, slot_of(c, n));
        }
        for (int j = 0; j < r->segment_count; j++) {
            t->move.spin[r->first_segment + j] = from->move.angle[slot_of(c, j)];
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->move.solid + 6 * t->bodies[i].solid, t->bodies[i].body->move, 6 * sizeof(double));
    }
}

// ---- semismooth Newton iterations

void contact_newton_gather(ContactNewton* t)
{
    dof_vector_clear(&t->move, &t->colliders);
    gather_moves(t);
    for (int i = 0; i < t->contacts.count; i++) {
        t->points[i].u = contact_point_gather(&t->colliders, &t->contacts.all[i], &t->move);
        if (t->surfaces.rolls) {
            t->couples[i].u = contact_point_gather_turn(&t->colliders, &t->contacts.all[i], &t->move);
        }
    }
}

static CordVec3 force_before(const ContactNewton* t, int i)
{
    return vec3_madd(t->points[i].friction_before, t->contacts.all[i].n, t->points[i].normal_before);
}

void contact_newton_put_local(const CordVec3 axis[3], double at[3], CordVec3 v)
{
    for (int k = 0; k < 3; k++) {
        at[k] = vec3_dot(axis[k], v);
    }
}

CordVec3 contact_newton_get_local(const CordVec3 axis[3], const double at[3])
{
    return vec3_madd(vec3_madd(vec3_mul(axis[0], at[0]), axis[1], at[1]), axis[2], at[2]);
}

// Gap and slip after the motion u, with the proximal term and what a compliant obstacle gives way.
static void put_motion(const ContactNewton* t, int i, const double f[3], double v[3])
{
    const NewtonContactPoint* p = &t->points[i];
    double before[3];
    contact_newton_put_local(p->law.axis, v, vec3_add(p->u, p->slip));
    contact_newton_put_local(p->law.axis, before, force_before(t, i));
    v[0] += p->gap + p->compliance * f[0];
    for (int k = 0; k < 3; k++) {
        v[k] += (f[k] - before[k]) / p->rho;
    }
}

static ContactState state_of(const CoulombProjection* to)
{
    return to->normal <= 0.0 ? CONTACT_OPEN : to->slides ? CONTACT_SLIDES : CONTACT_STICKS;
}

// Sliding friction follows the normal force, is constant along itself, and turns against a motion across.
static void linearise_sliding(const NewtonContactPoint* p, const CoulombProjection* to, const double F[3],
                              LocalLaw* at)
{
    const CoulombPoint* law = &p->law;
    double w = law->w, rho = p->rho,
           size = sqrt(to->wanted[0] * to->wanted[0] + to->wanted[1] * to->wanted[1]);
    double e[2] = {to->wanted[0] / size, to->wanted[1] / size}, a[2] = {-e[1], e[0]},
           share = to->limit / size;
    double grip = law->bound < 0.0 && to->normal > 0.0 ? to->grip : 0.0; // by which it follows
    double left = 1.0 - share * (1.0 - 1.0 / (w * rho)), turning = share / (w * left);
    double along = e[0] * F[1] + e[1] * F[2] - grip * (F[0] + at->g[0] - p->f[0]),
           across = (a[0] * F[1] + a[1] * F[2]) / left;
    for (int k = 0; k < 2; k++) {
        at->C[1 + k][0] = grip * at->C[0][0] * e[k];
        at->C[1 + k][1] = turning * a[k] * a[0], at->C[1 + k][2] = turning * a[k] * a[1];
        at->g[1 + k] = p->f[1 + k] - along * e[k] - across * a[k];
    }
}

// Friction that is opposite to the slip, by its secant stiffness at the normal force of the iterate before.
static void linearise_smooth_friction(NewtonContactPoint* p, LocalLaw* at)
{
    const CoulombPoint* law = &p->law;
    double k = law->mu * p->normal_before / real_max(vec3_length(p->slip), law->smoothing);
    for (int i = 1; i < 3; i++) {
        at->C[i][i] = k;
        at->g[i] = -k * vec3_dot(law->axis[i], vec3_add(p->slip, p->u));
    }
    p->pushes |= k > 0.0;
}

void contact_newton_set_law(const CordVec3 axis[3], const LocalLaw* at, CordVec3 by_step, CordVec3* constant,
                            double C[9])
{
    double g[3], u[3];
    contact_newton_put_local(axis, u, by_step);
    memset(C, 0, 9 * sizeof *C);
    for (int k = 0; k < 3; k++) {
        CordVec3 row = contact_newton_get_local(axis, at->C[k]);
        const double of[3] = {axis[k].x, axis[k].y, axis[k].z};
        g[k] = at->g[k] + at->C[k][0] * u[0] + at->C[k][1] * u[1] + at->C[k][2] * u[2];
        for (int i = 0; i < 3; i++) {
            C[3 * i] += of[i] * row.x, C[3 * i + 1] += of[i] * row.y, C[3 * i + 2] += of[i] * row.z;
        }
    }
    *constant = contact_newton_get_local(axis, g);
}

// The natural map f = P(f - v / w), linearised and solved for the force: f = g - C u.
static void linearise_point(NewtonContactPoint* p)
{
    const CoulombPoint* law = &p->law;
    double F[3];
    CoulombProjection to = coulomb_project(law, p->f, p->v);
    coulomb_defect(&to, p->f, F);
    p->state = state_of(&to);
    p->pushes = to.normal > 0.0 || to.limit > 0.0;
    LocalLaw at = {.g = {p->f[0] - F[0], p->f[1] - F[1], p->f[2] - F[2]}};
    if (to.normal > 0.0) {
        double left = 1.0 - to.rise + to.rise / (law->w * p->rho) + to.rise * p->compliance / law->w;
        at.C[0][0] = to.rise / (law->w * left);
        at.g[0] = p->f[0] - F[0] / left;
    }
    if (law->smoothing > 0.0) {
        linearise_smooth_friction(p, &at);
    } else if (to.slides && to.limit > 0.0) {
        linearise_sliding(p, &to, F, &at);
    } else if (to.limit > 0.0) {
        for (int k = 1; k < 3; k++) {
            at.C[k][k] = p->rho;
            at.g[k] = p->f[k] - law->w * p->rho * F[k];
        }
    }
    contact_newton_set_law(law->axis, &at, p->u, &p->g, p->C);
}

// After a solve: forces and motions there.
static void find_next(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        contact_newton_put_local(p->law.axis, p->f_next, vec3_sub(p->g, contact_newton_mul(p->C, p->u)));
        put_motion(t, i, p->f_next, p->v_next);
        if (t->surfaces.rolls) {
            newton_couple_find_next(t, i);
        }
    }
}

// Force and motion of a contact at a share of the way to the next ones, and what the force has beyond the
// law.
static void law_at(const NewtonContactPoint* p, double share, double f[3], double F[3])
{
    double v[3];
    for (int k = 0; k < 3; k++) {
        f[k] = p->f[k] + share * (p->f_next[k] - p->f[k]);
        v[k] = p->v[k] + share * (p->v_next[k] - p->v[k]);
    }
    CoulombProjection to = coulomb_project(&p->law, f, v);
    coulomb_defect(&to, f, F);
}

static CoulombResidual residual_at(const ContactNewton* t, double share)
{
    CoulombResidual sum = {0};
    for (int i = 0; i < t->contacts.count; i++) {
        double f[3], F[3];
        law_at(&t->points[i], share, f, F);
        coulomb_residual_add(&sum, &t->points[i].law, f, F);
        if (t->surfaces.rolls) {
            newton_couple_add_residual(t, i, share, &sum);
        }
    }
    return sum;
}

static void move_to(ContactNewton* t, double share)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        double u[3];
        if (t->surfaces.rolls) {
            newton_couple_move(t, i, share);
        }
        for (int k = 0; k < 3; k++) {
            p->f[k] += share * (p->f_next[k] - p->f[k]);
            p->v[k] += share * (p->v_next[k] - p->v[k]);
        }
        double before[3];
        contact_newton_put_local(p->law.axis, before, force_before(t, i));
        for (int k = 0; k < 3; k++) { // see put_motion
            u[k] = p->v[k] - vec3_dot(p->law.axis[k], p->slip) -
                   (k == 0 ? p->gap + p->compliance * p->f[0] : 0.0) - (p->f[k] - before[k]) / p->rho;
        }
        p->u = contact_newton_get_local(p->law.axis, u);
    }
}

// Contacts that pushed in the iterate before are taken as closed, and those that stuck as sticking.
static void begin_at_forces_before(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        p->u = vec3_mul(p->law.axis[0],
                        p->state != CONTACT_OPEN ? -p->gap - p->compliance * p->normal_before : 0.0);
        p->u = p->state == CONTACT_STICKS ? vec3_sub(p->u, p->slip) : p->u;
        contact_newton_put_local(p->law.axis, p->f, force_before(t, i));
        put_motion(t, i, p->f, p->v);
        if (t->surfaces.rolls) {
            newton_couple_begin(t, i);
        }
    }
}

// Solves for the motion with the present linear laws. False: singular, or no memory.
static bool solve_sparse(ContactNewton* t)
{
    if (!sparse_fill(t)) {
        t->no_memory = true;
        return false;
    }
    if (!(sparse_factor(t).least > 0.0)) {
        return false;
    }
    sparse_solve(t);
    contact_newton_gather(t);
    sparse_add_turning(t);
    return true;
}

typedef enum Search { FULL_STEPS, BY_RESIDUAL, BY_SLOPE } Search;
typedef enum Settling { SETTLED, UNSETTLED, SINGULAR } Settling;

// The share of the way to the next forces after which the residual has decreased enough; 0: there is none.
static double share_by_residual(const ContactNewton* t, const CoulombResidual* now)
{
    double share = 1.0;
    for (int k = 0; k <= HALVINGS; k++, share *= 0.5) {
        if (residual_at(t, share).merit <= (1.0 - DECREASE * share) * now->merit) {
            return share;
        }
    }
    return residual_at(t, share).merit < now->merit ? share : 0.0;
}

// With friction of given limits the forces minimise a convex function of the motion. Its slope on the way to
// the next forces is the work of what the law of contact lacks of them, since both satisfy the equations of
// motion.
static double slope_at(const ContactNewton* t, double share)
{
    double sum = 0.0;
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        double f[3], F[3];
        law_at(p, share, f, F);
        for (int k = 0; k < 3; k++) {
            double change = p->f_next[k] - p->f[k];
            sum +=
                F[k] * (p->v_next[k] - p->v[k] - change / p->rho - (k == 0 ? p->compliance * change : 0.0));
        }
        sum += t->surfaces.rolls ? newton_couple_slope(t, i, share) : 0.0;
    }
    return sum;
}

// Where the slope vanishes, or 1: by the Illinois variant of the secant method.
static double share_by_slope(const ContactNewton* t)
{
    double low = 0.0, high = 1.0, at_low = slope_at(t, 0.0), at_high = slope_at(t, 1.0), first = at_low;
    if (!(at_low < 0.0) || !(at_high > 0.0)) {
        return 1.0;
    }
    for (int n = 0; n < SLOPES; n++) {
        double share = (low * at_high - high * at_low) / (at_high - at_low), slope = slope_at(t, share);
        if (fabs(slope) <= FLAT * fabs(first)) {
            return share;
        }
        if (slope < 0.0) {
            low = share, at_low = slope, at_high *= 0.5;
        } else {
            high = share, at_high = slope, at_low *= 0.5;
        }
    }
    return low > 0.0 ? low : 0.5 * high;
}

static double smallest_radius(const ContactNewton* t)
{
    double least = INFINITY;
    for (int i = 0; i < t->contacts.count; i++) {
        least = real_min(least, t->contacts.all[i].radius);
    }
    return t->contacts.count > 0 ? least : 0.0;
}

// Full steps may alternate between two states of the same contacts. Half a step leads out of that.
typedef struct Stall {
    double best; // least merit so far
    int stalled; // steps in a row without much less
} Stall;

static double share_of_stalled(Stall* s, double merit)
{
    s->stalled = merit < MUCH_LESS * s->best ? 0 : s->stalled + 1;
    s->best = real_min(s->best, merit);
    return s->stalled > 0 && s->stalled % 2 == 0 ? 0.5 : 1.0;
}

// Goes on from the forces and motions so far.
static Settling iterate(ContactNewton* t, int most, Search search)
{
    double radius = smallest_radius(t), enough = real_max(t->enough, ENOUGH);
    CoulombResidual now = residual_at(t, 0.0);
    Stall stall = {.best = INFINITY};
    for (int n = 0; n < most; n++) {
        for (int i = 0; i < t->contacts.count; i++) {
            linearise_point(&t->points[i]);
            if (t->surfaces.rolls) {
                newton_couple_linearise(t, i);
            }
        }
        t->solves_in_all++;
        if (!solve_sparse(t)) {
            return SINGULAR;
        }
        find_next(t);
        CoulombResidual next = residual_at(t, 1.0);
        // The first solution is the first that satisfies the equations of motion: there is no way back.
        double share = !t->moves || coulomb_residual_is_small(&next, enough, radius) ? 1.0
                       : search == BY_SLOPE                                          ? share_by_slope(t)
                       : search == BY_RESIDUAL ? share_by_residual(t, &now)
                                               : share_of_stalled(&stall, next.merit);
        if (!isfinite(next.merit) || share == 0.0) {
            return UNSETTLED;
        }
        now = share == 1.0 ? next : residual_at(t, share);
        move_to(t, share);
        t->moves = true;
        if (share == 1.0 && coulomb_residual_is_small(&now, enough, radius)) {
            t->is_exact = coulomb_residual_is_small(&now, ENOUGH, radius);
            return SETTLED;
        }
    }
    return UNSETTLED;
}

// Keeps forces and motions, or goes back to those that were kept.
static void keep_forces(ContactNewton* t, bool restore)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        double *from[3] = {p->f, p->v, &p->u.x}, *to[3] = {p->f_kept, p->v_kept, &p->u_kept.x};
        for (int k = 0; k < 3; k++) {
            memcpy(restore ? from[k] : to[k], restore ? to[k] : from[k], 3 * sizeof(double));
        }
        if (t->surfaces.rolls) {
            newton_couple_keep(t, i, restore);
        }
    }
}

// Friction within Coulomb's cone, or (`with_limits`) limited by the normal forces so far.
static void set_law(ContactNewton* t, bool with_limits)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        p->law.bound = with_limits ? real_max(0.0, p->f[0]) : -1.0;
        p->law.w = with_limits ? 1.0 / p->rho : p->w;
        if (t->surfaces.rolls) {
            newton_couple_set_weight(t, i, with_limits);
        }
    }
}

// Iterations with a larger and larger proximal term: it lets contacts yield, so that they change their states
// by degrees. What it leaves of the forces' error, the next iterates take away.
static Settling iterate_with_ease(ContactNewton* t, int most)
{
    for (;;) {
        begin_at_forces_before(t);
        t->moves = false;
        Settling settling = iterate(t, most, FULL_STEPS);
        if (settling != UNSETTLED || !t->is_close || t->ease > MOST_EASE) {
            return settling;
        }
        t->ease *= EASE;
        contact_newton_set_proximal_terms(t);
    }
}

// Far from the solution few matrices are enough: the next ones are made where they lead to. Close to it,
// forces are found exactly. Where the iterations do not settle, friction is limited by the normal forces so
// far. That problem is convex, and its line search finds the solution, from which the iterations go on:
// rounds of both.
static Settling iterate_in_rounds(ContactNewton* t)
{
    begin_at_forces_before(t);
    keep_forces(t, false);
    Settling settling = iterate_with_ease(t, t->is_close ? FULL : t->smoothing > 0.0 ? 1 : FEW);
    for (int n = 0; n < ROUNDS && t->is_close && settling == UNSETTLED; n++) {
        keep_forces(t, true);
        t->moves = n > 0;
        set_law(t, true);
        settling = iterate(t, MOST_MATRICES_WITH_LIMITS, BY_SLOPE);
        set_law(t, false);
        keep_forces(t, false);
        if (settling == SETTLED) {
            settling = iterate(t, MOST_MATRICES, BY_RESIDUAL);
        }
    }
    return settling;
}

static void end_iteration(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        double F[3], f[3];
        CoulombProjection to = coulomb_project(&p->law, p->f, p->v);
        coulomb_defect(&to, p->f, F);
        for (int k = 0; k < 3; k++) {
            f[k] = p->f[k] - F[k];
        }
        p->state = state_of(&to);
        if (p->law.smoothing > 0.0 && p->state != CONTACT_OPEN) {
            CordVec3 slip = vec3_add(p->slip, vec3_reject(p->u, p->law.axis[0]));
            p->state = vec3_length(slip) > p->law.smoothing ? CONTACT_SLIDES : CONTACT_STICKS;
        }
        p->force = contact_newton_get_local(p->law.axis, f);
        if (t->surfaces.rolls) {
            newton_couple_end(t, i);
        }
    }
}

// Redundant contacts pass force on the quicker, the less ease they have, and are the harder to solve for.
static void set_next_ease(ContactNewton* t, Settling settling)
{
    double least = t->is_close || t->curved ? LEAST_EASE : 1.0;
    if (settling == SETTLED) {
        t->ease = real_max(least, t->ease / EASE_BACK);
    } else if (!t->is_close) {
        t->ease = real_max(1.0, t->ease);
    }
}

bool contact_newton_solve(ContactNewton* t)
{
    for (int i = 0; i < t->system_count; i++) {
        if (!contact_newton_is_in_sparse(t, i) && !newton_solve(&t->systems[i])) {
            return false;
        }
    }
    t->is_exact = false;
    Settling settling = iterate_in_rounds(t);
    t->is_exact &= settling == SETTLED && t->smoothing == 0.0;
    set_next_ease(t, settling);
    end_iteration(t);
    return settling != SINGULAR;
}
