// CORDE, figure 7: a thread of 100 elements in a hand, which ties a knot into it, and one that is coiled by
// nature. The hand's motion is part of the scenes.
#include "lab.h"

#include <math.h>

static const double gravity = 9.81;
static const double frame_time = 0.04; // the paper's: a frame is 20 steps of 2 ms [s]
static const double paper_rate = 26.0; // frames per second
// thread in the knot, of the whole: twelve elements, each ten radii long
static const double tight_most = 0.12;
static const double slip_most = 0.02;  // of the same, while the hand pulls on
static const double helix_most = 0.02; // of the coil's pull and of its length, from a helix
static const double sway_most = 1e-3;  // of the coil's end at rest, in the last second, of its length

enum { ELEMENTS = 100 };

typedef struct Thread {
    CordWorld* world;
    CordRodId rod;
    double radius, length;
    double seconds; // of the processor, for all frames
    int frames, steps;
} Thread;

static Thread thread_open(Lab* lab, const char* scene)
{
    Thread t = {.world = lab_world(lab, scene, LAB_AS_SHIPPED)};
    t.rod = cord_world_rod(t.world, 0);
    t.length = cord_rod_length(t.world, t.rod);
    t.radius = lab_radius(t.world);
    t.steps = (int)ceil(frame_time / (0.8 * cord_world_step_advice(t.world).step));
    return t;
}

static void thread_advance(Lab* lab, Thread* t)
{
    double clock = lab_clock(lab);
    lab_steps(lab, t->world, frame_time / t->steps, t->steps);
    t->seconds += lab_clock(lab) - clock;
    t->frames++;
}

static void print_rate(Lab* lab, const Thread* t)
{
    lab_say(lab,
            "%.0f frames of %g ms a second of the processor, in %d steps each; the paper has %.0f, in "
            "20 steps",
            t->frames / t->seconds, 1e3 * frame_time, t->steps, paper_rate);
}

// ---- the knot

typedef struct Knot {
    int64_t first, last; // determinants
    double tied;         // since when it is a trefoil [s]
    double deepest;      // overlap after any frame, over the radius
    double pull;         // of the hand at the end [N]
    double pulled, held; // length of thread in the knot when the hand has stopped, and at the end [m]
} Knot;

// From the first place where the thread touches itself to the last.
static double knot_length(const Thread* t)
{
    int first = ELEMENTS, last = -1;
    const CordContact* contacts = cord_world_contacts(t->world);
    for (int i = 0; i < cord_world_contact_count(t->world); i++) {
        int a = contacts[i].edge, b = contacts[i].other_edge;
        first = (int)fmin(first, fmin(a, b));
        last = (int)fmax(last, fmax(a, b));
    }
    return last < 0 ? 0.0 : (last + 1 - first) * t->length / ELEMENTS;
}

static void look(Lab* lab, const Thread* t, Knot* k)
{
    enum { HAND = 2 }; // of the scene's clamps
    double time = cord_world_time(t->world);
    int64_t before = k->last;
    k->last = cord_rod_knot(t->world, t->rod);
    k->tied = k->last == 3 && before != 3 ? time : k->tied;
    k->deepest = fmax(k->deepest, lab_overlap(t->world, t->radius));
    k->pull = cord_vec3_length(lab_reaction(t->world, HAND));
    lab_row(lab, "knot", NULL, time, (double)k->last, k->pull);
}

static void tie(Lab* lab)
{
    enum { STOPS = 155, FRAMES = 175 }; // the hand stops after 6 s
    Thread t = thread_open(lab, "corde/fig7_knot");
    Knot k = {.first = cord_rod_knot(t.world, t.rod)};
    k.last = k.first;
    for (int i = 1; i <= FRAMES; i++) {
        thread_advance(lab, &t);
        look(lab, &t, &k);
        k.pulled = i == STOPS ? knot_length(&t) : k.pulled;
    }
    k.held = knot_length(&t);
    lab_say(lab,
            "a thread of 100 elements, one end fixed, the other in a hand that ties it and pulls; it is a "
            "trefoil since %.2f s",
            k.tied);
    lab_equal(lab, "determinant of the knot at first", (double)k.first, 1, "no knot");
    lab_equal(lab, "determinant of the knot at the end", (double)k.last, 3, "an overhand knot");
    lab_apart(lab, k.deepest);
    lab_below(lab,
              lab_text(lab, "it holds: thread in the knot after a second of %.2f N, over the whole", k.pull),
              k.held / t.length, tight_most, "twelve elements");
    lab_near(lab, "it holds: thread in the knot after that second [m]", k.held, k.pulled, slip_most,
             "as the hand stopped");
    print_rate(lab, &t);
}

// ---- the coil

// With EI = GJ a helix that turns by p along a unit of its length has curvature p cos(a) and torsion p
// sin(a), where a is its angle of pitch. Drawn out between ends that do not turn, p stays; between ends that
// turn freely it becomes p cos(a - rest), with `rest` at rest.
typedef struct Helix {
    double EI, p, rest, length; // of a whole thread
} Helix;

static double helix_pull(const Helix* x, double a, bool turns)
{
    return x->EI * x->p * x->p * (turns ? cos(a - x->rest) : 1.0) * sin(a - x->rest) / cos(a);
}

// Hung by one end, every part bears the weight of what is below it.
static double hung_length(const Helix* x, double weight)
{
    enum { PARTS = 1000 };
    double sum = 0.0;
    for (int i = 0; i < PARTS; i++) {
        double force = weight * (i + 0.5) / PARTS, low = x->rest, high = 1.5;
        for (int k = 0; k < 60; k++) {
            double mid = 0.5 * (low + high);
            *(helix_pull(x, mid, true) < force ? &low : &high) = mid;
        }
        sum += sin(low) * x->length / PARTS;
    }
    return sum;
}

static Helix helix_of(const Thread* t)
{
    const double turns = 6.4, pitch = 0.008; // as in the scene
    double EI = cord_rod_stiffness(t->world, t->rod).EI1;
    return (Helix){EI, 2.0 * CORD_PI * turns / t->length, asin(turns * pitch / t->length), t->length};
}

// Between the middles of the two edges that are held.
static double drawn(Lab* lab, const Thread* t)
{
    const CordVec3* x = lab_nodes(lab, t->world, 0);
    return 0.5 * (x[0].z + x[1].z - x[ELEMENTS - 1].z - x[ELEMENTS].z);
}

// In the mean of hook and hand: of the one the whole weight, of the other none.
static double mean_pull(const Thread* t)
{
    return 0.5 * (lab_reaction(t->world, 1).z - lab_reaction(t->world, 0).z);
}

static double theory_pull(Lab* lab, const Thread* t, const Helix* x)
{
    double held = x->length * (ELEMENTS - 1) / ELEMENTS;
    return helix_pull(x, asin(drawn(lab, t) / held), false);
}

static void draw_out(Lab* lab)
{
    // The hand rests until 2 s and until 4 s, when it goes on with a jerk: these are the frames before.
    enum { FIRST = 49, SECOND = 99, SECOND_BEFORE = 175, FRAMES = 200 };
    Thread t = thread_open(lab, "corde/fig7_coil");
    double low = INFINITY, high = -INFINITY;
    Helix x = helix_of(&t);
    lab_say(lab, "a thread that is coiled by nature in a hand that draws it out");
    for (int i = 1; i <= FRAMES; i++) {
        thread_advance(lab, &t);
        double length = drawn(lab, &t), pull = mean_pull(&t), theory = theory_pull(lab, &t, &x);
        lab_row(lab, "coil", NULL, cord_world_time(t.world), length, pull, theory);
        if (i == FIRST || i == SECOND) {
            lab_near(lab, lab_text(lab, "drawn out to %.3f m: pull [N]", length), pull, theory, helix_most,
                     "a helix between ends that do not turn");
        }
        low = i >= SECOND_BEFORE ? fmin(low, length) : low;
        high = i >= SECOND_BEFORE ? fmax(high, length) : high;
    }
    lab_near(lab, "let go, it hangs by its own weight: length [m]", drawn(lab, &t),
             hung_length(&x, gravity * cord_rod_mass(t.world, t.rod)), helix_most,
             "a helix whose end turns freely");
    lab_below(lab, "its end moved in the last second, over its length, by", (high - low) / x.length,
              sway_most, "it rests");
    print_rate(lab, &t);
}

// ---- the experiment

static void run(Lab* lab)
{
    tie(lab);
    draw_out(lab);
}

const Experiment experiment_corde_fig7 = {
    .id = "corde-fig7",
    .about = "CORDE figure 7: a thread knotted by a hand, and a coiled one; frames per second",
    .source = "CORDE figure 7",
    .run = run,
    .tables = LAB_TABLES({"knot", .columns = "time [s],determinant,pull [N]"},
                         {"coil", .columns = "time [s],length [m],pull [N],helix [N]"}),
    .panels = LAB_PANELS({.x = "time [s]",
                          .y = "pull of the hand [N]",
                          .right = "determinant of the knot",
                          .set = "set y2tics (1, 3)\nset y2range [0:4]\nset yrange [0:0.4]\nset key top left",
                          .curves = LAB_CURVES(LAB_CURVE("knot", NULL, "time", "pull", NULL, "pull"),
                                               {"knot", .x = "time", .y = "determinant", .with = "steps lw 2",
                                                .title = "determinant", .right = true})},
                         {.x = "length of the coil [m]",
                          .y = "pull, mean of hook and hand [N]",
                          .set = "set xtics 0.05\nset yrange [0:*]\nset key top left",
                          .curves = LAB_CURVES(LAB_CURVE_WHERE("coil", NULL, "{time} < 4", "length", "pull",
                                                               "points pt 6 ps 0.8", "coil in the hand"),
                                               LAB_CURVE_WHERE("coil", NULL, "{time} < 4", "length", "helix",
                                                               "lines lw 2 lc rgb 'black'", "helix"))}),
    .layout = "1,2",
};
