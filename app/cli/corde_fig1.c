// CORDE, figures 1 and 4: looping. A cord is spanned between two clamps that are nearer to each other than it is long, and one of them is turned. The cord leaves its
// plane, jumps into a loop, touches itself, jumps once more and winds up around itself; what changes with the ratio of bending to twisting stiffness?
//
// Up to the jump there is theory without elements (kirchhoff.h): the radius of the loop, its place, and the turns at which it jumps, where the family of equilibria folds
// back. Of the plectoneme, theory has the couple for a pull: two strands of radius r that wind around each other at the angle a against their common axis, without friction, have
//   M = (2 B / r) cos a sin^3 a / cos 2a,   T = (B / r^2) sin^4 a (1/2 + 1 / cos 2a)
// (the least energy with the ends' turns given; Clauvelin, Audoly and Neukirch, Biophys. J. 96, 3716, 2009). Twisting stiffness is in neither.
#include "closure.h"
#include "kirchhoff.h"
#include "loop_shape.h"
#include "reproduce.h"

#include <cordage/contact.h>

#include <math.h>
#include <stdlib.h>

// As in the scene: the clamps come together, then one turns, slowly where the cord is going to jump. Turns are in units of those at which it does.
static const double shortening = 0.5;                      // over the length
static const double begin = 6.0, slow = 13.0, fast = 24.0; // when turning begins, gets slow and gets fast again [s]
static const double end = 50.0;                            // [s]
static const double turns_until_slow = 0.83, turns_slow = 0.21, turns_fast = 5.0; // the last not in units

static const double step = 2e-4;                            // the scene's [s]
static const double every = 0.05;                           // between samples [s]
static const double compare_from = 0.88, compare_to = 0.96; // of the jump's turns: shapes between are compared
static const double shape_tolerance = 0.03; // of radius and depth: 100 elements, and a cord not quite at rest
static const double jump_tolerance = 0.05; // of its turns: it takes the cord seconds to leave, while one end turns on
static const double place_tolerance = 0.02; // of the loop along the cord, over its length: two elements
static const double law_tolerance = 0.1;    // of pull and couple of a plectoneme that is not long
static const double loop_tolerance = 0.05;  // of radius times square root of pull, between ratios
static const double link_tolerance = 1e-6;  // [turns]
static const double most_depth = 1e-3;      // of penetration, in radii
static const double settled = 5.0;          // time over which pull and couple are averaged in the end [s]
enum { SELF_CONTACTS = 5, NEAR = 2 /* edges */, THEORY = 64 };
enum { RATIOS = 3, SCENES = 1 /* which of them is the scene's */ };
static const double pi = 3.14159265358979323846;
static const double ratios[RATIOS] = {0.5, 0.0, 1.0}; // twisting stiffness over bending stiffness; 0: as in the scene

typedef struct Family { // of equilibria, by curvature
    KirchhoffRod rods[THEORY];
    int count;
} Family;

typedef struct Loop {
    CordWorld* world;
    Closure closure;
    const Family* family;
    double B, length, radius;
    double ratio;      // GJ over EI
    KirchhoffRod fold; // where it should jump
    double fold_turns;
    double start; // Tw + Wr
    bool watched;
    FILE* csv;
} Loop;

typedef struct Sample {
    double time, turns, pull, couple; // pull and couple over B/L^2 and B/L
    double twist, writhe;             // [turns]
    double radius, place,
        depth; // of the loop: of curvature at its apex; where that is along the cord, and how far from the line of the clamps, over the length
    int contacts, crossings; // pairs of elements that push; crossings that touch
} Sample;

typedef struct Found {
    double ratio;
    double radius_error, depth_error, place_error; // before it jumps
    double jump;                                   // [turns]
    double touch;                                  // turns at which it touches itself
    double radius_jump;                            // just before
    double place_late;                             // farthest from the middle, from then on
    double first[SELF_CONTACTS];                   // turns at which there were so many self-contacts
    double link_error, penetration;
    double pull, couple; // in the end, means over some time
    double loop;         // its radius times the square root of the pull, likewise
    int samples;
    Sample last;
} Found;

// ---------------------------------------------------------------------------------------------------- theory

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
    double low = 0.0, high = 0.25 * pi;
    for (int i = 0; i < 60; i++) {
        double a = 0.5 * (low + high), s = sin(a);
        double c = 2.0 * cos(a) * s * s * s / cos(2.0 * a);
        low = c < couple ? a : low;
        high = c < couple ? high : a;
    }
    double s = sin(low);
    return s * s * s * s * (0.5 + 1.0 / cos(2.0 * low));
}

// ---------------------------------------------------------------------------------------------------- the cord

static double turned(const Loop* l, double time)
{
    double unit = l->fold_turns;
    double first = turns_until_slow * unit * fmin(fmax((time - begin) / (slow - begin), 0.0), 1.0);
    double second = turns_slow * unit * fmin(fmax((time - slow) / (fast - slow), 0.0), 1.0);
    return first + second + turns_fast * fmin(fmax((time - fast) / (end - fast), 0.0), 1.0);
}

static CordWorld* open_world(const Loop* l)
{
    char twist[80], first[80], second[80];
    snprintf(twist, sizeof twist, "rods[0].stiffness={\"twist\":%.12g}", l->ratio * l->B);
    snprintf(first, sizeof first, "clamps[0].motion[0].rotate.turns=%.12g", -turns_until_slow * l->fold_turns);
    snprintf(second, sizeof second, "clamps[0].motion[1].rotate.turns=%.12g", -turns_slow * l->fold_turns);
    const char* settings[] = {twist, first, second, "probes=[]"};
    return reproduce_scene("corde/fig1", settings, 4);
}

// Nothing can pass through itself before it touches itself: the watch, which costs more than the step does, may wait until then.
static void watch(Loop* l, bool on)
{
    CordContactDef def = cord_world_contact_def(l->world);
    def.watch_topology = on;
    cord_world_set_contact(l->world, &def);
    l->watched = on;
}

static bool open_loop(Loop* l, double ratio, const Family* family, FILE* csv)
{
    *l = (Loop){.family = family, .csv = csv, .world = reproduce_scene("corde/fig1", NULL, 0)};
    if (!l->world) {
        return false;
    }
    CordRodId rod = cord_world_rod(l->world, 0);
    CordStiffness stiffness = cord_rod_stiffness(l->world, rod);
    l->B = stiffness.EI1;
    l->ratio = ratio > 0.0 ? ratio : stiffness.GJ / l->B;
    l->length = cord_rod_length(l->world, rod);
    l->fold = fold_of(family, l->ratio, &l->fold_turns);
    cord_world_destroy(l->world);
    l->world = open_world(l);
    if (!l->world || !closure_open(&l->closure, l->world, (CordVec3){0, 0, 1})) {
        return false;
    }
    CordFrame frame;
    cord_world_frame(l->world, &frame);
    l->radius = frame.radius[0] / l->length;
    watch(l, false);
    l->start = cord_rod_twist(l->world, rod) + closure_writhe(&l->closure);
    return true;
}

static void close_loop(Loop* l)
{
    closure_close(&l->closure);
    cord_world_destroy(l->world);
}

// ---------------------------------------------------------------------------------------------------- samples

static bool touches(const CordWorld* world, int i, int j)
{
    const CordContact* c = cord_world_contacts(world);
    for (int k = 0; k < cord_world_contact_count(world); k++) {
        int a = c[k].edge < c[k].other_edge ? c[k].edge : c[k].other_edge, b = c[k].edge + c[k].other_edge - a;
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

static Sample take(Loop* l)
{
    CordVec3 force, torque;
    CordRodId rod = l->closure.rod;
    Sample s = {.time = cord_world_time(l->world),
                .twist = cord_rod_twist(l->world, rod),
                .writhe = closure_writhe(&l->closure),
                .contacts = cord_world_contact_count(l->world)};
    const CordVec3* x = closure_nodes(&l->closure);
    int apex = loop_apex(x, l->closure.nodes);
    cord_clamp_reaction(l->world, cord_world_clamp(l->world, 1), &force, &torque);
    s.turns = turned(l, s.time);
    s.pull = -force.x * l->length * l->length / l->B;
    s.couple = -torque.x * l->length / l->B;
    s.radius = 1.0 / (loop_curvature(x, apex) * l->length);
    s.place = (apex - 0.5) / (l->closure.nodes - 2); // the first and the last edge are half as long as others
    s.depth = sqrt(x[apex].y * x[apex].y + x[apex].z * x[apex].z) / l->length;
    s.crossings = count_crossings(l, x, apex);
    fprintf(l->csv, "%.6g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%.9g,%.9g,%d,%d\n", l->ratio, s.time, s.turns,
            s.pull, s.couple, s.radius, s.place, s.depth, s.twist, s.writhe, s.contacts, s.crossings);
    return s;
}

// ---------------------------------------------------------------------------------------------------- a run

static void compare(const Loop* l, const Sample* s, Found* f)
{
    double share = s->turns / l->fold_turns;
    if (share >= compare_from && share <= compare_to) {
        KirchhoffRod theory = shape_at(l->family, l->ratio, s->turns);
        f->radius_error = fmax(f->radius_error, fabs(s->radius * theory.curvature - 1.0));
        f->depth_error = fmax(f->depth_error, fabs(s->depth / theory.depth - 1.0));
        f->place_error = fmax(f->place_error, fabs(s->place - 0.5));
        f->radius_jump = s->radius;
    }
}

static void note(const Loop* l, const Sample* s, Found* f)
{
    compare(l, s, f);
    if (isnan(f->jump) && s->time > slow && s->radius * l->fold.curvature < 1.0) {
        f->jump = s->turns;
    }
    f->touch = isnan(f->touch) && s->contacts > 0 ? s->turns : f->touch;
    f->place_late = isnan(f->touch) ? 0.0 : fmax(f->place_late, fabs(s->place - 0.5));
    for (int i = 0; i < SELF_CONTACTS; i++) {
        f->first[i] = isnan(f->first[i]) && s->crossings > i ? s->turns : f->first[i];
    }
    f->link_error = fmax(f->link_error, fabs(s->twist + s->writhe - l->start - s->turns));
    f->penetration = fmax(f->penetration, cord_world_contact_report(l->world).deepest);
    if (s->time > end - settled) {
        f->pull += s->pull, f->couple += s->couple, f->loop += s->radius;
        f->samples++;
    }
    f->last = *s;
}

static bool follow(Loop* l, bool watched, Found* f)
{
    *f = (Found){.ratio = l->ratio, .jump = NAN, .touch = NAN};
    for (int i = 0; i < SELF_CONTACTS; i++) {
        f->first[i] = NAN;
    }
    for (int i = 0; i < (int)nearbyint(end / every); i++) {
        if (cord_world_step_many(l->world, step, (int)nearbyint(every / step)) != CORD_OK) {
            fprintf(stderr, "%s\n", cord_world_message(l->world));
            return false;
        }
        Sample s = take(l);
        note(l, &s, f);
        if (watched && !l->watched && s.contacts > 0) {
            watch(l, true);
        }
    }
    f->pull /= f->samples, f->couple /= f->samples;
    f->loop *= sqrt(f->pull) / f->samples;
    return true;
}

// ---------------------------------------------------------------------------------------------------- what is told

static bool tell_before(const Loop* l, const Found* f)
{
    bool jump = fabs(f->jump / l->fold_turns - 1.0) <= jump_tolerance;
    bool shape = f->radius_error <= shape_tolerance && f->depth_error <= shape_tolerance;
    bool place = f->place_error <= place_tolerance;
    printf("  jumps at %.3f turns, theory %.3f, %+.1f %% (%g %% allowed): %s\n", f->jump, l->fold_turns,
           100.0 * (f->jump / l->fold_turns - 1.0), 100.0 * jump_tolerance, jump ? "pass" : "FAIL");
    printf("  before, from %g to %g of that: radius within %.1f %% of theory and depth within %.1f %% (%g %% allowed); radius %.4f L at the last: %s\n",
           compare_from, compare_to, 100.0 * f->radius_error, 100.0 * f->depth_error, 100.0 * shape_tolerance,
           f->radius_jump, shape ? "pass" : "FAIL");
    printf("  place: within %.1f %% of the length from the middle, where symmetry has it (%g %% allowed): %s; once it touches itself, where it may slide along the cord, within %.0f %%\n",
           100.0 * f->place_error, 100.0 * place_tolerance, place ? "pass" : "FAIL", 100.0 * f->place_late);
    return jump && shape && place;
}

static bool tell_after(const Loop* l, const Found* f, bool watched)
{
    double r = l->radius, theory = plectoneme_pull(f->couple * r) / (r * r);
    bool law = fabs(f->pull / theory - 1.0) <= law_tolerance, many = isfinite(f->first[SELF_CONTACTS - 1]);
    bool whole = f->link_error < link_tolerance && f->penetration < most_depth &&
                 cord_rod_knot(l->world, l->closure.rod) == 1;
    printf("  touches itself at %.2f turns; self-contacts 1 to %d at", f->touch, SELF_CONTACTS);
    for (int i = 0; i < SELF_CONTACTS; i++) {
        printf(" %.2f", f->first[i]);
    }
    printf(" turns: %s\n", many ? "pass" : "FAIL");
    printf("  in the end, at %.2f turns: writhe %.2f turns, %d self-contacts (%d pairs of elements push), loop %.4f L in radius, %.4f L deep\n",
           f->last.turns, f->last.writhe, f->last.crossings, f->last.contacts, f->last.radius, f->last.depth);
    printf("  pull %.0f B/L^2, by theory of a plectoneme with its couple of %.2f B/L %.0f, %+.1f %% (%g %% allowed): %s\n",
           f->pull, f->couple, theory, 100.0 * (f->pull / theory - 1.0), 100.0 * law_tolerance,
           law ? "pass" : "FAIL");
    printf("  ends turned, less change of Tw + Wr: %.1e turns at the most (%g allowed; had it passed through itself: 2)%s; penetration %.1e of the radius (%g allowed); no knot: %s\n",
           f->link_error, link_tolerance, watched ? "; topology watched from the first contact on" : "",
           f->penetration, most_depth, whole ? "pass" : "FAIL");
    return law && many && whole;
}

static bool measure(int i, const Family* family, FILE* csv, Found* f)
{
    Loop l;
    *f = (Found){.ratio = ratios[i]};
    bool watched = i == SCENES, good = open_loop(&l, ratios[i], family, csv);
    printf("twisting over bending stiffness %.3f:\n", good ? l.ratio : ratios[i]);
    if (good && follow(&l, watched, f)) {
        bool before = tell_before(&l, f), after = tell_after(&l, f, watched);
        good = before && after;
    } else {
        printf("  FAIL: the run did not end\n");
        good = false;
    }
    fflush(stdout);
    close_loop(&l);
    return good;
}

// A loop at the end of a plectoneme knows of twist by the couple alone, and that by the pull: so its radius goes with 1/sqrt(T), by the same number for every ratio.
static bool tell_loops(const Found f[RATIOS])
{
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < RATIOS; i++) {
        least = fmin(least, f[i].loop);
        most = fmax(most, f[i].loop);
    }
    bool same = most / least - 1.0 <= loop_tolerance;
    printf("loop radius in the end over sqrt(B/T): %.3f %.3f %.3f, the same within %.1f %% (%g %% allowed): %s\n",
           f[0].loop, f[1].loop, f[2].loop, 100.0 * (most / least - 1.0), 100.0 * loop_tolerance,
           same ? "pass" : "FAIL");
    return same;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static bool write_theory(const char* directory, const Family* family, const double found[RATIOS])
{
    FILE* csv = reproduce_file(directory, "corde-fig1-theory.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "ratio,turns,pull,couple,radius,depth\n");
    for (int i = 0; i < RATIOS; i++) {
        for (int k = 0; k < family->count; k++) {
            const KirchhoffRod* r = &family->rods[k];
            fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", found[i], kirchhoff_turns(r, found[i]), r->pull,
                    r->couple, 1.0 / r->curvature, r->depth);
        }
        fprintf(csv, "\n\n");
    }
    fclose(csv);
    return true;
}

static void plot(const char* directory)
{
    static const char* const colors[RATIOS] = {"#2171b5", "#d94801", "#41ab5d"};
    static const char* const titles[RATIOS] = {"GJ/EI = 0.5", "GJ/EI = 0.671", "GJ/EI = 1"};
    ReproducePlot p = {.directory = directory, .name = "corde-fig1"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set datafile separator ','\nset multiplot layout 1,2\nset xlabel 'turns of the left end'\nset xrange [0:7.5]\n"
                    "set key top right\nset ylabel 'radius of the loop, over L'\nset yrange [0:0.14]\nplot ");
    for (int i = 0; i < RATIOS; i++) {
        fprintf(script,
                "'corde-fig1.csv' index %d using ($3 > 0.05 ? $3 : 1/0):6 with lines lw 2 lc rgb '%s' title '%s', ",
                i, colors[i], titles[i]);
    }
    fprintf(script,
            "for [i=0:%d] 'corde-fig1-theory.csv' index i using 2:5 with lines lw 1.5 dt 2 lc rgb 'black' title (i == 0 ? 'theory, no elements' : '')\n"
            "set key top left\nset ylabel 'self-contacts; dashed: writhe [turns]'\nset yrange [0:7]\nplot ",
            RATIOS - 1);
    for (int i = 0; i < RATIOS; i++) {
        fprintf(script,
                "'corde-fig1.csv' index %d using 3:12 with steps lw 2 lc rgb '%s' title '%s', "
                "'' index %d using 3:10 with lines lw 1.5 dt 2 lc rgb '%s' notitle%s",
                i, colors[i], titles[i], i, colors[i], i < RATIOS - 1 ? ", " : "\n");
    }
    fprintf(script, "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool corde_fig1_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "corde-fig1.csv");
    Family family;
    Found found[RATIOS] = {{0}};
    double stiffness[RATIOS] = {0};
    if (!csv) {
        return false;
    }
    bool pass = find_family(&family);
    printf("a cord of length L between clamps %g L apart, of which one is turned; radii and depths over L, pulls over B/L^2, couples over B/L\n",
           1.0 - shortening);
    fprintf(csv, "ratio,time,turns,pull,couple,radius,place,depth,twist,writhe,pairs,self_contacts\n");
    for (int i = 0; i < RATIOS && family.count > 0; i++) {
        pass &= measure(i, &family, csv, &found[i]);
        stiffness[i] = found[i].ratio;
        fprintf(csv, "\n\n");
    }
    fclose(csv);
    pass &= tell_loops(found);
    pass &= write_theory(directory, &family, stiffness);
    printf("corde-fig1: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
