#include "export/mesh.h"

#include "export/picture_math.h"
#include "export/solid.h"

#include <stdlib.h>
#include <string.h>

// ---- what comes in

typedef struct Growth {
    Mesh* mesh;
    int vertex_room, face_room, point_room;
    int* points; // of the numbers of points met so far; -1: not yet (point_room)
    bool failed; // there was no memory
} Growth;

static int room_after(int room)
{
    return room > 0 ? 2 * room : 256;
}

static void* resized(Growth* g, void* array, int room, size_t size)
{
    void* larger = g->failed ? NULL : realloc(array, (size_t)room * size);
    g->failed = !larger;
    return larger ? larger : array;
}

static void vertices_reserve(Growth* g)
{
    if (g->mesh->vertex_count == g->vertex_room) {
        int room = room_after(g->vertex_room);
        g->mesh->x = resized(g, g->mesh->x, room, sizeof *g->mesh->x);
        g->mesh->normal = resized(g, g->mesh->normal, room, sizeof *g->mesh->normal);
        g->mesh->point = resized(g, g->mesh->point, room, sizeof *g->mesh->point);
        g->vertex_room = room;
    }
}

static void points_reserve(Growth* g, int point)
{
    int before = g->point_room;
    while (point >= g->point_room) {
        g->point_room = room_after(g->point_room);
    }
    if (g->point_room > before) {
        g->points = resized(g, g->points, g->point_room, sizeof *g->points);
    }
    for (int i = before; !g->failed && i < g->point_room; i++) {
        g->points[i] = -1;
    }
}

static void take_vertex(void* user, CordVec3 x, CordVec3 normal, int point)
{
    Growth* g = user;
    Mesh* m = g->mesh;
    vertices_reserve(g);
    points_reserve(g, point);
    if (g->failed) {
        return;
    }
    g->points[point] = g->points[point] < 0 ? m->point_count++ : g->points[point];
    m->x[m->vertex_count] = x;
    m->normal[m->vertex_count] = normal;
    m->point[m->vertex_count++] = g->points[point];
}

static void take_face(void* user, int count, const int* vertices)
{
    Growth* g = user;
    Mesh* m = g->mesh;
    if (m->face_count == g->face_room) {
        g->face_room = room_after(g->face_room);
        m->faces = resized(g, m->faces, g->face_room, sizeof *m->faces);
    }
    if (!g->failed) {
        MeshFace* face = &m->faces[m->face_count++];
        *face = (MeshFace){.count = count};
        memcpy(face->vertex, vertices, (size_t)count * sizeof *vertices);
    }
}

// ---- all of them

// Of what has no end, a square before the middle of the box: as wide as that is long from corner to corner,
// twice, so that whatever is in the box lies well before it. Returns its middle, in the solid's axes.
static CordVec3 square_before(CordSolid* solid, const CordFrameObstacle* from, CordVec3 low, CordVec3 high)
{
    CordVec3 axes[3];
    pv_axes(from->rotation, axes);
    CordVec3 middle = pv_to_axes(axes, pv_sub(pv_mul(pv_add(low, high), 0.5), from->position));
    solid->size.x = 2.0 * pv_length(pv_sub(high, low));
    return (CordVec3){middle.x, middle.y, 0};
}

bool mesh_make_obstacle(Mesh* mesh, const CordFrameObstacle* obstacle, CordVec3 low, CordVec3 high, int sides)
{
    Growth g = {.mesh = mesh};
    CordSolid solid = obstacle->solid;
    CordVec3 axes[3], middle = {0, 0, 0};
    *mesh = (Mesh){0};
    if (!solid_is_seen(obstacle)) {
        return true;
    }
    if (solid_kind(obstacle)->is_endless) {
        middle = square_before(&solid, obstacle, low, high);
    }
    cord_solid_tessellate(&solid, sides, &(CordMeshSink){take_vertex, take_face, &g});
    free(g.points);
    if (g.failed) {
        mesh_free(mesh);
        return false;
    }
    pv_axes(obstacle->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = pv_add(obstacle->position, pv_from_axes(axes, pv_add(middle, mesh->x[i])));
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
