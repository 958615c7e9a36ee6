// DER, figure 1: a trefoil knot whose ends are twisted. Its shape changes smoothly and then jumps, at one
// twist for each sign, and jumps back at another: swept through equilibria, up and down, without friction.
#include "lab.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <math.h>

enum { COARSE = 80, FINE = 120 };      // elements
static const double pulled = 1.0;      // as in the scene: the ends stay where they are from then on [s]
static const double rate = 0.5;        // turns of one end against the other, by time [1/s]
static const double range = 5.0;       // turns, either way
static const double stride = 0.25;     // of a sweep [turns]
static const double resolution = 0.02; // of a jump [turns]
static const double jump_least = 0.02; // mean distance gone in a step that is a jump, over the length
static const double past = 0.2;        // how far a sweep goes on after its jump [turns]
static const double agree = 0.03;      // twists of the jumps with COARSE and FINE elements, relative
enum { BURST = 25, BURSTS = 12 }; // iterations after which it is seen whether the knot has jumped; how often

typedef struct Knot {
    Lab* lab;
    CordWorld* world;
    CordRodId rod;
    CordClampId end;
    CordVec3 *x, *before; // positions (nodes)
    LabState state;       // before a step of the sweep
    int nodes, sign;
    double slack;    // turns that the ends must be turned by until no torque acts
    const char* way; // of the sweep
} Knot;

typedef struct Jumps {
    double up, down; // twist, from where no torque acts [turns]; NAN: none was found
} Jumps;

// ---- the knot

static Knot open_knot(Lab* lab, int sign, int elements)
{
    Knot k = {.lab = lab, .sign = sign, .nodes = elements + 1};
    k.world = lab_world(lab, "der/fig1",
                        "clamps[*].motion[1].rotate.turns=%.17g; clamps[*].motion[1].to=%.17g; "
                        "rods[0].elements=%d; probes=[]",
                        0.5 * sign * range, pulled + range / rate, elements);
    k.rod = cord_world_rod(k.world, 0);
    k.end = cord_world_clamp(k.world, 1);
    k.x = lab_room(lab, (size_t)k.nodes, sizeof *k.x);
    k.before = lab_room(lab, (size_t)k.nodes, sizeof *k.before);
    return k;
}

static double gone(const Knot* k) // in the mean, over the length
{
    double sum = 0.0;
    for (int i = 0; i < k->nodes; i++) {
        CordVec3 way = cord_vec3_sub(k->x[i], k->before[i]);
        sum += cord_vec3_dot(way, way);
    }
    return sqrt(sum / k->nodes) / cord_rod_length(k->world, k->rod);
}

// The equilibrium with the clamps where they are at a time, from the present one. True: the knot has jumped,
// and the equilibrium is not reached: the jump is seen long before the new shape has settled.
static bool settle(Knot* k, double time)
{
    CordSolveDef solve = cord_solve_def_default();
    solve.tolerance = 1e-5;
    solve.iterations = BURST;
    CordSolveReport report;
    CordResult result = CORD_NOT_CONVERGED;
    bool jumped = false;
    cord_rod_positions(k->world, k->rod, k->before);
    cord_world_set_time(k->world, time);
    for (int i = 0; i < BURSTS && result == CORD_NOT_CONVERGED && !jumped; i++) {
        result = cord_world_solve(k->world, &solve, &report);
        cord_rod_positions(k->world, k->rod, k->x);
        jumped = gone(k) > jump_least;
    }
    lab_ok(k->lab, k->world, result == CORD_NOT_CONVERGED ? CORD_OK : result);
    return jumped;
}

static bool turn_to(Knot* k, double turns)
{
    return settle(k, pulled + turns / rate);
}

// Pulled from the shape in which it was tied. The knot's own handedness leaves a twist in it; what undoes
// this is where turns are counted from.
static void tie(Knot* k)
{
    for (int i = 0; i <= 10; i++) {
        settle(k, pulled * i / 10);
        settle(k, pulled * i / 10);
    }
    k->slack = -k->sign * cord_rod_twist(k->world, k->rod);
}

// ---- sweeps

static void keep(const Knot* k, double turns)
{
    if (k->nodes != FINE + 1) {
        return;
    }
    CordVec3 force, torque;
    CordEnergy energy = cord_rod_energy(k->world, k->rod);
    cord_clamp_reaction(k->world, k->end, &force, &torque);
    lab_row(k->lab, "", k->way, k->sign, k->sign * (turns - k->slack), k->x[k->nodes / 2].y,
            cord_rod_writhe(k->world, k->rod), -torque.x, -force.x, energy.bend, energy.twist);
}

// From one number of turns towards another, until the knot jumps: the turns in the middle of the last step,
// which is as short as the resolution; NAN: it never does.
static double sweep(Knot* k, double from, double to)
{
    double direction = to > from ? 1.0 : -1.0, step = stride, at = from;
    while (direction * (to - at) > 1e-9) {
        double next = at + direction * fmin(step, fabs(to - at));
        lab_keep(k->lab, k->world, &k->state);
        if (!turn_to(k, next)) {
            keep(k, next);
            at = next;
        } else if (step > resolution) {
            lab_restore(k->lab, k->world, &k->state);
            step *= 0.5;
        } else {
            return 0.5 * (at + next);
        }
    }
    return NAN;
}

// After a jump, until the new shape has settled.
static bool go_on(Knot* k, double turns)
{
    bool jumped = true;
    for (int i = 0; i < 4 && jumped; i++) {
        jumped = turn_to(k, turns);
    }
    return !jumped;
}

static Jumps measure(Lab* lab, int sign, int elements)
{
    Knot k = open_knot(lab, sign, elements);
    Jumps jumps = {NAN, NAN};
    tie(&k);
    k.way = "up";
    keep(&k, 0.0);
    jumps.up = sweep(&k, 0.0, range);
    k.way = "down";
    if (isfinite(jumps.up) && go_on(&k, jumps.up + past)) {
        keep(&k, jumps.up + past);
        jumps.down = sweep(&k, jumps.up + past, 0.0);
    }
    lab_true(lab, lab_text(lab, "%d elements: it jumps there and back, and is a trefoil still", elements),
             isfinite(jumps.down) && cord_rod_knot(k.world, k.rod) == 3, "determinant 3");
    return (Jumps){sign * (jumps.up - k.slack), sign * (jumps.down - k.slack)};
}

// ---- the experiment

// A line across the plot.
static void mark(Lab* lab, const char* jump, double twist)
{
    lab_row(lab, "jumps", jump, twist, -60.0);
    lab_row(lab, "jumps", jump, twist, 100.0);
}

static void judge(Lab* lab, int sign)
{
    const char* name = sign > 0 ? "positive" : "negative";
    Jumps coarse = measure(lab, sign, COARSE), fine = measure(lab, sign, FINE);
    lab_near(lab, lab_text(lab, "%s twist: jumps at [turns]", name), coarse.up, fine.up, agree,
             "120 elements");
    lab_near(lab, lab_text(lab, "%s twist: and back at [turns]", name), coarse.down, fine.down, agree,
             "120 elements");
    lab_above(lab, lab_text(lab, "%s twist: hysteresis [turns]", name), fabs(fine.up - fine.down),
              2.0 * resolution, "there is one: twice the resolution");
    lab_below(lab, lab_text(lab, "%s twist: it jumps back at less twist [turns]", name), fabs(fine.down),
              fabs(fine.up), "the jump on the way up");
    mark(lab, lab_text(lab, "up %s", name), fine.up);
    mark(lab, lab_text(lab, "down %s", name), fine.down);
}

static void run(Lab* lab)
{
    lab_say(lab,
            "trefoil knot in 1 m of silicone cord, 10 mm thick, ends held 0.35 m apart and turned: twist "
            "at which its shape jumps, from where no torque acts,\n"
            "in turns, positive along the cord; the knot is left-handed. Equilibria without friction, %g "
            "turns apart, jumps to %g",
            stride, resolution);
    judge(lab, -1);
    judge(lab, 1);
}

#define JUMP(name, style) LAB_CURVE("jumps", name, "twist", "middle", style, NULL)

const Experiment experiment_der_fig1 = {
    .id = "der-fig1",
    .about = "DER figure 1: a trefoil knot with twisted ends, and the twist at which it jumps",
    .source = "DER figure 1",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "sweep,sign,twist,middle,writhe,torque,force,bend,twist energy"},
                         {"jumps", .columns = "jump,twist,middle"}),
    .panels = LAB_PANELS(
        {.x = "twist [turns]",
         .y = "middle of the cord, above the line of its ends [mm]",
         .set = "set key outside top center horizontal\nset xzeroaxis lc rgb '#bbbbbb'\nset yrange [-60:100]",
         .curves = LAB_CURVES(LAB_CURVE("", "up", "twist", "1e3*{middle}",
                                        "points pt 7 ps 1 lc rgb '#7b3f98'", "twist increases"),
                              LAB_CURVE("", "down", "twist", "1e3*{middle}",
                                        "points pt 6 ps 1.4 lw 2 lc rgb '#2f86c1'", "twist decreases"),
                              JUMP("up negative", "lines dt 2 lc rgb '#7b3f98'"),
                              JUMP("up positive", "lines dt 2 lc rgb '#7b3f98'"),
                              JUMP("down negative", "lines dt 3 lc rgb '#2f86c1'"),
                              JUMP("down positive", "lines dt 3 lc rgb '#2f86c1'"))}),
};
