#include "export/layout.h"

#include <stdio.h>
#include <string.h>

void layout_width(LayoutWidth width, int rod_count, int probe_count, int row[2])
{
    row[0] = row[1] = 0;
    switch (width) {
    case WIDTH_ONE: break;
    case WIDTH_VECTOR: row[0] = 3; break;
    case WIDTH_RODS: row[0] = rod_count; break;
    case WIDTH_RODS_AND_END: row[0] = rod_count + 1; break;
    case WIDTH_RODS_ENERGIES: row[0] = rod_count, row[1] = LAYOUT_ENERGIES; break;
    case WIDTH_TIME_AND_PROBES: row[0] = 1 + probe_count; break;
    case WIDTH_SNAPSHOT: row[0] = SNAPSHOT_WIDTH; break;
    }
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

const LayoutEntry layout_tables[TABLE_COUNT] = {
    [TABLE_TIME] = {"frames/time", ROW_FRAME, WIDTH_ONE, HDF5_F64, "s"},
    [TABLE_STEPS] = {"frames/steps", ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_NODE_OFFSET] = {"frames/node_offset", ROW_FRAME, WIDTH_RODS_AND_END, HDF5_I64, NULL},
    [TABLE_EDGE_OFFSET] = {"frames/edge_offset", ROW_FRAME, WIDTH_RODS_AND_END, HDF5_I64, NULL},
    [TABLE_ENERGY] = {"frames/energy", ROW_FRAME, WIDTH_RODS_ENERGIES, HDF5_F64, "J"},
    [TABLE_STRETCH] = {"frames/stretch", ROW_FRAME, WIDTH_RODS, HDF5_F64, NULL},
    [TABLE_PROBE_ROWS] = {"frames/probe_rows", ROW_FRAME, WIDTH_ONE, HDF5_I64, NULL},
    [TABLE_PROBE_CHECKSUM] = {"frames/probe_checksum", ROW_FRAME, WIDTH_TIME_AND_PROBES, HDF5_U64, NULL},
    [TABLE_CHECKSUM] = {"frames/checksum", ROW_FRAME, WIDTH_ONE, HDF5_U64, NULL},
    [TABLE_X] = {"nodes/x", ROW_NODE, WIDTH_VECTOR, HDF5_F64, "m"},
    [TABLE_V] = {"nodes/v", ROW_NODE, WIDTH_VECTOR, HDF5_F32, "m/s"},
    [TABLE_MOMENT] = {"nodes/moment", ROW_NODE, WIDTH_VECTOR, HDF5_F32, "N m"},
    [TABLE_M1] = {"edges/m1", ROW_EDGE, WIDTH_VECTOR, HDF5_F32, NULL},
    [TABLE_RADIUS] = {"edges/radius", ROW_EDGE, WIDTH_ONE, HDF5_F32, "m"},
    [TABLE_TENSION] = {"edges/tension", ROW_EDGE, WIDTH_ONE, HDF5_F32, "N"},
    [TABLE_SNAPSHOT_INDEX] = {"snapshots/index", ROW_SNAPSHOT, WIDTH_SNAPSHOT, HDF5_I64, NULL},
    [TABLE_SNAPSHOT_CHECKSUM] = {"snapshots/checksum", ROW_SNAPSHOT, WIDTH_ONE, HDF5_U64, NULL},
    [TABLE_SNAPSHOT_BYTES] = {"snapshots/bytes", ROW_BYTE, WIDTH_ONE, HDF5_U8, NULL},
};
