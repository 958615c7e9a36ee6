#include "base/arena.h"
#include "base_heap.h"
#include "check.h"

static Memory m;

static Arena new_arena(size_t size)
{
    Arena arena = {0};
    m = new_memory();
    CHECK(arena_reserve(&m, &arena, size));
    return arena;
}

static void free_arena(Arena* arena)
{
    arena_free(&m, arena);
    CHECK_INT(m.bytes, 0);
}

TEST(pushes_are_aligned_and_apart)
{
    Arena arena = new_arena(4096);
    char* last = NULL;
    size_t last_size = 0;
    for (size_t size = 1; size < 300; size += 60) {
        char* block = arena_push_bytes(&arena, size);
        CHECK_INT((uintptr_t)block % MEMORY_ALIGN, 0);
        CHECK(!last || block >= last + last_size);
        last = block, last_size = size;
    }
    free_arena(&arena);
}

TEST(space_counts_the_alignment_so_that_a_reserve_of_sums_is_enough)
{
    size_t need = arena_space(sizeof(double), 3) + arena_space(1, 1) + arena_space(24, 100);
    Arena arena = new_arena(need);
    arena_push(&arena, double, 3);
    arena_push(&arena, char, 1);
    arena_push_bytes(&arena, 2400);
    CHECK_INT(arena.used, need); // what was reserved, to the byte
    free_arena(&arena);
}

TEST(a_reset_gives_the_same_memory_again)
{
    Arena arena = new_arena(1024);
    void* first = arena_push_bytes(&arena, 100);
    arena_push_bytes(&arena, 100);
    arena_reset(&arena);
    CHECK(arena_push_bytes(&arena, 50) == first);
    free_arena(&arena);
}

TEST(a_smaller_reserve_keeps_the_larger_one)
{
    Arena arena = new_arena(1000);
    char* base = arena.base;
    CHECK(arena_reserve(&m, &arena, 10));
    CHECK(arena.base == base);
    CHECK_INT(m.allocations, 1);
    CHECK(arena_reserve(&m, &arena, 2000));
    CHECK_INT(arena.size, 2000);
    CHECK_INT(m.bytes, 2000); // the old one is given back
    free_arena(&arena);
}

TEST(what_grows_bit_by_bit_is_allocated_rarely)
{
    Arena arena = new_arena(1000);
    for (size_t size = 1000; size < 10000; size += 10) {
        CHECK(arena_reserve(&m, &arena, size));
        CHECK(arena.size >= size && arena.size < 2 * size);
    }
    CHECK(m.allocations < 10);
    free_arena(&arena);
}

TEST(a_reserve_that_fails_leaves_the_arena)
{
    Heap heap = {.fail = 2};
    Arena arena = {0};
    m = memory_on(&heap);
    CHECK(arena_reserve(&m, &arena, 100));
    Arena before = arena;
    CHECK(!arena_reserve(&m, &arena, 200));
    CHECK(arena.base == before.base && arena.size == before.size);
    free_arena(&arena);
}

TEST(slices_share_nothing)
{
    Arena arena = new_arena(2 * arena_space(100, 1));
    Arena a = arena_slice(&arena, 100), b = arena_slice(&arena, 100);
    CHECK(a.size >= 100 && b.size >= 100);
    char *from_a = arena_push_bytes(&a, 100), *from_b = arena_push_bytes(&b, 100);
    memset(from_a, 1, 100);
    memset(from_b, 2, 100);
    CHECK_INT(from_a[99], 1);
    CHECK_INT((uintptr_t)from_b % MEMORY_ALIGN, 0);
    free_arena(&arena);
}

// memset and memcpy take no NULL, even for no bytes.
TEST(no_bytes_have_an_address)
{
    Arena arena = {0};
    CHECK(arena_push_bytes(&arena, 0) != NULL);
    Arena slice = arena_slice(&arena, 0);
    CHECK(arena_push_bytes(&slice, 0) != NULL);
    CHECK_INT(arena.used + slice.used, 0);
}

TEST_GROUP(base_arena)
