// Continuous collision detection: the time of impact of two features whose points move in straight lines at
// constant speed. Times are fractions of the motion, 0 to 1.
//
// The result is conservative: it is never later than the first time at which the distance falls to `near`.
// When it is less than 1, the distance there exceeds `near` by at most a tenth of the initial gap, or by what
// the features move in a millionth of the motion.
#ifndef CORD_CONTACT_TIME_OF_IMPACT_H
#define CORD_CONTACT_TIME_OF_IMPACT_H

#include "base/real.h"
#include "contact/closest_points.h"

typedef struct MovingPoint {
    CordVec3 from, to; // [m]
} MovingPoint;

// Each returns 1 if the distance stays above `near` over the whole motion. Features that start at `near` or
// closer may slide and separate, but not come closer than they were: if they approach, the result is 0. It is
// also 0 if a coordinate is not finite.
double segments_time_of_impact(const MovingPoint a[2], const MovingPoint b[2], double near);
double point_triangle_time_of_impact(const MovingPoint* p, const MovingPoint triangle[3], double near);
double segment_triangle_time_of_impact(const MovingPoint a[2], const MovingPoint triangle[3], double near);

// ---- conservative advancement (Mirtich 1996), which segments, triangles and solids share
//
// A distance at one time says nothing about the next. A separating direction does. If one feature lies above
// some height along a unit normal and the other below, their distance is at least the difference of the
// heights, and the heights of points in linear motion are linear in time. Take one normal at the start of an
// interval and another at its end, and interpolate linearly between them; the interpolated normal is never
// longer than 1. Heights along it are quadratic in time, so a few dot products at the ends of an interval of
// any length decide whether the features stay apart in it. This also covers features that slide along each
// other, and features that touch at the start and separate, which no bound on their speed could decide.

typedef struct Separation { // of a pair at one time
    double time;
    double distance; // [m]
    double rate;     // upper bound of the rate of change of the distance, over the whole motion [m]
    CordVec3 normal; // unit, from the second feature to the first; 0: there is none
    CordVec3 at[5];  // positions of the moving points [m]
} Separation;

typedef struct Advancement {
    const void* pair;
    double rounding; // error bound of any distance and of any height along a normal [m]
    Separation (*separation_at)(const void* pair, double time);
    // How long from now on the distance is certain to be at least `level`; INFINITY: for ever. 0: it may be
    // less now.
    double (*safe_time)(const void* pair, const Separation* now, double level);
    // Is the distance certain to be at least `level` from one time to another?
    bool (*stays_apart)(const void* pair, const Separation* from, const Separation* to, double level);
} Advancement;

double conservative_advancement(const Advancement* advancement, double near);

// Is c0 (1 - x)^2 + 2 c1 x (1 - x) + c2 x^2, a quadratic in Bernstein form, at least `level` for all x from 0
// to 1?
static inline bool stays_above(double level, double c0, double c1, double c2)
{
    double d0 = c0 - level, d1 = c1 - level, d2 = c2 - level;
    return d0 >= 0.0 && d2 >= 0.0 && (d1 >= 0.0 || d1 * d1 <= d0 * d2);
}

// How long a height that changes at `rate` stays at least `level`.
static inline double time_above(double level, double height, double rate)
{
    double spare = height - level;
    return !(spare >= 0.0) ? 0.0 : rate < 0.0 ? spare / -rate : INFINITY;
}

// The height that guarantees a distance of `level` while the normal turns from one to the other. The
// interpolated normal is shortest half-way, which matters for negative levels only.
static inline double height_between_normals(double level, CordVec3 from, CordVec3 to)
{
    return level >= 0.0 ? level : level * sqrt(real_max(0.5 + 0.5 * vec3_dot(from, to), 0.0));
}

#endif
