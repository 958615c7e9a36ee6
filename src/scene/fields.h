// Objects of the scene file. A table describes each object by its keys, one row a key: what the key means,
// which values it takes, and where the value goes. Tables are read (fields.c), printed as JSON Schema
// (schema.c) and compared with the documentation by a test.
#ifndef CORD_SCENE_FIELDS_H
#define CORD_SCENE_FIELDS_H

#include "scene/reader.h"

#include <cordage/field.h>

typedef struct Table Table;

typedef struct Quantity { // a number, or each component of a vector
    const char* what;     // "a radius is a length in metres"
    const char* unit;     // "m"; NULL: a plain number
    const char* must;     // "be positive": what low means in words
    double low, high;
    bool low_open;         // low itself is too low
    const char* high_text; // high in words; NULL: `must` says it
    bool nonzero;          // vectors: not all components are zero
    const char* example;   // of a vector; NULL: [0, 0, 1]
} Quantity;

// Quantities by their range. Upper bounds are far beyond any use; they keep what is computed finite.
#define POSITIVE(what_, unit_, high_)                                                                        \
    {                                                                                                        \
        .what = what_, .unit = unit_, .must = "be positive", .low_open = true, .high = (high_),              \
        .high_text = #high_                                                                                  \
    }
#define NOT_NEGATIVE(what_, unit_, high_)                                                                    \
    {                                                                                                        \
        .what = what_, .unit = unit_, .must = "not be negative", .high = (high_), .high_text = #high_        \
    }
#define AT_LEAST(low_, what_, unit_, high_)                                                                  \
    {                                                                                                        \
        .what = what_, .unit = unit_, .must = "be at least " #low_, .low = (low_), .high = (high_),          \
        .high_text = #high_                                                                                  \
    }
#define ANY_NUMBER(what_, unit_) AT_LEAST(-1e9, what_, unit_, 1e9)
#define NONZERO_VECTOR(what_, unit_)                                                                         \
    {                                                                                                        \
        .what = what_, .unit = unit_, .must = "be at least -1e9", .low = -1e9, .high = 1e9,                  \
        .high_text = "1e9", .nonzero = true                                                                  \
    }

typedef struct Taper { // a size along a rod: from its start to its end
    double from, to;
    bool varies; // it was written as two numbers
} Taper;

typedef struct List { // entries that a list was read into, in the pool
    void* entries;    // (count); NULL: the value is no list
    int count;
} List;

typedef struct Word {
    const char* name;
    int value;
} Word;

typedef struct Words {
    const char* what; // "an integrator"
    const Word* list; // up to one without a name
    bool is_flag;     // the target is a bool, not an enumeration
    // Names that the library lists: the i-th, whose value is i, or NULL after the last.
    const char* (*name)(int i);
} Words;

typedef enum FieldKind {
    FIELD_NUMBER,   // double
    FIELD_POWER,    // double: a power of two
    FIELD_TAPER,    // Taper: a number, or two: at the rod's start and at its end
    FIELD_PAIR,     // double[2]: a number for both, or two: about m1 and about m2
    FIELD_RANGE,    // double[2]: a number for both, or two: the least and the most
    FIELD_COUNT,    // int: a whole number
    FIELD_VECTOR,   // CordVec3
    FIELD_BOOL,     // bool
    FIELD_STRING,   // const char*
    FIELD_NAME,     // const char*: what a thing of the scene is called
    FIELD_WORD,     // int or an enumeration: one of some words
    FIELD_PLACE,    // CordPlace: a word, or an object
    FIELD_ROD,      // int: the index of the rod that is named
    FIELD_BODY,     // int
    FIELD_OBSTACLE, // int
    FIELD_MATERIAL, // MaterialUse: the material that is named
    FIELD_OBJECT,   // a struct with a table of its own

    FIELD_LIST, // lists are read into a List by `entry`: of objects
    FIELD_NUMBERS,
    FIELD_COUNTS,
    FIELD_VECTORS,
    FIELD_WORDS,
    FIELD_STRINGS,
    FIELD_EDGES,        // two whole numbers each
    FIELD_COUNT_RANGES, // a whole number, or two, each
    FIELD_JOINED,       // a rod and a place on it each

    FIELD_MAP,    // fields of these kinds have readers of their own: objects by name
    FIELD_MATRIX, // three numbers, or three rows of three
    FIELD_NUMBER_OR_NUMBERS,
    FIELD_WORD_OR_NUMBER,
    FIELD_BOOL_OR_NUMBER,
    FIELD_BOOL_OR_OBJECT,
    FIELD_FALSE_OR_OBJECT,
    FIELD_STRING_OR_OBJECT,
    FIELD_WORD_OR_OBJECT,
    FIELD_VECTOR_OR_OBJECT,
    FIELD_KINDS
} FieldKind;

typedef void ValueReader(Reader* r, const JsonValue* value, void* target);
typedef void EntryReader(Reader* r, const JsonValue* entry, int index, void* entries);

typedef struct Field {
    const char* name;
    FieldKind kind;
    size_t offset;            // into the struct that is filled
    const char* about;        // what it is, in one or two sentences without the unit; NULL: its table says it
    const char* otherwise;    // what holds if it is not given, unless its struct has that: "the only rod"
    bool variant;             // exactly one of the fields marked so must be given
    bool either;              // at least one of the fields marked so must be given; the reader checks it
    const char* needed;       // it must be given; this says what to write
    const Quantity* quantity; // of its numbers
    const Words* words;       // of its words
    const Table* table;       // of its objects
    int least, most;          // entries of a list; 0: no bound
    const char* example;      // of a list, for messages
    EntryReader* entry;       // reads an entry of a list into an array of them
    size_t entry_size;        // of an entry of that array
    bool later;               // it refers to other keys: the table's owner reads it after them by read_later
    ValueReader* read;        // instead of its kind's reader; r->field is this field then
    int tag;                  // for that reader: which of several kinds it reads
} Field;

struct Table {
    const char* name;  // as in the schema's $defs
    const char* noun;  // "a rod"
    const char* about; // one or two sentences
    const Field* fields;
    int count;
    size_t size; // of the struct that is filled
    // What holds where a key is not given: a struct, or a function that fills one. NULL: no field has a
    // default.
    const void* defaults;
    void (*start)(void* keys);
    // Called once all keys are read without an error. `check` gets the struct that they were read into. With
    // `convert` the keys are read into a struct of their own, which it turns into the target.
    void (*check)(Reader* r, const JsonValue* value, void* keys);
    void (*convert)(Reader* r, const JsonValue* value, const void* keys, void* target);
    // For keys that the library lists: makes the whole table, and those that it leads to, in the pool; NULL:
    // no memory. That table is read and printed in place of this one.
    const Table* (*expand)(Pool* pool);
};

#define TABLE_MOST_SIZE 4096 // bytes of a struct that a table fills

// How the values of a kind are written in JSON Schema, and how they are read.
typedef struct ValueType {
    // With ' for ". %r is the range of a number, %n the bounds of a list's length, %w the words, %p the
    // powers of two in the range, %t the name of the table.
    const char* schema;
    ValueReader* read; // NULL: its fields have readers of their own
} ValueType;

extern const ValueType value_types[FIELD_KINDS]; // by kind

// {FIELD("radius", NUMBER, Disc, radius), .quantity = &quantity_radius} is an entry of a table for a Disc.
// FIELD_IN is one of a Disc that is `base` bytes into the struct that is filled. WHOLE is one whose reader
// fills the struct itself. VARIANT is an object that says which kind the whole is.
#define FIELD(key, suffix, type, member) .name = key, .kind = FIELD_##suffix, .offset = offsetof(type, member)
#define FIELD_IN(base, key, suffix, type, member)                                                            \
    .name = key, .kind = FIELD_##suffix, .offset = (base) + offsetof(type, member)
#define WHOLE(key, suffix) .name = key, .kind = FIELD_##suffix
#define VARIANT(key, keys) WHOLE(key, OBJECT), .variant = true, .table = &(keys)
#define ENTRIES(type, reader) .entry = reader, .entry_size = sizeof(type)
#define TABLE(table_name, table_noun, list, ...)                                                             \
    {                                                                                                        \
        .name = table_name, .noun = table_noun, .fields = list,                                              \
        .count = (int)(sizeof(list) / sizeof *(list)), __VA_ARGS__                                           \
    }
#define WORDS(words_what, ...)                                                                               \
    {                                                                                                        \
        .what = words_what, .list = (const Word[])                                                           \
        {                                                                                                    \
            __VA_ARGS__,                                                                                     \
            {                                                                                                \
                NULL, 0                                                                                      \
            }                                                                                                \
        }                                                                                                    \
    }

// The field of a value that the library describes, in a struct that has its def at `base`. False: no memory.
bool field_from(Pool* pool, const CordField* from, size_t base, Field* field);

bool table_start(const Table* table, void* keys); // fills in the defaults; false: there are none

// Each returns false if it added a note; the target is then as it was, or filled in part (tables).
bool read_number(Reader* r, const JsonValue* value, const Quantity* quantity, double* target);
bool read_count(Reader* r, const JsonValue* value, const Quantity* quantity, int* target);
bool read_vector(Reader* r, const JsonValue* value, const Quantity* quantity, CordVec3* target);
bool read_string(Reader* r, const JsonValue* value, const char* noun, const char** target);
bool read_word(Reader* r, const JsonValue* value, const Words* words, int* target);
bool read_table(Reader* r, const JsonValue* value, const Table* table, void* target);

const char* word_at(const Words* words, int i); // NULL: there are no more

// The numbers of a list that has `count` of them. A note names the number by its index.
bool read_numbers(Reader* r, const JsonValue* list, const Quantity* quantity, int count, double* target);

// Whether the value is a list of `least` to `most` entries; else an error says `what` to write.
bool check_list(Reader* r, const JsonValue* value, unsigned least, unsigned most, const char* what);

// Each entry of the list that r->field describes. False: the value is no such list, or an entry is wrong.
bool read_list(Reader* r, const JsonValue* value, EntryReader* read, void* entries);

// The entries of the list that r->field describes, in an array that is made for them. The array has all
// entries even if some are wrong. False: something is wrong, or there is no memory.
bool read_entries(Reader* r, const JsonValue* value, EntryReader* read, size_t size, List* list);

// Reads the member `key` of `object`, which has been passed over, by its field's reader. False: a note was
// added.
bool read_later(Reader* r, const JsonValue* object, const Table* table, const char* key, void* target);

// Whether another key of the object was probably meant to be this one. It has its note already.
bool key_is_misspelt(const JsonValue* object, const Table* table, const char* key);

#endif
