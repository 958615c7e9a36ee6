// A square knot ties two ropes together. Drawn tight by all four ends and left to itself, it holds as long as there is friction enough; a granny does not.
#include "reproduce.h"

#include <cordage/contact.h>

#include <math.h>
#include <stdlib.h>

// As in the scene: radius of the ropes [m], pull [N], friction; when the tails begin to be let go, and when they are free [s].
static const double radius = 0.004, pull = 100.0, scene_friction = 0.5, let_go = 0.15, are_free = 0.35;
static const double step = 0.005;                // [s]
static const double settled = 0.5, held = 1.5;   // between these the knot is watched [s]
static const double long_enough = 0.6;           // to see whether a knot slips [s]
static const double less = 0.02, every = 0.1;    // friction is lowered by so much, and after so long [s]
static const double pull_off = 1e-3, far = 0.05; // of the pull; rope drawn out of a knot that is lost [m]

enum { NODES = 65 };

typedef struct Knot {
    CordWorld* world;
    size_t size;
    void* dressed;  // its state before the tails are let go
    double tight;   // how far the standing ends are apart there [m]
    double drawn;   // rope drawn out of the knot since then [m]
    double tension; // at the end that does not move [N]
} Knot;

static double apart(const Knot* k)
{
    CordVec3 left[NODES], right[NODES];
    (void)cord_rod_positions(k->world, cord_world_rod(k->world, 0), left);
    (void)cord_rod_positions(k->world, cord_world_rod(k->world, 1), right);
    return right[0].x - left[0].x;
}

static bool is_open(const Knot* k) // nothing touches anything any more
{
    return cord_world_contact_report(k->world).contacts == 0;
}

static bool advance(Knot* k)
{
    CordVec3 force = {0, 0, 0}, torque;
    if (cord_world_step(k->world, step) != CORD_OK) {
        printf("  %s: FAIL\n", cord_world_message(k->world));
        return false;
    }
    (void)cord_clamp_reaction(k->world, cord_world_clamp(k->world, 0), &force, &torque);
    k->drawn = apart(k) - k->tight;
    k->tension = force.x;
    return true;
}

static bool advance_to(Knot* k, double time)
{
    bool good = true;
    while (good && cord_world_time(k->world) < time - 0.5 * step) {
        good = advance(k);
    }
    return good;
}

static bool set_friction(Knot* k, double friction)
{
    CordContactDef contact = cord_contact_def_default();
    contact.friction = friction;
    return cord_world_set_contact(k->world, &contact) == CORD_OK;
}

static bool dress(Knot* k, const char* name)
{
    char setting[64];
    snprintf(setting, sizeof setting, "rods[*].shape.knot.name=%s", name);
    *k = (Knot){.world = reproduce_scene("square_knot", (const char*[]){setting}, 1)};
    if (!k->world || !advance_to(k, let_go)) {
        return false;
    }
    k->tight = apart(k);
    k->size = cord_world_state_size(k->world);
    k->dressed = malloc(k->size);
    return k->dressed && cord_world_state_get(k->world, k->dressed, k->size) == CORD_OK;
}

static void undo(Knot* k)
{
    free(k->dressed);
    cord_world_destroy(k->world);
}

// ---------------------------------------------------------------------------------------------------- let go

// The dressed knot, with another friction.
static bool take_dressed(Knot* k, double friction)
{
    k->drawn = 0.0;
    return cord_world_state_set(k->world, k->dressed, k->size) == CORD_OK && set_friction(k, friction);
}

// Until a time, or until it is open.
static bool watch(Knot* k, double friction, double end, FILE* csv)
{
    bool good = true;
    while (good && cord_world_time(k->world) < end - 0.5 * step && !(k->drawn > far && is_open(k))) {
        good = advance(k);
        double time = cord_world_time(k->world);
        double tails = pull * fmin(1.0, fmax(0.0, (are_free - time) / (are_free - let_go)));
        fprintf(csv, "%g,%.6g,%.6g,%.6g,%.6g\n", friction, time, tails, k->tension, 1e3 * k->drawn);
    }
    return good;
}

static bool tell_holds(Knot* k, FILE* csv)
{
    if (!take_dressed(k, scene_friction) || !watch(k, scene_friction, settled, csv)) {
        return false;
    }
    double before = k->drawn;
    if (!watch(k, scene_friction, held, csv)) {
        return false;
    }
    double creep = fabs(k->drawn - before);
    bool pass = creep < radius && fabs(k->tension / pull - 1.0) < pull_off && k->drawn < far;
    printf("friction %g: %.1f mm are drawn out of the knot as its tails are let go, and from %g to %g s another %.2g mm under a pull of %.2f N; "
           "less than a radius of %g mm allowed: %s\n",
           scene_friction, 1e3 * before, settled, held, 1e3 * creep, k->tension, 1e3 * radius,
           pass ? "pass" : "FAIL");
    return pass;
}

static bool tell_slips(Knot* k, double friction, double least, FILE* csv)
{
    if (!take_dressed(k, friction) || !watch(k, friction, long_enough, csv)) {
        return false;
    }
    bool pass = k->drawn > least;
    printf("friction %g: at %.3g s %.0f mm are drawn out and the knot %s; more than %g mm expected: %s\n",
           friction, cord_world_time(k->world), 1e3 * k->drawn, is_open(k) ? "is open" : "is not open yet",
           1e3 * least, pass ? "pass" : "FAIL");
    return pass;
}

// ---------------------------------------------------------------------------------------------------- lowered

// The knot that holds, with less and less friction, until it is lost.
static bool tell_lowered(Knot* k)
{
    double friction = scene_friction, start = k->drawn;
    bool good = true;
    while (good && friction > less && k->drawn - start < far) {
        friction -= less;
        good = set_friction(k, friction);
        double end = cord_world_time(k->world) + every;
        while (good && cord_world_time(k->world) < end - 0.5 * step && k->drawn - start < far) {
            good = advance(k);
        }
    }
    bool pass = good && k->drawn - start >= far;
    printf("the knot that holds, its friction lowered by %g each %g s: lost at %.2f: %s\n", less, every,
           friction, pass ? "pass" : "FAIL");
    return pass;
}

// ---------------------------------------------------------------------------------------------------- granny

// Its second half is tied the wrong way. With as much friction as holds a square knot.
static bool tell_granny(double square)
{
    Knot k;
    bool good = dress(&k, "granny") && advance_to(&k, long_enough);
    bool pass = good && k.drawn > 5.0 * square;
    printf("a granny knot with friction %g: at %g s %.0f mm are drawn out; more than five times as much as of the square knot expected "
           "(Patil, Sandt, Kolle and Dunkel 2020): %s\n",
           scene_friction, long_enough, 1e3 * k.drawn, pass ? "pass" : "FAIL");
    undo(&k);
    return pass;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "square_knot"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset xlabel 'time [s]'\nset ylabel 'rope drawn out of the knot [mm]'\n"
            "set y2label 'pull at each tail [N]'\nset xrange [0.15:0.6]\nset yrange [-2:50]\nset y2range [-4:100]\n"
            "set ytics nomirror\nset y2tics\nset key outside top center horizontal\n"
            "s(m) = sprintf('friction %%g', m)\n"
            "plot 'square_knot.csv' using ($1 == 0.5 ? $2 : 1/0):3 axes x1y2 with lines lw 1 dt 2 lc rgb 'grey40' title 'pull at the tails', "
            "for [i=1:3] 'square_knot.csv' using (abs($1 - word('0.3 0.4 0.5', i)) < 1e-6 ? $2 : 1/0):5 with lines lw 3 "
            "lc rgb word('#c8442f #d59b2d #2f86c1', i) title s(word('0.3 0.4 0.5', i) + 0)\n");
    reproduce_plot_close(&p, script);
}

bool square_knot_run(const char* directory)
{
    Knot k;
    FILE* csv = reproduce_file(directory, "square_knot.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "friction,time,tails,pull,drawn_mm\n");
    printf("square knot in ropes of 8 mm that bend with 1e-3 N m^2, drawn tight by %g N at all four ends, then by the standing ends alone\n",
           pull);
    bool good = dress(&k, "square");
    bool slips = good && tell_slips(&k, 0.3, far, csv) && tell_slips(&k, 0.4, radius, csv);
    bool holds = good && tell_holds(&k, csv);
    double square = k.drawn;
    bool lowered = holds && tell_lowered(&k);
    undo(&k);
    fclose(csv);
    bool granny = tell_granny(square), pass = slips && holds && lowered && granny;
    printf("square-knot: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
