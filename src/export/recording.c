#include "export/recording.h"

#include "export/export.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

CordResult recording_damaged(const CordRecording* rec, const char* what, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE,
                       "%s: %s is damaged; the file was changed or cut after it was written, so use a copy "
                       "of it or run again",
                       rec->path, what);
}

bool recording_read_names(CordRecording* rec, const char* name, Hdf5Names* names, uint64_t* check)
{
    bool good = hdf5_names_read(&rec->file, name, names);
    for (int i = 0; good && i < names->count; i++) {
        const char* text = hdf5_name(names, i);
        *check = layout_check_text(*check, text, strlen(text));
    }
    return good;
}

void* recording_read_table(CordRecording* rec, RecordingTable def, int64_t* count, uint64_t* check)
{
    Hdf5Table table;
    if (!hdf5_table_open(&rec->file, def.name, def.type, &table) || hdf5_row_size(&table) != def.width ||
        (def.rows >= 0 && table.rows != def.rows) || table.rows >= INT_MAX / 3) {
        return NULL;
    }
    size_t size = (size_t)table.rows * (size_t)def.width;
    void* values = malloc((size + 1) * hdf5_type_size(def.type));
    if (!values || !hdf5_table_read(&rec->file, &table, 0, table.rows, values)) {
        free(values);
        return NULL;
    }
    *count = table.rows;
    *check = layout_check_rows(*check, def.type, values, size);
    return values;
}

bool recording_offsets_fit(const int64_t* offsets, int count, int64_t rows)
{
    bool fit = offsets[0] == 0 && offsets[count] == rows;
    for (int i = 0; i < count; i++) {
        fit = fit && offsets[i] <= offsets[i + 1];
    }
    return fit;
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
        return recording_damaged(rec, "the file's beginning", message);
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
        return recording_damaged(rec, "the version", message);
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

// The record of what is finished, before any table: in a file that is being written, the tables are then at
// least as long.
static CordResult open_counts(CordRecording* rec, CordMessage* message)
{
    Hdf5Table counts;
    struct stat info;
    if (!hdf5_table_open(&rec->file, "counts", HDF5_I64, &counts) || counts.rows != COUNT_COUNT ||
        counts.rank != 1 || !hdf5_table_read(&rec->file, &counts, 0, COUNT_COUNT, rec->count)) {
        return recording_damaged(rec, "the record of what is in it", message);
    }
    bool whole =
        rec->count[COUNT_CHECKSUM] == (int64_t)layout_check_i64(LAYOUT_CHECK, rec->count, COUNT_CHECKSUM);
    for (int i = 0; i < COUNT_CHECKSUM; i++) {
        whole = whole && rec->count[i] >= 0;
    }
    if (!whole) {
        return recording_damaged(rec, "the record of what is in it", message);
    }
    if (rec->count[COUNT_COMPLETE] == 0 && stat(rec->path, &info) == 0 &&
        info.st_size < rec->count[COUNT_BYTES]) {
        return export_fail(message, CORD_BAD_FILE,
                           "%s is cut off: it has %lld of at least %lld bytes; copy it again", rec->path,
                           (long long)info.st_size, (long long)rec->count[COUNT_BYTES]);
    }
    return rec->count[COUNT_FRAMES] < INT32_MAX ? CORD_OK
                                                : recording_damaged(rec, "the number of frames", message);
}

static CordResult open_scene(CordRecording* rec, CordMessage* message)
{
    size_t size;
    bool good = hdf5_text_read(&rec->file, "scene/text", &rec->scene_text, &rec->scene_size) &&
                hdf5_text_read(&rec->file, "scene/path", &rec->scene_path, &size) &&
                hdf5_names_read(&rec->file, "scene/settings", &rec->settings);
    return good ? CORD_OK : recording_damaged(rec, "the scene in it", message);
}

// Is it a run or a branch?
static CordResult open_kind(CordRecording* rec, CordMessage* message)
{
    char kind[16];
    if (!hdf5_attribute_read(&rec->file, "/", "kind", kind, sizeof kind)) {
        return recording_damaged(rec, "what kind of recording it is", message);
    }
    rec->shape.branch = strcmp(kind, layout_kind(true)) == 0;
    return CORD_OK;
}

// A byte for each rod.
static bool open_marks(CordRecording* rec, const char* name, uint8_t* marks)
{
    Hdf5Table table;
    return hdf5_table_open(&rec->file, name, HDF5_U8, &table) && table.rows == rec->rods.count &&
           hdf5_row_size(&table) == 1 && hdf5_table_read(&rec->file, &table, 0, table.rows, marks);
}

static CordResult open_rods(CordRecording* rec, CordMessage* message)
{
    bool good = hdf5_names_read(&rec->file, "rods/name", &rec->rods) && rec->rods.count > 0;
    int count = good ? rec->rods.count : 0;
    rec->closed = calloc((size_t)count + 1, 1);
    rec->adaptive = calloc((size_t)count + 1, 1);
    good = good && rec->closed && rec->adaptive && open_marks(rec, "rods/closed", rec->closed) &&
           open_marks(rec, "rods/adaptive", rec->adaptive);
    for (int i = 0; good && i < count; i++) {
        rec->shape.frame.adaptive = rec->shape.frame.adaptive || rec->adaptive[i] != 0;
    }
    rec->shape.frame.rod_count = count;
    return good ? CORD_OK : recording_damaged(rec, "the list of rods", message);
}

static CordResult open_bodies(CordRecording* rec, CordMessage* message)
{
    Hdf5Names shapes = {0};
    int64_t rows;
    uint64_t unused = LAYOUT_CHECK; // check_bodies does it, in its place among the rest
    bool good = hdf5_names_read(&rec->file, "bodies/name", &rec->bodies) &&
                hdf5_names_read(&rec->file, "bodies/shape", &shapes) && shapes.count == rec->bodies.count;
    int count = good ? rec->bodies.count : 0;
    RecordingTable table = {"bodies/size", HDF5_F64, 3, count};
    CordVec3* sizes = good && count > 0 ? recording_read_table(rec, table, &rows, &unused) : NULL;
    rec->body_list = calloc((size_t)count + 1, sizeof *rec->body_list);
    good = good && rec->body_list && (count == 0 || sizes);
    for (int i = 0; good && i < count; i++) {
        CordFrameBody* body = &rec->body_list[i];
        *body = (CordFrameBody){.name = hdf5_name(&rec->bodies, i), .solid = {.size = sizes[i]}};
        good = cord_solid_named(hdf5_name(&shapes, i), &body->solid.shape) &&
               cord_solid_kind((int)body->solid.shape)->can_be_body;
    }
    hdf5_names_free(&shapes);
    free(sizes);
    rec->shape.frame.body_count = count;
    return good ? CORD_OK : recording_damaged(rec, "the list of bodies", message);
}

static bool open_probe(CordRecording* rec, int probe, const char* const* names, const char* measure)
{
    int m = 0;
    while (m < CORD_MEASURE_COUNT && strcmp(cord_measure_name((CordMeasure)m), measure) != 0) {
        m++;
    }
    if (m == CORD_MEASURE_COUNT) {
        return false;
    }
    rec->measures[probe] = (CordMeasure)m;
    char name[LAYOUT_PROBE_MOST];
    layout_probe_name(names, probe, name);
    Hdf5Table* table = &rec->probe_tables[1 + probe];
    return hdf5_table_open(&rec->file, name, HDF5_F64, table) && table->rank == 2 &&
           table->rows >= rec->count[COUNT_PROBE_ROWS] && table->row[0] == cord_measure_size((CordMeasure)m);
}

static CordResult open_probes(CordRecording* rec, CordMessage* message)
{
    Hdf5Names measures = {0};
    bool good = hdf5_names_read(&rec->file, "steps/probe_name", &rec->probes) &&
                hdf5_names_read(&rec->file, "steps/probe_measure", &measures) &&
                measures.count == rec->probes.count;
    size_t count = (size_t)rec->probes.count;
    const char** names = calloc(count + 1, sizeof *names);
    rec->measures = calloc(count + 1, sizeof *rec->measures);
    rec->probe_tables = calloc(count + 1, sizeof *rec->probe_tables);
    good = good && names && rec->measures && rec->probe_tables;
    if (good && count > 0) {
        good = hdf5_table_open(&rec->file, "steps/time", HDF5_F64, &rec->probe_tables[0]) &&
               rec->probe_tables[0].rank == 1 && rec->probe_tables[0].rows >= rec->count[COUNT_PROBE_ROWS];
    }
    for (int i = 0; good && i < rec->probes.count; i++) {
        names[i] = hdf5_name(&rec->probes, i);
        good = open_probe(rec, i, names, hdf5_name(&measures, i));
    }
    free(names);
    hdf5_names_free(&measures);
    rec->shape.probe_count = rec->probes.count;
    return good ? CORD_OK : recording_damaged(rec, "the list of probes", message);
}

static uint64_t check_names(uint64_t check, const Hdf5Names* names)
{
    for (int i = 0; i < names->count; i++) {
        check = layout_check_text(check, hdf5_name(names, i), strlen(hdf5_name(names, i)));
    }
    return check;
}

static uint64_t check_bodies(uint64_t check, const CordRecording* rec)
{
    check = check_names(check, &rec->bodies);
    for (int i = 0; i < rec->bodies.count; i++) {
        const char* shape = cord_solid_kind((int)rec->body_list[i].solid.shape)->name;
        check = layout_check_text(check, shape, strlen(shape));
    }
    for (int i = 0; i < rec->bodies.count; i++) {
        check = layout_check_f64(check, (const double*)&rec->body_list[i].solid.size, 3);
    }
    return check;
}

// Texts and names lie in the file without a checksum of HDF5's.
static CordResult open_check(CordRecording* rec, CordMessage* message)
{
    char stored[20], text[20];
    const char* kind = layout_kind(rec->shape.branch);
    uint64_t check = layout_check_text(LAYOUT_CHECK, kind, strlen(kind));
    check = layout_check_text(check, rec->scene_text, rec->scene_size);
    check = layout_check_text(check, rec->scene_path, strlen(rec->scene_path));
    check = check_names(check, &rec->settings);
    check = check_names(check, &rec->rods);
    check = layout_check_u8(check, rec->closed, (size_t)rec->rods.count);
    check = layout_check_u8(check, rec->adaptive, (size_t)rec->rods.count);
    check = recording_check_networks(rec, check);
    check = check_bodies(check, rec);
    check = layout_check_u64(check, &rec->obstacle_check, 1);
    check = layout_check_u64(check, &rec->surface_check, 1);
    check = check_names(check, &rec->probes);
    for (int i = 0; i < rec->probes.count; i++) {
        const char* name = cord_measure_name(rec->measures[i]);
        check = layout_check_text(check, name, strlen(name));
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)check);
    bool good =
        hdf5_attribute_read(&rec->file, "/", "checksum", stored, sizeof stored) && strcmp(stored, text) == 0;
    return good ? CORD_OK : recording_damaged(rec, "the description of the run", message);
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
            char what[64];
            snprintf(what, sizeof what, "the table %s", def.name);
            return recording_damaged(rec, what, message);
        }
    }
    return CORD_OK;
}

// The sentence is for people, so a damaged one does not keep them from the frames.
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
    CORD_TRY(open_kind(rec, message));
    CORD_TRY(open_scene(rec, message));
    CORD_TRY(open_rods(rec, message));
    CORD_TRY(recording_open_networks(rec, message));
    CORD_TRY(open_bodies(rec, message));
    CORD_TRY(recording_open_obstacles(rec, message));
    CORD_TRY(recording_open_surfaces(rec, message));
    CORD_TRY(open_probes(rec, message));
    CORD_TRY(open_check(rec, message));
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
    recording_free_obstacles(recording);
    recording_free_networks(recording);
    recording_free_surfaces(recording);
    hdf5_names_free(&recording->settings);
    hdf5_names_free(&recording->rods);
    hdf5_names_free(&recording->bodies);
    hdf5_names_free(&recording->probes);
    free(recording->scene_text);
    free(recording->scene_path);
    free(recording->closed);
    free(recording->adaptive);
    free(recording->body_list);
    free(recording->measures);
    free(recording->probe_tables);
    free(recording->path);
    free(recording);
}

// ---- asking

const char* cord_recording_version(const CordRecording* recording)
{
    return recording->version;
}

bool cord_recording_complete(const CordRecording* recording)
{
    // Killed just then, it can be resumed.
    return recording->count[COUNT_COMPLETE] == COMPLETE_CLOSED && recording->file.closed;
}

const char* cord_recording_failure(const CordRecording* recording)
{
    return recording->failure.text[0] != '\0' ? recording->failure.text : NULL;
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
    if (recording->scene_size == 0) {
        return export_fail(message, CORD_BAD_FILE, "%s holds no scene: the program that made it had none",
                           recording->path);
    }
    int count = recording->settings.count;
    const char** settings = calloc((size_t)count + 1, sizeof *settings);
    if (!settings) {
        return export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory for its scene",
                           recording->path);
    }
    for (int i = 0; i < count; i++) {
        settings[i] = hdf5_name(&recording->settings, i);
    }
    CordResult result = cord_scene_parse(recording->scene_text, recording->scene_size, recording->scene_path,
                                         settings, count, scene);
    free(settings);
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
