// The kinds of values that keys of a scene have: how each is written in JSON Schema, and how it is read.
#include "scene/values.h"

#include <math.h>
#include <string.h>

// ---- numbers

static bool check_range(Reader* r, const JsonValue* value, const Quantity* q, double number)
{
    bool too_low = number < q->low || (q->low_open && number == q->low), too_high = number > q->high;
    if (too_high && q->high_text) {
        value_error(r, value, "%s and must be at most %s", q->what, q->high_text);
    } else if (too_low || too_high) {
        value_error(r, value, "%s and must %s", q->what, q->must);
    }
    return !too_low && !too_high;
}

bool read_number(Reader* r, const JsonValue* value, const Quantity* q, double* target)
{
    if (value->kind != JSON_NUMBER) {
        return value_error(r, value, "%s and must be a number", q->what);
    }
    if (!check_range(r, value, q, value->number)) {
        return false;
    }
    *target = value->number;
    return true;
}

bool read_numbers(Reader* r, const JsonValue* list, const Quantity* q, int count, double* target)
{
    const JsonValue* entry = list->first;
    bool good = true;
    for (int i = 0; i < count; i++, entry = entry->next) {
        good = read_number(r, entry, q, &target[i]) && good;
    }
    return good;
}

// Reads one number for both, or two. `names` says what the two are.
static bool read_either(Reader* r, const JsonValue* value, const Quantity* q, const char* names,
                        double target[2])
{
    if (value->kind == JSON_ARRAY && value->count == 2) {
        return read_numbers(r, value, q, 2, target);
    }
    if (value->kind == JSON_ARRAY) {
        return value_error(r, value, "%s and must be a number, or two as %s", q->what, names);
    }
    if (!read_number(r, value, q, &target[0])) {
        return false;
    }
    target[1] = target[0];
    return true;
}

bool read_count(Reader* r, const JsonValue* value, const Quantity* q, int* target)
{
    if (value->kind != JSON_NUMBER || value->number != floor(value->number)) {
        return value_error(r, value, "%s and must be a whole number", q->what);
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
        return value_error(r, value, "%s and must be three numbers, such as %s", q->what,
                           q->example ? q->example : "[0, 0, 1]");
    }
    double parts[3];
    if (!read_numbers(r, value, q, 3, parts)) {
        return false;
    }
    if (q->nonzero && parts[0] == 0.0 && parts[1] == 0.0 && parts[2] == 0.0) {
        return reader_error(r, value, "is zero; %s and must not be zero", q->what);
    }
    *target = (CordVec3){parts[0], parts[1], parts[2]};
    return true;
}

// ---- text

bool read_string(Reader* r, const JsonValue* value, const char* noun, const char** target)
{
    if (value->kind != JSON_STRING) {
        return value_error(r, value, "%s must be text in double quotes", noun);
    }
    *target = value->string;
    return true;
}

const char* word_at(const Words* words, int i)
{
    if (words->name) {
        return words->name(i);
    }
    return words->list[i].name;
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
    return value_error(r, value, "%s is %s%s", words->what, reader_names(r, "\"", word_name_at, words, count),
                       hint.text);
}

// ---- readers of each kind

static void number(Reader* r, const JsonValue* value, void* target)
{
    read_number(r, value, r->field->quantity, target);
}

static void power(Reader* r, const JsonValue* value, void* target)
{
    const Quantity* q = r->field->quantity;
    int exponent;
    if (value->kind == JSON_NUMBER && frexp(value->number, &exponent) != 0.5) {
        value_error(r, value, "%s and must %s", q->what, q->must);
    } else {
        read_number(r, value, q, target);
    }
}

static void taper(Reader* r, const JsonValue* value, void* target)
{
    Taper* t = target;
    double ends[2] = {t->from, t->to};
    read_either(r, value, r->field->quantity, "[at the start, at the end]", ends);
    *t = (Taper){ends[0], ends[1], value->kind == JSON_ARRAY};
}

static void pair(Reader* r, const JsonValue* value, void* target)
{
    read_either(r, value, r->field->quantity, "[about m1, about m2]", target);
}

static void range(Reader* r, const JsonValue* value, void* target)
{
    double* ends = target;
    if (read_either(r, value, r->field->quantity, "[least, most]", ends) && ends[0] > ends[1]) {
        reader_error(r, value, "goes from %g down to %g; write the lesser of the two first", ends[0],
                     ends[1]);
    }
}

static void count(Reader* r, const JsonValue* value, void* target)
{
    read_count(r, value, r->field->quantity, target);
}

static void vector(Reader* r, const JsonValue* value, void* target)
{
    read_vector(r, value, r->field->quantity, target);
}

static void truth(Reader* r, const JsonValue* value, void* target)
{
    const char* about = r->field->about;
    size_t whether = strlen("Whether ");
    if (value->kind == JSON_BOOL) {
        *(bool*)target = value->truth;
    } else if (strncmp(about, "Whether ", whether) == 0) {
        about += whether; // the rest of its first clause
        value_error(r, value, "write true or false: whether %.*s", (int)strcspn(about, ".:;"), about);
    } else {
        value_error(r, value, "write true or false");
    }
}

static void string(Reader* r, const JsonValue* value, void* target)
{
    read_string(r, value, "it", target);
}

static void word(Reader* r, const JsonValue* value, void* target)
{
    _Static_assert(sizeof(CordModel) == sizeof(int), "words are read into enumerations");
    int chosen;
    if (!read_word(r, value, r->field->words, &chosen)) {
        return;
    }
    if (r->field->words->is_flag) {
        *(bool*)target = chosen;
    } else {
        memcpy(target, &chosen, sizeof chosen);
    }
}

static void object(Reader* r, const JsonValue* value, void* target)
{
    read_table(r, value, r->field->table, target);
}

static void list(Reader* r, const JsonValue* value, void* target)
{
    List read;
    if (read_entries(r, value, r->field->entry, r->field->entry_size, &read)) {
        *(List*)target = read;
    }
}

// ---- the types

#define NUMBER "'type': 'number', %r"
#define COUNT "'type': 'integer', %r"
#define STRING "'type': 'string'"
#define OBJECT "'$ref': '#/$defs/%t'"
#define WORD "'enum': [%w]"
#define LIST(entry) "'type': 'array', %n'items': {" entry "}"
#define TWO(entry) "'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {" entry "}"
#define THREE(entry) "'type': 'array', 'minItems': 3, 'maxItems': 3, 'items': {" entry "}"
#define VECTOR THREE(NUMBER)
#define EITHER(one, other) "'oneOf': [{" one "}, {" other "}]"

const ValueType value_types[FIELD_KINDS] = {
    [FIELD_NUMBER] = {NUMBER, number},
    [FIELD_POWER] = {"'enum': [%p]", power},
    [FIELD_TAPER] = {EITHER(NUMBER, TWO(NUMBER)), taper},
    [FIELD_PAIR] = {EITHER(NUMBER, TWO(NUMBER)), pair},
    [FIELD_RANGE] = {EITHER(NUMBER, TWO(NUMBER)), range},
    [FIELD_COUNT] = {COUNT, count},
    [FIELD_VECTOR] = {VECTOR, vector},
    [FIELD_BOOL] = {"'type': 'boolean'", truth},
    [FIELD_STRING] = {STRING, string},
    [FIELD_NAME] = {STRING ", 'minLength': 1, 'maxLength': 60, 'pattern': '^[^\\\\[\\\\]/]*$'", read_name},
    [FIELD_WORD] = {WORD, word},
    [FIELD_PLACE] = {EITHER("'enum': ['start', 'end']", OBJECT), read_place},
    [FIELD_ROD] = {STRING, read_rod},
    [FIELD_BODY] = {STRING, read_body},
    [FIELD_OBSTACLE] = {STRING, read_obstacle},
    [FIELD_MATERIAL] = {STRING, read_material_name},
    [FIELD_OBJECT] = {OBJECT, object},
    [FIELD_LIST] = {LIST(OBJECT), list},
    [FIELD_MAP] = {"'type': 'object', 'additionalProperties': {" OBJECT "}", NULL},
    [FIELD_NUMBERS] = {LIST(NUMBER), list},
    [FIELD_COUNTS] = {LIST(COUNT), list},
    [FIELD_VECTORS] = {LIST(VECTOR), list},
    [FIELD_WORDS] = {LIST(WORD), list},
    [FIELD_STRINGS] = {LIST(STRING), list},
    [FIELD_EDGES] = {LIST(TWO(COUNT)), list},
    [FIELD_COUNT_RANGES] = {LIST(EITHER(COUNT, TWO(COUNT))), list},
    [FIELD_JOINED] = {LIST(TWO(EITHER(STRING, OBJECT))), list},
    [FIELD_MATRIX] = {THREE(EITHER(NUMBER, THREE("'type': 'number'"))), NULL},
    [FIELD_NUMBER_OR_NUMBERS] = {EITHER(NUMBER, LIST(NUMBER)), NULL},
    [FIELD_WORD_OR_NUMBER] = {EITHER(WORD, NUMBER), NULL},
    [FIELD_BOOL_OR_NUMBER] = {EITHER("'type': 'boolean'", NUMBER), NULL},
    [FIELD_BOOL_OR_OBJECT] = {EITHER("'type': 'boolean'", OBJECT), NULL},
    [FIELD_FALSE_OR_OBJECT] = {EITHER("'const': false", OBJECT), NULL},
    [FIELD_STRING_OR_OBJECT] = {EITHER(STRING, OBJECT), NULL},
    [FIELD_WORD_OR_OBJECT] = {EITHER(WORD, OBJECT), NULL},
    [FIELD_VECTOR_OR_OBJECT] = {EITHER(VECTOR, OBJECT), NULL},
};
