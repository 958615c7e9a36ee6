#include "base/memory.h"
#include "check.h"

#include <stdlib.h>

typedef struct Heap { // an allocator that keeps books
    size_t held;      // [bytes]
    size_t last_size, last_align;
    int calls;
} Heap;

static void* heap_alloc(void* user, size_t size, size_t align)
{
    Heap* heap = user;
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    memset(block, 0xa5, size); // nobody promised zeros
    heap->held += size;
    heap->calls++;
    heap->last_size = size;
    heap->last_align = align;
    return block;
}

static void heap_free(void* user, void* block, size_t size, size_t align)
{
    Heap* heap = user;
    heap->held -= size;
    heap->last_size = size;
    heap->last_align = align;
    free(block);
}

static void* no_alloc(void* user, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    return NULL;
}

static Memory kept_by(Heap* heap)
{
    Memory m;
    memory_init(&m, (CordAllocator){heap_alloc, heap_free, heap});
    return m;
}

TEST(blocks_are_aligned_and_zeroed_whatever_the_allocator_leaves_in_them)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    for (size_t size = 1; size < 300; size += 7) {
        unsigned char* block = memory_alloc(&m, size);
        CHECK_INT((uintptr_t)block % MEMORY_ALIGN, 0);
        for (size_t i = 0; i < size; i++) {
            CHECK_INT(block[i], 0);
        }
        memory_free(&m, block, size);
    }
}

TEST(the_heap_serves_when_no_allocator_is_given)
{
    Memory m;
    memory_init(&m, (CordAllocator){0});
    double* block = memory_array(&m, double, 1000);
    CHECK(block != NULL);
    CHECK_INT((uintptr_t)block % MEMORY_ALIGN, 0);
    CHECK_NEAR(block[999], 0.0, 0.0);
    memory_array_free(&m, block, 1000);
    CHECK_INT(m.bytes, 0);
}

TEST(calls_and_bytes_are_counted)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    void* a = memory_alloc(&m, 100);
    void* b = memory_alloc(&m, 28);
    CHECK_INT(m.allocations, 2);
    CHECK_INT(m.bytes, 128);
    memory_free(&m, a, 100);
    CHECK_INT(m.bytes, 28);
    memory_free(&m, b, 28);
    CHECK_INT(m.bytes, 0);
    CHECK_INT(m.allocations, 2);
    CHECK_INT(heap.held, 0);
}

TEST(free_gets_the_size_and_alignment_of_the_allocation)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    for (size_t size = 0; size < 3; size++) {
        void* block = memory_alloc(&m, size);
        CHECK(block != NULL); // no bytes are a valid block, too
        size_t asked = heap.last_size, align = heap.last_align;
        heap.last_size = heap.last_align = 0;
        memory_free(&m, block, size);
        CHECK_INT(heap.last_size, asked);
        CHECK_INT(heap.last_align, align);
        CHECK_INT(heap.held, 0);
    }
}

TEST(a_size_beyond_the_address_space_is_refused_without_asking)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    CHECK(memory_alloc(&m, SIZE_MAX - 7) == NULL);
    CHECK(memory_array(&m, double, -1) == NULL);
    CHECK_INT(heap.calls, 0);
}

TEST(freeing_nothing_is_fine)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    memory_free(&m, NULL, 10);
    CHECK_INT(m.bytes, 0);
}

TEST(a_failed_allocation_is_not_counted)
{
    Memory m;
    memory_init(&m, (CordAllocator){no_alloc, heap_free, NULL});
    CHECK(memory_alloc(&m, 8) == NULL);
    CHECK_INT(m.allocations, 0);
    CHECK_INT(m.bytes, 0);
}

TEST(an_array_that_grows_keeps_its_entries)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    int* array = NULL;
    int capacity = 0;
    for (int count = 0; count < 1000; count++) {
        CHECK(memory_grow(&m, (void**)&array, count, &capacity, sizeof *array));
        CHECK(count < capacity);
        array[count] = count;
    }
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(array[i], i);
    }
    CHECK(m.allocations < 12); // doubles, so log2(1000 / 8) + 1 times at the most
    memory_array_free(&m, array, capacity);
    CHECK_INT(heap.held, 0);
}

TEST(an_array_that_cannot_grow_stays_as_it_was)
{
    Heap heap = {0};
    Memory m = kept_by(&heap);
    int* array = NULL;
    int capacity = 0;
    CHECK(memory_grow(&m, (void**)&array, 0, &capacity, sizeof *array));
    int* before = array;
    int full = capacity;
    m.allocator.alloc = no_alloc;
    CHECK(!memory_grow(&m, (void**)&array, full, &capacity, sizeof *array));
    CHECK(array == before);
    CHECK_INT(capacity, full);
    memory_array_free(&m, array, capacity);
}

TEST_GROUP(base_memory)
