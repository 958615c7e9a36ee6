// ACM, figure 4: a thread around four poles. Friction holds it up as long as the shoelace knot it is tied with keeps it tight; untied by two hands that pull
// at its ends, it slips to the ground.
#include "reproduce.h"
#include "talk.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/pace.h>

#include <math.h>
#include <stdlib.h>

// As in the scene: hands have let go of the knot and the ground begins to sink; it has sunk; hands pull at the ends; they have let go; the end [s].
static const double tied = 0.8, sunk = 1.1, pulled = 2.1, let_go = 2.7, end = 3.3;
static const double still = 1.6; // the ends of the bow swing no more [s]
static const double radius = 0.002, gravity = 9.81;
static const double look_time = 0.01;  // [s]
static const double drop_most = 2e-3;  // of the loop while it is tied: a radius [m]
static const double weight_off = 0.02; // of the weight
static const double slack = 0.1;       // of the tension that the knot kept
static const double lying_most = 10.0; // radii above the ground: as high as five strands that lie on each other
static const double overlap_most = 1e-3; // of a radius: the contact's tolerance
static const double slippery = 0.02;     // a friction that does not hold it up
static const double gone = 0.1;          // how far it drops then [m] ...
static const double late = 1.3;          // ... by this time [s]

enum { BACK, TENSION };                // of the scene's probes
enum { FIRST_POLE = 1, END_POLE = 5 }; // of its obstacles; the ground is the first

typedef struct Moment {
    double time;
    double height;  // of the loop behind the poles [m]
    double tension; // there [N]
    double press;   // of the thread on the poles, in the mean of the steps to it [N]
    double borne;   // of its weight by the poles, likewise [N]
    double highest; // place of the thread [m]
    double overlap; // over the radius
    bool around;    // all four poles
    int nodes;
} Moment;

typedef struct Thread {
    CordWorld* world;
    CordRodId rod;
    Moment now;
    double deepest; // overlap at any moment
    bool around;    // at every moment
    double cpu;     // the processor's clock at the start [s]
} Thread;

// ---------------------------------------------------------------------------------------------------- a moment

static double turn(CordVec3 a, CordVec3 b, CordVec3 pole) // about the pole's axis, from a to b
{
    double ax = a.x - pole.x, ay = a.y - pole.y, bx = b.x - pole.x, by = b.y - pole.y;
    return atan2(ax * by - ay * bx, ax * bx + ay * by);
}

// How often the thread goes around a pole, seen from above. Its ends are in front, where they are taken to be joined, far away.
static int times_around(const CordFrame* f, CordVec3 pole)
{
    const double pi = 3.14159265358979323846, far = 100.0;
    CordVec3 first = f->x[0], last = f->x[f->node_count - 1];
    CordVec3 out = {last.x, far, 0.0}, in = {first.x, far, 0.0};
    double angle = turn(last, out, pole) + turn(out, in, pole) + turn(in, first, pole);
    for (int i = 0; i + 1 < f->node_count; i++) {
        angle += turn(f->x[i], f->x[i + 1], pole);
    }
    return (int)nearbyint(angle / (2.0 * pi));
}

static bool look(Thread* t)
{
    CordFrame f;
    CordContact deepest;
    double back[3];
    Moment m = {.around = true};
    if (cord_world_frame(t->world, &f) != CORD_OK) {
        return false;
    }
    for (int i = 0; i < f.node_count; i++) {
        m.highest = fmax(m.highest, f.x[i].z);
    }
    for (int k = FIRST_POLE; k < END_POLE; k++) {
        m.around = m.around && abs(times_around(&f, f.obstacles[k].position)) == 1;
    }
    m.time = f.time;
    m.nodes = f.node_count;
    m.overlap = cord_world_deepest(t->world, &deepest) ? fmax(0.0, -deepest.gap / radius) : 0.0;
    (void)cord_probe_read(t->world, cord_world_probe(t->world, BACK), back);
    (void)cord_probe_read(t->world, cord_world_probe(t->world, TENSION), &m.tension);
    m.height = back[2];
    t->now = m;
    t->deepest = fmax(t->deepest, m.overlap);
    t->around = t->around && m.around;
    return true;
}

// Forces of single steps scatter: their mean over all of them does not.
static bool advance(Thread* t)
{
    CordPacePlan plan = cord_pace_plan(look_time, look_time, cord_pace_choose(t->world, 0.0, look_time).longest);
    double press = 0.0, borne = 0.0;
    for (int64_t i = 0; i < plan.count; i++) {
        if (cord_world_step(t->world, plan.h) != CORD_OK) {
            printf("  at %.3f s: %s: FAIL\n", cord_world_time(t->world), cord_world_message(t->world));
            return false;
        }
        for (int k = FIRST_POLE; k < END_POLE; k++) {
            CordVec3 force, torque;
            (void)cord_obstacle_force(t->world, cord_world_obstacle(t->world, k), &force, &torque);
            press += hypot(force.x, force.y) / (double)plan.count;
            borne -= force.z / (double)plan.count;
        }
    }
    bool good = look(t);
    t->now.press = press, t->now.borne = borne;
    return good;
}

static bool thread_open(Thread* t, const char* model)
{
    char setting[64];
    snprintf(setting, sizeof setting, "rods[0].model=%s", model);
    *t = (Thread){.around = true, .cpu = talk_cpu_clock()};
    t->world = reproduce_scene("acm/fig4", (const char*[]){setting}, 1);
    t->rod = t->world ? cord_world_rod(t->world, 0) : t->rod;
    return t->world && look(t);
}

// ---------------------------------------------------------------------------------------------------- a stretch of time

typedef struct Stretch {
    double from, to;              // heights of the loop [m]
    double tension, press, borne; // in the mean [N]
    int nodes;                    // in the end
    int64_t flickers;
} Stretch;

// Until a time. Means are over its moments.
static bool watch(Thread* t, double until, const char* model, FILE* csv, Stretch* s)
{
    int count = 0;
    bool good = true;
    *s = (Stretch){.from = t->now.height, .flickers = -cord_rod_adapt_report(t->world, t->rod).flickers};
    while (good && cord_world_time(t->world) < until - 0.5 * look_time) {
        good = advance(t);
        const Moment* m = &t->now;
        s->tension += m->tension, s->press += m->press, s->borne += m->borne;
        count++;
        fprintf(csv, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n", model, m->time, 1e3 * m->height, m->tension,
                m->press, m->borne, m->nodes);
    }
    s->to = t->now.height;
    s->nodes = t->now.nodes;
    s->flickers += cord_rod_adapt_report(t->world, t->rod).flickers;
    s->tension /= fmax(1, count), s->press /= fmax(1, count), s->borne /= fmax(1, count);
    return good;
}

static bool tell_tied(const Thread* t, double from, const Stretch* s)
{
    double weight = cord_rod_mass(t->world, t->rod) * gravity, drop = from - s->to;
    bool stays = fabs(drop) < drop_most, bears = fabs(s->borne / weight - 1.0) < weight_off;
    printf("  tied: from %g to %g s the loop drops by %.3f mm, %g allowed: %s\n", sunk, pulled, 1e3 * drop,
           1e3 * drop_most, stays ? "pass" : "FAIL");
    printf("  it is under a tension of %.3f N and presses on the poles with %.2f N; they bear %.4f N by friction, the weight is %.4f N, %g %% off allowed: %s\n",
           s->tension, s->press, s->borne, weight, 1e2 * weight_off, bears ? "pass" : "FAIL");
    return stays && bears;
}

static bool tell_untied(const Thread* t, const Stretch* before, const Stretch* after)
{
    bool down = t->now.highest < lying_most * radius, loose = fabs(after->tension) < slack * before->tension;
    printf("  untied: after the ends are let go the tension is %.4f N in the mean, %g of what it was allowed: %s\n",
           after->tension, slack, loose ? "pass" : "FAIL");
    printf("  at %g s no part of the thread is higher than %.1f mm above the ground, %.0f allowed: %s\n",
           t->now.time, 1e3 * t->now.highest, 1e3 * lying_most * radius, down ? "pass" : "FAIL");
    return loose && down;
}

static bool tell_whole(const Thread* t)
{
    bool apart = t->deepest <= overlap_most;
    printf("  it goes around each of the four poles once at every moment: %s; deepest overlap %.2g of a radius, %g allowed: %s\n",
           t->around ? "pass" : "FAIL", t->deepest, overlap_most, apart ? "pass" : "FAIL");
    return t->around && apart;
}

static bool tell_nodes(const Thread* t, const Stretch* hold)
{
    CordAdaptReport r = cord_rod_adapt_report(t->world, t->rod);
    double mean = r.node_steps / fmax(1.0, (double)cord_world_steps(t->world));
    bool steady = hold->flickers == 0;
    printf("  nodes: %d at first, %d while it hangs, %.0f in the mean, of %d that it had were all of it so fine; %lld taken in, %lld given up, %lld of these taken back "
           "within their time from %g s on, while it hangs still, none allowed: %s; %.0f s of the processor\n",
           r.made_with, hold->nodes, mean, r.finest, (long long)r.refined, (long long)r.merged,
           (long long)hold->flickers, still, steady ? "pass" : "FAIL", talk_cpu_clock() - t->cpu);
    return steady;
}

// ---------------------------------------------------------------------------------------------------- the same without friction

// From when it is tied, with next to no friction.
static bool tell_slippery(Thread* t, const void* state, size_t size)
{
    CordContactDef contact = cord_contact_def_default();
    contact.friction = slippery;
    bool good = cord_world_state_set(t->world, state, size) == CORD_OK &&
                cord_world_set_contact(t->world, &contact) == CORD_OK && look(t);
    double before = t->now.height;
    while (good && t->now.time < late - 0.5 * look_time) {
        good = advance(t);
    }
    double drop = before - t->now.height;
    bool pass = good && drop > gone;
    printf("  with a friction of %g the ground takes it along: by %g s it has dropped by %.0f mm, more than %.0f expected: %s\n",
           slippery, late, 1e3 * drop, 1e3 * gone, pass ? "pass" : "FAIL");
    return pass;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static bool thread_run(Thread* t, const char* model, FILE* csv)
{
    Stretch s, hold, after;
    bool good = watch(t, tied, model, csv, &s);
    size_t size = cord_world_state_size(t->world);
    void* state = malloc(size);
    good = good && state && cord_world_state_get(t->world, state, size) == CORD_OK;
    good = good && watch(t, sunk, model, csv, &s) && watch(t, still, model, csv, &s) &&
           watch(t, pulled, model, csv, &hold);
    bool pass = good && tell_tied(t, s.from, &hold);
    good = good && watch(t, let_go, model, csv, &s) && watch(t, end, model, csv, &after);
    pass = good && tell_untied(t, &hold, &after) && pass;
    if (good) {
        pass = tell_whole(t) && pass;
        pass = tell_nodes(t, &hold) && pass;
        pass = tell_slippery(t, state, size) && pass;
    }
    free(state);
    fflush(stdout);
    return pass;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig4"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset lmargin 10\nset rmargin 4\nset xrange [0:%g]\nset multiplot layout 2,1\n"
            "set ylabel 'height of the loop [mm]'\nset yrange [0:300]\nset key bottom left\n"
            "set label 1 'tied' at 0.3,280 center\nset label 2 'left to itself' at 1.6,280 center\nset label 3 'ends pulled' at 2.4,280 center\nset label 4 'let go' at 3,280 center\n"
            "set arrow 1 from 0.8,0 to 0.8,300 nohead dt 3\nset arrow 2 from 1.1,0 to 1.1,300 nohead dt 3\n"
            "set arrow 3 from 2.1,0 to 2.1,300 nohead dt 3\nset arrow 4 from 2.7,0 to 2.7,300 nohead dt 3\n"
            "m(i) = word('der corde', i)\nc(i) = word('#2455a4 #c8452f', i)\n"
            "plot for [i=1:2] 'acm-fig4.csv' using (strcol(1) eq m(i) ? $2 : 1/0):3 skip 1 with lines lw 2 lc rgb c(i) title m(i)\n"
            "unset label\nset xlabel 'time [s]'\nset ylabel 'press on the poles [N]'\nset logscale y\nset yrange [1e-3:100]\nset format y '10^{%%T}'\n"
            "set for [i=1:4] arrow i from word('0.8 1.1 2.1 2.7', i) + 0, graph 0 to word('0.8 1.1 2.1 2.7', i) + 0, graph 1 nohead dt 3\n"
            "plot for [i=1:2] 'acm-fig4.csv' using (strcol(1) eq m(i) ? $2 : 1/0):($5 > 0 ? $5 : 1/0) skip 1 with lines lw 1 lc rgb c(i) title m(i)\n"
            "unset multiplot\n",
            end);
    reproduce_plot_close(&p, script);
}

bool acm_fig4_run(const char* directory)
{
    static const char* const models[] = {"der", "corde"};
    FILE* csv = reproduce_file(directory, "acm-fig4.csv");
    bool pass = csv != NULL;
    if (!csv) {
        return false;
    }
    fprintf(csv, "model,time_s,height_mm,tension_N,press_N,borne_N,nodes\n");
    for (int k = 0; k < 2; k++) {
        Thread t;
        bool good = thread_open(&t, models[k]);
        if (good) {
            printf("%s: a thread of %.2f m around four poles, tied with a shoelace knot\n", models[k],
                   cord_rod_length(t.world, t.rod));
        }
        pass = good && thread_run(&t, models[k], csv) && pass;
        cord_world_destroy(t.world);
    }
    fclose(csv);
    printf("acm-fig4: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
