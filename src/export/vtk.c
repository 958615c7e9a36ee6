// VTK, for ParaView: NAME.pvd lists the frames and their times, NAME/NAME_00000.vtp ... hold them. Arrays are inline
// base64: exact, valid XML, and read by every VTK since 5.
#include "export/export.h"
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
static void array_edges(FILE* file, const char* name, const double* values, const CordFrame* frame)
{
    Array array = array_begin(file, "Float32", name, 1, (size_t)frame->node_count * sizeof(float));
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        const double* edge = values + rod->first_edge;
        for (int i = 0; i < rod->node_count; i++) {
            int after = i < rod->edge_count ? i : rod->edge_count - 1;
            int before = i > 0 ? i - 1 : rod->closed ? rod->edge_count - 1 : 0;
            float value = (float)(0.5 * (edge[before] + edge[after]));
            base64_put(&array.text, &value, sizeof value);
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

static void put_frame(FILE* file, const CordFrame* frame)
{
    put_head(file, "PolyData");
    fprintf(file, "<PolyData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" ",
            frame->node_count, frame->rod_count);
    fputs("NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n", file);
    array_floats(file, "velocity", 3, (const double*)frame->v, frame->node_count);
    array_floats(file, "moment", 3, (const double*)frame->moment, frame->node_count);
    array_edges(file, "radius", frame->radius, frame);
    array_edges(file, "tension", frame->tension, frame);
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

static CordResult write_frame(const char* path, const CordFrame* frame, CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, path, message));
    put_frame(out.file, frame);
    return output_close(&out, message);
}

typedef struct Series { // the paths of one export; each has room for the longest
    size_t size;
    char* list;       // DIR/NAME.pvd
    char* directory;  // DIR/NAME
    char* file;       // DIR/NAME/NAME_00000.vtp
    const char* name; // NAME, within directory
} Series;

static bool series_make(Series* s, const char* path)
{
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".pvd") == 0) {
        length -= 4;
    }
    s->size = 2 * length + 32;
    s->list = malloc(s->size);
    s->directory = malloc(s->size);
    s->file = malloc(s->size);
    if (!s->list || !s->directory || !s->file) {
        return false;
    }
    snprintf(s->directory, s->size, "%.*s", (int)length, path);
    snprintf(s->list, s->size, "%s.pvd", s->directory);
    const char* slash = strrchr(s->directory, '/');
    s->name = slash ? slash + 1 : s->directory;
    return true;
}

static void series_free(Series* s)
{
    free(s->list);
    free(s->directory);
    free(s->file);
}

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

static CordResult write_frames(Series* s, FILE* list, const CordFrames* frames, const CordExportDef* def,
                               CordMessage* message)
{
    int total = def->last - def->first + 1;
    put_head(list, "Collection");
    fputs("<Collection>\n", list);
    for (int i = 0; i < total; i++) {
        CordFrame frame;
        char time[NUMBER_TEXT_MOST];
        CORD_TRY(frames->read(frames->user, def->first + i, &frame, message));
        snprintf(s->file, s->size, "%s/%s_%05d.vtp", s->directory, s->name, def->first + i);
        CORD_TRY(write_frame(s->file, &frame, message));
        fprintf(list, "<DataSet timestep=\"%s\" part=\"0\" file=\"", number_text(frame.time, time));
        put_escaped(list, s->name);
        putc('/', list);
        put_escaped(list, strrchr(s->file, '/') + 1);
        fputs("\"/>\n", list);
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    fputs("</Collection>\n</VTKFile>\n", list);
    return CORD_OK;
}

static CordResult write_series(Series* s, const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    struct stat info;
    Output list;
    CORD_TRY(output_open(&list, s->list, message));
    CordResult result = CORD_OK;
    if (mkdir(s->directory, 0777) != 0 &&
        (errno != EEXIST || stat(s->directory, &info) != 0 || !S_ISDIR(info.st_mode))) {
        result = export_fail(message, CORD_BAD_FILE, "the directory %s cannot be made: %s", s->directory,
                             errno == EEXIST ? "a file of that name is there; give another name"
                                             : export_error_text(errno));
    }
    if (result == CORD_OK) {
        result = write_frames(s, list.file, frames, def, message);
    }
    if (result != CORD_OK) {
        output_abandon(&list);
        return result;
    }
    return output_close(&list, message);
}

static CordResult vtk_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    if (!def->path || def->path[0] == '\0' || def->path[strlen(def->path) - 1] == '/') {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s names no file; give a name such as run.pvd",
                           def->path && def->path[0] ? def->path : "the empty path");
    }
    Series series = {0};
    CordResult result =
        series_make(&series, def->path)
            ? write_series(&series, frames, def, message)
            : export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export %s", def->path);
    series_free(&series);
    return result;
}

const ExportWriter export_vtk = {
    .format = {"vtk", "for ParaView: NAME.pvd to open, and a directory NAME of one .vtp file per frame"},
    .write = vtk_write,
};
