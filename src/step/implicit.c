#include "step/implicit.h"

#include "base/real.h"
#include "body/inertia.h"
#include "math/elementary.h"
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
#define MOST_CONTACT_ITERATIONS 60 // iterations with contact
#define CURVED_BELOW 0.05          // change below which all second derivatives of contact are used
#define MOST_HOLD 100.0            // factor by which the hold grows at once, and by which it shrinks:
#define RELEASE 0.2
#define LEAST_HOLD 0.1
#define SMOOTHEST 0.05 // over the radius: gap over which forces of contact rise far from the solution
#define SHARPEN 0.3    // factor by which it shrinks
#define SHARP 1e-5     // below it counts as 0
#define CONTACT_TOLERANCE 1e-10 // change that ends the iteration with contact
// Likewise, of positions, over the tolerance of overlaps, after so many iterations. Where a contact passes
// from one element to the next its gap jumps by up to a quarter of that tolerance (narrow_phase.h), and
// iterates may alternate between the two sides of a jump.
#define LOOSE 0.001
#define MANY 15
#define MOST_OVERLAP 4.0  // over the tolerance, at the start of a step
#define FREE_ITERATIONS 2 // before under-relaxation
#define LEAST_RELAXATION 0.125
#define MOST_RELAXATION 30.0
#define WORSE 3.0      // ratio of changes
#define LARGE 0.01     // change
#define STRAIGHT 3     // iterations without second derivatives of contact
#define RECOVERED 1e-7 // over the radius: deeper overlaps are put right at the end of the step
#define DIPS 0.1       // of the tolerance: where segments overlap by more, sagittas are measured anew
#define SAGITTAS 8     // how often they are measured anew
#define STILL 3        // iterations in a row with positions converged that are enough, whatever the frames do
#define STUCK 10       // iterations in a row with a negligible step
#define NEGLIGIBLE 1e-3 // share of a step that is negligible

// ---- what a rod keeps

static CordResult create(Memory* m, Rod* rod, Message* message)
{
    CORD_TRY(implicit_history_reserve(m, rod, message));
    framed_of(rod)->keeps_trial = true;
    rod->pull_is_tension = true;
    return framed_open_trial(m, framed_of(rod), rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

static bool remesh(Memory* m, Rod* rod, const Remesh* map)
{
    framed_of(rod)->keeps_trial = true;
    return implicit_history_remesh(m, rod, map) && framed_open_trial(m, framed_of(rod), rod);
}

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
static CordResult newton(NewtonSystem* sys, int* iterations, Message* message)
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
static void finish_body(const NewtonBody* b, double mass, double h, CordVec3 origin)
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

static void open_step(NewtonSystem* sys, const Island* island, bool midpoint, const StepInfo* step,
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

static bool is_midpoint(const Island* island)
{
    return island->rods[0]->integrator == CORD_INTEGRATOR_MIDPOINT;
}

// Iterates move the bodies' poses with y. They go back to the start of the step until it is accepted.
static void restore_poses(const NewtonSystem* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        sys->bodies[i].body->pose = sys->bodies[i].before;
    }
}

static CordResult check_step(const NewtonSystem* sys, const StepInfo* step, Message* message)
{
    restore_poses(sys);
    for (int i = 0; i < sys->rod_count; i++) {
        CORD_TRY(check_lengths(sys, &sys->rods[i], step->time + step->h, message));
    }
    return CORD_OK;
}

static void finish_step(const NewtonSystem* sys, const StepInfo* step, int iterations)
{
    for (int i = 0; i < sys->rod_count; i++) {
        finish_rod(sys, &sys->rods[i], step, iterations);
    }
    for (int i = 0; i < sys->body_count; i++) {
        finish_body(&sys->bodies[i], sys->mass, step->h, sys->origin);
    }
}

static void finish_alone(const NewtonSystem* sys, const StepInfo* step, int iterations)
{
    finish_step(sys, step, iterations);
    if (!sys->midpoint) {
        angular_momentum_restore_alone(sys, step);
    }
}

// Steps a rod alone, or an assembly, whose bodies have already moved freely for the step. Reads x and v;
// writes x_next, v_next and pull_next, leaves the trial frames at y, and gives the bodies their poses and
// velocities. CORD_NOT_CONVERGED: a shorter step may succeed.
static CordResult step_island(const Island* island, const StepInfo* step, Arena* scratch, Message* message)
{
    NewtonSystem sys;
    int iterations = 0;
    open_step(&sys, island, is_midpoint(island), step, scratch);
    CordResult result = newton(&sys, &iterations, message), lengths = check_step(&sys, step, message);
    result = result == CORD_OK ? lengths : result;
    if (result == CORD_OK) {
        finish_alone(&sys, step, iterations);
    }
    return result;
}

// ---- with contact

size_t implicit_scratch(const Island* islands, int count)
{
    size_t sum = arena_space(sizeof(NewtonSystem), count);
    for (int i = 0; i < count; i++) {
        sum += newton_scratch(&islands[i]);
    }
    return sum;
}

// Tries a step of all islands separately, without contact. False: some pair came near, or a solve failed that
// a shorter step may cure.
static bool step_apart(NewtonSystem* systems, const Island* islands, int count, ContactNewton* t,
                       const StepInfo* step, Message* message)
{
    contact_newton_update_positions(t);
    if (contact_newton_is_near(t)) {
        return false;
    }
    int iterations = 0;
    for (int i = 0; i < count; i++) {
        if (newton(&systems[i], &iterations, message) != CORD_OK ||
            check_step(&systems[i], step, message) != CORD_OK) {
            return false;
        }
        islands[i].rods[0]->report.iterations = iterations;
    }
    contact_newton_update_positions(t);
    if (contact_newton_is_near(t)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        finish_alone(&systems[i], step, islands[i].rods[0]->report.iterations);
    }
    t->contacts.count = t->last.count = 0; // nothing pushes
    return true;
}

// Moves rods and bodies back from the prediction to a share of the motion that keeps all gaps open. The rest
// of a clamped node's motion goes into `shift`.
static void rewind_prediction(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->body_count; i++) {
        contact_newton_set_body_motion(&sys->bodies[i], sys->origin);
    }
    newton_shift_bodies(sys, share - 1.0);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const double origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
        for (int s = 0; s < c->slot_count; s++) {
            for (int k = 0; k < 3; k++) {
                double motion = r->y[k][s] - (c->x[k][s] - origin[k]);
                bool carried = newton_is_carried(r, s);
                r->shift.x[k][s] = c->w[s] == 0.0 && !carried ? (1.0 - share) * motion : 0.0;
                r->y[k][s] -= carried ? 0.0 : (1.0 - share) * motion;
            }
        }
        framed_trial_follow(r->rod, r->y, sys->time);
    }
}

static void shorten_shift(NewtonSystem* sys, double share)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < r->rod->line.slot_count; s++) {
                r->shift.x[k][s] *= 1.0 - share;
            }
        }
    }
}

static double largest_of(const ContactNewton* t, double (*of)(const NewtonSystem*))
{
    double most = 0.0;
    for (int i = 0; i < t->system_count; i++) {
        double change = of(&t->systems[i]);
        most = change <= most ? most : change; // keeps a value that is not a number
    }
    return most;
}

// The larger of two, or what is not a number.
static double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

// Size of the Newton step: positions over edge length, and motions of bodies.
static double step_size(const ContactNewton* t)
{
    return larger(largest_of(t, newton_position_change), contact_newton_body_change(t));
}

// The share of the Newton step that keeps the gaps open. Frame angles do not limit it, because thin rods may
// twist far in one step.
static double allowed_share(ContactNewton* t)
{
    double size = step_size(t);
    return isfinite(size) ? contact_newton_step_limit(t, size > MOST_CHANGE ? MOST_CHANGE / size : 1.0) : 0.0;
}

// One Newton step and the share of it that gaps allow. False: there is none.
static bool solve_with_contact(ContactNewton* t, double* change, double* share)
{
    RodReport* spent = &t->systems->rods->rod->report; // all rods are solved together: the first one counts
    spent->iterations_in_all++;
    spent->factorings_in_all++;
    t->iterations++;
    t->iterations_in_all++;
    for (int i = 0; i < t->system_count; i++) {
        newton_add_spin_forces(&t->systems[i]);
    }
    if (!contact_newton_assemble(t) || !contact_newton_solve(t)) {
        return false;
    }
    *share = allowed_share(t);
    *change = larger(largest_of(t, newton_change), contact_newton_body_change(t));
    return isfinite(*change);
}

static CordResult no_contact_memory(Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
}

// Aitken relaxation: contacts that change their state in every iteration make the steps of two iterations
// cancel each other; forces that pass slowly from one contact to another make a long row of like steps.
static double relaxation_of(double taken, double ratio, double last_ratio)
{
    double wanted = taken / (1.0 - ratio);
    if (ratio >= 1.0) {
        return 1.0;
    }
    bool steady = taken == 1.0 && ratio > 0.5 && fabs(ratio - last_ratio) < 0.2 * (1.0 - ratio);
    return ratio > -0.3 && wanted >= 0.7 && wanted <= 1.0 ? 1.0
           : wanted > 1.0                                 ? (steady ? real_min(wanted, MOST_RELAXATION) : 1.0)
                                                          : real_max(wanted, LEAST_RELAXATION);
}

// Where a Newton step is too long to be trusted, a share of it would not be the motion that contacts allow.
// More inertia makes the next one shorter instead, and smooth forces let contacts open and close by degrees.
// Both are taken back as steps become short.
static void adapt_to_size(ContactNewton* t, double size)
{
    if (size > MOST_CHANGE) {
        t->hold = real_max(t->hold, 1.0) * real_min(size / MOST_CHANGE, MOST_HOLD);
        t->smooth = t->smooth > 0.0 ? real_min(SMOOTHEST, t->smooth / SHARPEN) : SMOOTHEST;
        return;
    }
    t->hold = RELEASE * t->hold < LEAST_HOLD ? 0.0 : RELEASE * t->hold;
    if (size < CURVED_BELOW && t->smooth > 0.0 && t->hold == 0.0) {
        t->smooth = SHARPEN * t->smooth < SHARP ? 0.0 : SHARPEN * t->smooth;
        contact_newton_renew_sagittas(t, 0);
    }
}

// Newton's method with contact.
static CordResult newton_with_contact(ContactNewton* t, int* iterations, Message* message)
{
    double change, share, taken = 1.0, relaxation, last_ratio = 0.0, before = INFINITY;
    int still = 0, stuck = 0, straight = 0;
    for (int n = 1; n <= MOST_CONTACT_ITERATIONS && stuck < STUCK && solve_with_contact(t, &change, &share);
         n++) {
        *iterations = n;
        bool stands = share == 1.0 && t->is_exact && step_size(t) <= CONTACT_TOLERANCE;
        double ratio = contact_newton_step_ratio(t);
        relaxation = n <= FREE_ITERATIONS || stands || t->smooth > 0.0 || share < 1.0
                         ? 1.0
                         : relaxation_of(taken, ratio, last_ratio);
        if (relaxation > 1.0) {
            relaxation =
                real_max(1.0, contact_newton_step_limit(t, real_min(relaxation, MOST_CHANGE / step_size(t))));
        }
        share = share < 1.0 ? share : relaxation;
        taken = share;
        last_ratio = ratio;
        // Second derivatives of gaps may make the matrix indefinite.
        bool bends_back = t->curved && step_size(t) > real_max(WORSE * before, LARGE);
        straight = bends_back ? STRAIGHT : straight - 1;
        before = step_size(t);
        for (int i = 0; i < t->system_count; i++) {
            newton_move(&t->systems[i], share);
            shorten_shift(&t->systems[i], share);
        }
        contact_newton_move_free_bodies(t, share);
        contact_newton_update_forces(t, share);
        contact_newton_accept_step(t, share);
        if (t->no_memory) {
            break;
        }
        adapt_to_size(t, before);
        still = stands ? still + 1 : 0;
        stuck = share < NEGLIGIBLE ? stuck + 1 : 0;
        // Forces that pass slowly from one contact to another hardly move anything.
        bool drifts = n > MANY && t->is_exact && share == 1.0 && before <= LOOSE * t->tolerance;
        if (drifts || (stands && (change <= CONTACT_TOLERANCE || still == STILL))) {
            return CORD_OK;
        }
        t->curved = before < CURVED_BELOW && straight <= 0;
        t->is_close = before < CURVED_BELOW && t->smooth == 0.0;
    }
    return t->no_memory ? no_contact_memory(message)
           : t->contacts.deepest > t->tolerance
               ? message_fail(
                     message, CORD_NOT_CONVERGED,
                     "what touches is pressed together with nowhere to go: surfaces overlap by %.2g of "
                     "a radius; pull or press less",
                     t->contacts.deepest)
               : message_fail(message, CORD_NOT_CONVERGED,
                              "rods in contact: Newton's method did not converge in %d iterations; take a "
                              "shorter step",
                              *iterations);
}

// Iterates may pass around each other. The step itself is a straight motion, and must pass through nothing.
static CordResult check_path(ContactNewton* t, Message* message)
{
    if (t->contacts.deepest <= t->tolerance && !contact_newton_tunnels(t)) {
        return CORD_OK;
    }
    return t->no_memory
               ? no_contact_memory(message)
               : message_fail(message, CORD_NOT_CONVERGED,
                              "rods in contact: they would pass through each other; take a shorter step");
}

// Opens the systems of all islands, by their own integrator or all by backward Euler, and finds the contacts.
static CordResult open_islands(const Island* islands, int count, bool backward_euler, NewtonSystem* systems,
                               ContactNewton* t, Memory* m, const StepInfo* step, Arena* scratch,
                               Message* message)
{
    for (int i = 0; i < count; i++) {
        open_step(&systems[i], &islands[i], !backward_euler && is_midpoint(&islands[i]), step, scratch);
    }
    if (contact_newton_begin(t, m, systems, count, 1.0 / (step->h * step->h))) {
        return CORD_OK;
    }
    for (int i = 0; i < count; i++) {
        restore_poses(&systems[i]);
    }
    return no_contact_memory(message);
}

// Limits the prediction to the motion that keeps all gaps open, and makes it the first iterate.
static void start_from_prediction(ContactNewton* t)
{
    contact_newton_update_positions(t);
    double share = contact_newton_prediction_limit(t);
    for (int i = 0; i < t->system_count && share < 1.0; i++) {
        rewind_prediction(&t->systems[i], share);
    }
    if (share < 1.0) {
        contact_newton_rewind_free_bodies(t, share);
    }
    contact_newton_accept_step(t, share);
}

// Sagittas stay as they were at the start of the step while Newton's method goes on. Where the step has bent
// a rod so much that its segments dip into a solid, they are measured anew.
static CordResult solve_with_sagittas(ContactNewton* t, int* iterations, Message* message)
{
    for (int n = 0;; n++) {
        CORD_TRY(newton_with_contact(t, iterations, message));
        if (!contact_newton_end(t)) {
            return no_contact_memory(message);
        }
        if (t->contacts.deepest <= DIPS * t->tolerance || n == SAGITTAS) {
            return CORD_OK;
        }
        contact_newton_renew_sagittas(t, n);
    }
}

static CordResult solve_in_contact(ContactNewton* t, const StepInfo* step, int* iterations, Message* message)
{
    CordResult result = solve_with_sagittas(t, iterations, message);
    Message later; // the first failure is the one to tell
    for (int i = 0; i < t->system_count; i++) {
        CordResult lengths = check_step(&t->systems[i], step, result == CORD_OK ? message : &later);
        result = result == CORD_OK ? lengths : result;
    }
    CORD_TRY(result);
    return check_path(t, message);
}

// ---- overlaps at the end of the step

static void put_positions(const NewtonSystem* sys)
{
    const double origin[3] = {sys->origin.x, sys->origin.y, sys->origin.z};
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        CordCenterline* c = &r->rod->line;
        for (int k = 0; k < 3; k++) {
            for (int s = 0; s < c->slot_count; s++) {
                c->x_next[k][s] = c->w[s] > 0.0 ? r->y[k][s] + origin[k] : c->x_next[k][s];
            }
        }
    }
}

static void put_pose(const NewtonBody* b, CordVec3 origin)
{
    const Body* body = b->body;
    CordBodyState s = body->engine->get(body->engine_user, body->handle);
    s.position = vec3_add(b->pose.point, origin);
    s.rotation = b->pose.rotation;
    body->engine->set(body->engine_user, body->handle, &s);
}

// What overlaps is put right by one more Newton step, which positions take and velocities do not.
static CordResult recover_overlaps(ContactNewton* t, Message* message)
{
    double change, share;
    if (t->contacts.deepest <= RECOVERED) {
        return CORD_OK;
    }
    t->recovers = t->curved = t->is_close = true;
    contact_newton_accept_step(t, 1.0);            // check_path has gone back to the start of the step
    if (!solve_with_contact(t, &change, &share)) { // they stay as they are
        return !t->no_memory && contact_newton_end(t) ? CORD_OK : no_contact_memory(message);
    }
    for (int i = 0; i < t->system_count; i++) {
        newton_move(&t->systems[i], share);
        put_positions(&t->systems[i]);
        for (int k = 0; k < t->systems[i].body_count; k++) {
            put_pose(&t->systems[i].bodies[k], t->systems[i].origin);
        }
        restore_poses(&t->systems[i]);
    }
    contact_newton_move_free_bodies(t, share);
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            put_pose(&t->bodies[i].free_body, (CordVec3){0, 0, 0});
        }
    }
    contact_newton_accept_step(t, share);
    return contact_newton_end(t) ? CORD_OK : no_contact_memory(message);
}

CordResult implicit_steps(const Island* islands, int count, ContactNewton* t, Memory* m, const StepInfo* step,
                          Arena* scratch, Message* message)
{
    NewtonSystem* systems = arena_push(scratch, NewtonSystem, count);
    size_t mark = scratch->used;
    CORD_TRY(open_islands(islands, count, false, systems, t, m, step, scratch, message));
    bool overlaps = t->contacts.deepest > MOST_OVERLAP * t->tolerance;
    if (!overlaps && step_apart(systems, islands, count, t, step, message)) {
        return CORD_OK;
    }
    for (int i = 0; i < count; i++) {
        restore_poses(&systems[i]);
    }
    if (overlaps) {
        return CORD_BAD_ARGUMENT;
    }
    scratch->used = mark;
    CORD_TRY(open_islands(islands, count, true, systems, t, m, step, scratch, message));
    angular_momentum_begin(t, step);
    start_from_prediction(t);
    int iterations = 0;
    CORD_TRY(solve_in_contact(t, step, &iterations, message));
    for (int i = 0; i < count; i++) {
        finish_step(&systems[i], step, iterations);
    }
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            finish_body(&t->bodies[i].free_body, t->mass, step->h, (CordVec3){0, 0, 0});
        }
    }
    CORD_TRY(recover_overlaps(t, message));
    angular_momentum_restore(t);
    return CORD_OK;
}

// ---- commit

static void commit(Rod* rod, const StepInfo* step)
{
    stepper_commit_clamps(rod, step);
    framed_trial_accept(rod);
    rod->report.error = rod->report.error_next;
    implicit_history_update(rod, step->h);
    stepper_commit_line(rod, step);
}

// By the frames that the step has solved for. Tensions act along the mean of an edge at both ends of a step
// by the midpoint rule (newton_edge_force), and spin is carried along (newton_add_spin_forces).
static void forces(const Rod* rod, double time, CordVec3* f)
{
    const CordCenterline* c = &rod->line;
    const Framed* g = framed_of(rod);
    double from = implicit_history(rod)->ended ? 0.0 : 1.0, reach = rod->last_step / (1.0 + from);
    loads_set_torques(rod, time, false, g->load_torque); // which clamps of frames bear
    framed_corner_sections(framed_of(rod), rod, f);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), end = slot_of(c, edge_end(c, j));
        CordVec3 e0 = vec3_sub(slot_get(c->x_next, end), slot_get(c->x_next, s)), e1 = edge_vector(c, j);
        CordVec3 sum = vec3_madd(e1, e0, from), y = vec3_mul(sum, 1.0 / (1.0 + from));
        f[j] = vec3_madd(f[j], sum, c->pull[s] / (vec3_length(e1) + from * vec3_length(e0)));
        if (rod->dynamic_twist) {
            // from the trial frames, which are those of the start by now: angular momentum that was restored
            // has changed spin_next
            double spin = (g->spin_next[s] + from * g->spin[s]) / (1.0 + from);
            double turned = -framed_trial_turned(rod, s, -reach * spin);
            CordVec3 rate = vec3_mul(vec3_sub(y, e0), 1.0 / (reach * reach));
            f[j] = vec3_sub(f[j], framed_spin_force(g->may_turn[s] * g->spin_inertia[s] * turned, y, rate));
        }
    }
    rod_sections_to_nodes(rod, f);
}

// ---- the stepper

// Friction rolls rods. A frame without inertia would follow any moment of friction at once and without bound,
// so that rods in contact have the inertia of their frames.
static void set_contact(Rod* rod, bool on)
{
    bool inertial = rod->asks_inertia || on;
    Framed* g = framed_of(rod);
    for (int s = 0; s < rod->line.slot_count && inertial && !rod->dynamic_twist; s++) {
        g->spin[s] = 0.0;
    }
    rod->dynamic_twist = inertial;
}

static bool may_retry(const Rod* rod)
{
    (void)rod;
    return true;
}

// With the midpoint rule, bodies receive half of the kick before and half after their drift.
static StepTimes times(const Rod* rod, double h)
{
    bool midpoint = rod->integrator == CORD_INTEGRATOR_MIDPOINT,
         ended = h > 0.0 && implicit_history(rod)->ended;
    return (StepTimes){
        .kick = h, .after = midpoint ? 0.5 * h : 0.0, .force_at = midpoint && !ended ? 0.5 : 1.0};
}

// Islands in contact are solved together, later.
static CordResult join(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                       Message* message)
{
    stopwatch_start(watch);
    CordResult result = CORD_OK;
    if (!step->in_contact) {
        arena_reset(scratch);
        result = step_island(island, step, scratch, message);
        result = result == CORD_OK ? stepper_check_speeds(island, step->h, message) : result;
    }
    stopwatch_lap(watch, &watch->times.implicit);
    return result;
}

static CordResult predict_alone(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                                Message* message)
{
    CORD_TRY(stepper_check_start(island->rods[0], step, message));
    return island->assembly ? CORD_OK : join(island, step, scratch, watch, message);
}

// Contact turns a step by the midpoint rule into one of backward Euler: its frames stand at its end.
static RateRule rates(const Rod* rod)
{
    return implicit_history(rod)->ended ? RATES_END : RATES_MIDPOINT;
}

static bool frames_settled(const Rod* rod)
{
    return implicit_history(rod)->frames_settled;
}

// The next step length from the error of the last step, which grows with the third power of the length, or
// with the second for backward Euler; at most twice the last one. Before the first step: a hundredth of the
// time scale of gravity and bending.
static double accurate_step(const Rod* rod, CordVec3 gravity)
{
    if (rod->last_step == 0.0) {
        double L = rod->length, EI = real_max(rod->stiffness.EI1, rod->stiffness.EI2);
        double rate2 = vec3_length(gravity) / L + EI / (rod_mass(rod) * L * L * L);
        return rate2 > 0.0 ? 0.01 / sqrt(rate2) : INFINITY;
    }
    double room = rod->step_error * rod->length / rod->report.error;
    double power = rod->integrator == CORD_INTEGRATOR_MIDPOINT ? 1.0 / 3.0 : 0.5;
    return rod->last_step * real_min(2.0, cord_pow(room, power));
}

static void state(Rod* rod, Bytes* b)
{
    stepper_state(rod, b);
    implicit_history_state(rod, b);
    bytes_double(b, &rod->report.error); // accurate_step uses it
}

static const char* damping_advice(const Rod* rod)
{
    return rod->integrator == CORD_INTEGRATOR_MIDPOINT
               ? NULL
               : "shorter steps damp it less, and the midpoint rule (\"integrator\": \"implicit\") hardly";
}

#define IMPLICIT_ENTRIES                                                                                     \
    .batch = 1, .adapt_every = 1, .ledger_every = 1, .contact = CONTACT_NEWTON, .joins = true,               \
    .create = create, .destroy = implicit_history_free, .remesh = remesh, .may_retry = may_retry,            \
    .scratch = newton_scratch, .times = times, .predict = predict_alone, .join = join, .commit = commit,     \
    .settle = stepper_settle, .forces = forces, .rates = rates, .frames_settled = frames_settled,            \
    .set_contact = set_contact, .rest = implicit_history_clear, .state = state,                              \
    .damping_advice = damping_advice

const Stepper stepper_implicit = {.name = "implicit", .accurate_step = accurate_step, IMPLICIT_ENTRIES};

const Stepper stepper_implicit_any = {.name = "implicit", .any_step = true, IMPLICIT_ENTRIES};
