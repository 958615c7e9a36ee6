// Motion against closed forms: frequencies, orders in time, drag, torque, and buckling of a rod twisted by
// its clamp.
#include "rods.h"

// ---- torque

// A torque at one end twists the rod by tau L / GJ, and arrives in full at the clamp at the other.
TEST(a_prescribed_torque_twists_the_rod_and_reaches_the_other_clamp)
{
    CordWorld* world = new_weightless_world();
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
    CordWorld* world = new_weightless_world();
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

TEST_GROUP(motion, a_prescribed_torque_twists_the_rod_and_reaches_the_other_clamp,
           a_rod_twisted_slowly_buckles)
