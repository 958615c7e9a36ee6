// Sorting that allocates nothing and takes one look at what is in order already. The C library's may do
// either otherwise.
#ifndef CORD_BASE_SORT_H
#define CORD_BASE_SORT_H

#include <stddef.h>

// `order` of two elements: below, at or above 0. Equal ones may change places.
void heap_sort(void* array, int count, size_t size, int (*order)(const void* p, const void* q));

#endif
