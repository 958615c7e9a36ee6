#include "solve/arc_length.h"

#include "base/real.h"
#include "body/inertia.h"

#include <string.h>

// ---- opening

size_t arc_length_scratch(const NewtonGroup* group)
{
    size_t sum = statics_scratch(group) + arena_space(sizeof(ArcLengthRod), newton_group_rods(group)) +
                 arena_space(sizeof(ArcLengthBody), newton_group_bodies(group));
    for (int i = 0; i < group->island_count; i++) {
        for (int k = 0; k < group->islands[i].rod_count; k++) {
            const CordCenterline* c = &group->islands[i].rods[k]->line;
            sum += 3 * move_scratch(c) + slots_scratch(c, 6);
        }
    }
    return sum;
}

void arc_length_open(ArcLength* arc, const NewtonGroup* group, CordVec3 gravity, double time, Arena* scratch)
{
    statics_open(&arc->st, group, gravity, time, scratch);
    const NewtonSystem* sys = &arc->st.sys;
    arc->rods = arena_push(scratch, ArcLengthRod, sys->rod_count);
    arc->bodies = arena_push(scratch, ArcLengthBody, sys->body_count);
    memset(arc->bodies, 0, sizeof *arc->bodies * (size_t)sys->body_count);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        arc->rods[i] = (ArcLengthRod){
            .step = move_open(c, scratch), .rate = move_open(c, scratch), .tangent = move_open(c, scratch)};
        for (int k = 0; k < 3; k++) {
            arc->rods[i].last[k] = slots_push(c, scratch);
            arc->rods[i].marked[k] = slots_push(c, scratch);
        }
    }
}

void arc_length_begin(ArcLength* arc, double time)
{
    NewtonSystem* sys = &arc->st.sys;
    sys->time = time;
    statics_sync(&arc->st);
    statics_keep(&arc->st);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        slots_copy(c, arc->rods[i].last, sys->rods[i].y);
    }
    for (int i = 0; i < sys->body_count; i++) {
        arc->bodies[i].last = sys->bodies[i].pose;
    }
}

// ---- moves

static Move* rod_move(const ArcLength* arc, int i, ArcLengthKind kind)
{
    ArcLengthRod* r = &arc->rods[i];
    return kind == ARC_STEP ? &r->step : kind == ARC_RATE ? &r->rate : &r->tangent;
}

static double* body_move(const ArcLength* arc, int i, ArcLengthKind kind)
{
    ArcLengthBody* b = &arc->bodies[i];
    return kind == ARC_STEP ? b->step : kind == ARC_RATE ? b->rate : b->tangent;
}

void arc_length_take_move(ArcLength* arc, ArcLengthKind kind)
{
    const NewtonSystem* sys = &arc->st.sys;
    for (int i = 0; i < sys->rod_count; i++) {
        move_copy(&sys->rods[i].rod->line, rod_move(arc, i, kind), &sys->rods[i].move);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(body_move(arc, i, kind), sys->bodies[i].move, sizeof sys->bodies[i].move);
    }
}

static bool solve_into(ArcLength* arc, ArcLengthKind kind)
{
    NewtonSystem* sys = &arc->st.sys;
    newton_assemble(sys);
    if (statics_factor_in_full(&arc->st).least == 0.0 || !newton_solve(sys)) {
        return false;
    }
    arc_length_take_move(arc, kind);
    return true;
}

// Rate of the prescribed displacement of clamps, by finite difference over rate_step.
static void shift_rates(ArcLength* arc, double time, double rate_step)
{
    NewtonSystem* sys = &arc->st.sys;
    statics_clear_shift(&arc->st);
    statics_shift_clamps(&arc->st, time);
    for (int i = 0; i < sys->rod_count; i++) {
        // rate holds a copy until solve_into overwrites it
        move_copy(&sys->rods[i].rod->line, &arc->rods[i].rate, &sys->rods[i].shift);
    }
    statics_shift_clamps(&arc->st, time + rate_step);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        Move* shift = &sys->rods[i].shift;
        move_add(c, shift, &arc->rods[i].rate, -1.0);
        move_add(c, shift, shift, 1.0 / rate_step - 1.0);
    }
}

bool arc_length_steps(ArcLength* arc, double time, double rate_step)
{
    NewtonSystem* sys = &arc->st.sys;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        // so that the mass adds to the matrix and not to the forces
        slots_copy(&r->rod->line, r->start, r->y);
    }
    for (int i = 0; i < sys->body_count; i++) {
        newton_free_body(&sys->bodies[i]);
    }
    sys->mass = arc->st.soft;
    sys->time = time;
    statics_push_bodies(&arc->st);
    statics_clear_shift(&arc->st);
    statics_shift_clamps(&arc->st, time);
    bool good = solve_into(arc, ARC_STEP);
    shift_rates(arc, time, rate_step);
    sys->only_shift = true;
    sys->rate_step = rate_step;
    statics_push_bodies(&arc->st);
    good = good && solve_into(arc, ARC_RATE);
    sys->only_shift = false;
    sys->rate_step = 0.0;
    statics_clear_shift(&arc->st);
    return good;
}

// Sets the Newton step to a linear combination of two moves.
static void combine(ArcLength* arc, ArcLengthKind a, double by_a, ArcLengthKind b, double by_b)
{
    NewtonSystem* sys = &arc->st.sys;
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        move_clear(c, &r->move);
        move_add(c, &r->move, rod_move(arc, i, a), by_a);
        move_add(c, &r->move, rod_move(arc, i, b), by_b);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].move[k] = by_a * body_move(arc, i, a)[k] + by_b * body_move(arc, i, b)[k];
        }
    }
}

void arc_length_combine(ArcLength* arc, double along)
{
    combine(arc, ARC_STEP, 1.0, ARC_RATE, along);
}

void arc_length_move(ArcLength* arc, double along)
{
    arc_length_combine(arc, along);
    newton_move(&arc->st.sys, 1.0);
}

void arc_length_predict(ArcLength* arc, double by)
{
    combine(arc, ARC_TANGENT, by, ARC_TANGENT, 0.0);
    newton_move(&arc->st.sys, 1.0);
}

double arc_length_change(const ArcLength* arc, double along)
{
    const NewtonSystem* sys = &arc->st.sys;
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        const Move *step = &arc->rods[i].step, *rate = &arc->rods[i].rate;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            double rest = real_max(c->rest_len[s], n > 0 || c->closed ? c->rest_len[s - 1] : 0.0);
            for (int k = 0; k < 3; k++) {
                double change = fabs(step->x[k][s] + along * rate->x[k][s]) / rest;
                most = change <= most ? most : change;
            }
            double turn = n < c->edge_count ? fabs(step->angle[s] + along * rate->angle[s]) : 0.0;
            most = turn <= most ? most : turn;
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 3; k < 6; k++) {
            double turn = fabs(arc->bodies[i].step[k] + along * arc->bodies[i].rate[k]);
            most = turn <= most ? most : turn;
        }
    }
    return most;
}

void arc_length_set_tangent(ArcLength* arc, ArcLengthKind kind, double share)
{
    for (int i = 0; i < arc->st.sys.rod_count; i++) {
        const CordCenterline* c = &arc->st.sys.rods[i].rod->line;
        move_clear(c, &arc->rods[i].tangent);
        move_add(c, &arc->rods[i].tangent, rod_move(arc, i, kind), share);
    }
    for (int i = 0; i < arc->st.sys.body_count; i++) {
        for (int k = 0; k < 6; k++) {
            arc->bodies[i].tangent[k] = share * body_move(arc, i, kind)[k];
        }
    }
}

void arc_length_scale_tangent(ArcLength* arc, double by)
{
    for (int i = 0; i < arc->st.sys.rod_count; i++) {
        Move* tangent = &arc->rods[i].tangent;
        move_add(&arc->st.sys.rods[i].rod->line, tangent, tangent, by - 1.0);
    }
    for (int i = 0; i < arc->st.sys.body_count; i++) {
        for (int k = 0; k < 6; k++) {
            arc->bodies[i].tangent[k] *= by;
        }
    }
}

// ---- norm: nodes of rods, carried ones included, and centres of bodies

static double norm_scale(const NewtonSystem* sys)
{
    double L = sys->rods->rod->length;
    return newton_mass(sys) * L * L;
}

// Vectors by node beside the moves of ArcLengthKind.
enum {
    TO_TRIAL = ARC_TANGENT + 1, // from the last accepted point to the trial
    FROM_MARK                   // from the marked positions to the present ones
};

static CordVec3 node_vector(const ArcLength* arc, int rod, int s, int kind)
{
    const NewtonRod* r = &arc->st.sys.rods[rod];
    const ArcLengthRod* a = &arc->rods[rod];
    switch (kind) {
    case TO_TRIAL: return vec3_sub(slot_get(r->y, s), slot_get(a->last, s));
    case FROM_MARK: return vec3_sub(slot_get(r->rod->line.x, s), slot_get(a->marked, s));
    default: return slot_get(rod_move(arc, rod, (ArcLengthKind)kind)->x, s);
    }
}

// Inner product over the nodes, weighted by mass.
static double product_of_nodes(const ArcLength* arc, int a, int b)
{
    const NewtonSystem* sys = &arc->st.sys;
    double sum = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            sum += rod_node_mass(sys->rods[i].rod, n) *
                   vec3_dot(node_vector(arc, i, s, a), node_vector(arc, i, s, b));
        }
    }
    return sum;
}

double arc_length_product(const ArcLength* arc, ArcLengthKind a, ArcLengthKind b)
{
    const NewtonSystem* sys = &arc->st.sys;
    double sum = product_of_nodes(arc, (int)a, (int)b);
    for (int i = 0; i < sys->body_count; i++) {
        const double *u = body_move(arc, i, a), *v = body_move(arc, i, b);
        sum += sys->bodies[i].inertia.mass * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
    }
    return sum / norm_scale(sys);
}

double arc_length_distance(const ArcLength* arc)
{
    const NewtonSystem* sys = &arc->st.sys;
    double sum = product_of_nodes(arc, TO_TRIAL, ARC_TANGENT);
    for (int i = 0; i < sys->body_count; i++) {
        CordVec3 moved = vec3_sub(sys->bodies[i].pose.point, arc->bodies[i].last.point);
        const double* t = arc->bodies[i].tangent;
        sum += sys->bodies[i].inertia.mass * vec3_dot(moved, (CordVec3){t[0], t[1], t[2]});
    }
    return sum / norm_scale(sys);
}

double arc_length_moved(const ArcLength* arc)
{
    const NewtonSystem* sys = &arc->st.sys;
    double sum = product_of_nodes(arc, TO_TRIAL, TO_TRIAL);
    for (int i = 0; i < sys->body_count; i++) {
        CordVec3 moved = vec3_sub(sys->bodies[i].pose.point, arc->bodies[i].last.point);
        sum += sys->bodies[i].inertia.mass * vec3_dot(moved, moved);
    }
    return sum / norm_scale(sys);
}

void arc_length_mark(ArcLength* arc)
{
    for (int i = 0; i < arc->st.sys.rod_count; i++) {
        const CordCenterline* c = &arc->st.sys.rods[i].rod->line;
        slots_copy(c, arc->rods[i].marked, c->x);
    }
}

double arc_length_gone(const ArcLength* arc)
{
    return product_of_nodes(arc, FROM_MARK, FROM_MARK) / norm_scale(&arc->st.sys);
}

double arc_length_gone_along(const ArcLength* arc)
{
    return product_of_nodes(arc, FROM_MARK, ARC_TANGENT) / norm_scale(&arc->st.sys);
}
