// A recording being written: what creating, putting and resuming share.
#ifndef CORD_EXPORT_RECORDER_H
#define CORD_EXPORT_RECORDER_H

#include "export/description.h"
#include "export/recording_lock.h"

typedef struct ProbeColumn { // one probe, or the time at which all were read
    CordProbeId id;
    int width; // numbers in a row
    Hdf5Table table;
    double* rows;   // read but not yet in the table (PROBE_BUFFER x width)
    uint64_t check; // over the rows since the last frame
} ProbeColumn;

#define PROBE_BUFFER 1024 // rows

struct CordRecorder {
    CordWorld* world;
    RecordingLock lock;
    Hdf5File file;
    Hdf5Table tables[TABLE_COUNT];
    Hdf5Table counts;
    int64_t count[COUNT_COUNT]; // rows appended; finished once committed
    int64_t safe_frames;        // finished
    int snapshot_every;
    bool failed; // a write did not succeed: nothing more is written

    LayoutShape shape;
    int64_t row_count[ROW_COUNT]; // elements in all frames so far
    int64_t* offsets;             // (rod_count + 1)
    ColumnBuffer buffer;

    ProbeColumn* probes; // the time, then each probe (probe_count + 1); NULL: no probes
    int buffered;        // rows in each probe's buffer
    uint64_t* checks;    // scratch (probe_count + 1)

    uint8_t* state; // scratch (state_capacity)
    size_t state_capacity;
    size_t snapshot_chunk;  // bytes compressed together; 0: not compressed
    int64_t snapshot_steps; // the world's steps at the last snapshot; -1: none yet

    CordMessage failure; // of the run; empty: none
};

// recorder_open.c: the file, locked and made under another name with all its tables. Publishing the lock puts
// it in its place.
CordResult recorder_open(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                         CordMessage* message);
void recorder_free(CordRecorder* rec); // does not write anything

// recorder.c: rows appended; none of them counts before commit.
// NULL: a run's
bool recorder_append_frame(CordRecorder* rec, const CordFrame* frame, const CordBranchPoint* point);
bool recorder_append_probes(CordRecorder* rec); // what is in the probes' buffers
bool recorder_append_snapshot(CordRecorder* rec, const uint8_t* bytes, size_t size, int64_t frames,
                              int64_t probe_rows);
bool recorder_commit(CordRecorder* rec);
// from the file's last failure
CordResult recorder_fail(CordRecorder* rec, const char* what, CordMessage* message);

#endif
