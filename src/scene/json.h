// JSON with comments and trailing commas, read into a tree that knows where everything stood.
//
// Time and memory are linear in the text (objects with many keys: n log n). The tree and its strings live in
// a pool.
#ifndef CORD_SCENE_JSON_H
#define CORD_SCENE_JSON_H

#include "scene/pool.h"

#define JSON_MOST_BYTES ((size_t)64 << 20)
#define JSON_MOST_VALUES 10000000u // 32 bytes each
#define JSON_MOST_DEPTH 64

typedef enum JsonKind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct JsonValue JsonValue;
struct JsonValue {
    union {
        double number; // finite
        bool truth;
        const char* string; // UTF-8, ends in a zero and has no other
        JsonValue* first;   // entry of an array; key of an object's first member
    };
    JsonValue* next; // entry, after an entry; value, after a key; key, after a value
    uint32_t offset; // where it begins in its text
    uint32_t count;  // entries, members, or bytes of a string
    uint16_t kind;   // a JsonKind
    uint16_t source; // which text it stood in, as given to json_parse
};

// Called for each error, in the order found. After a syntax error reading stops; repeated keys do not stop
// it.
typedef struct JsonReport {
    void (*error)(void* user, uint16_t source, uint32_t offset, const char* text);
    void* user;
} JsonReport;

typedef struct JsonTree {
    Pool* pool;
    JsonReport report;
    uint32_t value_count; // all values and keys so far, against JSON_MOST_VALUES
} JsonTree;

// Reads one value, with nothing but space and comments around it. False: reported, or the pool has failed.
bool json_parse(JsonTree* tree, const char* text, size_t size, uint16_t source, JsonValue* value);

JsonValue* json_value_make(JsonTree* tree); // NULL: no memory, or too many (not reported)
bool json_copy(JsonTree* tree, const JsonValue* from, JsonValue* to); // deep; keeps to->next. False as above

// its value; NULL: none, or it is no object
const JsonValue* json_member(const JsonValue* object, const char* key);

// Line and column, both from 1, of a place in a text; columns count characters, not bytes. Moves forward
// only.
typedef struct JsonPosition {
    const char* text;
    size_t size, offset;
    int line, column;
} JsonPosition;

JsonPosition json_position_start(const char* text, size_t size);
void json_position_move(JsonPosition* at, size_t offset);

#endif
