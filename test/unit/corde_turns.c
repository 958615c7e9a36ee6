// Newton's system for orientations in equilibrium: its matrix against derivatives of the torques, its
// right-hand side against the torques themselves.
#include "corde_rods.h"
#include "math_dense.h"

#define UNKNOWNS (3 * CORDE_EDGES)
#define ENOUGH 1.5 // times the stiffness of the corners is what the matrix has without stresses (kernel.c)
#define ROOM (CORDE_NODES + 2 * CENTERLINE_HALO + 4 * CENTERLINE_PAD)

typedef double Dense[UNKNOWNS][UNKNOWNS]; // rows of edges, three each

// The first link of a ring has the axes of the last edge's copy, past the seam: to its own.
static void turn_rows(double* const link[9], int s, double seam)
{
    for (int k = 0; k < 3; k++) {
        double x = link[k][s], y = link[3 + k][s];
        link[k][s] = cos(seam) * x - sin(seam) * y, link[3 + k][s] = sin(seam) * x + cos(seam) * y;
    }
}

// The kernel's matrix for steps of 1 / inv_h, with what stresses add or without, written out.
static void matrix_of(const Rod* rod, const CordeKernels* kernels, double inv_h, bool stressed, Dense a)
{
    static double room[17][ROOM];
    const CordCenterline* c = &rod->line;
    CordeMatrix matrix = {.inv_h = inv_h, .stressed = stressed, .least = 1e-12};
    for (int k = 0; k < 17; k++) {
        memset(room[k], 0, sizeof room[k]);
        *(k < 6    ? &matrix.diag[k]
          : k < 15 ? &matrix.link[k - 6]
                   : &matrix.aside[k - 15]) = room[k] + CENTERLINE_PAD;
    }
    CordeInput in = corde_input(corde_of(rod), rod, true);
    kernels->aside(&in, matrix.aside);
    kernels->matrix(&in, &matrix);
    if (c->closed) {
        turn_rows(matrix.link, c->halo, corde_of(rod)->seam);
    }
    memset(a, 0, sizeof(Dense));
    const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int j = 0; j < c->edge_count; j++) {
        int s = slot_of(c, j), before = edge_before(c, j);
        for (int i = 0; i < 9; i++) {
            a[3 * j + i / 3][3 * j + i % 3] = matrix.diag[place[i / 3][i % 3]][s];
            if (j > 0 || c->closed) {
                a[3 * before + i / 3][3 * j + i % 3] = a[3 * j + i % 3][3 * before + i / 3] =
                    matrix.link[i][s];
            }
        }
    }
}

// Do all rows and columns of the unknown belong to the system? Those of what is held are of the unit matrix.
static bool is_free(const Rod* rod, int unknown)
{
    return corde_of(rod)->edges.may_turn[unknown % 3 == 2][slot_of(&rod->line, unknown / 3)] > 0.0;
}

static double torque_at(const Rod* rod, const CordeKernels* kernels, int unknown)
{
    CordeForces f = forces_now(rod, kernels);
    return f.torque[unknown % 3][slot_of(&rod->line, unknown / 3)];
}

static double largest_entry(Dense a)
{
    double most = 0.0;
    for (int i = 0; i < UNKNOWNS * UNKNOWNS; i++) {
        most = fmax(most, fabs(a[i / UNKNOWNS][i % UNKNOWNS]));
    }
    return most;
}

static void check_against(const Rod* rod, Dense is, Dense truth, double tolerance)
{
    int n = 3 * rod->line.edge_count;
    double most = largest_entry(truth);
    for (int i = 0; i < n * n; i++) {
        int row = i / n, column = i % n;
        if (is_free(rod, row) && is_free(rod, column)) {
            CHECK_NEAR(is[row][column], truth[row][column], tolerance * most);
        } else {
            CHECK_NEAR(is[row][column], row == column ? 1.0 : 0.0, 0.0);
        }
    }
}

// ---- the matrix is the derivative of the torques

static void jacobian_by_differences(Rod* rod, const CordeKernels* kernels, double far, Dense a)
{
    static double at[2][UNKNOWNS];
    int n = 3 * rod->line.edge_count;
    memset(a, 0, sizeof(Dense));
    for (int column = 0; column < n; column++) {
        for (int side = 0; side < 2; side++) {
            turn_edge(rod, column / 3, column % 3, side ? far : -far);
            for (int row = 0; row < n; row++) {
                at[side][row] = torque_at(rod, kernels, row);
            }
            turn_edge(rod, column / 3, column % 3, side ? -far : far);
        }
        for (int row = 0; row < n; row++) {
            a[row][column] = -(at[1][row] - at[0][row]) / (2.0 * far);
        }
    }
}

static void scale_corners(const Rod* rod, Dense a) // all but the penalty, which each edge has for itself
{
    int n = 3 * rod->line.edge_count;
    for (int i = 0; i < n * n; i++) {
        int row = i / n, column = i % n;
        bool own = row == column && row % 3 < 2;
        double penalty = own ? corde_of(rod)->edges.kappa_l[slot_of(&rod->line, row / 3)] : 0.0;
        a[row][column] = penalty + ENOUGH * (a[row][column] - penalty);
    }
}

// As shaped, and so without stress: there the second derivatives of the strains, which the matrix leaves out,
// are multiplied by nothing. Central differences over 1e-4: its square, by curvatures of order one, and 1e-16
// over it.
TEST(without_stress_the_matrix_is_that_of_the_torques_and_half_as_much_again)
{
    static Dense is, truth;
    const CordeKernels* kernels[] = {&corde_kernels_plain, corde_kernels()};
    for (int i = 0; i < 2 * KINDS * 8; i++) {
        Kind kind = (Kind)(i / 2 % KINDS);
        if (kind == GLUED_RING) { // it has been bent
            continue;
        }
        CordWorld* world = new_weightless_world();
        Crooked made;
        crooked_def(&made, kind, (uint64_t)i + 1);
        made.def.rest = CORD_REST_AS_SHAPED, made.def.twist = made.def.rest_twist;
        made.def.corde.printed_strain = i % 2;
        Rod* rod = add_crooked(world, kind, &made.def);
        matrix_of(rod, kernels[i / 2 / KINDS % 2], 0.0, false, is);
        jacobian_by_differences(rod, kernels[i / 2 / KINDS % 2], 1e-4, truth);
        scale_corners(rod, truth);
        check_against(rod, is, truth, 1e-7);
        cord_world_destroy(world);
    }
}

static void make_symmetric(Dense a)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = a[j][i] = 0.5 * (a[i][j] + a[j][i]);
        }
    }
}

// With what stresses add it is the second derivative of the energies along turns about fixed axes, wherever
// third directors are within a quarter turn of the tangents: the symmetric part of the derivative of the
// torques, whose other part goes with the torques themselves. Central differences as above, where curvatures
// are larger by what 4 tan(phi/4) makes of 2.5 rad.
TEST(under_stress_the_matrix_is_the_derivative_of_the_torques)
{
    static Dense is, truth;
    const CordeKernels* kernels[] = {&corde_kernels_plain, corde_kernels()};
    for (int i = 0; i < KINDS * 8; i++) {
        Kind kind = (Kind)(i % KINDS);
        CordWorld* world = new_weightless_world();
        Crooked made;
        uint64_t seed = (uint64_t)i + 1;
        crooked_def(&made, kind, seed);
        Rod* rod = add_crooked(world, kind, &made.def);
        CordCorde* m = corde_of(rod);
        for (int s = rod->line.halo; s < rod->line.halo + rod->line.edge_count; s++) {
            put_orientation(m, s, quat_mul(corde_orientation(m, s), random_turn(&seed, 1.0)));
        }
        corde_wrap(m, &rod->line);
        matrix_of(rod, kernels[i / KINDS % 2], 0.0, true, is);
        jacobian_by_differences(rod, kernels[i / KINDS % 2], 1e-4, truth);
        make_symmetric(truth);
        check_against(rod, is, truth, 1e-6);
        cord_world_destroy(world);
    }
}

// ---- under any stress

static void each_rod(void (*check)(Rod* rod, const CordeKernels* kernels))
{
    const CordeKernels* kernels[] = {&corde_kernels_plain, corde_kernels()};
    for (int i = 0; i < 8 * KINDS; i++) {
        CordWorld* world = new_weightless_world();
        Friction friction = i % 2 ? PAPER : RETARDED;
        check(thrown_rod(world, (Kind)(i / 8), friction, i / 2 % 2, 0.0, (uint64_t)i + 1),
              kernels[i / 4 % 2]);
        cord_world_destroy(world);
    }
}

// Friction is linear in the rates, so its derivative is what it is at unit rates.
static void friction_matrix(Rod* rod, const CordeKernels* kernels, Dense a)
{
    CordCorde* m = corde_of(rod);
    int n = 3 * rod->line.edge_count;
    memset(a, 0, sizeof(Dense));
    for (int column = 0; column < n; column++) {
        double *rate = &m->edges.omega[column % 3][slot_of(&rod->line, column / 3)], still[UNKNOWNS];
        for (int row = 0; row < n; row++) {
            still[row] = torque_at(rod, kernels, row);
        }
        *rate = 1e3; // so that friction is no less than what it is subtracted from
        corde_wrap(m, &rod->line);
        for (int row = 0; row < n; row++) {
            a[row][column] = -1e-3 * (torque_at(rod, kernels, row) - still[row]);
        }
        *rate = 0.0;
        corde_wrap(m, &rod->line);
    }
}

// Over a step of 1 s a turn is the rate, so that friction takes part with its whole matrix; without a step,
// it does not.
static void check_friction(Rod* rod, const CordeKernels* kernels)
{
    static Dense with, without, truth;
    matrix_of(rod, kernels, 1.0, false, with);
    matrix_of(rod, kernels, 0.0, false, without);
    friction_matrix(rod, kernels, truth);
    double factor = corde_of(rod)->damping_time > 0.0 ? ENOUGH : 1.0; // (30) is in it as it is
    for (int row = 0; row < 3 * rod->line.edge_count; row++) {
        for (int column = 0; column < UNKNOWNS; column++) {
            bool held = !is_free(rod, row) || !is_free(rod, column);
            with[row][column] -= held ? 0.0 : without[row][column];
            truth[row][column] *= factor;
        }
    }
    // round-off of what is subtracted, and the 1e-12 more that the matrix has about the third axes
    check_against(rod, with, truth, 1e-10);
}

TEST(the_matrix_has_friction_as_the_torques_have_it)
{
    each_rod(check_friction);
}

static bool is_positive(Dense a, int n) // by its pivots, which replace it
{
    double right[UNKNOWNS] = {0};
    bool positive = true;
    dense_eliminate(a[0], UNKNOWNS, n, n, right);
    for (int i = 0; i < n; i++) {
        positive &= a[i][i] > 0.0;
    }
    return positive;
}

static void check_positive(Rod* rod, const CordeKernels* kernels)
{
    static Dense a;
    static const double inv_h[] = {0.0, 10.0, 1e5}; // no step, and such of 0.1 s and 10 us
    for (int i = 0; i < 3; i++) {
        matrix_of(rod, kernels, inv_h[i], false, a);
        CHECK(is_positive(a, 3 * rod->line.edge_count));
    }
}

TEST(without_what_stresses_add_the_matrix_is_positive_definite)
{
    each_rod(check_positive);
}

// Friction at the rates of the step is among them.
static void check_torques(Rod* rod, const CordeKernels* kernels)
{
    static double room[3][ROOM];
    CordCorde* m = corde_of(rod);
    double *r[3] = {room[0] + CENTERLINE_PAD, room[1] + CENTERLINE_PAD, room[2] + CENTERLINE_PAD}, most = 0.0;
    int n = 3 * rod->line.edge_count;
    for (int j = 0; j < rod->line.edge_count; j++) {
        m->edges.omega[j % 3][slot_of(&rod->line, j)] = 2.0 + j;
        m->edges.torque[slot_of(&rod->line, j)] = 0.01 * j;
    }
    corde_wrap(m, &rod->line);
    CordeInput in = corde_input(m, rod, true);
    kernels->torques(&in, r);
    for (int row = 0; row < n; row++) {
        most = fmax(most, fabs(torque_at(rod, kernels, row)));
    }
    for (int row = 0; row < n; row++) {
        int s = slot_of(&rod->line, row / 3), k = row % 3;
        double given = k == 2 ? 0.01 * (row / 3) : 0.0;
        CHECK_NEAR(r[k][s], is_free(rod, row) ? torque_at(rod, kernels, row) + given : 0.0,
                   1e-14 * (most + given)); // round-off
    }
}

TEST(the_right_hand_side_is_the_torques_and_those_from_outside)
{
    each_rod(check_torques);
}

TEST_GROUP(corde_turns)
