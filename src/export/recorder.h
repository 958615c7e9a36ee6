// A recording that is being written: what recorder.c, recorder_open.c and resume.c share.
#ifndef CORD_EXPORT_RECORDER_H
#define CORD_EXPORT_RECORDER_H

#include "export/description.h"
#include "export/recording_lock.h"

typedef struct ProbeColumn { // one probe, or the time at which all probes were read
    CordProbeId id;
    int width; // numbers in a row
    Hdf5Table table;
    double* rows;   // not yet in the table (PROBE_BUFFER x width)
    uint64_t check; // of the rows since the last frame
} ProbeColumn;

#define PROBE_BUFFER 1024 // rows

struct CordRecorder {
    CordWorld* world;
    RecordingLock lock;
    Hdf5File file;
    Hdf5Table tables[TABLE_COUNT];
    Hdf5Table counts;
    int64_t count[COUNT_COUNT]; // rows appended; readers see them after recorder_commit
    int64_t safe_frames;        // committed
    int snapshot_every;
    bool failed; // a write failed, and nothing more is written

    LayoutShape shape;
    int64_t row_count[ROW_COUNT]; // elements of all frames so far
    int64_t* offsets;             // scratch (rod_count + 1)
    ColumnBuffer buffer;

    ProbeColumn* probes; // the time, then each probe (probe_count + 1); NULL: no probes
    int buffered;        // rows in each probe's buffer
    uint64_t* checks;    // scratch (probe_count + 1)

    uint8_t* state; // scratch (state_capacity)
    size_t state_capacity;
    size_t snapshot_chunk;  // bytes in a compressed chunk; 0: not compressed
    int64_t snapshot_steps; // steps of the world at the last snapshot; -1: none yet

    CordMessage failure; // why the run failed; empty: it did not
};

// recorder_open.c: locks the path and creates the file with all its tables as PATH.part.
// recording_lock_publish moves it to its path.
CordResult recorder_open(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                         CordMessage* message);
void recorder_free(CordRecorder* rec); // writes nothing

// recorder.c: appends rows, which readers see after recorder_commit. `point` is NULL unless the recording is
// one of a branch.
bool recorder_append_frame(CordRecorder* rec, const CordFrame* frame, const CordBranchPoint* point);
bool recorder_append_probes(CordRecorder* rec); // the rows in the probes' buffers
bool recorder_append_snapshot(CordRecorder* rec, const RecordingSnapshot* snapshot);
bool recorder_commit(CordRecorder* rec);
// Says why, from the file's last failure.
CordResult recorder_fail(CordRecorder* rec, const char* what, CordMessage* message);

#endif
