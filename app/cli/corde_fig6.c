// CORDE, figure 6: stiff wires stacked criss-cross, and objects that are bent and twisted by nature: springs.
#include "reproduce.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <math.h>

static const double pi = 3.14159265358979323846, gravity = 9.81;
static const double overlap_most = 1e-3; // of a radius: the scenes' contact tolerance
static const double calm_most = 1e-3;    // kinetic energy at the end, of the greatest
static const double layer_most =
    0.2; // of a radius: wires that are loaded 3 mm beside their supports bend by 0.03 of it, in each of eight layers
static const double weight_most = 0.01;  // of what the ground bears in the mean, of the weight
static const double bounce_least = 0.03; // change of shape while bouncing, of the distances between nodes
static const double kept_most = 0.02; // the same at rest: a spring that stands is shorter by its own weight
static const double polygon_most = 0.01;  // of the stiffness, of that of a polygon of elements
static const double formula_most = 0.05;  // of the stiffness at 50 elements, of the formula's
static const double refined_most = 0.005; // the same, extrapolated from 100 and 200 elements

enum { LAYERS = 8, RODS = 2 * LAYERS, SPRINGS = 3, NODES = 51 };

// ---------------------------------------------------------------------------------------------------- any scene

typedef struct Watch { // over a run
    double greatest;   // kinetic energy [J]
    double now;        // likewise
    double deepest;    // overlap after any frame, over the radius
} Watch;

static double radius_of(CordWorld* world)
{
    CordFrame frame;
    return cord_world_frame(world, &frame) == CORD_OK ? frame.radius[0] : (double)NAN;
}

static void observe(Watch* w, const CordWorld* world, double radius)
{
    CordContact deepest;
    w->now = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        w->now += cord_rod_energy(world, cord_world_rod(world, i)).kinetic;
    }
    w->greatest = fmax(w->greatest, w->now);
    if (cord_world_deepest(world, &deepest)) {
        w->deepest = fmax(w->deepest, -deepest.gap / radius);
    }
}

// Steps through a frame; what the ground bears in its mean goes to borne, if that is not NULL.
static bool advance(CordWorld* world, double frame, double* borne)
{
    int steps = (int)ceil(frame / (0.8 * cord_world_step_advice(world).step));
    double sum = 0.0;
    bool good = true;
    for (int i = 0; i < steps && good; i++) {
        CordVec3 force = {0, 0, 0}, torque;
        good = cord_world_step(world, frame / steps) == CORD_OK;
        cord_obstacle_force(world, cord_world_obstacle(world, 0), &force, &torque);
        sum -= force.z / steps;
    }
    if (borne) {
        *borne = sum;
    }
    if (!good) {
        fprintf(stderr, "%s\n", cord_world_message(world));
    }
    return good;
}

static bool judge(const Watch* w)
{
    bool calm = w->now <= calm_most * w->greatest, apart = w->deepest <= overlap_most;
    printf("  kinetic energy at the end: %.2g of the greatest, %g allowed: %s\n", w->now / w->greatest,
           calm_most, calm ? "pass" : "FAIL");
    printf("  deepest overlap after any frame: %.2g of a radius, %g allowed: %s\n", w->deepest, overlap_most,
           apart ? "pass" : "FAIL");
    return calm && apart;
}

// ---------------------------------------------------------------------------------------------------- the stack

typedef struct Pile { // in its last frames: at rest, contacts are loaded now more and now less
    bool touches[RODS][RODS];
    int crossings, strangers;
    double off;   // height of any contact, from where it should be, over the radius
    double borne; // by the ground, in the mean [N]
} Pile;

// Two wires in each layer. Those of layer k, from 0, lie on the one below at the height 2 k r.
static void look(Pile* p, const CordWorld* world, double radius)
{
    const CordContact* contacts = cord_world_contacts(world);
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        const CordContact* c = &contacts[i];
        if (c->kind == CORD_TOUCH_ROD && c->push > 0.0) {
            int low = c->rod < c->other ? c->rod : c->other, high = c->rod + c->other - low;
            p->crossings += !p->touches[low][high];
            p->strangers += high / 2 != low / 2 + 1;
            p->touches[low][high] = true;
            p->off = fmax(p->off, fabs(c->point.z / radius - 2.0 * (high / 2)));
        }
    }
}

static bool tell_layers(const Pile* p)
{
    bool borne = true; // by both wires of the layer below
    for (int i = 2; i < RODS; i++) {
        int below = i / 2 * 2 - 2;
        borne &= p->touches[below][i] && p->touches[below + 1][i];
    }
    bool pass = borne && p->strangers == 0 && p->off <= layer_most;
    printf("  each wire lies on both of the layer below and on nothing else, at %d crossings, should be %d; heights are off by %.2g of a radius at the most, %g allowed: %s\n",
           p->crossings, 2 * (RODS - 2), p->off, layer_most, pass ? "pass" : "FAIL");
    return pass;
}

static bool tell_weight(const CordWorld* world, double borne)
{
    double weight = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        weight += gravity * cord_rod_mass(world, cord_world_rod(world, i));
    }
    bool pass = fabs(borne / weight - 1.0) <= weight_most;
    printf("  the ground bears %.4f N of a weight of %.4f N, %g %% allowed: %s\n", borne, weight,
           100.0 * weight_most, pass ? "pass" : "FAIL");
    return pass;
}

static bool tell_stack(FILE* csv)
{
    enum { FRAMES = 50, LAST = 10 };
    const double frame = 0.005;
    CordWorld* world = reproduce_scene("corde/fig6_stack", NULL, 0);
    Watch watch = {0};
    Pile pile = {.crossings = 0};
    if (!world) {
        return false;
    }
    double radius = radius_of(world), borne = 0.0;
    bool good = true;
    for (int i = 0; i < FRAMES && good; i++) {
        good = advance(world, frame, &borne);
        observe(&watch, world, radius);
        if (i >= FRAMES - LAST) {
            look(&pile, world, radius);
            pile.borne += borne / LAST;
        }
        fprintf(csv, "stack,%.6g,%.6g,,,\n", cord_world_time(world), watch.now);
    }
    printf("sixteen wires of 50 elements fall in eight layers, after %.2g s:\n", cord_world_time(world));
    bool calm = good && judge(&watch), layers = good && tell_layers(&pile),
         weight = good && tell_weight(world, pile.borne);
    cord_world_destroy(world);
    fflush(stdout);
    return calm && layers && weight;
}

// ---------------------------------------------------------------------------------------------------- springs that fall

typedef struct Form { // distances of nodes from each other do not see where a spring is
    double apart[NODES][NODES];
} Form;

static double distance(CordVec3 a, CordVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static void take_form(const CordWorld* world, int rod, Form* form)
{
    CordVec3 x[NODES];
    cord_rod_positions(world, cord_world_rod(world, rod), x);
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < NODES; k++) {
            form->apart[i][k] = distance(x[i], x[k]);
        }
    }
}

// In the mean of squares, relative.
static double change_of(const Form* from, const Form* to)
{
    double change = 0.0, all = 0.0;
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < NODES; k++) {
            double d = to->apart[i][k] - from->apart[i][k];
            change += d * d;
            all += from->apart[i][k] * from->apart[i][k];
        }
    }
    return sqrt(change / all);
}

static bool tell_springs(FILE* csv)
{
    enum { FRAMES = 120, LAST = 20 };
    const double frame = 0.01;
    static Form rest[SPRINGS], now;
    double most[SPRINGS] = {0}, change[SPRINGS] = {0}, kept[SPRINGS] = {0};
    CordWorld* world = reproduce_scene("corde/fig6_springs", NULL, 0);
    Watch watch = {0};
    if (!world) {
        return false;
    }
    double radius = radius_of(world);
    bool good = true, pass = true;
    for (int i = 0; i < SPRINGS; i++) {
        take_form(world, i, &rest[i]);
    }
    for (int n = 0; n < FRAMES && good; n++) {
        good = advance(world, frame, NULL);
        observe(&watch, world, radius);
        for (int i = 0; i < SPRINGS; i++) {
            take_form(world, i, &now);
            change[i] = change_of(&rest[i], &now);
            most[i] = fmax(most[i], change[i]);
            kept[i] += n >= FRAMES - LAST ? change[i] / LAST : 0.0;
        }
        fprintf(csv, "springs,%.6g,%.6g,%.6g,%.6g,%.6g\n", cord_world_time(world), watch.now, change[0],
                change[1], change[2]);
    }
    printf("three springs of 50 elements fall and bounce, after %.2g s:\n", cord_world_time(world));
    pass = good && judge(&watch);
    for (int i = 0; i < SPRINGS && good; i++) {
        bool good_spring = most[i] >= bounce_least && kept[i] <= kept_most;
        printf("  %-6s shape changed by up to %.3f, at least %g, and by %.4f in the mean of the last 0.2 s, %g allowed: %s\n",
               cord_rod_name(world, cord_world_rod(world, i)), most[i], bounce_least, kept[i], kept_most,
               good_spring ? "pass" : "FAIL");
        pass &= good_spring;
    }
    cord_world_destroy(world);
    fflush(stdout);
    return pass;
}

// ---------------------------------------------------------------------------------------------------- a spring that bears a weight

static const double spring_radius = 0.01, spring_turns = 4.0, spring_start = 0.065, weight_mass = 0.05; // as in the scene

static double formula(const CordWorld* world) // G d^4 / (64 R^3 n), and GJ = G pi d^4 / 32 [N/m]
{
    double GJ = cord_rod_stiffness(world, cord_world_rod(world, 0)).GJ;
    return GJ / (2.0 * pi * spring_turns * pow(spring_radius, 3.0));
}

// The force in the middle of the spring, by how far the weight went down.
static double stiffness_at(const CordWorld* world, double height)
{
    double force = gravity * (weight_mass + 0.5 * cord_rod_mass(world, cord_world_rod(world, 0)));
    return force / (spring_start - height);
}

static double height_of(const CordWorld* world)
{
    CordVec3 x;
    CordQuat rotation;
    cord_body_pose(world, cord_world_body(world, 0), &x, &rotation);
    return x.z;
}

// In the mean of the last of two seconds, over the formula's.
static double hang(FILE* csv)
{
    enum { FRAMES = 200, MEAN = 100 };
    const double frame = 0.01;
    CordWorld* world = reproduce_scene("corde/fig6_hanging", NULL, 0);
    double height = 0.0, ratio = NAN;
    bool good = world != NULL;
    for (int i = 0; i < FRAMES && good; i++) {
        good = advance(world, frame, NULL);
        height += i >= FRAMES - MEAN ? height_of(world) / MEAN : 0.0;
        fprintf(csv, "hanging,%.6g,%.6g,,,\n", cord_world_time(world), height_of(world));
    }
    if (good) {
        ratio = stiffness_at(world, height) / formula(world);
        printf("a weight of %g g on a spring of four turns of 50 elements: %.2f N/m, G d^4 / (64 R^3 n) is %.2f\n",
               1e3 * weight_mass, stiffness_at(world, height), formula(world));
    }
    cord_world_destroy(world);
    return ratio;
}

static double hang_still(int elements) // at equilibrium, likewise
{
    char text[64];
    const char* settings[] = {text};
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    snprintf(text, sizeof text, "rods[spring].elements=%d", elements);
    CordWorld* world = reproduce_scene("corde/fig6_hanging", settings, 1);
    bool good = world && cord_world_solve(world, &def, &report) == CORD_OK;
    double ratio = good ? stiffness_at(world, height_of(world)) / formula(world) : (double)NAN;
    cord_world_destroy(world);
    return ratio;
}

// Elements are chords, and a polygon in a circle is shorter and turns sharper: 4 tan(t/4) by corner with t the turn from one to the next, on the length 2 R sin(t/2). That makes
// a spring 1 + t^2/6 times as stiff; the penalty, t^2/24 of the whole, softens it.
static bool tell_hanging(FILE* csv)
{
    double t = 2.0 * pi * spring_turns / (NODES - 1), polygon = 1.0 + t * t / 6.0 - t * t / 24.0;
    double run = hang(csv);
    bool near = fabs(run - 1.0) <= formula_most, expected = fabs(run / polygon - 1.0) <= polygon_most;
    printf("  %.4f times the formula's, %g %% allowed: %s; a polygon has %.4f times, %g %% allowed: %s\n",
           run, 100.0 * formula_most, near ? "pass" : "FAIL", polygon, 100.0 * polygon_most,
           expected ? "pass" : "FAIL");
    double still[3] = {hang_still(50), hang_still(100), hang_still(200)};
    double order = log2((still[0] - still[1]) / (still[1] - still[2]));
    double limit = (4.0 * still[2] - still[1]) / 3.0;
    bool converges = fabs(limit - 1.0) <= refined_most && fabs(order - 2.0) <= 0.2;
    printf("  at equilibrium with 50, 100 and 200 elements: %.4f, %.4f and %.4f times, of order %.2f (2 within 0.2); extrapolated %.4f, %g %% allowed: %s\n",
           still[0], still[1], still[2], order, limit, 100.0 * refined_most, converges ? "pass" : "FAIL");
    return near && expected && converges;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "corde-fig6"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset multiplot layout 1,2\n"
            "is(what) = stringcolumn(1) eq what\n"
            "set xrange [0:1.2]\nset xlabel 'time [s]'\nset ylabel 'kinetic energy [J]'\nset logscale y\nset format y '10^{%%T}'\nset key top right\n"
            "plot 'corde-fig6.csv' using 2:(is('stack') ? $3 : 1/0) with lines lw 2 lc rgb '#2455a4' title 'sixteen wires', "
            "'' using 2:(is('springs') ? $3 : 1/0) with lines lw 2 lc rgb '#c8452f' title 'three springs'\n"
            "unset logscale y\nset format y '%%g'\nset ylabel 'change of shape [%%]'\nset yrange [0:*]\n"
            "plot 'corde-fig6.csv' using 2:(is('springs') ? 100*$4 : 1/0) with lines lw 2 lc rgb '#c8452f' title 'wide spring', "
            "'' using 2:(is('springs') ? 100*$5 : 1/0) with lines lw 2 lc rgb '#2455a4' title 'middle', "
            "'' using 2:(is('springs') ? 100*$6 : 1/0) with lines lw 2 lc rgb '#2e8b57' title 'slim'\n"
            "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool corde_fig6_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "corde-fig6.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "part,time_s,kinetic_J_or_height_m,wide,middle,slim\n");
    bool stack = tell_stack(csv), springs = tell_springs(csv), hanging = tell_hanging(csv);
    fclose(csv);
    printf("corde-fig6: %s\n", stack && springs && hanging ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return stack && springs && hanging;
}
