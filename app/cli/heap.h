// The memory of the commands. Where there is no more, the program says so and ends: a recording that is open
// is then cut off, and can be read and resumed.
#ifndef CORDAGE_CLI_HEAP_H
#define CORDAGE_CLI_HEAP_H

#include <cordage/cordage.h>

#include <stddef.h>

// Each is for `count` things of a size, and freed with free(). heap_take's are zero.
void* heap_take(size_t count, size_t size);
void* heap_grow(void* old, size_t count, size_t size);

// An allocator for a world that counts the bytes it holds in *held, which must outlive the world.
CordAllocator heap_counting(size_t* held);

#endif
