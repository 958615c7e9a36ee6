// A set of names, for "is there one already?" in constant time. It keeps pointers: a name stays where it is
// while it is in.
#ifndef CORD_BASE_NAME_SET_H
#define CORD_BASE_NAME_SET_H

#include "base/memory.h"
#include "base/message.h"

#define NAME_SIZE 64 // with the zero at its end

typedef struct NameSet {
    const char** entries; // open addressing (capacity, a power of 2); NULL: empty
    int count, capacity;
    int passed; // numbers that name_set_choose need not try again
} NameSet;

bool name_set_has(const NameSet* n, const char* name);
bool name_set_add(Memory* m, NameSet* n, const char* name); // one that it does not have; false: no memory
void name_set_remove(NameSet* n, const char* name);         // one that it has
void name_set_free(Memory* m, NameSet* n);

// The name given, or, if that is NULL, the kind and a number. Refuses one that is too long, or taken: by "a
// rod", say.
CordResult name_set_choose(NameSet* n, const char* given, const char* kind, const char* a_kind,
                           char name[NAME_SIZE], Message* message);

#endif
