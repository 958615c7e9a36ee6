// Objects of the scene file, each described by a table of its keys: one place says what may be written, reads
// it, and is compared with the JSON Schema and the documentation by the tests.
//
// Everything wrong becomes a note that begins with the path of the value; reading goes on.
#ifndef CORD_SCENE_FIELDS_H
#define CORD_SCENE_FIELDS_H

#include "scene/json.h"
#include "scene/names.h"
#include "scene/notes.h"

typedef struct Path { // how the reader came to the value it reads, innermost first
    const struct Path* up;
    const char* key; // NULL: an entry of a list
    int index;
} Path;

typedef struct Reader {
    Pool* pool;
    Notes* notes;
    const Path* path;
    struct CordScene* scene;
} Reader;

typedef struct Quantity { // a number, or each component of a vector
    const char* what;     // "a radius is a length in metres"
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
    const Word* list;
    int count;
} Words;

typedef enum FieldKind {
    FIELD_NUMBER, // double
    FIELD_TAPER,  // Taper: a number, or two
    FIELD_COUNT,  // int: a whole number
    FIELD_VECTOR, // CordVec3
    FIELD_BOOL,   // bool
    FIELD_STRING, // const char*
    FIELD_WORD,   // int: one of some words
    FIELD_OBJECT, // a struct with a table of its own
    FIELD_KEEP,   // const JsonValue*: read later
    FIELD_OTHER,  // whatever `read` makes of it
    FIELD_LATER,  // known, but not in this version
} FieldKind;

typedef struct Table Table;

typedef struct Field {
    const char* name;
    FieldKind kind;
    size_t offset;            // into the struct that is filled
    bool variant;             // exactly one of the fields marked so must be given
    const char* needed;       // it must be given; this says what to write
    const Quantity* quantity; // FIELD_NUMBER, FIELD_TAPER, FIELD_COUNT, FIELD_VECTOR
    const Words* words;       // FIELD_WORD
    const Table* table;       // FIELD_OBJECT
    void (*read)(Reader* r, const JsonValue* value, void* target); // FIELD_OTHER; target is at offset
    const char* what; // FIELD_STRING, FIELD_BOOL: "a title is text"
} Field;

struct Table {
    const char* name; // as in the schema's $defs
    const char* noun; // "a rod"
    const Field* fields;
    int count;
};

// {FIELD("radius", NUMBER, Disc, radius), .quantity = &quantity_radius} is an entry of a table for a Disc.
#define FIELD(key, suffix, type, member) .name = key, .kind = FIELD_##suffix, .offset = offsetof(type, member)
#define TABLE(table_name, table_noun, list)                                                                   \
    {                                                                                                         \
        .name = table_name, .noun = table_noun, .fields = list, .count = (int)(sizeof(list) / sizeof *(list)) \
    }
#define WORDS(words_what, words)                                                                             \
    {                                                                                                        \
        .what = words_what, .list = words, .count = (int)(sizeof(words) / sizeof *(words))                   \
    }

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
bool read_count(Reader* r, const JsonValue* value, const Quantity* quantity, int* target);
bool read_vector(Reader* r, const JsonValue* value, const Quantity* quantity, CordVec3* target);
bool read_bool(Reader* r, const JsonValue* value, const char* what, bool* target);
bool read_string(Reader* r, const JsonValue* value, const char* what, const char** target);
bool read_word(Reader* r, const JsonValue* value, const Words* words, int* target);
bool read_table(Reader* r, const JsonValue* value, const Table* table, void* target);

// Two numbers in a list; each is named by its index in what is noted.
bool read_pair(Reader* r, const JsonValue* list, const Quantity* quantity, double* first, double* second);

// Each entry of a list in turn, with its index; false if it is no list or an entry reported something.
bool read_list(Reader* r, const JsonValue* value, const char* what,
               void (*read)(Reader* r, const JsonValue* entry, int index, void* user), void* user);

// Reads `value`, whose key in the present object is `key`, as a FIELD_OTHER is read.
bool read_at(Reader* r, const char* key, const JsonValue* value,
             void (*read)(Reader* r, const JsonValue* value, void* target), void* target);

#endif
