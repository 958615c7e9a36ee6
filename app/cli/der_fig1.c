// DER, figure 1: a trefoil knot whose ends are twisted. Its shape changes smoothly and then jumps, at one twist for each sign, and jumps back at
// another: swept through equilibria, up and down, without friction.
#include "reproduce.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <math.h>
#include <stdlib.h>

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
    CordWorld* world;
    CordRodId rod;
    CordClampId end;
    CordVec3 *x, *before; // positions (nodes)
    void* state;          // before a step of the sweep
    int nodes, sign;
    double slack; // turns that the ends must be turned by until no torque acts
    FILE* csv;    // NULL: nothing is kept
    const char* way;
} Knot;

typedef struct Jumps {
    double up, down; // twist, from where no torque acts [turns]; NAN: none was found
} Jumps;

// ---------------------------------------------------------------------------------------------------- the knot

static CordWorld* open_world(int sign, int elements)
{
    char turns[80], until[80], count[80];
    snprintf(turns, sizeof turns, "clamps[*].motion[1].rotate.turns=%.17g", 0.5 * sign * range);
    snprintf(until, sizeof until, "clamps[*].motion[1].to=%.17g", pulled + range / rate);
    snprintf(count, sizeof count, "rods[0].elements=%d", elements);
    const char* settings[] = {turns, until, count, "probes=[]"};
    return reproduce_scene("der/fig1", settings, 4);
}

static bool open_knot(Knot* k, int sign, int elements)
{
    *k = (Knot){.world = open_world(sign, elements), .sign = sign, .nodes = elements + 1};
    if (!k->world) {
        return false;
    }
    k->rod = cord_world_rod(k->world, 0);
    k->end = cord_world_clamp(k->world, 1);
    k->x = calloc((size_t)k->nodes, sizeof *k->x);
    k->before = calloc((size_t)k->nodes, sizeof *k->before);
    return k->x && k->before;
}

static void close_knot(Knot* k)
{
    cord_world_destroy(k->world);
    free(k->x), free(k->before), free(k->state);
}

static double gone(const Knot* k) // in the mean, over the length
{
    double sum = 0.0;
    for (int i = 0; i < k->nodes; i++) {
        double x = k->x[i].x - k->before[i].x, y = k->x[i].y - k->before[i].y, z = k->x[i].z - k->before[i].z;
        sum += x * x + y * y + z * z;
    }
    return sqrt(sum / k->nodes) / cord_rod_length(k->world, k->rod);
}

// The equilibrium with the clamps where they are at a time, from the present one. It is left before it is reached if the knot has jumped: the jump is seen long before the
// new shape has settled.
static bool settle(Knot* k, double time, bool* jumped)
{
    CordSolveDef solve = cord_solve_def_default();
    solve.tolerance = 1e-5;
    solve.iterations = BURST;
    CordSolveReport report;
    CordResult result = CORD_NOT_CONVERGED;
    *jumped = false;
    cord_rod_positions(k->world, k->rod, k->before);
    cord_world_set_time(k->world, time);
    for (int i = 0; i < BURSTS && result == CORD_NOT_CONVERGED && !*jumped; i++) {
        result = cord_world_solve(k->world, &solve, &report);
        cord_rod_positions(k->world, k->rod, k->x);
        *jumped = gone(k) > jump_least;
    }
    if (result != CORD_OK && result != CORD_NOT_CONVERGED) {
        fprintf(stderr, "%s\n", cord_world_message(k->world));
    }
    return result == CORD_OK || result == CORD_NOT_CONVERGED;
}

static bool turn_to(Knot* k, double turns, bool* jumped)
{
    return settle(k, pulled + turns / rate, jumped);
}

// Pulled from the shape in which it was tied. The knot's own handedness leaves a twist in it; what undoes this is where turns are counted from.
static bool tie(Knot* k)
{
    bool jumped, good = true;
    for (int i = 0; i <= 10 && good; i++) {
        good = settle(k, pulled * i / 10, &jumped) && settle(k, pulled * i / 10, &jumped);
    }
    k->slack = -k->sign * cord_rod_twist(k->world, k->rod);
    k->state = good ? malloc(cord_world_state_size(k->world)) : NULL;
    return k->state;
}

// ---------------------------------------------------------------------------------------------------- sweeps

static void keep(const Knot* k, double turns)
{
    if (!k->csv) {
        return;
    }
    CordVec3 force, torque;
    CordEnergy energy = cord_rod_energy(k->world, k->rod);
    cord_clamp_reaction(k->world, k->end, &force, &torque);
    fprintf(k->csv, "%d,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", k->sign, k->way,
            k->sign * (turns - k->slack), k->x[k->nodes / 2].y, cord_rod_writhe(k->world, k->rod), -torque.x,
            -force.x, energy.bend, energy.twist);
}

// From one number of turns towards another, until the knot jumps: the turns in the middle of the last step, which is as short as the resolution.
static bool sweep(Knot* k, double from, double to, double* jump)
{
    double direction = to > from ? 1.0 : -1.0, step = stride, at = from;
    size_t size = cord_world_state_size(k->world);
    *jump = NAN;
    while (direction * (to - at) > 1e-9) {
        double next = at + direction * fmin(step, fabs(to - at));
        bool jumped;
        cord_world_state_get(k->world, k->state, size);
        if (!turn_to(k, next, &jumped)) {
            return false;
        }
        if (!jumped) {
            keep(k, next);
            at = next;
        } else if (step > resolution) {
            cord_world_state_set(k->world, k->state, size);
            step *= 0.5;
        } else {
            *jump = 0.5 * (at + next);
            return true;
        }
    }
    return true;
}

// After a jump, until the new shape has settled.
static bool go_on(Knot* k, double turns)
{
    bool jumped = true, good = true;
    for (int i = 0; i < 4 && good && jumped; i++) {
        good = turn_to(k, turns, &jumped);
    }
    return good && !jumped;
}

static bool measure(int sign, int elements, FILE* csv, Jumps* jumps)
{
    Knot k;
    *jumps = (Jumps){NAN, NAN};
    bool good = open_knot(&k, sign, elements) && tie(&k);
    k.csv = csv;
    k.way = "up";
    if (good) {
        keep(&k, 0.0);
        good = sweep(&k, 0.0, range, &jumps->up) && isfinite(jumps->up) && go_on(&k, jumps->up + past);
    }
    k.way = "down";
    if (good) {
        keep(&k, jumps->up + past);
        good = sweep(&k, jumps->up + past, 0.0, &jumps->down) && isfinite(jumps->down);
    }
    good = good && cord_rod_knot(k.world, k.rod) == 3;
    jumps->up = sign * (jumps->up - k.slack);
    jumps->down = sign * (jumps->down - k.slack);
    close_knot(&k);
    return good;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static bool tell(const char* what, double coarse, double fine)
{
    bool pass = fabs(coarse / fine - 1.0) <= agree;
    printf("  %-26s %8.3f %8.3f   %5.1f %%, %g %% allowed: %s\n", what, coarse, fine,
           100.0 * fabs(coarse / fine - 1.0), 100.0 * agree, pass ? "pass" : "FAIL");
    return pass;
}

static bool tell_sign(int sign, FILE* csv, Jumps* fine)
{
    Jumps coarse;
    bool good = measure(sign, COARSE, NULL, &coarse) && measure(sign, FINE, csv, fine);
    if (!good) {
        printf("  twisted %s: no jump there and back, or another knot: FAIL\n", sign > 0 ? "up" : "down");
        return false;
    }
    bool up = tell(sign > 0 ? "positive twist: jumps at" : "negative twist: jumps at", coarse.up, fine->up);
    bool down = tell("  and back at", coarse.down, fine->down);
    double width = fabs(fine->up - fine->down);
    bool loop = width > 2.0 * resolution && fabs(fine->down) < fabs(fine->up);
    printf("    hysteresis %.2f turns, should be more than none: %s\n", width, loop ? "pass" : "FAIL");
    return up && down && loop;
}

static void plot(const char* directory, const Jumps jumps[2])
{
    ReproducePlot p = {.directory = directory, .name = "der-fig1"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set datafile separator ','\nset xlabel 'twist [turns]'\nset ylabel 'middle of the cord, above the line of its ends [mm]'\n"
                    "set key outside top center horizontal\nset xzeroaxis lc rgb '#bbbbbb'\n");
    for (int i = 0; i < 2; i++) {
        const char* format = "set arrow from %.4f, graph 0 to %.4f, graph 1 nohead dt %d lc rgb '%s'\n";
        fprintf(script, format, jumps[i].up, jumps[i].up, 2, "#7b3f98");
        fprintf(script, format, jumps[i].down, jumps[i].down, 3, "#2f86c1");
    }
    fprintf(script,
            "plot 'der-fig1.csv' using (stringcolumn(2) eq 'up' ? $3 : 1/0):(1e3*$4) with points pt 7 ps 1 lc rgb '#7b3f98' title 'twist increases', "
            "'' using (stringcolumn(2) eq 'down' ? $3 : 1/0):(1e3*$4) with points pt 6 ps 1.4 lw 2 lc rgb '#2f86c1' title 'twist decreases'\n");
    reproduce_plot_close(&p, script);
}

bool der_fig1_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig1.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "sign,sweep,twist,middle,writhe,torque,force,bend,twist_energy\n");
    printf("trefoil knot in 1 m of silicone cord, 10 mm thick, ends held 0.35 m apart and turned: twist at which its shape jumps, from where no torque acts,\n"
           "in turns, positive along the cord; the knot is left-handed. Equilibria without friction, %g turns apart, jumps to %g\n"
           "  elements                   %8d %8d\n",
           stride, resolution, COARSE, FINE);
    Jumps jumps[2];
    bool negative = tell_sign(-1, csv, &jumps[0]), positive = tell_sign(1, csv, &jumps[1]);
    fclose(csv);
    printf("der-fig1: %s\n", negative && positive ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory, jumps);
    return negative && positive;
}
