// DER, figure 2: helical perversion. A coil spring is drawn out straight, and its ends come together again without turning. It cannot wind up as it was, for its link stays what it
// is: it winds up to the right in one half and to the left in the other. Which half is which depends on the side from which it is touched when it begins to coil.
//
// Which way it is wound at a place is told by the writhe of one coil's length about it: positive where it is right-handed, negative where left-handed, through zero at a perversion.
#include "closure.h"
#include "reproduce.h"

#include <cordage/contact.h>

#include <math.h>

static const double step = 0.004, every = 0.1, until = 7.0; // as in the scene; between samples [s]
static const double coil = 0.157;                           // length of a coil at rest [m]
static const double wound = 0.1;           // writhe of a coil from which it counts as wound [turns]
static const double link_tolerance = 1e-6; // [turns]
static const double most_depth = 1e-3;     // of penetration, in radii

typedef struct Touch { // at the middle, out of the plane of its natural curvature
    const char *name, *setting;
    int first; // which way the first half is wound then
} Touch;

static const Touch touches[2] = {{"below", NULL, -1}, {"above", "loads[1].force.force=[0,0,-0.005]", 1}};

typedef struct Found {
    int perversions;
    double first, second; // writhe of each half [turns]
    double link_error, depth;
} Found;

static int window(const Closure* c) // nodes of a coil's length
{
    return (int)nearbyint(coil / cord_rod_length(c->world, c->rod) * (c->nodes - 1)) + 1;
}

static int hand_of(double writhe)
{
    return fabs(writhe) < wound ? 0 : writhe > 0.0 ? 1 : -1;
}

// Changes of handedness along the rod; where it is not wound, it keeps the hand it had.
static int count_perversions(const Closure* c, const Touch* touch, FILE* profile)
{
    const CordVec3* x = closure_nodes(c);
    int nodes = window(c), changes = 0, hand = 0;
    for (int i = 0; i + nodes <= c->nodes; i++) {
        double writhe = cord_polygon_writhe(x + i, nodes, false);
        int now = hand_of(writhe);
        changes += now * hand < 0;
        hand = now ? now : hand;
        if (profile) {
            fprintf(profile, "%d,%.9g,%.9g,%.9g\n", touch->first, cord_world_time(c->world),
                    (i + 0.5 * (nodes - 1)) / (c->nodes - 1), writhe);
        }
    }
    return changes;
}

static void sample(Closure* c, const Touch* touch, double start, Found* f, FILE* csv, FILE* profile)
{
    double twist = cord_rod_twist(c->world, c->rod), writhe = closure_writhe(c);
    const CordVec3* x = closure_nodes(c);
    int middle = c->nodes / 2;
    f->perversions = count_perversions(c, touch, profile);
    f->first = cord_polygon_writhe(x, middle + 1, false);
    f->second = cord_polygon_writhe(x + middle, c->nodes - middle, false);
    f->link_error = fmax(f->link_error, fabs(twist + writhe - start));
    f->depth = fmax(f->depth, cord_world_contact_report(c->world).deepest);
    fprintf(csv, "%d,%.9g,%.9g,%.12g,%.12g,%.9g,%.9g,%d\n", touch->first, cord_world_time(c->world),
            x[c->nodes - 1].x - x[0].x, twist, writhe, f->first, f->second, f->perversions);
}

static bool follow(const Touch* touch, Found* f, FILE* csv, FILE* profile)
{
    CordWorld* world = reproduce_scene("der/fig2", &touch->setting, touch->setting ? 1 : 0);
    Closure c;
    if (!world) {
        return false;
    }
    bool good = closure_open(&c, world, (CordVec3){0, 0, 1});
    *f = (Found){0};
    if (good) {
        double start = cord_rod_twist(world, c.rod) + closure_writhe(&c);
        int samples = (int)nearbyint(until / every);
        sample(&c, touch, start, f, csv, NULL);
        for (int i = 1; good && i <= samples; i++) {
            good = cord_world_step_many(world, step, (int)nearbyint(every / step)) == CORD_OK;
            sample(&c, touch, start, f, csv, i % (samples / 7) == 0 ? profile : NULL);
        }
        if (!good) {
            fprintf(stderr, "%s\n", cord_world_message(world));
        }
    }
    closure_close(&c);
    cord_world_destroy(world);
    return good;
}

static bool judge(const Found* f, int first)
{
    bool hands = hand_of(f->first) == first && hand_of(f->second) == -first;
    bool one = f->perversions == 1, link = f->link_error < link_tolerance, apart = f->depth < most_depth;
    printf("  handedness: %+d in the first half (writhe %.2f turns), %+d in the second (%.2f); should be %+d and %+d: %s\n",
           hand_of(f->first), f->first, hand_of(f->second), f->second, first, -first, hands ? "pass" : "FAIL");
    printf("  perversions: %d, should be 1: %s\n", f->perversions, one ? "pass" : "FAIL");
    printf("  change of Tw + Wr: %.1e turns at the most (%g allowed): %s\n", f->link_error, link_tolerance,
           link ? "pass" : "FAIL");
    printf("  deepest penetration: %.1e of the radius (%g allowed): %s\n", f->depth, most_depth,
           apart ? "pass" : "FAIL");
    return hands && one && link && apart;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig2"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset multiplot layout 1,2\nset key top left\nset xzeroaxis\n"
            "set xlabel 'time [s]'\nset ylabel 'turns'\nset yrange [-2.2:3]\n"
            "plot 'der-fig2.csv' using ($1 == %d ? $2 : 1/0):6 with lines lw 2 lc rgb '#2171b5' title 'writhe of the first half', "
            "'' using ($1 == %d ? $2 : 1/0):7 with lines lw 2 lc rgb '#7b3f98' title 'of the second half', "
            "'' using ($1 == %d ? $2 : 1/0):5 with lines lw 2 lc rgb '#d94801' title 'of all, Wr', "
            "'' using ($1 == %d ? $2 : 1/0):4 with lines lw 2 dt 2 lc rgb '#d94801' title 'twist Tw', "
            "'' using ($1 == %d ? $2 : 1/0):($4 + $5) with lines lw 2 lc rgb 'black' title 'Tw + Wr'\n",
            touches[0].first, touches[0].first, touches[0].first, touches[0].first, touches[0].first);
    fprintf(script,
            "set xlabel 's / length'\nset ylabel 'writhe of one coil about s [turns]'\nset xrange [0:1]\nset yrange [-0.45:0.55]\n"
            "plot for [t=1:7:2] 'der-fig2-coils.csv' using ($1 == %d && abs($2 - t) < 0.05 ? $3 : 1/0):4 with lines lw 2 title sprintf('%%d s', t)\n"
            "unset multiplot\n",
            touches[0].first);
    reproduce_plot_close(&p, script);
}

bool der_fig2_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig2.csv");
    FILE* profile = csv ? reproduce_file(directory, "der-fig2-coils.csv") : NULL;
    if (!profile) {
        if (csv) {
            fclose(csv);
        }
        return false;
    }
    bool pass = true;
    fprintf(csv, "first_hand,time,distance,twist,writhe,first_half,second_half,perversions\n");
    fprintf(profile, "first_hand,time,s,writhe\n");
    printf("a spring of 6.4 coils, drawn out straight; its ends come from 1 m to 0.35 m without turning\n");
    for (int i = 0; i < 2; i++) {
        Found found;
        printf("touched from %s:\n", touches[i].name);
        pass &= follow(&touches[i], &found, csv, profile) && judge(&found, touches[i].first);
    }
    fclose(profile);
    fclose(csv);
    printf("der-fig2: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
