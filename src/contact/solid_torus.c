// The torus: the points within a distance of a circle about z.
#include "contact/solid_parts.h"

static const CordField sizes[] = {SOLID_SIZE("radius", "Radius of the circle.", x),
                                  SOLID_SIZE("tube", "Radius of the tube, smaller than that.", y)};

static CordResult torus_check(const CordSolid* solid, Message* message)
{
    CordVec3 s = solid->size;
    return s.y < s.x ? CORD_OK
                     : message_fail(
                           message, CORD_BAD_ARGUMENT,
                           "its circle has a radius of %g m and its tube one of %g m; a torus has a hole, so "
                           "the tube must be the smaller",
                           s.x, s.y);
}

static SolidPoint torus_point(const CordSolid* solid, CordVec3 p)
{
    CordVec3 off = vec3_mul(away_from_axis(p), distance_from_axis(p) - solid->size.x);
    off.z = p.z;
    return round_a_core(off, solid->size.y, solid_upwards);
}

static void torus_cuts(SolidLine* line)
{
    cut_round_circle(line, line->solid->size.x);
}

static double torus_radius(const CordSolid* solid)
{
    return solid->size.x + solid->size.y;
}

static double torus_feature(const CordSolid* solid)
{
    return real_min(solid->size.y, real_max(solid->size.x - solid->size.y, 0.0));
}

static double torus_support(const CordSolid* solid, CordVec3 n)
{
    return solid->size.x * distance_from_axis(n) + solid->size.y;
}

static double torus_bore(const CordSolid* solid)
{
    return solid->size.x - solid->size.y;
}

static double torus_core(const CordSolid* solid)
{
    return solid->size.y;
}

// Twice as many faces around the axis as around the tube.
static void torus_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    SurfaceMaker m = {.sink = sink};
    int turns = 2 * sides;
    for (int i = 0; i < turns; i++) {
        CordVec3 out = surface_around(i, turns, 1.0, 0.0);
        for (int k = 0; k < sides; k++) {
            CordVec3 place = surface_around(k, sides, 1.0, 0.0); // x: outwards, y: up
            CordVec3 normal = {out.x * place.x, out.y * place.x, place.y};
            surface_vertex(&m, vec3_madd(vec3_mul(out, solid->size.x), normal, solid->size.y), normal,
                           i * sides + k);
        }
    }
    for (int i = 0; i < turns; i++) {
        int here = i * sides, there = (i + 1) % turns * sides;
        for (int k = 0; k < sides; k++) {
            int next = (k + 1) % sides;
            surface_face(&m, 4, here + k, there + k, there + next, here + next);
        }
    }
}

const SolidKind solid_torus = {
    .kind = {.name = "torus",
             .plural = "tori",
             .about = "A ring: a tube about a circle.",
             SOLID_SIZES(sizes),
             .placing = CORD_PLACING_AXIS,
             .tones = CORD_TONES_QUARTERS},
    .check = torus_check,
    .point = torus_point,
    .cuts = torus_cuts,
    .radius = torus_radius,
    .feature = torus_feature,
    .support = torus_support,
    .bore = torus_bore,
    .core = torus_core,
    .tessellate = torus_tessellate,
};
