// The networks of a recording: what their edges join, which does not change.
#include "export/recording.h"

#include <stdlib.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "the ends of edges are counted by int in frames");

static bool read_ends(CordRecording* rec)
{
    int64_t rows, offsets;
    uint64_t unused = LAYOUT_CHECK; // recording_check_networks does it, in its place among the rest
    int count = rec->rods.count;
    rec->ends_offset = recording_read_table(rec, (RecordingTable){"rods/ends_offset", HDF5_I64, 1, count + 1},
                                            &offsets, &unused);
    rec->ends = recording_read_table(rec, (RecordingTable){"rods/ends", HDF5_I32, 2, -1}, &rows, &unused);
    bool good = rec->ends_offset && rec->ends && recording_offsets_fit(rec->ends_offset, count, rows);
    for (int64_t k = 0; good && k < 2 * rows; k++) {
        good = rec->ends[k] >= 0;
    }
    return good;
}

CordResult recording_open_networks(CordRecording* rec, CordMessage* message)
{
    int64_t count;
    uint64_t unused = LAYOUT_CHECK;
    RecordingTable marks = {"rods/network", HDF5_U8, 1, rec->rods.count};
    rec->network = recording_read_table(rec, marks, &count, &unused);
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
    check = layout_check_u8(check, rec->network, rods);
    if (rec->networks) {
        check = layout_check_i64(check, rec->ends_offset, rods + 1);
        check = layout_check_i32(check, rec->ends, 2 * (size_t)rec->ends_offset[rods]);
    }
    return check;
}

bool recording_fill_ends(CordRecording* rec, const CordFrame* frame, int* ends)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        int* to = ends + 2 * rod->first_edge;
        const int32_t* from = rec->ends + 2 * rec->ends_offset[r];
        for (int j = 0; j < rod->edge_count; j++) {
            int start = rod->network ? from[2 * j] : j;
            int end = rod->network ? from[2 * j + 1] : (j + 1) % rod->node_count;
            if (start >= rod->node_count || end >= rod->node_count) {
                return false;
            }
            to[2 * j] = rod->first_node + start;
            to[2 * j + 1] = rod->first_node + end;
        }
    }
    return true;
}
