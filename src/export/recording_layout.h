// The layout of a recording: its tables besides the columns of frames, and its checksums. docs/recording.md
// describes it for users.
#ifndef CORD_EXPORT_LAYOUT_H
#define CORD_EXPORT_LAYOUT_H

#include "export/columns.h"

#define LAYOUT_FORMAT "cordage recording"
#define LAYOUT_VERSION 8 // increased with every change of the columns or tables; no other version is read

// The record "counts": how much of the recording is finished. It is written last and in one piece; a frame
// exists once it is counted here.
typedef enum LayoutCount {
    COUNT_FRAMES,
    COUNT_PROBE_ROWS,
    COUNT_SNAPSHOTS,
    COUNT_BYTES,    // length of the file that holds all of this
    COUNT_COMPLETE, // COMPLETE_NOT, ...
    COUNT_CHECKSUM, // of the other counts
    COUNT_COUNT
} LayoutCount;

enum {
    COMPLETE_NOT,    // the file was not closed
    COMPLETE_CLOSED, // it was
    COMPLETE_FAILED  // it was closed after the run had failed
};

// What a recording holds. It determines which tables there are and how wide they are.
typedef struct LayoutShape {
    FrameShape frame;
    int probe_count;
    bool branch; // the frames are the points of a branch of equilibria
} LayoutShape;

// The columns of a branch: one row for each frame, with numbers from CordBranchPoint.
enum { LAYOUT_BRANCH = 11 };
extern const Column layout_branch[LAYOUT_BRANCH];

// All tables that grow during the run. The first COLUMN_MOST are the columns of frames, in their order.
typedef enum LayoutTable {
    TABLE_BRANCH = COLUMN_MOST, // the first of LAYOUT_BRANCH columns
    TABLE_NODE_OFFSET = TABLE_BRANCH + LAYOUT_BRANCH,
    TABLE_EDGE_OFFSET,
    TABLE_CONTACT_OFFSET,
    TABLE_PROBE_ROWS,
    TABLE_PROBE_CHECKSUM,
    TABLE_CHECKSUM,
    TABLE_BRANCH_CHECKSUM,
    TABLE_SNAPSHOT_INDEX,
    TABLE_SNAPSHOT_CHECKSUM,
    TABLE_SNAPSHOT_BYTES,
    TABLE_FAILURE_TEXT,
    TABLE_FAILURE_CHECKSUM,
    TABLE_COUNT
} LayoutTable;

typedef enum LayoutRow { // what a table has one row for
    PER_FRAME,
    PER_NODE,
    PER_EDGE,
    PER_CONTACT,
    PER_SNAPSHOT,
    PER_STATE_BYTE,
    PER_FAILURE_BYTE,
    PER_FAILURE
} LayoutRow;

typedef struct LayoutDef {
    const char* name;
    LayoutRow per;
    Hdf5Type type;
    int row[2];         // as in Hdf5TableDef: 0 where an axis is absent
    const char* unit;   // NULL: none
    const char* labels; // of the numbers in a row, or of the values; NULL: none
} LayoutDef;

// False: recordings of this shape do not have the table.
bool layout_def(const LayoutShape* shape, int table, LayoutDef* def);

enum { SNAPSHOT_FRAMES, SNAPSHOT_PROBE_ROWS, SNAPSHOT_FIRST, SNAPSHOT_LEDGER, SNAPSHOT_END, SNAPSHOT_WIDTH };

typedef struct RecordingSnapshot {
    int64_t frames, probe_rows; // counts at the time of the snapshot
    uint8_t* bytes;             // the world's state, and the ledger's (size)
    size_t state_size, size;
} RecordingSnapshot;

const char* layout_kind(bool branch); // "run" or "branch"

// The table of a probe: "probes/NAME", or "probes/_3" if the name of probe 3 is taken or is not a valid HDF5
// name.
#define LAYOUT_PROBE_MOST 256
void layout_probe_name(const char* const* names, int probe, char text[LAYOUT_PROBE_MOST]);

// Checksums, which start from LAYOUT_CHECK and go over the bits of every number. A change of any one number
// changes the checksum.
#define LAYOUT_CHECK UINT64_C(0x436f726461676531)
uint64_t layout_check_text(uint64_t check, const char* text, size_t size); // and of the length
uint64_t layout_check_rows(uint64_t check, Hdf5Type type, const void* values, size_t count);

#endif
