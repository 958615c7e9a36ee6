// Trial frames of a general rod, for implicit steps and static solves.
#include "model/der/der.h"
#include "rod/frame.h"

static DerGeneral* general_of(const Rod* rod)
{
    return der_of(rod)->general;
}

// A straight round rod becomes a general one while it is solved for, and then itself again.
static CordResult open(Memory* memory, Rod* rod, Message* message)
{
    CordDer* m = der_of(rod);
    int n = rod->line.edge_count;
    if (m->general) {
        return der_general_open_trial(memory, m->general, rod)
                   ? CORD_OK
                   : message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    CordVec3* m1 = memory_array(memory, CordVec3, n);
    double* turn_before = memory_array(memory, double, n);
    if (m1 && turn_before) {
        der_twist_frames(rod, m1);
        for (int j = 0; j < n; j++) {
            turn_before[(j + 1) % n] = der_twist_turn_after(rod, j);
        }
        DerGeneral* g = der_general_from_frames(memory, rod, m1, turn_before);
        if (g && !der_general_open_trial(memory, g, rod)) {
            der_general_destroy(memory, g);
            g = NULL;
        }
        m->general = g;
        m->lent = g != NULL;
    }
    memory_array_free(memory, m1, n);
    memory_array_free(memory, turn_before, n);
    return m->general ? CORD_OK
                      : message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

static void close(Memory* memory, Rod* rod, double time)
{
    CordDer* m = der_of(rod);
    DerGeneral* g = m->general;
    if (!m->lent) {
        if (g) {
            der_general_close_trial(memory, g, rod);
        }
        return;
    }
    const CordCenterline* c = &rod->line;
    m->anchor_t = edge_tangent(c, m->anchor_edge);
    m->anchor_m1 = slot_get(g->now.edges.m1, slot_of(c, m->anchor_edge));
    for (int j = 0; j < c->edge_count; j++) { // node j sits before edge j; the arrays are the general rod's own
        bool inner = c->closed || j > 0;
        g->turn[j] = inner ? der_general_stressed_turn(g, rod, j) : 0.0;
    }
    der_twist_set_turns(rod, g->turn);
    m->general = NULL;
    m->lent = false;
    der_general_destroy(memory, g);
    der_twist_settle(rod, time);
}

static void begin(Rod* rod, double h)
{
    der_general_begin(general_of(rod), rod, h);
}

static void follow(Rod* rod, double* const x[3], double time)
{
    DerGeneral* g = general_of(rod);
    der_general_follow(g, &g->trial, rod, x);
    der_general_hold(g, &g->trial, rod, time);
}

static void turn(Rod* rod, const double* turns)
{
    DerGeneral* g = general_of(rod);
    der_general_turn(g, &g->trial, rod, turns);
}

static double energy(Rod* rod, double viscous)
{
    DerGeneral* g = general_of(rod);
    CornerInput in = der_general_input(&g->trial, rod, viscous);
    CornerEnergy e = g->kernels->energy(&in);
    return e.bend + e.twist + e.viscous;
}

static void terms(Rod* rod, double viscous, int from, int to, const CornerTerms* out, bool second)
{
    DerGeneral* g = general_of(rod);
    CornerInput in = der_general_input(&g->trial, rod, viscous);
    in.first = from, in.last = to, in.base = out->base;
    if (second) {
        g->kernels->hessian(&in, &out->gradient, &out->hessian);
    } else {
        g->kernels->gradient(&in, &out->gradient);
    }
}

static void accept(Rod* rod)
{
    DerGeneral* g = general_of(rod);
    DerFrames old = g->now;
    g->now = g->trial;
    g->trial = old;
    g->since = 0.0; // until a step has ended: an equilibrium is at rest
    g->under_way = true;
}

static double turn_to(Rod* rod, int edge, CordVec3 t, CordVec3 m1)
{
    const CornerEdges* edges = &general_of(rod)->trial.edges;
    int s = slot_of(&rod->line, edge);
    return frame_angle(frame_transport(slot_get(edges->m1, s), slot_get(edges->t, s), t), m1, t);
}

static const double* may_turn(const Rod* rod)
{
    return general_of(rod)->may_turn;
}

static const double* torque(const Rod* rod)
{
    return general_of(rod)->torque;
}

static double* spin(const Rod* rod)
{
    return general_of(rod)->spin;
}

static double* spin_next(const Rod* rod)
{
    return general_of(rod)->spin_next;
}

static const double* spin_inertia(const Rod* rod)
{
    return general_of(rod)->spin_inertia;
}

const ModelTrial der_trial = {
    .open = open,
    .close = close,
    .begin = begin,
    .follow = follow,
    .turn = turn,
    .energy = energy,
    .terms = terms,
    .accept = accept,
    .turn_to = turn_to,
    .may_turn = may_turn,
    .torque = torque,
    .spin = spin,
    .spin_next = spin_next,
    .spin_inertia = spin_inertia,
};
