// The least of a smooth function of a few unknowns: nonlinear conjugate gradients with a preconditioner
// (Fletcher and Reeves; started anew where that would not lead downhill) and a line search to the strong
// Wolfe conditions.
#ifndef CORD_MATH_NONLINEAR_CG_H
#define CORD_MATH_NONLINEAR_CG_H

#include <stdbool.h>

#define NONLINEAR_CG_MAX_UNKNOWNS 12 // unknowns

typedef struct NonlinearCg {
    int count; // of unknowns
    // The value at x, and its gradient; INFINITY: x may not be.
    double (*value)(void* context, const double* x, double* gradient);
    // an inverse Hessian, roughly
    void (*precondition)(void* context, const double* gradient, double* direction);
    void* context;
    int iterations; // at the most
    double enough;  // it ends where the value would fall by less, as far as gradient and preconditioner tell
} NonlinearCg;

typedef struct NonlinearCgResult {
    int iterations;
    int evaluations;
    double value;
} NonlinearCgResult;

NonlinearCgResult nonlinear_cg_minimize(const NonlinearCg* d,
                                        double* x); // from x, which ends at the least value found

#endif
