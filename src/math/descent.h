// The least of a smooth function of a few unknowns: nonlinear conjugate gradients with a preconditioner
// (Fletcher and Reeves; started anew where that would not lead downhill) and a line search to the strong
// Wolfe conditions.
#ifndef CORD_MATH_DESCENT_H
#define CORD_MATH_DESCENT_H

#include <stdbool.h>

#define DESCENT_MOST 12 // unknowns

typedef struct Descent {
    int count; // of unknowns
    // The value at x, and its gradient; INFINITY: x may not be.
    double (*value)(void* context, const double* x, double* gradient);
    // an inverse Hessian, roughly
    void (*precondition)(void* context, const double* gradient, double* direction);
    void* context;
    int iterations; // at the most
    double enough;  // it ends where the value would fall by less, as far as gradient and preconditioner tell
} Descent;

typedef struct DescentEnd {
    int iterations;
    int evaluations;
    double value;
} DescentEnd;

DescentEnd descent_run(const Descent* d, double* x); // from x, which ends at the least value found

// A symmetric positive matrix of a few rows, row-major and full: its Cholesky factor in place; false: it is
// none. Then b := its inverse times b.
bool descent_factor(double* a, int n);
void descent_solve(const double* a, int n, double* b);

#endif
