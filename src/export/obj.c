// Wavefront OBJ: one frame with its rods as tubes, bodies, obstacles, and surfaces of rods. Points, texture
// coordinates and normals are numbered from 1 throughout the file.
#include "export/mesh.h"
#include "export/output.h"
#include "export/picture.h"
#include "export/tessellation.h"
#include "export/text.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct ObjCounts {
    long long v, vt, vn; // counts before this object
} ObjCounts;

typedef struct ObjFrame {
    const CordFrame* frame;
    PictureCurves curves; // of its rods
    int sides;
} ObjFrame;

static CordResult no_memory(const ObjFrame* o, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surfaces of %d sides",
                       o->sides);
}

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

// Most readers end an object's name at white space.
static void put_object(FILE* file, const char* name)
{
    fputs("o ", file);
    for (const char* c = name; *c != '\0'; c++) {
        putc(isspace((unsigned char)*c) ? '_' : *c, file);
    }
    putc('\n', file);
}

// Writes points with their normals, and the texture coordinates of vertices: there are two vertices at each
// point of the seam.
static void put_tube(FILE* file, const TubeMesh* tube, const TubeSection* sections, bool textured,
                     ObjCounts* counts)
{
    for (int p = 0; p < tube->point_count; p++) {
        const TubeVertex* v = &tube->vertices[tube->first[p]];
        put_vec3(file, "v", tube_point(&sections[v->section], v->place));
    }
    for (int p = 0; p < tube->point_count; p++) {
        const TubeVertex* v = &tube->vertices[tube->first[p]];
        put_vec3(file, "vn", tube_direction(&sections[v->section], v->place));
    }
    for (int i = 0; textured && i < tube->vertex_count; i++) {
        put_numbers(file, "vt", (double[]){tube->vertices[i].u, tube->vertices[i].v}, 2);
    }
    for (int f = 0; f < tube->face_count; f++) {
        putc('f', file);
        for (int c = 0; c < tube->faces[f].count; c++) {
            int vertex = tube->faces[f].vertex[c];
            long long point = tube->vertices[vertex].point;
            fprintf(file, " %lld/", counts->v + point + 1);
            if (textured) {
                fprintf(file, "%lld", counts->vt + vertex + 1);
            }
            fprintf(file, "/%lld", counts->vn + point + 1);
        }
        putc('\n', file);
    }
    counts->v += tube->point_count;
    counts->vn += tube->point_count;
    counts->vt += textured ? tube->vertex_count : 0;
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

static CordResult put_rod(FILE* file, const ObjFrame* o, int rod, int first_edge, ObjCounts* counts,
                          CordMessage* message)
{
    TubePlan plan;
    TubeMesh tube = {0};
    CordResult result = tube_plan_begin(&plan, o->frame, rod, message);
    plan.first_edge = first_edge;
    if (result == CORD_OK) {
        result = tube_plan_add(&plan, o->frame, &o->curves, message);
    }
    if (result == CORD_OK) {
        tube_plan_finish(&plan);
    }
    TubeSection* sections = result == CORD_OK ? calloc((size_t)plan.count + 1, sizeof *sections) : NULL;
    if (sections) {
        tube_sections(&plan, o->frame, &o->curves, sections);
    }
    if (result == CORD_OK && (!sections || !tube_mesh_make(&tube, &plan, sections, o->sides))) {
        result = no_memory(o, message);
    }
    if (result == CORD_OK) {
        put_object(file, o->frame->rods[rod].name);
        put_tube(file, &tube, sections, !plan.network, counts);
    }
    tube_mesh_free(&tube);
    free(sections);
    tube_plan_free(&plan);
    return result;
}

// Solid `index` of the frame, or, with indices after those of the solids, one of its surfaces.
static bool put_solid_or_surface(FILE* file, const CordFrame* frame, int index, int sides, ObjCounts* counts)
{
    int solids = frame->body_count + frame->obstacle_count;
    const CordFrameSurface* surface = index < solids ? NULL : &frame->surfaces[index - solids];
    CordFrameObstacle solid =
        surface ? (CordFrameObstacle){.name = surface->name} : solid_of_frame(frame, index);
    Mesh mesh;
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    picture_bounds(frame, 1.0, &low, &high);
    if (!(surface ? mesh_of_surface(&mesh, surface) : mesh_of_solid(&mesh, &solid, low, high, sides))) {
        return false;
    }
    if (surface || mesh.face_count > 0) {
        put_object(file, solid.name);
        put_mesh(file, &mesh, counts);
    }
    mesh_free(&mesh);
    return true;
}

static CordResult put_objects(FILE* file, const ObjFrame* o, const CordExportDef* def, CordMessage* message)
{
    const CordFrame* frame = o->frame;
    ObjCounts counts = {0, 0, 0};
    int total = frame->rod_count + frame->body_count + frame->obstacle_count + frame->surface_count;
    for (int i = 0, first_edge = 0; i < total && !ferror(file); i++) {
        if (i >= frame->rod_count) {
            CORD_TRY(put_solid_or_surface(file, frame, i - frame->rod_count, o->sides, &counts)
                         ? CORD_OK
                         : no_memory(o, message));
        } else if (!surface_hides(frame, i)) {
            CORD_TRY(put_rod(file, o, i, first_edge, &counts, message));
            first_edge += frame->rods[i].edge_count;
        }
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult write_frame(FILE* file, const CordFrames* frames, const CordExportDef* def,
                              CordMessage* message)
{
    CordFrame frame;
    ObjFrame o = {.frame = &frame, .sides = def->sides};
    CORD_TRY(frames->read(frames->user, def->first, &frame, message));
    CORD_TRY(tube_curves(&frame, &o.curves, message));
    char time[NUMBER_TEXT_MOST];
    fprintf(file, "# cordage %s, frame %d at %s s; metres\n", cord_version(), def->first,
            number_text(frame.time, time));
    CordResult result = put_objects(file, &o, def, message);
    picture_curves_free(&o.curves);
    return result;
}

static CordResult obj_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, def->path, message));
    CordResult result = write_frame(out.file, frames, def, message);
    return output_finish(&out, result, message);
}

const ExportWriter export_obj = {
    .format = {"obj",
               "one frame as surfaces, rods as tubes, for modelling and printing; texture shows twist"},
    .write = obj_write,
};
