// The cylinder along z, with flat ends.
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("radius", "Radius.", x), SOLID_SIZE("length", "Length.", z)};

static SolidPoint cylinder_point(const CordSolid* solid, CordVec3 p)
{
    return turned_point(solid->size.x, 0.0, solid->size.z, p);
}

static double cylinder_feature(const CordSolid* solid)
{
    return real_min(2.0 * solid->size.x, solid->size.z);
}

static double cylinder_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    double x2 = solid->size.x * solid->size.x, z2 = solid->size.z * solid->size.z;
    tensor[0] = tensor[1] = mass * (x2 / 4.0 + z2 / 12.0);
    tensor[2] = mass * x2 / 2.0;
    tensor[3] = tensor[4] = tensor[5] = 0.0;
    return CORD_PI * x2 * solid->size.z;
}

static void cylinder_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    SurfaceMaker m = {.sink = sink};
    double radius = solid->size.x, length = solid->size.z;
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < sides; k++) {
            surface_vertex(&m, surface_around(k, sides, radius, (end - 0.5) * length),
                           surface_around(k, sides, 1.0, 0.0), end * sides + k);
        }
    }
    surface_join(&m, 0, sides);
    for (int end = 0; end < 2; end++) {
        surface_disc(&m, radius, (end - 0.5) * length, end == 1, sides, end * sides, 2 * sides + end);
    }
}

static bool cylinder_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    return span_meet(drum_span(from, d, solid->size.x, 0.5 * solid->size.z), t);
}

const SolidKind solid_cylinder = {
    .kind = {.name = "cylinder",
             .plural = "cylinders",
             .about = "A cylinder with flat ends, along its z axis.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_SPAN,
             .origin = 0.5,
             .tones = CORD_TONES_QUARTERS,
             .can_be_body = true},
    .point = cylinder_point,
    .radius = turned_radius,
    .feature = cylinder_feature,
    .support = turned_support,
    .inertia = cylinder_inertia,
    .tessellate = cylinder_tessellate,
    .ray = cylinder_ray,
};
