// The keys of solids, from the library's table of kinds: sizes, and the placing of obstacles.
#include "base/real.h"
#include "scene/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Field placing_fields[] = {
    {FIELD("center", VECTOR, SolidKeys, center), .about = "Centre.", .quantity = &quantity_position},
    {FIELD("rotate", OBJECT, SolidKeys, rotate), .about = "Rotation about its centre.",
     .otherwise = "not turned", .table = &table_turn},
    {FIELD("axis", VECTOR, SolidKeys, axis), .about = "Direction of its axis.",
     .quantity = &quantity_direction},
    {FIELD("from", VECTOR, SolidKeys, from), .about = "Point where its axis begins.",
     .needed = "where its axis begins, in metres", .quantity = &quantity_position},
    {FIELD("to", VECTOR, SolidKeys, to), .about = "Point where its axis ends.",
     .needed = "where its axis ends, in metres", .quantity = &quantity_position},
};

// The placing fields that each kind of placing has, a bit for each.
static const unsigned placings[] = {
    [CORD_PLACING_CENTER] = 1, [CORD_PLACING_TURN] = 3,  [CORD_PLACING_AXIS] = 5,
    [CORD_PLACING_SPAN] = 24,  [CORD_PLACING_PLANE] = 0, [CORD_PLACING_FILE] = 0};

enum { PLACING_COUNT = sizeof placing_fields / sizeof *placing_fields };

static const SolidKeys solid_defaults = {.axis = {0, 0, 1}, .rotate = {.by = ANGLE_NONE}};

static const Table* kind_table(Pool* pool, const CordSolidKind* kind, bool obstacle)
{
    Table* table = pool_array(pool, Table, 1);
    Field* fields = pool_array(pool, Field, PLACING_COUNT + kind->size_count);
    int count = 0;
    if (!table || !fields) {
        return NULL;
    }
    for (int i = 0; obstacle && i < PLACING_COUNT; i++) {
        if (placings[kind->placing] >> i & 1) {
            fields[count++] = placing_fields[i];
        }
    }
    for (int i = 0; i < kind->size_count; i++) {
        bool spanned =
            obstacle && kind->placing == CORD_PLACING_SPAN && kind->sizes[i].offset == offsetof(CordVec3, z);
        if (!spanned && !field_from(pool, &kind->sizes[i], offsetof(SolidKeys, size), &fields[count++])) {
            return NULL;
        }
    }
    *table = (Table){.name = pool_format(pool, "%s%s", obstacle ? "obstacle_" : "", kind->name),
                     .noun = pool_format(pool, "a %s", kind->name),
                     .about = kind->about,
                     .fields = fields,
                     .count = count,
                     .size = sizeof(SolidKeys),
                     .defaults = &solid_defaults};
    return pool->failed ? NULL : table;
}

const Table* solid_fields(Pool* pool, const Table* base, bool obstacle, ValueReader* read, size_t offset)
{
    Table* table = pool_array(pool, Table, 1);
    Field* fields = pool_array(pool, Field, base->count + CORD_SOLID_COUNT);
    if (!table || !fields) {
        return NULL;
    }
    *table = *base;
    table->expand = NULL;
    table->fields = fields;
    for (int i = 0; i < base->count; i++) {
        fields[i] = base->fields[i];
    }
    for (int shape = 0; shape < CORD_SOLID_COUNT; shape++) {
        const CordSolidKind* kind = cord_solid_kind(shape);
        const Table* keys = kind->placing == CORD_PLACING_PLANE  ? &table_plane
                            : kind->placing == CORD_PLACING_FILE ? &table_mesh
                                                                 : kind_table(pool, kind, obstacle);
        if (obstacle || kind->can_be_body) {
            fields[table->count++] = (Field){WHOLE(kind->name, OBJECT),
                                             .offset = offset,
                                             .variant = true,
                                             .table = keys,
                                             .read = read,
                                             .tag = shape};
        }
    }
    return pool->failed ? NULL : table;
}

bool read_solid_keys(Reader* r, const JsonValue* value, SolidKeys* keys)
{
    *keys = solid_defaults;
    return read_table(r, value, r->field->table, keys);
}

bool solid_check(Reader* r, const JsonValue* value, const CordSolid* solid)
{
    char wrong[400];
    bool good = cord_solid_check(solid, wrong, sizeof wrong) == CORD_OK;
    if (!good) {
        reader_error(r, value, "is no %s: %s", cord_solid_kind((int)solid->shape)->name, wrong);
    }
    return good;
}
