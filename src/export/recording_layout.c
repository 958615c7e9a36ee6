#include "export/recording_layout.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define POINT(type, name, unit, member)                                                                      \
    "branch/" name, HDF5_##type, 1, unit, "", .csv = name, .row = ROW_FRAME,                                 \
                                              .offset = offsetof(CordBranchPoint, member)

const Column layout_branch[LAYOUT_BRANCH] = {
    {POINT(F64, "arc", NULL, arc)},
    {POINT(I64, "event", NULL, event), .memory = MEMORY_INT, .labels = "point fold bifurcation jump"},
    {POINT(F64, "event_time", "s", event_time)},
    {POINT(I64, "unstable", NULL, solve.unstable), .memory = MEMORY_INT},
    {POINT(F64, "least_eigenvalue", "1/s^2", least_eigenvalue)},
    {POINT(F64, "energy", "J", solve.energy)},
    {POINT(F64, "residual", "N", solve.residual)},
    {POINT(F64, "residual_relative", NULL, solve.residual_relative)},
    {POINT(I64, "converged", NULL, solve.converged), .memory = MEMORY_BOOL},
    {POINT(I64, "iterations", NULL, solve.iterations), .memory = MEMORY_INT},
    {POINT(I64, "saddles_left", NULL, solve.saddles_left), .memory = MEMORY_INT},
};
_Static_assert(sizeof(CordBranchEvent) == sizeof(int), "events are read as int");

static LayoutDef column_def(const LayoutShape* shape, const Column* column)
{
    int elements = column->row == ROW_ROD        ? shape->frame.rod_count
                   : column->row == ROW_BODY     ? shape->frame.body_count
                   : column->row == ROW_OBSTACLE ? shape->frame.obstacle_count
                   : column->row == ROW_LEDGER   ? shape->frame.ledger_count
                                                 : 0;
    int width = column->width > 1 ? column->width : 0;
    return (LayoutDef){.name = column->name,
                       .per = column->row == ROW_NODE      ? PER_NODE
                              : column->row == ROW_EDGE    ? PER_EDGE
                              : column->row == ROW_CONTACT ? PER_CONTACT
                                                           : PER_FRAME,
                       .type = column->type,
                       .row = {elements > 0 ? elements : width, elements > 0 ? width : 0},
                       .unit = column->unit,
                       .labels = column->labels};
}

bool layout_def(const LayoutShape* shape, int table, LayoutDef* def)
{
    static const LayoutDef others[TABLE_COUNT] = {
        [TABLE_NODE_OFFSET] = {.name = "frames/node_offset", .per = PER_FRAME, .type = HDF5_I64},
        [TABLE_EDGE_OFFSET] = {.name = "frames/edge_offset", .per = PER_FRAME, .type = HDF5_I64},
        [TABLE_CONTACT_OFFSET] = {.name = "frames/contact_offset",
                                  .per = PER_FRAME,
                                  .type = HDF5_I64,
                                  .row = {2}},
        [TABLE_PROBE_ROWS] = {.name = "frames/probe_rows", .per = PER_FRAME, .type = HDF5_I64},
        [TABLE_PROBE_CHECKSUM] = {.name = "frames/probe_checksum", .per = PER_FRAME, .type = HDF5_U64},
        [TABLE_CHECKSUM] = {.name = "frames/checksum", .per = PER_FRAME, .type = HDF5_U64},
        [TABLE_BRANCH_CHECKSUM] = {.name = "branch/checksum", .per = PER_FRAME, .type = HDF5_U64},
        [TABLE_SNAPSHOT_INDEX] = {.name = "snapshots/index",
                                  .per = PER_SNAPSHOT,
                                  .type = HDF5_I64,
                                  .row = {SNAPSHOT_WIDTH},
                                  .labels = "frames probe_rows first_byte ledger_byte end_byte"},
        [TABLE_SNAPSHOT_CHECKSUM] = {.name = "snapshots/checksum", .per = PER_SNAPSHOT, .type = HDF5_U64},
        [TABLE_SNAPSHOT_BYTES] = {.name = "snapshots/bytes", .per = PER_STATE_BYTE, .type = HDF5_U8},
        [TABLE_FAILURE_TEXT] = {.name = "failure/text", .per = PER_FAILURE_BYTE, .type = HDF5_U8},
        [TABLE_FAILURE_CHECKSUM] = {.name = "failure/checksum", .per = PER_FAILURE, .type = HDF5_U64},
    };
    if (table < COLUMN_MOST) {
        bool there = table < column_count && column_has(&columns[table], &shape->frame);
        *def = there ? column_def(shape, &columns[table]) : (LayoutDef){0};
        return there;
    }
    *def =
        table < TABLE_NODE_OFFSET ? column_def(shape, &layout_branch[table - TABLE_BRANCH]) : others[table];
    switch (table) {
    case TABLE_NODE_OFFSET:
    case TABLE_EDGE_OFFSET:
        def->row[0] = shape->frame.rod_count + 1;
        return true; // one more than rods: where the last one ends
    case TABLE_PROBE_CHECKSUM: def->row[0] = 1 + shape->probe_count; return shape->probe_count > 0;
    case TABLE_BRANCH_CHECKSUM: return shape->branch;
    default: return table >= TABLE_NODE_OFFSET || shape->branch;
    }
}

const char* layout_kind(bool branch)
{
    return branch ? "branch" : "run";
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

// Both operations are invertible, so two different values of one number never give the same checksum. The
// shift mixes high bits into low ones.
static uint64_t check_one(uint64_t check, uint64_t bits)
{
    check = (check ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return check ^ (check >> 32);
}

// Eight bytes at a time, the first byte lowest. The last eight are padded with zeros.
static uint64_t check_bytes(uint64_t check, const uint8_t* values, size_t count)
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
    return check_one(check_bytes(check, (const uint8_t*)text, size), size);
}

uint64_t layout_check_rows(uint64_t check, Hdf5Type type, const void* values, size_t count)
{
    size_t size = hdf5_type_size(type);
    if (size == 1) {
        return check_bytes(check, values, count);
    }
    for (size_t i = 0; i < count; i++) {
        const char* value = (const char*)values + i * size;
        uint64_t whole;
        uint32_t half;
        if (size == sizeof whole) {
            memcpy(&whole, value, sizeof whole);
        } else {
            memcpy(&half, value, sizeof half);
            whole = half;
        }
        check = check_one(check, whole);
    }
    return check;
}
