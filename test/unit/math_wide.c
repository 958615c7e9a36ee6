#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" // wide values are only passed to functions that are inlined
#endif

#include "check.h"
#include "math/wide.h"
#include "math/wide_trig.h"

// Every operation on the target that the tests are compiled for, against the same on one double at a time,
// bit for bit.

static const double values[] = {0.0,    -0.0, 1.0,     -1.0,     0.1,       -3.7,   1e300, -1e300,
                                1e-310, 2.0,  1.0 / 3, INFINITY, -INFINITY, 1e-160, 5e17,  -8.25};
enum { COUNT = sizeof values / sizeof *values };

static bool same_bits(double a, double b)
{
    // the sign of what is not a number is free
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

#define CHECK_LANES(wide, lane_value)                                                                        \
    do {                                                                                                     \
        double lanes[4];                                                                                     \
        wide_store(lanes, (wide));                                                                           \
        for (int i = 0; i < 4; i++) {                                                                        \
            CHECK(same_bits(lanes[i], (lane_value)));                                                        \
        }                                                                                                    \
    } while (0)

static void check_pair(const double* a, const double* b)
{
    CordWide x = wide_load(a), y = wide_load(b);
    CHECK_LANES(x, a[i]);
    CHECK_LANES(wide_set(a[0]), a[0]);
    CHECK_LANES(x + y, a[i] + b[i]);
    CHECK_LANES(x - y, a[i] - b[i]);
    CHECK_LANES(x * y, a[i] * b[i]);
    CHECK_LANES(x / y, a[i] / b[i]);
    CHECK_LANES(x * y + x, a[i] * b[i] + a[i]); // rounded twice: never fused
    CHECK_LANES(wide_sqrt(x), sqrt(a[i]));
    CHECK_LANES(wide_abs(x), fabs(a[i]));
    CHECK_LANES(wide_max(x, y), a[i] <= b[i] ? b[i] : a[i]);
}

TEST(arithmetic_goes_lane_by_lane)
{
    for (int j = 0; j < COUNT; j++) {
        double a[4], b[4];
        for (int k = 0; k < COUNT; k++) {
            for (int i = 0; i < 4; i++) {
                a[i] = values[(j + 3 * i) % COUNT];
                b[i] = values[(k + 5 * i) % COUNT];
            }
            check_pair(a, b);
        }
    }
}

TEST(the_larger_of_a_pair_is_the_first_if_the_second_is_no_number)
{
    CHECK_LANES(wide_max(wide_set(2.0), wide_set(NAN)), 2.0);
}

TEST(loads_and_stores_need_no_alignment)
{
    double from[6] = {0, 1, 2, 3, 4, 5}, to[6] = {9, 9, 9, 9, 9, 9};
    wide_store(to + 1, wide_load(from + 1));
    CHECK(to[0] == 9 && to[1] == 1 && to[4] == 4 && to[5] == 9);
}

TEST(earlier_and_later_shift_by_one_lane_across_blocks)
{
    double a[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    CordWide before = wide_load(a), here = wide_load(a + 4), next = wide_load(a + 8);
    CHECK_LANES(wide_earlier(before, here), a[3 + i]);
    CHECK_LANES(wide_later(here, next), a[5 + i]);
}

TEST(selection_takes_whole_lanes)
{
    double a[4] = {NAN, 1, 2, 3}, b[4] = {4, 5, NAN, 7};
    for (int count = 0; count <= 5; count++) {
        CHECK_LANES(wide_select(wide_first(count), wide_load(a), wide_load(b)), i < count ? a[i] : b[i]);
    }
}

TEST(the_sum_of_lanes_has_a_fixed_order)
{
    double a[4] = {1e16, 1.0, -1e16, 3.0};
    CHECK_NEAR(wide_sum(wide_load(a)), (a[0] + a[1]) + (a[2] + a[3]), 0.0);
}

// From small angles to those that are brought down first, with some that are no numbers.
TEST(sine_and_cosine_go_lane_by_lane)
{
    for (int n = 0; n < 40000; n++) {
        double size = pow(10.0, n % 9 - 2), step = 7.3e-4 * size;
        double a[4] = {n * step, -n * step, n * step + size, n % 7 ? 0.25 * n * step : values[n % COUNT]};
        CordWide sine, cosine;
        wide_sin_cos(wide_load(a), &sine, &cosine);
        CHECK_LANES(sine, cord_sin(a[i]));
        CHECK_LANES(cosine, cord_cos(a[i]));
    }
}

TEST_GROUP(math_wide)
