#include "solve/weld_constraints.h"

#include "base/real.h"
#include "model/model.h"
#include "solve/weld_constraints_system.h"

#define WARM_START 0.999 // of the multipliers, carried over to the next step: see weld_constraints_system.c
#define ROUND_OFF 1e-15  // relative to a position

void welds_push(const Assembly* a, double body_kick)
{
    for (int t = 0; t < a->tie_count; t++) {
        const Tie* tie = &a->ties[t];
        const Rod* rod = a->rods[tie->rod];
        const Body* body = a->bodies[tie->body];
        const Clamp* clamp = &tie->weld->clamp;
        double share = rod->kick / body_kick; // node and body must exchange the same impulse
        CordVec3 arm = vec3_sub(slot_get(rod->line.x, tie->slot), body->pose.point);
        CordVec3 force = vec3_mul(tie->weld->pull[tie->k], WARM_START * share),
                 torque = vec3_cross(arm, force);
        torque = tie->k == 0 ? vec3_add(torque, model_couple(clamp)) : torque;
        body->engine->add_wrench(body->engine_user, body->handle, force, torque);
    }
}

// Initial state of a rod and its ties, from x, v_next and the forces of the last step.
static void start_rod(WeldsWork* w, int i, Arena* scratch)
{
    const Assembly* a = w->a;
    const Rod* rod = a->rods[i];
    welds_open_rod(w, i, scratch);
    if (rod->inextensible) {
        rattle_begin(&w->rods[i].l, WARM_START * rod->kick);
    }
    for (int t = a->first_tie[i]; t < a->first_tie[i + 1]; t++) {
        const Tie* tie = &a->ties[t];
        w->ties[t].own = vec3_mul(slot_get(rod->line.v_next, tie->slot), w->h);
        w->ties[t].push = vec3_mul(tie->weld->pull[tie->k], -WARM_START * w->h * rod->kick);
        if (tie->rigid) { // it may have had a multiplier before it was welded
            w->rods[i].lambda[tie->slot] = 0.0;
            centerline_wrap_one(&rod->line, w->rods[i].lambda);
        }
    }
}

// Reads the bodies' present states from their engines.
static void read_bodies(WeldsWork* w)
{
    for (int i = 0; i < w->a->body_count; i++) {
        const Body* body = w->a->bodies[i];
        w->bodies[i].at = body->engine->get(body->engine_user, body->handle);
    }
}

// Updates the ties of a rod from the bodies' present states.
static void update_ties(WeldsWork* w, int rod)
{
    for (int t = w->a->first_tie[rod]; t < w->a->first_tie[rod + 1]; t++) {
        const Tie* tie = &w->a->ties[t];
        TieWork* work = &w->ties[t];
        const CordBodyState* at = &w->bodies[tie->body].at;
        work->arm_now = quat_rotate(at->rotation, tie->offset);
        work->carried = vec3_sub(vec3_add(at->position, work->arm_now), work->x);
        work->gap = vec3_sub(work->carried, tie_own(w, t));
    }
}

// Predicted vector of the edge at a port: one end moves with a body.
static void carry_edge(WeldsWork* w, const Chain* chain, int port)
{
    const CordCenterline* c = &w->a->rods[chain->rod]->line;
    const RattleArrays* a = &w->rods[chain->rod].l.a;
    int s = chain->port[port].slot;
    CordVec3 ends[2] = {vec3_mul(slot_get(c->v_next, s), w->h), vec3_mul(slot_get(c->v_next, s + 1), w->h)};
    for (int q = 0; q < chain->port_count; q++) {
        if (chain->port[q].slot == s) {
            ends[chain->port[q].sign < 0.0 ? 0 : 1] = w->ties[chain->port[q].tie].carried;
        }
    }
    slot_set(a->e, s, vec3_add(slot_get(a->d, s), vec3_sub(ends[1], ends[0])));
}

typedef struct LengthError {
    double most;  // relative to the edge length; INFINITY: diverged
    double noise; // round-off of positions, in the same measure
    int rod, tie; // where it is largest; -1: elsewhere
} LengthError;

static void record_error(LengthError* error, double here, int rod, int tie)
{
    if (!(here <= error->most)) { // also true if it is not a number
        error->most = isnan(here) ? INFINITY : here;
        error->rod = rod, error->tie = tie;
    }
}

// Sets the residual of an edge that the rod's rows treat as held; returns its relative length error.
static double direct_residual(const WeldsWork* w, const Chain* chain, int port)
{
    const RattleArrays* a = &w->rods[chain->rod].l.a;
    int s = chain->port[port].slot;
    CordVec3 e = slot_get(a->e, s);
    double off = vec3_dot(e, e) - a->rest_len[s] * a->rest_len[s];
    a->residual[s] = 0.5 * off;
    return fabs(off) * a->inv_rest[s] * a->inv_rest[s];
}

static void error_of_ties(const WeldsWork* w, int rod, LengthError* error)
{
    const Assembly* a = w->a;
    for (int t = a->first_tie[rod]; t < a->first_tie[rod + 1]; t++) {
        double scale = 2.0 * a->ties[t].inv_len;
        record_error(error, scale * vec3_length(w->ties[t].gap), -1, t);
        error->noise = real_max(error->noise, ROUND_OFF * scale * vec3_length(w->ties[t].x));
    }
}

// Assembles the rows of a rod, and records its largest length error.
static void error_of_edges(WeldsWork* w, int i, bool matrix, LengthError* error)
{
    const Assembly* a = w->a;
    if (!a->rods[i]->inextensible) {
        return;
    }
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            carry_edge(w, &a->chains[k], p);
        }
    }
    record_error(error, rattle_assemble(&w->rods[i].l, matrix), i, -1);
    for (int k = a->first_chain[i]; k < a->first_chain[i + 1]; k++) {
        for (int p = 0; p < a->chains[k].port_count; p++) {
            if (port_is_direct(w, &a->chains[k], p)) {
                record_error(error, direct_residual(w, &a->chains[k], p), i, -1);
            }
        }
    }
}

// Applies the solution to the bodies, through their engines.
static void correct(WeldsWork* w)
{
    for (int i = 0; i < w->a->body_count; i++) {
        const Body* body = w->a->bodies[i];
        CordVec3 impulse = vec3_mul(w->bodies[i].pushed, 1.0 / w->h),
                 angular = vec3_mul(w->bodies[i].turned, 1.0 / w->h);
        body->engine->correct(body->engine_user, body->handle, impulse, angular, w->h);
    }
}

static CordResult not_converged(const WeldsWork* w, LengthError error, int taut, Message* message)
{
    if (taut >= 0 || error.rod >= 0) {
        return rattle_fail(&w->rods[taut >= 0 ? taut : error.rod].l, taut >= 0, message);
    }
    const Body* body = w->a->bodies[error.tie >= 0 ? w->a->ties[error.tie].body : 0];
    return message_fail(message, CORD_NOT_CONVERGED,
                        "body '%s' turns too far in one step for its welds to follow; take a shorter one",
                        body->name);
}

static CordResult singular_system(const WeldsWork* w, Message* message)
{
    return message_fail(message, CORD_NOT_CONVERGED,
                        "body '%s' and what it is welded to are tied so that no forces can hold them all",
                        w->a->bodies[0]->name);
}

// The part of an iteration that concerns one rod. Sets *taut if the rod's own rows depend on each other.
static void iterate_rod(WeldsWork* w, int i, int n, Arena* scratch, LengthError* error, int* taut)
{
    bool fresh = n % RATTLE_FRESH_MATRIX_EVERY == 0;
    if (n == 0) {
        start_rod(w, i, scratch);
    } else {
        welds_follow_rod(w, i);
    }
    update_ties(w, i);
    error_of_ties(w, i, error);
    error_of_edges(w, i, fresh, error);
    if (isfinite(error->most) && !welds_reduce_rod(w, i, fresh)) {
        *taut = i;
    }
}

// Modified Newton as for a single rod: one Jacobian serves several iterations, and the last correction is not
// evaluated where the rate of convergence predicts that it is enough. Then *follow tells that the rods'
// multipliers are still to be updated. A taut rod is no failure by itself.
static CordResult iterate(WeldsWork* w, Arena* scratch, bool* follow, Message* message)
{
    LengthError error = {.most = INFINITY};
    int taut = -1;
    for (int n = 0; n < RATTLE_MOST_ITERATIONS; n++) {
        bool fresh = n % RATTLE_FRESH_MATRIX_EVERY == 0;
        double before = error.most;
        taut = fresh ? -1 : taut;
        error = (LengthError){0.0, 0.0, -1, -1};
        read_bodies(w);
        for (int i = 0; i < w->a->rod_count; i++) {
            iterate_rod(w, i, n, scratch, &error, &taut);
        }
        double enough = RATTLE_TOLERANCE + error.noise;
        if (error.most <= enough) {
            return CORD_OK;
        }
        if (!isfinite(error.most)) {
            break;
        }
        if (!welds_solve(w, fresh)) {
            return singular_system(w, message);
        }
        correct(w);
        if (!fresh && error.most * (error.most / before) <= 0.01 * enough) {
            read_bodies(w);
            *follow = true;
            return CORD_OK;
        }
    }
    return not_converged(w, error, taut, message);
}

// A tied node has the position that the body gives it and the velocity that the impulses give it, so that
// momentum is conserved to the last bit.
static void finish_ties(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    for (int t = a->first_tie[i]; t < a->first_tie[i + 1]; t++) {
        const Tie* tie = &a->ties[t];
        CordVec3 v = slot_get(c->v_next, tie->slot);
        slot_set(c->v_next, tie->slot, vec3_madd(v, tie_pushed(w, t), 1.0 / (tie->mass * w->h)));
        tie->weld->pull_next[tie->k] = vec3_mul(w->ties[t].push, -1.0 / (w->h * a->rods[i]->kick));
    }
}

static void finish_rod(WeldsWork* w, int i)
{
    const Assembly* a = w->a;
    const CordCenterline* c = &a->rods[i]->line;
    finish_ties(w, i);
    if (a->rods[i]->inextensible) {
        rattle_finish(&w->rods[i].l, a->rods[i]->kick);
        centerline_wrap_one(c, c->pull_next);
    }
    for (int t = a->first_tie[i]; t < a->first_tie[i + 1]; t++) {
        slot_set(c->x_next, a->ties[t].slot, vec3_add(w->ties[t].x, w->ties[t].carried));
    }
    centerline_wrap(c, c->x_next);
    centerline_wrap(c, c->v_next);
}

CordResult welds_project(const Assembly* a, double h, Arena* scratch, Message* message)
{
    WeldsWork w = welds_open(a, h, scratch);
    bool follow = false;
    CORD_TRY(iterate(&w, scratch, &follow, message));
    for (int i = 0; i < a->rod_count; i++) {
        if (follow) {
            welds_follow_rod(&w, i);
            update_ties(&w, i);
        }
        finish_rod(&w, i);
    }
    return CORD_OK;
}

void welds_commit(const Assembly* a)
{
    for (int t = 0; t < a->tie_count; t++) {
        const Tie* tie = &a->ties[t];
        tie->weld->pull[tie->k] = tie->weld->pull_next[tie->k];
    }
}
