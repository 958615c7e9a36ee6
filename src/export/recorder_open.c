#include "export/export.h"
#include "export/recorder.h"

#include <cordage/adapt.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- chunks

#define CHUNK_LEAST 4096
#define CHUNK_SMALL 16384 // rewritten whole with every frame, so not larger without need
#define CHUNK_REWRITTEN (256 << 10)
#define CHUNK_COMPRESSED (4 << 20)
#define CONTACTS_PER_EDGE 8.0     // twice those of a dense pile
#define COMPRESS_LEAST (16 << 10) // below, what compression saves goes into filling up pages

typedef struct ChunkPlan {
    double frames;       // expected in all
    double probe_rows;   // likewise
    double nodes, edges; // of a frame
    bool adaptive;       // so many at the most, and another number in each frame
    size_t state_size;
} ChunkPlan;

static bool rod_is_adaptive(const CordFrame* frame, int rod)
{
    return frame->adapt && frame->adapt[rod].made_with > 0;
}

static ChunkPlan plan_make(const CordRecorderDef* def, CordWorld* world, const CordFrame* frame)
{
    ChunkPlan plan = {.frames = HDF5_CHUNKS_MOST, .probe_rows = 1e6};
    if (def->branch) { // its points come as they do: some hundreds
        plan.frames = plan.probe_rows = 500;
    } else if (def->scene) {
        const CordSceneRun* run = cord_scene_run(def->scene);
        double step = run->step > 0.0 ? run->step : 0.5 * cord_world_step_advice(world).step;
        plan.frames = fmax(1.0, fmin(run->end * run->fps + 1.0, 1e9));
        plan.probe_rows = fmax(1.0, fmin(run->end / step, 1e12));
    }
    plan.adaptive = column_shape(frame).adaptive;
    for (int i = 0; i < frame->rod_count; i++) {
        const CordFrameRod* rod = &frame->rods[i];
        int more = rod_is_adaptive(frame, i) ? frame->adapt[i].finest - rod->node_count : 0;
        plan.nodes += rod->node_count + more;
        plan.edges += rod->edge_count + more;
    }
    plan.state_size = cord_world_state_size(world);
    return plan;
}

// A table that gets `rows` of `row_bytes` at a time, `times` times. Large additions are compressed, a chunk
// each, so that every chunk is written once. Small ones share chunks, which are rewritten in place as they
// fill: not compressed, since a compressed chunk that grows would leave its old copy in the file.
static void plan_chunks(double rows, double row_bytes, double times, Hdf5TableDef* def)
{
    double bytes = fmax(1.0, rows) * row_bytes;
    double least = bytes * times / HDF5_CHUNKS_MOST;
    def->compress = bytes >= COMPRESS_LEAST && least <= bytes;
    if (def->compress) {
        double pieces = ceil(bytes / fmax(CHUNK_COMPRESSED, least));
        def->chunk_rows = (int64_t)ceil(rows / pieces);
    } else {
        double whole = fmin(fmax(bytes * times, CHUNK_LEAST), CHUNK_SMALL);
        double chunk = fmin(fmax(whole, least), CHUNK_REWRITTEN);
        def->chunk_rows = (int64_t)fmax(1.0, floor(chunk / row_bytes));
    }
}

static void plan_table(const ChunkPlan* plan, LayoutRow per, Hdf5TableDef* def)
{
    double row_bytes = (double)hdf5_type_size(def->type) * fmax(1, def->row[0]) * fmax(1, def->row[1]);
    double rows = per == PER_NODE           ? plan->nodes
                  : per == PER_EDGE         ? plan->edges
                  : per == PER_CONTACT      ? CONTACTS_PER_EDGE * plan->edges
                  : per == PER_STATE_BYTE   ? (double)plan->state_size
                  : per == PER_FAILURE_BYTE ? sizeof(CordMessage)
                                            : 1.0;
    bool varies = per == PER_CONTACT || (plan->adaptive && (per == PER_NODE || per == PER_EDGE));
    if (varies) { // nobody knows how many: small chunks, as far as the most that may come allow
        double most = row_bytes * rows * plan->frames;
        double chunk = fmin(fmax(CHUNK_LEAST, most / HDF5_CHUNKS_MOST), CHUNK_REWRITTEN);
        def->chunk_rows = (int64_t)fmax(1.0, floor(chunk / row_bytes));
        return;
    }
    plan_chunks(rows, row_bytes, plan->frames, def);
}

// ---- tables

static bool put_text(CordRecorder* rec, const char* name, const char* text, size_t size)
{
    rec->check = layout_check_text(rec->check, text, size);
    return hdf5_text_write(&rec->file, name, text, size);
}

bool recorder_put_names(CordRecorder* rec, const char* name, const char* const* names, int count)
{
    for (int i = 0; i < count; i++) {
        rec->check = layout_check_text(rec->check, names[i], strlen(names[i]));
    }
    return hdf5_names_write(&rec->file, name, names, count);
}

static bool file_make_table(CordRecorder* rec, const ChunkPlan* plan, int table, const LayoutDef* layout)
{
    Hdf5TableDef def = {.name = layout->name,
                        .type = layout->type,
                        .row = {layout->row[0], layout->row[1]},
                        .unit = layout->unit};
    plan_table(plan, layout->per, &def);
    if (table == TABLE_SNAPSHOT_BYTES && def.compress) {
        rec->snapshot_chunk = (size_t)def.chunk_rows;
    }
    bool many = layout->row[0] > 0; // labels of several numbers, or of the values of one
    return hdf5_table_create(&rec->file, &def, &rec->tables[table]) &&
           (!layout->labels ||
            hdf5_attribute_write(&rec->file, def.name, many ? "columns" : "codes", layout->labels));
}

static bool file_make_tables(CordRecorder* rec, const ChunkPlan* plan)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        LayoutDef def;
        if (layout_def(&rec->shape, i, &def) && !file_make_table(rec, plan, i, &def)) {
            return false;
        }
    }
    Hdf5File* f = &rec->file;
    return hdf5_record_create(f, "counts", COUNT_COUNT, &rec->counts) &&
           hdf5_attribute_write(f, "counts", "columns",
                                "frames probe_rows snapshots file_bytes complete checksum");
}

bool recorder_put_table(CordRecorder* rec, Hdf5TableDef def, const void* rows, int64_t count)
{
    size_t width = (size_t)(def.row[0] > 0 ? def.row[0] : 1) * (size_t)(def.row[1] > 0 ? def.row[1] : 1);
    Hdf5Table table;
    plan_chunks((double)count, (double)(width * hdf5_type_size(def.type)), 1.0, &def);
    def.chunk_rows = def.compress ? def.chunk_rows : (int64_t)fmax(1.0, (double)count);
    rec->check = layout_check_rows(rec->check, def.type, rows, (size_t)count * width);
    return hdf5_table_create(&rec->file, &def, &table) && hdf5_table_append(&rec->file, &table, rows, count);
}

static bool file_make_rods(CordRecorder* rec, const CordFrame* frame)
{
    int count = rec->shape.frame.rod_count;
    const char** names = calloc((size_t)count, sizeof *names);
    uint8_t* closed = calloc((size_t)count, 1);
    uint8_t* adaptive = calloc((size_t)count, 1);
    bool good = names && closed && adaptive;
    for (int i = 0; good && i < count; i++) {
        names[i] = frame->rods[i].name;
        closed[i] = frame->rods[i].closed;
        adaptive[i] = rod_is_adaptive(frame, i);
    }
    good = good && recorder_put_names(rec, "rods/name", names, count) &&
           recorder_put_table(rec, (Hdf5TableDef){.name = "rods/closed", .type = HDF5_U8}, closed, count) &&
           recorder_put_table(rec, (Hdf5TableDef){.name = "rods/adaptive", .type = HDF5_U8}, adaptive, count);
    free(names);
    free(closed);
    free(adaptive);
    return good;
}

// The two nodes of each edge of every network, counted within their rod: they stay the same.
static bool file_make_networks(CordRecorder* rec, const CordFrame* frame)
{
    int count = rec->shape.frame.rod_count;
    uint8_t* network = calloc((size_t)count, 1);
    int64_t* offset = calloc((size_t)count + 1, sizeof *offset);
    int32_t* ends = malloc(sizeof *ends * (2 * (size_t)frame->edge_count + 1));
    bool good = network && offset && ends;
    for (int i = 0; good && i < count; i++) {
        const CordFrameRod* rod = &frame->rods[i];
        network[i] = rod->network;
        offset[i + 1] = offset[i] + (rod->network ? rod->edge_count : 0);
        for (int k = 0; rod->network && k < 2 * rod->edge_count; k++) {
            ends[2 * offset[i] + k] = frame->ends[2 * rod->first_edge + k] - rod->first_node;
        }
    }
    good = good &&
           recorder_put_table(rec, (Hdf5TableDef){.name = "rods/network", .type = HDF5_U8}, network, count);
    if (good && frame->ends) {
        Hdf5TableDef offsets = {.name = "rods/ends_offset", .type = HDF5_I64};
        Hdf5TableDef rows = {.name = "rods/ends", .type = HDF5_I32, .row = {2}};
        good = recorder_put_table(rec, offsets, offset, count + 1) &&
               recorder_put_table(rec, rows, ends, offset[count]);
    }
    free(network);
    free(offset);
    free(ends);
    return good;
}

static bool file_make_bodies(CordRecorder* rec, const CordFrame* frame)
{
    size_t count = (size_t)rec->shape.frame.body_count;
    const char** names = calloc(count + 1, sizeof *names);
    const char** shapes = calloc(count + 1, sizeof *shapes);
    CordVec3* sizes = calloc(count + 1, sizeof *sizes);
    bool good = names && shapes && sizes;
    for (size_t i = 0; good && i < count; i++) {
        names[i] = frame->bodies[i].name;
        shapes[i] = cord_solid_kind((int)frame->bodies[i].solid.shape)->name;
        sizes[i] = frame->bodies[i].solid.size;
    }
    Hdf5TableDef def = {.name = "bodies/size", .type = HDF5_F64, .row = {3}, .unit = "m"};
    good = good && recorder_put_names(rec, "bodies/name", names, rec->shape.frame.body_count) &&
           recorder_put_names(rec, "bodies/shape", shapes, rec->shape.frame.body_count);
    good = good && (count == 0 || recorder_put_table(rec, def, sizes, rec->shape.frame.body_count));
    free(names);
    free(shapes);
    free(sizes);
    return good;
}

typedef struct MeshRows {                     // of all obstacles, one after the other
    int64_t *vertex_offset, *triangle_offset; // (obstacle_count + 1)
    CordVec3* vertices;
    int32_t* triangles; // three vertices each, counted within their mesh
} MeshRows;

static bool meshes_gather(MeshRows* m, const CordFrame* frame)
{
    size_t count = (size_t)frame->obstacle_count, vertices = 0, triangles = 0;
    m->vertex_offset = calloc(count + 1, sizeof *m->vertex_offset);
    m->triangle_offset = calloc(count + 1, sizeof *m->triangle_offset);
    for (size_t i = 0; m->vertex_offset && m->triangle_offset && i < count; i++) {
        m->vertex_offset[i + 1] = (int64_t)(vertices += (size_t)frame->obstacles[i].solid.mesh.vertex_count);
        m->triangle_offset[i + 1] =
            (int64_t)(triangles += (size_t)frame->obstacles[i].solid.mesh.triangle_count);
    }
    m->vertices = calloc(vertices + 1, sizeof *m->vertices);
    m->triangles = calloc(3 * triangles + 1, sizeof *m->triangles);
    if (!m->vertex_offset || !m->triangle_offset || !m->vertices || !m->triangles) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const CordSolidMesh* mesh = &frame->obstacles[i].solid.mesh;
        for (int k = 0; k < mesh->vertex_count; k++) {
            m->vertices[m->vertex_offset[i] + k] = mesh->vertices[k];
        }
        for (int k = 0; k < 3 * mesh->triangle_count; k++) {
            m->triangles[3 * m->triangle_offset[i] + k] = mesh->triangles[k];
        }
    }
    return true;
}

static bool file_make_meshes(CordRecorder* rec, const CordFrame* frame)
{
    MeshRows m = {0};
    int count = rec->shape.frame.obstacle_count;
    bool good = meshes_gather(&m, frame);
    good =
        good &&
        recorder_put_table(rec, (Hdf5TableDef){.name = "obstacles/vertex_offset", .type = HDF5_I64},
                           m.vertex_offset, count + 1) &&
        recorder_put_table(rec, (Hdf5TableDef){.name = "obstacles/triangle_offset", .type = HDF5_I64},
                           m.triangle_offset, count + 1) &&
        recorder_put_table(
            rec, (Hdf5TableDef){.name = "obstacles/vertices", .type = HDF5_F64, .row = {3}, .unit = "m"},
            m.vertices, m.vertex_offset[count]) &&
        recorder_put_table(rec, (Hdf5TableDef){.name = "obstacles/triangles", .type = HDF5_I32, .row = {3}},
                           m.triangles, m.triangle_offset[count]);
    free(m.vertex_offset);
    free(m.triangle_offset);
    free(m.vertices);
    free(m.triangles);
    return good;
}

// Their checksum is one of its own, and counts as one number.
static bool file_make_obstacles(CordRecorder* rec, const CordFrame* frame)
{
    uint64_t before = rec->check;
    rec->check = LAYOUT_CHECK;
    size_t count = (size_t)rec->shape.frame.obstacle_count;
    const char** names = calloc(count + 1, sizeof *names);
    const char** shapes = calloc(count + 1, sizeof *shapes);
    CordVec3* sizes = calloc(count + 1, sizeof *sizes);
    bool good = names && shapes && sizes;
    for (size_t i = 0; good && i < count; i++) {
        names[i] = frame->obstacles[i].name;
        shapes[i] = cord_solid_kind((int)frame->obstacles[i].solid.shape)->name;
        sizes[i] = frame->obstacles[i].solid.size;
    }
    good = good && recorder_put_names(rec, "obstacles/name", names, rec->shape.frame.obstacle_count) &&
           recorder_put_names(rec, "obstacles/shape", shapes, rec->shape.frame.obstacle_count);
    if (good && count > 0) {
        Hdf5TableDef def = {.name = "obstacles/size", .type = HDF5_F64, .row = {3}, .unit = "m"};
        good = recorder_put_table(rec, def, sizes, rec->shape.frame.obstacle_count) &&
               file_make_meshes(rec, frame);
    }
    rec->check = layout_check_u64(before, &rec->check, 1);
    free(names);
    free(shapes);
    free(sizes);
    return good;
}

static bool file_make_scene(CordRecorder* rec, const CordScene* scene)
{
    size_t size = 0;
    const char* text = scene ? cord_scene_text(scene, &size) : "";
    const char* path = scene && cord_scene_path(scene) ? cord_scene_path(scene) : "";
    int count = scene ? cord_scene_setting_count(scene) : 0;
    const char** settings = calloc((size_t)count + 1, sizeof *settings);
    for (int i = 0; settings && i < count; i++) {
        settings[i] = cord_scene_setting(scene, i);
    }
    Hdf5File* f = &rec->file;
    char version[16];
    snprintf(version, sizeof version, "%d", LAYOUT_VERSION);
    const char* kind = layout_kind(rec->shape.branch);
    rec->check = layout_check_text(rec->check, kind, strlen(kind));
    bool good = settings && put_text(rec, "scene/text", text, size) &&
                put_text(rec, "scene/path", path, strlen(path)) &&
                recorder_put_names(rec, "scene/settings", settings, count);
    free(settings);
    return good && hdf5_attribute_write(f, "/", "format", LAYOUT_FORMAT) &&
           hdf5_attribute_write(f, "/", "format_version", version) &&
           hdf5_attribute_write(f, "/", "kind", kind) &&
           hdf5_attribute_write(f, "/", "program_version", cord_version());
}

static bool column_make_table(CordRecorder* rec, ProbeColumn* column, const char* name, CordMeasure measure,
                              const ChunkPlan* plan)
{
    Hdf5TableDef def = {.name = name, .type = HDF5_F64};
    plan_chunks(1.0, 8.0 * column->width, plan->probe_rows, &def);
    if (column == rec->probes) {
        def.unit = "s";
        return hdf5_table_create(&rec->file, &def, &column->table);
    }
    def.row[0] = column->width;
    char labels[256] = "";
    for (int i = 0; i < column->width; i++) {
        size_t used = strlen(labels);
        snprintf(labels + used, sizeof labels - used, "%s%s", i > 0 ? " " : "",
                 cord_measure_column(measure, i));
    }
    return hdf5_table_create(&rec->file, &def, &column->table) &&
           hdf5_attribute_write(&rec->file, name, "measure", cord_measure_name(measure)) &&
           hdf5_attribute_write(&rec->file, name, "columns", labels);
}

static bool file_make_probes(CordRecorder* rec, const ChunkPlan* plan)
{
    size_t count = (size_t)rec->shape.probe_count;
    const char** names = calloc(count + 1, sizeof *names);
    const char** measures = calloc(count + 1, sizeof *measures);
    bool good = names && measures;
    for (int i = 0; good && i < rec->shape.probe_count; i++) {
        names[i] = cord_probe_name(rec->world, rec->probes[1 + i].id);
        measures[i] = cord_measure_name(cord_probe_measure(rec->world, rec->probes[1 + i].id));
    }
    good = good && recorder_put_names(rec, "steps/probe_name", names, rec->shape.probe_count) &&
           recorder_put_names(rec, "steps/probe_measure", measures, rec->shape.probe_count);
    if (good && rec->probes) {
        good = column_make_table(rec, &rec->probes[0], "steps/time", CORD_MEASURE_COUNT, plan);
    }
    for (int i = 0; good && i < rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->probes[1 + i];
        char name[LAYOUT_PROBE_MOST];
        layout_probe_name(names, i, name);
        good = column_make_table(rec, column, name, cord_probe_measure(rec->world, column->id), plan);
    }
    free(names);
    free(measures);
    return good;
}

static bool file_make_check(CordRecorder* rec)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)rec->check);
    return hdf5_attribute_write(&rec->file, "/", "checksum", text);
}

static bool file_make(CordRecorder* rec, const CordRecorderDef* def, const CordFrame* frame)
{
    ChunkPlan plan = plan_make(def, rec->world, frame);
    return hdf5_create(&rec->file, rec->lock.part) && file_make_scene(rec, def->scene) &&
           file_make_rods(rec, frame) && file_make_networks(rec, frame) && file_make_bodies(rec, frame) &&
           file_make_obstacles(rec, frame) && recorder_put_surfaces(rec, frame) &&
           file_make_probes(rec, &plan) && file_make_check(rec) && file_make_tables(rec, &plan) &&
           hdf5_start(&rec->file);
}

// ---- the recorder

static bool recorder_make_probes(CordRecorder* rec)
{
    rec->probes = calloc((size_t)rec->shape.probe_count + 1, sizeof *rec->probes);
    rec->checks = calloc((size_t)rec->shape.probe_count + 1, sizeof *rec->checks);
    if (!rec->probes || !rec->checks) {
        return false;
    }
    for (int i = 0; i <= rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->probes[i];
        column->id = i > 0 ? cord_world_probe(rec->world, i - 1) : (CordProbeId){0, 0};
        column->width = i > 0 ? cord_measure_size(cord_probe_measure(rec->world, column->id)) : 1;
        column->check = LAYOUT_CHECK;
        column->rows = calloc((size_t)column->width * PROBE_BUFFER, sizeof *column->rows);
        if (!column->rows) {
            return false;
        }
    }
    return true;
}

static CordRecorder* recorder_alloc(const CordRecorderDef* def, CordWorld* world, const CordFrame* frame)
{
    CordRecorder* rec = calloc(1, sizeof *rec);
    if (!rec) {
        return NULL;
    }
    rec->world = world;
    rec->lock.file = -1;
    rec->file.id = -1;
    rec->snapshot_every = def->snapshot_every;
    rec->snapshot_steps = -1;
    rec->check = LAYOUT_CHECK;
    rec->shape = (LayoutShape){
        .frame = column_shape(frame), .probe_count = cord_world_probe_count(world), .branch = def->branch};
    rec->offsets = calloc((size_t)frame->rod_count + 1, sizeof *rec->offsets);
    if (!rec->offsets || (rec->shape.probe_count > 0 && !recorder_make_probes(rec))) {
        recorder_free(rec);
        return NULL;
    }
    return rec;
}

CordResult recorder_open(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                         CordMessage* message)
{
    *recorder = NULL;
    if (!hdf5_available()) {
        return export_fail(
            message, CORD_NOT_SUPPORTED,
            "%s cannot be recorded to: this build has no HDF5; install libhdf5-dev and build again",
            def->path ? def->path : "the file");
    }
    CordFrame frame;
    CordResult result = cord_world_frame(world, &frame);
    if (result != CORD_OK) {
        return export_fail_world(message, result, world);
    }
    if (frame.rod_count == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the world has no rods, so there is nothing to record; add one first");
    }
    CordRecorder* rec = recorder_alloc(def, world, &frame);
    if (!rec) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to record");
    }
    result = recording_lock_acquire(&rec->lock, def->path, message);
    if (result == CORD_OK && !file_make(rec, def, &frame)) {
        result = recorder_fail(rec, "the recording could not be started", message);
    }
    if (result != CORD_OK) {
        recorder_free(rec);
        return result;
    }
    *recorder = rec;
    return CORD_OK;
}

void recorder_free(CordRecorder* rec)
{
    hdf5_close(&rec->file);
    recording_lock_release(&rec->lock);
    for (int i = 0; rec->probes && i <= rec->shape.probe_count; i++) {
        free(rec->probes[i].rows);
    }
    free(rec->probes);
    free(rec->checks);
    free(rec->offsets);
    column_buffer_free(&rec->buffer);
    free(rec->state);
    free(rec);
}
