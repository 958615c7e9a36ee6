// Static equilibrium of a modal rod: Lambda q = Phi^T R(q)^T F (MW eq. 8 and 11), by Newton's method with a
// finite-difference Jacobian. The modal force rotates with the nodes and has no potential, so that the m
// equations are solved directly and no energy is minimised.
#include "base/real.h"
#include "math/dense.h"
#include "model/modal/modal.h"

#include <string.h>

#define MOST_STEPS 60
#define MOST_HALVINGS 12
// Finite difference relative to the largest amplitude. The error of the Jacobian limits the convergence to a
// factor of about 1e-6 per iteration.
#define DIFFERENCE 1e-6
#define DONE 1e-14 // tolerance relative to the largest amplitude of linear theory: round-off of the load

typedef struct Search {
    Rod* rod;
    const Pull* pull;
    const Carrier* carrier;
    double time;
    int n;
    double *q, *trial;                 // amplitudes, and those of a trial (n)
    double *residual, *trial_residual; // residual q - f(q) / Lambda at both (n)
    double *step, *J;                  // Newton step (n), Jacobian (n x n)
} Search;

// Modal load of a pull at amplitudes q, in double precision and node by node.
static void load_exact(const Rod* rod, const Pull* pull, const double* q, double* load)
{
    const CordModal* m = modal_of(rod);
    size_t n = (size_t)rod->line.node_count;
    memset(load, 0, sizeof *load * (size_t)m->count);
    for (size_t i = 0; i < n; i++) {
        CordVec3 u, w;
        modal_node(rod, q, (int)i, &u, &w);
        Warp warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : w);
        CordVec3 a = warp_turn_back(&warp, modal_pull_at(rod, pull, (int)i, warp_displace(&warp, u)));
        for (int k = 0; k < m->count; k++) {
            const double* of = m->loads + ((size_t)k * n + i) * 3;
            load[k] += of[0] * a.x + of[1] * a.y + of[2] * a.z;
        }
    }
}

// Residual of the equilibrium: q - f(q) / Lambda.
static void find_residual(Search* s, const double* q, double* residual)
{
    CordModal* m = modal_of(s->rod);
    load_exact(s->rod, s->pull, q, residual);
    modal_add_loads(s->rod, s->carrier, s->time, q, residual);
    for (int k = 0; k < s->n; k++) {
        residual[k] = q[k] - residual[k] / m->omega2[k];
    }
}

static double norm(int n, const double* a)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * a[k];
    }
    return sqrt(sum);
}

static void find_derivatives(Search* s, double size)
{
    double d = DIFFERENCE * size;
    for (int l = 0; l < s->n; l++) {
        memcpy(s->trial, s->q, sizeof(double) * (size_t)s->n);
        s->trial[l] += d;
        find_residual(s, s->trial, s->trial_residual);
        for (int k = 0; k < s->n; k++) {
            s->J[k * s->n + l] = (s->trial_residual[k] - s->residual[k]) / d;
        }
    }
}

// Backtracking line search along Newton's step. False: no decrease of the residual was found.
static bool line_search(Search* s)
{
    double before = norm(s->n, s->residual), share = 1.0;
    for (int i = 0; i < MOST_HALVINGS; i++, share *= 0.5) {
        for (int k = 0; k < s->n; k++) {
            s->trial[k] = s->q[k] - share * s->step[k];
        }
        find_residual(s, s->trial, s->trial_residual);
        if (norm(s->n, s->trial_residual) < before) {
            memcpy(s->q, s->trial, sizeof(double) * (size_t)s->n);
            memcpy(s->residual, s->trial_residual, sizeof(double) * (size_t)s->n);
            return true;
        }
    }
    return false;
}

static bool search(Search* s, ModalRest* rest)
{
    find_residual(s, s->q, s->residual);
    double size = 0.0;
    for (int i = 0; i < MOST_STEPS; i++) {
        rest->iterations = i;
        for (int k = 0; k < s->n; k++) { // q - residual is the amplitude of linear theory under this load
            size = real_max(size, fabs(s->residual[k] - s->q[k]));
        }
        rest->residual = size > 0.0 ? norm(s->n, s->residual) / size : 0.0;
        if (norm(s->n, s->residual) <= DONE * sqrt(s->n) * size || size == 0.0) {
            return true;
        }
        find_derivatives(s, size);
        memcpy(s->step, s->residual, sizeof(double) * (size_t)s->n);
        if (!dense_solve(s->n, s->J, s->step)) {
            return false;
        }
        double before = norm(s->n, s->residual);
        if (!line_search(s)) {
            return before <= 1e-9 * size; // only round-off remains
        }
    }
    return false;
}

CordResult modal_rest(Memory* memory, Rod* rod, const Pull* pull, const Carrier* carrier, double time,
                      ModalRest* rest, Message* message)
{
    CordModal* m = modal_of(rod);
    size_t n = (size_t)m->count, size = (n * n + 5 * n) * sizeof(double);
    double* room = memory_alloc(memory, size);
    if (!room) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    Search s = {rod,
                pull,
                carrier,
                time,
                m->count,
                .q = room,
                .residual = room + n,
                .trial_residual = room + 2 * n,
                .step = room + 3 * n,
                .trial = room + 4 * n,
                .J = room + 5 * n};
    memcpy(s.q, m->now.q, n * sizeof(double));
    bool good = search(&s, rest);
    memcpy(m->now.q, s.q, n * sizeof(double));
    memset(m->now.rate, 0, n * sizeof(double));
    m->now.carrier = *carrier, m->now.pull = m->now.acted = *pull;
    for (int k = 0; k < m->count; k++) {
        m->now.force[k] = m->omega2[k] * m->now.q[k];
    }
    m->now.loaded = false;
    modal_place(rod, &m->now, rod->line.x);
    memory_free(memory, room, size);
    return good ? CORD_OK
                : message_fail(message, CORD_NOT_CONVERGED,
                               "the modes of rod '%s' found no equilibrium: its loads turn it too far for "
                               "linear modes that are warped",
                               rod->name);
}
