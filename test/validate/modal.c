// Frequencies of modal rods against beam theory: the paper's rubber rod, beams on other supports, rings,
// frames and grids; masses that modes take up; clusters.
#include "modals.h"

// ---- the paper's rod: 20 cm of rubber, held at one end

static const double roots[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
                               10.995540734875467};

// Of the n-th pair of bending modes; of the lowest that twists or stretches: relative error of the frequency.
static double bending_error(int elements, int pair)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(elements, 12);
    CordRodId rod = add_held(world, &def);
    double theory =
        roots[pair] * roots[pair] / (RUBBER_LENGTH * RUBBER_LENGTH) * sqrt(rubber_EI() / rubber_mass());
    double least = INFINITY;
    for (int k = 0, seen = 0; k < mode_count(world, rod); k++) {
        CordMode m;
        CHECK_OK(cord_rod_mode(world, rod, k, &m));
        if (m.kind == CORD_MODE_BEND && seen++ / 2 == pair) {
            CHECK_INT(m.cluster_count, 2);
            CHECK_NEAR(m.bend, 1.0, 1e-9); // bending alone, but for round-off in the modes
            least = fmin(least, sqrt(m.omega2) / theory - 1.0);
        }
    }
    CHECK(isfinite(least));
    cord_world_destroy(world);
    return least;
}

static double other_error(int elements, CordModeKind kind)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(elements, 14);
    CordRodId rod = add_held(world, &def);
    double shear = RUBBER_YOUNG / 3.0, modulus = kind == CORD_MODE_TWIST ? shear : RUBBER_YOUNG;
    double theory = pi / (2 * RUBBER_LENGTH) * sqrt(modulus / RUBBER_DENSITY), error = INFINITY;
    for (int k = mode_count(world, rod) - 1; k >= 0; k--) {
        CordMode m;
        CHECK_OK(cord_rod_mode(world, rod, k, &m));
        error = m.kind == kind ? sqrt(m.omega2) / theory - 1.0 : error;
    }
    CHECK(isfinite(error));
    cord_world_destroy(world);
    return error;
}

VALIDATE(the_first_bending_pairs_of_the_rubber_rod, .source = "beta^2 sqrt(EI / mu L^4), three pairs",
         .tolerance = 1e-5)
{
    double worst = 0.0;
    for (int pair = 0; pair < 3; pair++) {
        worst = fmax(worst, fabs(bending_error(31, pair)));
    }
    return worst;
}

// Cubic elements of length l with consistent mass: omega is too high by (beta l)^4 / 1440, 1.1e-5 here, plus
// higher powers.
VALIDATE(the_fourth_bending_pair_is_off_by_what_elements_leave, .source = "(beta L / 31)^4 / 1440",
         .tolerance = 0.03)
{
    return bending_error(31, 3) / (pow(roots[3] / 31, 4) / 1440) - 1.0;
}

VALIDATE(bending_frequencies_are_of_fourth_order, .source = "16-fold from 16 to 32 elements",
         .tolerance = 0.05)
{
    double coarse = bending_error(16, 3), fine = bending_error(32, 3);
    print_message("    16 elements: %.3g, 32: %.3g\n", coarse, fine);
    return log2(coarse / fine) - 4.0;
}

static double check_other(CordModeKind kind)
{
    double error = other_error(31, kind);
    // (k l)^2 / 24 of linear elements with consistent mass
    CHECK_NEAR(error / (pow(pi / 62, 2) / 24), 1.0, 1e-3);
    CHECK_NEAR(other_error(16, kind) / error, pow(31.0 / 16, 2), 1e-2);
    return error;
}

VALIDATE(twist_of_the_rubber_rod, .source = "sqrt(G / rho) pi / 2 L", .tolerance = 2e-4)
{
    return check_other(CORD_MODE_TWIST);
}

VALIDATE(stretch_of_the_rubber_rod, .source = "sqrt(E / rho) pi / 2 L", .tolerance = 2e-4)
{
    return check_other(CORD_MODE_STRETCH);
}

// ---- other supports

static CordRodDef modal_unit(int elements) // length, EI and mass per length are 1
{
    CordRodDef def = unit_rod(elements);
    def.model = CORD_MODEL_MODAL;
    def.inextensible = false;
    def.modal.modes = 6;
    return def;
}

VALIDATE(a_free_beam_bends_at_its_first_frequency, .source = "4.7300^2 sqrt(EI / mu L^4)", .tolerance = 1e-6)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = modal_unit(40);
    def.modal.rigid = CORD_RIGID_REMOVE;
    CordRodId rod = add_rod(world, &def);
    CordModalReport report;
    CHECK_OK(cord_rod_modal_report(world, rod, &report));
    CHECK_INT(report.rigid, 6);
    // The third mode is the first of the second pair.
    CHECK_NEAR(omega_of(world, rod, 2) / pow(7.853204624095838, 2), 1.0, 2e-6); // (7.85 / 40)^4 / 1440
    double error = omega_of(world, rod, 0) / pow(4.730040744862704, 2) - 1.0;
    cord_world_destroy(world);
    return error;
}

VALIDATE(a_beam_on_two_pins_bends_at_its_frequencies, .source = "(n pi)^2 sqrt(EI / mu L^4)",
         .tolerance = 2e-7)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = modal_unit(40);
    CordRodId rod = add_rod(world, &def);
    hold_freedoms(world, rod, cord_at_start(), CORD_HOLD_X | CORD_HOLD_Y | CORD_HOLD_Z | CORD_HOLD_TURN_X);
    hold_freedoms(world, rod, cord_at_end(), CORD_HOLD_Y | CORD_HOLD_Z);
    double error = 0.0;
    for (int n = 1; n <= 3; n++) { // the error of elements, (n pi / 40)^4 / 1440, is known and taken off
        double off = omega_of(world, rod, 2 * n - 2) / pow(n * pi, 2) - 1.0 - pow(n * pi / 40, 4) / 1440;
        error = fabs(off) > fabs(error) ? off : error;
    }
    cord_world_destroy(world);
    return error;
}

// A flat beam bends about both of its axes, and m1 says which is which: EI1 is about m1.
TEST(a_flat_beam_has_its_axes_where_they_belong)
{
    for (int along = 0; along < 2; along++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = modal_unit(20);
        def.stiffness.EI2 = 4.0;
        def.m1 = along ? (CordVec3){0, 0, 1} : (CordVec3){0, 1, 0};
        CordRodId rod = add_held(world, &def);
        CordVec3 u[21];
        CHECK_NEAR(omega_of(world, rod, 1) / omega_of(world, rod, 0), 2.0, 1e-8);
        CHECK_OK(cord_rod_mode_shape(world, rod, 0, u, NULL)); // the soft way: about m1
        CHECK(along ? fabs(u[20].y) > 1.0 && fabs(u[20].z) < 1e-6
                    : fabs(u[20].z) > 1.0 && fabs(u[20].y) < 1e-6);
        cord_world_destroy(world);
    }
}

// ---- rings

// Free, of radius 1: EI = mu = 1 and no stretch to speak of. The first pairs: n = 2 out of its plane, n = 2
// in it.
static double ring_mode(int elements, bool in_plane)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = modal_unit(elements);
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1.0, elements);
    def.closed = true;
    def.stiffness.GJ = 1.0 / 1.3, def.stiffness.EA = 1e7, def.stiffness.spin_inertia = 1e-6;
    def.modal.rigid = CORD_RIGID_REMOVE;
    CordRodId rod = add_rod(world, &def);
    double omega = NAN;
    CHECK(mode_count(world, rod) >= 4);
    for (int k = 3; k >= 0; k--) {
        CordVec3 u[256];
        CHECK_OK(cord_rod_mode_shape(world, rod, k, u, NULL));
        double up = 0.0, aside = 0.0;
        for (int i = 0; i < elements; i++) {
            up += u[i].z * u[i].z, aside += u[i].x * u[i].x + u[i].y * u[i].y;
        }
        CHECK(up < 1e-9 * aside || aside < 1e-9 * up); // one or the other, by symmetry
        omega = (aside > up) == in_plane ? omega_of(world, rod, k) : omega;
    }
    cord_world_destroy(world);
    return omega;
}

// Errors of a polygon for a circle: a few times (2 pi / n)^2.
VALIDATE(a_ring_bends_in_its_plane, .source = "n^2 (n^2 - 1)^2 / (n^2 + 1) EI / mu R^4, n = 2 (Love)",
         .tolerance = 2e-3)
{
    return second_order(ring_mode(48, true), ring_mode(96, true), sqrt(36.0 / 5.0), 0.05);
}

VALIDATE(a_ring_bends_out_of_its_plane,
         .source = "n^2 (n^2 - 1)^2 / (n^2 + 1 + nu) EI / mu R^4, n = 2 (Love)", .tolerance = 2e-3)
{
    return second_order(ring_mode(48, false), ring_mode(96, false), sqrt(36.0 / 5.3), 0.05);
}

// ---- frames

static Frame portal(void) // two columns and a beam, a metre each
{
    return (Frame){.joint = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}},
                   .joint_count = 4,
                   .beam = {{0, 1}, {1, 2}, {2, 3}},
                   .beam_count = 3};
}

static Frame grid(void) // three by three squares, a metre each
{
    Frame f = {.joint_count = 16};
    for (int i = 0; i < 16; i++) {
        f.joint[i] = (CordVec3){i % 4, i / 4, 0};
        if (i % 4 < 3) {
            f.beam[f.beam_count][0] = i, f.beam[f.beam_count++][1] = i + 1;
        }
        if (i / 4 < 3) {
            f.beam[f.beam_count][0] = i, f.beam[f.beam_count++][1] = i + 4;
        }
    }
    return f;
}

static double frame_omega(const Frame* f, const int* feet, int foot_count, int parts, int mode)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = modal_unit(1);
    def.stiffness.EA = 1e6, def.stiffness.spin_inertia = 1e-6;
    CordRodId rod = add_frame(world, f, parts, def);
    for (int i = 0; i < foot_count; i++) {
        hold(world, rod, cord_at_node(feet[i]), CORD_FIX_FRAME);
    }
    double omega = omega_of(world, rod, mode);
    cord_world_destroy(world);
    return omega;
}

// Against the limit that 8 and 16 parts to a beam point to: the errors of 1, 2 and 4 parts, which fall by 16.
// Stretching is of second order, and has next to no part in these.
static double frame_order(const Frame* f, const int* feet, int foot_count, int mode)
{
    double fine = frame_omega(f, feet, foot_count, 16, mode),
           less = frame_omega(f, feet, foot_count, 8, mode);
    double limit = fine - (less - fine) / 15.0, error[3];
    for (int i = 0; i < 3; i++) {
        error[i] = frame_omega(f, feet, foot_count, 1 << i, mode) / limit - 1.0;
    }
    print_message("    omega %.9g; 1 part: %.3g, 2: %.3g, 4: %.3g, 8: %.3g\n", limit, error[0], error[1],
                  error[2], less / limit - 1.0);
    CHECK(error[0] > 0.0 && error[0] < 0.1); // elements are too stiff
    CHECK(error[2] < 1e-4);
    return log2(error[1] / error[2]) - 4.0;
}

VALIDATE(a_portal_frame_sways_at_fourth_order, .source = "a converged reference", .tolerance = 0.1)
{
    Frame f = portal();
    return frame_order(&f, (int[]){0, 3}, 2, 1);
}

// In the plane, feet held fast, columns and beam alike, no stretch: the first antisymmetric root of the frame
// equation by the dynamic stiffness of a beam (Przemieniecki): of the joint's turn and the sway of the beam
// with its mass.
static double sway_determinant(double b)
{
    double c = cos(b), C = cosh(b), s = sin(b), S = sinh(b), d = 1.0 - c * C;
    // moments of a turn of one end: here and there
    double near = b * (s * C - c * S) / d, far = b * (S - s) / d;
    double shear = b * b * s * S / d,
           push = b * b * b * (s * C + c * S) / d; // of a shift of one end: moment and force here
    double turn = 2.0 * near + far;                // column, and the beam with both ends turned alike
    double sway = push - 0.5 * b * b * b * b;      // a column, less half the beam's inertia
    return turn * sway - shear * shear;
}

VALIDATE(a_portal_frame_sways_as_the_frame_equation_says, .source = "dynamic stiffness, no stretch",
         .tolerance = 1e-5)
{
    double low = 1.0, high = 2.5; // beta L of the first: found by bisection
    CHECK(sway_determinant(low) * sway_determinant(high) < 0.0);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        (sway_determinant(low) * sway_determinant(middle) <= 0.0) ? (high = middle) : (low = middle);
    }
    Frame f = portal();
    const int feet[] = {0, 3};
    double nearest = INFINITY;
    for (int mode = 0; mode < 3; mode++) {
        // out of its plane the frame is softer; stretch of 1 in EA = 1e6 makes the sway slower by some 1e-6
        double off = frame_omega(&f, feet, 2, 8, mode) / (low * low) - 1.0;
        nearest = fabs(off) < fabs(nearest) ? off : nearest;
    }
    return nearest;
}

VALIDATE(a_grid_on_its_corners_converges_at_fourth_order, .source = "a converged reference", .tolerance = 0.1)
{
    Frame f = grid();
    return frame_order(&f, (int[]){0, 3, 12, 15}, 4, 0);
}

// ---- masses and clusters

static CordVec3 mass_of_all_modes(int elements, CordRigid rigid)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = modal_unit(elements);
    def.modal.modes = 6 * elements + 6;
    def.modal.rigid = rigid;
    CordRodId rod = rigid == CORD_RIGID_REMOVE ? add_rod(world, &def) : add_held(world, &def);
    CHECK_INT(mode_count(world, rod), 6 * elements);
    CordVec3 sum = {0, 0, 0};
    for (int k = 0; k < 6 * elements; k++) {
        CordMode m;
        CHECK_OK(cord_rod_mode(world, rod, k, &m));
        sum = plus(sum, m.effective_mass);
    }
    cord_world_destroy(world);
    return sum;
}

// All modes together take up all of the mass but that which goes with the support: of linear elements l /
// sqrt(12), the part of a bar that one with free mass beside it would see move; across, a part of l as well.
TEST(all_modes_together_take_up_the_mass)
{
    CordVec3 coarse = mass_of_all_modes(6, CORD_RIGID_REFUSE),
             fine = mass_of_all_modes(12, CORD_RIGID_REFUSE);
    const double table = 1e-6; // modes are kept in single precision
    CHECK_NEAR(coarse.x, 1.0 - 1.0 / sqrt(12.0) / 6, table);
    CHECK_NEAR(fine.x, 1.0 - 1.0 / sqrt(12.0) / 12, table);
    CHECK(coarse.y < 1.0 && fine.y < 1.0);
    CHECK_NEAR(2.0 * (1.0 - fine.y), 1.0 - coarse.y, 10 * table);
    CHECK_NEAR(fine.y, fine.z, table);
    CHECK(fine.y > 0.97);
}

TEST(vibrations_of_a_free_rod_take_up_no_mass)
{
    CordVec3 sum = mass_of_all_modes(6, CORD_RIGID_REMOVE);
    CHECK_VEC3(sum, ((CordVec3){0, 0, 0}), 1e-12); // squares of what single precision leaves
}

TEST(a_pair_is_not_cut_in_half_without_a_word)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, 8); // three pairs, a twist, and the first of a pair
    CordRodId rod = add_held(world, &def);
    CordModalReport report;
    CHECK_OK(cord_rod_modal_report(world, rod, &report));
    CHECK_INT(report.asked, 8);
    CHECK_INT(report.found, 9);
    CHECK_INT(mode_count(world, rod), 9);
    CordMode a, b;
    CHECK_OK(cord_rod_mode(world, rod, 7, &a));
    CHECK_OK(cord_rod_mode(world, rod, 8, &b));
    CHECK_INT(a.cluster_first, 7);
    CHECK_INT(a.cluster_count, 2);
    CHECK_INT(b.cluster_first, 7);
    CHECK_NEAR(b.omega2 / a.omega2, 1.0, 1e-10);
    CHECK_RESULT(cord_rod_mode(world, rod, 9, &a), CORD_BAD_ARGUMENT);
    cord_world_destroy(world);
}

TEST_GROUP(modal)
