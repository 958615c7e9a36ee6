#include "step/implicit_step.h"

#include "base/real.h"
#include "body/inertia.h"
#include "solve/taut.h"
#include "step/angular_momentum.h"

#include <string.h>

#define MOST_ITERATIONS 20
#define TOLERANCE 1e-14      // remaining change of positions over edge length, and of angles [rad]
#define ROUND_OFF 0x1p-54    // of a position, on average
#define FRESH_TOLERANCE 1e-7 // change with a fresh matrix that ends the iteration
// Turn of frames [rad] that stays the same with a fresh matrix: a moment of 1e-12 of GJ / l, which counts as
// equilibrium (framed/relax.c), over the stiffness that newton.c gives to turns without energy.
#define MOST_IDLE_TURN 1e-3
#define REUSE_BELOW 1e-2        // change below which the matrix is reused
#define MOST_CHANGE 0.5         // largest change in one iteration
#define MOST_TURN_ITERATIONS 60 // the same where frames turn far
#define MOST_STRETCH 1e-9       // largest stretch of an inextensible edge
// Error over the rod's length that counts like a frame with inertia turning by 1 rad more in a step than at
// the spin of its start. Allowed is 0.1 rad, where an error of 1e-5 is.
#define TURN_ERROR 1e-4
#define LEAST_ACROSS 1e-6 // relative to weight and inertia of a node: across a taut rod it counts as none

// ---- prediction

// Sets v_next to the clamp velocity at held nodes and to v elsewhere, and predicts y and the tensions from
// the history.
static void predict_rod(const NewtonSystem* sys, NewtonRod* r, const StepInfo* step)
{
    Rod* rod = r->rod;
    const CordCenterline* c = &rod->line;
    const double h = step->h, reach = sys->reach, origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    for (int k = 0; k < 3; k++) {
        memcpy(c->v_next[k], c->v[k], (size_t)c->slot_count * sizeof(double));
    }
    clamps_apply(rod, step->time + h, h, c->v_next);
    centerline_wrap(c, c->v_next);
    const ImplicitHistory* last = implicit_history(rod);
    // y - start is reach^2 a. With the midpoint rule, waves that the step does not resolve change their sign
    // from step to step: half of it saves one Newton iteration in seven.
    double curve = sys->midpoint ? 0.5 * reach * reach : reach * reach, later = 0.5 * (rod->last_step + h);
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < c->slot_count; s++) {
            double accel = last->accel[k][s] + later * last->jerk[k][s]; // zero at held nodes
            double x = c->x[k][s] - origin[k];
            r->start[k][s] = x + reach * c->v[k][s];
            r->y[k][s] = x + reach * c->v_next[k][s] + curve * accel;
        }
    }
    for (int s = 0; s < c->slot_count; s++) {
        r->n[s] = c->pull[s] + later * last->pull_rate[s];
    }
}

static void predict(NewtonSystem* sys, const StepInfo* step)
{
    for (int i = 0; i < sys->body_count; i++) {
        NewtonBody* b = &sys->bodies[i];
        CordBodyState flown = b->body->engine->get(b->body->engine_user, b->body->handle);
        b->pose = (Pose){vec3_sub(flown.position, sys->origin), flown.rotation};
        newton_free_body(b);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        framed_trial_begin(sys->rods[i].rod, sys->reach, sys->midpoint);
        predict_rod(sys, &sys->rods[i], step);
    }
    newton_carry(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        centerline_wrap(&r->rod->line, r->y);
        framed_trial_follow(r->rod, r->y, sys->time);
    }
}

// ---- Newton's method

// Assembles and factors the matrix and assembles the right-hand side, or only the latter. False: the matrix
// is singular.
static bool assemble_and_factor(NewtonSystem* sys, bool keep)
{
    sys->right_only = keep;
    if (!keep && newton_can_stream(sys)) {
        return newton_stream(sys, !sys->midpoint).least != 0.0;
    }
    newton_assemble(sys);
    return keep || newton_factor(sys, !sys->midpoint && !newton_is_skew(sys)).least != 0.0;
}

// The remaining change that ends the iteration. In a long rod the round-off of positions is larger than
// TOLERANCE, and no iteration gets below it.
static double tolerance_of(const NewtonSystem* sys)
{
    double most = 0.0;
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double far = real_max(fabs(r->y[0][s]), real_max(fabs(r->y[1][s]), fabs(r->y[2][s])));
            most = real_max(most, far * c->inv_rest[s]);
        }
    }
    return real_max(TOLERANCE, ROUND_OFF * most);
}

// Newton's method. Near the solution it reuses the matrix (simplified Newton, linear convergence). `left`
// estimates the change that further iterations would make.
CordResult implicit_step_solve(NewtonSystem* sys, int* iterations, Message* message)
{
    // joined rods are solved together: the first one counts
    RodReport* spent = &sys->rods->rod->report;
    double before = INFINITY;
    const double tolerance = tolerance_of(sys);
    bool keep = false; // reuse the matrix
    int most = MOST_ITERATIONS;
    for (int n = 1; n <= most; n++) {
        *iterations = n;
        spent->iterations_in_all++;
        spent->factorings_in_all += !keep;
        newton_add_spin_forces(sys);
        if (!assemble_and_factor(sys, keep) || !newton_solve(sys)) {
            break;
        }
        newton_stop_idle_turns(sys);
        double change = newton_change(sys), factor = change / before;
        if (!isfinite(change)) {
            break;
        }
        bool resists = sys->resistance > 1.0; // which makes convergence linear
        NewtonTurns turns = newton_adapt_resistance(sys, change, before);
        most = turns == NEWTON_TURNS_FAST ? most : MOST_TURN_ITERATIONS;
        if (turns == NEWTON_TURNS_FAR) {
            keep = false;
            continue;
        }
        newton_move(sys, change > MOST_CHANGE ? MOST_CHANGE / change : 1.0);
        double left = keep || resists ? change * factor : change * change;
        bool drifts = !keep && fabs(factor - 1.0) < 0.1 && change <= MOST_IDLE_TURN;
        if ((left <= tolerance && (keep || change <= FRESH_TOLERANCE)) ||
            (drifts && newton_position_change(sys) <= FRESH_TOLERANCE)) {
            return CORD_OK;
        }
        keep = change <= REUSE_BELOW && !resists && !(keep && factor > 0.1);
        before = change;
    }
    for (int i = 0; i < sys->rod_count; i++) {
        CORD_TRY(stepper_check_trouble(sys->rods[i].rod, message));
    }
    if (*iterations < most) {
        return message_fail(message, CORD_NOT_CONVERGED,
                            "rod '%s': the equations of a step have no finite solution near what was "
                            "predicted; take a shorter step",
                            sys->rods->rod->name);
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "rod '%s': Newton's method did not converge in %d iterations; take a shorter step",
                        sys->rods->rod->name, *iterations);
}

// ---- the step

// Largest weight and inertia of a node [N].
static double node_force(const NewtonSystem* sys, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        CordVec3 pushed = vec3_sub(slot_get(r->y, s), slot_get(r->start, s));
        most = real_max(most, r->weight[s] * (vec3_length(sys->gravity) + sys->mass * vec3_length(pushed)));
    }
    return most;
}

// The regularisation that makes the tension of a taut rod solvable would also let clamps stretch the rod.
// This check rejects that.
static CordResult check_lengths(const NewtonSystem* sys, const NewtonRod* r, double time, Message* message)
{
    const CordCenterline* c = &r->rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count && r->rod->inextensible; s++) {
        bool held = c->w[s] == 0.0 && c->w[s + 1] == 0.0;
        if (held || newton_is_rigid(r, s) || newton_slides_as_one(r, s)) { // its length is prescribed
            continue;
        }
        most = real_max(most, fabs(vec3_length(newton_edge_vector(sys, r, s)) / c->rest_len[s] - 1.0));
    }
    if (most <= MOST_STRETCH) {
        bool check = r->rod->inextensible && taut_may_fail(sys, r);
        return check ? taut_check(sys, r, LEAST_ACROSS * node_force(sys, r), message) : CORD_OK;
    }
    if (!clamps_are_within_reach(r->rod, time, message)) {
        return CORD_NOT_CONVERGED;
    }
    ClampGap gap = clamps_gap(r->rod, time);
    if (gap.slack <= CLAMP_NO_SLACK) {
        return taut_fail(r->rod, gap.node[0], gap.node[1], message);
    }
    return message_fail(message, CORD_NOT_CONVERGED, "rod '%s' would have to stretch by %.2g of its length",
                        r->rod->name, most);
}

// A sliding clamp prescribes the velocity across its axis. Along the axis its nodes move as one, apart from
// the rotation of the clamp.
static void slide_velocities(const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!clamp->holds || !clamp->def.slides) {
            continue;
        }
        double along = clamp_slide(clamp, c->v_next);
        double moved = (clamp_slide(clamp, c->x_next) - clamp_slide(clamp, c->x)) / h;
        for (int k = 0; k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            CordVec3 mean = vec3_mul(vec3_sub(slot_get(c->x_next, s), slot_get(c->x, s)), 1.0 / h);
            slot_set(c->v_next, s, vec3_madd(mean, clamp->axis, along - moved));
        }
    }
    centerline_wrap(c, c->v_next);
}

static void finish_rod(const NewtonSystem* sys, NewtonRod* r, const StepInfo* step, int iterations)
{
    Rod* rod = r->rod;
    CordCenterline* c = &rod->line;
    const double h = step->h, curve = sys->midpoint ? sys->reach * sys->reach : 0.0;
    const double origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    // Error estimates. Midpoint: a jerk j makes an error of j h^3/12 in the new position, which is a third of
    // j h^3/4, by which y differs from the prediction with the last acceleration. Backward Euler: the error
    // is half of the displacement by acceleration.
    double share = sys->midpoint ? 1.0 / 3.0 : 0.5;
    rod->report.iterations = iterations;
    rod->report.error_next = 0.0;
    implicit_history(rod)->frames_settled = step->in_contact && !sys->midpoint && !rod->dynamic_twist;
    implicit_history(rod)->ended = !sys->midpoint;
    for (int s = 0; s < c->slot_count; s++) {
        bool free = c->w[s] > 0.0;
        for (int k = 0; k < 3; k++) {
            double x = c->x[k][s] - origin[k], y = r->y[k][s], next = sys->midpoint ? 2.0 * y - x : y,
                   mean = (next - x) / h;
            double predicted = r->start[k][s] + curve * implicit_history(rod)->accel[k][s];
            rod->report.error_next =
                real_max(rod->report.error_next, free ? share * fabs(y - predicted) : 0.0);
            c->x_next[k][s] = next + origin[k];
            c->v_next[k][s] = sys->midpoint && free ? 2.0 * mean - c->v[k][s] : mean;
        }
        if (rod->shift[0]) {
            slot_set(rod->shift, s, (CordVec3){0, 0, 0});
        }
        c->pull_next[s] = r->n[s];
    }
    slide_velocities(rod, h);
    double *spin = framed_of(rod)->spin, *spin_next = framed_of(rod)->spin_next;
    for (int s = c->halo; rod->dynamic_twist && s < c->halo + c->edge_count; s++) {
        double mean = r->turned[s] / sys->reach;
        spin_next[s] = sys->midpoint ? 2.0 * mean - spin[s] : mean;
        double turn = framed_of(rod)->may_turn[s] * fabs(spin_next[s] - spin[s]) * h;
        double error = rod->asks_inertia ? TURN_ERROR * turn * rod->length : 0.0; // torsional waves to follow
        rod->report.error_next = real_max(rod->report.error_next, error);
    }
    if (rod->dynamic_twist) {
        centerline_wrap_one(c, spin_next);
    }
}

// The constraint force that moved a body from its free motion, times the step, is the impulse it received.
void implicit_step_finish_body(const NewtonBody* b, double mass, double h, CordVec3 origin)
{
    const Body* body = b->body;
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    double impulse = h * mass;
    CordVec3 turn = {b->gone[3], b->gone[4], b->gone[5]};
    CordVec3 momentum =
        vec3_madd(tensor_mul(b->inertia.tensor, s.spin), tensor_mul(b->inertia.tensor, turn), impulse);
    s.velocity = vec3_madd(s.velocity, (CordVec3){b->gone[0], b->gone[1], b->gone[2]}, impulse);
    s.position = vec3_add(b->pose.point, origin);
    s.rotation = b->pose.rotation;
    body->engine->set(body->engine_user, body->handle, &s);
    s.spin = tensor_solve(body_inertia(body).tensor, momentum); // with the inertia at the new pose
    body->engine->set(body->engine_user, body->handle, &s);
}

void implicit_step_open(NewtonSystem* sys, const Island* island, bool midpoint, const StepInfo* step,
                        Arena* scratch)
{
    newton_open(sys, island, false, scratch);
    sys->origin = origin_near(node_position(&island->rods[0]->line, 0), island->rods[0]->length);
    sys->midpoint = midpoint;
    sys->assembly_mass = midpoint ? assembly_mass(island->assembly, island->rods[0]) : 0.0;
    sys->reach = sys->midpoint ? 0.5 * step->h : step->h;
    sys->mass = 1.0 / (sys->reach * sys->reach);
    sys->time = step->time + sys->reach;
    sys->gravity = step->gravity;
    predict(sys, step);
}

bool implicit_step_is_midpoint(const Island* island)
{
    return island->rods[0]->integrator == CORD_INTEGRATOR_MIDPOINT;
}

void implicit_step_restore_poses(const NewtonSystem* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        sys->bodies[i].body->pose = sys->bodies[i].before;
    }
}

CordResult implicit_step_check(const NewtonSystem* sys, const StepInfo* step, Message* message)
{
    implicit_step_restore_poses(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        CORD_TRY(check_lengths(sys, &sys->rods[i], step->time + step->h, message));
    }
    return CORD_OK;
}

void implicit_step_finish(const NewtonSystem* sys, const StepInfo* step, int iterations)
{
    for (int i = 0; i < sys->rod_count; i++) {
        finish_rod(sys, &sys->rods[i], step, iterations);
    }
    for (int i = 0; i < sys->body_count; i++) {
        implicit_step_finish_body(&sys->bodies[i], sys->mass, step->h, sys->origin);
    }
}

void implicit_step_finish_alone(const NewtonSystem* sys, const StepInfo* step, int iterations)
{
    implicit_step_finish(sys, step, iterations);
    if (!sys->midpoint) {
        angular_momentum_restore_alone(sys, step);
    }
}

CordResult implicit_step_alone(const Island* island, const StepInfo* step, Arena* scratch, Message* message)
{
    NewtonSystem sys;
    int iterations = 0;
    implicit_step_open(&sys, island, implicit_step_is_midpoint(island), step, scratch);
    CordResult result = implicit_step_solve(&sys, &iterations, message),
               lengths = implicit_step_check(&sys, step, message);
    result = result == CORD_OK ? lengths : result;
    if (result == CORD_OK) {
        implicit_step_finish_alone(&sys, step, iterations);
    }
    return result;
}
