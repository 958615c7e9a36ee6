// The kinds of values that keys of a scene have: how each is written in JSON Schema, and how it is read.
#include "scene/values.h"

#include <math.h>

// ---- readers

static void number(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_number(r, value, field->quantity, target);
}

static void power(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    const Quantity* q = field->quantity;
    int exponent;
    if (value->kind == JSON_NUMBER && frexp(value->number, &exponent) != 0.5) {
        reader_error(r, value, "is %s; %s and must %s", reader_describe(r, value), q->what, q->must);
    } else {
        read_number(r, value, q, target);
    }
}

static void taper(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_taper(r, value, field->quantity, target);
}

static void pair(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_either(r, value, field->quantity, "[about m1, about m2]", target);
}

static void range(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    double* ends = target;
    if (read_either(r, value, field->quantity, "[least, most]", ends) && ends[0] > ends[1]) {
        reader_error(r, value, "goes from %g down to %g; write the lesser of the two first", ends[0],
                     ends[1]);
    }
}

static void count(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_count(r, value, field->quantity, target);
}

static void vector(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_vector(r, value, field->quantity, target);
}

static void truth(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_bool(r, value, field->what, target);
}

static void string(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_string(r, value, field->what, target);
}

static void name(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    (void)field;
    read_name(r, value, target);
}

static void word(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_word(r, value, field->words, target);
}

static void place(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    (void)field;
    read_place(r, value, target);
}

static void object(Reader* r, const JsonValue* value, const Field* field, void* target)
{
    read_table(r, value, field->table, target);
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
    [FIELD_NAME] = {STRING ", 'minLength': 1, 'maxLength': 60, 'pattern': '^[^\\\\[\\\\]/]*$'", name},
    [FIELD_WORD] = {WORD, word},
    [FIELD_PLACE] = {EITHER("'enum': ['start', 'end']", OBJECT), place},
    [FIELD_OBJECT] = {OBJECT, object},
    [FIELD_LIST] = {LIST(OBJECT), NULL},
    [FIELD_MAP] = {"'type': 'object', 'additionalProperties': {" OBJECT "}", NULL},
    [FIELD_NUMBERS] = {LIST(NUMBER), NULL},
    [FIELD_COUNTS] = {LIST(COUNT), NULL},
    [FIELD_VECTORS] = {LIST(VECTOR), NULL},
    [FIELD_WORDS] = {LIST(WORD), NULL},
    [FIELD_STRINGS] = {LIST(STRING), NULL},
    [FIELD_EDGES] = {LIST(TWO(COUNT)), NULL},
    [FIELD_COUNT_RANGES] = {LIST(EITHER(COUNT, TWO(COUNT))), NULL},
    [FIELD_JOINED] = {LIST(TWO(EITHER(STRING, OBJECT))), NULL},
    [FIELD_MATRIX] = {THREE(EITHER(NUMBER, THREE("'type': 'number'"))), NULL},
    [FIELD_NUMBER_OR_NUMBERS] = {EITHER(NUMBER, LIST(NUMBER)), NULL},
    [FIELD_WORD_OR_NUMBER] = {EITHER(WORD, NUMBER), NULL},
    [FIELD_BOOL_OR_NUMBER] = {EITHER("'type': 'boolean'", NUMBER), NULL},
    [FIELD_BOOL_OR_OBJECT] = {EITHER("'type': 'boolean'", OBJECT), NULL},
    [FIELD_STRING_OR_OBJECT] = {EITHER(STRING, OBJECT), NULL},
    [FIELD_WORD_OR_OBJECT] = {EITHER(WORD, OBJECT), NULL},
    [FIELD_VECTOR_OR_OBJECT] = {EITHER(VECTOR, OBJECT), NULL},
};
