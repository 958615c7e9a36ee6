// The points of a branch, read beside their frames.
#include "export/export.h"
#include "export/recording.h"

bool cord_recording_is_branch(const CordRecording* recording)
{
    return recording->shape.branch;
}

static bool get_double(CordRecording* rec, LayoutTable table, int64_t row, double* value, uint64_t* check)
{
    bool good = hdf5_table_read(&rec->file, &rec->tables[table], row, 1, value);
    *check = good ? layout_check_f64(*check, value, 1) : 0;
    return good;
}

static bool get_integer(CordRecording* rec, LayoutTable table, int64_t row, int* value, uint64_t* check)
{
    int64_t stored;
    bool good = hdf5_table_read(&rec->file, &rec->tables[table], row, 1, &stored);
    *check = good ? layout_check_i64(*check, &stored, 1) : 0;
    *value = good ? (int)stored : 0;
    return good;
}

static bool read_point(CordRecording* rec, int64_t row, CordBranchPoint* point)
{
    CordSolveReport* solve = &point->solve;
    uint64_t check = LAYOUT_CHECK, stored;
    int event, converged;
    bool good = get_double(rec, TABLE_TIME, row, &point->time, &check) &&
                get_double(rec, TABLE_BRANCH_ARC, row, &point->arc, &check) &&
                get_integer(rec, TABLE_BRANCH_EVENT, row, &event, &check) &&
                get_double(rec, TABLE_BRANCH_EVENT_TIME, row, &point->event_time, &check) &&
                get_integer(rec, TABLE_BRANCH_UNSTABLE, row, &solve->unstable, &check) &&
                get_double(rec, TABLE_BRANCH_EIGENVALUE, row, &point->least_eigenvalue, &check) &&
                get_double(rec, TABLE_BRANCH_ENERGY, row, &solve->energy, &check) &&
                get_double(rec, TABLE_BRANCH_RESIDUAL, row, &solve->residual, &check) &&
                get_double(rec, TABLE_BRANCH_RELATIVE, row, &solve->residual_relative, &check) &&
                get_integer(rec, TABLE_BRANCH_CONVERGED, row, &converged, &check) &&
                get_integer(rec, TABLE_BRANCH_ITERATIONS, row, &solve->iterations, &check) &&
                get_integer(rec, TABLE_BRANCH_SADDLES, row, &solve->saddles_left, &check) &&
                hdf5_table_read(&rec->file, &rec->tables[TABLE_BRANCH_CHECKSUM], row, 1, &stored);
    if (!good || stored != check || event < CORD_BRANCH_POINT || event >= CORD_BRANCH_END) {
        return false;
    }
    point->event = (CordBranchEvent)event;
    solve->converged = converged != 0;
    return true;
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
