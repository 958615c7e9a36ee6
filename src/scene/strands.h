// Rods that one entry asks for many of.
#ifndef CORD_SCENE_STRANDS_H
#define CORD_SCENE_STRANDS_H

#include "scene/values.h"

int strands_count(const JsonValue* entry); // rods that an entry of the list asks for: 1 but for strands

// Makes rods[0] into as many as `value`, its strands, asks for, each with a name and a shape of its own;
// there is room for strands_count of them. Returns how many: 1 if something was wrong, and noted.
int strands_make(Reader* r, const JsonValue* value, SceneRod* rods);

#endif
