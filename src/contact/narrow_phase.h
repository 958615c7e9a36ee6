// Narrow phase: contact points, where two surfaces are closer than some reach.
//
// Two segments that cross touch at their closest points. Between nearly parallel segments those jump, so that
// the ends are held off the other segment instead. A segment and a solid are treated alike: the closest point
// counts where the solid curves away from the segment, and the ends where it lies flat. Where segments are
// short beside a solid, it pushes nodes: see test_nodes.
#ifndef CORD_CONTACT_NARROW_PHASE_H
#define CORD_CONTACT_NARROW_PHASE_H

#include "contact/colliders.h"

typedef enum ContactKind { CONTACT_SEGMENTS, CONTACT_SOLID, CONTACT_TRIANGLE, CONTACT_EDGE } ContactKind;

#define CONTACT_PARTS 3 // part numbers of a piece of a segment: its closest point and its two ends

typedef struct ContactKey { // identifies a contact point from step to step
    int a;                  // segment
    int b;                  // segment or solid
    int feature;            // of a mesh
    int part;               // 0: the closest points; otherwise which end against the other side
} ContactKey;

typedef struct ContactPoint {
    ContactKey key;
    ContactKind kind;
    double s, t; // parameters of the points on segments a and b, 0 to 1
    CordVec3 n;  // unit, from b to a
    double gap;  // [m]
    // Of a node against a solid: how much nearer than the node the solid comes to its two segments [m]. The
    // gap counts it.
    double sagitta;
    double sagitta_at_start; // of the step
    // from the axes of a and b to the point between the surfaces [m]; of a solid, from its origin
    CordVec3 arm[2];
    CordVec3 axis[2];  // the segments' directions
    double inv_len[2]; // 1 / their lengths [1/m]
    // If a segment is shorter than two radii, its surface turns with a longer chord: see constraint.h. The
    // two nodes are the same: it turns with the segment itself.
    int chord[2][2];
    CordVec3 chord_axis[2]; // unit
    double inv_chord[2];    // 1 / length [1/m]
    double roll[2];         // 1 / cosine between axis and chord
    double radius;          // of the thinner rod [m]
    // The distance of crossing rods has no minimum here: a contact of a neighbouring segment is nearer.
    bool yields;
    bool waits;   // it yields in a long step, and counts only if it pushed in the step before
    double time;  // of impact, as a fraction of the step, of a pair that starts far apart
    double reach; // contacts within this gap are listed [m]
    double push;  // normal force on a [N]
} ContactPoint;

// Geometric stiffness: -push times the second derivative of the gap, as a sum of rank-one terms k r r'.
typedef struct GeometricStiffness {
    int count;
    double stiffness[4]; // k [N/m], of either sign
    CordVec3 node[4][4]; // r, by node of a, then of b
} GeometricStiffness;

// Empty for triangles. `slides`: with the motion of the closest point along a segment on a solid. Equilibria
// need it; steps converge faster without it, since it is large where the solid is nearly flat.
GeometricStiffness contact_point_stiffness(const Colliders* cs, const ContactPoint* contact, bool slides);

// Of a segment on an analytic solid: how much the solid's normal turns along the segment [1/m].
CordVec3 contact_point_bend(const Colliders* cs, const ContactPoint* contact);

typedef struct ContactPoints {
    ContactPoint* all;
    int count, capacity;
    bool left_out;  // pairs were left out that may touch on the way: ContactLaw.at_hand
    double nearest; // smallest gap [m]; INFINITY: nothing is near
    // Largest penetration, over the thinner radius; 0: none. In compliant obstacles, 0.9 is free.
    double deepest;
    // the contact point with the smallest gap; only key, kind, s, t, gap and radius are set
    ContactPoint worst;
    struct ContactPoints* ranges; // of the candidates, where several threads test them (range_capacity)
    int range_capacity;
} ContactPoints;

// What `deepest` is without the 0.9 that compliant obstacles leave free. *soft: the worst contact point lies
// deeper in such an obstacle than that.
double contact_points_depth(const ContactPoints* points, const Colliders* cs, bool* soft);

typedef struct ContactLaw {
    double gap; // contacts within it are listed, over the thinner radius
    // Each pair has its closest points or its ends, never both, because forces at closest points that may
    // jump do not separate the pair. Ends miss at most a quarter of this, over the thinner radius.
    double tolerance;
    bool frozen;           // such choices, and sagittas, stay the same while a step is solved
    const CordVec3* shape; // positions at which they are made; NULL: those at the start of the step
    // If set: contact points of all pairs that may touch on the way from `begin` to `to`, given how far each
    // segment travels [m], with `gap` beyond (segment_count).
    const double* travel;
    bool moves;   // likewise: only pairs that approach so far as seen from each other
    bool coarse;  // likewise: the step is long, and contacts that yield count only where they overlap at its
                  // end
    bool at_hand; // likewise: without pairs that start far apart and meet on the way
    bool settled; // likewise: contacts that do not yield are solved for
    bool awake;   // without what sleeps against what sleeps and against solids
} ContactLaw;

// Finds all contact points at positions x, in the order of the candidates, with solids at `to`. False: no
// memory.
bool narrow_phase_find(Memory* m, ContactPoints* ts, const Colliders* cs, const CordVec3* x,
                       const ContactLaw* law);
void contact_points_free(Memory* m, ContactPoints* ts);

#endif
