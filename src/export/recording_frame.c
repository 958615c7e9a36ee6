#include "export/recording.h"

#include "export/export.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static CordResult frame_damaged(const CordRecording* rec, int index, CordMessage* message)
{
    char what[32];
    snprintf(what, sizeof what, "frame %d", index);
    return recording_damaged(rec, what, message);
}

static bool get(CordRecording* rec, LayoutTable table, int64_t first, int64_t count, void* rows)
{
    return hdf5_table_read(&rec->file, &rec->tables[table], first, count, rows);
}

static bool get_doubles(CordRecording* rec, LayoutTable table, int64_t first, int64_t count, double* rows,
                        uint64_t* check)
{
    bool good = get(rec, table, first, count, rows);
    if (good) {
        *check = layout_check_f64(*check, rows, (size_t)count * (size_t)hdf5_row_size(&rec->tables[table]));
    }
    return good;
}

static bool rows_room(FrameBuffer* b, size_t bytes)
{
    if (bytes > b->row_bytes) {
        void* larger = realloc(b->rows, bytes);
        if (!larger) {
            return false;
        }
        b->rows = larger;
        b->row_bytes = bytes;
    }
    return true;
}

static void rows_convert(Hdf5Type type, const void* rows, size_t count, double* values)
{
    const float* floats = rows;
    const int32_t* integers = rows;
    const uint8_t* bytes = rows;
    for (size_t i = 0; type == HDF5_F32 && i < count; i++) {
        values[i] = (double)floats[i];
    }
    for (size_t i = 0; type == HDF5_I32 && i < count; i++) {
        values[i] = integers[i];
    }
    for (size_t i = 0; type == HDF5_U8 && i < count; i++) {
        values[i] = bytes[i];
    }
}

// Numbers that the file keeps in fewer bytes.
static bool get_rows(CordRecording* rec, LayoutTable table, int64_t first, int64_t count, double* values,
                     uint64_t* check)
{
    Hdf5Type type = rec->tables[table].type;
    size_t size = (size_t)count * (size_t)hdf5_row_size(&rec->tables[table]);
    if (!rows_room(&rec->frame, size * hdf5_type_size(type)) || !get(rec, table, first, count, rec->frame.rows)) {
        return false;
    }
    rows_convert(type, rec->frame.rows, size, values);
    *check = layout_check_rows(*check, type, rec->frame.rows, size);
    return true;
}

static bool get_integers(CordRecording* rec, LayoutTable table, int64_t row, int64_t* values, uint64_t* check)
{
    bool good = get(rec, table, row, 1, values);
    if (good) {
        *check = layout_check_i64(*check, values, (size_t)hdf5_row_size(&rec->tables[table]));
    }
    return good;
}

// ---------------------------------------------------------------------------------------------------- the buffer

static bool buffer_start(CordRecording* rec)
{
    FrameBuffer* b = &rec->frame;
    if (b->rods) {
        return true;
    }
    size_t rods = (size_t)rec->rods.count;
    b->node_offset = calloc(rods + 1, sizeof *b->node_offset);
    b->edge_offset = calloc(rods + 1, sizeof *b->edge_offset);
    b->energy = calloc(rods, sizeof *b->energy);
    b->stretch = calloc(rods, sizeof *b->stretch);
    b->adapt = calloc(rods, sizeof *b->adapt);
    b->adapt_values = calloc(LAYOUT_ADAPT * rods, sizeof *b->adapt_values);
    b->bodies = calloc((size_t)rec->bodies.count + 1, sizeof *b->bodies);
    b->obstacles = calloc((size_t)rec->obstacles.count + 1, sizeof *b->obstacles);
    size_t solids = (size_t)(rec->bodies.count > rec->obstacles.count ? rec->bodies.count : rec->obstacles.count);
    b->solid_values = calloc(4 * solids + 1, sizeof *b->solid_values);
    CordFrameRod* list = calloc(rods, sizeof *list);
    if (!b->node_offset || !b->edge_offset || !b->energy || !b->stretch || !b->adapt || !b->adapt_values ||
        !b->bodies || !b->obstacles || !b->solid_values || !list) {
        free(list);
        recording_free_frame(rec);
        return false;
    }
    b->rods = list;
    return true;
}

static void buffer_shed(FrameBuffer* b) // what grows
{
    free(b->x), free(b->v), free(b->moment), free(b->skin), free(b->level), free(b->arc);
    free(b->m1), free(b->radius), free(b->tension), free(b->force), free(b->ends);
}

static bool buffer_grow(CordRecording* rec, int64_t nodes, int64_t edges)
{
    FrameBuffer* b = &rec->frame;
    if (nodes <= b->node_capacity && edges <= b->edge_capacity) {
        return true;
    }
    size_t n = (size_t)nodes, e = (size_t)edges;
    buffer_shed(b);
    b->x = calloc(n + 1, sizeof *b->x);
    b->v = calloc(n + 1, sizeof *b->v);
    b->moment = calloc(n + 1, sizeof *b->moment);
    b->skin = calloc(n + 1, sizeof *b->skin);
    b->level = calloc(n + 1, sizeof *b->level);
    b->arc = calloc(n + 1, sizeof *b->arc);
    b->m1 = calloc(e + 1, sizeof *b->m1);
    b->radius = calloc(e + 1, sizeof *b->radius);
    b->tension = calloc(e + 1, sizeof *b->tension);
    b->force = calloc(e + 1, sizeof *b->force);
    b->ends = calloc(2 * e + 1, sizeof *b->ends);
    bool good = b->x && b->v && b->moment && b->skin && b->level && b->arc && b->m1 && b->radius &&
                b->tension && b->force && b->ends;
    b->node_capacity = good ? nodes : 0;
    b->edge_capacity = good ? edges : 0;
    return good;
}

static void contacts_shed(FrameBuffer* b)
{
    free(b->contacts), free(b->contact_values);
}

static bool contacts_grow(CordRecording* rec, int64_t contacts)
{
    FrameBuffer* b = &rec->frame;
    if (contacts <= b->contact_capacity) {
        return true;
    }
    size_t count = (size_t)contacts;
    contacts_shed(b);
    b->contacts = calloc(count, sizeof *b->contacts);
    b->contact_values = calloc(3 * count, sizeof *b->contact_values);
    bool good = b->contacts && b->contact_values;
    b->contact_capacity = good ? contacts : 0;
    return good;
}

void recording_free_frame(CordRecording* rec)
{
    FrameBuffer* b = &rec->frame;
    free(b->rods), free(b->node_offset), free(b->edge_offset), free(b->energy), free(b->stretch);
    free(b->adapt), free(b->adapt_values);
    free(b->bodies), free(b->obstacles), free(b->solid_values);
    buffer_shed(b);
    contacts_shed(b);
    free(b->rows);
    *b = (FrameBuffer){0};
}

// ---------------------------------------------------------------------------------------------------- reading

static bool contact_offset_fits(const CordRecording* rec)
{
    const int64_t* ends = rec->frame.contact_offset;
    return 0 <= ends[0] && ends[0] <= ends[1] && ends[1] - ends[0] < INT_MAX / 3 &&
           (ends[1] == 0 || ends[1] <= rec->tables[TABLE_CONTACT_ROD].rows);
}

static int64_t edges_of(const CordRecording* rec, int rod, int64_t nodes)
{
    return rec->network[rod] ? rec->ends_offset[rod + 1] - rec->ends_offset[rod]
                             : nodes - (rec->closed[rod] ? 0 : 1);
}

// What follows trusts these numbers, so each is checked, not only their sum.
static bool offsets_fit(const CordRecording* rec)
{
    const FrameBuffer* b = &rec->frame;
    int rods = rec->rods.count;
    for (int r = 0; r < rods; r++) {
        int64_t nodes = b->node_offset[r + 1] - b->node_offset[r];
        int64_t edges = b->edge_offset[r + 1] - b->edge_offset[r];
        if (b->node_offset[r] < 0 || b->edge_offset[r] < 0 || nodes < 2 || edges != edges_of(rec, r, nodes)) {
            return false;
        }
    }
    return b->node_offset[rods] <= rec->tables[TABLE_X].rows &&
           b->edge_offset[rods] <= rec->tables[TABLE_M1].rows &&
           b->node_offset[rods] - b->node_offset[0] < INT_MAX / 3 &&
           b->edge_offset[rods] - b->edge_offset[0] < INT_MAX / 3 && contact_offset_fits(rec);
}

static void frame_fill(CordRecording* rec, CordFrame* frame)
{
    FrameBuffer* b = &rec->frame;
    int rods = rec->rods.count;
    for (int r = 0; r < rods; r++) {
        b->rods[r] = (CordFrameRod){
            .name = hdf5_name(&rec->rods, r),
            .first_node = (int)(b->node_offset[r] - b->node_offset[0]),
            .node_count = (int)(b->node_offset[r + 1] - b->node_offset[r]),
            .first_edge = (int)(b->edge_offset[r] - b->edge_offset[0]),
            .edge_count = (int)(b->edge_offset[r + 1] - b->edge_offset[r]),
            .closed = rec->closed[r] != 0,
            .network = rec->network[r] != 0,
        };
    }
    frame->rod_count = rods;
    frame->node_count = (int)(b->node_offset[rods] - b->node_offset[0]);
    frame->edge_count = (int)(b->edge_offset[rods] - b->edge_offset[0]);
    frame->rods = b->rods;
    frame->energy = b->energy;
    frame->stretch = b->stretch;
    frame->x = b->x;
    frame->v = b->v;
    frame->moment = b->moment;
    frame->skin = rec->shape.adaptive ? b->skin : NULL;
    frame->level = rec->shape.adaptive ? b->level : NULL;
    frame->arc = rec->shape.adaptive ? b->arc : NULL;
    frame->adapt = rec->shape.adaptive ? b->adapt : NULL;
    frame->ends = rec->networks ? b->ends : NULL;
    frame->m1 = b->m1;
    frame->radius = b->radius;
    frame->tension = b->tension;
    frame->force = b->force;
    frame->body_count = rec->bodies.count;
    frame->bodies = b->bodies;
    frame->obstacle_count = rec->obstacles.count;
    frame->obstacles = b->obstacles;
    frame->contact_count = (int)(b->contact_offset[1] - b->contact_offset[0]);
    frame->contacts = b->contacts;
}

static bool frame_read_rows(CordRecording* rec, int64_t index, CordFrame* frame, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int64_t probe_rows;
    return get_doubles(rec, TABLE_TIME, index, 1, &frame->time, check) &&
           get_integers(rec, TABLE_STEPS, index, &frame->steps, check) &&
           get_integers(rec, TABLE_PROBE_ROWS, index, &probe_rows, check) &&
           get_integers(rec, TABLE_NODE_OFFSET, index, b->node_offset, check) &&
           get_integers(rec, TABLE_EDGE_OFFSET, index, b->edge_offset, check) &&
           (!layout_has(&rec->shape, TABLE_CONTACT_OFFSET) ||
            get_integers(rec, TABLE_CONTACT_OFFSET, index, b->contact_offset, check)) &&
           get_doubles(rec, TABLE_ENERGY, index, 1, (double*)b->energy, check) &&
           get_doubles(rec, TABLE_STRETCH, index, 1, b->stretch, check);
}

// The first layout had none: they are not known.
static bool frame_read_forces(CordRecording* rec, int64_t first, int64_t edges, uint64_t* check)
{
    CordVec3* force = rec->frame.force;
    if (layout_has(&rec->shape, TABLE_FORCE)) {
        return get_rows(rec, TABLE_FORCE, first, edges, (double*)force, check);
    }
    for (int64_t j = 0; j < edges; j++) {
        force[j] = (CordVec3){NAN, NAN, NAN};
    }
    return true;
}

static bool frame_read_arrays(CordRecording* rec, int64_t nodes, int64_t edges, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int64_t n = b->node_offset[0], e = b->edge_offset[0];
    return get_doubles(rec, TABLE_X, n, nodes, (double*)b->x, check) &&
           get_rows(rec, TABLE_V, n, nodes, (double*)b->v, check) &&
           get_rows(rec, TABLE_MOMENT, n, nodes, (double*)b->moment, check) &&
           get_rows(rec, TABLE_M1, e, edges, (double*)b->m1, check) &&
           get_rows(rec, TABLE_RADIUS, e, edges, b->radius, check) &&
           get_rows(rec, TABLE_TENSION, e, edges, b->tension, check) && frame_read_forces(rec, e, edges, check);
}

static bool frame_read_adapt(CordRecording* rec, int64_t index, int64_t nodes, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int64_t n = b->node_offset[0];
    if (!rec->shape.adaptive) {
        return true;
    }
    bool good = get_doubles(rec, TABLE_SKIN, n, nodes, (double*)b->skin, check) &&
                get(rec, TABLE_LEVEL, n, nodes, b->level);
    *check = good ? layout_check_u8(*check, b->level, (size_t)nodes) : *check;
    good = good && get_doubles(rec, TABLE_ARC, n, nodes, b->arc, check) &&
           get_integers(rec, TABLE_ADAPT, index, b->adapt_values, check);
    for (int r = 0; good && r < rec->rods.count; r++) {
        int count = (int)(b->node_offset[r + 1] - b->node_offset[r]);
        b->adapt[r] = layout_adapt_take(b->adapt_values + (size_t)r * LAYOUT_ADAPT, count);
    }
    return good;
}

static void body_take(CordFrameBody* body, LayoutTable table, const double* values)
{
    switch (table) {
    case TABLE_BODY_POSITION: memcpy(&body->position, values, sizeof body->position); break;
    case TABLE_BODY_ROTATION: memcpy(&body->rotation, values, sizeof body->rotation); break;
    case TABLE_BODY_VELOCITY: memcpy(&body->velocity, values, sizeof body->velocity); break;
    case TABLE_BODY_SPIN: memcpy(&body->spin, values, sizeof body->spin); break;
    default: body->energy = (CordEnergy){.kinetic = values[0], .gravity = values[1]}; break;
    }
}

static bool frame_read_bodies(CordRecording* rec, int64_t index, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    bool good = true;
    for (int i = 0; i < rec->bodies.count; i++) {
        b->bodies[i] = (CordFrameBody){
            .name = hdf5_name(&rec->bodies, i), .shape = rec->body_shapes[i], .size = rec->body_sizes[i]};
    }
    for (int t = TABLE_BODY_POSITION; good && rec->bodies.count > 0 && t <= TABLE_BODY_ENERGY; t++) {
        good = get_doubles(rec, (LayoutTable)t, index, 1, b->solid_values, check);
        for (int i = 0; good && i < rec->bodies.count; i++) {
            body_take(&b->bodies[i], (LayoutTable)t, b->solid_values + (size_t)i * (size_t)rec->tables[t].row[1]);
        }
    }
    return good;
}

static void obstacle_take(CordFrameObstacle* obstacle, LayoutTable table, const double* values)
{
    switch (table) {
    case TABLE_OBSTACLE_POSITION: memcpy(&obstacle->position, values, sizeof obstacle->position); break;
    case TABLE_OBSTACLE_ROTATION: memcpy(&obstacle->rotation, values, sizeof obstacle->rotation); break;
    case TABLE_OBSTACLE_FORCE: memcpy(&obstacle->force, values, sizeof obstacle->force); break;
    default: memcpy(&obstacle->torque, values, sizeof obstacle->torque); break;
    }
}

static bool frame_read_obstacles(CordRecording* rec, int64_t index, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int count = rec->obstacles.count;
    bool good = true;
    for (int i = 0; i < count; i++) {
        b->obstacles[i] = rec->obstacle_list[i];
    }
    for (int t = TABLE_OBSTACLE_POSITION; good && count > 0 && t <= TABLE_OBSTACLE_TORQUE; t++) {
        good = get_doubles(rec, (LayoutTable)t, index, 1, b->solid_values, check);
        for (int i = 0; good && i < count; i++) {
            obstacle_take(&b->obstacles[i], (LayoutTable)t,
                          b->solid_values + (size_t)i * (size_t)rec->tables[t].row[1]);
        }
    }
    return good;
}

static void contact_take(CordContact* contact, LayoutTable table, const double* values)
{
    switch (table) {
    case TABLE_CONTACT_ROD: contact->rod = (int)*values; break;
    case TABLE_CONTACT_EDGE: contact->edge = (int)*values; break;
    case TABLE_CONTACT_AT: contact->at = *values; break;
    case TABLE_CONTACT_KIND: contact->kind = (CordTouch)*values; break;
    case TABLE_CONTACT_OTHER: contact->other = (int)*values; break;
    case TABLE_CONTACT_OTHER_EDGE: contact->other_edge = (int)*values; break;
    case TABLE_CONTACT_OTHER_AT: contact->other_at = *values; break;
    case TABLE_CONTACT_POINT: memcpy(&contact->point, values, sizeof contact->point); break;
    case TABLE_CONTACT_NORMAL: memcpy(&contact->normal, values, sizeof contact->normal); break;
    case TABLE_CONTACT_GAP: contact->gap = *values; break;
    case TABLE_CONTACT_PUSH: contact->push = *values; break;
    case TABLE_CONTACT_FRICTION: memcpy(&contact->friction, values, sizeof contact->friction); break;
    default: contact->slides = *values != 0.0; break;
    }
}

static bool edge_is_there(const CordRecording* rec, int rod, int edge)
{
    const int64_t* offset = rec->frame.edge_offset;
    return rod >= 0 && rod < rec->rods.count && edge >= 0 && edge < offset[rod + 1] - offset[rod];
}

static bool contact_fits(const CordRecording* rec, const CordContact* contact)
{
    if (!edge_is_there(rec, contact->rod, contact->edge)) {
        return false;
    }
    switch (contact->kind) {
    case CORD_TOUCH_ROD: return edge_is_there(rec, contact->other, contact->other_edge);
    case CORD_TOUCH_OBSTACLE: return contact->other >= 0 && contact->other < rec->obstacles.count;
    case CORD_TOUCH_BODY: return contact->other >= 0 && contact->other < rec->bodies.count;
    }
    return false;
}

static bool frame_read_contacts(CordRecording* rec, uint64_t* check)
{
    FrameBuffer* b = &rec->frame;
    int64_t first = b->contact_offset[0], count = b->contact_offset[1] - first;
    bool good = true;
    for (int t = TABLE_CONTACT_ROD; good && count > 0 && t <= TABLE_CONTACT_SLIDES; t++) {
        good = t == TABLE_CONTACT_POINT
                   ? get_doubles(rec, (LayoutTable)t, first, count, b->contact_values, check)
                   : get_rows(rec, (LayoutTable)t, first, count, b->contact_values, check);
        for (int64_t i = 0; good && i < count; i++) {
            contact_take(&b->contacts[i], (LayoutTable)t, b->contact_values + i * hdf5_row_size(&rec->tables[t]));
        }
    }
    for (int64_t i = 0; good && i < count; i++) {
        good = contact_fits(rec, &b->contacts[i]);
    }
    return good;
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
    bool room = buffer_start(rec);
    if (room && (!frame_read_rows(rec, index, frame, &check) || !offsets_fit(rec))) {
        return frame_damaged(rec, index, message);
    }
    int rods = rec->rods.count;
    int64_t nodes = room ? rec->frame.node_offset[rods] - rec->frame.node_offset[0] : 0;
    int64_t edges = room ? rec->frame.edge_offset[rods] - rec->frame.edge_offset[0] : 0;
    int64_t contacts = rec->frame.contact_offset[1] - rec->frame.contact_offset[0];
    if (!room || !buffer_grow(rec, nodes, edges) || !contacts_grow(rec, contacts)) {
        return export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory for frame %d", rec->path, index);
    }
    if (!frame_read_arrays(rec, nodes, edges, &check) || !frame_read_adapt(rec, index, nodes, &check) ||
        !frame_read_bodies(rec, index, &check) || !frame_read_obstacles(rec, index, &check) ||
        !frame_read_contacts(rec, &check) || !get(rec, TABLE_CHECKSUM, index, 1, &stored) ||
        stored != check || !recording_fill_ends(rec)) {
        return frame_damaged(rec, index, message);
    }
    frame_fill(rec, frame);
    return recording_place_surfaces(rec, frame) ? CORD_OK : frame_damaged(rec, index, message);
}
