// Small dense systems.
#ifndef CORD_MATH_DENSE_H
#define CORD_MATH_DENSE_H

#include <stdbool.h>

// a x = b, by elimination with row exchanges; a (n x n, row-major) is destroyed, x comes into b. False: a is
// singular.
bool dense_solve(int n, double* a, double* b);

#endif
