// Least distances between points, segments and triangles, exact in every degenerate case: segments that are
// parallel, points that coincide, triangles without area.
#ifndef CORD_CONTACT_CLOSEST_POINTS_H
#define CORD_CONTACT_CLOSEST_POINTS_H

#include "math/vec3.h"

typedef struct ClosestPoints {
    double distance;     // [m]
    double s, t;         // where on each of two segments, 0 to 1; of a point: 0
    double u, v;         // on a triangle: a + u (b - a) + v (c - a)
    CordVec3 separation; // from the closest point of the second to that of the first [m]
} ClosestPoints;

// ---- points and segments: here, since a call would cost as much as the rest

// Errors. Let L be the size of the differences that go in, u a rounding (1e-16), and sigma the sine of the
// angle between two directions d and e, be they those of two segments or the sides of a triangle. The least
// of |r + s d - t e| over t is |w + s n| / |e| with n = d x e and w = r x e, so its s is -w.n / n.n. Both
// products are wrong by u L^2 whatever the angle (d.d e.e - (d.e)^2 in place of n.n would be by u L^4), which
// moves s by u / sigma, and by h u / (L sigma^2) if the lines are h apart. But along the valley of nearly
// equal distances, s moves the distance by sigma L s, or by (sigma L s)^2 / 2h: at most a few u L, for every
// angle. The other parameter is a projection, and the distance is that of the two points that come out, so it
// is never too small by more than their rounding.

#define PARALLEL 1e-30   // sigma squared: below it, the direction of n is nothing but rounding
#define NO_LENGTH 1e-290 // squared [m^2]: below it, a segment is a point, and the inverse might overflow

// Brought back to 0 .. 1. As a sum, whose terms are exact, since compilers make a jump of a clamp within a
// clamp, and processors cannot foresee where it goes.
static inline double within(double x)
{
    double above = x > 0.0 ? x : 0.0, below = x < 1.0 ? x : 1.0;
    return below + (above - x);
}

static inline double inverse(double squared)
{
    return squared > NO_LENGTH ? 1.0 / squared : 0.0;
}

static inline ClosestPoints apart_by(CordVec3 apart, double s, double t)
{
    return (ClosestPoints){.distance = vec3_length(apart), .s = s, .t = t, .separation = apart};
}

// The parameter on the segment, 0 to 1, nearest to p.
static inline double closest_on_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    CordVec3 e = vec3_sub(b, a);
    return within(vec3_dot(vec3_sub(p, a), e) * inverse(vec3_dot(e, e)));
}

static inline ClosestPoints closest_point_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    double t = closest_on_segment(p, a, b);
    return apart_by(vec3_madd(vec3_sub(p, a), vec3_sub(b, a), -t), 0.0, t);
}

// ---- two segments, a + s d and b + t e, with r = a - b

// The middle of that stretch of the first which the second's ends project to; beyond its ends where nothing
// overlaps, and brought back to the nearer one. Segments without length come here too.
static inline double overlap_at(double dd, double de, double rd)
{
    double inv = inverse(dd), s0 = -rd * inv, s1 = (de - rd) * inv;
    double lo = s0 < s1 ? s0 : s1, hi = s0 < s1 ? s1 : s0;
    return within(0.5 * ((lo > 0.0 ? lo : 0.0) + (hi < 1.0 ? hi : 1.0)));
}

// Where segments are parallel, any of the closest pairs may come out: that in the middle of their overlap
// does.
static inline ClosestPoints closest_segment_segment(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1)
{
    CordVec3 d = vec3_sub(a1, a0), e = vec3_sub(b1, b0), r = vec3_sub(a0, b0), n = vec3_cross(d, e);
    double dd = vec3_dot(d, d), ee = vec3_dot(e, e), nn = vec3_dot(n, n);
    double de = vec3_dot(d, e), rd = vec3_dot(r, d), re = vec3_dot(r, e);
    bool crossing = nn > PARALLEL * dd * ee;
    double s = crossing ? within(-vec3_dot(vec3_cross(r, e), n) / nn) : overlap_at(dd, de, rd);
    // The best t for that s, and the best s for that t: the same again, unless t had to be brought back to an
    // end. That is the least over both, because s was the best of the whole line before it was brought back.
    double t = within((re + s * de) * inverse(ee));
    s = within((t * de - rd) * inverse(dd));
    return apart_by(vec3_madd(vec3_madd(r, d, s), e, -t), s, t);
}

// ---- triangles

ClosestPoints closest_point_triangle(CordVec3 p, CordVec3 a, CordVec3 b, CordVec3 c);
ClosestPoints closest_segment_triangle(CordVec3 p, CordVec3 q, CordVec3 a, CordVec3 b,
                                       CordVec3 c); // s on the segment; distance 0: it pierces

#endif
