// VTK, for ParaView: NAME.pvd lists the frames and their times, and NAME/NAME_00000.vtp ... hold them.
// NAME_bodies.pvd, NAME_obstacles.pvd, NAME_surfaces.pvd and NAME_contacts.pvd do the same for bodies,
// obstacles, surfaces and contacts, if there are any.
#include "export/vtk.h"
#include "export/text.h"

#include "export/export.h"
#include "export/output.h"
#include "export/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- rods

// Values of edges at the nodes: the mean over the edges of each node, of which a network may have any number
// (node_count x components).
static void edges_to_nodes(const CordFrame* frame, const double* values, int components, double* at_nodes,
                           int* edges)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int j = 0; j < rod->edge_count; j++) {
            int nodes[2];
            cord_frame_ends(frame, r, j, nodes);
            for (int k = 0; k < 2; k++) {
                edges[nodes[k]]++;
                for (int c = 0; c < components; c++) {
                    at_nodes[nodes[k] * components + c] += values[(rod->first_edge + j) * components + c];
                }
            }
        }
    }
    for (int i = 0; i < frame->node_count; i++) {
        for (int c = 0; c < components && edges[i] > 0; c++) {
            at_nodes[i * components + c] /= edges[i];
        }
    }
}

// Section forces of the edges that meet in a network have no mean, because each is seen from its own edge.
static void forget_networks(const CordFrame* frame, int components, double* at_nodes)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int k = 0; rod->network && k < rod->node_count * components; k++) {
            at_nodes[rod->first_node * components + k] = NAN;
        }
    }
}

static bool array_edges(FILE* file, const Column* column, const CordFrame* frame)
{
    int width = column->width;
    double* at_nodes = calloc((size_t)frame->node_count * (size_t)width + 1, sizeof *at_nodes);
    int* edges = calloc((size_t)frame->node_count + 1, sizeof *edges);
    bool good = at_nodes && edges;
    if (good) {
        edges_to_nodes(frame, column_elements(column, frame), width, at_nodes, edges);
        if (width > 1) {
            forget_networks(frame, width, at_nodes);
        }
        vtk_array_floats(file, column->vtk, width, at_nodes, frame->node_count);
    }
    free(at_nodes);
    free(edges);
    return good;
}

// ---- cells: one for a chain, and one for each edge of a network

static int rod_cells(const CordFrameRod* rod)
{
    return rod->network ? rod->edge_count : 1;
}

static int frame_cells(const CordFrame* frame)
{
    int count = 0;
    for (int r = 0; r < frame->rod_count; r++) {
        count += rod_cells(&frame->rods[r]);
    }
    return count;
}

// A rod's values, repeated for each of its cells.
static void array_cells(FILE* file, const Column* column, const CordFrame* frame)
{
    const double* values = column_elements(column, frame);
    size_t size = (size_t)column->width * sizeof *values;
    VtkArray array =
        vtk_array_begin(file, "Float64", column->vtk, column->width, (size_t)frame_cells(frame) * size);
    for (int r = 0; r < frame->rod_count; r++) {
        for (int k = 0; k < rod_cells(&frame->rods[r]); k++) {
            base64_put(&array.text, values + r * column->width, size);
        }
    }
    vtk_array_end(&array);
}

// An edge's values for the cells of networks; NAN for the cells of chains.
static void array_network(FILE* file, const Column* column, const CordFrame* frame)
{
    char name[64];
    const double* values = column_elements(column, frame);
    size_t count = (size_t)frame_cells(frame) * (size_t)column->width;
    snprintf(name, sizeof name, "edge_%s", column->vtk);
    VtkArray array = vtk_array_begin(file, "Float32", name, column->width, count * sizeof(float));
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int k = 0; k < rod_cells(rod) * column->width; k++) {
            float value = rod->network ? (float)values[rod->first_edge * column->width + k] : NAN;
            base64_put(&array.text, &value, sizeof value);
        }
    }
    vtk_array_end(&array);
}

static void array_rods(FILE* file, const CordFrame* frame, bool at_nodes)
{
    size_t count = (size_t)(at_nodes ? frame->node_count : frame_cells(frame));
    VtkArray array = vtk_array_begin(file, "Int32", "rod", 1, count * sizeof(int32_t));
    for (int32_t r = 0; r < frame->rod_count; r++) {
        for (int i = 0; i < (at_nodes ? frame->rods[r].node_count : rod_cells(&frame->rods[r])); i++) {
            base64_put(&array.text, &r, sizeof r);
        }
    }
    vtk_array_end(&array);
}

static int rod_corners(const CordFrameRod* rod)
{
    return rod->network ? 2 * rod->edge_count : rod->edge_count + 1;
}

static void rod_connect(Base64* text, const CordFrame* frame, int r)
{
    const CordFrameRod* rod = &frame->rods[r];
    for (int k = 0; k < rod_corners(rod); k++) {
        int64_t point =
            rod->network ? frame->ends[2 * rod->first_edge + k] : rod->first_node + k % rod->node_count;
        base64_put(text, &point, sizeof point);
    }
}

// A chain is one polyline, which ends at its first point if it is closed. A network has a line for each edge.
static void array_lines(FILE* file, const CordFrame* frame)
{
    size_t count = 0;
    for (int r = 0; r < frame->rod_count; r++) {
        count += (size_t)rod_corners(&frame->rods[r]);
    }
    VtkArray array = vtk_array_begin(file, "Int64", "connectivity", 1, count * sizeof(int64_t));
    for (int r = 0; r < frame->rod_count; r++) {
        rod_connect(&array.text, frame, r);
    }
    vtk_array_end(&array);
    array = vtk_array_begin(file, "Int64", "offsets", 1, (size_t)frame_cells(frame) * sizeof(int64_t));
    int64_t end = 0;
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int k = 0; k < rod_cells(rod); k++) {
            end += rod->network ? 2 : rod_corners(rod);
            base64_put(&array.text, &end, sizeof end);
        }
    }
    vtk_array_end(&array);
}

static bool put_points(FILE* file, const CordFrame* frame)
{
    FrameShape shape = column_shape(frame);
    bool good = true;
    fputs("<PointData>\n", file);
    for (int c = 0; good && c < column_count; c++) {
        if (columns[c].vtk && column_has(&columns[c], &shape) && columns[c].row == ROW_NODE) {
            vtk_array_column(file, &columns[c], frame);
        } else if (columns[c].vtk && columns[c].row == ROW_EDGE) {
            good = array_edges(file, &columns[c], frame);
        }
    }
    array_rods(file, frame, true);
    fputs("</PointData>\n", file);
    return good;
}

static void put_cells(FILE* file, const CordFrame* frame)
{
    fputs("<CellData>\n", file);
    array_rods(file, frame, false);
    for (int c = 0; c < column_count; c++) {
        if (columns[c].vtk && columns[c].row == ROW_ROD) {
            array_cells(file, &columns[c], frame);
        } else if (columns[c].vtk && columns[c].row == ROW_EDGE && frame->ends) {
            array_network(file, &columns[c], frame);
        }
    }
    fputs("</CellData>\n", file);
}

static bool put_rods(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    (void)scope;
    vtk_put_piece(file,
                  &(VtkPiece){.time = frame->time, .points = frame->node_count, .lines = frame_cells(frame)});
    bool good = put_points(file, frame);
    put_cells(file, frame);
    fputs("<Points>\n", file);
    vtk_array_doubles(file, "points", 3, (const double*)frame->x, frame->node_count);
    fputs("</Points>\n<Lines>\n", file);
    array_lines(file, frame);
    fputs("</Lines>\n", file);
    vtk_put_end(file);
    return good;
}

// ---- contacts

static void array_contacts(FILE* file, const CordFrame* frame)
{
    VtkArray array =
        vtk_array_begin(file, "Float64", "points", 3, (size_t)frame->contact_count * sizeof(CordVec3));
    for (int i = 0; i < frame->contact_count; i++) {
        base64_put(&array.text, &frame->contacts[i].point, sizeof(CordVec3));
    }
    vtk_array_end(&array);
}

static void array_sequence(FILE* file, const char* name, int count, int64_t first)
{
    VtkArray array = vtk_array_begin(file, "Int64", name, 1, (size_t)count * sizeof(int64_t));
    for (int64_t i = first; i < first + count; i++) {
        base64_put(&array.text, &i, sizeof i);
    }
    vtk_array_end(&array);
}

static bool put_contact_points(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    (void)scope;
    int count = frame->contact_count;
    vtk_put_piece(file, &(VtkPiece){.time = frame->time, .points = count, .verts = count});
    fputs("<PointData Normals=\"normal\">\n", file);
    for (int c = 0; c < column_count; c++) {
        if (columns[c].row == ROW_CONTACT && columns[c].vtk) {
            vtk_array_column(file, &columns[c], frame);
        }
    }
    fputs("</PointData>\n<Points>\n", file);
    array_contacts(file, frame);
    fputs("</Points>\n<Verts>\n", file);
    array_sequence(file, "connectivity", count, 0);
    array_sequence(file, "offsets", count, 1);
    fputs("</Verts>\n", file);
    vtk_put_end(file);
    return true;
}

// ---- series

typedef struct Series {    // the files of rods, bodies, obstacles, surfaces or contacts
    const char* directory; // DIR/NAME
    const char* name;      // NAME, within directory
    const char* suffix;    // of both kinds of file: "", "_bodies", ...
    char* path;            // path of the file written last (path_size)
    size_t path_size;
    Output list; // DIR/NAME.pvd
    bool (*put)(FILE* file, const CordFrame* frame, const VtkScope* scope);
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
    vtk_put_head(s->list.file, "Collection");
    fputs("<Collection>\n", s->list.file);
    return CORD_OK;
}

// Lists the file written last as the frame at this time.
static void series_list(Series* s, double time)
{
    char text[NUMBER_TEXT_MOST];
    fprintf(s->list.file, "<DataSet timestep=\"%s\" part=\"0\" file=\"", number_text(time, text));
    put_escaped(s->list.file, s->name);
    putc('/', s->list.file);
    put_escaped(s->list.file, strrchr(s->path, '/') + 1);
    fputs("\"/>\n", s->list.file);
}

static CordResult series_put(Series* s, const CordFrame* frame, int index, double time, const VtkScope* scope,
                             CordMessage* message)
{
    Output out;
    snprintf(s->path, s->path_size, "%s/%s%s_%05d.vtp", s->directory, s->name, s->suffix, index);
    CORD_TRY(output_open(&out, s->path, message));
    if (!s->put(out.file, frame, scope)) {
        output_abandon(&out);
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surfaces of %d sides",
                           scope->sides);
    }
    CORD_TRY(output_close(&out, message));
    series_list(s, time);
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

static bool has_visible_bodies(const CordFrame* frame)
{
    for (int i = 0; i < frame->body_count; i++) {
        if (frame->bodies[i].solid.size.x > 0.0) {
            return true;
        }
    }
    return false;
}

// ---- the export

enum { SERIES_RODS, SERIES_BODIES, SERIES_OBSTACLES, SERIES_SURFACES, SERIES_CONTACTS, SERIES_COUNT };

typedef struct Moment {
    double place; // timestep in the list
    double time;  // [s]
} Moment;

typedef struct Export {
    Series series[SERIES_COUNT];
    VtkScope scope;
    int first;                    // index of the first frame
    Moment* moments;              // of the frames so far (frame count)
    CordFrameObstacle* obstacles; // poses in the file written last (obstacle_count)
    int obstacle_count;
} Export;

static CordResult export_put(Export* e, int series, const CordFrame* frame, int k, CordMessage* message)
{
    return series_put(&e->series[series], frame, e->first + k, e->moments[k].place, &e->scope, message);
}

static bool obstacles_stay(const Export* e, const CordFrame* frame)
{
    bool stay = e->series[SERIES_OBSTACLES].list.file && frame->obstacle_count == e->obstacle_count;
    for (int i = 0; stay && i < frame->obstacle_count; i++) {
        const CordFrameObstacle *last = &e->obstacles[i], *now = &frame->obstacles[i];
        stay = memcmp(&last->position, &now->position, sizeof now->position) == 0 &&
               memcmp(&last->rotation, &now->rotation, sizeof now->rotation) == 0;
    }
    return stay;
}

// While no obstacle moves, one file serves many frames.
static CordResult put_obstacles(Export* e, const CordFrame* frame, int k, CordMessage* message)
{
    Series* s = &e->series[SERIES_OBSTACLES];
    if (obstacles_stay(e, frame)) {
        series_list(s, e->moments[k].place);
        return CORD_OK;
    }
    size_t size = (size_t)frame->obstacle_count * sizeof *e->obstacles;
    CordFrameObstacle* list = realloc(e->obstacles, size + 1);
    if (!list) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for %d obstacles",
                           frame->obstacle_count);
    }
    e->obstacles = memcpy(list, frame->obstacles, size);
    e->obstacle_count = frame->obstacle_count;
    CORD_TRY(s->list.file ? CORD_OK : series_begin(s, message));
    return export_put(e, SERIES_OBSTACLES, frame, k, message);
}

// The series begins with the first contact; the frames before it get empty files.
static CordResult put_contacts(Export* e, const CordFrame* frame, int k, CordMessage* message)
{
    Series* s = &e->series[SERIES_CONTACTS];
    if (!s->list.file && frame->contact_count == 0) {
        return CORD_OK;
    }
    if (!s->list.file) {
        CORD_TRY(series_begin(s, message));
        for (int i = 0; i < k; i++) {
            CORD_TRY(export_put(e, SERIES_CONTACTS, &(CordFrame){.time = e->moments[i].time}, i, message));
        }
    }
    return export_put(e, SERIES_CONTACTS, frame, k, message);
}

static CordResult put_frame(Export* e, const CordFrame* frame, int k, CordMessage* message)
{
    Series *bodies = &e->series[SERIES_BODIES], *surfaces = &e->series[SERIES_SURFACES];
    if (k == 0) {
        CORD_TRY(frame->surface_count > 0 ? series_begin(surfaces, message) : CORD_OK);
        picture_bounds(frame, 1.0, &e->scope.low, &e->scope.high);
        CORD_TRY(has_visible_bodies(frame) ? series_begin(bodies, message) : CORD_OK);
    }
    CORD_TRY(export_put(e, SERIES_RODS, frame, k, message));
    CORD_TRY(bodies->list.file ? export_put(e, SERIES_BODIES, frame, k, message) : CORD_OK);
    CORD_TRY(surfaces->list.file ? export_put(e, SERIES_SURFACES, frame, k, message) : CORD_OK);
    CORD_TRY(frame->obstacle_count > 0 ? put_obstacles(e, frame, k, message) : CORD_OK);
    return put_contacts(e, frame, k, message);
}

static CordResult write_frames(Export* e, const CordFrames* frames, const CordExportDef* def,
                               CordMessage* message)
{
    // Along a branch time may decrease, which players cannot show, so the points are numbered instead.
    bool counted = frames->recording && cord_recording_is_branch(frames->recording);
    int total = def->last - def->first + 1;
    e->moments = calloc((size_t)total, sizeof *e->moments);
    if (!e->moments) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for the times of %d frames",
                           total);
    }
    for (int i = 0; i < total; i++) {
        CordFrame frame;
        CORD_TRY(frames->read(frames->user, e->first + i, &frame, message));
        e->moments[i] = (Moment){counted ? e->first + i : frame.time, frame.time};
        CORD_TRY(put_frame(e, &frame, i, message));
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

static CordResult write_all(const char* directory, const CordFrames* frames, const CordExportDef* def,
                            CordMessage* message)
{
    static const struct {
        const char* suffix;
        bool (*put)(FILE* file, const CordFrame* frame, const VtkScope* scope);
    } kinds[SERIES_COUNT] = {[SERIES_RODS] = {"", put_rods},
                             [SERIES_BODIES] = {"_bodies", vtk_put_bodies},
                             [SERIES_OBSTACLES] = {"_obstacles", vtk_put_obstacles},
                             [SERIES_SURFACES] = {"_surfaces", vtk_put_surfaces},
                             [SERIES_CONTACTS] = {"_contacts", put_contact_points}};
    Export e = {.first = def->first, .scope = {.sides = def->sides, .low = {1, 1, 1}, .high = {-1, -1, -1}}};
    for (int i = 0; i < SERIES_COUNT; i++) {
        e.series[i] = (Series){.directory = directory,
                               .name = output_folder_name(directory),
                               .suffix = kinds[i].suffix,
                               .put = kinds[i].put};
    }
    CordResult result = series_begin(&e.series[SERIES_RODS], message);
    if (result == CORD_OK) {
        result = output_folder_make(directory, message);
    }
    if (result == CORD_OK) {
        result = write_frames(&e, frames, def, message);
    }
    for (int i = SERIES_COUNT - 1; i >= 0; i--) {
        result = series_end(&e.series[i], result, message);
    }
    free(e.moments);
    free(e.obstacles);
    return result;
}

static CordResult vtk_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    char* directory;
    CORD_TRY(output_folder(def, ".pvd", &directory, message));
    CordResult result = write_all(directory, frames, def, message);
    free(directory);
    return result;
}

const ExportWriter export_vtk = {
    .format = {"vtk", "for ParaView: NAME.pvd to open (NAME_bodies.pvd, _obstacles, _surfaces, _contacts), "
                      "and a directory NAME"},
    .write = vtk_write,
};
