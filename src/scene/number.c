#include "scene/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A decimal halfway between two doubles has at most 767 digits. Of further digits it only matters whether all
// are zero.
#define MOST_DIGITS 768

typedef struct Decimal { // 0.d1 d2 d3 ... x 10^exponent
    const char* digits;  // from the first that is not zero; there may be a point among them
    const char* end;
    int64_t exponent;
    uint64_t leading; // value of the first 19 digits
    int64_t count;    // significant digits, trailing zeros included
    bool negative;
} Decimal;

// ---- reading

static bool is_digit(const char* at, const char* end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static const char* scan_digits(const char* at, const char* end, Decimal* d)
{
    for (; is_digit(at, end); at++) {
        if (d->count == 0 && *at == '0') {
            continue; // leading zeros are not significant
        }
        if (d->count == 0) {
            d->digits = at;
        }
        if (d->count < 19) {
            d->leading = 10 * d->leading + (uint64_t)(*at - '0');
        }
        d->count++;
    }
    return at;
}

static const char* scan_exponent(const char* at, const char* end, int64_t* exponent)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    int64_t value = 0;
    for (; is_digit(at, end); at++) {
        if (value < 1000000000000) { // beyond what any number of digits makes up for
            value = 10 * value + (*at - '0');
        }
    }
    *exponent += negative ? -value : value;
    return at;
}

// Reads a number by the grammar of JSON. Returns what is wrong, or NULL.
static const char* scan(const char* text, const char* end, const char** stop, Decimal* d)
{
    const char* at = *stop = text;
    d->negative = *at == '-';
    at += d->negative;
    if (!is_digit(at, end)) {
        *stop = at;
        return at < end && *at == '.' ? "a number needs a digit before its point, such as 0.5"
                                      : "a number needs a digit after its sign";
    }
    if (*at == '0' && is_digit(at + 1, end)) {
        return "a number may not start with 0 and another digit; leave the 0 out";
    }
    at = scan_digits(at, end, d);
    d->exponent = d->count;
    if (at < end && *at == '.') {
        const char* fraction = ++at;
        int64_t before = d->count;
        at = scan_digits(at, end, d);
        d->exponent -= before == 0 ? (at - fraction) - d->count : 0; // zeros right after the point
        if (at == fraction) {
            *stop = at;
            return "a number needs a digit after its point, such as 1.0";
        }
    }
    d->end = at;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at = scan_exponent(at + 1, end, &d->exponent);
        if (!is_digit(at - 1, end)) {
            *stop = at;
            return "an exponent needs digits, such as 1e-3";
        }
    }
    *stop = at;
    return NULL;
}

// ---- whole numbers of any size; limbs of 32 bits, least first

// 5^1100 has 2555 bits, and the quotient 64 more.
#define MOST_LIMBS 96

typedef struct Big {
    int count; // limbs without leading zeros
    uint32_t limb[MOST_LIMBS];
} Big;

static void big_multiply_add(Big* b, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) {
        b->limb[b->count++] = (uint32_t)carry;
    }
}

static void big_multiply_by_power_of_5(Big* b, int64_t power)
{
    for (; power >= 13; power -= 13) {
        big_multiply_add(b, 1220703125, 0); // 5^13, the largest power that fits
    }
    uint32_t rest = 1;
    for (; power > 0; power--) {
        rest *= 5;
    }
    big_multiply_add(b, rest, 0);
}

static int big_bits(const Big* b)
{
    int bits = 32 * (b->count - 1);
    for (uint32_t top = b->limb[b->count - 1]; top > 0; top >>= 1) {
        bits++;
    }
    return bits;
}

static void big_shift_left(Big* b, int bits)
{
    int whole = bits / 32, part = bits % 32;
    if (part > 0) {
        big_multiply_add(b, (uint32_t)1 << part, 0);
    }
    if (whole > 0) {
        memmove(b->limb + whole, b->limb, (size_t)b->count * sizeof *b->limb);
        memset(b->limb, 0, (size_t)whole * sizeof *b->limb);
        b->count += whole;
    }
}

// Converts the first MOST_DIGITS digits. Returns whether all others are zero.
static bool big_from_digits(Big* b, const Decimal* d)
{
    *b = (Big){.count = 0};
    int taken = 0;
    bool all = true;
    uint32_t group = 0, scale = 1;
    for (const char* at = d->digits; at < d->end; at++) {
        if (*at == '.') {
            continue;
        }
        if (taken == MOST_DIGITS) {
            all = all && *at == '0';
            continue;
        }
        group = 10 * group + (uint32_t)(*at - '0');
        scale *= 10;
        taken++;
        if (scale == 1000000000) {
            big_multiply_add(b, scale, group);
            group = 0, scale = 1;
        }
    }
    big_multiply_add(b, scale, group);
    return all;
}

// One step of long division: returns the next limb of the quotient, and subtracts it times the divisor from
// b. The divisor's top bit is set.
static uint32_t divide_step(Big* b, const Big* divisor, int place)
{
    int n = divisor->count;
    uint64_t top = ((uint64_t)b->limb[place + n] << 32) | b->limb[place + n - 1];
    uint64_t guess = top / divisor->limb[n - 1]; // at most 2 too large (Knuth, TAOCP 4.3.1, theorem B)
    guess = guess > UINT32_MAX ? UINT32_MAX : guess;
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (int i = 0; i < n; i++) {
        carry += guess * divisor->limb[i];
        borrow += (int64_t)b->limb[place + i] - (int64_t)(uint32_t)carry;
        b->limb[place + i] = (uint32_t)borrow;
        borrow >>= 32;
        carry >>= 32;
    }
    borrow += (int64_t)b->limb[place + n] - (int64_t)carry;
    b->limb[place + n] = (uint32_t)borrow;
    borrow >>= 32;
    while (borrow < 0) {
        guess--;
        carry = 0;
        for (int i = 0; i < n; i++) {
            carry += (uint64_t)b->limb[place + i] + divisor->limb[i];
            b->limb[place + i] = (uint32_t)carry;
            carry >>= 32;
        }
        carry += b->limb[place + n];
        b->limb[place + n] = (uint32_t)carry;
        borrow += (int64_t)(carry >> 32);
    }
    return (uint32_t)guess;
}

// b / divisor, which must be below 2^64. *exact says whether there is no remainder.
static uint64_t big_divide(Big* b, Big* divisor, bool* exact)
{
    int shift = 32 * divisor->count - big_bits(divisor);
    big_shift_left(divisor, shift);
    big_shift_left(b, shift);
    int n = divisor->count;
    for (int i = b->count; i < n + 3; i++) {
        b->limb[i] = 0;
    }
    uint64_t quotient = 0;
    for (int place = 2; place >= 0; place--) {
        // the first limb is zero, since the quotient is below 2^64
        quotient = (quotient << 32) | divide_step(b, divisor, place);
    }
    *exact = true;
    for (int i = 0; i < n; i++) {
        *exact = *exact && b->limb[i] == 0;
    }
    return quotient;
}

// ---- rounding

// Rounds q x 2^exponent to the nearest double, or slightly more than that if it is not exact. q has 63 or 64
// bits.
static double round_to_double(uint64_t q, int exponent, bool exact)
{
    int length = q >> 63 ? 64 : 63;
    int drop = length - 53;
    if (drop + exponent < -1074) { // subnormal: fewer bits
        drop = -1074 - exponent;
    }
    if (drop > 64) {
        return 0.0;
    }
    uint64_t kept = drop == 64 ? 0 : q >> drop;
    uint64_t rest = drop == 64 ? q : q & (((uint64_t)1 << drop) - 1);
    uint64_t half = (uint64_t)1 << (drop - 1);
    bool up = rest > half || (rest == half && (!exact || (kept & 1)));
    return ldexp((double)(kept + up), exponent + drop); // exact: at most 53 bits, and none below 2^-1074
}

static double convert_exactly(const Decimal* d)
{
    Big number, divisor = {.count = 1, .limb = {1}};
    bool all = big_from_digits(&number, d);
    int64_t power = d->exponent - (d->count < MOST_DIGITS ? d->count : MOST_DIGITS);
    big_multiply_by_power_of_5(power < 0 ? &divisor : &number, power < 0 ? -power : power);
    int shift = big_bits(&divisor) + 63 - big_bits(&number); // so that the quotient has 63 or 64 bits
    big_shift_left(shift > 0 ? &number : &divisor, shift > 0 ? shift : -shift);
    bool exact;
    uint64_t quotient = big_divide(&number, &divisor, &exact);
    return round_to_double(quotient, (int)power - shift, exact && all);
}

static double convert(const Decimal* d)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->count == 0 || d->exponent < -330) {
        return 0.0;
    }
    if (d->exponent > 310) {
        return INFINITY;
    }
    int64_t power = d->exponent - d->count;
    if (d->count <= 19 && d->leading <= (uint64_t)1 << 53 && power >= -22 && power <= 22) {
        // Both are exact doubles, so one rounding gives the nearest (Clinger 1990).
        return power < 0 ? (double)d->leading / tens[-power] : (double)d->leading * tens[power];
    }
    return convert_exactly(d);
}

const char* number_read(const char* text, size_t size, size_t* length, double* value)
{
    Decimal d = {0};
    const char* stop;
    const char* problem = scan(text, text + size, &stop, &d);
    *length = (size_t)(stop - text);
    if (problem) {
        return problem;
    }
    double magnitude = convert(&d);
    *value = d.negative ? -magnitude : magnitude;
    return isinf(magnitude) ? "this number is too large; the largest is about 1.8e308" : NULL;
}
