// Small worlds for the tests of the core.
#ifndef CORDAGE_TEST_WORLD_RODS_H
#define CORDAGE_TEST_WORLD_RODS_H

#include "math/elementary.h"
#include "world/world.h"
#include "worlds.h"

#define RODS_EI 2e-3  // [N m^2]
#define RODS_GJ 3e-3  // [N m^2]
#define RODS_EA 50.0  // [N]
#define RODS_MASS 0.1 // [kg/m]

// A metre of straight rod along x, extensible.
static inline CordRodDef line_def(int nodes)
{
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, nodes);
    def.stiffness = cord_stiffness_unset();
    def.stiffness.EI1 = def.stiffness.EI2 = RODS_EI, def.stiffness.GJ = RODS_GJ, def.stiffness.EA = RODS_EA;
    def.stiffness.mass_per_length = RODS_MASS;
    return def;
}

// A ring of radius 0.2 m about z, naturally straight.
static inline CordRodDef ring_def(int nodes)
{
    CordRodDef def = line_def(nodes);
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, nodes);
    def.closed = true;
    def.rest = CORD_REST_STRAIGHT;
    return def;
}

static inline void check_rod_refused(CordRodDef def, CordResult expected, const char* part)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod;
    def.name = "thread";
    CHECK_RESULT(cord_rod_create(world, &def, &rod), expected);
    CHECK_CONTAINS(cord_world_message(world), "thread");
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(cord_world_rod_count(world), 0);
    cord_world_destroy(world);
}

// Nodes moved by up to `size`, at random.
static inline void shake(CordWorld* world, CordRodId id, uint64_t* seed, double size)
{
    CordVec3 x[512];
    int n = cord_rod_node_count(world, id);
    CHECK(n <= 512);
    CHECK_OK(cord_rod_positions(world, id, x));
    for (int i = 0; i < n; i++) {
        x[i] = vec3_add(x[i], random_vec3(seed, size));
    }
    CHECK_OK(cord_rod_set_positions(world, id, x));
}

#endif
