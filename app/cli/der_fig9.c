// DER, figure 9: plectonemes. The ends of a hanging cord are turned; twist goes over into writhe, and the cord winds up on itself, in one place or in several, which may
// merge. Whatever it does, its ends have turned by as much as twist and writhe have grown.
//
// Plectonemes are counted by the density of writhe along the cord: the writhe that pairs of places make, summed over those of which one lies before s and the other
// after it. In a plectoneme the two strands that wind around each other lie on either side of its tip; so this sum has a hill for each, as high as the strands have turned
// about each other, and next to nothing between them.
#include "closure.h"
#include "reproduce.h"

#include <cordage/contact.h>

#include <math.h>
#include <stdlib.h>

static const double step = 0.005;          // longer than the scene's, which leads to the same numbers [s]
static const double every = 0.05;          // between samples [s]
static const double turns = 11.0;          // of one end against the other, in all
static const double least_hill = 0.5;      // above the valleys beside it [turns]: a loop has nearly one
static const double link_tolerance = 1e-6; // [turns]
static const double most_depth = 1e-3;     // of penetration, in radii

enum { SETTINGS = 6, CUT = 3 /* nodes from one s to the next */ };

typedef struct Run {
    const char* name;
    const char* settings[SETTINGS];
    double turning, until;   // how long the ends are turned, and all of it [s]
    int plectonemes, before; // in the end; and before they merged, if they do
} Run;

#define WEIGHTLESS "gravity=[0,0,0]"
#define DRAG(c) "loads[0].drag={\"along\":" c ",\"across\":" c "}"
#define TURNING(time) "clamps[*].motion[0].to=" time
#define WIND "loads[5]={\"drag\":{\"along\":0.1,\"across\":0.1,\"wind\":{\"velocity\":[8,0,0]},\"from\":0.5}}"

enum { RUNS = 4, HANGING = 0 };
static const Run runs[RUNS] = {
    {"hanging, turned slowly", {NULL}, 2.0, 2.5, 1, 0},
    {"weightless, turned fast", {WEIGHTLESS, DRAG("0.1"), TURNING("0.15")}, 0.15, 1.5, 2, 0},
    {"weightless, turned fast, 100 times the drag", {WEIGHTLESS, DRAG("10"), TURNING("0.15")}, 0.15, 2.0, 1, 0},
    {"weightless, turned fast, then a wind", {WEIGHTLESS, DRAG("0.2"), TURNING("0.15"), WIND}, 0.15, 1.6, 1, 2},
};

typedef struct Found {
    double link_error; // greatest [turns]
    double depth;      // deepest penetration, in radii
    int plectonemes;   // in the end
    int most;          // once the ends were at rest
    double merged;     // when there were last more than in the end [s]
    double writhe;     // in the end [turns]
} Found;

// ---------------------------------------------------------------------------------------------------- plectonemes

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

// ---------------------------------------------------------------------------------------------------- a run

static bool advance(CordWorld* world)
{
    if (cord_world_step_many(world, step, (int)nearbyint(every / step)) != CORD_OK) {
        fprintf(stderr, "%s\n", cord_world_message(world));
        return false;
    }
    return true;
}

static void sample(const Run* run, Closure* c, double start, Found* f, FILE* csv)
{
    double time = cord_world_time(c->world), turned = turns * fmin(time / run->turning, 1.0);
    double twist = cord_rod_twist(c->world, c->rod), writhe = closure_writhe(c);
    int count = count_plectonemes(closure_nodes(c), c->nodes);
    bool rests = time > run->turning;
    f->link_error = fmax(f->link_error, fabs(twist + writhe - start - turned));
    f->depth = fmax(f->depth, cord_world_contact_report(c->world).deepest);
    f->merged = count < f->plectonemes ? time : f->merged;
    f->plectonemes = count;
    f->most = rests && count > f->most ? count : f->most;
    f->writhe = writhe;
    fprintf(csv, "%d,%.9g,%.9g,%.12g,%.12g,%d\n", (int)(run - runs), time, turned, twist, writhe, count);
}

static bool follow(const Run* run, Found* f, FILE* csv)
{
    int settings = 0;
    while (settings < SETTINGS && run->settings[settings]) {
        settings++;
    }
    CordWorld* world = reproduce_scene("der/fig9", run->settings, settings);
    Closure c;
    if (!world) {
        return false;
    }
    bool good = closure_open(&c, world, (CordVec3){0, 0, 1});
    if (good) {
        double start = cord_rod_twist(world, c.rod) + closure_writhe(&c);
        *f = (Found){.merged = NAN};
        sample(run, &c, start, f, csv);
        for (int i = 0; good && i < (int)nearbyint(run->until / every); i++) {
            good = advance(world);
            sample(run, &c, start, f, csv);
        }
    }
    closure_close(&c);
    cord_world_destroy(world);
    return good;
}

static bool measure(const Run* run, FILE* csv)
{
    Found f;
    printf("%s (%g turns in %g s):\n", run->name, turns, run->turning);
    if (!follow(run, &f, csv)) {
        printf("  FAIL: the run did not end\n");
        return false;
    }
    bool number = f.plectonemes == run->plectonemes, link = f.link_error < link_tolerance;
    bool merged = f.most >= run->before, apart = f.depth < most_depth;
    printf("  plectonemes after %g s: %d, with a writhe of %.2f turns; should be %d: %s\n", run->until,
           f.plectonemes, f.writhe, run->plectonemes, number ? "pass" : "FAIL");
    if (run->before > 0) {
        printf("  there were %d, merged at %.2f s, while the ends did not turn; should be %d before: %s\n",
               f.most, f.merged, run->before, merged ? "pass" : "FAIL");
    }
    printf("  ends turned, less change of Tw + Wr: %.1e turns at the most (%g allowed): %s\n", f.link_error,
           link_tolerance, link ? "pass" : "FAIL");
    printf("  deepest penetration: %.1e of the radius (%g allowed): %s\n", f.depth, most_depth,
           apart ? "pass" : "FAIL");
    fflush(stdout);
    return number && merged && link && apart;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void plot(const char* directory)
{
    static const char* const colors[RUNS] = {"black", "#d94801", "#2171b5", "#7b3f98"};
    ReproducePlot p = {.directory = directory, .name = "der-fig9"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset multiplot layout 1,2\nset key top left\n"
            "set title 'hanging, turned slowly'\nset xlabel 'turns of the ends'\nset ylabel 'turns'\nset xrange [0:11.5]\nset yrange [-0.3:13]\n"
            "plot 'der-fig9.csv' using ($1 == %d ? $3 : 1/0):($4 + $5) with lines lw 2 lc rgb 'black' title 'Tw + Wr', "
            "'' using ($1 == %d ? $3 : 1/0):4 with lines lw 2 lc rgb '#2171b5' title 'twist Tw', "
            "'' using ($1 == %d ? $3 : 1/0):5 with lines lw 2 lc rgb '#d94801' title 'writhe Wr'\n"
            "set title 'plectonemes'\nset xlabel 'time [s]'\nset ylabel 'number'\nset xrange [0:2.5]\nset yrange [-0.1:3.2]\nset ytics 1\nplot ",
            HANGING, HANGING, HANGING);
    for (int i = 0; i < RUNS; i++) { // a little apart, so that none hides another
        fprintf(script,
                "%s'der-fig9.csv' using ($1 == %d ? $2 : 1/0):($6 + %g) with steps lw 2 lc rgb '%s' title '%s'",
                i > 0 ? ", " : "", i, 0.03 * (RUNS - 1 - i), colors[i], runs[i].name);
    }
    fprintf(script, "\nunset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool der_fig9_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig9.csv");
    bool pass = true;
    if (!csv) {
        return false;
    }
    fprintf(csv, "run,time,turns,twist,writhe,plectonemes\n");
    for (int i = 0; i < RUNS; i++) {
        pass &= measure(&runs[i], csv);
    }
    fclose(csv);
    printf("der-fig9: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
