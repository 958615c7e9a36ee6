// The JSON Schema of scene files, from the tables of their keys.
#include "scene/scene.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TABLES 200

// ---- writing

typedef struct Out { // like snprintf, it counts what does not fit
    char* text;      // (room)
    size_t room, size;
} Out;

static void put_char(Out* out, char c)
{
    if (out->size + 1 < out->room) {
        out->text[out->size] = c;
    }
    out->size++;
}

static void put(Out* out, const char* text) // writes " for '
{
    for (; *text; text++) {
        put_char(out, *text == '\'' ? '"' : *text);
    }
}

static void put_string(Out* out, const char* text) // leaves out backquotes
{
    put_char(out, '"');
    for (; *text; text++) {
        put(out, *text == '"' || *text == '\\' ? "\\" : "");
        if (*text != '`') {
            put_char(out, *text);
        }
    }
    put_char(out, '"');
}

// Writes the fewest digits that give the same number.
static void put_number(Out* out, double number)
{
    char text[40];
    int digits = 1;
    do {
        snprintf(text, sizeof text, "%.*g", digits, number);
    } while (strtod(text, NULL) != number && digits++ < 17);
    if (fabs(number) < 1e15 && number == floor(number)) {
        snprintf(text, sizeof text, "%.0f", number);
    }
    for (char* at = text; *at; at++) {
        put_char(out, *at == ',' ? '.' : *at); // some locales have a decimal comma
    }
}

// ---- sentences

// The unit stands at the end of the first clause, before its full stop, colon or semicolon.
static size_t place_of_unit(const char* about)
{
    size_t at = 0;
    while (about[at] && !(strchr(".:;", about[at]) && (about[at + 1] == ' ' || about[at + 1] == '\0'))) {
        at++;
    }
    return at;
}

static void put_description(Out* out, const char* about, const char* unit, const char* otherwise)
{
    char text[1000];
    size_t at = unit && *unit ? place_of_unit(about) : 0;
    int size = at > 0 ? snprintf(text, sizeof text, "%.*s [%s]%s", (int)at, about, unit, about + at)
                      : snprintf(text, sizeof text, "%s", about);
    if (otherwise) {
        const char* before = strncmp(otherwise, "needed", 6) == 0 ? "It is" : "Default:";
        const char* after = otherwise[strlen(otherwise) - 1] == '.' ? "" : ".";
        size += snprintf(text + size, sizeof text - (size_t)size, " %s %s%s", before, otherwise, after);
    }
    CORD_ASSERT((size_t)size < sizeof text);
    put(out, "'description': ");
    put_string(out, text);
}

// ---- types

static void put_range(Out* out, const Quantity* q)
{
    put(out, q->low_open ? "'exclusiveMinimum': " : "'minimum': ");
    put_number(out, q->low);
    put(out, ", 'maximum': ");
    put_number(out, q->high);
}

static void put_bounds(Out* out, const char* name, int bound)
{
    if (bound > 0) {
        put(out, name);
        put_number(out, bound);
        put(out, ", ");
    }
}

static void put_words(Out* out, const Words* words)
{
    const char* name = word_at(words, 0);
    for (int i = 0; name; name = word_at(words, ++i)) {
        put(out, i > 0 ? ", " : "");
        put_string(out, name);
    }
}

static void put_powers(Out* out, const Quantity* q)
{
    for (double power = q->low; power <= q->high; power *= 2.0) {
        put(out, power > q->low ? ", " : "");
        put_number(out, power);
    }
}

static void put_type(Out* out, const Field* field)
{
    const char* form = value_types[field->kind].schema;
    for (; *form; form++) {
        if (*form != '%') {
            put_char(out, *form == '\'' ? '"' : *form);
            continue;
        }
        switch (*++form) {
        case 'r': put_range(out, field->quantity); break;
        case 'w': put_words(out, field->words); break;
        case 'p': put_powers(out, field->quantity); break;
        case 't': put(out, field->table->name); break;
        default: put_bounds(out, "'minItems': ", field->least); put_bounds(out, "'maxItems': ", field->most);
        }
    }
}

// ---- defaults

static bool in_range(const Quantity* q, double number)
{
    return isfinite(number) && (q->low_open ? number > q->low : number >= q->low) && number <= q->high;
}

static void put_default_number(Out* out, double number)
{
    put(out, ", 'default': ");
    put_number(out, number);
}

static void put_default_vector(Out* out, const CordVec3* v)
{
    const double parts[3] = {v->x, v->y, v->z};
    for (int i = 0; i < 3; i++) {
        put(out, i == 0 ? ", 'default': [" : ", ");
        put_number(out, parts[i]);
    }
    put_char(out, ']');
}

static void put_default_word(Out* out, const Words* words, const void* at)
{
    int value;
    if (words->is_flag) {
        value = *(const bool*)at;
    } else {
        memcpy(&value, at, sizeof value);
    }
    const char* name = word_at(words, 0);
    for (int i = 0; name; name = word_at(words, ++i)) {
        if ((words->name ? i : words->list[i].value) == value) {
            put(out, ", 'default': ");
            put_string(out, name);
        }
    }
}

// The default of a field, if a scene could write it.
static void put_default(Out* out, const Field* field, const void* at)
{
    const Quantity* q = field->quantity;
    const double* numbers = at;
    const CordVec3* v = at;
    switch (field->kind) {
    case FIELD_NUMBER:
    case FIELD_POWER:
    case FIELD_PAIR: // both numbers are the same
        if (in_range(q, *numbers)) {
            put_default_number(out, *numbers);
        }
        break;
    case FIELD_COUNT:
        if (in_range(q, *(const int*)at)) {
            put_default_number(out, *(const int*)at);
        }
        break;
    case FIELD_VECTOR:
        if (in_range(q, v->x) && in_range(q, v->y) && in_range(q, v->z) &&
            !(q->nonzero && v->x == 0.0 && v->y == 0.0 && v->z == 0.0)) {
            put_default_vector(out, v);
        }
        break;
    case FIELD_BOOL: put(out, *(const bool*)at ? ", 'default': true" : ", 'default': false"); break;
    case FIELD_WORD: put_default_word(out, field->words, at); break;
    default: break;
    }
}

// ---- objects

static void put_field(Out* out, const Field* field, const void* keys)
{
    put_string(out, field->name);
    put(out, ": {");
    put_description(out, field->about ? field->about : field->table->about,
                    field->quantity ? field->quantity->unit : NULL, field->otherwise);
    put(out, ", ");
    put_type(out, field);
    bool open = field->needed || field->variant || field->otherwise || field->read || field->later;
    if (keys && !open) {
        put_default(out, field, (const char*)keys + field->offset);
    }
    put(out, "}");
}

static bool is_needed(const Field* field)
{
    return field->needed != NULL;
}

static bool is_variant(const Field* field)
{
    return field->variant;
}

static bool is_either(const Field* field)
{
    return field->either;
}

// Writes a line with the keys that are marked, if there are any.
static void put_marked(Out* out, const Table* table, bool (*marked)(const Field*), const char* before,
                       const char* between, const char* after)
{
    bool any = false;
    for (int i = 0; i < table->count; i++) {
        if (marked(&table->fields[i])) {
            put(out, any ? between : before);
            put_string(out, table->fields[i].name);
            any = true;
        }
    }
    put(out, any ? after : "");
}

static void put_fields(Out* out, const Table* table)
{
    _Alignas(max_align_t) char keys[TABLE_MOST_SIZE] = {0};
    bool known = table_start(table, keys);
    for (int i = 0; i < table->count; i++) {
        put(out, i > 0 ? ",\n        " : "\n        ");
        put_field(out, &table->fields[i], known ? keys : NULL);
    }
}

static void put_table(Out* out, const Table* table)
{
    put_string(out, table->name);
    put(out, ": {\n      ");
    put_description(out, table->about, NULL, NULL);
    put(out, ",\n      'type': 'object',\n      'properties': {");
    put_fields(out, table);
    put(out, "\n      },\n      'additionalProperties': false");
    put_marked(out, table, is_needed, ",\n      'required': [", ", ", "]");
    put_marked(out, table, is_variant, ",\n      'oneOf': [{'required': [", "]}, {'required': [", "]}]");
    put_marked(out, table, is_either, ",\n      'anyOf': [{'required': [", "]}, {'required': [", "]}]");
    put(out, "\n    }");
}

// ---- all of them

static bool is_listed(const Table* const list[], int count, const Table* table)
{
    int i = 0;
    while (i < count && strcmp(list[i]->name, table->name) != 0) {
        i++;
    }
    return i < count;
}

int tables_from(Pool* pool, const Table* root, const Table* list[], int most)
{
    int count = 1;
    list[0] = root;
    for (int i = 0; i < count; i++) {
        list[i] = list[i]->expand ? list[i]->expand(pool) : list[i];
        if (!list[i]) {
            return 0;
        }
        for (int k = 0; k < list[i]->count; k++) {
            const Table* next = list[i]->fields[k].table;
            if (next && count < most && !is_listed(list, count, next)) {
                list[count++] = next;
            }
        }
    }
    return count;
}

size_t schema_write(const Table* root, char* text, size_t room)
{
    Out out = {text, room, 0};
    const Table* tables[MOST_TABLES];
    Pool pool;
    pool_init(&pool, (CordAllocator){0});
    int count = tables_from(&pool, root, tables, MOST_TABLES);
    put(&out, "{\n  '$schema': 'https://json-schema.org/draft/2020-12/schema',\n  'title': 'Cordage scene',\n"
              "  '$comment': 'Printed by the command: cordage schema',\n  '$ref': '#/$defs/");
    put(&out, root->name);
    put(&out, "',\n  '$defs': {\n");
    for (int i = 0; i < count; i++) {
        put(&out, i > 0 ? ",\n    " : "    ");
        put_table(&out, tables[i]);
    }
    put(&out, "\n  }\n}\n");
    if (room > 0) {
        text[out.size < room ? out.size : room - 1] = '\0';
    }
    pool_free(&pool);
    return count > 0 ? out.size : 0;
}

size_t cord_scene_schema(char* text, size_t room)
{
    return schema_write(&table_scene, text, room);
}
