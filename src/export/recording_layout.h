// How a recording is laid out: its tables beside the columns of frames, and its checksums. docs/recording.md
// says it for users.
#ifndef CORD_EXPORT_LAYOUT_H
#define CORD_EXPORT_LAYOUT_H

#include "export/columns.h"

#define LAYOUT_FORMAT "cordage recording"
#define LAYOUT_VERSION 6 // one more with every change of the columns or tables; no other is read

// The record "counts": what is finished. Written last and in one piece, it is what makes a frame a frame.
typedef enum LayoutCount {
    COUNT_FRAMES,
    COUNT_PROBE_ROWS,
    COUNT_SNAPSHOTS,
    COUNT_BYTES,    // length of the file that all of this needs
    COUNT_COMPLETE, // COMPLETE_...
    COUNT_CHECKSUM, // of the others
    COUNT_COUNT
} LayoutCount;

enum {
    COMPLETE_NOT,
    COMPLETE_CLOSED,
    COMPLETE_FAILED
}; // not closed; closed; closed after the run had failed

// What a recording is of: its tables and how wide they are follow from it.
typedef struct LayoutShape {
    FrameShape frame;
    int probe_count;
    bool branch; // frames are the points of a branch of equilibria
} LayoutShape;

// What is known of a point of a branch beside its frame: columns with a row for each frame, whose numbers are
// in CordBranchPoint.
enum { LAYOUT_BRANCH = 11 };
extern const Column layout_branch[LAYOUT_BRANCH];

// All tables whose rows are added as the run goes on. The first are the columns of frames, by their number.
typedef enum LayoutTable {
    TABLE_BRANCH = COLUMN_MOST, // and those after it: layout_branch
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

typedef enum LayoutRow { // a table has one row for each
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
    int row[2];         // as HDF5 has it: 0 where an axis is absent
    const char* unit;   // NULL: none
    const char* labels; // of its numbers or of its values; NULL: none
} LayoutDef;

// false: such a recording does not have it
bool layout_def(const LayoutShape* shape, int table, LayoutDef* def);

enum { SNAPSHOT_FRAMES, SNAPSHOT_PROBE_ROWS, SNAPSHOT_FIRST, SNAPSHOT_END, SNAPSHOT_WIDTH };

const char* layout_kind(bool branch); // "run" or "branch"

// The table of a probe: "probes/NAME", or "probes/_3" where the name of probe 3 is taken or cannot be one in
// the file.
#define LAYOUT_PROBE_MOST 256
void layout_probe_name(const char* const* names, int probe, char text[LAYOUT_PROBE_MOST]);

// A checksum that any one changed number changes. Starts from LAYOUT_CHECK; goes number by number over their
// bits.
#define LAYOUT_CHECK UINT64_C(0x436f726461676531)
uint64_t layout_check_u64(uint64_t check, const uint64_t* values, size_t count);
uint64_t layout_check_i64(uint64_t check, const int64_t* values, size_t count);
uint64_t layout_check_i32(uint64_t check, const int32_t* values, size_t count);
uint64_t layout_check_f64(uint64_t check, const double* values, size_t count);
uint64_t layout_check_f32(uint64_t check, const float* values, size_t count);
uint64_t layout_check_u8(uint64_t check, const uint8_t* values, size_t count);
uint64_t layout_check_text(uint64_t check, const char* text, size_t size); // and its length
uint64_t layout_check_rows(uint64_t check, Hdf5Type type, const void* values, size_t count);

#endif
