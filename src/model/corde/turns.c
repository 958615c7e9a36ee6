// Orientations that are solved for at the end of a step, with their inertia: backward Euler, of which one iteration of Newton's method is made. They
// are so much faster than the centreline that they follow it, and what a step leaves of the torques, of second order in the turn, the next one takes up.
#include "math/chain3.h"
#include "model/corde/corde.h"

static CordeTurns turns_of(const CordCorde* m, double h)
{
    CordeTurns t = {.inv_h = 1.0 / h};
    for (int i = 0; i < 9; i++) {
        t.link[i] = m->scratch[i];
    }
    for (int i = 0; i < 6; i++) {
        t.diag[i] = m->scratch[9 + i];
    }
    for (int i = 0; i < 3; i++) {
        t.r[i] = m->scratch[15 + i];
    }
    return t;
}

static bool solve(const CordCorde* m, const CordCenterline* c, const CordeTurns* t)
{
    Chain3 chain = {.n = c->edge_count, .closed = c->closed};
    for (int i = 0; i < 9; i++) {
        chain.link[i] = t->link[i] + c->halo;
        chain.work[i] = m->scratch[18 + i] + c->halo;
    }
    for (int i = 0; i < 6; i++) {
        chain.diag[i] = t->diag[i] + c->halo;
    }
    for (int i = 0; i < 3; i++) {
        chain.r[i] = t->r[i] + c->halo;
    }
    return chain3_solve(&chain);
}

bool corde_solve_turns(CordCorde* m, const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    CordeTurns t = turns_of(m, h);
    CordeInput in = corde_input(m, rod, true);
    m->kernels->turns(&in, &t);
    if (!solve(m, c, &t)) {
        return false;
    }
    m->kernels->turn(&m->edges, t.r, 1.0, c->halo + c->edge_count);
    for (int k = 0; k < 3; k++) {
        const double* may = m->edges.may_turn[k == 2];
        for (int s = c->halo; s < c->halo + c->edge_count; s++) { // what is held keeps the rate it is held with
            m->edges.omega[k][s] += may[s] * (t.r[k][s] * t.inv_h - m->edges.omega[k][s]);
        }
    }
    corde_wrap(m, c);
    return true;
}
