#include "base/name_set.h"

#include <stdio.h>
#include <string.h>

static uint32_t hash(const char* name) // 32-bit FNV-1a
{
    uint32_t h = 2166136261u;
    for (; *name; name++) {
        h = (h ^ (uint8_t)*name) * 16777619u;
    }
    return h;
}

// Index of a name, or of the free entry where it belongs.
static int find(const NameSet* n, const char* name)
{
    uint32_t mask = (uint32_t)n->capacity - 1, at = hash(name) & mask;
    while (n->entries[at] && strcmp(n->entries[at], name) != 0) {
        at = (at + 1) & mask;
    }
    return (int)at;
}

bool name_set_has(const NameSet* n, const char* name)
{
    return n->capacity > 0 && n->entries[find(n, name)] != NULL;
}

static bool grow(Memory* m, NameSet* n)
{
    NameSet larger = {
        .capacity = n->capacity > 0 ? 2 * n->capacity : 16, .count = n->count, .passed = n->passed};
    larger.entries = memory_array(m, const char*, larger.capacity);
    if (!larger.entries) {
        return false;
    }
    for (int i = 0; i < n->capacity; i++) {
        if (n->entries[i]) {
            larger.entries[find(&larger, n->entries[i])] = n->entries[i];
        }
    }
    name_set_free(m, n);
    *n = larger;
    return true;
}

bool name_set_reserve(Memory* m, NameSet* n)
{
    return 2 * (n->count + 1) <= n->capacity || grow(m, n);
}

bool name_set_add(Memory* m, NameSet* n, const char* name)
{
    if (!name_set_reserve(m, n)) {
        return false;
    }
    n->entries[find(n, name)] = name;
    n->count++;
    return true;
}

// Deletion with linear probing (Knuth, volume 3, algorithm 6.4 R): later entries move up, so that a search
// still finds them.
void name_set_remove(NameSet* n, const char* name)
{
    uint32_t mask = (uint32_t)n->capacity - 1, gap = (uint32_t)find(n, name);
    n->entries[gap] = NULL;
    n->count--;
    for (uint32_t at = (gap + 1) & mask; n->entries[at]; at = (at + 1) & mask) {
        uint32_t home = hash(n->entries[at]) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            n->entries[gap] = n->entries[at];
            n->entries[at] = NULL;
            gap = at;
        }
    }
}

void name_set_free(Memory* m, NameSet* n)
{
    memory_array_free(m, n->entries, n->capacity);
    *n = (NameSet){0};
}

CordResult name_set_choose(NameSet* n, const char* given, const char* kind, const char* a_kind,
                           char name[NAME_SIZE], Message* message)
{
    if (given && strlen(given) >= NAME_SIZE) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the %s's name has %zu characters; at most %d are kept", kind, strlen(given),
                            NAME_SIZE - 1);
    }
    if (given && name_set_has(n, given)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is %s named '%s' already", a_kind, given);
    }
    int number = n->count > n->passed ? n->count : n->passed;
    snprintf(name, NAME_SIZE, "%s", given ? given : "");
    while (!given && (name[0] == '\0' || name_set_has(n, name))) {
        n->passed = number;
        snprintf(name, NAME_SIZE, "%s%d", kind, ++number);
    }
    return CORD_OK;
}
