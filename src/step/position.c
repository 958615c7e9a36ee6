// Position-based steps (Umetani, Schmidt and Stam 2014): external forces change the velocities, then
// constraints project the positions, of several rods side by side.
#include "step/position.h"
#include "step/implicit.h"

static void push(Rod* rod, const StepInfo* step)
{
    const CordCenterline* c = &rod->line;
    loads_restore_masses(rod); // left by a failed step
    rod->kick = step->kick;
    model_of(rod)->kick(rod, step, false);
    // Forces on points move the nodes' own mass; drag is part of the solve.
    LoadStep points = {step->time, step->h, step->kick / pbd_node_share(rod), true};
    loads_kick(rod, &points, LOAD_ON_POINTS, c->v_next);
    clamps_apply(rod, step->time + step->h, step->h, c->v_next);
    if (step->in_contact) {
        stepper_keep_free(rod);
    }
}

static CordResult predict(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                          Message* message)
{
    stopwatch_start(watch);
    for (int i = 0; i < island->rod_count; i++) {
        CORD_TRY(stepper_check_turns(island->rods[i], step, message));
        push(island->rods[i], step);
    }
    pbd_advance(island->rods, island->rod_count, step, false, scratch);
    stopwatch_lap(watch, &watch->times.forces);
    for (int i = 0; i < island->rod_count; i++) {
        double speed2 = stepper_speed2(island->rods[i]);
        CORD_TRY(stepper_check_trouble(island->rods[i], message));
        if (!isfinite(speed2)) {
            return stepper_check_speed(island->rods[i], speed2, step->h, message);
        }
    }
    return CORD_OK;
}

static StepTimes times(const Rod* rod, double h)
{
    (void)rod;
    return (StepTimes){.kick = h, .force_at = 1.0, .pushes_first = true};
}

static size_t scratch_of(const Island* island) // rods of a batch share it, in lanes
{
    return pbd_scratch(island->rods[0]);
}

static CordResult apply(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Message* message)
{
    (void)message; // it cannot fail
    pbd_advance(rods, count, step, true, scratch);
    return CORD_OK;
}

static void shorten(Rod* rod, double share)
{
    CordPbd* m = pbd_of(rod);
    for (int s = 0; s < rod->line.slot_count; s++) {
        m->spin_end[s] *= share;
        for (int k = 0; k < 3 && pbd_has_ghosts(rod); k++) {
            m->ghost_next[k][s] = m->ghost[k][s] + share * (m->ghost_next[k][s] - m->ghost[k][s]);
            m->ghost_v_next[k][s] *= share;
            m->mid_next[k][s] *= share;
        }
    }
}

static void commit(Rod* rod, const StepInfo* step)
{
    rod->report.unfinished_in_all += rod->report.unfinished;
    stepper_commit(rod, step);
}

// The direct solver converges to backward Euler, so Newton's method continues with the same integrator.
static CordResult reserve_switch(Memory* m, Rod* rod, Message* message)
{
    CORD_TRY(implicit_history_reserve(m, rod, message));
    return model_of(rod)->reserve_framed(m, rod, message);
}

static void switch_to_newton(Memory* m, Rod* rod)
{
    model_of(rod)->become_framed(m, rod);
    rod->stepper = STEPPER_IMPLICIT_ANY;
    rod->pull_is_tension = true;
    rod->report.unfinished = false;
}

// Forces act at the end of each substep, and are those of the springs where the solve is exact. Sweeps, and
// the stiff springs of an inextensible rod, leave a share of them open.
static const char* hidden_loss(const Rod* rod)
{
    const CordPbdDef* def = &pbd_of(rod)->def;
    return rod->stiffened              ? "inextensible position-based rods"
           : pbd_of(rod)->substeps > 1 ? "substeps"
           : !pbd_is_direct(def)       ? "sweeps"
                                       : NULL;
}

static double node_share(const Rod* rod)
{
    return pbd_node_share(rod);
}

static int substeps(Rod* rod, bool by_world)
{
    CordPbd* m = pbd_of(rod);
    m->substeps = by_world ? 1 : m->def.substeps;
    return m->def.substeps;
}

static const char* damping_advice(const Rod* rod)
{
    (void)rod;
    return "shorter steps or more \"substeps\" damp it less";
}

const Stepper stepper_position = {
    .name = "position",
    .any_step = true,
    .batch = STEPPER_BATCH,
    .adapt_every = 8,
    .ledger_every = 1,
    .contact = CONTACT_IMPULSES,
    .again = true,
    .destroy = implicit_history_free, // memory reserved for a switch that was not made
    .alike = pbd_alike,
    .may_retry = stepper_may_cut_turns,
    .hidden_loss = hidden_loss,
    .damping_advice = damping_advice,
    .scratch = scratch_of,
    .times = times,
    .substeps = substeps,
    .node_share = node_share,
    .predict = predict,
    .apply = apply,
    .shorten = shorten,
    .compliance_nodes = 400,
    .compliance_scratch = pbd_compliance_scratch,
    .compliance = pbd_compliance,
    .commit = commit,
    .reserve_switch = reserve_switch,
    .switch_to_newton = switch_to_newton,
    .newton = CORD_INTEGRATOR_BACKWARD_EULER,
    .state = stepper_state,
};
