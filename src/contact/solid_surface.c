// Building blocks of the solids' tessellations.
#include "contact/solid_parts.h"

int surface_vertex(SurfaceMaker* m, CordVec3 x, CordVec3 normal, int point)
{
    m->sink->vertex(m->sink->user, x, normal, point);
    return m->vertex_count++;
}

void surface_face(SurfaceMaker* m, int count, int a, int b, int c, int d)
{
    m->sink->face(m->sink->user, count, (const int[4]){a, b, c, d});
}

CordVec3 surface_around(int k, int sides, double radius, double z)
{
    double angle = 2.0 * CORD_PI * k / sides;
    return (CordVec3){radius * cord_cos(angle), radius * cord_sin(angle), z};
}

void surface_join(SurfaceMaker* m, int first, int sides)
{
    for (int k = 0; k < sides; k++) {
        int next = (k + 1) % sides;
        surface_face(m, 4, first + k, first + next, first + sides + next, first + sides + k);
    }
}

// Joins a ring to a vertex at its centre.
static void surface_fan(SurfaceMaker* m, int middle, int first, int sides, bool above)
{
    for (int k = 0; k < sides; k++) {
        int a = first + k, b = first + (k + 1) % sides;
        surface_face(m, 3, middle, above ? a : b, above ? b : a, 0);
    }
}

void surface_disc(SurfaceMaker* m, double radius, double z, bool above, int sides, int first_point,
                  int middle_point)
{
    CordVec3 normal = {0, 0, above ? 1.0 : -1.0};
    int first = m->vertex_count;
    for (int k = 0; k < sides; k++) {
        surface_vertex(m, surface_around(k, sides, radius, z), normal, first_point + k);
    }
    int middle = surface_vertex(m, (CordVec3){0, 0, z}, normal, middle_point);
    surface_fan(m, middle, first, sides, above);
}

// Number of rings of a hemisphere between its pole and its rim, which makes faces about as high as wide.
static int ball_rings(int sides)
{
    return sides < 8 ? 2 : sides / 4;
}

// Rings from the lower pole to the upper one. A ball is a capsule of length 0, whose two rims are one.
void surface_capsule(const CordMeshSink* sink, double radius, double length, int sides)
{
    SurfaceMaker m = {.sink = sink};
    int half = ball_rings(sides), rims = length > 0.0 ? 2 : 1, rings = 2 * (half - 1) + rims;
    int bottom = surface_vertex(&m, (CordVec3){0, 0, -0.5 * length - radius}, (CordVec3){0, 0, -1}, 0);
    int first = m.vertex_count;
    for (int i = 0; i < rings; i++) {
        bool upper = i >= half + (rims - 2);
        int rank = upper ? i - (rings - half) : i - (half - 1); // number of the ring, from its rim
        double latitude = 0.5 * CORD_PI * rank / half, centre = (upper ? 0.5 : -0.5) * length;
        for (int k = 0; k < sides; k++) {
            CordVec3 normal = surface_around(k, sides, cord_cos(latitude), cord_sin(latitude));
            surface_vertex(&m, vec3_madd((CordVec3){0, 0, centre}, normal, radius), normal, m.vertex_count);
        }
        if (i > 0) {
            surface_join(&m, first + (i - 1) * sides, sides);
        }
    }
    int top = surface_vertex(&m, (CordVec3){0, 0, 0.5 * length + radius}, solid_upwards, m.vertex_count);
    surface_fan(&m, bottom, first, sides, false);
    surface_fan(&m, top, first + (rings - 1) * sides, sides, true);
}
