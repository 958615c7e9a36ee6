// Equilibrium of a modal rod: Lambda q = Phi^T R(q)^T F, by Newton's method with differences for derivatives.
// The force turns with the nodes, so that it has no potential; but a system of m equations it is.
#include "base/real.h"
#include "math/dense.h"
#include "model/modal/modal.h"

#include <string.h>

#define MOST_STEPS 60
#define MOST_HALVINGS 12
// of the amplitude that stands for a mode: errors of the derivatives slow Newton's method to a factor of
// about 1e-6 a step
#define DIFFERENCE 1e-6
#define DONE 1e-14 // of the largest displacement of linear theory: round-off of the load

typedef struct Search {
    Rod* rod;
    const Pull* pull;
    const Carrier* carrier;
    double time;
    int n;
    double *q, *off, *try_off, *step, *J; // amplitudes; q - f(q) / Lambda at them and at a trial (n); n x n
    double* trial;                        // (n)
} Search;

// The load of a pull at amplitudes q in double precision throughout, one node after the other.
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

// How far amplitudes are from what their own load would make of them.
static void find_off(Search* s, const double* q, double* off)
{
    CordModal* m = modal_of(s->rod);
    load_exact(s->rod, s->pull, q, off);
    modal_add_loads(s->rod, s->carrier, s->time, q, off);
    for (int k = 0; k < s->n; k++) {
        off[k] = q[k] - off[k] / m->omega2[k];
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
        find_off(s, s->trial, s->try_off);
        for (int k = 0; k < s->n; k++) {
            s->J[k * s->n + l] = (s->try_off[k] - s->off[k]) / d;
        }
    }
}

// As long a part of Newton's step as makes things better.
static bool take_step(Search* s)
{
    double before = norm(s->n, s->off), share = 1.0;
    for (int i = 0; i < MOST_HALVINGS; i++, share *= 0.5) {
        for (int k = 0; k < s->n; k++) {
            s->trial[k] = s->q[k] - share * s->step[k];
        }
        find_off(s, s->trial, s->try_off);
        if (norm(s->n, s->try_off) < before) {
            memcpy(s->q, s->trial, sizeof(double) * (size_t)s->n);
            memcpy(s->off, s->try_off, sizeof(double) * (size_t)s->n);
            return true;
        }
    }
    return false;
}

static bool search(Search* s, ModalRest* rest)
{
    find_off(s, s->q, s->off);
    double size = 0.0;
    for (int i = 0; i < MOST_STEPS; i++) {
        rest->iterations = i;
        for (int k = 0; k < s->n; k++) { // off - q is what linear theory makes of the load
            size = real_max(size, fabs(s->off[k] - s->q[k]));
        }
        rest->off = size > 0.0 ? norm(s->n, s->off) / size : 0.0;
        if (norm(s->n, s->off) <= DONE * sqrt(s->n) * size || size == 0.0) {
            return true;
        }
        find_derivatives(s, size);
        memcpy(s->step, s->off, sizeof(double) * (size_t)s->n);
        if (!dense_solve(s->n, s->J, s->step)) {
            return false;
        }
        double before = norm(s->n, s->off);
        if (!take_step(s)) {
            return before <= 1e-9 * size; // round-off is all that is left
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
                .off = room + n,
                .try_off = room + 2 * n,
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
