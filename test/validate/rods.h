// Rods for the claims about physics: worlds, clamps and solves that must succeed.
#ifndef CORDAGE_TEST_VALIDATE_RODS_H
#define CORDAGE_TEST_VALIDATE_RODS_H

#include "hold.h"

#include <cordage/solve.h>

static const double pi = 3.14159265358979323846;

static inline CordWorld* make_world(CordVec3 gravity)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = gravity;
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    return world;
}

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

static inline void run(CordWorld* world, double h, int steps)
{
    CordResult result = cord_world_step_many(world, h, steps);
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK_OK(result);
}

static inline CordSolveReport solve_as(CordWorld* world, bool accept_saddle)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.accept_saddle = accept_saddle;
    CordResult result = cord_world_solve(world, &def, &report);
    if (result != CORD_OK) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK_OK(result);
    CHECK(report.converged);
    return report;
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

static inline double total_energy(const CordWorld* world, CordRodId rod)
{
    CordEnergy e = cord_rod_energy(world, rod);
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

static inline CordVec3 plus(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline CordVec3 minus(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline CordVec3 times(CordVec3 a, double s)
{
    return (CordVec3){s * a.x, s * a.y, s * a.z};
}

static inline double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CordVec3 cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double size_of(CordVec3 a)
{
    return sqrt(dot(a, a));
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
