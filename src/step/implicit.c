#include "step/implicit.h"

#include "base/real.h"
#include "math/elementary.h"
#include "step/implicit_step.h"

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
// so that rods in contact have the inertia of their frames. Before the first step these have the spin of the
// def.
static void set_contact(Rod* rod, bool on)
{
    bool inertial = rod->asks_inertia || on, begins = inertial && !rod->dynamic_twist;
    Framed* g = framed_of(rod);
    for (int s = 0; s < rod->line.slot_count && begins && rod->stepped; s++) {
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
        result = implicit_step_alone(island, step, scratch, message);
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
