// JSON with comments and trailing commas, read into a tree that keeps the place of every value.
//
// Time and memory are linear in the text; objects with n keys take n log n. The tree and its strings are in a
// pool.
#ifndef CORD_SCENE_JSON_H
#define CORD_SCENE_JSON_H

#include "scene/pool.h"

#define JSON_MOST_BYTES ((size_t)64 << 20)
#define JSON_MOST_VALUES 10000000u // 40 bytes each
#define JSON_MOST_DEPTH 64

typedef enum JsonKind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct JsonValue JsonValue;
struct JsonValue {
    union {
        double number; // finite
        bool truth;
        const char* string; // UTF-8, with a zero at its end
        JsonValue* first;   // first entry of an array, or first key of an object
    };
    JsonValue* next;   // the next entry of an array; in an object, key and value alternate
    JsonValue* parent; // the array or object that it is in; NULL: none
    uint32_t offset;   // where it begins in its text
    uint32_t count;    // entries, members, or bytes of a string
    uint16_t kind;     // a JsonKind
    uint16_t source;   // number of its text, as given to json_parse
};

// Called for each error, in order. A syntax error ends the reading; repeated keys do not.
typedef struct JsonReport {
    void (*error)(void* user, uint16_t source, uint32_t offset, const char* text);
    void* user;
} JsonReport;

typedef struct JsonTree {
    Pool* pool;
    JsonReport report;
    uint32_t value_count; // values and keys so far, at most JSON_MOST_VALUES
} JsonTree;

// Reads one value with space and comments around it. False: an error was reported, or the pool has failed.
bool json_parse(JsonTree* tree, const char* text, size_t size, uint16_t source, JsonValue* value);

// NULL: there is no memory, or there are too many values, which is not reported.
JsonValue* json_value_make(JsonTree* tree, JsonValue* parent);
// A deep copy, in the place that `to` has in the tree. False: as above.
bool json_copy(JsonTree* tree, const JsonValue* from, JsonValue* to);

// The value of a key; NULL: there is none, or it is no object.
const JsonValue* json_member(const JsonValue* object, const char* key);

// Line and column of a place in a text, both from 1. Columns count characters. It moves forward only.
typedef struct JsonPosition {
    const char* text;
    size_t size, offset;
    int line, column;
} JsonPosition;

JsonPosition json_position_start(const char* text, size_t size);
void json_position_move(JsonPosition* at, size_t offset);

#endif
