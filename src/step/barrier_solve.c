// Solves Newton's equations with contact: by one sparse factorisation where it applies, else by the Woodbury
// identity in the space of the contacts (barrier.h).
#include "step/barrier.h"

#include <string.h>

#define CG_MOST_ITERATIONS 2000 // iterations
#define CG_TOLERANCE 1e-9       // relative to the initial residual

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

// Sets move = kept - move.
static void subtract_from_saved(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        move_add(&r->rod->line, &r->kept, &r->move, -1.0);
        move_copy(&r->rod->line, &r->move, &r->kept);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].move[k] = sys->bodies[i].kept[k] - sys->bodies[i].move[k];
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

// Sets move = A^-1 f of the Newton systems, f being the colliders' `move`. The sparse matrix includes the
// contact stiffness.
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
        good &= barrier_is_in_sparse(t, i) || newton_solve(&t->systems[i]);
    }
    if (t->is_sparse) {
        sparse_set_right_side(t);
        sparse_solve(t);
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

// ---- the system of the contacts

static void scatter_rows(BarrierSolver* t, const double* y) // the colliders' move = G D y
{
    dof_vector_clear(&t->move, &t->colliders);
    for (int i = 0; i < t->row_count; i++) {
        const BarrierRow* row = &t->rows[i];
        double f = row->root * y[i];
        for (int k = 0; k < 4; k++) {
            if (row->node[k] >= 0) {
                t->move.x[row->node[k]] = vec3_madd(t->move.x[row->node[k]], row->x[k], f);
            }
        }
        for (int k = 0; k < 2; k++) {
            if (row->segment[k] >= 0) {
                t->move.spin[row->segment[k]] += f * row->spin[k];
            }
        }
        for (int k = 0; row->solid >= 0 && k < 6; k++) {
            t->move.solid[6 * row->solid + k] += f * row->body[k];
        }
    }
}

static void gather_rows(BarrierSolver* t, double* z) // z = D G^T move
{
    dof_vector_clear(&t->move, &t->colliders);
    gather_moves(t);
    for (int i = 0; i < t->row_count; i++) {
        const BarrierRow* row = &t->rows[i];
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            sum += row->node[k] >= 0 ? vec3_dot(row->x[k], t->move.x[row->node[k]]) : 0.0;
        }
        for (int k = 0; k < 2; k++) {
            sum += row->segment[k] >= 0 ? row->spin[k] * t->move.spin[row->segment[k]] : 0.0;
        }
        for (int k = 0; row->solid >= 0 && k < 6; k++) {
            sum += row->body[k] * t->move.solid[6 * row->solid + k];
        }
        z[i] = row->root * sum;
    }
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Conjugate gradients for (1 + D G^T A^-1 G D) y = b (Hestenes and Stiefel 1952). Overwrites b by the
// residual.
static bool conjugate_gradients(BarrierSolver* t, double* b, double* y)
{
    int n = t->row_count;
    double *p = b + 2 * n, *q = b + 3 * n;
    memset(y, 0, sizeof *y * (size_t)n);
    memcpy(p, b, sizeof *p * (size_t)n);
    double rho = dot(b, b, n), enough = CG_TOLERANCE * CG_TOLERANCE * rho;
    for (int it = 0; it < CG_MOST_ITERATIONS && rho > enough; it++) {
        scatter_rows(t, p);
        if (!solve_systems(t)) {
            return false;
        }
        gather_rows(t, q);
        for (int i = 0; i < n; i++) {
            q[i] += p[i];
        }
        double curvature = dot(p, q, n);
        if (!(curvature > 0.0)) {
            return it > 0;
        }
        double step = rho / curvature, before = rho;
        for (int i = 0; i < n; i++) {
            y[i] += step * p[i];
            b[i] -= step * q[i];
        }
        rho = dot(b, b, n);
        for (int i = 0; i < n; i++) {
            p[i] = b[i] + rho / before * p[i];
        }
    }
    return isfinite(rho);
}

// Forms the matrix 1 + D G^T A^-1 G D column by column in S, with -1 in place of 1 for negative stiffness.
static bool form_dense(BarrierSolver* t, double* S, double* unit)
{
    int n = t->row_count;
    memset(unit, 0, sizeof *unit * (size_t)n);
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        scatter_rows(t, unit);
        if (!solve_systems(t)) {
            return false;
        }
        gather_rows(t, S + (ptrdiff_t)j * n);
        S[(ptrdiff_t)j * n + j] += t->rows[j].sign;
        unit[j] = 0.0;
    }
    return true;
}

// Factors the lower half in place as L D L^T. Symmetrises the entries first.
static bool factor_dense(double* S, int n)
{
    for (int j = 0; j < n; j++) {
        double* row = S + (ptrdiff_t)j * n;
        for (int i = 0; i < j; i++) {
            row[i] = 0.5 * (row[i] + S[(ptrdiff_t)i * n + j]); // the upper half is still unfactored
        }
        double pivot = row[j];
        for (int i = 0; i < j; i++) {
            const double* above = S + (ptrdiff_t)i * n;
            for (int k = 0; k < i; k++) {
                row[i] -= row[k] * above[k];
            }
        }
        for (int i = 0; i < j; i++) {
            double scaled = row[i] / S[(ptrdiff_t)i * n + i];
            pivot -= scaled * row[i];
            row[i] = scaled;
        }
        if (pivot == 0.0 || !isfinite(pivot)) {
            return false;
        }
        row[j] = pivot;
    }
    return true;
}

static void solve_dense(const double* S, int n, double* y)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            y[i] -= S[(ptrdiff_t)i * n + k] * y[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        y[i] /= S[(ptrdiff_t)i * n + i];
        for (int k = i + 1; k < n; k++) {
            y[i] -= S[(ptrdiff_t)k * n + i] * y[k];
        }
    }
}

static bool solve_directly(BarrierSolver* t, const double* b, double* y, double* S)
{
    int n = t->row_count;
    if (!form_dense(t, S, y) || !factor_dense(S, n)) {
        return false;
    }
    memcpy(y, b, sizeof *y * (size_t)n);
    solve_dense(S, n, y);
    return true;
}

// Corrects the solution of A alone, in the systems' moves, to that of A + G K G^T. `made`: the dense factors
// exist from an earlier solve.
static bool solve_rows(BarrierSolver* t, bool made)
{
    int n = t->row_count;
    double *b = t->cg, *y = t->cg + n, *S = t->cg + 2 * (ptrdiff_t)n;
    for (int i = 0; i < t->system_count; i++) {
        save_solution(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->kept, t->bodies[i].body->move, sizeof t->bodies[i].body->kept);
    }
    gather_rows(t, b);
    if (n > MOST_DENSE_ROWS) {
        if (!conjugate_gradients(t, b, y)) {
            return false;
        }
    } else if (made) {
        memcpy(y, b, sizeof *y * (size_t)n);
        solve_dense(S, n, y);
    } else if (!solve_directly(t, b, y, S)) {
        return false;
    }
    scatter_rows(t, y);
    bool good = solve_systems(t);
    for (int i = 0; i < t->system_count; i++) {
        subtract_from_saved(&t->systems[i]);
    }
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* body = t->bodies[i].body;
        for (int k = 0; t->bodies[i].is_free && k < 6; k++) {
            body->move[k] = body->kept[k] - body->move[k];
        }
    }
    return good;
}

bool barrier_solve(BarrierSolver* t)
{
    bool good = true;
    barrier_solve_free_bodies(t);
    for (int i = 0; i < t->system_count; i++) {
        good &= barrier_is_in_sparse(t, i) || newton_solve(&t->systems[i]);
    }
    if (t->is_sparse) {
        sparse_solve(t);
    }
    if (!good || t->is_sparse || t->row_count == 0) {
        return good;
    }
    int n = t->row_count, arrays = n <= MOST_DENSE_ROWS ? n + 2 : 4;
    if (!barrier_reserve(t->memory, (void**)&t->cg, arrays * n, &t->cg_capacity, sizeof(double))) {
        t->no_memory = true;
        return false;
    }
    return solve_rows(t, false);
}

// ---- second-order correction

// Contacts that slide while they rotate come closer to second order in the step. In a narrow gap the
// linearised step then has no room, and the gap would shrink by the same share in every iteration. A
// second-order correction (Nocedal and Wright, Numerical Optimization, section 15.6) solves once more with
// the same matrix, for the forces that compensate the loss.

static void save_step(BarrierSolver* t)
{
    for (int i = 0; i < t->system_count; i++) {
        for (int k = 0; k < t->systems[i].rod_count; k++) {
            NewtonRod* r = &t->systems[i].rods[k];
            move_copy(&r->rod->line, &r->first, &r->move);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->first, t->bodies[i].body->move, sizeof t->bodies[i].body->first);
    }
}

static void add_saved_step(BarrierSolver* t, double share) // move = first + share move
{
    for (int i = 0; i < t->system_count; i++) {
        for (int k = 0; k < t->systems[i].rod_count; k++) {
            NewtonRod* r = &t->systems[i].rods[k];
            move_add(&r->rod->line, &r->first, &r->move, share);
            move_copy(&r->rod->line, &r->move, &r->first);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* b = t->bodies[i].body;
        for (int k = 0; k < 6; k++) {
            b->move[k] = b->first[k] + share * b->move[k];
        }
    }
}

// Writes into the colliders' move the forces of the gap losses: how much each gap at the end of the step, the
// colliders' `to`, is smaller than its linearisation.
static void scatter_gap_losses(BarrierSolver* t)
{
    const Colliders* cs = &t->colliders;
    dof_vector_clear(&t->move, cs);
    gather_moves(t);
    for (int i = 0; i < t->contacts.count; i++) {
        ContactPoint* contact = &t->contacts.all[i];
        double linear = contact->gap + vec3_dot(contact->n, contact_point_gather(cs, contact, &t->move));
        contact->loss = linear - contact_point_gap(cs, contact, cs->to);
    }
    dof_vector_clear(&t->move, cs);
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactPoint* contact = &t->contacts.all[i];
        contact_point_scatter(cs, contact, vec3_mul(contact->n, contact->stiffness * contact->loss),
                              &t->move);
    }
}

bool barrier_correct(BarrierSolver* t)
{
    if (t->contacts.count == 0) {
        return false;
    }
    barrier_place_trial(t, 1.0);
    scatter_gap_losses(t);
    save_step(t);
    bool good = solve_systems(t) && (t->is_sparse || t->row_count == 0 || solve_rows(t, true));
    add_saved_step(t, good ? 1.0 : 0.0);
    return good;
}
