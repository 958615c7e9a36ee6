// Reels: reading a frame. docs/reel.md describes the bytes.
#include "export/reel.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const double COUNT_MOST = 9007199254740992.0; // 2^53: all integers up to it are doubles

static uint64_t surface_vertices(const CordFrame* frame)
{
    uint64_t count = 0;
    for (int i = 0; i < frame->surface_count; i++) {
        count += (uint64_t)frame->surfaces[i].vertex_count;
    }
    return count;
}

static uint64_t element_size(const Column* column) // [bytes]
{
    return (uint64_t)column->width * (column->row > ROW_ROD ? 4 : 8);
}

static uint64_t frame_size(const CordFrame* frame)
{
    // header, twist and writhe, surfaces
    uint64_t size = 8 + 2 * 8 * (uint64_t)frame->rod_count + 12 * surface_vertices(frame);
    for (int c = 0; c < column_count; c++) {
        if (columns[c].reel) {
            size += (uint64_t)column_rows(frame, columns[c].row) * element_size(&columns[c]);
        }
    }
    return size;
}

// ---- arrays

// Gives the frame an array for each column of reels; columns of one array share it. Returns how many bytes
// the arrays take. Without an arena it only counts them.
static uint64_t assign_arrays(CordFrame* frame, Arena* arena)
{
    uint64_t room = 0;
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        if (column->row != ROW_FRAME && column->reel && !column_elements(column, frame)) {
            size_t bytes = (size_t)column_rows(frame, column->row) * column->stride;
            void* elements = arena ? memset(arena_push_bytes(arena, bytes), 0, bytes) : &room;
            column_set_elements(column, frame, elements);
            room += bytes + MEMORY_ALIGN;
        }
    }
    return room;
}

static int unknown_count(const CordFrame* frame)
{
    int most = frame->node_count > frame->edge_count ? frame->node_count : frame->edge_count;
    return most > frame->rod_count ? most : frame->rod_count;
}

static uint64_t frame_room(const CordFrame* frame)
{
    CordFrame measured = *frame;
    return assign_arrays(&measured, NULL) + 2 * (uint64_t)frame->rod_count * sizeof(double) +
           (uint64_t)unknown_count(frame) * sizeof(CordVec3) + surface_vertices(frame) * sizeof(CordVec3) +
           (uint64_t)frame->surface_count * MEMORY_ALIGN + 8 * MEMORY_ALIGN;
}

// Data that reels do not store is NAN. One array of NAN serves all rods, nodes and edges.
static void assign_unknown(CordFrame* frame, Arena* arena)
{
    const double none[COLUMN_WIDEST] = {NAN, NAN, NAN, NAN, NAN};
    int count = unknown_count(frame);
    CordVec3* unknown = arena_push(arena, CordVec3, count);
    for (int i = 0; i < count; i++) {
        unknown[i] = (CordVec3){NAN, NAN, NAN};
    }
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        if (column->reel || column->memory != MEMORY_F64 || column->row == ROW_FRAME) {
            continue;
        }
        if (column->row >= ROW_BODY) {
            char* elements = (char*)column_elements(column, frame); // points to the reel's own memory
            for (int i = 0; i < column_rows(frame, column->row); i++) {
                column_set(column, elements + (size_t)i * column->stride, 1, none);
            }
        } else if (!column->has && !column_elements(column, frame)) {
            CORD_ASSERT(column->stride <= sizeof *unknown);
            column_set_elements(column, frame, unknown);
        }
    }
}

// ---- numbers

static double read_number(ReelReader* reader, const Column* column)
{
    double value = 0.0;
    if (column->row > ROW_ROD && column->memory == MEMORY_F64) {
        reel_read_f32s(reader, &value, 1);
        return value;
    }
    value = column->row > ROW_ROD ? (double)reel_read_u32(reader) : reel_read_f64(reader);
    if (!isfinite(value)) {
        reel_read_fail(reader, "a number in it is not finite");
    } else if (column->memory != MEMORY_F64 &&
               !(value >= 0.0 && value <= COUNT_MOST && value == floor(value))) {
        reel_read_fail(reader, "a count in it is none");
    }
    return reader->problem ? 0.0 : value;
}

static void read_elements(ReelReader* reader, const Column* column, void* elements, int count)
{
    if (column->row > ROW_ROD && column_is_plain(column)) {
        reel_read_f32s(reader, (double*)elements, (size_t)count * (size_t)column->width);
        return;
    }
    for (int i = 0; i < count && !reader->problem; i++) {
        double numbers[COLUMN_WIDEST];
        for (int k = 0; k < column->width; k++) {
            numbers[k] = read_number(reader, column);
        }
        column_set(column, (char*)elements + (size_t)i * column->stride, 1, numbers);
    }
}

static void read_row(ReelReader* reader, CordFrame* frame, ColumnRow row)
{
    int count = column_rows(frame, row), block = reel_row_block(row, count);
    for (int i = 0; i < count && !reader->problem; i += block) {
        for (int c = 0; c < column_count; c++) {
            const Column* column = &columns[c];
            if (column->reel && column->row == row) {
                // points to the reel's own memory, or to the frame
                char* elements = (char*)column_elements(column, frame);
                read_elements(reader, column, elements + (size_t)i * column->stride, block);
            }
        }
    }
}

static void read_head(ReelReader* reader, CordFrame* frame)
{
    read_row(reader, frame, ROW_FRAME);
    frame->contact_count = reel_read_int(reader);
    if (reel_read_u32(reader) != 0) {
        reel_read_fail(reader, "there is something where zeros belong");
    }
}

static void read_turns(ReelReader* reader, double* turns, int count)
{
    for (int i = 0; i < count; i++) {
        turns[i] = reel_read_f64(reader);
        if (isinf(turns[i])) {
            reel_read_fail(reader, "a twist or writhe in it is not finite");
        }
    }
}

static void read_surfaces(ReelReader* reader, const CordFrame* frame, Arena* arena)
{
    for (int i = 0; i < frame->surface_count; i++) {
        CordFrameSurface* surface = (CordFrameSurface*)&frame->surfaces[i]; // of the reel's own memory
        CordVec3* vertices = arena_push(arena, CordVec3, surface->vertex_count);
        reel_read_vec3s(reader, vertices, surface->vertex_count);
        surface->vertices = vertices;
    }
}

// ---- checks

// A stored unit quaternion is unit within 1e-6, the accuracy of a float. The test is wider, because rotations
// are only displayed.
static bool is_rotation(CordQuat q)
{
    return fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-2;
}

static void check_frame(ReelReader* reader, const CordFrame* frame)
{
    bool rotations = true, contacts = true;
    for (int i = 0; i < frame->body_count; i++) {
        rotations = rotations && is_rotation(frame->bodies[i].rotation);
    }
    for (int i = 0; i < frame->obstacle_count; i++) {
        rotations = rotations && is_rotation(frame->obstacles[i].rotation);
    }
    for (int i = 0; i < frame->contact_count; i++) {
        CordTouch kind = frame->contacts[i].kind;
        contacts = contacts &&
                   (kind == CORD_TOUCH_ROD || (kind == CORD_TOUCH_OBSTACLE && frame->obstacle_count > 0) ||
                    (kind == CORD_TOUCH_BODY && frame->body_count > 0));
    }
    if (!rotations) {
        reel_read_fail(reader, "a rotation in it is none");
    }
    if (!contacts) {
        reel_read_fail(reader, "a contact in it is with nothing that is there");
    }
}

const char* reel_frame_read(CordReel* reel, ReelSpan span, CordFrame* frame)
{
    ReelReader reader = reel_reader(reel, span);
    Arena* arena = &reel->frame_memory;
    *frame = reel->layout;
    read_head(&reader, frame);
    if (reader.problem) {
        return reader.problem;
    }
    if (frame_size(frame) != span.size) {
        return "it has more or fewer bytes than its layout needs";
    }
    if (!reel_arena(reel, arena, frame_room(frame))) {
        return reel_no_memory;
    }
    assign_arrays(frame, arena);
    double* twist = arena_push(arena, double, frame->rod_count);
    frame->twist = twist;
    reel->writhe = arena_push(arena, double, frame->rod_count);
    read_row(&reader, frame, ROW_ROD);
    read_turns(&reader, twist, frame->rod_count);
    read_turns(&reader, reel->writhe, frame->rod_count);
    for (int row = ROW_NODE; row < ROW_COUNT; row++) {
        read_row(&reader, frame, (ColumnRow)row);
    }
    read_surfaces(&reader, frame, arena);
    check_frame(&reader, frame);
    assign_unknown(frame, arena);
    return reader.problem;
}
