// VTK, for ParaView: NAME.pvd lists the frames and their times, NAME/NAME_00000.vtp ... hold them; NAME_bodies.pvd does
// the same for rigid bodies. Arrays are inline base64: exact, valid XML, and read by every VTK since 5.
#include "export/export.h"
#include "export/mesh.h"
#include "export/picture_math.h"
#include "export/section.h"
#include "export/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------- base64

typedef struct Base64 {
    FILE* file;
    uint32_t bits;
    int held; // bytes in bits, at most 2
} Base64;

static void base64_group(Base64* b, int bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = b->bits << (8 * (3 - bytes));
    char text[4];
    for (int i = 0; i < 4; i++) {
        text[i] = i <= bytes ? digits[(bits >> (18 - 6 * i)) & 63] : '=';
    }
    fwrite(text, 1, 4, b->file);
    b->bits = 0;
    b->held = 0;
}

static void base64_put(Base64* b, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) {
        b->bits = b->bits << 8 | bytes[i];
        b->held++;
        if (b->held == 3) {
            base64_group(b, 3);
        }
    }
}

static void base64_end(Base64* b)
{
    if (b->held > 0) {
        base64_group(b, b->held);
    }
}

// ---------------------------------------------------------------------------------------------------- arrays

typedef struct Array { // one DataArray being written
    FILE* file;
    Base64 text;
} Array;

static Array array_begin(FILE* file, const char* type, const char* name, int components, size_t bytes)
{
    Array array = {file, {.file = file}};
    fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type,
            name, components);
    uint64_t size = bytes;
    base64_put(&array.text, &size, sizeof size); // header_type="UInt64"
    return array;
}

static void array_end(Array* array)
{
    base64_end(&array->text);
    fputs("</DataArray>\n", array->file);
}

static void array_doubles(FILE* file, const char* name, int components, const double* values, int rows)
{
    size_t size = (size_t)rows * (size_t)components * sizeof *values;
    Array array = array_begin(file, "Float64", name, components, size);
    base64_put(&array.text, values, size);
    array_end(&array);
}

static void array_floats(FILE* file, const char* name, int components, const double* values, int rows)
{
    size_t count = (size_t)rows * (size_t)components;
    Array array = array_begin(file, "Float32", name, components, count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        float value = (float)values[i];
        base64_put(&array.text, &value, sizeof value);
    }
    array_end(&array);
}

// Edge values at the nodes: the mean of the edges beside each.
static void array_edges(FILE* file, const char* name, int components, const double* values, const CordFrame* frame)
{
    size_t size = (size_t)frame->node_count * (size_t)components * sizeof(float);
    Array array = array_begin(file, "Float32", name, components, size);
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int i = 0; i < rod->node_count; i++) {
            const double* before = values + (rod->first_edge + section_edge_before(rod, i)) * components;
            const double* after = values + (rod->first_edge + section_edge_after(rod, i)) * components;
            for (int c = 0; c < components; c++) {
                float value = (float)(0.5 * (before[c] + after[c]));
                base64_put(&array.text, &value, sizeof value);
            }
        }
    }
    array_end(&array);
}

static void array_rods(FILE* file, const CordFrame* frame, bool at_nodes)
{
    size_t count = (size_t)(at_nodes ? frame->node_count : frame->rod_count);
    Array array = array_begin(file, "Int32", "rod", 1, count * sizeof(int32_t));
    for (int32_t r = 0; r < frame->rod_count; r++) {
        for (int i = 0; i < (at_nodes ? frame->rods[r].node_count : 1); i++) {
            base64_put(&array.text, &r, sizeof r);
        }
    }
    array_end(&array);
}

// One polyline per rod; a closed one ends at the point it began with.
static void array_lines(FILE* file, const CordFrame* frame)
{
    size_t count = 0;
    for (int r = 0; r < frame->rod_count; r++) {
        count += (size_t)frame->rods[r].edge_count + 1;
    }
    Array array = array_begin(file, "Int64", "connectivity", 1, count * sizeof(int64_t));
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int i = 0; i <= rod->edge_count; i++) {
            int64_t point = rod->first_node + i % rod->node_count;
            base64_put(&array.text, &point, sizeof point);
        }
    }
    array_end(&array);
    array = array_begin(file, "Int64", "offsets", 1, (size_t)frame->rod_count * sizeof(int64_t));
    int64_t end = 0;
    for (int r = 0; r < frame->rod_count; r++) {
        end += frame->rods[r].edge_count + 1;
        base64_put(&array.text, &end, sizeof end);
    }
    array_end(&array);
}

// ---------------------------------------------------------------------------------------------------- files

static const char* byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? "LittleEndian" : "BigEndian";
}

static void put_head(FILE* file, const char* type)
{
    fprintf(file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            type, byte_order());
}

static void put_piece(FILE* file, double time, int points, int lines, int polys)
{
    char text[NUMBER_TEXT_MOST];
    put_head(file, "PolyData");
    fprintf(file,
            "<PolyData>\n<FieldData>\n"
            "<DataArray type=\"Float64\" Name=\"time\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>\n"
            "</FieldData>\n",
            number_text(time, text));
    fprintf(file,
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%d\">\n",
            points, lines, polys);
}

static void put_rods(FILE* file, const CordFrame* frame)
{
    put_piece(file, frame->time, frame->node_count, frame->rod_count, 0);
    fputs("<PointData>\n", file);
    array_floats(file, "velocity", 3, (const double*)frame->v, frame->node_count);
    array_floats(file, "moment", 3, (const double*)frame->moment, frame->node_count);
    array_edges(file, "radius", 1, frame->radius, frame);
    array_edges(file, "tension", 1, frame->tension, frame);
    array_edges(file, "force", 3, (const double*)frame->force, frame);
    array_rods(file, frame, true);
    fputs("</PointData>\n<CellData>\n", file);
    array_rods(file, frame, false);
    array_doubles(file, "energy", 5, (const double*)frame->energy, frame->rod_count);
    array_doubles(file, "stretch", 1, frame->stretch, frame->rod_count);
    fputs("</CellData>\n<Points>\n", file);
    array_doubles(file, "points", 3, (const double*)frame->x, frame->node_count);
    fputs("</Points>\n<Lines>\n", file);
    array_lines(file, frame);
    fputs("</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n", file);
}

static CordResult write_rods(const char* path, const CordFrame* frame, const CordExportDef* def, CordMessage* message)
{
    (void)def;
    Output out;
    CORD_TRY(output_open(&out, path, message));
    put_rods(out.file, frame);
    return output_close(&out, message);
}

// ---------------------------------------------------------------------------------------------------- bodies

typedef struct Meshes { // of all bodies, their vertices and faces counted through
    const CordFrame* frame;
    Mesh* list; // (body_count)
    int vertex_count, face_count;
    size_t corner_count;
} Meshes;

static bool meshes_make(Meshes* m, const CordFrame* frame, int sides)
{
    *m = (Meshes){.frame = frame, .list = calloc((size_t)frame->body_count, sizeof *m->list)};
    bool good = m->list != NULL;
    for (int i = 0; good && i < frame->body_count; i++) {
        good = mesh_make(&m->list[i], &frame->bodies[i], sides);
        m->vertex_count += m->list[i].vertex_count;
        m->face_count += m->list[i].face_count;
        for (int f = 0; f < m->list[i].face_count; f++) {
            m->corner_count += (size_t)m->list[i].faces[f].count;
        }
    }
    return good;
}

static void meshes_free(Meshes* m)
{
    for (int i = 0; m->list && i < m->frame->body_count; i++) {
        mesh_free(&m->list[i]);
    }
    free(m->list);
}

static void array_places(FILE* file, const Meshes* m)
{
    size_t size = (size_t)m->vertex_count * sizeof(CordVec3);
    Array array = array_begin(file, "Float64", "points", 3, size);
    for (int i = 0; i < m->frame->body_count; i++) {
        base64_put(&array.text, m->list[i].x, (size_t)m->list[i].vertex_count * sizeof(CordVec3));
    }
    array_end(&array);
}

static void base64_vector(Base64* text, CordVec3 v)
{
    float values[3] = {(float)v.x, (float)v.y, (float)v.z};
    base64_put(text, values, sizeof values);
}

static void array_normals(FILE* file, const Meshes* m)
{
    Array array = array_begin(file, "Float32", "Normals", 3, (size_t)m->vertex_count * 3 * sizeof(float));
    for (int i = 0; i < m->frame->body_count; i++) {
        for (int k = 0; k < m->list[i].vertex_count; k++) {
            base64_vector(&array.text, m->list[i].normal[k]);
        }
    }
    array_end(&array);
}

static void array_motion(FILE* file, const Meshes* m) // of each place of the surface
{
    Array array = array_begin(file, "Float32", "velocity", 3, (size_t)m->vertex_count * 3 * sizeof(float));
    for (int i = 0; i < m->frame->body_count; i++) {
        const CordFrameBody* body = &m->frame->bodies[i];
        for (int k = 0; k < m->list[i].vertex_count; k++) {
            CordVec3 arm = pv_sub(m->list[i].x[k], body->position);
            base64_vector(&array.text, pv_add(body->velocity, pv_cross(body->spin, arm)));
        }
    }
    array_end(&array);
}

static void array_bodies(FILE* file, const Meshes* m, bool at_points)
{
    size_t count = (size_t)(at_points ? m->vertex_count : m->face_count);
    Array array = array_begin(file, "Int32", "body", 1, count * sizeof(int32_t));
    for (int32_t i = 0; i < m->frame->body_count; i++) {
        for (int k = 0; k < (at_points ? m->list[i].vertex_count : m->list[i].face_count); k++) {
            base64_put(&array.text, &i, sizeof i);
        }
    }
    array_end(&array);
}

static void array_faces(FILE* file, const Meshes* m)
{
    Array array = array_begin(file, "Int64", "connectivity", 1, m->corner_count * sizeof(int64_t));
    int64_t first = 0, end = 0;
    for (int i = 0; i < m->frame->body_count; first += m->list[i].vertex_count, i++) {
        for (int f = 0; f < m->list[i].face_count; f++) {
            for (int c = 0; c < m->list[i].faces[f].count; c++) {
                int64_t point = first + m->list[i].faces[f].vertex[c];
                base64_put(&array.text, &point, sizeof point);
            }
        }
    }
    array_end(&array);
    array = array_begin(file, "Int64", "offsets", 1, (size_t)m->face_count * sizeof(int64_t));
    for (int i = 0; i < m->frame->body_count; i++) {
        for (int f = 0; f < m->list[i].face_count; f++) {
            end += m->list[i].faces[f].count;
            base64_put(&array.text, &end, sizeof end);
        }
    }
    array_end(&array);
}

static void put_bodies(FILE* file, const Meshes* m)
{
    put_piece(file, m->frame->time, m->vertex_count, 0, m->face_count);
    fputs("<PointData Normals=\"Normals\">\n", file);
    array_normals(file, m);
    array_motion(file, m);
    array_bodies(file, m, true);
    fputs("</PointData>\n<CellData>\n", file);
    array_bodies(file, m, false);
    fputs("</CellData>\n<Points>\n", file);
    array_places(file, m);
    fputs("</Points>\n<Polys>\n", file);
    array_faces(file, m);
    fputs("</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n", file);
}

static CordResult write_bodies(const char* path, const CordFrame* frame, const CordExportDef* def,
                               CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, path, message));
    Meshes meshes;
    bool room = meshes_make(&meshes, frame, def->sides);
    if (room) {
        put_bodies(out.file, &meshes);
    }
    meshes_free(&meshes);
    if (!room) {
        output_abandon(&out);
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surfaces of %d sides",
                           def->sides);
    }
    return output_close(&out, message);
}

// ---------------------------------------------------------------------------------------------------- series

typedef struct Series {    // the files of rods, or of bodies
    const char* directory; // DIR/NAME
    const char* name;      // NAME, within directory
    const char* suffix;    // of both kinds of file: "" or "_bodies"
    char* path;            // of the file being written (path_size)
    size_t path_size;
    Output list; // DIR/NAME.pvd
    CordResult (*write)(const char* path, const CordFrame* frame, const CordExportDef* def, CordMessage* message);
} Series;

static void put_escaped(FILE* file, const char* text)
{
    for (const char* c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '"': fputs("&quot;", file); break;
        default: putc(*c, file); break;
        }
    }
}

static CordResult series_begin(Series* s, CordMessage* message)
{
    s->path_size = 2 * strlen(s->directory) + 48;
    s->path = malloc(s->path_size);
    if (!s->path) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export %s", s->directory);
    }
    snprintf(s->path, s->path_size, "%s%s.pvd", s->directory, s->suffix);
    CORD_TRY(output_open(&s->list, s->path, message));
    put_head(s->list.file, "Collection");
    fputs("<Collection>\n", s->list.file);
    return CORD_OK;
}

static CordResult series_put(Series* s, const CordFrame* frame, int index, double time,
                             const CordExportDef* def, CordMessage* message)
{
    char text[NUMBER_TEXT_MOST];
    snprintf(s->path, s->path_size, "%s/%s%s_%05d.vtp", s->directory, s->name, s->suffix, index);
    CORD_TRY(s->write(s->path, frame, def, message));
    fprintf(s->list.file, "<DataSet timestep=\"%s\" part=\"0\" file=\"", number_text(time, text));
    put_escaped(s->list.file, s->name);
    putc('/', s->list.file);
    put_escaped(s->list.file, strrchr(s->path, '/') + 1);
    fputs("\"/>\n", s->list.file);
    return CORD_OK;
}

static CordResult series_end(Series* s, CordResult result, CordMessage* message)
{
    free(s->path);
    if (result != CORD_OK || !s->list.file) {
        output_abandon(&s->list);
        return result;
    }
    fputs("</Collection>\n</VTKFile>\n", s->list.file);
    return output_close(&s->list, message);
}

static CordResult make_directory(const char* path, CordMessage* message)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return CORD_OK;
    }
    return export_fail(message, CORD_BAD_FILE, "the directory %s cannot be made: %s", path,
                       errno == EEXIST ? "a file of that name is there; give another name"
                                       : export_error_text(errno));
}

static bool has_visible_bodies(const CordFrame* frame)
{
    for (int i = 0; i < frame->body_count; i++) {
        if (frame->bodies[i].size.x > 0.0) {
            return true;
        }
    }
    return false;
}

static CordResult write_frames(Series* rods, Series* bodies, const CordFrames* frames,
                               const CordExportDef* def, CordMessage* message)
{
    // Along a branch time may run back, which no player does: there the points are counted instead.
    bool counted = frames->recording && cord_recording_is_branch(frames->recording);
    int total = def->last - def->first + 1;
    for (int i = 0; i < total; i++) {
        CordFrame frame;
        int index = def->first + i;
        CORD_TRY(frames->read(frames->user, index, &frame, message));
        if (i == 0 && has_visible_bodies(&frame)) {
            CORD_TRY(series_begin(bodies, message));
        }
        double time = counted ? index : frame.time;
        CORD_TRY(series_put(rods, &frame, index, time, def, message));
        if (bodies->list.file) {
            CORD_TRY(series_put(bodies, &frame, index, time, def, message));
        }
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult write_all(const char* directory, const CordFrames* frames, const CordExportDef* def,
                            CordMessage* message)
{
    const char* slash = strrchr(directory, '/');
    Series rods = {.directory = directory, .name = slash ? slash + 1 : directory, .suffix = "", .write = write_rods};
    Series bodies = rods;
    bodies.suffix = "_bodies";
    bodies.write = write_bodies;
    CordResult result = series_begin(&rods, message);
    if (result == CORD_OK) {
        result = make_directory(directory, message);
    }
    if (result == CORD_OK) {
        result = write_frames(&rods, &bodies, frames, def, message);
    }
    result = series_end(&bodies, result, message);
    return series_end(&rods, result, message);
}

static CordResult vtk_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    if (!def->path || def->path[0] == '\0' || def->path[strlen(def->path) - 1] == '/' ||
        strcmp(def->path, "-") == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "%s names no file, and vtk makes several; give a name such as run.pvd",
                           def->path && def->path[0] ? def->path : "the empty path");
    }
    char* directory = strdup(def->path);
    if (!directory) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export %s", def->path);
    }
    size_t length = strlen(directory);
    if (length > 4 && strcmp(directory + length - 4, ".pvd") == 0) {
        directory[length - 4] = '\0';
    }
    CordResult result = write_all(directory, frames, def, message);
    free(directory);
    return result;
}

const ExportWriter export_vtk = {
    .format = {"vtk", "for ParaView: NAME.pvd to open (NAME_bodies.pvd for bodies), and a directory NAME of .vtp files"},
    .write = vtk_write,
};
