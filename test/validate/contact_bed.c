// Equilibria and vibrations of rods on compliant obstacles, against beams on an elastic foundation (Winkler).
#include "contacts.h"

#include <cordage/solve.h>

static const double weight = 10.0, radius = 0.02; // weight of the mass per length of 1

// Compliant ground below a rod of unit length and stiffness, whose axis is `sink` lower than where it
// touches.
static CordWorld* world_with_bed(double stiffness, double sink)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, -weight};
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    CordObstacleDef ground =
        obstacle_def(CORD_SOLID_PLANE, (CordVec3){1, 0, 0}, (CordVec3){0, 0, sink - radius});
    ground.stiffness = stiffness, ground.damping = 0.1 * stiffness; // equilibria know nothing of that
    add_obstacle(world, &ground);
    touch_with(world, 0.0);
    return world;
}

// Aside it hardly bends, so that the first vibrations are those up and down.
static CordRodDef rod_on_bed(int elements)
{
    CordRodDef def = unit_rod(elements);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(radius);
    def.stiffness.EI2 = 1e6, def.m1 = (CordVec3){0, 1, 0};
    return def;
}

static double height_of_middle(CordWorld* world, CordRodId rod)
{
    return node_of(world, rod, cord_rod_node_count(world, rod) / 2).z;
}

// ---- a straight rod

TEST(a_rod_sinks_into_a_bed_and_has_the_energy_of_it)
{
    for (int i = 0; i < 3; i++) {
        double sink = (i == 0 ? 0.5 : i == 1 ? 0.01 : 1e-5) * radius, k = weight / sink;
        CordWorld* world = world_with_bed(k, 0.0);
        CordRodDef def = rod_on_bed(10);
        CordRodId rod = add_rod(world, &def);
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
        double z = height_of_middle(world, rod), energy = -weight * sink + 0.5 * k * sink * sink;
        print_message("    sinks by %.12g of %.3g m, energy %.10g of %.10g J, unstable %d\n", -z / sink, sink,
                      report.energy, energy, report.unstable);
        CHECK_NEAR(-z, sink, 1e-7 * sink);
        CHECK_NEAR(report.energy, energy, 1e-6 * fabs(energy));
        CHECK_INT(report.unstable, 0);
        cord_world_destroy(world);
    }
}

// Up and down and about its middle it swings with sqrt(k / m).
TEST(a_stiff_rod_swings_on_a_bed)
{
    for (int i = 0; i < 2; i++) {
        enum { MODES = 5 }; // first the three along the ground
        double k = i == 0 ? 1e3 : 1e8, omega2[MODES];
        CordWorld* world = world_with_bed(k, weight / k);
        CordRodDef def = rod_on_bed(20);
        def.stiffness.EI1 = def.stiffness.EI2 = k;
        add_rod(world, &def);
        CHECK_WORLD_OK(world, cord_world_modes(world, MODES, omega2, NULL));
        for (int mode = 3; mode < MODES; mode++) {
            print_message("    k %g: omega^2 / k %.12g\n", k, omega2[mode] / k);
            CHECK_NEAR(omega2[mode], k, 1e-6 * k);
        }
        cord_world_destroy(world);
    }
}

// A bed far stiffer than the rod, nearly as stiff as what holds rigid contacts, gives way as far as it
// should, too. All vibrations along the ground are slower than those up and down.
TEST(a_stiff_bed_swings_a_slender_rod)
{
    enum { N = 20, ALONG = N + 2, ALL = ALONG + N + 1 };
    double k = 1e9, omega2[ALL];
    CordWorld* world = world_with_bed(k, weight / k);
    CordRodDef def = rod_on_bed(N);
    def.stiffness.EI2 = 1.0;
    add_rod(world, &def);
    CHECK_WORLD_OK(world, cord_world_modes(world, ALL, omega2, NULL));
    print_message("    omega^2 / k %.12g, %.12g, %.12g\n", omega2[ALONG - 1] / k, omega2[ALONG] / k,
                  omega2[ALONG + 1] / k);
    CHECK(omega2[ALONG - 1] < 0.01 * k);
    CHECK_NEAR(omega2[ALONG], k, 1e-6 * k);
    CHECK_NEAR(omega2[ALONG + 1], k, 1e-6 * k);
    cord_world_destroy(world);
}

// ---- a beam between two pins

static double pinned_vibration(int elements, int mode, double k, double sink)
{
    CordWorld* world = world_with_bed(k, sink);
    CordRodDef def = rod_on_bed(elements);
    hold_ends(world, add_rod(world, &def), CORD_FIX_POSITION);
    double omega2[4];
    CHECK_WORLD_OK(world, cord_world_modes(world, mode + 1, omega2, NULL));
    cord_world_destroy(world);
    return omega2[mode];
}

// omega^2 = (EI (n pi / L)^4 + k) / m, with a foundation that is softer or stiffer than the beam.
TEST(a_pinned_beam_vibrates_on_a_bed)
{
    for (int i = 0; i < 6; i++) {
        int n = i % 3 + 1;
        double k = i < 3 ? 1500.0 : 3e5, wave = n * pi, truth = wave * wave * wave * wave + k;
        double coarse = pinned_vibration(20, n - 1, k, weight / k),
               fine = pinned_vibration(40, n - 1, k, weight / k);
        print_message("    k %g, mode %d: omega^2 %.8g of %.8g\n", k, n, fine, truth);
        CHECK_NEAR(second_order(coarse - k, fine - k, truth - k, 0.1), 0.0, 2e-3 * n * n);
    }
}

// A spring cannot pull: where the beam only touches the bed, it is not there.
TEST(a_bed_that_is_not_pressed_does_not_hold_a_beam)
{
    double free = pinned_vibration(20, 0, 1500.0, -1e-6 * radius), plain = pi * pi * pi * pi;
    print_message("    omega^2 %.8g\n", free);
    CHECK_NEAR(free, plain, 0.02 * plain);
}

// ---- a beam whose ends are lowered into a bed
//
// Clamped ends are pressed into the bed, and the beam follows as far as it bends: it begins to touch at the
// ends, or in the middle, where its weight sinks it.

typedef struct Lowered {
    CordWorld* world;
    CordRodId rod;
} Lowered;

static const double lowered = 0.5 * 0.02, bed = 2e4;

static Lowered lower_ends(void)
{
    Lowered l = {.world = world_with_bed(bed, -0.1 * radius)};
    CordRodDef def = rod_on_bed(40);
    def.inextensible = false;
    CordMotion down = cord_motion_translate((CordVec3){0, 0, -lowered}, 0.0, 1.0);
    l.rod = add_rod(l.world, &def);
    hold_moving(l.world, l.rod, cord_at_start(), CORD_FIX_FRAME, &down, 1);
    hold_moving(l.world, l.rod, cord_at_end(), CORD_FIX_FRAME, &down, 1);
    return l;
}

static double farthest(const CordVec3* x, const CordVec3* y)
{
    double most = 0.0;
    for (int i = 0; i <= 40; i++) {
        most = fmax(most, size_of(minus(x[i], y[i])));
    }
    return most;
}

TEST(a_branch_ends_where_a_solve_and_a_run_do)
{
    CordVec3 solved[41], followed[41], run_to[41];
    CordSolveReport report;
    Lowered l = lower_ends();
    CordSolveDef solve_def = cord_solve_def_default();
    CHECK_OK(cord_world_set_time(l.world, 1.0));
    CHECK_WORLD_OK(l.world, cord_world_solve(l.world, &solve_def, &report));
    CHECK_OK(cord_rod_positions(l.world, l.rod, solved));
    cord_world_destroy(l.world);

    l = lower_ends();
    CordBranchDef def = cord_branch_def_default();
    def.method = CORD_BRANCH_ARC, def.to = 1.0, def.step = 0.05;
    CordBranch* branch;
    CHECK_WORLD_OK(l.world, cord_branch_create(l.world, &def, &branch));
    CordBranchPoint p = {0};
    while (p.event != CORD_BRANCH_END) {
        CHECK_WORLD_OK(l.world, cord_branch_next(branch, &p));
        CHECK_INT(p.solve.unstable, 0);
    }
    CHECK_OK(cord_rod_positions(l.world, l.rod, followed));
    cord_branch_destroy(branch);
    cord_world_destroy(l.world);

    l = lower_ends();
    run(l.world, 0.01, 1000);
    CHECK_OK(cord_rod_positions(l.world, l.rod, run_to));
    cord_world_destroy(l.world);
    print_message("    middle at %.8g (solve), %.8g (branch), %.8g m (run); energies %.10g and %.10g J\n",
                  solved[20].z, followed[20].z, run_to[20].z, report.energy, p.solve.energy);
    CHECK(farthest(solved, run_to) < 1e-6 * radius);
    CHECK(farthest(solved, followed) < 1e-6 * radius);
    CHECK_NEAR(p.solve.energy, report.energy, 1e-6 * fabs(report.energy));
    CHECK(solved[20].z < -0.105 * radius); // it touches all along
}

TEST_GROUP(contact_bed)
