#include "contact/distance.h"

// Errors. Let L be the size of the differences that go in, u a rounding (1e-16), and sigma the sine of the angle between two
// directions d and e, be they those of two segments or the sides of a triangle. The least of |r + s d - t e| over t is
// |w + s n| / |e| with n = d x e and w = r x e, so its s is -w.n / n.n. Both products are wrong by u L^2 whatever the angle
// (d.d e.e - (d.e)^2 in place of n.n would be by u L^4), which moves s by u / sigma, and by h u / (L sigma^2) if the lines are h
// apart. But along the valley of nearly equal distances, s moves the distance by sigma L s, or by (sigma L s)^2 / 2h: at most a
// few u L, for every angle. The other parameter is a projection, and the distance is that of the two points that come out, so
// it is never too small by more than their rounding.

#define PARALLEL 1e-30   // sigma squared: below it, the direction of n is nothing but rounding
#define NO_LENGTH 1e-290 // squared [m^2]: below it, a segment is a point, and the inverse might overflow

// Brought back to 0 .. 1. As a sum, whose terms are exact, since compilers make a jump of a clamp within a clamp, and processors
// cannot foresee where it goes.
static inline double within(double x)
{
    double above = x > 0.0 ? x : 0.0, below = x < 1.0 ? x : 1.0;
    return below + (above - x);
}

static inline double inverse(double squared)
{
    return squared > NO_LENGTH ? 1.0 / squared : 0.0;
}

static inline Closest apart_by(CordVec3 apart, double s, double t)
{
    return (Closest){.distance = vec3_length(apart), .s = s, .t = t, .apart = apart};
}

double point_segment_at(CordVec3 p, CordVec3 a, CordVec3 b)
{
    CordVec3 e = vec3_sub(b, a);
    return within(vec3_dot(vec3_sub(p, a), e) * inverse(vec3_dot(e, e)));
}

Closest point_segment(CordVec3 p, CordVec3 a, CordVec3 b)
{
    double t = point_segment_at(p, a, b);
    return apart_by(vec3_madd(vec3_sub(p, a), vec3_sub(b, a), -t), 0.0, t);
}

// ---- two segments, a + s d and b + t e, with r = a - b

// The middle of that stretch of the first which the second's ends project to; beyond its ends where nothing overlaps, and brought
// back to the nearer one. Segments without length come here too.
static double overlap_at(double dd, double de, double rd)
{
    double inv = inverse(dd), s0 = -rd * inv, s1 = (de - rd) * inv;
    double lo = s0 < s1 ? s0 : s1, hi = s0 < s1 ? s1 : s0;
    return within(0.5 * ((lo > 0.0 ? lo : 0.0) + (hi < 1.0 ? hi : 1.0)));
}

Closest segment_segment(CordVec3 a0, CordVec3 a1, CordVec3 b0, CordVec3 b1)
{
    CordVec3 d = vec3_sub(a1, a0), e = vec3_sub(b1, b0), r = vec3_sub(a0, b0), n = vec3_cross(d, e);
    double dd = vec3_dot(d, d), ee = vec3_dot(e, e), nn = vec3_dot(n, n);
    double de = vec3_dot(d, e), rd = vec3_dot(r, d), re = vec3_dot(r, e);
    bool crossing = nn > PARALLEL * dd * ee;
    double s = crossing ? within(-vec3_dot(vec3_cross(r, e), n) / nn) : overlap_at(dd, de, rd);
    // The best t for that s, and the best s for that t: the same again, unless t had to be brought back to an end. That is the
    // least over both, because s was the best of the whole line before it was brought back.
    double t = within((re + s * de) * inverse(ee));
    s = within((t * de - rd) * inverse(dd));
    return apart_by(vec3_madd(vec3_madd(r, d, s), e, -t), s, t);
}

// ---- triangles: a + u d + v e

static inline Closest nearer(Closest a, Closest b)
{
    return b.distance < a.distance ? b : a;
}

static Closest on_triangle(Closest c, double u, double v)
{
    c.t = 0.0, c.u = u, c.v = v;
    return c;
}

// The foot of the perpendicular, if it falls into the triangle.
static bool above_triangle(CordVec3 r, CordVec3 d, CordVec3 e, Closest* foot)
{
    CordVec3 n = vec3_cross(d, e);
    double u = vec3_dot(vec3_cross(r, e), n) / vec3_dot(n, n);
    double v = (vec3_dot(r, e) - u * vec3_dot(d, e)) * inverse(vec3_dot(e, e));
    *foot = on_triangle(apart_by(vec3_madd(vec3_madd(r, d, -u), e, -v), 0.0, 0.0), u, v);
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0; // none of them if there is no area
}

// All sides are looked at even where there is a foot: for a sliver of a triangle, that may be wrong by more than its width.
Closest point_triangle(CordVec3 p, CordVec3 a, CordVec3 b, CordVec3 c)
{
    Closest ab = point_segment(p, a, b), bc = point_segment(p, b, c), ac = point_segment(p, a, c), foot;
    Closest best = on_triangle(ab, ab.t, 0.0);
    best = nearer(best, on_triangle(bc, 1.0 - bc.t, bc.t));
    best = nearer(best, on_triangle(ac, 0.0, ac.t));
    if (above_triangle(vec3_sub(p, a), vec3_sub(b, a), vec3_sub(c, a), &foot)) {
        best = nearer(best, foot);
    }
    return best;
}

// Solves m x = rhs by elimination with the largest pivots: what is left of the equations is rounding, however near they are to
// having no solution. Cramer's rule would not do: with all in one line but for some width, its errors go with 1 / width^2.
static void solve_3(double m[3][3], double rhs[3], double x[3])
{
    for (int k = 0; k < 3; k++) {
        int pivot = k;
        for (int i = k + 1; i < 3; i++) {
            pivot = fabs(m[i][k]) > fabs(m[pivot][k]) ? i : pivot;
        }
        for (int j = 0; j < 3; j++) {
            double swap = m[k][j];
            m[k][j] = m[pivot][j], m[pivot][j] = swap;
        }
        double swap = rhs[k];
        rhs[k] = rhs[pivot], rhs[pivot] = swap;
        for (int i = k + 1; i < 3; i++) {
            double f = m[i][k] / m[k][k];
            for (int j = k; j < 3; j++) {
                m[i][j] -= f * m[k][j];
            }
            rhs[i] -= f * rhs[k];
        }
    }
    x[2] = rhs[2] / m[2][2];
    x[1] = (rhs[1] - m[1][2] * x[2]) / m[1][1];
    x[0] = (rhs[0] - m[0][1] * x[1] - m[0][2] * x[2]) / m[0][0];
}

// Where p + s m = a + u d + v e with r = p - a. If nothing but rounding is left, the answer is right however it was found.
static bool pierces(CordVec3 r, CordVec3 m, CordVec3 d, CordVec3 e, Closest* at)
{
    CordVec3 n = vec3_cross(d, e);
    double size = vec3_length(r) + vec3_length(m) + vec3_length(d) + vec3_length(e);
    double from = vec3_dot(r, n), to = vec3_dot(vec3_add(r, m), n), noise = 1e-15 * size * size * size;
    if ((from > noise && to > noise) || (from < -noise && to < -noise)) {
        return false; // on one side of the plane
    }
    double columns[3][3] = {{d.x, e.x, -m.x}, {d.y, e.y, -m.y}, {d.z, e.z, -m.z}}, rhs[3] = {r.x, r.y, r.z}, x[3];
    solve_3(columns, rhs, x);
    double u = x[0], v = x[1], s = x[2];
    CordVec3 left = vec3_madd(vec3_madd(vec3_madd(r, d, -u), e, -v), m, s);
    *at = on_triangle(apart_by((CordVec3){0, 0, 0}, s, 0.0), u, v);
    return s >= 0.0 && s <= 1.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && vec3_length(left) <= 2e-15 * size;
}

Closest segment_triangle(CordVec3 p, CordVec3 q, CordVec3 a, CordVec3 b, CordVec3 c)
{
    Closest through;
    if (pierces(vec3_sub(p, a), vec3_sub(q, p), vec3_sub(b, a), vec3_sub(c, a), &through)) {
        return through;
    }
    Closest from_p = point_triangle(p, a, b, c), from_q = point_triangle(q, a, b, c);
    Closest ab = segment_segment(p, q, a, b), bc = segment_segment(p, q, b, c), ac = segment_segment(p, q, a, c);
    from_q.s = 1.0;
    Closest best = nearer(from_p, from_q);
    best = nearer(best, on_triangle(ab, ab.t, 0.0));
    best = nearer(best, on_triangle(bc, 1.0 - bc.t, bc.t));
    return nearer(best, on_triangle(ac, 0.0, ac.t));
}
