#include "export/layout.h"

#include <stdio.h>
#include <string.h>

bool layout_has(const LayoutShape* shape, LayoutTable table)
{
    switch (layout_tables[table].part) {
    case PART_ALL: break;
    case PART_PROBES: return shape->probe_count > 0;
    case PART_SECOND: return shape->version >= 2;
    case PART_THIRD: return shape->version >= 3;
    case PART_BODIES: return shape->body_count > 0;
    case PART_OBSTACLES: return shape->obstacle_count > 0;
    case PART_BRANCH: return shape->branch;
    case PART_ADAPTIVE: return shape->adaptive;
    }
    return true;
}

void layout_width(const LayoutShape* shape, LayoutTable table, int row[2])
{
    row[0] = row[1] = 0;
    switch (layout_tables[table].width) {
    case WIDTH_ONE: break;
    case WIDTH_PAIR: row[0] = 2; break;
    case WIDTH_VECTOR: row[0] = 3; break;
    case WIDTH_RODS: row[0] = shape->rod_count; break;
    case WIDTH_RODS_AND_END: row[0] = shape->rod_count + 1; break;
    case WIDTH_RODS_ENERGIES: row[0] = shape->rod_count, row[1] = LAYOUT_ENERGIES; break;
    case WIDTH_RODS_ADAPT: row[0] = shape->rod_count, row[1] = LAYOUT_ADAPT; break;
    case WIDTH_TIME_AND_PROBES: row[0] = 1 + shape->probe_count; break;
    case WIDTH_BODIES_VECTORS: row[0] = shape->body_count, row[1] = 3; break;
    case WIDTH_BODIES_ROTATIONS: row[0] = shape->body_count, row[1] = 4; break;
    case WIDTH_BODIES_ENERGIES: row[0] = shape->body_count, row[1] = LAYOUT_BODY_ENERGIES; break;
    case WIDTH_OBSTACLES_VECTORS: row[0] = shape->obstacle_count, row[1] = 3; break;
    case WIDTH_OBSTACLES_ROTATIONS: row[0] = shape->obstacle_count, row[1] = 4; break;
    case WIDTH_SNAPSHOT: row[0] = SNAPSHOT_WIDTH; break;
    }
}

const char* layout_kind(bool branch)
{
    return branch ? "branch" : "run";
}

void layout_adapt_put(const CordAdaptReport* r, int64_t values[LAYOUT_ADAPT])
{
    const int64_t row[LAYOUT_ADAPT] = {r->made_with,  r->coarsest, r->finest,
                                       r->refined,    r->merged,   r->kept_off,
                                       r->iterations, r->steps,    (int64_t)r->node_steps,
                                       r->flickers};
    memcpy(values, row, sizeof row);
}

CordAdaptReport layout_adapt_take(const int64_t values[LAYOUT_ADAPT], int nodes)
{
    return (CordAdaptReport){.made_with = (int)values[0],
                             .nodes = values[0] > 0 ? nodes : 0,
                             .coarsest = (int)values[1],
                             .finest = (int)values[2],
                             .refined = values[3],
                             .merged = values[4],
                             .kept_off = values[5],
                             .iterations = values[6],
                             .steps = values[7],
                             .node_steps = (double)values[8],
                             .flickers = values[9]};
}

const char* layout_body_shape(CordBodyShape shape)
{
    switch (shape) {
    case CORD_BODY_SPHERE: return "sphere";
    case CORD_BODY_BOX: return "box";
    case CORD_BODY_CYLINDER: return "cylinder";
    case CORD_BODY_CAPSULE: return "capsule";
    }
    return NULL;
}

const char* layout_obstacle_shape(CordObstacleShape shape)
{
    switch (shape) {
    case CORD_OBSTACLE_PLANE: return "plane";
    case CORD_OBSTACLE_SPHERE: return "sphere";
    case CORD_OBSTACLE_BOX: return "box";
    case CORD_OBSTACLE_CYLINDER: return "cylinder";
    case CORD_OBSTACLE_CAPSULE: return "capsule";
    case CORD_OBSTACLE_TORUS: return "torus";
    case CORD_OBSTACLE_TUBE: return "tube";
    case CORD_OBSTACLE_MESH: return "mesh";
    case CORD_OBSTACLE_SHAPE_COUNT: break;
    }
    return NULL;
}

static bool name_is_taken(const char* const* names, int probe)
{
    for (int i = 0; i < probe; i++) {
        if (strcmp(names[i], names[probe]) == 0) {
            return true;
        }
    }
    return false;
}

void layout_probe_name(const char* const* names, int probe, char text[LAYOUT_PROBE_MOST])
{
    const char* name = names[probe];
    size_t length = strlen(name);
    bool plain = length > 0 && length < 200 && !strchr(name, '/') && name[0] != '.' && name[0] != '_';
    if (plain && !name_is_taken(names, probe)) {
        snprintf(text, LAYOUT_PROBE_MOST, "probes/%s", name);
    } else {
        snprintf(text, LAYOUT_PROBE_MOST, "probes/_%d", probe);
    }
}

// Both steps can be undone, so no two values of one number lead to the same sum; the shift lets high bits meet low
// ones.
static uint64_t check_one(uint64_t check, uint64_t bits)
{
    check = (check ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return check ^ (check >> 32);
}

uint64_t layout_check_u64(uint64_t check, const uint64_t* values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check = check_one(check, values[i]);
    }
    return check;
}

uint64_t layout_check_i64(uint64_t check, const int64_t* values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check = check_one(check, (uint64_t)values[i]);
    }
    return check;
}

uint64_t layout_check_i32(uint64_t check, const int32_t* values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check = check_one(check, (uint32_t)values[i]);
    }
    return check;
}

uint64_t layout_check_f64(uint64_t check, const double* values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        check = check_one(check, bits);
    }
    return check;
}

uint64_t layout_check_f32(uint64_t check, const float* values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        check = check_one(check, bits);
    }
    return check;
}

// Eight bytes at a time, the first lowest; zeros fill up the last eight.
uint64_t layout_check_u8(uint64_t check, const uint8_t* values, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        uint64_t bits = 0;
        for (size_t k = 0; k < 8 && i + k < count; k++) {
            bits |= (uint64_t)values[i + k] << (8 * k);
        }
        check = check_one(check, bits);
    }
    return check;
}

uint64_t layout_check_text(uint64_t check, const char* text, size_t size)
{
    return check_one(layout_check_u8(check, (const uint8_t*)text, size), size);
}

uint64_t layout_check_rows(uint64_t check, Hdf5Type type, const void* values, size_t count)
{
    switch (type) {
    case HDF5_F64: return layout_check_f64(check, values, count);
    case HDF5_F32: return layout_check_f32(check, values, count);
    case HDF5_I64: return layout_check_i64(check, values, count);
    case HDF5_U64: return layout_check_u64(check, values, count);
    case HDF5_I32: return layout_check_i32(check, values, count);
    case HDF5_U8: return layout_check_u8(check, values, count);
    }
    return check;
}

const LayoutEntry layout_tables[TABLE_COUNT] = {
    [TABLE_TIME] = {"frames/time", PART_ALL, ROW_FRAME, WIDTH_ONE, HDF5_F64, "s"},
    [TABLE_STEPS] = {"frames/steps", PART_ALL, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_NODE_OFFSET] = {"frames/node_offset", PART_ALL, ROW_FRAME, WIDTH_RODS_AND_END, HDF5_I64, NULL},
    [TABLE_EDGE_OFFSET] = {"frames/edge_offset", PART_ALL, ROW_FRAME, WIDTH_RODS_AND_END, HDF5_I64, NULL},
    [TABLE_CONTACT_OFFSET] = {"frames/contact_offset", PART_THIRD, ROW_FRAME, WIDTH_PAIR, HDF5_I64, NULL},
    [TABLE_ENERGY] = {"frames/energy", PART_ALL, ROW_FRAME, WIDTH_RODS_ENERGIES, HDF5_F64, "J"},
    [TABLE_STRETCH] = {"frames/stretch", PART_ALL, ROW_FRAME, WIDTH_RODS, HDF5_F64, NULL},
    [TABLE_ADAPT] = {"frames/adapt", PART_ADAPTIVE, ROW_FRAME, WIDTH_RODS_ADAPT, HDF5_I64, NULL},
    [TABLE_PROBE_ROWS] = {"frames/probe_rows", PART_ALL, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_PROBE_CHECKSUM] = {"frames/probe_checksum", PART_PROBES, ROW_FRAME, WIDTH_TIME_AND_PROBES, HDF5_U64, NULL},
    [TABLE_CHECKSUM] = {"frames/checksum", PART_ALL, ROW_FRAME, WIDTH_ONE, HDF5_U64, NULL},
    [TABLE_X] = {"nodes/x", PART_ALL, ROW_NODE, WIDTH_VECTOR, HDF5_F64, "m"},
    [TABLE_V] = {"nodes/v", PART_ALL, ROW_NODE, WIDTH_VECTOR, HDF5_F32, "m/s"},
    [TABLE_MOMENT] = {"nodes/moment", PART_ALL, ROW_NODE, WIDTH_VECTOR, HDF5_F32, "N m"},
    [TABLE_SKIN] = {"nodes/skin", PART_ADAPTIVE, ROW_NODE, WIDTH_VECTOR, HDF5_F64, "m"},
    [TABLE_LEVEL] = {"nodes/level", PART_ADAPTIVE, ROW_NODE, WIDTH_ONE, HDF5_U8, NULL},
    [TABLE_ARC] = {"nodes/arc", PART_ADAPTIVE, ROW_NODE, WIDTH_ONE, HDF5_F64, "m"},
    [TABLE_M1] = {"edges/m1", PART_ALL, ROW_EDGE, WIDTH_VECTOR, HDF5_F32, NULL},
    [TABLE_RADIUS] = {"edges/radius", PART_ALL, ROW_EDGE, WIDTH_ONE, HDF5_F32, "m"},
    [TABLE_TENSION] = {"edges/tension", PART_ALL, ROW_EDGE, WIDTH_ONE, HDF5_F32, "N"},
    [TABLE_FORCE] = {"edges/force", PART_SECOND, ROW_EDGE, WIDTH_VECTOR, HDF5_F32, "N"},
    [TABLE_BODY_POSITION] = {"bodies/position", PART_BODIES, ROW_FRAME, WIDTH_BODIES_VECTORS, HDF5_F64, "m"},
    [TABLE_BODY_ROTATION] = {"bodies/rotation", PART_BODIES, ROW_FRAME, WIDTH_BODIES_ROTATIONS, HDF5_F64, NULL},
    [TABLE_BODY_VELOCITY] = {"bodies/velocity", PART_BODIES, ROW_FRAME, WIDTH_BODIES_VECTORS, HDF5_F64, "m/s"},
    [TABLE_BODY_SPIN] = {"bodies/spin", PART_BODIES, ROW_FRAME, WIDTH_BODIES_VECTORS, HDF5_F64, "rad/s"},
    [TABLE_BODY_ENERGY] = {"bodies/energy", PART_BODIES, ROW_FRAME, WIDTH_BODIES_ENERGIES, HDF5_F64, "J"},
    [TABLE_OBSTACLE_POSITION] = {"obstacles/position", PART_OBSTACLES, ROW_FRAME, WIDTH_OBSTACLES_VECTORS,
                                 HDF5_F64, "m"},
    [TABLE_OBSTACLE_ROTATION] = {"obstacles/rotation", PART_OBSTACLES, ROW_FRAME, WIDTH_OBSTACLES_ROTATIONS,
                                 HDF5_F64, NULL},
    [TABLE_OBSTACLE_FORCE] = {"obstacles/force", PART_OBSTACLES, ROW_FRAME, WIDTH_OBSTACLES_VECTORS, HDF5_F64, "N"},
    [TABLE_OBSTACLE_TORQUE] = {"obstacles/torque", PART_OBSTACLES, ROW_FRAME, WIDTH_OBSTACLES_VECTORS,
                               HDF5_F64, "N m"},
    [TABLE_CONTACT_ROD] = {"contacts/rod", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_I32, NULL},
    [TABLE_CONTACT_EDGE] = {"contacts/edge", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_I32, NULL},
    [TABLE_CONTACT_AT] = {"contacts/at", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_F32, NULL},
    [TABLE_CONTACT_KIND] = {"contacts/kind", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_U8, NULL},
    [TABLE_CONTACT_OTHER] = {"contacts/other", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_I32, NULL},
    [TABLE_CONTACT_OTHER_EDGE] = {"contacts/other_edge", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_I32, NULL},
    [TABLE_CONTACT_OTHER_AT] = {"contacts/other_at", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_F32, NULL},
    [TABLE_CONTACT_POINT] = {"contacts/point", PART_THIRD, ROW_CONTACT, WIDTH_VECTOR, HDF5_F64, "m"},
    [TABLE_CONTACT_NORMAL] = {"contacts/normal", PART_THIRD, ROW_CONTACT, WIDTH_VECTOR, HDF5_F32, NULL},
    [TABLE_CONTACT_GAP] = {"contacts/gap", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_F32, "m"},
    [TABLE_CONTACT_PUSH] = {"contacts/push", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_F32, "N"},
    [TABLE_CONTACT_FRICTION] = {"contacts/friction", PART_THIRD, ROW_CONTACT, WIDTH_VECTOR, HDF5_F32, "N"},
    [TABLE_CONTACT_SLIDES] = {"contacts/slides", PART_THIRD, ROW_CONTACT, WIDTH_ONE, HDF5_U8, NULL},
    [TABLE_BRANCH_ARC] = {"branch/arc", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, NULL},
    [TABLE_BRANCH_EVENT] = {"branch/event", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_BRANCH_EVENT_TIME] = {"branch/event_time", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, "s"},
    [TABLE_BRANCH_UNSTABLE] = {"branch/unstable", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_BRANCH_EIGENVALUE] = {"branch/least_eigenvalue", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, "1/s^2"},
    [TABLE_BRANCH_ENERGY] = {"branch/energy", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, "J"},
    [TABLE_BRANCH_RESIDUAL] = {"branch/residual", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, "N"},
    [TABLE_BRANCH_RELATIVE] = {"branch/residual_relative", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_F64, NULL},
    [TABLE_BRANCH_CONVERGED] = {"branch/converged", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_BRANCH_ITERATIONS] = {"branch/iterations", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_BRANCH_SADDLES] = {"branch/saddles_left", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_BRANCH_CHECKSUM] = {"branch/checksum", PART_BRANCH, ROW_FRAME, WIDTH_ONE, HDF5_U64, NULL},
    [TABLE_SNAPSHOT_INDEX] = {"snapshots/index", PART_ALL, ROW_SNAPSHOT, WIDTH_SNAPSHOT, HDF5_I64, NULL},
    [TABLE_SNAPSHOT_CHECKSUM] = {"snapshots/checksum", PART_ALL, ROW_SNAPSHOT, WIDTH_ONE, HDF5_U64, NULL},
    [TABLE_SNAPSHOT_BYTES] = {"snapshots/bytes", PART_ALL, ROW_STATE_BYTE, WIDTH_ONE, HDF5_U8, NULL},
    [TABLE_FAILURE_TEXT] = {"failure/text", PART_SECOND, ROW_FAILURE_BYTE, WIDTH_ONE, HDF5_U8, NULL},
    [TABLE_FAILURE_CHECKSUM] = {"failure/checksum", PART_SECOND, ROW_FAILURE, WIDTH_ONE, HDF5_U64, NULL},
};
