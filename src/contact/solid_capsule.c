// The capsule: a cylinder along z with round ends.
#include "contact/closest_points.h"
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("radius", "Radius.", x),
                                  SOLID_SIZE("length", "Length of the cylinder, without the ends.", z)};

static SolidPoint capsule_point(const CordSolid* solid, CordVec3 p)
{
    double half = 0.5 * solid->size.z;
    CordVec3 off = {p.x, p.y, p.z > half ? p.z - half : p.z < -half ? p.z + half : 0.0};
    return round_a_core(off, solid->size.x, (CordVec3){1, 0, 0});
}

static double capsule_along(const CordSolid* solid, CordVec3 a, CordVec3 b)
{
    CordVec3 low = {0, 0, -0.5 * solid->size.z}, high = {0, 0, 0.5 * solid->size.z};
    return closest_segment_segment(a, b, low, high).s;
}

static double capsule_radius(const CordSolid* solid)
{
    return solid->size.x + 0.5 * solid->size.z;
}

static double capsule_feature(const CordSolid* solid)
{
    return solid->size.z > 0.0 ? solid->size.z : INFINITY;
}

static double capsule_support(const CordSolid* solid, CordVec3 n)
{
    return solid->size.x + 0.5 * fabs(n.z) * solid->size.z;
}

// A cylinder and two hemispheres, whose centres of mass lie 3/8 r beyond the cylinder's ends.
static double capsule_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    double r = solid->size.x, length = solid->size.z, r2 = r * r, share = length / (length + 4.0 / 3.0 * r);
    double cylinder = share * mass, caps = mass - cylinder;
    double across = cylinder * (r2 / 4.0 + length * length / 12.0) +
                    caps * (0.4 * r2 + length * length / 4.0 + 0.375 * length * r);
    tensor[0] = tensor[1] = across;
    tensor[2] = cylinder * r2 / 2.0 + caps * 0.4 * r2;
    tensor[3] = tensor[4] = tensor[5] = 0.0;
    return CORD_PI * r2 * length + 4.0 / 3.0 * CORD_PI * r2 * r;
}

static void capsule_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    surface_capsule(sink, solid->size.x, solid->size.z, sides);
}

static bool capsule_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    double r = solid->size.x, half = 0.5 * solid->size.z;
    RaySpan drum = drum_span(from, d, r, half);
    RaySpan span = span_either(ball_span(from, d, -half, r), ball_span(from, d, half, r));
    return span_meet(drum.enter <= drum.leave ? span_either(span, drum) : span, t);
}

const SolidKind solid_capsule = {
    .kind = {.name = "capsule",
             .plural = "capsules",
             .about = "A cylinder with round ends, along its z axis.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_SPAN,
             .origin = 0.5,
             .tones = CORD_TONES_QUARTERS,
             .can_be_body = true},
    .point = capsule_point,
    .along = capsule_along,
    .radius = capsule_radius,
    .feature = capsule_feature,
    .support = capsule_support,
    .inertia = capsule_inertia,
    .tessellate = capsule_tessellate,
    .ray = capsule_ray,
};
