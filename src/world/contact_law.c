// The law of contact that a step reads from the contact def, and the velocities at its start.
#include "world/contact_parts.h"
#include "world/obstacle.h"

SurfaceLaws contact_surface_laws(const CordWorld* w)
{
    return (SurfaceLaws){.friction = w->contact.friction,
                         .friction_kinetic = w->contact.friction_kinetic,
                         .pairs = w->contact.pairs,
                         .pair_count = w->contact.pair_count,
                         .stick_speed = w->contact.stick_speed,
                         .restitution = w->contact.restitution,
                         .impact_speed = w->contact.impact_speed,
                         .rolls = contact_any_may_roll(w)};
}

static bool rod_may_rebound(const Rod* rod)
{
    bool may = rod->surface.restitution > 0.0;
    for (int i = 0; i < rod->stretch_count; i++) {
        may |= rod->stretches[i].surface.restitution > 0.0;
    }
    return may;
}

bool contact_may_rebound(const CordWorld* w, const Colliders* cs)
{
    for (int i = 0; i < w->contact.pair_count; i++) {
        if (w->contact.pairs[i].restitution > 0.0) { // NAN: that of all contacts
            return true;
        }
    }
    bool may = w->contact.restitution > 0.0, by_material = isnan(w->contact.restitution);
    for (int i = 0; by_material && i < cs->rod_count; i++) {
        may |= rod_may_rebound(cs->rods[i].rod);
    }
    for (int i = 0; by_material && i < cs->solid_count; i++) {
        may |= cs->solids[i].surface.restitution > 0.0;
    }
    return may;
}

static bool surface_rolls(const ContactSurface* s)
{
    return s->rolling > 0.0 || s->spinning > 0.0;
}

static bool rod_may_roll(const Rod* rod)
{
    bool may = surface_rolls(&rod->surface);
    for (int i = 0; i < rod->stretch_count; i++) {
        may |= surface_rolls(&rod->stretches[i].surface);
    }
    return may;
}

static bool pairs_may_roll(const CordWorld* w)
{
    bool may = false;
    for (int i = 0; i < w->contact.pair_count; i++) { // NAN: by material
        may |= w->contact.pairs[i].rolling_friction > 0.0 || w->contact.pairs[i].spinning_friction > 0.0;
    }
    return may;
}

bool contact_may_roll(const CordWorld* w, const Colliders* cs)
{
    bool may = pairs_may_roll(w);
    for (int i = 0; i < cs->rod_count; i++) {
        may |= rod_may_roll(cs->rods[i].rod);
    }
    for (int i = 0; i < cs->solid_count; i++) {
        may |= surface_rolls(&cs->solids[i].surface);
    }
    return may;
}

bool contact_any_may_roll(const CordWorld* w)
{
    bool may = pairs_may_roll(w);
    for (int i = 0; i < w->rods.live_count; i++) {
        may |= rod_may_roll(slots_at(&w->rods, i));
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        const CordObstacleDef* def = &((const Obstacle*)slots_at(&w->obstacles, i))->def;
        may |= def->rolling_friction > 0.0 || def->spinning_friction > 0.0;
    }
    for (int i = 0; i < w->bodies.live_count; i++) {
        const CordBodyDef* def = &((const Body*)slots_at(&w->bodies, i))->def;
        may |= def->rolling_friction > 0.0 || def->spinning_friction > 0.0;
    }
    return may;
}

const ColliderSolid* contact_find_compliant(const Colliders* cs)
{
    for (int i = 0; i < cs->solid_count; i++) {
        if (solid_is_compliant(&cs->solids[i])) {
            return &cs->solids[i];
        }
    }
    return NULL;
}

static void read_rod(const ColliderRod* r, DofVector* velocity)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < r->node_count; n++) {
        velocity->x[r->first_node + n] = node_velocity(c, n);
    }
    const double* spin = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod).now : NULL;
    for (int j = 0; spin && j < r->segment_count; j++) {
        velocity->spin[r->first_segment + j] = spin[slot_of(c, j)];
    }
}

// An obstacle has the mean velocity of the step.
static void read_solid(const CordWorld* w, const ColliderSolid* s, double h, double velocity[6])
{
    CordVec3 v = vec3_mul(vec3_sub(s->goal.point, s->begin.point), 1.0 / h),
             spin = vec3_mul(pose_rotation_vector(s->begin, s->goal), 1.0 / h);
    if (s->kind == CORD_TOUCH_BODY) {
        const Body* body = slots_at(&w->bodies, s->index);
        v = body->start_state.velocity, spin = body->start_state.spin;
    }
    velocity[0] = v.x, velocity[1] = v.y, velocity[2] = v.z;
    velocity[3] = spin.x, velocity[4] = spin.y, velocity[5] = spin.z;
}

bool contact_read_velocities(CordWorld* w, double h)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    if (!dof_vector_reserve(&w->memory, &c->velocity, cs, &c->velocity_size)) {
        return false;
    }
    dof_vector_clear(&c->velocity, cs);
    for (int i = 0; i < cs->rod_count; i++) {
        read_rod(&cs->rods[i], &c->velocity);
    }
    for (int i = 0; i < cs->solid_count; i++) {
        read_solid(w, &cs->solids[i], h, c->velocity.solid + 6 * i);
    }
    c->newton.surfaces.velocity = &c->velocity;
    c->newton.surfaces.gravity = w->gravity;
    return true;
}

bool contact_read_kick(CordWorld* w, const DofVector* since, double h)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    if (!dof_vector_reserve(&w->memory, &c->kick, cs, &c->kick_size)) {
        return false;
    }
    dof_vector_clear(&c->kick, cs);
    for (int n = 0; n < cs->node_count; n++) {
        c->kick.x[n] = vec3_sub(vec3_mul(since->x[n], 1.0 / h), c->velocity.x[n]);
    }
    for (int j = 0; j < cs->segment_count; j++) {
        c->kick.spin[j] = since->spin[j] / h - c->velocity.spin[j];
    }
    c->newton.surfaces.kick = &c->kick;
    return true;
}
