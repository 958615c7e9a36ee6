// The world's memory: the caller's allocator behind three calls.
#ifndef CORD_BASE_MEMORY_H
#define CORD_BASE_MEMORY_H

#include <cordage/cordage.h>

#define MEMORY_ALIGN 64 // a cache line; no SIMD load needs more

typedef struct Memory {
    CordAllocator allocator;
    int64_t allocations; // calls so far; a step after warm-up must not add to them
    int64_t bytes;       // allocated now
} Memory;

void memory_init(Memory* m, CordAllocator allocator); // NULL functions: the C library's heap
void* memory_alloc(Memory* m, size_t size); // zeroed and aligned, NULL: no memory; size 0 gives a valid block
void memory_free(Memory* m, void* block, size_t size);

#define memory_array(m, type, count) ((type*)memory_alloc((m), sizeof(type) * (size_t)(count)))
#define memory_array_free(m, array, count) memory_free((m), (array), sizeof *(array) * (size_t)(count))

// Make room for one more entry of a growable array, or for `count` in all. False: no memory, and the array is
// unchanged.
bool memory_grow(Memory* m, void** array, int count, int* capacity, size_t entry_size);
bool memory_reserve(Memory* m, void** array, int count, int* capacity, size_t entry_size);

#endif
