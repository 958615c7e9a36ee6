// Helical springs against Kirchhoff's rod theory: how they answer to a pull and to being wound, and both
// together.
#include "rods.h"

// ---- helical springs
//
// A uniform helix under an axial force F and an axial torque T (both along its axis) stays one: curvature
// kappa and torsion tau change by m_b / EI and m_t / GJ, the components of the moment m = T e_z + R F e_theta
// along the binormal and the tangent. With the pitch angle alpha (tan alpha = tau / kappa, R = kappa /
// (kappa^2 + tau^2)):
//
//     m_t = T sin(alpha) + R F cos(alpha) ,  m_b = T cos(alpha) - R F sin(alpha) ,   so
//     F = (m_t cos(alpha) - m_b sin(alpha)) / R ,  T = m_t sin(alpha) + m_b cos(alpha) ,
//
// all in the deformed state: exact for any deformation. Per length, the end moves by sin(alpha) along the
// axis and turns by cos(alpha) / R about it, so that to first order
//
//     [dz  ]       [ R^2 (c^2/GJ + s^2/EI)    R s c (1/GJ - 1/EI) ] [F]
//     [dphi] = len [ R s c (1/GJ - 1/EI)      s^2/GJ + c^2/EI     ] [T] .
//
// The clamps hold the poses of the helix that is wanted at the middles of the end edges, so that there is no
// end effect.

typedef struct Helix {
    double kappa, tau, R, rate; // rate: sqrt(kappa^2 + tau^2), radians about the axis per length
    double c, s;                // of alpha
} Helix;

static Helix helix_of(double kappa, double tau)
{
    double square = kappa * kappa + tau * tau, rate = sqrt(square);
    return (Helix){kappa, tau, kappa / square, rate, kappa / rate, tau / rate};
}

typedef struct Trihedron {
    CordVec3 x, t, n, b;
} Trihedron;

// About the z axis, from x = (R, 0, 0).
static Trihedron helix_at(const Helix* h, double arc)
{
    double a = h->rate * arc;
    CordVec3 radial = {cos(a), sin(a), 0}, around = {-sin(a), cos(a), 0}, up = {0, 0, 1};
    return (Trihedron){plus(times(radial, h->R), times(up, h->s * arc)),
                       plus(times(around, h->c), times(up, h->s)), times(radial, -1.0),
                       plus(times(around, -h->s), times(up, h->c))};
}

// The rotation from one trihedron to another, as a quaternion.
static CordQuat turn_between(const Trihedron* from, const Trihedron* to)
{
    CordVec3 f[3] = {from->t, from->n, from->b}, g[3] = {to->t, to->n, to->b}, column[3];
    for (int k = 0; k < 3; k++) { // R = sum g f'
        CordVec3 e = {k == 0, k == 1, k == 2};
        column[k] = (CordVec3){0, 0, 0};
        for (int i = 0; i < 3; i++) {
            column[k] = plus(column[k], times(g[i], dot(f[i], e)));
        }
    }
    double R[3][3];
    for (int k = 0; k < 3; k++) {
        R[0][k] = column[k].x, R[1][k] = column[k].y, R[2][k] = column[k].z;
    }
    double trace = R[0][0] + R[1][1] + R[2][2], q[4] = {0};
    int i = 3; // the largest component first, so that none is divided by a small one
    for (int k = 0; k < 3; k++) {
        i = R[k][k] > (i == 3 ? trace : R[i][i]) ? k : i;
    }
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (i == 3) {
        q[3] = 0.5 * sqrt(1 + trace);
        q[0] = 0.25 / q[3] * (R[2][1] - R[1][2]), q[1] = 0.25 / q[3] * (R[0][2] - R[2][0]);
        q[2] = 0.25 / q[3] * (R[1][0] - R[0][1]);
    } else {
        q[i] = 0.5 * sqrt(1 + R[i][i] - R[j][j] - R[k][k]);
        q[j] = 0.25 / q[i] * (R[i][j] + R[j][i]), q[k] = 0.25 / q[i] * (R[i][k] + R[k][i]);
        q[3] = 0.25 / q[i] * (R[k][j] - R[j][k]);
    }
    return (CordQuat){q[0], q[1], q[2], q[3]};
}

static CordVec3 turned(const Trihedron* from, const Trihedron* to, CordVec3 a)
{
    return plus(plus(times(to->t, dot(from->t, a)), times(to->n, dot(from->n, a))),
                times(to->b, dot(from->b, a)));
}

typedef struct Spring {
    Helix rest;
    double length; // between the middles of the end edges
    double EI, GJ;
} Spring;

typedef struct Wrench {
    double F, T; // along the axis
    double off;  // largest other component of the force
} Wrench;

// Wrench of the spring whose helix was brought to `wanted`.
static Wrench spring_wrench(const Spring* spring, const Helix* wanted, int elements)
{
    CordVec3 x[MOST_NODES];
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    double edge = spring->length / (elements - 1);
    for (int i = 0; i <= elements; i++) {
        x[i] = helix_at(&spring->rest, (i - 0.5) * edge).x;
    }
    def.shape = cord_shape_points(x, elements + 1);
    def.stiffness.EI1 = def.stiffness.EI2 = spring->EI, def.stiffness.GJ = spring->GJ;
    CordRodId rod = add_rod(world, &def);
    CordClampId start = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    CordVec3 middle[2] = {times(plus(x[0], x[1]), 0.5), times(plus(x[elements - 1], x[elements]), 0.5)};
    enum { PARTS = 40 };
    for (int part = 1; part <= PARTS; part++) {
        double share = (double)part / PARTS;
        Helix now = helix_of(spring->rest.kappa + share * (wanted->kappa - spring->rest.kappa),
                             spring->rest.tau + share * (wanted->tau - spring->rest.tau));
        for (int k = 0; k < 2; k++) {
            Trihedron from = helix_at(&spring->rest, k * spring->length),
                      to = helix_at(&now, k * spring->length);
            CordVec3 sagitta = minus(middle[k], from.x);
            CordVec3 offset = minus(plus(to.x, turned(&from, &to, sagitta)), middle[k]);
            CHECK_OK(cord_clamp_move(world, k ? end : start, offset, turn_between(&from, &to)));
        }
        solve_as(world, true);
    }
    CordVec3 force, torque, at = plus(middle[1], (CordVec3){0, 0, 0});
    Trihedron from = helix_at(&spring->rest, spring->length), to = helix_at(wanted, spring->length);
    at = plus(to.x, turned(&from, &to, minus(middle[1], from.x)));
    CHECK_OK(cord_clamp_reaction(world, end, &force, &torque));
    torque = plus(torque, cross(at, force)); // about the origin, which is on the axis
    cord_world_destroy(world);
    return (Wrench){-force.z, -torque.z, hypot(force.x, force.y)}; // the clamp pulls the rod the other way
}

static Wrench exact_wrench(const Spring* spring, const Helix* h)
{
    double m_t = spring->GJ * (h->tau - spring->rest.tau), m_b = spring->EI * (h->kappa - spring->rest.kappa);
    return (Wrench){(m_t * h->c - m_b * h->s) / h->R, m_t * h->s + m_b * h->c, 0.0};
}

// The helix whose end has gone by dz along the axis and turned by dphi about it.
static Helix helix_with(const Spring* spring, double dz, double dphi)
{
    double s = spring->rest.s + dz / spring->length, rate = spring->rest.rate + dphi / spring->length;
    return helix_of(rate * sqrt(1 - s * s), rate * s);
}

static double spring_error(const Spring* spring, double dz, double dphi)
{
    Helix wanted = helix_with(spring, dz, dphi);
    Wrench truth = exact_wrench(spring, &wanted);
    double size_F = fabs(truth.F), size_T = fabs(truth.T), error[2];
    for (int i = 0; i < 2; i++) {
        Wrench w = spring_wrench(spring, &wanted, i ? 240 : 120);
        error[i] = fmax(fabs(w.F - truth.F) / size_F, fabs(w.T - truth.T) / size_T);
        print_message("    F %.6g (%.6g), T %.6g (%.6g), aside %.2g\n", w.F, truth.F, w.T, truth.T, w.off);
        CHECK_NEAR(w.off, 0.0, 0.02 * size_F / (i ? 4 : 1)); // an axial wrench, but for the mesh
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.2);
    return error[1];
}

// The stiffness matrix of the linear theory is the derivative of the exact wrench: checks the algebra above.
TEST(the_linear_spring_is_that_of_the_exact_one)
{
    Spring p = {helix_of(9.0, 3.0), 3.0, 0.02, 0.015};
    double c = p.rest.c, s = p.rest.s, R = p.rest.R, L = p.length, step = 1e-5;
    double A = L * R * R * (c * c / p.GJ + s * s / p.EI), B = L * R * s * c * (1 / p.GJ - 1 / p.EI);
    double C = L * (s * s / p.GJ + c * c / p.EI), det = A * C - B * B;
    Helix stretched = helix_with(&p, step, 0), turned_on = helix_with(&p, 0, step);
    Wrench dz = exact_wrench(&p, &stretched), dphi = exact_wrench(&p, &turned_on);
    CHECK_NEAR(dz.F / step, C / det, 1e-3 * C / det); // the step
    CHECK_NEAR(dz.T / step, -B / det, 1e-3 * fabs(B / det));
    CHECK_NEAR(dphi.F / step, -B / det, 1e-3 * fabs(B / det));
    CHECK_NEAR(dphi.T / step, A / det, 1e-3 * A / det);
}

// Kirchhoff's helix: stiffness and twist coupling. Four turns; EI / GJ = 1.3, as in most metals.
TEST(springs_are_pulled_and_wound)
{
    const struct {
        const char* name;
        double pitch; // [rad]
        double dz;    // over the length of its wire; a thousandth: the linear stiffness
        double dphi;  // [rad]
    } cases[] = {{"close-coiled, pulled", pi / 36, 1e-3, 0.0},
                 {"open-coiled, pulled", pi / 6, 1e-3, 0.0},
                 {"open-coiled, wound", pi / 6, 0.0, 0.02},
                 {"open-coiled, pulled far and wound by half a turn", pi / 6, 0.2, pi}};
    for (int i = 0; i < 4; i++) {
        double a = cases[i].pitch;
        Spring p = {helix_of(10 * cos(a), 10 * sin(a)), 8 * pi / 10, 0.013, 0.01};
        print_message("  %s\n", cases[i].name);
        CHECK_NEAR(spring_error(&p, cases[i].dz * p.length, cases[i].dphi), 0.0, 1e-2);
    }
}

TEST_GROUP(springs)
