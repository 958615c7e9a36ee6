// The state of reading a scene, and notes about what is wrong.
//
// Reading goes on after an error. Every note begins with the path of the value it is about.
#ifndef CORD_SCENE_READER_H
#define CORD_SCENE_READER_H

#include "scene/json.h"
#include "scene/names.h"
#include "scene/notes.h"

#define EXPANDED_TABLES 8

typedef struct Reader {
    Pool* pool;
    Notes* notes;
    const struct Field* field; // the field whose reader is running
    struct CordScene* scene;
    struct {
        const struct Table *of, *expanded;
    } tables[EXPANDED_TABLES]; // tables that are expanded, once for each scene
} Reader;

// A note about a value, or about a key of an object. Errors return false.
POOL_PRINTF(3, 4) bool reader_error(Reader* r, const JsonValue* at, const char* format, ...);
POOL_PRINTF(3, 4) void reader_warning(Reader* r, const JsonValue* at, const char* format, ...);

// An error that begins with what the value is: "is -0.001; ...".
POOL_PRINTF(3, 4) bool value_error(Reader* r, const JsonValue* value, const char* format, ...);

// An error of a value that stands at a part of it.
POOL_PRINTF(4, 5)
bool part_error(Reader* r, const JsonValue* value, const JsonValue* part, const char* format, ...);

// A note about the member `key` of an object. If it is not given, the note stands at the object.
POOL_PRINTF(4, 5)
bool member_error(Reader* r, const JsonValue* object, const char* key, const char* format, ...);
POOL_PRINTF(4, 5)
void member_warning(Reader* r, const JsonValue* object, const char* key, const char* format, ...);

// Parts of messages. They are "" when no more notes are kept.
const char* reader_path(Reader* r, const JsonValue* value);     // "rods[0].shape", or "the scene"
const char* reader_describe(Reader* r, const JsonValue* value); // "-0.001", "\"thick\"", "a list of 2"
// "disc, tube or h", each in `quote`; and the hint of name_hint.
const char* reader_names(Reader* r, const char* quote, NameAt name, const void* context, int count);
NameHint reader_hint(Reader* r, const char* word, NameAt name, const void* context, int count);

#endif
