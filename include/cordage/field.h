// A value of a def as front ends see it: where it lies, what it means and what it may be. Tables of these are
// public, so that a scene file's keys, their documentation and a page's controls all come from the place that
// uses the value.
#ifndef CORDAGE_FIELD_H
#define CORDAGE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CordFieldType {
    CORD_FIELD_NUMBER, // double
    CORD_FIELD_VECTOR, // CordVec3
    CORD_FIELD_FLAG,   // bool
    CORD_FIELD_COUNT,  // int
} CordFieldType;

typedef struct CordField {
    const char* key;   // as a scene writes it
    const char* about; // one sentence: what the value is
    const char* unit;  // "m", "N/m"; "": a plain number
    CordFieldType type;
    size_t offset;     // of the value in its def
    double low, high;  // the least and the greatest value allowed; of each component of a vector
    bool low_open;     // `low` itself is not allowed
    bool needed;       // it has no default: a scene must give it
    const char* group; // the object in which the key stands; NULL: it stands beside the others
    // what holds if it is not given, unless the def's default says it: "needed with gust"; NULL
    const char* otherwise;
} CordField;

#ifdef __cplusplus
}
#endif

#endif
