// A square knot ties two ropes together. Drawn tight by all four ends and left to itself, it holds as long as
// there is friction enough; a granny does not.
#include "lab.h"

#include <math.h>

// As in the scene: radius of the ropes [m], pull [N], friction; when the tails begin to be let go, and when
// they are free [s].
static const double radius = 0.004, pull = 100.0, scene_friction = 0.5, let_go = 0.15, are_free = 0.35;
static const double step = 0.005;                // [s]
static const double settled = 0.5, held = 1.5;   // between these the knot is watched [s]
static const double long_enough = 0.6;           // to see whether a knot slips [s]
static const double less = 0.02, every = 0.1;    // friction is lowered by so much, and after so long [s]
static const double pull_off = 1e-3, far = 0.05; // of the pull; rope drawn out of a knot that is lost [m]

typedef struct Knot {
    CordWorld* world;
    LabState dressed; // before the tails are let go
    double tight;     // how far the standing ends are apart there [m]
    double drawn;     // rope drawn out of the knot since then [m]
    double tension;   // at the end that does not move [N]
} Knot;

static double apart(Lab* lab, const Knot* k)
{
    return lab_node(lab, k->world, 1, 0).x - lab_node(lab, k->world, 0, 0).x;
}

static bool is_open(const Knot* k) // nothing touches anything any more
{
    return cord_world_contact_report(k->world).contacts == 0;
}

static void advance(Lab* lab, Knot* k)
{
    lab_steps(lab, k->world, step, 1);
    k->drawn = apart(lab, k) - k->tight;
    k->tension = lab_reaction(k->world, 0).x;
}

static void advance_to(Lab* lab, Knot* k, double time)
{
    while (cord_world_time(k->world) < time - 0.5 * step) {
        advance(lab, k);
    }
}

static Knot dress(Lab* lab, const char* name)
{
    Knot k = {.world = lab_world(lab, "square_knot", "rods[*].shape.knot.name=%s", name)};
    advance_to(lab, &k, let_go);
    k.tight = apart(lab, &k);
    lab_keep(lab, k.world, &k.dressed);
    return k;
}

// ---- let go

// The dressed knot, with another friction.
static void take_dressed(Lab* lab, Knot* k, double friction)
{
    k->drawn = 0.0;
    lab_restore(lab, k->world, &k->dressed);
    lab_friction(lab, k->world, friction);
}

// Until a time, or until it is open.
static void watch(Lab* lab, Knot* k, double friction, double end)
{
    while (cord_world_time(k->world) < end - 0.5 * step && !(k->drawn > far && is_open(k))) {
        advance(lab, k);
        double time = cord_world_time(k->world);
        double tails = pull * fmin(1.0, fmax(0.0, (are_free - time) / (are_free - let_go)));
        lab_row(lab, "", lab_text(lab, "friction %g", friction), time, tails, k->tension, 1e3 * k->drawn);
    }
}

static bool judge_holds(Lab* lab, Knot* k)
{
    take_dressed(lab, k, scene_friction);
    watch(lab, k, scene_friction, settled);
    double before = k->drawn;
    watch(lab, k, scene_friction, held);
    bool still = lab_below(lab,
                           lab_text(lab, "friction %g: rope drawn out of the knot from %g to %g s [m]",
                                    scene_friction, settled, held),
                           fabs(k->drawn - before), radius, "it holds: less than a radius");
    bool bears = lab_near(lab, lab_text(lab, "friction %g: tension [N]", scene_friction), k->tension, pull,
                          pull_off, "the pull");
    bool there = lab_below(lab, lab_text(lab, "friction %g: rope drawn out in all [m]", scene_friction),
                           k->drawn, far, "it holds");
    return still && bears && there;
}

static void judge_slips(Lab* lab, Knot* k, double friction, double least)
{
    take_dressed(lab, k, friction);
    watch(lab, k, friction, long_enough);
    lab_above(lab,
              lab_text(lab, "friction %g: rope drawn out at %.3g s, when the knot is%s open [m]", friction,
                       cord_world_time(k->world), is_open(k) ? "" : " not"),
              k->drawn, least, "it slips");
}

// The knot that holds, with less and less friction, until it is lost.
static void judge_lowered(Lab* lab, Knot* k)
{
    double friction = scene_friction, start = k->drawn;
    while (friction > less && k->drawn - start < far) {
        friction -= less;
        lab_friction(lab, k->world, friction);
        double end = cord_world_time(k->world) + every;
        while (cord_world_time(k->world) < end - 0.5 * step && k->drawn - start < far) {
            advance(lab, k);
        }
    }
    lab_true(
        lab,
        lab_text(lab, "friction lowered by %g each %g s: at %.2f the knot is lost", less, every, friction),
        k->drawn - start >= far, NULL);
}

// Its second half is tied the wrong way. With as much friction as holds a square knot.
static void judge_granny(Lab* lab, double square)
{
    Knot k = dress(lab, "granny");
    advance_to(lab, &k, long_enough);
    lab_above(
        lab,
        lab_text(lab, "a granny with friction %g: rope drawn out at %g s [m]", scene_friction, long_enough),
        k.drawn, 5.0 * square, "five times the square knot's: Patil, Sandt, Kolle and Dunkel 2020");
}

// ---- the experiment

static void run(Lab* lab)
{
    lab_say(lab,
            "square knot in ropes of 8 mm that bend with 1e-3 N m^2, drawn tight by %g N at all four "
            "ends, then by the standing ends alone",
            pull);
    Knot k = dress(lab, "square");
    judge_slips(lab, &k, 0.3, far);
    if (lab_pick(lab, 0.0, 1.0) > 0.0) { // judge_lowered comes to the same limit
        judge_slips(lab, &k, 0.4, radius);
    }
    bool holds = judge_holds(lab, &k);
    double square = k.drawn;
    if (holds) {
        judge_lowered(lab, &k);
    }
    judge_granny(lab, square);
}

const Experiment experiment_square_knot = {
    .id = "square-knot",
    .about = "a square knot: it holds 100 N by friction, and slips with less of it",
    .source = "a square knot holds by friction",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "friction,time [s],tails [N],pull [N],drawn [mm]"}),
    .panels =
        LAB_PANELS({.x = "time [s]",
                    .y = "rope drawn out of the knot [mm]",
                    .right = "pull at each tail [N]",
                    .set = "set xrange [0.15:0.6]\nset yrange [-2:50]\nset y2range [-4:100]\nset key outside "
                           "top center horizontal",
                    .curves = LAB_CURVES({"", "friction 0.5", .x = "time", .y = "tails",
                                          .with = "lines lw 1 dt 2 lc rgb 'grey40'",
                                          .title = "pull at the tails", .right = true},
                                         LAB_CURVE("", LAB_EACH, "time", "drawn", "lines lw 3", NULL))}),
};
