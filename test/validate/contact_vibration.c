// Vibrations with contacts held, against beams and strings on bilateral supports.
#include "contacts.h"

// A cylinder across the rod, which touches it at x from below. The rod is along x and its radius is the
// section's.
static void support_at(CordWorld* world, double x, double radius, double rod_radius)
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.solid = (CordSolid){.shape = CORD_SOLID_CYLINDER, .size = {radius, 0.0, 0.5}};
    def.position = (CordVec3){x, -(radius + rod_radius), 0.0};
    CordObstacleId id;
    CHECK_OK(cord_obstacle_create(world, &def, &id));
}

// ---- a beam of length 1, clamped at both ends, that touches a support in the middle without a load

static const double thin = 1e-3;

static CordWorld* supported_beam(int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(thin);
    def.stiffness.EI2 = 3.0, def.stiffness.EA = 1e6, def.m1 = (CordVec3){0, 0, 1};
    def.half_edge_start = def.half_edge_end = true;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    support_at(world, 0.5, 0.01, thin);
    touch_with(world, 0.0);
    return world;
}

static double supported_frequency(int elements, int mode)
{
    CordWorld* world = supported_beam(elements);
    double omega2[8];
    CHECK_OK(cord_world_modes(world, mode + 1, omega2, NULL));
    for (int i = 0; i <= mode; i++) {
        print_message("    %d: %.10g\n", i, sqrt(omega2[i]));
    }
    cord_world_destroy(world);
    return sqrt(omega2[mode]);
}

// Its halves are a clamped and pinned beam each, k L / 2 = 3.926602 (they turn together), or clamped at both
// ends, 4.730041. Aside nothing holds it.
TEST(a_beam_on_a_support_vibrates_as_two_spans)
{
    const double roots[3] = {4.730040744862704, 2.0 * 3.926602312047919, 2.0 * 4.730040744862704},
                 stiffness[3] = {3.0, 1.0, 1.0};
    for (int mode = 0; mode < 3; mode++) {
        double truth = roots[mode] * roots[mode] * sqrt(stiffness[mode]);
        double off = second_order(supported_frequency(41, mode), supported_frequency(81, mode), truth, 0.1);
        CHECK_NEAR(off, 0.0, 2e-3);
    }
}

TEST_GROUP(contact_vibration)
