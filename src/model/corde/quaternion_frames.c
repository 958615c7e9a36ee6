// Conversion of an explicit rod to the framed form: for a solve and back, and for good. The third axes of the
// framed form are the tangents.
#include "base/real.h"
#include "model/corde/quaternion.h"

#define MOST_TILT 0.5 // largest sine of the angle between d3 and the tangent

CordResult corde_open_frames(Memory* memory, Rod* rod, Message* message)
{
    CordCorde* m = corde_of(rod);
    if (!framed_open_trial(memory, m->framed, rod)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    framed_update_held(m->framed, rod);
    corde_to_frames(m, rod);
    framed_lend(rod, m->framed);
    return CORD_OK;
}

// In equilibrium the directors lag behind the tangents by the angle at which the penalty carries the shear
// force. Tilts them by it, so that nodes and orientations are both in balance.
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

void corde_close_frames(Memory* memory, Rod* rod, double time)
{
    (void)time;
    if (rod->form != MODEL_FRAMED) { // opening failed
        return;
    }
    Framed* g = framed_return(rod);
    framed_close_trial(memory, g, rod);
    if (g->moved) { // a solve that failed for want of memory leaves the rod as it was
        corde_from_frames(corde_of(rod), rod);
        tilt(corde_of(rod), rod);
    }
}

CordResult corde_reserve_framed(Memory* memory, Rod* rod, Message* message)
{
    CordCorde* m = corde_of(rod);
    if (m->printed) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "rod '%s' would have to be stepped implicitly, because of what it may touch or "
                            "is welded to, and the printed strain is for explicit steps; take the strain "
                            "\"tangent\"",
                            rod->name);
    }
    return framed_reserve_midpoint(memory, m->framed, rod) && framed_open_trial(memory, m->framed, rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

Framed* corde_take_frames(Rod* rod)
{
    CordCorde* m = corde_of(rod);
    Framed* g = m->framed;
    framed_update_held(g, rod);
    corde_to_frames(m, rod);
    for (int s = 0; s < rod->line.slot_count; s++) {
        g->spin[s] = m->inertial ? m->edges.omega[2][s] : 0.0;
    }
    m->framed = NULL;
    return g;
}
