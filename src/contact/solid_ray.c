// Rays against solids. A ray is inside a convex solid over one interval; other solids are differences of
// convex ones.
#include "contact/solid_parts.h"

static const RaySpan nowhere = {INFINITY, -INFINITY};

RaySpan span_both(RaySpan a, RaySpan b)
{
    return (RaySpan){real_max(a.enter, b.enter), real_min(a.leave, b.leave)};
}

RaySpan span_either(RaySpan a, RaySpan b)
{
    return (RaySpan){real_min(a.enter, b.enter), real_max(a.leave, b.leave)};
}

RaySpan slab_span(double from, double direction, double half)
{
    if (direction == 0.0) {
        return fabs(from) <= half ? (RaySpan){-INFINITY, INFINITY} : nowhere;
    }
    double a = (-half - from) / direction, b = (half - from) / direction;
    return (RaySpan){real_min(a, b), real_max(a, b)};
}

// The interval in which |a + s d|^2 <= radius^2, from the products a.a, a.d and d.d.
static RaySpan round_span(double aa, double ad, double dd, double radius)
{
    if (dd == 0.0) {
        return aa <= radius * radius ? (RaySpan){-INFINITY, INFINITY} : nowhere;
    }
    double middle = -ad / dd, square = middle * middle - (aa - radius * radius) / dd;
    if (square < 0.0) {
        return nowhere;
    }
    double half = sqrt(square);
    return (RaySpan){middle - half, middle + half};
}

RaySpan ball_span(CordVec3 from, CordVec3 direction, double z, double radius)
{
    CordVec3 a = {from.x, from.y, from.z - z};
    return round_span(vec3_dot(a, a), vec3_dot(a, direction), vec3_dot(direction, direction), radius);
}

RaySpan pipe_span(CordVec3 a, CordVec3 d, double radius)
{
    return round_span(a.x * a.x + a.y * a.y, a.x * d.x + a.y * d.y, d.x * d.x + d.y * d.y, radius);
}

RaySpan drum_span(CordVec3 a, CordVec3 d, double radius, double half)
{
    return span_both(pipe_span(a, d, radius), slab_span(a.z, d.z, half));
}

bool span_meet(RaySpan span, double* t)
{
    *t = span.enter > 0.0 ? span.enter : span.leave;
    return span.enter <= span.leave && span.leave > 0.0;
}

// Sphere tracing (Hart 1996): a ray can advance by the distance without crossing the surface. Grazing rays
// take many steps; a ray that is still close to the surface after the last step counts as a hit.
static bool march(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    double radius = solid_radius(solid), met = 1e-7 * radius, nearly = 1e-5 * radius;
    RaySpan ball = ball_span(from, d, 0.0, radius);
    double at = real_max(0.0, ball.enter), length = vec3_length(d), gap = INFINITY;
    for (int step = 0; step < 300 && at <= ball.leave && gap > met; step++) {
        gap = fabs(solid_point(solid, vec3_madd(from, d, at)).distance);
        at += gap > met ? gap / length : 0.0;
    }
    *t = at;
    return at <= ball.leave && gap < nearly;
}

bool cord_solid_ray(const CordSolid* solid, CordVec3 from, CordVec3 direction, double* t)
{
    const SolidKind* kind = solid_kind(solid);
    return kind->ray ? kind->ray(solid, from, direction, t) : kind->point && march(solid, from, direction, t);
}
