// Rods for the claims about physics: worlds, clamps and solves that must succeed.
#ifndef CORDAGE_TEST_VALIDATE_RODS_H
#define CORDAGE_TEST_VALIDATE_RODS_H

#include "vectors.h"
#include "worlds.h"

// Length, stiffnesses and mass per length 1, along x, inextensible.
static inline CordRodDef unit_rod(int elements)
{
    CordRodDef def = cord_rod_def_default();
    def.stiffness = cord_stiffness_unset();
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = def.stiffness.mass_per_length = 1.0;
    def.stiffness.EA = 1e4, def.stiffness.spin_inertia = 1e-4;
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    return def;
}

static inline CordSolveReport solve(CordWorld* world)
{
    CordSolveReport report = solve_as(world, false);
    CHECK_INT(report.unstable, 0);
    return report;
}

#define MOST_NODES 1001

static inline CordVec3 node_of(CordWorld* world, CordRodId rod, int node) // its position
{
    CordVec3 x[MOST_NODES];
    CHECK(cord_rod_node_count(world, rod) <= MOST_NODES);
    CHECK_OK(cord_rod_positions(world, rod, x));
    return x[node];
}

static inline CordVec3 tip_of(CordWorld* world, CordRodId rod)
{
    return node_of(world, rod, cord_rod_node_count(world, rod) - 1);
}

// The measure at n and 2n elements against the truth: the error of the finer one, and that the errors are as
// those of a second-order method. The next term, a quarter as large relative to the first at each doubling,
// is allowed to bend the order by `bend`.
typedef double (*Measure)(int elements);

static inline double second_order(Measure measure, int elements, double truth, double bend)
{
    double coarse = measure(elements) / truth - 1.0, fine = measure(2 * elements) / truth - 1.0;
    print_message("    %d elements: off by %.3g, %d: %.3g, order %.3f\n", elements, coarse, 2 * elements,
                  fine, log2(fabs(coarse / fine)));
    CHECK_NEAR(log2(fabs(coarse / fine)), 2.0, bend);
    return fine;
}

#endif
