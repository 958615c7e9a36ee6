// CORDE, figure 5: coils that do not depend on elements. Three cords of 1000, 100 and 50 elements begin in
// one shape, slightly out of plane, and have an end turned. Up to the moment at which one of them touches
// itself they are compared point by point along their length; from then on by writhe and by how often they
// cross themselves. When a loop gives way and winds up, which takes a fraction of a second, they do so a few
// hundredths of a turn apart, and are not compared.
#include "closure.h"
#include "loop_shape.h"

#include <cordage/contact.h>

#include <math.h>

static const double until = 15.5, turning = 15.0; // as in the scene [s]
static const double turns = 3.8;                  // likewise
static const double every = 0.25;                 // between samples [s]
static const double share_of_limit = 0.9;         // of the longest stable step
static const double shape_tolerance = 0.02;       // of the length
static const double writhe_tolerance = 0.05;      // relative
static const double link_tolerance = 1e-6;        // [turns]
static const double leaves = 1.25,
                    // writhe of a loop that is about to give way, and of what it becomes [turns]
    arrives = 2.3;
static const double calm = 1.0; // time after that until it has come to rest [s]
enum { RODS = 3, STATIONS = 200, WHOLE = 1000, QUICK = 200 };

typedef struct Coils {
    CordWorld* world;
    Closure rods[RODS];
    int elements[RODS];
    double start[RODS]; // Tw + Wr
    double step;
} Coils;

typedef struct Sample {
    double time, turns;
    double writhe[RODS], link_error;
    double apart[RODS]; // farthest from the first one, over the length
    bool touches[RODS];
} Sample;

typedef struct Found {
    double touch[RODS]; // turns at which each touches itself
    double jump[RODS];  // and gives way
    double apart[RODS]; // before
    double spread;      // of writhe, after
    double left, calm;  // when the first of them begins to give way, and when the last one rests again [s]
    double link_error;
    int compared; // samples, after
    Sample last;
} Found;

// ---- the cords

static Coils open_coils(Lab* lab, int finest)
{
    Coils c = {.world = lab_world(lab, "corde/fig5", "rods[0].elements=%d; probes=[]", finest)};
    for (int i = 0; i < RODS; i++) {
        c.rods[i] = closure_open(lab, c.world, i);
        c.elements[i] = cord_rod_edge_count(c.world, c.rods[i].rod);
        c.start[i] = closure_link(&c.rods[i]);
    }
    c.step = share_of_limit * cord_world_step_advice(c.world).step;
    return c;
}

// A share of the length from the start; the first and the last edge are half as long as others.
static CordVec3 point_at(const Closure* c, double share)
{
    const CordVec3* x = closure_nodes(c);
    double arc = share * (c->nodes - 2);
    int edge = (int)fmin(arc + 0.5, c->nodes - 2.0);
    double from = edge == 0 ? 0.0 : edge - 0.5, length = edge == 0 || edge == c->nodes - 2 ? 0.5 : 1.0;
    double s = (arc - from) / length;
    CordVec3 along = cord_vec3_sub(x[edge + 1], x[edge]);
    return cord_vec3_sub(cord_vec3_madd(x[edge], along, s), x[0]);
}

static double distance(const Coils* c, int i)
{
    double most = 0.0;
    for (int k = 0; k <= STATIONS; k++) {
        double share = (double)k / STATIONS;
        most = fmax(most, cord_vec3_distance(point_at(&c->rods[0], share), point_at(&c->rods[i], share)));
    }
    return most / cord_rod_length(c->world, c->rods[0].rod);
}

static Sample take(Coils* c)
{
    Sample s = {.time = cord_world_time(c->world)};
    s.turns = turns * fmin(s.time / turning, 1.0);
    for (int i = 0; i < RODS; i++) {
        s.writhe[i] = closure_writhe(&c->rods[i]);
        double twist = cord_rod_twist(c->world, c->rods[i].rod);
        s.link_error = fmax(s.link_error, fabs(twist + s.writhe[i] - c->start[i] - s.turns));
        s.apart[i] = distance(c, i);
    }
    const CordContact* contacts = cord_world_contacts(c->world);
    for (int k = 0; k < cord_world_contact_count(c->world); k++) {
        s.touches[contacts[k].rod] = true;
    }
    return s;
}

// ---- the run

static double spread(const double a[RODS])
{
    return fmax(fmax(a[0], a[1]), a[2]) / fmin(fmin(a[0], a[1]), a[2]) - 1.0;
}

// The turns at which a rod passes the middle of its jump, between the samples.
static double passed(const Sample* before, const Sample* now, int i)
{
    double middle = 0.5 * (leaves + arrives);
    double share = (middle - before->writhe[i]) / (now->writhe[i] - before->writhe[i]);
    return before->turns + share * (now->turns - before->turns);
}

static void note(const Sample* s, Found* f)
{
    bool any = false, all = true, left = false, arrived = true;
    for (int i = 0; i < RODS; i++) {
        f->touch[i] = isnan(f->touch[i]) && s->touches[i] ? s->turns : f->touch[i];
        any |= isfinite(f->touch[i]);
        all &= isfinite(f->touch[i]);
        left |= s->writhe[i] > leaves;
        arrived &= s->writhe[i] > arrives;
        if (isnan(f->jump[i]) && s->writhe[i] > 0.5 * (leaves + arrives)) {
            f->jump[i] = passed(&f->last, s, i);
        }
    }
    for (int i = 0; i < RODS && !any; i++) {
        f->apart[i] = fmax(f->apart[i], s->apart[i]);
    }
    f->left = isnan(f->left) && left ? s->time : f->left;
    f->calm = isnan(f->calm) && arrived ? s->time + calm : f->calm;
    if (all && (isnan(f->left) || s->time >= f->calm)) {
        f->spread = fmax(f->spread, spread(s->writhe));
        f->compared++;
    }
    f->link_error = fmax(f->link_error, s->link_error);
    f->last = *s;
}

static Found follow(Lab* lab, Coils* c)
{
    Found f = {.touch = {NAN, NAN, NAN}, .jump = {NAN, NAN, NAN}, .left = NAN, .calm = NAN};
    int steps = (int)ceil(every / c->step), count = (int)nearbyint(until / every);
    Sample* samples = lab_room(lab, (size_t)count, sizeof *samples);
    for (int i = 0; i < count; i++) {
        lab_steps(lab, c->world, every / steps, steps);
        samples[i] = take(c);
        note(&samples[i], &f);
    }
    for (int k = 0; k < RODS * count; k++) {
        int rod = k / count;
        const Sample* s = &samples[k % count];
        lab_row(lab, "", lab_text(lab, "%d elements", c->elements[rod]), rod, s->time, s->turns,
                s->writhe[rod], 100.0 * s->apart[rod]);
    }
    return f;
}

// ---- what it costs

enum { TIMED = 15, WORK = 200000 /* elements times steps */ };

// Processor time for an element and a step without contact, and the longest stable step.
static void time_steps(Lab* lab, int elements)
{
    CordWorld* world = lab_world_timed(lab, LAB_UNTIMED, "corde/fig5",
                                       "rods[*].elements=%d; probes=[]; contact=false", elements);
    int steps = WORK / (RODS * elements);
    double longest = cord_world_step_advice(world).step;
    double seconds =
        lab_time(lab, world, share_of_limit * longest, steps, TIMED, 1) / ((double)steps * RODS * elements);
    lab_row(lab, "costs", NULL, elements, 1e6 * longest, 1e9 * seconds);
}

// ---- the experiment

static void judge(Lab* lab, const Coils* c, const Found* f)
{
    lab_say(lab,
            "touch themselves at %.2f, %.2f and %.2f turns; loops give way and wind up at %.3f, %.3f "
            "and %.3f turns, and %.2f to %.2f s is left out",
            f->touch[0], f->touch[1], f->touch[2], f->jump[0], f->jump[1], f->jump[2], f->left, f->calm);
    for (int i = 1; i < RODS; i++) {
        lab_below(lab,
                  lab_text(lab, "until they touch, %d elements are apart from %d, over the length, by",
                           c->elements[i], c->elements[0]),
                  f->apart[i], shape_tolerance, NULL);
    }
    lab_true(lab, lab_text(lab, "they come to rest again, and %d samples are compared", f->compared),
             f->compared > 0 && isfinite(f->calm), NULL);
    lab_below(lab, "after the first touch writhes differ, relatively, by", f->spread, writhe_tolerance, NULL);
    int crossings[RODS];
    for (int i = 0; i < RODS; i++) {
        crossings[i] = loop_crossings(closure_nodes(&c->rods[i]), c->rods[i].nodes);
    }
    lab_above(lab, lab_text(lab, "crossings of %d elements in the end", c->elements[0]), crossings[0], 1,
              NULL);
    for (int i = 1; i < RODS; i++) {
        lab_equal(lab, lab_text(lab, "crossings of %d elements", c->elements[i]), crossings[i], crossings[0],
                  NULL);
    }
    lab_below(lab, "ends turned, less change of Tw + Wr, at the most [turns]", f->link_error, link_tolerance,
              "Calugareanu and White");
}

static void run(Lab* lab)
{
    Coils c = open_coils(lab, (int)lab_pick(lab, QUICK, WHOLE));
    lab_say(lab, "three cords of %d, %d and %d elements, turned by %g turns in %g s, in steps of %.1f us",
            c.elements[0], c.elements[1], c.elements[2], turns, turning, 1e6 * every / ceil(every / c.step));
    Found f = follow(lab, &c);
    judge(lab, &c, &f);
    double touch = fmin(fmin(f.touch[0], f.touch[1]), f.touch[2]);
    lab_row(lab, "touch", NULL, touch, 0.01);
    lab_row(lab, "touch", NULL, touch, 10);
    for (int i = 0; i < RODS; i++) {
        time_steps(lab, c.elements[i]);
    }
}

const Experiment experiment_corde_fig5 = {
    .id = "corde-fig5",
    .about = "CORDE figure 5: cords of 1000, 100 and 50 elements coil up to the same shape",
    .source = "CORDE figure 5: the same shape",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "elements,cord,time [s],turns,writhe,apart [%]"},
                         {"touch", .columns = "turns,apart"},
                         {"costs", .columns = "elements,step [us],element [ns]", .shown = true}),
    .panels = LAB_PANELS(
        {.x = "turns of the left end",
         .y = "writhe [turns]",
         .set = "set key top left\nset xrange [0:4]\nset yrange [0:3.2]",
         .curves = LAB_CURVES(LAB_CURVE("", LAB_EACH, "turns", "writhe", NULL, NULL))},
        {.x = "turns of the left end",
         .y = "farthest from the finest [% of the length]",
         .set = "set key top left\nset xrange [0:4]\nset logscale y\nset yrange [0.01:10]",
         .curves = LAB_CURVES(
             LAB_CURVE_WHERE("", LAB_EACH, "{cord} > 0", "turns", "apart", NULL, NULL),
             {.y = "2", .with = "lines dt 2 lc rgb 'black'", .title = "allowed until they touch"},
             LAB_CURVE("touch", NULL, "turns", "apart", "lines dt 3 lc rgb '#888888'", "first touch"))}),
    .layout = "1,2",
};
