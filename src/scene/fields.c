#include "scene/fields.h"

#include "base/assert.h"
#include "scene/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- notes

static int path_write(const Path* path, char* out, size_t size)
{
    if (!path) {
        return 0;
    }
    int used = path_write(path->up, out, size); // no deeper than the JSON reader lets a text be
    size_t left = (size_t)used < size ? size - (size_t)used : 0;
    char* at = left > 0 ? out + used : NULL;
    if (path->key) {
        return used + snprintf(at, left, "%s%s", path->up ? "." : "", path->key);
    }
    return used + snprintf(at, left, "[%d]", path->index);
}

const char* reader_path(Reader* r)
{
    if (!r->path) {
        return "the scene";
    }
    int size = path_write(r->path, NULL, 0);
    char* text = pool_take(r->pool, (size_t)size + 1, 1);
    if (!text) {
        return "";
    }
    path_write(r->path, text, (size_t)size + 1);
    return text;
}

void reader_enter(Reader* r, Path* path, const char* key)
{
    *path = (Path){r->path, key, 0};
    r->path = path;
}

void reader_leave(Reader* r, const Path* path)
{
    r->path = path->up;
}

void reader_vnote(Reader* r, const JsonValue* at, bool is_error, const char* format, va_list arguments)
{
    // A text with a million errors must not cost a million sentences.
    bool room = notes_room(r->notes, is_error);
    const char* text = room ? pool_vformat(r->pool, format, arguments) : "";
    notes_add(r->notes, is_error, at->source, at->offset, "%s %s", room ? reader_path(r) : "",
              text ? text : "");
}

void reader_error(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader_vnote(r, at, true, format, arguments);
    va_end(arguments);
}

void reader_warning(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader_vnote(r, at, false, format, arguments);
    va_end(arguments);
}

// A number as it was written: no rounding, no locale.
static const char* describe_number(Reader* r, const JsonValue* value)
{
    const NoteText* from = &r->notes->texts[value->source];
    size_t length = 0;
    while (value->offset + length < from->size && length < 30 &&
           memchr("+-.0123456789eE", from->text[value->offset + length], 15)) {
        length++;
    }
    const char* text = pool_text(r->pool, from->text + value->offset, length);
    return text ? text : "";
}

const char* reader_describe(Reader* r, const JsonValue* value)
{
    if (!notes_room(r->notes, true)) {
        return "";
    }
    const char* text = NULL;
    switch ((JsonKind)value->kind) {
    case JSON_NULL: return "null";
    case JSON_BOOL: return value->truth ? "true" : "false";
    case JSON_NUMBER: return describe_number(r, value);
    case JSON_STRING: text = pool_format(r->pool, "%s", utf8_quote(value->string).text); break;
    case JSON_ARRAY: text = pool_format(r->pool, "a list of %u", value->count); break;
    case JSON_OBJECT: return "an object";
    }
    return text ? text : "";
}

const char* reader_names(Reader* r, const char* quote, NameAt name, const void* context, int count)
{
    const char* list = "";
    int left = 0;
    if (!notes_room(r->notes, true)) {
        return list;
    }
    for (int i = 0; i < count; i++) {
        left += name(context, i) != NULL;
    }
    for (int i = 0; i < count && list; i++) {
        const char* next = name(context, i);
        if (next) {
            left--;
            const char* after = left > 1 ? ", " : left == 1 ? " or " : "";
            list = pool_format(r->pool, "%s%s%s%s%s", list, quote, next, quote, after);
        }
    }
    return list ? list : "";
}

NameHint reader_hint(Reader* r, const char* word, NameAt name, const void* context, int count)
{
    return notes_room(r->notes, true) ? name_hint(word, name, context, count) : (NameHint){""};
}

// ---- plain values

static bool check_range(Reader* r, const JsonValue* value, const Quantity* q, double number)
{
    if (number < q->low || (q->low_open && number == q->low)) {
        reader_error(r, value, "is %s; %s and must %s", reader_describe(r, value), q->what, q->must);
        return false;
    }
    if (number > q->high && !q->high_text) {
        reader_error(r, value, "is %s; %s and must %s", reader_describe(r, value), q->what, q->must);
        return false;
    }
    if (number > q->high) {
        reader_error(r, value, "is %s; %s and must be at most %s", reader_describe(r, value), q->what,
                     q->high_text);
        return false;
    }
    return true;
}

bool read_number(Reader* r, const JsonValue* value, const Quantity* q, double* target)
{
    if (value->kind != JSON_NUMBER) {
        reader_error(r, value, "is %s; %s and must be a number", reader_describe(r, value), q->what);
        return false;
    }
    if (!check_range(r, value, q, value->number)) {
        return false;
    }
    *target = value->number;
    return true;
}

bool read_pair(Reader* r, const JsonValue* list, const Quantity* q, double* first, double* second)
{
    double* const targets[2] = {first, second};
    const JsonValue* entry = list->first;
    bool good = true;
    for (int i = 0; i < 2; i++, entry = entry->next) {
        Path path = {r->path, NULL, i};
        r->path = &path;
        good = read_number(r, entry, q, targets[i]) && good;
        r->path = path.up;
    }
    return good;
}

bool read_either(Reader* r, const JsonValue* value, const Quantity* q, const char* names, double target[2])
{
    if (value->kind == JSON_ARRAY && value->count == 2) {
        return read_pair(r, value, q, &target[0], &target[1]);
    }
    if (value->kind == JSON_ARRAY) {
        reader_error(r, value, "is %s; %s and must be a number, or two as %s", reader_describe(r, value),
                     q->what, names);
        return false;
    }
    if (!read_number(r, value, q, &target[0])) {
        return false;
    }
    target[1] = target[0];
    return true;
}

bool read_taper(Reader* r, const JsonValue* value, const Quantity* q, Taper* target)
{
    double ends[2] = {target->from, target->to};
    target->varies = value->kind == JSON_ARRAY;
    bool good = read_either(r, value, q, "[at the start, at the end]", ends);
    target->from = ends[0], target->to = ends[1];
    return good;
}

bool read_count(Reader* r, const JsonValue* value, const Quantity* q, int* target)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        reader_error(r, value, "is %s; %s and must be a whole number", reader_describe(r, value), q->what);
        return false;
    }
    if (!check_range(r, value, q, value->number)) {
        return false;
    }
    *target = (int)value->number;
    return true;
}

bool read_vector(Reader* r, const JsonValue* value, const Quantity* q, CordVec3* target)
{
    if (value->kind != JSON_ARRAY || value->count != 3) {
        reader_error(r, value, "is %s; %s and must be three numbers, such as [0, 0, 1]",
                     reader_describe(r, value), q->what);
        return false;
    }
    double parts[3];
    const JsonValue* entry = value->first;
    for (int i = 0; i < 3; i++, entry = entry->next) {
        Path path = {r->path, NULL, i};
        r->path = &path;
        bool good = read_number(r, entry, q, &parts[i]);
        r->path = path.up;
        if (!good) {
            return false;
        }
    }
    if (q->nonzero && parts[0] == 0.0 && parts[1] == 0.0 && parts[2] == 0.0) {
        reader_error(r, value, "is zero; %s and must not be zero", q->what);
        return false;
    }
    *target = (CordVec3){parts[0], parts[1], parts[2]};
    return true;
}

bool read_bool(Reader* r, const JsonValue* value, const char* what, bool* target)
{
    if (value->kind != JSON_BOOL) {
        reader_error(r, value, "is %s; %s and must be true or false", reader_describe(r, value), what);
        return false;
    }
    *target = value->truth;
    return true;
}

bool read_string(Reader* r, const JsonValue* value, const char* what, const char** target)
{
    if (value->kind != JSON_STRING) {
        reader_error(r, value, "is %s; %s and must be text in double quotes", reader_describe(r, value),
                     what);
        return false;
    }
    *target = value->string;
    return true;
}

// ---- words

const char* word_at(const Words* words, int i)
{
    if (words->name) {
        return words->name(i);
    }
    return i < words->count ? words->list[i].name : NULL;
}

static const char* word_name_at(const void* context, int i)
{
    return word_at(context, i);
}

bool read_word(Reader* r, const JsonValue* value, const Words* words, int* target)
{
    int count = 0;
    for (const char* name = word_at(words, 0); name; name = word_at(words, ++count)) {
        if (value->kind == JSON_STRING && strcmp(name, value->string) == 0) {
            *target = words->name ? count : words->list[count].value;
            return true;
        }
    }
    NameHint hint = {""};
    if (value->kind == JSON_STRING) {
        hint = reader_hint(r, value->string, word_name_at, words, count);
    }
    reader_error(r, value, "is %s; %s is %s%s", reader_describe(r, value), words->what,
                 reader_names(r, "\"", word_name_at, words, count), hint.text);
    return false;
}

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
                     .quantity = quantity,
                     .what = from->about};
    return !pool->failed;
}

// ---- objects

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

static void read_field(Reader* r, const JsonValue* key, const Field* field, void* target)
{
    void* at = (char*)target + field->offset;
    const JsonValue* value = key->next;
    if (field->keep) {
        *(const JsonValue**)at = value;
    } else if (field->read) {
        r->field = field;
        field->read(r, value, at);
    } else {
        value_types[field->kind].read(r, value, field, at);
    }
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

// The field that a key which is none of the table's was meant to be; NULL: nothing is near.
static const Field* guess_field(Reader* r, const JsonValue* key, const Table* table)
{
    const char* name =
        notes_room(r->notes, true) ? name_nearest(key->string, field_at, table, table->count) : NULL;
    return name ? find_field(table, name) : NULL;
}

static void read_member(Reader* r, const JsonValue* key, const Table* table, void* target, uint64_t* meant)
{
    const Field* field = find_field(table, key->string);
    Path path = {r->path, field ? field->name : key->string, 0};
    if (!field && key->count > 40) {
        path.key = pool_format(r->pool, "%s", utf8_quote(key->string).text);
    }
    r->path = &path;
    if (field) {
        read_field(r, key, field, target);
    } else {
        const Field* guess = guess_field(r, key, table);
        if (guess) {
            reader_error(r, key, "is not a key of %s; did you mean \"%s\"?", table->noun, guess->name);
            *meant |= (uint64_t)1 << (guess - table->fields);
        } else {
            reader_error(r, key, "is not a key of %s; the keys are %s", table->noun,
                         reader_names(r, "", field_at, table, table->count));
        }
    }
    r->path = path.up;
}

// Keys that must be there, and those of which exactly one must be. One that was meant, and misspelt, has been
// told of.
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
    bool misspelt = given == 0 && !all_read; // and said so
    if (variants > 0 && given != 1 && !misspelt) {
        reader_error(r, object, "has %s; give one: %s",
                     given == 0 ? "none of its keys" : "more than one of its keys",
                     reader_names(r, "", variant_at, table, table->count));
    }
}

static const Table* table_made(Reader* r, const Table* table)
{
    for (int i = 0; i < TABLES_MADE; i++) {
        if (!r->tables[i].of) {
            r->tables[i].of = table;
            r->tables[i].made = table->make(r->pool);
        }
        if (r->tables[i].of == table) {
            return r->tables[i].made;
        }
    }
    return table->make(r->pool);
}

bool read_table(Reader* r, const JsonValue* value, const Table* table, void* target)
{
    table = table->make ? table_made(r, table) : table;
    if (!table) {
        return false;
    }
    CORD_ASSERT(table->count <= 64); // a bit of `meant` for each
    int errors = r->notes->error_count;
    if (value->kind != JSON_OBJECT) {
        reader_error(r, value, "is %s; %s is written as an object, in { }", reader_describe(r, value),
                     table->noun);
        return false;
    }
    uint64_t meant = 0; // by misspelt keys: a bit for each field
    for (const JsonValue* key = value->first; key; key = key->next->next) {
        read_member(r, key, table, target, &meant);
    }
    check_members(r, value, table, meant, r->notes->error_count == errors);
    return r->notes->error_count == errors;
}

// ---- lists

bool read_list(Reader* r, const JsonValue* value, const char* what,
               void (*read)(Reader* r, const JsonValue* entry, int index, void* user), void* user)
{
    int errors = r->notes->error_count;
    if (value->kind != JSON_ARRAY) {
        reader_error(r, value, "is %s; %s, in [ ]", reader_describe(r, value), what);
        return false;
    }
    int index = 0;
    for (const JsonValue* entry = value->first; entry; entry = entry->next, index++) {
        Path path = {r->path, NULL, index};
        r->path = &path;
        read(r, entry, index, user);
        r->path = path.up;
    }
    return r->notes->error_count == errors;
}

bool read_at(Reader* r, const char* key, const JsonValue* value,
             void (*read)(Reader* r, const JsonValue* value, void* target), void* target)
{
    int errors = r->notes->error_count;
    Path path;
    reader_enter(r, &path, key);
    read(r, value, target);
    reader_leave(r, &path);
    return r->notes->error_count == errors;
}
