// For solves an explicit rod becomes a framed one, whose third axes are the tangents, and then itself again.
// Contact asks for its spin in steps, too.
#include "base/real.h"
#include "model/corde/corde.h"

#define MOST_TILT 0.5 // sine: more is beyond the penalty

static CordResult trial_open(Memory* memory, Rod* rod, Message* message)
{
    CordCorde* m = corde_of(rod);
    if (m) {
        framed_update_held(m->framed, rod);
        corde_to_frames(m, rod);
        rod->framed = m->framed;
        m->moved = false;
    }
    if (framed_open_trial(memory, rod->framed, rod)) {
        return CORD_OK;
    }
    rod->framed = m ? NULL : rod->framed;
    return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

// In equilibrium directors lag behind tangents by as much as passes on the shear: where nodes balance, these
// have to as well.
static void tilt(CordCorde* m, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    CornerKick k = framed_kick_input(m->framed, rod, 0.0);
    m->framed->kernels->sections(&k);
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j);
        CordVec3 e = edge_vector(c, j), t = vec3_unit(e),
                 shear = vec3_reject(slot_get(m->framed->scratch, s), t);
        CordVec3 aside = vec3_mul(shear, -vec3_length(e) / m->edges.kappa_l[s]);
        double sine = vec3_length(aside);
        if (m->edges.may_turn[0][s] > 0.0 && sine > 0.0) {
            double most = real_min(sine, MOST_TILT);
            corde_align(m, s, vec3_madd(vec3_mul(t, sqrt(1.0 - most * most)), aside, most / sine));
        }
    }
    corde_wrap(m, c);
}

static void trial_close(Memory* memory, Rod* rod, double time)
{
    (void)time;
    CordCorde* m = corde_of(rod);
    if (rod->framed) {
        framed_close_trial(memory, rod->framed, rod);
    }
    bool moved = m && rod->framed && m->moved;
    rod->framed = m ? NULL : rod->framed;
    if (moved) { // a solve that failed for want of memory leaves the rod as it was
        corde_from_frames(m, rod);
        tilt(m, rod);
    }
}

static void trial_accept(Rod* rod)
{
    framed_trial_accept(rod);
    if (corde_of(rod)) {
        corde_of(rod)->moved = true;
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
    .accept = trial_accept,
    .turn_to = framed_trial_turn_to,
    .may_turn = may_turn,
    .torque = framed_trial_torque,
    .spin = spin,
    .spin_next = spin_next,
    .spin_inertia = spin_inertia,
};
