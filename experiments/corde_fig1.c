// CORDE, figures 1 and 4: looping. A cord is spanned between two clamps that are nearer to each other than it
// is long, and one of them is turned. The cord leaves its plane, jumps into a loop, touches itself, jumps
// once more and winds up around itself; what changes with the ratio of bending to twisting stiffness?
//
// Up to the jump there is theory without elements (kirchhoff.h): the radius of the loop, its place, and the
// turns at which it jumps, where the family of equilibria folds back. Of the plectoneme, theory has the
// couple for a pull: two strands of radius r that wind around each other at the angle a against their common
// axis, without friction, have
//   M = (2 B / r) cos a sin^3 a / cos 2a,   T = (B / r^2) sin^4 a (1/2 + 1 / cos 2a)
// (the least energy with the ends' turns given; Clauvelin, Audoly and Neukirch, Biophys. J. 96, 3716, 2009).
// Twisting stiffness is in neither.
#include "closure.h"
#include "kirchhoff.h"
#include "loop_shape.h"

#include <math.h>
#include <stdlib.h>

// As in the scene: the clamps come together, then one turns, slowly where the cord is going to jump. Turns
// are in units of those at which it does.
static const double shortening = 0.5; // over the length
// when turning begins, gets slow and gets fast again [s]
static const double begin = 6.0, slow = 13.0, fast = 24.0;
static const double end = 50.0;                                                   // [s]
static const double turns_until_slow = 0.83, turns_slow = 0.21, turns_fast = 5.0; // the last not in units

static const double step = 2e-4;  // the scene's [s]
static const double every = 0.05; // between samples [s]
// of the jump's turns: shapes between are compared
static const double compare_from = 0.88, compare_to = 0.96;
static const double shape_tolerance = 0.03; // of radius and depth: 100 elements, and a cord not quite at rest
// of its turns: it takes the cord seconds to leave, while one end turns on
static const double jump_tolerance = 0.05;
static const double place_tolerance = 0.02; // of the loop along the cord, over its length: two elements
static const double law_tolerance = 0.1;    // of pull and couple of a plectoneme that is not long
static const double loop_tolerance = 0.05;  // of radius times square root of pull, between ratios
static const double link_tolerance = 1e-6;  // [turns]
static const double settled = 5.0;          // time over which pull and couple are averaged in the end [s]
enum { SELF_CONTACTS = 5, NEAR = 2 /* edges */, THEORY = 64 };
enum { RATIOS = 3, SCENES = 1 /* which of them is the scene's */ };
// twisting stiffness over bending stiffness; 0: as in the scene
static const double ratios[RATIOS] = {0.5, 0.0, 1.0};

typedef struct Family { // of equilibria, by curvature
    KirchhoffRod rods[THEORY];
    int count;
} Family;

typedef struct Loop {
    Lab* lab;
    CordWorld* world;
    Closure closure;
    const Family* family;
    double B, length, radius;
    double ratio;      // GJ over EI
    KirchhoffRod fold; // where it should jump
    double fold_turns;
    double start;    // Tw + Wr
    bool watched;    // its topology
    char series[32]; // of the table
} Loop;

// ---- theory

// From a shape near the fold to where the rod is nearly flat, and the other way as far as it goes.
static bool find_family(Family* f)
{
    KirchhoffRod down[THEORY];
    int downs = 0;
    KirchhoffRod rod = kirchhoff_long(shortening, 12.0);
    while (downs < THEORY / 2 && kirchhoff_solve(&rod)) {
        down[downs++] = rod;
        rod.curvature -= 0.1;
    }
    *f = (Family){.count = 0};
    while (downs > 0) {
        f->rods[f->count++] = down[--downs];
    }
    if (f->count == 0) {
        return false;
    }
    rod = f->rods[f->count - 1];
    for (rod.curvature += 0.1; f->count < THEORY && kirchhoff_solve(&rod); rod.curvature += 0.1) {
        f->rods[f->count++] = rod;
    }
    return true;
}

static KirchhoffRod between(const KirchhoffRod* a, const KirchhoffRod* b, double share)
{
    KirchhoffRod r = *a;
    r.curvature += share * (b->curvature - a->curvature);
    r.depth += share * (b->depth - a->depth);
    r.pull += share * (b->pull - a->pull);
    r.couple += share * (b->couple - a->couple);
    return r;
}

// The stable shape at some turns, with a ratio of stiffnesses: before the fold.
static KirchhoffRod shape_at(const Family* f, double ratio, double turns)
{
    int i = 1;
    while (i < f->count - 1 && kirchhoff_turns(&f->rods[i], ratio) < turns) {
        i++;
    }
    const KirchhoffRod *a = &f->rods[i - 1], *b = &f->rods[i];
    double from = kirchhoff_turns(a, ratio), to = kirchhoff_turns(b, ratio);
    return between(a, b, (turns - from) / (to - from));
}

static KirchhoffRod fold_of(const Family* f, double ratio, double* turns)
{
    int best = 0;
    for (int i = 1; i < f->count; i++) {
        best = kirchhoff_turns(&f->rods[i], ratio) > kirchhoff_turns(&f->rods[best], ratio) ? i : best;
    }
    *turns = kirchhoff_turns(&f->rods[best], ratio);
    return f->rods[best];
}

// The pull that goes with the couple of a plectoneme; both over powers of the radius and B.
static double plectoneme_pull(double couple)
{
    double low = 0.0, high = 0.25 * CORD_PI;
    for (int i = 0; i < 60; i++) {
        double a = 0.5 * (low + high), s = sin(a);
        double c = 2.0 * cos(a) * s * s * s / cos(2.0 * a);
        low = c < couple ? a : low;
        high = c < couple ? high : a;
    }
    double s = sin(low);
    return s * s * s * s * (0.5 + 1.0 / cos(2.0 * low));
}

// ---- the cord

static double turned(const Loop* l, double time)
{
    double unit = l->fold_turns;
    double first = turns_until_slow * unit * fmin(fmax((time - begin) / (slow - begin), 0.0), 1.0);
    double second = turns_slow * unit * fmin(fmax((time - slow) / (fast - slow), 0.0), 1.0);
    return first + second + turns_fast * fmin(fmax((time - fast) / (end - fast), 0.0), 1.0);
}

// Nothing can pass through itself before it touches itself: the watch, which costs more than the step does,
// may wait until then.
static void watch(Loop* l, bool on)
{
    CordContactDef def = cord_world_contact_def(l->world);
    def.watch_topology = on;
    cord_world_set_contact(l->world, &def);
    l->watched = on;
}

static Loop open_loop(Lab* lab, double ratio, const Family* family)
{
    CordWorld* shipped = lab_world(lab, "corde/fig1", LAB_AS_SHIPPED);
    CordRodId rod = cord_world_rod(shipped, 0);
    CordStiffness stiffness = cord_rod_stiffness(shipped, rod);
    Loop l = {.lab = lab, .family = family, .B = stiffness.EI1, .length = cord_rod_length(shipped, rod)};
    l.ratio = ratio > 0.0 ? ratio : stiffness.GJ / l.B;
    l.fold = fold_of(family, l.ratio, &l.fold_turns);
    snprintf(l.series, sizeof l.series, "GJ/EI = %.3g", l.ratio);
    l.world = lab_world(lab, "corde/fig1",
                        "rods[0].stiffness={\"twist\":%.12g}; clamps[0].motion[0].rotate.turns=%.12g; "
                        "clamps[0].motion[1].rotate.turns=%.12g; probes=[]",
                        l.ratio * l.B, -turns_until_slow * l.fold_turns, -turns_slow * l.fold_turns);
    l.closure = closure_open(lab, l.world, 0);
    l.radius = lab_radius(l.world) / l.length;
    watch(&l, false);
    l.start = closure_link(&l.closure);
    return l;
}

// ---- samples

static bool touches(const CordWorld* world, int i, int j)
{
    const CordContact* c = cord_world_contacts(world);
    for (int k = 0; k < cord_world_contact_count(world); k++) {
        int a = c[k].edge < c[k].other_edge ? c[k].edge : c[k].other_edge,
            b = c[k].edge + c[k].other_edge - a;
        if (abs(a - i) <= NEAR && abs(b - j) <= NEAR) {
            return true;
        }
    }
    return false;
}

// Crossings at which the cord touches itself, as they are seen square to the plane in which the loop hangs.
static int count_crossings(const Loop* l, const CordVec3* x, int apex)
{
    int count = 0, edges = l->closure.nodes - 1;
    for (int i = 0; i < edges && cord_world_contact_count(l->world) > 0; i++) {
        for (int j = i + 2; j < edges; j++) {
            count += loop_crosses(x, apex, i, j) && touches(l->world, i, j);
        }
    }
    return count;
}

// One row: pull and couple over B/L^2 and B/L; of the loop the radius of curvature at its apex, where that is
// along the cord, and how far from the line of the clamps, over the length; how far these are from theory,
// while they are compared; pairs of elements that push, and crossings that touch.
static void look(Loop* l)
{
    CordVec3 force, torque;
    const CordVec3* x = closure_nodes(&l->closure);
    double writhe = closure_writhe(&l->closure), twist = cord_rod_twist(l->world, l->closure.rod);
    double time = cord_world_time(l->world), turns = turned(l, time), share = turns / l->fold_turns;
    int apex = loop_apex(x, l->closure.nodes);
    double radius = 1.0 / (loop_curvature(x, apex) * l->length),
           depth = hypot(x[apex].y, x[apex].z) / l->length;
    // the first and the last edge are half as long as others
    double place = (apex - 0.5) / (l->closure.nodes - 2);
    KirchhoffRod theory = shape_at(l->family, l->ratio, turns);
    bool compared = share >= compare_from && share <= compare_to;
    cord_clamp_reaction(l->world, cord_world_clamp(l->world, 1), &force, &torque);
    lab_row(l->lab, "", l->series, time, turns, -force.x * l->length * l->length / l->B,
            -torque.x * l->length / l->B, radius, place, depth, twist, writhe,
            cord_world_contact_count(l->world), count_crossings(l, x, apex),
            compared ? fabs(radius * theory.curvature - 1.0) : 0.0,
            compared ? fabs(depth / theory.depth - 1.0) : 0.0, compared ? fabs(place - 0.5) : 0.0,
            time > slow && radius * l->fold.curvature < 1.0, fabs(twist + writhe - l->start - turns),
            cord_world_contact_report(l->world).deepest);
}

static void follow(Loop* l, bool watched)
{
    for (int i = 0; i < (int)nearbyint(end / every); i++) {
        lab_steps(l->lab, l->world, step, (int)nearbyint(every / step));
        look(l);
        if (watched && !l->watched && cord_world_contact_count(l->world) > 0) {
            watch(l, true);
        }
    }
}

// ---- what is judged

static double most(const Loop* l, const char* column)
{
    return lab_most(l->lab, "", l->series, column);
}

static double in_the_end(const Loop* l, const char* column)
{
    return lab_mean(l->lab, "", l->series, column, end - settled, end + every);
}

static double turns_when(const Loop* l, const char* column, double above)
{
    return lab_first(l->lab, "", l->series, column, above, "turns");
}

static void judge_before(Lab* lab, const Loop* l)
{
    static const char source[] = "Kirchhoff's equations, without elements";
    const char* span = lab_text(lab, "from %g to %g of that", compare_from, compare_to);
    lab_near(lab, "it jumps at [turns]", turns_when(l, "jumped", 0), l->fold_turns, jump_tolerance,
             "the fold of Kirchhoff's equilibria");
    lab_below(lab, lab_text(lab, "%s the radius of the loop is off by, relatively", span),
              most(l, "radius error"), shape_tolerance, source);
    lab_below(lab, lab_text(lab, "%s the depth of the loop is off by, relatively", span),
              most(l, "depth error"), shape_tolerance, source);
    lab_below(lab, "the loop is away from the middle, over the length, by", most(l, "place error"),
              place_tolerance, "symmetry");
}

static void judge_after(Lab* lab, const Loop* l)
{
    double r = l->radius, couple = in_the_end(l, "couple");
    lab_say(lab, "touches itself at %.2f turns; self-contacts 1 to %d at %.2f %.2f %.2f %.2f %.2f turns",
            turns_when(l, "pairs", 0), SELF_CONTACTS, turns_when(l, "self-contacts", 0),
            turns_when(l, "self-contacts", 1), turns_when(l, "self-contacts", 2),
            turns_when(l, "self-contacts", 3), turns_when(l, "self-contacts", 4));
    lab_above(lab, "self-contacts, at the most", most(l, "self-contacts"), SELF_CONTACTS - 1, NULL);
    lab_near(lab, lab_text(lab, "pull of the plectoneme with a couple of %.2f B/L [B/L^2]", couple),
             in_the_end(l, "pull"), plectoneme_pull(couple * r) / (r * r), law_tolerance,
             "Clauvelin, Audoly and Neukirch 2009");
    lab_below(lab,
              "ends turned, less change of Tw + Wr, at the most; had it passed through itself: 2 [turns]",
              most(l, "link error"), link_tolerance, "Calugareanu and White");
    lab_apart(lab, most(l, "penetration"));
    lab_equal(lab, "determinant: no knot", (double)cord_rod_knot(l->world, l->closure.rod), 1, "it was none");
}

// The radius of the loop in the end, times the square root of the pull.
static double measure(Lab* lab, int i, const Family* family)
{
    Loop l = open_loop(lab, ratios[i], family);
    bool watched = i == SCENES;
    lab_say(lab, "twisting over bending stiffness %.3f%s", l.ratio,
            watched ? ", topology watched from the first contact on" : "");
    follow(&l, watched);
    judge_before(lab, &l);
    judge_after(lab, &l);
    for (int k = 0; k < family->count; k++) {
        const KirchhoffRod* r = &family->rods[k];
        lab_row(lab, "theory", l.series, kirchhoff_turns(r, l.ratio), r->pull, r->couple, 1.0 / r->curvature,
                r->depth);
    }
    return in_the_end(&l, "radius") * sqrt(in_the_end(&l, "pull"));
}

// ---- the experiment

static void run(Lab* lab)
{
    Family family;
    double least = INFINITY, greatest = 0.0;
    lab_say(lab,
            "a cord of length L between clamps %g L apart, of which one is turned; radii and depths "
            "over L, pulls over B/L^2, couples over B/L",
            1.0 - shortening);
    if (!lab_true(lab, "Kirchhoff's equations have a family of equilibria", find_family(&family),
                  "shooting")) {
        return;
    }
    for (int i = 0; i < RATIOS; i += (int)lab_pick(lab, RATIOS - 1, 1)) { // quick: the first and the last
        double loop = measure(lab, i, &family);
        least = fmin(least, loop), greatest = loop <= greatest ? greatest : loop; // not a number stays so
    }
    // A loop at the end of a plectoneme knows of twist by the couple alone, and that by the pull: so its
    // radius goes with 1/sqrt(T), by the same number for every ratio.
    lab_below(lab,
              lab_text(lab, "loop radius in the end over sqrt(B/T), from %.3f to %.3f: spread, relatively",
                       least, greatest),
              greatest / least - 1.0, loop_tolerance, "the same for every ratio");
}

const Experiment experiment_corde_fig1 = {
    .id = "corde-fig1",
    .about = "CORDE figure 1: looping under torsion, and what the ratio of stiffnesses does to the loop",
    .source = "CORDE figures 1 and 4",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES(
        {"",
         .columns =
             "ratio,time [s],turns,pull,couple,radius,place,depth,twist,writhe,pairs,self-contacts,radius "
             "error,depth error,place error,jumped,link error,penetration"},
        {"theory", .columns = "ratio,turns,pull,couple,radius,depth"}),
    .panels = LAB_PANELS(
        {.x = "turns of the left end",
         .y = "radius of the loop, over L",
         .set = "set xrange [0:7.5]\nset yrange [0:0.14]\nset key top right",
         .curves = LAB_CURVES(LAB_CURVE_WHERE("", LAB_EACH, "{turns} > 0.05", "turns", "radius", NULL, NULL),
                              LAB_CURVE("theory", LAB_EACH, "turns", "radius",
                                        "lines lw 1.5 dt 2 lc rgb 'black'", "theory, no elements"))},
        {.x = "turns of the left end",
         .y = "self-contacts; dashed: writhe [turns]",
         .set = "set xrange [0:7.5]\nset yrange [0:7]\nset key top left",
         .curves = LAB_CURVES(LAB_CURVE("", LAB_EACH, "turns", "self-contacts", "steps lw 2", NULL),
                              LAB_CURVE("", LAB_EACH, "turns", "writhe", "lines lw 1.5 dt 2", ""))}),
    .layout = "1,2",
};
