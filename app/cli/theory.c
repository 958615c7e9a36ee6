// The table of closed-form results, and how the program's error falls as the rod is refined.
#include "theory.h"

#include "reproduce.h"
#include "talk.h"

#include <math.h>
#include <stdio.h>

static const TheoryCase cases[] = {
    {"tip force small", "elastica, F L^2 / EI = 0.01: tip deflection", theory_tip_force_small,
     theory_tip_force_small_exact, 1e-4},
    {"tip force large", "elastica, F L^2 / EI = 5: tip deflection", theory_tip_force_large,
     theory_tip_force_large_exact, 3e-4},
    {"own weight small", "elastica, q L^3 / EI = 0.01: tip deflection", theory_weight_small,
     theory_weight_small_exact, 2e-4},
    {"own weight large", "elastica, q L^3 / EI = 20: tip deflection", theory_weight_large,
     theory_weight_large_exact, 5e-4},
    {"catenary", "a (cosh(d / 2a) - 1), span 0.7 of the length: sag", theory_catenary, theory_catenary_exact, 2e-4},
    {"cantilever mode 1", "1.8751^2 sqrt(EI / mu L^4): angular frequency", theory_cantilever_1,
     theory_cantilever_1_exact, 1e-4},
    {"cantilever mode 2", "4.6941^2 sqrt(EI / mu L^4)", theory_cantilever_2, theory_cantilever_2_exact, 5e-4},
    {"cantilever mode 3", "7.8548^2 sqrt(EI / mu L^4)", theory_cantilever_3, theory_cantilever_3_exact, 1.5e-3},
    {"free rod mode 1", "4.7300^2 sqrt(EI / mu L^4)", theory_free_1, theory_free_1_exact, 1e-3},
    {"free rod mode 2", "7.8532^2 sqrt(EI / mu L^4)", theory_free_2, theory_free_2_exact, 2e-3},
    {"free rod mode 3", "10.9956^2 sqrt(EI / mu L^4)", theory_free_3, theory_free_3_exact, 4e-3},
    {"buckling by twist", "clamped ends free to approach: 8.9868 EI / GJ [rad]", theory_twist_buckling,
     theory_twist_buckling_exact, 2e-3},
};

static const int resolutions[] = {10, 20, 40, 80};
enum { CASES = sizeof cases / sizeof *cases, RESOLUTIONS = sizeof resolutions / sizeof *resolutions };

// The order seen between the two finest must be two; the band is what the next term of the error leaves of it there.
static const double order_least = 1.9, order_most = 2.15;

static bool measure(const TheoryCase* c, FILE* csv)
{
    double exact = c->exact(), error[RESOLUTIONS];
    printf("%-19s %11.6g ", c->name, exact);
    for (int k = 0; k < RESOLUTIONS; k++) {
        double value = c->measure(resolutions[k]);
        error[k] = value / exact - 1.0;
        printf(" %10.2e", error[k]);
        fflush(stdout);
        fprintf(csv, "%s,%d,%.17g,%.17g,%.17g\n", c->name, resolutions[k], value, exact, error[k]);
    }
    double order = log2(fabs(error[RESOLUTIONS - 2] / error[RESOLUTIONS - 1]));
    bool pass = fabs(error[RESOLUTIONS - 1]) <= c->tolerance && order >= order_least && order <= order_most;
    printf("  %5.2f  %s\n", order, pass ? "pass" : "FAIL");
    return pass;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "theory"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set logscale xy\nset format y '10^{%%T}'\nset xlabel 'elements'\nset ylabel 'relative error'\n"
                    "set key outside right font ',9'\nset grid\nset xrange [8:100]\nset xtics (10, 20, 40, 80)\n"
                    "set datafile separator ','\nplot ");
    for (int i = 0; i < CASES; i++) {
        fprintf(script,
                "'theory.csv' using (strcol(1) eq '%s' ? column(2) : 1/0):(abs(column(5))) with linespoints title '%s', ",
                cases[i].name, cases[i].name);
    }
    fprintf(script, "0.3*x**-2 with lines dashtype 2 lc rgb '#888888' title 'second order'\n");
    reproduce_plot_close(&p, script);
}

bool theory_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "theory.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "case,elements,value,exact,error\n");
    printf("%-19s %11s  relative error at elements\n%-19s %11s ", "", "", "case", "exact");
    for (int k = 0; k < RESOLUTIONS; k++) {
        printf(" %10d", resolutions[k]);
    }
    printf("  order\n");
    int passed = 0;
    for (int i = 0; i < CASES; i++) {
        passed += measure(&cases[i], csv);
    }
    fclose(csv);
    printf("%d of %d pass: second order, and within the tolerance at %d elements\n", passed, CASES,
           resolutions[RESOLUTIONS - 1]);
    fflush(stdout);
    plot(directory);
    for (int i = 0; i < CASES; i++) {
        talk_note("  %-19s %s", cases[i].name, cases[i].source);
    }
    return passed == CASES;
}
