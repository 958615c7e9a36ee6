// A contact of rods that are put right after they have moved.
#ifndef CORD_CONTACT_CONSTRAINT_H
#define CORD_CONTACT_CONSTRAINT_H

#include "contact/friction.h"

// A contact of an explicit step, as one sweep after the other needs it. A force f on a makes its first node
// move by w (f (1 - at) + n lever f.axis), its second by w (f at - n lever f.axis): those are f and the
// couple of its torque about the axis.
typedef struct ContactConstraint {
    int node[4]; // of a, then of b
    int segment[2];
    int part;         // as its touch's
    int sides;        // 2: two rods; 1: b is a solid, which nothing moves
    CordVec3 n;       // unit, from b to a
    CordVec3 axis[2]; // unit
    double at[2], lever[2];
    double arm[2];    // along n, from the axes to the point between the surfaces [m]
    double w_spin[2]; // inverse moments of inertia about the axes; 0: they do not spin
    double radii;     // sum [m]
    double radius;    // the thinner one [m]
    double mu;
    double W_nn;               // inverse mass along the normal [1/kg]
    double W_tt;               // and across it, no less than in any direction
    CordVec3 W_tn;             // across it, of a push along it [1/kg]
    double gap;                // where things were measured, without what contact has moved [m]
    CordVec3 slip;             // likewise
    double normal_impulse;     // along the normal, over the inverse mass there: push/h^2 is the force [kg m]
    CordVec3 friction_impulse; // of friction, likewise
    bool slides;
} ContactConstraint;

// How the surface moves where its nodes move by p and q, and its segment turns.
static inline CordVec3 constraint_surface_motion(const ContactConstraint* constraint, int side, CordVec3 p,
                                                 CordVec3 q, double spin)
{
    CordVec3 d = vec3_sub(q, p), t = constraint->axis[side];
    CordVec3 u = vec3_madd(vec3_madd(p, d, constraint->at[side]), t,
                           -constraint->lever[side] * vec3_dot(constraint->n, d));
    return spin == 0.0 ? u : vec3_madd(u, vec3_cross(t, constraint->n), constraint->arm[side] * spin);
}

// The transpose: what a force on the surface is on the second node; the first has the rest of it. And about
// the axis.
static inline CordVec3 constraint_second_node(const ContactConstraint* constraint, int side, CordVec3 f)
{
    return vec3_madd(vec3_mul(f, constraint->at[side]), constraint->n,
                     -constraint->lever[side] * vec3_dot(f, constraint->axis[side]));
}

static inline double constraint_torque(const ContactConstraint* constraint, int side, CordVec3 f)
{
    return constraint->arm[side] * vec3_dot(f, vec3_cross(constraint->axis[side], constraint->n));
}

#endif
