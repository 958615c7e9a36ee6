// The update of one damped oscillator against its closed form, in extended precision.
#include "check.h"
#include "math/oscillator.h"

#include <float.h>

typedef struct Exact { // as Oscillator
    long double of[6]; // qq, qv, qf, vq, vv, vf
} Exact;

static void product(long double A[3][3], long double B[3][3], long double C[3][3])
{
    long double sum[3][3] = {{0}};
    for (int i = 0; i < 27; i++) {
        sum[i / 9][i / 3 % 3] += A[i / 9][i % 3] * B[i % 3][i / 3 % 3];
    }
    memcpy(C, sum, sizeof sum);
}

// exp(A h) of (q, q', f)' = A (q, q', f), by Taylor's series: for short steps, whatever the damping. Each
// power is scaled so that q, q' h and f h^2 are of one size.
static Exact by_series(double omega2, double damping, double h)
{
    long double H = h;
    long double A[3][3] = {
        {0, 1, 0}, {-(long double)omega2 * H * H, -(long double)damping * H, 1}, {0, 0, 0}};
    long double term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, sum[3][3];
    memcpy(sum, term, sizeof sum);
    for (int n = 1; n < 40; n++) {
        product(term, A, term);
        for (int i = 0; i < 9; i++) {
            term[i / 3][i % 3] /= n;
            sum[i / 3][i % 3] += term[i / 3][i % 3];
        }
    }
    return (Exact){{sum[0][0], sum[0][1] * H, sum[0][2] * H * H, sum[1][0] / H, sum[1][1], sum[1][2] * H}};
}

// The closed forms of a motion that swings, one that creeps, and the one between.
static Exact by_closed_form(double omega2, double damping, double h)
{
    long double b = 0.5L * damping, d2 = omega2 - b * b, d = sqrtl(fabsl(d2)), c, s;
    if (d2 < -0.1L * b * b) {
        long double fast = b + d, slow = omega2 / fast, left = expl(-slow * h), gone = expl(-fast * h);
        s = (left - gone) / (2 * d);
        return (Exact){{(fast * left - slow * gone) / (2 * d), s,
                        (expm1l(-fast * h) / fast - expm1l(-slow * h) / slow) / (2 * d), -omega2 * s,
                        (fast * gone - slow * left) / (2 * d), s}};
    }
    if (d2 > 0) {
        c = expl(-b * h) * cosl(d * h), s = expl(-b * h) * sinl(d * h) / d;
    } else if (d2 < 0) {
        s = expl(-(b - d) * h) * -expm1l(-2 * d * h) / (2 * d),
        c = 0.5L * (expl(-(b - d) * h) + expl(-(b + d) * h));
    } else {
        c = expl(-b * h), s = h * expl(-b * h);
    }
    long double qq = c + b * s;
    return (Exact){{qq, s, (1 - qq) / omega2, -omega2 * s, c - b * s, s}};
}

static Exact exact(double omega2, double damping, double h)
{
    return (sqrt(omega2) + damping) * h < 1.0 ? by_series(omega2, damping, h)
                                              : by_closed_form(omega2, damping, h);
}

static void numbers_of(Oscillator o, double of[6])
{
    of[0] = o.qq, of[1] = o.qv, of[2] = o.qf, of[3] = o.vq, of[4] = o.vv, of[5] = o.vf;
}

// The largest error, over the size that the number has in the course of a motion: q is 1, its rate omega, its
// force omega^2; in less than a radian q' grows the motion by h alone, and a force by h^2 / 2. An angle omega
// h is known to DBL_EPSILON of itself, and no better.
static double error_of(double omega2, double damping, double h)
{
    Oscillator o = oscillator_over(omega2, damping, h);
    Exact e = exact(omega2, damping, h);
    double w = sqrt(omega2), t = fmin(h, 1.0 / w);
    double got[6];
    numbers_of(o, got);
    const double scale[6] = {1.0, t, fmin(0.5 * h * h, 1.0 / omega2), w * fmin(1.0, w * h), 1.0, t};
    double most = 0.0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fabs((double)(got[i] - e.of[i])) / scale[i]);
    }
    return most / (DBL_EPSILON * fmax(1.0, w * h));
}

#define ROUND 4.0 // in units of DBL_EPSILON

static double worst_of(double ratio) // over angles of a step from 1e-8 to 1e6
{
    double worst = 0.0, at = 0.0;
    for (int n = 0; n <= 1400; n++) {
        double angle = pow(10.0, -8.0 + 0.01 * n), omega = 37.0;
        double error = error_of(omega * omega, 2.0 * ratio * omega, angle / omega);
        if (error > worst) {
            worst = error, at = angle;
        }
    }
    print_message("    ratio %-8.3g worst %.2f units of round-off, at omega h = %.3g\n", ratio, worst, at);
    return worst;
}

TEST(the_two_references_agree_where_both_are_good)
{
    for (int n = 0; n < 100; n++) {
        double omega2 = 4.0, damping = 0.08 * n, h = 1.0 / (2.0 + damping);
        Exact a = by_series(omega2, damping, h), b = by_closed_form(omega2, damping, h);
        for (int i = 0; i < 6; i++) { // 1 - qq takes a digit or two from the closed form, of LDBL_EPSILON
            CHECK_NEAR((double)(a.of[i] - b.of[i]), 0.0, 1e-16);
        }
    }
}

// Near to critical damping the frequency is the root of a small difference; both sides of where the series in
// it takes over.
TEST(every_damping_is_exact_to_round_off)
{
    const double ratios[] = {0.0,                                   // undamped
                             1e-9,        1e-3,        0.05,        // underdamped
                             0.3,         0.7,         0.9,         //
                             1.0,         1.0 + 1e-15, 1.0 - 1e-15, // critical, and its surroundings
                             1.0 + 1e-10, 1.0 - 1e-10, 1.0 + 1e-6,  //
                             1.0 - 1e-6,  1.0 + 1e-3,  1.0 - 1e-3,  //
                             1.1,         3.0,         100.0,       // overdamped
                             1e4,         1e8};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        CHECK(worst_of(ratios[i]) < ROUND);
    }
}

static Oscillator after(Oscillator a, Oscillator b) // one step after the other, under the same force
{
    return (Oscillator){.qq = b.qq * a.qq + b.qv * a.vq,
                        .qv = b.qq * a.qv + b.qv * a.vv,
                        .qf = b.qq * a.qf + b.qv * a.vf + b.qf,
                        .vq = b.vq * a.qq + b.vv * a.vq,
                        .vv = b.vq * a.qv + b.vv * a.vv,
                        .vf = b.vq * a.qf + b.vv * a.vf + b.vf};
}

// Two steps are one of their length: across the switch from series to closed form, too.
TEST(two_steps_are_one_of_their_length)
{
    const double ratios[] = {0.0, 1e-3, 0.4, 1.0, 2.5, 50.0};
    for (int i = 0; i < 6; i++) {
        for (int n = 0; n < 120; n++) {
            double h = pow(10.0, -4.0 + 0.05 * n), damping = 2.0 * ratios[i]; // omega is 1
            Oscillator a = oscillator_over(1.0, damping, 0.3 * h), b = oscillator_over(1.0, damping, 0.7 * h);
            double both[6], one[6], round = 2.0 * ROUND * DBL_EPSILON * fmax(1.0, h);
            numbers_of(after(a, b), both), numbers_of(oscillator_over(1.0, damping, h), one);
            for (int k = 0; k < 6; k++) {
                CHECK_NEAR(both[k], one[k], round);
            }
        }
    }
}

TEST(a_constant_force_is_balanced_in_the_end)
{
    const double ratios[] = {1e-2, 1.0, 30.0}, steps[] = {1e-2, 1.0, 1e3};
    for (int i = 0; i < 9; i++) {
        double omega2 = 9.0, damping = 6.0 * ratios[i / 3], h = steps[i % 3], q = 0.0, v = 0.0, f = 4.5;
        Oscillator o = oscillator_over(omega2, damping, h);
        double slowest = fmin(0.5 * damping, omega2 / damping); // rate at which it comes to rest
        for (double t = 0.0; t < 60.0 / slowest; t += h) {      // e^-60 is nothing
            double next = o.qq * q + o.qv * v + o.qf * f;
            v = o.vq * q + o.vv * v + o.vf * f, q = next;
        }
        CHECK_NEAR(q, f / omega2, 1e-11); // rounding of each step, kept for 1 / (slowest h) steps
        CHECK_NEAR(v, 0.0, 1e-11);
    }
}

// A balance is kept step by step, to round-off: qq q + qf f = q where q = f / omega^2.
TEST(a_balance_stays)
{
    for (int n = 0; n < 100; n++) {
        double h = pow(10.0, -6.0 + 0.1 * n);
        Oscillator o = oscillator_over(5.0, 0.02 * n, h);
        CHECK_NEAR(o.qq + o.qf * 5.0, 1.0, 2 * DBL_EPSILON);
        CHECK_NEAR(o.vq + o.vf * 5.0, 0.0, 8 * DBL_EPSILON);
    }
}

// Never more energy than before, whatever the step: q'^2 + omega^2 q^2 of the worst start, to round-off.
TEST(no_step_adds_energy)
{
    for (int n = 0; n < 2000; n++) {
        double h = pow(10.0, -6.0 + 0.006 * n), damping = n % 7 * 0.3; // omega is 1
        Oscillator o = oscillator_over(1.0, damping, h);
        // The largest singular value of the matrix: of its Gram matrix, by trace and determinant.
        double a = o.qq * o.qq + o.vq * o.vq, b = o.qq * o.qv + o.vq * o.vv, c = o.qv * o.qv + o.vv * o.vv;
        double largest = 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b);
        CHECK(largest <= 1.0 + 8 * DBL_EPSILON);
    }
}

TEST_GROUP(modal_oscillator)
