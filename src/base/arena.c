#include "base/arena.h"

#include "base/assert.h"

static size_t aligned(size_t size)
{
    return (size + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
}

size_t arena_space(size_t size, int count)
{
    return aligned(size * (size_t)count);
}

bool arena_reserve(Memory* m, Arena* arena, size_t size)
{
    if (size <= arena->size) {
        return true;
    }
    size_t least = arena->size + arena->size / 2, larger = size > least ? size : least;
    char* base = memory_alloc(m, larger);
    if (!base) {
        return false;
    }
    memory_free(m, arena->base, arena->size);
    *arena = (Arena){.base = base, .size = larger};
    return true;
}

void arena_free(Memory* m, Arena* arena)
{
    memory_free(m, arena->base, arena->size);
    *arena = (Arena){0};
}

void* arena_push_bytes(Arena* arena, size_t size)
{
    // NULL may not be given to memset and memcpy, even for no bytes. Nobody writes to this one: an arena
    // without memory has blocks of no bytes only, as the assertion below says.
    static _Alignas(MEMORY_ALIGN) char nothing[MEMORY_ALIGN];
    CORD_ASSERT(arena->used + aligned(size) <= arena->size);
    void* block = arena->base ? arena->base + arena->used : nothing;
    arena->used += aligned(size);
    return block;
}

Arena arena_slice(Arena* arena, size_t size)
{
    return (Arena){.base = arena_push_bytes(arena, size), .size = aligned(size)};
}
