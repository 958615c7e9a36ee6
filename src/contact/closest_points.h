// Closest points of points, segments and triangles (Ericson, Real-Time Collision Detection, 2005, chapter 5),
// exact in every degenerate case: parallel segments, coincident points, triangles without area.
#ifndef CORD_CONTACT_CLOSEST_POINTS_H
#define CORD_CONTACT_CLOSEST_POINTS_H

#include "math/vec3.h"

typedef struct ClosestPoints {
    double distance;     // [m]
    double s, t;         // parameters on the two segments, 0 to 1; 0 for a point
    double u, v;         // on a triangle: a + u (b - a) + v (c - a)
    CordVec3 separation; // from the closest point of the second feature to that of the first [m]
} ClosestPoints;

// ---- points and segments: inline, since a call would cost as much as the computation

// Errors. Let L be the size of the differences that go in, u the unit roundoff (1e-16), and sigma the sine of
// the angle between two directions d and e, those of two segments or of two sides of a triangle. The minimum
// of |r + s d - t e| over t is |w + s n| / |e| with n = d x e and w = r x e, so the best s is -w.n / n.n.
// Both products are wrong by u L^2 whatever the angle (d.d e.e - (d.e)^2 in place of n.n would be wrong by u
// L^4), which moves s by u / sigma, and by h u / (L sigma^2) if the lines are h apart. But along the valley
// of nearly equal distances, s moves the distance by sigma L s, or by (sigma L s)^2 / 2h: by a few u L at
// most, for every angle. The other parameter is a projection, and the distance is computed from the two
// resulting points, so it is never too small by more than their rounding.

#define PARALLEL 1e-30 // sigma squared: below it, the direction of n is rounding error
// squared [m^2]: below it, a segment counts as a point, since the inverse might overflow
#define NO_LENGTH 1e-290

// Clamps to 0 .. 1. It is written as a sum, whose terms are exact, because compilers turn two nested clamps
// into a branch that processors predict badly.
static inline double clamp_unit(double x)
{
    double above = x > 0.0 ? x : 0.0, below = x < 1.0 ? x : 1.0;
    return below + (above - x);
}

static inline double inverse_or_zero(double squared)
{
    return squared > NO_LENGTH ? 1.0 / squared : 0.0;
}

static inline ClosestPoints closest_by(CordVec3 separation, double s, double t)
{
    return (ClosestPoints){.distance = vec3_length(separation), .s = s, .t = t, .separation = separation};
}

// The parameter of the point of the segment closest to p, 0 to 1.
static inline double closest_on_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    CordVec3 e = vec3_sub(b, a);
    return clamp_unit(vec3_dot(vec3_sub(p, a), e) * inverse_or_zero(vec3_dot(e, e)));
}

static inline ClosestPoints closest_point_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    double t = closest_on_segment(p, a, b);
    return closest_by(vec3_madd(vec3_sub(p, a), vec3_sub(b, a), -t), 0.0, t);
}

// ---- two segments, a + s d and b + t e, with r = a - b

// The middle of the interval of the first segment to which the ends of the second project. Without an overlap
// it is the nearer end. Segments without length come here too.
static inline double overlap_middle(double dd, double de, double rd)
{
    double inv = inverse_or_zero(dd), s0 = -rd * inv, s1 = (de - rd) * inv;
    double lo = s0 < s1 ? s0 : s1, hi = s0 < s1 ? s1 : s0;
    return clamp_unit(0.5 * ((lo > 0.0 ? lo : 0.0) + (hi < 1.0 ? hi : 1.0)));
}

// Between parallel segments any of the closest pairs would do; this returns the one in the middle of their
// overlap.
static inline ClosestPoints closest_segment_segment(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1)
{
    CordVec3 d = vec3_sub(a1, a0), e = vec3_sub(b1, b0), r = vec3_sub(a0, b0), n = vec3_cross(d, e);
    double dd = vec3_dot(d, d), ee = vec3_dot(e, e), nn = vec3_dot(n, n);
    double de = vec3_dot(d, e), rd = vec3_dot(r, d), re = vec3_dot(r, e);
    bool crossing = nn > PARALLEL * dd * ee;
    double s = crossing ? clamp_unit(-vec3_dot(vec3_cross(r, e), n) / nn) : overlap_middle(dd, de, rd);
    // The best t for that s, and then the best s for that t. The second changes s only if t was clamped. The
    // result is the minimum over both, because s was the best over the whole line before it was clamped.
    double t = clamp_unit((re + s * de) * inverse_or_zero(ee));
    s = clamp_unit((t * de - rd) * inverse_or_zero(dd));
    return closest_by(vec3_madd(vec3_madd(r, d, s), e, -t), s, t);
}

// ---- triangles

ClosestPoints closest_point_triangle(CordVec3 p, CordVec3 a, CordVec3 b, CordVec3 c);
// s on the segment; distance 0: they intersect
ClosestPoints closest_segment_triangle(CordVec3 p, CordVec3 q, CordVec3 a, CordVec3 b, CordVec3 c);

#endif
