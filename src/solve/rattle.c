#include "solve/rattle.h"

#include "solve/rattle_rows.h"
#include "solve/taut.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t rattle_scratch(const Rod* rod)
{
    return rattle_rows_scratch(rod) + 4 * rattle_array_scratch(rod) +
           arena_space(sizeof(CordVec3), rod->line.node_count);
}

// ---- RATTLE

static void correct(Rattle* l, double* change)
{
    const CordCenterline* c = &l->rod->line;
    memcpy(change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, change + c->halo);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        l->a.lambda[s] += change[s];
    }
    centerline_wrap_one(c, l->a.lambda);
}

// Modified Newton for the Lagrange multipliers, along the edges at the start of the step. The last step's
// tensions are the first guess (warm start), and one Jacobian serves several iterations, so that each reduces
// the residual by the same factor; two iterations are the rule. The residual is not evaluated again where
// that factor predicts that the last correction was enough. Where a rod is taut between clamps one row
// depends on the others: its multiplier stays as it is, and lengths are kept if nothing pulls across the rod.
static CordResult solve_multipliers(Rattle* l, double* change, Message* message)
{
    double error = INFINITY;
    bool dependent = false; // rows
    for (int n = 0; n < RATTLE_MOST_ITERATIONS; n++) {
        bool fresh = n % RATTLE_FRESH_MATRIX_EVERY == 0;
        double before = error;
        error = rattle_assemble(l, fresh);
        if (error <= RATTLE_TOLERANCE) {
            return CORD_OK;
        }
        if (!isfinite(error)) {
            break;
        }
        dependent = fresh ? !rattle_factor(l) : dependent;
        correct(l, change);
        if (!fresh && error * (error / before) <= 0.01 * RATTLE_TOLERANCE) {
            return CORD_OK;
        }
    }
    return rattle_fail(l, dependent, message);
}

// SHAKE (Ryckaert et al. 1977), with velocities projected only when they are read. RATTLE's projection of
// velocities acts along the same edges as the next step's multipliers, which absorb it, so that both give the
// same positions (Andersen 1983).
static CordResult rattle(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    Rattle l = rattle_open(rod, h, scratch);
    rattle_begin(&l, kick);
    CORD_TRY(solve_multipliers(&l, rattle_push_array(rod, scratch), message));
    *speed2 = rattle_finish(&l, kick);
    return CORD_OK;
}

// ---- fast projection

// What the edges beside a clamp do to its nodes, as a change of the velocity that these would have without
// it.
static void pull_held_nodes(const Rattle* l, const double* change)
{
    for (int i = 0; i < l->rod->clamp_count; i++) {
        Clamp* clamp = l->rod->clamps[i];
        for (int k = 0; k < clamp->node_count; k++) {
            int s = slot_of(&l->rod->line, clamp->node[k]);
            bool before = k == 0, after = k == clamp->node_count - 1; // its own edge is rigid
            CordVec3 y = after ? vec3_mul(slot_get(l->a.d, s), change[s]) : (CordVec3){0, 0, 0};
            y = before ? vec3_madd(y, slot_get(l->a.d, s - 1), -change[s - 1]) : y;
            clamp->v_pulled[k] = vec3_madd(clamp->v_pulled[k], y, clamp->w[k] / l->a.h);
        }
    }
}

// One Newton step on the displacements in x_next, along the edges whose matrix is factored.
static void project_once(Rattle* l, double* change)
{
    const CordCenterline* c = &l->rod->line;
    memcpy(change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, change + c->halo);
    centerline_wrap_one(c, change);
    pull_held_nodes(l, change);
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        slot_set(c->x_next, s, vec3_add(slot_get(c->x_next, s), rattle_node_moved(l, s, change)));
    }
    centerline_wrap(c, c->x_next);
}

static void moved_edges(const CordCenterline* c, double* const d[3])
{
    for (int s = 0; s < c->slot_count - 1; s++) {
        CordVec3 turned = vec3_sub(slot_get(c->x_next, s + 1), slot_get(c->x_next, s));
        slot_set(d, s, vec3_add(vec3_sub(slot_get(c->x, s + 1), slot_get(c->x, s)), turned));
    }
}

// Whether lengths depend on each other where the step begins.
static bool begins_taut(Rattle* l, double* zero)
{
    if (taut_pull(l->rod, NULL, 0.0) == 0) {
        return false;
    }
    rattle_edges(&l->rod->line, l->rod->line.x, l->a.d);
    rattle_symmetric_rows(l, zero);
    return !rattle_factor(l);
}

// Fast projection (Goldenthal et al. 2007; DER section 8): Newton's method from the unconstrained position.
// The velocity then follows from the corrected position. The method dissipates energy: see
// docs/models/der.md. Until the end x_next has the displacement from x, whose round-off does not grow with
// the distance from the origin.
static CordResult fast_projection(Rod* rod, double h, double kick, Arena* scratch, double* speed2,
                                  Message* message)
{
    CordCenterline* c = &rod->line;
    Rattle l = rattle_open(rod, h, scratch);
    double *change = rattle_push_array(rod, scratch), *zero = rattle_push_array(rod, scratch);
    (void)kick;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->x_next[k][s] = h * c->v_next[k][s];
        }
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        memset(rod->clamps[i]->v_pulled, 0, sizeof rod->clamps[i]->v_pulled);
    }
    // Where what pulls across a taut rod has bent it, the projection would not notice, and make energy.
    bool taut = begins_taut(&l, zero), dependent = false, bends = false;
    double error = INFINITY;
    for (int n = 0; n < RATTLE_MOST_ITERATIONS && error > RATTLE_TOLERANCE && !bends; n++) {
        moved_edges(c, l.a.d);
        error = rattle_symmetric_rows(&l, zero);
        if (isfinite(error) && error > RATTLE_TOLERANCE) {
            dependent = !rattle_factor(&l);
            bends = taut && !dependent;
            project_once(&l, change);
        }
    }
    if (!(error <= RATTLE_TOLERANCE)) {
        return rattle_fail(&l, taut || dependent, message);
    }
    *speed2 = 0.0;
    memset(c->pull_next, 0, (size_t)c->slot_count * sizeof(double)); // its edges turn while it iterates
    for (int s = 0; s < c->slot_count; s++) {
        CordVec3 moved = slot_get(c->x_next, s), v = vec3_mul(moved, 1.0 / h);
        slot_set(c->v_next, s, v);
        slot_set(c->x_next, s, vec3_add(slot_get(c->x, s), moved));
        *speed2 += vec3_dot(v, v);
    }
    return CORD_OK;
}

CordResult rattle_project(Rod* rod, double h, double kick, Arena* scratch, double* speed2, Message* message)
{
    bool fast = rod->length_method == CORD_LENGTH_FAST_PROJECTION;
    CORD_TRY((fast ? fast_projection : rattle)(rod, h, kick, scratch, speed2, message));
    centerline_wrap(&rod->line, rod->line.x_next);
    centerline_wrap(&rod->line, rod->line.v_next);
    centerline_wrap_one(&rod->line, rod->line.pull_next);
    return CORD_OK;
}

// ---- velocities and tensions in the present state

#define ROUNDINGS 64 // in the sums of a row and of the forces that enter it

// Whether the change of the multipliers is what round-off of the rows may make of them. The inverse of the
// matrix has no negative entries while no edge turns back, so that it takes bounds to bounds.
static bool is_noise(const Rattle* l, const double* change, double* noise)
{
    const CordCenterline* c = &l->rod->line;
    tridiag_solve(&l->matrix, noise + c->halo);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        if (!(fabs(change[s]) <= fabs(noise[s]))) {
            return false;
        }
    }
    return true;
}

// Solves grad C W grad C^T mu = r (by slot) at the present edges; r becomes mu. In a rod that is straight
// between two clamps one length follows from the others, or nearly so. Then mu is the guess, unless it is
// clearly wrong; the length that follows keeps the guess in any case. Clamps that approach each other leave
// no velocities that keep all lengths; then all of them change at the same rate of strain. Row j is
// l_j dl_j/dt. In a straight rod sum_j row_j / l_j is the rate at which the clamps approach, which must be 0.
// tridiag_share with weights l_j^3 changes row j in proportion to l_j^3 / l_j, so that dl_j/dt changes in
// proportion to l_j: that is the same rate of strain for all.
static void solve_symmetric(Rattle* l, const double* guess, double* r, Arena* scratch)
{
    const CordCenterline* c = &l->rod->line;
    rattle_symmetric_rows(l, rattle_push_array(l->rod, scratch));
    double* noise = l->a.residual;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        // a held edge and the row of a sliding clamp have no residual
        double own = rattle_row_is_free(l, s) ? r[s] : 0.0, before = l->a.lower[s] * guess[s - 1],
               here = l->a.diag[s] * guess[s], after = l->a.upper[s] * guess[s + 1];
        r[s] = own - (before + here + after);
        noise[s] = ROUNDINGS * DBL_EPSILON * (fabs(own) + fabs(before) + fabs(here) + fabs(after));
    }
    if (!rattle_factor(l)) {
        double* weight = rattle_push_array(l->rod, scratch);
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double length = vec3_length(slot_get(l->a.d, s));
            weight[s] = length * length * length;
        }
        tridiag_share(&l->matrix, weight + c->halo, r + c->halo);
    }
    tridiag_solve(&l->matrix, r + c->halo);
    bool keeps = is_noise(l, r, noise);
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        r[s] = keeps ? guess[s] : guess[s] + r[s];
    }
    centerline_wrap_one(c, r);
}

void rattle_project_velocities(const Rod* rod, CordVec3* v, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Rattle l = rattle_open(rod, 1.0, scratch);
    double* change = rattle_push_array(rod, scratch);
    rattle_edges(c, c->x, l.a.d);
    rattle_share_slides(rod, c->v, v);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        change[s] = vec3_dot(slot_get(l.a.d, s), vec3_sub(v[edge_end(c, j)], v[j]));
    }
    solve_symmetric(&l, rattle_push_array(rod, scratch), change, scratch);
    for (int i = 0; i < c->node_count; i++) {
        v[i] = vec3_add(v[i], rattle_node_moved(&l, slot_of(c, i), change));
    }
}

void rattle_inverse_mass(const Rod* rod, int count, const int* node, double* W, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Rattle l = rattle_open(rod, 1.0, scratch);
    double *r = rattle_push_array(rod, scratch), *zero = rattle_push_array(rod, scratch);
    rattle_edges(c, c->x, l.a.d);
    rattle_symmetric_rows(&l, zero);
    rattle_factor(&l); // of a taut rod, too: dependent rows are left out
    for (int i = 0; i < 4 * count; i++) {
        int s = slot_of(c, node[i / 4]), k = i % 4;
        if (k == 3) {
            continue;
        }
        memset(r, 0, (size_t)c->slot_count * sizeof(double));
        bool before = c->closed || node[i / 4] > 0, after = c->closed || node[i / 4] < c->edge_count;
        int edge = slot_of(c, before && node[i / 4] == 0 ? c->edge_count - 1 : node[i / 4] - 1);
        if (before && rattle_row_is_free(&l, edge)) {
            r[edge] = c->w[s] * l.a.d[k][edge];
        }
        if (after && rattle_row_is_free(&l, s)) {
            r[s] -= c->w[s] * l.a.d[k][s];
        }
        tridiag_solve(&l.matrix, r + c->halo);
        centerline_wrap_one(c, r);
        for (int j = 0; j < count; j++) {
            CordVec3 u = rattle_node_moved(&l, slot_of(c, node[j]), r);
            double* row = W + (size_t)(4 * count) * (size_t)i + 4 * j;
            row[0] = u.x, row[1] = u.y, row[2] = u.z;
        }
        W[(size_t)(4 * count) * (size_t)i + (size_t)i] += c->w[s];
    }
}

void rattle_tension(const Rod* rod, const CordVec3* f, const CordVec3* v, double* tension, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    Rattle l = rattle_open(rod, 1.0, scratch);
    double *guess = rattle_push_array(rod, scratch), *tensions = rattle_push_array(rod, scratch);
    CordVec3* a = arena_push(scratch, CordVec3, c->node_count);
    rattle_edges(c, c->x, l.a.d);
    for (int i = 0; i < c->node_count; i++) {
        a[i] = rattle_free_acceleration(rod, i, f);
    }
    rattle_share_slides(rod, NULL, a);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = edge_end(c, j);
        CordVec3 difference = vec3_sub(v[end], v[j]);
        tensions[s] = vec3_dot(slot_get(l.a.d, s), vec3_sub(a[end], a[j])) + vec3_dot(difference, difference);
    }
    rattle_guess(&l, guess);
    solve_symmetric(&l, guess, tensions, scratch);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        tension[j] = rattle_row_is_free(&l, s) ? tensions[s] * vec3_length(edge_vector(c, j)) : 0.0;
    }
}
