// Contact constraints of explicit and position-based rods: at the end of a step no gap is smaller than at its
// start, or negative, and friction lies within Coulomb's cone and opposes the motion of the surfaces in the
// step. Sticking means no motion.
//
//   0 <= P_n  _|_  gap_end - min(0, gap_start) >= 0
//   |P_t| <= mu P_n;   sliding: P_t = -mu P_n u_t / |u_t|,   u = J (x_next - x)
//
// Gauss-Seidel sweeps solve for all of them (gauss_seidel.h), with the compliance of the rods (delassus.h).
// The impulses warm-start the next step, so that stacks and knots at rest need few sweeps. What overlaps at
// the start of a step is put right in positions alone, by constraints without friction that have a target
// gap: an overlap over the step would be a velocity, and throw things apart.
#ifndef CORD_CONTACT_CONSTRAINT_H
#define CORD_CONTACT_CONSTRAINT_H

#include "contact/surface_law.h"

// One rod's side of a contact. Its surface moves with a point of its axis, and turns with a chord: two nodes
// that are at least two radii apart along the rod where it is that long. On a lever of one element, friction
// at a rod's end would press that end down by more than it needs wherever mu r >= l, and no bounded impulse
// would solve that.
typedef struct ContactSide {
    int node[4]; // ends of the segment, then ends of the chord
    int segment, rod;
    double s;         // of the point on the axis, from 0 to 1
    double arm;       // along n, from the axis to the point between the surfaces [m]
    double inv_chord; // 1 / length of the chord [1/m]
    double roll;      // 1 / cosine between axis and chord; 0: the segment does not spin
    CordVec3 axis;    // unit
    CordVec3 chord;   // unit
} ContactSide;

typedef struct ContactConstraint {
    CordVec3 n;            // unit, from b to a
    double gap;            // at the end of the step as measured, less what is asked for [m]
    double normal_impulse; // positional: over h and the kick it is the force [kg m]
    int sides;             // 2: two rods; 1: b is a solid, which the contact does not move
    int part;              // its contact point's
    ContactSide side[2];
    double radius; // of the thinner rod [m]
    double mu;
    double compliance;         // of an obstacle that gives way, by the impulse [1/kg]; 0: rigid
    CordVec3 slip;             // motion of the surfaces over each other in the step, as measured [m]
    CordVec3 friction_impulse; // likewise [kg m]
    bool slides;
} ContactConstraint;

// The couple with which a contact resists rolling and spinning, beyond that of its friction force: see
// rolling.h.
typedef struct ContactCouple {
    double rolling, spinning; // largest couple about tangents and about the normal, over the normal force [m]
    CordVec3 turn;            // of surface a relative to surface b in the step, as measured [rad]
    CordVec3 impulse;         // on a; positional, like the impulses of the constraint [kg m^2]
    // Those two about tangents are turned once the contact pushes and its block of W is known, such that the
    // block is diagonal.
    TurningAxes axes;
    bool known;
    // Turn by a unit impulse about each axis [1/(kg m^2)]: while the contact sticks, with the force by which
    // it does; and without.
    double W[3], W_free[3];
    CordVec3 start, before, direction; // of the impulse, as in DelassusBlock
} ContactCouple;

typedef struct ConstraintHistory {      // what sweeps do not read, stored separately for the cache
    int contact;                        // of the contact points
    FrictionShape shape;                // friction by direction
    double radii;                       // sum [m]
    double asked;                       // gap asked for [m]
    CordVec3 slip;                      // added to the slip: see Rebound
    double gap;                         // as measured [m]
    double normal_impulse, normal_step; // after the last round, and its change in that round
    CordVec3 friction_impulse, friction_step;
    bool at_rest;  // the round leaves it out: see contact_constraints_find_active
    double change; // of its displacement in the last round [m]
} ConstraintHistory;

typedef struct ConstraintRod { // the contacts of a rod, taken together
    bool active;               // some are not satisfied yet
    double enough;             // residual that the last round allowed its group [m]; 0: there was none
    double dot, norm2;         // products of the last two rounds' changes: see aitken_extrapolate
    double ratio;              // contraction: the last round's change over that of the round before
    bool extrapolates;
    bool has_compliance; // see delassus.h
} ConstraintRod;

typedef struct ImpulseWarmStart {
    ContactKey key;
    double force; // normal, mean over the kick [N]
    CordVec3 friction;
    CordVec3 couple; // [N m]
    bool slides;
    bool used; // a contact of this step begins with it
} ImpulseWarmStart;

typedef struct ContactConstraints {
    ContactPoints contacts; // that may push in this step
    ContactPoints found;    // by contact_constraints_extend
    ContactKey* keys;       // of `contacts`, likewise
    int key_capacity;
    int *chains, *next; // keys by segments, while they are sought: the last of each, and the one before
    int chained, chain_capacity, next_capacity;
    bool postponed; // impacts were left out that may come later than others
    ContactConstraint* all;
    ConstraintHistory* past; // (count)
    int count, capacity, past_capacity;
    bool rolls;             // some surfaces resist rolling or spinning
    ContactCouple* couples; // (count), if `rolls`
    int couple_capacity;
    ImpulseWarmStart* warm; // sorted by key
    int warm_count, warm_capacity;
    DofVector moved; // M^-1 J' P: displacements of nodes, turns of segments about their axes
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
    double h;               // of the step, as contact_constraints_begin got it [s]
    double radius;          // smallest of all constraints; INFINITY: there are none [m]
    double target_gap;      // gap to be reached, over the radius; 0: none smaller than at the start, or 0
    double tolerance;       // of overlaps, over the radius
    bool coarse;            // the step is long: see ContactLaw
    int rounds;             // of sweeps, in this attempt at the step
    int sweeps;             // in the last step
    int64_t sweeps_total;
} ContactConstraints;

// Starts a step: finds all contacts at positions x that may push before the colliders' `to`, and warm-starts
// them; `moved` gets what that displaces. w and w_spin must be set. False: no memory.
bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const CordVec3* x,
                               const ContactLaw* law, const SurfaceLaws* friction, double h);
// Adds the contacts that may push before the present `to` and are not there yet. Of impacts on the way it
// adds the earliest, which may prevent the others. False: no memory.
bool contact_constraints_extend(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                                const SurfaceLaws* friction);
// After a measurement: the sum of what gaps lack, and of the gaps of contacts that push, if they do [m].
double contact_constraints_misfit(const ContactConstraints* b, bool pushed);
void contact_constraints_drop(ContactConstraints* b, const Colliders* cs); // drops all impulses
// Computes `moved` from the impulses alone.
void contact_constraints_reapply(ContactConstraints* b, const Colliders* cs);
// Measures gaps at the colliders' `to`, and slips from the motion since the start of the step. Returns the
// largest lack of a gap, over the thinner radius.
double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin);
// Finds the rods with a contact whose gap lacks more than is enough, or that the last round moved by more.
// Contacts of other rods rest, and those that do not push and whose gap is above `near`, over the radius.
void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double near);
// The first reserves memory for `count` warm starts. The second ends a step of length h and stores the
// impulses as the warm starts of the next one. False: no memory.
bool contact_constraints_reserve(Memory* m, ContactConstraints* b, int count);
bool contact_constraints_end(Memory* m, ContactConstraints* b, const Colliders* cs, double h);
const ImpulseWarmStart* contact_constraints_warm_start(const ContactConstraints* b,
                                                       const ContactPoint* contact);
void contact_constraints_free(Memory* m, ContactConstraints* b);

static inline double larger(double a, double b) // of finite numbers: fmax would also test for NAN
{
    return a > b ? a : b;
}

// ---- the Jacobian

static inline bool contact_side_is_segment(const ContactSide* side) // its chord has the nodes of its segment
{
    return side->node[2] == side->node[0] && side->node[3] == side->node[1];
}

typedef struct SideForce {
    CordVec3 node[4]; // on the nodes of a side
    double torque;    // about the axis of its segment
} SideForce;

// The turn of one side, where its nodes move by u and its segment turns by `spin`: across the chord with the
// chord, and about the axis by the spin.
static inline CordVec3 contact_side_turn(const ContactSide* side, const CordVec3 u[4], double spin)
{
    CordVec3 turn = vec3_mul(vec3_cross(side->chord, vec3_sub(u[3], u[2])), side->inv_chord);
    return vec3_madd(turn, side->chord, side->roll * (spin - vec3_dot(side->axis, turn)));
}

// J of one side: the motion of its surface.
static inline CordVec3 contact_side_motion(const ContactSide* side, CordVec3 n, const CordVec3 u[4],
                                           double spin)
{
    CordVec3 point = vec3_madd(vec3_mul(u[0], 1.0 - side->s), u[1], side->s);
    return vec3_madd(point, vec3_cross(contact_side_turn(side, u, spin), n), side->arm);
}

// The transpose of contact_side_turn: a couple on one side, as forces on its nodes and a torque.
static inline SideForce contact_side_couple(const ContactSide* side, CordVec3 moment)
{
    double torque = side->roll * vec3_dot(moment, side->chord);
    CordVec3 couple =
        vec3_mul(vec3_cross(vec3_madd(moment, side->axis, -torque), side->chord), side->inv_chord);
    return (SideForce){{{0, 0, 0}, {0, 0, 0}, vec3_mul(couple, -1.0), couple}, torque};
}

// J' of one side: a force f on its surface, as forces on its nodes and a torque.
static inline SideForce contact_side_force(const ContactSide* side, CordVec3 n, CordVec3 f)
{
    SideForce force = contact_side_couple(side, vec3_mul(vec3_cross(n, f), side->arm));
    force.node[0] = vec3_mul(f, 1.0 - side->s), force.node[1] = vec3_mul(f, side->s);
    return force;
}

// What the gap lacks after a measurement, with what a compliant obstacle gives way [m].
static inline double constraint_lack(const ContactConstraint* c)
{
    return -(c->gap + c->compliance * c->normal_impulse);
}

// J u: the motion of surface a relative to surface b.
CordVec3 constraint_motion(const ContactConstraint* c, const DofVector* move);
// Time over which the force of a contact acts: the mean of the kicks of its rods [s].
double constraint_kick(const Colliders* cs, const ContactConstraint* c);
// The force of a contact on its side a, from the impulses of a step of h [N].
CordVec3 constraint_force(const Colliders* cs, const ContactConstraint* c, double h);
CordVec3 constraint_couple(const Colliders* cs, const ContactConstraints* b, int i, double h); // [N m]
// Adds M^-1 J' f to what contact has moved.
void constraint_apply(ContactConstraints* b, const ContactConstraint* c, CordVec3 f);
// The same for the turn of surface a relative to surface b, and a couple on a.
CordVec3 constraint_turn(const ContactConstraint* c, const DofVector* move);
void constraint_apply_couple(ContactConstraints* b, const ContactConstraint* c, CordVec3 couple);

#endif
