// Coulomb's law of one contact, as the fixed points of a projection: f = P(f - v / w), P onto the friction
// cone.
//
//   0 <= f_n  _|_  v_n >= 0,    |f_t| <= mu f_n,    sliding: f_t = -mu f_n v_t / |v_t|
//
// Vectors have three numbers: along the normal, and along two tangents.
#ifndef CORD_STEP_COULOMB_H
#define CORD_STEP_COULOMB_H

#include "contact/surface_law.h"

typedef struct CoulombPoint {
    const ContactPoint* contact;
    CordVec3 axis[3]; // normal, and any two tangents
    double mu;
    double bound;        // the normal force that limits friction; negative: the contact's own
    FrictionShape shape; // friction by direction
    double w;            // weight of the projection [m/N]
    // Gap over which the normal force rises, and slip over which friction does [m]; 0: the law holds exactly.
    double smoothing;
} CoulombPoint;

// The projection of f - v / w onto the friction cone. Its fixed points obey Coulomb's law whatever w is.
typedef struct CoulombProjection {
    double normal;      // 0: open
    double rise;        // its derivative by f_n - v_n / w
    double wanted[2];   // friction
    double friction[2]; // of it, what is allowed
    double grip, limit;
    bool slides;
} CoulombProjection;

CoulombProjection coulomb_project(const CoulombPoint* p, const double f[3], const double v[3]);
// f less its projection.
void coulomb_defect(const CoulombProjection* to, const double f[3], double F[3]);

typedef struct CoulombResidual {
    double merit; // squared norm, as an energy
    double most;  // largest, as a motion [m]
    double scale; // motion by normal forces [m]
} CoulombResidual;

void coulomb_residual_add(CoulombResidual* sum, const CoulombPoint* p, const double f[3], const double F[3]);
bool coulomb_residual_is_small(const CoulombResidual* r, double tolerance, double radius);

#endif
