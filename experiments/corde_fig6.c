// CORDE, figure 6: stiff wires stacked criss-cross, and objects that are bent and twisted by nature: springs.
#include "lab.h"

#include <cordage/solve.h>

#include <math.h>

static const double gravity = 9.81;
static const double calm_most = 1e-3; // kinetic energy at the end, of the greatest
static const double layer_most =
    // of a radius: wires that are loaded 3 mm beside their supports bend by 0.03 of it, in each of eight
    // layers
    0.2;
static const double weight_most = 0.01;  // of what the ground bears in the mean, of the weight
static const double bounce_least = 0.03; // change of shape while bouncing, of the distances between nodes
static const double kept_most = 0.02; // the same at rest: a spring that stands is shorter by its own weight
static const double polygon_most = 0.01;  // of the stiffness, of that of a polygon of elements
static const double formula_most = 0.05;  // of the stiffness at 50 elements, of the formula's
static const double refined_most = 0.005; // the same, extrapolated from 100 and 200 elements

enum { LAYERS = 8, RODS = 2 * LAYERS, SPRINGS = 3, NODES = 51 };

// ---- any scene

// One row: the kinetic energy of all, and the deepest overlap over the radius.
static void observe(Lab* lab, const char* part, const CordWorld* world, double radius)
{
    double kinetic = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        kinetic += cord_rod_energy(world, cord_world_rod(world, i)).kinetic;
    }
    lab_row(lab, "", part, cord_world_time(world), kinetic, lab_overlap(world, radius));
}

// Steps through a frame; what the ground bears in its mean comes back [N].
static double advance(Lab* lab, CordWorld* world, double frame)
{
    int steps = (int)ceil(frame / (0.8 * cord_world_step_advice(world).step));
    double borne = 0.0;
    for (int i = 0; i < steps; i++) {
        lab_steps(lab, world, frame / steps, 1);
        borne -= lab_obstacle_force(world, 0).z / steps;
    }
    return borne;
}

static void judge(Lab* lab, const char* part)
{
    lab_below(lab, "kinetic energy at the end, over the greatest",
              lab_last(lab, "", part, "kinetic") / lab_most(lab, "", part, "kinetic"), calm_most,
              "it comes to rest");
    lab_apart(lab, lab_most(lab, "", part, "overlap"));
}

// ---- the stack

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

static void judge_stack(Lab* lab, const CordWorld* world, const Pile* p)
{
    bool borne = true; // by both wires of the layer below
    double weight = 0.0;
    for (int i = 2; i < RODS; i++) {
        int below = i / 2 * 2 - 2;
        borne &= p->touches[below][i] && p->touches[below + 1][i];
    }
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        weight += gravity * cord_rod_mass(world, cord_world_rod(world, i));
    }
    lab_true(lab, lab_text(lab, "each wire lies on both of the layer below, at %d crossings", p->crossings),
             borne, NULL);
    lab_equal(lab, "crossings with wires that are not of the layer below", p->strangers, 0, NULL);
    lab_below(lab, "heights are off at the most, over the radius, by", p->off, layer_most,
              "layers two radii high");
    lab_near(lab, "the ground bears [N]", p->borne, weight, weight_most, "the weight of all");
}

static void fall_in_layers(Lab* lab)
{
    enum { FRAMES = 50, LAST = 10 };
    const double frame = 0.005;
    CordWorld* world = lab_world(lab, "corde/fig6_stack", LAB_AS_SHIPPED);
    Pile pile = {.crossings = 0};
    double radius = lab_radius(world);
    for (int i = 0; i < FRAMES; i++) {
        double borne = advance(lab, world, frame);
        observe(lab, "sixteen wires", world, radius);
        if (i >= FRAMES - LAST) {
            look(&pile, world, radius);
            pile.borne += borne / LAST;
        }
    }
    lab_say(lab, "sixteen wires of 50 elements fall in eight layers, after %.2g s", cord_world_time(world));
    judge(lab, "sixteen wires");
    judge_stack(lab, world, &pile);
}

// ---- springs that fall

typedef struct Form { // distances of nodes from each other do not see where a spring is
    double apart[NODES][NODES];
} Form;

static void take_form(const CordWorld* world, int rod, Form* form)
{
    CordVec3 x[NODES];
    cord_rod_positions(world, cord_world_rod(world, rod), x);
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < NODES; k++) {
            form->apart[i][k] = cord_vec3_distance(x[i], x[k]);
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

static void fall_and_bounce(Lab* lab)
{
    enum { FRAMES = 120 };
    static const char* const names[SPRINGS] = {"wide", "middle", "slim"};
    const double frame = 0.01;
    Form *rest = lab_room(lab, SPRINGS, sizeof *rest), *now = lab_room(lab, 1, sizeof *now);
    double change[SPRINGS] = {0};
    CordWorld* world = lab_world(lab, "corde/fig6_springs", LAB_AS_SHIPPED);
    double radius = lab_radius(world);
    for (int i = 0; i < SPRINGS; i++) {
        take_form(world, i, &rest[i]);
    }
    for (int n = 0; n < FRAMES; n++) {
        advance(lab, world, frame);
        observe(lab, "three springs", world, radius);
        for (int i = 0; i < SPRINGS; i++) {
            take_form(world, i, now);
            change[i] = change_of(&rest[i], now);
        }
        lab_row(lab, "springs", NULL, cord_world_time(world), change[0], change[1], change[2]);
    }
    lab_say(lab, "three springs of 50 elements fall and bounce");
    judge(lab, "three springs");
    for (int i = 0; i < SPRINGS; i++) {
        lab_above(lab, lab_text(lab, "%s: shape changed by, at the most", names[i]),
                  lab_most(lab, "springs", NULL, names[i]), bounce_least, "it bounces");
        lab_below(lab, lab_text(lab, "%s: shape changed by, in the mean of the last 0.2 s", names[i]),
                  lab_mean(lab, "springs", NULL, names[i], 1.0 + 0.5 * frame, 1.3), kept_most,
                  "its shape at rest");
    }
}

// ---- a spring that bears a weight

// as in the scene
static const double spring_radius = 0.01, spring_turns = 4.0, spring_start = 0.065, weight_mass = 0.05;

static double formula(const CordWorld* world) // G d^4 / (64 R^3 n), and GJ = G pi d^4 / 32 [N/m]
{
    double GJ = cord_rod_stiffness(world, cord_world_rod(world, 0)).GJ;
    return GJ / (2.0 * CORD_PI * spring_turns * pow(spring_radius, 3.0));
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
static double hang(Lab* lab)
{
    enum { FRAMES = 200, MEAN = 100 };
    const double frame = 0.01;
    CordWorld* world = lab_world(lab, "corde/fig6_hanging", LAB_AS_SHIPPED);
    double height = 0.0;
    for (int i = 0; i < FRAMES; i++) {
        advance(lab, world, frame);
        height += i >= FRAMES - MEAN ? height_of(world) / MEAN : 0.0;
        lab_row(lab, "hanging", NULL, cord_world_time(world), height_of(world));
    }
    lab_say(lab,
            "a weight of %g g on a spring of four turns of 50 elements: %.2f N/m, G d^4 / (64 R^3 n) is %.2f",
            1e3 * weight_mass, stiffness_at(world, height), formula(world));
    return stiffness_at(world, height) / formula(world);
}

static double hang_still(Lab* lab, int elements) // at equilibrium, likewise
{
    CordWorld* world = lab_world(lab, "corde/fig6_hanging", "rods[spring].elements=%d", elements);
    lab_solve(lab, world);
    return stiffness_at(world, height_of(world)) / formula(world);
}

// Elements are chords, and a polygon in a circle is shorter and turns sharper: 4 tan(t/4) by corner with t
// the turn from one to the next, on the length 2 R sin(t/2). That makes a spring 1 + t^2/6 times as stiff;
// the penalty, t^2/24 of the whole, softens it.
static void bear_a_weight(Lab* lab)
{
    static const char source[] = "G d^4 / (64 R^3 n)";
    double t = 2.0 * CORD_PI * spring_turns / (NODES - 1), polygon = 1.0 + t * t / 6.0 - t * t / 24.0;
    double run = hang(lab);
    lab_near(lab, "stiffness, over the formula's", run, 1.0, formula_most, source);
    lab_near(lab, "stiffness, over the formula's", run, polygon, polygon_most, "a polygon's");
    double still[3] = {hang_still(lab, 50), hang_still(lab, 100), hang_still(lab, 200)};
    const double steps[2] = {still[0] - still[1], still[1] - still[2]};
    lab_say(lab, "at equilibrium with 50, 100 and 200 elements: %.4f, %.4f and %.4f times the formula's",
            still[0], still[1], still[2]);
    lab_order(lab, "stiffness", steps, 2, 1.8, 2.2, "second order");
    lab_near(lab, "stiffness, extrapolated", (4.0 * still[2] - still[1]) / 3.0, 1.0, refined_most, source);
}

// ---- the experiment

static void run(Lab* lab)
{
    fall_in_layers(lab);
    fall_and_bounce(lab);
    bear_a_weight(lab);
}

#define SPRING(name) LAB_CURVE("springs", NULL, "time", "100*{" name "}", NULL, name)

const Experiment experiment_corde_fig6 = {
    .id = "corde-fig6",
    .about = "CORDE figure 6: stiff wires in a stack, and springs that fall, bounce and bear a weight",
    .source = "CORDE figure 6",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "part,time [s],kinetic [J],overlap"},
                         {"springs", .columns = "time [s],wide,middle,slim"},
                         {"hanging", .columns = "time [s],height [m]"}),
    .panels =
        LAB_PANELS({.x = "time [s]",
                    .y = "kinetic energy [J]",
                    .set = "set xrange [0:1.2]\nset logscale y\nset format y '10^{%T}'\nset key top right",
                    .curves = LAB_CURVES(LAB_CURVE("", LAB_EACH, "time", "kinetic", NULL, NULL))},
                   {.x = "time [s]",
                    .y = "change of shape [%]",
                    .set = "set xrange [0:1.2]\nset yrange [0:*]",
                    .curves = LAB_CURVES(SPRING("wide"), SPRING("middle"), SPRING("slim"))}),
    .layout = "1,2",
};
