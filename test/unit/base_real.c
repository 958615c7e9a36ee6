#include "base/real.h"

#include "check.h"

TEST(the_larger_and_the_smaller)
{
    CHECK(real_max(1.0, 2.0) == 2.0 && real_max(2.0, 1.0) == 2.0);
    CHECK(real_min(1.0, 2.0) == 1.0 && real_min(2.0, 1.0) == 1.0);
    CHECK(real_max(-INFINITY, 1.0) == 1.0 && real_min(INFINITY, 1.0) == 1.0);
}

TEST(of_two_zeros_the_second)
{
    CHECK(!signbit(real_max(-0.0, 0.0)) && signbit(real_max(0.0, -0.0)));
    CHECK(!signbit(real_min(-0.0, 0.0)) && signbit(real_min(0.0, -0.0)));
}

TEST(what_is_no_number_gives_way)
{
    CHECK(real_max(NAN, 1.0) == 1.0 && real_max(1.0, NAN) == 1.0);
    CHECK(real_min(NAN, 1.0) == 1.0 && real_min(1.0, NAN) == 1.0);
    CHECK(isnan(real_max(NAN, NAN)) && isnan(real_min(NAN, NAN)));
}

TEST_GROUP(base_real)
