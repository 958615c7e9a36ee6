// Closed-form results for straight rods of length 1 m, bending stiffness 1 N m^2 and mass 1 kg/m, so that
// results are dimensionless.
#ifndef CORDAGE_EXPERIMENTS_THEORY_H
#define CORDAGE_EXPERIMENTS_THEORY_H

#include "lab.h"

CordRodDef theory_rod(int elements); // along x, inextensible

// Equilibria, found by damped motion. Forces and weights in N and N/m.
double theory_cantilever(Lab* lab, int elements, double force, double weight); // how far its tip comes down
double theory_elastica(double force, double weight);                           // exactly
double theory_catenary(Lab* lab, int elements, double span);                   // sag of a chain
double theory_catenary_exact(double span);

// Frequencies and buckling, from the derivatives of the program's forces.
// of the mode'th sideways mode [rad/s]
double theory_frequency(Lab* lab, int elements, bool clamped, int mode);
double theory_twist_buckling(Lab* lab, int elements); // [rad]

#endif
