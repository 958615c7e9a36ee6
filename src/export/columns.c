#include "export/columns.h"

#include <cordage/adapt.h>
#include <cordage/ledger.h>

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool has_bodies(const FrameShape* shape)
{
    return shape->body_count > 0;
}

static bool has_obstacles(const FrameShape* shape)
{
    return shape->obstacle_count > 0;
}

static bool has_ledger(const FrameShape* shape)
{
    return shape->ledger_count > 0;
}

static bool has_adaptive(const FrameShape* shape)
{
    return shape->adaptive;
}

#define ARRAY(list) .array = offsetof(CordFrame, list), .stride = sizeof *((CordFrame*)0)->list
#define IN(list, type, member) ARRAY(list), .offset = offsetof(type, member)
#define OF_FRAME(member) .row = ROW_FRAME, .offset = offsetof(CordFrame, member)
#define OF_ROD(list) .row = ROW_ROD, ARRAY(list)
#define OF_NODE(list) .row = ROW_NODE, ARRAY(list)
#define OF_EDGE(list) .row = ROW_EDGE, ARRAY(list)
#define OF_ADAPT(member) .row = ROW_ROD, IN(adapt, CordAdaptReport, member), .has = has_adaptive
#define OF_BODY(member) .row = ROW_BODY, IN(bodies, CordFrameBody, member), .has = has_bodies
#define OF_OBSTACLE(member)                                                                                  \
    .row = ROW_OBSTACLE, IN(obstacles, CordFrameObstacle, member), .has = has_obstacles
#define OF_LEDGER(member) .row = ROW_LEDGER, IN(ledger, CordLedgerEntry, done.member), .has = has_ledger
#define OF_CONTACT(member) .row = ROW_CONTACT, IN(contacts, CordContact, member)

// The order is that of the checksum of a frame, of reels, and of the columns in every other format.
const Column columns[] = {
    {"frames/time", HDF5_F64, 1, "s", "", OF_FRAME(time), .reel = true},
    {"frames/steps", HDF5_I64, 1, NULL, "since the start", OF_FRAME(steps), .memory = MEMORY_I64,
     .reel = true},
    {"frames/energy", HDF5_F64, 5, "J", "kinetic, bend, twist, stretch, gravity", OF_ROD(energy),
     .labels = "kinetic bend twist stretch gravity", .reel = true, .vtk = "energy"},
    {"frames/stretch", HDF5_F64, 1, NULL, "largest relative change of an edge's length", OF_ROD(stretch),
     .vtk = "stretch"},
    {"frames/twist", HDF5_F64, 1, "turns", "total twist, with all its turns; not a number: a network",
     OF_ROD(twist)},
    {"nodes/x", HDF5_F64, 3, "m", "position; reels have where pictures draw the node, which is `skin`",
     OF_NODE(x), .reel = true, .csv = "x,y,z"},
    {"nodes/v", HDF5_F32, 3, "m/s", "velocity", OF_NODE(v), .vtk = "velocity"},
    {"nodes/moment", HDF5_F32, 3, "N m", "bending and twisting moment passed on at the node", OF_NODE(moment),
     .vtk = "moment"},
    {"edges/m1", HDF5_F32, 3, NULL, "first material axis", OF_EDGE(m1), .reel = true},
    {"edges/radius", HDF5_F32, 1, "m", "of the section", OF_EDGE(radius), .vtk = "radius"},
    {"edges/tension", HDF5_F32, 1, "N", "force along the edge; negative: compression", OF_EDGE(tension),
     .reel = true, .vtk = "tension"},
    {"edges/force", HDF5_F32, 3, "N",
     "the whole force in the section, tension and shear: what the part after it does to the part before",
     OF_EDGE(force), .vtk = "force"},
    {"nodes/skin", HDF5_F64, 3, "m",
     "where pictures draw the node: at `x`, but shortly after a change on the way from where the rod's line "
     "was before it",
     OF_NODE(skin), .has = has_adaptive},
    {"nodes/level", HDF5_U8, 1, NULL,
     "0: a node that the rod was made with; 1: one that halved an element; 2: one that halved a half ...",
     OF_NODE(level), .memory = MEMORY_U8, .vtk = "level", .has = has_adaptive},
    {"nodes/arc", HDF5_F64, 1, "m", "rest length from the rod's start to the node", OF_NODE(arc),
     .vtk = "arc", .has = has_adaptive},
    {"adapt/made_with", HDF5_I64, 1, NULL, "nodes that the rod was made with; 0: the rod is not adaptive",
     OF_ADAPT(made_with), .memory = MEMORY_INT},
    {"adapt/coarsest", HDF5_I64, 1, NULL, "nodes that it may have, at the least", OF_ADAPT(coarsest),
     .memory = MEMORY_INT},
    {"adapt/finest", HDF5_I64, 1, NULL, "nodes that it may have, at the most", OF_ADAPT(finest),
     .memory = MEMORY_INT},
    {"adapt/refined", HDF5_I64, 1, NULL, "nodes taken in", OF_ADAPT(refined), .memory = MEMORY_I64},
    {"adapt/merged", HDF5_I64, 1, NULL, "nodes given up", OF_ADAPT(merged), .memory = MEMORY_I64},
    {"adapt/kept_off", HDF5_I64, 1, NULL, "changes that were wanted, but would have come too near something",
     OF_ADAPT(kept_off), .memory = MEMORY_I64},
    {"adapt/iterations", HDF5_I64, 1, NULL,
     "of the searches for the least energy, in all: over `refined + merged`, those of a change",
     OF_ADAPT(iterations), .memory = MEMORY_I64},
    {"adapt/steps", HDF5_I64, 1, NULL, "steps in which the rod changed: over `frames/steps`, the share",
     OF_ADAPT(steps), .memory = MEMORY_I64},
    {"adapt/node_steps", HDF5_I64, 1, NULL, "nodes, summed over all steps: over `frames/steps`, the mean",
     OF_ADAPT(node_steps)},
    {"adapt/flickers", HDF5_I64, 1, NULL,
     "elements that were halved within `merge_time` of having become one", OF_ADAPT(flickers),
     .memory = MEMORY_I64},
    {"bodies/position", HDF5_F64, 3, "m", "of the centre of mass", OF_BODY(position), .reel = true,
     .csv = "x,y,z"},
    {"bodies/rotation", HDF5_F64, 4, NULL, "a quaternion x, y, z, w, from the body's axes to space",
     OF_BODY(rotation), .labels = "x y z w", .reel = true, .csv = "qx,qy,qz,qw"},
    {"bodies/velocity", HDF5_F64, 3, "m/s", "of the centre of mass", OF_BODY(velocity), .csv = "vx,vy,vz"},
    {"bodies/spin", HDF5_F64, 3, "rad/s", "angular velocity in space", OF_BODY(spin), .csv = "wx,wy,wz"},
    {"bodies/kinetic", HDF5_F64, 1, "J", "kinetic energy", OF_BODY(energy.kinetic), .csv = "kinetic"},
    {"bodies/gravity", HDF5_F64, 1, "J", "potential energy of gravity", OF_BODY(energy.gravity),
     .csv = "gravity"},
    {"obstacles/position", HDF5_F64, 3, "m", "a plane is all below its own z = 0", OF_OBSTACLE(position),
     .reel = true, .csv = "x,y,z"},
    {"obstacles/rotation", HDF5_F64, 4, NULL, "a quaternion x, y, z, w, from the obstacle's axes to space",
     OF_OBSTACLE(rotation), .labels = "x y z w", .reel = true, .csv = "qx,qy,qz,qw"},
    {"obstacles/force", HDF5_F64, 3, "N", "of all rods on it", OF_OBSTACLE(force), .csv = "fx,fy,fz"},
    {"obstacles/torque", HDF5_F64, 3, "N m", "of all rods on it, about its position", OF_OBSTACLE(torque),
     .csv = "tx,ty,tz"},
    {"contacts/point", HDF5_F64, 3, "m", "between the two surfaces", OF_CONTACT(point), .reel = true,
     .csv = "x,y,z"},
    {"contacts/normal", HDF5_F32, 3, NULL, "unit, towards the rod", OF_CONTACT(normal), .reel = true,
     .vtk = "normal", .csv = "nx,ny,nz"},
    {"contacts/gap", HDF5_F32, 1, "m", "between the surfaces; negative: penetration", OF_CONTACT(gap),
     .vtk = "gap", .csv = "gap"},
    {"contacts/push", HDF5_F32, 1, "N", "normal force", OF_CONTACT(push), .reel = true, .vtk = "push",
     .csv = "push"},
    {"contacts/friction", HDF5_F32, 3, "N", "on the rod", OF_CONTACT(friction), .vtk = "friction",
     .csv = "fx,fy,fz"},
    {"contacts/slides", HDF5_U8, 1, NULL, "1: friction is at its limit", OF_CONTACT(slides),
     .memory = MEMORY_BOOL, .vtk = "slides", .csv = "slides"},
    {"contacts/rod", HDF5_I32, 1, NULL, "which rod is touched, counted from 0", OF_CONTACT(rod),
     .memory = MEMORY_INT, .vtk = "rod"},
    {"contacts/edge", HDF5_I32, 1, NULL, "which of its edges, counted from 0 within the rod",
     OF_CONTACT(edge), .memory = MEMORY_INT, .vtk = "edge"},
    {"contacts/at", HDF5_F32, 1, NULL, "along the edge, from 0 to 1", OF_CONTACT(at)},
    {"contacts/kind", HDF5_U8, 1, NULL,
     "what touches it, 0: a rod, maybe the same; 1: an obstacle; 2: a body", OF_CONTACT(kind),
     .memory = MEMORY_INT, .labels = "rod obstacle body", .reel = true, .vtk = "kind"},
    {"contacts/other", HDF5_I32, 1, NULL, "the number of that rod, obstacle or body", OF_CONTACT(other),
     .memory = MEMORY_INT, .vtk = "other"},
    {"contacts/other_edge", HDF5_I32, 1, NULL, "of a rod, the edge; else 0", OF_CONTACT(other_edge),
     .memory = MEMORY_INT},
    {"contacts/other_at", HDF5_F32, 1, NULL, "of a rod, along that edge; else 0", OF_CONTACT(other_at)},
    {"ledger/work", HDF5_F64, 1, "J", "done on rods and bodies since the start", OF_LEDGER(work)},
    {"ledger/exchanged", HDF5_F64, 1, "J", "the sum of the amounts of work, without their signs",
     OF_LEDGER(exchanged)},
    {"ledger/impulse", HDF5_F64, 3, "N s", "of the forces on rods and bodies", OF_LEDGER(impulse)},
    {"ledger/angular", HDF5_F64, 3, "N m s", "impulse of their moments about the origin", OF_LEDGER(angular)},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };
const int column_count = COLUMNS;
_Static_assert((int)COLUMNS <= COLUMN_MOST, "arrays of COLUMN_MOST have room for all columns");
_Static_assert(sizeof(int) == sizeof(int32_t), "HDF5_I32 is int in memory");
_Static_assert(sizeof(CordTouch) == sizeof(int), "kinds of contacts are read as int");

// ---- frames

FrameShape column_shape(const CordFrame* frame)
{
    FrameShape shape = {.rod_count = frame->rod_count,
                        .body_count = frame->body_count,
                        .obstacle_count = frame->obstacle_count,
                        .surface_count = frame->surface_count,
                        .ledger_count = frame->ledger_count};
    for (int i = 0; frame->adapt && i < frame->rod_count; i++) {
        shape.adaptive = shape.adaptive || frame->adapt[i].made_with > 0;
    }
    return shape;
}

bool column_has(const Column* column, const FrameShape* shape)
{
    return !column->has || column->has(shape);
}

int column_rows(const CordFrame* frame, ColumnRow row)
{
    switch (row) {
    case ROW_FRAME: return 1;
    case ROW_ROD: return frame->rod_count;
    case ROW_NODE: return frame->node_count;
    case ROW_EDGE: return frame->edge_count;
    case ROW_BODY: return frame->body_count;
    case ROW_OBSTACLE: return frame->obstacle_count;
    case ROW_CONTACT: return frame->contact_count;
    case ROW_LEDGER: return frame->ledger_count;
    case ROW_COUNT: break;
    }
    return 0;
}

const void* column_elements(const Column* column, const CordFrame* frame)
{
    const void* elements = frame;
    if (column->row != ROW_FRAME) {
        memcpy(&elements, (const char*)frame + column->array, sizeof elements);
    }
    return elements;
}

void column_set_elements(const Column* column, CordFrame* frame, const void* elements)
{
    memcpy((char*)frame + column->array, &elements, sizeof elements);
}

// ---- numbers

size_t memory_size(ColumnMemory memory)
{
    static const size_t sizes[] = {
        [MEMORY_F64] = sizeof(double), [MEMORY_F32] = sizeof(float), [MEMORY_I64] = sizeof(int64_t),
        [MEMORY_INT] = sizeof(int),    [MEMORY_BOOL] = sizeof(bool), [MEMORY_U8] = 1};
    return sizes[memory];
}

bool column_is_plain(const Column* column)
{
    return column->memory == MEMORY_F64 && column->stride == (size_t)column->width * sizeof(double);
}

static double number_get(ColumnMemory memory, const void* from)
{
    switch (memory) {
    case MEMORY_F64: return *(const double*)from;
    case MEMORY_F32: return (double)*(const float*)from;
    case MEMORY_I64: return (double)*(const int64_t*)from;
    case MEMORY_INT: return *(const int*)from;
    case MEMORY_BOOL: return *(const bool*)from;
    case MEMORY_U8: return *(const uint8_t*)from;
    }
    return 0.0;
}

static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

// A file may hold any number, so each is clamped to the range of its type. 2^53 stands for the largest
// int64_t, which is not a double.
static void number_set(ColumnMemory memory, void* to, double value)
{
    switch (memory) {
    case MEMORY_F64: *(double*)to = value; break;
    case MEMORY_F32: *(float*)to = (float)value; break;
    case MEMORY_I64: *(int64_t*)to = (int64_t)within(value, -9007199254740992.0, 9007199254740992.0); break;
    case MEMORY_INT: *(int*)to = (int)within(value, INT_MIN, INT_MAX); break;
    case MEMORY_BOOL: *(bool*)to = value != 0.0; break;
    case MEMORY_U8: *(uint8_t*)to = (uint8_t)within(value, 0, UINT8_MAX); break;
    }
}

void number_convert(ColumnMemory from_type, const void* from, ColumnMemory to_type, void* to)
{
    number_set(to_type, to, number_get(from_type, from));
}

// Copies the numbers of elements to contiguous rows of another type, or back.
static void convert(const Column* column, const void* elements, int count, ColumnMemory type, void* rows,
                    bool back)
{
    size_t size = memory_size(column->memory), row_size = memory_size(type);
    char *element = (char*)elements + column->offset, *row = rows;
    for (int i = 0; i < count; i++, element += column->stride) {
        for (int k = 0; k < column->width; k++, row += row_size) {
            char* number = element + (size_t)k * size;
            if (back) {
                number_convert(type, row, column->memory, number);
            } else {
                number_convert(column->memory, number, type, row);
            }
        }
    }
}

void column_get(const Column* column, const void* elements, int count, double* numbers)
{
    convert(column, elements, count, MEMORY_F64, numbers, false);
}

void column_set(const Column* column, void* elements, int count, const double* numbers)
{
    convert(column, elements, count, MEMORY_F64, (void*)numbers, true);
}

// ---- rows of files

void column_buffer_free(ColumnBuffer* buffer)
{
    free(buffer->memory);
    *buffer = (ColumnBuffer){0};
}

void* column_buffer_reserve(ColumnBuffer* buffer, size_t bytes)
{
    if (!buffer->memory || bytes > buffer->capacity) {
        column_buffer_free(buffer);
        buffer->memory = calloc(bytes + 1, 1);
        buffer->capacity = buffer->memory ? bytes : 0;
    }
    return buffer->memory;
}

static ColumnMemory row_type(const Column* column)
{
    static const ColumnMemory types[] = {[HDF5_F64] = MEMORY_F64,
                                         [HDF5_F32] = MEMORY_F32,
                                         [HDF5_I64] = MEMORY_I64,
                                         [HDF5_I32] = MEMORY_INT,
                                         [HDF5_U8] = MEMORY_U8};
    return types[column->type];
}

void* column_buffer_rows(ColumnBuffer* buffer, const Column* column, int count)
{
    return column_buffer_reserve(buffer,
                                 (size_t)count * (size_t)column->width * memory_size(row_type(column)));
}

const void* column_pack(const Column* column, const void* elements, int count, ColumnBuffer* buffer)
{
    if (column_is_plain(column) && column->type == HDF5_F64) {
        return (const char*)elements + column->offset;
    }
    void* rows = column_buffer_rows(buffer, column, count);
    if (rows) {
        convert(column, elements, count, row_type(column), rows, false);
    }
    return rows;
}

void column_unpack(const Column* column, const void* rows, void* elements, int count)
{
    convert(column, elements, count, row_type(column), (void*)rows, true);
}
