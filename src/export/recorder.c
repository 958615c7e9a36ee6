#include "export/recorder.h"

#include "base/assert.h"
#include "export/output.h"

#include <cordage/ledger.h>

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
    if (recording_lock_is_lost(&rec->lock)) {
        rec->safe_frames = 0;
        return export_fail(
            message, CORD_BAD_FILE,
            "%s was removed, moved or replaced while it was recorded to, and its frames are not there any "
            "more; record again, and leave the file where it is until the end",
            rec->lock.path);
    }
    const char* cause = rec->file.error != 0      ? output_error_text(rec->lock.path, rec->file.error)
                        : rec->file.cause[0] != 0 ? rec->file.cause
                                                  : "there is not enough memory";
    if (rec->safe_frames == 0) {
        return export_fail(message, CORD_BAD_FILE, "%s: %s: %s", rec->lock.path, what, cause);
    }
    return export_fail(message, CORD_BAD_FILE,
                       "%s: %s: %s; the %lld frames before are safe and the run can be resumed",
                       rec->lock.path, what, cause, (long long)rec->safe_frames);
}

// ---- appending

static bool put(CordRecorder* rec, int table, const void* rows, int64_t count)
{
    return hdf5_table_append(&rec->file, &rec->tables[table], rows, count);
}

// Appends the numbers of a column. A table of nodes, edges or contacts gets one row for each of them, every
// other table one row for the frame.
static bool put_column(CordRecorder* rec, int table, const Column* column, const void* elements, int count,
                       uint64_t* check)
{
    if (count == 0) {
        return true;
    }
    CORD_ASSERT(elements);
    const void* rows = column_pack(column, elements, count, &rec->buffer);
    if (!rows) {
        return false;
    }
    *check = layout_check_rows(*check, column->type, rows, (size_t)count * (size_t)column->width);
    return put(rec, table, rows, column_row_is_element(column->row) ? count : 1);
}

static bool put_integers(CordRecorder* rec, int table, const int64_t* values, size_t count, uint64_t* check)
{
    *check = layout_check_rows(*check, HDF5_I64, values, count);
    return put(rec, table, values, 1);
}

// Where the nodes or edges of each rod begin in their table, and where those of the last rod end.
static bool put_offsets(CordRecorder* rec, int table, const CordFrame* frame, uint64_t* check)
{
    bool nodes = table == TABLE_NODE_OFFSET;
    int rods = rec->shape.frame.rod_count;
    int64_t base = rec->row_count[nodes ? ROW_NODE : ROW_EDGE];
    for (int r = 0; r < rods; r++) {
        rec->offsets[r] = base + (nodes ? frame->rods[r].first_node : frame->rods[r].first_edge);
    }
    rec->offsets[rods] = base + (nodes ? frame->node_count : frame->edge_count);
    return put_integers(rec, table, rec->offsets, (size_t)rods + 1, check);
}

static bool put_places(CordRecorder* rec, const CordFrame* frame, uint64_t* check)
{
    int64_t first = rec->row_count[ROW_CONTACT], ends[2] = {first, first + frame->contact_count};
    return put_integers(rec, TABLE_PROBE_ROWS, &rec->count[COUNT_PROBE_ROWS], 1, check) &&
           put_offsets(rec, TABLE_NODE_OFFSET, frame, check) &&
           put_offsets(rec, TABLE_EDGE_OFFSET, frame, check) &&
           put_integers(rec, TABLE_CONTACT_OFFSET, ends, 2, check);
}

static bool put_columns(CordRecorder* rec, const CordFrame* frame, bool of_frame, uint64_t* check)
{
    bool good = true;
    for (int c = 0; good && c < column_count; c++) {
        const Column* column = &columns[c];
        if ((column->row == ROW_FRAME) == of_frame && column_has(column, &rec->shape.frame)) {
            good = put_column(rec, c, column, column_elements(column, frame), column_rows(frame, column->row),
                              check);
        }
    }
    return good;
}

static bool put_point(CordRecorder* rec, double time, const CordBranchPoint* point)
{
    uint64_t check = layout_check_rows(LAYOUT_CHECK, HDF5_F64, &time, 1);
    bool good = true;
    for (int i = 0; good && i < LAYOUT_BRANCH; i++) {
        good = put_column(rec, TABLE_BRANCH + i, &layout_branch[i], point, 1, &check);
    }
    return good && put(rec, TABLE_BRANCH_CHECKSUM, &check, 1);
}

static bool put_probe_checks(CordRecorder* rec)
{
    if (rec->shape.probe_count == 0) {
        return true;
    }
    for (int i = 0; i <= rec->shape.probe_count; i++) {
        rec->checks[i] = rec->probes[i].check;
        rec->probes[i].check = LAYOUT_CHECK;
    }
    return put(rec, TABLE_PROBE_CHECKSUM, rec->checks, 1);
}

bool recorder_append_frame(CordRecorder* rec, const CordFrame* frame, const CordBranchPoint* point)
{
    CordFrame whole = *frame;
    whole.skin = frame->skin ? frame->skin : frame->x;
    uint64_t check = LAYOUT_CHECK;
    bool good = put_columns(rec, &whole, true, &check) && put_places(rec, &whole, &check) &&
                put_columns(rec, &whole, false, &check) && put_probe_checks(rec) &&
                (!point || put_point(rec, frame->time, point)) && put(rec, TABLE_CHECKSUM, &check, 1);
    for (int row = 0; row < ROW_COUNT; row++) {
        rec->row_count[row] += column_rows(frame, (ColumnRow)row);
    }
    rec->count[COUNT_FRAMES] += good;
    return good;
}

bool recorder_append_probes(CordRecorder* rec)
{
    for (int i = 0; rec->probes && i <= rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->probes[i];
        column->check = layout_check_rows(column->check, HDF5_F64, column->rows,
                                          (size_t)rec->buffered * (size_t)column->width);
        if (!hdf5_table_append(&rec->file, &column->table, column->rows, rec->buffered)) {
            return false;
        }
    }
    rec->count[COUNT_PROBE_ROWS] += rec->buffered;
    rec->buffered = 0;
    return true;
}

// The size of the state varies with the contacts, so a snapshot need not fill its last chunk. It is padded
// with zeros in one write: rewriting a compressed chunk would leave the old copy in the file.
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

bool recorder_append_snapshot(CordRecorder* rec, const RecordingSnapshot* snapshot)
{
    int64_t first = rec->tables[TABLE_SNAPSHOT_BYTES].rows;
    const uint8_t* bytes = snapshot->bytes;
    size_t size = snapshot->size;
    int64_t index[SNAPSHOT_WIDTH] = {
        [SNAPSHOT_FRAMES] = snapshot->frames,
        [SNAPSHOT_PROBE_ROWS] = snapshot->probe_rows,
        [SNAPSHOT_FIRST] = first,
        [SNAPSHOT_LEDGER] = first + (int64_t)snapshot->state_size,
        [SNAPSHOT_END] = first + (int64_t)size,
    };
    uint64_t check = layout_check_rows(LAYOUT_CHECK, HDF5_I64, index, SNAPSHOT_WIDTH);
    check = layout_check_rows(check, HDF5_U8, bytes, size);
    bool good = put_state(rec, bytes, size) && put(rec, TABLE_SNAPSHOT_INDEX, index, 1) &&
                put(rec, TABLE_SNAPSHOT_CHECKSUM, &check, 1);
    rec->count[COUNT_SNAPSHOTS] += good;
    return good;
}

// Flushes all rows before the record that counts them, so that whoever reads the record finds the rows.
bool recorder_commit(CordRecorder* rec)
{
    if (recording_lock_is_lost(&rec->lock) || !hdf5_flush(&rec->file)) {
        return false;
    }
    rec->count[COUNT_BYTES] = recording_lock_size(&rec->lock);
    rec->count[COUNT_CHECKSUM] =
        (int64_t)layout_check_rows(LAYOUT_CHECK, HDF5_I64, rec->count, COUNT_CHECKSUM);
    if (!hdf5_record_write(&rec->file, &rec->counts, rec->count)) {
        return false;
    }
    rec->safe_frames = rec->count[COUNT_FRAMES];
    return true;
}

// ---- recording the world

static CordResult put_refuse(const CordRecorder* rec, CordMessage* message)
{
    return export_fail(
        message, CORD_BAD_FILE,
        "%s is not complete: a write failed, and nothing was recorded after it; resume the run to go on",
        rec->lock.path);
}

static CordResult world_snapshot(CordRecorder* rec, bool* written, CordMessage* message)
{
    RecordingSnapshot s = {.frames = rec->count[COUNT_FRAMES],
                           .probe_rows = rec->count[COUNT_PROBE_ROWS],
                           .state_size = cord_world_state_size(rec->world)};
    s.size = s.state_size + cord_ledger_state_size(rec->world);
    if (s.size > rec->state_capacity) {
        uint8_t* larger = realloc(rec->state, s.size);
        if (!larger) {
            return export_fail(message, CORD_NO_MEMORY,
                               "there is not enough memory for a snapshot of %zu bytes", s.size);
        }
        rec->state = larger;
        rec->state_capacity = s.size;
    }
    s.bytes = rec->state;
    CordResult result = cord_world_state_get(rec->world, s.bytes, s.state_size);
    if (result == CORD_OK && s.size > s.state_size) {
        result = cord_ledger_state_get(rec->world, s.bytes + s.state_size, s.size - s.state_size);
    }
    if (result != CORD_OK) {
        return export_fail_world(message, result, rec->world);
    }
    *written = recorder_append_snapshot(rec, &s);
    rec->snapshot_steps = cord_world_steps(rec->world);
    return CORD_OK;
}

CordResult cord_recorder_put_probes(CordRecorder* rec, CordMessage* message)
{
    if (rec->failed) {
        return put_refuse(rec, message);
    }
    if (!rec->probes) {
        return CORD_OK;
    }
    rec->probes[0].rows[rec->buffered] = cord_world_time(rec->world);
    for (int i = 1; i <= rec->shape.probe_count; i++) {
        ProbeColumn* column = &rec->probes[i];
        double* row = column->rows + (size_t)rec->buffered * (size_t)column->width;
        CordResult result = cord_probe_read(rec->world, column->id, row);
        if (result != CORD_OK) {
            return export_fail_world(message, result, rec->world);
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
    } counts[] = {{"rods", rec->shape.frame.rod_count, frame->rod_count},
                  {"bodies", rec->shape.frame.body_count, frame->body_count},
                  {"obstacles", rec->shape.frame.obstacle_count, frame->obstacle_count},
                  {"surfaces", rec->shape.frame.surface_count, frame->surface_count},
                  {"entries of the ledger", rec->shape.frame.ledger_count, frame->ledger_count}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].began != counts[i].now) {
            return export_fail(
                message, CORD_BAD_ARGUMENT,
                "%s: the recording began with %d %s and the world now has %d; start a new recording",
                rec->lock.path, counts[i].began, counts[i].what, counts[i].now);
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
    CORD_TRY(export_world_frame(rec->world, &frame, message));
    CORD_TRY(put_fits(rec, &frame, message));
    char what[96];
    snprintf(what, sizeof what, "frame %lld (t = %g s) was not recorded", (long long)rec->safe_frames,
             frame.time);
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
                           recorder->lock.path);
    }
    return put_world(recorder, NULL, message);
}

CordResult cord_recorder_put_branch_point(CordRecorder* recorder, const CordBranchPoint* point,
                                          CordMessage* message)
{
    if (!recorder->shape.branch) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "%s is not the recording of a branch; set `branch` in its def",
                           recorder->lock.path);
    }
    return put_world(recorder, point, message);
}

void cord_recorder_set_failure(CordRecorder* recorder, const char* why)
{
    snprintf(recorder->failure.text, sizeof recorder->failure.text, "%s", why ? why : "");
}

CordResult cord_recorder_put_snapshot(CordRecorder* rec, CordMessage* message)
{
    if (rec->failed) {
        return put_refuse(rec, message);
    }
    bool good = recorder_append_probes(rec);
    if (good) {
        CORD_TRY(world_snapshot(rec, &good, message));
    }
    return good && recorder_commit(rec) ? CORD_OK
                                        : recorder_fail(rec, "a snapshot was not recorded", message);
}

CordResult cord_recorder_create(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                                CordMessage* message)
{
    CORD_TRY(recorder_open(def, world, recorder, message));
    CordResult result = recorder_commit(*recorder)
                            ? recording_lock_publish(&(*recorder)->lock, false, message)
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

// Takes a snapshot of the end, so that a longer run can go on from there, unless the last snapshot is of that
// step.
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
