#include "export/description.h"

#include "export/mesh.h"

#include <cordage/adapt.h>
#include <cordage/ledger.h>
#include <cordage/surface.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TIES = CORD_SURFACE_TIES };
_Static_assert(sizeof(int) == sizeof(int32_t), "indices are int in frames and int32 in files");

const DescriptionTable description_tables[ITEM_COUNT] = {
    [SCENE_SETTING] = {"scene/settings", GROUP_SCENE, .rows = ROWS_NAMES},
    [ROD_NAME] = {"rods/name", GROUP_RODS, .rows = ROWS_NAMES},
    [ROD_CLOSED] = {"rods/closed", GROUP_RODS, ROWS_EACH, .type = HDF5_U8},
    [ROD_ADAPTIVE] = {"rods/adaptive", GROUP_RODS, ROWS_EACH, .type = HDF5_U8},
    [ROD_NETWORK] = {"rods/network", GROUP_RODS, ROWS_EACH, .type = HDF5_U8},
    [ROD_ENDS_OFFSET] = {"rods/ends_offset", GROUP_RODS, ROWS_OFFSETS, .type = HDF5_I64},
    [ROD_ENDS] = {"rods/ends", GROUP_RODS, ROWS_LISTED, .type = HDF5_I32, .row = {2},
                  .offsets = ROD_ENDS_OFFSET},
    [BODY_NAME] = {"bodies/name", GROUP_BODIES, .rows = ROWS_NAMES},
    [BODY_SHAPE] = {"bodies/shape", GROUP_BODIES, .rows = ROWS_NAMES},
    [BODY_SIZE] = {"bodies/size", GROUP_BODIES, ROWS_EACH, .type = HDF5_F64, .row = {3}, .unit = "m"},
    [OBSTACLE_NAME] = {"obstacles/name", GROUP_OBSTACLES, .rows = ROWS_NAMES},
    [OBSTACLE_SHAPE] = {"obstacles/shape", GROUP_OBSTACLES, .rows = ROWS_NAMES},
    [OBSTACLE_SIZE] = {"obstacles/size", GROUP_OBSTACLES, ROWS_EACH, .type = HDF5_F64, .row = {3},
                       .unit = "m"},
    [OBSTACLE_VERTEX_OFFSET] = {"obstacles/vertex_offset", GROUP_OBSTACLES, ROWS_OFFSETS, .type = HDF5_I64},
    [OBSTACLE_TRIANGLE_OFFSET] = {"obstacles/triangle_offset", GROUP_OBSTACLES, ROWS_OFFSETS,
                                  .type = HDF5_I64},
    [OBSTACLE_VERTICES] = {"obstacles/vertices", GROUP_OBSTACLES, ROWS_LISTED, .type = HDF5_F64, .row = {3},
                           .unit = "m", .offsets = OBSTACLE_VERTEX_OFFSET},
    [OBSTACLE_TRIANGLES] = {"obstacles/triangles", GROUP_OBSTACLES, ROWS_LISTED, .type = HDF5_I32, .row = {3},
                            .offsets = OBSTACLE_TRIANGLE_OFFSET},
    [SURFACE_NAME] = {"surfaces/name", GROUP_SURFACES, .rows = ROWS_NAMES},
    [SURFACE_ROD] = {"surfaces/rod", GROUP_SURFACES, ROWS_EACH, .type = HDF5_I32},
    [SURFACE_HIDES] = {"surfaces/hides", GROUP_SURFACES, ROWS_EACH, .type = HDF5_U8},
    [SURFACE_VERTEX_OFFSET] = {"surfaces/vertex_offset", GROUP_SURFACES, ROWS_OFFSETS, .type = HDF5_I64},
    [SURFACE_TRIANGLE_OFFSET] = {"surfaces/triangle_offset", GROUP_SURFACES, ROWS_OFFSETS, .type = HDF5_I64},
    [SURFACE_TRIANGLES] = {"surfaces/triangles", GROUP_SURFACES, ROWS_LISTED, .type = HDF5_I32, .row = {3},
                           .offsets = SURFACE_TRIANGLE_OFFSET},
    [SURFACE_TIE_EDGE] = {"surfaces/tie_edge", GROUP_SURFACES, ROWS_LISTED, .type = HDF5_I32, .row = {TIES},
                          .offsets = SURFACE_VERTEX_OFFSET},
    [SURFACE_TIE_WEIGHT] = {"surfaces/tie_weight", GROUP_SURFACES, ROWS_LISTED, .type = HDF5_F64,
                            .row = {TIES}, .offsets = SURFACE_VERTEX_OFFSET},
    [SURFACE_TIE_ALONG] = {"surfaces/tie_along", GROUP_SURFACES, ROWS_LISTED, .type = HDF5_F64, .row = {TIES},
                           .offsets = SURFACE_VERTEX_OFFSET},
    [SURFACE_TIE_OFFSET] = {"surfaces/tie_offset", GROUP_SURFACES, ROWS_LISTED, .type = HDF5_F64,
                            .row = {TIES, 3}, .unit = "m", .offsets = SURFACE_VERTEX_OFFSET},
    [PROBE_NAME] = {"steps/probe_name", GROUP_PROBES, .rows = ROWS_NAMES},
    [PROBE_MEASURE] = {"steps/probe_measure", GROUP_PROBES, .rows = ROWS_NAMES},
    [LEDGER_NAME] = {"ledger/name", GROUP_LEDGER, .rows = ROWS_NAMES},
    [LEDGER_KIND] = {"ledger/kind", GROUP_LEDGER, .rows = ROWS_NAMES},
};

static const struct {
    const char* name;
    DescriptionItem first; // the names of its elements
} groups[GROUP_COUNT + 1] = {
    [GROUP_SCENE] = {"settings", SCENE_SETTING},
    [GROUP_RODS] = {"rods", ROD_NAME},
    [GROUP_BODIES] = {"bodies", BODY_NAME},
    [GROUP_OBSTACLES] = {"obstacles", OBSTACLE_NAME},
    [GROUP_SURFACES] = {"surfaces", SURFACE_NAME},
    [GROUP_PROBES] = {"probes", PROBE_NAME},
    [GROUP_LEDGER] = {"entries of the ledger", LEDGER_NAME},
    [GROUP_COUNT] = {"", ITEM_COUNT},
};

const char* description_group_name(DescriptionGroup group)
{
    return groups[group].name;
}

static int row_width(DescriptionItem item) // numbers
{
    const int* row = description_tables[item].row;
    return (row[0] > 0 ? row[0] : 1) * (row[1] > 0 ? row[1] : 1);
}

static size_t row_size(DescriptionItem item) // [bytes]
{
    const DescriptionTable* table = &description_tables[item];
    return table->rows == ROWS_NAMES ? sizeof(char*) : (size_t)row_width(item) * hdf5_type_size(table->type);
}

static void* rows_alloc(Description* d, DescriptionItem item, int64_t count)
{
    d->count[item] = count;
    d->rows[item] = calloc((size_t)count + 1, row_size(item));
    return d->rows[item];
}

void description_free(Description* d)
{
    for (int item = 0; item < ITEM_COUNT; item++) {
        free(d->rows[item]);
        hdf5_names_free(&d->text[item]);
    }
    free(d->scene_text);
    free(d->scene_path);
    *d = (Description){0};
}

// ---- from a world

static bool gather_scene(Description* d, const CordScene* scene)
{
    const char* text = scene ? cord_scene_text(scene, &d->scene_size) : "";
    const char* path = scene && cord_scene_path(scene) ? cord_scene_path(scene) : "";
    int count = scene ? cord_scene_setting_count(scene) : 0;
    const char** setting = rows_alloc(d, SCENE_SETTING, count);
    d->scene_text = calloc(d->scene_size + 1, 1);
    d->scene_path = strdup(path);
    if (!setting || !d->scene_text || !d->scene_path) {
        return false;
    }
    memcpy(d->scene_text, text, d->scene_size);
    for (int i = 0; i < count; i++) {
        setting[i] = cord_scene_setting(scene, i);
    }
    return true;
}

static bool gather_rods(Description* d, const CordFrame* frame)
{
    int count = frame->rod_count;
    const char** name = rows_alloc(d, ROD_NAME, count);
    uint8_t *closed = rows_alloc(d, ROD_CLOSED, count), *adaptive = rows_alloc(d, ROD_ADAPTIVE, count);
    uint8_t* network = rows_alloc(d, ROD_NETWORK, count);
    if (!name || !closed || !adaptive || !network) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        name[i] = frame->rods[i].name;
        closed[i] = frame->rods[i].closed;
        adaptive[i] = frame->adapt && frame->adapt[i].made_with > 0;
        network[i] = frame->rods[i].network;
    }
    return true;
}

static bool gather_ends(Description* d, const CordFrame* frame)
{
    int64_t* offset = frame->ends ? rows_alloc(d, ROD_ENDS_OFFSET, frame->rod_count + 1) : NULL;
    for (int i = 0; offset && i < frame->rod_count; i++) {
        offset[i + 1] = offset[i] + (frame->rods[i].network ? frame->rods[i].edge_count : 0);
    }
    int32_t* ends = offset ? rows_alloc(d, ROD_ENDS, offset[frame->rod_count]) : NULL;
    for (int i = 0; ends && i < frame->rod_count; i++) {
        const CordFrameRod* rod = &frame->rods[i];
        for (int k = 0; rod->network && k < 2 * rod->edge_count; k++) {
            ends[2 * offset[i] + k] = frame->ends[2 * rod->first_edge + k] - rod->first_node;
        }
    }
    return ends || !frame->ends;
}

// Bodies or obstacles: the items of their names, shapes and sizes follow each other.
static bool gather_solids(Description* d, DescriptionItem names, const CordFrame* frame, int first, int count)
{
    const char **name = rows_alloc(d, names, count), **shape = rows_alloc(d, names + 1, count);
    CordVec3* size = count > 0 ? rows_alloc(d, names + 2, count) : NULL;
    if (!name || !shape || (count > 0 && !size)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        CordFrameObstacle solid = solid_of_frame(frame, first + i);
        name[i] = solid.name;
        shape[i] = solid_kind(&solid)->name;
        size[i] = solid.solid.size;
    }
    return true;
}

static bool gather_meshes(Description* d, const CordFrame* frame)
{
    int count = frame->obstacle_count;
    int64_t *vertex = rows_alloc(d, OBSTACLE_VERTEX_OFFSET, count + 1),
            *triangle = rows_alloc(d, OBSTACLE_TRIANGLE_OFFSET, count + 1);
    if (!vertex || !triangle) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        vertex[i + 1] = vertex[i] + frame->obstacles[i].solid.mesh.vertex_count;
        triangle[i + 1] = triangle[i] + frame->obstacles[i].solid.mesh.triangle_count;
    }
    CordVec3* vertices = rows_alloc(d, OBSTACLE_VERTICES, vertex[count]);
    int32_t* triangles = rows_alloc(d, OBSTACLE_TRIANGLES, triangle[count]);
    for (int i = 0; vertices && triangles && i < count; i++) {
        const CordSolidMesh* mesh = &frame->obstacles[i].solid.mesh;
        if (mesh->vertex_count > 0) {
            memcpy(vertices + vertex[i], mesh->vertices, (size_t)mesh->vertex_count * sizeof *vertices);
        }
        if (mesh->triangle_count > 0) {
            memcpy(triangles + 3 * triangle[i], mesh->triangles,
                   3 * (size_t)mesh->triangle_count * sizeof *triangles);
        }
    }
    return vertices && triangles;
}

static bool gather_surface_lists(Description* d, const CordFrame* frame)
{
    const int64_t *vertex = d->rows[SURFACE_VERTEX_OFFSET], *triangle = d->rows[SURFACE_TRIANGLE_OFFSET];
    int64_t vertices = vertex[frame->surface_count];
    int32_t* triangles = rows_alloc(d, SURFACE_TRIANGLES, triangle[frame->surface_count]);
    int32_t* edge = rows_alloc(d, SURFACE_TIE_EDGE, vertices);
    double *weight = rows_alloc(d, SURFACE_TIE_WEIGHT, vertices),
           *along = rows_alloc(d, SURFACE_TIE_ALONG, vertices);
    CordVec3* offset = rows_alloc(d, SURFACE_TIE_OFFSET, vertices);
    if (!triangles || !edge || !weight || !along || !offset) {
        return false;
    }
    for (int i = 0; i < frame->surface_count; i++) {
        const CordFrameSurface* from = &frame->surfaces[i];
        for (int k = 0; k < 3 * from->triangle_count; k++) {
            triangles[3 * triangle[i] + k] = from->triangles[k];
        }
        for (int k = 0; k < TIES * from->vertex_count; k++) {
            edge[TIES * vertex[i] + k] = from->ties[k].edge;
            weight[TIES * vertex[i] + k] = from->ties[k].weight;
            along[TIES * vertex[i] + k] = from->ties[k].along;
            offset[TIES * vertex[i] + k] = from->ties[k].offset;
        }
    }
    return true;
}

static bool gather_surfaces(Description* d, const CordFrame* frame)
{
    int count = frame->surface_count;
    const char** name = rows_alloc(d, SURFACE_NAME, count);
    if (!name || count == 0) {
        return name != NULL;
    }
    int32_t* rod = rows_alloc(d, SURFACE_ROD, count);
    uint8_t* hides = rows_alloc(d, SURFACE_HIDES, count);
    int64_t *vertex = rows_alloc(d, SURFACE_VERTEX_OFFSET, count + 1),
            *triangle = rows_alloc(d, SURFACE_TRIANGLE_OFFSET, count + 1);
    if (!rod || !hides || !vertex || !triangle) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const CordFrameSurface* from = &frame->surfaces[i];
        name[i] = from->name;
        rod[i] = from->rod;
        hides[i] = from->hides;
        vertex[i + 1] = vertex[i] + from->vertex_count;
        triangle[i + 1] = triangle[i] + from->triangle_count;
    }
    return gather_surface_lists(d, frame);
}

static bool gather_probes(Description* d, const CordWorld* world)
{
    int count = cord_world_probe_count(world);
    const char **name = rows_alloc(d, PROBE_NAME, count), **measure = rows_alloc(d, PROBE_MEASURE, count);
    for (int i = 0; name && measure && i < count; i++) {
        CordProbeId probe = cord_world_probe(world, i);
        name[i] = cord_probe_name(world, probe);
        measure[i] = cord_measure_name(cord_probe_measure(world, probe));
    }
    return name && measure;
}

static bool gather_ledger(Description* d, const CordFrame* frame)
{
    const char **name = rows_alloc(d, LEDGER_NAME, frame->ledger_count),
               **kind = rows_alloc(d, LEDGER_KIND, frame->ledger_count);
    for (int i = 0; name && kind && i < frame->ledger_count; i++) {
        name[i] = frame->ledger[i].name;
        kind[i] = cord_ledger_kind_name(frame->ledger[i].kind);
    }
    return name && kind;
}

bool description_gather(Description* d, const CordRecorderDef* def, const CordFrame* frame,
                        const CordWorld* world)
{
    *d = (Description){.branch = def->branch};
    bool good = gather_scene(d, def->scene) && gather_rods(d, frame) && gather_ends(d, frame) &&
                gather_solids(d, BODY_NAME, frame, 0, frame->body_count) &&
                gather_solids(d, OBSTACLE_NAME, frame, frame->body_count, frame->obstacle_count) &&
                (frame->obstacle_count == 0 || gather_meshes(d, frame)) && gather_surfaces(d, frame) &&
                gather_probes(d, world) && gather_ledger(d, frame);
    if (!good) {
        description_free(d);
    }
    return good;
}

// ---- from a file

static int group_count(const Description* d, DescriptionGroup group) // elements
{
    return (int)d->count[groups[group].first];
}

// A group without elements has its strings alone, and only networks have ends.
static bool is_expected(const Description* d, DescriptionItem item)
{
    const DescriptionTable* table = &description_tables[item];
    bool networks = false;
    if (table->rows == ROWS_NAMES) {
        return true;
    }
    for (int i = 0; d->rows[ROD_NETWORK] && i < group_count(d, GROUP_RODS); i++) {
        networks = networks || description_mark(d, ROD_NETWORK, i);
    }
    return group_count(d, table->group) > 0 && (networks || (item != ROD_ENDS_OFFSET && item != ROD_ENDS));
}

static int64_t expected_rows(const Description* d, DescriptionItem item)
{
    const DescriptionTable* table = &description_tables[item];
    int count = group_count(d, table->group);
    return table->rows == ROWS_OFFSETS  ? count + 1
           : table->rows == ROWS_LISTED ? ((const int64_t*)d->rows[table->offsets])[count]
                                        : count;
}

static bool read_names(Description* d, Hdf5File* file, DescriptionItem item)
{
    Hdf5Names* text = &d->text[item];
    DescriptionGroup group = description_tables[item].group;
    if (!hdf5_names_read(file, description_tables[item].name, text) ||
        (item != groups[group].first && text->count != group_count(d, group)) ||
        !rows_alloc(d, item, text->count)) {
        return false;
    }
    for (int i = 0; i < text->count; i++) {
        ((const char**)d->rows[item])[i] = hdf5_name(text, i);
    }
    return true;
}

static bool offsets_fit(const int64_t* offsets, int count) // they begin at 0 and never decrease
{
    bool fit = offsets[0] == 0;
    for (int i = 0; i < count; i++) {
        fit = fit && offsets[i] <= offsets[i + 1];
    }
    return fit;
}

static bool read_table(Description* d, Hdf5File* file, DescriptionItem item)
{
    const DescriptionTable* def = &description_tables[item];
    int width = row_width(item);
    Hdf5Table table;
    if (!hdf5_table_open(file, def->name, def->type, &table) || hdf5_row_size(&table) != width ||
        table.rows != expected_rows(d, item) || table.rows >= INT_MAX / (width > 3 ? width : 3) ||
        !rows_alloc(d, item, table.rows) || !hdf5_table_read(file, &table, 0, table.rows, d->rows[item])) {
        return false;
    }
    return def->rows != ROWS_OFFSETS || offsets_fit(d->rows[item], group_count(d, def->group));
}

static bool shapes_fit(const Description* d, DescriptionItem shapes, bool bodies)
{
    for (int i = 0; i < d->count[shapes]; i++) {
        CordSolidShape shape;
        if (!cord_solid_named(description_name(d, shapes, i), &shape) ||
            (bodies && !cord_solid_kind((int)shape)->can_be_body)) {
            return false;
        }
    }
    return true;
}

static bool none_negative(const Description* d, DescriptionItem item)
{
    const int32_t* values = d->rows[item];
    for (int64_t k = 0; values && k < d->count[item] * row_width(item); k++) {
        if (values[k] < 0) {
            return false;
        }
    }
    return true;
}

// Are the corners of all triangles among the vertices of their own obstacle or surface?
static bool triangles_fit(const Description* d, DescriptionItem item, DescriptionItem vertex_offset)
{
    const int64_t *triangle = d->rows[description_tables[item].offsets], *vertex = d->rows[vertex_offset];
    const int32_t* corner = d->rows[item];
    for (int i = 0; triangle && i < group_count(d, description_tables[item].group); i++) {
        for (int64_t k = 3 * triangle[i]; k < 3 * triangle[i + 1]; k++) {
            if (corner[k] < 0 || corner[k] >= vertex[i + 1] - vertex[i]) {
                return false;
            }
        }
    }
    return true;
}

static bool surfaces_fit(const Description* d)
{
    const int32_t* rod = d->rows[SURFACE_ROD];
    for (int i = 0; i < group_count(d, GROUP_SURFACES); i++) {
        if (rod[i] < 0 || rod[i] >= group_count(d, GROUP_RODS) || description_mark(d, ROD_ADAPTIVE, rod[i])) {
            return false;
        }
    }
    return none_negative(d, SURFACE_TIE_EDGE) && triangles_fit(d, SURFACE_TRIANGLES, SURFACE_VERTEX_OFFSET);
}

static bool group_fits(const Description* d, DescriptionGroup group)
{
    switch (group) {
    case GROUP_RODS: return group_count(d, GROUP_RODS) > 0 && none_negative(d, ROD_ENDS);
    case GROUP_BODIES: return shapes_fit(d, BODY_SHAPE, true);
    case GROUP_OBSTACLES:
        return shapes_fit(d, OBSTACLE_SHAPE, false) &&
               triangles_fit(d, OBSTACLE_TRIANGLES, OBSTACLE_VERTEX_OFFSET);
    case GROUP_SURFACES: return surfaces_fit(d);
    case GROUP_SCENE:
    case GROUP_PROBES:
    case GROUP_LEDGER:
    case GROUP_COUNT: break;
    }
    return true;
}

// Is the recording one of a run or of a branch, and what was its scene?
static bool read_scene(Description* d, Hdf5File* file)
{
    char kind[16];
    size_t size;
    if (!hdf5_attribute_read(file, "/", "kind", kind, sizeof kind) ||
        !hdf5_text_read(file, "scene/text", &d->scene_text, &d->scene_size) ||
        !hdf5_text_read(file, "scene/path", &d->scene_path, &size)) {
        return false;
    }
    d->branch = strcmp(kind, layout_kind(true)) == 0;
    return true;
}

DescriptionGroup description_read(Description* d, Hdf5File* file)
{
    *d = (Description){0};
    if (!read_scene(d, file)) {
        return GROUP_SCENE;
    }
    for (int group = 0; group < GROUP_COUNT; group++) {
        bool good = true;
        for (int item = (int)groups[group].first; good && item < (int)groups[group + 1].first; item++) {
            DescriptionItem i = (DescriptionItem)item;
            good = !is_expected(d, i) || (description_tables[i].rows == ROWS_NAMES ? read_names(d, file, i)
                                                                                   : read_table(d, file, i));
        }
        if (!good || !group_fits(d, (DescriptionGroup)group)) {
            return (DescriptionGroup)group;
        }
    }
    return GROUP_COUNT;
}

// ---- checksums and comparison

static uint64_t item_check(const Description* d, DescriptionItem item, uint64_t check)
{
    const DescriptionTable* table = &description_tables[item];
    if (table->rows != ROWS_NAMES) {
        return layout_check_rows(check, table->type, d->rows[item],
                                 (size_t)d->count[item] * (size_t)row_width(item));
    }
    for (int i = 0; i < d->count[item]; i++) {
        const char* name = description_name(d, item, i);
        check = layout_check_text(check, name, strlen(name));
    }
    return check;
}

uint64_t description_check(const Description* d)
{
    const char* kind = layout_kind(d->branch);
    uint64_t check = layout_check_text(LAYOUT_CHECK, kind, strlen(kind));
    check = layout_check_text(check, d->scene_text, d->scene_size);
    check = layout_check_text(check, d->scene_path, strlen(d->scene_path));
    for (int group = 0; group < GROUP_COUNT; group++) {
        // The obstacles and the surfaces each have a checksum of their own, which counts as one number.
        bool own = group == GROUP_OBSTACLES || group == GROUP_SURFACES;
        uint64_t sum = own ? LAYOUT_CHECK : check;
        for (int item = (int)groups[group].first; item < (int)groups[group + 1].first; item++) {
            sum = d->rows[item] ? item_check(d, (DescriptionItem)item, sum) : sum;
        }
        check = own ? layout_check_rows(check, HDF5_U64, &sum, 1) : sum;
    }
    return check;
}

static bool items_equal(const Description* a, const Description* b, DescriptionItem item)
{
    if (!a->rows[item] != !b->rows[item] || a->count[item] != b->count[item]) {
        return false;
    }
    if (description_tables[item].rows != ROWS_NAMES) {
        return !a->rows[item] ||
               memcmp(a->rows[item], b->rows[item], (size_t)a->count[item] * row_size(item)) == 0;
    }
    bool equal = true;
    for (int i = 0; equal && i < a->count[item]; i++) {
        equal = strcmp(description_name(a, item, i), description_name(b, item, i)) == 0;
    }
    return equal;
}

DescriptionGroup description_compare(const Description* a, const Description* b)
{
    for (int item = 0; item < ITEM_COUNT; item++) {
        if (!items_equal(a, b, (DescriptionItem)item)) {
            return description_tables[item].group;
        }
    }
    return GROUP_COUNT;
}
