#include "math/elementary.h"

#include "base/real.h"
#include "math/trig_series.h"

#include <math.h>
#include <stdint.h>

static double polynomial(const double c[TRIG_TERMS], double s)
{
    double sum = c[TRIG_TERMS - 1];
    for (int i = TRIG_TERMS - 2; i >= 0; i--) {
        sum = sum * s + c[i];
    }
    return sum;
}

static double sin_series(double a)
{
    static const double c[TRIG_TERMS] = SIN_TERMS;
    double s = a * a;
    return a + a * s * polynomial(c, s);
}

static double cos_series(double a)
{
    static const double c[TRIG_TERMS] = COS_TERMS;
    double s = a * a, half = 0.5 * s, w = 1.0 - half;
    return w + (((1.0 - w) - half) + s * s * polynomial(c, s)); // restores the rounding error of 1 - s/2
}

// a = k pi/2 + r, |r| <= pi/4; returns k modulo 4. Beyond TRIG_EXACT whole turns are subtracted first. fmod
// is exact, 2 pi is not: precision is lost, but the result is still an angle.
static int reduced(double a, double* r)
{
    if (!isfinite(a)) {
        *r = NAN;
        return 0;
    }
    if (fabs(a) > TRIG_EXACT) {
        a = fmod(a, 2.0 * CORD_PI);
    }
    double k = nearbyint(a * (2.0 / CORD_PI));
    *r = ((a - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
    double quarter = k - 4.0 * floor(k * 0.25);
    return (int)quarter;
}

static double sin_of(int k, double r) // of k pi/2 + r
{
    double s = (k & 1) ? cos_series(r) : sin_series(r);
    return (k & 2) ? -s : s;
}

static double cos_of(int k, double r)
{
    double c = (k & 1) ? sin_series(r) : cos_series(r);
    return (k == 1 || k == 2) ? -c : c;
}

double cord_sin(double a)
{
    double r;
    int k = reduced(a, &r);
    return sin_of(k, r);
}

double cord_cos(double a)
{
    double r;
    int k = reduced(a, &r);
    return cos_of(k, r);
}

void cord_sin_cos(double a, double* s, double* c)
{
    double r;
    int k = reduced(a, &r);
    *s = sin_of(k, r);
    *c = cos_of(k, r);
}

// atan on [0, tan(pi/16)] by its Taylor series to t^23; the next term is below 3e-19 t.
static double atan_series(double t)
{
    double s = t * t, sum = 0.0;
    for (int n = 23; n >= 3; n -= 2) {
        sum = s * ((((n - 1) / 2) % 2 ? -1.0 : 1.0) / n + sum);
    }
    return t + t * sum;
}

// atan(y/x) for 0 <= y <= x, x > 0: atan(y/x) = i pi/16 + atan((y - T x) / (x + T y)), T = tan(i pi/16).
static double atan_octant(double y, double x)
{
    static const double tangent[] = {0.0, 0.19891236737965800691, 0.41421356237309504880,
                                     0.66817863791929891999, 1.0};
    static const double angle[] = {0.0, 0.19634954084936207740, 0.39269908169872415481,
                                   0.58904862254808623221, 0.78539816339744830962};
    double t = y / x;
    int i = t < 0.0985 ? 0 : t < 0.303 ? 1 : t < 0.535 ? 2 : t < 0.821 ? 3 : 4;
    if (i == 0) {
        return atan_series(t);
    }
    return angle[i] + atan_series((y - tangent[i] * x) / (x + tangent[i] * y));
}

double cord_atan2(double y, double x)
{
    double ay = fabs(y), ax = fabs(x);
    if (ax == 0.0 && ay == 0.0) {
        return 0.0;
    }
    double a = ay <= ax ? atan_octant(ay, ax) : CORD_PI / 2 - atan_octant(ax, ay);
    if (x < 0.0) {
        a = CORD_PI - a;
    }
    return y < 0.0 ? -a : a;
}

double cord_acos(double c)
{
    c = real_min(real_max(c, -1.0), 1.0);
    return cord_atan2(sqrt((1.0 - c) * (1.0 + c)), c);
}

// e^a = 2^k e^r with |r| <= ln 2 / 2. The first term left out of the series is below 1e-18.
double cord_exp(double a)
{
    if (isnan(a)) {
        return NAN;
    }
    if (a > 709.0) {
        return INFINITY;
    }
    if (a < -745.0) {
        return 0.0;
    }
    double k = nearbyint(a * 1.44269504088896338700);
    double r = (a - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10, sum = 1.0;
    for (int n = 15; n >= 1; n--) {
        sum = 1.0 + sum * r / n;
    }
    return ldexp(sum, (int)k);
}

// a = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh s, s = (m - 1) / (m + 1). The series to s^21
// leaves out 1e-17.
double cord_log(double a)
{
    if (!(a >= 0.0)) {
        return NAN;
    }
    if (a == 0.0 || a == INFINITY) {
        return a == 0.0 ? -INFINITY : INFINITY;
    }
    int k;
    double m = frexp(a, &k);
    if (m < 0.70710678118654752440) {
        m *= 2.0;
        k--;
    }
    double s = (m - 1.0) / (m + 1.0), q = s * s, sum = 0.0;
    for (int n = 21; n >= 3; n -= 2) {
        sum = q * (1.0 / n + sum);
    }
    return k * 0.693147180369123816490 + (2.0 * (s + s * sum) + k * 1.90821492927058770002e-10);
}

double cord_pow(double a, double power)
{
    return a == 0.0 ? 0.0 : cord_exp(power * cord_log(a));
}
