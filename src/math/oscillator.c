#include "math/oscillator.h"

#include "math/elementary.h"

#include <math.h>

#define TERMS 32 // of the series: the next term x^n / n! with x = SHORT is 1e-26
// (omega + damping) h below which the series is used. Above it, 1 - cos and similar terms lose one digit at
// most.
#define SHORT 2.0

// Taylor series of q in time, whose coefficients follow from the equation of motion.
static void series(double omega2, double damping, double h, double q, double v, double f, double* q_end,
                   double* v_end)
{
    double a[TERMS] = {q, v * h}; // a_n h^n
    for (int n = 0; n + 2 < TERMS; n++) {
        double right = (n == 0 ? f : 0.0) - omega2 * a[n];
        a[n + 2] = (right * h * h - damping * h * (n + 1) * a[n + 1]) / ((n + 2.0) * (n + 1.0));
    }
    *q_end = *v_end = 0.0;
    for (int n = TERMS - 1; n >= 0; n--) {
        *q_end += a[n];
        *v_end += n * a[n];
    }
    *v_end /= h;
}

static Oscillator from_series(double omega2, double damping, double h)
{
    Oscillator o;
    series(omega2, damping, h, 1.0, 0.0, 0.0, &o.qq, &o.vq);
    series(omega2, damping, h, 0.0, 1.0, 0.0, &o.qv, &o.vv);
    series(omega2, damping, h, 0.0, 0.0, 1.0, &o.qf, &o.vf);
    return o;
}

static double lost(double x) // 1 - e^-x, to all digits, x not below 0
{
    if (x > 0.5) {
        return 1.0 - cord_exp(-x);
    }
    double sum = 1.0;
    for (int n = 15; n > 1; n--) { // the next term is 0.5^15 / 16! < 1e-17
        sum = 1.0 - sum * x / n;
    }
    return sum * x;
}

// Underdamped: q oscillates with the angular frequency d and decays as e^(-beta t).
static Oscillator swinging(double omega2, double beta, double d, double h)
{
    double fade = cord_exp(-beta * h), sine, cosine;
    cord_sin_cos(d * h, &sine, &cosine);
    double c = fade * cosine, s = fade * sine / d;
    Oscillator o = {.qq = c + beta * s, .qv = s, .vq = -omega2 * s, .vv = c - beta * s, .vf = s};
    o.qf = (1.0 - o.qq) / omega2;
    return o;
}

// Overdamped: q decays with the two rates beta - d and beta + d, whose product is omega2.
static Oscillator creeping(double omega2, double beta, double d, double h)
{
    double fast = beta + d, slow = omega2 / fast;
    double s = cord_exp(-slow * h) * lost(2.0 * d * h) / (2.0 * d);
    double left = cord_exp(-slow * h), gone = cord_exp(-fast * h);
    Oscillator o = {.qv = s, .vq = -omega2 * s, .vf = s};
    o.qq = left + slow * s;
    o.vv = gone - slow * s;
    // The first formula loses digits where the two rates are close to each other, the second where q has
    // hardly begun to move.
    o.qf =
        d > 0.5 * beta ? (lost(slow * h) / slow - lost(fast * h) / fast) / (2.0 * d) : (1.0 - o.qq) / omega2;
    return o;
}

// Critically damped, or nearly so: d2 = omega2 - beta^2 is small, and the next terms are (d h)^4 / 24 <
// 1e-17.
static Oscillator critical(double omega2, double beta, double d2, double h)
{
    double fade = cord_exp(-beta * h), x = d2 * h * h, c = fade * (1.0 - 0.5 * x),
           s = fade * h * (1.0 - x / 6.0);
    Oscillator o = {.qq = c + beta * s, .qv = s, .vq = -omega2 * s, .vv = c - beta * s, .vf = s};
    o.qf = (1.0 - o.qq) / omega2;
    return o;
}

Oscillator oscillator_over(double omega2, double damping, double h)
{
    if ((sqrt(omega2) + damping) * h < SHORT) {
        return from_series(omega2, damping, h);
    }
    double beta = 0.5 * damping, d2 = omega2 - beta * beta, d = sqrt(fabs(d2));
    if (d * h <= 1e-4) {
        return critical(omega2, beta, d2, h);
    }
    return d2 > 0.0 ? swinging(omega2, beta, d, h) : creeping(omega2, beta, d, h);
}
