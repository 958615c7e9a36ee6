// A pool is the memory of one scene: taken piece by piece, freed in one call. It uses the allocator that it
// is given, so a test can make any allocation fail. `failed` stays set, so callers may check it late.
#ifndef CORD_SCENE_POOL_H
#define CORD_SCENE_POOL_H

#include "base/memory.h"

#include <stdarg.h>

typedef struct PoolChunk PoolChunk;

typedef struct Pool {
    Memory memory;
    PoolChunk* chunks; // the first is being filled
    bool failed;       // an allocation has failed
} Pool;

void pool_init(Pool* pool, CordAllocator allocator); // with NULL functions: the C library's heap
void pool_free(Pool* pool);

// A pool for scratch memory, from the same allocator. pool_end frees it; if it has failed, the other has too.
Pool pool_beside(const Pool* pool);
void pool_end(Pool* scratch, Pool* pool);

// Zeroed memory; NULL: there is none. align is a power of two, at most 16.
void* pool_take(Pool* pool, size_t size, size_t align);
#define pool_array(pool, type, count)                                                                        \
    ((type*)pool_take((pool), sizeof(type) * (size_t)(count), _Alignof(type)))

// Makes room for one more entry of a growable array. The pool keeps the old array too, at most as much again.
// False: there is no memory, and the array is unchanged.
bool pool_grow(Pool* pool, void** array, int count, int* capacity, size_t entry_size);

char* pool_text(Pool* pool, const char* text, size_t size); // a copy with a zero at its end

#if defined(__GNUC__)
#define POOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define POOL_PRINTF(text, first)
#endif

POOL_PRINTF(2, 3) char* pool_format(Pool* pool, const char* format, ...);
POOL_PRINTF(2, 0) char* pool_vformat(Pool* pool, const char* format, va_list arguments);

#endif
