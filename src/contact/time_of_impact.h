// Continuous detection: how far points that all move in straight lines, at even pace, from `from` to `to` may
// go before two things come nearer than a distance. Conservative: the share of the way that is returned is
// never past the first time they do, and where it ends, they are within a tenth of the gap there was, or a
// millionth of their way, of that distance.
#ifndef CORD_CONTACT_TIME_OF_IMPACT_H
#define CORD_CONTACT_TIME_OF_IMPACT_H

#include "contact/closest_points.h"

typedef struct MovingPoint {
    CordVec3 from, to;
} MovingPoint;

// Share of the way, 0 to 1; 1: all of it. What is at `near` at the start, or nearer already, gives 0 if it
// comes nearer still; it may slide and move apart, but not come nearer than it was then. Numbers that are not
// finite give 0.
double segments_time_of_impact(const MovingPoint a[2], const MovingPoint b[2], double near);
double point_triangle_time_of_impact(const MovingPoint* p, const MovingPoint triangle[3], double near);
double segment_triangle_time_of_impact(const MovingPoint a[2], const MovingPoint triangle[3], double near);

#endif
