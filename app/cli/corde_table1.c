// CORDE, table 1: what forces and integration of rods of 50, 100 and 1,000 elements cost, beside the paper's figures, which were taken on a 3.8 GHz Xeon.
#include "bench_world.h"
#include "reproduce.h"

#include <math.h>

static const double growth_most = 1.3; // of the cost of an element, at 1,000 elements, over the least of any

enum { ROWS = 3, WAYS = 2, ROUNDS = 40 };

typedef struct Cost { // of one step [s]
    double forces, orientations, total;
} Cost;

static const int elements[ROWS] = {50, 100, 1000};
static const Cost paper[ROWS] = {{0.051e-3, NAN, 0.069e-3}, {0.096e-3, NAN, 0.131e-3}, {0.91e-3, NAN, 1.24e-3}};

static const struct {
    CordOrientations orientations;
    const char* name;
} ways[WAYS] = {
    {CORD_ORIENTATIONS_EXPLICIT, "explicit orientations"}, // the paper's
    {CORD_ORIENTATIONS_QUASISTATIC, "quasistatic orientations"},
};

// ---------------------------------------------------------------------------------------------------- measuring

// Elements are as long in all: 1 cm, as those of the paper's thread, and ten times as long as thick.
static BenchScale scale_of(int row, int way, bool timed)
{
    return (BenchScale){.rods = 1,
                        .elements = elements[row],
                        .length = 0.01 * elements[row],
                        .model = CORD_MODEL_CORDE,
                        .orientations = ways[way].orientations,
                        .timed = timed};
}

static int steps_in_a_round(int row)
{
    return 200000 / elements[row];
}

static bool measure_total(int row, int way, Cost* cost)
{
    BenchWorld b;
    bench_world_open(&b, scale_of(row, way, false), 1);
    if (!b.world) {
        return false;
    }
    int steps = steps_in_a_round(row);
    double h = 0.5 * cord_world_step_advice(b.world).step;
    bool good = cord_world_step_many(b.world, h, 100) == CORD_OK; // warm-up
    cost->total = good ? bench_time_steps(b.world, h, steps, ROUNDS, 1) / steps : (double)NAN;
    bench_world_close(&b);
    return isfinite(cost->total);
}

// The round with the least sum counts: it is the least disturbed one.
static bool measure_phases(int row, int way, Cost* cost)
{
    BenchWorld b;
    bench_world_open(&b, scale_of(row, way, true), 1);
    int steps = steps_in_a_round(row);
    double h = b.world ? 0.5 * cord_world_step_advice(b.world).step : 0.0, least = INFINITY;
    bool good = b.world && cord_world_step_many(b.world, h, 100) == CORD_OK;
    for (int round = 0; round < ROUNDS && good; round++) {
        CordStepTimes before = cord_world_step_times(b.world);
        good = cord_world_step_many(b.world, h, steps) == CORD_OK;
        CordStepTimes after = cord_world_step_times(b.world);
        double forces = (after.forces - before.forces) / steps;
        double orientations = (after.frames - before.frames) / steps;
        if (forces + orientations < least) {
            least = forces + orientations;
            cost->forces = forces, cost->orientations = orientations;
        }
    }
    bench_world_close(&b);
    return good;
}

// ---------------------------------------------------------------------------------------------------- the table

static void print_row(const char* who, int row, const Cost* c)
{
    char orientations[16] = "-";
    if (isfinite(c->orientations)) {
        snprintf(orientations, sizeof orientations, "%.4g", 1e6 * c->orientations);
    }
    printf("  %-24s %8d %12.4g %13s %10.4g %14.4g", who, elements[row], 1e6 * c->forces, orientations,
           1e6 * c->total, 1e9 * c->total / elements[row]);
}

static bool tell_way(int way, FILE* csv, Cost costs[ROWS])
{
    double least = INFINITY, last = 0.0;
    for (int row = 0; row < ROWS; row++) {
        Cost* c = &costs[row];
        if (!measure_total(row, way, c) || !measure_phases(row, way, c)) {
            printf("  %s, %d elements: the steps failed: FAIL\n", ways[way].name, elements[row]);
            return false;
        }
        print_row(ways[way].name, row, c);
        printf("   %.0f times faster\n", paper[row].total / c->total);
        fprintf(csv, "%s,%d,%.6g,%.6g,%.6g,%.6g\n", ways[way].name, elements[row], 1e3 * c->forces,
                1e3 * c->orientations, 1e3 * c->total, 1e3 * paper[row].total);
        last = c->total / elements[row];
        least = fmin(least, last);
    }
    bool linear = last <= growth_most * least;
    printf("    linear: an element of 1,000 costs %.2f times what it costs at the least, %g allowed: %s\n",
           last / least, growth_most, linear ? "pass" : "FAIL");
    fflush(stdout);
    return linear;
}

static void plot(const char* directory, Cost costs[WAYS][ROWS])
{
    ReproducePlot p = {.directory = directory, .name = "corde-table1"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "$steps << END\n");
    for (int row = 0; row < ROWS; row++) {
        fprintf(script, "%d %.6g %.6g %.6g\n", elements[row], 1e3 * paper[row].total,
                1e3 * costs[1][row].total, 1e3 * costs[0][row].total);
    }
    fprintf(script,
            "END\nset logscale xy\nset xrange [40:1300]\nset yrange [0.0005:5]\nset grid\nset format y '%%g'\n"
            "set xtics (50, 100, 200, 500, 1000)\nset xlabel 'elements'\nset ylabel 'one step [ms]'\nset key top left\n"
            "plot $steps using 1:2 with linespoints pt 5 ps 1.3 lw 2 lc rgb '#8a929c' title 'the paper', "
            "'' using 1:3 with linespoints pt 9 ps 1.3 lw 2 lc rgb '#e8a03a' title 'quasistatic orientations (the default)', "
            "'' using 1:4 with linespoints pt 7 ps 1.3 lw 2 lc rgb '#2455a4' title 'explicit orientations (as in the paper)'\n");
    reproduce_plot_close(&p, script);
}

bool corde_table1_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "corde-table1.csv");
    if (!csv) {
        return false;
    }
    Cost costs[WAYS][ROWS] = {{{0}}};
    bool pass = true;
    printf("one step of a rod that moves freely, straight and round by nature; microseconds\n"
           "  %-24s %8s %12s %13s %10s %14s\n",
           "", "elements", "forces", "orientations", "total", "ns an element");
    for (int row = 0; row < ROWS; row++) {
        print_row("paper", row, &paper[row]);
        printf("\n");
    }
    fprintf(csv, "orientations,elements,forces_ms,orientations_ms,total_ms,paper_total_ms\n");
    for (int way = 0; way < WAYS; way++) {
        pass &= tell_way(way, csv, costs[way]);
    }
    fclose(csv);
    printf("Forces count the step of velocities in, which is part of the paper's integration (0.018, 0.035 and 0.33 ms). Phases are timed by themselves,\n"
           "which costs a little: they may add up to more than the total.\n");
    printf("corde-table1: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory, costs);
    return pass;
}
