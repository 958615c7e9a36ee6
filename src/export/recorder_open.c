#include "export/export.h"
#include "export/recorder.h"

#include <cordage/adapt.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- chunks

#define CHUNK_LEAST 4096
#define CHUNK_SMALL 16384 // rewritten whole with every frame, so no larger than necessary
#define CHUNK_REWRITTEN (256 << 10)
#define CHUNK_COMPRESSED (4 << 20)
#define CONTACTS_PER_EDGE 8.0     // twice as many as in a dense pile
#define COMPRESS_LEAST (16 << 10) // below this, compression saves less than the padding of pages costs

typedef struct ChunkPlan {
    double frames;       // expected in all
    double probe_rows;   // expected in all
    double nodes, edges; // of a frame; of adaptive rods, the most
    bool adaptive;       // the number of nodes changes from frame to frame
    size_t state_size;
} ChunkPlan;

static ChunkPlan plan_make(const CordRecorderDef* def, CordWorld* world, const CordFrame* frame)
{
    ChunkPlan plan = {.frames = HDF5_CHUNKS_MOST, .probe_rows = 1e6};
    if (def->branch) { // its number of points is not known: some hundreds
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
        int more =
            frame->adapt && frame->adapt[i].made_with > 0 ? frame->adapt[i].finest - rod->node_count : 0;
        plan.nodes += rod->node_count + more;
        plan.edges += rod->edge_count + more;
    }
    plan.state_size = cord_world_state_size(world);
    return plan;
}

// Chooses the chunks of a table that gets `rows` rows of `row_bytes` at a time, `times` times. A large
// addition is compressed into chunks of its own, so that every chunk is written once. Small additions share
// chunks, which are rewritten in place as they fill up and are not compressed: a compressed chunk that grows
// would leave its old copy in the file.
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
    // The number of rows is not known, so chunks are as small as the largest possible table allows.
    if (varies) {
        double most = row_bytes * rows * plan->frames;
        double chunk = fmin(fmax(CHUNK_LEAST, most / HDF5_CHUNKS_MOST), CHUNK_REWRITTEN);
        def->chunk_rows = (int64_t)fmax(1.0, floor(chunk / row_bytes));
        return;
    }
    plan_chunks(rows, row_bytes, plan->frames, def);
}

// ---- tables

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
    bool many = layout->row[0] > 0; // the labels are those of several numbers, or of the values of one
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

// A table whose rows are all there from the start.
static bool file_put_table(CordRecorder* rec, const DescriptionTable* from, const void* rows, int64_t count)
{
    Hdf5TableDef def = {
        .name = from->name, .type = from->type, .row = {from->row[0], from->row[1]}, .unit = from->unit};
    double width = fmax(1, def.row[0]) * fmax(1, def.row[1]);
    Hdf5Table table;
    plan_chunks((double)count, width * (double)hdf5_type_size(def.type), 1.0, &def);
    def.chunk_rows = def.compress ? def.chunk_rows : (int64_t)fmax(1.0, (double)count);
    return hdf5_table_create(&rec->file, &def, &table) && hdf5_table_append(&rec->file, &table, rows, count);
}

static bool file_put_description(CordRecorder* rec, const Description* d)
{
    Hdf5File* f = &rec->file;
    char version[16], check[20];
    snprintf(version, sizeof version, "%d", LAYOUT_VERSION);
    snprintf(check, sizeof check, "%016llx", (unsigned long long)description_check(d));
    bool good = hdf5_text_write(f, "scene/text", d->scene_text, d->scene_size) &&
                hdf5_text_write(f, "scene/path", d->scene_path, strlen(d->scene_path));
    for (int item = 0; good && item < ITEM_COUNT; item++) {
        const DescriptionTable* table = &description_tables[item];
        if (d->rows[item]) {
            good = table->rows == ROWS_NAMES
                       ? hdf5_names_write(f, table->name, d->rows[item], (int)d->count[item])
                       : file_put_table(rec, table, d->rows[item], d->count[item]);
        }
    }
    return good && hdf5_attribute_write(f, "/", "format", LAYOUT_FORMAT) &&
           hdf5_attribute_write(f, "/", "format_version", version) &&
           hdf5_attribute_write(f, "/", "kind", layout_kind(d->branch)) &&
           hdf5_attribute_write(f, "/", "program_version", cord_version()) &&
           hdf5_attribute_write(f, "/", "checksum", check);
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

static bool file_make_probes(CordRecorder* rec, const char* const* names, const ChunkPlan* plan)
{
    bool good =
        !rec->probes || column_make_table(rec, &rec->probes[0], "steps/time", CORD_MEASURE_COUNT, plan);
    for (int i = 0; good && i < rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->probes[1 + i];
        char name[LAYOUT_PROBE_MOST];
        layout_probe_name(names, i, name);
        good = column_make_table(rec, column, name, cord_probe_measure(rec->world, column->id), plan);
    }
    return good;
}

static bool file_make(CordRecorder* rec, const CordRecorderDef* def, const CordFrame* frame)
{
    ChunkPlan plan = plan_make(def, rec->world, frame);
    Description d;
    if (!description_gather(&d, def, frame, rec->world)) {
        return false;
    }
    bool good = hdf5_create(&rec->file, rec->lock.part) && file_put_description(rec, &d) &&
                file_make_probes(rec, d.rows[PROBE_NAME], &plan) && file_make_tables(rec, &plan) &&
                hdf5_start(&rec->file);
    description_free(&d);
    return good;
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
    CORD_TRY(export_world_frame(world, &frame, message));
    if (frame.rod_count == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the world has no rods, so there is nothing to record; add one first");
    }
    CordRecorder* rec = recorder_alloc(def, world, &frame);
    if (!rec) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to record");
    }
    CordResult result = recording_lock_acquire(&rec->lock, def->path, message);
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
