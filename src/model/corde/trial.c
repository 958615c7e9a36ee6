// For solves an explicit rod becomes a framed one, whose third axes are the tangents, and then itself again. Contact asks for its spin in steps, too.
#include "model/corde/corde.h"

static CordResult trial_open(Memory* memory, Rod* rod, Message* message)
{
    CordCorde* m = corde_of(rod);
    if (m) {
        framed_update_held(m->framed, rod);
        corde_to_frames(m, rod);
        rod->framed = m->framed;
    }
    if (framed_open_trial(memory, rod->framed, rod)) {
        return CORD_OK;
    }
    rod->framed = m ? NULL : rod->framed;
    return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

static void trial_close(Memory* memory, Rod* rod, double time)
{
    (void)time;
    CordCorde* m = corde_of(rod);
    if (rod->framed) {
        framed_close_trial(memory, rod->framed, rod);
    }
    if (m && rod->framed) {
        rod->framed = NULL;
        corde_from_frames(m, rod);
    }
}

static const double* may_turn(const Rod* rod)
{
    return rod->framed ? framed_trial_may_turn(rod) : corde_of(rod)->edges.may_turn[1];
}

static double* spin(const Rod* rod)
{
    return rod->framed ? framed_trial_spin(rod) : corde_of(rod)->edges.omega[2];
}

static double* spin_next(const Rod* rod)
{
    return rod->framed ? framed_trial_spin_next(rod) : corde_of(rod)->omega_next[2];
}

static const double* spin_inertia(const Rod* rod)
{
    return rod->framed ? framed_trial_spin_inertia(rod) : corde_of(rod)->edges.inertia[2];
}

const ModelTrial corde_trial = {
    .open = trial_open,
    .close = trial_close,
    .begin = framed_trial_begin,
    .follow = framed_trial_follow,
    .turn = framed_trial_turn,
    .energy = framed_trial_energy,
    .terms = framed_trial_terms,
    .accept = framed_trial_accept,
    .turn_to = framed_trial_turn_to,
    .may_turn = may_turn,
    .torque = framed_trial_torque,
    .spin = spin,
    .spin_next = spin_next,
    .spin_inertia = spin_inertia,
};
