// Short straight rods among the colliders, for tests of what happens to two elements.
#ifndef CORD_TEST_COLLIDER_RODS_H
#define CORD_TEST_COLLIDER_RODS_H

#include "contact/surface_law.h"
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

// A solid that stands still.
static inline void add_still_solid(CordWorld* world, Colliders* colliders, CordSolidShape shape,
                                   CordVec3 size, CordVec3 at, double friction)
{
    Pose pose = {at, {0, 0, 0, 1}};
    ColliderSolid solid = {.solid = {.shape = shape, .size = size},
                           .begin = pose,
                           .goal = pose,
                           .from = pose,
                           .to = pose,
                           .surface = contact_surface_of_solid(0, friction, NAN, 0.0)};
    CHECK(colliders_add_solid(&world->memory, colliders, &solid));
}

// Forces on nodes at x and about the axes of segments have no sum and no moment about the origin, to within
// these.
static inline void check_balance(const Colliders* cs, const CordVec3* x, const DofVector* f, double force,
                                 double moment)
{
    CordVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int n = 0; n < cs->node_count; n++) {
        linear = vec3_add(linear, f->x[n]);
        angular = vec3_add(angular, vec3_cross(x[n], f->x[n]));
    }
    for (int k = 0; k < cs->segment_count; k++) {
        CordVec3 axis = vec3_sub(colliders_axis_point(cs, x, k, 1.0), colliders_axis_point(cs, x, k, 0.0));
        angular = vec3_madd(angular, vec3_unit(axis), f->spin[k]);
    }
    CHECK_VEC3(linear, ((CordVec3){0, 0, 0}), force);
    CHECK_VEC3(angular, ((CordVec3){0, 0, 0}), moment);
}

#endif
