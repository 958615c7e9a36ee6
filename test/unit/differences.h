// Derivatives by differences of the fourth order: from values at -2, -1, 1 and 2 steps.
#ifndef CORD_TEST_UNIT_DIFFERENCES_H
#define CORD_TEST_UNIT_DIFFERENCES_H

static inline double steps_away(int n) // of the nth of the four values
{
    return n < 2 ? n - 2 : n - 1;
}

static inline double slope_between(const double at[4], double step)
{
    return (8.0 * (at[2] - at[1]) - (at[3] - at[0])) / (12.0 * step);
}

#endif
