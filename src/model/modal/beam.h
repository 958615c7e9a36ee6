// Euler-Bernoulli beam element: 12 x 12 stiffness K (MW eq. 2 and 4) and consistent mass M (MW eq. 3 and 5)
// in the axes of space.
#ifndef CORD_MODEL_MODAL_BEAM_H
#define CORD_MODEL_MODAL_BEAM_H

#include "math/vec3.h"

#define BEAM_FREEDOMS 12 // displacement and rotation of the first node, then of the second

typedef struct Beam {
    CordStiffness stiffness;
    double length;    // [m]
    CordVec3 axes[3]; // unit: the tangent, m1 and m2
} Beam;

typedef double BeamMatrix[BEAM_FREEDOMS][BEAM_FREEDOMS];

void beam_stiffness(const Beam* beam, BeamMatrix K);
void beam_mass(const Beam* beam, BeamMatrix M);
void beam_symmetrise(BeamMatrix A);

// End forces and moments K u along the beam's own axes, from end displacements and rotations u in space.
void beam_end_forces(const Beam* beam, const double u[BEAM_FREEDOMS], double f[BEAM_FREEDOMS]);

typedef struct BeamEnergy { // [J]
    double bend, twist, stretch;
} BeamEnergy;

BeamEnergy beam_energy(const Beam* beam, const double u[BEAM_FREEDOMS]);

#endif
