#include "solve/weld_constraints_system.h"

#include "base/real.h"
#include "body/inertia.h"
#include "solve/weld_constraints.h"

#include <string.h>

// SHAKE (Ryckaert et al. 1977) for a whole assembly. Impulses act at the start of the step, on node and body
// at the same point and along the edges at the start, so that linear and angular momentum are conserved for
// any values of the multipliers. Each iteration of Newton's method solves
//
//     edges:    T dlambda = C + e . (displacement of the ends by the bodies)
//     bodies:   A eta = -(sum over ties of m gap) - (impulse of dlambda on the ties)
//
// T is tridiagonal, with carried nodes held. eta = (dr, dphi) is the motion of a body, and A its mass and
// inertia with those of the nodes it carries. The multiplier of an edge acts on a body only next to a tie.
// The Schur complement of a chain of edges therefore needs the inverse of T at its first and last edge only:
// the bodies' system has a 6 x 6 block for each body and one of rank 1 for each chain between two bodies.
//
// The matrix T of a chain that is straight from one body to another is singular: only the bodies' motion can
// keep its lengths. One edge of each chain, next to a body, is therefore softened slightly, relative to the
// compliance of the body; the iterations remove the softness again. Where bodies are held by more chains than
// needed, the distribution of the load is undetermined, and the softness chooses one. The multipliers of the
// last step decay slowly in the warm start, so that round-off does not accumulate there.

#define SOFT 1e-6        // relative to the inverse mass of the bodies
#define SOFT_LEAST 1e-10 // relative to the inverse mass of the edge's nodes: less is lost in round-off
#define STRIDE WELDS_STRIDE

// ---- scratch

static const Rod* longest(const Assembly* a)
{
    const Rod* most = a->rods[0];
    for (int i = 1; i < a->rod_count; i++) {
        most = a->rods[i]->line.slot_count > most->line.slot_count ? a->rods[i] : most;
    }
    return most;
}

size_t welds_scratch(const Assembly* a)
{
    size_t size = arena_space(sizeof(RodWork), a->rod_count) + arena_space(sizeof(BodyWork), a->body_count) +
                  arena_space(sizeof(TieWork), a->tie_count) +
                  arena_space(sizeof(double), 6 * a->body_count) +
                  arena_space(sizeof(CordVec3*), a->rod_count) +
                  arena_space(sizeof(ChainWork), a->chain_count) + 2 * rattle_array_scratch(longest(a));
    for (int i = 0; i < a->rod_count; i++) {
        const Rod* rod = a->rods[i];
        size += rod->inextensible ? rattle_rows_scratch(rod) + 2 * rattle_array_scratch(rod) : 0;
        size += arena_space(sizeof(CordVec3), rod->line.node_count);
    }
    return size;
}

double* welds_push_longest(const Assembly* a, Arena* scratch)
{
    return rattle_push_array(longest(a), scratch);
}

WeldsWork welds_open(const Assembly* a, double h, Arena* scratch)
{
    WeldsWork w = {.a = a, .h = h};
    w.rods = arena_push(scratch, RodWork, a->rod_count);
    w.chains = arena_push(scratch, ChainWork, a->chain_count);
    w.bodies = arena_push(scratch, BodyWork, a->body_count);
    w.ties = arena_push(scratch, TieWork, a->tie_count);
    w.eta = arena_push(scratch, double, 6 * a->body_count);
    w.by_rod = arena_push(scratch, CordVec3*, a->rod_count);
    w.change = welds_push_longest(a, scratch);
    for (int i = 0; i < a->body_count; i++) {
        w.bodies[i].mass = a->bodies[i]->def.mass;
    }
    for (int t = 0; t < a->tie_count; t++) {
        w.bodies[a->ties[t].body].mass += a->ties[t].mass;
    }
    return w;
}

void welds_open_rod(WeldsWork* w, int i, Arena* scratch)
{
    const Assembly* a = w->a;
    const Rod* rod = a->rods[i];
    RodWork* r = &w->rods[i];
    if (rod->inextensible) {
        r->l = rattle_open(rod, w->h, scratch);
        r->w = rattle_push_array(rod, scratch);
        r->lambda = r->l.a.lambda;
        memcpy(r->w, rod->line.w, (size_t)rod->line.slot_count * sizeof(double));
        r->l.a.w = r->w;
    }
    for (int t = a->first_tie[i]; t < a->first_tie[i + 1]; t++) {
        const Tie* tie = &a->ties[t];
        CordVec3 x = slot_get(rod->line.x, tie->slot), arm = vec3_sub(x, a->bodies[tie->body]->pose.point);
        w->ties[t] = (TieWork){.x = x, .arm = arm, .arm_now = arm};
        if (rod->inextensible) {
            r->w[tie->slot] = 0.0;
        }
    }
    if (rod->inextensible) {
        centerline_wrap_one(&rod->line, r->w);
    }
}

// ---- Jacobian of the bodies

static void block_add_cross(double* block, int row, int col, CordVec3 a) // + [a]
{
    double *x = block + STRIDE * row + col, *y = x + STRIDE, *z = y + STRIDE;
    x[1] -= a.z, x[2] += a.y;
    y[0] += a.z, y[2] -= a.x;
    z[0] -= a.y, z[1] += a.x;
}

// The mass of a tied node: it moves by dr + dphi x arm_now, and its momentum acts at arm.
static void add_tie(double* block, const TieWork* tie, double mass)
{
    const double p[3] = {tie->arm.x, tie->arm.y, tie->arm.z};
    const double q[3] = {tie->arm_now.x, tie->arm_now.y, tie->arm_now.z};
    double dot = mass * vec3_dot(tie->arm, tie->arm_now);
    for (int i = 0; i < 3; i++) {
        double* row = block + STRIDE * (3 + i) + 3;
        block[(STRIDE + 1) * i] += mass;
        row[i] += dot;
        for (int j = 0; j < 3; j++) {
            row[j] -= mass * q[i] * p[j];
        }
    }
    block_add_cross(block, 0, 3, vec3_mul(tie->arm_now, -mass));
    block_add_cross(block, 3, 0, vec3_mul(tie->arm, mass));
}

// Momentum and angular momentum at the start of the step that move and turn the body at its end. An angular
// impulse at the start turns the body at the end by I^-1 times it, rotated by half of the step's own
// rotation: accurate to second order in that rotation.
static void add_body(double* block, const Body* body, const CordBodyState* at)
{
    CordBodyInertia inertia = body_inertia(body);
    CordQuat from = body->pose.rotation;
    CordQuat q = quat_mul(at->rotation, (CordQuat){-from.x, -from.y, -from.z, from.w});
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    CordQuat back = quat_unit((CordQuat){-q.x, -q.y, -q.z, q.w + sign}); // half of the rotation, inverted
    for (int j = 0; j < 3; j++) {
        CordVec3 turn = {j == 0, j == 1, j == 2};
        CordVec3 momentum = quat_rotate(back, tensor_mul(inertia.tensor, turn));
        block[(STRIDE + 1) * j] += inertia.mass;
        block[STRIDE * 3 + 3 + j] += momentum.x;
        block[STRIDE * 4 + 3 + j] += momentum.y;
        block[STRIDE * 5 + 3 + j] += momentum.z;
    }
}

// ---- Jacobian of the chains

static void put6(double a[6], CordVec3 force, CordVec3 torque)
{
    a[0] = force.x, a[1] = force.y, a[2] = force.z;
    a[3] = torque.x, a[4] = torque.y, a[5] = torque.z;
}

static void add6(double a[6], CordVec3 force, CordVec3 torque)
{
    a[0] += force.x, a[1] += force.y, a[2] += force.z;
    a[3] += torque.x, a[4] += torque.y, a[5] += torque.z;
}

static double dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void set_port_vectors(const WeldsWork* w, int i)
{
    const Chain* chain = &w->a->chains[i];
    const RattleArrays* a = &w->rods[chain->rod].l.a;
    ChainWork* work = &w->chains[i];
    for (int p = 0; p < chain->port_count; p++) {
        const Port* port = &chain->port[p];
        const TieWork* tie = &w->ties[port->tie];
        CordVec3 d = vec3_mul(slot_get(a->d, port->slot), port->sign);
        CordVec3 e = vec3_mul(slot_get(a->e, port->slot), port->sign);
        put6(work->pull[p], d, vec3_cross(tie->arm, d));
        put6(work->pulled[p], e, vec3_cross(tie->arm_now, e));
        work->pulled[p][6] = work->pulled[p][7] = 0.0;
    }
}

static void soften(const WeldsWork* w, const Chain* chain, int port)
{
    const RattleArrays* a = &w->rods[chain->rod].l.a;
    int s = chain->port[port].slot;
    double inverse_mass = 0.0;
    for (int p = 0; p < chain->port_count; p++) {
        inverse_mass += 1.0 / w->bodies[chain->port[p].body].mass;
    }
    CordVec3 d = slot_get(a->d, s);
    double soft = real_max(SOFT * inverse_mass, SOFT_LEAST * (a->w[s] + a->w[s + 1])) * vec3_dot(d, d);
    a->diag[s] = (port_is_direct(w, chain, port) ? 0.0 : a->diag[s]) + soft;
}

// Inverse entries of all chains of a rod at once, for unit residuals of their first edges (sign -1) or of
// their last (1). Ties separate the chains, so that they do not interact.
static void invert_chains(WeldsWork* w, int i, double sign)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    bool any = false;
    memset(w->change + c->halo, 0, (size_t)c->edge_count * sizeof(double));
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            if (a->chains[k].port[p].sign == sign) {
                w->change[a->chains[k].port[p].slot] = 1.0;
                any = true;
            }
        }
    }
    if (!any) {
        return;
    }
    tridiag_solve(&w->rods[i].l.matrix, w->change + c->halo);
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        const Chain* chain = &a->chains[k];
        for (int n = 0; n < chain->port_count * chain->port_count; n++) {
            int p = n / chain->port_count, q = n % chain->port_count;
            if (chain->port[q].sign == sign) {
                w->chains[k].inverse[p][q] = w->change[chain->port[p].slot];
            }
        }
    }
}

// Factors the rod's own matrix and forms the chains' Schur complements. False: a chain is taut between
// clamps.
static bool factor_rod(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        const Chain* chain = &a->chains[k];
        soften(w, chain, 0);
        if (chain->port_count == 2 && chain->count > 1 && port_is_direct(w, chain, 1)) {
            soften(w, chain, 1);
        }
        set_port_vectors(w, k);
    }
    bool regular = rattle_factor(&w->rods[i].l);
    invert_chains(w, i, -1.0);
    invert_chains(w, i, 1.0);
    return regular;
}

bool welds_reduce_rod(WeldsWork* w, int i, bool fresh)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    const Rattle* l = &w->rods[i].l;
    if (!a->rods[i]->inextensible) {
        return true;
    }
    bool regular = !fresh || factor_rod(w, i);
    memcpy(w->change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, w->change + c->halo);
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            w->chains[k].own[p] = w->change[a->chains[k].port[p].slot];
        }
    }
    return regular;
}

// ---- the bodies' system

static void couple(const SparseLdu* blocks, const Chain* chain, const ChainWork* work)
{
    for (int p = 0; p < chain->port_count; p++) {
        for (int q = 0; q < chain->port_count; q++) {
            sparse_ldu_add_outer(blocks, chain->block[p][q], 6, chain->port[q].body, work->inverse[p][q],
                                 work->pull[p], work->pulled[q]);
        }
    }
}

// Assembles the right-hand side and, if fresh, the matrix. Ties and chains are visited once for both: those
// of a large assembly do not fit into the cache.
static void assemble_bodies(WeldsWork* w, bool fresh)
{
    const Assembly* a = w->a;
    SparseLdu* blocks = (SparseLdu*)&a->blocks;
    memset(w->eta, 0, 6 * (size_t)a->body_count * sizeof(double));
    if (fresh) {
        sparse_ldu_clear(blocks);
    }
    for (int i = 0; i < a->body_count && fresh; i++) {
        add_body(sparse_ldu_at(blocks, i, i), a->bodies[i], &w->bodies[i].at);
    }
    for (int t = 0; t < a->tie_count; t++) {
        const Tie* tie = &a->ties[t];
        TieWork* work = &w->ties[t];
        if (fresh) {
            work->arm_then = work->arm_now;
            add_tie(sparse_ldu_at(blocks, tie->body, tie->body), work, tie->mass);
        }
        CordVec3 missing = vec3_mul(work->gap, -tie->mass);
        add6(w->eta + 6 * tie->body, missing, vec3_cross(work->arm, missing));
    }
    for (int i = 0; i < a->chain_count; i++) {
        const Chain* chain = &a->chains[i];
        if (fresh) {
            couple(blocks, chain, &w->chains[i]);
        }
        for (int p = 0; p < chain->port_count; p++) {
            double* eta = w->eta + 6 * chain->port[p].body;
            for (int k = 0; k < 6; k++) {
                eta[k] -= w->chains[i].own[p] * w->chains[i].pull[p][k];
            }
        }
    }
}

// Changes of the multipliers at a chain's ports, and their impulses on the ties.
static void pull_ties(WeldsWork* w, int i)
{
    const Chain* chain = &w->a->chains[i];
    ChainWork* work = &w->chains[i];
    for (int p = 0; p < chain->port_count; p++) {
        work->by[p] = dot6(work->pulled[p], w->eta + 6 * chain->port[p].body);
    }
    for (int p = 0; p < chain->port_count; p++) {
        double change = work->own[p];
        for (int q = 0; q < chain->port_count; q++) {
            change += work->inverse[p][q] * work->by[q];
        }
        TieWork* tie = &w->ties[chain->port[p].tie];
        CordVec3 along = {work->pull[p][0], work->pull[p][1], work->pull[p][2]};
        tie->pull = vec3_madd(tie->pull, along, -change);
    }
}

// Impulse of the body on a tied node that takes the node where the solution has both.
static CordVec3 tie_push(const WeldsWork* w, int t)
{
    const TieWork* tie = &w->ties[t];
    const double* eta = w->eta + 6 * w->a->ties[t].body;
    CordVec3 move = {eta[0], eta[1], eta[2]}, turn = {eta[3], eta[4], eta[5]};
    CordVec3 displacement = vec3_add(tie->gap, vec3_add(move, vec3_cross(turn, tie->arm_then)));
    return vec3_sub(vec3_mul(displacement, w->a->ties[t].mass), tie->pull);
}

// Impulses of a rod's ties on their bodies.
static void push_bodies(WeldsWork* w, int rod)
{
    const Assembly* a = w->a;
    int first = a->first_tie[rod], last = a->first_tie[rod + 1];
    for (int t = first; t < last; t++) {
        w->ties[t].pull = (CordVec3){0, 0, 0};
    }
    for (int i = a->first_chain[rod]; i < a->first_chain[rod + 1]; i++) {
        pull_ties(w, i);
    }
    for (int t = first; t < last; t++) {
        BodyWork* body = &w->bodies[a->ties[t].body];
        CordVec3 push = tie_push(w, t);
        w->ties[t].push = vec3_add(w->ties[t].push, push);
        body->pushed = vec3_sub(body->pushed, push);
        body->turned = vec3_sub(body->turned, vec3_cross(w->ties[t].arm, push));
    }
}

bool welds_solve(WeldsWork* w, bool fresh)
{
    const Assembly* a = w->a;
    assemble_bodies(w, fresh);
    if (fresh && !(sparse_ldu_factor((SparseLdu*)&a->blocks).least > 0.0)) {
        return false;
    }
    sparse_ldu_solve(&a->blocks, w->eta);
    for (int i = 0; i < a->body_count; i++) {
        w->bodies[i].pushed = w->bodies[i].turned = (CordVec3){0, 0, 0};
    }
    for (int i = 0; i < a->rod_count; i++) {
        push_bodies(w, i);
    }
    return true;
}

// Back substitution: solves for the multipliers with the residual that the bodies' motion adds to the edges
// next to them.
void welds_follow_rod(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    const RodWork* rod = &w->rods[i];
    if (!a->rods[i]->inextensible) {
        return;
    }
    memcpy(w->change + c->halo, rod->l.a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            w->change[a->chains[k].port[p].slot] += w->chains[k].by[p];
        }
    }
    tridiag_solve(&rod->l.matrix, w->change + c->halo);
    w->change[c->slot_count - 1] = 0.0; // no edge, or a copy that the wrap below sets
    centerline_wrap_one(c, w->change);
    for (int s = 0; s < c->slot_count; s++) {
        rod->lambda[s] += w->change[s];
    }
}
