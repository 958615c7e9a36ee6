// Rods, clamps and forces that must be accepted, for tests of every kind.
#ifndef CORD_TEST_HOLD_H
#define CORD_TEST_HOLD_H

#include "check.h"

#include <cordage/cordage.h>

// The call on a world succeeds; if not, the world says why.
#define CHECK_WORLD_OK(world, call) check_world_ok((world), #call, (call), __FILE__, __LINE__)

static inline void check_world_ok(const CordWorld* world, const char* call, CordResult result,
                                  const char* file, int line)
{
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    check_result(call, (int)result, "CORD_OK", CORD_OK, file, line);
}

static inline CordRodId add_rod(CordWorld* world, const CordRodDef* def)
{
    CordRodId id;
    CHECK_WORLD_OK(world, cord_rod_create(world, def, &id));
    return id;
}

static inline CordClampDef clamp_def(CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = rod, def.at = at, def.fix = fix;
    return def;
}

static inline CordClampId add_clamp(CordWorld* world, const CordClampDef* def)
{
    CordClampId id;
    CHECK_WORLD_OK(world, cord_clamp_create(world, def, &id));
    return id;
}

static inline CordClampId hold(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef def = clamp_def(rod, at, fix);
    return add_clamp(world, &def);
}

static inline CordClampId hold_moving(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix,
                                      const CordMotion* motions, int count)
{
    CordClampDef def = clamp_def(rod, at, fix);
    def.motions = motions, def.motion_count = count;
    return add_clamp(world, &def);
}

static inline CordClampId hold_sliding(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix,
                                       CordVec3 axis)
{
    CordClampDef def = clamp_def(rod, at, fix);
    def.slides = true, def.axis = axis;
    return add_clamp(world, &def);
}

static inline CordClampId hold_until(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix,
                                     double release)
{
    CordClampDef def = clamp_def(rod, at, fix);
    def.release = release;
    return add_clamp(world, &def);
}

static inline CordClampId hold_with_torque(CordWorld* world, CordRodId rod, CordPlace at, double torque)
{
    CordClampDef def = clamp_def(rod, at, CORD_FIX_FRAME);
    def.has_torque = true, def.torque = torque;
    return add_clamp(world, &def);
}

static inline CordLoadId add_force(CordWorld* world, CordRodId rod, CordPlace at, CordVec3 force)
{
    CordLoadDef def = cord_load_def_default();
    def.rod = rod, def.at = at, def.force = force;
    CordLoadId id;
    CHECK_OK(cord_load_create(world, &def, &id));
    return id;
}

#endif
