// Analytic solids: the signed distance of a point and of a segment, in the solid's own axes, positive
// outside. Distances are exact, not bounds, so they change by no more than a point moves. Each shape has its
// own file, contact/solid_<name>.c, which ends in its row of type SolidKind.
#ifndef CORD_CONTACT_SOLID_H
#define CORD_CONTACT_SOLID_H

#include "base/message.h"
#include "contact/time_of_impact.h"

#include <cordage/solid.h>

typedef struct SolidPoint {
    double distance; // [m]; negative: inside
    double s;        // parameter on the segment, 0 to 1
    CordVec3 normal; // unit gradient of the distance
} SolidPoint;

// A segment, and cuts between which the distance along it has at most one minimum.
typedef struct SolidLine {
    const CordSolid* solid;
    CordVec3 a, d;   // from a to a + d
    double scale;    // size of the numbers that are rounded [m]
    double cuts[12]; // parameters in ascending order, from 0 to 1
    int cut_count;
} SolidLine;

// A kind of solid. Each entry gets the solid itself, whose sizes have been checked.
typedef struct SolidKind {
    CordSolidKind kind; // its public description
    // of sizes against each other; NULL: any positive sizes will do
    CordResult (*check)(const CordSolid* solid, Message* message);
    SolidPoint (*point)(const CordSolid* solid, CordVec3 p); // signed distance and normal; NULL: a mesh
    // parameter of a segment's closest point, or NAN where it is found between cuts; NULL: it always is
    double (*along)(const CordSolid* solid, CordVec3 a, CordVec3 b);
    void (*cuts)(SolidLine* line); // NULL: convex, so there is one minimum
    // bounding radius about its origin [m]; NULL: unbounded
    double (*radius)(const CordSolid* solid);
    // size of the smallest protrusion or hollow [m]; NULL: INFINITY
    double (*feature)(const CordSolid* solid);
    double (*support)(const CordSolid* solid, CordVec3 n); // support function of its convex hull [m]
    // radius of its bore about z [m]; NULL: none
    double (*bore)(const CordSolid* solid);
    // radius r of a solid that is the Minkowski sum of some set and a ball of radius r [m]; NULL: 0
    double (*core)(const CordSolid* solid);
    // returns the volume; NULL: it cannot be a body
    double (*inertia)(const CordSolid* solid, double mass, double tensor[6]);
    void (*tessellate)(const CordSolid* solid, int sides, const CordMeshSink* sink);
    // NULL: by sphere tracing
    bool (*ray)(const CordSolid* solid, CordVec3 from, CordVec3 direction, double* t);
} SolidKind;

extern const SolidKind* const solid_kinds[CORD_SOLID_COUNT];

static inline const SolidKind* solid_kind(const CordSolid* solid)
{
    return solid_kinds[solid->shape];
}

static inline SolidPoint solid_point(const CordSolid* solid, CordVec3 p)
{
    return solid_kind(solid)->point(solid, p);
}

// The closest point of a segment: the global minimum, also where the distance has several. If it is at least
// `far`, any point at least that far will do.
SolidPoint solid_segment(const CordSolid* solid, CordVec3 a, CordVec3 b, double far);
// bounding radius about its origin [m]; INFINITY: unbounded
double solid_radius(const CordSolid* solid);
// size of its smallest feature [m]: a shorter segment touches it in one place; INFINITY: any segment does
double solid_least_measure(const CordSolid* solid);

// Time of impact of a segment whose ends move in straight lines in the solid's axes: see time_of_impact.h.
// Motion along the inside of a ring, or past the rim of a tube, is followed over some 500 sqrt(gap d) at
// most, where d is the distance from the ring's circle or from the rim. This matters only at gaps near
// rounding level.
double solid_time_of_impact(const CordSolid* solid, const MovingPoint a[2], double near);

#endif
