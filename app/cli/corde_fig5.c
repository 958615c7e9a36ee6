// CORDE, figure 5: coils that do not depend on elements. Three cords of 1000, 100 and 50 elements begin in one shape, slightly out of plane, and have an end turned. Up to the moment at which
// one of them touches itself they are compared point by point along their length; from then on by writhe and by how often they cross themselves. When a loop gives way and winds up, which takes a
// fraction of a second, they do so a few hundredths of a turn apart, and are not compared.
#include "closure.h"
#include "loop_shape.h"
#include "reproduce.h"

#include <cordage/contact.h>

#include <math.h>
#include <time.h>

static const double until = 15.5, turning = 15.0; // as in the scene [s]
static const double turns = 3.8;                  // likewise
static const double every = 0.25;                 // between samples [s]
static const double share_of_limit = 0.9;         // of the longest stable step
static const double shape_tolerance = 0.02;       // of the length
static const double writhe_tolerance = 0.05;      // relative
static const double link_tolerance = 1e-6;        // [turns]
static const double leaves = 1.25,
                    arrives = 2.3; // writhe of a loop that is about to give way, and of what it becomes [turns]
static const double calm = 1.0;    // time after that until it has come to rest [s]
enum { RODS = 3, STATIONS = 200, QUICK = 200 };
static const char* const colors[RODS] = {"black", "#d94801", "#2171b5"};

typedef struct Coils {
    CordWorld* world;
    Closure rods[RODS];
    int elements[RODS];
    double start[RODS]; // Tw + Wr
    double step;
    FILE* csv;
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

// ---------------------------------------------------------------------------------------------------- the cords

static bool open_coils(Coils* c, int finest, FILE* csv)
{
    char elements[40];
    snprintf(elements, sizeof elements, "rods[0].elements=%d", finest);
    const char* settings[] = {elements, "probes=[]"};
    *c = (Coils){.world = reproduce_scene("corde/fig5", settings, 2), .csv = csv};
    bool good = c->world;
    for (int i = 0; good && i < RODS; i++) {
        CordRodId rod = cord_world_rod(c->world, i);
        good = closure_open_rod(&c->rods[i], c->world, rod, (CordVec3){0, 0, 1});
        c->elements[i] = cord_rod_edge_count(c->world, rod);
        c->start[i] = good ? cord_rod_twist(c->world, rod) + closure_writhe(&c->rods[i]) : 0.0;
    }
    c->step = good ? share_of_limit * cord_world_step_advice(c->world).step : 0.0;
    return good;
}

static void close_coils(Coils* c)
{
    for (int i = 0; i < RODS; i++) {
        closure_close(&c->rods[i]);
    }
    cord_world_destroy(c->world);
}

// A share of the length from the start; the first and the last edge are half as long as others.
static CordVec3 point_at(const Closure* c, double share)
{
    const CordVec3* x = closure_nodes(c);
    double arc = share * (c->nodes - 2);
    int edge = (int)fmin(arc + 0.5, c->nodes - 2.0);
    double from = edge == 0 ? 0.0 : edge - 0.5, length = edge == 0 || edge == c->nodes - 2 ? 0.5 : 1.0;
    double s = (arc - from) / length;
    CordVec3 a = x[edge], b = x[edge + 1], o = x[0];
    return (CordVec3){a.x + s * (b.x - a.x) - o.x, a.y + s * (b.y - a.y) - o.y, a.z + s * (b.z - a.z) - o.z};
}

static double distance(const Coils* c, int i)
{
    double most = 0.0;
    for (int k = 0; k <= STATIONS; k++) {
        double share = (double)k / STATIONS;
        CordVec3 a = point_at(&c->rods[0], share), b = point_at(&c->rods[i], share);
        double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        most = fmax(most, sqrt(x * x + y * y + z * z));
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
    fprintf(c->csv, "%.6g,%.6g,%.9g,%.9g,%.9g,%.6g,%.6g,%d,%d,%d\n", s.time, s.turns, s.writhe[0],
            s.writhe[1], s.writhe[2], s.apart[1], s.apart[2], s.touches[0], s.touches[1], s.touches[2]);
    return s;
}

// ---------------------------------------------------------------------------------------------------- the run

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

static bool follow(Coils* c, Found* f)
{
    *f = (Found){.touch = {NAN, NAN, NAN}, .jump = {NAN, NAN, NAN}, .left = NAN, .calm = NAN};
    int steps = (int)ceil(every / c->step);
    for (int i = 0; i < (int)nearbyint(until / every); i++) {
        if (cord_world_step_many(c->world, every / steps, steps) != CORD_OK) {
            fprintf(stderr, "%s\n", cord_world_message(c->world));
            return false;
        }
        Sample s = take(c);
        note(&s, f);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- what it costs

enum { TIMED = 15, WORK = 200000 /* elements times steps */ };

// Seconds of processor time for an element and a step, without contact: the least of a few goes. And the longest stable step.
static double cost(int elements, double* longest)
{
    char setting[40];
    snprintf(setting, sizeof setting, "rods[*].elements=%d", elements);
    const char* settings[] = {setting, "probes=[]", "contact=false"};
    CordWorld* world = reproduce_scene("corde/fig5", settings, 3);
    int steps = WORK / (RODS * elements);
    double least = INFINITY;
    *longest = world ? cord_world_step_advice(world).step : NAN;
    for (int i = 0; world && i < TIMED; i++) {
        clock_t from = clock();
        if (cord_world_step_many(world, share_of_limit * *longest, steps) != CORD_OK) {
            break;
        }
        least = fmin(least, (double)(clock() - from) / CLOCKS_PER_SEC / ((double)steps * RODS * elements));
    }
    cord_world_destroy(world);
    return least;
}

static void tell_cost(const Coils* c)
{
    printf("elements, longest stable step, and processor time for an element and a step without contact, here and now:\n");
    for (int i = 0; i < RODS; i++) {
        double longest, seconds = cost(c->elements[i], &longest);
        printf("  %4d  %7.1f us  %4.0f ns\n", c->elements[i], 1e6 * longest, 1e9 * seconds);
    }
}

// ---------------------------------------------------------------------------------------------------- the experiment

static bool tell(const Coils* c, const Found* f)
{
    int crossings[RODS];
    for (int i = 0; i < RODS; i++) {
        crossings[i] = loop_crossings(closure_nodes(&c->rods[i]), c->rods[i].nodes);
    }
    bool shape = f->apart[1] <= shape_tolerance && f->apart[2] <= shape_tolerance;
    bool writhe = f->compared > 0 && f->spread <= writhe_tolerance && isfinite(f->calm);
    bool loops = crossings[0] > 1 && crossings[0] == crossings[1] && crossings[1] == crossings[2];
    bool link = f->link_error <= link_tolerance;
    printf("touch themselves at %.2f, %.2f and %.2f turns\n", f->touch[0], f->touch[1], f->touch[2]);
    printf("until then %d and %d elements are at most %.2f %% and %.2f %% of the length from where %d are (%g %% allowed): %s\n",
           c->elements[1], c->elements[2], 100.0 * f->apart[1], 100.0 * f->apart[2], c->elements[0],
           100.0 * shape_tolerance, shape ? "pass" : "FAIL");
    printf("loops give way and wind up at %.3f, %.3f and %.3f turns; %.2f to %.2f s is left out\n",
           f->jump[0], f->jump[1], f->jump[2], f->left, f->calm);
    printf("after the first touch writhes are within %.1f %% of each other (%g %% allowed), in %d samples: %s\n",
           100.0 * f->spread, 100.0 * writhe_tolerance, f->compared, writhe ? "pass" : "FAIL");
    printf("in the end: writhe %.3f, %.3f and %.3f turns; crossings %d, %d and %d, should be the same: %s\n",
           f->last.writhe[0], f->last.writhe[1], f->last.writhe[2], crossings[0], crossings[1], crossings[2],
           loops ? "pass" : "FAIL");
    printf("ends turned, less change of Tw + Wr: %.1e turns at the most (%g allowed): %s\n", f->link_error,
           link_tolerance, link ? "pass" : "FAIL");
    return shape && writhe && loops && link;
}

static void plot(const char* directory, const char* name, const Coils* c, const Found* f)
{
    ReproducePlot p = {.directory = directory, .name = name};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set datafile separator ','\nset multiplot layout 1,2\nset key top left\nset xlabel 'turns of the left end'\nset xrange [0:4]\n"
                    "set ylabel 'writhe [turns]'\nset yrange [0:3.2]\nplot ");
    for (int i = 0; i < RODS; i++) {
        fprintf(script, "'%s.csv' using 2:%d with lines lw %g dt %d lc rgb '%s' title '%d elements'%s", name,
                3 + i, i == 0 ? 4.0 : 2.0, i + 1, colors[i], c->elements[i], i < RODS - 1 ? ", " : "\n");
    }
    double touch = fmin(fmin(f->touch[0], f->touch[1]), f->touch[2]);
    fprintf(script,
            "set ylabel 'farthest from %d elements [%% of the length]'\nset logscale y\nset yrange [0.01:10]\n"
            "set arrow from %.4f, graph 0 to %.4f, graph 1 nohead dt 3 lc rgb '#888888'\nset label 'first touch' at %.4f, 0.015 right\n"
            "plot '%s.csv' using 2:(100*$6) with lines lw 2 lc rgb '%s' title '%d elements', '' using 2:(100*$7) with lines lw 2 lc rgb '%s' title '%d elements', "
            "%g with lines dt 2 lc rgb 'black' title 'allowed until then'\nunset multiplot\n",
            c->elements[0], touch, touch, touch - 0.05, name, colors[1], c->elements[1], colors[2],
            c->elements[2], 100.0 * shape_tolerance);
    reproduce_plot_close(&p, script);
}

static bool run(const char* directory, const char* name, int finest)
{
    char file[40];
    snprintf(file, sizeof file, "%s.csv", name);
    FILE* csv = reproduce_file(directory, file);
    Coils c;
    Found f;
    if (!csv) {
        return false;
    }
    fprintf(csv, "time,turns,writhe_1,writhe_2,writhe_3,apart_2,apart_3,touches_1,touches_2,touches_3\n");
    bool pass = open_coils(&c, finest, csv);
    if (pass) {
        printf("three cords of %d, %d and %d elements, turned by %g turns in %g s, in steps of %.1f us\n",
               c.elements[0], c.elements[1], c.elements[2], turns, turning, 1e6 * every / ceil(every / c.step));
        fflush(stdout);
        pass = follow(&c, &f) && tell(&c, &f);
        tell_cost(&c);
    }
    fclose(csv);
    printf("%s: %s\n", name, pass ? "pass" : "FAIL");
    fflush(stdout);
    if (pass) {
        plot(directory, name, &c, &f);
    }
    close_coils(&c);
    return pass;
}

bool corde_fig5_run(const char* directory)
{
    return run(directory, "corde-fig5", 1000);
}

bool corde_fig5_quick_run(const char* directory)
{
    return run(directory, "corde-fig5-quick", QUICK);
}
