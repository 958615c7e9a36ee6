// The plane: the half-space below its x-y plane. Pictures show a square of it.
#include "contact/solid_parts.h"

static SolidPoint plane_point(const CordSolid* solid, CordVec3 p)
{
    (void)solid;
    return (SolidPoint){p.z, 0.0, solid_upwards};
}

static double plane_along(const CordSolid* solid, CordVec3 a, CordVec3 b)
{
    (void)solid;
    return a.z < b.z ? 0.0 : a.z > b.z ? 1.0 : 0.5;
}

static double plane_support(const CordSolid* solid, CordVec3 n)
{
    (void)solid;
    return n.x == 0.0 && n.y == 0.0 && n.z > 0.0 ? 0.0 : INFINITY;
}

static void plane_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    SurfaceMaker m = {.sink = sink};
    double half = 0.5 * solid->size.x;
    (void)sides;
    for (int k = 0; k < 4; k++) {
        double x = k == 1 || k == 2 ? half : -half, y = k >= 2 ? half : -half;
        surface_vertex(&m, (CordVec3){x, y, 0}, solid_upwards, k);
    }
    surface_face(&m, 4, 0, 1, 2, 3);
}

// From above alone: a ray from below starts inside the half-space, which it never leaves.
static bool plane_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    double half = solid->size.x > 0.0 ? 0.5 * solid->size.x : INFINITY;
    *t = from.z / -d.z;
    CordVec3 p = vec3_madd(from, d, *t);
    return from.z > 0.0 && d.z < 0.0 && fabs(p.x) <= half && fabs(p.y) <= half;
}

const SolidKind solid_plane = {
    .kind = {.name = "plane",
             .plural = "planes",
             .about = "All on one side of a plane.",
             .placing = CORD_PLACING_PLANE,
             .is_endless = true},
    .point = plane_point,
    .along = plane_along,
    .support = plane_support,
    .tessellate = plane_tessellate,
    .ray = plane_ray,
};
