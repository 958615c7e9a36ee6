// Branches of equilibria that must be followed, for their tests.
#ifndef CORDAGE_TEST_WORLD_BRANCHES_H
#define CORDAGE_TEST_WORLD_BRANCHES_H

#include "world_bodies.h"

#define NODES 41

static inline CordBranch* open_branch(CordWorld* world, CordBranchMethod method, double from, double to,
                                      double step)
{
    CordBranchDef def = cord_branch_def_default();
    def.method = method, def.from = from, def.to = to, def.step = def.most = step;
    CordBranch* branch;
    CHECK_WORLD_OK(world, cord_branch_create(world, &def, &branch));
    return branch;
}

static inline void close_branch(CordWorld* world, CordBranch* branch) // with the world
{
    cord_branch_destroy(branch);
    cord_world_destroy(world);
}

static inline CordBranchPoint next(CordWorld* world, CordBranch* branch)
{
    CordBranchPoint point;
    CHECK_WORLD_OK(world, cord_branch_next(branch, &point));
    CHECK(point.event == CORD_BRANCH_END || point.time == cord_world_time(world));
    return point;
}

#endif
