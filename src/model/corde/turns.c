// Orientations that are solved for at the end of a step, with their inertia: backward Euler, of which one iteration of Newton's method is made. They
// are so much faster than the centreline that they follow it, and what a step leaves of the torques, of second order in the turn, the next one takes up.
// For the same reason the matrix need not be that of this very step. It belongs to the turns from edge to edge, which change little and not at all in a
// rigid motion, so that its factors serve many steps.
#include "math/chain3.h"
#include "model/corde/corde.h"

#include <string.h>

#define MOST_TURNED 0.2 // since the matrix was made [rad]

static Chain3 chain_of(const CordCorde* m, const CordCenterline* c)
{
    Chain3 chain = {.n = c->edge_count, .closed = c->closed};
    for (int i = 0; i < 6; i++) {
        chain.diag[i] = m->factors[i] + c->halo;
    }
    for (int i = 0; i < 9; i++) {
        chain.link[i] = m->factors[6 + i] + c->halo;
        chain.work[i] = c->closed ? m->factors[15 + i] + c->halo : NULL;
    }
    for (int i = 0; i < 3; i++) {
        chain.r[i] = m->scratch[i] + c->halo;
    }
    return chain;
}

static void move_base(CordCorde* m, const CordCenterline* c, double h)
{
    for (int k = 0; k < 4; k++) {
        memcpy(m->base_q[k], m->edges.q[k], (size_t)c->slot_count * sizeof(double));
    }
    m->base_h = h;
    m->turned = 0.0;
    m->factored = false;
}

static bool factor(CordCorde* m, const Rod* rod)
{
    CordeInput in = corde_input(m, rod, true);
    CordeEdges base = m->edges;
    CordeMatrix matrix;
    memcpy(base.q, m->base_q, sizeof base.q);
    memcpy(matrix.diag, m->factors, sizeof matrix.diag);
    memcpy(matrix.link, m->factors + 6, sizeof matrix.link);
    in.edges = &base;
    m->kernels->matrix(&in, m->base_h, &matrix);
    Chain3 chain = chain_of(m, &rod->line);
    m->factored = chain3_factor(&chain);
    return m->factored;
}

bool corde_solve_turns(CordCorde* m, const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    if (m->base_h != h || m->turned > MOST_TURNED) {
        move_base(m, c, h);
    }
    if (!m->factored && !factor(m, rod)) {
        return false;
    }
    CordeInput in = corde_input(m, rod, true);
    Chain3 chain = chain_of(m, c);
    m->kernels->torques(&in, h, m->scratch);
    chain3_solve(&chain);
    double turn2 = m->kernels->turn(&m->edges, m->scratch, 1.0, c->halo + c->edge_count);
    m->turned += sqrt(turn2);
    for (int k = 0; k < 3; k++) {
        const double *may = m->edges.may_turn[k == 2], *turn = m->scratch[k];
        for (int s = c->halo; s < c->halo + c->edge_count; s++) { // what is held keeps the rate it is held with
            m->edges.omega[k][s] += may[s] * (turn[s] * (1.0 / h) - m->edges.omega[k][s]);
        }
    }
    corde_wrap(m, c);
    return isfinite(turn2);
}
