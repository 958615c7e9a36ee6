#include "export/mesh.h"

#include "export/geometry.h"
#include "export/picture.h"

#include <stdlib.h>
#include <string.h>

// ---- the sink of the tessellation

typedef struct Growth {
    Mesh* mesh;
    int vertex_room, face_room, point_room;
    int* points; // the mesh's point for each number of a point; -1: none yet (point_room)
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

// The part that is shown of an endless solid: a square in front of the middle of the box, with a side of
// twice the diagonal of the box. Returns the middle of the square in the solid's axes.
static CordVec3 square_before(CordSolid* solid, const CordFrameObstacle* from, CordVec3 low, CordVec3 high)
{
    CordVec3 axes[3];
    axes_of_rotation(from->rotation, axes);
    CordVec3 middle =
        axes_from_space(axes, cord_vec3_sub(cord_vec3_scale(cord_vec3_add(low, high), 0.5), from->position));
    solid->size.x = 2.0 * cord_vec3_length(cord_vec3_sub(high, low));
    return (CordVec3){middle.x, middle.y, 0};
}

bool mesh_of_solid(Mesh* mesh, const CordFrameObstacle* from, CordVec3 low, CordVec3 high, int sides)
{
    Growth g = {.mesh = mesh};
    CordSolid solid = from->solid;
    CordVec3 axes[3], middle = {0, 0, 0};
    *mesh = (Mesh){0};
    if (!solid_is_seen(from)) {
        return true;
    }
    if (solid_kind(from)->is_endless) {
        middle = square_before(&solid, from, low, high);
    }
    cord_solid_tessellate(&solid, sides, &(CordMeshSink){take_vertex, take_face, &g});
    free(g.points);
    if (g.failed) {
        mesh_free(mesh);
        return false;
    }
    axes_of_rotation(from->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = cord_vec3_add(from->position, axes_to_space(axes, cord_vec3_add(middle, mesh->x[i])));
        mesh->normal[i] = axes_to_space(axes, mesh->normal[i]);
    }
    return true;
}

bool mesh_of_surface(Mesh* mesh, const CordFrameSurface* surface)
{
    size_t vertices = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
    *mesh = (Mesh){.vertex_count = surface->vertex_count,
                   .point_count = surface->vertex_count,
                   .face_count = surface->triangle_count,
                   .x = malloc((vertices + 1) * sizeof *mesh->x),
                   .normal = malloc((vertices + 1) * sizeof *mesh->normal),
                   .point = malloc((vertices + 1) * sizeof *mesh->point),
                   .faces = malloc((triangles + 1) * sizeof *mesh->faces)};
    if (!mesh->x || !mesh->normal || !mesh->point || !mesh->faces) {
        mesh_free(mesh);
        return false;
    }
    surface_normals(surface, mesh->normal);
    for (int i = 0; i < surface->vertex_count; i++) {
        mesh->x[i] = surface->vertices[i];
        mesh->point[i] = i;
    }
    for (int k = 0; k < surface->triangle_count; k++) {
        const int* corner = &surface->triangles[3 * k];
        mesh->faces[k] = (MeshFace){3, {corner[0], corner[1], corner[2], 0}};
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

// ---- surfaces of rods

bool surface_hides(const CordFrame* frame, int rod)
{
    for (int i = 0; i < frame->surface_count; i++) {
        if (frame->surfaces[i].rod == rod && frame->surfaces[i].hides) {
            return true;
        }
    }
    return false;
}

void surface_normals(const CordFrameSurface* s, CordVec3* normals)
{
    for (int i = 0; i < s->vertex_count; i++) {
        normals[i] = (CordVec3){0, 0, 0};
    }
    for (int k = 0; k < s->triangle_count; k++) {
        const int* corner = &s->triangles[3 * k];
        CordVec3 x[3] = {s->vertices[corner[0]], s->vertices[corner[1]], s->vertices[corner[2]]};
        CordVec3 normal = cord_vec3_unit_or(
            cord_vec3_cross(cord_vec3_sub(x[1], x[0]), cord_vec3_sub(x[2], x[0])), (CordVec3){0, 0, 0});
        for (int i = 0; i < 3; i++) {
            CordVec3 a = cord_vec3_sub(x[(i + 1) % 3], x[i]), b = cord_vec3_sub(x[(i + 2) % 3], x[i]);
            double angle = atan2(cord_vec3_length(cord_vec3_cross(a, b)), cord_vec3_dot(a, b));
            normals[corner[i]] = cord_vec3_madd(normals[corner[i]], normal, angle);
        }
    }
    for (int i = 0; i < s->vertex_count; i++) {
        normals[i] = cord_vec3_unit_or(normals[i], (CordVec3){0, 0, 1});
    }
}

// ---- models

Pose solid_pose(const CordFrame* frame, int index)
{
    CordFrameObstacle solid = solid_of_frame(frame, index);
    Pose pose = {.position = solid.position, .scale = {1, 1, 1}};
    axes_of_rotation(solid.rotation, pose.axes);
    return pose;
}

// Back to the solid's own axes. The square that stands for a plane stays on the plane.
static void mesh_to_axes(Mesh* mesh, const CordFrameObstacle* solid)
{
    CordVec3 axes[3];
    axes_of_rotation(solid->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = axes_from_space(axes, cord_vec3_sub(mesh->x[i], solid->position));
        mesh->normal[i] = axes_from_space(axes, mesh->normal[i]);
    }
}

// An endless solid is one square here, so it has one tone.
static void tones_fill(SolidModel* model, const CordFrameObstacle* solid)
{
    const PictureSolid body = {.solid = solid->solid, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int f = 0; f < model->mesh.face_count && !solid_kind(solid)->is_endless; f++) {
        const MeshFace* face = &model->mesh.faces[f];
        CordVec3 middle = {0, 0, 0};
        for (int c = 0; c < face->count; c++) {
            middle = cord_vec3_madd(middle, model->mesh.x[face->vertex[c]], 1.0 / face->count);
        }
        model->tones[f] = (uint8_t)picture_solid_tone(&body, middle);
    }
}

bool solid_model_make(SolidModel* model, const CordFrame* frame, int index, CordVec3 low, CordVec3 high,
                      int sides)
{
    CordFrameObstacle solid = solid_of_frame(frame, index);
    bool obstacle = index >= frame->body_count;
    *model = (SolidModel){.name = solid.name, .both_sides = solid_kind(&solid)->is_mesh};
    if (!mesh_of_solid(&model->mesh, &solid, low, high, sides)) {
        return false;
    }
    model->tones = calloc((size_t)model->mesh.face_count + 1, sizeof *model->tones);
    if (!model->tones) {
        solid_model_free(model);
        return false;
    }
    mesh_to_axes(&model->mesh, &solid);
    tones_fill(model, &solid);
    for (int tone = 0; tone < 2; tone++) {
        model->colors[tone] = picture_stage_solid(obstacle, solid_kind(&solid)->is_endless, tone);
    }
    return true;
}

void solid_model_free(SolidModel* model)
{
    mesh_free(&model->mesh);
    free(model->tones);
    *model = (SolidModel){0};
}
