// Wavefront OBJ: the rods of one frame as tubes, its bodies, its obstacles, and the surfaces that go along with rods. Points, texture coordinates and normals are
// counted through the whole file, from 1.
#include "export/export.h"
#include "export/mesh.h"
#include "export/picture.h"
#include "export/surface.h"
#include "export/tube.h"
#include "export/writer.h"

#include <ctype.h>
#include <stdlib.h>

enum { NETWORK_SIDES_MOST = 12 }; // of each edge of a network: there are many of them

typedef struct ObjCounts {
    long long v, vt, vn; // written before this object
} ObjCounts;

static void put_numbers(FILE* file, const char* kind, const double* values, int count)
{
    char text[NUMBER_TEXT_MOST];
    fputs(kind, file);
    for (int i = 0; i < count; i++) {
        fprintf(file, " %s", number_text_short(values[i], text));
    }
    putc('\n', file);
}

static void put_vec3(FILE* file, const char* kind, CordVec3 value)
{
    put_numbers(file, kind, (double[]){value.x, value.y, value.z}, 3);
}

// Object names end at white space in most readers.
static void put_object(FILE* file, const char* name)
{
    fputs("o ", file);
    for (const char* c = name; *c != '\0'; c++) {
        putc(isspace((unsigned char)*c) ? '_' : *c, file);
    }
    putc('\n', file);
}

static void put_points(FILE* file, const Tube* tube)
{
    int count = tube->ring_count * tube->sides;
    for (int i = 0; i < count; i++) {
        put_vec3(file, "v", tube->x[i]);
    }
    for (int i = 0; i < count; i++) {
        put_vec3(file, "vn", tube->normal[i]);
    }
    // The seam has texture coordinates of its own: one column more than points in a ring, and one row more if closed.
    int rows = tube->ring_count + (tube->closed ? 1 : 0);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k <= tube->sides; k++) {
            put_numbers(file, "vt", (double[]){(double)k / tube->sides, tube->along[i]}, 2);
        }
    }
}

static void put_corner(FILE* file, const ObjCounts* from, long long v, long long vt, long long vn)
{
    fprintf(file, " %lld/%lld/%lld", from->v + v + 1, from->vt + vt + 1, from->vn + vn + 1);
}

static void put_sides(FILE* file, const Tube* tube, const ObjCounts* from)
{
    int edges = tube->ring_count - (tube->closed ? 0 : 1);
    for (int i = 0; i < edges; i++) {
        for (int k = 0; k < tube->sides; k++) {
            static const int around[4] = {0, 1, 1, 0}, ahead[4] = {0, 0, 1, 1}; // counter-clockwise from outside
            putc('f', file);
            for (int c = 0; c < 4; c++) {
                int ring = (i + ahead[c]) % tube->ring_count, side = (k + around[c]) % tube->sides;
                long long point = (long long)ring * tube->sides + side;
                long long texture = (long long)(i + ahead[c]) * (tube->sides + 1) + k + around[c];
                put_corner(file, from, point, texture, point);
            }
            putc('\n', file);
        }
    }
}

// A fan around the middle of an end, with one point, texture coordinate and normal of its own.
static void put_cap(FILE* file, const Tube* tube, const ObjCounts* from, bool at_end)
{
    int ring = at_end ? tube->ring_count - 1 : 0, sides = tube->sides;
    long long points = (long long)tube->ring_count * sides, cap = at_end ? 1 : 0;
    long long middle = points + cap, texture = (long long)tube->ring_count * (sides + 1) + cap;
    CordVec3 t = tube->t[ring];
    put_vec3(file, "v", tube->center[ring]);
    put_vec3(file, "vn", at_end ? t : (CordVec3){-t.x, -t.y, -t.z});
    put_numbers(file, "vt", (double[]){0.5, tube->along[ring]}, 2);
    for (int k = 0; k < sides; k++) {
        int a = at_end ? k : k + 1, b = at_end ? k + 1 : k;
        long long first = (long long)ring * sides, seam = (long long)ring * (sides + 1);
        putc('f', file);
        put_corner(file, from, middle, texture, middle);
        put_corner(file, from, first + a % sides, seam + a, middle);
        put_corner(file, from, first + b % sides, seam + b, middle);
        putc('\n', file);
    }
}

static void put_tube(FILE* file, const Tube* tube, ObjCounts* counts)
{
    long long points = (long long)tube->ring_count * tube->sides, caps = tube->closed ? 0 : 2;
    put_points(file, tube);
    put_sides(file, tube, counts);
    if (!tube->closed) {
        put_cap(file, tube, counts, false);
        put_cap(file, tube, counts, true);
    }
    counts->v += points + caps;
    counts->vn += points + caps;
    counts->vt += (long long)(tube->ring_count + (tube->closed ? 1 : 0)) * (tube->sides + 1) + caps;
}

static void put_mesh(FILE* file, const Mesh* mesh, ObjCounts* counts)
{
    for (int i = 0, points = 0; i < mesh->vertex_count; i++) {
        if (mesh->point[i] == points) {
            put_vec3(file, "v", mesh->x[i]);
            points++;
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        put_vec3(file, "vn", mesh->normal[i]);
    }
    for (int f = 0; f < mesh->face_count; f++) {
        putc('f', file);
        for (int c = 0; c < mesh->faces[f].count; c++) {
            int vertex = mesh->faces[f].vertex[c];
            fprintf(file, " %lld//%lld", counts->v + mesh->point[vertex] + 1, counts->vn + vertex + 1);
        }
        putc('\n', file);
    }
    counts->v += mesh->point_count;
    counts->vn += mesh->vertex_count;
}

// Every edge is a tube with closed ends.
static bool put_network(FILE* file, const CordFrame* frame, int rod, int sides, ObjCounts* counts)
{
    const CordFrameRod* r = &frame->rods[rod];
    put_object(file, r->name);
    for (int j = 0; j < r->edge_count; j++) {
        Tube tube;
        if (!tube_make_edge(&tube, frame, rod, j, sides < NETWORK_SIDES_MOST ? sides : NETWORK_SIDES_MOST)) {
            return false;
        }
        put_tube(file, &tube, counts);
        tube_free(&tube);
    }
    return true;
}

static bool put_rod(FILE* file, const CordFrame* frame, int rod, int sides, ObjCounts* counts)
{
    Tube tube;
    if (surface_hides(frame, rod)) {
        return true;
    }
    if (frame->rods[rod].network) {
        return put_network(file, frame, rod, sides, counts);
    }
    if (!tube_make(&tube, frame, rod, sides)) {
        return false;
    }
    put_object(file, frame->rods[rod].name);
    put_tube(file, &tube, counts);
    tube_free(&tube);
    return true;
}

static void put_solid(FILE* file, const char* name, const Mesh* mesh, ObjCounts* counts)
{
    if (mesh->face_count > 0) {
        put_object(file, name);
        put_mesh(file, mesh, counts);
    }
}

static bool put_body(FILE* file, const CordFrame* frame, int body, int sides, ObjCounts* counts)
{
    Mesh mesh;
    if (!mesh_make(&mesh, &frame->bodies[body], sides)) {
        return false;
    }
    put_solid(file, frame->bodies[body].name, &mesh, counts);
    mesh_free(&mesh);
    return true;
}

static bool put_obstacle(FILE* file, const CordFrame* frame, int obstacle, int sides, ObjCounts* counts)
{
    Mesh mesh;
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    picture_bounds(frame, 1.0, &low, &high);
    if (!mesh_make_obstacle(&mesh, &frame->obstacles[obstacle], low, high, sides)) {
        return false;
    }
    put_solid(file, frame->obstacles[obstacle].name, &mesh, counts);
    mesh_free(&mesh);
    return true;
}

static bool put_surface(FILE* file, const CordFrameSurface* surface, ObjCounts* counts)
{
    CordVec3* normals = malloc(sizeof *normals * ((size_t)surface->vertex_count + 1));
    if (!normals) {
        return false;
    }
    surface_normals(surface, normals);
    put_object(file, surface->name);
    for (int i = 0; i < surface->vertex_count; i++) {
        put_vec3(file, "v", surface->vertices[i]);
    }
    for (int i = 0; i < surface->vertex_count; i++) {
        put_vec3(file, "vn", normals[i]);
    }
    for (int k = 0; k < surface->triangle_count; k++) {
        putc('f', file);
        for (int c = 0; c < 3; c++) {
            int vertex = surface->triangles[3 * k + c];
            fprintf(file, " %lld//%lld", counts->v + vertex + 1, counts->vn + vertex + 1);
        }
        putc('\n', file);
    }
    counts->v += surface->vertex_count;
    counts->vn += surface->vertex_count;
    free(normals);
    return true;
}

// One of the frame's rods, bodies, obstacles and surfaces, counted through.
static bool put_thing(FILE* file, const CordFrame* frame, int index, int sides, ObjCounts* counts)
{
    int body = index - frame->rod_count, obstacle = body - frame->body_count;
    int surface = obstacle - frame->obstacle_count;
    return body < 0       ? put_rod(file, frame, index, sides, counts)
           : obstacle < 0 ? put_body(file, frame, body, sides, counts)
           : surface < 0  ? put_obstacle(file, frame, obstacle, sides, counts)
                          : put_surface(file, &frame->surfaces[surface], counts);
}

static CordResult write_frame(FILE* file, const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    CordFrame frame;
    ObjCounts counts = {0, 0, 0};
    CORD_TRY(frames->read(frames->user, def->first, &frame, message));
    char time[NUMBER_TEXT_MOST];
    fprintf(file, "# cordage %s, frame %d at %s s; metres\n", cord_version(), def->first,
            number_text(frame.time, time));
    int total = frame.rod_count + frame.body_count + frame.obstacle_count + frame.surface_count;
    for (int i = 0; i < total && !ferror(file); i++) {
        if (!put_thing(file, &frame, i, def->sides, &counts)) {
            return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surfaces of %d sides",
                               def->sides);
        }
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult obj_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, def->path, message));
    CordResult result = write_frame(out.file, frames, def, message);
    if (result != CORD_OK) {
        output_abandon(&out);
        return result;
    }
    return output_close(&out, message);
}

const ExportWriter export_obj = {
    .format = {"obj", "one frame as surfaces, rods as tubes, for modelling and printing; texture shows twist"},
    .write = obj_write,
};
