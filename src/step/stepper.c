#include "step/stepper.h"

#include "math/elementary.h"
#include "model/framed/framed.h"

#include <string.h>

static const Stepper* const steppers[STEPPER_ID_COUNT] = {
    [STEPPER_EXPLICIT] = &stepper_explicit,         [STEPPER_IMPLICIT] = &stepper_implicit,
    [STEPPER_POSITION] = &stepper_position,         [STEPPER_MODAL] = &stepper_modal,
    [STEPPER_IMPLICIT_ANY] = &stepper_implicit_any,
};

const Stepper* stepper_of(const Rod* rod)
{
    return steppers[rod->stepper];
}

StepperId stepper_choose(const CordRodDef* def)
{
    return def->model == CORD_MODEL_MODAL ? STEPPER_MODAL
           : rod_def_is_implicit(def)     ? STEPPER_IMPLICIT
           : def->model == CORD_MODEL_PBD ? STEPPER_POSITION
                                          : STEPPER_EXPLICIT;
}

// ---- frames

static FramesUpdate update_of(const Rod* rod, double time, double h)
{
    const Stepper* s = stepper_of(rod);
    return (FramesUpdate){.time = time,
                          .h = h,
                          .rates = s->rates ? s->rates(rod) : RATES_EXPLICIT,
                          .settled = h > 0.0 && s->frames_settled && s->frames_settled(rod)};
}

void stepper_update_frames(Rod* rod, double time, double h)
{
    FramesUpdate update = update_of(rod, time, h);
    model_of(rod)->update_frames(rod, &update);
}

void stepper_jump_frames(Rod* rod, double time)
{
    FramesUpdate update = update_of(rod, time, 0.0);
    update.jump = true;
    update.settled = stepper_of(rod)->frames_settled && stepper_of(rod)->frames_settled(rod);
    model_of(rod)->update_frames(rod, &update);
}

// ---- switching steppers

CordResult stepper_reserve_switch(Memory* m, Rod* rod, Message* message)
{
    const Stepper* stepper = stepper_of(rod);
    return stepper->reserve_switch ? stepper->reserve_switch(m, rod, message) : CORD_OK;
}

bool stepper_switch(Memory* m, Rod* rod)
{
    const Stepper* stepper = stepper_of(rod);
    if (stepper->switch_to_newton) {
        stepper->switch_to_newton(m, rod);
        framed_of(rod)->keeps_trial = true;
        rod->integrator = stepper->newton;
    }
    return stepper->switch_to_newton != NULL;
}

void stepper_rest(Rod* rod)
{
    CordCenterline* c = &rod->line;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            c->v[k][s] = 0.0;
        }
    }
    if (stepper_of(rod)->rest) {
        stepper_of(rod)->rest(rod);
    }
    rod->last_step = 0.0;
}

// ---- state

// Steps of other rods leave line.pull as the last solve has set it.
static bool has_multipliers(const Rod* rod)
{
    return rod->inextensible || rod->pull_is_tension;
}

void stepper_state(Rod* rod, Bytes* b)
{
    CordCenterline* c = &rod->line;
    for (int k = 0; k < 3; k++) {
        bytes_doubles(b, c->x[k] + c->halo, c->node_count);
        bytes_doubles(b, c->v[k] + c->halo, c->node_count);
    }
    if (has_multipliers(rod) || b->mode != BYTES_HASH) { // else it refines answers and changes no step
        bytes_doubles(b, c->pull + c->halo, c->edge_count);
    }
    if (b->mode == BYTES_READ) {
        centerline_wrap(c, c->x);
        centerline_wrap(c, c->v);
        centerline_wrap_one(c, c->pull);
    }
}

void rod_state(Rod* rod, Bytes* b)
{
    bytes_expect(b, rod->line.node_count);
    if (stepper_of(rod)->state) {
        stepper_of(rod)->state(rod, b);
    }
    bytes_double(b, &rod->last_step);
    bytes_bool(b, &rod->stepped);
}

// ---- shared by the steppers

void stepper_commit_clamps(Rod* rod, const StepInfo* step)
{
    clamps_commit(rod, step->kick);
    loads_restore_masses(rod);
}

void stepper_commit_line(Rod* rod, const StepInfo* step)
{
    centerline_commit(&rod->line);
    if (has_multipliers(rod)) {
        centerline_commit_pull(&rod->line);
    }
    rod->last_step = step->h;
    rod->stepped = true;
}

void stepper_settle(Rod* rod, const StepInfo* step)
{
    stepper_update_frames(rod, step->time + step->h, step->h);
}

void stepper_commit(Rod* rod, const StepInfo* step)
{
    stepper_commit_clamps(rod, step);
    stepper_commit_line(rod, step);
    stepper_settle(rod, step);
}

double stepper_speed2(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int s = 0; s < c->slot_count; s++) {
        CordVec3 v = slot_get(c->v_next, s);
        sum += vec3_dot(v, v);
    }
    return sum;
}

void stepper_drift(const CordCenterline* c, double h)
{
    for (int k = 0; k < 3; k++) {
        const double *x = c->x[k], *v = c->v_next[k];
        double* x_next = c->x_next[k];
        for (int s = 0; s < c->slot_count; s++) {
            x_next[s] = x[s] + h * v[s];
        }
    }
}

void stepper_shorten(Rod* rod, const CordVec3* x, double share)
{
    CordCenterline* c = &rod->line;
    for (int n = 0; n < c->node_count; n++) {
        int s = slot_of(c, n);
        if (c->w[s] > 0.0) {
            slot_set(c->x_next, s, x[n]);
            slot_set(c->v_next, s, vec3_mul(slot_get(c->v_next, s), share));
        }
    }
    centerline_wrap(c, c->x_next);
    centerline_wrap(c, c->v_next);
    double* spin = rod->dynamic_twist ? model_of(rod)->spin(rod).next : NULL;
    for (int s = 0; spin && s < c->slot_count; s++) {
        spin[s] *= share;
    }
    if (stepper_of(rod)->shorten) {
        stepper_of(rod)->shorten(rod, share);
    }
}

void stepper_keep_free(const Rod* rod)
{
    size_t size = (size_t)rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        memcpy(rod->v_free[k], rod->line.v_next[k], size);
    }
    if (rod->dynamic_twist) {
        memcpy(rod->spin_free, model_of(rod)->spin(rod).next, size);
    }
}

// ---- failures

CordResult stepper_check_trouble(const Rod* rod, Message* message)
{
    int node = 0;
    const char* what = model_of(rod)->trouble ? model_of(rod)->trouble(rod, &node) : NULL;
    return what ? message_fail(message, CORD_NOT_CONVERGED, "rod '%s' %s (node %d)", rod->name, what, node)
                : CORD_OK;
}

static CordResult check_folds(const Rod* rod, Message* message)
{
    int node = centerline_fold(&rod->line);
    return node < 0 ? CORD_OK
                    : message_fail(message, CORD_DIVERGED,
                                   "rod '%s' is folded onto itself at node %d, where bending has no end",
                                   rod->name, node);
}

static CordResult diverged(const Rod* rod, const char* how, Message* message)
{
    const CordCenterline* c = &rod->line;
    CORD_TRY(check_folds(rod, message));
    CORD_TRY(stepper_check_trouble(rod, message));
    int node = 0;
    double most = -1.0;
    for (int i = 0; i < c->node_count; i++) {
        double speed = vec3_length(slot_get(c->v_next, slot_of(c, i)));
        if (!isfinite(speed)) {
            node = i;
            break;
        }
        if (speed > most) {
            node = i;
            most = speed;
        }
    }
    return message_fail(message, CORD_DIVERGED, "rod '%s' diverged at node %d: %s", rod->name, node, how);
}

// Reports divergence if the root mean square motion in a step exceeds a hundred rod lengths.
CordResult stepper_check_speed(const Rod* rod, double speed2, double h, Message* message)
{
    if (!isfinite(speed2)) {
        return diverged(rod, "its velocity is no longer finite", message);
    }
    double far = 100.0 * rod->length;
    if (speed2 * h * h > far * far * rod->line.slot_count) {
        return diverged(rod, "it moved a hundred times the rod's length in one step", message);
    }
    return CORD_OK;
}

CordResult stepper_check_speeds(const Island* island, double h, Message* message)
{
    for (int i = 0; i < island->rod_count; i++) {
        CORD_TRY(stepper_check_speed(island->rods[i], stepper_speed2(island->rods[i]), h, message));
    }
    return CORD_OK;
}

bool stepper_frames_may_fail(const Rod* rod)
{
    return model_of(rod)->frames_may_fail && model_of(rod)->frames_may_fail(rod);
}

CordResult stepper_check_frames(const Rod* rod, Message* message)
{
    if (!rod->unsettled) {
        return CORD_OK;
    }
    CORD_TRY(check_folds(rod, message));
    CORD_TRY(stepper_check_trouble(rod, message));
    if (rod->dynamic_twist) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s': its frames turn so far in one step that its energy is no longer "
                            "finite; take a shorter step",
                            rod->name);
    }
    return message_fail(
        message, CORD_NOT_CONVERGED, "rod '%s': its material frames found no equilibrium%s", rod->name,
        loads_have_torque(rod) ? "; against a torque about itself a rod needs a clamp that holds a "
                                 "frame, or frames with inertia (\"dynamic_twist\")"
                               : "");
}

static bool takes_near_turns(const Rod* rod)
{
    return model_of(rod)->takes_near_turns && model_of(rod)->takes_near_turns(rod);
}

const char* stepper_hidden_loss(const Rod* rod)
{
    return stepper_of(rod)->hidden_loss ? stepper_of(rod)->hidden_loss(rod) : NULL;
}

const char* stepper_damping_advice(const Rod* rod)
{
    return stepper_of(rod)->damping_advice ? stepper_of(rod)->damping_advice(rod) : NULL;
}

bool stepper_may_cut_turns(const Rod* rod)
{
    bool turns = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        turns |= clamp_holds_frame(rod->clamps[i]) && rod->clamps[i]->def.motion_count > 0;
    }
    return turns && takes_near_turns(rod);
}

CordResult stepper_check_turns(const Rod* rod, const StepInfo* step, Message* message)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        bool turns = clamp_holds_frame(clamp) && clamp->def.motion_count > 0;
        double turn = turns ? clamp_turn(clamp, CLAMP_NOW, step->time + step->h) : 0.0;
        if (turn != 0.0 && takes_near_turns(rod)) {
            return message_fail(message, CORD_NOT_CONVERGED,
                                "rod '%s': the clamp of edge %d turns by %.3g turns in a step, more than its "
                                "frames can follow; take a shorter step",
                                rod->name, clamp->edge, turn / (2.0 * CORD_PI));
        }
    }
    return CORD_OK;
}

CordResult stepper_check_start(const Rod* rod, const StepInfo* step, Message* message)
{
    CORD_TRY(stepper_check_turns(rod, step, message));
    return rod->held_twice && !clamps_are_within_reach(rod, step->time + step->h, message)
               ? CORD_NOT_CONVERGED
               : CORD_OK;
}
