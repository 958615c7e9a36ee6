// Minimises a smooth function of a few unknowns by preconditioned nonlinear conjugate gradients
// (Fletcher-Reeves, restarted where the direction does not descend) with a line search to the strong Wolfe
// conditions (Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 5.4, 3.5 and 3.6).
#ifndef CORD_MATH_NONLINEAR_CG_H
#define CORD_MATH_NONLINEAR_CG_H

#include <stdbool.h>

#define NONLINEAR_CG_MAX_UNKNOWNS 12

typedef struct NonlinearCg {
    int count; // unknowns
    // Returns the value at x and writes the gradient. INFINITY: x is not admissible.
    double (*value)(void* context, const double* x, double* gradient);
    // Multiplies by an approximate inverse Hessian.
    void (*precondition)(void* context, const double* gradient, double* direction);
    void* context;
    int iterations; // at most
    double enough;  // ends when g' P g, which predicts the decrease of the value, is no larger
} NonlinearCg;

typedef struct NonlinearCgResult {
    int iterations;
    int evaluations;
    double value;
} NonlinearCgResult;

NonlinearCgResult nonlinear_cg_minimize(const NonlinearCg* d,
                                        double* x); // starts at x and leaves the best point there

#endif
