// Scratch for one step: pushed during it, gone at its end. Reserved beforehand, so that a step allocates
// nothing.
#ifndef CORD_BASE_ARENA_H
#define CORD_BASE_ARENA_H

#include "base/memory.h"

typedef struct Arena {
    char* base;
    size_t size, used; // [bytes]
} Arena;

// keeps what is larger; false: no memory, arena unchanged
bool arena_reserve(Memory* m, Arena* arena, size_t size);
void arena_free(Memory* m, Arena* arena);

// `size` bytes at a multiple of MEMORY_ALIGN, with whatever is in them. The reserve must be large enough:
// what is pushed in a step is known when it is reserved.
void* arena_push_bytes(Arena* arena, size_t size);
#define arena_push(arena, type, count) ((type*)arena_push_bytes((arena), sizeof(type) * (size_t)(count)))

// What `count` entries of `size` bytes take up, alignment included.
size_t arena_space(size_t size, int count);

// Part of an arena for one task: its own pushes, nothing shared.
Arena arena_slice(Arena* arena, size_t size);

static inline void arena_reset(Arena* arena)
{
    arena->used = 0;
}

#endif
