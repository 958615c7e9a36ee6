// Meshes of bodies and obstacles at their poses, and of surfaces of rods. All of a kind are in one file.
#include "export/geometry.h"
#include "export/mesh.h"
#include "export/text.h"
#include "export/vtk.h"

#include <stdlib.h>

typedef struct Meshes { // vertices and faces are numbered through all of them
    int count;
    Mesh* list; // (count)
    int vertex_count, face_count;
    size_t corner_count;
} Meshes;

static void meshes_count(Meshes* m)
{
    for (int i = 0; i < m->count; i++) {
        m->vertex_count += m->list[i].vertex_count;
        m->face_count += m->list[i].face_count;
        for (int f = 0; f < m->list[i].face_count; f++) {
            m->corner_count += (size_t)m->list[i].faces[f].count;
        }
    }
}

static void meshes_free(Meshes* m)
{
    for (int i = 0; m->list && i < m->count; i++) {
        mesh_free(&m->list[i]);
    }
    free(m->list);
}

static void array_points(FILE* file, const Meshes* m)
{
    VtkArray array =
        vtk_array_begin(file, "Float64", "points", 3, (size_t)m->vertex_count * sizeof(CordVec3));
    for (int i = 0; i < m->count; i++) {
        base64_put(&array.text, m->list[i].x, (size_t)m->list[i].vertex_count * sizeof(CordVec3));
    }
    vtk_array_end(&array);
}

static void base64_vector(Base64* text, CordVec3 v)
{
    float values[3] = {(float)v.x, (float)v.y, (float)v.z};
    base64_put(text, values, sizeof values);
}

static void array_normals(FILE* file, const Meshes* m)
{
    VtkArray array =
        vtk_array_begin(file, "Float32", "Normals", 3, (size_t)m->vertex_count * 3 * sizeof(float));
    for (int i = 0; i < m->count; i++) {
        for (int k = 0; k < m->list[i].vertex_count; k++) {
            base64_vector(&array.text, m->list[i].normal[k]);
        }
    }
    vtk_array_end(&array);
}

// The velocity of each point of the surface.
static void array_velocity(FILE* file, const Meshes* m, const CordFrameBody* bodies)
{
    VtkArray array =
        vtk_array_begin(file, "Float32", "velocity", 3, (size_t)m->vertex_count * 3 * sizeof(float));
    for (int i = 0; i < m->count; i++) {
        for (int k = 0; k < m->list[i].vertex_count; k++) {
            CordVec3 arm = cord_vec3_sub(m->list[i].x[k], bodies[i].position);
            base64_vector(&array.text,
                          cord_vec3_add(bodies[i].velocity, cord_vec3_cross(bodies[i].spin, arm)));
        }
    }
    vtk_array_end(&array);
}

// A number for each mesh, or, if rods is not NULL, the rod of each mesh.
static void array_numbers(FILE* file, const Meshes* m, const char* name, bool at_points,
                          const CordFrameSurface* rods)
{
    size_t count = (size_t)(at_points ? m->vertex_count : m->face_count);
    VtkArray array = vtk_array_begin(file, "Int32", name, 1, count * sizeof(int32_t));
    for (int i = 0; i < m->count; i++) {
        int32_t number = rods ? rods[i].rod : i;
        for (int k = 0; k < (at_points ? m->list[i].vertex_count : m->list[i].face_count); k++) {
            base64_put(&array.text, &number, sizeof number);
        }
    }
    vtk_array_end(&array);
}

static void array_faces(FILE* file, const Meshes* m)
{
    VtkArray array = vtk_array_begin(file, "Int64", "connectivity", 1, m->corner_count * sizeof(int64_t));
    int64_t first = 0, end = 0;
    for (int i = 0; i < m->count; first += m->list[i].vertex_count, i++) {
        for (int f = 0; f < m->list[i].face_count; f++) {
            for (int c = 0; c < m->list[i].faces[f].count; c++) {
                int64_t point = first + m->list[i].faces[f].vertex[c];
                base64_put(&array.text, &point, sizeof point);
            }
        }
    }
    vtk_array_end(&array);
    array = vtk_array_begin(file, "Int64", "offsets", 1, (size_t)m->face_count * sizeof(int64_t));
    for (int i = 0; i < m->count; i++) {
        for (int f = 0; f < m->list[i].face_count; f++) {
            end += m->list[i].faces[f].count;
            base64_put(&array.text, &end, sizeof end);
        }
    }
    vtk_array_end(&array);
}

typedef enum Kind { BODIES, OBSTACLES, SURFACES } Kind;

// The array "body", "obstacle" or "surface" tells the meshes apart.
static void put_meshes(FILE* file, const Meshes* m, const CordFrame* frame, Kind kind)
{
    static const char* const names[] = {[BODIES] = "body", [OBSTACLES] = "obstacle", [SURFACES] = "surface"};
    vtk_put_piece(file, &(VtkPiece){.time = frame->time, .points = m->vertex_count, .polys = m->face_count});
    fputs("<PointData Normals=\"Normals\">\n", file);
    array_normals(file, m);
    if (kind == BODIES) {
        array_velocity(file, m, frame->bodies);
    }
    if (kind != SURFACES) {
        array_numbers(file, m, names[kind], true, NULL);
    }
    fputs("</PointData>\n<CellData>\n", file);
    array_numbers(file, m, names[kind], false, NULL);
    if (kind == SURFACES) {
        array_numbers(file, m, "rod", false, frame->surfaces);
    }
    fputs("</CellData>\n<Points>\n", file);
    array_points(file, m);
    fputs("</Points>\n<Polys>\n", file);
    array_faces(file, m);
    fputs("</Polys>\n", file);
    vtk_put_end(file);
}

static bool put_kind(FILE* file, const CordFrame* frame, const VtkScope* scope, Kind kind)
{
    int first = kind == OBSTACLES ? frame->body_count : 0;
    int count = kind == BODIES      ? frame->body_count
                : kind == OBSTACLES ? frame->obstacle_count
                                    : frame->surface_count;
    Meshes m = {.count = count, .list = calloc((size_t)count + 1, sizeof *m.list)};
    bool good = m.list != NULL;
    for (int i = 0; good && i < count; i++) {
        if (kind == SURFACES) {
            good = mesh_of_surface(&m.list[i], &frame->surfaces[i]);
        } else {
            CordFrameObstacle solid = solid_of_frame(frame, first + i);
            good = mesh_of_solid(&m.list[i], &solid, scope->low, scope->high, scope->sides);
        }
    }
    if (good) {
        meshes_count(&m);
        put_meshes(file, &m, frame, kind);
    }
    meshes_free(&m);
    return good;
}

bool vtk_put_bodies(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    return put_kind(file, frame, scope, BODIES);
}

bool vtk_put_obstacles(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    return put_kind(file, frame, scope, OBSTACLES);
}

bool vtk_put_surfaces(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    return put_kind(file, frame, scope, SURFACES);
}
