#include "model/framed/framed.h"

static CordResult corde_create(Memory* memory, Rod* rod, const CordRodDef* def, Message* message)
{
    CordResult result = framed_create(memory, rod, def, CORNER_LAW_CORDE, message);
    if (result != CORD_OK) {
        framed_destroy(memory, rod->framed);
        rod->framed = NULL;
    }
    return result;
}

static void corde_destroy(Memory* memory, Rod* rod)
{
    framed_destroy(memory, rod->framed);
    rod->framed = NULL;
}

static CordResult corde_update_held(Memory* memory, Rod* rod, double time, Message* message)
{
    (void)memory, (void)message;
    Framed* g = rod->framed;
    framed_update_held(g, rod);
    framed_hold(g, &g->now, rod, time);
    if (rod->started && !rod->dynamic_twist) {
        rod->unsettled = framed_relax(g, &g->now, rod, 0.0) < 0;
    }
    return CORD_OK;
}

static double corde_kick(const Rod* rod, const StepInfo* step, bool drift)
{
    return framed_kick(rod->framed, rod, step, drift);
}

static void corde_settle(Rod* rod, double time)
{
    framed_settle(rod->framed, rod, time);
    rod->unsettled = !rod->dynamic_twist && rod->framed->turn_iterations < 0;
}

static void corde_frames(const Rod* rod, CordVec3* m1)
{
    framed_frames(rod->framed, rod, m1);
}

static void corde_energy(const Rod* rod, CordEnergy* energy)
{
    framed_energy(rod->framed, rod, energy);
}

static void corde_gradient(const Rod* rod, CordVec3* dE_dx)
{
    framed_gradient(rod->framed, rod, dE_dx);
}

static void corde_tension(const Rod* rod, double* tension)
{
    framed_tension(rod->framed, rod, tension);
}

static void corde_moments(const Rod* rod, CordVec3* moment)
{
    framed_moments(rod->framed, rod, moment);
}

static void corde_sections(const Rod* rod, CordVec3* force)
{
    framed_sections(rod->framed, rod, force);
}

static CordVec3 corde_couple(const Rod* rod, int edge)
{
    return vec3_mul(edge_tangent(&rod->line, edge), framed_spin_moment(rod->framed, rod, edge));
}

static double corde_twist(const Rod* rod)
{
    return framed_twist(rod->framed, rod);
}

static StepLimitAt corde_limit(const Rod* rod, const double* tension, double least_tension)
{
    (void)rod, (void)tension, (void)least_tension;
    return (StepLimitAt){1e12, CORD_LIMIT_BEND, 0};
}

static void corde_state(Rod* rod, Bytes* b)
{
    framed_state(rod->framed, rod, b);
}

static CordResult trial_open(Memory* memory, Rod* rod, Message* message)
{
    return framed_open_trial(memory, rod->framed, rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

static void trial_close(Memory* memory, Rod* rod, double time)
{
    (void)time;
    framed_close_trial(memory, rod->framed, rod);
}

static const ModelTrial corde_trial = {
    .open = trial_open,
    .close = trial_close,
    FRAMED_TRIAL,
};

const CordModelOps cord_model_corde = {
    .name = "corde",
    .create = corde_create,
    .destroy = corde_destroy,
    .update_held = corde_update_held,
    .kick = corde_kick,
    .settle = corde_settle,
    .frames = corde_frames,
    .energy = corde_energy,
    .gradient = corde_gradient,
    .tension = corde_tension,
    .moments = corde_moments,
    .sections = corde_sections,
    .couple = corde_couple,
    .twist = corde_twist,
    .limit = corde_limit,
    .state = corde_state,
    .trial = &corde_trial,
};
