// A force on a node, or on a body at its centre. It keeps its direction in space.
#include "rod/load.h"
#include "rod/rod.h"

static CordResult check(const CordLoadDef* def, Message* message)
{
    return vec3_finite(def->force) ? CORD_OK
                                   : message_fail(message, CORD_BAD_ARGUMENT, "a force must be finite");
}

static LoadTerms terms(const Load* load, double share, const LoadPoint* at)
{
    (void)at;
    return (LoadTerms){.force = vec3_mul(load->def.force, share)};
}

static double energy(const Load* load, double share, const LoadPoint* at)
{
    return -(share * vec3_dot(load->def.force, at->x));
}

static void kick(Rod* rod, const LoadStep* step, double* const v[3])
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->kind == &load_force ? load_share(load, step->time) : 0.0;
        if (share > 0.0) {
            int s = slot_of(&rod->line, load->node);
            slot_set(v, s, vec3_madd(slot_get(v, s), load->def.force, share * step->kick * rod->line.w[s]));
        }
    }
}

static void wrench(const Load* load, double share, CordVec3* force, CordVec3* torque)
{
    (void)torque;
    *force = vec3_madd(*force, load->def.force, share);
}

static const CordField fields[] = {
    LOAD_FIELD_VECTOR(force, "Force.", "N"),
    LOAD_FIELD_RAMP,
    {.key = NULL},
};

const LoadKind load_force = {
    .info = {"force", "A force on a node of a rod, or on a body.", CORD_LOAD_ON_NODE | CORD_LOAD_ON_BODY,
             fields},
    .value = offsetof(CordLoadDef, force),
    .check = check,
    .terms = terms,
    .energy = energy,
    .kick = kick,
    .wrench = wrench,
};
