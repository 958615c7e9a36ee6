// CORDE, figure 7: a thread of 100 elements in a hand, which ties a knot into it, and one that is coiled by nature. The hand's motion is part of the scenes.
#include "reproduce.h"
#include "talk.h"

#include <cordage/contact.h>

#include <math.h>

static const double pi = 3.14159265358979323846, gravity = 9.81;
static const double frame_time = 0.04;   // the paper's: a frame is 20 steps of 2 ms [s]
static const double paper_rate = 26.0;   // frames per second
static const double overlap_most = 1e-3; // of a radius: the scenes' contact tolerance
static const double tight_most = 0.12; // thread in the knot, of the whole: twelve elements, each ten radii long
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

static bool thread_open(Thread* t, const char* scene)
{
    CordFrame frame;
    *t = (Thread){.world = reproduce_scene(scene, NULL, 0)};
    if (!t->world || cord_world_frame(t->world, &frame) != CORD_OK) {
        return false;
    }
    t->rod = cord_world_rod(t->world, 0);
    t->length = cord_rod_length(t->world, t->rod);
    t->radius = frame.radius[0];
    t->steps = (int)ceil(frame_time / (0.8 * cord_world_step_advice(t->world).step));
    return true;
}

static bool thread_advance(Thread* t)
{
    double clock = talk_cpu_clock();
    bool good = cord_world_step_many(t->world, frame_time / t->steps, t->steps) == CORD_OK;
    t->seconds += talk_cpu_clock() - clock;
    t->frames++;
    if (!good) {
        fprintf(stderr, "%s\n", cord_world_message(t->world));
    }
    return good;
}

static void print_rate(const Thread* t)
{
    printf("  %.0f frames of %g ms a second of the processor, in %d steps each; the paper has %.0f, in 20 steps\n",
           t->frames / t->seconds, 1e3 * frame_time, t->steps, paper_rate);
}

// ---------------------------------------------------------------------------------------------------- the knot

typedef struct Knot {
    int64_t first, last; // determinants
    double tied;         // since when it is a trefoil [s]
    double deepest;      // overlap after any frame, over the radius
    double pull;         // of the hand at the end [N]
    double pulled, held; // length of thread in the knot when the hand has stopped, and at the end [m]
} Knot;

static double norm(CordVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

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

static void look(const Thread* t, Knot* k, FILE* csv)
{
    enum { HAND = 2 }; // of the scene's clamps
    double time = cord_world_time(t->world);
    int64_t before = k->last;
    CordContact deepest;
    CordVec3 force, torque;
    k->last = cord_rod_knot(t->world, t->rod);
    k->tied = k->last == 3 && before != 3 ? time : k->tied;
    if (cord_world_deepest(t->world, &deepest)) {
        k->deepest = fmax(k->deepest, -deepest.gap / t->radius);
    }
    cord_clamp_reaction(t->world, cord_world_clamp(t->world, HAND), &force, &torque);
    k->pull = norm(force);
    fprintf(csv, "knot,%.6g,%lld,%.6g,,,\n", time, (long long)k->last, k->pull);
}

static bool tie(Thread* t, Knot* k, FILE* csv)
{
    enum { STOPS = 155, FRAMES = 175 }; // the hand stops after 6 s
    *k = (Knot){.first = cord_rod_knot(t->world, t->rod)};
    k->last = k->first;
    bool good = true;
    for (int i = 1; i <= FRAMES && good; i++) {
        good = thread_advance(t);
        look(t, k, csv);
        k->pulled = i == STOPS ? knot_length(t) : k->pulled;
    }
    k->held = knot_length(t);
    return good;
}

static bool tell_knot(FILE* csv)
{
    Thread t;
    Knot k;
    bool good = thread_open(&t, "corde/fig7_knot") && tie(&t, &k, csv);
    if (!good) {
        cord_world_destroy(t.world);
        return false;
    }
    bool tied = k.first == 1 && k.last == 3, apart = k.deepest <= overlap_most;
    bool tight = k.held <= tight_most * t.length && fabs(k.held - k.pulled) <= slip_most * k.pulled;
    printf("a thread of 100 elements, one end fixed, the other in a hand that ties it and pulls\n"
           "  determinant of the knot: %lld at first, should be 1; %lld at the end, should be 3, an overhand knot: %s (it is since %.2f s)\n",
           (long long)k.first, (long long)k.last, tied ? "pass" : "FAIL", k.tied);
    printf("  deepest overlap after any frame: %.2g of a radius, %g allowed: %s\n", k.deepest, overlap_most,
           apart ? "pass" : "FAIL");
    printf("  it holds: %.1f mm of thread in the knot as the hand stops, %.1f mm after a second of %.2f N, %.3f of it, %g allowed: %s\n",
           1e3 * k.pulled, 1e3 * k.held, k.pull, k.held / t.length, tight_most, tight ? "pass" : "FAIL");
    print_rate(&t);
    cord_world_destroy(t.world);
    fflush(stdout);
    return tied && apart && tight;
}

// ---------------------------------------------------------------------------------------------------- the coil

// With EI = GJ a helix that turns by p along a unit of its length has curvature p cos(a) and torsion p sin(a), where a is its angle of pitch. Drawn out between ends
// that do not turn, p stays; between ends that turn freely it becomes p cos(a - rest), with `rest` at rest.
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
    return (Helix){EI, 2.0 * pi * turns / t->length, asin(turns * pitch / t->length), t->length};
}

// Between the middles of the two edges that are held.
static double drawn(const Thread* t)
{
    CordVec3 x[ELEMENTS + 1];
    cord_rod_positions(t->world, t->rod, x);
    return 0.5 * (x[0].z + x[1].z - x[ELEMENTS - 1].z - x[ELEMENTS].z);
}

// In the mean of hook and hand: of the one the whole weight, of the other none.
static double mean_pull(const Thread* t)
{
    CordVec3 hook, hand, torque;
    cord_clamp_reaction(t->world, cord_world_clamp(t->world, 0), &hook, &torque);
    cord_clamp_reaction(t->world, cord_world_clamp(t->world, 1), &hand, &torque);
    return 0.5 * (hand.z - hook.z);
}

static double theory_pull(const Thread* t, const Helix* x)
{
    double held = x->length * (ELEMENTS - 1) / ELEMENTS;
    return helix_pull(x, asin(drawn(t) / held), false);
}

static bool tell_pull(const Thread* t, const Helix* x)
{
    double theory = theory_pull(t, x), pull = mean_pull(t);
    bool pass = fabs(pull / theory - 1.0) <= helix_most;
    printf("  drawn out to %.3f m: a pull of %.5f N, that of a helix is %.5f, %g %% allowed: %s\n", drawn(t),
           pull, theory, 100.0 * helix_most, pass ? "pass" : "FAIL");
    return pass;
}

static bool tell_hung(const Thread* t, const Helix* x, double sway)
{
    double theory = hung_length(x, gravity * cord_rod_mass(t->world, t->rod));
    bool rests = sway <= sway_most * x->length, pass = fabs(drawn(t) / theory - 1.0) <= helix_most;
    printf("  let go, it hangs at rest by its own weight: %.4f m long, a helix %.4f, %g %% allowed: %s; its end moved by %.2g of its length in the last second, %g allowed: %s\n",
           drawn(t), theory, 100.0 * helix_most, pass ? "pass" : "FAIL", sway / x->length, sway_most,
           rests ? "pass" : "FAIL");
    return pass && rests;
}

static bool tell_coil(FILE* csv)
{
    enum {
        FIRST = 50,
        SECOND = 100,
        SECOND_BEFORE = 175,
        FRAMES = 200
    }; // the hand rests until 2 s and until 4 s
    Thread t;
    bool good = thread_open(&t, "corde/fig7_coil"), pass = true;
    double low = INFINITY, high = -INFINITY;
    Helix x = good ? helix_of(&t) : (Helix){0};
    printf("a thread that is coiled by nature in a hand that draws it out\n");
    for (int i = 1; i <= FRAMES && good; i++) {
        good = thread_advance(&t);
        fprintf(csv, "coil,%.6g,,,%.6g,%.6g,%.6g\n", cord_world_time(t.world), drawn(&t), mean_pull(&t),
                theory_pull(&t, &x));
        pass &= (i != FIRST && i != SECOND) || tell_pull(&t, &x);
        low = i >= SECOND_BEFORE ? fmin(low, drawn(&t)) : low;
        high = i >= SECOND_BEFORE ? fmax(high, drawn(&t)) : high;
    }
    pass = good && pass && tell_hung(&t, &x, high - low);
    if (good) {
        print_rate(&t);
    }
    cord_world_destroy(t.world);
    fflush(stdout);
    return pass;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "corde-fig7"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(
        script,
        "set datafile separator ','\nset grid\nset multiplot layout 1,2\nis(what) = stringcolumn(1) eq what\n"
        "set xlabel 'time [s]'\nset ylabel 'pull of the hand [N]'\nset y2label 'determinant of the knot'\n"
        "set ytics nomirror\nset y2tics (1, 3)\nset y2range [0:4]\nset yrange [0:0.4]\nset key top left\n"
        "plot 'corde-fig7.csv' using 2:(is('knot') ? $4 : 1/0) with lines lw 2 lc rgb '#2455a4' title 'pull', "
        "'' using 2:(is('knot') ? $3 : 1/0) axes x1y2 with steps lw 2 lc rgb '#c8452f' title 'determinant'\n"
        "unset y2label\nunset y2tics\nset ytics mirror\nset xtics 0.05\nset yrange [0:*]\nset xlabel 'length of the coil [m]'\n"
        "set ylabel 'pull, mean of hook and hand [N]'\n"
        "plot 'corde-fig7.csv' using (is('coil') && $2 < 4 ? $5 : 1/0):6 with points pt 6 ps 0.8 lc rgb '#2455a4' title 'coil in the hand', "
        "'' using (is('coil') && $2 < 4 ? $5 : 1/0):7 with lines lw 2 lc rgb 'black' title 'helix'\nunset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool corde_fig7_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "corde-fig7.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "part,time_s,determinant,pull_N,length_m,mean_pull_N,helix_N\n");
    bool knot = tell_knot(csv), coil = tell_coil(csv);
    fclose(csv);
    printf("corde-fig7: %s\n", knot && coil ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return knot && coil;
}
