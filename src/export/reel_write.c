// Reels written into memory. docs/reel.md describes the bytes.
#include "base/memory.h"
#include "export/little_endian.h"
#include "export/reel.h"

#include <cordage/reel.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHUNK_HEAD = 16, FIRST_CAPACITY = 4096 };

// ---- growing arrays

static bool bytes_reserve(CordReelBytes* bytes, size_t more)
{
    if (more <= bytes->capacity - bytes->size) {
        return true;
    }
    Memory memory;
    memory_init(&memory, bytes->allocator);
    size_t twice = 2 * bytes->capacity, least = bytes->size + more;
    size_t capacity = twice > least ? twice : least > FIRST_CAPACITY ? least : FIRST_CAPACITY;
    uint8_t* larger = memory_alloc(&memory, capacity);
    if (!larger) {
        return false;
    }
    if (bytes->size > 0) {
        memcpy(larger, bytes->data, bytes->size);
    }
    memory_free(&memory, bytes->data, bytes->capacity);
    bytes->data = larger;
    bytes->capacity = capacity;
    return true;
}

void cord_reel_bytes_free(CordReelBytes* bytes)
{
    Memory memory;
    memory_init(&memory, bytes->allocator);
    memory_free(&memory, bytes->data, bytes->capacity);
    *bytes = (CordReelBytes){.allocator = bytes->allocator};
}

bool cord_reel_bytes_equal(const CordReelBytes* a, const CordReelBytes* b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

// ---- bytes

// What is being appended. After the first failure nothing more is, and put_end takes back what was.
typedef struct ReelPut {
    CordReelBytes* bytes;
    size_t start; // their size before
    CordResult result;
} ReelPut;

static ReelPut put_begin(CordReelBytes* bytes)
{
    return (ReelPut){bytes, bytes->size, CORD_OK};
}

static CordResult put_end(const ReelPut* p)
{
    p->bytes->size = p->result == CORD_OK ? p->bytes->size : p->start;
    return p->result;
}

// Appends zeros and returns where they are; NULL: it failed.
static uint8_t* put_zeros(ReelPut* p, size_t size)
{
    CordReelBytes* bytes = p->bytes;
    if (p->result == CORD_OK && size > (size_t)CORD_REEL_MOST - bytes->size) {
        p->result = CORD_BAD_ARGUMENT;
    } else if (p->result == CORD_OK && !bytes_reserve(bytes, size)) {
        p->result = CORD_NO_MEMORY;
    }
    if (p->result != CORD_OK) {
        return NULL;
    }
    bytes->size += size;
    return memset(bytes->data + bytes->size - size, 0, size);
}

// Numbers beyond the range of a float become its largest, because readers refuse infinities.
static float narrowed(double value)
{
    return value > (double)FLT_MAX ? FLT_MAX : value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
}

static void put_ints(ReelPut* p, const int* values, size_t count)
{
    uint8_t* to = put_zeros(p, 4 * count);
    for (size_t i = 0; to && i < count; i++) {
        little_endian_put_u32(to + 4 * i, (uint32_t)values[i]);
    }
}

static void put_int(ReelPut* p, int value)
{
    put_ints(p, &value, 1);
}

static void put_f64(ReelPut* p, double value)
{
    uint8_t* to = put_zeros(p, 8);
    if (to) {
        little_endian_put_f64(to, value);
    }
}

static void put_f32s(ReelPut* p, const double* values, size_t count)
{
    uint8_t* to = put_zeros(p, 4 * count);
    for (size_t i = 0; to && i < count; i++) {
        little_endian_put_f32(to + 4 * i, narrowed(values[i]));
    }
}

_Static_assert(sizeof(CordVec3) == 3 * sizeof(double), "vectors are read as numbers, one after the other");

static void put_vec3s(ReelPut* p, const CordVec3* values, int count)
{
    put_f32s(p, (const double*)values, 3 * (size_t)count);
}

static void put_bytes(ReelPut* p, const void* bytes, size_t size)
{
    put_int(p, (int)size);
    uint8_t* to = put_zeros(p, (size + 3) / 4 * 4);
    if (to && size > 0) {
        memcpy(to, bytes, size);
    }
}

static void put_text(ReelPut* p, const char* text)
{
    put_bytes(p, text ? text : "", text ? strlen(text) : 0);
}

// ---- chunks

static uint8_t* put_tag(ReelPut* p, const char* tag, size_t length, size_t size) // followed by zeros
{
    uint8_t* to = put_zeros(p, size);
    return to ? memcpy(to, tag, length) : NULL;
}

CordResult cord_reel_put_head(CordReelBytes* bytes)
{
    ReelPut p = put_begin(bytes);
    put_tag(&p, "CORDREEL", 8, 8);
    put_int(&p, CORD_REEL_VERSION);
    put_int(&p, 0);
    return put_end(&p);
}

size_t cord_reel_chunk_begin(CordReelBytes* bytes, const char tag[4])
{
    ReelPut p = put_begin(bytes);
    put_tag(&p, tag, 4, CHUNK_HEAD);
    return put_end(&p) == CORD_OK ? bytes->size : 0;
}

CordResult cord_reel_chunk_end(CordReelBytes* bytes, size_t mark)
{
    ReelPut p = put_begin(bytes);
    size_t size = bytes->size - mark;
    little_endian_put_u64(bytes->data + mark - 8, size);
    put_zeros(&p, (8 - size % 8) % 8);
    return put_end(&p);
}

// ---- the scene

CordResult cord_reel_put_scene(const CordReelScene* scene, CordReelBytes* bytes)
{
    ReelPut p = put_begin(bytes);
    put_int(&p, scene->setting_count);
    put_int(&p, scene->file_count);
    put_text(&p, scene->path);
    put_bytes(&p, scene->text, scene->text_size);
    for (int i = 0; i < scene->setting_count; i++) {
        put_text(&p, scene->settings[i]);
    }
    for (int i = 0; i < scene->file_count; i++) {
        put_text(&p, scene->files[i].name);
        put_bytes(&p, scene->files[i].bytes, scene->files[i].size);
    }
    return put_end(&p);
}

// ---- the layout

static void put_rod(ReelPut* p, const CordFrameRod* rod)
{
    put_int(p, rod->first_node);
    put_int(p, rod->node_count);
    put_int(p, rod->first_edge);
    put_int(p, rod->edge_count);
    put_int(p, (rod->closed ? 1 : 0) | (rod->network ? 2 : 0));
    put_text(p, rod->name);
}

static void put_solid(ReelPut* p, const char* name, const CordSolid* solid)
{
    put_int(p, (int)solid->shape);
    put_vec3s(p, &solid->size, 1);
    put_int(p, solid->mesh.vertex_count);
    put_int(p, solid->mesh.triangle_count);
    put_text(p, name);
    put_vec3s(p, solid->mesh.vertices, solid->mesh.vertex_count);
    put_ints(p, solid->mesh.triangles, 3 * (size_t)solid->mesh.triangle_count);
}

static void put_surface(ReelPut* p, const CordFrameSurface* surface)
{
    put_int(p, surface->rod);
    put_int(p, surface->hides ? 1 : 0);
    put_int(p, surface->vertex_count);
    put_int(p, surface->triangle_count);
    put_text(p, surface->name);
    put_ints(p, surface->triangles, 3 * (size_t)surface->triangle_count);
}

CordResult cord_reel_put_layout(const CordFrame* frame, CordReelBytes* bytes)
{
    ReelPut p = put_begin(bytes);
    put_int(&p, frame->rod_count);
    put_int(&p, frame->node_count);
    put_int(&p, frame->edge_count);
    put_int(&p, frame->body_count);
    put_int(&p, frame->obstacle_count);
    put_int(&p, frame->surface_count);
    put_int(&p, frame->ends ? 1 : 0);
    put_int(&p, 0);
    for (int i = 0; i < frame->rod_count; i++) {
        put_rod(&p, &frame->rods[i]);
    }
    for (int i = 0; i < frame->body_count; i++) {
        put_solid(&p, frame->bodies[i].name, &frame->bodies[i].solid);
    }
    for (int i = 0; i < frame->obstacle_count; i++) {
        put_solid(&p, frame->obstacles[i].name, &frame->obstacles[i].solid);
    }
    for (int i = 0; i < frame->surface_count; i++) {
        put_surface(&p, &frame->surfaces[i]);
    }
    put_f32s(&p, frame->radius, (size_t)frame->edge_count);
    if (frame->ends) {
        put_ints(&p, frame->ends, 2 * (size_t)frame->edge_count);
    }
    return put_end(&p);
}

// ---- the frame

static void put_turns(ReelPut* p, const double* turns, int count)
{
    for (int i = 0; i < count; i++) {
        put_f64(p, turns ? turns[i] : NAN);
    }
}

static void put_elements(ReelPut* p, const Column* column, const void* elements, int count)
{
    if (column->row > ROW_ROD && column_is_plain(column)) {
        put_f32s(p, elements, (size_t)count * (size_t)column->width);
        return;
    }
    for (int i = 0; i < count; i++) {
        double numbers[COLUMN_WIDEST];
        column_get(column, (const char*)elements + (size_t)i * column->stride, 1, numbers);
        for (int k = 0; k < column->width; k++) {
            if (column->row <= ROW_ROD) {
                put_f64(p, numbers[k]);
            } else if (column->memory == MEMORY_F64) {
                put_f32s(p, &numbers[k], 1);
            } else {
                put_int(p, (int)numbers[k]);
            }
        }
    }
}

static void put_row(ReelPut* p, const CordFrame* frame, ColumnRow row)
{
    int count = column_rows(frame, row), block = reel_row_block(row, count);
    for (int i = 0; i < count; i += block) {
        for (int c = 0; c < column_count; c++) {
            const Column* column = &columns[c];
            if (column->reel && column->row == row) {
                const char* elements = column_elements(column, frame);
                put_elements(p, column, elements + (size_t)i * column->stride, block);
            }
        }
    }
}

CordResult cord_reel_put_frame(const CordFrame* frame, const double* writhe, CordReelBytes* bytes)
{
    ReelPut p = put_begin(bytes);
    CordFrame drawn = *frame;
    drawn.x = frame->skin ? frame->skin : frame->x;
    put_row(&p, &drawn, ROW_FRAME);
    put_int(&p, frame->contact_count);
    put_int(&p, 0);
    put_row(&p, &drawn, ROW_ROD);
    put_turns(&p, frame->twist, frame->rod_count);
    put_turns(&p, writhe, frame->rod_count);
    for (int row = ROW_NODE; row < ROW_COUNT; row++) {
        put_row(&p, &drawn, (ColumnRow)row);
    }
    for (int i = 0; i < frame->surface_count; i++) {
        put_vec3s(&p, frame->surfaces[i].vertices, frame->surfaces[i].vertex_count);
    }
    return put_end(&p);
}

static bool rod_writhes(const CordFrameRod* rod)
{
    return !rod->network && rod->edge_count <= CORD_REEL_WRITHE_MOST;
}

// Can the writhe of all rods be computed within a tenth of a second?
static bool frame_writhes(const CordFrame* frame)
{
    double pairs = 0.0;
    for (int i = 0; i < frame->rod_count; i++) {
        double edges = rod_writhes(&frame->rods[i]) ? frame->rods[i].edge_count : 0.0;
        pairs += edges * edges;
    }
    return pairs <= 16.0 * CORD_REEL_WRITHE_MOST * CORD_REEL_WRITHE_MOST;
}

void cord_reel_find_writhe(const CordFrame* frame, double* writhe)
{
    bool writhes = frame_writhes(frame);
    for (int i = 0; i < frame->rod_count; i++) {
        const CordFrameRod* rod = &frame->rods[i];
        const CordVec3* x = frame->x + rod->first_node;
        writhe[i] = writhes && rod_writhes(rod) ? cord_polygon_tailed_writhe(x, rod->node_count, rod->closed)
                                                : (double)NAN;
    }
}
