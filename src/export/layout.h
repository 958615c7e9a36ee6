// How a recording is laid out: the tables and what one row of each stands for. docs/recording.md says it for users.
#ifndef CORD_EXPORT_LAYOUT_H
#define CORD_EXPORT_LAYOUT_H

#include "export/hdf5.h"

#include <cordage/adapt.h>
#include <cordage/io.h>

#define LAYOUT_FORMAT "cordage recording"
// 1 had neither section forces nor bodies, and knew no branches and no failures; 2 had neither contacts nor obstacles; 3 knew
// no adaptive rods, 4 neither networks nor surfaces.
#define LAYOUT_VERSION 5
#define LAYOUT_ENERGIES 5      // kinetic, bend, twist, stretch, gravity
#define LAYOUT_BODY_ENERGIES 2 // kinetic, gravity
#define LAYOUT_ADAPT 10        // LAYOUT_ADAPT_COLUMNS
#define LAYOUT_ADAPT_COLUMNS                                                                                 \
    "made_with coarsest finest refined merged kept_off iterations steps node_steps flickers"

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
    int version;
    int rod_count, probe_count, body_count, obstacle_count, surface_count;
    bool branch;   // frames are the points of a branch of equilibria
    bool adaptive; // some rods are
} LayoutShape;

typedef enum LayoutTable {
    TABLE_TIME,
    TABLE_STEPS,
    TABLE_NODE_OFFSET,
    TABLE_EDGE_OFFSET,
    TABLE_CONTACT_OFFSET,
    TABLE_ENERGY,
    TABLE_STRETCH,
    TABLE_ADAPT,
    TABLE_PROBE_ROWS,
    TABLE_PROBE_CHECKSUM,
    TABLE_CHECKSUM,
    TABLE_X,
    TABLE_V,
    TABLE_MOMENT,
    TABLE_SKIN,
    TABLE_LEVEL,
    TABLE_ARC,
    TABLE_M1,
    TABLE_RADIUS,
    TABLE_TENSION,
    TABLE_FORCE,
    TABLE_BODY_POSITION,
    TABLE_BODY_ROTATION,
    TABLE_BODY_VELOCITY,
    TABLE_BODY_SPIN,
    TABLE_BODY_ENERGY,
    TABLE_OBSTACLE_POSITION,
    TABLE_OBSTACLE_ROTATION,
    TABLE_OBSTACLE_FORCE,
    TABLE_OBSTACLE_TORQUE,
    TABLE_CONTACT_ROD,
    TABLE_CONTACT_EDGE,
    TABLE_CONTACT_AT,
    TABLE_CONTACT_KIND,
    TABLE_CONTACT_OTHER,
    TABLE_CONTACT_OTHER_EDGE,
    TABLE_CONTACT_OTHER_AT,
    TABLE_CONTACT_POINT,
    TABLE_CONTACT_NORMAL,
    TABLE_CONTACT_GAP,
    TABLE_CONTACT_PUSH,
    TABLE_CONTACT_FRICTION,
    TABLE_CONTACT_SLIDES,
    TABLE_BRANCH_ARC,
    TABLE_BRANCH_EVENT,
    TABLE_BRANCH_EVENT_TIME,
    TABLE_BRANCH_UNSTABLE,
    TABLE_BRANCH_EIGENVALUE,
    TABLE_BRANCH_ENERGY,
    TABLE_BRANCH_RESIDUAL,
    TABLE_BRANCH_RELATIVE,
    TABLE_BRANCH_CONVERGED,
    TABLE_BRANCH_ITERATIONS,
    TABLE_BRANCH_SADDLES,
    TABLE_BRANCH_CHECKSUM,
    TABLE_SNAPSHOT_INDEX,
    TABLE_SNAPSHOT_CHECKSUM,
    TABLE_SNAPSHOT_BYTES,
    TABLE_FAILURE_TEXT,
    TABLE_FAILURE_CHECKSUM,
    TABLE_COUNT
} LayoutTable;

typedef enum LayoutRow { // one row for each
    ROW_FRAME,
    ROW_NODE,
    ROW_EDGE,
    ROW_CONTACT,
    ROW_SNAPSHOT,
    ROW_STATE_BYTE,
    ROW_FAILURE_BYTE,
    ROW_FAILURE,
} LayoutRow;

typedef enum LayoutWidth { // numbers in a row
    WIDTH_ONE,
    WIDTH_PAIR,
    WIDTH_VECTOR,
    WIDTH_RODS,         // one for each rod
    WIDTH_RODS_AND_END, // one for each rod and one more: where each begins and the last ends
    WIDTH_RODS_ENERGIES,
    WIDTH_RODS_ADAPT,
    WIDTH_TIME_AND_PROBES,
    WIDTH_BODIES_VECTORS,
    WIDTH_BODIES_ROTATIONS,
    WIDTH_BODIES_ENERGIES,
    WIDTH_OBSTACLES_VECTORS,
    WIDTH_OBSTACLES_ROTATIONS,
    WIDTH_SNAPSHOT, // SNAPSHOT_...
} LayoutWidth;

typedef enum LayoutPart { // which recordings have the table
    PART_ALL,
    PART_PROBES, // those with probes
    PART_SECOND, // those of the second layout, and later
    PART_THIRD,  // those of the third
    PART_BODIES, // those with bodies
    PART_OBSTACLES,
    PART_BRANCH,   // those of branches
    PART_ADAPTIVE, // those with adaptive rods
} LayoutPart;

typedef struct LayoutEntry {
    const char* name;
    LayoutPart part;
    LayoutRow row;
    LayoutWidth width;
    Hdf5Type type;
    const char* unit;
} LayoutEntry;

extern const LayoutEntry layout_tables[TABLE_COUNT];

enum { SNAPSHOT_FRAMES, SNAPSHOT_PROBE_ROWS, SNAPSHOT_FIRST, SNAPSHOT_END, SNAPSHOT_WIDTH };

bool layout_has(const LayoutShape* shape, LayoutTable table);
void layout_width(const LayoutShape* shape, LayoutTable table, int row[2]);

const char* layout_kind(bool branch); // "run" or "branch"

// A row of frames/adapt: the report of a rod, but for the nodes that it has, which the offsets tell.
void layout_adapt_put(const CordAdaptReport* report, int64_t values[LAYOUT_ADAPT]);
CordAdaptReport layout_adapt_take(const int64_t values[LAYOUT_ADAPT], int nodes);

// "sphere", "box", ... as bodies/shape has them, or NULL.
const char* layout_body_shape(CordBodyShape shape);
const char* layout_obstacle_shape(CordObstacleShape shape); // likewise, as obstacles/shape has them

// The table of a probe: "probes/NAME", or "probes/_3" where the name of probe 3 is taken or cannot be one in the file.
#define LAYOUT_PROBE_MOST 256
void layout_probe_name(const char* const* names, int probe, char text[LAYOUT_PROBE_MOST]);

// A checksum that any one changed number changes. Starts from LAYOUT_CHECK; goes number by number over their bits.
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
