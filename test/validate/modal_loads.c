// Modal rods at rest under loads: small ones as linear theory says, large ones where a run comes to rest.
#include "modals.h"

static void settle(CordWorld* world) // equilibrium; modal rods tell nothing about stability
{
    solve_as(world, true);
}

// ---- small loads

#define TINY                                                                                                 \
    1e-6 // of the length, that they bend the rod by: warping changes deflections by the square of that

// Nodes of cubic elements are exact under even loads, too, if all modes are there. Modes are kept in single
// precision: 6e-8 of each.
VALIDATE(a_little_weight_bends_the_rod_as_linear_theory_says, .source = "w L^4 / 8 EI", .tolerance = 1e-6)
{
    double g = 8 * TINY * rubber_EI() / (rubber_mass() * pow(RUBBER_LENGTH, 3));
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rubber_def(31, 6 * 31);
    CordRodId rod = add_held(world, &def);
    settle(world);
    double error = -tip_of(world, rod).z / (TINY * RUBBER_LENGTH) - 1.0;
    cord_world_destroy(world);
    return error;
}

static double tip_by_force(int modes, CordVec3 direction)
{
    double F = 3 * TINY * rubber_EI() / (RUBBER_LENGTH * RUBBER_LENGTH);
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, modes);
    CordRodId rod = add_held(world, &def);
    add_force(world, rod, cord_at_end(), times(direction, F));
    settle(world);
    double drop = dot(tip_of(world, rod), direction) / (TINY * RUBBER_LENGTH);
    cord_world_destroy(world);
    return drop;
}

VALIDATE(a_little_force_bends_the_rod_as_linear_theory_says, .source = "F L^3 / 3 EI", .tolerance = 1e-6)
{
    return tip_by_force(6 * 31, (CordVec3){0, 0.6, -0.8}) - 1.0;
}

// Each pair of modes has 12 / beta^4 of the deflection by a force at the tip.
VALIDATE(few_modes_leave_out_what_the_series_says, .source = "1 - 12 sum 1 / beta^4", .tolerance = 1e-6)
{
    const double beta[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126};
    double due = 0.0;
    for (int k = 0; k < 3; k++) {
        due += 12.0 / pow(beta[k], 4);
    }
    print_message("    three pairs leave out %.3g\n", 1.0 - due);
    return tip_by_force(6, (CordVec3){0, 0, 1}) - due;
}

// A cranked arm: a along x, b along y, the force along z: both bend, and the first is twisted.
VALIDATE(a_cranked_arm_bends_and_twists, .source = "F (a^3 + b^3) / 3 EI + F a b^2 / GJ", .tolerance = 1e-6)
{
    const double a = 1.0, b = 0.7, GJ = 0.6, F = 1e-6;
    Frame f = {.joint = {{0, 0, 0}, {a, 0, 0}, {a, b, 0}},
               .joint_count = 3,
               .beam = {{0, 1}, {1, 2}},
               .beam_count = 2};
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(1);
    def.model = CORD_MODEL_MODAL, def.inextensible = false;
    def.stiffness.GJ = GJ;
    def.modal.modes = 1000;
    CordRodId rod = add_frame(world, &f, 4, def);
    hold(world, rod, cord_at_node(0), CORD_FIX_FRAME);
    add_force(world, rod, cord_at_node(2), (CordVec3){0, 0, F});
    settle(world);
    double error = node_of(world, rod, 2).z / (F * ((a * a * a + b * b * b) / 3 + a * b * b / GJ)) - 1.0;
    cord_world_destroy(world);
    return error;
}

// Bending of coupled axes: EI12 means the same to all models. A force along y bends the rod along z, too.
VALIDATE(coupled_bending_goes_the_way_it_does_in_other_models,
         .source = "discrete elastic rods, 200 elements", .tolerance = 1e-4)
{
    CordVec3 tip[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(i == 0 ? 10 : 200);
        def.model = i == 0 ? CORD_MODEL_MODAL : CORD_MODEL_DER;
        def.inextensible = false, def.half_edge_start = i == 1;
        def.stiffness.EI2 = 2.0, def.stiffness.EI12 = 0.7, def.m1 = (CordVec3){0, 1, 0};
        def.modal.modes = 60;
        CordRodId rod = add_held(world, &def);
        add_force(world, rod, cord_at_end(), (CordVec3){0, 1e-3, 0});
        settle(world);
        tip[i] = minus(tip_of(world, rod), (CordVec3){1, 0, 0});
        cord_world_destroy(world);
    }
    print_message("    modal y %.6g z %.6g, der y %.6g z %.6g\n", tip[0].y, tip[0].z, tip[1].y, tip[1].z);
    CHECK(fabs(tip[1].z) > 0.2 * fabs(tip[1].y));
    return size_of(minus(tip[0], tip[1])) / size_of(tip[1]);
}

// Forces in the sections of a cantilever carry what hangs beyond them, and so do moments.
TEST(sections_carry_the_force_at_the_tip)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(10);
    def.model = CORD_MODEL_MODAL, def.inextensible = false;
    def.modal.modes = 60;
    CordRodId rod = add_held(world, &def);
    const double F = 1e-5;
    add_force(world, rod, cord_at_end(), (CordVec3){F, 0, -F});
    settle(world);
    CordVec3 force[10], moment[11];
    CHECK_OK(cord_rod_section_forces(world, rod, force));
    CHECK_OK(cord_rod_moments(world, rod, moment));
    for (int j = 0; j < 10; j++) {
        CHECK_VEC3(force[j], ((CordVec3){F, 0, -F}), 1e-5 * F); // turns of 1e-5, and single precision
    }
    for (int i = 0; i < 11; i++) { // of what the part after does to that before: r x F = (1 - x) F about y
        CHECK_VEC3(moment[i], ((CordVec3){0, F * (1.0 - 0.1 * i), 0}), 1e-5 * F);
    }
    cord_world_destroy(world);
}

// ---- large loads: those of the paper's figure 3 are in experiments/mw_fig3.c

// A run comes to rest where the solve is.
VALIDATE(a_damped_run_comes_to_rest_at_the_equilibrium, .source = "cord_world_solve", .tolerance = 1e-9)
{
    CordVec3 tip[2];
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -19.6});
        CordRodDef def = rubber_def(31, 8);
        def.modal.damping_ratio = 0.3;
        CordRodId rod = add_held(world, &def);
        if (i == 0) {
            settle(world);
        } else {
            run_many(world, 1.0 / 30, 2000);
        }
        tip[i] = tip_of(world, rod);
        cord_world_destroy(world);
    }
    return size_of(minus(tip[0], tip[1])) / RUBBER_LENGTH;
}

TEST_GROUP(modal_loads)
