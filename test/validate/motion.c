// Motion against closed forms: frequencies, orders in time, drag, torque, and buckling of a rod twisted by
// its clamp.
#include "check.h"

#include <cordage/cordage.h>

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static CordWorld* make_world(CordVec3 gravity)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = gravity;
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    return world;
}

// Length, stiffnesses and mass per length 1, along x.
static CordRodDef unit_rod(int elements)
{
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = 1e4, .mass_per_length = 1.0};
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    return def;
}

static CordClampId hold(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = rod;
    def.at = at;
    def.fix = fix;
    CordClampId id;
    CHECK_OK(cord_clamp_create(world, &def, &id));
    return id;
}

// ---- frequencies

// A cantilever let go in the shape of its first mode; the period is between falling passages of its tip
// through zero.
VALIDATE(a_cantilever_swings_at_its_first_frequency, .source = "1.8751^2 sqrt(EI / mu L^4), 40 elements",
         .tolerance = 3e-4) // 1.0e-4 from the mesh (cordage reproduce theory), the rest from the step
{
    enum { N = 40, PERIODS = 5 };
    const double beta = 1.875104068711961, omega = beta * beta;
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(N);
    def.half_edge_start = true;
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    hold(world, rod, cord_at_start(), CORD_FIX_DIRECTION);
    CordVec3 v[N + 1], x[N + 1];
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i <= N; i++) { // started by its velocity: displacements would change the lengths
        double s = beta * x[i].x, ratio = (cosh(beta) + cos(beta)) / (sinh(beta) + sin(beta));
        v[i] = (CordVec3){0, 0, i < 2 ? 0.0 : 1e-4 * (cosh(s) - cos(s) - ratio * (sinh(s) - sin(s)))};
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double h = 0.8 * cord_world_step_advice(world).step, first = 0.0, last = 0.0, before = 0.0;
    for (int found = 0; found <= PERIODS;) {
        CHECK_OK(cord_world_step(world, h));
        CHECK_OK(cord_rod_positions(world, rod, x));
        double z = x[N].z;
        if (before > 0.0 && z <= 0.0) {
            last = cord_world_time(world) - h * z / (z - before);
            first = found++ == 0 ? last : first;
        }
        before = z;
    }
    cord_world_destroy(world);
    return 2.0 * pi * PERIODS / (last - first) / omega - 1.0;
}

// ---- order in time

// Where the free end of a falling rope is at t = 0.3 s, with `count` steps.
static CordVec3 tip_after(int count, CordIntegrator integrator, bool inextensible)
{
    enum { N = 10 };
    CordWorld* world = make_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(N);
    def.stiffness.EI1 = def.stiffness.EI2 = 0.01;
    def.stiffness.EA = 50.0;
    def.inextensible = inextensible;
    def.integrator = integrator;
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CHECK_OK(cord_world_step_many(world, 0.3 / count, count));
    CordVec3 x[N + 1];
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
    return x[N];
}

static double observed_order(CordIntegrator integrator, bool inextensible)
{
    CordVec3 exact = tip_after(64000, CORD_INTEGRATOR_VERLET, inextensible);
    double error[2];
    for (int k = 0; k < 2; k++) {
        CordVec3 tip = tip_after(1000 << k, integrator, inextensible);
        error[k] = sqrt(pow(tip.x - exact.x, 2) + pow(tip.z - exact.z, 2));
    }
    return log2(error[0] / error[1]);
}

TEST(verlet_is_second_order_in_time)
{
    CHECK_NEAR(observed_order(CORD_INTEGRATOR_VERLET, false), 2.0, 0.05);
}

TEST(rattle_is_second_order_in_time)
{
    CHECK_NEAR(observed_order(CORD_INTEGRATOR_VERLET, true), 2.0, 0.05);
}

TEST(symplectic_euler_is_first_order_in_time)
{
    CHECK_NEAR(observed_order(CORD_INTEGRATOR_SYMPLECTIC_EULER, false), 1.0, 0.05);
}

// ---- drag

VALIDATE(a_rod_falls_broadside_at_its_terminal_speed, .source = "mu g / c_across", .tolerance = 1e-9)
{
    CordWorld* world = make_world((CordVec3){0, 0, -10.0});
    CordRodDef def = unit_rod(10);
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    CordLoadDef drag = cord_load_def_default();
    drag.kind = CORD_LOAD_DRAG;
    drag.along = 1.0;
    drag.across = 4.0;
    CordLoadId id;
    CHECK_OK(cord_load_create(world, &drag, &id));
    CHECK_OK(cord_world_step_many(world, 1e-3, 8000)); // 32 times the time it takes to settle
    CordVec3 v[11];
    CHECK_OK(cord_rod_velocities(world, rod, v));
    cord_world_destroy(world);
    return -v[5].z / 2.5 - 1.0;
}

// ---- torque

// A torque at one end twists the rod by tau L / GJ, and arrives in full at the clamp at the other.
TEST(a_prescribed_torque_twists_the_rod_and_reaches_the_other_clamp)
{
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(20);
    def.stiffness.GJ = 0.5;
    def.half_edge_start = def.half_edge_end = true;
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    CordClampId wall = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampDef driven = cord_clamp_def_default();
    driven.rod = rod;
    driven.at = cord_at_end();
    driven.fix = CORD_FIX_FRAME;
    driven.has_torque = true;
    driven.torque = 0.3;
    CordClampId id;
    CHECK_OK(cord_clamp_create(world, &driven, &id));
    CHECK_OK(cord_world_step(world, 1e-5));
    CHECK_NEAR(cord_rod_twist(world, rod), 0.3 / 0.5 / (2.0 * pi), 1e-12);
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(world, wall, &force, &torque));
    CHECK_NEAR(torque.x, 0.3, 1e-12);
    cord_world_destroy(world);
}

// ---- buckling

// One clamp turns slowly and is free to slide. The straight rod gives way where theory says, 8.9868 EI / GJ.
VALIDATE(a_rod_twisted_slowly_buckles, .source = "8.9868 EI / GJ, 100 elements", .tolerance = 0.02)
{
    enum { N = 100 };
    // twist from 8.5 to 9.5 rad: it must go on past the threshold
    const double from = 8.5, to = 9.5, time = 25.0;
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(N);
    def.half_edge_start = def.half_edge_end = true;
    def.twist = from;
    CordRodId rod;
    CHECK_OK(cord_rod_create(world, &def, &rod));
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, to - from, 0.0, time);
    CordClampDef driven = cord_clamp_def_default();
    driven.rod = rod;
    driven.at = cord_at_end();
    driven.fix = CORD_FIX_FRAME;
    driven.slides = true;
    driven.axis = (CordVec3){1, 0, 0};
    driven.motions = &turn;
    driven.motion_count = 1;
    CordClampId id;
    CHECK_OK(cord_clamp_create(world, &driven, &id));
    CordVec3 v[N + 1] = {{0, 0, 0}}, x[N + 1];
    for (int i = 2; i < N - 1; i++) {
        v[i].y = 1e-4 * sin(pi * i / N); // the least push: a perfect rod would not know which way
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double h = 0.8 * cord_world_step_advice(world).step, aside = 0.0;
    while (aside < 5e-3 && cord_world_time(world) < time) {
        CHECK_OK(cord_world_step_many(world, h, 200));
        CHECK_OK(cord_rod_positions(world, rod, x));
        aside = sqrt(x[N / 2].y * x[N / 2].y + x[N / 2].z * x[N / 2].z);
    }
    double twist = from + (to - from) * cord_world_time(world) / time;
    CHECK(aside >= 5e-3);
    CHECK(x[N].x < 1.0); // the clamp came along
    cord_world_destroy(world);
    return twist / 8.98681892 - 1.0;
}

TEST_GROUP(motion, a_cantilever_swings_at_its_first_frequency, verlet_is_second_order_in_time,
           rattle_is_second_order_in_time, symplectic_euler_is_first_order_in_time,
           a_rod_falls_broadside_at_its_terminal_speed,
           a_prescribed_torque_twists_the_rod_and_reaches_the_other_clamp, a_rod_twisted_slowly_buckles)
