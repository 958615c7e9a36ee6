// ACM, figure 1: knots that hold by friction. On the left a bar hangs in two cords that are tied to standing
// ropes by Prusik knots; on the right two ropes are joined (acm_fig1_ropes.c).
#include "acm_fig1.h"

#include <cordage/pace.h>

#include <math.h>

// As in the scene: by when the bar hangs at rest, and the end [s]; radius [m] of ropes; the pull that makes
// each rope taut [N]; friction.
static const double at_rest = 1.1, end = 1.5, radius = 0.003, taut = 15.0, scene_friction = 0.4,
                    gravity = 9.81;
static const double look_time = 0.01; // [s]
static const double slip_most = 1e-3; // of a knot that holds [m]
static const double weight_off =
    // of the weight: reactions are taken from the forces that contact had in the step before, and are off by
    // 4 %, with steps half as long by 2 %
    0.05;
static const double speed_most = 0.01;                      // of the bar at rest [m/s]
static const double slippery = 0.02;                        // a friction with which knots slide ...
static const double slides_least = 0.03, long_enough = 0.4; // ... by this [m] in this time [s]

enum { SIDES = 2, RODS = 5, BAR = 4 }; // of the scene: a rope and a cord on each side, the bar

typedef struct Net {
    Lab* lab;
    CordWorld* world;
    CordRodId rods[RODS];
    char series[32];     // of the table
    double knot[SIDES];  // height of the bridge of the knot, now [m]
    int64_t link[SIDES]; // of rope and cord, at first
    int64_t held[SIDES]; // of cord and bar, at first
    double weight;       // of all rods [N]
} Net;

// ---- a moment

static double pull_on_ceiling(const Net* n)
{
    double pull = 0.0;
    for (int s = 0; s < SIDES; s++) {
        pull -= lab_reaction(n->world, s).z;
    }
    return pull;
}

static void look(Net* n, double pull) // of both ropes on the ceiling [N]
{
    CordFrame f;
    bool linked = true; // as at first
    double height = 0.0, speed = 0.0;
    for (int s = 0; s < SIDES; s++) {
        n->knot[s] = lab_probe(n->world, s).z;
        linked = linked &&
                 cord_rod_linking_number(n->world, n->rods[2 * s], n->rods[2 * s + 1]) == n->link[s] &&
                 cord_rod_linking_number(n->world, n->rods[2 * s + 1], n->rods[BAR]) == n->held[s];
    }
    lab_ok(n->lab, n->world, cord_world_frame(n->world, &f));
    const CordFrameRod* bar = &f.rods[BAR];
    for (int i = bar->first_node; i < bar->first_node + bar->node_count; i++) {
        height += f.x[i].z / bar->node_count;
        speed = fmax(speed, cord_vec3_length(f.v[i]));
    }
    lab_row(n->lab, "", n->series, f.time, 1e3 * n->knot[0], 1e3 * n->knot[1], 1e3 * height, pull, speed,
            linked, lab_overlap(n->world, radius), f.node_count - bar->node_count,
            (double)lab_adapt_report(n->world, BAR).flickers);
}

// Forces of single steps scatter: their mean over all of them does not.
static void advance(Net* n)
{
    CordPacePlan plan =
        cord_pace_plan(look_time, look_time, cord_pace_choose(n->world, 0.0, look_time).longest);
    double pull = 0.0;
    for (int64_t i = 0; i < plan.count; i++) {
        lab_steps(n->lab, n->world, plan.h, 1);
        pull += pull_on_ceiling(n) / (double)plan.count;
    }
    look(n, pull);
}

static Net net_open(Lab* lab, const char* model)
{
    Net n = {.lab = lab};
    snprintf(n.series, sizeof n.series, "%s %g", model, scene_friction);
    n.world = lab_world(lab, "acm/fig1_net", "rods[*].model=%s", model);
    for (int i = 0; i < RODS; i++) {
        n.rods[i] = cord_world_rod(n.world, i);
        n.weight += cord_rod_mass(n.world, n.rods[i]) * gravity;
    }
    for (int s = 0; s < SIDES; s++) {
        n.link[s] = cord_rod_linking_number(n.world, n.rods[2 * s], n.rods[2 * s + 1]);
        n.held[s] = cord_rod_linking_number(n.world, n.rods[2 * s + 1], n.rods[BAR]);
    }
    return n;
}

// Until a time, or until a knot has slid by a limit [m]. How far the knot has slid that slid farther [m].
static double watch(Net* n, double until, double limit)
{
    const double from[SIDES] = {n->knot[0], n->knot[1]};
    double slip = 0.0;
    while (cord_world_time(n->world) < until - 0.5 * look_time && slip < limit) {
        advance(n);
        slip = fmax(fabs(n->knot[0] - from[0]), fabs(n->knot[1] - from[1]));
    }
    return slip;
}

// ---- what is judged

static double mean(const Net* n, const char* column)
{
    return lab_mean(n->lab, "", n->series, column, at_rest + 0.5 * look_time, end + 0.5 * look_time);
}

static void judge_holds(Lab* lab, const Net* n, double slip)
{
    const char* span = lab_text(lab, "friction %g, from %g to %g s", scene_friction, at_rest, end);
    lab_below(lab, lab_text(lab, "%s: the knots slip by [m]", span), slip, slip_most, "they hold");
    lab_below(lab, lab_text(lab, "%s: the bar moves by [m/s]", span), mean(n, "speed"), speed_most,
              "it rests");
    lab_near(lab,
             lab_text(lab, "the ceiling bears beside the %g N that make the ropes taut [N]", SIDES * taut),
             mean(n, "pull") - SIDES * taut, n->weight, weight_off, "the weight of bar, cords and ropes");
}

static void judge_whole(Lab* lab, const Net* n)
{
    CordAdaptReport r = lab_adapt_report(n->world, BAR); // of ropes and cords
    lab_equal(lab,
              lab_text(lab,
                       "linking numbers of ropes and cords %lld and %lld, of cords and bar %lld and %lld, "
                       "are the same at every moment: 1",
                       (long long)n->link[0], (long long)n->link[1], (long long)n->held[0],
                       (long long)n->held[1]),
              lab_least(lab, "", n->series, "linked"), 1, "nothing passes through anything");
    lab_apart(lab, lab_most(lab, "", n->series, "overlap"));
    lab_say(lab,
            "nodes of ropes and cords: %d at first, %d at rest, %.0f in the mean, of %d that they had "
            "were all of them so fine; %lld taken in, %lld given up",
            r.made_with, r.nodes, r.node_steps / fmax(1.0, (double)cord_world_steps(n->world)), r.finest,
            (long long)r.refined, (long long)r.merged);
    lab_equal(lab, "nodes given up at rest and taken back within their time",
              lab_last(lab, "", n->series, "flickers") - lab_at(lab, "", n->series, "flickers", at_rest), 0,
              "at rest nothing changes");
}

// From the state at rest, with next to no friction.
static void judge_slides(Lab* lab, Net* n, const LabState* rest, const char* model)
{
    snprintf(n->series, sizeof n->series, "%s %g", model, slippery);
    lab_restore(lab, n->world, rest);
    lab_friction(lab, n->world, slippery);
    look(n, NAN);
    double start = cord_world_time(n->world), slip = watch(n, start + long_enough, slides_least);
    lab_true(lab,
             lab_text(lab, "friction %g: a knot slides by %.0f mm in %.2f s, %.0f expected in %g s", slippery,
                      1e3 * slip, cord_world_time(n->world) - start, 1e3 * slides_least, long_enough),
             slip >= slides_least, NULL);
}

// ---- the experiment

static void hang(Lab* lab, const char* model)
{
    LabState rest = {0};
    lab_say(lab, "%s: a bar in two cords, tied to standing ropes by Prusik knots", model);
    Net n = net_open(lab, model);
    look(&n, NAN);
    watch(&n, at_rest, INFINITY);
    lab_keep(lab, n.world, &rest);
    judge_holds(lab, &n, watch(&n, end, INFINITY));
    judge_whole(lab, &n);
    lab_row(lab, "weight", NULL, 0, n.weight + SIDES * taut);
    lab_row(lab, "weight", NULL, end, n.weight + SIDES * taut);
    judge_slides(lab, &n, &rest, model);
}

static void run(Lab* lab)
{
    lab_models(lab, "der", hang);
    lab_models(lab, "corde", acm_fig1_ropes);
}

#define HEIGHT(series, column, style, name) LAB_CURVE("", series, "time", column, style, name)
#define HEIGHTS(series, style, name)                                                                         \
    HEIGHT(series, "left", style, name), HEIGHT(series, "right", style, NULL),                               \
        HEIGHT(series, "bar", style, NULL)

const Experiment experiment_acm_fig1 = {
    .id = "acm-fig1",
    .about = "ACM figure 1: a bar that hangs by Prusik knots, and a double Fisherman's knot in ropes of "
             "unequal radii",
    .source = "ACM figure 1",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "model and friction,time [s],left [mm],right [mm],bar [mm],pull "
                                         "[N],speed [m/s],linked,overlap,nodes,flickers"},
                         {"weight", .columns = "time [s],weight [N]"},
                         {"ropes", .columns = "model,time [s],standing [m],near,nodes_thick,nodes_thin"}),
    .panels = LAB_PANELS(
        {.x = "time [s]",
         .y = "height [mm]",
         .set =
             "set xrange [0:1.5]\nset yrange [100:350]\nset key bottom left\nset label 1 'knots' at 0.6,310\n"
             "set label 2 'bar' at 0.85,180",
         .curves =
             LAB_CURVES(HEIGHTS("der 0.4", "lines lw 4 lc rgb '#2455a4'", "der"),
                        HEIGHTS("corde 0.4", "lines lw 1.5 lc rgb '#c8452f'", "corde"),
                        HEIGHTS("der 0.02", "lines lw 2 dt 2 lc rgb '#2455a4'", "der, friction 0.02"),
                        HEIGHTS("corde 0.02", "lines lw 2 dt 2 lc rgb '#c8452f'", "corde, friction 0.02"))},
        {.x = "time [s]",
         .y = "pull on the ceiling [N]",
         .set = "set xrange [0:1.5]\nset yrange [25:40]\nset key bottom right",
         .curves = LAB_CURVES(HEIGHT("der 0.4", "pull", "lines lw 4 lc rgb '#2455a4'", "der"),
                              HEIGHT("corde 0.4", "pull", "lines lw 1.5 lc rgb '#c8452f'", "corde"),
                              LAB_CURVE("weight", NULL, "time", "weight", "lines dt 3 lc rgb 'black'",
                                        "weight and what makes the ropes taut"))},
        {.x = "time [s]",
         .y = "standing end, along the pull [m]",
         .set = "set key bottom right\n"
                "set arrow 1 from 0.2, graph 0 to 0.2, graph 1 nohead dt 2 lc rgb 'grey40'\n"
                "set arrow 2 from 0.25, graph 0 to 0.25, graph 1 nohead dt 2 lc rgb 'grey40'\n"
                "set label 1 'tails are let go' at 0.198, graph 0.4 right\nset label 2 'tails are free' at "
                "0.252, graph 0.4",
         .curves = LAB_CURVES(LAB_CURVE("ropes", LAB_EACH, "time", "standing", NULL, NULL))}),
    .layout = "3,1",
};
