// The points of a branch, read beside their frames.
#include "export/export.h"
#include "export/recording.h"

bool cord_recording_is_branch(const CordRecording* recording)
{
    return recording->shape.branch;
}

static bool read_number(CordRecording* rec, int table, const Column* column, int64_t row, void* to,
                        uint64_t* check)
{
    void* rows = column_buffer_rows(&rec->frame.buffer, 1);
    if (!rows || !hdf5_table_read(&rec->file, &rec->tables[table], row, 1, rows)) {
        return false;
    }
    *check = layout_check_rows(*check, column->type, rows, 1);
    column_unpack(column, &rec->frame.buffer, to, 1);
    return true;
}

static bool read_point(CordRecording* rec, int64_t row, CordBranchPoint* point)
{
    uint64_t check = LAYOUT_CHECK, stored;
    CordFrame frame = {0};
    bool good = read_number(rec, COLUMN_TIME, &columns[COLUMN_TIME], row, &frame, &check);
    for (int i = 0; good && i < LAYOUT_BRANCH; i++) {
        good = read_number(rec, TABLE_BRANCH + i, &layout_branch[i], row, point, &check);
    }
    point->time = frame.time;
    return good && hdf5_table_read(&rec->file, &rec->tables[TABLE_BRANCH_CHECKSUM], row, 1, &stored) &&
           stored == check && (int)point->event >= CORD_BRANCH_POINT && point->event < CORD_BRANCH_END;
}

CordResult cord_recording_branch_point(CordRecording* recording, int index, CordBranchPoint* point,
                                       CordMessage* message)
{
    *point = (CordBranchPoint){0};
    int64_t count = recording->shape.branch ? recording->count[COUNT_FRAMES] : 0;
    if (index < 0 || index >= count) {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s has no point %d of a branch; it has %lld, from 0",
                           recording->path, index, (long long)count);
    }
    if (!read_point(recording, index, point)) {
        char what[32];
        snprintf(what, sizeof what, "point %d", index);
        return recording_damaged(recording, what, message);
    }
    return CORD_OK;
}
