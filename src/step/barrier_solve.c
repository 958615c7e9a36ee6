// Solves for the Newton step and the contact forces together (barrier.h): semismooth Newton iterations with one
// sparse matrix of all rods and bodies, or where those do not converge, in the space of the contacts.
#include "base/real.h"
#include "step/barrier.h"
#include "step/barrier_dense.h"

#include <limits.h>
#include <string.h>

#define MOST_MATRICES 8 // of Newton's method for the contacts
#define HALVINGS 5
#define DECREASE 0.1 // of the merit, over the share of the step
#define ENOUGH 1e-8      // error of the contact forces, over the largest
#define ENOUGH_FAR 1e-5

// ---- vectors of the systems

static void save_solution(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_copy(&sys->rods[i].rod->line, &sys->rods[i].kept, &sys->rods[i].move);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].kept, sys->bodies[i].move, sizeof sys->bodies[i].kept);
    }
}

// Sets move = kept + move.
static void add_to_saved(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_add(&sys->rods[i].rod->line, &sys->rods[i].move, &sys->rods[i].kept, 1.0);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].move[k] += sys->bodies[i].kept[k];
        }
    }
}

static void clear_forces(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_clear(&sys->rods[i].rod->line, &sys->rods[i].force);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
}

// Sets move = A^-1 f of the Newton systems, f being the colliders' `move`.
static bool solve_systems(BarrierSolver* t)
{
    const Colliders* cs = &t->colliders;
    bool good = true;
    for (int i = 0; i < t->system_count; i++) {
        clear_forces(&t->systems[i]);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        const CordCenterline* c = &r->rod->line;
        NewtonRod* to = t->rods[i].rod;
        for (int n = 0; n < r->node_count; n++) {
            slot_set(to->force.x, slot_of(c, n), t->move.x[r->first_node + n]);
        }
        for (int j = 0; j < r->segment_count; j++) {
            to->force.angle[slot_of(c, j)] = t->move.spin[r->first_segment + j];
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->force, t->move.solid + 6 * t->bodies[i].solid,
               sizeof t->bodies[i].body->force);
    }
    barrier_solve_free_bodies(t);
    for (int i = 0; i < t->system_count; i++) {
        newton_put_right(&t->systems[i]);
        good &= newton_solve(&t->systems[i]);
    }
    return good;
}

static void gather_moves(BarrierSolver* t)
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

static void gather_points(BarrierSolver* t)
{
    dof_vector_clear(&t->move, &t->colliders);
    gather_moves(t);
    for (int i = 0; i < t->contacts.count; i++) {
        t->points[i].u = contact_point_gather(&t->colliders, &t->contacts.all[i], &t->move);
    }
}

static CordVec3 force_before(const BarrierSolver* t, int i)
{
    return vec3_madd(t->points[i].friction_before, t->contacts.all[i].n, t->points[i].normal_before);
}

static void put_local(const DensePoint* p, double at[3], CordVec3 v)
{
    for (int k = 0; k < 3; k++) {
        at[k] = vec3_dot(p->axis[k], v);
    }
}

static CordVec3 get_local(const DensePoint* p, const double at[3])
{
    return vec3_madd(vec3_madd(vec3_mul(p->axis[0], at[0]), p->axis[1], at[1]), p->axis[2], at[2]);
}

// Gap and slip after the motion u, with the proximal term.
static void put_motion(const BarrierSolver* t, int i, const double f[3], double v[3])
{
    const NewtonContactPoint* p = &t->points[i];
    double before[3];
    put_local(&p->law, v, vec3_add(p->u, p->slip));
    put_local(&p->law, before, force_before(t, i));
    v[0] += p->gap;
    for (int k = 0; k < 3; k++) {
        v[k] += (f[k] - before[k]) / p->rho;
    }
}

static ContactState state_of(const Projection* to)
{
    return to->normal <= 0.0 ? CONTACT_OPEN : to->slides ? CONTACT_SLIDES : CONTACT_STICKS;
}

// The natural map f = P(f - v / w), linearised and solved for the force: f = g - C u. With c the share of the
// wanted friction that the cone allows, sliding friction follows the normal force, is constant along itself,
// and turns against a motion across.
static void linearise_point(NewtonContactPoint* p)
{
    const DensePoint* law = &p->law;
    double F[3], C[3][3] = {{0}}, g[3], u[3];
    Projection to = contact_project(law, p->f, p->v);
    contact_defect(&to, p->f, F);
    p->state = state_of(&to);
    double w = law->w[1], rho = p->rho, normal = law->w[0] * rho * F[0];
    for (int k = 0; k < 3; k++) {
        g[k] = p->f[k] - F[k];
    }
    if (p->state != CONTACT_OPEN) {
        C[0][0] = rho;
        g[0] = p->f[0] - normal;
    }
    if (p->state == CONTACT_STICKS && law->mu > 0.0) {
        for (int k = 1; k < 3; k++) {
            C[k][k] = rho;
            g[k] = p->f[k] - w * rho * F[k];
        }
    }
    if (p->state == CONTACT_SLIDES) {
        double size = sqrt(to.t[0] * to.t[0] + to.t[1] * to.t[1]), e[2] = {to.t[0] / size, to.t[1] / size},
               a[2] = {-e[1], e[0]}, share = to.limit / size; // w is the same in both directions
        double left = 1.0 - share * (1.0 - 1.0 / (w * rho)), turning = share / (w * left);
        double along = e[0] * F[1] + e[1] * F[2] + to.grip * (1.0 - 1.0 / (law->w[0] * rho)) * normal,
               across = (a[0] * F[1] + a[1] * F[2]) / left;
        for (int k = 0; k < 2; k++) {
            C[1 + k][0] = to.grip * rho * e[k];
            C[1 + k][1] = turning * a[k] * a[0], C[1 + k][2] = turning * a[k] * a[1];
            g[1 + k] = p->f[1 + k] - along * e[k] - across * a[k];
        }
    }
    put_local(law, u, p->u);
    for (int k = 0; k < 3; k++) {
        g[k] += C[k][0] * u[0] + C[k][1] * u[1] + C[k][2] * u[2];
    }
    p->g = get_local(law, g);
    memset(p->C, 0, sizeof p->C);
    for (int k = 0; k < 3 && p->state != CONTACT_OPEN; k++) {
        CordVec3 row = get_local(law, C[k]);
        const double of[3] = {law->axis[k].x, law->axis[k].y, law->axis[k].z};
        for (int i = 0; i < 3; i++) {
            p->C[3 * i] += of[i] * row.x, p->C[3 * i + 1] += of[i] * row.y, p->C[3 * i + 2] += of[i] * row.z;
        }
    }
}

// After a solve: forces and motions there.
static void find_next(BarrierSolver* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        put_local(&p->law, p->f_next, vec3_sub(p->g, barrier_mul(p->C, p->u)));
        put_motion(t, i, p->f_next, p->v_next);
    }
}

// The residual at a share of the way to the next forces.
static Residual residual_at(const BarrierSolver* t, double share)
{
    Residual sum = {0};
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        double f[3], v[3], F[3];
        for (int k = 0; k < 3; k++) {
            f[k] = p->f[k] + share * (p->f_next[k] - p->f[k]);
            v[k] = p->v[k] + share * (p->v_next[k] - p->v[k]);
        }
        Projection to = contact_project(&p->law, f, v);
        contact_defect(&to, f, F);
        residual_add(&sum, &p->law, f, F);
    }
    return sum;
}

static void move_to(BarrierSolver* t, double share)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        double u[3];
        for (int k = 0; k < 3; k++) {
            p->f[k] += share * (p->f_next[k] - p->f[k]);
            p->v[k] += share * (p->v_next[k] - p->v[k]);
        }
        double before[3];
        put_local(&p->law, before, force_before(t, i));
        for (int k = 0; k < 3; k++) { // see put_motion
            u[k] = p->v[k] - vec3_dot(p->law.axis[k], p->slip) - (k == 0 ? p->gap : 0.0) -
                   (p->f[k] - before[k]) / p->rho;
        }
        p->u = get_local(&p->law, u);
    }
}

// Contacts that pushed in the iterate before are taken as closed, and those that stuck as sticking.
static void begin_at_forces_before(BarrierSolver* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        p->u = vec3_mul(p->law.axis[0], p->state != CONTACT_OPEN ? -p->gap : 0.0);
        p->u = p->state == CONTACT_STICKS ? vec3_sub(p->u, p->slip) : p->u;
        put_local(&p->law, p->f, force_before(t, i));
        put_motion(t, i, p->f, p->v);
    }
}

// Solves for u with the present g and C.
typedef bool (*ContactSolve)(BarrierSolver* t);

typedef enum Settling { SETTLED, UNSETTLED, SINGULAR } Settling;

// Far from the solution of the step, contact forces need not be exact.
static double tolerance_of(const BarrierSolver* t)
{
    return t->is_close ? ENOUGH : ENOUGH_FAR;
}

static Settling iterate(BarrierSolver* t, ContactSolve solve)
{
    Residual now = {.merit = INFINITY};
    double share = 0.0, radius = t->contacts.count > 0 ? t->contacts.all[0].radius : 0.0;
    begin_at_forces_before(t);
    for (int n = 0; n < MOST_MATRICES; n++) {
        for (int i = 0; i < t->contacts.count; i++) {
            linearise_point(&t->points[i]);
        }
        t->solves_in_all++;
        if (!solve(t)) {
            return SINGULAR;
        }
        find_next(t);
        // The first solution is the first that satisfies the equations of motion: there is no way back from it.
        Residual next = residual_at(t, share = 1.0);
        for (int k = 0; k < HALVINGS && n > 0 && !(next.merit <= (1.0 - DECREASE * share) * now.merit); k++) {
            next = residual_at(t, share *= 0.5);
        }
        if (!isfinite(next.merit) || (n > 0 && !(next.merit < now.merit))) {
            return UNSETTLED;
        }
        move_to(t, share);
        now = next;
        if (share == 1.0 && residual_is_enough(&now, tolerance_of(t), radius)) {
            return SETTLED;
        }
    }
    return UNSETTLED;
}

static bool end_iteration(BarrierSolver* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        NewtonContactPoint* p = &t->points[i];
        double F[3], f[3];
        Projection to = contact_project(&p->law, p->f, p->v);
        contact_defect(&to, p->f, F);
        for (int k = 0; k < 3; k++) {
            f[k] = p->f[k] - F[k];
        }
        p->state = state_of(&to);
        p->force = get_local(&p->law, f);
    }
    return true;
}

// ---- one sparse matrix

static bool solve_sparse(BarrierSolver* t)
{
    if (!sparse_fill(t)) {
        t->no_memory = true;
        return false;
    }
    if (!sparse_factor(t)) {
        return false;
    }
    sparse_solve(t);
    gather_points(t);
    return true;
}

// ---- in the space of the contacts
//
// The step is d = A^-1 (r + J' (f - f')), where r holds the forces f' of the iterate before, and the contacts
// move by u = u0 + W (f - f'), u0 = J A^-1 r, W = J A^-1 J'. The proximal term adds (f - f') / rho. The matrix
// A has the curvature of the contacts where it is sparse.

static bool open_dense(BarrierSolver* t, DenseContacts* d)
{
    int count = t->contacts.count;
    size_t space = dense_contacts_space(count);
    if (space > INT_MAX ||
        !barrier_reserve(t->memory, (void**)&t->dense, (int)space, &t->dense_capacity, sizeof(double))) {
        t->no_memory = true;
        return false;
    }
    dense_contacts_open(d, count, t->dense);
    for (int k = 0; k < count; k++) {
        d->all[k] = t->points[k].law;
    }
    return true;
}

// Column by column, from the rods by themselves.
static bool form_compliance(BarrierSolver* t, const DenseContacts* d)
{
    for (int j = 0; j < d->n; j++) {
        dof_vector_clear(&t->move, &t->colliders);
        contact_point_scatter(&t->colliders, &t->contacts.all[j / 3], d->all[j / 3].axis[j % 3], &t->move);
        if (!solve_systems(t)) {
            return false;
        }
        dof_vector_clear(&t->move, &t->colliders);
        gather_moves(t);
        for (int i = 0; i < d->count; i++) {
            // W is symmetric
            put_local(&d->all[i], d->W + (ptrdiff_t)j * d->n + 3 * i,
                      contact_point_gather(&t->colliders, &t->contacts.all[i], &t->move));
        }
    }
    return true;
}

// Adds A^-1 J' (f - f') to the solution without a change of the forces.
static bool apply_forces(BarrierSolver* t)
{
    dof_vector_clear(&t->move, &t->colliders);
    for (int i = 0; i < t->contacts.count; i++) {
        contact_point_scatter(&t->colliders, &t->contacts.all[i],
                              vec3_sub(t->points[i].force, force_before(t, i)), &t->move);
    }
    bool good = solve_systems(t);
    for (int i = 0; i < t->system_count; i++) {
        add_to_saved(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* body = t->bodies[i].body;
        for (int k = 0; t->bodies[i].is_free && k < 6; k++) {
            body->move[k] += body->kept[k];
        }
    }
    return good;
}

static bool solve_apart(BarrierSolver* t)
{
    bool good = true;
    barrier_solve_free_bodies(t);
    for (int i = 0; i < t->system_count; i++) {
        good &= newton_solve(&t->systems[i]);
        save_solution(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->kept, t->bodies[i].body->move, sizeof t->bodies[i].body->kept);
    }
    return good;
}

// After W: the constant part of the motion, and the forces to begin with.
static void set_problem(BarrierSolver* t, DenseContacts* d)
{
    for (int k = 0; k < d->count; k++) {
        const NewtonContactPoint* p = &t->points[k];
        double* b = d->b + 3 * k;
        put_local(&d->all[k], b, vec3_add(p->u, p->slip));
        b[0] += p->gap;
        put_local(&d->all[k], d->v + 3 * k, force_before(t, k)); // for now
        put_local(&d->all[k], d->f + 3 * k, force_before(t, k));
        for (int j = 0; j < 3; j++) {
            d->W[(ptrdiff_t)(3 * k + j) * d->n + 3 * k + j] += 1.0 / p->rho;
        }
    }
    for (int j = 0; j < d->n; j++) { // symmetric but for rounding
        for (int i = 0; i < j; i++) {
            double *p = d->W + (ptrdiff_t)j * d->n + i, *q = d->W + (ptrdiff_t)i * d->n + j;
            *p = *q = 0.5 * (*p + *q);
        }
    }
    for (int j = 0; j < d->n; j++) {
        const double *row = d->W + (ptrdiff_t)j * d->n, by = d->v[j];
        for (int i = 0; i < d->n && by != 0.0; i++) {
            d->b[i] -= by * row[i];
        }
    }
    dense_contacts_begin(d);
}

static void take_forces(BarrierSolver* t, const DenseContacts* d)
{
    for (int k = 0; k < d->count; k++) {
        NewtonContactPoint* p = &t->points[k];
        p->force = get_local(&d->all[k], d->f + 3 * k);
        p->state = d->f[3 * k] <= 0.0           ? CONTACT_OPEN
                   : dense_contacts_slide(d, k) ? CONTACT_SLIDES
                                                : CONTACT_STICKS;
    }
}

static bool solve_dense(BarrierSolver* t, bool sparse)
{
    DenseContacts d;
    if (sparse) {
        t->no_memory = !sparse_fill_alone(t);
        if (t->no_memory || !sparse_factor(t)) {
            return false;
        }
        sparse_solve(t);
    } else if (!solve_apart(t)) {
        return false;
    }
    if (t->contacts.count == 0) {
        return true;
    }
    gather_points(t);
    if (!open_dense(t, &d) || !(sparse ? sparse_compliance(t, &d) : form_compliance(t, &d))) {
        return false;
    }
    set_problem(t, &d);
    if (!dense_contacts_are_good(&d)) {
        return false;
    }
    t->left = dense_contacts_solve(&d, tolerance_of(t));
    take_forces(t, &d);
    if (sparse) {
        sparse_apply(t);
        return true;
    }
    return apply_forces(t);
}

// Factors the rods by themselves, without contact.
static bool factor_apart(BarrierSolver* t)
{
    sparse_restore_right_side(t);
    for (int i = 0; i < t->system_count; i++) {
        if (barrier_is_in_sparse(t, i) && newton_factor(&t->systems[i], true).least == 0.0) {
            return false;
        }
    }
    return true;
}

bool barrier_solve(BarrierSolver* t)
{
    if (!t->is_sparse) {
        return solve_dense(t, false);
    }
    barrier_solve_free_bodies(t);
    for (int i = 0; i < t->system_count; i++) {
        if (!barrier_is_in_sparse(t, i) && !newton_solve(&t->systems[i])) {
            return false;
        }
    }
    Settling settling = t->is_hard && !t->is_close ? UNSETTLED : iterate(t, solve_sparse);
    t->is_hard = settling != SETTLED;
    if (!t->is_hard) {
        return end_iteration(t);
    }
    return !t->no_memory && ((t->curved && solve_dense(t, true)) ||
                             (!t->no_memory && factor_apart(t) && solve_dense(t, false)));
}
