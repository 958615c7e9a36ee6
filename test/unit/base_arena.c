#include "base/arena.h"
#include "check.h"

static Memory heap(void)
{
    Memory m;
    memory_init(&m, (CordAllocator){0});
    return m;
}

TEST(pushes_are_aligned_and_apart)
{
    Memory m = heap();
    Arena arena = {0};
    CHECK(arena_reserve(&m, &arena, 4096));
    char* last = NULL;
    size_t last_size = 0;
    for (size_t size = 1; size < 300; size += 60) {
        char* block = arena_push_bytes(&arena, size);
        CHECK_INT((uintptr_t)block % MEMORY_ALIGN, 0);
        CHECK(!last || block >= last + last_size);
        last = block, last_size = size;
    }
    arena_free(&m, &arena);
    CHECK_INT(m.bytes, 0);
}

TEST(space_counts_the_alignment_so_that_a_reserve_of_sums_is_enough)
{
    Memory m = heap();
    Arena arena = {0};
    size_t need = arena_space(sizeof(double), 3) + arena_space(1, 1) + arena_space(24, 100);
    CHECK(arena_reserve(&m, &arena, need));
    arena_push(&arena, double, 3);
    arena_push(&arena, char, 1);
    arena_push_bytes(&arena, 2400);
    CHECK_INT(arena.used, need); // what was reserved, to the byte
    arena_free(&m, &arena);
}

TEST(a_reset_gives_the_same_memory_again)
{
    Memory m = heap();
    Arena arena = {0};
    CHECK(arena_reserve(&m, &arena, 1024));
    void* first = arena_push_bytes(&arena, 100);
    arena_push_bytes(&arena, 100);
    arena_reset(&arena);
    CHECK(arena_push_bytes(&arena, 50) == first);
    arena_free(&m, &arena);
}

TEST(a_smaller_reserve_keeps_the_larger_one)
{
    Memory m = heap();
    Arena arena = {0};
    CHECK(arena_reserve(&m, &arena, 1000));
    char* base = arena.base;
    CHECK(arena_reserve(&m, &arena, 10));
    CHECK(arena.base == base);
    CHECK_INT(m.allocations, 1);
    CHECK(arena_reserve(&m, &arena, 2000));
    CHECK_INT(arena.size, 2000);
    CHECK_INT(m.bytes, 2000); // the old one is given back
    arena_free(&m, &arena);
}

static void* no_alloc(void* user, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    return NULL;
}

TEST(a_reserve_that_fails_leaves_the_arena)
{
    Memory m = heap();
    Arena arena = {0};
    CHECK(arena_reserve(&m, &arena, 100));
    Arena before = arena;
    void* (*alloc)(void*, size_t, size_t) = m.allocator.alloc;
    m.allocator.alloc = no_alloc;
    CHECK(!arena_reserve(&m, &arena, 200));
    CHECK(arena.base == before.base && arena.size == before.size);
    m.allocator.alloc = alloc;
    arena_free(&m, &arena);
}

TEST(slices_share_nothing)
{
    Memory m = heap();
    Arena arena = {0};
    CHECK(arena_reserve(&m, &arena, 2 * arena_space(100, 1)));
    Arena a = arena_slice(&arena, 100), b = arena_slice(&arena, 100);
    CHECK(a.size >= 100 && b.size >= 100);
    char *from_a = arena_push_bytes(&a, 100), *from_b = arena_push_bytes(&b, 100);
    memset(from_a, 1, 100);
    memset(from_b, 2, 100);
    CHECK_INT(from_a[99], 1);
    CHECK_INT((uintptr_t)from_b % MEMORY_ALIGN, 0);
    arena_free(&m, &arena);
}

TEST_GROUP(base_arena, pushes_are_aligned_and_apart,
           space_counts_the_alignment_so_that_a_reserve_of_sums_is_enough,
           a_reset_gives_the_same_memory_again, a_smaller_reserve_keeps_the_larger_one,
           a_reserve_that_fails_leaves_the_arena, slices_share_nothing)
