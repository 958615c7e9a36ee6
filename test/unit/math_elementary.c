#include "check.h"
#include "math/elementary.h"

// The C library in long double is the reference: 64 bits of mantissa on x86-64, more elsewhere.

static double ulps(double value, long double exact)
{
    double nearest = fabs((double)exact), unit = nextafter(nearest, INFINITY) - nearest;
    return (double)(fabsl((long double)value - exact) / (long double)unit);
}

typedef double (*Function)(double);
typedef long double (*Exact)(long double);

static double worst(Function f, Exact exact, double from, double to)
{
    double most = 0.0;
    for (int i = 0; i < 200000; i++) {
        double a = from + (to - from) * ((i + 0.318) / 200000);
        most = fmax(most, ulps(f(a), exact(a)));
    }
    return most;
}

TEST(sine_and_cosine_are_right_to_three_units_in_the_last_place)
{
    const double ranges[] = {0.78, 3.2, 100.0, 1e4, 1e6}; // the header promises full precision to 1e6
    CHECK(worst(cord_sin, sinl, -0.78, 0.78) < 1.0);      // where nothing is to be taken off
    for (int i = 0; i < 5; i++) {
        CHECK(worst(cord_sin, sinl, -ranges[i], ranges[i]) < 3.0);
        CHECK(worst(cord_cos, cosl, -ranges[i], ranges[i]) < 3.0);
    }
}

TEST(sine_keeps_its_precision_beside_its_zeros)
{
    for (int k = 1; k < 1000; k++) {
        double a = k * CORD_PI; // its distance from the true zero is 1e-16 k or so
        CHECK(ulps(cord_sin(a), sinl(a)) < 3.0);
        double c = (k - 0.5) * CORD_PI;
        CHECK(ulps(cord_cos(c), cosl(c)) < 3.0);
    }
}

TEST(special_angles_are_exact)
{
    CHECK_NEAR(cord_sin(0.0), 0.0, 0.0);
    CHECK_NEAR(cord_cos(0.0), 1.0, 0.0);
    CHECK_NEAR(cord_sin(CORD_PI / 2), 1.0, 0.0);
    CHECK_NEAR(cord_cos(CORD_PI), -1.0, 0.0);
    CHECK_NEAR(cord_sin(1e-300), 1e-300, 0.0);
}

TEST(both_at_once_are_the_same)
{
    for (int i = 0; i < 100000; i++) {
        double a = 1e-3 * i * (i % 2 ? 1.0 : -7.0), s, c;
        cord_sin_cos(a, &s, &c);
        CHECK(s == cord_sin(a) && c == cord_cos(a));
    }
}

TEST(what_is_not_finite_has_no_sine)
{
    double s, c;
    cord_sin_cos(INFINITY, &s, &c);
    CHECK(isnan(s) && isnan(c));
    CHECK(isnan(cord_sin(INFINITY)) && isnan(cord_sin(-INFINITY)) && isnan(cord_sin(NAN)));
    CHECK(isnan(cord_cos(INFINITY)) && isnan(cord_cos(NAN)));
}

// Beyond 1e6 precision fades with the distance, but it is still the sine of some angle.
TEST(huge_angles_give_a_point_on_the_circle)
{
    for (double a = 1e6; a < 1e300; a *= 7.3) {
        double s = cord_sin(a), c = cord_cos(a);
        CHECK_NEAR(s * s + c * c, 1.0, 4e-16); // two products and a sum of order 1
        CHECK_NEAR(cord_sin(-a), -s, 0.0);
    }
    CHECK_NEAR(cord_sin(1e7), sin(1e7), 1e-8); // a turn is wrong by 2.4e-16, and there are 1.6e6 of them
}

TEST(arctangent_is_right_to_three_units_in_the_last_place_all_around)
{
    double most = 0.0;
    for (int i = 0; i < 200000; i++) {
        double a = 6.2831853 * (i + 0.5) / 200000 - CORD_PI, r = exp(fmod(i, 40.0) - 20.0);
        double y = r * sin(a), x = r * cos(a);
        most = fmax(most, ulps(cord_atan2(y, x), atan2l(y, x)));
    }
    CHECK(most < 3.0);
}

TEST(arctangent_on_the_axes_and_at_the_origin)
{
    CHECK_NEAR(cord_atan2(0.0, 1.0), 0.0, 0.0);
    CHECK_NEAR(cord_atan2(0.0, -1.0), CORD_PI, 0.0);
    CHECK_NEAR(cord_atan2(1.0, 0.0), CORD_PI / 2, 0.0);
    CHECK_NEAR(cord_atan2(-1.0, 0.0), -CORD_PI / 2, 0.0);
    CHECK_NEAR(cord_atan2(0.0, 0.0), 0.0, 0.0);
    CHECK_NEAR(cord_atan2(1e-300, 1e-300), CORD_PI / 4, 0.0);
    CHECK_NEAR(cord_atan2(1e300, 1e300), CORD_PI / 4, 0.0);
}

TEST(arccosine_keeps_its_precision_near_one)
{
    for (int i = 1; i < 100000; i++) {
        double c = -1.0 + 2.0 * i / 100000;
        CHECK(ulps(cord_acos(c), acosl(c)) < 3.0);
    }
    CHECK_NEAR(cord_acos(1.0 - 0x1p-52), sqrt(2.0 * 0x1p-52), 1e-23); // 2.1e-8, right to 2^-52 of itself
    CHECK_NEAR(cord_acos(1.5), 0.0, 0.0);
    CHECK_NEAR(cord_acos(-1.5), CORD_PI, 0.0);
}

TEST_GROUP(math_elementary)
