// SIMD of four doubles under equal names on every target: one AVX register, two of SSE, NEON or WebAssembly,
// or scalar code, as the compiler lowers it. Lanes mix only where a name says so, so that results do not
// depend on the target.
#ifndef CORD_MATH_WIDE_H
#define CORD_MATH_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // all of these are inlined: no call passes a wide value
#endif

#define WIDE_LANES 4
#define WIDE_INLINE static inline __attribute__((always_inline))

typedef double CordWide __attribute__((vector_size(32)));
typedef long long CordWideMask __attribute__((vector_size(32))); // all bits of a lane, or none

WIDE_INLINE CordWide wide_load(const double* p)
{
    CordWide a;
    memcpy(&a, p, sizeof a);
    return a;
}

WIDE_INLINE void wide_store(double* p, CordWide a)
{
    memcpy(p, &a, sizeof a);
}

WIDE_INLINE CordWide wide_set(double a)
{
    return (CordWide){a, a, a, a};
}

WIDE_INLINE CordWide wide_sqrt(CordWide a)
{
#if defined(__AVX__)
    return (CordWide)_mm256_sqrt_pd((__m256d)a);
#else
    return (CordWide){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

// The lanes one place earlier: lane 0 is the last of the block before, then lanes 0..2 of this one.
WIDE_INLINE CordWide wide_earlier(CordWide before, CordWide here)
{
    return __builtin_shufflevector(before, here, 3, 4, 5, 6);
}

// The lanes one place later: lanes 1..3 of this block, then lane 0 of the next.
WIDE_INLINE CordWide wide_later(CordWide here, CordWide next)
{
    return __builtin_shufflevector(here, next, 1, 2, 3, 4);
}

WIDE_INLINE void wide_transpose(CordWide a[4]) // lane k of a[i] becomes lane i of a[k]
{
    CordWide even01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
             odd01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7),
             even23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
             odd23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    a[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    a[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    a[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    a[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

WIDE_INLINE CordWideMask wide_first(int count) // the first `count` lanes
{
    return (CordWideMask){0, 1, 2, 3} < (CordWideMask){count, count, count, count};
}

WIDE_INLINE CordWide wide_select(CordWideMask mask, CordWide yes, CordWide no)
{
    return (CordWide)(((CordWideMask)yes & mask) | ((CordWideMask)no & ~mask));
}

WIDE_INLINE double wide_sum(CordWide a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// The larger of each pair; if b is not a number, a.
WIDE_INLINE CordWide wide_max(CordWide a, CordWide b)
{
    return wide_select((CordWideMask)(a <= b), b, a);
}

// The smaller of each pair; if b is not a number, a.
WIDE_INLINE CordWide wide_min(CordWide a, CordWide b)
{
    return wide_select((CordWideMask)(b < a), b, a);
}

WIDE_INLINE bool wide_any(CordWideMask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

WIDE_INLINE bool wide_all(CordWideMask mask)
{
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

WIDE_INLINE CordWide wide_abs(CordWide a)
{
    CordWideMask sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (CordWide)((CordWideMask)a & ~sign);
}

#endif
