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

static inline CordRodId add_held(CordWorld* world, const CordRodDef* def) // as a cantilever
{
    CordRodId rod = add_rod(world, def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    return rod;
}

static inline void hold_ends(CordWorld* world, CordRodId rod, CordFix fix)
{
    hold(world, rod, cord_at_start(), fix);
    hold(world, rod, cord_at_end(), fix);
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

static inline double world_energy(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        sum += total_energy(world, cord_world_rod(world, i));
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        CordEnergy e = cord_body_energy(world, cord_world_body(world, i));
        sum += e.kinetic + e.gravity;
    }
    return sum;
}

static inline double random_pm(unsigned* seed) // the same numbers everywhere, in [-1, 1]
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static inline CordVec3 random_unit(unsigned* seed)
{
    for (;;) {
        CordVec3 p = {random_pm(seed), random_pm(seed), random_pm(seed)};
        double size = size_of(p);
        if (size > 0.1 && size <= 1.0) {
            return times(p, 1.0 / size);
        }
    }
}

// Errors at n and 2n elements, which must be those of a second-order method. The next term, a quarter as
// large relative to the first at each doubling, is allowed to bend the order by `bend`. Returns the finer
// one.
static inline double second_order_error(double coarse, double fine, double bend)
{
    double order = log2(fabs(coarse / fine));
    print_message("    off by %.3g, with twice the elements %.3g, order %.3f\n", coarse, fine, order);
    CHECK_NEAR(order, 2.0, bend);
    return fine;
}

// The same of measures, against the truth.
static inline double second_order(double coarse, double fine, double truth, double bend)
{
    return second_order_error(coarse / truth - 1.0, fine / truth - 1.0, bend);
}

// ---- vibrations

typedef double (*Signal)(CordWorld* world, CordRodId rod);

// Time between the first and the last of `count` passages upwards through zero, after `skipped` others, over
// their number.
static inline double period_of(CordWorld* world, CordRodId rod, Signal read, double h, int skipped, int count)
{
    double first = NAN, last = NAN, before = read(world, rod);
    for (int n = 0; n < skipped + count;) {
        CHECK(cord_world_steps(world) < 1000000);
        run(world, h, 1);
        double now = read(world, rod);
        if (before < 0.0 && now >= 0.0) {
            last = cord_world_time(world) - h * now / (now - before);
            first = n++ == skipped ? last : first;
        }
        before = now;
    }
    return (last - first) / (count - 1);
}

// A cantilever's first vibration: k with cosh(k) cos(k) = -1, its frequency times sqrt(EI / mu L^4), and its
// shape, to a factor.
static const double first_root = 1.875104068711961;
static const double first_bending = 1.875104068711961 * 1.875104068711961;

static inline double first_shape(double x)
{
    const double k = first_root, ratio = (cosh(k) + cos(k)) / (sinh(k) + sin(k));
    return cosh(k * x) - cos(k * x) - ratio * (sinh(k * x) - sin(k * x));
}

// Throws the nodes from `from` on, those that are not held, along z in that shape.
static inline void throw_in_first_shape(CordWorld* world, CordRodId rod, int from, double speed)
{
    CordVec3 x[MOST_NODES], v[MOST_NODES] = {{0, 0, 0}};
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = from; i < cord_rod_node_count(world, rod); i++) {
        v[i].z = speed * first_shape(x[i].x);
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
}

// ---- bodies

static inline CordBodyId add_body(CordWorld* world, const CordBodyDef* def)
{
    CordBodyId id;
    CHECK_WORLD_OK(world, cord_body_create(world, def, &id));
    return id;
}

static inline CordBodyDef ball_def(CordVec3 position, double mass, double inertia)
{
    CordBodyDef def = cord_body_def_default();
    def.mass = mass, def.position = position;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = inertia;
    return def;
}

static inline CordWeldId weld(CordWorld* world, CordRodId rod, CordPlace at, CordBodyId body, CordFix fix)
{
    CordWeldDef def = cord_weld_def_default();
    def.rod = rod, def.at = at, def.body = body, def.fix = fix;
    CordWeldId id;
    CHECK_WORLD_OK(world, cord_weld_create(world, &def, &id));
    return id;
}

#endif
