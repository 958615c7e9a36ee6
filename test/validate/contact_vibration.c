// Vibrations with contacts held, against beams and strings on bilateral supports.
#include "contacts.h"

#include <cordage/solve.h>

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

// Pressed to a rough support, it is held aside as well, as long as nothing slides: both of its planes are two
// spans.
TEST(a_beam_that_sticks_to_a_support_is_held_aside)
{
    enum { N = 81, MODES = 2 };
    CordWorldDef heavy = cord_world_def_default();
    heavy.gravity = (CordVec3){0, -0.01, 0};
    CordWorld* world;
    CHECK_OK(cord_world_create(&heavy, &world));
    CordRodDef def = unit_rod(N);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(thin);
    def.inextensible = false;
    def.stiffness.EI2 = 3.0, def.stiffness.EA = 1e4, def.m1 = (CordVec3){0, 0, 1};
    def.half_edge_start = def.half_edge_end = true;
    hold_ends(world, add_rod(world, &def), CORD_FIX_FRAME);
    support_at(world, 0.5, 0.01, thin);
    touch_with(world, 0.5);
    CordSolveDef solve_def = cord_solve_def_default();
    CordSolveReport report;
    CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
    double omega2[MODES], two_spans = 2.0 * 3.926602312047919, plain = two_spans * two_spans;
    CHECK_WORLD_OK(world, cord_world_modes(world, MODES, omega2, NULL));
    print_message("    %g, %g\n", sqrt(omega2[0]), sqrt(omega2[1]));
    CHECK_NEAR(sqrt(omega2[0]) / plain, 1.0, 2e-3);
    CHECK(sqrt(omega2[1]) > 1.4 * plain); // aside it would be the lowest, 38.8, if it were slippery
    cord_world_destroy(world);
}

// ---- a string over a fret
//
// A string between two pins is lifted a little by a fret at a third of its length. Up and down it is two
// strings there, of 1/3 and 2/3 of its length: the frequencies of a string go with one over its length.

TEST(a_string_over_a_fret_is_two_strings)
{
    enum { N = 90, MODES = 5 };
    const double tension = 100.0, lift = 0.002, fret = 2e-3, radius = 1e-3;
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(N);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = false;
    def.section = cord_section_disc(radius);
    def.stiffness.EA = 1e4, def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1e-6;
    CordRodId rod = add_rod(world, &def);
    CordMotion pull = cord_motion_translate((CordVec3){tension / 1e4, 0, 0}, 0.0, 1.0);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_POSITION, &pull, 1);
    CordObstacleDef wire = obstacle_def(CORD_SOLID_CYLINDER, (CordVec3){fret, 0.0, 0.1},
                                        (CordVec3){1.01 / 3.0, -(fret + radius), 0.0});
    CordMotion rise = cord_motion_translate((CordVec3){0, lift, 0}, 1.0, 2.0);
    wire.motions = &rise, wire.motion_count = 1;
    add_obstacle(world, &wire);
    touch_with(world, 0.0);
    CordSolveDef solve_def = cord_solve_def_default();
    solve_def.friction = CORD_SOLVE_FRICTION_OFF;
    for (int i = 2; i <= 20; i++) {
        CordSolveReport report;
        CHECK_OK(cord_world_set_time(world, 0.1 * i));
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
    }
    double omega2[MODES];
    CHECK_WORLD_OK(world, cord_world_modes(world, MODES, omega2, NULL));
    const double truth[MODES] = {1.0, 1.5, 2.0, 3.0,
                                 3.0}; // aside it is one string, since the fret is slippery
    for (int i = 0; i < MODES; i++) {
        double ratio = sqrt(omega2[i] / omega2[0]);
        print_message("    %g, should be %g\n", ratio, truth[i]);
        CHECK_NEAR(ratio, truth[i], 0.005 * truth[i]);
    }
    cord_world_destroy(world);
}

// ---- a cantilever on a ball, along which it has slid
//
// A solve judges stability by the softest vibration; it and that of cord_world_modes are one. A contact that
// has come to rest at the limit of its friction sticks against all motions but one.

static double softest_of_branch(CordWorld* world, CordSolveFriction friction)
{
    CordBranchDef def = cord_branch_def_default();
    def.solve.friction = friction;
    CordBranch* branch;
    CordBranchPoint point;
    CHECK_WORLD_OK(world, cord_branch_create(world, &def, &branch));
    CHECK_WORLD_OK(world, cord_branch_next(branch, &point));
    cord_branch_destroy(branch);
    return point.least_eigenvalue;
}

TEST(a_solve_and_its_vibrations_hold_the_same_contacts)
{
    static const CordSolveFriction kinds[] = {CORD_SOLVE_FRICTION_COULOMB, CORD_SOLVE_FRICTION_OFF,
                                              CORD_SOLVE_FRICTION_FROZEN};
    for (int elements = 40; elements <= 80; elements += 40) {
        for (int i = 0; i < 3; i++) {
            Prop p = propped_cantilever(elements, 1e9, 0.3);
            CordSolveDef def = cord_solve_def_default();
            def.friction = kinds[i];
            CordSolveReport report;
            double omega2;
            CHECK_WORLD_OK(p.world, cord_world_solve(p.world, &def, &report));
            CHECK_WORLD_OK(p.world, cord_world_modes_with(p.world, kinds[i], 1, &omega2, NULL));
            double softest = softest_of_branch(p.world, kinds[i]);
            print_message("    %d elements: omega^2 = %.6g, by the solve %.6g\n", elements, omega2, softest);
            if (isnan(softest)) { // at the limit; aside it would swing at 640 if it slipped there
                CHECK(omega2 > 2e4);
            } else {
                CHECK_NEAR(omega2 / softest, 1.0, 1e-4);
            }
            cord_world_destroy(p.world);
        }
    }
}

TEST_GROUP(contact_vibration)
