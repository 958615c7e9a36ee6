// What tests of worlds put into them, and what they read of them.
#ifndef CORDAGE_TEST_WORLD_PARTS_H
#define CORDAGE_TEST_WORLD_PARTS_H

#include "world_rods.h"

#include <cordage/contact.h>

static const CordVec3 origin = {0, 0, 0}, down = {0, 0, -9.81};

static inline CordRodId add_line(CordWorld* world, int nodes) // a metre of it
{
    CordRodDef def = line_def(nodes);
    return add_rod(world, &def);
}

static inline CordRodId add_between(CordWorld* world, CordVec3 from, CordVec3 to, int nodes,
                                    bool inextensible)
{
    CordRodDef def = line_def(nodes);
    def.shape = cord_shape_line(from, to, nodes), def.inextensible = inextensible;
    return add_rod(world, &def);
}

static inline CordObstacleId add_obstacle(CordWorld* world, const CordObstacleDef* def)
{
    CordObstacleId id;
    CHECK_WORLD_OK(world, cord_obstacle_create(world, def, &id));
    return id;
}

static inline CordObstacleId add_ground(CordWorld* world, double height)
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.position.z = height;
    return add_obstacle(world, &def);
}

static inline void turn_contact_on(CordWorld* world)
{
    CordContactDef def = cord_contact_def_default();
    CHECK_WORLD_OK(world, cord_world_set_contact(world, &def));
}

static inline CordProbeId add_probe(CordWorld* world, const CordProbeDef* def)
{
    CordProbeId id;
    CHECK_WORLD_OK(world, cord_probe_create(world, def, &id));
    return id;
}

static inline CordVec3 node_of(const CordWorld* world, CordRodId rod, int node) // where it is
{
    CordVec3 x[512];
    CHECK(node < cord_rod_node_count(world, rod) && cord_rod_node_count(world, rod) <= 512);
    CHECK_OK(cord_rod_positions(world, rod, x));
    return x[node];
}

static inline CordVec3 tip_of(const CordWorld* world, CordRodId rod)
{
    return node_of(world, rod, cord_rod_node_count(world, rod) - 1);
}

// The step fails and changes nothing. `part` is of the message.
static inline void check_step_fails(CordWorld* world, double h, CordResult expected, const char* part)
{
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_step(world, h), expected);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK(cord_world_state_hash(world) == before);
}

// Something has changed since the hash was this one.
static inline void check_hash_changed(const CordWorld* world, uint64_t* hash)
{
    uint64_t now = cord_world_state_hash(world);
    CHECK(now != *hash);
    *hash = now;
}

typedef struct Reaction { // what a rod does to what holds it
    CordVec3 force, torque;
} Reaction;

static inline Reaction clamp_reaction(const CordWorld* world, CordClampId clamp)
{
    Reaction r;
    CHECK_OK(cord_clamp_reaction(world, clamp, &r.force, &r.torque));
    return r;
}

#endif
