// The table of closed-form results, and how the program's error falls as the rod is refined.
#include "theory.h"

#include <math.h>

typedef struct Case {
    const char* name;
    const char* source; // what the right answer is, and where it comes from
    double (*measure)(Lab* lab, const struct Case* c, int elements);
    double (*exact)(const struct Case* c);
    double p, q;      // what it is of: force and weight; support and mode; span
    double tolerance; // relative error allowed at 80 elements
} Case;

static double sag(Lab* lab, const Case* c, int elements)
{
    return theory_cantilever(lab, elements, c->p, c->q);
}

static double sag_exact(const Case* c)
{
    return theory_elastica(c->p, c->q);
}

static double catenary(Lab* lab, const Case* c, int elements)
{
    return theory_catenary(lab, elements, c->p);
}

static double catenary_exact(const Case* c)
{
    return theory_catenary_exact(c->p);
}

// The first two modes of a free rod move it as a whole.
static double frequency(Lab* lab, const Case* c, int elements)
{
    bool clamped = c->p < 0.0;
    return theory_frequency(lab, elements, clamped, (int)c->q + (clamped ? 0 : 2));
}

// The square of the q-th x > 0 with cos(x) cosh(x) = p: -1, held at one end; 1, free.
static double frequency_exact(const Case* c)
{
    double x = CORD_PI * (c->q + 0.5 * c->p); // but for the first, within a hundredth of it
    for (int i = 0; i < 20; i++) {
        double f = cos(x) - c->p / cosh(x), df = -sin(x) + c->p * sinh(x) / (cosh(x) * cosh(x));
        x -= f / df;
    }
    return x * x;
}

static double buckling(Lab* lab, const Case* c, int elements)
{
    (void)c;
    return theory_twist_buckling(lab, elements);
}

static double buckling_exact(const Case* c)
{
    double x = 4.4934; // tan x = x; the critical moment is 2 x EI / L
    (void)c;
    for (int i = 0; i < 20; i++) {
        x -= (sin(x) - x * cos(x)) / (x * sin(x));
    }
    return 2.0 * x;
}

static const Case cases[] = {
    {"tip force small", "elastica, F L^2 / EI = 0.01: tip deflection", sag, sag_exact, 0.01, 0, 1e-4},
    {"tip force large", "elastica, F L^2 / EI = 5: tip deflection", sag, sag_exact, 5, 0, 3e-4},
    {"own weight small", "elastica, q L^3 / EI = 0.01: tip deflection", sag, sag_exact, 0, 0.01, 2e-4},
    {"own weight large", "elastica, q L^3 / EI = 20: tip deflection", sag, sag_exact, 0, 20, 5e-4},
    {"catenary", "a (cosh(d / 2a) - 1), span 0.7 of the length: sag", catenary, catenary_exact, 0.7, 0, 2e-4},
    {"cantilever mode 1", "1.8751^2 sqrt(EI / mu L^4): angular frequency", frequency, frequency_exact, -1, 1,
     1e-4},
    {"cantilever mode 2", "4.6941^2 sqrt(EI / mu L^4)", frequency, frequency_exact, -1, 2, 5e-4},
    {"cantilever mode 3", "7.8548^2 sqrt(EI / mu L^4)", frequency, frequency_exact, -1, 3, 1.5e-3},
    {"free rod mode 1", "4.7300^2 sqrt(EI / mu L^4)", frequency, frequency_exact, 1, 1, 1e-3},
    {"free rod mode 2", "7.8532^2 sqrt(EI / mu L^4)", frequency, frequency_exact, 1, 2, 2e-3},
    {"free rod mode 3", "10.9956^2 sqrt(EI / mu L^4)", frequency, frequency_exact, 1, 3, 4e-3},
    {"buckling by twist", "clamped ends free to approach: 8.9868 EI / GJ [rad]", buckling, buckling_exact, 0,
     0, 2e-3},
};
enum { CASES = sizeof cases / sizeof *cases, RESOLUTIONS = 4 };
static const int resolutions[RESOLUTIONS] = {10, 20, 40, 80};

// The order seen between the two finest must be two; the band is what the next term of the error leaves of it
// there.
static const double order_least = 1.9, order_most = 2.15;

static void run(Lab* lab)
{
    for (int i = 0; i < CASES; i++) {
        const Case* c = &cases[i];
        double exact = c->exact(c), value = NAN, error[RESOLUTIONS];
        for (int k = 0; k < RESOLUTIONS; k++) {
            value = c->measure(lab, c, resolutions[k]);
            error[k] = fabs(value / exact - 1.0);
            lab_row(lab, "", c->name, resolutions[k], value, exact, error[k]);
        }
        lab_near(lab, c->name, value, exact, c->tolerance, c->source);
        lab_order(lab, c->name, error, RESOLUTIONS, order_least, order_most, c->source);
    }
}

const Experiment experiment_theory = {
    .id = "theory",
    .about = "closed-form results for straight rods: equilibria, frequencies, buckling; order of convergence",
    .source = "closed forms",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "case,elements,value,exact,error"}),
    .panels = LAB_PANELS(
        {.x = "elements",
         .y = "relative error",
         .set =
             "set logscale xy\nset format y '10^{%T}'\nset key outside right font ',9'\nset xrange [8:100]\n"
             "set xtics (10, 20, 40, 80)",
         .curves = LAB_CURVES(
             LAB_CURVE("", LAB_EACH, "elements", "error", "linespoints", NULL),
             {.y = "0.3*x**-2", .with = "lines dashtype 2 lc rgb '#888888'", .title = "second order"})}),
};
