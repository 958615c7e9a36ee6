// A recording being read: what opening, reading frames and resuming share.
#ifndef CORD_EXPORT_RECORDING_H
#define CORD_EXPORT_RECORDING_H

#include "export/recording_layout.h"

#include <cordage/surface.h>

typedef struct FrameArray {
    void* elements;
    size_t capacity; // [bytes]
} FrameArray;

typedef struct FrameBuffer {            // of the frame read last
    CordFrameRod* rods;                 // (rod_count)
    int64_t *node_offset, *edge_offset; // (rod_count + 1)
    int64_t contact_offset[2];
    FrameArray arrays[COLUMN_MOST]; // of the columns that are the first in an array of the frame
    FrameArray ends;                // two int for each edge
    ColumnBuffer buffer;
} FrameBuffer;

struct CordRecording {
    char* path;
    Hdf5File file;
    int64_t count[COUNT_COUNT];
    Hdf5Table tables[TABLE_COUNT];
    char version[64]; // of the program that wrote it
    char *scene_text, *scene_path;
    size_t scene_size;
    Hdf5Names settings;
    LayoutShape shape;
    Hdf5Names rods;
    uint8_t *closed, *adaptive, *network; // (rods.count)
    bool networks;                        // is any rod one?
    int64_t* ends_offset;                 // then (rods.count + 1)
    int32_t* ends; // the two nodes of each edge of the networks, counted within their rod
    Hdf5Names bodies;
    CordFrameBody* body_list; // as they are at all times: shapes and sizes (bodies.count)
    Hdf5Names obstacles;
    CordFrameObstacle* obstacle_list; // likewise, with their meshes (obstacles.count)
    uint64_t obstacle_check;          // over all of it
    CordVec3* vertices;               // of all meshes
    int32_t* triangles;               // likewise (3 each)
    Hdf5Names surfaces;
    CordFrameSurface* surface_list; // their vertices are where the frame read last has them (surfaces.count)
    uint64_t surface_check;         // over all that does not change of them
    CordVec3* surface_vertices;     // of all surfaces
    int32_t* surface_triangles;     // likewise (3 each)
    CordSurfaceTie* ties;           // likewise (CORD_SURFACE_TIES for each vertex)
    int* tie_edges;                 // the last edge that a surface is tied to (surfaces.count)
    Hdf5Names probes;
    CordMeasure* measures;   // (probes.count)
    Hdf5Table* probe_tables; // time, then each probe (probes.count + 1)
    FrameBuffer frame;
    CordMessage failure; // of the run; empty: none
};

CordResult recording_damaged(const CordRecording* rec, const char* what, CordMessage* message);

// Names, and all rows of a table, which are to be `rows`, or any number of them if that is -1; the caller
// frees them. NULL: they are not as they should be. The checksum goes on over them.
bool recording_read_names(CordRecording* rec, const char* name, Hdf5Names* names, uint64_t* check);
typedef struct RecordingTable {
    const char* name;
    Hdf5Type type;
    int width; // numbers in a row
    int64_t rows;
} RecordingTable;
void* recording_read_table(CordRecording* rec, RecordingTable table, int64_t* count, uint64_t* check);
bool recording_offsets_fit(const int64_t* offsets, int count, int64_t rows); // from 0 to rows, and never back

// recording_network.c: which rods are networks, and what their edges join.
CordResult recording_open_networks(CordRecording* rec, CordMessage* message);
void recording_free_networks(CordRecording* rec);
uint64_t recording_check_networks(const CordRecording* rec, uint64_t check);
bool recording_fill_ends(CordRecording* rec, const CordFrame* frame,
                         int* ends); // (2 edge_count); false: its rods are not those

// recording_surface.c: what is known of them for all frames, and where they are in one.
CordResult recording_open_surfaces(CordRecording* rec, CordMessage* message);
void recording_free_surfaces(CordRecording* rec);
// false: they are tied to edges that are not there
bool recording_place_surfaces(CordRecording* rec, CordFrame* frame);

// recording_obstacle.c: what is known of them for all frames.
CordResult recording_open_obstacles(CordRecording* rec, CordMessage* message);
void recording_free_obstacles(CordRecording* rec);

// recording_frame.c
CordResult recording_read_frame(CordRecording* rec, int index, CordFrame* frame, CordMessage* message);
void recording_free_frame(CordRecording* rec);

// recording_probe.c. Column 0 is the time, column 1 + i is probe i; rows [first, first + count).
CordResult recording_probe_range(CordRecording* rec, int column, int64_t first, int64_t count, double* values,
                                 CordMessage* message);
// at each frame (frames)
CordResult recording_probe_ends(CordRecording* rec, int64_t* rows, CordMessage* message);

typedef struct RecordingSnapshot {
    int64_t frames, probe_rows; // finished when it was taken
    uint8_t* bytes;             // (size); the caller frees them
    size_t size;
} RecordingSnapshot;

CordResult recording_read_snapshot(CordRecording* rec, int64_t index, RecordingSnapshot* snapshot,
                                   CordMessage* message);

// resume.c: is this the run that the scene and the world would make?
CordResult resume_fits(const CordRecording* old, const CordRecorderDef* def, CordWorld* world,
                       CordMessage* message);

#endif
