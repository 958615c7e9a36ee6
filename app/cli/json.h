// Writes JSON, indented, to a stream. A key is NULL inside arrays and for the outermost value.
#ifndef CORDAGE_CLI_JSON_H
#define CORDAGE_CLI_JSON_H

#include <cordage/cordage.h>

#include <stdio.h>

enum { JSON_DEPTH_MOST = 16 };

typedef struct Json {
    FILE* out;
    int depth;
    bool has_items[JSON_DEPTH_MOST]; // a comma is due before the next item at that depth
} Json;

Json json_begin(FILE* out);
void json_end(Json* j);

void json_object(Json* j, const char* key); // until json_close_object
void json_array(Json* j, const char* key);
void json_close_object(Json* j);
void json_close_array(Json* j);

void json_text(Json* j, const char* key, const char* value); // NULL: null; invalid UTF-8 becomes U+FFFD
void json_number(Json* j, const char* key, double value);    // round-trip exact; null if not finite
void json_int(Json* j, const char* key, int64_t value);
void json_bool(Json* j, const char* key, bool value);
void json_null(Json* j, const char* key);
void json_vector(Json* j, const char* key, CordVec3 value); // [x, y, z]
void json_quat(Json* j, const char* key, CordQuat value);   // [x, y, z, w], one to a line

#endif
