#include "body/body.h"

#include "base/real.h"
#include "body/inertia.h"

#include <stdio.h>
#include <string.h>

CordBodyDef cord_body_def_default(void)
{
    return (CordBodyDef){.solid = {.shape = CORD_SOLID_SPHERE, .size = {0.01, 0.01, 0.01}},
                         .mass = NAN,
                         .density = 1000.0,
                         .inertia = {NAN, 0, 0, 0, 0, 0},
                         .rotation = {0, 0, 0, 1},
                         .friction = 0.3,
                         .friction_kinetic = NAN};
}

// ---- checks

static CordResult check_solid(const CordBodyDef* def, const char* name, Message* message)
{
    char wrong[400];
    if (cord_solid_check(&def->solid, wrong, sizeof wrong) != CORD_OK) {
        return message_fail(message, CORD_BAD_ARGUMENT, "body '%s': %s", name, wrong);
    }
    const CordSolidKind* kind = cord_solid_kind((int)def->solid.shape);
    if (!kind->can_be_body) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "body '%s': it is a %s; the inertia of that shape is not known, so make it an obstacle", name,
            kind->name);
    }
    return CORD_OK;
}

static CordResult check_motion(const CordBodyDef* def, const char* name, Message* message)
{
    double norm = quat_norm(def->rotation);
    if (!vec3_finite(def->position) || !vec3_finite(def->velocity) || !vec3_finite(def->spin)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "body '%s': position, velocity and spin must be finite", name);
    }
    if (!(isfinite(norm) && norm > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "body '%s': its rotation must be finite and not zero",
                            name);
    }
    return CORD_OK;
}

static CordResult fill_mass(CordBodyDef* def, const char* name, Message* message)
{
    if (isnan(def->mass)) {
        if (!(isfinite(def->density) && def->density > 0.0)) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "body '%s': its density is %g; it is in kg/m^3 and must be positive", name,
                                def->density);
        }
        def->mass = def->density * cord_solid_inertia(&def->solid, 1.0, NULL);
    }
    if (!(isfinite(def->mass) && def->mass > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "body '%s': its mass is %g; it is in kg and must be positive", name, def->mass);
    }
    if (isnan(def->inertia[0])) {
        cord_solid_inertia(&def->solid, def->mass, def->inertia);
    }
    return inertia_check(def->inertia, name, message);
}

CordResult body_init(Body* body, const CordBodyDef* def, Message* message)
{
    *body = (Body){.def = *def, .revision = -1};
    snprintf(body->name, sizeof body->name, "%s", def->name);
    body->def.name = body->name;
    body->def.solid.mesh = (CordSolidMesh){0};
    CORD_TRY(check_solid(def, body->name, message));
    CORD_TRY(check_motion(def, body->name, message));
    if (!(isfinite(def->friction) && def->friction >= 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "body '%s': its friction is %g; it must not be negative", body->name,
                            def->friction);
    }
    CORD_TRY(contact_surface_check_kinetic(def->friction, def->friction_kinetic, "the body", message));
    CORD_TRY(contact_surface_check_restitution(def->restitution, "the body", message));
    CORD_TRY(
        contact_surface_check_turning(def->rolling_friction, def->spinning_friction, "the body", message));
    CORD_TRY(fill_mass(&body->def, body->name, message));
    body->def.rotation = quat_unit(def->rotation);
    return CORD_OK;
}

void body_init_joint(Body* body, const char* name, CordVec3 position, double mass, const double inertia[6])
{
    *body = (Body){.is_joint = true, .revision = -1};
    snprintf(body->name, sizeof body->name, "%s", name);
    body->def = (CordBodyDef){.name = body->name,
                              .solid.shape = CORD_SOLID_SPHERE,
                              .mass = mass,
                              .position = position,
                              .rotation = quat_identity(),
                              .intangible = true};
    memcpy(body->def.inertia, inertia, sizeof body->def.inertia);
}

// ---- queries

CordBodyInertia body_inertia(const Body* body)
{
    return body->engine->inertia(body->engine_user, body->handle);
}

#define NO_MOMENT 1e-9 // of the joint's moments in a step: joined nodes coincide to round-off

int body_own_inertia(const Body* body, CordBodyInertia* own)
{
    *own = body_inertia(body);
    if (!body->is_joint) {
        return 3;
    }
    double nodes[6] = {0}, moments[6] = {0},
           least = NO_MOMENT * (own->tensor[0] + own->tensor[1] + own->tensor[2]);
    for (Link* link = body->welds.first; link; link = link->after) {
        const Clamp* clamp = &LIST_ENTRY(link, Weld, link)->clamp;
        for (int k = 0; k < clamp->node_count; k++) {
            double mass = clamp->joint_mass_share * rod_lumped_mass(clamp->rod, clamp->node[k]);
            tensor_add_point(nodes, mass, quat_rotate(body->pose.rotation, clamp->offset[k]));
        }
    }
    Principal p = inertia_principal(nodes);
    int axes = 0;
    for (int i = 0; i < 3; i++) {
        bool turns = p.moments[i] > least;
        moments[i] = turns ? p.moments[i] : 0.0;
        axes += turns;
    }
    tensor_rotate(p.axes, moments, own->tensor);
    return axes;
}

CordEnergy body_energy(const Body* body, CordVec3 gravity, const CordBodyState* state)
{
    CordBodyInertia inertia = body_inertia(body);
    double spinning = vec3_dot(state->spin, tensor_mul(inertia.tensor, state->spin));
    return (CordEnergy){.kinetic =
                            0.5 * (inertia.mass * vec3_dot(state->velocity, state->velocity) + spinning),
                        .gravity = -inertia.mass * vec3_dot(gravity, state->position)};
}

CordMomentum body_momentum(const Body* body, const CordBodyState* state)
{
    CordBodyInertia inertia = body_inertia(body);
    CordVec3 linear = vec3_mul(state->velocity, inertia.mass);
    return (CordMomentum){
        .linear = linear,
        .angular = vec3_add(vec3_cross(state->position, linear), tensor_mul(inertia.tensor, state->spin)),
        .center = state->position};
}
