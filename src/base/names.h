// A set of names, for "is there one already?" in constant time. It keeps pointers: a name stays where it is
// while it is in.
#ifndef CORD_BASE_NAMES_H
#define CORD_BASE_NAMES_H

#include "base/memory.h"
#include "base/message.h"

#define NAME_SIZE 64 // with the zero at its end

typedef struct Names {
    const char** entries; // open addressing (capacity, a power of 2); NULL: empty
    int count, capacity;
    int passed; // numbers that names_choose need not try again
} Names;

bool names_has(const Names* n, const char* name);
bool names_add(Memory* m, Names* n, const char* name); // one that it does not have; false: no memory
void names_remove(Names* n, const char* name);         // one that it has
void names_free(Memory* m, Names* n);

// The name given, or, if that is NULL, the kind and a number. Refuses one that is too long, or taken: by "a
// rod", say.
CordResult names_choose(Names* n, const char* given, const char* kind, const char* a_kind,
                        char name[NAME_SIZE], Message* message);

#endif
