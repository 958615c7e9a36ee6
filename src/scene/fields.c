#include "scene/fields.h"

#include "base/assert.h"

#include <string.h>

// ---- fields that the library describes

static const char* least_in_words(Pool* pool, const CordField* from)
{
    if (from->low == 0.0) {
        return from->low_open ? "be positive" : "not be negative";
    }
    return pool_format(pool, from->low_open ? "be above %g" : "be at least %g", from->low);
}

// What a value of a unit is, as a person would say it.
static const char* unit_in_words(Pool* pool, const CordField* from)
{
    static const struct {
        const char *unit, *one, *three;
    } units[] = {
        {"", "a number", "three numbers"},
        {"m", "a length in metres", "three lengths in metres"},
        {"s", "a time in seconds", "three times in seconds"},
        {"N", "a force in newtons", "a force in newtons"},
        {"N m", "a torque in newton metres", "a torque in newton metres"},
        {"m/s", "a speed in metres per second", "a velocity in metres per second"},
        {"N/m", "a stiffness in newtons per metre", "three stiffnesses in newtons per metre"},
        {"N s/m", "a damping in newton seconds per metre", "three dampings in newton seconds per metre"},
        {"N s/m^2", "a drag in newton seconds per square metre",
         "three drags in newton seconds per square metre"},
    };
    bool vector = from->type == CORD_FIELD_VECTOR;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(from->unit, units[i].unit) == 0) {
            return vector ? units[i].three : units[i].one;
        }
    }
    return pool_format(pool, "%s in %s", vector ? "three numbers" : "a number", from->unit);
}

bool field_from(Pool* pool, const CordField* from, size_t base, Field* field)
{
    static const FieldKind kinds[] = {[CORD_FIELD_NUMBER] = FIELD_NUMBER,
                                      [CORD_FIELD_VECTOR] = FIELD_VECTOR,
                                      [CORD_FIELD_FLAG] = FIELD_BOOL,
                                      [CORD_FIELD_COUNT] = FIELD_COUNT};
    const char* what = unit_in_words(pool, from);
    Quantity* quantity = pool_array(pool, Quantity, 1);
    if (!quantity) {
        return false;
    }
    *quantity = (Quantity){.what = pool_format(pool, "it is %s", what),
                           .unit = from->unit,
                           .must = least_in_words(pool, from),
                           .low = from->low,
                           .high = from->high,
                           .low_open = from->low_open,
                           .high_text = pool_format(pool, "%g", from->high)};
    *field = (Field){.name = from->key,
                     .kind = kinds[from->type],
                     .offset = base + from->offset,
                     .about = from->about,
                     .otherwise = from->otherwise,
                     .needed = from->needed ? what : NULL,
                     .quantity = quantity};
    return !pool->failed;
}

// ---- members of an object

static const char* field_at(const void* context, int i)
{
    const Table* table = context;
    return table->fields[i].name;
}

static const char* variant_at(const void* context, int i)
{
    const Table* table = context;
    return table->fields[i].variant ? field_at(context, i) : NULL;
}

static const Field* find_field(const Table* table, const char* key)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->fields[i].name, key) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

static void read_value(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    const Field* outer = r->field;
    r->field = field;
    (field->read ? field->read : value_types[field->kind].read)(r, value, target);
    r->field = outer;
}

bool read_later(Reader* r, const JsonValue* object, const Table* table, const char* key, void* target)
{
    int errors = r->notes->error_count;
    const JsonValue* value = json_member(object, key);
    if (value) {
        read_value(r, value, find_field(table, key), target);
    }
    return r->notes->error_count == errors;
}

bool key_is_misspelt(const JsonValue* object, const Table* table, const char* key)
{
    for (const JsonValue* k = object->first; k; k = k->next->next) {
        const char* near =
            find_field(table, k->string) ? NULL : name_nearest(k->string, field_at, table, table->count);
        if (near && strcmp(near, key) == 0) {
            return true;
        }
    }
    return false;
}

// The first object within the table's that has such a key, as a rod's material has friction; NULL: none has.
static const Field* find_owner(const Table* table, const char* key)
{
    for (int i = 0; i < table->count; i++) {
        const Field* field = &table->fields[i];
        bool is_object = field->kind == FIELD_OBJECT || field->kind == FIELD_STRING_OR_OBJECT ||
                         field->kind == FIELD_BOOL_OR_OBJECT || field->kind == FIELD_FALSE_OR_OBJECT;
        if (is_object && field->table && find_field(field->table, key)) {
            return field;
        }
    }
    return NULL;
}

// Returns the field that the key was probably meant to be; NULL: none is near.
static const Field* refuse_key(Reader* r, const JsonValue* key, const Table* table)
{
    bool room = notes_room(r->notes, true);
    const Field* owner = find_owner(table, key->string);
    const char* near = room && !owner ? name_nearest(key->string, field_at, table, table->count) : NULL;
    if (owner) {
        reader_error(r, key, "is not a key of %s but of its \"%s\"; write it there", table->noun,
                     owner->name);
    } else if (near) {
        reader_error(r, key, "is not a key of %s; did you mean \"%s\"?", table->noun, near);
    } else {
        reader_error(r, key, "is not a key of %s; the keys are %s", table->noun,
                     reader_names(r, "", field_at, table, table->count));
    }
    return near ? find_field(table, near) : NULL;
}

// Reads all members. Returns the fields that misspelt keys were meant to be: a bit for each.
static uint64_t read_members(Reader* r, const JsonValue* object, const Table* table, void* keys)
{
    uint64_t meant = 0;
    for (const JsonValue* key = object->first; key; key = key->next->next) {
        const Field* field = find_field(table, key->string);
        if (!field) {
            const Field* guess = refuse_key(r, key, table);
            meant |= guess ? (uint64_t)1 << (guess - table->fields) : 0;
        } else if (!field->later) {
            read_value(r, key->next, field, (char*)keys + field->offset);
        }
    }
    return meant;
}

// Keys that must be given, and those of which exactly one must be. A misspelt key has its note already.
static void check_members(Reader* r, const JsonValue* object, const Table* table, uint64_t meant,
                          bool all_read)
{
    int variants = 0, given = 0;
    for (int i = 0; i < table->count; i++) {
        const Field* field = &table->fields[i];
        bool there = json_member(object, field->name) != NULL;
        variants += field->variant;
        given += field->variant && there;
        if (field->needed && !there && !(meant >> i & 1)) {
            reader_error(r, object, "has no %s; write %s", field->name, field->needed);
        }
    }
    bool misspelt = given == 0 && !all_read;
    if (variants > 0 && given != 1 && !misspelt) {
        reader_error(r, object, "has %s; give one: %s",
                     given == 0 ? "none of its keys" : "more than one of its keys",
                     reader_names(r, "", variant_at, table, table->count));
    }
}

// ---- objects

static const Table* table_expanded(Reader* r, const Table* table)
{
    for (int i = 0; i < EXPANDED_TABLES; i++) {
        if (!r->tables[i].of) {
            r->tables[i].of = table;
            r->tables[i].expanded = table->expand(r->pool);
        }
        if (r->tables[i].of == table) {
            return r->tables[i].expanded;
        }
    }
    return table->expand(r->pool);
}

bool table_start(const Table* table, void* keys)
{
    if (table->start) {
        table->start(keys);
    } else if (table->defaults) {
        memcpy(keys, table->defaults, table->size);
    }
    return table->start || table->defaults;
}

static bool read_keys(Reader* r, const JsonValue* value, const Table* table, void* keys)
{
    int errors = r->notes->error_count;
    uint64_t meant = read_members(r, value, table, keys);
    check_members(r, value, table, meant, r->notes->error_count == errors);
    return r->notes->error_count == errors;
}

bool read_table(Reader* r, const JsonValue* value, const Table* table, void* target)
{
    _Alignas(max_align_t) char keys[TABLE_MOST_SIZE];
    int errors = r->notes->error_count;
    table = table->expand ? table_expanded(r, table) : table;
    if (!table) {
        return false;
    }
    CORD_ASSERT(table->count <= 64 && table->size <= sizeof keys); // a bit for each field in read_members
    if (value->kind != JSON_OBJECT) {
        return value_error(r, value, "%s is written as an object, in { }", table->noun);
    }
    if (table->convert) {
        memset(keys, 0, table->size);
        table_start(table, keys);
        if (read_keys(r, value, table, keys)) {
            table->convert(r, value, keys, target);
        }
    } else if (read_keys(r, value, table, target) && table->check) {
        table->check(r, value, target);
    }
    return r->notes->error_count == errors;
}

// ---- lists

bool check_list(Reader* r, const JsonValue* value, unsigned least, unsigned most, const char* what)
{
    bool fits = value->kind == JSON_ARRAY && least <= value->count && value->count <= most;
    return fits || value_error(r, value, "%s", what);
}

bool read_list(Reader* r, const JsonValue* value, EntryReader* read, void* entries)
{
    const Field* field = r->field;
    const char *example = field->example ? field->example : "", *such_as = field->example ? ", such as " : "";
    int errors = r->notes->error_count, index = 0;
    if (value->kind != JSON_ARRAY) {
        value_error(r, value, "it must be a list%s%s", field->example ? such_as : ", in [ ]", example);
    } else if (value->count < (unsigned)field->least) {
        reader_error(r, value, "is %s; it needs at least %d %s%s%s",
                     value->count == 0 ? "an empty list" : reader_describe(r, value), field->least,
                     field->least == 1 ? "entry" : "entries", such_as, example);
    } else if (field->most > 0 && value->count > (unsigned)field->most) {
        reader_error(r, value, "is a list of %u; it may have at most %d entries", value->count, field->most);
    }
    if (r->notes->error_count > errors) {
        return false;
    }
    for (const JsonValue* entry = value->first; entry; entry = entry->next, index++) {
        read(r, entry, index, entries);
    }
    return r->notes->error_count == errors;
}

bool read_entries(Reader* r, const JsonValue* value, EntryReader* read, size_t size, List* list)
{
    int most = r->field->most;
    *list = (List){NULL, 0};
    if (value->kind == JSON_ARRAY && (most == 0 || value->count <= (unsigned)most)) {
        list->entries = pool_take(r->pool, size * value->count, _Alignof(max_align_t));
        if (!list->entries) {
            return false;
        }
        list->count = (int)value->count;
    }
    return read_list(r, value, read, list->entries);
}
