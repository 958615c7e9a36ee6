#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void* heap_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    return aligned_alloc(align, (size + align - 1) / align * align); // C17 wants a multiple of the alignment
}

static void heap_free(void* user, void* block, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    free(block);
}

void memory_init(Memory* m, CordAllocator allocator)
{
    *m = (Memory){.allocator = allocator};
    if (!allocator.alloc || !allocator.free) {
        m->allocator = (CordAllocator){heap_alloc, heap_free, NULL};
    }
}

void* memory_alloc(Memory* m, size_t size)
{
    if (size > PTRDIFF_MAX - MEMORY_ALIGN) {
        return NULL;
    }
    size_t held = size > 0 ? size : 1;
    void* block = m->allocator.alloc(m->allocator.user, held, MEMORY_ALIGN);
    if (block) {
        memset(block, 0, held);
        m->allocations++;
        m->bytes += (int64_t)held;
    }
    return block;
}

void memory_free(Memory* m, void* block, size_t size)
{
    if (!block) {
        return;
    }
    size_t held = size > 0 ? size : 1;
    m->allocator.free(m->allocator.user, block, held, MEMORY_ALIGN);
    m->bytes -= (int64_t)held;
}

bool memory_reserve(Memory* m, void** array, int count, int* capacity, size_t entry_size)
{
    if (count <= *capacity) {
        return true;
    }
    int least = *capacity > 0 ? 2 * *capacity : 8, wanted = count > least ? count : least;
    void* larger = memory_alloc(m, (size_t)wanted * entry_size);
    if (!larger) {
        return false;
    }
    if (*array) {
        memcpy(larger, *array, (size_t)*capacity * entry_size);
        memory_free(m, *array, (size_t)*capacity * entry_size);
    }
    *array = larger;
    *capacity = wanted;
    return true;
}

bool memory_grow(Memory* m, void** array, int count, int* capacity, size_t entry_size)
{
    return memory_reserve(m, array, count + 1, capacity, entry_size);
}
