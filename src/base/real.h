// Maximum and minimum with the same bits on every platform: fmax and fmin of the C library may return either
// of +0 and -0; these return the second. If one argument is not a number they return the other.
#ifndef CORD_BASE_REAL_H
#define CORD_BASE_REAL_H

static inline double real_max(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline double real_min(double a, double b)
{
    return a < b || b != b ? a : b;
}

#endif
