// The cone, with its apex above its base along z. Its origin is its centre of mass, a quarter of the height
// above the base.
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("radius", "Radius of its base.", x),
                                  SOLID_SIZE("height", "Height of its apex above the base.", z)};

static double base_of(const CordSolid* solid)
{
    return -0.25 * solid->size.z;
}

static double apex_of(const CordSolid* solid)
{
    return 0.75 * solid->size.z;
}

// In the half-plane through the axis and the point, the cone is a triangle. The closest feature of an inner
// point is the base or the side; that of an outer point is the base, the side, the rim or the apex.
static SolidPoint cone_point(const CordSolid* solid, CordVec3 p)
{
    double r = solid->size.x, h = solid->size.z, slant = sqrt(r * r + h * h);
    double rho = distance_from_axis(p), up = p.z - base_of(solid), out = rho - r;
    double side = (h * out + r * up) / slant;  // signed distance from the side
    double along = (h * up - r * out) / slant; // distance along the side, from the rim
    CordVec3 away = away_from_axis(p), side_normal = {h / slant * away.x, h / slant * away.y, r / slant};
    if (up <= 0.0 ? out <= 0.0 : side <= 0.0 && -up > side) {
        return (SolidPoint){-up, 0.0, {0, 0, -1}};
    }
    if ((up > 0.0 && side <= 0.0) || (along > 0.0 && along < slant)) {
        return (SolidPoint){side, 0.0, side_normal};
    }
    CordVec3 corner =
        along > 0.0 ? (CordVec3){0, 0, apex_of(solid)} : (CordVec3){r * away.x, r * away.y, base_of(solid)};
    return round_a_core(vec3_sub(p, corner), 0.0, side_normal);
}

static double cone_radius(const CordSolid* solid)
{
    double r = solid->size.x, base = base_of(solid);
    return real_max(apex_of(solid), sqrt(r * r + base * base));
}

static double cone_feature(const CordSolid* solid)
{
    return real_min(2.0 * solid->size.x, solid->size.z);
}

static double cone_support(const CordSolid* solid, CordVec3 n)
{
    return real_max(apex_of(solid) * n.z, solid->size.x * distance_from_axis(n) + base_of(solid) * n.z);
}

static double cone_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    double r2 = solid->size.x * solid->size.x, h = solid->size.z;
    tensor[0] = tensor[1] = mass * (3.0 / 20.0 * r2 + 3.0 / 80.0 * h * h);
    tensor[2] = 0.3 * mass * r2;
    tensor[3] = tensor[4] = tensor[5] = 0.0;
    return CORD_PI / 3.0 * r2 * h;
}

// Each face of the side has its own vertex at the apex, with its own normal.
static void cone_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    SurfaceMaker m = {.sink = sink};
    double r = solid->size.x, h = solid->size.z, slant = sqrt(r * r + h * h);
    for (int k = 0; k < sides; k++) {
        surface_vertex(&m, surface_around(k, sides, r, base_of(solid)),
                       surface_around(k, sides, h / slant, r / slant), k);
    }
    for (int k = 0; k < sides; k++) {
        int apex = surface_vertex(&m, (CordVec3){0, 0, apex_of(solid)},
                                  surface_around(2 * k + 1, 2 * sides, h / slant, r / slant), sides);
        surface_face(&m, 3, k, (k + 1) % sides, apex, 0);
    }
    surface_disc(&m, r, base_of(solid), false, sides, 0, sides + 1);
}

const SolidKind solid_cone = {
    .kind = {.name = "cone",
             .plural = "cones",
             .about = "A cone, its apex up along its z axis.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_SPAN,
             .origin = 0.25,
             .tones = CORD_TONES_QUARTERS,
             .can_be_body = true},
    .point = cone_point,
    .radius = cone_radius,
    .feature = cone_feature,
    .support = cone_support,
    .inertia = cone_inertia,
    .tessellate = cone_tessellate,
};
