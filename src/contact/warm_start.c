#include "contact/warm_start.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

bool warm_starts_reserve(Memory* m, WarmStarts* w, int count)
{
    return memory_reserve(m, (void**)&w->all, count, &w->capacity, sizeof(WarmStart));
}

static int compare(const void* p, const void* q)
{
    return contact_key_compare(&((const WarmStart*)p)->key, &((const WarmStart*)q)->key);
}

void warm_starts_sort(WarmStarts* w)
{
    heap_sort(w->all, w->count, sizeof *w->all, compare);
}

const WarmStart* warm_starts_find(const WarmStarts* w, const ContactPoint* contact)
{
    WarmStart wanted = {.key = contact_persistent_key(contact)};
    return w->count > 0 ? bsearch(&wanted, w->all, (size_t)w->count, sizeof wanted, compare) : NULL;
}

bool warm_starts_copy(Memory* m, WarmStarts* to, const WarmStarts* from)
{
    if (!warm_starts_reserve(m, to, from->count)) {
        return false;
    }
    to->count = from->count;
    if (from->count > 0) {
        memcpy(to->all, from->all, sizeof *to->all * (size_t)from->count);
    }
    return true;
}

void warm_starts_remap(WarmStarts* w, const ContactKeyRemap* by)
{
    int kept = 0;
    for (int i = 0; i < w->count; i++) {
        WarmStart start = w->all[i];
        if (contact_key_remap(&start.key, by)) {
            w->all[kept++] = start;
        }
    }
    w->count = kept;
}

void warm_starts_free(Memory* m, WarmStarts* w)
{
    memory_array_free(m, w->all, w->capacity);
    *w = (WarmStarts){0};
}
