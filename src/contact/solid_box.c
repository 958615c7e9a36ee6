// The box, given by its full widths.
#include "contact/solid_parts.h"

static const CordField sizes[] = {{.key = "size",
                                   .about = "Widths along its own x, y and z.",
                                   .unit = "m",
                                   .type = CORD_FIELD_VECTOR,
                                   .high = 1e9,
                                   .low_open = true,
                                   .needed = true}};

static SolidPoint box_point(const CordSolid* solid, CordVec3 p)
{
    CordVec3 size = solid->size;
    const double front[3] = {fabs(p.x) - 0.5 * size.x, fabs(p.y) - 0.5 * size.y, fabs(p.z) - 0.5 * size.z};
    const CordVec3 normals[3] = {
        {p.x < 0.0 ? -1.0 : 1.0, 0, 0}, {0, p.y < 0.0 ? -1.0 : 1.0, 0}, {0, 0, p.z < 0.0 ? -1.0 : 1.0}};
    return behind_faces(front, normals, 3);
}

typedef struct BoxSlope { // half of the squared distance from the box along a segment
    double slope, bend;   // its first two derivatives by the parameter [m^2]
    bool outside;
} BoxSlope;

static BoxSlope box_slope(const double a[3], const double d[3], const double half[3], double s)
{
    BoxSlope at = {0.0, 0.0, false};
    for (int k = 0; k < 3; k++) {
        double x = a[k] + s * d[k], front = fabs(x) - half[k];
        if (front > 0.0) {
            at.slope += front * (x < 0.0 ? -d[k] : d[k]);
            at.bend += d[k] * d[k];
            at.outside = true;
        }
    }
    return at;
}

// The squared distance is convex, and quadratic between the places where the segment meets the planes of the
// faces. Its least value inside is no more than 0, which is not the least signed distance.
static double box_along(const CordSolid* solid, CordVec3 p, CordVec3 q)
{
    const double a[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z},
                 half[3] = {0.5 * solid->size.x, 0.5 * solid->size.y, 0.5 * solid->size.z};
    BoxSlope first = box_slope(a, d, half, 0.0), last = box_slope(a, d, half, 1.0);
    if (!first.outside || !last.outside) {
        return NAN;
    }
    if (first.slope >= 0.0 || last.slope <= 0.0) {
        return first.slope >= 0.0 ? 0.0 : 1.0;
    }
    double low = 0.0, high = 1.0;
    bool pierces = false;
    for (int i = 0; i < 6; i++) {
        double s = ((i % 2 == 0 ? half[i / 2] : -half[i / 2]) - a[i / 2]) / d[i / 2];
        if (s > low && s < high) {
            BoxSlope at = box_slope(a, d, half, s);
            pierces |= !at.outside;
            *(at.slope < 0.0 ? &low : &high) = s;
        }
    }
    double middle = 0.5 * (low + high);
    BoxSlope at = box_slope(a, d, half, middle);
    return at.outside && !pierces ? real_min(real_max(middle - at.slope / at.bend, low), high) : NAN;
}

static double box_radius(const CordSolid* solid)
{
    return 0.5 * vec3_length(solid->size);
}

static double box_feature(const CordSolid* solid)
{
    return real_min(solid->size.x, real_min(solid->size.y, solid->size.z));
}

static double box_support(const CordSolid* solid, CordVec3 n)
{
    CordVec3 size = solid->size;
    return 0.5 * (fabs(n.x) * size.x + fabs(n.y) * size.y + fabs(n.z) * size.z);
}

static double box_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    CordVec3 s = solid->size;
    double x2 = s.x * s.x, y2 = s.y * s.y, z2 = s.z * s.z;
    tensor[0] = mass / 12.0 * (y2 + z2);
    tensor[1] = mass / 12.0 * (x2 + z2);
    tensor[2] = mass / 12.0 * (x2 + y2);
    tensor[3] = tensor[4] = tensor[5] = 0.0;
    return s.x * s.y * s.z;
}

// Bits 0, 1 and 2 of k say on which side of x, y and z corner k lies.
static CordVec3 box_corner(CordVec3 size, int k)
{
    return (CordVec3){(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y,
                      (k & 4 ? 0.5 : -0.5) * size.z};
}

static void box_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    static const int corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const CordVec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    SurfaceMaker m = {.sink = sink};
    (void)sides;
    for (int f = 0; f < 6; f++) {
        int first = m.vertex_count;
        for (int c = 0; c < 4; c++) {
            surface_vertex(&m, box_corner(solid->size, corners[f][c]), normals[f], corners[f][c]);
        }
        surface_face(&m, 4, first, first + 1, first + 2, first + 3);
    }
}

static bool box_ray(const CordSolid* solid, CordVec3 from, CordVec3 d, double* t)
{
    CordVec3 half = vec3_mul(solid->size, 0.5);
    return span_meet(span_both(span_both(slab_span(from.x, d.x, half.x), slab_span(from.y, d.y, half.y)),
                               slab_span(from.z, d.z, half.z)),
                     t);
}

const SolidKind solid_box = {
    .kind = {.name = "box",
             .plural = "boxes",
             .about = "A block.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_TURN,
             .can_be_body = true},
    .point = box_point,
    .along = box_along,
    .radius = box_radius,
    .feature = box_feature,
    .support = box_support,
    .inertia = box_inertia,
    .tessellate = box_tessellate,
    .ray = box_ray,
};
