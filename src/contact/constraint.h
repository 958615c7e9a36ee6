// Contact constraints of explicit rods: non-penetration and Coulomb friction, solved by positional impulses
// on the nodes such that nothing overlaps at the end of the step (ACM section 6, in a form that conserves
// angular momentum as well as linear momentum).
//
// A contact pushes along its normal at the start of the step, with equal and opposite displacements weighted
// by inverse masses, and never pulls. Friction stays within the cone of mu times the normal impulse, and
// sticks where less is enough. Gauss-Seidel sweeps correct one contact after the other (gauss_seidel.c). The
// impulses warm-start the next step, so that stacks and knots at rest need few sweeps.
#ifndef CORD_CONTACT_CONSTRAINT_H
#define CORD_CONTACT_CONSTRAINT_H

#include "contact/friction.h"

// What a sweep reads and writes. J maps displacements of the nodes and turns of the segments to the relative
// motion of the surfaces. A force f on segment a moves its first node by w (f (1 - at) + n lever f.axis) and
// its second node by w (f at - n lever f.axis): that is f, and the couple of its torque about the axis.
typedef struct ContactConstraint {
    int node[4]; // of a, then of b
    int segment[2];
    int part;         // its contact point's
    int sides;        // 2: two rods; 1: b is a solid, which the contact does not move
    CordVec3 n;       // unit, from b to a
    CordVec3 axis[2]; // unit
    double at[2], lever[2];
    double arm[2];    // along n, from the axes to the point between the surfaces [m]
    double w_spin[2]; // inverse moments of inertia about the axes [1/(kg m^2)]; 0: they do not spin
    double radii;     // sum [m]
    double radius;    // of the thinner rod [m]
    double mu;
    double W_nn;               // inverse effective mass along the normal: n' J M^-1 J' n [1/kg]
    double W_tt;               // upper bound of the inverse effective mass in any tangential direction [1/kg]
    CordVec3 W_tn;             // tangential displacement by a unit normal impulse [1/kg]
    double gap;                // as measured, without the motion that contact has added [m]
    CordVec3 slip;             // likewise [m]
    double normal_impulse;     // positional: over h^2 it is the force [kg m]
    CordVec3 friction_impulse; // likewise
    bool slides;
} ContactConstraint;

typedef struct ConstraintHistory {      // what sweeps do not read, stored separately for the cache
    int contact;                        // of the contact points
    double across[2];                   // friction across a and b, over that along
    CordVec3 deflection;                // of the friction anchor at the start of the step [m]
    double gap;                         // as measured [m]
    double normal_impulse, normal_step; // after the last round, and its change in that round
    CordVec3 friction_impulse, friction_step;
    bool at_rest;  // none of its rods is active
    double change; // of its displacement in the last round, over the radius
} ConstraintHistory;

typedef struct ConstraintRod { // the contacts of a rod, taken together
    bool active;               // some are not satisfied yet
    double dot, norm2;         // products of the last two rounds' changes: see aitken_extrapolate
    double ratio;              // contraction: the last round's change over that of the round before
    bool extrapolates;
    bool has_compliance; // see delassus.h
} ConstraintRod;

typedef struct ImpulseWarmStart {
    ContactKey key;
    double force; // normal, mean over the step [N]
    CordVec3 friction;
    CordVec3 deflection;
    bool slides;
} ImpulseWarmStart;

typedef struct ContactConstraints {
    ContactPoints contacts; // that may push in this step
    ContactConstraint* all;
    ConstraintHistory* past; // (count)
    int count, capacity, past_capacity;
    ImpulseWarmStart* warm; // sorted by key
    int warm_count, warm_capacity;
    DofVector moved; // what contact has added: displacements of nodes, turns of segments about their axes
    size_t moved_size;
    double* w;      // inverse masses of nodes [1/kg] (colliders.node_count)
    double* w_spin; // inverse moments of inertia of segments about their axes; 0: no spin
                    // (colliders.segment_count)
    double* travel; // predicted path length of each segment [m] (colliders.segment_count)
    int w_capacity, w_spin_capacity, travel_capacity;
    bool per_rod;        // rods whose contacts are all satisfied rest while others are solved
    ConstraintRod* rods; // (colliders.rod_count)
    int rod_capacity;
    ConstraintRod together; // all rods taken together, where they are not solved per rod
    double target_gap;      // gap to be reached, over the radius
    int rounds;             // of sweeps, in this attempt at the step
    int sweeps;             // in the last step
    int64_t sweeps_total;
} ContactConstraints;

// Starts a step: finds all contacts that may push before its end, and warm-starts them; `moved` gets what
// that displaces. The colliders' `to` must hold the predicted positions, and w and w_spin must be set. False:
// no memory.
bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                               const FrictionLaw* friction, double h);
// Measures gaps at the colliders' `to`, and slips from the motion since the start of the step. Returns the
// deepest penetration, over the thinner radius.
double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin);
// Finds the rods with a contact that is violated by more than `enough` of a radius, or that the last round
// moved by more.
void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double enough);
// The slip of a constraint, with what contact has moved since the measurement [m].
CordVec3 contact_constraints_slip(const ContactConstraints* b, int i);
// The first reserves memory for `count` warm starts. The second ends a step of length h and stores the
// impulses as the warm starts of the next one. False: no memory.
bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count);
bool contact_constraints_end(Memory* m, ContactConstraints* b, double h);
const ImpulseWarmStart* contact_constraints_warm_start(const ContactConstraints* b,
                                                       const ContactPoint* contact);
void contact_constraints_free(Memory* m, ContactConstraints* b);

// ---- gauss_seidel.c

// Sweeps over all contacts until the largest correction is below `enough` of its radius, or `most` times. It
// sees inverse masses alone, not the rods' constraints. Returns the largest displacement of the first sweep,
// over the radius.
double gauss_seidel_sweep(ContactConstraints* b, double enough, int most);
// After a round of sweeps. Projection of the rods' lengths undoes a part of every round, which makes rounds
// converge slowly and linearly; once the ratio of successive rounds is steady, their limit is extrapolated
// (Aitken's delta-squared process). True: it was.
bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs);

// ---- the Jacobian

static inline double larger(double a, double b) // of finite numbers: fmax would also test for NAN
{
    return a > b ? a : b;
}

// J of one side: the motion of its surface where its nodes move by p and q and its segment turns by `spin`.
static inline CordVec3 constraint_surface_motion(const ContactConstraint* c, int side, CordVec3 p, CordVec3 q,
                                                 double spin)
{
    CordVec3 d = vec3_sub(q, p), t = c->axis[side];
    CordVec3 u = vec3_madd(vec3_madd(p, d, c->at[side]), t, -c->lever[side] * vec3_dot(c->n, d));
    return spin == 0.0 ? u : vec3_madd(u, vec3_cross(t, c->n), c->arm[side] * spin);
}

// J' of one side: the force on its second node by a force f on its surface; the first node has the rest of f.
static inline CordVec3 constraint_second_node(const ContactConstraint* c, int side, CordVec3 f)
{
    return vec3_madd(vec3_mul(f, c->at[side]), c->n, -c->lever[side] * vec3_dot(f, c->axis[side]));
}

// J' of one side: the torque about its axis.
static inline double constraint_torque(const ContactConstraint* c, int side, CordVec3 f)
{
    return c->arm[side] * vec3_dot(f, vec3_cross(c->axis[side], c->n));
}

static inline CordVec3 constraint_side_motion(const ContactConstraint* c, int side, const DofVector* move)
{
    const int* node = c->node + 2 * side;
    return constraint_surface_motion(c, side, move->x[node[0]], move->x[node[1]],
                                     move->spin[c->segment[side]]);
}

// J u: the motion of surface a relative to surface b.
static inline CordVec3 constraint_motion(const ContactConstraint* c, const DofVector* move)
{
    CordVec3 u = constraint_side_motion(c, 0, move);
    return c->sides == 2 ? vec3_sub(u, constraint_side_motion(c, 1, move)) : u;
}

static inline void constraint_apply_side(ContactConstraints* b, const ContactConstraint* c, int side,
                                         CordVec3 f)
{
    const int* node = c->node + 2 * side;
    CordVec3 *p = &b->moved.x[node[0]], *q = &b->moved.x[node[1]],
             second = constraint_second_node(c, side, f);
    *p = vec3_madd(*p, vec3_sub(f, second), b->w[node[0]]);
    *q = vec3_madd(*q, second, b->w[node[1]]);
    if (c->w_spin[side] > 0.0) {
        b->moved.spin[c->segment[side]] += c->w_spin[side] * constraint_torque(c, side, f);
    }
}

// Adds M^-1 J' f to what contact has moved.
static inline void constraint_apply(ContactConstraints* b, const ContactConstraint* c, CordVec3 f)
{
    constraint_apply_side(b, c, 0, f);
    if (c->sides == 2) {
        constraint_apply_side(b, c, 1, vec3_mul(f, -1.0));
    }
}

#endif
