// Explicit steps: Verlet (leapfrog), symplectic Euler, and fast projection (Bergou et al. 2008, Algorithm 1).
// Forces change the velocities, which then move the nodes; the lengths of inextensible rods are projected
// (solve/rattle.h).
#include "solve/rattle.h"
#include "solve/weld_constraints.h"
#include "step/implicit.h"

#include <string.h>

static bool is_fast(const Rod* rod)
{
    return rod->inextensible && rod->length_method == CORD_LENGTH_FAST_PROJECTION;
}

static const char* hidden_loss(const Rod* rod)
{
    return is_fast(rod) ? "fast projection" : NULL;
}

// Verlet: velocities lag half a step behind positions, so a kick spans half of each adjacent step; the first
// kick after a start is half as long. Symplectic Euler and fast projection have both at one time.
static StepTimes times(const Rod* rod, double h)
{
    bool staggered = rod->integrator == CORD_INTEGRATOR_VERLET && !is_fast(rod);
    return (StepTimes){.kick = staggered ? 0.5 * (rod->last_step + h) : h,
                       .lag = staggered ? 0.5 * rod->last_step : 0.0,
                       .staggered = staggered,
                       .force_at = 0.5};
}

static size_t scratch_of(const Island* island)
{
    return island->assembly                ? welds_scratch(island->assembly)
           : island->rods[0]->inextensible ? rattle_scratch(island->rods[0])
                                           : 0;
}

static bool may_retry(const Rod* rod)
{
    return rod->inextensible || stepper_may_cut_turns(rod);
}

// Sum of |v_next|^2 at nodes with loads or clamps, so that the check for finite values includes them.
static double speed2_at_loads(const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double sum = 0.0;
    for (int i = 0; i < rod->load_count; i++) {
        CordVec3 v = slot_get(c->v_next, slot_of(c, rod->loads[i]->node));
        sum += vec3_dot(v, v);
    }
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; k < rod->clamps[i]->node_count; k++) {
            CordVec3 v = slot_get(c->v_next, slot_of(c, rod->clamps[i]->node[k]));
            sum += vec3_dot(v, v);
        }
    }
    return sum;
}

// Adds to v_next what the constraint forces of the last step, of lengths and of welds, do in `time`.
static void add_constraint_forces(const Rod* rod, const Assembly* a, double time)
{
    const CordCenterline* c = &rod->line;
    int first = c->halo, last = first + c->node_count - 1;
    for (int k = 0; k < 3 && rod->inextensible; k++) {
        const double* restrict x = c->x[k], * restrict pull = c->pull, * restrict w = c->w;
        double* restrict v = c->v_next[k];
        if (!c->closed) {
            v[first] += time * w[first] * (pull[first] * (x[first + 1] - x[first]));
            v[last] -= time * w[last] * (pull[last - 1] * (x[last] - x[last - 1]));
        }
        for (int s = first + !c->closed; s <= last - !c->closed; s++) {
            v[s] += time * w[s] * (pull[s] * (x[s + 1] - x[s]) - pull[s - 1] * (x[s] - x[s - 1]));
        }
    }
    for (int t = 0; a && t < a->tie_count; t++) {
        const Tie* tie = &a->ties[t];
        if (a->rods[tie->rod] == rod) {
            CordVec3 v = slot_get(c->v_next, tie->slot);
            slot_set(c->v_next, tie->slot, vec3_madd(v, tie->weld->pull[tie->k], -time * c->w[tie->slot]));
        }
    }
}

// Adds the forces that depend on velocities, of loads and of spin, and sets the velocities of held nodes.
// Constraints are projected after that. Drag and spin forces must know the velocity that this leaves, or the
// rod would not rest where all forces balance: they are found with the constraint forces of the last step.
static void kick_viscous(Rod* rod, const Assembly* a, const StepInfo* step, bool spins)
{
    CordCenterline* c = &rod->line;
    bool constrained = (rod->inextensible && !is_fast(rod)) || a; // fast projection keeps no tensions
    bool foresees = constrained && (spins || loads_have_drag(rod, step->time));
    if (foresees) {
        add_constraint_forces(rod, a, step->kick);
    }
    loads_kick(rod, &(LoadStep){step->time, step->h, step->kick, false}, LOAD_ANYWHERE, c->v_next);
    clamps_keep_free(rod, c->v_next);
    clamps_apply(rod, step->time + step->h, step->h, c->v_next);
    if (!spins && !foresees) {
        return;
    }
    clamps_add_free(rod, c->v_next, -1.0);
    if (spins) {
        centerline_wrap(c, c->v_next);
        model_of(rod)->kick_spin(rod, step);
    }
    if (foresees) {
        add_constraint_forces(rod, a, -step->kick);
    }
    // nodes that slide were pushed off their axis, and so they would be without their clamp
    clamps_add_free(rod, c->v_next, 1.0);
    clamps_apply(rod, step->time + step->h, step->h, c->v_next);
}

static CordResult predict(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                          Message* message)
{
    Rod* rod = island->rods[0];
    CordCenterline* c = &rod->line;
    stopwatch_start(watch);
    CORD_TRY(stepper_check_start(rod, step, message));
    loads_restore_masses(rod); // left by a failed step
    bool spins = rod->dynamic_twist && model_of(rod)->kick_spin;
    bool alone = !rod->inextensible && rod->load_count == 0 && rod->clamp_count == 0 && !spins;
    rod->kick = step->kick;
    clamps_free_nodes(rod);
    double speed2 = model_of(rod)->kick(rod, step, alone);
    clamps_hold_nodes(rod);
    if (!alone) {
        kick_viscous(rod, island->assembly, step, spins);
        speed2 = spins ? stepper_speed2(rod) : speed2 + speed2_at_loads(rod);
    }
    centerline_wrap(c, c->v_next);
    if (step->in_contact) {
        stepper_keep_free(rod);
    }
    if (!alone && !rod->inextensible) {
        stepper_drift(c, step->h);
    }
    stopwatch_lap(watch, &watch->times.forces);
    if (rod->inextensible && !island->assembly && isfinite(speed2)) { // else `join` projects
        arena_reset(scratch);
        CORD_TRY(rattle_project(rod, step->h, step->kick, scratch, &speed2, message));
        stopwatch_lap(watch, &watch->times.lengths);
    }
    centerline_wrap(c, c->x_next);
    return stepper_check_speed(rod, speed2, step->h, message);
}

// Projects the lengths of all rods and the welds together.
static CordResult join(const Island* assembly, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                       Message* message)
{
    stopwatch_start(watch);
    arena_reset(scratch);
    CORD_TRY(welds_project(assembly->assembly, step->h, scratch, message));
    stopwatch_lap(watch, &watch->times.lengths);
    return stepper_check_speeds(assembly, step->h, message);
}

static CordResult apply(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Message* message)
{
    (void)count; // one at a time
    Rod* rod = rods[0];
    if (rod->inextensible) {
        double speed2;
        arena_reset(scratch);
        return rattle_project(rod, step->h, rod->kick, scratch, &speed2, message);
    }
    stepper_drift(&rod->line, step->h);
    return CORD_OK;
}

// Extensible rods respond by their masses alone: forces are those of the start of the step.
static size_t compliance_scratch(const Rod* rod)
{
    return rod->inextensible ? rattle_scratch(rod) : 0;
}

static void compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                       Arena* scratch)
{
    (void)step;
    (void)count; // one at a time
    const Rod* rod = rods[0];
    size_t size = 4 * (size_t)wanted->count;
    RodSpin spin = rod->dynamic_twist ? model_of(rod)->spin(rod) : (RodSpin){0};
    memset(wanted->W, 0, size * size * sizeof(double));
    arena_reset(scratch);
    rattle_inverse_mass(rod, wanted->count, wanted->node, wanted->W, scratch);
    for (int i = 0; i < wanted->count; i++) {
        int s = slot_of(&rod->line, wanted->node[i]);
        bool turns = spin.inertia && wanted->node[i] < rod->line.edge_count;
        wanted->W[(size + 1) * (size_t)(4 * i + 3)] = turns ? spin.may_turn[s] / spin.inertia[s] : 0.0;
    }
}

// The midpoint rule is of second order and keeps energy, as Verlet's does.
static CordResult reserve_switch(Memory* m, Rod* rod, Message* message)
{
    CORD_TRY(implicit_history_reserve(m, rod, message));
    return model_of(rod)->reserve_framed(m, rod, message);
}

static void switch_to_newton(Memory* m, Rod* rod)
{
    CordCenterline* c = &rod->line;
    loads_restore_masses(rod); // left by a failed step
    if (model_of(rod)->become_framed) {
        model_of(rod)->become_framed(m, rod);
    }
    for (int j = 0; j < c->edge_count; j++) {
        c->pull[slot_of(c, j)] *= rod_pull_unit(rod, vec3_length(edge_vector(c, j)));
    }
    centerline_wrap_one(c, c->pull);
    rod->pull_is_tension = true;
    rod->stepper = STEPPER_IMPLICIT;
    rod->last_step = 0.0; // there is no history of an implicit step
}

const Stepper stepper_explicit = {
    .name = "explicit",
    .batch = 1,
    .adapt_every = 8, // its steps are too short to check each of them
    .ledger_every = 16,
    .frees_nodes = true,
    .contact = CONTACT_IMPULSES,
    .destroy = implicit_history_free, // memory reserved for a switch that was not made
    .may_retry = may_retry,
    .hidden_loss = hidden_loss,
    .scratch = scratch_of,
    .times = times,
    .predict = predict,
    .join = join,
    .apply = apply,
    .compliance_nodes = 32,
    .compliance_scratch = compliance_scratch,
    .compliance = compliance,
    .commit = stepper_commit,
    .reserve_switch = reserve_switch,
    .switch_to_newton = switch_to_newton,
    .newton = CORD_INTEGRATOR_MIDPOINT,
    .state = stepper_state,
};
