#include "heap.h"

#include "console.h"

#include <stdint.h>
#include <stdlib.h>

static void* checked(void* memory)
{
    if (!memory) {
        exit(error_failed("out of memory"));
    }
    return memory;
}

// One more than asked for, so that an empty array is not NULL.
void* heap_take(size_t count, size_t size)
{
    return checked(calloc(count + 1, size));
}

void* heap_grow(void* old, size_t count, size_t size)
{
    return checked(count < SIZE_MAX / size - 1 ? realloc(old, (count + 1) * size) : NULL);
}

// ---- counting

static void* counting_alloc(void* user, size_t size, size_t align)
{
    size_t* held = user;
    void* memory = aligned_alloc(align, (size + align - 1) / align * align);
    *held += memory ? size : 0;
    return memory;
}

static void counting_free(void* user, void* memory, size_t size, size_t align)
{
    (void)align;
    size_t* held = user;
    *held -= memory ? size : 0;
    free(memory);
}

CordAllocator heap_counting(size_t* held)
{
    *held = 0;
    return (CordAllocator){counting_alloc, counting_free, held};
}
