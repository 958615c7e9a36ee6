// The work of contact in a step of explicit and position-based rods.
//
// Contact impulses P that change velocities from v0 to v1 do the work P . (v0 + v1) / 2. It is never positive
// where normals and contact points stand still: a gap that closes opens no faster than it closed, and
// friction opposes the motion. Where things slide so far over each other in one step that normals turn and
// contact points wander, it may be, and energy would come from nowhere. Shorter steps do not.
//
// Nodes tell the work of everything that pushes a group of rods, in one pass. Where that is positive, the
// contacts are asked one by one: clamps and obstacles that drive a group do work on it, and are left out.
#include "base/real.h"
#include "contact/friction.h"
#include "world/contact_parts.h"

#define LEFT 1e-3 // over the energy of motion and impulses: sweeps leave as much of either

bool contact_reserve_work(CordWorld* w)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    return memory_reserve(&w->memory, (void**)&c->group, cs->rod_count, &c->group_capacity,
                          sizeof *c->group) &&
           memory_reserve(&w->memory, (void**)&c->work, cs->rod_count, &c->work_capacity, sizeof *c->work) &&
           memory_reserve(&w->memory, (void**)&c->energies, cs->rod_count, &c->energy_capacity,
                          sizeof *c->energies) &&
           dof_vector_reserve(&w->memory, &c->mean, cs, &c->mean_size);
}

// Adds one degree of freedom of inverse mass w, which impulses have changed by dv to v1. Returns the mean
// velocity.
static CordVec3 add(ContactWork* sum, double w, CordVec3 dv, CordVec3 v0, CordVec3 v1)
{
    CordVec3 mean = vec3_mul(vec3_add(v0, v1), 0.5);
    if (w > 0.0) {
        sum->work += vec3_dot(dv, mean) / w;
        sum->energy += (vec3_dot(dv, dv) + vec3_dot(v1, v1)) / w;
    }
    return mean;
}

// Stores the mean velocities in c->mean.
static void add_rod(WorldContact* c, const ColliderRod* r, double h, ContactWork* sum)
{
    const ContactConstraints* b = &c->constraints;
    const CordCenterline* line = &r->rod->line;
    if (model_of(r->rod)->reduced) { // the velocities of its nodes are not those of its state
        sum->energy = INFINITY;
    }
    const double* end = r->rod->dynamic_twist ? model_of(r->rod)->spin(r->rod).end : NULL;
    for (int n = 0; n < r->node_count; n++) {
        int at = r->first_node + n;
        c->mean.x[at] = add(sum, b->w[at], vec3_mul(b->moved.x[at], 1.0 / h), c->velocity.x[at],
                            slot_get(line->v_next, slot_of(line, n)));
    }
    for (int j = 0; j < r->segment_count; j++) {
        int at = r->first_segment + j;
        c->mean.spin[at] =
            !end ? 0.0
                 : add(sum, b->w_spin[at], (CordVec3){b->moved.spin[at] / h, 0, 0},
                       (CordVec3){c->velocity.spin[at], 0, 0}, (CordVec3){end[slot_of(line, j)], 0, 0})
                       .x;
    }
}

static CordVec3 impulse_of(const ContactConstraint* c)
{
    return vec3_madd(c->friction_impulse, c->n, c->normal_impulse);
}

// Springs of compliant obstacles give back what they took, and bodies move by themselves: -INFINITY, so that
// nothing is asked of a group that touches one.
static double work_of(const WorldContact* c, int i, double h)
{
    const Colliders* cs = &c->newton.colliders;
    const ContactConstraints* b = &c->constraints;
    const ContactPoint* at = &b->contacts.all[b->past[i].contact];
    const ColliderSolid* solid = b->all[i].sides == 1 ? &cs->solids[at->key.b] : NULL;
    if (b->all[i].compliance > 0.0 || (solid && solid->kind == CORD_TOUCH_BODY)) {
        return -INFINITY;
    }
    CordVec3 u = constraint_motion(&b->all[i], &c->mean), none = {0, 0, 0};
    CordVec3 by = solid ? contact_point_solid_motion(cs, at) : none;
    double work = vec3_dot(impulse_of(&b->all[i]), vec3_madd(u, by, -1.0 / h)) / h;
    if (b->rolls) {
        CordVec3 turn = constraint_turn(&b->all[i], &c->mean);
        CordVec3 turned = solid ? contact_point_solid_turn(cs, at) : none;
        work += vec3_dot(b->couples[i].impulse, vec3_madd(turn, turned, -1.0 / h)) / h;
    }
    return work;
}

static bool any_above(const WorldContact* c)
{
    bool any = false;
    for (int i = 0; i < c->newton.colliders.rod_count; i++) {
        any |= c->work[i].work > LEFT * c->work[i].energy;
    }
    return any;
}

bool contact_does_work(CordWorld* w, double h)
{
    WorldContact* c = w->touch;
    const Colliders* cs = &c->newton.colliders;
    const ContactConstraints* b = &c->constraints;
    if (b->count == 0) {
        return false;
    }
    contact_find_groups(c, c->group);
    for (int i = 0; i < cs->rod_count; i++) {
        c->work[i] = (ContactWork){0};
    }
    for (int i = 0; i < cs->rod_count; i++) {
        add_rod(c, &cs->rods[i], h, &c->work[c->group[i]]);
    }
    if (!any_above(c)) {
        return false;
    }
    for (int i = 0; i < cs->rod_count; i++) {
        c->work[i].work = 0.0;
    }
    for (int i = 0; i < b->count; i++) {
        if (b->all[i].normal_impulse > 0.0) {
            c->work[c->group[b->all[i].side[0].rod]].work += work_of(c, i, h);
        }
    }
    return any_above(c);
}
