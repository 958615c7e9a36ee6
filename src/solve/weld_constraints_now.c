// Queries of the present state of an assembly: the same system as in a step, but linear. Velocities or
// accelerations take the place of displacements.
#include "body/inertia.h"
#include "solve/weld_constraints.h"
#include "solve/weld_constraints_system.h"

#include <string.h>

#define ROUNDS 4 // iterations that remove the softness of edges: see weld_constraints_system.c

static void open_now(WeldsWork* w, Arena* scratch)
{
    const Assembly* a = w->a;
    double* zero = welds_push_longest(a, scratch);
    for (int i = 0; i < a->body_count; i++) {
        w->bodies[i].at = a->bodies[i]->now;
    }
    for (int i = 0; i < a->rod_count; i++) {
        const CordCenterline* c = &a->rods[i]->line;
        welds_open_rod(w, i, scratch);
        if (a->rods[i]->inextensible) {
            rattle_edges(c, c->x, w->rods[i].l.a.d);
            rattle_symmetric_rows(&w->rods[i].l, zero);
            w->rods[i].lambda = rattle_push_array(a->rods[i], scratch);
        }
    }
}

static CordVec3* tied_node(const WeldsWork* w, int t)
{
    const Tie* tie = &w->a->ties[t];
    return &w->by_rod[tie->rod][tie->slot - w->a->rods[tie->rod]->line.halo];
}

// First time derivative of an edge's length constraint, or the second from accelerations.
static double edge_rate(const WeldsWork* w, int rod, int edge, bool accelerations)
{
    const CordCenterline* c = &w->a->rods[rod]->line;
    const CordVec3 *a = w->by_rod[rod], *v = w->a->rods[rod]->now.v;
    int end = edge_end(c, edge);
    CordVec3 d = slot_get(w->rods[rod].l.a.d, slot_of(c, edge)), difference = vec3_sub(v[end], v[edge]);
    double rate = vec3_dot(d, vec3_sub(a[end], a[edge]));
    return accelerations ? rate + vec3_dot(difference, difference) : rate;
}

static void rate_edges(const WeldsWork* w, bool accelerations)
{
    for (int i = 0; i < w->a->rod_count; i++) {
        const CordCenterline* c = &w->a->rods[i]->line;
        const Rattle* l = &w->rods[i].l;
        for (int j = 0; w->a->rods[i]->inextensible && j < c->edge_count; j++) {
            int s = slot_of(c, j);
            l->a.residual[s] = rattle_row_is_free(l, s) ? edge_rate(w, i, j, accelerations) : 0.0;
        }
    }
    for (int i = 0; i < w->a->chain_count; i++) {
        const Chain* chain = &w->a->chains[i];
        for (int p = 0; p < chain->port_count; p++) {
            if (port_is_direct(w, chain, p)) {
                int s = chain->port[p].slot, edge = s - w->a->rods[chain->rod]->line.halo;
                w->rods[chain->rod].l.a.residual[s] = edge_rate(w, chain->rod, edge, accelerations);
            }
        }
    }
}

// Velocity or acceleration of a tied node from its body's.
static CordVec3 rate_carried(const WeldsWork* w, int t, bool accelerations)
{
    const BodyWork* body = &w->bodies[w->a->ties[t].body];
    CordVec3 arm = w->ties[t].arm, u = vec3_add(body->linear, vec3_cross(body->angular, arm));
    CordVec3 spin = body->at.spin;
    return accelerations ? vec3_add(u, vec3_cross(spin, vec3_cross(spin, arm))) : u;
}

// Applies the change of the multipliers to the nodes of a rod.
static void apply_to_rod(WeldsWork* w, int i)
{
    const CordCenterline* c = &w->a->rods[i]->line;
    for (int j = 0; w->a->rods[i]->inextensible && j < c->node_count; j++) {
        w->by_rod[i][j] =
            vec3_add(w->by_rod[i][j], rattle_node_moved(&w->rods[i].l, slot_of(c, j), w->change));
    }
}

// Bodies respond to the impulses themselves, not to the solution's motion, so that momentum is conserved to
// the last bit.
static void apply_to_bodies(WeldsWork* w)
{
    for (int i = 0; i < w->a->body_count; i++) {
        CordBodyInertia inertia = body_inertia(w->a->bodies[i]);
        BodyWork* body = &w->bodies[i];
        body->linear = vec3_madd(body->linear, body->pushed, 1.0 / inertia.mass);
        body->angular = vec3_add(body->angular, tensor_solve(inertia.tensor, body->turned));
    }
}

static bool solve_round(WeldsWork* w, bool accelerations, bool fresh)
{
    rate_edges(w, accelerations);
    for (int i = 0; i < w->a->rod_count; i++) {
        // A chain that is taut between clamps is no failure: the length that follows from the others counts
        // for nothing.
        (void)welds_reduce_rod(w, i, fresh);
    }
    if (!welds_solve(w, fresh)) {
        return false;
    }
    for (int i = 0; i < w->a->rod_count; i++) {
        welds_follow_rod(w, i);
        apply_to_rod(w, i);
    }
    apply_to_bodies(w);
    return true;
}

// Projects the quantity in by_rod, and in the bodies' linear and angular, so that it obeys welds and lengths.
// If the matrix is singular, the quantity stays as it is, and the step reports the error.
static void solve_rates(WeldsWork* w, bool accelerations)
{
    for (int t = 0; t < w->a->tie_count; t++) {
        w->ties[t].own = *tied_node(w, t);
    }
    bool solved = true;
    for (int round = 0; round <= ROUNDS; round++) {
        for (int t = 0; t < w->a->tie_count; t++) {
            *tied_node(w, t) = rate_carried(w, t, accelerations);
            w->ties[t].gap = vec3_sub(*tied_node(w, t), tie_own(w, t));
        }
        solved = solved && round < ROUNDS && solve_round(w, accelerations, round == 0);
    }
}

void welds_velocities(const Assembly* a, Arena* scratch)
{
    WeldsWork w = welds_open(a, 1.0, scratch);
    open_now(&w, scratch);
    for (int i = 0; i < a->rod_count; i++) {
        w.by_rod[i] = a->rods[i]->now.v;
        rattle_share_slides(a->rods[i], a->rods[i]->line.v, w.by_rod[i]);
    }
    for (int i = 0; i < a->body_count; i++) {
        w.bodies[i].linear = a->bodies[i]->now.velocity;
        w.bodies[i].angular = a->bodies[i]->now.spin;
    }
    solve_rates(&w, false);
    for (int i = 0; i < a->body_count; i++) {
        a->bodies[i]->now.velocity = w.bodies[i].linear;
        a->bodies[i]->now.spin = w.bodies[i].angular;
    }
}

// Acceleration of a free body: linear, and angular by Euler's equation.
static void free_acceleration(const Body* body, const BodyForce* f, BodyWork* work)
{
    CordBodyInertia inertia = body_inertia(body);
    CordVec3 L = tensor_mul(inertia.tensor, body->now.spin);
    work->linear = vec3_mul(f->force, 1.0 / inertia.mass);
    work->angular = tensor_solve(inertia.tensor, vec3_sub(f->torque, vec3_cross(body->now.spin, L)));
}

// Begins with the multipliers of the last step or solve.
static void guess_multipliers(WeldsWork* w, int i)
{
    if (w->a->rods[i]->inextensible) {
        rattle_guess(&w->rods[i].l, w->change);
        memcpy(w->rods[i].lambda, w->change, (size_t)w->a->rods[i]->line.slot_count * sizeof(double));
        apply_to_rod(w, i);
    }
}

void welds_tensions(const Assembly* a, const BodyForce* forces, Arena* scratch)
{
    WeldsWork w = welds_open(a, 1.0, scratch);
    open_now(&w, scratch);
    for (int i = 0; i < a->rod_count; i++) {
        const Rod* rod = a->rods[i];
        w.by_rod[i] = arena_push(scratch, CordVec3, rod->line.node_count);
        for (int j = 0; j < rod->line.node_count; j++) {
            w.by_rod[i][j] = rattle_free_acceleration(rod, j, rod->now.f);
        }
        rattle_share_slides(rod, NULL, w.by_rod[i]);
        guess_multipliers(&w, i);
    }
    for (int i = 0; i < a->body_count; i++) {
        free_acceleration(a->bodies[i], &forces[i], &w.bodies[i]);
    }
    solve_rates(&w, true);
    for (int i = 0; i < a->rod_count; i++) {
        const Rod* rod = a->rods[i];
        for (int j = 0; rod->inextensible && j < rod->line.edge_count; j++) {
            int s = slot_of(&rod->line, j);
            bool slides = !rattle_row_is_free(&w.rods[i].l, s) && w.rods[i].w[s] + w.rods[i].w[s + 1] != 0.0;
            rod->now.tension[j] =
                slides ? 0.0 : w.rods[i].lambda[s] * vec3_length(edge_vector(&rod->line, j));
        }
    }
    for (int t = 0; t < a->tie_count; t++) {
        a->ties[t].weld->pull_now[a->ties[t].k] = vec3_mul(w.ties[t].push, -1.0);
    }
}
