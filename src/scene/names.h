// Names: an index to find them, and guesses at misspelt ones.
#ifndef CORD_SCENE_NAMES_H
#define CORD_SCENE_NAMES_H

#include "scene/pool.h"

// Returns the i-th of some names. NULL entries are passed over.
typedef const char* (*NameAt)(const void* context, int i);

// The name most like a word that is none of them; NULL: none is like it.
const char* name_nearest(const char* word, NameAt name, const void* context, int count);

// `; did you mean "x"?`, or "" if no name is like the word.
typedef struct NameHint {
    char text[96];
} NameHint;

NameHint name_hint(const char* word, NameAt name, const void* context, int count);

// A sorted index of names.
typedef struct NameEntry {
    const char* name;
    int index;
} NameEntry;

typedef struct NameIndex {
    NameEntry* sorted; // by name, then by index (count)
    int count;
} NameIndex;

bool name_index_make(Pool* pool, NameIndex* index, NameAt name, const void* context, int count);
int name_index_find(const NameIndex* index, const char* name); // the first that has the name; -1: none

#endif
