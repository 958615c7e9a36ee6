// Rods, clamps and forces that must be accepted, for tests of every kind.
#ifndef CORD_TEST_HOLD_H
#define CORD_TEST_HOLD_H

#include "check.h"

#include <cordage/cordage.h>

static inline CordRodId add_rod(CordWorld* world, const CordRodDef* def)
{
    CordRodId id;
    CordResult result = cord_rod_create(world, def, &id);
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK_OK(result);
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
    CordResult result = cord_clamp_create(world, def, &id);
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK_OK(result);
    return id;
}

static inline CordClampId hold(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef def = clamp_def(rod, at, fix);
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
