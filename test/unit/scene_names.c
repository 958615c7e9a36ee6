#include "check.h"
#include "scene/names.h"

static const char* const keys[] = {"elements", "radius", "free_along", "torus_knot", "at", "fix", NULL};

static const char* key_at(const void* context, int i)
{
    const char* const* list = context;
    return list[i];
}

static const char* nearest(const char* word)
{
    return name_nearest(word, key_at, keys, 7);
}

TEST(a_misspelt_name_finds_the_one_meant)
{
    CHECK_STR(nearest("elemnts"), "elements");   // left out
    CHECK_STR(nearest("elementss"), "elements"); // put in
    CHECK_STR(nearest("elenents"), "elements");  // replaced
    CHECK_STR(nearest("elmeents"), "elements");  // exchanged
    CHECK_STR(nearest("ELEMENTS"), "elements");
    CHECK_STR(nearest("free-along"), "free_along");
    CHECK_STR(nearest("FreeAlong"), "free_along");
    CHECK_STR(nearest("knot"), "torus_knot"); // a part
    CHECK_STR(nearest("fixed"), "fix");
    CHECK_STR(nearest("ta"), "at");
}

TEST(a_name_far_from_all_finds_none)
{
    CHECK(nearest("wind") == NULL);
    CHECK(nearest("x") == NULL);
    CHECK(nearest("") == NULL);
    CHECK(nearest("elementselementselementselementselementselements") == NULL); // too long to guess at
    CHECK_STR(name_hint("wind", key_at, keys, 7).text, "");
    CHECK_STR(name_hint("radios", key_at, keys, 7).text, "; did you mean \"radius\"?");
}

TEST(another_word_for_the_same_thing_goes_before_one_that_looks_like_it)
{
    static const char* const shapes[] = {"plane", "sphere", "tube", "box", "implicit"};
    CHECK_STR(name_nearest("cube", key_at, shapes, 5), "box");
    CHECK_STR(name_nearest("Cube", key_at, shapes, 5), "box");
    CHECK_STR(name_nearest("cube", key_at, shapes, 3), "tube"); // where there are no boxes
    CHECK_STR(name_hint("ball", key_at, shapes, 5).text, "; did you mean \"sphere\"?");
    CHECK_STR(name_hint("midpoint", key_at, shapes, 5).text,
              "; did you mean \"implicit\" (the midpoint rule)?");
    CHECK_STR(name_hint("midpoint", key_at, shapes, 4).text, "");
}

TEST(an_index_finds_the_first_of_each_name)
{
    static const char* const names[] = {"b", "a", "c", "a", NULL, "bb"};
    Pool pool;
    NameIndex index;
    pool_init(&pool, (CordAllocator){0});
    CHECK(name_index_make(&pool, &index, key_at, names, 6));
    CHECK_INT(index.count, 5);
    CHECK_INT(name_index_find(&index, "a"), 1);
    CHECK_INT(name_index_find(&index, "b"), 0);
    CHECK_INT(name_index_find(&index, "bb"), 5);
    CHECK_INT(name_index_find(&index, "c"), 2);
    CHECK_INT(name_index_find(&index, "d"), -1);
    CHECK_INT(name_index_find(&index, ""), -1);
    pool_free(&pool);
}

TEST(a_pool_gives_zeroed_aligned_memory_that_does_not_overlap)
{
    Pool pool;
    pool_init(&pool, (CordAllocator){0});
    unsigned char* last = NULL;
    size_t last_size = 0;
    for (size_t i = 1; i < 3000; i++) {
        size_t size = i * i % 977 + (i % 500 == 0 ? 400000 : 0), align = (size_t)1 << i % 5;
        unsigned char* block = pool_take(&pool, size, align);
        CHECK(block != NULL);
        CHECK_INT((uintptr_t)block % align, 0);
        for (size_t k = 0; k < size; k++) {
            CHECK(block[k] == 0);
        }
        for (size_t k = 0; k < last_size; k++) {
            CHECK(last[k] == 0xab);
        }
        memset(block, 0xab, size);
        last = block;
        last_size = size;
    }
    CHECK_STR(pool_format(&pool, "%s-%d", "x", 7), "x-7");
    pool_free(&pool);
    CHECK_INT(pool.memory.bytes, 0);
}

TEST_GROUP(scene_names)
