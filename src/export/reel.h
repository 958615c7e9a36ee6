// A reel being read. Its bytes may come from anywhere: nothing in them is trusted, and every number is
// checked before anything depends on it.
#ifndef CORD_EXPORT_REEL_PARTS_H
#define CORD_EXPORT_REEL_PARTS_H

#include "base/arena.h"
#include "export/columns.h"

#include <cordage/reel.h>

typedef struct ReelSpan { // a payload
    size_t at, size;      // from the reel's beginning [bytes]
} ReelSpan;

typedef struct ReelLayout {
    int rod_count, node_count, edge_count, body_count, obstacle_count, surface_count;
    CordFrameRod* rods;           // (rod_count)
    CordFrameBody* bodies;        // their poses are of the frame read last (body_count)
    CordFrameObstacle* obstacles; // likewise (obstacle_count)
    CordFrameSurface* surfaces;   // likewise their vertices (surface_count)
    double* radius;               // (edge_count)
    int* ends;                    // (2 edge_count); NULL: no rod is a network
} ReelLayout;

typedef struct ReelFrame {
    ReelSpan layout, frame;
} ReelFrame;

struct CordReel {
    Memory memory;
    const uint8_t* bytes;
    size_t size;
    ReelFrame* frames; // (frame_count)
    int frame_count, frame_capacity;
    CordReelScene scene; // path NULL: there is none
    ReelSpan layout_span;
    ReelLayout layout; // the one in layout_span
    double *twist, *writhe;
    Arena scene_memory, layout_memory, frame_memory;
};

// Each returns what is wrong, as the end of a sentence, or NULL. reel_no_memory is told apart by its address.
extern const char reel_no_memory[];
const char* reel_scene_read(CordReel* reel, ReelSpan span);
const char* reel_layout_read(CordReel* reel, ReelSpan span);
const char* reel_frame_read(CordReel* reel, ReelSpan span, CordFrame* frame); // of the layout taken last

// ---- bytes

// Going through a payload. Once something was wrong, everything taken is zero and nothing moves on.
typedef struct ReelReader {
    const uint8_t* data; // (size)
    size_t size, at;
    const char* problem; // the first; NULL: none yet
} ReelReader;

ReelReader reel_reader(const CordReel* reel, ReelSpan span);
void reel_read_fail(ReelReader* reader, const char* problem); // keeps the first
const uint8_t* reel_read_bytes(ReelReader* reader, uint64_t size);
uint32_t reel_read_u32(ReelReader* reader);
int reel_read_int(ReelReader* reader); // fails if it does not fit
double reel_read_f64(ReelReader* reader);
void reel_read_f32s(ReelReader* reader, double* values, size_t count); // fails unless all are finite
CordVec3 reel_read_vec3(ReelReader* reader);
void reel_read_vec3s(ReelReader* reader, CordVec3* values, int count);
// fails unless in [from, to)
void reel_read_indices(ReelReader* reader, int* values, size_t count, int from, int to);
const uint8_t* reel_read_string(ReelReader* reader, size_t* size); // any bytes
// UTF-8 without zeros; a copy that ends with one
const char* reel_read_name(ReelReader* reader, Arena* arena);

// ---- columns: of frames and rods as f64, else numbers as f32 and counts as u32

static inline size_t reel_column_size(const Column* column) // of one element [bytes]
{
    return (size_t)column->width * (column->row > ROW_ROD ? 4 : 8);
}

// All columns of a body, an obstacle or a contact lie together; of the others one column follows the other.
static inline int reel_row_block(ColumnRow row, int count)
{
    return row >= ROW_BODY ? 1 : count;
}

// So much of an arena, which is emptied; false: no memory.
bool reel_arena(CordReel* reel, Arena* arena, uint64_t size);

// ---- writing

// A reel is written chunk by chunk, so that a recording need not fit into memory.
typedef struct ReelSink {
    void (*put)(void* user, const uint8_t* bytes, size_t size); // errors are found when the file is closed
    void* user;
    int64_t most;     // bytes of the reel
    const char* what; // that cannot hold more: "a reel"
} ReelSink;

CordResult reel_stream(const CordFrames* frames, const CordExportDef* def, const ReelSink* sink,
                       CordMessage* message);

#endif
