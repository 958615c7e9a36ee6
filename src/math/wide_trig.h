// Sine and cosine of four angles at a time: the same bits as cord_sin and cord_cos.
#ifndef CORD_MATH_WIDE_TRIG_H
#define CORD_MATH_WIDE_TRIG_H

#include "math/elementary.h"
#include "math/trig_series.h"
#include "math/wide.h"

WIDE_INLINE CordWide wide_polynomial(const double c[TRIG_TERMS], CordWide s)
{
    CordWide sum = wide_set(c[TRIG_TERMS - 1]);
    for (int i = TRIG_TERMS - 2; i >= 0; i--) {
        sum = sum * s + wide_set(c[i]);
    }
    return sum;
}

WIDE_INLINE void wide_sin_cos(CordWide a, CordWide* sine, CordWide* cosine)
{
    static const double sin_terms[TRIG_TERMS] = SIN_TERMS, cos_terms[TRIG_TERMS] = COS_TERMS;
    CordWideMask exact = (CordWideMask)(wide_abs(a) <= wide_set(TRIG_EXACT));
    if (!wide_all(exact)) { // too large, or not a number
        double s[WIDE_LANES], c[WIDE_LANES];
        for (int i = 0; i < WIDE_LANES; i++) {
            cord_sin_cos(a[i], &s[i], &c[i]);
        }
        *sine = wide_load(s), *cosine = wide_load(c);
        return;
    }
    // Adding this rounds to an integer, which then stands in the lowest bits.
    const CordWide round = wide_set(0x1.8p52);
    CordWide shifted = a * wide_set(2.0 / CORD_PI) + round, k = shifted - round;
    CordWideMask quarter = (CordWideMask)shifted;
    CordWide r = ((a - k * wide_set(HALF_PI_1)) - k * wide_set(HALF_PI_2)) - k * wide_set(HALF_PI_3);
    CordWide s = r * r, half = wide_set(0.5) * s, w = wide_set(1.0) - half;
    CordWide sin_r = r + r * s * wide_polynomial(sin_terms, s);
    CordWide cos_r = w + (((wide_set(1.0) - w) - half) + s * s * wide_polynomial(cos_terms, s));
    const CordWideMask one = {1, 1, 1, 1};
    CordWideMask odd = -(quarter & one), minus_sin = (quarter >> 1 & one) << 63,
                 minus_cos = ((quarter + one) >> 1 & one) << 63;
    *sine = (CordWide)((CordWideMask)wide_select(odd, cos_r, sin_r) ^ minus_sin);
    *cosine = (CordWide)((CordWideMask)wide_select(odd, sin_r, cos_r) ^ minus_cos);
}

#endif
