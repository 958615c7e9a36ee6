#include "export/recording.h"

#include "export/export.h"

#include <cordage/adapt.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static CordResult no_memory(const CordRecording* rec, int index, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory for frame %d", rec->path,
                       index);
}

// ---- the buffer

static bool has_networks(const CordRecording* rec)
{
    return rec->description.rows[ROD_ENDS] != NULL;
}

static bool buffer_start(CordRecording* rec)
{
    FrameBuffer* b = &rec->frame;
    if (b->rods) {
        return true;
    }
    size_t rods = (size_t)rec->shape.frame.rod_count;
    b->node_offset = calloc(rods + 1, sizeof *b->node_offset);
    b->edge_offset = calloc(rods + 1, sizeof *b->edge_offset);
    b->rods = calloc(rods, sizeof *b->rods);
    if (!b->node_offset || !b->edge_offset || !b->rods) {
        recording_free_frame(rec);
        return false;
    }
    return true;
}

// Gives the frame an array for each column; columns of one array share it. Bodies and obstacles start with
// their constant data.
static bool frame_alloc(CordRecording* rec, CordFrame* frame)
{
    FrameBuffer* b = &rec->frame;
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        if (column->row == ROW_FRAME || !column_has(column, &rec->shape.frame) ||
            column_elements(column, frame)) {
            continue;
        }
        size_t bytes = (size_t)column_rows(frame, column->row) * column->stride;
        void* elements = column_buffer_reserve(&b->arrays[c], bytes);
        if (!elements) {
            return false;
        }
        const void* start = column->row == ROW_BODY       ? (const void*)rec->bodies
                            : column->row == ROW_OBSTACLE ? (const void*)rec->obstacles
                            : column->row == ROW_LEDGER   ? (const void*)rec->ledger
                                                          : NULL;
        if (start) {
            memcpy(elements, start, bytes);
        }
        column_set_elements(column, frame, elements);
    }
    return !has_networks(rec) || column_buffer_reserve(&b->ends, 2 * (size_t)frame->edge_count * sizeof(int));
}

void recording_free_frame(CordRecording* rec)
{
    FrameBuffer* b = &rec->frame;
    free(b->rods), free(b->node_offset), free(b->edge_offset);
    for (int c = 0; c < COLUMN_MOST; c++) {
        column_buffer_free(&b->arrays[c]);
    }
    column_buffer_free(&b->ends);
    column_buffer_free(&b->rows);
    *b = (FrameBuffer){0};
}

// ---- rows

static bool get(CordRecording* rec, int table, int64_t first, int64_t count, void* rows)
{
    return hdf5_table_read(&rec->file, &rec->tables[table], first, count, rows);
}

static bool get_integers(CordRecording* rec, int table, int64_t row, int64_t* values, uint64_t* check)
{
    bool good = get(rec, table, row, 1, values);
    if (good) {
        *check = layout_check_rows(*check, HDF5_I64, values, (size_t)hdf5_row_size(&rec->tables[table]));
    }
    return good;
}

// The first row of the frame in a table.
static int64_t first_row(const CordRecording* rec, ColumnRow row, int64_t index)
{
    switch (row) {
    case ROW_NODE: return rec->frame.node_offset[0];
    case ROW_EDGE: return rec->frame.edge_offset[0];
    case ROW_CONTACT: return rec->frame.contact_offset[0];
    default: return index;
    }
}

// Reads the numbers of elements. `first` is the row of the table that they begin at.
static bool get_column(CordRecording* rec, int table, const Column* column, int64_t first, void* elements,
                       int count, uint64_t* check)
{
    int64_t rows = column_row_is_element(column->row) ? count : 1;
    bool direct = column->type == HDF5_F64 && column_is_plain(column);
    void* to = direct ? elements : column_buffer_rows(&rec->frame.rows, column, count);
    if (!to || !get(rec, table, first, rows, to)) {
        return false;
    }
    *check = layout_check_rows(*check, column->type, to, (size_t)count * (size_t)column->width);
    if (!direct) {
        column_unpack(column, to, elements, count);
    }
    return true;
}

static bool get_columns(CordRecording* rec, int64_t index, bool of_frame, CordFrame* frame, uint64_t* check)
{
    bool good = true;
    for (int c = 0; good && c < column_count; c++) {
        const Column* column = &columns[c];
        if ((column->row == ROW_FRAME) == of_frame && column_has(column, &rec->shape.frame)) {
            // points to the buffer's own memory, or to the frame
            void* elements = (void*)column_elements(column, frame);
            good = get_column(rec, c, column, first_row(rec, column->row, index), elements,
                              column_rows(frame, column->row), check);
        }
    }
    return good;
}

// ---- offsets

static int64_t edges_of(const CordRecording* rec, int rod, int64_t nodes)
{
    const Description* d = &rec->description;
    const int64_t* offset = d->rows[ROD_ENDS_OFFSET];
    return description_mark(d, ROD_NETWORK, rod) ? offset[rod + 1] - offset[rod]
                                                 : nodes - (description_mark(d, ROD_CLOSED, rod) ? 0 : 1);
}

static bool range_fits(const CordRecording* rec, ColumnRow row, int64_t first, int64_t end)
{
    bool fits = 0 <= first && first <= end && end - first < INT_MAX / 3;
    for (int c = 0; c < column_count && first < end; c++) {
        fits = fits && (columns[c].row != row || !column_has(&columns[c], &rec->shape.frame) ||
                        end <= rec->tables[c].rows);
    }
    return fits;
}

// The code below trusts these numbers, so each of them is checked, not only the checksum.
static bool offsets_fit(const CordRecording* rec)
{
    const FrameBuffer* b = &rec->frame;
    int rods = rec->shape.frame.rod_count;
    for (int r = 0; r < rods; r++) {
        int64_t nodes = b->node_offset[r + 1] - b->node_offset[r];
        int64_t edges = b->edge_offset[r + 1] - b->edge_offset[r];
        if (b->node_offset[r] < 0 || b->edge_offset[r] < 0 || nodes < 2 || edges != edges_of(rec, r, nodes)) {
            return false;
        }
    }
    return range_fits(rec, ROW_NODE, b->node_offset[0], b->node_offset[rods]) &&
           range_fits(rec, ROW_EDGE, b->edge_offset[0], b->edge_offset[rods]) &&
           range_fits(rec, ROW_CONTACT, b->contact_offset[0], b->contact_offset[1]);
}

static void frame_count(CordRecording* rec, CordFrame* frame)
{
    FrameBuffer* b = &rec->frame;
    int rods = rec->shape.frame.rod_count;
    for (int r = 0; r < rods; r++) {
        b->rods[r] = (CordFrameRod){
            .name = description_name(&rec->description, ROD_NAME, r),
            .first_node = (int)(b->node_offset[r] - b->node_offset[0]),
            .node_count = (int)(b->node_offset[r + 1] - b->node_offset[r]),
            .first_edge = (int)(b->edge_offset[r] - b->edge_offset[0]),
            .edge_count = (int)(b->edge_offset[r + 1] - b->edge_offset[r]),
            .closed = description_mark(&rec->description, ROD_CLOSED, r),
            .network = description_mark(&rec->description, ROD_NETWORK, r),
        };
    }
    frame->rods = b->rods;
    frame->rod_count = rods;
    frame->node_count = (int)(b->node_offset[rods] - b->node_offset[0]);
    frame->edge_count = (int)(b->edge_offset[rods] - b->edge_offset[0]);
    frame->body_count = rec->shape.frame.body_count;
    frame->obstacle_count = rec->shape.frame.obstacle_count;
    frame->ledger_count = rec->shape.frame.ledger_count;
    frame->contact_count = (int)(b->contact_offset[1] - b->contact_offset[0]);
}

static bool frame_read_places(CordRecording* rec, int64_t index, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int64_t probe_rows;
    return get_integers(rec, TABLE_PROBE_ROWS, index, &probe_rows, check) &&
           get_integers(rec, TABLE_NODE_OFFSET, index, b->node_offset, check) &&
           get_integers(rec, TABLE_EDGE_OFFSET, index, b->edge_offset, check) &&
           get_integers(rec, TABLE_CONTACT_OFFSET, index, b->contact_offset, check) && offsets_fit(rec);
}

// ---- frames

static bool edge_is_there(const CordFrame* frame, int rod, int edge)
{
    return rod >= 0 && rod < frame->rod_count && edge >= 0 && edge < frame->rods[rod].edge_count;
}

static bool contact_fits(const CordFrame* frame, const CordContact* contact)
{
    if (!edge_is_there(frame, contact->rod, contact->edge)) {
        return false;
    }
    switch (contact->kind) {
    case CORD_TOUCH_ROD: return edge_is_there(frame, contact->other, contact->other_edge);
    case CORD_TOUCH_OBSTACLE: return contact->other >= 0 && contact->other < frame->obstacle_count;
    case CORD_TOUCH_BODY: return contact->other >= 0 && contact->other < frame->body_count;
    }
    return false;
}

static bool contacts_fit(const CordFrame* frame)
{
    bool fit = true;
    for (int i = 0; fit && i < frame->contact_count; i++) {
        fit = contact_fits(frame, &frame->contacts[i]);
    }
    return fit;
}

// The two nodes of every edge. False: a network has fewer nodes than its ends say.
static bool fill_ends(const CordRecording* rec, const CordFrame* frame, int* ends)
{
    const Description* d = &rec->description;
    const int64_t* offset = d->rows[ROD_ENDS_OFFSET];
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        int* to = ends + 2 * rod->first_edge;
        const int32_t* from = (const int32_t*)d->rows[ROD_ENDS] + 2 * offset[r];
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

// The vertices of the surfaces. False: one is tied to an edge that the frame does not have.
static bool place_surfaces(CordRecording* rec, CordFrame* frame)
{
    CordVec3* vertices = rec->surface_vertices;
    for (int i = 0; i < rec->shape.frame.surface_count; vertices += rec->surfaces[i].vertex_count, i++) {
        if (rec->tie_edges[i] >= frame->rods[rec->surfaces[i].rod].edge_count) {
            return false;
        }
        cord_surface_place(frame, &rec->surfaces[i], vertices);
    }
    frame->surface_count = rec->shape.frame.surface_count;
    frame->surfaces = rec->surfaces;
    return true;
}

// Fills in what follows from the columns: node counts in the reports, the ends of edges, the vertices of
// surfaces.
static bool frame_complete(CordRecording* rec, CordFrame* frame)
{
    CordAdaptReport* adapt = (CordAdaptReport*)frame->adapt; // points to the buffer's own memory
    for (int r = 0; adapt && r < frame->rod_count; r++) {
        adapt[r].nodes = adapt[r].made_with > 0 ? frame->rods[r].node_count : 0;
    }
    frame->ends = has_networks(rec) ? rec->frame.ends.memory : NULL;
    return (!frame->ends || fill_ends(rec, frame, rec->frame.ends.memory)) && place_surfaces(rec, frame);
}

CordResult recording_read_frame(CordRecording* rec, int index, CordFrame* frame, CordMessage* message)
{
    int64_t count = rec->count[COUNT_FRAMES];
    if (index < 0 || index >= count) {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s has no frame %d; its %lld frames count from 0",
                           rec->path, index, (long long)count);
    }
    uint64_t check = LAYOUT_CHECK, stored;
    *frame = (CordFrame){0};
    if (!buffer_start(rec)) {
        return no_memory(rec, index, message);
    }
    if (!get_columns(rec, index, true, frame, &check) || !frame_read_places(rec, index, &check)) {
        return recording_damaged(rec, message, "frame %d", index);
    }
    frame_count(rec, frame);
    if (!frame_alloc(rec, frame)) {
        return no_memory(rec, index, message);
    }
    bool good = get_columns(rec, index, false, frame, &check) &&
                get(rec, TABLE_CHECKSUM, index, 1, &stored) && stored == check && contacts_fit(frame) &&
                frame_complete(rec, frame);
    return good ? CORD_OK : recording_damaged(rec, message, "frame %d", index);
}

// ---- points of a branch

bool cord_recording_is_branch(const CordRecording* recording)
{
    return recording->shape.branch;
}

static bool read_point(CordRecording* rec, int64_t row, CordBranchPoint* point)
{
    uint64_t check = LAYOUT_CHECK, stored;
    CordFrame frame = {0};
    bool good = get_column(rec, COLUMN_TIME, &columns[COLUMN_TIME], row, &frame, 1, &check);
    for (int i = 0; good && i < LAYOUT_BRANCH; i++) {
        good = get_column(rec, TABLE_BRANCH + i, &layout_branch[i], row, point, 1, &check);
    }
    point->time = frame.time;
    return good && get(rec, TABLE_BRANCH_CHECKSUM, row, 1, &stored) && stored == check &&
           (int)point->event >= CORD_BRANCH_POINT && point->event < CORD_BRANCH_END;
}

CordResult cord_recording_branch_point(CordRecording* recording, int index, CordBranchPoint* point,
                                       CordMessage* message)
{
    *point = (CordBranchPoint){0};
    int64_t count = recording->shape.branch ? recording->count[COUNT_FRAMES] : 0;
    if (index < 0 || index >= count) {
        return export_fail(message, CORD_BAD_ARGUMENT, "%s has no point %d of a branch; it has %lld, from 0",
                           recording->path, index, (long long)count);
    }
    return read_point(recording, index, point) ? CORD_OK
                                               : recording_damaged(recording, message, "point %d", index);
}
