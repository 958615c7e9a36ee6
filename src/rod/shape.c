#include "rod/shape.h"

#include "base/real.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "rod/centerline.h"
#include "rod/knot_shape.h"

#include <string.h>

#define MOST_NODES 100000000

CordShape cord_shape_points(const CordVec3* points, int point_count)
{
    return (CordShape){
        .kind = CORD_SHAPE_POINTS, .node_count = point_count, .points = points, .point_count = point_count};
}

CordShape cord_shape_line(CordVec3 from, CordVec3 to, int node_count)
{
    return (CordShape){.kind = CORD_SHAPE_LINE, .node_count = node_count, .p = from, .q = to};
}

CordShape cord_shape_polyline(const CordVec3* points, int point_count, int node_count)
{
    return (CordShape){
        .kind = CORD_SHAPE_POLYLINE, .node_count = node_count, .points = points, .point_count = point_count};
}

CordShape cord_shape_spline(const CordVec3* points, int point_count, int node_count)
{
    return (CordShape){
        .kind = CORD_SHAPE_SPLINE, .node_count = node_count, .points = points, .point_count = point_count};
}

CordShape cord_shape_ellipse(CordVec3 center, CordVec3 axis1, CordVec3 axis2, double a, double b,
                             int node_count)
{
    return (CordShape){.kind = CORD_SHAPE_ELLIPSE,
                       .node_count = node_count,
                       .p = center,
                       .axis1 = axis1,
                       .axis2 = axis2,
                       .a = a,
                       .b = b,
                       .angle_to = 2.0 * CORD_PI};
}

CordShape cord_shape_circle(CordVec3 center, CordVec3 normal, double radius, int node_count)
{
    double length = vec3_length(normal);
    CordVec3 axis1 = {0, 0, 0}, axis2 = {0, 0, 0}; // shape_check refuses a zero normal
    if (length > 0.0) {
        CordVec3 t = vec3_mul(normal, 1.0 / length);
        axis1 = vec3_any_normal(t);
        axis2 = vec3_cross(t, axis1);
    }
    return cord_shape_ellipse(center, axis1, axis2, radius, radius, node_count);
}

CordShape cord_shape_helix(CordVec3 start_center, CordVec3 axis, double radius, double pitch, double turns,
                           int node_count)
{
    double length = vec3_length(axis);
    return (CordShape){.kind = CORD_SHAPE_HELIX,
                       .node_count = node_count,
                       .p = start_center,
                       .axis1 = axis,
                       .axis2 = length > 0.0 ? vec3_any_normal(vec3_mul(axis, 1.0 / length)) : axis,
                       .a = radius,
                       .b = pitch,
                       .turns = turns};
}

CordShape cord_shape_network(const CordVec3* nodes, int node_count, const int* ends, int edge_count)
{
    return (CordShape){.kind = CORD_SHAPE_NETWORK,
                       .node_count = node_count,
                       .points = nodes,
                       .point_count = node_count,
                       .ends = ends,
                       .edge_count = edge_count};
}

CordShape cord_shape_torus_knot(CordVec3 center, CordVec3 axis, int p, int q, double a, double b,
                                int node_count)
{
    double length = vec3_length(axis);
    return (CordShape){.kind = CORD_SHAPE_TORUS_KNOT,
                       .node_count = node_count,
                       .p = center,
                       .axis1 = axis,
                       .axis2 = length > 0.0 ? vec3_any_normal(vec3_mul(axis, 1.0 / length)) : axis,
                       .a = a,
                       .b = b,
                       .knot_p = p,
                       .knot_q = q};
}

// ---- checks

static bool has_points(const CordShape* s)
{
    return s->kind == CORD_SHAPE_POINTS || s->kind == CORD_SHAPE_POLYLINE || s->kind == CORD_SHAPE_SPLINE;
}

static CordResult check_points(const CordShape* s, bool closed, Message* message)
{
    int least = closed ? 3 : 2;
    if (!s->points || s->point_count < least) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the shape has %d points; a%s rod needs at least %d",
                            s->point_count, closed ? " closed" : "n open", least);
    }
    if (s->kind == CORD_SHAPE_POINTS && s->node_count != s->point_count) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the shape has %d points for %d nodes; points are the nodes themselves, a polyline is resampled",
            s->point_count, s->node_count);
    }
    for (int i = 0; i < s->point_count; i++) {
        if (!vec3_finite(s->points[i])) {
            return message_fail(message, CORD_BAD_ARGUMENT, "point %d of the shape is not finite", i);
        }
        int next = i + 1 < s->point_count ? i + 1 : 0;
        if ((next > 0 || closed) && vec3_length(vec3_sub(s->points[next], s->points[i])) == 0.0) {
            return message_fail(message, CORD_BAD_ARGUMENT, "points %d and %d of the shape are the same%s", i,
                                next, next == 0 ? "; a closed rod does not repeat its first point" : "");
        }
    }
    return CORD_OK;
}

// network_check checks the edges, as it needs memory.
static CordResult check_network(const CordShape* s, bool closed, Message* message)
{
    if (closed) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a network has its loops in its edges; it is not closed itself");
    }
    if (!s->points || s->point_count != s->node_count || !s->ends || s->edge_count < 1 ||
        s->edge_count > MOST_NODES) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a network has %d points for %d nodes and %d edges; points are its nodes, and it "
                            "has an edge at the least",
                            s->point_count, s->node_count, s->edge_count);
    }
    for (int i = 0; i < s->point_count; i++) {
        if (!vec3_finite(s->points[i])) {
            return message_fail(message, CORD_BAD_ARGUMENT, "node %d of the network is not finite", i);
        }
    }
    return CORD_OK;
}

static CordResult check_axes(const CordShape* s, Message* message)
{
    if (!vec3_finite(s->axis1) || !vec3_finite(s->axis2) || vec3_length(s->axis1) == 0.0) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the shape's axis must be finite and not zero");
    }
    CordVec3 axis = vec3_unit(s->axis1);
    if (!(vec3_length(vec3_reject(s->axis2, axis)) > 1e-9 * vec3_length(s->axis2))) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the shape's two axes must not be parallel");
    }
    return CORD_OK;
}

static CordResult check_sizes(const CordShape* s, Message* message)
{
    bool helix = s->kind == CORD_SHAPE_HELIX;
    bool right = isfinite(s->a) && s->a > 0.0 && isfinite(s->b) && (helix || s->b > 0.0);
    if (!right) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the shape's sizes are %g and %g; they are lengths in metres and must be %s",
                            s->a, s->b, helix ? "positive (radius) and finite (pitch)" : "positive");
    }
    if (helix && !(isfinite(s->turns) && s->turns != 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a helix needs a number of turns that is not zero");
    }
    double sweep = s->angle_to - s->angle_from;
    if (s->kind == CORD_SHAPE_ELLIPSE && !(sweep > 0.0 && sweep <= 2.0 * CORD_PI * (1.0 + 1e-12))) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "an arc goes from one angle to a larger one, by at most a full turn");
    }
    if (s->kind == CORD_SHAPE_TORUS_KNOT && (s->knot_p == 0 || s->knot_q == 0 || s->b >= s->a)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a torus knot needs p and q that are not zero, and a tube thinner than its ring");
    }
    return CORD_OK;
}

CordResult shape_check(const CordShape* s, bool closed, Message* message)
{
    if ((unsigned)s->kind > CORD_SHAPE_NETWORK) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no shape number %d", (int)s->kind);
    }
    int least = closed ? 3 : 2;
    if (s->node_count < least || s->node_count > MOST_NODES) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the shape has %d nodes; a%s rod has %d to %d",
                            s->node_count, closed ? " closed" : "n open", least, MOST_NODES);
    }
    if (s->kind == CORD_SHAPE_NETWORK) {
        return check_network(s, closed, message);
    }
    if (has_points(s)) {
        return check_points(s, closed, message);
    }
    if (s->kind == CORD_SHAPE_LINE) {
        if (closed) {
            return message_fail(message, CORD_BAD_ARGUMENT, "a line cannot be closed");
        }
        double length = vec3_length(vec3_sub(s->q, s->p));
        return isfinite(length) && length > 0.0
                   ? CORD_OK
                   : message_fail(message, CORD_BAD_ARGUMENT,
                                  "the two ends of a line must be finite and apart");
    }
    CORD_TRY(check_axes(s, message));
    if (s->kind == CORD_SHAPE_KNOT) {
        return knot_shape_check(s, closed, message);
    }
    CORD_TRY(check_sizes(s, message));
    if (closed && s->kind == CORD_SHAPE_HELIX) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a helix cannot be closed");
    }
    bool whole = s->angle_to - s->angle_from > 2.0 * CORD_PI * (1.0 - 1e-12);
    if (s->kind == CORD_SHAPE_ELLIPSE && closed != whole) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            closed
                                ? "an arc of less than a turn cannot be closed"
                                : "a full circle or ellipse makes a closed rod; for an open one leave a gap");
    }
    if (s->kind == CORD_SHAPE_TORUS_KNOT && !closed) {
        return message_fail(message, CORD_BAD_ARGUMENT, "a torus knot is a closed rod");
    }
    return CORD_OK;
}

// ---- curves: a point for each u in [0, 1]

static CordVec3 point_wrapped(const CordShape* s, bool closed, int i)
{
    int n = s->point_count;
    if (closed) {
        return s->points[(i % n + n) % n];
    }
    if (i < 0) { // beyond the ends of an open spline: reflected at the end
        return vec3_sub(vec3_mul(s->points[0], 2.0), s->points[1]);
    }
    if (i >= n) {
        return vec3_sub(vec3_mul(s->points[n - 1], 2.0), s->points[n - 2]);
    }
    return s->points[i];
}

static CordVec3 blend(CordVec3 a, CordVec3 b, double ta, double tb, double t)
{
    return vec3_add(vec3_mul(a, (tb - t) / (tb - ta)), vec3_mul(b, (t - ta) / (tb - ta)));
}

// Centripetal Catmull-Rom spline by the pyramid of Barry and Goldman (1988): no loops or cusps, whatever the
// spacing of the points.
CordVec3 shape_spline_point(const CordShape* s, bool closed, double u)
{
    int pieces = closed ? s->point_count : s->point_count - 1;
    double along = u * pieces;
    int i = along >= pieces ? pieces - 1 : (int)along;
    CordVec3 p[4];
    double t[4] = {0.0};
    for (int k = 0; k < 4; k++) {
        p[k] = point_wrapped(s, closed, i - 1 + k);
        t[k] = k > 0 ? t[k - 1] + sqrt(vec3_length(vec3_sub(p[k], p[k - 1]))) : 0.0;
    }
    double at = t[1] + (along - i) * (t[2] - t[1]);
    CordVec3 a1 = blend(p[0], p[1], t[0], t[1], at), a2 = blend(p[1], p[2], t[1], t[2], at);
    CordVec3 a3 = blend(p[2], p[3], t[2], t[3], at);
    return blend(blend(a1, a2, t[0], t[2], at), blend(a2, a3, t[1], t[3], at), t[1], t[2], at);
}

static CordVec3 polyline_point(const CordShape* s, bool closed, double u)
{
    int pieces = closed ? s->point_count : s->point_count - 1;
    double along = u * pieces;
    int i = along >= pieces ? pieces - 1 : (int)along;
    CordVec3 a = s->points[i], b = point_wrapped(s, closed, i + 1);
    return vec3_madd(a, vec3_sub(b, a), along - i);
}

static CordVec3 torus_point(const CordShape* s, CordVec3 e1, CordVec3 e2, CordVec3 e3, double u)
{
    double around = 2.0 * CORD_PI * s->knot_p * u, through = 2.0 * CORD_PI * s->knot_q * u;
    double ring = s->a + s->b * cord_cos(through);
    CordVec3 x = vec3_madd(s->p, e2, ring * cord_cos(around));
    x = vec3_madd(x, e3, ring * cord_sin(around));
    return vec3_madd(x, e1, s->b * cord_sin(through));
}

static CordVec3 curve_point(const CordShape* s, bool closed, double u)
{
    switch (s->kind) {
    case CORD_SHAPE_LINE: return vec3_madd(s->p, vec3_sub(s->q, s->p), u);
    case CORD_SHAPE_POINTS:
    case CORD_SHAPE_POLYLINE: return polyline_point(s, closed, u);
    case CORD_SHAPE_SPLINE: return shape_spline_point(s, closed, u);
    default: break;
    }
    CordVec3 e1 = vec3_unit(s->axis1), e2 = vec3_unit(vec3_reject(s->axis2, e1)), e3 = vec3_cross(e1, e2);
    if (s->kind == CORD_SHAPE_ELLIPSE) {
        double angle = s->angle_from + (s->angle_to - s->angle_from) * u;
        return vec3_madd(vec3_madd(s->p, e1, s->a * cord_cos(angle)), e2, s->b * cord_sin(angle));
    }
    if (s->kind == CORD_SHAPE_HELIX) {
        double angle = 2.0 * CORD_PI * s->turns * u;
        CordVec3 x = vec3_madd(s->p, e1, s->b * fabs(s->turns) * u);
        return vec3_madd(vec3_madd(x, e2, s->a * cord_cos(angle)), e3, s->a * cord_sin(angle));
    }
    return torus_point(s, e1, e2, e3, u);
}

// ---- sampling at equal arc length

static double node_fraction(int node_count, ShapeEnds ends, int k)
{
    if (ends.closed) {
        return (double)k / node_count;
    }
    double edges = node_count - 1 - (ends.half_start ? 0.5 : 0.0) - (ends.half_end ? 0.5 : 0.0);
    if (k == 0 || k == node_count - 1) {
        return k == 0 ? 0.0 : 1.0;
    }
    return (k - (ends.half_start ? 0.5 : 0.0)) / edges;
}

static int sample_count(const CordShape* s, ShapeEnds ends)
{
    return ends.tick ? ends.tick_count : s->node_count;
}

static double sample_fraction(const CordShape* s, ShapeEnds ends, int k)
{
    if (!ends.tick) {
        return node_fraction(s->node_count, ends, k);
    }
    int node = ends.tick[k] / ends.tick_unit;
    double part = (double)(ends.tick[k] % ends.tick_unit) / ends.tick_unit,
           at = node_fraction(s->node_count, ends, node);
    return part > 0.0 ? at + part * (node_fraction(s->node_count, ends, node + 1) - at) : at;
}

static bool constant_speed(const CordShape* s)
{
    return s->kind == CORD_SHAPE_LINE || s->kind == CORD_SHAPE_HELIX ||
           (s->kind == CORD_SHAPE_ELLIPSE && s->a == s->b);
}

// Arc length as a function of u on a fine grid, inverted linearly between its points: nodes lie exactly on
// the curve, and their spacing is even to the square of the grid spacing.
static CordResult sample_by_arc(Memory* m, const CordShape* s, ShapeEnds ends, CordVec3* x, Message* message)
{
    int pieces = has_points(s) ? (ends.closed ? s->point_count : s->point_count - 1) : 1;
    int per_piece = s->kind == CORD_SHAPE_POLYLINE ? 1 : (16 * s->node_count + 4096) / pieces + 16;
    if ((double)per_piece * pieces > 2e9) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the shape has too many points to sample");
    }
    int count = per_piece * pieces + 1;
    double* arc = memory_array(m, double, count);
    if (!arc) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a shape of %d nodes", s->node_count);
    }
    CordVec3 last = curve_point(s, ends.closed, 0.0);
    for (int i = 1; i < count; i++) {
        CordVec3 here = curve_point(s, ends.closed, (double)i / (count - 1));
        arc[i] = arc[i - 1] + vec3_length(vec3_sub(here, last));
        last = here;
    }
    for (int k = 0, i = 0; k < sample_count(s, ends); k++) {
        double wanted = sample_fraction(s, ends, k) * arc[count - 1];
        while (i + 2 < count && arc[i + 1] < wanted) {
            i++;
        }
        double part = (wanted - arc[i]) / (arc[i + 1] - arc[i]);
        x[k] = curve_point(s, ends.closed, (i + real_min(real_max(part, 0.0), 1.0)) / (count - 1));
    }
    memory_array_free(m, arc, count);
    return CORD_OK;
}

static CordResult sample_knot(Memory* m, const CordShape* s, ShapeEnds ends, CordVec3* x, Message* message)
{
    CordVec3* points;
    int count;
    CORD_TRY(knot_shape_points(m, s, &points, &count, message));
    CordShape fine = cord_shape_spline(points, count, s->node_count);
    CordResult result = sample_by_arc(m, &fine, ends, x, message);
    memory_array_free(m, points, count);
    return result;
}

static CordResult sample_nodes(Memory* m, const CordShape* s, ShapeEnds ends, CordVec3* x, Message* message)
{
    if (s->kind == CORD_SHAPE_KNOT) {
        return sample_knot(m, s, ends, x, message);
    }
    if (s->kind == CORD_SHAPE_NETWORK) {
        memcpy(x, s->points, sizeof *x * (size_t)s->node_count);
        return CORD_OK;
    }
    if (s->kind != CORD_SHAPE_POINTS && !constant_speed(s)) {
        return sample_by_arc(m, s, ends, x, message);
    }
    for (int k = 0; k < sample_count(s, ends); k++) {
        bool own = s->kind == CORD_SHAPE_POINTS && !ends.tick;
        x[k] = own ? s->points[k] : curve_point(s, ends.closed, sample_fraction(s, ends, k));
    }
    return CORD_OK;
}

// Unit tangent at an end, into the curve, by one-sided second-order differences.
static CordVec3 direction_from(const CordShape* s, double end)
{
    double du = (end == 0.0 ? 0.01 : -0.01) / s->node_count;
    CordVec3 a = curve_point(s, false, end), b = curve_point(s, false, end + du),
             c = curve_point(s, false, end + 2.0 * du);
    return vec3_unit(vec3_sub(vec3_mul(vec3_sub(b, a), 4.0), vec3_sub(c, a)));
}

// A clamp at the end holds the tangent of the curve there. A half edge along the chord would have the tangent
// of its middle, and clamped curves would be right to first order only.
static void turn_half_edges(const CordShape* s, ShapeEnds ends, CordVec3* x)
{
    int n = sample_count(s, ends);
    bool curved = s->kind != CORD_SHAPE_POINTS && s->kind != CORD_SHAPE_POLYLINE &&
                  s->kind != CORD_SHAPE_LINE && s->kind != CORD_SHAPE_KNOT; // tails of a knot are straight
    if (!curved || n < 4) {
        return;
    }
    if (ends.half_start) {
        x[1] = vec3_madd(x[0], direction_from(s, 0.0), vec3_length(vec3_sub(x[1], x[0])));
    }
    if (ends.half_end) {
        x[n - 2] = vec3_madd(x[n - 1], direction_from(s, 1.0), vec3_length(vec3_sub(x[n - 2], x[n - 1])));
    }
}

static double shape_size(const CordShape* s)
{
    double size = s->kind == CORD_SHAPE_LINE ? vec3_length(vec3_sub(s->q, s->p))
                                             : fabs(s->a) + fabs(s->b) * (1.0 + fabs(s->turns));
    for (int i = 0; i < s->point_count; i++) {
        size = real_max(size, vec3_length(vec3_sub(s->points[i], s->points[0])));
    }
    return size;
}

// Arc lengths and tangents are differences of points: they are taken near an origin.
CordResult shape_sample(Memory* m, const CordShape* s, ShapeEnds ends, CordVec3* x, Message* message)
{
    CordVec3 origin = origin_near(s->points ? s->points[0] : s->p, shape_size(s));
    CordVec3* points = s->points ? memory_array(m, CordVec3, s->point_count) : NULL;
    CordShape near = *s;
    near.p = vec3_sub(s->p, origin), near.q = vec3_sub(s->q, origin), near.points = points;
    if (s->points && !points) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a shape of %d nodes", s->node_count);
    }
    for (int i = 0; points && i < s->point_count; i++) {
        points[i] = vec3_sub(s->points[i], origin);
    }
    CordResult result = sample_nodes(m, &near, ends, x, message);
    if (result == CORD_OK) {
        turn_half_edges(&near, ends, x);
    }
    for (int k = 0; result == CORD_OK && k < sample_count(s, ends); k++) {
        x[k] = vec3_add(x[k], origin);
    }
    memory_array_free(m, points, s->point_count);
    return result;
}
