#include "base/bytes.h"
#include "check.h"

typedef struct Things { // one of each kind
    uint64_t u;
    int64_t i;
    int n;
    bool yes, no;
    double d[3];
} Things;

static void visit(Things* t, Bytes* b)
{
    bytes_u64(b, &t->u);
    bytes_i64(b, &t->i);
    bytes_int(b, &t->n);
    bytes_bool(b, &t->yes);
    bytes_bool(b, &t->no);
    bytes_doubles(b, t->d, 3);
    bytes_expect(b, 77);
}

#define THINGS_SIZE (9 * 8)

static Things some_things(void)
{
    return (Things){0x0123456789abcdefu, -5, INT32_MIN, true, false, {1.0, -0.0, 1e-310}};
}

TEST(counting_writing_and_reading_agree)
{
    Things a = some_things(), b = {0};
    uint8_t data[THINGS_SIZE];
    Bytes count = bytes_start(BYTES_COUNT, NULL, 0);
    visit(&a, &count);
    CHECK_INT(count.used, THINGS_SIZE);
    Bytes out = bytes_start(BYTES_WRITE, data, sizeof data);
    visit(&a, &out);
    CHECK(!out.failed);
    CHECK_INT(out.used, THINGS_SIZE);
    Bytes in = bytes_start(BYTES_READ, data, sizeof data);
    visit(&b, &in);
    CHECK(!in.failed);
    CHECK_INT(in.used, THINGS_SIZE);
    CHECK(a.u == b.u && a.i == b.i && a.n == b.n && b.yes && !b.no);
    CHECK_INT(memcmp(a.d, b.d, sizeof a.d), 0); // the sign of zero and the subnormal too
}

TEST(bytes_are_little_endian)
{
    uint8_t data[24];
    Bytes b = bytes_start(BYTES_WRITE, data, sizeof data);
    uint64_t u = 0x0123456789abcdefu;
    int minus_two = -2;
    double one_and_a_half = 1.5; // 0x3ff8000000000000
    bytes_u64(&b, &u);
    bytes_int(&b, &minus_two);
    bytes_double(&b, &one_and_a_half);
    const uint8_t expected[24] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01, //
                                  0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, //
                                  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x3f};
    for (int i = 0; i < 24; i++) {
        CHECK_INT(data[i], expected[i]);
    }
}

TEST(input_cut_short_anywhere_fails)
{
    Things a = some_things();
    uint8_t data[THINGS_SIZE];
    Bytes out = bytes_start(BYTES_WRITE, data, sizeof data);
    visit(&a, &out);
    for (size_t size = 0; size < THINGS_SIZE; size++) {
        Things b = {0};
        Bytes in = bytes_start(BYTES_READ, data, size);
        visit(&b, &in);
        CHECK(in.failed);
        CHECK(in.used <= size);
    }
}

TEST(output_that_is_too_small_is_not_written_past)
{
    Things a = some_things();
    uint8_t data[THINGS_SIZE];
    memset(data, 0xee, sizeof data);
    Bytes out = bytes_start(BYTES_WRITE, data, 20);
    visit(&a, &out);
    CHECK(out.failed);
    for (size_t i = 20; i < sizeof data; i++) {
        CHECK_INT(data[i], 0xee);
    }
}

static bool reading_fails(uint64_t word, void (*read)(Bytes* b))
{
    uint8_t data[8];
    Bytes out = bytes_start(BYTES_WRITE, data, sizeof data);
    bytes_u64(&out, &word);
    Bytes in = bytes_start(BYTES_READ, data, sizeof data);
    read(&in);
    return in.failed;
}

static void read_int(Bytes* b)
{
    int value;
    bytes_int(b, &value);
}

static void read_bool(Bytes* b)
{
    bool value = false;
    bytes_bool(b, &value);
}

static void read_tag(Bytes* b)
{
    bytes_expect(b, 77);
}

TEST(values_that_do_not_fit_their_kind_fail)
{
    CHECK(!reading_fails((uint64_t)INT32_MAX, read_int));
    CHECK(reading_fails((uint64_t)INT32_MAX + 1, read_int));
    CHECK(!reading_fails(1, read_bool));
    CHECK(reading_fails(2, read_bool));
    CHECK(!reading_fails(77, read_tag));
    CHECK(reading_fails(78, read_tag));
}

static uint64_t hash_of(Things t)
{
    Bytes b = bytes_start(BYTES_HASH, NULL, 0);
    visit(&t, &b);
    return b.hash;
}

TEST(the_hash_follows_the_values_and_their_order)
{
    Things a = some_things(), b = a;
    CHECK(hash_of(a) == hash_of(b));
    b.d[1] = 0.0; // -0.0 has other bits
    CHECK(hash_of(a) != hash_of(b));
    b = a;
    b.yes = false, b.no = true;
    CHECK(hash_of(a) != hash_of(b));
}

TEST(one_bit_changes_about_half_of_the_hash)
{
    Things a = some_things();
    int least = 64;
    for (int bit = 0; bit < 64; bit++) {
        Things b = a;
        b.u ^= (uint64_t)1 << bit;
        int changed = 0;
        for (uint64_t x = hash_of(a) ^ hash_of(b); x; x &= x - 1) {
            changed++;
        }
        least = changed < least ? changed : least;
    }
    CHECK(least >= 16); // 32 on average, 4 standard deviations of a fair coin below
}

TEST_GROUP(base_bytes)
