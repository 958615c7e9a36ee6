// Reduction and series of sine and cosine, shared by elementary.c and wide_trig.h.
#ifndef CORD_MATH_TRIG_SERIES_H
#define CORD_MATH_TRIG_SERIES_H

// Cody-Waite reduction: pi/2 in three parts of 33, 33 and 53 bits. k times each of the first two is exact for
// |k| < 2^20.
#define HALF_PI_1 1.57079632673412561417e+00
#define HALF_PI_2 6.07710050630396597660e-11
#define HALF_PI_3 2.02226624879595063154e-21
#define TRIG_EXACT 0x1p20 // |a| up to which it is exact

// Taylor series on [-pi/4, pi/4], as a polynomial in a^2 after the first terms, a and 1 - a^2/2; the first
// term left out is below 1e-19 (sine) and 1e-20 (cosine, of 1).
#define TRIG_TERMS 8
#define SIN_TERMS                                                                                            \
    {                                                                                                        \
        -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800.0, 1.0 / 6227020800.0,               \
            -1.0 / 1307674368000.0, 1.0 / 355687428096000.0                                                  \
    }
#define COS_TERMS                                                                                            \
    {                                                                                                        \
        1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0,        \
            1.0 / 20922789888000.0, -1.0 / 6402373705728000.0                                                \
    }

#endif
