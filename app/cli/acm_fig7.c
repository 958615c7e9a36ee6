// ACM, figure 7: a falling coil of 2,000 nodes in contact with itself, and where the time of a step goes.
#include "acm_coil.h"

#include "reproduce.h"

#include <math.h>

static const double goal = 7e-3; // for one step [s]

// The paper's, in the mean, on a machine it does not name [s].
static const double paper_detection = 0.355, paper_response = 0.255, paper_others = 0.1;
enum { PAPER_CONTACTS = 10000, PAPER_ITERATIONS = 34 };
static const double paper_depth = 1.8e-3;

static CoilSample mean_of(const CoilRun* run)
{
    CoilSample m = {.time = run->at[COIL_SAMPLES - 1].time};
    double near = 0.0, collisions = 0.0;
    for (int i = 0; i < COIL_SAMPLES; i++) {
        const CoilSample* s = &run->at[i];
        near += s->near, collisions += s->collisions;
        m.depth += s->depth / COIL_SAMPLES;
        m.iterations += s->iterations / COIL_SAMPLES;
        m.contact += s->contact / COIL_SAMPLES;
        m.others += s->others / COIL_SAMPLES;
        m.deepest = fmax(m.deepest, s->deepest);
    }
    m.near = (int)(near / COIL_SAMPLES);
    m.collisions = (int)(collisions / COIL_SAMPLES);
    return m;
}

static void print_row(const char* who, double contacts, double depth, double iterations, double contact, double others)
{
    printf("  %-34s %9.0f %10.2g %11.1f %13.4g %12.4g %10.4g\n", who, contacts, depth, iterations,
           1e3 * contact, 1e3 * others, 1e3 * (contact + others));
}

static void write_csv(FILE* csv, const CoilRun* run)
{
    fprintf(csv, "time_s,near,collisions,depth_over_r,iterations,contact_s,others_s,deepest_over_r\n");
    for (int i = 0; i < COIL_SAMPLES; i++) {
        const CoilSample* s = &run->at[i];
        fprintf(csv, "%.9g,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g\n", s->time, s->near, s->collisions, s->depth,
                s->iterations, s->contact, s->others, s->deepest);
    }
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig7"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset xlabel 'time [s]'\nset ylabel 'pairs of elements'\nset y2label 'one step [ms]'\n"
            "set yrange [0:14000]\nset y2range [0:*]\nset ytics nomirror\nset y2tics\nset key top right\n"
            "plot 'acm-fig7.csv' using 1:2 skip 1 with linespoints pt 7 lc rgb '#2455a4' title 'near each other', "
            "'' using 1:3 skip 1 with linespoints pt 6 lc rgb '#2455a4' title 'that would overlap', "
            "'' using 1:(($6+$7)*1e3) skip 1 axes x1y2 with linespoints pt 5 lc rgb '#c8452f' title 'time of a step', "
            "'' using 1:($7*1e3) skip 1 axes x1y2 with linespoints pt 4 lc rgb '#c8452f' title 'without contact'\n");
    reproduce_plot_close(&p, script);
}

static bool judge(const CoilRun* run, CoilSample mean)
{
    bool many = mean.near > 8000 && mean.near < 12000, apart = mean.deepest <= coil_tolerance;
    printf("  near each other: %d pairs in the mean, should be about %d, 8,000 to 12,000: %s\n", mean.near,
           PAPER_CONTACTS, many ? "pass" : "FAIL");
    printf("  deepest overlap after any step: %.2g of a radius, should be below %g: %s\n", mean.deepest,
           coil_tolerance, apart ? "pass" : "FAIL");
    printf("  steps taken in halves: %lld\n", (long long)run->retries);
    double step = mean.contact + mean.others;
    printf("  a step takes %.3g ms, %.0f times less than the paper's; the goal is %g ms: %s\n", 1e3 * step,
           (paper_detection + paper_response + paper_others) / step, 1e3 * goal,
           step <= goal ? "reached" : "missed");
    return many && apart;
}

bool acm_fig7_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "acm-fig7.csv");
    static CoilRun run;
    bool good = csv && coil_run(CORD_RESPONSE_IMPULSES, &run);
    if (!good) {
        if (csv) {
            fclose(csv);
        }
        return false;
    }
    write_csv(csv, &run);
    fclose(csv);
    CoilSample mean = mean_of(&run);
    printf("a coil of 2,000 nodes falls on the ground, steps of %g s; the mean from %.3f to %.3f s\n"
           "  %-34s %9s %10s %11s %13s %12s %10s\n",
           coil_step, run.at[0].time, mean.time, "", "contacts", "depth [r]", "iterations", "contact [ms]",
           "others [ms]", "sum [ms]");
    print_row("paper (detection 355, response 255)", PAPER_CONTACTS, paper_depth, PAPER_ITERATIONS,
              paper_detection + paper_response, paper_others);
    print_row("Cordage, pairs near each other", mean.near, NAN, mean.iterations, mean.contact, mean.others);
    print_row("Cordage, pairs that would overlap", mean.collisions, mean.depth, mean.iterations, mean.contact,
              mean.others);
    bool pass = judge(&run, mean);
    printf("acm-fig7: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
