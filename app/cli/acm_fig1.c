// ACM, figure 1: knots that hold by friction. On the left a bar hangs in two cords that are tied to standing ropes by Prusik knots; on the right two ropes are
// joined (acm_fig1_ropes.c).
#include "acm_fig1_ropes.h"

#include "reproduce.h"
#include "talk.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/pace.h>

#include <math.h>
#include <stdlib.h>

// As in the scene: by when the bar hangs at rest, and the end [s]; radius [m] of ropes; the pull that makes each rope taut [N]; friction.
static const double at_rest = 1.1, end = 1.5, radius = 0.003, taut = 15.0, scene_friction = 0.4, gravity = 9.81;
static const double look_time = 0.01; // [s]
static const double slip_most = 1e-3; // of a knot that holds [m]
static const double weight_off =
    0.05; // of the weight: reactions are taken from the forces that contact had in the step before, and are off by 4 %, with steps half as long by 2 %
static const double speed_most = 0.01;                      // of the bar at rest [m/s]
static const double overlap_most = 1e-3;                    // of a radius: the contact's tolerance
static const double slippery = 0.02;                        // a friction with which knots slide ...
static const double slides_least = 0.03, long_enough = 0.4; // ... by this [m] in this time [s]

enum { SIDES = 2, RODS = 5, BAR = 4 }; // of the scene: a rope and a cord on each side, the bar

typedef struct Moment {
    double time;
    double knot[SIDES];  // height of the bridge of the knot [m]
    double bar;          // height of its middle [m]
    double speed;        // of its fastest node [m/s]
    double pull;         // of both ropes on the ceiling, in the mean of the steps to it [N]
    int64_t link[SIDES]; // of rope and cord
    int64_t held[SIDES]; // of cord and bar
    int nodes;           // of ropes and cords
} Moment;

typedef struct Net {
    CordWorld* world;
    CordRodId rods[RODS];
    Moment first, now;
    bool linked;    // as at first, at every moment
    double deepest; // overlap at any moment, over the radius
    double weight;  // of all rods [N]
    double cpu;     // the processor's clock at the start [s]
} Net;

// ---------------------------------------------------------------------------------------------------- a moment

static double pull_on_ceiling(const Net* n)
{
    double pull = 0.0;
    for (int s = 0; s < SIDES; s++) {
        CordVec3 force, torque;
        (void)cord_clamp_reaction(n->world, cord_world_clamp(n->world, s), &force, &torque);
        pull -= force.z;
    }
    return pull;
}

static bool look(Net* n)
{
    CordFrame f;
    CordContact deepest;
    Moment m = {.time = cord_world_time(n->world)};
    for (int s = 0; s < SIDES; s++) {
        double knot[3];
        (void)cord_probe_read(n->world, cord_world_probe(n->world, s), knot);
        m.knot[s] = knot[2];
        m.link[s] = cord_rod_linking_number(n->world, n->rods[2 * s], n->rods[2 * s + 1]);
        m.held[s] = cord_rod_linking_number(n->world, n->rods[2 * s + 1], n->rods[BAR]);
        n->linked = n->linked && m.link[s] == n->first.link[s] && m.held[s] == n->first.held[s];
    }
    if (cord_world_deepest(n->world, &deepest)) {
        n->deepest = fmax(n->deepest, -deepest.gap / radius);
    }
    if (cord_world_frame(n->world, &f) != CORD_OK) {
        return false;
    }
    const CordFrameRod* bar = &f.rods[BAR];
    for (int i = bar->first_node; i < bar->first_node + bar->node_count; i++) {
        m.bar += f.x[i].z / bar->node_count;
        m.speed = fmax(m.speed, sqrt(f.v[i].x * f.v[i].x + f.v[i].y * f.v[i].y + f.v[i].z * f.v[i].z));
    }
    m.nodes = f.node_count - bar->node_count;
    n->now = m;
    return true;
}

// Forces of single steps scatter: their mean over all of them does not.
static bool advance(Net* n)
{
    CordPacePlan plan = cord_pace_plan(look_time, look_time, cord_pace_choose(n->world, 0.0, look_time).longest);
    double pull = 0.0;
    for (int64_t i = 0; i < plan.count; i++) {
        if (cord_world_step(n->world, plan.h) != CORD_OK) {
            printf("  at %.3f s: %s: FAIL\n", cord_world_time(n->world), cord_world_message(n->world));
            return false;
        }
        pull += pull_on_ceiling(n) / (double)plan.count;
    }
    bool good = look(n);
    n->now.pull = pull;
    return good;
}

static bool net_open(Net* n, const char* model)
{
    char setting[64];
    snprintf(setting, sizeof setting, "rods[*].model=%s", model);
    *n = (Net){.cpu = talk_cpu_clock()};
    n->world = reproduce_scene("acm/fig1_net", (const char*[]){setting}, 1);
    for (int i = 0; n->world && i < RODS; i++) {
        n->rods[i] = cord_world_rod(n->world, i);
        n->weight += cord_rod_mass(n->world, n->rods[i]) * gravity;
    }
    bool good = n->world && look(n);
    n->first = n->now;
    n->linked = true;
    return good;
}

// ---------------------------------------------------------------------------------------------------- a stretch of time

typedef struct Stretch {
    double slip;        // of the knot that slides farther [m]
    double pull, speed; // in the mean [N], [m/s]
} Stretch;

// Until a time; with a limit, until a knot has slid so far [m].
static bool watch(Net* n, double until, double limit, const char* label, FILE* csv, Stretch* s)
{
    Moment from = n->now;
    int count = 0;
    bool good = true;
    *s = (Stretch){.slip = 0.0};
    while (good && n->now.time < until - 0.5 * look_time && s->slip < limit) {
        good = advance(n);
        const Moment* m = &n->now;
        s->slip = fmax(fabs(m->knot[0] - from.knot[0]), fabs(m->knot[1] - from.knot[1]));
        s->pull += m->pull, s->speed += m->speed;
        count++;
        fprintf(csv, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n", label, m->time, 1e3 * m->knot[0], 1e3 * m->knot[1],
                1e3 * m->bar, m->pull, m->nodes);
    }
    s->pull /= fmax(1, count), s->speed /= fmax(1, count);
    return good;
}

static bool tell_holds(const Net* n, const Stretch* s)
{
    double weight = n->weight, borne = s->pull - SIDES * taut;
    bool holds = s->slip < slip_most, rests = s->speed < speed_most,
         bears = fabs(borne / weight - 1.0) < weight_off;
    printf("  friction %g: from %g to %g s the knots slip by %.3f mm, %g allowed: %s; the bar moves by %.2g mm/s, %g allowed: %s\n",
           scene_friction, at_rest, end, 1e3 * s->slip, 1e3 * slip_most, holds ? "pass" : "FAIL",
           1e3 * s->speed, 1e3 * speed_most, rests ? "pass" : "FAIL");
    printf("  the ceiling bears %.3f N beside the %g N that make the ropes taut; bar, cords and ropes weigh %.3f N, %g %% off allowed: %s\n",
           borne, SIDES * taut, weight, 1e2 * weight_off, bears ? "pass" : "FAIL");
    return holds && rests && bears;
}

static bool tell_whole(const Net* n)
{
    bool apart = n->deepest <= overlap_most;
    printf("  linking numbers of ropes and cords %lld and %lld, for turns either way cancel, of cords and bar %lld and %lld, the same at every moment: %s; deepest overlap %.2g of a radius, %g allowed: %s\n",
           (long long)n->first.link[0], (long long)n->first.link[1], (long long)n->first.held[0],
           (long long)n->first.held[1], n->linked ? "pass" : "FAIL", n->deepest, overlap_most,
           apart ? "pass" : "FAIL");
    return n->linked && apart;
}

static CordAdaptReport adapt_sum(const Net* n) // over ropes and cords
{
    CordAdaptReport sum = {.nodes = 0};
    for (int i = 0; i < BAR; i++) {
        CordAdaptReport r = cord_rod_adapt_report(n->world, n->rods[i]);
        sum.made_with += r.made_with, sum.nodes += r.nodes, sum.finest += r.finest, sum.node_steps += r.node_steps;
        sum.refined += r.refined, sum.merged += r.merged, sum.flickers += r.flickers;
    }
    return sum;
}

static bool tell_nodes(const Net* n, int64_t flickers) // as many there were when it had come to rest
{
    CordAdaptReport r = adapt_sum(n);
    double mean = r.node_steps / fmax(1.0, (double)cord_world_steps(n->world));
    bool steady = r.flickers == flickers;
    printf("  nodes of ropes and cords: %d at first, %d at rest, %.0f in the mean, of %d that they had were all of them so fine; %lld taken in, %lld given up; "
           "%lld of these taken back within their time at rest, none allowed: %s; %.0f s of the processor\n",
           r.made_with, r.nodes, mean, r.finest, (long long)r.refined, (long long)r.merged,
           (long long)(r.flickers - flickers), steady ? "pass" : "FAIL", talk_cpu_clock() - n->cpu);
    return steady;
}

// From the state at rest, with next to no friction.
static bool tell_slides(Net* n, const void* state, size_t size, const char* label, FILE* csv)
{
    Stretch s = {.slip = 0.0};
    CordContactDef contact = cord_contact_def_default();
    contact.friction = slippery;
    bool good = cord_world_state_set(n->world, state, size) == CORD_OK &&
                cord_world_set_contact(n->world, &contact) == CORD_OK && look(n);
    double start = n->now.time;
    good = good && watch(n, start + long_enough, slides_least, label, csv, &s);
    bool pass = good && s.slip >= slides_least;
    printf("  friction %g: a knot slides by %.0f mm in %.2f s, %.0f expected in %g s: %s\n", slippery,
           1e3 * s.slip, n->now.time - start, 1e3 * slides_least, long_enough, pass ? "pass" : "FAIL");
    return pass;
}

// ---------------------------------------------------------------------------------------------------- the net

static bool net_run(Net* n, const char* model, FILE* csv)
{
    char label[32];
    Stretch s;
    snprintf(label, sizeof label, "%s %g", model, scene_friction);
    bool good = watch(n, at_rest, INFINITY, label, csv, &s);
    size_t size = cord_world_state_size(n->world);
    void* state = malloc(size);
    good = good && state && cord_world_state_get(n->world, state, size) == CORD_OK;
    int64_t flickers = adapt_sum(n).flickers;
    good = good && watch(n, end, INFINITY, label, csv, &s);
    bool pass = false;
    if (good) {
        pass = tell_holds(n, &s);
        pass = tell_whole(n) && pass;
        pass = tell_nodes(n, flickers) && pass;
        snprintf(label, sizeof label, "%s %g", model, slippery);
        pass = tell_slides(n, state, size, label, csv) && pass;
    }
    free(state);
    fflush(stdout);
    return pass;
}

static void plot(const char* directory, double weight)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig1"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset lmargin 10\nset rmargin 4\nset xrange [0:%g]\nset multiplot layout 2,1\n"
            "f = 'acm-fig1.csv'\nm(i) = word('der corde', i)\nc(i) = word('#2455a4 #c8452f', i)\nw(i) = i == 1 ? 4 : 1.5\n"
            "h(i, mu, k) = strcol(1) eq m(i).mu ? column(k) : 1/0\n"
            "set ylabel 'height [mm]'\nset yrange [100:350]\nset key bottom left\n"
            "set label 1 'knots' at 0.6,310\nset label 2 'bar' at 0.85,180\n"
            "plot for [i=1:2] f using 2:(h(i, ' %g', 3)) skip 1 with lines lw w(i) lc rgb c(i) title m(i), "
            "for [i=1:2] f using 2:(h(i, ' %g', 4)) skip 1 with lines lw w(i) lc rgb c(i) notitle, "
            "for [i=1:2] f using 2:(h(i, ' %g', 5)) skip 1 with lines lw w(i) lc rgb c(i) notitle, "
            "for [i=1:2] for [k=3:5] f using 2:(h(i, ' %g', k)) skip 1 with lines lw 2 dt 2 lc rgb c(i) title k == 3 ? m(i).', friction %g' : ''\n"
            "unset label\nset xlabel 'time [s]'\nset ylabel 'pull on the ceiling [N]'\nset yrange [25:40]\n"
            "plot for [i=1:2] f using 2:(h(i, ' %g', 6)) skip 1 with lines lw w(i) lc rgb c(i) title m(i), %g dt 3 lc rgb 'black' title 'weight and what makes the ropes taut'\nunset multiplot\n",
            end, scene_friction, scene_friction, scene_friction, slippery, slippery, scene_friction,
            weight + SIDES * taut);
    reproduce_plot_close(&p, script);
}

static bool fig1_net_run(const char* directory)
{
    static const char* const models[] = {"der", "corde"};
    FILE* csv = reproduce_file(directory, "acm-fig1.csv");
    double weight = 0.0;
    bool pass = csv != NULL;
    if (!csv) {
        return false;
    }
    fprintf(csv, "model_friction,time_s,left_mm,right_mm,bar_mm,pull_N,nodes\n");
    for (int k = 0; k < 2; k++) {
        Net n;
        bool good = net_open(&n, models[k]);
        printf("%s: a bar in two cords, tied to standing ropes by Prusik knots\n", models[k]);
        pass = good && net_run(&n, models[k], csv) && pass;
        weight = n.weight;
        cord_world_destroy(n.world);
    }
    fclose(csv);
    plot(directory, weight);
    return pass;
}

bool acm_fig1_run(const char* directory)
{
    bool net = fig1_net_run(directory), ropes = fig1_ropes_run(directory), pass = net && ropes;
    printf("acm-fig1: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    return pass;
}
