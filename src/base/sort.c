#include "base/sort.h"

#include <stdbool.h>

typedef struct Array {
    unsigned char* array;
    size_t size;
    int (*compare)(const void* p, const void* q);
} Array;

static void* element(const Array* s, int i)
{
    return s->array + s->size * (size_t)i;
}

static void swap(const Array* s, int i, int j)
{
    unsigned char *p = element(s, i), *q = element(s, j);
    for (size_t k = 0; k < s->size; k++) {
        unsigned char kept = p[k];
        p[k] = q[k], q[k] = kept;
    }
}

static bool is_sorted(const Array* s, int count)
{
    for (int i = 1; i < count; i++) {
        if (s->compare(element(s, i - 1), element(s, i)) > 0) {
            return false;
        }
    }
    return true;
}

// Moves element i down the heap until no child is larger.
static void sift(const Array* s, int i, int count)
{
    for (int below = 2 * i + 1; below < count; below = 2 * i + 1) {
        if (below + 1 < count && s->compare(element(s, below), element(s, below + 1)) < 0) {
            below++;
        }
        if (s->compare(element(s, i), element(s, below)) >= 0) {
            return;
        }
        swap(s, i, below);
        i = below;
    }
}

void heap_sort(void* array, int count, size_t size, int (*compare)(const void* p, const void* q))
{
    Array s = {array, size, compare};
    if (is_sorted(&s, count)) {
        return;
    }
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(&s, i, count);
    }
    for (int i = count - 1; i > 0; i--) {
        swap(&s, 0, i);
        sift(&s, 0, i);
    }
}
