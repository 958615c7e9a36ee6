// Short straight rods among the colliders, for tests of what happens to two elements.
#ifndef CORD_TEST_COLLIDER_RODS_H
#define CORD_TEST_COLLIDER_RODS_H

#include "contact/colliders.h"
#include "world_rods.h"

static inline void add_straight_rods(CordWorld* world, Colliders* colliders, int rods, int nodes,
                                     double element, double radius)
{
    for (int i = 0; i < rods; i++) {
        CordRodDef def = line_def(nodes);
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){(nodes - 1) * element, 0, 0}, nodes);
        def.section = cord_section_disc(radius);
        CordRodId id;
        CHECK_OK(cord_rod_create(world, &def, &id));
        CHECK(colliders_add_rod(&world->memory, colliders, world_rod(world, id), i));
    }
}

static inline void add_short_rods(CordWorld* world, Colliders* colliders, int rods, double element,
                                  double radius)
{
    add_straight_rods(world, colliders, rods, 3, element, radius);
}

#endif
