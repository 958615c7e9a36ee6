#include "scene/sort.h"

#include <string.h>

static void merge(const void** from, const void** to, size_t low, size_t middle, size_t high, SortOrder order)
{
    for (size_t i = low, j = middle, k = low; k < high; k++) {
        bool left = i < middle && (j >= high || order(from[i], from[j]) <= 0);
        to[k] = left ? from[i++] : from[j++];
    }
}

bool sort_pointers(Memory* memory, const void** list, size_t count, SortOrder order)
{
    const void** other = memory_array(memory, const void*, count);
    if (!other) {
        return false;
    }
    const void **from = list, **to = other;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = low + 2 * width < count ? low + 2 * width : count;
            merge(from, to, low, middle, high, order);
        }
        const void** swap = from;
        from = to, to = swap;
    }
    if (from != list && count > 0) {
        memcpy(list, from, count * sizeof *list);
    }
    memory_array_free(memory, other, count);
    return true;
}
