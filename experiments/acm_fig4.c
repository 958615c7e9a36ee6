// ACM, figure 4: a thread around four poles. Friction holds it up as long as the shoelace knot it is tied
// with keeps it tight; untied by two hands that pull at its ends, it slips to the ground.
#include "lab.h"

#include <cordage/pace.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// As in the scene: hands have let go of the knot and the ground begins to sink; it has sunk; hands pull at
// the ends; they have let go; the end [s].
static const double tied = 0.8, sunk = 1.1, pulled = 2.1, let_go = 2.7, end = 3.3;
static const double still = 1.6; // the ends of the bow swing no more [s]
static const double radius = 0.002, gravity = 9.81;
static const double look_time = 0.01;  // [s]
static const double drop_most = 2e-3;  // of the loop while it is tied: a radius [m]
static const double weight_off = 0.02; // of the weight
static const double slack = 0.1;       // of the tension that the knot kept
// radii above the ground: as high as five strands that lie on each other
static const double lying_most = 10.0;
static const double slippery = 0.02; // a friction that does not hold it up
static const double gone = 0.1;      // how far it drops then [m] ...
static const double late = 1.3;      // ... by this time [s]

enum { BACK, TENSION };                // of the scene's probes
enum { FIRST_POLE = 1, END_POLE = 5 }; // of its obstacles; the ground is the first

typedef struct Thread {
    Lab* lab;
    CordWorld* world;
    CordRodId rod;
    char series[32]; // of the table
} Thread;

// ---- a moment

static double turn(CordVec3 a, CordVec3 b, CordVec3 pole) // about the pole's axis, from a to b
{
    double ax = a.x - pole.x, ay = a.y - pole.y, bx = b.x - pole.x, by = b.y - pole.y;
    return atan2(ax * by - ay * bx, ax * bx + ay * by);
}

// How often the thread goes around a pole, seen from above. Its ends are in front, where they are taken to be
// joined, far away.
static int times_around(const CordFrame* f, CordVec3 pole)
{
    const double far = 100.0;
    CordVec3 first = f->x[0], last = f->x[f->node_count - 1];
    CordVec3 out = {last.x, far, 0.0}, in = {first.x, far, 0.0};
    double angle = turn(last, out, pole) + turn(out, in, pole) + turn(in, first, pole);
    for (int i = 0; i + 1 < f->node_count; i++) {
        angle += turn(f->x[i], f->x[i + 1], pole);
    }
    return (int)nearbyint(angle / (2.0 * CORD_PI));
}

typedef struct Press { // of the thread on the poles [N]
    double sideways, down;
} Press;

static void look(Thread* t, Press press)
{
    CordFrame f;
    double highest = 0.0;
    bool around = true; // all four poles
    lab_ok(t->lab, t->world, cord_world_frame(t->world, &f));
    for (int i = 0; i < f.node_count; i++) {
        highest = fmax(highest, f.x[i].z);
    }
    for (int k = FIRST_POLE; k < END_POLE; k++) {
        around = around && abs(times_around(&f, f.obstacles[k].position)) == 1;
    }
    lab_row(t->lab, "", t->series, f.time, 1e3 * lab_probe(t->world, BACK).z, lab_probe(t->world, TENSION).x,
            press.sideways, press.down, 1e3 * highest, around, fmax(0.0, lab_overlap(t->world, radius)),
            f.node_count, (double)cord_rod_adapt_report(t->world, t->rod).flickers);
}

// Forces of single steps scatter: their mean over all of them does not.
static void advance(Thread* t)
{
    CordPacePlan plan =
        cord_pace_plan(look_time, look_time, cord_pace_choose(t->world, 0.0, look_time).longest);
    Press press = {0.0, 0.0};
    for (int64_t i = 0; i < plan.count; i++) {
        lab_steps(t->lab, t->world, plan.h, 1);
        for (int k = FIRST_POLE; k < END_POLE; k++) {
            CordVec3 force = lab_obstacle_force(t->world, k);
            press.sideways += hypot(force.x, force.y) / (double)plan.count;
            press.down -= force.z / (double)plan.count;
        }
    }
    look(t, press);
}

static void watch(Thread* t, double until)
{
    while (cord_world_time(t->world) < until - 0.5 * look_time) {
        advance(t);
    }
}

// ---- what is judged

static double at(const Thread* t, const char* column, double time)
{
    return lab_at(t->lab, "", t->series, column, time);
}

static double mean(const Thread* t, const char* column, double from, double to)
{
    return lab_mean(t->lab, "", t->series, column, from + 0.5 * look_time, to + 0.5 * look_time);
}

static void judge_tied(Lab* lab, const Thread* t)
{
    double tension = mean(t, "tension", still, pulled);
    lab_say(lab, "tied, it is under a tension of %.3f N and presses on the poles with %.2f N", tension,
            mean(t, "press", still, pulled));
    lab_below(lab, lab_text(lab, "tied: from %g to %g s the loop drops by [mm]", sunk, pulled),
              fabs(at(t, "height", sunk) - at(t, "height", pulled)), 1e3 * drop_most, "friction holds it");
    lab_near(lab, "tied: the poles bear by friction [N]", mean(t, "borne", still, pulled),
             cord_rod_mass(t->world, t->rod) * gravity, weight_off, "the weight");
    lab_below(lab, "untied: tension in the mean after the ends are let go [N]",
              fabs(mean(t, "tension", let_go, end)), slack * tension, "a tenth of what the knot kept");
    lab_below(lab, lab_text(lab, "untied: at %g s the highest place of the thread [mm]", end),
              at(t, "highest", end), 1e3 * lying_most * radius, "five strands that lie on each other");
}

static void judge_whole(Lab* lab, const Thread* t)
{
    CordAdaptReport r = cord_rod_adapt_report(t->world, t->rod);
    lab_equal(lab, "it goes around each of the four poles once at every moment: 1",
              lab_least(lab, "", t->series, "around"), 1, "nothing passes through anything");
    lab_apart(lab, lab_most(lab, "", t->series, "overlap"));
    lab_say(lab,
            "nodes: %d at first, %.0f while it hangs, %.0f in the mean, of %d that it had were all of "
            "it so fine; %lld taken in, %lld given up",
            r.made_with, at(t, "nodes", pulled), r.node_steps / fmax(1.0, (double)cord_world_steps(t->world)),
            r.finest, (long long)r.refined, (long long)r.merged);
    lab_equal(lab,
              lab_text(lab,
                       "nodes given up and taken back within their time from %g s on, while it hangs "
                       "still",
                       still),
              at(t, "flickers", pulled) - at(t, "flickers", still), 0, "at rest nothing changes");
}

// From when it is tied, with next to no friction.
static void judge_slippery(Lab* lab, Thread* t, const LabState* state)
{
    strcat(t->series, " slippery");
    lab_restore(lab, t->world, state);
    lab_friction(lab, t->world, slippery);
    look(t, (Press){0.0, 0.0});
    watch(t, late);
    lab_above(lab,
              lab_text(lab, "with a friction of %g the ground takes it along: by %g s it has dropped by [mm]",
                       slippery, late),
              at(t, "height", tied) - at(t, "height", late), 1e3 * gone, "nothing holds it");
}

// ---- the experiment

static void follow(Lab* lab, const char* model)
{
    Thread t = {.lab = lab, .world = lab_world(lab, "acm/fig4", "rods[0].model=%s", model)};
    LabState state = {0};
    t.rod = cord_world_rod(t.world, 0);
    strcpy(t.series, model);
    lab_say(lab, "%s: a thread of %.2f m around four poles, tied with a shoelace knot", model,
            cord_rod_length(t.world, t.rod));
    look(&t, (Press){0.0, 0.0});
    watch(&t, tied);
    lab_keep(lab, t.world, &state);
    watch(&t, end);
    judge_tied(lab, &t);
    judge_whole(lab, &t);
    judge_slippery(lab, &t, &state);
}

static void run(Lab* lab)
{
    lab_models(lab, "der", follow);
}

#define TIMES                                                                                                \
    "set lmargin 10\nset rmargin 4\nset xrange [0:3.3]\nset for [i=1:4] arrow i from word('0.8 1.1 2.1 "     \
    "2.7', i) + 0, graph 0 "                                                                                 \
    "to word('0.8 1.1 2.1 2.7', i) + 0, graph 1 nohead dt 3\n"

#define PRESS(model) LAB_CURVE_WHERE("", model, "{press} > 0", "time", "press", "lines lw 1", model)

const Experiment experiment_acm_fig4 = {
    .id = "acm-fig4",
    .about = "ACM figure 4: a thread held on four poles by a shoelace knot, untied, slips down",
    .source = "ACM figure 4",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "model,time [s],height [mm],tension [N],press [N],borne [N],highest "
                                         "[mm],around,overlap,nodes,flickers"}),
    .panels = LAB_PANELS(
        {.y = "height of the loop [mm]",
         .set = TIMES
         "set yrange [0:300]\nset key bottom left\nset label 1 'tied' at 0.3,280 center\n"
         "set label 2 'left to itself' at 1.6,280 center\nset label 3 'ends pulled' at 2.4,280 center\n"
         "set label 4 'let go' at 3,280 center",
         .curves = LAB_CURVES(LAB_CURVE("", "der", "time", "height", NULL, "der"),
                              LAB_CURVE("", "corde", "time", "height", NULL, "corde"))},
        {.x = "time [s]",
         .y = "press on the poles [N]",
         .set = TIMES "set key bottom left\nset logscale y\nset yrange [1e-3:100]\nset format y '10^{%T}'",
         .curves = LAB_CURVES(PRESS("der"), PRESS("corde"))}),
    .layout = "2,1",
};
