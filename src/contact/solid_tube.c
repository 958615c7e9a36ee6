// The tube: a pipe along z, open at both ends.
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("inner", "Inner radius.", y),
                                  SOLID_SIZE("outer", "Outer radius.", x),
                                  SOLID_SIZE("length", "Length.", z)};

static CordResult tube_check(const CordSolid* solid, Message* message)
{
    CordVec3 s = solid->size;
    return s.y < s.x
               ? CORD_OK
               : message_fail(
                     message, CORD_BAD_ARGUMENT,
                     "its inner radius is %g m and its outer one %g m; a tube is wider outside than inside",
                     s.y, s.x);
}

static SolidPoint tube_point(const CordSolid* solid, CordVec3 p)
{
    return turned_point(solid->size.x, solid->size.y, solid->size.z, p);
}

static double tube_feature(const CordSolid* solid)
{
    CordVec3 size = solid->size;
    return real_min(size.x - size.y, real_min(size.y > 0.0 ? size.y : INFINITY, size.z));
}

static double tube_bore(const CordSolid* solid)
{
    return solid->size.y;
}

// ---- cuts

static void cut_at_height(SolidLine* l, double z)
{
    cut_at(l, (z - l->a.z) / l->d.z);
}

// Cuts where rho = reach - side z.
static void cut_in_wall(SolidLine* l, double reach, double side)
{
    CordVec3 a = l->a, d = l->d;
    double e = reach - side * a.z;
    cut_at_roots(l, d.x * d.x + d.y * d.y - d.z * d.z, a.x * d.x + a.y * d.y + side * e * d.z,
                 a.x * a.x + a.y * a.y - e * e);
}

static void tube_cuts(SolidLine* l)
{
    CordVec3 size = l->solid->size;
    double half = 0.5 * size.z;
    if (!(size.y > 0.0)) {
        return; // without a bore it is convex
    }
    cut_at_radius(l, 0.5 * (size.x + size.y));
    cut_round_circle(l, size.y);
    cut_at_height(l, -half), cut_at_height(l, half);
    cut_in_wall(l, size.y + half, 1.0), cut_in_wall(l, size.y + half, -1.0);
}

// ---- surface and rays

// The outer and inner wall, and the rims below and above; each consists of two rings with its own normals.
static void tube_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    static const struct {
        int ring[2];
        double across, up; // of its normal
    } bands[4] = {{{0, 1}, 1, 0}, {{3, 2}, -1, 0}, {{2, 0}, 0, -1}, {{1, 3}, 0, 1}};
    const double radius[4] = {solid->size.x, solid->size.x, solid->size.y, solid->size.y};
    const double height[4] = {-0.5, 0.5, -0.5, 0.5};
    SurfaceMaker m = {.sink = sink};
    for (int b = 0; b < 4; b++) {
        int first = m.vertex_count;
        for (int end = 0; end < 2; end++) {
            int ring = bands[b].ring[end];
            for (int k = 0; k < sides; k++) {
                CordVec3 normal = surface_around(k, sides, bands[b].across, bands[b].up);
                surface_vertex(&m, surface_around(k, sides, radius[ring], height[ring] * solid->size.z),
                               normal, ring * sides + k);
            }
        }
        surface_join(&m, first, sides);
    }
}

// A ray may be inside the wall before the bore, after it, or both.
static bool tube_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    RaySpan drum = drum_span(from, d, solid->size.x, 0.5 * solid->size.z);
    RaySpan hole = pipe_span(from, d, solid->size.y);
    if (!(hole.enter <= hole.leave)) {
        return span_meet(drum, t);
    }
    return span_meet(span_both(drum, (RaySpan){-INFINITY, hole.enter}), t) ||
           span_meet(span_both(drum, (RaySpan){hole.leave, INFINITY}), t);
}

const SolidKind solid_tube = {
    .kind = {.name = "tube",
             .plural = "tubes",
             .about = "A pipe, open at both ends; rods go through it or along it.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_SPAN,
             .origin = 0.5,
             .tones = CORD_TONES_QUARTERS},
    .check = tube_check,
    .point = tube_point,
    .cuts = tube_cuts,
    .radius = turned_radius,
    .feature = tube_feature,
    .support = turned_support,
    .bore = tube_bore,
    .tessellate = tube_tessellate,
    .ray = tube_ray,
};
