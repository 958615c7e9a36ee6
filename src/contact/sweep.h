// Continuous detection: how far points that all move in straight lines, at even pace, from `from` to `to` may go before two things come nearer than a distance. Conservative: the share of
// the way that is returned is never past the first time they do; it falls short of it by at most a tenth of the gap there was, or a millionth of the way.
#ifndef CORD_CONTACT_SWEEP_H
#define CORD_CONTACT_SWEEP_H

#include "contact/distance.h"

typedef struct SweptPoint {
    CordVec3 from, to;
} SweptPoint;

// Share of the way, 0 to 1; 1: all of it. What is nearer than `near` at the start already gives 0, unless it only moves apart.
double sweep_segments(const SweptPoint a[2], const SweptPoint b[2], double near);
double sweep_point_triangle(const SweptPoint* p, const SweptPoint triangle[3], double near);
double sweep_segment_triangle(const SweptPoint a[2], const SweptPoint triangle[3], double near);

#endif
