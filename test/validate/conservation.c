// What must stay the same, over many steps.
#include "rods.h"

// A rope of 1 m held at one end and let go: from 30 degrees it swings.
static CordWorld* swinging(bool inextensible, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.material.young = 1e7;
    def.inextensible = inextensible;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.5, 0, -sqrt(0.75)}, 21);
    *rod = add_rod(world, &def);
    hold(world, *rod, cord_at_start(), CORD_FIX_POSITION);
    return world;
}

typedef struct Drift {
    double first, last; // mean energy of the first and the second half [J]
    double least, most; // over all [J]
} Drift;

static Drift run_long(CordWorld* world, CordRodId rod, double h)
{
    enum { SAMPLES = 1000, STEPS = 100 };
    Drift d = {0, 0, INFINITY, -INFINITY};
    for (int i = 0; i < SAMPLES; i++) {
        run_many(world, h, STEPS);
        double e = total_energy(world, rod);
        *(i < SAMPLES / 2 ? &d.first : &d.last) += e / (SAMPLES / 2);
        d.least = fmin(d.least, e);
        d.most = fmax(d.most, e);
    }
    return d;
}

// The means of the first and the second half of 100,000 steps differ by less than a tenth of what the energy
// swings about its mean, and that is a few millionths of the energy that moves to and fro.
static void check_no_drift(bool inextensible)
{
    CordRodId rod;
    CordWorld* world = swinging(inextensible, &rod);
    double h = 0.4 * cord_world_step_advice(world).step;
    double scale = cord_rod_mass(world, rod) * 9.81;
    Drift d = run_long(world, rod, h);
    print_message("  mean energy rose by %.2g J, and swings by %.2g J, beside %.2g J\n", d.last - d.first,
                  d.most - d.least, scale);
    CHECK(fabs(d.last - d.first) <= 0.1 * (d.most - d.least));
    CHECK(d.most - d.least <= 3e-6 * scale);
    cord_world_destroy(world);
}

TEST(an_extensible_rope_does_not_gain_or_lose_energy)
{
    check_no_drift(false);
}

TEST(rattle_does_not_gain_or_lose_energy)
{
    check_no_drift(true);
}

// A chain of ten links without bending stiffness, so that nothing can give back what the projection takes.
TEST(fast_projection_only_loses_energy)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
    def.inextensible = true;
    def.length_method = CORD_LENGTH_FAST_PROJECTION;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    double scale = cord_rod_mass(world, rod) * 9.81, before = total_energy(world, rod), start = before,
           most = -INFINITY;
    for (int i = 0; i < 3000; i++) {
        run(world, 1e-3, 1);
        double e = total_energy(world, rod);
        most = fmax(most, e - before);
        before = e;
    }
    print_message(
        "  fast projection lost %.1f %% of m g L in 3 s at h = 1 ms; the largest rise in a step was %.2g\n",
        100.0 * (start - before) / scale, most / scale);
    CHECK(most <= 1e-6 * scale);         // second order in the step, where it rises at all
    CHECK(start - before > 0.1 * scale); // and it does lose: RATTLE is not what ran
    cord_world_destroy(world);
}

TEST_GROUP(conservation)
