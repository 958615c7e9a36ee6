// Frames at the end of a step, and the rates of strain that damping acts on.
#include "model/framed/framed.h"

#include "base/real.h"

#include <string.h>

// ---- rates of strain
//
// Explicit rods and backward Euler use the difference quotient over the step: the change of the strains s
// over h. The implicit midpoint rule needs a correction. At y, the midpoint of the positions x0 and x1, the
// strains are not the mean of s(x0) and s(x1), because they are not linear in the positions. The second
// difference e = s(x0) - 2 s(y) + s(x1) ("bow") makes up for it. Without it the rule would be of first order,
// and a rigid rotation would be damped. The bow of the last step, scaled by the squared ratio of the steps,
// equals that of this step up to O(h^3):
//
//     rate at y = [s(y) - (s(x0) - e/2)] / (h/2),      which is zero for a rigid rotation.
//
// The frames at x1 are in equilibrium with the rate at x1. To make it second order, it is the derivative of
// the parabola through the ends of the last three steps: backward differentiation (BDF2), which does not
// oscillate where the retardation time is short. With d = s(x1) - s(x0) ("rise"), d' the rise of the step
// before and r = h/h',
//
//     rate at x1 = (1 + w) [s(x1) - (s(x0) + w/(1 + w) r d')] / h,      w = r/(1 + r).

#define MOST_RATIO 2.0 // of a step to the last one; after a longer step the extrapolation starts anew

static bool is_midpoint(const Rod* rod)
{
    return rod->integrator == CORD_INTEGRATOR_MIDPOINT;
}

FramedStrains framed_past(const FrameSet* f, double* len)
{
    const CornerNodes* n = &f->nodes;
    return (FramedStrains){{n->past_A[0], n->past_A[1], n->past_B[0], n->past_B[1], n->past_m, len}};
}

void framed_strains(const Framed* g, const FrameSet* f, const Rod* rod, const FramedStrains* to)
{
    CornerInput in = framed_input(f, rod, 0.0);
    g->kernels->strains(&in, &to->of[0], &to->of[2]);
    for (int s = 0; s < rod->line.slot_count; s++) {
        to->of[4][s] = f->nodes.m[s];
        to->of[5][s] = f->edges.inv_len[s] > 0.0 ? 1.0 / f->edges.inv_len[s] : 0.0;
    }
}

static void add_strains(const Framed* g, const FrameSet* f, const Rod* rod, const FramedStrains* to)
{
    double* now[4] = {g->scratch[0], g->scratch[1], g->scratch[2], g->diag};
    CornerInput in = framed_input(f, rod, 0.0);
    g->kernels->strains(&in, now, now + 2);
    for (int s = 0; s < rod->line.slot_count; s++) {
        for (int i = 0; i < 4; i++) {
            to->of[i][s] += now[i][s];
        }
        to->of[4][s] += f->nodes.m[s];
        to->of[5][s] += f->edges.inv_len[s] > 0.0 ? 1.0 / f->edges.inv_len[s] : 0.0;
    }
}

// Writes to the trial frames only, so that a failed step leaves the state unchanged.
void framed_begin(Framed* g, const Rod* rod, double reach)
{
    framed_copy(&g->trial, &g->now, &rod->line);
    clamps_begin_trial(rod);
    g->trial_reach = reach;
    if (g->damping_time == 0.0 || reach == 0.0) {
        return;
    }
    FramedStrains past = framed_past(&g->trial, g->turn);
    framed_strains(g, &g->now, rod, &past);
    double h = is_midpoint(rod) ? 2.0 * reach : reach;
    bool known = g->since > 0.0 && rod->last_step > 0.0 && h <= MOST_RATIO * rod->last_step;
    g->ratio = known && is_midpoint(rod) ? h / rod->last_step : 0.0;
    for (int i = 0; i < FRAMED_STRAINS && g->ratio > 0.0; i++) {
        for (int s = 0; s < rod->line.slot_count; s++) {
            past.of[i][s] -= 0.5 * g->ratio * g->ratio * g->bow.of[i][s];
        }
    }
}

// Call this before the frames move to the end of an implicit step. g->now then holds the frames at y, and
// framed_trial_accept has left the frames of the step's start in g->trial.
static void begin_rates(Framed* g, const Rod* rod)
{
    FramedStrains past = framed_past(&g->now, g->past_len);
    g->since = rod->last_step;
    if (!is_midpoint(rod)) {
        framed_strains(g, &g->trial, rod, &past);
        return;
    }
    double w = g->ratio / (1.0 + g->ratio), share = w / (1.0 + w) * g->ratio;
    framed_strains(g, &g->now, rod, &g->bow);
    framed_strains(g, &g->trial, rod, &past);
    for (int i = 0; i < FRAMED_STRAINS; i++) {
        for (int s = 0; s < rod->line.slot_count; s++) {
            double start = past.of[i][s];
            g->bow.of[i][s] = start - 2.0 * g->bow.of[i][s];
            past.of[i][s] = start + share * g->rise.of[i][s];
            g->rise.of[i][s] = -start;
        }
    }
    g->since /= 1.0 + w;
}

static void end_rates(Framed* g, const Rod* rod)
{
    FramedStrains end = framed_past(&g->trial, g->turn);
    framed_strains(g, &g->now, rod, &end);
    for (int i = 0; i < FRAMED_STRAINS; i++) {
        for (int s = 0; s < rod->line.slot_count; s++) {
            g->bow.of[i][s] += end.of[i][s];
            g->rise.of[i][s] += end.of[i][s];
        }
    }
}

// ---- the end of the step

// The remaining rotation of frames with inertia, in units of h times the old and the new spin. The explicit
// step turns them by the new spin over the full step. The midpoint rule has covered half of the step and uses
// the mean of both for the rest. Backward Euler has already turned them.
static const struct {
    double before, after; // weight of the old spin and of the new one
} turn_shares[] = {[RATES_EXPLICIT] = {0.0, 1.0}, [RATES_END] = {0.0, 0.0}, [RATES_MIDPOINT] = {0.25, 0.25}};

#define TURN_FAR 0.5 // neighbours that turn by less keep the nearest twist [rad]

static bool turns_far(const Framed* g, const CordCenterline* c)
{
    double most = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        most = real_max(most, fabs(g->turn[s]));
    }
    return most > TURN_FAR;
}

// Advances frames with inertia by their spin, at the end of a step.
static void update_spinning(Framed* g, const Rod* rod, const FramesUpdate* update)
{
    const CordCenterline* c = &rod->line;
    double before = turn_shares[update->rates].before, after = turn_shares[update->rates].after;
    for (int s = 0; s < c->slot_count; s++) {
        g->turn[s] = update->h * (before * g->spin[s] + after * g->spin_next[s]);
        g->spin[s] = update->h > 0.0 ? g->spin_next[s] : g->spin[s];
    }
    centerline_wrap_one(c, g->turn);
    if (turns_far(g, c)) { // the kernel would find the nearest twist
        for (int s = 0; s < c->slot_count; s++) {
            g->turn[s] = framed_turned_by(g->turn[s]);
        }
        framed_rotate(&g->now, rod, g->turn);
        memset(g->turn, 0, sizeof *g->turn * (size_t)c->slot_count);
    }
    CornerInput in = framed_input(&g->now, rod, 0.0);
    g->kernels->follow(&in, (const double* const[3]){c->x[0], c->x[1], c->x[2]}, g->turn, 1.0, NULL);
    framed_wrap(&g->now, c);
}

// Transports frames that the step has already brought to equilibrium.
static void update_settled(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    memset(g->turn, 0, sizeof *g->turn * (size_t)c->slot_count);
    CornerInput in = framed_input(&g->now, rod, 0.0);
    g->kernels->follow(&in, (const double* const[3]){c->x[0], c->x[1], c->x[2]}, g->turn, 1.0, NULL);
    framed_wrap(&g->now, c);
    g->turn_iterations = 0;
}

// Sets held frames to the orientation of their clamps on the new tangents. The transport that follows leaves
// them there, because their tangents no longer change.
static void hold_on_new_tangents(const Framed* g, FrameSet* f, const Rod* rod, const FramesUpdate* update)
{
    const CordCenterline* c = &rod->line;
    double time = update->time;
    framed_wind(g, f, rod, time, update->h > 0.0);
    loads_set_torques(rod, time, false, g->load_torque);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (clamp_holds_frame(clamp)) {
            int s = slot_of(c, clamp->edge);
            CordVec3 t = edge_tangent(c, clamp->edge);
            slot_set(f->edges.t, s, t);
            slot_set(f->edges.m1, s, clamp_frame(clamp, t, time));
            g->spin[s] = 0.0;
        }
    }
    framed_wrap(f, c);
    centerline_wrap_one(c, g->spin);
}

static void follow_rod(Framed* g, const Rod* rod, const FramesUpdate* update)
{
    hold_on_new_tangents(g, &g->now, rod, update);
    if (rod->dynamic_twist) {
        update_spinning(g, rod, update);
    } else if (update->settled) {
        update_settled(g, rod);
    } else {
        g->turn_iterations =
            framed_follow_relaxed(g, rod, framed_viscous_now(g), update->rates == RATES_EXPLICIT);
    }
}

// Positions that were set by the user (h = 0) give no strain rates.
static void update_frames(Framed* g, const Rod* rod, const FramesUpdate* update)
{
    bool rates = g->damping_time > 0.0 && update->h > 0.0;
    g->since = 0.0;
    if (rates && update->rates != RATES_EXPLICIT) {
        begin_rates(g, rod);
    } else if (rates) {
        FramedStrains past = framed_past(&g->now, g->past_len);
        framed_strains(g, &g->now, rod, &past);
        g->since = update->h;
    }
    follow_rod(g, rod, update);
    if (rates && update->rates == RATES_MIDPOINT) {
        end_rates(g, rod);
    }
}

// Updates the frames after nodes were inserted or removed between two steps. Shifts the past strains by the
// change of the strains, so that the strain rates are kept.
static void update_remeshed(Framed* g, const Rod* rod, const FramesUpdate* update)
{
    FramedStrains past = framed_past(&g->now, g->past_len);
    double since = g->since;
    bool rates = g->damping_time > 0.0 && since > 0.0;
    for (int pass = 0; pass < 2; pass++) { // past := past - old strains + new strains
        for (int i = 0; rates && i < FRAMED_STRAINS; i++) {
            for (int s = 0; s < rod->line.slot_count; s++) {
                past.of[i][s] = -past.of[i][s];
            }
        }
        if (rates) {
            add_strains(g, &g->now, rod, &past);
        }
        if (pass == 0) {
            update_frames(g, rod, update);
        }
    }
    g->since = since;
}

void framed_update(Framed* g, const Rod* rod, const FramesUpdate* update)
{
    update->jump ? update_remeshed(g, rod, update) : update_frames(g, rod, update);
}
