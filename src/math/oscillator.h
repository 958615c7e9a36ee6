// The exact update of one damped oscillator under a force that is constant during a step.
#ifndef CORD_MATH_OSCILLATOR_H
#define CORD_MATH_OSCILLATOR_H

// Coefficients of the update for q'' + damping q' + omega2 q = f: the new q and rate are linear in q, rate
// and f.
typedef struct Oscillator {
    double qq, qv, qf; // of the new q
    double vq, vv, vf; // of the new rate
} Oscillator;

Oscillator oscillator_over(double omega2, double damping, double h); // omega2 above 0, damping not below

#endif
