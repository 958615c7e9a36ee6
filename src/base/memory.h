// The world's memory: one allocator, chosen by the caller, behind three calls.
#ifndef CORD_BASE_MEMORY_H
#define CORD_BASE_MEMORY_H

#include <cordage/cordage.h>

#define MEMORY_ALIGN 64 // a cache line; more than any SIMD load here needs

typedef struct Memory {
    CordAllocator allocator;
    int64_t allocations; // calls so far: a step after warm-up must not raise it
    int64_t bytes;       // held now
} Memory;

void memory_init(Memory* m, CordAllocator allocator); // NULL functions: the C library's heap
void* memory_alloc(Memory* m, size_t size); // zeroed and aligned, or NULL; size 0 gives a valid block
void memory_free(Memory* m, void* block, size_t size);

#define memory_array(m, type, count) ((type*)memory_alloc((m), sizeof(type) * (size_t)(count)))
#define memory_array_free(m, array, count) memory_free((m), (array), sizeof *(array) * (size_t)(count))

// Makes room for one more entry in a growable array, or for so many. False: no memory, and the array is as it
// was.
bool memory_grow(Memory* m, void** array, int count, int* capacity, size_t entry_size);
bool memory_reserve(Memory* m, void** array, int count, int* capacity, size_t entry_size);

#endif
