// ContactPoints: places where two surfaces are nearer than the barrier reaches, what the barrier makes of
// them, and friction.
//
// Two segments push each other apart at their closest points. Where they are nearly parallel those jump
// about, so there the ends of each against the other take over, each for half: a smooth share m of how much
// they cross decides. E = m b(g) + (1 - m) (b(g1) + b(g2) + b(g3) + b(g4)) / 2, where g are gaps between
// surfaces and b is the barrier. A segment and a solid likewise: its nearest point where the solid curves
// away from it, its two ends where it lies flat.
#ifndef CORD_CONTACT_NARROW_PHASE_H
#define CORD_CONTACT_NARROW_PHASE_H

#include "contact/colliders.h"

// b'(g) = -scale (reach - g)^2 / (reach g): from the force `scale` on, the gap is much less than the reach.
// The energy has two continuous derivatives where it begins, and no end at g = 0.
typedef struct Barrier {
    double reach; // [m]
    double scale; // [N]
} Barrier;

double barrier_energy(const Barrier* b, double gap);    // [J]; INFINITY at or below 0
double barrier_force(const Barrier* b, double gap);     // -b' [N]; 0 at or below 0, where there is none
double barrier_stiffness(const Barrier* b, double gap); // b'' [N/m]

typedef enum ContactKind { CONTACT_SEGMENTS, CONTACT_SOLID, CONTACT_TRIANGLE, CONTACT_EDGE } ContactKind;

typedef struct ContactKey { // the same from step to step
    int a;                  // segment
    int b;                  // segment or solid
    int feature;            // of a mesh
    int part;               // 0: the closest points; else which end against the other
} ContactKey;

typedef struct ContactPoint {
    ContactKey key;
    ContactKind kind;
    double s, t; // on segment a; on segment b
    CordVec3 n;  // unit, from b to a
    double gap;  // [m]
    // from the axis of a, and of b, to the point between the surfaces [m]; of a solid: from its origin
    CordVec3 arm[2];
    CordVec3 axis[2];  // the segments' directions
    double inv_len[2]; // 1 / their lengths [1/m]
    double radius;     // the thinner one [m]
    double share;      // m, or what is left for the ends
    Barrier barrier;
    double push;      // on a along n [N]
    double stiffness; // [N/m]
    double loss;      // Newton's method: what the gap is less, a step on, than its slope has it [m]
} ContactPoint;

// How the push of a touch turns and slides as things move: -push times the second derivative of its gap, as
// rows r with stiffness k each, k r r'. Exact but for the change of m.
typedef struct GeometricStiffness {
    int count;
    double stiffness[4]; // [N/m], of either sign
    CordVec3 node[4][4]; // of each row: on the nodes of a, then of b
} GeometricStiffness;

GeometricStiffness contact_point_stiffness(
    const Colliders* cs, const ContactPoint* contact); // of solids by formula and triangles: none

// How the energy of a pair changes with m. Turns the segments of a pair that is nearly parallel, by the
// little that the two ways to count differ.
typedef struct MollifierForce {
    int a, b;          // segments; b < 0: a solid
    CordVec3 force[4]; // on the nodes of a, and of b [N]
} MollifierForce;

typedef struct ContactPoints {
    ContactPoint* all;
    int count, capacity;
    MollifierForce* mollifier_forces;
    int mollifier_count, mollifier_capacity;
    double energy;      // of the barrier, in all [J]
    double nearest;     // least gap of all that is near [m]
    double deepest;     // penetration over the thinner radius, 0: none
    ContactPoint worst; // where surfaces are nearest, if any are near; key, kind, s, t and gap alone
} ContactPoints;

typedef struct ContactLaw {
    double gap;      // reach of barriers, over the thinner radius
    double mass;     // what a mass counts for in a step [1/s^2]; 0: nothing moves
    bool no_barrier; // explicit rods: within reach, but nothing pushes
    // Not NULL: likewise, but all that may come to touch on the way from `begin` to `to`, by how far each
    // segment goes [m], and `gap` beyond; and either closest points or ends, never both: where closest points
    // may jump, a push at where they were does not part where they are. What ends miss is a quarter of
    // `tolerance`, over the thinner radius. (segment_count)
    const double* travel;
    double tolerance;
} ContactLaw;

// All touches of the colliders with positions x, in the order of the candidates. Solids stand as at the end
// of the step. False: no memory.
bool narrow_phase_find(Memory* m, ContactPoints* ts, const Colliders* cs, const CordVec3* x,
                       const ContactLaw* law);
void contact_points_free(Memory* m, ContactPoints* ts);

// The gap of a touch that was found once, with its ends or closest points where they are now; negative where
// the one has gone through the other, by its normal as it was.
double contact_point_gap(const Colliders* cs, const ContactPoint* contact, const CordVec3* x);
// likewise, of two segments' axes
double segments_gap(int part, CordVec3 n, const CordVec3 a[2], const CordVec3 b[2]);

#endif
