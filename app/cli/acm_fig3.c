// ACM, figure 3: two rods swing into a bar, one of a fixed resolution, one that is refined as it bends; they move alike.
#include "reproduce.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>

#include <math.h>

// As in the scene.
static const double step = 8e-6, length = 1.0, radius = 0.01; // [s], [m]
static const char* const models[] = {"der", "corde"};
enum { FIXED, ADAPTIVE, RODS };                  // of the scene
enum { MODELS = 2, STEPS = 125, SAMPLES = 800 }; // STEPS from sample to sample

static const double tip_most = 0.02;         // of the length: adaptive from fixed, at any time
static const double overlap_most = 1e-3;     // of a radius: the scene's contact tolerance
static const char* const paper = "10 to 20"; // iterations for a node

typedef struct Sample {
    double time;
    CordVec3 tip[RODS];
    int nodes; // of the second rod
} Sample;

typedef struct Swing {
    Sample at[SAMPLES + 1];
    CordAdaptReport report; // of the second rod
    double deepest;         // overlap at any sample, over the radius
    double share;           // of the time of all steps that went into adapting
} Swing;

// ---------------------------------------------------------------------------------------------------- the run

static Sample look(CordWorld* world)
{
    Sample s = {.time = cord_world_time(world)};
    for (int i = 0; i < RODS; i++) {
        double tip[CORD_PROBE_MOST] = {0};
        (void)cord_probe_read(world, cord_world_probe(world, i), tip);
        s.tip[i] = (CordVec3){tip[0], tip[1], tip[2]};
    }
    s.nodes = cord_rod_node_count(world, cord_world_rod(world, ADAPTIVE));
    return s;
}

static double adapting(const CordWorld* world)
{
    CordStepTimes t = cord_world_step_times(world);
    return t.adapt / (t.forces + t.lengths + t.frames + t.contact + t.adapt);
}

// The scene under a model; its second rod as it is there, or with the nodes that it begins with.
static bool swing(const char* model, bool adaptive, Swing* run)
{
    char model_is[64];
    snprintf(model_is, sizeof model_is, "rods[*].model=%s", model);
    const char* settings[] = {model_is, "rods[1].adapt=false"};
    CordWorld* world = reproduce_scene("acm/fig3", settings, adaptive ? 1 : 2);
    bool good = world != NULL;
    *run = (Swing){0};
    for (int i = 0; i <= SAMPLES && good; i++) {
        CordContact deepest;
        good = i == 0 || cord_world_step_many(world, step, STEPS) == CORD_OK;
        run->at[i] = look(world);
        if (cord_world_deepest(world, &deepest)) {
            run->deepest = fmax(run->deepest, -deepest.gap / radius);
        }
    }
    if (good) {
        run->report = cord_rod_adapt_report(world, cord_world_rod(world, ADAPTIVE));
        run->share = adapting(world);
    } else if (world) {
        printf("  %s: FAIL\n", cord_world_message(world));
    }
    cord_world_destroy(world);
    return good;
}

// ---------------------------------------------------------------------------------------------------- what is measured

// How far the second rod's tip is from the first one's, which swings beside it [m].
static double apart(const Sample* s, const Sample* start)
{
    CordVec3 a = s->tip[FIXED], b = s->tip[ADAPTIVE];
    double beside = start->tip[ADAPTIVE].y - start->tip[FIXED].y;
    double x = b.x - a.x, y = b.y - a.y - beside, z = b.z - a.z;
    return sqrt(x * x + y * y + z * z);
}

static double farthest(const Swing* run)
{
    double most = 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        most = fmax(most, apart(&run->at[i], &run->at[0]));
    }
    return most;
}

static bool tell(const char* model, const Swing* adaptive, const Swing* coarse)
{
    const CordAdaptReport* r = &adaptive->report;
    int most = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        most = adaptive->at[i].nodes > most ? adaptive->at[i].nodes : most;
    }
    double off = farthest(adaptive) / length, coarse_off = farthest(coarse) / length;
    bool follows = off <= tip_most, adapts = r->refined > 0 && r->merged > 0;
    bool clear = adaptive->deepest <= overlap_most, needed = coarse_off > tip_most;
    printf("%s\n  tip of the adaptive rod from that of the fixed one, at the most: %.2f %% of the length, %g %% allowed: %s\n",
           model, 1e2 * off, 1e2 * tip_most, follows ? "pass" : "FAIL");
    printf("  tip of a rod with the nodes that it began with: %.1f %%, should be more than that: %s\n",
           1e2 * coarse_off, needed ? "pass" : "FAIL");
    printf("  nodes: %d in the beginning, %d at the most, %.1f in the mean, %d in the end; the fixed rod has %d\n",
           r->made_with, most, r->node_steps / (SAMPLES * STEPS), r->nodes, r->finest);
    printf("  taken in %lld, given up %lld, should be some of each: %s; elements that went to and fro within the time for which halves are kept: %lld\n",
           (long long)r->refined, (long long)r->merged, adapts ? "pass" : "FAIL", (long long)r->flickers);
    printf("  iterations for each: %.1f, the paper has %s; %.2g %% of the time of all steps\n",
           (double)r->iterations / fmax(1.0, (double)(r->refined + r->merged)), paper, 1e2 * adaptive->share);
    printf("  deepest overlap: %.2g of a radius, should be below %g: %s\n", adaptive->deepest, overlap_most,
           clear ? "pass" : "FAIL");
    return follows && needed && adapts && clear;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void write_csv(FILE* csv, const char* model, const Swing* adaptive, const Swing* coarse)
{
    for (int i = 0; i <= SAMPLES; i++) {
        const Sample *a = &adaptive->at[i], *c = &coarse->at[i];
        fprintf(csv, "%s,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%d\n", model, a->time, a->tip[FIXED].x,
                a->tip[FIXED].z, a->tip[ADAPTIVE].x, a->tip[ADAPTIVE].z, c->tip[ADAPTIVE].x,
                c->tip[ADAPTIVE].z, apart(a, &adaptive->at[0]), apart(c, &coarse->at[0]), a->nodes);
    }
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig3"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set datafile separator ','\nset grid lc rgb 'grey85'\nset multiplot layout 2,2 columnsfirst\n");
    for (int i = 0; i < MODELS; i++) {
        const char* m = models[i];
        fprintf(
            script,
            "set title 'path of the tip, %s'\nset size ratio -1\nset xlabel 'x [m]'\nset ylabel 'z [m]'\nset xrange [-1:1.1]\nset yrange [-1.1:0.15]\n"
            "set ytics mirror\nunset y2tics\nunset y2label\nset key default\nset key at 0.85,-0.45\n"
            "set object 1 circle at -0.25,-0.4 size 0.015 fc rgb 'grey50' fs solid\n"
            "plot 'acm-fig3.csv' using (stringcolumn(1) eq '%s' ? $7 : 1/0):8 with lines lw 1.5 dt 2 lc rgb 'grey50' title '20 elements', "
            "'' using (stringcolumn(1) eq '%s' ? $3 : 1/0):4 with lines lw 4 lc rgb '#2f86c1' title '80 elements', "
            "'' using (stringcolumn(1) eq '%s' ? $5 : 1/0):6 with lines lw 1.5 lc rgb '#c8442f' title 'adaptive'\n"
            "unset object 1\nset title 'distance from the tip of 80 elements, %s'\nset size noratio\nset xlabel 'time [s]'\nset ylabel 'of the length [%%]'\n"
            "set y2label 'nodes'\nset xrange [0:0.8]\nset yrange [0:8]\nset y2range [0:100]\nset ytics nomirror\nset y2tics 25\nset key default\nset key top left reverse Left samplen 2\n"
            "plot 2 with lines lw 1 dt 3 lc rgb 'black' title 'allowed', "
            "'acm-fig3.csv' using (stringcolumn(1) eq '%s' ? $2 : 1/0):(100*$10) with lines lw 1.5 dt 2 lc rgb 'grey50' title '20 elements', "
            "'' using (stringcolumn(1) eq '%s' ? $2 : 1/0):(100*$9) with lines lw 2 lc rgb '#c8442f' title 'adaptive', "
            "'' using (stringcolumn(1) eq '%s' ? $2 : 1/0):11 axes x1y2 with lines lw 1 lc rgb '#d59b2d' title 'its nodes'\n",
            m, m, m, m, m, m, m, m);
    }
    fprintf(script, "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool acm_fig3_run(const char* directory)
{
    static Swing adaptive, coarse;
    FILE* csv = reproduce_file(directory, "acm-fig3.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "model,time_s,fixed_x,fixed_z,adaptive_x,adaptive_z,coarse_x,coarse_z,adaptive_off_m,coarse_off_m,nodes\n");
    printf("rods of a metre swing into a bar and around it: 80 elements, 20 to 80, and 20; steps of %g s\n", step);
    bool pass = true;
    for (int i = 0; i < MODELS; i++) {
        bool good = swing(models[i], true, &adaptive) && swing(models[i], false, &coarse);
        pass = good && tell(models[i], &adaptive, &coarse) && pass;
        if (good) {
            write_csv(csv, models[i], &adaptive, &coarse);
        }
    }
    fclose(csv);
    printf("acm-fig3: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
