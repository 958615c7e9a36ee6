// Heapsort: O(n log n), in place, allocates nothing. An array in order costs one pass. The C library's qsort
// promises none of these.
#ifndef CORD_BASE_SORT_H
#define CORD_BASE_SORT_H

#include <stddef.h>

// compare(p, q) is below, at or above 0. Not stable.
void heap_sort(void* array, int count, size_t size, int (*compare)(const void* p, const void* q));

#endif
