#include "export/mesh.h"

#include "export/picture_math.h"

#include <stdlib.h>

static int mesh_vertex(Mesh* m, CordVec3 x, CordVec3 normal, int point)
{
    m->x[m->vertex_count] = x;
    m->normal[m->vertex_count] = normal;
    m->point[m->vertex_count] = point;
    m->point_count += point == m->point_count;
    return m->vertex_count++;
}

static void mesh_face(Mesh* m, int count, int a, int b, int c, int d)
{
    m->faces[m->face_count++] = (MeshFace){count, {a, b, c, d}};
}

// ---------------------------------------------------------------------------------------------------- boxes

// Corner k is on the high side of x, y, z where bits 0, 1, 2 of k are set.
static CordVec3 box_corner(CordVec3 size, int k)
{
    return (CordVec3){(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z};
}

static void box_fill(Mesh* m, CordVec3 size)
{
    static const int corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const CordVec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    int points[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int f = 0; f < 6; f++) {
        int first = m->vertex_count;
        for (int c = 0; c < 4; c++) {
            int k = corners[f][c];
            points[k] = points[k] < 0 ? m->point_count : points[k];
            mesh_vertex(m, box_corner(size, k), normals[f], points[k]);
        }
        mesh_face(m, 4, first, first + 1, first + 2, first + 3);
    }
}

// ---------------------------------------------------------------------------------------------------- round ones

static CordVec3 around(int k, int sides, double radius, double z)
{
    double angle = 2.0 * PICTURE_PI * k / sides;
    return (CordVec3){radius * cos(angle), radius * sin(angle), z};
}

// A ring of vertices that starts at `first`, joined to the one after it, which lies above it.
static void rings_join(Mesh* m, int first, int sides)
{
    for (int k = 0; k < sides; k++) {
        int next = (k + 1) % sides;
        mesh_face(m, 4, first + k, first + next, first + sides + next, first + sides + k);
    }
}

// A fan from a vertex in the middle to a ring, seen from above or from below.
static void ring_close(Mesh* m, int middle, int first, int sides, bool above)
{
    for (int k = 0; k < sides; k++) {
        int a = first + k, b = first + (k + 1) % sides;
        mesh_face(m, 3, middle, above ? a : b, above ? b : a, 0);
    }
}

static void cylinder_fill(Mesh* m, double radius, double length, int sides)
{
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < sides; k++) {
            mesh_vertex(m, around(k, sides, radius, (end - 0.5) * length), around(k, sides, 1.0, 0.0),
                        m->point_count);
        }
    }
    rings_join(m, 0, sides);
    for (int end = 0; end < 2; end++) {
        CordVec3 normal = {0, 0, end == 1 ? 1.0 : -1.0};
        int first = m->vertex_count;
        for (int k = 0; k < sides; k++) {
            mesh_vertex(m, m->x[end * sides + k], normal, end * sides + k);
        }
        int middle = mesh_vertex(m, (CordVec3){0, 0, (end - 0.5) * length}, normal, m->point_count);
        ring_close(m, middle, first, sides, end == 1);
    }
}

// Rings of a half ball between its pole and its rim: as many as make faces about as high as they are wide.
static int ball_rings(int sides)
{
    return sides < 8 ? 2 : sides / 4;
}

// Rings from the lower pole to the upper one; a sphere is a capsule without length, whose two rims are one.
static void capsule_fill(Mesh* m, double radius, double length, int sides)
{
    int half = ball_rings(sides), rims = length > 0.0 ? 2 : 1, rings = 2 * (half - 1) + rims;
    int bottom = mesh_vertex(m, (CordVec3){0, 0, -0.5 * length - radius}, (CordVec3){0, 0, -1}, m->point_count);
    int first = m->vertex_count;
    for (int i = 0; i < rings; i++) {
        bool upper = i >= half + (rims - 2);
        int rank = upper ? i - (rings - half) : i - (half - 1); // of a ring from its rim
        double latitude = 0.5 * PICTURE_PI * rank / half, centre = (upper ? 0.5 : -0.5) * length;
        for (int k = 0; k < sides; k++) {
            CordVec3 normal = around(k, sides, cos(latitude), sin(latitude));
            mesh_vertex(m, pv_madd((CordVec3){0, 0, centre}, normal, radius), normal, m->point_count);
        }
        if (i > 0) {
            rings_join(m, first + (i - 1) * sides, sides);
        }
    }
    int top = mesh_vertex(m, (CordVec3){0, 0, 0.5 * length + radius}, (CordVec3){0, 0, 1}, m->point_count);
    ring_close(m, bottom, first, sides, false);
    ring_close(m, top, first + (rings - 1) * sides, sides, true);
}

// ---------------------------------------------------------------------------------------------------- bodies

static void mesh_fill(Mesh* m, const CordFrameBody* body, int sides)
{
    CordVec3 size = body->size;
    switch (body->shape) {
    case CORD_BODY_SPHERE: capsule_fill(m, size.x, 0.0, sides); break;
    case CORD_BODY_BOX: box_fill(m, size); break;
    case CORD_BODY_CYLINDER: cylinder_fill(m, size.x, size.z, sides); break;
    case CORD_BODY_CAPSULE: capsule_fill(m, size.x, size.z, sides); break;
    }
}

bool mesh_make(Mesh* mesh, const CordFrameBody* body, int sides)
{
    *mesh = (Mesh){0};
    if (!(body->size.x > 0.0)) {
        return true;
    }
    size_t rings = 2 * (size_t)ball_rings(sides) + 2, most = rings * (size_t)sides + 24;
    mesh->x = calloc(most, sizeof *mesh->x);
    mesh->normal = calloc(most, sizeof *mesh->normal);
    mesh->point = calloc(most, sizeof *mesh->point);
    mesh->faces = calloc(most, sizeof *mesh->faces);
    if (!mesh->x || !mesh->normal || !mesh->point || !mesh->faces) {
        mesh_free(mesh);
        return false;
    }
    mesh_fill(mesh, body, sides);
    CordVec3 axes[3];
    pv_axes(body->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = pv_add(body->position, pv_from_axes(axes, mesh->x[i]));
        mesh->normal[i] = pv_from_axes(axes, mesh->normal[i]);
    }
    return true;
}

void mesh_free(Mesh* mesh)
{
    free(mesh->x);
    free(mesh->normal);
    free(mesh->point);
    free(mesh->faces);
    *mesh = (Mesh){0};
}
