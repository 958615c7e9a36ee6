// Least distances between points, segments and triangles, exact in every degenerate case: segments that are parallel, points that coincide, triangles without area.
#ifndef CORD_CONTACT_DISTANCE_H
#define CORD_CONTACT_DISTANCE_H

#include "math/vec3.h"

typedef struct Closest {
    double distance; // [m]
    double s, t;     // where on each of two segments, 0 to 1; of a point: 0
    double u, v;     // on a triangle: a + u (b - a) + v (c - a)
    CordVec3 apart;  // from the closest point of the second to that of the first [m]
} Closest;

double point_segment_at(CordVec3 p, CordVec3 a, CordVec3 b); // the parameter on the segment, 0 to 1, nearest to p
Closest point_segment(CordVec3 p, CordVec3 a, CordVec3 b); // s = 0, t on the segment
// Where segments are parallel, any of the closest pairs may come out: that in the middle of their overlap does.
Closest segment_segment(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1);
Closest point_triangle(CordVec3 p, CordVec3 a, CordVec3 b, CordVec3 c);
Closest segment_triangle(CordVec3 p, CordVec3 q, CordVec3 a, CordVec3 b,
                         CordVec3 c); // s on the segment; distance 0: it pierces

#endif
