// Parts of reels: reading one, and writing one chunk by chunk. The bytes that are read may come from
// anywhere. Nothing in them is trusted, and every number is checked before anything depends on it.
#ifndef CORD_EXPORT_REEL_PARTS_H
#define CORD_EXPORT_REEL_PARTS_H

#include "base/arena.h"
#include "export/columns.h"

#include <cordage/reel.h>

typedef struct ReelSpan { // the bytes of a payload
    size_t at, size;      // from the beginning of the reel [bytes]
} ReelSpan;

typedef struct ReelFrame {
    ReelSpan layout, frame;
} ReelFrame;

struct CordReel {
    Memory memory;
    const uint8_t* bytes;
    size_t size;
    ReelFrame* frames; // (frame_count)
    int frame_count, frame_capacity;
    CordReelScene scene; // its path is NULL if there is none
    ReelSpan layout_span;
    // The layout at layout_span: a frame with its counts, rods, bodies, obstacles, surfaces, radii and ends.
    // Bodies and obstacles have the poses, and surfaces the vertices, of the frame read last.
    CordFrame layout;
    double* writhe;
    Arena scene_memory, layout_memory, frame_memory;
};

// Each returns NULL, or what is wrong, as the end of a sentence. reel_no_memory is recognised by its address.
extern const char reel_no_memory[];
const char* reel_layout_read(CordReel* reel, ReelSpan span);
const char* reel_frame_read(CordReel* reel, ReelSpan span, CordFrame* frame); // of the layout read last

// ---- bytes

// A reader of one payload. After the first problem it stays where it is, and everything it returns is zero.
typedef struct ReelReader {
    const uint8_t* data; // (size)
    size_t size, at;
    const char* problem; // the first; NULL: none yet
} ReelReader;

ReelReader reel_reader(const CordReel* reel, ReelSpan span);
void reel_read_fail(ReelReader* reader, const char* problem); // keeps the first problem
uint32_t reel_read_u32(ReelReader* reader);
int reel_read_int(ReelReader* reader); // fails if it is above INT_MAX
double reel_read_f64(ReelReader* reader);
void reel_read_f32s(ReelReader* reader, double* values, size_t count); // fails if one is not finite
CordVec3 reel_read_vec3(ReelReader* reader);
void reel_read_vec3s(ReelReader* reader, CordVec3* values, int count);
// Fails if an index is not in [from, to).
void reel_read_indices(ReelReader* reader, int* values, size_t count, int from, int to);
// A copy, terminated by a zero; fails unless it is UTF-8 without zeros.
const char* reel_read_name(ReelReader* reader, Arena* arena);

// ---- columns: of frames and rods as f64, else numbers as f32 and counts as u32

// The columns of a body, an obstacle or a contact are interleaved; other columns follow each other.
static inline int reel_row_block(ColumnRow row, int count)
{
    return row >= ROW_BODY ? 1 : count;
}

// Empties an arena and reserves memory in it. Returns false if there is none.
bool reel_arena(CordReel* reel, Arena* arena, uint64_t size);

// ---- writing

// A reel is written chunk by chunk, so that a recording need not fit into memory.
typedef struct ReelSink {
    // write errors are found when the file is closed
    void (*put)(void* user, const uint8_t* bytes, size_t size);
    void* user;
    int64_t most;     // size limit of the reel [bytes]
    const char* what; // what has this limit, such as "a reel"
} ReelSink;

CordResult reel_stream(const CordFrames* frames, const CordExportDef* def, const ReelSink* sink,
                       CordMessage* message);

#endif
