#include "check.h"
#include "scene/number.h"

#include <locale.h>
#include <stdlib.h>

static double value_of(const char* text)
{
    size_t length;
    double value = NAN;
    const char* problem = number_read(text, strlen(text), &length, &value);
    if (problem || length != strlen(text)) {
        check_fail(__FILE__, __LINE__, "%s: read %zu bytes: %s", text, length,
                   problem ? problem : "no problem");
    }
    return value;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

#define CHECK_BITS(text, expected)                                                                           \
    do {                                                                                                     \
        double actual_ = value_of(text), expected_ = (expected);                                             \
        if (!same_bits(actual_, expected_)) {                                                                \
            check_fail(__FILE__, __LINE__, "%s is %a; expected %a", text, actual_, expected_);               \
        }                                                                                                    \
    } while (0)

TEST(plain_numbers_are_read)
{
    CHECK_BITS("0", 0.0);
    CHECK_BITS("-0", -0.0);
    CHECK_BITS("12", 12.0);
    CHECK_BITS("-0.5", -0.5);
    CHECK_BITS("2e9", 2e9);
    CHECK_BITS("1E+2", 100.0);
    CHECK_BITS("0.000001", 1e-6);
    CHECK_BITS("100000000000000000000000", 1e23);
}

// Known hard cases, each with its exact answer in binary: halfway cases that need every digit, the ends of
// the range of normal and subnormal numbers, and results that round to zero or up to the next power of two.
TEST(hard_cases_round_correctly)
{
    CHECK_BITS("9007199254740993", 0x1p53); // halfway: to even
    CHECK_BITS("9007199254740995", 0x1.0000000000002p53);
    CHECK_BITS("9007199254740993.00000000000000000000000000000000000001", 0x1.0000000000001p53);
    CHECK_BITS("2.2250738585072011e-308", 0x0.fffffffffffffp-1022);
    CHECK_BITS("2.2250738585072014e-308", 0x1p-1022);
    CHECK_BITS("4.9406564584124654e-324", 0x1p-1074);
    CHECK_BITS("2.4703282292062328e-324", 0x1p-1074); // just above half of the least
    CHECK_BITS("2.4703282292062327e-324", 0.0);
    CHECK_BITS("1e-400", 0.0);
    CHECK_BITS("-1e-9999999999999999999", -0.0);
    CHECK_BITS("1.7976931348623157e308", 0x1.fffffffffffffp1023);
    CHECK_BITS("1.7976931348623158079372897140530e308", 0x1.fffffffffffffp1023);
    CHECK_BITS("0.1", 0x1.999999999999ap-4);
    CHECK_BITS("123456789012345678901234567890e-10", 0x1.56a95319d63e1p63);
    CHECK_BITS("0e99999999999999999999", 0.0);
}

// Halfway between two doubles, and a hair more: the hair is far behind the digits that are kept.
TEST(digits_beyond_those_kept_still_count)
{
    char text[1200] = "1.";
    memset(text + 2, '0', 1000);
    strcpy(text + 1002, "1");
    CHECK_BITS(text, 1.0);
    memset(text, 0, sizeof text);
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', 900);
    CHECK_BITS(text, 0x1p53);
    strcpy(text + 917, "1");
    CHECK_BITS(text, 0x1.0000000000001p53);
}

static uint64_t next_random(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// The C library of the machines this runs on rounds correctly too (glibc, for texts of this length), so the
// two must agree in every bit.
TEST(random_numbers_agree_with_the_c_library)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&state);
        double number;
        char text[80];
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number)) {
            snprintf(text, sizeof text, "%.*g", 1 + (int)(next_random(&state) % 24), number);
            double expected = strtod(text, NULL);
            if (isfinite(expected)) {
                CHECK_BITS(text, expected);
            }
        }
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)next_random(&state),
                 (unsigned long long)(next_random(&state) % 1000000), (int)(next_random(&state) % 80) - 40);
        CHECK_BITS(text, strtod(text, NULL));
    }
}

// Seventeen digits name a double uniquely.
TEST(seventeen_digits_come_back)
{
    uint64_t state = 1234567;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&state);
        double number;
        char text[40];
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number)) {
            snprintf(text, sizeof text, "%.16e", number);
            CHECK_BITS(text, number);
        }
    }
}

static void check_problem(const char* text, const char* expected)
{
    size_t length;
    double value;
    const char* problem = number_read(text, strlen(text), &length, &value);
    CHECK_CONTAINS(problem, expected);
}

TEST(what_is_no_number_says_why)
{
    check_problem("-", "digit after its sign");
    check_problem("-x", "digit after its sign");
    check_problem(".5", "digit before its point");
    check_problem("5.", "digit after its point");
    check_problem("5.e3", "digit after its point");
    check_problem("1e", "exponent needs digits");
    check_problem("1e+", "exponent needs digits");
    check_problem("007", "may not start with 0");
    check_problem("1e400", "too large");
    check_problem("-1.7976931348623159e308", "too large");
    check_problem("1e999999999999999999999999", "too large");
}

TEST(reading_stops_at_the_first_byte_that_is_not_part_of_it)
{
    size_t length;
    double value;
    CHECK(number_read("1.5e3,7", 7, &length, &value) == NULL);
    CHECK_INT(length, 5);
    CHECK_NEAR(value, 1500.0, 0.0);
    CHECK(number_read("1234", 2, &length, &value) == NULL); // never beyond the size given
    CHECK_INT(length, 2);
    CHECK_NEAR(value, 12.0, 0.0);
}

TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
        skip(); // neither is installed
    }
    CHECK_BITS("0.5", 0.5);
    CHECK_BITS("1234.5678901234567890", 0x1.34a4584fd0fep10);
    setlocale(LC_ALL, "C");
}

TEST_GROUP(scene_number)
