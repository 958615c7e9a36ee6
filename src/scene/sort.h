// Sorting of pointers: stable, never slower than n log n.
#ifndef CORD_SCENE_SORT_H
#define CORD_SCENE_SORT_H

#include "base/memory.h"

typedef int (*SortOrder)(const void* a, const void* b); // negative, zero or positive, as for qsort

// False: no memory, and the list is as it was.
bool sort_pointers(Memory* memory, const void** list, size_t count, SortOrder order);

#endif
