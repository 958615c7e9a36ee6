// Wavefront OBJ: one frame with its rods as tubes, bodies, obstacles, and surfaces of rods. Points, texture
// coordinates and normals are numbered from 1 throughout the file.
#include "export/output.h"
#include "export/sequence.h"
#include "export/text.h"

#include <ctype.h>

typedef struct ObjCounts {
    long long v, vt, vn; // counts before this object
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

static bool put_rod(FILE* file, Sequence* sequence, const CordFrame* frame, int rod, ObjCounts* counts)
{
    const TubePlan* plan = &sequence->rods[rod];
    const TubeSection* sections = sequence_sections(sequence, frame, rod);
    TubeMesh tube;
    if (plan->hidden) {
        return true;
    }
    if (!tube_mesh_make(&tube, plan, sections, sequence->def->sides)) {
        return false;
    }
    put_object(file, frame->rods[rod].name);
    put_tube(file, &tube, sections, !plan->network, counts);
    tube_mesh_free(&tube);
    return true;
}

static bool put_solid(FILE* file, const Sequence* sequence, const CordFrame* frame, int index,
                      ObjCounts* counts)
{
    CordFrameObstacle solid = solid_of_frame(frame, index);
    Mesh mesh;
    if (!mesh_of_solid(&mesh, &solid, sequence->low, sequence->high, sequence->def->sides)) {
        return false;
    }
    if (mesh.face_count > 0) {
        put_object(file, solid.name);
        put_mesh(file, &mesh, counts);
    }
    mesh_free(&mesh);
    return true;
}

static bool put_surface(FILE* file, const CordFrameSurface* surface, ObjCounts* counts)
{
    Mesh mesh;
    if (!mesh_of_surface(&mesh, surface)) {
        return false;
    }
    put_object(file, surface->name);
    put_mesh(file, &mesh, counts);
    mesh_free(&mesh);
    return true;
}

static CordResult put_objects(FILE* file, Sequence* sequence, CordProgress progress, CordMessage* message)
{
    CordFrame frame;
    CORD_TRY(sequence_read(sequence, 0, &frame, message));
    char time[NUMBER_TEXT_MOST];
    fprintf(file, "# cordage %s, frame %d at %s s; metres\n", cord_version(), sequence->def->first,
            number_text(frame.time, time));
    ObjCounts counts = {0, 0, 0};
    int solids = frame.rod_count, surfaces = solids + frame.body_count + frame.obstacle_count;
    int total = surfaces + frame.surface_count;
    for (int i = 0; i < total && !ferror(file); i++) {
        bool good = i < solids     ? put_rod(file, sequence, &frame, i, &counts)
                    : i < surfaces ? put_solid(file, sequence, &frame, i - solids, &counts)
                                   : put_surface(file, &frame.surfaces[i - surfaces], &counts);
        if (!good) {
            return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surfaces of %d sides",
                               sequence->def->sides);
        }
        if (progress.update && !progress.update(progress.user, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult write_frame(FILE* file, const CordFrames* frames, const CordExportDef* def,
                              CordMessage* message)
{
    CordExportDef one = *def;
    one.last = def->first;
    one.progress = (CordProgress){0}; // it counts objects, not frames
    Sequence sequence;
    CordResult result = sequence_begin(&sequence, frames, &one, message);
    if (result == CORD_OK) {
        result = put_objects(file, &sequence, def->progress, message);
    }
    sequence_end(&sequence);
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
