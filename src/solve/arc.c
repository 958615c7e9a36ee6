#include "solve/arc.h"

#include <string.h>

static double* push_slots(const Rod* rod, Arena* scratch)
{
    size_t stride = centerline_stride(&rod->line);
    double* a = arena_push(scratch, double, stride);
    memset(a, 0, stride * sizeof *a);
    return a + CENTERLINE_PAD;
}

size_t arc_scratch(const Rod* rod)
{
    return statics_scratch(rod) + 18 * arena_space(sizeof(double), (int)centerline_stride(&rod->line));
}

static void open_move(ArcMove* m, const Rod* rod, Arena* scratch)
{
    for (int k = 0; k < 3; k++) {
        m->x[k] = push_slots(rod, scratch);
    }
    m->n = push_slots(rod, scratch);
    m->angle = push_slots(rod, scratch);
}

void arc_open(Arc* arc, Rod* rod, CordVec3 gravity, double time, Arena* scratch)
{
    statics_open(&arc->st, rod, gravity, time, scratch);
    open_move(&arc->step, rod, scratch);
    open_move(&arc->rate, rod, scratch);
    open_move(&arc->tangent, rod, scratch);
    for (int k = 0; k < 3; k++) {
        arc->last[k] = push_slots(rod, scratch);
    }
}

void arc_begin(Arc* arc)
{
    System* sys = &arc->st.sys;
    const CordCenterline* c = &sys->rod->line;
    for (int k = 0; k < 3; k++) {
        memcpy(sys->y[k], c->x[k], (size_t)c->slot_count * sizeof(double));
        memcpy(arc->last[k], c->x[k], (size_t)c->slot_count * sizeof(double));
    }
    sys->trial->begin(sys->rod, 0.0);
    statics_keep(&arc->st);
}

static void read_move(const System* sys, ArcMove* m)
{
    const Strand* st = &sys->strand;
    const CordCenterline* c = &sys->rod->line;
    for (int k = 0; k < strand_node_to(st); k++) {
        int s = strand_slot(st, k);
        for (int i = 0; i < 3; i++) {
            m->x[i][s] = strand_solution(st, strand_next(strand_x(st, k), i));
        }
    }
    for (int k = 0; k < strand_edge_to(st); k++) {
        m->n[strand_slot(st, k)] = strand_solution(st, strand_tension(st, k));
    }
    for (int k = 0; k < strand_frame_to(st); k++) {
        m->angle[strand_slot(st, k)] = strand_solution(st, strand_angle(st, k));
    }
    centerline_wrap(c, m->x);
    centerline_wrap_one(c, m->n);
    centerline_wrap_one(c, m->angle);
}

static bool solve_into(Arc* arc, ArcMove* m)
{
    System* sys = &arc->st.sys;
    system_assemble(sys);
    if (strand_factor(&sys->strand, true).least == 0.0 || !strand_solve(&sys->strand)) {
        return false;
    }
    read_move(sys, m);
    return true;
}

// How held places move with time, from where they are at two times near each other.
static void shift_rates(Arc* arc, double time, double rate_step)
{
    System* sys = &arc->st.sys;
    const CordCenterline* c = &sys->rod->line;
    ArcMove* keep = &arc->rate; // about to be written
    statics_forget_shift(&arc->st);
    statics_shift_clamps(&arc->st, time);
    for (int s = 0; s < c->slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            keep->x[k][s] = sys->shift[k][s];
        }
        keep->angle[s] = sys->shift_angle[s];
    }
    statics_shift_clamps(&arc->st, time + rate_step);
    for (int s = 0; s < c->slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            sys->shift[k][s] = (sys->shift[k][s] - keep->x[k][s]) / rate_step;
        }
        sys->shift_angle[s] = (sys->shift_angle[s] - keep->angle[s]) / rate_step;
    }
}

bool arc_steps(Arc* arc, double time, double rate_step)
{
    System* sys = &arc->st.sys;
    const CordCenterline* c = &sys->rod->line;
    for (int k = 0; k < 3; k++) {
        memcpy(sys->start[k], sys->y[k], (size_t)c->slot_count * sizeof(double));
    }
    sys->mass = arc->st.soft;
    sys->time = time;
    statics_forget_shift(&arc->st);
    statics_shift_clamps(&arc->st, time);
    bool good = solve_into(arc, &arc->step);
    shift_rates(arc, time, rate_step);
    sys->only_shift = true;
    sys->rate_step = rate_step;
    good = good && solve_into(arc, &arc->rate);
    sys->only_shift = false;
    sys->rate_step = 0.0;
    statics_forget_shift(&arc->st);
    return good;
}

static void follow(Arc* arc)
{
    System* sys = &arc->st.sys;
    const double* may_turn = sys->trial->may_turn(sys->rod);
    for (int s = 0; s < sys->rod->line.slot_count; s++) {
        sys->change[s] *= may_turn[s];
        sys->turned[s] += sys->change[s];
    }
    sys->trial->follow(sys->rod, sys->y, sys->time);
    sys->trial->turn(sys->rod, sys->change);
}

void arc_move(Arc* arc, double along)
{
    System* sys = &arc->st.sys;
    for (int s = 0; s < sys->rod->line.slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            sys->y[k][s] += arc->step.x[k][s] + along * arc->rate.x[k][s];
        }
        sys->n[s] += arc->step.n[s] + along * arc->rate.n[s];
        sys->change[s] = arc->step.angle[s] + along * arc->rate.angle[s];
    }
    follow(arc);
}

void arc_predict(Arc* arc, double by)
{
    System* sys = &arc->st.sys;
    for (int s = 0; s < sys->rod->line.slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            sys->y[k][s] += by * arc->tangent.x[k][s];
        }
        sys->n[s] += by * arc->tangent.n[s];
        sys->change[s] = by * arc->tangent.angle[s];
    }
    follow(arc);
}

double arc_change(const Arc* arc, double along)
{
    const CordCenterline* c = &arc->st.sys.rod->line;
    double most = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        double rest = fmax(c->rest_len[s], c->rest_len[s > 0 ? s - 1 : s]);
        for (int k = 0; k < 3; k++) {
            double change = fabs(arc->step.x[k][s] + along * arc->rate.x[k][s]) / rest;
            most = change <= most ? most : change;
        }
        double turn = i < c->edge_count ? fabs(arc->step.angle[s] + along * arc->rate.angle[s]) : 0.0;
        most = turn <= most ? most : turn;
    }
    return most;
}

double arc_product(const Arc* arc, const ArcMove* a, const ArcMove* b)
{
    const Rod* rod = arc->st.sys.rod;
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        sum += rod_node_mass(rod, i) *
               (a->x[0][s] * b->x[0][s] + a->x[1][s] * b->x[1][s] + a->x[2][s] * b->x[2][s]);
    }
    return sum / (rod_mass(rod) * rod->length * rod->length);
}

double arc_distance(const Arc* arc)
{
    const System* sys = &arc->st.sys;
    const CordCenterline* c = &sys->rod->line;
    double sum = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        int s = slot_of(c, i);
        for (int k = 0; k < 3; k++) {
            sum += rod_node_mass(sys->rod, i) * (sys->y[k][s] - arc->last[k][s]) * arc->tangent.x[k][s];
        }
    }
    return sum / (rod_mass(sys->rod) * sys->rod->length * sys->rod->length);
}
