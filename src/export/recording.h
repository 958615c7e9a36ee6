// A recording that is being read: what recording*.c and resume.c share.
#ifndef CORD_EXPORT_RECORDING_H
#define CORD_EXPORT_RECORDING_H

#include "export/description.h"

#include <cordage/surface.h>

typedef struct FrameBuffer {            // the frame that was read last
    CordFrameRod* rods;                 // (rod_count)
    int64_t *node_offset, *edge_offset; // (rod_count + 1)
    int64_t contact_offset[2];
    ColumnBuffer arrays[COLUMN_MOST]; // at the columns that come first in their array
    ColumnBuffer ends;                // two int for each edge
    ColumnBuffer rows;
} FrameBuffer;

struct CordRecording {
    char* path;
    Hdf5File file;
    int64_t count[COUNT_COUNT];
    Hdf5Table tables[TABLE_COUNT];
    char version[64]; // of the program that wrote it
    Description description;
    LayoutShape shape;
    CordFrameBody* bodies;        // their constant data: names, shapes and sizes (body_count)
    CordFrameObstacle* obstacles; // their constant data, with meshes (obstacle_count)
    CordLedgerEntry* ledger;      // their names and kinds (ledger_count)
    CordFrameSurface* surfaces;   // with the vertices of the frame read last (surface_count)
    CordVec3* surface_vertices;   // of all surfaces
    CordSurfaceTie* ties;         // of all surfaces (CORD_SURFACE_TIES for each vertex)
    int* tie_edges;               // the last edge that each surface is tied to (surface_count)
    CordMeasure* measures;        // (probe_count)
    Hdf5Table* probe_tables;      // time, then each probe (probe_count + 1)
    FrameBuffer frame;
    CordMessage failure; // why the run failed; empty: it did not
};

// Fails and says what is damaged.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CordResult
recording_damaged(const CordRecording* rec, CordMessage* message, const char* what, ...);

// recording_frame.c
CordResult recording_read_frame(CordRecording* rec, int index, CordFrame* frame, CordMessage* message);
void recording_free_frame(CordRecording* rec);

// recording_probe.c: rows [first, first + count) of a column. Column 0 is the time, column 1 + i is probe i.
CordResult recording_probe_range(CordRecording* rec, int column, int64_t first, int64_t count, double* values,
                                 CordMessage* message);
// The number of probe rows at each frame (frames).
CordResult recording_probe_ends(CordRecording* rec, int64_t* rows, CordMessage* message);

CordResult recording_read_snapshot(CordRecording* rec, int64_t index, RecordingSnapshot* snapshot,
                                   CordMessage* message);

// resume.c: fails unless the recording is of the run that this scene and world would make.
CordResult resume_fits(const CordRecording* old, const CordRecorderDef* def, CordWorld* world,
                       CordMessage* message);

#endif
