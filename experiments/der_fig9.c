// DER, figure 9: plectonemes. The ends of a hanging cord are turned; twist goes over into writhe, and the
// cord winds up on itself, in one place or in several, which may merge. Whatever it does, its ends have
// turned by as much as twist and writhe have grown.
//
// Plectonemes are counted by the density of writhe along the cord: the writhe that pairs of places make,
// summed over those of which one lies before s and the other after it. In a plectoneme the two strands that
// wind around each other lie on either side of its tip; so this sum has a hill for each, as high as the
// strands have turned about each other, and next to nothing between them.
#include "closure.h"

#include <math.h>

static const double step = 0.005;          // longer than the scene's, which leads to the same numbers [s]
static const double every = 0.05;          // between samples [s]
static const double turns = 11.0;          // of one end against the other, in all
static const double least_hill = 0.5;      // above the valleys beside it [turns]: a loop has nearly one
static const double link_tolerance = 1e-6; // [turns]

enum { CUT = 3 }; // nodes from one s to the next

typedef struct Run {
    const char* name;
    const char* settings;
    double turning, until;   // how long the ends are turned, and all of it [s]
    int plectonemes, before; // in the end; and before they merged, if they do
} Run;

#define FAST(drag)                                                                                           \
    "gravity=[0,0,0]; clamps[*].motion[0].to=0.15; loads[0].drag={\"along\":" drag ",\"across\":" drag "}"
#define WIND                                                                                                 \
    "; loads[5]={\"drag\":{\"along\":0.1,\"across\":0.1,\"wind\":{\"velocity\":[8,0,0]},\"from\":0.5}}"

enum { RUNS = 4 };
static const Run runs[RUNS] = {
    {"hanging: turned slowly", "", 2.0, 2.5, 1, 0},
    {"weightless: turned fast", FAST("0.1"), 0.15, 1.5, 2, 0},
    {"weightless: 100 times the drag", FAST("10"), 0.15, 2.0, 1, 0},
    {"weightless: then a wind", FAST("0.2") WIND, 0.15, 1.6, 1, 2},
};

// ---- plectonemes

// The writhe that the part before a node makes with the part after it [turns].
static double across(const CordVec3* x, int nodes, int at, double all)
{
    return all - cord_polygon_writhe(x, at + 1, false) - cord_polygon_writhe(x + at, nodes - at, false);
}

typedef struct Hills { // of a row of heights, as they come
    int count;
    bool climbing;
    double turn; // the highest since it climbs, or the lowest since it falls
} Hills;

static void hills_add(Hills* h, double height)
{
    if (h->climbing ? height > h->turn : height < h->turn) {
        h->turn = height;
    } else if (fabs(height - h->turn) > least_hill) {
        h->count += h->climbing;
        h->climbing = !h->climbing;
        h->turn = height;
    }
}

static int count_plectonemes(const CordVec3* x, int nodes)
{
    Hills h = {.climbing = true};
    double all = cord_polygon_writhe(x, nodes, false);
    for (int at = 1; at < nodes - 1; at += CUT) {
        hills_add(&h, across(x, nodes, at, all));
    }
    hills_add(&h, 0.0);
    return h.count;
}

// ---- a run

static void sample(Lab* lab, const Run* run, Closure* c, double start)
{
    double time = cord_world_time(c->world), turned = turns * fmin(time / run->turning, 1.0);
    double writhe = closure_writhe(c), twist = cord_rod_twist(c->world, c->rod);
    int count = count_plectonemes(closure_nodes(c), c->nodes);
    lab_row(lab, "", run->name, time, turned, twist, writhe, count, time > run->turning ? count : 0,
            fabs(twist + writhe - start - turned), cord_world_contact_report(c->world).deepest);
}

static void measure(Lab* lab, const Run* run)
{
    CordWorld* world = lab_world(lab, "der/fig9", "%s", run->settings);
    Closure c = closure_open(lab, world, 0);
    double start = closure_link(&c);
    int samples = (int)nearbyint(run->until / every);
    sample(lab, run, &c, start);
    for (int i = 0; i < samples; i++) {
        lab_steps(lab, world, step, (int)nearbyint(every / step));
        sample(lab, run, &c, start);
    }
    lab_say(lab, "%s (%g turns in %g s): a writhe of %.2f turns after %g s", run->name, turns, run->turning,
            lab_last(lab, "", run->name, "writhe"), run->until);
    lab_equal(lab, "plectonemes in the end", lab_last(lab, "", run->name, "plectonemes"), run->plectonemes,
              NULL);
    if (run->before > 0) {
        lab_above(lab, "plectonemes before they merged, while the ends did not turn",
                  lab_most(lab, "", run->name, "at rest"), run->before - 1, NULL);
    }
    lab_below(lab, "ends turned, less change of Tw + Wr, at the most [turns]",
              lab_most(lab, "", run->name, "link error"), link_tolerance, "Calugareanu and White");
    lab_apart(lab, lab_most(lab, "", run->name, "depth"));
}

static void run(Lab* lab)
{
    for (int i = 0; i < RUNS; i++) {
        measure(lab, &runs[i]);
    }
}

#define TURNS(column, style, name) LAB_CURVE("", "hanging: turned slowly", "turns", column, style, name)
#define NUMBER(name, up, color) /* a little apart, so that none hides another */                             \
    LAB_CURVE("", name, "time", "{plectonemes} + " #up, "steps lw 2 lc rgb '" color "'", name)

const Experiment experiment_der_fig9 = {
    .id = "der-fig9",
    .about = "DER figure 9: plectonemes, how many and how they merge",
    .source = "DER figure 9",
    .run = run,
    .tables =
        LAB_TABLES({"", .columns = "run,time [s],turns,twist,writhe,plectonemes,at rest,link error,depth"}),
    .panels = LAB_PANELS(
        {.title = "hanging: turned slowly",
         .x = "turns of the ends",
         .y = "turns",
         .set = "set key top left\nset xrange [0:11.5]\nset yrange [-0.3:13]",
         .curves = LAB_CURVES(TURNS("{twist} + {writhe}", "lines lw 2 lc rgb 'black'", "Tw + Wr"),
                              TURNS("twist", NULL, "twist Tw"), TURNS("writhe", NULL, "writhe Wr"))},
        {.title = "plectonemes",
         .x = "time [s]",
         .y = "number",
         .set = "set key top left\nset xrange [0:2.5]\nset yrange [-0.1:3.2]\nset ytics 1",
         .curves = LAB_CURVES(NUMBER("hanging: turned slowly", 0.09, "black"),
                              NUMBER("weightless: turned fast", 0.06, "#d94801"),
                              NUMBER("weightless: 100 times the drag", 0.03, "#2171b5"),
                              NUMBER("weightless: then a wind", 0, "#7b3f98"))}),
    .layout = "1,2",
};
