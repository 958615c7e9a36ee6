// Continuous detection: how far points that all move in straight lines, at even pace, from `from` to `to` may
// go before two things come nearer than a distance. Conservative: the share of the way that is returned is
// never past the first time they do, and where it ends, they are within a tenth of the gap there was, or a
// millionth of their way, of that distance.
#ifndef CORD_CONTACT_SWEEP_H
#define CORD_CONTACT_SWEEP_H

#include "contact/distance.h"

typedef struct SweptPoint {
    CordVec3 from, to;
} SweptPoint;

// Share of the way, 0 to 1; 1: all of it. What is at `near` at the start, or nearer already, gives 0 if it
// comes nearer still; it may slide and move apart, but not come nearer than it was then. Numbers that are not
// finite give 0.
double sweep_segments(const SweptPoint a[2], const SweptPoint b[2], double near);
double sweep_point_triangle(const SweptPoint* p, const SweptPoint triangle[3], double near);
double sweep_segment_triangle(const SweptPoint a[2], const SweptPoint triangle[3], double near);

#endif
