#include "solve/welds_system.h"

#include "body/inertia.h"
#include "solve/welds.h"

#include <string.h>

// SHAKE, for a whole assembly: impulses act at the start of the step, on node and body at the same point, along the edges that there
// were. So linear and angular momentum are kept whatever comes out. Each iteration of Newton's method solves
//
//     edges    T dlambda = C + e . (what bodies do to the ends)      T: tridiagonal, with the carried nodes held
//     bodies   A eta = -(sum over ties of m gap) - (pull of the edges beside ties by dlambda)
//
// with eta = (dr, dphi) how a body moves, and A its mass and inertia with those of the nodes it carries. An edge's multiplier
// reaches a body only from beside a tie, so that a chain of edges shrinks to the answers of its first and last edge to each other: the
// bodies' system has a 6 x 6 block for each body and one of rank 1 for each chain between two.
//
// A chain that is straight from one body to another leaves T without an answer: only when the bodies give way can its lengths be
// kept. So one edge of each chain, beside a body, is taken for a little soft, compared with how the body gives way; iterations take
// that out again. Where bodies are held by more chains than needed, how these share the load is not determined, and softness
// decides; what the last step had is let go of slowly, lest round-off pile up there.

#define SOFT 1e-6        // relative to the inverse mass of the bodies
#define SOFT_LEAST 1e-10 // relative to the inverse mass of the edge's nodes: less is lost in rounding
#define STRIDE 8         // of a block of six: see blocks_stride

// ---- scratch

static size_t slot_space(const Rod* rod)
{
    return arena_space(sizeof(double), (int)centerline_stride(&rod->line));
}

size_t welds_scratch(const Assembly* a)
{
    size_t size = arena_space(sizeof(RodWork), a->rod_count) + arena_space(sizeof(BodyWork), a->body_count) +
                  arena_space(sizeof(TieWork), a->tie_count) + arena_space(sizeof(double), 6 * a->body_count) +
                  arena_space(sizeof(CordVec3*), a->rod_count) + arena_space(sizeof(ChainWork), a->chain_count);
    for (int i = 0; i < a->rod_count; i++) {
        const Rod* rod = a->rods[i];
        size += rod->inextensible ? lengths_rows_scratch(rod) + 4 * slot_space(rod) : 0;
        size += arena_space(sizeof(CordVec3), rod->line.node_count);
    }
    return size;
}

double* welds_push_slots(const Rod* rod, Arena* scratch)
{
    size_t stride = centerline_stride(&rod->line);
    double* a = arena_push(scratch, double, stride);
    memset(a, 0, stride * sizeof *a);
    return a + CENTERLINE_PAD;
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
        r->l = lengths_open(rod, w->h, scratch);
        r->w = welds_push_slots(rod, scratch);
        r->first = welds_push_slots(rod, scratch);
        r->last = welds_push_slots(rod, scratch);
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

// ---- who touches whom

static RodWork* chain_rod(const WeldsWork* w, const Chain* chain)
{
    return &w->rods[chain->rod];
}

int port_slot(const WeldsWork* w, const Chain* chain, int port)
{
    return slot_of(&w->a->rods[chain->rod]->line, port_edge(w->a, chain, &chain->port[port]));
}

static int port_body(const WeldsWork* w, const Chain* chain, int port)
{
    return w->a->ties[chain->port[port].tie].body;
}

static double* port_answer(const WeldsWork* w, const Chain* chain, int port)
{
    return chain->port[port].sign < 0.0 ? chain_rod(w, chain)->first : chain_rod(w, chain)->last;
}

// A body at one end, and a body or a clamp at the other: no node gives way, and the rod by itself takes the edge for held.
bool port_is_direct(const WeldsWork* w, const Chain* chain, int port)
{
    const double* held = chain_rod(w, chain)->w;
    int s = port_slot(w, chain, port);
    return held[s] + held[s + 1] == 0.0;
}

CordVec3 tie_pushed(const WeldsWork* w, int t)
{
    const Tie* tie = &w->a->ties[t];
    const RodWork* rod = &w->rods[tie->rod];
    CordVec3 pushed = w->ties[t].push;
    if (w->a->rods[tie->rod]->inextensible) {
        int s = tie->slot;
        pushed = vec3_madd(pushed, slot_get(rod->l.a.d, s), rod->lambda[s]);
        pushed = vec3_madd(pushed, slot_get(rod->l.a.d, s - 1), -rod->lambda[s - 1]);
    }
    return pushed;
}

CordVec3 tie_own(const WeldsWork* w, int t)
{
    return vec3_madd(w->ties[t].own, tie_pushed(w, t), 1.0 / w->a->ties[t].mass);
}

// ---- the matrix: bodies

static void block_add_cross(double block[36], int row, int col, CordVec3 a) // + [a]
{
    const double m[3][3] = {{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}};
    for (int i = 0; i < 9; i++) {
        block[6 * (row + i / 3) + col + i % 3] += m[i / 3][i % 3];
    }
}

// A node's mass: it moves by dr + dphi x arm_now, and its momentum acts at arm.
static void add_tie(double block[36], const TieWork* tie, double mass)
{
    const double p[3] = {tie->arm.x, tie->arm.y, tie->arm.z};
    const double q[3] = {tie->arm_now.x, tie->arm_now.y, tie->arm_now.z};
    double dot = vec3_dot(tie->arm, tie->arm_now);
    for (int i = 0; i < 3; i++) {
        block[7 * i] += mass;
        for (int j = 0; j < 3; j++) {
            block[6 * (3 + i) + 3 + j] += mass * ((i == j ? dot : 0.0) - q[i] * p[j]);
        }
    }
    block_add_cross(block, 0, 3, vec3_mul(tie->arm_now, -mass));
    block_add_cross(block, 3, 0, vec3_mul(tie->arm, mass));
}

// An angular impulse at the start turns the body at the end by I^-1 of it, carried along by half of the step's own turn: exact to
// second order in that.
static void set_body_block(BodyWork* b, const Body* body)
{
    CordBodyInertia inertia = body_inertia(body);
    CordQuat from = body->pose.rotation, to = b->at.rotation;
    CordQuat q = quat_mul(to, (CordQuat){-from.x, -from.y, -from.z, from.w});
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    CordQuat back = quat_unit((CordQuat){-q.x, -q.y, -q.z, q.w + sign}); // half of it, backwards
    memset(b->block, 0, sizeof b->block);
    for (int j = 0; j < 3; j++) {
        CordVec3 turn = {j == 0, j == 1, j == 2};
        CordVec3 momentum = quat_rotate(back, tensor_mul(inertia.tensor, turn));
        b->block[7 * j] = inertia.mass;
        b->block[6 * 3 + 3 + j] = momentum.x;
        b->block[6 * 4 + 3 + j] = momentum.y;
        b->block[6 * 5 + 3 + j] = momentum.z;
    }
}

// ---- the matrix: chains

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
    const LengthsArrays* a = &chain_rod(w, chain)->l.a;
    for (int p = 0; p < chain->port_count; p++) {
        const TieWork* tie = &w->ties[chain->port[p].tie];
        int s = port_slot(w, chain, p);
        CordVec3 d = vec3_mul(slot_get(a->d, s), chain->port[p].sign);
        CordVec3 e = vec3_mul(slot_get(a->e, s), chain->port[p].sign);
        put6(w->chains[i].pull[p], d, vec3_cross(tie->arm, d));
        put6(w->chains[i].pulled[p], e, vec3_cross(tie->arm_now, e));
    }
}

static void soften(const WeldsWork* w, const Chain* chain, int port)
{
    const LengthsArrays* a = &chain_rod(w, chain)->l.a;
    int s = port_slot(w, chain, port);
    double give = 0.0;
    for (int p = 0; p < chain->port_count; p++) {
        give += 1.0 / w->bodies[port_body(w, chain, p)].mass;
    }
    CordVec3 d = slot_get(a->d, s);
    double soft = fmax(SOFT * give, SOFT_LEAST * (a->w[s] + a->w[s + 1])) * vec3_dot(d, d);
    a->diag[s] = (port_is_direct(w, chain, port) ? 0.0 : a->diag[s]) + soft;
}

// The rod's own matrix, and the answers of all of its chains at once: nothing passes a tie, so that they do not mix.
static bool factor_rod(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    RodWork* rod = &w->rods[i];
    int from = a->first_chain[i], to = a->first_chain[i + 1];
    memset(rod->first, 0, (size_t)c->slot_count * sizeof(double));
    memset(rod->last, 0, (size_t)c->slot_count * sizeof(double));
    for (int k = from; k < to; k++) {
        const Chain* chain = &a->chains[k];
        soften(w, chain, 0);
        if (chain->port_count == 2 && chain->count > 1 && port_is_direct(w, chain, 1)) {
            soften(w, chain, 1);
        }
        set_port_vectors(w, k);
        for (int p = 0; p < chain->port_count; p++) {
            port_answer(w, chain, p)[port_slot(w, chain, p)] = 1.0;
        }
    }
    if (!lengths_factor(&rod->l)) {
        return false;
    }
    tridiag_solve(&rod->l.matrix, rod->first + c->halo);
    tridiag_solve(&rod->l.matrix, rod->last + c->halo);
    for (int k = from; k < to; k++) {
        const Chain* chain = &a->chains[k];
        for (int p = 0; p < chain->port_count; p++) {
            for (int q = 0; q < chain->port_count; q++) {
                w->chains[k].answer[p][q] = port_answer(w, chain, q)[port_slot(w, chain, p)];
            }
        }
    }
    return true;
}

bool welds_reduce_rod(WeldsWork* w, int i, bool fresh)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    Lengths* l = &w->rods[i].l;
    if (!a->rods[i]->inextensible) {
        return true;
    }
    if (fresh && !factor_rod(w, i)) {
        return false;
    }
    memcpy(l->change + c->halo, l->a.residual + c->halo, (size_t)c->edge_count * sizeof(double));
    tridiag_solve(&l->matrix, l->change + c->halo);
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            w->chains[k].own[p] = l->change[port_slot(w, &a->chains[k], p)];
        }
    }
    return true;
}

// ---- the bodies' system

static void couple(const WeldsWork* w, int i)
{
    const Chain* chain = &w->a->chains[i];
    const ChainWork* work = &w->chains[i];
    for (int p = 0; p < chain->port_count; p++) {
        for (int q = 0; q < chain->port_count; q++) {
            double* block = blocks_at(&w->a->blocks, port_body(w, chain, p), port_body(w, chain, q));
            for (int k = 0; k < 36; k++) {
                block[k / 6 * STRIDE + k % 6] +=
                    work->answer[p][q] * work->pull[p][k / 6] * work->pulled[q][k % 6];
            }
        }
    }
}

static bool factor_bodies(WeldsWork* w)
{
    const Assembly* a = w->a;
    Blocks* blocks = (Blocks*)&a->blocks;
    for (int i = 0; i < a->body_count; i++) {
        set_body_block(&w->bodies[i], a->bodies[i]);
    }
    for (int t = 0; t < a->tie_count; t++) {
        w->ties[t].arm_then = w->ties[t].arm_now;
        add_tie(w->bodies[a->ties[t].body].block, &w->ties[t], a->ties[t].mass);
    }
    blocks_clear(blocks);
    for (int i = 0; i < a->body_count; i++) {
        double* block = blocks_at(blocks, i, i);
        for (int k = 0; k < 36; k++) {
            block[k / 6 * STRIDE + k % 6] = w->bodies[i].block[k];
        }
    }
    for (int i = 0; i < a->chain_count; i++) {
        couple(w, i);
    }
    return blocks_factor(blocks).least > 0.0;
}

static void fill_right_side(WeldsWork* w)
{
    const Assembly* a = w->a;
    memset(w->eta, 0, 6 * (size_t)a->body_count * sizeof(double));
    for (int t = 0; t < a->tie_count; t++) {
        CordVec3 missing = vec3_mul(w->ties[t].gap, -a->ties[t].mass);
        add6(w->eta + 6 * a->ties[t].body, missing, vec3_cross(w->ties[t].arm, missing));
        w->ties[t].pull = (CordVec3){0, 0, 0};
    }
    for (int i = 0; i < a->chain_count; i++) {
        for (int p = 0; p < a->chains[i].port_count; p++) {
            double* eta = w->eta + 6 * port_body(w, &a->chains[i], p);
            for (int k = 0; k < 6; k++) {
                eta[k] -= w->chains[i].own[p] * w->chains[i].pull[p][k];
            }
        }
    }
}

// The changes of the multipliers beside a chain's ports, and how these pull at the ties.
static void pull_ties(WeldsWork* w, int i)
{
    const Chain* chain = &w->a->chains[i];
    ChainWork* work = &w->chains[i];
    for (int p = 0; p < chain->port_count; p++) {
        work->by[p] = dot6(work->pulled[p], w->eta + 6 * port_body(w, chain, p));
    }
    for (int p = 0; p < chain->port_count; p++) {
        double change = work->own[p];
        for (int q = 0; q < chain->port_count; q++) {
            change += work->answer[p][q] * work->by[q];
        }
        TieWork* tie = &w->ties[chain->port[p].tie];
        CordVec3 along = {work->pull[p][0], work->pull[p][1], work->pull[p][2]};
        tie->pull = vec3_madd(tie->pull, along, -change);
    }
}

// How hard the body must push at a tied node, to go where the solution has both.
static CordVec3 tie_push(const WeldsWork* w, int t)
{
    const TieWork* tie = &w->ties[t];
    const double* eta = w->eta + 6 * w->a->ties[t].body;
    CordVec3 move = {eta[0], eta[1], eta[2]}, turn = {eta[3], eta[4], eta[5]};
    CordVec3 way = vec3_add(tie->gap, vec3_add(move, vec3_cross(turn, tie->arm_then)));
    return vec3_sub(vec3_mul(way, w->a->ties[t].mass), tie->pull);
}

static void push_bodies(WeldsWork* w)
{
    const Assembly* a = w->a;
    for (int i = 0; i < a->body_count; i++) {
        w->bodies[i].pushed = w->bodies[i].turned = (CordVec3){0, 0, 0};
    }
    for (int t = 0; t < a->tie_count; t++) {
        BodyWork* body = &w->bodies[a->ties[t].body];
        CordVec3 push = tie_push(w, t);
        w->ties[t].push = vec3_add(w->ties[t].push, push);
        body->pushed = vec3_sub(body->pushed, push);
        body->turned = vec3_sub(body->turned, vec3_cross(w->ties[t].arm, push));
    }
}

bool welds_solve(WeldsWork* w, bool fresh)
{
    if (fresh && !factor_bodies(w)) {
        return false;
    }
    fill_right_side(w);
    blocks_solve(&w->a->blocks, w->eta);
    for (int i = 0; i < w->a->chain_count; i++) {
        pull_ties(w, i);
    }
    push_bodies(w);
    return true;
}

void welds_follow_rod(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    RodWork* rod = &w->rods[i];
    if (!a->rods[i]->inextensible) {
        return;
    }
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        const Chain* chain = &a->chains[k];
        for (int p = 0; p < chain->port_count; p++) {
            const double* answer = port_answer(w, chain, p);
            for (int n = 0; n < chain->count; n++) {
                int s = slot_of(c, chain_edge(a, chain, n));
                rod->l.change[s] += w->chains[k].by[p] * answer[s];
            }
        }
    }
    centerline_wrap_one(c, rod->l.change);
    for (int s = 0; s < c->slot_count; s++) {
        rod->lambda[s] += rod->l.change[s];
    }
}
