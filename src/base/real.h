// The larger and the smaller of two numbers. The C library's fmax and fmin may return either zero of +0 and
// -0, and which one differs from one platform to the next; these are the second one's wherever they run, and
// an instruction or two in place of a call.
#ifndef CORD_BASE_REAL_H
#define CORD_BASE_REAL_H

static inline double real_max(double a, double b) // the other, if one is no number
{
    return a > b || b != b ? a : b;
}

static inline double real_min(double a, double b)
{
    return a < b || b != b ? a : b;
}

#endif
