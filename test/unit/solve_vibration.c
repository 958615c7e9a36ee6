// Vibrations about equilibria: chains, ropes, and what has neither stiffness nor inertia.
#include "solves.h"
#include "world_branches.h"

#define GRAVITY 0.5 // [m/s^2]

static double least_eigenvalue(CordWorld* world)
{
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 0.0, 1.0, 1.0);
    double least = next(world, branch).least_eigenvalue;
    cord_branch_destroy(branch);
    return least;
}

// An ideal chain has no stiffness but that of its tension. It has omega^2 = (j/2)^2 g/L, where j are the
// zeros of the Bessel function J0, twice each, to second order in its links. On its end every joint is
// unstable.
TEST(ideal_chains_hang_and_do_not_stand)
{
    for (int i = 0; i < 12; i++) {
        bool stands = i % 2;
        CordWorld* world = new_world((CordVec3){stands ? -GRAVITY : GRAVITY, 0, 0});
        CordRodDef def = line_def(NODES);
        def.inextensible = true, def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
        def.stiffness.GJ = i / 6 ? 0.0 : def.stiffness.GJ; // then frames have neither stiffness nor inertia
        def.model = (CordModel[]){CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD}[i / 2 % 3];
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_POSITION);
        CordSolveDef solve_def = cord_solve_def_default();
        CordSolveReport report;
        solve_def.accept_saddle = stands;
        CHECK_WORLD_OK(world, cord_world_solve(world, &solve_def, &report));
        CHECK_INT(report.unstable, stands ? 2 * (NODES - 1) : 0);
        CHECK(report.residual_relative <= solve_def.tolerance);
        const double j[4] = {2.404825558, 2.404825558, 5.520078110, 5.520078110};
        double omega2[4];
        CHECK_OK(cord_world_modes(world, 4, omega2, NULL));
        for (int k = 0; k < 4 && !stands; k++) {
            CHECK_NEAR(omega2[k] / (0.25 * j[k] * j[k] * GRAVITY), 1.0, 0.5 * j[k] * j[k] / (NODES * NODES));
        }
        if (!stands) {
            CHECK_NEAR(least_eigenvalue(world) / omega2[0], 1.0, 1e-9);
        }
        cord_world_destroy(world);
    }
}

// The frequencies of a nearly square cantilever are two per mille apart.
TEST(the_least_eigenvalue_has_converged_where_two_are_near)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    double omega2;
    def.stiffness.EI2 = 1.004 * def.stiffness.EI1;
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
    double least = least_eigenvalue(world);
    CHECK_OK(cord_world_modes(world, 1, &omega2, NULL));
    CHECK_NEAR(least / omega2, 1.0, 1e-9);
    cord_world_destroy(world);
}

// A rope along x from a pin, in pieces that are joined end to end, with 40 elements in all.
static void hang_in_pieces(CordWorld* world, CordRodDef def, int pieces, CordJointKind kind)
{
    CordRodId last = {0};
    for (int k = 0; k < pieces; k++) {
        def.shape = cord_shape_line((CordVec3){(double)k / pieces, 0, 0},
                                    (CordVec3){(k + 1.0) / pieces, 0, 0}, 40 / pieces + 1);
        CordRodId rod = add_rod(world, &def);
        if (k == 0) {
            hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
        } else {
            add_joint(world, kind, last, cord_at_end(), rod, cord_at_start());
        }
        last = rod;
    }
}

// Pins between its links change nothing: joints turn by themselves and have no inertia but that of their
// nodes, which weigh once.
TEST(a_chain_vibrates_in_pieces_as_it_does_in_one)
{
    const int pieces[] = {1, 2, 8};
    double whole[6];
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_world((CordVec3){GRAVITY, 0, 0});
        CordRodDef def = line_def(NODES);
        def.inextensible = true, def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 0.0;
        hang_in_pieces(world, def, pieces[i], CORD_JOINT_PIN);
        double omega2[6];
        solve(world);
        CHECK_OK(cord_world_modes(world, 6, omega2, NULL));
        memcpy(whole, i == 0 ? omega2 : whole, sizeof whole);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(omega2[k] / whole[k], 1.0, 1e-9);
        }
        CHECK_NEAR(least_eigenvalue(world) / whole[0], 1.0, 1e-9);
        cord_world_destroy(world);
    }
}

// Bars that are pinned end to end are pendulums: for two, det(K - omega^2 M) = 0 with K = m g l diag(3/2,
// 1/2) and M = m l^2 ((a + 1, 1/2), (1/2, a)), where a = 1/3 + 1/(6 n^2) in bars of n elements. Pins turn
// about three axes at no cost, and bars about their own.
TEST(pinned_bars_swing_as_pendulums)
{
    CordWorld* world = new_world((CordVec3){GRAVITY, 0, 0});
    CordRodDef def = line_def(NODES);
    def.stiffness.EI1 = def.stiffness.EI2 = 100 * RODS_EI, def.inextensible = true;
    hang_in_pieces(world, def, 2, CORD_JOINT_PIN);
    double l = 0.5, a = 1.0 / 3 + 1.0 / (6 * 20 * 20), omega2[4];
    double A = a * (a + 1) - 0.25, B = 2 * a + 0.5, root = sqrt(B * B - 3 * A);
    solve(world);
    CHECK_OK(cord_world_modes(world, 4, omega2, NULL));
    for (int k = 0; k < 4; k++) {
        double exact = (k < 2 ? B - root : B + root) / (2 * A) * GRAVITY / l;
        CHECK_NEAR(omega2[k] / exact, 1.0, 5e-4); // they bend
    }
    CHECK_NEAR(least_eigenvalue(world) / omega2[0], 1.0,
               1e-8); // round-off of the bending, 1e8 times as stiff
    cord_world_destroy(world);
}

// A rope falls from the horizontal and hangs straight but for round-off, whatever its pieces: turns about
// itself do not count. A weld keeps two of its 40 edges in one line, so that the rope is stiffer, and a pin
// takes the bending of a node away (Rayleigh), each by less than the square of an edge's share of the length.
TEST(a_rope_that_hangs_straight_is_stable)
{
    const int pieces[] = {1, 2, 4, 8};
    double whole = 0.0;
    for (int i = 0; i < 7; i++) {
        int count = pieces[i % 4 + i / 4], side = i / 4 ? -1 : 1;
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = line_def(NODES);
        def.stiffness.EI1 = def.stiffness.EI2 = 1e-4, def.stiffness.GJ = 1e-4;
        hang_in_pieces(world, def, count, i / 4 ? CORD_JOINT_PIN : CORD_JOINT_WELD);
        double least = least_eigenvalue(world);
        whole = i == 0 ? least : whole;
        double more = side * (least / whole - 1.0);
        CHECK_NEAR(least / (1.446 * 9.81), 1.0, 0.03); // of a chain
        CHECK(count == 1 || (more > 0.0 && more < (count - 1) / (40.0 * 40.0)));
        cord_world_destroy(world);
    }
}

TEST_GROUP(solve_vibration)
