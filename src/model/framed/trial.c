// Trial frames, for implicit steps and static solves.
#include "model/framed/framed.h"
#include "rod/frame.h"

void framed_trial_begin(Rod* rod, double h)
{
    framed_begin(framed_of(rod), rod, h);
}

void framed_trial_begin_at(Rod* rod, double* const x[3])
{
    Framed* g = framed_of(rod);
    framed_begin(g, rod, 0.0);
    framed_follow(g, &g->trial, rod, x);
}

void framed_trial_follow(Rod* rod, double* const x[3], double time)
{
    Framed* g = framed_of(rod);
    framed_follow(g, &g->trial, rod, x);
    framed_hold(g, &g->trial, rod, time);
}

void framed_trial_wind(Rod* rod, double time)
{
    Framed* g = framed_of(rod);
    framed_wind(g, &g->trial, rod, time, false);
}

void framed_trial_rotate(Rod* rod, const double* angle)
{
    framed_rotate(&framed_of(rod)->trial, rod, angle);
}

void framed_trial_turn(Rod* rod, const double* turns)
{
    Framed* g = framed_of(rod);
    framed_turn(g, &g->trial, rod, turns);
}

double framed_trial_energy(Rod* rod, double viscous)
{
    Framed* g = framed_of(rod);
    CornerInput in = framed_input(&g->trial, rod, viscous);
    CornerEnergy e = g->kernels->energy(&in);
    return e.bend + e.twist + e.viscous;
}

void framed_trial_terms(Rod* rod, double viscous, int from, int to, const CornerTerms* out, bool second)
{
    Framed* g = framed_of(rod);
    CornerInput in = framed_input(&g->trial, rod, viscous);
    in.first = from, in.last = to, in.base = out->base;
    if (second) {
        g->kernels->hessian(&in, &out->gradient, &out->hessian);
    } else {
        g->kernels->gradient(&in, &out->gradient);
    }
}

void framed_trial_accept(Rod* rod)
{
    Framed* g = framed_of(rod);
    FrameSet old = g->now;
    g->now = g->trial;
    g->trial = old;
    clamps_accept_trial(rod);
    g->since =
        g->trial_reach; // until the end of a step sets the strain rates again; an equilibrium is at rest
    g->moved = true;
}

double framed_trial_turn_to(Rod* rod, int edge, CordVec3 t, CordVec3 m1)
{
    const CornerEdges* edges = &framed_of(rod)->trial.edges;
    int s = slot_of(&rod->line, edge);
    return frame_angle(frame_transport(slot_get(edges->m1, s), slot_get(edges->t, s), t), m1, t);
}

double framed_trial_turned(const Rod* rod, int slot, double near)
{
    const CornerEdges *from = &framed_of(rod)->now.edges, *to = &framed_of(rod)->trial.edges;
    CordVec3 t = slot_get(to->t, slot);
    CordVec3 start = frame_transport(slot_get(from->m1, slot), slot_get(from->t, slot), t);
    return frame_unwrap(frame_angle(start, slot_get(to->m1, slot), t), near);
}

const char* framed_trial_trouble(Rod* rod, int* node)
{
    return framed_trouble(framed_of(rod), &framed_of(rod)->trial, rod, node);
}

void framed_lend(Rod* rod, Framed* g)
{
    g->home = model_of(rod);
    g->home_data = rod->data;
    g->home_form = rod->form;
    g->moved = false;
    rod->data = g;
    rod->form = MODEL_FRAMED;
}

Framed* framed_return(Rod* rod)
{
    Framed* g = framed_of(rod);
    rod->data = g->home_data;
    rod->form = g->home_form;
    g->home = NULL;
    return g;
}
