// ACM, figure 3: two rods swing into a bar, one of a fixed resolution, one that is refined as it bends; they
// move alike.
#include "lab.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>

#include <math.h>

// As in the scene.
static const double step = 8e-6, length = 1.0, radius = 0.01; // [s], [m]
enum { FIXED, ADAPTIVE, RODS };                               // of the scene
enum { STEPS = 125, SAMPLES = 800 };                          // STEPS from sample to sample

static const double tip_most = 0.02;         // of the length: adaptive from fixed, at any time
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

// ---- the run

static Sample look(CordWorld* world)
{
    Sample s = {.time = cord_world_time(world)};
    for (int i = 0; i < RODS; i++) {
        s.tip[i] = lab_probe(world, i);
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
static const Swing* swing(Lab* lab, const char* model, const char* more)
{
    CordWorld* world = lab_world(lab, "acm/fig3", "rods[*].model=%s; %s", model, more);
    Swing* run = lab_room(lab, 1, sizeof *run);
    for (int i = 0; i <= SAMPLES; i++) {
        if (i > 0) {
            lab_steps(lab, world, step, STEPS);
        }
        run->at[i] = look(world);
        run->deepest = fmax(run->deepest, lab_overlap(world, radius));
    }
    run->report = cord_rod_adapt_report(world, cord_world_rod(world, ADAPTIVE));
    run->share = adapting(world);
    return run;
}

// ---- what is measured

// How far the second rod's tip is from the first one's, which swings beside it [m].
static double apart(const Sample* s, const Sample* start)
{
    CordVec3 beside = {0, start->tip[ADAPTIVE].y - start->tip[FIXED].y, 0};
    return cord_vec3_distance(s->tip[ADAPTIVE], cord_vec3_add(s->tip[FIXED], beside));
}

static double farthest(const Swing* run)
{
    double most = 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        most = fmax(most, apart(&run->at[i], &run->at[0]));
    }
    return most;
}

static void judge(Lab* lab, const Swing* adaptive, const Swing* coarse)
{
    const CordAdaptReport* r = &adaptive->report;
    int most = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        most = adaptive->at[i].nodes > most ? adaptive->at[i].nodes : most;
    }
    lab_below(lab, "tip of the adaptive rod from that of the fixed one, at the most, over the length",
              farthest(adaptive) / length, tip_most, NULL);
    lab_above(lab, "tip of a rod with the nodes that it began with", farthest(coarse) / length, tip_most,
              "more than that");
    lab_above(lab, "nodes taken in", (double)r->refined, 0, NULL);
    lab_above(lab, "nodes given up", (double)r->merged, 0, NULL);
    lab_apart(lab, adaptive->deepest);
    lab_say(lab,
            "  nodes: %d in the beginning, %d at the most, %.1f in the mean, %d in the end; the fixed "
            "rod has %d",
            r->made_with, most, r->node_steps / (SAMPLES * STEPS), r->nodes, r->finest);
    lab_say(lab,
            "  elements that went to and fro within the time for which halves are kept: %lld; "
            "iterations for each change: %.1f, the paper has %s; %.2g %% of the time of all steps",
            (long long)r->flickers, (double)r->iterations / fmax(1.0, (double)(r->refined + r->merged)),
            paper, 1e2 * adaptive->share);
}

// ---- the experiment

static void follow(Lab* lab, const char* model)
{
    const Swing *adaptive = swing(lab, model, ""), *coarse = swing(lab, model, "rods[1].adapt=false");
    for (int i = 0; i <= SAMPLES; i++) {
        const Sample *a = &adaptive->at[i], *c = &coarse->at[i];
        lab_row(lab, "", model, a->time, a->tip[FIXED].x, a->tip[FIXED].z, a->tip[ADAPTIVE].x,
                a->tip[ADAPTIVE].z, c->tip[ADAPTIVE].x, c->tip[ADAPTIVE].z,
                100.0 * apart(a, &adaptive->at[0]) / length, 100.0 * apart(c, &coarse->at[0]) / length,
                a->nodes);
    }
    lab_say(lab, "%s", model);
    judge(lab, adaptive, coarse);
}

static void run(Lab* lab)
{
    lab_say(lab,
            "rods of a metre swing into a bar and around it: 80 elements, 20 to 80, and 20; steps of "
            "%g s",
            step);
    lab_models(lab, "corde", follow);
}

#define PATH(model)                                                                                          \
    {                                                                                                        \
        .title = "path of the tip, " model, .x = "x [m]", .y = "z [m]",                                      \
        .set = "set size ratio -1\nset xrange [-1:1.1]\nset yrange [-1.1:0.15]\nset key at 0.85,-0.45\n"     \
               "set object 1 circle at -0.25,-0.4 size 0.015 fc rgb 'grey50' fs solid",                      \
        .curves = LAB_CURVES({"", model, .x = "coarse_x", .y = "coarse_z",                                   \
                              .with = "lines lw 1.5 dt 2 lc rgb 'grey50'", .title = "20 elements"},          \
                             {"", model, .x = "fixed_x", .y = "fixed_z",                                     \
                              .with = "lines lw 4 lc rgb '#2f86c1'", .title = "80 elements"},                \
                             {"", model, .x = "adaptive_x", .y = "adaptive_z",                               \
                              .with = "lines lw 1.5 lc rgb '#c8442f'", .title = "adaptive"})                 \
    }
#define DISTANCE(model)                                                                                      \
    {                                                                                                        \
        .title = "distance from the tip of 80 elements, " model, .x = "time [s]", .y = "of the length [%]",  \
        .right = "nodes",                                                                                    \
        .set = "set xrange [0:0.8]\nset yrange [0:8]\nset y2range [0:100]\nset y2tics 25\nset key top left " \
               "reverse Left samplen 2",                                                                     \
        .curves = LAB_CURVES({.y = "2", .with = "lines lw 1 dt 3 lc rgb 'black'", .title = "allowed"},       \
                             {"", model, .x = "time", .y = "coarse",                                         \
                              .with = "lines lw 1.5 dt 2 lc rgb 'grey50'", .title = "20 elements"},          \
                             {"", model, .x = "time", .y = "adaptive",                                       \
                              .with = "lines lw 2 lc rgb '#c8442f'", .title = "adaptive"},                   \
                             {"", model, .x = "time", .y = "nodes", .with = "lines lw 1 lc rgb '#d59b2d'",   \
                              .title = "its nodes", .right = true})                                          \
    }

const Experiment experiment_acm_fig3 = {
    .id = "acm-fig3",
    .about = "ACM figure 3: a fixed and an adaptive rod against a bar, and the paths of their tips",
    .source = "ACM figure 3: they move alike",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns = "model,time [s],fixed_x,fixed_z,adaptive_x,adaptive_z,coarse_x,coarse_z,adaptive "
                        "[%],coarse [%],nodes"}),
    .panels = LAB_PANELS(PATH("der"), DISTANCE("der"), PATH("corde"), DISTANCE("corde")),
    .layout = "2,2 columnsfirst",
};
