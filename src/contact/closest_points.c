#include "contact/closest_points.h"

// ---- triangles: a + u d + v e

static inline ClosestPoints nearer(ClosestPoints a, ClosestPoints b)
{
    return b.distance < a.distance ? b : a;
}

static ClosestPoints on_triangle(ClosestPoints c, double u, double v)
{
    c.t = 0.0, c.u = u, c.v = v;
    return c;
}

// The foot of the perpendicular from the point, r from corner a. False: it lies outside the triangle.
static bool above_triangle(CordVec3 r, CordVec3 d, CordVec3 e, ClosestPoints* foot)
{
    CordVec3 n = vec3_cross(d, e);
    double u = vec3_dot(vec3_cross(r, e), n) / vec3_dot(n, n);
    double v = (vec3_dot(r, e) - u * vec3_dot(d, e)) * inverse_or_zero(vec3_dot(e, e));
    *foot = on_triangle(closest_by(vec3_madd(vec3_madd(r, d, -u), e, -v), 0.0, 0.0), u, v);
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0; // all false if there is no area
}

// All sides are tested even where there is a foot: on a sliver triangle the foot may be wrong by more than
// the triangle's width.
ClosestPoints closest_point_triangle(CordVec3 p, CordVec3 a, CordVec3 b, CordVec3 c)
{
    ClosestPoints ab = closest_point_segment(p, a, b), bc = closest_point_segment(p, b, c),
                  ac = closest_point_segment(p, a, c), foot;
    ClosestPoints best = on_triangle(ab, ab.t, 0.0);
    best = nearer(best, on_triangle(bc, 1.0 - bc.t, bc.t));
    best = nearer(best, on_triangle(ac, 0.0, ac.t));
    if (above_triangle(vec3_sub(p, a), vec3_sub(b, a), vec3_sub(c, a), &foot)) {
        best = nearer(best, foot);
    }
    return best;
}

// Solves m x = rhs by Gaussian elimination with partial pivoting. The residual is at rounding level however
// nearly singular the system is. Cramer's rule would not do: for nearly collinear columns its errors grow
// with 1 / width^2.
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

// The intersection p + s m = a + u d + v e, with r = p - a. It is accepted if its residual is at rounding
// level.
static bool pierces(CordVec3 r, CordVec3 m, CordVec3 d, CordVec3 e, ClosestPoints* at)
{
    CordVec3 n = vec3_cross(d, e);
    double size = vec3_length(r) + vec3_length(m) + vec3_length(d) + vec3_length(e);
    double from = vec3_dot(r, n), to = vec3_dot(vec3_add(r, m), n), noise = 1e-15 * size * size * size;
    if ((from > noise && to > noise) || (from < -noise && to < -noise)) {
        return false; // both ends are on one side of the plane
    }
    double columns[3][3] = {{d.x, e.x, -m.x}, {d.y, e.y, -m.y}, {d.z, e.z, -m.z}}, rhs[3] = {r.x, r.y, r.z},
           x[3];
    solve_3(columns, rhs, x);
    double u = x[0], v = x[1], s = x[2];
    CordVec3 left = vec3_madd(vec3_madd(vec3_madd(r, d, -u), e, -v), m, s);
    *at = on_triangle(closest_by((CordVec3){0, 0, 0}, s, 0.0), u, v);
    return s >= 0.0 && s <= 1.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && vec3_length(left) <= 2e-15 * size;
}

ClosestPoints closest_segment_triangle(CordVec3 p, CordVec3 q, CordVec3 a, CordVec3 b, CordVec3 c)
{
    ClosestPoints through;
    if (pierces(vec3_sub(p, a), vec3_sub(q, p), vec3_sub(b, a), vec3_sub(c, a), &through)) {
        return through;
    }
    ClosestPoints from_p = closest_point_triangle(p, a, b, c), from_q = closest_point_triangle(q, a, b, c);
    ClosestPoints ab = closest_segment_segment(p, q, a, b), bc = closest_segment_segment(p, q, b, c),
                  ac = closest_segment_segment(p, q, a, c);
    from_q.s = 1.0;
    ClosestPoints best = nearer(from_p, from_q);
    best = nearer(best, on_triangle(ab, ab.t, 0.0));
    best = nearer(best, on_triangle(bc, 1.0 - bc.t, bc.t));
    return nearer(best, on_triangle(ac, 0.0, ac.t));
}
