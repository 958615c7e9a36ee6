// DER, figure 2: helical perversion. A coil spring is drawn out straight, and its ends come together again
// without turning. It cannot wind up as it was, for its link stays what it is: it winds up to the right in
// one half and to the left in the other. Which half is which depends on the side from which it is touched
// when it begins to coil.
//
// Which way it is wound at a place is told by the writhe of one coil's length about it: positive where it is
// right-handed, negative where left-handed, through zero at a perversion.
#include "closure.h"

#include <math.h>

static const double step = 0.004, every = 0.1, until = 7.0; // as in the scene; between samples [s]
static const double coil = 0.157;                           // length of a coil at rest [m]
static const double wound = 0.1;           // writhe of a coil from which it counts as wound [turns]
static const double link_tolerance = 1e-6; // [turns]

typedef struct Touch { // at the middle, out of the plane of its natural curvature
    const char *name, *setting;
    int first; // which way the first half is wound then
} Touch;

static const Touch touches[2] = {{"below", "", -1}, {"above", "loads[1].force.force=[0,0,-0.005]", 1}};

static int window(const Closure* c) // nodes of a coil's length
{
    return (int)nearbyint(coil / cord_rod_length(c->world, c->rod) * (c->nodes - 1)) + 1;
}

static int hand_of(double writhe)
{
    return fabs(writhe) < wound ? 0 : writhe > 0.0 ? 1 : -1;
}

// Changes of handedness along the rod; where it is not wound, it keeps the hand it had.
static int count_perversions(Lab* lab, const Closure* c, const Touch* touch, bool kept)
{
    const CordVec3* x = closure_nodes(c);
    int nodes = window(c), changes = 0, hand = 0;
    for (int i = 0; i + nodes <= c->nodes; i++) {
        double writhe = cord_polygon_writhe(x + i, nodes, false);
        int now = hand_of(writhe);
        changes += now * hand < 0;
        hand = now ? now : hand;
        if (kept) {
            lab_row(lab, "coils", touch->name, cord_world_time(c->world),
                    (i + 0.5 * (nodes - 1)) / (c->nodes - 1), writhe);
        }
    }
    return changes;
}

static void sample(Lab* lab, Closure* c, const Touch* touch, double start, bool kept)
{
    double writhe = closure_writhe(c), twist = cord_rod_twist(c->world, c->rod);
    const CordVec3* x = closure_nodes(c);
    int middle = c->nodes / 2;
    lab_row(lab, "", touch->name, cord_world_time(c->world), x[c->nodes - 1].x - x[0].x, twist, writhe,
            cord_polygon_writhe(x, middle + 1, false),
            cord_polygon_writhe(x + middle, c->nodes - middle, false), count_perversions(lab, c, touch, kept),
            fabs(twist + writhe - start), cord_world_contact_report(c->world).deepest);
}

static void follow(Lab* lab, const Touch* touch)
{
    CordWorld* world = lab_world(lab, "der/fig2", "%s", touch->setting);
    Closure c = closure_open(lab, world, 0);
    double start = closure_link(&c);
    int samples = (int)nearbyint(until / every);
    sample(lab, &c, touch, start, false);
    for (int i = 1; i <= samples; i++) {
        lab_steps(lab, world, step, (int)nearbyint(every / step));
        sample(lab, &c, touch, start, i % (samples / 7) == 0);
    }
    double first = lab_last(lab, "", touch->name, "first"), second = lab_last(lab, "", touch->name, "second");
    lab_say(lab, "touched from %s: writhe %.2f turns in the first half, %.2f in the second", touch->name,
            first, second);
    lab_equal(lab, "handedness of the first half", hand_of(first), touch->first, NULL);
    lab_equal(lab, "handedness of the second half", hand_of(second), -touch->first, NULL);
    lab_equal(lab, "perversions", lab_last(lab, "", touch->name, "perversions"), 1, NULL);
    lab_below(lab, "change of Tw + Wr at the most [turns]", lab_most(lab, "", touch->name, "link error"),
              link_tolerance, "Calugareanu and White: ends do not turn");
    lab_apart(lab, lab_most(lab, "", touch->name, "depth"));
}

static void run(Lab* lab)
{
    lab_say(lab,
            "a spring of 6.4 coils, drawn out straight; its ends come from 1 m to 0.35 m without turning");
    follow(lab, &touches[0]);
    follow(lab, &touches[1]);
}

#define TURNS(column, style, name) LAB_CURVE("", "below", "time", column, style, name)
#define COIL(t) LAB_CURVE_WHERE("coils", "below", "abs({time} - " #t ") < 0.05", "s", "writhe", NULL, #t " s")

const Experiment experiment_der_fig2 = {
    .id = "der-fig2",
    .about = "DER figure 2: helical perversion, two hands in one spring",
    .source = "DER figure 2",
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns =
                 "touched from,time [s],distance [m],twist,writhe,first,second,perversions,link error,depth"},
        {"coils", .columns = "touched from,time [s],s,writhe"}),
    .panels = LAB_PANELS(
        {.x = "time [s]",
         .y = "turns",
         .set = "set key top left\nset xzeroaxis\nset yrange [-2.2:3]",
         .curves = LAB_CURVES(TURNS("first", NULL, "writhe of the first half"),
                              TURNS("second", NULL, "of the second half"),
                              TURNS("writhe", "lines lw 2 lc rgb '#d94801'", "of all, Wr"),
                              TURNS("twist", "lines lw 2 dt 2 lc rgb '#d94801'", "twist Tw"),
                              TURNS("{twist} + {writhe}", "lines lw 2 lc rgb 'black'", "Tw + Wr"))},
        {.x = "s / length",
         .y = "writhe of one coil about s [turns]",
         .set = "set key top left\nset xzeroaxis\nset xrange [0:1]\nset yrange [-0.45:0.55]",
         .curves = LAB_CURVES(COIL(1), COIL(3), COIL(5), COIL(7))}),
    .layout = "1,2",
};
