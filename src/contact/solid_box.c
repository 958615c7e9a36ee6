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

// The distance is linear there.
static bool box_above(const CordSolid* solid, CordVec3 a, CordVec3 d, double* s, double* mid)
{
    CordVec3 half = vec3_mul(solid->size, 0.5), b = vec3_madd(a, d, 1.0), m = vec3_madd(a, d, 0.5);
    const double at[3][3] = {{a.x, b.x, m.x}, {a.y, b.y, m.y}, {a.z, b.z, m.z}},
                 far[3] = {half.x, half.y, half.z};
    int face = -1, outside = 0;
    for (int k = 0; k < 3; k++) {
        bool in = fabs(at[k][0]) <= far[k] && fabs(at[k][1]) <= far[k];
        face = in ? face : k;
        outside += !in;
    }
    if (outside != 1) {
        return false;
    }
    const double* x = at[face];
    bool same = (x[0] > far[face] && x[1] > far[face]) || (x[0] < -far[face] && x[1] < -far[face]);
    *s = fabs(x[1]) - far[face] < fabs(x[0]) - far[face] ? 1.0 : 0.0;
    *mid = fabs(x[2]) - far[face];
    return same;
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
    .above = box_above,
    .radius = box_radius,
    .feature = box_feature,
    .support = box_support,
    .inertia = box_inertia,
    .tessellate = box_tessellate,
    .ray = box_ray,
};
