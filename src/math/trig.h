// Elementary functions of our own. The C library's differ in the last bit from one platform to the next.
// These use only + - * / and sqrt, which do not, so that a run gives the same bits everywhere. Their error is
// at most three units in the last place.
#ifndef CORD_MATH_TRIG_H
#define CORD_MATH_TRIG_H

#include <cordage/math.h> // CORD_PI

double cord_sin(double a); // |a| up to 1e6 keeps full precision; NAN for what is not finite
double cord_cos(double a);
void cord_sin_cos(double a, double* s, double* c); // both, to the same bits, for little more than one of them
double cord_atan2(double y, double x);             // (-pi, pi]; 0 for (0, 0)
double cord_exp(double a);
double cord_log(double a);               // -INFINITY for 0, NAN below
double cord_pow(double a, double power); // of a >= 0; for rough work: errors up to 1e-14 for results near 1
double cord_acos(double c);              // c beyond [-1, 1] counts as its nearest end

#endif
