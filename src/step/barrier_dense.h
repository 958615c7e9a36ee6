// Coulomb's law at all contacts, in the space of the contact forces f:
//
//   v = b + W f,    0 <= f_n  _|_  v_n >= 0,    |f_t| <= mu f_n,    sliding: f_t = -mu f_n v_t / |v_t|
//
// by rounds of Gauss-Seidel sweeps, which solve one contact after the other exactly and are accelerated by
// conjugate gradients, and of semismooth Newton iterations (Alart and Curnier 1991) with a line search. The
// residual of the natural map, f - P(f - v / W_ii) with P the projection onto the friction cone, tells which
// forces are better. Vectors have three numbers for each contact: along its normal, and two tangents.
#ifndef CORD_STEP_BARRIER_DENSE_H
#define CORD_STEP_BARRIER_DENSE_H

#include "contact/friction.h"

typedef struct DensePoint {
    const ContactPoint* contact;
    CordVec3 axis[3]; // normal, and the tangents in which its own block of W is diagonal
    double mu;
    double across[2]; // friction across a and b, over that along
    bool even;        // isotropic friction
    double w[3];      // diagonal of W [m/N]
    double W_tn[2];   // tangential motion by the normal force [m/N]
} DensePoint;

// The projection of f - v / w onto the friction cone, in the metric of w: its fixed points obey Coulomb's law
// whatever w is, and rods that roll freely make one direction softer than the other by many orders.
typedef struct Projection {
    double normal;     // 0: open
    double t[2];       // wanted friction
    double to[2];      // allowed friction
    double grip, limit;
    double lambda;     // (w + lambda) to = w t
    bool slides;
} Projection;

Projection contact_project(const DensePoint* p, const double f[3], const double v[3]);
// f less its projection.
void contact_defect(const Projection* to, const double f[3], double F[3]);

typedef struct ProjectionSlope { // derivatives of allowed friction
    double n[2];                 // by the normal force
    double t[2][2];              // by wanted friction
} ProjectionSlope;

ProjectionSlope contact_slope(const DensePoint* p, const Projection* to);

typedef struct Residual {
    double merit; // squared norm, as an energy
    double most;  // largest, as a motion [m]
    double scale; // motion by normal forces [m]
} Residual;

void residual_add(Residual* sum, const DensePoint* p, const double f[3], const double F[3]);
bool residual_is_enough(const Residual* r, double tolerance, double radius);

typedef struct DenseContacts {
    int count, n; // n = 3 count
    DensePoint* all;
    double *W, *M;                    // n x n
    double *b, *f, *v;                // (n)
    double *best, *F, *df, *dv;       // (n)
    double *f_try, *v_try, *swept;    // (n)
    int* row;                         // of the Newton matrix, of an unknown; -1: its force is known (n)
    int sweeps, iterations;           // in all
} DenseContacts;

size_t dense_contacts_space(int count); // doubles
void dense_contacts_open(DenseContacts* d, int count, double* space);
// After W, b, the axes and friction are set: turns the tangents so that W_tt is diagonal at each contact.
void dense_contacts_begin(DenseContacts* d);
bool dense_contacts_are_good(const DenseContacts* d); // is the diagonal of W positive?
// Solves from the forces f. Returns the residual, over the motion by normal forces.
double dense_contacts_solve(DenseContacts* d, double tolerance);
bool dense_contacts_slide(const DenseContacts* d, int k); // with the forces that were found

#endif
