// Hash set of names with open addressing. It stores pointers: a name must stay where it is while it is in the
// set.
#ifndef CORD_BASE_NAME_SET_H
#define CORD_BASE_NAME_SET_H

#include "base/memory.h"
#include "base/message.h"

#define NAME_SIZE 64 // with the terminating zero

typedef struct NameSet {
    const char** entries; // NULL: empty (capacity, a power of 2)
    int count, capacity;
    int passed; // name_set_choose has found the numbers up to this one in use
} NameSet;

bool name_set_has(const NameSet* n, const char* name);
bool name_set_reserve(Memory* m, NameSet* n);               // for one more name; false: no memory
bool name_set_add(Memory* m, NameSet* n, const char* name); // which must be new; false: no memory
void name_set_remove(NameSet* n, const char* name);         // which must be in the set
void name_set_free(Memory* m, NameSet* n);

// Writes the given name, or, if it is NULL, the kind and a number. Refuses a name that is too long or in use;
// a_kind ("a rod") is for the message.
CordResult name_set_choose(NameSet* n, const char* given, const char* kind, const char* a_kind,
                           char name[NAME_SIZE], Message* message);

#endif
