#include "export/recorder.h"

#include "base/assert.h"
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

CordRecorderDef cord_recorder_def_default(void)
{
    return (CordRecorderDef){.path = NULL, .scene = NULL, .snapshot_every = 10};
}

int cord_recorder_frame_count(const CordRecorder* recorder)
{
    return (int)recorder->safe_frames;
}

CordResult recorder_fail(CordRecorder* rec, const char* what, CordMessage* message)
{
    rec->failed = true;
    const char* cause = rec->file.error != 0      ? export_error_text(rec->file.error)
                        : rec->file.cause[0] != 0 ? rec->file.cause
                                                  : "there is not enough memory";
    if (rec->safe_frames == 0) {
        return export_fail(message, CORD_BAD_FILE, "%s: %s: %s", rec->claim.path, what, cause);
    }
    return export_fail(message, CORD_BAD_FILE,
                       "%s: %s: %s; the %lld frames before are safe and the run can be resumed",
                       rec->claim.path, what, cause, (long long)rec->safe_frames);
}

// ---------------------------------------------------------------------------------------------------- appending

static bool put(CordRecorder* rec, LayoutTable table, const void* rows, int64_t count)
{
    return hdf5_table_append(&rec->file, &rec->tables[table], rows, count);
}

static bool put_doubles(CordRecorder* rec, LayoutTable table, const double* values, int rows, uint64_t* check)
{
    *check = layout_check_f64(*check, values, (size_t)rows * (size_t)hdf5_row_size(&rec->tables[table]));
    return put(rec, table, values, rows);
}

static void rows_convert(Hdf5Type type, const double* values, size_t count, void* rows)
{
    float* floats = rows;
    int32_t* integers = rows;
    uint8_t* bytes = rows;
    for (size_t i = 0; type == HDF5_F32 && i < count; i++) {
        floats[i] = (float)values[i];
    }
    for (size_t i = 0; type == HDF5_I32 && i < count; i++) {
        integers[i] = (int32_t)values[i];
    }
    for (size_t i = 0; type == HDF5_U8 && i < count; i++) {
        bytes[i] = (uint8_t)values[i];
    }
}

// Numbers that the file keeps in fewer bytes.
static bool put_rows(CordRecorder* rec, LayoutTable table, const double* values, int rows, uint64_t* check)
{
    Hdf5Type type = rec->tables[table].type;
    size_t count = (size_t)rows * (size_t)hdf5_row_size(&rec->tables[table]), bytes = count * hdf5_type_size(type);
    if (bytes > rec->row_bytes) {
        void* larger = realloc(rec->rows, bytes);
        if (!larger) {
            return false;
        }
        rec->rows = larger;
        rec->row_bytes = bytes;
    }
    rows_convert(type, values, count, rec->rows);
    *check = layout_check_rows(*check, type, rec->rows, count);
    return put(rec, table, rec->rows, rows);
}

static bool put_integer(CordRecorder* rec, LayoutTable table, int64_t value, uint64_t* check)
{
    *check = layout_check_i64(*check, &value, 1);
    return put(rec, table, &value, 1);
}

// Where each rod begins in the flat table of nodes or edges, and where the last one ends.
static bool put_offsets(CordRecorder* rec, LayoutTable table, const CordFrame* frame, uint64_t* check)
{
    bool nodes = table == TABLE_NODE_OFFSET;
    int64_t base = rec->tables[nodes ? TABLE_X : TABLE_M1].rows;
    for (int r = 0; r < rec->shape.rod_count; r++) {
        rec->offsets[r] = base + (nodes ? frame->rods[r].first_node : frame->rods[r].first_edge);
    }
    rec->offsets[rec->shape.rod_count] = base + (nodes ? frame->node_count : frame->edge_count);
    *check = layout_check_i64(*check, rec->offsets, (size_t)rec->shape.rod_count + 1);
    return put(rec, table, rec->offsets, 1);
}

static bool put_contact_offset(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int64_t first = rec->tables[TABLE_CONTACT_ROD].rows, ends[2] = {first, first + frame->contact_count};
    *check = layout_check_i64(*check, ends, 2);
    return put(rec, TABLE_CONTACT_OFFSET, ends, 1);
}

static bool put_frame_rows(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    return put_doubles(rec, TABLE_TIME, &frame->time, 1, check) &&
           put_integer(rec, TABLE_STEPS, frame->steps, check) &&
           put_integer(rec, TABLE_PROBE_ROWS, rec->count[COUNT_PROBE_ROWS], check) &&
           put_offsets(rec, TABLE_NODE_OFFSET, frame, check) &&
           put_offsets(rec, TABLE_EDGE_OFFSET, frame, check) && put_contact_offset(rec, frame, check) &&
           put_doubles(rec, TABLE_ENERGY, (const double*)frame->energy, 1, check) &&
           put_doubles(rec, TABLE_STRETCH, frame->stretch, 1, check);
}

static bool put_frame_arrays(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int nodes = frame->node_count, edges = frame->edge_count;
    return put_doubles(rec, TABLE_X, (const double*)frame->x, nodes, check) &&
           put_rows(rec, TABLE_V, (const double*)frame->v, nodes, check) &&
           put_rows(rec, TABLE_MOMENT, (const double*)frame->moment, nodes, check) &&
           put_rows(rec, TABLE_M1, (const double*)frame->m1, edges, check) &&
           put_rows(rec, TABLE_RADIUS, frame->radius, edges, check) &&
           put_rows(rec, TABLE_TENSION, frame->tension, edges, check) &&
           put_rows(rec, TABLE_FORCE, (const double*)frame->force, edges, check);
}

// How adaptive rods have their nodes by now.
static bool put_adapt(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int nodes = frame->node_count, rods = rec->shape.rod_count;
    if (!rec->shape.adaptive) {
        return true;
    }
    CORD_ASSERT(frame->level && frame->arc && frame->adapt);
    const CordVec3* skin = frame->skin ? frame->skin : frame->x;
    for (int i = 0; i < rods; i++) {
        layout_adapt_put(&frame->adapt[i], rec->adapt + (size_t)i * LAYOUT_ADAPT);
    }
    bool good = put_doubles(rec, TABLE_SKIN, (const double*)skin, nodes, check);
    *check = layout_check_u8(*check, frame->level, (size_t)nodes);
    good = good && put(rec, TABLE_LEVEL, frame->level, nodes) &&
           put_doubles(rec, TABLE_ARC, frame->arc, nodes, check);
    *check = layout_check_i64(*check, rec->adapt, (size_t)rods * LAYOUT_ADAPT);
    return good && put(rec, TABLE_ADAPT, rec->adapt, 1);
}

static void body_values(const CordFrameBody* body, LayoutTable table, double* values)
{
    switch (table) {
    case TABLE_BODY_POSITION: memcpy(values, &body->position, sizeof body->position); break;
    case TABLE_BODY_ROTATION: memcpy(values, &body->rotation, sizeof body->rotation); break;
    case TABLE_BODY_VELOCITY: memcpy(values, &body->velocity, sizeof body->velocity); break;
    case TABLE_BODY_SPIN: memcpy(values, &body->spin, sizeof body->spin); break;
    default: values[0] = body->energy.kinetic, values[1] = body->energy.gravity; break;
    }
}

static bool put_bodies(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    bool good = true;
    for (int t = TABLE_BODY_POSITION; good && rec->shape.body_count > 0 && t <= TABLE_BODY_ENERGY; t++) {
        for (int i = 0; i < rec->shape.body_count; i++) {
            body_values(&frame->bodies[i], (LayoutTable)t,
                        rec->solids + (size_t)i * (size_t)rec->tables[t].row[1]);
        }
        good = put_doubles(rec, (LayoutTable)t, rec->solids, 1, check);
    }
    return good;
}

static void obstacle_values(const CordFrameObstacle* obstacle, LayoutTable table, double* values)
{
    switch (table) {
    case TABLE_OBSTACLE_POSITION: memcpy(values, &obstacle->position, sizeof obstacle->position); break;
    case TABLE_OBSTACLE_ROTATION: memcpy(values, &obstacle->rotation, sizeof obstacle->rotation); break;
    case TABLE_OBSTACLE_FORCE: memcpy(values, &obstacle->force, sizeof obstacle->force); break;
    default: memcpy(values, &obstacle->torque, sizeof obstacle->torque); break;
    }
}

static bool put_obstacles(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int count = rec->shape.obstacle_count;
    bool good = true;
    for (int t = TABLE_OBSTACLE_POSITION; good && count > 0 && t <= TABLE_OBSTACLE_TORQUE; t++) {
        for (int i = 0; i < count; i++) {
            obstacle_values(&frame->obstacles[i], (LayoutTable)t,
                            rec->solids + (size_t)i * (size_t)rec->tables[t].row[1]);
        }
        good = put_doubles(rec, (LayoutTable)t, rec->solids, 1, check);
    }
    return good;
}

static void contact_values(const CordContact* contact, LayoutTable table, double* values)
{
    switch (table) {
    case TABLE_CONTACT_ROD: *values = contact->rod; break;
    case TABLE_CONTACT_EDGE: *values = contact->edge; break;
    case TABLE_CONTACT_AT: *values = contact->at; break;
    case TABLE_CONTACT_KIND: *values = contact->kind; break;
    case TABLE_CONTACT_OTHER: *values = contact->other; break;
    case TABLE_CONTACT_OTHER_EDGE: *values = contact->other_edge; break;
    case TABLE_CONTACT_OTHER_AT: *values = contact->other_at; break;
    case TABLE_CONTACT_POINT: memcpy(values, &contact->point, sizeof contact->point); break;
    case TABLE_CONTACT_NORMAL: memcpy(values, &contact->normal, sizeof contact->normal); break;
    case TABLE_CONTACT_GAP: *values = contact->gap; break;
    case TABLE_CONTACT_PUSH: *values = contact->push; break;
    case TABLE_CONTACT_FRICTION: memcpy(values, &contact->friction, sizeof contact->friction); break;
    default: *values = contact->slides; break;
    }
}

static bool contacts_room(CordRecorder* rec, int count)
{
    if (count > rec->contact_capacity) {
        double* larger = realloc(rec->contacts, 3 * (size_t)count * sizeof *larger);
        if (!larger) {
            return false;
        }
        rec->contacts = larger;
        rec->contact_capacity = count;
    }
    return true;
}

static bool put_contacts(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int count = frame->contact_count;
    bool good = contacts_room(rec, count);
    for (int t = TABLE_CONTACT_ROD; good && count > 0 && t <= TABLE_CONTACT_SLIDES; t++) {
        int width = hdf5_row_size(&rec->tables[t]);
        for (int i = 0; i < count; i++) {
            contact_values(&frame->contacts[i], (LayoutTable)t, rec->contacts + (size_t)i * (size_t)width);
        }
        good = t == TABLE_CONTACT_POINT ? put_doubles(rec, (LayoutTable)t, rec->contacts, count, check)
                                        : put_rows(rec, (LayoutTable)t, rec->contacts, count, check);
    }
    return good;
}

static bool put_point(CordRecorder* rec, double time, const CordBranchPoint* point)
{
    const CordSolveReport* solve = &point->solve;
    uint64_t check = layout_check_f64(LAYOUT_CHECK, &time, 1);
    return put_doubles(rec, TABLE_BRANCH_ARC, &point->arc, 1, &check) &&
           put_integer(rec, TABLE_BRANCH_EVENT, point->event, &check) &&
           put_doubles(rec, TABLE_BRANCH_EVENT_TIME, &point->event_time, 1, &check) &&
           put_integer(rec, TABLE_BRANCH_UNSTABLE, solve->unstable, &check) &&
           put_doubles(rec, TABLE_BRANCH_EIGENVALUE, &point->least_eigenvalue, 1, &check) &&
           put_doubles(rec, TABLE_BRANCH_ENERGY, &solve->energy, 1, &check) &&
           put_doubles(rec, TABLE_BRANCH_RESIDUAL, &solve->residual, 1, &check) &&
           put_doubles(rec, TABLE_BRANCH_RELATIVE, &solve->residual_relative, 1, &check) &&
           put_integer(rec, TABLE_BRANCH_CONVERGED, solve->converged, &check) &&
           put_integer(rec, TABLE_BRANCH_ITERATIONS, solve->iterations, &check) &&
           put_integer(rec, TABLE_BRANCH_SADDLES, solve->saddles_left, &check) &&
           put(rec, TABLE_BRANCH_CHECKSUM, &check, 1);
}

static bool put_probe_checks(CordRecorder* rec)
{
    if (rec->shape.probe_count == 0) {
        return true;
    }
    for (int i = 0; i <= rec->shape.probe_count; i++) {
        rec->checks[i] = rec->columns[i].check;
        rec->columns[i].check = LAYOUT_CHECK;
    }
    return put(rec, TABLE_PROBE_CHECKSUM, rec->checks, 1);
}

bool recorder_append_frame(CordRecorder* rec, const CordFrame* frame, const CordBranchPoint* point)
{
    uint64_t check = LAYOUT_CHECK;
    bool good = put_frame_rows(rec, frame, &check) && put_frame_arrays(rec, frame, &check) &&
                put_adapt(rec, frame, &check) && put_bodies(rec, frame, &check) &&
                put_obstacles(rec, frame, &check) && put_contacts(rec, frame, &check) && put_probe_checks(rec) &&
                (!point || put_point(rec, frame->time, point)) && put(rec, TABLE_CHECKSUM, &check, 1);
    rec->count[COUNT_FRAMES] += good;
    return good;
}

bool recorder_append_probes(CordRecorder* rec)
{
    for (int i = 0; rec->columns && i <= rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->columns[i];
        column->check =
            layout_check_f64(column->check, column->rows, (size_t)rec->buffered * (size_t)column->width);
        if (!hdf5_table_append(&rec->file, &column->table, column->rows, rec->buffered)) {
            return false;
        }
    }
    rec->count[COUNT_PROBE_ROWS] += rec->buffered;
    rec->buffered = 0;
    return true;
}

// A state grows and shrinks with what touches, so a snapshot need not end where a chunk does. It is filled up with zeros in one
// go: a compressed chunk that is written again leaves its old copy in the file.
static bool put_state(CordRecorder* rec, const uint8_t* bytes, size_t size)
{
    size_t chunk = rec->snapshot_chunk, over = chunk > 0 ? size % chunk : 0;
    if (over == 0) {
        return put(rec, TABLE_SNAPSHOT_BYTES, bytes, (int64_t)size);
    }
    size_t padded = size + chunk - over;
    uint8_t* copy = calloc(padded, 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, size);
    bool good = put(rec, TABLE_SNAPSHOT_BYTES, copy, (int64_t)padded);
    free(copy);
    return good;
}

bool recorder_append_snapshot(CordRecorder* rec, const uint8_t* bytes, size_t size, int64_t frames, int64_t probe_rows)
{
    int64_t first = rec->tables[TABLE_SNAPSHOT_BYTES].rows;
    int64_t index[SNAPSHOT_WIDTH] = {
        [SNAPSHOT_FRAMES] = frames,
        [SNAPSHOT_PROBE_ROWS] = probe_rows,
        [SNAPSHOT_FIRST] = first,
        [SNAPSHOT_END] = first + (int64_t)size,
    };
    uint64_t check = layout_check_i64(LAYOUT_CHECK, index, SNAPSHOT_WIDTH);
    check = layout_check_u8(check, bytes, size);
    bool good = put_state(rec, bytes, size) && put(rec, TABLE_SNAPSHOT_INDEX, index, 1) &&
                put(rec, TABLE_SNAPSHOT_CHECKSUM, &check, 1);
    rec->count[COUNT_SNAPSHOTS] += good;
    return good;
}

// First all rows, then the record that says how many there are: whoever reads the record finds the rows.
bool recorder_commit(CordRecorder* rec)
{
    if (!hdf5_flush(&rec->file)) {
        return false;
    }
    rec->count[COUNT_BYTES] = claim_size(&rec->claim);
    rec->count[COUNT_CHECKSUM] = (int64_t)layout_check_i64(LAYOUT_CHECK, rec->count, COUNT_CHECKSUM);
    if (!hdf5_record_write(&rec->file, &rec->counts, rec->count)) {
        return false;
    }
    rec->safe_frames = rec->count[COUNT_FRAMES];
    return true;
}

// ---------------------------------------------------------------------------------------------------- putting

static CordResult put_refuse(const CordRecorder* rec, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE,
                       "%s is not complete: a write failed, and nothing was recorded after it; resume the run to go on",
                       rec->claim.path);
}

static CordResult world_snapshot(CordRecorder* rec, bool* written, CordMessage* message)
{
    size_t size = cord_world_state_size(rec->world);
    if (size > rec->state_capacity) {
        uint8_t* larger = realloc(rec->state, size);
        if (!larger) {
            return export_fail(message, CORD_NO_MEMORY,
                               "there is not enough memory for a snapshot of %zu bytes", size);
        }
        rec->state = larger;
        rec->state_capacity = size;
    }
    CordResult result = cord_world_state_get(rec->world, rec->state, size);
    if (result != CORD_OK) {
        return export_fail(message, result, "%s", cord_world_message(rec->world));
    }
    *written =
        recorder_append_snapshot(rec, rec->state, size, rec->count[COUNT_FRAMES], rec->count[COUNT_PROBE_ROWS]);
    rec->snapshot_steps = cord_world_steps(rec->world);
    return CORD_OK;
}

CordResult cord_recorder_put_probes(CordRecorder* recorder, CordMessage* message)
{
    CordRecorder* rec = recorder;
    if (rec->failed) {
        return put_refuse(rec, message);
    }
    if (!rec->columns) {
        return CORD_OK;
    }
    rec->columns[0].rows[rec->buffered] = cord_world_time(rec->world);
    for (int i = 1; i <= rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->columns[i];
        double* row = column->rows + (size_t)rec->buffered * (size_t)column->width;
        CordResult result = cord_probe_read(rec->world, column->id, row);
        if (result != CORD_OK) {
            return export_fail(message, result, "%s", cord_world_message(rec->world));
        }
    }
    rec->buffered++;
    if (rec->buffered == PROBE_BUFFER && !recorder_append_probes(rec)) {
        return recorder_fail(rec, "the probes were not recorded", message);
    }
    return CORD_OK;
}

static CordResult put_fits(const CordRecorder* rec, const CordFrame* frame, CordMessage* message)
{
    const struct {
        const char* what;
        int began, now;
    } counts[] = {{"rods", rec->shape.rod_count, frame->rod_count},
                  {"bodies", rec->shape.body_count, frame->body_count},
                  {"obstacles", rec->shape.obstacle_count, frame->obstacle_count},
                  {"surfaces", rec->shape.surface_count, frame->surface_count}};
    for (int i = 0; i < 4; i++) {
        if (counts[i].began != counts[i].now) {
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "%s: the recording began with %d %s and the world now has %d; start a new recording",
                               rec->claim.path, counts[i].began, counts[i].what, counts[i].now);
        }
    }
    return CORD_OK;
}

static CordResult put_world(CordRecorder* rec, const CordBranchPoint* point, CordMessage* message)
{
    if (rec->failed) {
        return put_refuse(rec, message);
    }
    CordFrame frame;
    CordResult result = cord_world_frame(rec->world, &frame);
    if (result != CORD_OK) {
        return export_fail(message, result, "%s", cord_world_message(rec->world));
    }
    CORD_TRY(put_fits(rec, &frame, message));
    char what[96];
    snprintf(what, sizeof what, "frame %lld (t = %g s) was not recorded", (long long)rec->safe_frames, frame.time);
    bool due = rec->snapshot_every > 0 && rec->count[COUNT_FRAMES] % rec->snapshot_every == 0;
    bool good = recorder_append_probes(rec) && recorder_append_frame(rec, &frame, point);
    if (good && due) {
        CORD_TRY(world_snapshot(rec, &good, message));
    }
    return good && recorder_commit(rec) ? CORD_OK : recorder_fail(rec, what, message);
}

CordResult cord_recorder_put_frame(CordRecorder* recorder, CordMessage* message)
{
    if (recorder->shape.branch) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "%s is the recording of a branch, whose frames are its points; put those instead",
                           recorder->claim.path);
    }
    return put_world(recorder, NULL, message);
}

CordResult cord_recorder_put_branch_point(CordRecorder* recorder, const CordBranchPoint* point, CordMessage* message)
{
    if (!recorder->shape.branch) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "%s is not the recording of a branch; set `branch` in its def", recorder->claim.path);
    }
    return put_world(recorder, point, message);
}

void cord_recorder_set_failure(CordRecorder* recorder, const char* why)
{
    snprintf(recorder->failure.text, sizeof recorder->failure.text, "%s", why ? why : "");
}

CordResult cord_recorder_put_snapshot(CordRecorder* recorder, CordMessage* message)
{
    CordRecorder* rec = recorder;
    if (rec->failed) {
        return put_refuse(rec, message);
    }
    bool good = recorder_append_probes(rec);
    if (good) {
        CORD_TRY(world_snapshot(rec, &good, message));
    }
    return good && recorder_commit(rec) ? CORD_OK : recorder_fail(rec, "a snapshot was not recorded", message);
}

CordResult cord_recorder_create(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                                CordMessage* message)
{
    CORD_TRY(recorder_open(def, world, recorder, message));
    CordResult result = recorder_commit(*recorder)
                            ? claim_settle(&(*recorder)->claim, false, message)
                            : recorder_fail(*recorder, "the recording could not be started", message);
    if (result != CORD_OK) {
        recorder_free(*recorder);
        *recorder = NULL;
    }
    return result;
}

static bool append_failure(CordRecorder* rec)
{
    const char* text = rec->failure.text;
    size_t size = strlen(text);
    uint64_t check = layout_check_text(LAYOUT_CHECK, text, size);
    return size == 0 ||
           (put(rec, TABLE_FAILURE_TEXT, text, (int64_t)size) && put(rec, TABLE_FAILURE_CHECKSUM, &check, 1));
}

// A snapshot of the very end, so that a longer run can go on from there, unless there is one already.
static CordResult close_write(CordRecorder* rec, CordMessage* message)
{
    bool wanted = rec->snapshot_every > 0 && rec->safe_frames > 0;
    if (wanted && rec->snapshot_steps != cord_world_steps(rec->world)) {
        CORD_TRY(cord_recorder_put_snapshot(rec, message));
    }
    bool good = recorder_append_probes(rec) && append_failure(rec);
    rec->count[COUNT_COMPLETE] = rec->failure.text[0] == '\0' ? COMPLETE_CLOSED : COMPLETE_FAILED;
    good = good && recorder_commit(rec) && hdf5_close(&rec->file);
    return good ? CORD_OK : recorder_fail(rec, "the recording could not be closed", message);
}

CordResult cord_recorder_close(CordRecorder* recorder, CordMessage* message)
{
    if (!recorder) {
        return CORD_OK;
    }
    CordResult result = recorder->failed ? put_refuse(recorder, message) : close_write(recorder, message);
    recorder_free(recorder);
    return result;
}
