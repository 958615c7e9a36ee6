#include "model/modal/beam.h"

#include <string.h>

// A bending plane. Along the beam's own axes x (tangent), y (m1) and z (m2) the displacement u_y belongs to
// the rotation r_z = u_y', and u_z to r_y = -u_z' (MW eq. 1). The four degrees of freedom of a plane are
// (displacement, slope) of both ends; `sign` is that of the slope.
typedef struct Plane {
    int freedom[4];
    double sign[4];
} Plane;

static const Plane plane_y = {{1, 5, 7, 11}, {1.0, 1.0, 1.0, 1.0}};
static const Plane plane_z = {{2, 4, 8, 10}, {1.0, -1.0, 1.0, -1.0}};

enum { AXIAL = 0, TWIST = 3, SECOND = 6 }; // indices at the first end; the second end starts at SECOND

// Integral of N''_i N''_j over the beam, with N the cubic Hermite functions.
static void hermite_stiffness(double l, double k[4][4])
{
    const double of[4][4] = {{12, 6 * l, -12, 6 * l},
                             {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                             {-12, -6 * l, 12, -6 * l},
                             {6 * l, 2 * l * l, -6 * l, 4 * l * l}};
    for (int i = 0; i < 16; i++) {
        k[i / 4][i % 4] = of[i / 4][i % 4] / (l * l * l);
    }
}

// Integral of N_i N_j over the beam.
static void hermite_mass(double l, double m[4][4])
{
    const double of[4][4] = {{156, 22 * l, 54, -13 * l},
                             {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                             {54, 13 * l, 156, -22 * l},
                             {-13 * l, -3 * l * l, -22 * l, 4 * l * l}};
    for (int i = 0; i < 16; i++) {
        m[i / 4][i % 4] = of[i / 4][i % 4] * (l / 420.0);
    }
}

static void add_planes(BeamMatrix A, const Plane* p, const Plane* q, double factor, double k[4][4])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            A[p->freedom[i]][q->freedom[j]] += factor * p->sign[i] * q->sign[j] * k[i][j];
        }
    }
}

static void add_linear(BeamMatrix A, int freedom, double same, double other)
{
    int a = freedom, b = freedom + SECOND;
    A[a][a] += same, A[b][b] += same;
    A[a][b] += other, A[b][a] += other;
}

// Makes a matrix exactly symmetric that is symmetric up to round-off, because solvers read either triangle.
void beam_symmetrise(BeamMatrix A)
{
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        for (int j = 0; j < i; j++) {
            A[i][j] = A[j][i] = 0.5 * (A[i][j] + A[j][i]);
        }
    }
}

// R A R^T, block by block: transforms a matrix from the beam's axes to those of space.
static void turn_to_space(const CordVec3 axes[3], BeamMatrix A)
{
    double R[3][3]; // columns are the axes
    for (int k = 0; k < 3; k++) {
        R[0][k] = axes[k].x, R[1][k] = axes[k].y, R[2][k] = axes[k].z;
    }
    BeamMatrix half;
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        for (int j = 0; j < BEAM_FREEDOMS; j++) {
            const double *r = R[i % 3], *a = A[i - i % 3];
            half[i][j] = r[0] * a[j] + r[1] * a[BEAM_FREEDOMS + j] + r[2] * a[2 * BEAM_FREEDOMS + j];
        }
    }
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        for (int j = 0; j < BEAM_FREEDOMS; j++) {
            const double *r = R[j % 3], *a = &half[i][j - j % 3];
            A[i][j] = r[0] * a[0] + r[1] * a[1] + r[2] * a[2];
        }
    }
    beam_symmetrise(A);
}

// Stiffness in the beam's own axes (MW eq. 2). Bending about m1 is r_y' = -u_z'', bending about m2 is r_z' =
// u_y''. EI12 couples u_y'' and u_z'', as in the other models.
static void own_stiffness(const Beam* beam, BeamMatrix K)
{
    const CordStiffness* s = &beam->stiffness;
    double k[4][4], l = beam->length;
    hermite_stiffness(l, k);
    memset(K, 0, sizeof(BeamMatrix));
    add_linear(K, AXIAL, s->EA / l, -s->EA / l);
    add_linear(K, TWIST, s->GJ / l, -s->GJ / l);
    add_planes(K, &plane_y, &plane_y, s->EI2, k);
    add_planes(K, &plane_z, &plane_z, s->EI1, k);
    add_planes(K, &plane_y, &plane_z, s->EI12, k);
    add_planes(K, &plane_z, &plane_y, s->EI12, k);
}

void beam_stiffness(const Beam* beam, BeamMatrix K)
{
    own_stiffness(beam, K);
    turn_to_space(beam->axes, K);
}

void beam_mass(const Beam* beam, BeamMatrix M)
{
    const CordStiffness* s = &beam->stiffness;
    double m[4][4], l = beam->length, mass = s->mass_per_length * l, spin = s->spin_inertia * l;
    hermite_mass(l, m);
    memset(M, 0, sizeof(BeamMatrix));
    add_linear(M, AXIAL, mass / 3.0, mass / 6.0);
    add_linear(M, TWIST, spin / 3.0, spin / 6.0);
    add_planes(M, &plane_y, &plane_y, s->mass_per_length, m);
    add_planes(M, &plane_z, &plane_z, s->mass_per_length, m);
    turn_to_space(beam->axes, M);
}

static void along_axes(const Beam* beam, const double u[BEAM_FREEDOMS], double own[BEAM_FREEDOMS])
{
    for (int i = 0; i < BEAM_FREEDOMS; i += 3) {
        CordVec3 a = {u[i], u[i + 1], u[i + 2]};
        for (int k = 0; k < 3; k++) {
            own[i + k] = vec3_dot(beam->axes[k], a);
        }
    }
}

static void hermite_forces(double l, const Plane* p, const double own[BEAM_FREEDOMS], double f[4])
{
    double k[4][4];
    hermite_stiffness(l, k);
    for (int i = 0; i < 4; i++) {
        f[i] = 0.0;
        for (int j = 0; j < 4; j++) {
            f[i] += k[i][j] * p->sign[j] * own[p->freedom[j]];
        }
    }
}

// The product of own_stiffness and u without the matrix, because queries of a network evaluate every element.
void beam_end_forces(const Beam* beam, const double u[BEAM_FREEDOMS], double f[BEAM_FREEDOMS])
{
    const CordStiffness* s = &beam->stiffness;
    double own[BEAM_FREEDOMS], y[4], z[4], l = beam->length;
    along_axes(beam, u, own);
    hermite_forces(l, &plane_y, own, y);
    hermite_forces(l, &plane_z, own, z);
    for (int i = 0; i < 4; i++) {
        f[plane_y.freedom[i]] = plane_y.sign[i] * (s->EI2 * y[i] + s->EI12 * z[i]);
        f[plane_z.freedom[i]] = plane_z.sign[i] * (s->EI1 * z[i] + s->EI12 * y[i]);
    }
    double pull = s->EA / l * (own[AXIAL + SECOND] - own[AXIAL]),
           torque = s->GJ / l * (own[TWIST + SECOND] - own[TWIST]);
    f[AXIAL] = -pull, f[AXIAL + SECOND] = pull;
    f[TWIST] = -torque, f[TWIST + SECOND] = torque;
}

BeamEnergy beam_energy(const Beam* beam, const double u[BEAM_FREEDOMS])
{
    double own[BEAM_FREEDOMS], f[BEAM_FREEDOMS], sum = 0.0;
    along_axes(beam, u, own);
    beam_end_forces(beam, u, f);
    for (int i = 0; i < BEAM_FREEDOMS; i++) {
        sum += 0.5 * own[i] * f[i];
    }
    double longer = own[AXIAL + SECOND] - own[AXIAL], wound = own[TWIST + SECOND] - own[TWIST];
    BeamEnergy e = {.stretch = 0.5 * beam->stiffness.EA / beam->length * longer * longer,
                    .twist = 0.5 * beam->stiffness.GJ / beam->length * wound * wound};
    e.bend = sum - e.stretch - e.twist;
    return e;
}
