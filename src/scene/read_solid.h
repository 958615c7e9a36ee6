// The keys of solids, from the library's table of kinds.
#ifndef CORD_SCENE_READ_SOLID_H
#define CORD_SCENE_READ_SOLID_H

#include "scene/values.h"

typedef struct SolidKeys {
    CordVec3 size;
    CordVec3 center, axis, from, to; // of an obstacle, as its kind is placed
    Turn rotate;
} SolidKeys;

// The table `base`, with one more key for each kind of solid, or for each kind that a body can be. `read`
// gets the shape as its tag.
const Table* solid_fields(Pool* pool, const Table* base, bool obstacle, ValueReader* read, size_t offset);

bool read_solid_keys(Reader* r, const JsonValue* value, SolidKeys* keys);    // by r->field
bool solid_check(Reader* r, const JsonValue* value, const CordSolid* solid); // false: a note was added

#endif
