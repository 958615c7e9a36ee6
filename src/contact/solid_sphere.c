// The sphere.
#include "contact/closest_points.h"
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("radius", "Radius.", x)};

static SolidPoint sphere_point(const CordSolid* solid, CordVec3 p)
{
    return round_a_core(p, solid->size.x, solid_upwards);
}

static double sphere_along(const CordSolid* solid, CordVec3 a, CordVec3 b)
{
    (void)solid;
    return closest_on_segment((CordVec3){0, 0, 0}, a, b);
}

static double sphere_radius(const CordSolid* solid)
{
    return solid->size.x;
}

static double sphere_support(const CordSolid* solid, CordVec3 n)
{
    (void)n;
    return solid->size.x;
}

static double sphere_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    double r = solid->size.x, r2 = r * r;
    tensor[0] = tensor[1] = tensor[2] = 0.4 * mass * r2;
    tensor[3] = tensor[4] = tensor[5] = 0.0;
    return 4.0 / 3.0 * CORD_PI * r2 * r;
}

static void sphere_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    surface_capsule(sink, solid->size.x, 0.0, sides);
}

static bool sphere_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    return span_meet(ball_span(from, d, 0.0, solid->size.x), t);
}

const SolidKind solid_sphere = {
    .kind = {.name = "sphere",
             .plural = "spheres",
             .about = "A ball.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_CENTER,
             .tones = CORD_TONES_EIGHTHS,
             .can_be_body = true},
    .point = sphere_point,
    .along = sphere_along,
    .radius = sphere_radius,
    .support = sphere_support,
    .inertia = sphere_inertia,
    .tessellate = sphere_tessellate,
    .ray = sphere_ray,
};
