// The networks of a recording: what their edges join, which does not change.
#include "export/recording.h"

#include <stdlib.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "the ends of edges are counted by int in frames");

static bool read_ends(CordRecording* rec)
{
    int64_t rows, offsets;
    uint64_t unused = LAYOUT_CHECK; // recording_check_networks does it, in its place among the rest
    int count = rec->rods.count;
    rec->ends_offset = recording_read_whole(rec, (RecordingWhole){"rods/ends_offset", HDF5_I64, 1, count + 1},
                                            &offsets, &unused);
    rec->ends = recording_read_whole(rec, (RecordingWhole){"rods/ends", HDF5_I32, 2, -1}, &rows, &unused);
    bool good = rec->ends_offset && rec->ends && recording_offsets_fit(rec->ends_offset, count, rows);
    for (int64_t k = 0; good && k < 2 * rows; k++) {
        good = rec->ends[k] >= 0;
    }
    return good;
}

// Layouts before the fifth knew none.
CordResult recording_open_networks(CordRecording* rec, CordMessage* message)
{
    int64_t count;
    uint64_t unused = LAYOUT_CHECK;
    RecordingWhole marks = {"rods/network", HDF5_U8, 1, rec->rods.count};
    rec->network = rec->shape.version < 5 ? calloc((size_t)rec->rods.count + 1, 1)
                                          : recording_read_whole(rec, marks, &count, &unused);
    for (int r = 0; rec->network && r < rec->rods.count; r++) {
        rec->networks = rec->networks || rec->network[r] != 0;
    }
    bool good = rec->network && (!rec->networks || read_ends(rec));
    return good ? CORD_OK : recording_damaged(rec, "the list of networks", message);
}

void recording_free_networks(CordRecording* rec)
{
    free(rec->network);
    free(rec->ends_offset);
    free(rec->ends);
}

uint64_t recording_check_networks(const CordRecording* rec, uint64_t check)
{
    size_t rods = (size_t)rec->rods.count;
    if (rec->shape.version < 5) {
        return check;
    }
    check = layout_check_u8(check, rec->network, rods);
    if (rec->networks) {
        check = layout_check_i64(check, rec->ends_offset, rods + 1);
        check = layout_check_i32(check, rec->ends, 2 * (size_t)rec->ends_offset[rods]);
    }
    return check;
}

bool recording_fill_ends(CordRecording* rec)
{
    FrameBuffer* b = &rec->frame;
    for (int r = 0; rec->networks && r < rec->rods.count; r++) {
        int first = (int)(b->node_offset[r] - b->node_offset[0]);
        int nodes = (int)(b->node_offset[r + 1] - b->node_offset[r]);
        int edges = (int)(b->edge_offset[r + 1] - b->edge_offset[r]);
        int* to = b->ends + 2 * (b->edge_offset[r] - b->edge_offset[0]);
        const int32_t* from = rec->ends + 2 * rec->ends_offset[r];
        for (int j = 0; j < edges; j++) {
            int start = rec->network[r] ? from[2 * j] : j,
                end = rec->network[r] ? from[2 * j + 1] : (j + 1) % nodes;
            if (start >= nodes || end >= nodes) {
                return false;
            }
            to[2 * j] = first + start;
            to[2 * j + 1] = first + end;
        }
    }
    return true;
}
