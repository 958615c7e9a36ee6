// Objects of the scene file, each described by a table of its keys. The table says what may be written and
// what it means, reads it, and is printed as JSON Schema (schema.c); tests compare the documentation with it.
//
// Everything wrong becomes a note that begins with the path of the value; reading goes on.
#ifndef CORD_SCENE_FIELDS_H
#define CORD_SCENE_FIELDS_H

#include "scene/json.h"
#include "scene/names.h"
#include "scene/notes.h"

#include <cordage/field.h>

typedef struct Path { // how the reader came to the value it reads, innermost first
    const struct Path* up;
    const char* key; // NULL: an entry of a list
    int index;
} Path;

typedef struct Table Table;

#define TABLES_MADE 8

typedef struct Reader {
    Pool* pool;
    Notes* notes;
    const Path* path;
    const struct Field* field; // whose reader is called
    struct CordScene* scene;
    struct {
        const Table *of, *made;
    } tables[TABLES_MADE]; // those that are made, once for each scene
} Reader;

typedef struct Quantity { // a number, or each component of a vector
    const char* what;     // "a radius is a length in metres"
    const char* unit;     // "m"; NULL: a plain number
    const char* must;     // "be positive": what low means in words
    double low, high;
    bool low_open;         // low itself is too low
    const char* high_text; // high in words; NULL: `must` says it
    bool nonzero;          // vectors: not all zero
} Quantity;

typedef struct Taper { // a size along a rod: from its start to its end
    double from, to;
    bool varies; // it was written as two
} Taper;

typedef struct Word {
    const char* name;
    int value;
} Word;

typedef struct Words {
    const char* what; // "an integrator"
    const Word* list; // (count)
    int count;
    // for names of the library: the i-th, whose value is i, or NULL after the last
    const char* (*name)(int i);
} Words;

typedef enum FieldKind {
    FIELD_NUMBER, // double
    FIELD_POWER,  // double: a power of two
    FIELD_TAPER,  // Taper: a number, or two: at the rod's start and at its end
    FIELD_PAIR,   // double[2]: a number for both, or two: about m1 and about m2
    FIELD_RANGE,  // double[2]: a number for both, or two: the least and the most
    FIELD_COUNT,  // int: a whole number
    FIELD_VECTOR, // CordVec3
    FIELD_BOOL,   // bool
    FIELD_STRING, // const char*
    FIELD_NAME,   // const char*: what a thing of the scene is called
    FIELD_WORD,   // int: one of some words
    FIELD_PLACE,  // CordPlace: a word, or an object
    FIELD_OBJECT, // a struct with a table of its own

    FIELD_LIST, // these have a reader of their own: a list of objects
    FIELD_MAP,  // objects by name
    FIELD_NUMBERS,
    FIELD_COUNTS,
    FIELD_VECTORS,
    FIELD_WORDS,
    FIELD_STRINGS,
    FIELD_EDGES,        // two whole numbers each
    FIELD_COUNT_RANGES, // a whole number, or two, each
    FIELD_JOINED,       // a rod and a place on it each
    FIELD_MATRIX,       // three numbers, or three rows of them
    FIELD_NUMBER_OR_NUMBERS,
    FIELD_WORD_OR_NUMBER,
    FIELD_BOOL_OR_NUMBER,
    FIELD_BOOL_OR_OBJECT,
    FIELD_STRING_OR_OBJECT,
    FIELD_WORD_OR_OBJECT,
    FIELD_VECTOR_OR_OBJECT,
    FIELD_KINDS
} FieldKind;

typedef struct Field {
    const char* name;
    FieldKind kind;
    size_t offset;         // into the struct that is filled
    const char* about;     // what it is, in one or two sentences without the unit; NULL: its table says it
    const char* otherwise; // what holds if it is not given, unless its struct has that: "the only rod"
    bool variant;          // exactly one of the fields marked so must be given
    bool either;        // at least one of the fields marked so must be given; the table's own reader says so
    const char* needed; // it must be given; this says what to write
    const Quantity* quantity; // of its numbers
    const Words* words;       // of its words
    const Table* table;       // of its objects
    int least, most;          // entries of a list; 0: no bound
    bool keep;                // its value is kept to be read later: const JsonValue*
    // Reads it, instead of its kind's reader; target is at offset. r->field is this field when it is called.
    void (*read)(Reader* r, const JsonValue* value, void* target);
    int tag;          // for that reader: which of several it is to read
    const char* what; // FIELD_STRING, FIELD_BOOL: "a title is text"
} Field;

struct Table {
    const char* name;  // as in the schema's $defs
    const char* noun;  // "a rod"
    const char* about; // one or two sentences
    const Field* fields;
    int count;
    size_t size;               // of the struct that is filled
    void (*start)(void* keys); // sets what is not given; NULL: no field has a default
    // For keys that the library lists: makes the table with all of them, and those that it leads to, in the
    // pool; NULL: no memory. That table is read and printed in place of this one.
    const Table* (*make)(Pool* pool);
};

// How the values of a kind are written in JSON Schema, and how they are read.
typedef struct ValueType {
    // With ' for ". %r is the range of a number, %n the bounds of a list's length, %w the words, %p the
    // powers of two in the range, %t the name of the table.
    const char* schema;
    // NULL: its fields have readers of their own.
    void (*read)(Reader* r, const JsonValue* value, const Field* field, void* target);
} ValueType;

extern const ValueType value_types[FIELD_KINDS]; // by kind

// {FIELD("radius", NUMBER, Disc, radius), .quantity = &quantity_radius} is an entry of a table for a Disc.
// WHOLE is one whose reader fills the struct itself.
#define FIELD(key, suffix, type, member) .name = key, .kind = FIELD_##suffix, .offset = offsetof(type, member)
#define WHOLE(key, suffix) .name = key, .kind = FIELD_##suffix
#define TABLE(table_name, table_noun, list, ...)                                                             \
    {                                                                                                        \
        .name = table_name, .noun = table_noun, .fields = list,                                              \
        .count = (int)(sizeof(list) / sizeof *(list)), __VA_ARGS__                                           \
    }
#define WORDS(words_what, words)                                                                             \
    {                                                                                                        \
        .what = words_what, .list = words, .count = (int)(sizeof(words) / sizeof *(words))                   \
    }

// The field of a value that the library describes, in a struct that has its def at `base`. False: no memory.
bool field_from(Pool* pool, const CordField* from, size_t base, Field* field);

// The text of a note begins with the path, and is about `at` (a value or a key).
POOL_PRINTF(3, 4) void reader_error(Reader* r, const JsonValue* at, const char* format, ...);
POOL_PRINTF(3, 4) void reader_warning(Reader* r, const JsonValue* at, const char* format, ...);
void reader_vnote(Reader* r, const JsonValue* at, bool is_error, const char* format, va_list arguments);

const char* reader_path(Reader* r);                             // "rods[0].shape", or "the scene"
const char* reader_describe(Reader* r, const JsonValue* value); // "-0.001", "\"thick\"", "a list of 2"

// "disc, tube or h", each in `quote`; and as name_hint. Both are "" when no more notes are kept.
const char* reader_names(Reader* r, const char* quote, NameAt name, const void* context, int count);
NameHint reader_hint(Reader* r, const char* word, NameAt name, const void* context, int count);

void reader_enter(Reader* r, Path* path, const char* key); // notes are about that member until reader_leave
void reader_leave(Reader* r, const Path* path);

// Each returns false if it reported something; the target is then as it was, or filled in part (tables).
bool read_number(Reader* r, const JsonValue* value, const Quantity* quantity, double* target);
bool read_taper(Reader* r, const JsonValue* value, const Quantity* quantity, Taper* target);
bool read_either(Reader* r, const JsonValue* value, const Quantity* quantity, const char* names,
                 double target[2]);
bool read_count(Reader* r, const JsonValue* value, const Quantity* quantity, int* target);
bool read_vector(Reader* r, const JsonValue* value, const Quantity* quantity, CordVec3* target);
bool read_bool(Reader* r, const JsonValue* value, const char* what, bool* target);
bool read_string(Reader* r, const JsonValue* value, const char* what, const char** target);
bool read_word(Reader* r, const JsonValue* value, const Words* words, int* target);
const char* word_at(const Words* words, int i); // NULL: there are no more
bool read_table(Reader* r, const JsonValue* value, const Table* table, void* target);

// Two numbers in a list; each is named by its index in what is noted.
bool read_pair(Reader* r, const JsonValue* list, const Quantity* quantity, double* first, double* second);

// Each entry of a list in turn, with its index; false if it is no list or an entry reported something.
bool read_list(Reader* r, const JsonValue* value, const char* what,
               void (*read)(Reader* r, const JsonValue* entry, int index, void* user), void* user);

// Reads `value`, whose key in the present object is `key`, as a field with a reader of its own is.
bool read_at(Reader* r, const char* key, const JsonValue* value,
             void (*read)(Reader* r, const JsonValue* value, void* target), void* target);

#endif
