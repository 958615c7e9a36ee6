// Memory for tests of modules that allocate: from the C library, or from an allocator that keeps books.
#ifndef CORD_TEST_UNIT_BASE_HEAP_H
#define CORD_TEST_UNIT_BASE_HEAP_H

#include "base/memory.h"
#include "heap.h"

static inline Memory new_memory(void)
{
    Memory m;
    memory_init(&m, (CordAllocator){0});
    return m;
}

static inline Memory memory_on(Heap* heap)
{
    Memory m;
    memory_init(&m, (CordAllocator){heap_alloc, heap_free, heap});
    return m;
}

#endif
