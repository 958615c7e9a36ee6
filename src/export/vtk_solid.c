// The surfaces of rigid bodies and of obstacles at their poses.
#include "export/geometry.h"
#include "export/solid_mesh.h"
#include "export/text.h"
#include "export/vtk.h"

#include <stdlib.h>

typedef struct Meshes { // vertices and faces are numbered through all of them
    int count;
    SolidMesh* list; // (count)
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
        solid_mesh_free(&m->list[i]);
    }
    free(m->list);
}

static void array_places(FILE* file, const Meshes* m)
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
static void array_motion(FILE* file, const Meshes* m, const CordFrameBody* bodies)
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

static void array_numbers(FILE* file, const Meshes* m, const char* name, bool at_points)
{
    size_t count = (size_t)(at_points ? m->vertex_count : m->face_count);
    VtkArray array = vtk_array_begin(file, "Int32", name, 1, count * sizeof(int32_t));
    for (int32_t i = 0; i < m->count; i++) {
        for (int k = 0; k < (at_points ? m->list[i].vertex_count : m->list[i].face_count); k++) {
            base64_put(&array.text, &i, sizeof i);
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

// `name` is the array that tells the solids apart. `bodies` is NULL for obstacles, which have no velocity.
static void put_meshes(FILE* file, const Meshes* m, double time, const char* name,
                       const CordFrameBody* bodies)
{
    vtk_put_piece(file, &(VtkPiece){.time = time, .points = m->vertex_count, .polys = m->face_count});
    fputs("<PointData Normals=\"Normals\">\n", file);
    array_normals(file, m);
    if (bodies) {
        array_motion(file, m, bodies);
    }
    array_numbers(file, m, name, true);
    fputs("</PointData>\n<CellData>\n", file);
    array_numbers(file, m, name, false);
    fputs("</CellData>\n<Points>\n", file);
    array_places(file, m);
    fputs("</Points>\n<Polys>\n", file);
    array_faces(file, m);
    fputs("</Polys>\n", file);
    vtk_put_end(file);
}

// Solids [first, first + count) of a frame.
static bool put_solids(FILE* file, const CordFrame* frame, const VtkScope* scope, int first, int count)
{
    Meshes m = {.count = count, .list = calloc((size_t)count + 1, sizeof *m.list)};
    bool good = m.list != NULL, are_bodies = first < frame->body_count;
    for (int i = 0; good && i < count; i++) {
        CordFrameObstacle solid = solid_of_frame(frame, first + i);
        good = solid_mesh_make(&m.list[i], &solid, scope->low, scope->high, scope->sides);
    }
    if (good) {
        meshes_count(&m);
        put_meshes(file, &m, frame->time, are_bodies ? "body" : "obstacle",
                   are_bodies ? frame->bodies : NULL);
    }
    meshes_free(&m);
    return good;
}

bool vtk_put_bodies(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    return put_solids(file, frame, scope, 0, frame->body_count);
}

bool vtk_put_obstacles(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    return put_solids(file, frame, scope, frame->body_count, frame->obstacle_count);
}
