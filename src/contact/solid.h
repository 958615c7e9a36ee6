// Solids by formula: the signed distance of a point and of a segment from plane, sphere, box, cylinder, capsule, torus and tube, in the solid's own axes. Positive outside. Distances are
// exact (not bounds), so that they change by no more than a point moves.
#ifndef CORD_CONTACT_SOLID_H
#define CORD_CONTACT_SOLID_H

#include "contact/sweep.h"

typedef struct Solid {
    CordObstacleShape shape; // any but a mesh
    CordVec3 size; // as CordObstacleShape says; of a torus, the tube must be thinner than the circle is wide: size.y < size.x
} Solid;

typedef struct SolidPoint {
    double distance; // [m]; negative: inside
    double s;        // on the segment, 0 to 1
    CordVec3 normal; // unit, the direction in which the distance grows
} SolidPoint;

SolidPoint solid_point(const Solid* solid, CordVec3 p);
// The least over a segment, wherever along it that is: found for certain, also where there is more than one dip. If it is at least `far`, any point of that kind will do.
SolidPoint solid_segment(const Solid* solid, CordVec3 a, CordVec3 b, double far);
double solid_radius(const Solid* solid); // of a ball about its origin that holds all of it; INFINITY: none does
double solid_least_measure(const Solid* solid); // of what sticks out, or is hollow: what is shorter touches it in one place [m]; INFINITY: anything does

// As sweep.h, of a segment whose ends move in straight lines in the solid's axes. What slides along the inside of a ring, or past the rim of a tube, is followed over some
// 500 sqrt(gap d) of its way at the most, where d is how far it is from the ring's circle, or from the rim: no matter unless it all but touches.
double solid_sweep(const Solid* solid, const SweptPoint a[2], double near);

#endif
