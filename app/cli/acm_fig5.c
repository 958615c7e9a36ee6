// ACM, figure 5: two ropes tied together by a double Fisherman's knot, fine all along, adaptive, and coarse.
#include "acm_fisherman.h"

#include "reproduce.h"

#include <math.h>

static const double nodes_most = 0.5, time_most = 0.55; // of the high resolution's
static const double contacts_off = 0.1, shape_off = 0.02;
static const double slip_most = 0.1; // of a radius

static const char* verdict(bool pass)
{
    return pass ? "pass" : "FAIL";
}

static void print_rows(const FishermanRun* runs)
{
    printf("  %-10s %8s %10s %12s %16s\n", "", "nodes", "contacts", "step [ms]", "shape off by");
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        const FishermanRun* r = &runs[k];
        printf("  %-10s %8.0f %10.1f %12.3f %14.2f %%\n", fisherman_names[k], r->nodes, r->contacts,
               1e3 * r->step, 100.0 * fisherman_difference(&runs[FISHERMAN_HIGH].shape, &r->shape));
    }
}

static double contacts_apart(const FishermanRun* runs, FishermanKind kind)
{
    return runs[kind].contacts / runs[FISHERMAN_HIGH].contacts - 1.0;
}

static double shapes_apart(const FishermanRun* runs, FishermanKind kind)
{
    return fisherman_difference(&runs[FISHERMAN_HIGH].shape, &runs[kind].shape);
}

static bool judge_cost(const FishermanRun* runs)
{
    const FishermanRun *high = &runs[FISHERMAN_HIGH], *adaptive = &runs[FISHERMAN_ADAPTIVE];
    double nodes = adaptive->nodes / high->nodes, time = adaptive->step / high->step;
    bool few = nodes <= nodes_most;
    printf("  adaptive ropes need %.2f of the nodes, at most %g allowed: %s (the paper's 0.46)\n", nodes,
           nodes_most, verdict(few));
    printf("  and %.2f of the time; the goal is %g: %s (the paper's 0.55)\n", time, time_most,
           time <= time_most ? "reached" : "missed");
    return few;
}

static bool judge_knot(const FishermanRun* runs)
{
    double contacts = contacts_apart(runs, FISHERMAN_ADAPTIVE), shape = shapes_apart(runs, FISHERMAN_ADAPTIVE);
    bool same = fabs(contacts) <= contacts_off && shape <= shape_off;
    printf("  the same knot: contacts %+.1f %%, %g allowed; shapes %.2f %% of the %.0f mm of a rope in the knot, %g allowed: %s\n",
           100.0 * contacts, 100.0 * contacts_off, 100.0 * shape,
           500.0 * fisherman_length(&runs[FISHERMAN_HIGH].shape), 100.0 * shape_off, verdict(same));
    contacts = contacts_apart(runs, FISHERMAN_LOW), shape = shapes_apart(runs, FISHERMAN_LOW);
    bool other = fabs(contacts) > contacts_off && shape > shape_off;
    printf("  coarse ropes do not have it: contacts %+.1f %%, shapes %.1f %%, both more than that expected: %s\n",
           100.0 * contacts, 100.0 * shape, verdict(other));
    return same && other;
}

static bool judge_rest(const FishermanRun* runs)
{
    bool tied = true, rests = true;
    double deepest = 0.0;
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        bool knot = k != FISHERMAN_LOW; // the tails of the coarse one swing around
        tied &= runs[k].tied && (runs[k].linked || !knot);
        rests &= fabs(runs[k].slip) <= slip_most * fisherman_radius || !knot;
        deepest = fmax(deepest, runs[k].deepest);
    }
    bool apart = deepest <= fisherman_tolerance;
    printf("  at rest: its ends go apart by %.2f and %.2f mm while it is tight, a tenth of a radius allowed: %s\n",
           1e3 * runs[FISHERMAN_HIGH].slip, 1e3 * runs[FISHERMAN_ADAPTIVE].slip, verdict(rests));
    printf("  two double overhand knots in the end as in the beginning, linked as often: %s; deepest overlap %.2g of a radius, %g allowed: %s\n",
           verdict(tied), deepest, fisherman_tolerance, verdict(apart));
    return rests && tied && apart;
}

static bool tell(const char* model, FILE* csv)
{
    static FishermanRun runs[FISHERMAN_KINDS];
    printf("%s: drawn tight by %g N at all four ends; nodes and time in the mean from 0 to 0.25 s, contacts from 0.1 s on\n",
           model, fisherman_pull);
    if (!fisherman_run(model, FISHERMAN_AS_SCENE, runs)) {
        return false;
    }
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        for (int i = 0; i < FISHERMAN_SAMPLES; i++) {
            const FishermanSample* s = &runs[k].at[i];
            fprintf(csv, "%s,%s,%.6g,%d,%d,%.6g,%.9g\n", model, fisherman_names[k], s->time, s->nodes,
                    s->contacts, 1e3 * s->step, s->apart);
        }
    }
    print_rows(runs);
    bool cost = judge_cost(runs), knot = judge_knot(runs), rest = judge_rest(runs);
    fflush(stdout);
    return cost && knot && rest;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig5"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset multiplot layout 1,3\nset xlabel 'time [s]'\nset xtics 0.1\n"
            "of(kind) = stringcolumn(1) eq 'der' && stringcolumn(2) eq kind\n"
            "kind(i) = word('high adaptive low', i)\ncolour(i) = word('#222222 #2f86c1 #c8442f', i)\n"
            "set ylabel 'nodes of both ropes'\nset yrange [0:1300]\nset key top right\nset xrange [0:0.25]\n"
            "plot for [i=1:3] 'acm-fig5.csv' using (of(kind(i)) ? $3 : 1/0):4 with lines lw 2 lc rgb colour(i) title kind(i)\n"
            "set ylabel 'contacts that push'\nset yrange [0:70]\n"
            "plot for [i=1:3] 'acm-fig5.csv' using (of(kind(i)) ? $3 : 1/0):5 with lines lw 2 lc rgb colour(i) title kind(i)\n"
            "set ylabel 'one step [ms]'\nset yrange [0:*]\n"
            "plot for [i=1:3] 'acm-fig5.csv' using (of(kind(i)) ? $3 : 1/0):6 with lines lw 2 lc rgb colour(i) title kind(i)\n"
            "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool acm_fig5_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "acm-fig5.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "model,ropes,time_s,nodes,contacts,step_ms,standing_ends_apart_m\n");
    bool der = tell("der", csv), corde = tell("corde", csv), pass = der && corde;
    fclose(csv);
    printf("acm-fig5: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
