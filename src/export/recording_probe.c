// Probes and snapshots of a recording.
#include "export/export.h"
#include "export/recording.h"

#include <stdlib.h>

int cord_recording_probe_count(const CordRecording* recording)
{
    return recording->shape.probe_count;
}

const char* cord_recording_probe_name(const CordRecording* recording, int probe)
{
    return probe >= 0 && probe < recording->shape.probe_count
               ? description_name(&recording->description, PROBE_NAME, probe)
               : NULL;
}

CordMeasure cord_recording_probe_measure(const CordRecording* recording, int probe)
{
    return probe >= 0 && probe < recording->shape.probe_count ? recording->measures[probe]
                                                              : CORD_MEASURE_COUNT;
}

int64_t cord_recording_probe_rows(const CordRecording* recording)
{
    return recording->shape.probe_count > 0 ? recording->count[COUNT_PROBE_ROWS] : 0;
}

// ---- probes

static CordResult probe_damaged(const CordRecording* rec, int column, CordMessage* message)
{
    return recording_damaged(rec, message, "probe %.100s",
                             column > 0 ? description_name(&rec->description, PROBE_NAME, column - 1)
                                        : "times");
}

CordResult recording_probe_range(CordRecording* rec, int column, int64_t first, int64_t count, double* values,
                                 CordMessage* message)
{
    return hdf5_table_read(&rec->file, &rec->probe_tables[column], first, count, values)
               ? CORD_OK
               : probe_damaged(rec, column, message);
}

CordResult recording_probe_ends(CordRecording* rec, int64_t* rows, CordMessage* message)
{
    int64_t frames = rec->count[COUNT_FRAMES], last = 0;
    bool good = hdf5_table_read(&rec->file, &rec->tables[TABLE_PROBE_ROWS], 0, frames, rows);
    for (int64_t i = 0; good && i < frames; i++) {
        good = rows[i] >= last && rows[i] <= rec->count[COUNT_PROBE_ROWS];
        last = rows[i];
    }
    return good ? CORD_OK : recording_damaged(rec, message, "the list of probe rows");
}

// Each frame has a checksum of the probe rows since the frame before. Rows after the last frame have none.
static CordResult column_check(CordRecording* rec, int column, const double* values, CordMessage* message)
{
    int64_t frames = rec->count[COUNT_FRAMES];
    size_t width = column > 0 ? (size_t)rec->probe_tables[column].row[0] : 1;
    size_t probes = (size_t)rec->shape.probe_count + 1;
    int64_t* ends = calloc((size_t)frames + 1, sizeof *ends);
    uint64_t* checks = calloc(((size_t)frames + 1) * probes, sizeof *checks);
    CordResult result = CORD_OK;
    if (!ends || !checks) {
        result =
            export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory for its probes", rec->path);
    } else {
        result = recording_probe_ends(rec, ends, message);
    }
    if (result == CORD_OK &&
        !hdf5_table_read(&rec->file, &rec->tables[TABLE_PROBE_CHECKSUM], 0, frames, checks)) {
        result = probe_damaged(rec, column, message);
    }
    int64_t first = 0;
    for (int64_t i = 0; result == CORD_OK && i < frames; i++) {
        uint64_t check = layout_check_rows(LAYOUT_CHECK, HDF5_F64, values + (size_t)first * width,
                                           (size_t)(ends[i] - first) * width);
        if (check != checks[(size_t)i * probes + (size_t)column]) {
            result = probe_damaged(rec, column, message);
        }
        first = ends[i];
    }
    free(ends);
    free(checks);
    return result;
}

static CordResult column_read(CordRecording* rec, int column, double* values, CordMessage* message)
{
    CORD_TRY(recording_probe_range(rec, column, 0, rec->count[COUNT_PROBE_ROWS], values, message));
    return column_check(rec, column, values, message);
}

CordResult cord_recording_probe_times(CordRecording* recording, double* times, CordMessage* message)
{
    return recording->shape.probe_count > 0 ? column_read(recording, 0, times, message) : CORD_OK;
}

CordResult cord_recording_probe_values(CordRecording* recording, int probe, double* values,
                                       CordMessage* message)
{
    if (probe < 0 || probe >= recording->shape.probe_count) {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s has no probe %d; its %d probes count from 0",
                           recording->path, probe, recording->shape.probe_count);
    }
    return column_read(recording, 1 + probe, values, message);
}

// ---- snapshots

CordResult recording_read_snapshot(CordRecording* rec, int64_t index, RecordingSnapshot* snapshot,
                                   CordMessage* message)
{
    *snapshot = (RecordingSnapshot){0};
    int64_t row[SNAPSHOT_WIDTH];
    uint64_t stored;
    const Hdf5Table* bytes = &rec->tables[TABLE_SNAPSHOT_BYTES];
    bool good = hdf5_table_read(&rec->file, &rec->tables[TABLE_SNAPSHOT_INDEX], index, 1, row) &&
                hdf5_table_read(&rec->file, &rec->tables[TABLE_SNAPSHOT_CHECKSUM], index, 1, &stored) &&
                row[SNAPSHOT_FIRST] >= 0 && row[SNAPSHOT_LEDGER] >= row[SNAPSHOT_FIRST] &&
                row[SNAPSHOT_END] >= row[SNAPSHOT_LEDGER] && row[SNAPSHOT_END] <= bytes->rows &&
                row[SNAPSHOT_FRAMES] >= 0 && row[SNAPSHOT_FRAMES] <= rec->count[COUNT_FRAMES] &&
                row[SNAPSHOT_PROBE_ROWS] >= 0 && row[SNAPSHOT_PROBE_ROWS] <= rec->count[COUNT_PROBE_ROWS];
    if (good) {
        int64_t size = row[SNAPSHOT_END] - row[SNAPSHOT_FIRST];
        snapshot->frames = row[SNAPSHOT_FRAMES];
        snapshot->probe_rows = row[SNAPSHOT_PROBE_ROWS];
        snapshot->state_size = (size_t)(row[SNAPSHOT_LEDGER] - row[SNAPSHOT_FIRST]);
        snapshot->size = (size_t)size;
        snapshot->bytes = malloc((size_t)size + 1);
        good =
            snapshot->bytes && hdf5_table_read(&rec->file, bytes, row[SNAPSHOT_FIRST], size, snapshot->bytes);
    }
    if (good) {
        uint64_t check = layout_check_rows(LAYOUT_CHECK, HDF5_I64, row, SNAPSHOT_WIDTH);
        good = layout_check_rows(check, HDF5_U8, snapshot->bytes, snapshot->size) == stored;
    }
    if (!good) {
        free(snapshot->bytes);
        snapshot->bytes = NULL;
        return recording_damaged(rec, message, "a snapshot");
    }
    return CORD_OK;
}
