// Arena allocator for the scratch memory of one step. It is reserved before the step, so that a step
// allocates nothing, and reset after it.
#ifndef CORD_BASE_ARENA_H
#define CORD_BASE_ARENA_H

#include "base/memory.h"

typedef struct Arena {
    char* base;
    size_t size, used; // [bytes]
} Arena;

// Never shrinks, and grows by half at the least, so that what grows bit by bit costs in proportion to its
// size. False: no memory, and the arena is unchanged.
bool arena_reserve(Memory* m, Arena* arena, size_t size);
void arena_free(Memory* m, Arena* arena);

// `size` bytes aligned to MEMORY_ALIGN, not initialised. The caller must have reserved enough. Never NULL: no
// bytes have an address, too.
void* arena_push_bytes(Arena* arena, size_t size);
#define arena_push(arena, type, count) ((type*)arena_push_bytes((arena), sizeof(type) * (size_t)(count)))

// Bytes that `count` entries of `size` bytes take up, with alignment.
size_t arena_space(size_t size, int count);

// An arena within the arena, for one task.
Arena arena_slice(Arena* arena, size_t size);

static inline void arena_reset(Arena* arena)
{
    arena->used = 0;
}

#endif
