// ACM, figure 6: what it takes to resolve n collisions of a falling coil, by the paper's response and by the default one.
#include "acm_coil.h"

#include "reproduce.h"

#include <math.h>

typedef struct Line {
    CordResponse response;
    const char* name;
    CoilRun run;
} Line;

// Of the logarithms, by least squares; where there is nothing to resolve nothing counts.
static double exponent_of(const CoilRun* run)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < COIL_SAMPLES; i++) {
        const CoilSample* s = &run->at[i];
        if (s->collisions > 0 && s->iterations > 0.0) {
            double u = log((double)s->collisions), v = log(s->iterations);
            n += 1.0, x += u, y += v, xx += u * u, xy += u * v;
        }
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

static bool print_line(const Line* line, FILE* csv)
{
    bool fewer = true, apart = true;
    printf("%s\n  %9s %10s %12s %10s %5s %12s %14s\n", line->name, "time [s]", "collisions", "depth [r]",
           "iterations", "most", "contact [ms]", "left over [r]");
    for (int i = 0; i < COIL_SAMPLES; i++) {
        const CoilSample* s = &line->run.at[i];
        printf("  %9.4f %10d %12.2g %10.1f %5d %12.3g %14.2g\n", s->time, s->collisions, s->depth,
               s->iterations, s->most_iterations, 1e3 * s->contact, s->deepest);
        fprintf(csv, "%s,%.9g,%d,%.6g,%.6g,%d,%.6g,%.6g\n",
                line->response == CORD_RESPONSE_ZONES ? "zones" : "impulses", s->time, s->collisions,
                s->depth, s->iterations, s->most_iterations, s->contact, s->deepest);
        fewer &= s->iterations < s->collisions;
        apart &= s->deepest <= coil_tolerance;
    }
    printf("  iterations grow as collisions to the power %.2f\n", exponent_of(&line->run));
    printf("  fewer iterations than collisions, in the mean of every sample: %s\n", fewer ? "pass" : "FAIL");
    printf("  nothing overlaps by more than %g of a radius: %s\n", coil_tolerance, apart ? "pass" : "FAIL");
    fflush(stdout);
    return fewer && apart;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig6"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset logscale xy\nset grid\nset xrange [5:2000]\nset xlabel 'collisions n'\nset multiplot layout 1,2\n"
            "of(who) = sprintf('< grep ^%%s acm-fig6.csv', who)\n"
            "set ylabel 'iterations of a step'\nset yrange [1:2000]\nset key top left\n"
            "plot of('zones') using 3:5 with points pt 7 lc rgb '#c8452f' title 'zones, the paper''s response', "
            "of('impulses') using 3:5 with points pt 5 lc rgb '#2455a4' title 'impulses, the default', "
            "x with lines dt 2 lc rgb '#808080' title 'n'\n"
            "set ylabel 'contact, one step [ms]'\nset yrange [0.5:50]\nset key top left\n"
            "plot of('zones') using 3:($7*1e3) with points pt 7 lc rgb '#c8452f' title 'zones', "
            "of('impulses') using 3:($7*1e3) with points pt 5 lc rgb '#2455a4' title 'impulses'\n"
            "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool acm_fig6_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "acm-fig6.csv");
    if (!csv) {
        return false;
    }
    static Line lines[] = {
        {.response = CORD_RESPONSE_ZONES, .name = "zones of impact, the paper's response"},
        {.response = CORD_RESPONSE_IMPULSES, .name = "impulses of all contacts, the default"},
    };
    bool pass = true;
    printf("a coil of 2,000 nodes falls on the ground; to %g of a radius, steps of %g s\n", coil_tolerance,
           coil_step);
    fprintf(csv, "response,time_s,collisions,depth_over_r,iterations,most_iterations,contact_s,deepest_over_r\n");
    for (int i = 0; i < 2; i++) {
        pass &= coil_run(lines[i].response, &lines[i].run) && print_line(&lines[i], csv);
    }
    fclose(csv);
    printf("acm-fig6: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
