// One damped oscillator under a force that stays as it is for a step: the exact update (methods section 4).
#ifndef CORD_MATH_OSCILLATOR_H
#define CORD_MATH_OSCILLATOR_H

// q'' + damping q' + omega2 q = f: what a step makes of q, its rate and f.
typedef struct Oscillator {
    double qq, qv, qf; // of the new q
    double vq, vv, vf; // of the new rate
} Oscillator;

Oscillator oscillator_over(double omega2, double damping, double h); // omega2 above 0, damping not below

#endif
