#include "scene/pool.h"

#include <stdio.h>
#include <string.h>

#define CHUNK_ALIGN 16
#define CHUNK_LEAST ((size_t)1 << 12)
#define CHUNK_MOST ((size_t)1 << 20)

struct PoolChunk {
    _Alignas(CHUNK_ALIGN) PoolChunk* next;
    size_t size, used; // of the memory after this header [bytes]
};

void pool_init(Pool* pool, CordAllocator allocator)
{
    *pool = (Pool){0};
    memory_init(&pool->memory, allocator);
}

void pool_free(Pool* pool)
{
    while (pool->chunks) {
        PoolChunk* chunk = pool->chunks;
        pool->chunks = chunk->next;
        memory_free(&pool->memory, chunk, sizeof *chunk + chunk->size);
    }
}

Pool pool_beside(const Pool* pool)
{
    Pool scratch;
    pool_init(&scratch, pool->memory.allocator);
    return scratch;
}

void pool_end(Pool* scratch, Pool* pool)
{
    pool->failed = pool->failed || scratch->failed;
    pool_free(scratch);
}

static PoolChunk* chunk_make(Pool* pool, size_t size)
{
    PoolChunk* chunk = size < PTRDIFF_MAX ? memory_alloc(&pool->memory, sizeof *chunk + size) : NULL;
    if (!chunk) {
        pool->failed = true;
        return NULL;
    }
    chunk->size = size;
    return chunk;
}

// Something large gets a chunk of its own, behind the one that is being filled, whose rest stays in use.
static void* take_large(Pool* pool, size_t size)
{
    PoolChunk* chunk = chunk_make(pool, size);
    if (!chunk) {
        return NULL;
    }
    chunk->used = size;
    PoolChunk** behind = pool->chunks ? &pool->chunks->next : &pool->chunks;
    chunk->next = *behind;
    *behind = chunk;
    return chunk + 1;
}

void* pool_take(Pool* pool, size_t size, size_t align)
{
    PoolChunk* chunk = pool->chunks;
    size_t at = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
    if (!chunk || at > chunk->size || size > chunk->size - at) {
        if (size > CHUNK_MOST / 4) {
            return take_large(pool, size);
        }
        size_t wanted = chunk ? 2 * chunk->size : CHUNK_LEAST;
        wanted = wanted > CHUNK_MOST ? CHUNK_MOST : wanted;
        wanted = wanted < 4 * size ? 4 * size : wanted;
        chunk = chunk_make(pool, wanted);
        if (!chunk) {
            return NULL;
        }
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        at = 0;
    }
    chunk->used = at + size;
    return (char*)(chunk + 1) + at;
}

bool pool_grow(Pool* pool, void** array, int count, int* capacity, size_t entry_size)
{
    if (count < *capacity) {
        return true;
    }
    int room = 2 * *capacity + 16;
    void* larger = pool_take(pool, entry_size * (size_t)room, CHUNK_ALIGN);
    if (!larger) {
        return false;
    }
    if (count > 0) {
        memcpy(larger, *array, entry_size * (size_t)count);
    }
    *array = larger;
    *capacity = room;
    return true;
}

char* pool_text(Pool* pool, const char* text, size_t size)
{
    char* copy = pool_take(pool, size + 1, 1);
    if (copy && size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

char* pool_vformat(Pool* pool, const char* format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char* text = size < 0 ? NULL : pool_take(pool, (size_t)size + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)size + 1, format, arguments);
    }
    return text;
}

char* pool_format(Pool* pool, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char* text = pool_vformat(pool, format, arguments);
    va_end(arguments);
    return text;
}
