#include "export/mesh.h"

#include "export/picture_math.h"
#include "export/solid.h"

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

// Twice as many faces around the axis as around the ring itself.
static void torus_fill(Mesh* m, double radius, double thickness, int sides)
{
    int turns = 2 * sides;
    for (int i = 0; i < turns; i++) {
        CordVec3 out = around(i, turns, 1.0, 0.0);
        for (int k = 0; k < sides; k++) {
            CordVec3 place = around(k, sides, 1.0, 0.0); // x: outwards, y: up
            CordVec3 normal = {out.x * place.x, out.y * place.x, place.y};
            mesh_vertex(m, pv_madd(pv_mul(out, radius), normal, thickness), normal, m->point_count);
        }
    }
    for (int i = 0; i < turns; i++) {
        int here = i * sides, there = (i + 1) % turns * sides;
        for (int k = 0; k < sides; k++) {
            int next = (k + 1) % sides;
            mesh_face(m, 4, here + k, there + k, there + next, here + next);
        }
    }
}

// The wall outside and inside, and the rims below and above: each of two rings with normals of its own.
static void tube_fill(Mesh* m, double outer, double inner, double length, int sides)
{
    static const struct {
        int ring[2];
        double across, up; // of its normal
    } bands[4] = {{{0, 1}, 1, 0}, {{3, 2}, -1, 0}, {{2, 0}, 0, -1}, {{1, 3}, 0, 1}};
    const double radius[4] = {outer, outer, inner, inner}, height[4] = {-0.5, 0.5, -0.5, 0.5};
    const int first_point[4] = {0, sides, 3 * sides, 2 * sides}; // in the order in which they come up below
    for (int b = 0; b < 4; b++) {
        int first = m->vertex_count;
        for (int end = 0; end < 2; end++) {
            int ring = bands[b].ring[end];
            for (int k = 0; k < sides; k++) {
                mesh_vertex(m, around(k, sides, radius[ring], height[ring] * length),
                            around(k, sides, bands[b].across, bands[b].up), first_point[ring] + k);
            }
        }
        rings_join(m, first, sides);
    }
}

// ---------------------------------------------------------------------------------------------------- obstacles

// As wide as the box is long from corner to corner, twice: whatever is in it lies well before the square.
static void plane_fill(Mesh* m, const CordFrameObstacle* plane, CordVec3 low, CordVec3 high)
{
    CordVec3 axes[3], span = pv_sub(high, low);
    pv_axes(plane->rotation, axes);
    CordVec3 middle = pv_to_axes(axes, pv_sub(pv_mul(pv_add(low, high), 0.5), plane->position));
    double half = pv_length(span);
    for (int k = 0; k < 4; k++) {
        double x = k == 1 || k == 2 ? half : -half, y = k >= 2 ? half : -half;
        mesh_vertex(m, (CordVec3){middle.x + x, middle.y + y, 0}, (CordVec3){0, 0, 1}, m->point_count);
    }
    mesh_face(m, 4, 0, 1, 2, 3);
}

// Every triangle has its own normal: what the rods touch is flat.
static bool triangles_fill(Mesh* m, const CordFrameObstacle* o)
{
    int* points = malloc(sizeof *points * ((size_t)o->vertex_count + 1)); // of the vertices met so far
    for (int i = 0; points && i < o->vertex_count; i++) {
        points[i] = -1;
    }
    for (int t = 0; points && t < o->triangle_count; t++) {
        const int* corner = &o->triangles[3 * t];
        CordVec3 a = o->vertices[corner[0]], b = o->vertices[corner[1]], c = o->vertices[corner[2]];
        CordVec3 normal = pv_unit_or(pv_cross(pv_sub(b, a), pv_sub(c, a)), (CordVec3){0, 0, 1});
        int first = m->vertex_count;
        for (int k = 0; k < 3; k++) {
            points[corner[k]] = points[corner[k]] < 0 ? m->point_count : points[corner[k]];
            mesh_vertex(m, o->vertices[corner[k]], normal, points[corner[k]]);
        }
        mesh_face(m, 3, first, first + 1, first + 2, 0);
    }
    free(points);
    return points != NULL;
}

// ---------------------------------------------------------------------------------------------------- all of them

static size_t vertices_most(const CordFrameObstacle* solid, int sides) // and no more faces
{
    size_t n = (size_t)sides;
    switch (solid->shape) {
    case CORD_OBSTACLE_TORUS: return 2 * n * n;
    case CORD_OBSTACLE_TUBE: return 8 * n;
    case CORD_OBSTACLE_MESH: return 3 * (size_t)solid->triangle_count;
    default: return (2 * (size_t)ball_rings(sides) + 2) * n + 24;
    }
}

static bool mesh_alloc(Mesh* mesh, size_t most)
{
    mesh->x = calloc(most + 1, sizeof *mesh->x);
    mesh->normal = calloc(most + 1, sizeof *mesh->normal);
    mesh->point = calloc(most + 1, sizeof *mesh->point);
    mesh->faces = calloc(most + 1, sizeof *mesh->faces);
    return mesh->x && mesh->normal && mesh->point && mesh->faces;
}

static bool mesh_fill(Mesh* m, const CordFrameObstacle* solid, CordVec3 low, CordVec3 high, int sides)
{
    CordVec3 size = solid->size;
    switch (solid->shape) {
    case CORD_OBSTACLE_PLANE: plane_fill(m, solid, low, high); break;
    case CORD_OBSTACLE_SPHERE: capsule_fill(m, size.x, 0.0, sides); break;
    case CORD_OBSTACLE_BOX: box_fill(m, size); break;
    case CORD_OBSTACLE_CYLINDER: cylinder_fill(m, size.x, size.z, sides); break;
    case CORD_OBSTACLE_CAPSULE: capsule_fill(m, size.x, size.z, sides); break;
    case CORD_OBSTACLE_TORUS: torus_fill(m, size.x, size.y, sides); break;
    case CORD_OBSTACLE_TUBE: tube_fill(m, size.x, size.y, size.z, sides); break;
    case CORD_OBSTACLE_MESH: return triangles_fill(m, solid);
    case CORD_OBSTACLE_SHAPE_COUNT: break;
    }
    return true;
}

bool mesh_make_obstacle(Mesh* mesh, const CordFrameObstacle* obstacle, CordVec3 low, CordVec3 high, int sides)
{
    *mesh = (Mesh){0};
    if (!solid_is_seen(obstacle)) {
        return true;
    }
    if (!mesh_alloc(mesh, vertices_most(obstacle, sides)) || !mesh_fill(mesh, obstacle, low, high, sides)) {
        mesh_free(mesh);
        return false;
    }
    CordVec3 axes[3];
    pv_axes(obstacle->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = pv_add(obstacle->position, pv_from_axes(axes, mesh->x[i]));
        mesh->normal[i] = pv_from_axes(axes, mesh->normal[i]);
    }
    return true;
}

bool mesh_make(Mesh* mesh, const CordFrameBody* body, int sides)
{
    CordFrameObstacle solid = solid_from_body(body);
    return mesh_make_obstacle(mesh, &solid, body->position, body->position, sides); // no body is a plane
}

void mesh_free(Mesh* mesh)
{
    free(mesh->x);
    free(mesh->normal);
    free(mesh->point);
    free(mesh->faces);
    *mesh = (Mesh){0};
}
