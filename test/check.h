// The tests' own words, over cmocka. A test is one claim; a failed check prints the numbers and ends it.
//
//     TEST(cross_product_is_normal_to_both)
//     {
//         CHECK_NEAR(vec3_dot(vec3_cross(a, b), a), 0.0, 1e-15);   // rounding of two products of order 1
//     }
//     TEST_GROUP(math_vec3)
//
// A claim about physics says where the right answer comes from, and returns how far off the program is:
//
//     VALIDATE(cantilever_tip, .source = "F L^3 / (3 EI), small load", .tolerance = 1e-3)
//     {
//         return tip_deflection() / (F * L * L * L / (3 * EI)) - 1.0;
//     }
//
// Each file is one group, named as the file is, of all its tests, which register themselves before main runs.
// All groups of a folder are one program, which test/main.c runs.
#ifndef CORDAGE_TEST_CHECK_H
#define CORDAGE_TEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern bool check_all; // --all: run what takes long as well

typedef struct CheckClaim {
    const char* source; // where the right answer comes from
    double tolerance;   // most that the returned error may be, in absolute value
} CheckClaim;

static struct CMUnitTest check_tests[128]; // of this file
static size_t check_test_count;

static inline void check_register(const char* name, CMUnitTestFunction run)
{
    if (check_test_count == sizeof check_tests / sizeof *check_tests) {
        abort();
    }
    check_tests[check_test_count++] = (struct CMUnitTest){name, run, NULL, NULL, NULL};
}

#define TEST(name)                                                                                           \
    static void name##_body(void);                                                                           \
    static void name##_run(void** state)                                                                     \
    {                                                                                                        \
        (void)state;                                                                                         \
        name##_body();                                                                                       \
    }                                                                                                        \
    __attribute__((constructor)) static void name##_register(void)                                           \
    {                                                                                                        \
        check_register(#name, name##_run);                                                                   \
    }                                                                                                        \
    static void name##_body(void)

#define VALIDATE(name, ...)                                                                                  \
    static const CheckClaim name##_claim = {__VA_ARGS__};                                                    \
    static double name##_error(void);                                                                        \
    static void name##_run(void** state)                                                                     \
    {                                                                                                        \
        (void)state;                                                                                         \
        check_claim(#name, &name##_claim, name##_error(), __FILE__, __LINE__);                               \
    }                                                                                                        \
    __attribute__((constructor)) static void name##_register(void)                                           \
    {                                                                                                        \
        check_register(#name, name##_run);                                                                   \
    }                                                                                                        \
    static double name##_error(void)

// cmocka's own macro takes an array of constant size alone, so this calls what the macro calls.
#define TEST_GROUP(group)                                                                                    \
    int group##_group(void);                                                                                 \
    int group##_group(void)                                                                                  \
    {                                                                                                        \
        if (check_test_count == 0) {                                                                         \
            print_error("the group " #group " has no tests\n");                                              \
            return 1;                                                                                        \
        }                                                                                                    \
        return _cmocka_run_group_tests(#group, check_tests, check_test_count, NULL, NULL);                   \
    }

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            check_fail(__FILE__, __LINE__, "%s is false", #condition);                                       \
        }                                                                                                    \
    } while (0)

// |actual - expected| <= tolerance; not a number is never near anything.
#define CHECK_NEAR(actual, expected, tolerance)                                                              \
    check_near(#actual, (actual), (expected), (tolerance), __FILE__, __LINE__)

#define CHECK_VEC3(actual, expected, tolerance)                                                              \
    do {                                                                                                     \
        CHECK_NEAR((actual).x, (expected).x, (tolerance));                                                   \
        CHECK_NEAR((actual).y, (expected).y, (tolerance));                                                   \
        CHECK_NEAR((actual).z, (expected).z, (tolerance));                                                   \
    } while (0)

#define CHECK_INT(actual, expected)                                                                          \
    check_int(#actual, (intmax_t)(actual), (intmax_t)(expected), __FILE__, __LINE__)

#define CHECK_STR(actual, expected) check_str(#actual, (actual), (expected), __FILE__, __LINE__)

// `part` occurs somewhere in `text`: for messages, whose exact words are not the claim.
#define CHECK_CONTAINS(text, part) check_contains(#text, (text), (part), __FILE__, __LINE__)

#define CHECK_OK(result) CHECK_RESULT(result, CORD_OK)

#define CHECK_RESULT(result, expected)                                                                       \
    check_result(#result, (int)(result), #expected, (int)(expected), __FILE__, __LINE__)

#if defined(__GNUC__)
#define CHECK_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define CHECK_PRINTF
#endif

CHECK_PRINTF static inline void check_fail(const char* file, int line, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprint_error(format, arguments);
    va_end(arguments);
    print_error("\n");
    _fail(file, line);
}

static inline void check_near(const char* what, double actual, double expected, double tolerance,
                              const char* file, int line)
{
    if (actual == expected || fabs(actual - expected) <= tolerance) {
        return;
    }
    check_fail(file, line, "%s is %.17g; expected %.17g; off by %.3g, at most %.3g allowed", what, actual,
               expected, actual - expected, tolerance);
}

static inline void check_int(const char* what, intmax_t actual, intmax_t expected, const char* file, int line)
{
    if (actual != expected) {
        check_fail(file, line, "%s is %jd; expected %jd", what, actual, expected);
    }
}

static inline void check_str(const char* what, const char* actual, const char* expected, const char* file,
                             int line)
{
    if (actual == NULL || strcmp(actual, expected) != 0) {
        check_fail(file, line, "%s is \"%s\"; expected \"%s\"", what, actual ? actual : "(null)", expected);
    }
}

static inline void check_contains(const char* what, const char* text, const char* part, const char* file,
                                  int line)
{
    if (text == NULL || strstr(text, part) == NULL) {
        check_fail(file, line, "%s is \"%s\"; expected \"%s\" in it", what, text ? text : "(null)", part);
    }
}

static inline void check_result(const char* what, int actual, const char* expected_name, int expected,
                                const char* file, int line)
{
    if (actual != expected) {
        check_fail(file, line, "%s returned %d; expected %s (%d)", what, actual, expected_name, expected);
    }
}

static inline void check_claim(const char* name, const CheckClaim* claim, double error, const char* file,
                               int line)
{
    print_message("  %s: off by %.3g, at most %.3g allowed (%s)\n", name, error, claim->tolerance,
                  claim->source);
    if (!(fabs(error) <= claim->tolerance)) {
        check_fail(file, line, "%s is off by %.17g; at most %.3g allowed", name, error, claim->tolerance);
    }
}

#endif
