// A reel being read. Its bytes may come from anywhere: nothing in them is trusted, and every number is checked before anything depends on it.
#ifndef CORD_EXPORT_REEL_PARTS_H
#define CORD_EXPORT_REEL_PARTS_H

#include "base/arena.h"

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
const char* reel_scene_take(CordReel* reel, ReelSpan span);
const char* reel_layout_take(CordReel* reel, ReelSpan span);
const char* reel_frame_take(CordReel* reel, ReelSpan span, CordFrame* frame); // of the layout taken last

// ---- bytes

// Going through a payload. Once something was wrong, everything taken is zero and nothing moves on.
typedef struct ReelTake {
    const uint8_t* data; // (size)
    size_t size, at;
    const char* problem; // the first; NULL: none yet
} ReelTake;

ReelTake reel_take_start(const CordReel* reel, ReelSpan span);
void reel_take_fail(ReelTake* take, const char* problem); // keeps the first
const uint8_t* reel_take_bytes(ReelTake* take, uint64_t size);
uint32_t reel_take_u32(ReelTake* take);
int reel_take_int(ReelTake* take); // fails if it does not fit
double reel_take_f64(ReelTake* take);
void reel_take_f32s(ReelTake* take, double* values, size_t count); // fails unless all are finite
CordVec3 reel_take_vec3(ReelTake* take);
void reel_take_vec3s(ReelTake* take, CordVec3* values, int count);
void reel_take_indices(ReelTake* take, int* values, size_t count, int from, int to); // fails unless in [from, to)
const uint8_t* reel_take_string(ReelTake* take, size_t* size);                       // any bytes
const char* reel_take_name(ReelTake* take, Arena* arena); // UTF-8 without zeros; a copy that ends with one

// So much of an arena, which is emptied; false: no memory.
bool reel_arena(CordReel* reel, Arena* arena, uint64_t size);

#endif
