#include "base/sort.h"

#include "check.h"

enum { MOST = 200, LARGEST = 100 }; // elements; bytes of each

// An element: a key in its first byte, and bytes that tell which one it was and that all of it was moved.
static unsigned char kept[MOST * LARGEST];
static unsigned char keys[MOST];
static int comparisons;

static int by_key(const void* p, const void* q)
{
    int a = *(const unsigned char*)p, b = *(const unsigned char*)q;
    comparisons++;
    return 1000 * (a - b); // any size will do, as of strcmp
}

static unsigned char filler(int element, size_t k)
{
    return (unsigned char)(31 * element + 7 * (int)k + 1);
}

static void fill(int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        kept[size * (size_t)i] = keys[i];
        for (size_t k = 1; k < size; k++) {
            kept[size * (size_t)i + k] = filler(i, k);
        }
    }
    kept[size * (size_t)count] = 0xa5; // past the end
}

// Is this element, all of it, the one that came in as number i?
static bool was(const unsigned char* element, int i, size_t size)
{
    bool same = element[0] == keys[i];
    for (size_t k = 1; k < size; k++) {
        same &= element[k] == filler(i, k);
    }
    return same;
}

// In order, and each element that came in is there as often as it was.
static void check_sorted(int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        const unsigned char* element = kept + size * (size_t)i;
        CHECK(i == 0 || element[0] >= element[-(ptrdiff_t)size]);
        int here = 0, before = 0;
        for (int j = 0; j < count; j++) {
            before += was(element, j, size);
            here += memcmp(kept + size * (size_t)j, element, size) == 0;
        }
        CHECK(before > 0);
        CHECK_INT(here, before);
    }
    CHECK_INT(kept[size * (size_t)count], 0xa5);
}

static void sort(int count, size_t size)
{
    fill(count, size);
    comparisons = 0;
    heap_sort(kept, count, size, by_key);
    check_sorted(count, size);
}

static unsigned char random_byte(uint32_t* seed, int range)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (unsigned char)((*seed >> 16) % (uint32_t)range);
}

static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 17, 24, 33, 64, 80, 99, 100};
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(random_elements_of_any_size_are_sorted)
{
    uint32_t seed = 5;
    for (int i = 0; i < SIZES; i++) {
        for (int range = 1; range <= 256; range *= 4) { // from all equal to mostly different
            for (int n = 0; n < 6; n++) {
                int count = 2 + random_byte(&seed, MOST - 3);
                for (int k = 0; k < count; k++) {
                    keys[k] = random_byte(&seed, range);
                }
                sort(count, sizes[i]);
            }
        }
    }
}

TEST(every_order_of_a_few_is_sorted)
{
    for (int count = 0; count <= 5; count++) {
        int orders = 1;
        for (int k = 0; k < count; k++) {
            orders *= 5;
        }
        for (int order = 0; order < orders; order++) { // every key from 0 to 4 at every place
            for (int k = 0, left = order; k < count; k++, left /= 5) {
                keys[k] = (unsigned char)(left % 5);
            }
            sort(count, 3);
        }
    }
}

TEST(what_is_sorted_is_looked_at_once_and_left_as_it_is)
{
    unsigned char before[sizeof kept];
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < MOST - 1; k++) {
            keys[k] = (unsigned char)(k / 3); // equal ones stay in their places, too
        }
        fill(MOST - 1, sizes[i]);
        memcpy(before, kept, sizeof kept);
        comparisons = 0;
        heap_sort(kept, MOST - 1, sizes[i], by_key);
        CHECK_INT(comparisons, MOST - 2);
        CHECK_INT(memcmp(before, kept, sizeof kept), 0);
    }
}

// By a heap: 2 log2(n) comparisons an element at the most and one for building it, whatever the order.
TEST(no_order_takes_long)
{
    for (int pattern = 0; pattern < 4; pattern++) {
        int count = MOST - 1;
        for (int k = 0; k < count; k++) {
            int pipes = k < count / 2 ? k : count - k;
            keys[k] = (unsigned char)(pattern == 0   ? count - k
                                      : pattern == 1 ? pipes
                                      : pattern == 2 ? k % 2
                                                     : k % 17);
        }
        sort(count, 8);
        CHECK(comparisons < 2 * 8 * count + 3 * count); // 2^8 > count
    }
}

TEST(none_and_one_are_sorted_as_they_are)
{
    keys[0] = 9;
    sort(1, 100);
    sort(0, 100);
    CHECK_INT(comparisons, 0);
    heap_sort(NULL, 0, 8, by_key);
    CHECK_INT(comparisons, 0);
}

TEST_GROUP(base_sort)
