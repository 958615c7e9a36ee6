// Solids by formula: the signed distance of a point and of a segment, in the solid's own axes. Positive
// outside. Distances are exact (not bounds), so that they change by no more than a point moves. What is
// particular to a shape is in its file, contact/solid_<name>.c, and ends in a row of type SolidKind.
#ifndef CORD_CONTACT_SOLID_H
#define CORD_CONTACT_SOLID_H

#include "base/message.h"
#include "contact/time_of_impact.h"

#include <cordage/solid.h>

typedef struct SolidPoint {
    double distance; // [m]; negative: inside
    double s;        // on the segment, 0 to 1
    CordVec3 normal; // unit, the direction in which the distance grows
} SolidPoint;

// A segment, and places between which the distance along it has one dip at the most.
typedef struct SolidLine {
    const CordSolid* solid;
    CordVec3 a, d;   // from a to a + d
    double scale;    // of the numbers that are rounded [m]
    double cuts[12]; // in order, the ends 0 and 1 included
    int cut_count;
} SolidLine;

// A shape. Each entry gets the solid itself; sizes have been checked.
typedef struct SolidKind {
    CordSolidKind kind;                                            // what all may know of it
    CordResult (*check)(const CordSolid* solid, Message* message); // beyond positive sizes; NULL: nothing
    SolidPoint (*point)(const CordSolid* solid, CordVec3 p);       // signed distance and normal; NULL: a mesh
    // s where a segment is closest; NULL: by cuts
    double (*along)(const CordSolid* solid, CordVec3 a, CordVec3 b);
    void (*cuts)(SolidLine* line); // NULL: convex, so that there is one dip at the most
    // of the ball about its origin that holds it [m]; NULL: none does
    double (*radius)(const CordSolid* solid);
    // least measure of what sticks out, or is hollow [m]; NULL: INFINITY
    double (*feature)(const CordSolid* solid);
    double (*support)(const CordSolid* solid, CordVec3 n); // largest n . x over its convex hull [m]
    // radius of the cylinder about z that it leaves free [m]; NULL: none
    double (*bore)(const CordSolid* solid);
    // it is all that is nearer than this to some set of points [m]; NULL: 0
    double (*core)(const CordSolid* solid);
    // returns the volume; NULL: no body
    double (*inertia)(const CordSolid* solid, double mass, double tensor[6]);
    void (*tessellate)(const CordSolid* solid, int sides, const CordMeshSink* sink);
    // NULL: by steps of the distance
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

// The least over a segment, wherever along it that is: found for certain, also where there is more than one
// dip. If it is at least `far`, any point of that kind will do.
SolidPoint solid_segment(const CordSolid* solid, CordVec3 a, CordVec3 b, double far);
// of a ball about its origin that holds all of it; INFINITY: none does
double solid_radius(const CordSolid* solid);
// of what sticks out, or is hollow: what is shorter touches it in one place [m]; INFINITY: anything does
double solid_least_measure(const CordSolid* solid);

// As sweep.h, of a segment whose ends move in straight lines in the solid's axes. What slides along the
// inside of a ring, or past the rim of a tube, is followed over some 500 sqrt(gap d) of its way at the most,
// where d is how far it is from the ring's circle, or from the rim: no matter unless it all but touches.
double solid_time_of_impact(const CordSolid* solid, const MovingPoint a[2], double near);

#endif
