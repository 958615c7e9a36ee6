// Small worlds with bodies, for the tests of the core.
#ifndef CORDAGE_TEST_WORLD_BODIES_H
#define CORDAGE_TEST_WORLD_BODIES_H

#include "world_parts.h"

#include <cordage/body.h>

// Three different moments about axes that are not the body's own.
static inline CordBodyDef odd_body_def(CordVec3 position, double mass, double size)
{
    CordBodyDef def = cord_body_def_default();
    double I = mass * size * size;
    const double inertia[6] = {I, 0.8 * I, 0.5 * I, 0.1 * I, 0.05 * I, -0.02 * I};
    def.position = position;
    def.mass = mass;
    memcpy(def.inertia, inertia, sizeof inertia);
    return def;
}

static inline CordBodyId add_body(CordWorld* world, const CordBodyDef* def)
{
    CordBodyId id;
    CHECK_WORLD_OK(world, cord_body_create(world, def, &id));
    return id;
}

static inline CordBodyId add_odd_body(CordWorld* world, CordVec3 position, double mass, double size)
{
    CordBodyDef def = odd_body_def(position, mass, size);
    return add_body(world, &def);
}

static inline CordWeldDef weld_def(CordRodId rod, CordPlace at, CordBodyId body, CordFix fix)
{
    CordWeldDef def = cord_weld_def_default();
    def.rod = rod, def.at = at, def.body = body, def.fix = fix;
    return def;
}

static inline CordWeldId add_weld(CordWorld* world, CordRodId rod, CordPlace at, CordBodyId body, CordFix fix)
{
    CordWeldDef def = weld_def(rod, at, body, fix);
    CordWeldId id;
    CHECK_WORLD_OK(world, cord_weld_create(world, &def, &id));
    return id;
}

static inline CordJointDef joint_def(CordJointKind kind, CordRodId a, CordPlace at_a, CordRodId b,
                                     CordPlace at_b)
{
    CordJointDef def = cord_joint_def_default();
    def.kind = kind, def.count = 2;
    def.rods[0] = a, def.at[0] = at_a, def.rods[1] = b, def.at[1] = at_b;
    return def;
}

static inline CordBodyId add_joint(CordWorld* world, CordJointKind kind, CordRodId a, CordPlace at_a,
                                   CordRodId b, CordPlace at_b)
{
    CordJointDef def = joint_def(kind, a, at_a, b, at_b);
    CordBodyId id;
    CHECK_WORLD_OK(world, cord_joint_create(world, &def, &id));
    return id;
}

static inline CordBodyState body_of(const CordWorld* world, CordBodyId id) // where it is and how it moves
{
    CordBodyState s;
    CHECK_OK(cord_body_pose(world, id, &s.position, &s.rotation));
    CHECK_OK(cord_body_velocity(world, id, &s.velocity, &s.spin));
    return s;
}

static inline Reaction weld_reaction(const CordWorld* world, CordWeldId weld)
{
    Reaction r;
    CHECK_OK(cord_weld_reaction(world, weld, &r.force, &r.torque));
    return r;
}

// A rod that is thrown and spins, with a body at its end and one at its start.
static inline void add_thrown_pair(CordWorld* world, int nodes, bool inextensible, const CordBodyDef* at_end,
                                   const CordBodyDef* at_start)
{
    CordRodDef def = line_def(nodes);
    def.inextensible = inextensible;
    def.velocity = (CordVec3){0.3, -0.2, 0.1}, def.spin = (CordVec3){0, 1, 2};
    CordRodId rod = add_rod(world, &def);
    add_weld(world, rod, cord_at_end(), add_body(world, at_end), CORD_FIX_FRAME);
    add_weld(world, rod, cord_at_start(), add_body(world, at_start), CORD_FIX_FRAME);
}

typedef struct Totals {
    double energy, mass;
    CordVec3 linear, angular;
    double size; // of the momenta that make up the sum
} Totals;

// Of all rods and bodies, joints included.
static inline Totals totals(const CordWorld* world)
{
    Totals t = {0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        CordEnergy e = cord_rod_energy(world, rod);
        CordMomentum m = cord_rod_momentum(world, rod);
        t.energy += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
        t.linear = vec3_add(t.linear, m.linear), t.angular = vec3_add(t.angular, m.angular);
        t.size += vec3_length(m.linear);
        double mass[512];
        CHECK_OK(cord_rod_masses(world, rod, mass));
        for (int k = 0; k < cord_rod_node_count(world, rod); k++) {
            t.mass += mass[k];
        }
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        CordBodyId body = cord_world_body(world, i);
        CordEnergy e = cord_body_energy(world, body);
        CordMomentum m = cord_body_momentum(world, body);
        t.energy += e.kinetic + e.gravity;
        t.linear = vec3_add(t.linear, m.linear), t.angular = vec3_add(t.angular, m.angular);
        t.size += vec3_length(m.linear);
        t.mass += world_body(world, body)->is_joint ? 0.0 : world_body(world, body)->def.mass;
    }
    return t;
}

// How far the welded nodes are from where their bodies have them [m].
static inline double weld_gap(const CordWorld* world)
{
    double most = 0.0;
    for (int i = 0; i < world->welds.live_count; i++) {
        const Weld* weld = slots_at(&world->welds, i);
        for (int k = 0; k < weld->clamp.node_count; k++) {
            CordVec3 x = node_position(&weld->clamp.rod->line, weld->clamp.node[k]);
            most = fmax(most, vec3_length(vec3_sub(x, body_node(&weld->body->pose, weld, k))));
        }
    }
    return most;
}

// Largest relative change of an edge's length in inextensible rods.
static inline double most_stretch(const CordWorld* world)
{
    double most = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        const Rod* rod = world_rod(world, cord_world_rod(world, i));
        most = rod->inextensible ? fmax(most, cord_rod_stretch(world, rod->id)) : most;
    }
    return most;
}

#endif
