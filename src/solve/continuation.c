// Natural continuation: equilibria that follow moving clamps.
#include "base/real.h"
#include "math/elementary.h"
#include "solve/statics.h"

#include <string.h>

#define MOST_FOLLOW 0.35  // largest rotation of an edge in one part of the motion [rad]
#define MOST_PARTS 100    // of the clamps' motion
#define LEAST_FOLLOW 0.01 // smallest part, as a fraction of the remaining motion

// From a clamped node to its target.
static CordVec3 way_of(const NewtonSystem* sys, const NewtonRod* r, const Clamp* clamp, int k, double time)
{
    CordVec3 target = vec3_sub(clamp_target(clamp, k, time), sys->origin);
    return vec3_sub(target, slot_get(r->y, slot_of(&r->rod->line, clamp->node[k])));
}

// Mean displacement along the axis that would take a sliding clamp back to its target. It is free, so that it
// is not prescribed.
static double slide_of(const NewtonSystem* sys, const NewtonRod* r, const Clamp* clamp, double time)
{
    double sum = 0.0;
    for (int k = 0; k < clamp->node_count && clamp->def.slides; k++) {
        sum += vec3_dot(way_of(sys, r, clamp, k, time), clamp->axis);
    }
    return sum / clamp->node_count;
}

static bool shift_clamp(const NewtonSystem* sys, NewtonRod* r, const Clamp* clamp, double time)
{
    const CordCenterline* c = &r->rod->line;
    bool moves = false;
    CordVec3 target[2];
    double slide = slide_of(sys, r, clamp, time);
    for (int k = 0; k < clamp->node_count; k++) {
        int s = slot_of(c, clamp->node[k]);
        CordVec3 by = way_of(sys, r, clamp, k, time);
        by = clamp->def.slides ? vec3_madd(by, clamp->axis, -slide) : by;
        target[k] = vec3_add(slot_get(r->y, s), by);
        slot_set(r->shift.x, s, by);
        moves |= vec3_length(by) > 1e-14 * r->rod->length;
    }
    if (clamp->def.fix == CORD_FIX_FRAME && !clamp->def.has_torque) {
        CordVec3 t = vec3_unit(vec3_sub(target[1], target[0]));
        double angle = framed_trial_turn_to(r->rod, clamp->edge, t, clamp_frame(clamp, t, time));
        r->shift.angle[slot_of(c, clamp->edge)] = angle;
        moves |= fabs(angle) > 1e-14 || clamp_turn(clamp, CLAMP_TRIAL, time) != 0.0;
    }
    return moves;
}

bool statics_shift_clamps(Statics* st, double time)
{
    bool moves = false;
    for (int i = 0; i < st->sys.rod_count; i++) {
        NewtonRod* r = &st->sys.rods[i];
        for (int k = 0; k < r->rod->clamp_count; k++) {
            const Clamp* clamp = r->rod->clamps[k];
            if (clamp->holds && !clamp->carrier) {
                moves |= shift_clamp(&st->sys, r, clamp, time);
            }
        }
    }
    return moves;
}

void statics_clear_shift(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        move_clear(&st->sys.rods[i].rod->line, &st->sys.rods[i].shift);
    }
}

// Moves clamps by a fraction of their remaining motion and takes one Newton step. Held frames turn with the
// last part only.
static bool follow_share(Statics* st, double time, double share)
{
    NewtonSystem* sys = &st->sys;
    double before = sys->time;
    statics_keep(st);
    for (int i = 0; i < sys->rod_count && share == 1.0; i++) {
        framed_trial_wind(sys->rods[i].rod, time); // as the step below does
    }
    sys->mass = st->soft;
    if (sys->joins) {
        newton_assemble(sys); // carried forces enter the bodies' stiffness
    }
    statics_shift_clamps(st, time);
    for (int i = 0; i < sys->rod_count && share < 1.0; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        Move* shift = &sys->rods[i].shift;
        move_add(c, shift, shift, share - 1.0);
        memset(shift->angle, 0, (size_t)c->slot_count * sizeof(double));
    }
    sys->time = share < 1.0 ? before : time;
    sys->only_shift = true;
    newton_assemble(sys);
    bool moved =
        statics_factor_in_full(st).least > 0.0 && newton_solve(sys) && newton_turning(sys) <= MOST_FOLLOW;
    sys->only_shift = false;
    statics_clear_shift(st);
    if (moved) {
        statics_save_solution(st);
        moved = statics_try_step(st, 1.0);
    }
    if (!moved) {
        sys->time = before;
        statics_rollback(st);
        return false;
    }
    statics_accept(st);
    return true;
}

// A straight inextensible rod must buckle as its clamps approach. This moves it along its softest mode by the
// amplitude that makes up for the clamps' motion: a half wave of amplitude a shortens the rod by pi^2 a^2 /
// (4 L).
static bool bend_out(Statics* st, double time)
{
    NewtonSystem* sys = &st->sys;
    double moved = 0.0, size = 0.0, before = sys->time;
    statics_keep(st);
    sys->mass = st->soft;
    newton_assemble(sys);
    if (!statics_factor_definite(st)) {
        return false;
    }
    statics_softest(st, 0);
    statics_save_solution(st);
    statics_rollback(st);
    statics_shift_clamps(st, time);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            moved = real_max(moved, vec3_length(slot_get(sys->rods[i].shift.x, s)));
            size = real_max(size, vec3_length(slot_get(st->rods[i].solution.x, s)));
        }
    }
    double amplitude = 2.0 / CORD_PI * sqrt(moved * sys->rods->rod->length);
    for (int i = 0; i < sys->rod_count; i++) {
        const CordCenterline* c = &sys->rods[i].rod->line;
        Move* m = &st->rods[i].solution;
        move_add(c, m, m, amplitude / size - 1.0);
        move_add(c, m, &sys->rods[i].shift, 1.0);
        memset(m->n, 0, (size_t)c->slot_count * sizeof(double));
        move_wrap(c, m);
    }
    statics_clear_shift(st);
    sys->time = time;
    if (!statics_try_step(st, 1.0)) {
        sys->time = before;
        statics_rollback(st);
        return false;
    }
    for (int i = 0; i < sys->rod_count && sys->rods[i].rod->inextensible; i++) {
        // the multipliers of a taut rod are arbitrary
        memset(sys->rods[i].n, 0, (size_t)sys->rods[i].rod->line.slot_count * sizeof(double));
    }
    statics_accept(st);
    return true;
}

// Full turns that the model has no strain for: no part of the motion is short enough.
static CordResult check_turns(Statics* st, double time, Message* message)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        Rod* rod = st->sys.rods[i].rod;
        int node = 0;
        framed_trial_wind(rod, time);
        const char* what = framed_trial_trouble(rod, &node);
        framed_trial_begin(rod, 0.0);
        if (what) {
            return message_fail(message, CORD_NOT_CONVERGED, "rod '%s' %s (node %d)", rod->name, what, node);
        }
    }
    return CORD_OK;
}

// Motions that no part of them makes possible.
static CordResult check_motions(Statics* st, double time, Message* message)
{
    CORD_TRY(check_turns(st, time, message));
    for (int i = 0; i < st->sys.rod_count; i++) {
        if (!clamps_are_within_reach(st->sys.rods[i].rod, time, message)) {
            return CORD_NOT_CONVERGED;
        }
    }
    return CORD_OK;
}

CordResult statics_follow(Statics* st, double time, Message* message)
{
    NewtonSystem* sys = &st->sys;
    double share = 1.0;
    statics_keep(st);
    if (!statics_shift_clamps(st, time)) {
        statics_clear_shift(st);
        sys->time = time;
        return CORD_OK;
    }
    if (check_motions(st, time, message) != CORD_OK) {
        statics_clear_shift(st);
        return CORD_NOT_CONVERGED;
    }
    for (int n = 0; n < MOST_PARTS && share >= LEAST_FOLLOW; n++) {
        if (follow_share(st, time, share)) {
            if (share == 1.0) {
                return CORD_OK;
            }
            share = real_min(1.0, 2.0 * share / (1.0 - share)); // twice as far, as a fraction of the rest
        } else {
            share *= 0.5;
            if (share < LEAST_FOLLOW && bend_out(st, time)) {
                return CORD_OK;
            }
        }
    }
    return message_fail(
        message, CORD_NOT_CONVERGED,
        "rod '%s': its clamps move too far in one step, or all but as far apart as the rod is long: move "
        "them in shorter steps, or less far",
        sys->rods->rod->name);
}
