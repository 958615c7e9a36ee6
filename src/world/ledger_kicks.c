// What clamps do to the nodes of explicit rods, for the ledger: the steps tell it.
#include "world/ledger.h"

CordVec3 ledger_pushed_by_contact(const CordWorld* w, const Clamp* clamp, int k)
{
    return rod_is_in_contact(w, clamp->rod) ? clamp->pushed[k] : (CordVec3){0, 0, 0};
}

double ledger_turned_by_contact(const CordWorld* w, const Clamp* clamp)
{
    return rod_is_in_contact(w, clamp->rod) ? clamp->rubbed : 0.0;
}

// A clamp gives a node the kinetic energy and the momentum that others do not: these have pushed it from the
// velocity `from` to `to` with an impulse less that of the clamp, and their work is done at the velocity
// `at`.
static void add_held_node(CordWork* sum, double mass, CordVec3 x, CordVec3 from, CordVec3 to,
                          CordVec3 impulse, CordVec3 at)
{
    CordVec3 others = vec3_sub(vec3_mul(vec3_sub(to, from), mass), impulse);
    sum->work += 0.5 * mass * (vec3_dot(to, to) - vec3_dot(from, from)) - vec3_dot(others, at);
    sum->impulse = vec3_add(sum->impulse, impulse);
    sum->angular = vec3_add(sum->angular, vec3_cross(x, impulse));
}

// What the clamp of an explicit step gives to its nodes is what they have more than forces have given them.
// Forces work on the mean of the displacements in the last and in this step.
static void tally_kick(const CordWorld* w, Clamp* clamp, const StepInfo* step, const StepTimes* times)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    double share = times->staggered ? times->lag / times->kick : 0.5;
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k], s = slot_of(c, node);
        CordVec3 v = slot_get(c->v, s), next = slot_get(c->v_next, s);
        double mass = 1.0 / clamp->w[k];
        CordVec3 free = vec3_add(clamp->v_free[k], clamp->v_pulled[k]);
        CordVec3 impulse = vec3_mul(vec3_sub(next, free), mass);
        if (!clamp->def.slides && rod->load_count > 0) { // those of sliding clamps are in v_free
            impulse = vec3_madd(impulse, loads_force_on(rod, node, step->time), -step->kick);
        }
        if (!clamp->def.slides && model_of(rod)->spin_impulse) {
            impulse = vec3_sub(impulse, model_of(rod)->spin_impulse(rod, step->kick, node));
        }
        if (rod->inextensible) {
            impulse = vec3_madd(impulse, rod_node_pull(rod, node, c->pull_next), -step->kick);
        }
        impulse = vec3_madd(impulse, ledger_pushed_by_contact(w, clamp, k), -step->h);
        add_held_node(&clamp->tally.pending, mass, slot_get(c->x, s), v, next, impulse,
                      vec3_madd(vec3_mul(next, 1.0 - share), v, share));
    }
}

void ledger_add_kick(CordWorld* w, Rod* rod, const StepInfo* step)
{
    if (!w->ledger || !stepper_of(rod)->frees_nodes || rod->clamp_count == 0) {
        return;
    }
    StepTimes times = stepper_of(rod)->times(rod, step->h);
    for (int i = 0; i < rod->clamp_count; i++) {
        if (rod->clamps[i]->holds && !rod->clamps[i]->carrier) {
            tally_kick(w, rod->clamps[i], step, &times);
        }
    }
}

CordResult ledger_work_in_lag(const CordWorld* w, const Clamp* clamp, CordWork* sum)
{
    const Rod* rod = clamp->rod;
    const CordCenterline* c = &rod->line;
    double lag = stepper_of(rod)->times(rod, 0.0).lag;
    *sum = (CordWork){0};
    if (!clamp->holds || clamp->carrier || lag == 0.0 || !stepper_of(rod)->frees_nodes) {
        return CORD_OK;
    }
    const RodNow* now = rod_now(w, rod);
    CORD_TRY(now ? CORD_OK : CORD_NO_MEMORY);
    for (int k = 0; k < clamp->node_count; k++) {
        int node = clamp->node[k];
        CordVec3 v = node_velocity(c, node);
        CordVec3 impulse = vec3_mul(clamp_node_reaction(clamp, node, now), -lag);
        add_held_node(sum, 1.0 / clamp->w[k], node_position(c, node), v, now->v[node], impulse, v);
    }
    return CORD_OK;
}
