// Touches: places where two surfaces are nearer than the barrier reaches, what the barrier makes of them, and
// friction.
//
// Two segments push each other apart at their closest points. Where they are nearly parallel those jump
// about, so there the ends of each against the other take over, each for half: a smooth share m of how much
// they cross decides. E = m b(g) + (1 - m) (b(g1) + b(g2) + b(g3) + b(g4)) / 2, where g are gaps between
// surfaces and b is the barrier. A segment and a solid likewise: its nearest point where the solid curves
// away from it, its two ends where it lies flat.
#ifndef CORD_CONTACT_TOUCH_H
#define CORD_CONTACT_TOUCH_H

#include "contact/stage.h"

// b'(g) = -scale (reach - g)^2 / (reach g): from the force `scale` on, the gap is much less than the reach.
// The energy has two continuous derivatives where it begins, and no end at g = 0.
typedef struct Barrier {
    double reach; // [m]
    double scale; // [N]
} Barrier;

double barrier_energy(const Barrier* b, double gap);    // [J]; INFINITY at or below 0
double barrier_push(const Barrier* b, double gap);      // -b' [N]; 0 at or below 0, where there is none
double barrier_stiffness(const Barrier* b, double gap); // b'' [N/m]

typedef enum TouchKind { TOUCH_SEGMENTS, TOUCH_SOLID, TOUCH_TRIANGLE, TOUCH_EDGE } TouchKind;

typedef struct TouchKey { // the same from step to step
    int a;                // segment
    int b;                // segment or solid
    int feature;          // of a mesh
    int part;             // 0: the closest points; else which end against the other
} TouchKey;

typedef struct Touch {
    TouchKey key;
    TouchKind kind;
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
} Touch;

// How the push of a touch turns and slides as things move: -push times the second derivative of its gap, as
// rows r with stiffness k each, k r r'. Exact but for the change of m.
typedef struct TouchCurve {
    int count;
    double stiffness[4]; // [N/m], of either sign
    CordVec3 node[4][4]; // of each row: on the nodes of a, then of b
} TouchCurve;

TouchCurve touch_curve(const Stage* st, const Touch* touch); // of solids by formula and triangles: none

// How the energy of a pair changes with m. Turns the segments of a pair that is nearly parallel, by the
// little that the two ways to count differ.
typedef struct TouchTilt {
    int a, b;          // segments; b < 0: a solid
    CordVec3 force[4]; // on the nodes of a, and of b [N]
} TouchTilt;

typedef struct Touches {
    Touch* all;
    int count, capacity;
    TouchTilt* tilts;
    int tilt_count, tilt_capacity;
    double energy;  // of the barrier, in all [J]
    double nearest; // least gap of all that is near [m]
    double deepest; // penetration over the thinner radius, 0: none
    Touch worst;    // where surfaces are nearest, if any are near; key, kind, s, t and gap alone
} Touches;

typedef struct TouchLaw {
    double gap;      // reach of barriers, over the thinner radius
    double mass;     // what a mass counts for in a step [1/s^2]; 0: nothing moves
    bool no_barrier; // explicit rods: within reach, but nothing pushes
    // Not NULL: likewise, but all that may come to touch on the way from `begin` to `to`, by how far each
    // segment goes [m], and `gap` beyond; and either closest points or ends, never both: where closest points
    // may jump, a push at where they were does not part where they are. What ends miss is a quarter of
    // `tolerance`, over the thinner radius. (segment_count)
    const double* way;
    double tolerance;
} TouchLaw;

// All touches of the stage with positions x, in the order of the candidates. Solids stand as at the end of
// the step. False: no memory.
bool touches_find(Memory* m, Touches* ts, const Stage* st, const CordVec3* x, const TouchLaw* law);
void touches_free(Memory* m, Touches* ts);

// The gap of a touch that was found once, with its ends or closest points where they are now; negative where
// the one has gone through the other, by its normal as it was.
double touch_gap(const Stage* st, const Touch* touch, const CordVec3* x);
// likewise, of two segments' axes
double sides_gap(int part, CordVec3 n, const CordVec3 a[2], const CordVec3 b[2]);

#endif
