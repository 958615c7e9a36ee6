#include "export/recording.h"

#include "export/export.h"

#include <cordage/ledger.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TIES = CORD_SURFACE_TIES };
_Static_assert(sizeof(int) == sizeof(int32_t), "triangles are used as they are read");

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

CordResult recording_damaged(const CordRecording* rec, CordMessage* message, const char* what, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return export_fail(message, CORD_BAD_FILE,
                       "%s: %s is damaged; the file was changed or cut after it was written, so use a copy "
                       "of it or run again",
                       rec->path, text);
}

bool cord_recording_is(const char* path)
{
    unsigned char start[sizeof signature] = {0};
    FILE* file = path ? fopen(path, "rb") : NULL;
    if (!file) {
        return false;
    }
    size_t size = fread(start, 1, sizeof start, file);
    fclose(file);
    return size == sizeof start && memcmp(start, signature, sizeof start) == 0;
}

// ---- opening

static CordResult open_refuse(const char* path, CordMessage* message)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return export_fail(message, CORD_BAD_FILE, "%s cannot be read: %s", path,
                           errno == ENOENT ? "there is no such file; check the name" : strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return export_fail(message, CORD_BAD_FILE, "%s is a directory; give the name of a recording", path);
    }
    FILE* file = fopen(path, "rb");
    if (!file) {
        return export_fail(message, CORD_BAD_FILE, "%s cannot be read: %s", path, strerror(errno));
    }
    fclose(file);
    if (!cord_recording_is(path)) {
        return export_fail(message, CORD_BAD_FILE,
                           "%s is not a recording; give a file that cordage run -o has made", path);
    }
    return CORD_OK;
}

static CordResult open_file(CordRecording* rec, CordMessage* message)
{
    if (!hdf5_available()) {
        return export_fail(message, CORD_NOT_SUPPORTED,
                           "%s cannot be read: this build has no HDF5; install libhdf5-dev and build again",
                           rec->path);
    }
    if (!hdf5_open(&rec->file, rec->path)) {
        if (rec->file.error != 0) {
            return export_fail(message, CORD_BAD_FILE, "%s cannot be read: %s", rec->path,
                               strerror(rec->file.error));
        }
        return recording_damaged(rec, message, "the file's beginning");
    }
    char format[64], layout[16];
    if (!hdf5_attribute_read(&rec->file, "/", "format", format, sizeof format) ||
        strcmp(format, LAYOUT_FORMAT) != 0) {
        return export_fail(message, CORD_BAD_FILE,
                           "%s is an HDF5 file but not a recording; give a file that cordage run -o has made",
                           rec->path);
    }
    if (!hdf5_attribute_read(&rec->file, "/", "program_version", rec->version, sizeof rec->version) ||
        !hdf5_attribute_read(&rec->file, "/", "format_version", layout, sizeof layout)) {
        return recording_damaged(rec, message, "the version");
    }
    char present[16];
    snprintf(present, sizeof present, "%d", LAYOUT_VERSION);
    if (strcmp(layout, present) != 0) {
        return export_fail(
            message, CORD_BAD_FILE,
            "%s has layout %s, written by cordage %s, and this is cordage %s, which reads layout %s "
            "alone; use the version that wrote it, or run the scene again",
            rec->path, layout, rec->version, cord_version(), present);
    }
    return CORD_OK;
}

// Reads the counts before any table, because the tables of a file that is being written may grow meanwhile
// but never shrink.
static CordResult open_counts(CordRecording* rec, CordMessage* message)
{
    Hdf5Table counts;
    struct stat info;
    if (!hdf5_table_open(&rec->file, "counts", HDF5_I64, &counts) || counts.rows != COUNT_COUNT ||
        counts.rank != 1 || !hdf5_table_read(&rec->file, &counts, 0, COUNT_COUNT, rec->count)) {
        return recording_damaged(rec, message, "the record of what is in it");
    }
    bool whole = rec->count[COUNT_CHECKSUM] ==
                 (int64_t)layout_check_rows(LAYOUT_CHECK, HDF5_I64, rec->count, COUNT_CHECKSUM);
    for (int i = 0; i < COUNT_CHECKSUM; i++) {
        whole = whole && rec->count[i] >= 0;
    }
    if (!whole) {
        return recording_damaged(rec, message, "the record of what is in it");
    }
    if (rec->count[COUNT_COMPLETE] == 0 && stat(rec->path, &info) == 0 &&
        info.st_size < rec->count[COUNT_BYTES]) {
        return export_fail(message, CORD_BAD_FILE,
                           "%s is cut off: it has %lld of at least %lld bytes, and none of its frames can be "
                           "read; copy it again, or run the scene again",
                           rec->path, (long long)info.st_size, (long long)rec->count[COUNT_BYTES]);
    }
    return rec->count[COUNT_FRAMES] < INT32_MAX ? CORD_OK
                                                : recording_damaged(rec, message, "the number of frames");
}

static CordSolid solid_read(const Description* d, DescriptionItem names, int i)
{
    CordSolid solid = {.size = ((const CordVec3*)d->rows[names + 2])[i]};
    cord_solid_named(description_name(d, names + 1, i), &solid.shape);
    return solid;
}

static bool open_solids(CordRecording* rec)
{
    const Description* d = &rec->description;
    int bodies = rec->shape.frame.body_count, obstacles = rec->shape.frame.obstacle_count;
    const int64_t *vertex = d->rows[OBSTACLE_VERTEX_OFFSET], *triangle = d->rows[OBSTACLE_TRIANGLE_OFFSET];
    rec->bodies = calloc((size_t)bodies + 1, sizeof *rec->bodies);
    rec->obstacles = calloc((size_t)obstacles + 1, sizeof *rec->obstacles);
    if (!rec->bodies || !rec->obstacles) {
        return false;
    }
    for (int i = 0; i < bodies; i++) {
        rec->bodies[i] =
            (CordFrameBody){.name = description_name(d, BODY_NAME, i), .solid = solid_read(d, BODY_NAME, i)};
    }
    for (int i = 0; i < obstacles; i++) {
        rec->obstacles[i] = (CordFrameObstacle){.name = description_name(d, OBSTACLE_NAME, i),
                                                .solid = solid_read(d, OBSTACLE_NAME, i)};
        rec->obstacles[i].solid.mesh =
            (CordSolidMesh){.vertices = (const CordVec3*)d->rows[OBSTACLE_VERTICES] + vertex[i],
                            .vertex_count = (int)(vertex[i + 1] - vertex[i]),
                            .triangles = (const int*)d->rows[OBSTACLE_TRIANGLES] + 3 * triangle[i],
                            .triangle_count = (int)(triangle[i + 1] - triangle[i])};
    }
    return true;
}

static bool open_ledger(CordRecording* rec)
{
    const Description* d = &rec->description;
    int count = rec->shape.frame.ledger_count;
    rec->ledger = calloc((size_t)count + 1, sizeof *rec->ledger);
    for (int i = 0; rec->ledger && i < count; i++) {
        CordLedgerEntry* entry = &rec->ledger[i];
        const char* kind = description_name(d, LEDGER_KIND, i);
        snprintf(entry->name, sizeof entry->name, "%s", description_name(d, LEDGER_NAME, i));
        while (entry->kind + 1 < CORD_LEDGER_KIND_COUNT &&
               strcmp(cord_ledger_kind_name(entry->kind), kind) != 0) {
            entry->kind++;
        }
    }
    return rec->ledger != NULL;
}

static bool open_ties(CordRecording* rec, int64_t vertices)
{
    const Description* d = &rec->description;
    const int32_t* edge = d->rows[SURFACE_TIE_EDGE];
    const double *weight = d->rows[SURFACE_TIE_WEIGHT], *along = d->rows[SURFACE_TIE_ALONG];
    const CordVec3* offset = d->rows[SURFACE_TIE_OFFSET];
    rec->ties = calloc((size_t)(TIES * vertices) + 1, sizeof *rec->ties);
    rec->surface_vertices = calloc((size_t)vertices + 1, sizeof *rec->surface_vertices);
    for (int64_t k = 0; rec->ties && k < TIES * vertices; k++) {
        rec->ties[k] = (CordSurfaceTie){edge[k], weight[k], along[k], offset[k]};
    }
    return rec->ties && rec->surface_vertices;
}

static bool open_surfaces(CordRecording* rec)
{
    const Description* d = &rec->description;
    int count = rec->shape.frame.surface_count;
    const int64_t *vertex = d->rows[SURFACE_VERTEX_OFFSET], *triangle = d->rows[SURFACE_TRIANGLE_OFFSET];
    rec->surfaces = calloc((size_t)count + 1, sizeof *rec->surfaces);
    rec->tie_edges = calloc((size_t)count + 1, sizeof *rec->tie_edges);
    if (!rec->surfaces || !rec->tie_edges || (count > 0 && !open_ties(rec, vertex[count]))) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        rec->surfaces[i] =
            (CordFrameSurface){.name = description_name(d, SURFACE_NAME, i),
                               .rod = ((const int32_t*)d->rows[SURFACE_ROD])[i],
                               .hides = ((const uint8_t*)d->rows[SURFACE_HIDES])[i] != 0,
                               .vertex_count = (int)(vertex[i + 1] - vertex[i]),
                               .triangle_count = (int)(triangle[i + 1] - triangle[i]),
                               .vertices = rec->surface_vertices + vertex[i],
                               .triangles = (const int*)d->rows[SURFACE_TRIANGLES] + 3 * triangle[i],
                               .ties = rec->ties + TIES * vertex[i]};
        for (int64_t k = TIES * vertex[i]; k < TIES * vertex[i + 1]; k++) {
            rec->tie_edges[i] = rec->ties[k].edge > rec->tie_edges[i] ? rec->ties[k].edge : rec->tie_edges[i];
        }
    }
    return true;
}

// HDF5 keeps no checksum of the texts and names, so the recording has one.
static CordResult open_description(CordRecording* rec, CordMessage* message)
{
    Description* d = &rec->description;
    char stored[20], text[20];
    DescriptionGroup damaged = description_read(d, &rec->file);
    if (damaged == GROUP_SCENE) {
        return recording_damaged(rec, message, "the scene in it");
    }
    if (damaged != GROUP_COUNT) {
        return recording_damaged(rec, message, "the list of %s", description_group_name(damaged));
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)description_check(d));
    if (!hdf5_attribute_read(&rec->file, "/", "checksum", stored, sizeof stored) ||
        strcmp(stored, text) != 0) {
        return recording_damaged(rec, message, "the description of the run");
    }
    rec->shape = (LayoutShape){.frame = {.rod_count = (int)d->count[ROD_NAME],
                                         .body_count = (int)d->count[BODY_NAME],
                                         .obstacle_count = (int)d->count[OBSTACLE_NAME],
                                         .surface_count = (int)d->count[SURFACE_NAME],
                                         .ledger_count = (int)d->count[LEDGER_NAME]},
                               .probe_count = (int)d->count[PROBE_NAME],
                               .branch = d->branch};
    for (int i = 0; i < d->count[ROD_NAME]; i++) {
        rec->shape.frame.adaptive = rec->shape.frame.adaptive || description_mark(d, ROD_ADAPTIVE, i);
    }
    return open_solids(rec) && open_surfaces(rec) && open_ledger(rec)
               ? CORD_OK
               : export_fail(message, CORD_NO_MEMORY, "%s cannot be read: there is not enough memory",
                             rec->path);
}

static bool open_probe(CordRecording* rec, int probe)
{
    const Description* d = &rec->description;
    Hdf5Table* table = &rec->probe_tables[1 + probe];
    char name[LAYOUT_PROBE_MOST];
    int m = 0;
    while (m < CORD_MEASURE_COUNT &&
           strcmp(cord_measure_name((CordMeasure)m), description_name(d, PROBE_MEASURE, probe)) != 0) {
        m++;
    }
    rec->measures[probe] = (CordMeasure)m;
    layout_probe_name(d->rows[PROBE_NAME], probe, name);
    return m < CORD_MEASURE_COUNT && hdf5_table_open(&rec->file, name, HDF5_F64, table) && table->rank == 2 &&
           table->rows >= rec->count[COUNT_PROBE_ROWS] && table->row[0] == cord_measure_size((CordMeasure)m);
}

static CordResult open_probes(CordRecording* rec, CordMessage* message)
{
    size_t count = (size_t)rec->shape.probe_count;
    rec->measures = calloc(count + 1, sizeof *rec->measures);
    rec->probe_tables = calloc(count + 1, sizeof *rec->probe_tables);
    bool good = rec->measures && rec->probe_tables;
    if (good && count > 0) {
        const Hdf5Table* times = &rec->probe_tables[0];
        good = hdf5_table_open(&rec->file, "steps/time", HDF5_F64, &rec->probe_tables[0]) &&
               times->rank == 1 && times->rows >= rec->count[COUNT_PROBE_ROWS];
    }
    for (int i = 0; good && i < rec->shape.probe_count; i++) {
        good = open_probe(rec, i);
    }
    return good ? CORD_OK : recording_damaged(rec, message, "the list of probes");
}

static CordResult open_tables(CordRecording* rec, CordMessage* message)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        LayoutDef def;
        if (!layout_def(&rec->shape, i, &def)) {
            continue;
        }
        int64_t least = def.per == PER_FRAME      ? rec->count[COUNT_FRAMES]
                        : def.per == PER_SNAPSHOT ? rec->count[COUNT_SNAPSHOTS]
                                                  : 0;
        Hdf5Table* table = &rec->tables[i];
        if (!hdf5_table_open(&rec->file, def.name, def.type, table) || table->row[0] != def.row[0] ||
            table->row[1] != def.row[1] || table->rows < least) {
            return recording_damaged(rec, message, "the table %s", def.name);
        }
    }
    return CORD_OK;
}

// The failure is a sentence for people, so the frames are readable even if it is damaged.
static void open_failure(CordRecording* rec)
{
    if (rec->count[COUNT_COMPLETE] != COMPLETE_FAILED) {
        return;
    }
    const Hdf5Table* table = &rec->tables[TABLE_FAILURE_TEXT];
    char* text = rec->failure.text;
    uint64_t stored;
    bool good = table->rows < (int64_t)sizeof rec->failure.text &&
                hdf5_table_read(&rec->file, table, 0, table->rows, text) &&
                hdf5_table_read(&rec->file, &rec->tables[TABLE_FAILURE_CHECKSUM], 0, 1, &stored) &&
                layout_check_text(LAYOUT_CHECK, text, (size_t)table->rows) == stored;
    if (!good) {
        snprintf(text, sizeof rec->failure.text, "the sentence that said why is damaged");
    }
}

static CordResult recording_load(CordRecording* rec, CordMessage* message)
{
    CORD_TRY(open_refuse(rec->path, message));
    CORD_TRY(open_file(rec, message));
    CORD_TRY(open_counts(rec, message));
    CORD_TRY(open_description(rec, message));
    CORD_TRY(open_probes(rec, message));
    CORD_TRY(open_tables(rec, message));
    open_failure(rec);
    return CORD_OK;
}

CordResult cord_recording_open(const char* path, CordRecording** recording, CordMessage* message)
{
    *recording = NULL;
    if (!path) {
        return export_fail(message, CORD_BAD_ARGUMENT, "no path is given; name the recording to read");
    }
    CordRecording* rec = calloc(1, sizeof *rec);
    char* copy = strdup(path);
    if (!rec || !copy) {
        free(rec);
        free(copy);
        return export_fail(message, CORD_NO_MEMORY, "%s cannot be read: there is not enough memory", path);
    }
    rec->path = copy;
    rec->file.id = -1;
    CordResult result = recording_load(rec, message);
    if (result != CORD_OK) {
        cord_recording_close(rec);
        return result;
    }
    *recording = rec;
    return CORD_OK;
}

void cord_recording_close(CordRecording* recording)
{
    if (!recording) {
        return;
    }
    hdf5_close(&recording->file);
    recording_free_frame(recording);
    description_free(&recording->description);
    free(recording->bodies);
    free(recording->obstacles);
    free(recording->ledger);
    free(recording->surfaces);
    free(recording->surface_vertices);
    free(recording->ties);
    free(recording->tie_edges);
    free(recording->measures);
    free(recording->probe_tables);
    free(recording->path);
    free(recording);
}

// ---- queries

const char* cord_recording_version(const CordRecording* recording)
{
    return recording->version;
}

bool cord_recording_complete(const CordRecording* recording)
{
    // A run that was killed while closing its file can be resumed, so it is not complete.
    return recording->count[COUNT_COMPLETE] == COMPLETE_CLOSED && recording->file.closed;
}

const char* cord_recording_failure(const CordRecording* recording)
{
    return recording->failure.text[0] != '\0' ? recording->failure.text : NULL;
}

const char* cord_recording_scene_path(const CordRecording* recording)
{
    return recording->description.scene_size > 0 ? recording->description.scene_path : NULL;
}

const char* cord_recording_scene_text(const CordRecording* recording, size_t* size)
{
    *size = recording->description.scene_size;
    return *size > 0 ? recording->description.scene_text : NULL;
}

static const char* scene_first_error(const CordScene* scene)
{
    for (int i = 0; scene && i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        if (note.is_error) {
            return note.text;
        }
    }
    return "there is not enough memory";
}

CordResult cord_recording_scene(const CordRecording* recording, CordScene** scene, CordMessage* message)
{
    *scene = NULL;
    const Description* d = &recording->description;
    if (d->scene_size == 0) {
        return export_fail(message, CORD_BAD_FILE, "%s holds no scene: the program that made it had none",
                           recording->path);
    }
    CordResult result = cord_scene_parse(d->scene_text, d->scene_size, d->scene_path, d->rows[SCENE_SETTING],
                                         (int)d->count[SCENE_SETTING], scene);
    if (result != CORD_OK) {
        export_fail(message, result, "the scene in %s cannot be used: %s", recording->path,
                    scene_first_error(*scene));
    }
    return result;
}

static CordResult frames_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    return recording_read_frame(user, index, frame, message);
}

CordFrames cord_recording_frames(CordRecording* recording)
{
    return (CordFrames){
        .count = (int)recording->count[COUNT_FRAMES],
        .read = frames_read,
        .user = recording,
        .recording = recording,
    };
}
