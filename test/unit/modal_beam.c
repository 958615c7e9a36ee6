// The beam element of modal rods: stiffness, mass, and what is told of its forces and energy.
#include "check.h"
#include "math/dense.h"
#include "math/elementary.h"
#include "model/modal/beam.h"
#include "random.h"

static void set_axes(Beam* beam, CordVec3 t, CordVec3 m1)
{
    beam->axes[0] = vec3_unit(t);
    beam->axes[1] = vec3_unit(vec3_reject(m1, beam->axes[0]));
    beam->axes[2] = vec3_cross(beam->axes[0], beam->axes[1]);
}

// All stiffnesses different, the bendings coupled, the axes anywhere.
static Beam random_beam(uint64_t* seed)
{
    Beam beam = {.length = random_in(seed, 0.2, 3.0)};
    beam.stiffness = (CordStiffness){.EI1 = random_in(seed, 1, 2),
                                     .EI2 = random_in(seed, 2, 5),
                                     .GJ = random_in(seed, 0.5, 4),
                                     .EA = random_in(seed, 10, 50),
                                     .mass_per_length = random_in(seed, 0.1, 4),
                                     .EI12 = random_in(seed, -0.9, 0.9),
                                     .spin_inertia = random_in(seed, 0.01, 0.1)};
    CordVec3 t = random_vec3(seed, 1.0), m1 = random_vec3(seed, 1.0);
    set_axes(&beam, t, m1);
    return beam;
}

static Beam beam_along_x(double length)
{
    Beam beam = {.length = length};
    beam.stiffness =
        (CordStiffness){.EI1 = 2, .EI2 = 7, .GJ = 3, .EA = 11, .mass_per_length = 5, .spin_inertia = 0.25};
    set_axes(&beam, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0});
    return beam;
}

static double largest(BeamMatrix A)
{
    double most = 0.0;
    for (int i = 0; i < BEAM_FREEDOMS * BEAM_FREEDOMS; i++) {
        most = fmax(most, fabs(A[i / BEAM_FREEDOMS][i % BEAM_FREEDOMS]));
    }
    return most;
}

static void times(BeamMatrix A, const double u[BEAM_FREEDOMS], double f[BEAM_FREEDOMS])
{
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        f[i] = 0.0;
        for (int j = 0; j < BEAM_FREEDOMS; j++) {
            f[i] += A[i][j] * u[j];
        }
    }
}

static double product(const double a[BEAM_FREEDOMS], const double b[BEAM_FREEDOMS])
{
    double sum = 0.0;
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void set_node(double u[BEAM_FREEDOMS], int end, CordVec3 shift, CordVec3 turn)
{
    const double of[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
    memcpy(u + 6 * end, of, sizeof of);
}

static void random_motion(double u[BEAM_FREEDOMS], uint64_t* seed)
{
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        u[i] = random_in(seed, -1, 1);
    }
}

// The k-th of six: shifts along the axes, and turns about the axes through a point of the beam.
static void rigid_motion(const Beam* beam, int k, double center, double u[BEAM_FREEDOMS])
{
    CordVec3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    for (int end = 0; end < 2; end++) {
        CordVec3 arm = vec3_mul(beam->axes[0], (end - center) * beam->length);
        set_node(u, end, k < 3 ? axis : vec3_cross(axis, arm), k < 3 ? (CordVec3){0, 0, 0} : axis);
    }
}

// ---- both matrices

TEST(stiffness_and_mass_are_symmetric_and_rigid_motions_alone_take_no_force)
{
    uint64_t seed = 1;
    for (int n = 0; n < 100; n++) {
        Beam beam = random_beam(&seed);
        BeamMatrix K, M;
        double u[BEAM_FREEDOMS], f[BEAM_FREEDOMS];
        beam_stiffness(&beam, K);
        beam_mass(&beam, M);
        for (int i = 0; i < BEAM_FREEDOMS; i++) {
            for (int j = 0; j < i; j++) { // rounding of the two turns, nine products each
                CHECK_NEAR(K[i][j], K[j][i], 1e-14 * largest(K));
                CHECK_NEAR(M[i][j], M[j][i], 1e-14 * largest(M));
            }
        }
        for (int k = 0; k < 6; k++) {
            rigid_motion(&beam, k, 0.3, u);
            times(K, u, f);
            for (int i = 0; i < BEAM_FREEDOMS; i++) {
                CHECK_NEAR(f[i], 0.0, 1e-14 * largest(K) * fmax(1.0, beam.length)); // a dozen products
            }
        }
        random_motion(u, &seed);
        memset(u, 0, 6 * sizeof *u); // the first end is held: no rigid motion is left
        times(K, u, f);
        CHECK(product(u, f) > 0.0);
    }
}

// ---- mass

TEST(the_mass_matrix_has_the_mass_the_centre_and_the_inertia_of_a_thin_bar)
{
    uint64_t seed = 4;
    for (int n = 0; n < 100; n++) {
        Beam beam = random_beam(&seed);
        double l = beam.length, mass = beam.stiffness.mass_per_length * l;
        double t[3] = {beam.axes[0].x, beam.axes[0].y, beam.axes[0].z};
        BeamMatrix M;
        beam_mass(&beam, M);
        for (int i = 0; i < 6; i++) {
            double u[BEAM_FREEDOMS], p[BEAM_FREEDOMS], v[BEAM_FREEDOMS];
            rigid_motion(&beam, i, 0.5, u);
            times(M, u, p);
            for (int j = 0; j < 6; j++) {
                rigid_motion(&beam, j, 0.5, v);
                // About the middle: shifts and turns apart; mu l^3 / 12 across, density I_p l along.
                double along = t[i % 3] * t[j % 3], same = i % 3 == j % 3;
                double due =
                    i / 3 != j / 3 ? 0.0
                    : i < 3        ? mass * same
                            : mass * l * l / 12.0 * (same - along) + beam.stiffness.spin_inertia * l * along;
                CHECK_NEAR(product(v, p), due, 1e-13 * mass * fmax(1.0, l * l)); // a hundred products
            }
        }
    }
}

// A displacement x^3 is among those that an element can have, and its square has the integral l^7 / 7.
TEST(the_mass_matrix_integrates_cubics_exactly)
{
    Beam beam = beam_along_x(1.5);
    double l = beam.length;
    BeamMatrix M;
    beam_mass(&beam, M);
    double u[BEAM_FREEDOMS] = {0}, p[BEAM_FREEDOMS];
    set_node(u, 1, (CordVec3){0, 0, l * l * l}, (CordVec3){0, -3 * l * l, 0}); // r_y = -u_z'
    times(M, u, p);
    CHECK_NEAR(product(u, p) / (beam.stiffness.mass_per_length * pow(l, 7) / 7.0), 1.0, 1e-14);
}

// ---- stiffness

static void cantilever(const Beam* beam, const double load[6], double tip[6]) // the first end held
{
    BeamMatrix K;
    double A[36];
    beam_stiffness(beam, K);
    for (int i = 0; i < 6; i++) {
        memcpy(A + 6 * i, &K[6 + i][6], 6 * sizeof(double));
    }
    memcpy(tip, load, 6 * sizeof(double));
    CHECK(dense_solve(6, A, tip));
}

#define SOLVED 1e-13 // six unknowns, whose matrix has a condition of about 100

TEST(one_element_bends_as_a_cantilever_exactly)
{
    Beam beam = beam_along_x(0.8);
    double l = beam.length, EI1 = beam.stiffness.EI1, EI2 = beam.stiffness.EI2, tip[6];
    cantilever(&beam, (double[6]){0, 1, 0, 0, 0, 0}, tip); // along m1: bends about m2
    CHECK_NEAR(tip[1], l * l * l / (3 * EI2), SOLVED);
    CHECK_NEAR(tip[5], l * l / (2 * EI2), SOLVED);
    cantilever(&beam, (double[6]){0, 0, 1, 0, 0, 0}, tip); // along m2: about m1, the other way round
    CHECK_NEAR(tip[2], l * l * l / (3 * EI1), SOLVED);
    CHECK_NEAR(tip[4], -l * l / (2 * EI1), SOLVED);
    cantilever(&beam, (double[6]){0, 0, 0, 0, 1, 0}, tip); // a moment about m1
    CHECK_NEAR(tip[4], l / EI1, SOLVED);
    CHECK_NEAR(tip[2], -l * l / (2 * EI1), SOLVED);
    CHECK_NEAR(tip[1], 0.0, SOLVED);
}

TEST(one_element_twists_and_stretches_exactly)
{
    Beam beam = beam_along_x(0.8);
    double tip[6];
    cantilever(&beam, (double[6]){1, 0, 0, 1, 0, 0}, tip);
    CHECK_NEAR(tip[0], 0.8 / beam.stiffness.EA, SOLVED);
    CHECK_NEAR(tip[3], 0.8 / beam.stiffness.GJ, SOLVED);
    for (int k = 1; k < 6; k++) {
        CHECK_NEAR(k == 3 ? 0.0 : tip[k], 0.0, SOLVED);
    }
}

// The same section told about axes that are turned by an angle has another EI1, EI2 and EI12, and the same
// matrix.
TEST(coupled_bendings_are_those_of_turned_axes)
{
    for (int n = 0; n < 16; n++) {
        double angle = 0.4 * n - 3.0, c = cord_cos(angle), s = cord_sin(angle);
        Beam straight = beam_along_x(1.3), turned = straight;
        double a = straight.stiffness.EI1, b = straight.stiffness.EI2;
        set_axes(&turned, (CordVec3){1, 0, 0}, (CordVec3){0, c, s});
        // Energy (a k1^2 + b k2^2) / 2 with k1 = c k1' - s k2', k2 = s k1' + c k2'; EI12 goes with -k1' k2'.
        turned.stiffness.EI1 = a * c * c + b * s * s;
        turned.stiffness.EI2 = a * s * s + b * c * c;
        turned.stiffness.EI12 = (a - b) * s * c;
        BeamMatrix K, L;
        beam_stiffness(&straight, K);
        beam_stiffness(&turned, L);
        for (int i = 0; i < BEAM_FREEDOMS * BEAM_FREEDOMS; i++) {
            CHECK_NEAR(L[i / 12][i % 12], K[i / 12][i % 12], 1e-14 * largest(K));
        }
    }
}

// ---- forces and energy

TEST(end_forces_and_the_three_energies_are_those_of_the_stiffness)
{
    uint64_t seed = 5;
    for (int n = 0; n < 100; n++) {
        Beam beam = random_beam(&seed);
        BeamMatrix K;
        double u[BEAM_FREEDOMS], f[BEAM_FREEDOMS], own[BEAM_FREEDOMS];
        random_motion(u, &seed);
        beam_stiffness(&beam, K);
        times(K, u, f);
        beam_end_forces(&beam, u, own);
        for (int i = 0; i < BEAM_FREEDOMS; i += 3) {
            for (int k = 0; k < 3; k++) {
                double due = vec3_dot(beam.axes[k], (CordVec3){f[i], f[i + 1], f[i + 2]});
                CHECK_NEAR(own[i + k], due, 1e-14 * 12 * largest(K));
            }
        }
        BeamEnergy e = beam_energy(&beam, u);
        CHECK(e.bend > 0.0 && e.twist > 0.0 && e.stretch > 0.0);
        CHECK_NEAR(e.bend + e.twist + e.stretch, 0.5 * product(u, f), 1e-14 * 144 * largest(K));
    }
}

TEST(each_energy_has_its_own_motion)
{
    Beam beam = beam_along_x(2.0);
    double u[BEAM_FREEDOMS] = {0};
    set_node(u, 1, (CordVec3){0.1, 0, 0}, (CordVec3){0.3, 0, 0});
    BeamEnergy e = beam_energy(&beam, u);
    CHECK_NEAR(e.stretch, 0.5 * 11 / 2.0 * 0.01, 1e-15);
    CHECK_NEAR(e.twist, 0.5 * 3 / 2.0 * 0.09, 1e-15);
    CHECK_NEAR(e.bend, 0.0, 1e-15);
    // u_y = 0.05 x^2: constant curvature 0.1 about m2
    set_node(u, 1, (CordVec3){0, 0.2, 0}, (CordVec3){0, 0, 0.2});
    e = beam_energy(&beam, u);
    CHECK_NEAR(e.bend, 0.5 * 7 * 0.01 * 2.0, 1e-15);
    CHECK_NEAR(e.twist + e.stretch, 0.0, 0.0);
}

TEST_GROUP(modal_beam)
