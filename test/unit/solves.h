// Equilibria that must be found, for the tests of solves.
#ifndef CORDAGE_TEST_SOLVES_H
#define CORDAGE_TEST_SOLVES_H

#include "world_bodies.h"

static inline CordSolveReport solve(CordWorld* world)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    CHECK_WORLD_OK(world, cord_world_solve(world, &def, &report));
    CHECK(report.converged && report.unstable == 0 && report.residual_relative <= def.tolerance);
    return report;
}

#endif
