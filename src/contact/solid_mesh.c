// The mesh: a surface of triangles. Contact finds them by bounding-volume hierarchies (contact/mesh.h); the
// public functions here test all of them.
#include "contact/closest_points.h"
#include "contact/solid_parts.h"

static CordResult mesh_check(const CordSolid* solid, Message* message)
{
    const CordSolidMesh* m = &solid->mesh;
    if (!m->vertices || !m->triangles || m->vertex_count < 3 || m->triangle_count < 1) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "its mesh has %d vertices and %d triangles; give three and one at least",
                            m->vertices ? m->vertex_count : 0, m->triangles ? m->triangle_count : 0);
    }
    return CORD_OK;
}

static CordVec3 flat_normal(CordVec3 a, CordVec3 b, CordVec3 c) // z if it has no area
{
    CordVec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double length = vec3_length(n);
    return length > 0.0 && isfinite(length) ? vec3_mul(n, 1.0 / length) : solid_upwards;
}

SolidPoint solid_mesh_point(const CordSolidMesh* mesh, CordVec3 p)
{
    SolidPoint best = {.distance = INFINITY, .normal = solid_upwards};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* corner = &mesh->triangles[3 * t];
        CordVec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]], c = mesh->vertices[corner[2]];
        ClosestPoints near = closest_point_triangle(p, a, b, c);
        if (near.distance < best.distance) {
            best.distance = near.distance;
            best.normal =
                near.distance > 0.0 ? vec3_mul(near.separation, 1.0 / near.distance) : flat_normal(a, b, c);
        }
    }
    return best;
}

static double mesh_support(const CordSolid* solid, CordVec3 n)
{
    double most = -INFINITY;
    for (int i = 0; i < solid->mesh.vertex_count; i++) {
        double reach = vec3_dot(n, solid->mesh.vertices[i]);
        most = reach > most && reach < INFINITY ? reach : most; // skips vertices that are not finite
    }
    return most;
}

// Every triangle has its own normal, because contact sees flat triangles.
static void mesh_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    const CordSolidMesh* mesh = &solid->mesh;
    SurfaceMaker m = {.sink = sink};
    (void)sides;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* corner = &mesh->triangles[3 * t];
        CordVec3 x[3] = {mesh->vertices[corner[0]], mesh->vertices[corner[1]], mesh->vertices[corner[2]]};
        int first = m.vertex_count;
        for (int k = 0; k < 3; k++) {
            surface_vertex(&m, x[k], flat_normal(x[0], x[1], x[2]), corner[k]);
        }
        surface_face(&m, 3, first, first + 1, first + 2, 0);
    }
}

const SolidKind solid_mesh = {
    .kind = {.name = "mesh",
             .plural = "meshes",
             .about = "A surface of triangles from a file.",
             .placing = CORD_PLACING_FILE,
             .is_mesh = true},
    .check = mesh_check,
    .support = mesh_support,
    .tessellate = mesh_tessellate,
};
