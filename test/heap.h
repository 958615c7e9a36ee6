// An allocator that keeps books, and fails when told to.
#ifndef CORD_TEST_HEAP_H
#define CORD_TEST_HEAP_H

#include <cordage/cordage.h>

#include <stdlib.h>

typedef struct Heap {
    int64_t calls; // of alloc
    int64_t held;  // [bytes]
    int64_t fail;  // the call that fails; 0: none
    bool from_then_on;
} Heap;

// Distance between the allocations that tests make fail in turn. The release build tries every one of them.
// Sanitizers look for leaks and wrong accesses after a failure; there each subject tries another third.
#ifdef __SANITIZE_ADDRESS__
enum { HEAP_STRIDE = 3 };
#else
enum { HEAP_STRIDE = 1 };
#endif

static inline void* heap_alloc(void* user, size_t size, size_t align)
{
    Heap* heap = user;
    heap->calls++;
    if (heap->fail > 0 && (heap->calls == heap->fail || (heap->from_then_on && heap->calls > heap->fail))) {
        return NULL;
    }
    heap->held += (int64_t)size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void heap_free(void* user, void* block, size_t size, size_t align)
{
    (void)align;
    ((Heap*)user)->held -= (int64_t)size;
    free(block);
}

static inline CordWorldDef def_on(Heap* heap)
{
    CordWorldDef def = cord_world_def_default();
    def.allocator = (CordAllocator){heap_alloc, heap_free, heap};
    return def;
}

#endif
