// PBER, figure 3: a straight rod that hangs and one that falls, for three ways in which gravity can act on
// ghost points.
#include "lab.h"

#include <math.h>

enum { METHODS = 3, NODES = 21, ROWS = 5, SCENE_ITERATIONS = 20 };

typedef enum Method { FULL, NONE, MODIFIED } Method;

static const char* const names[METHODS] = {"full", "none", "modified"};

// The scene's: rods of 1 m, of which each method has one that hangs and one that falls.
static const double step = 0.01, hang = 4.0, fall = 0.6, length = 1.0, gravity = 9.81;
static const int iterations[ROWS] = {5, 10, 20, 40, 80};
static const double ghost_share = 0.5; // of the mass
static const double ghost_side = 0.05; // distance of the ghost points: one edge [m]

static const double bent_most = 0.1; // modified gravity, of what full gravity bends: should be so by far
// [rad/s]: the places of both ends, 1 m apart and up to 3 m from the origin, are rounded to 4e-16 m in each
// of 60 steps of 0.01 s, and each of 20 sweeps; were they all to one side, they would add up to this.
static const double spin_most = 1e-10;
// What is left of the bend at rest with a quarter of the step. Nodes fall by g h^2 before the sweeps, and
// ghosts, which nothing pulls, do not: edges turn until lengths have drawn the nodes back up, and as many
// sweeps leave the same share of that. A sixteenth, then, and a half of it over.
static const double quarter_most = 1.5 / 16.0;
static const double theory_most =
    0.02; // of the spin without gravity: masses sit at nodes, 20 to the rod, and it bends a little

typedef struct Hang { // sideways, from where the rod begins [m]
    double at_rest[METHODS];
    double greatest[METHODS]; // at any time
} Hang;

typedef struct Fall {
    double spin[METHODS];     // of the line from end to end [rad/s]
    double turned[METHODS];   // [rad]
    double greatest[METHODS]; // spin at any time [rad/s]
    double fallen[METHODS];   // the upper end [m]
} Fall;

// ---- the scene

static CordRodId rod_of(const CordWorld* world, bool falls, int method)
{
    return cord_world_rod(world, method + (falls ? METHODS : 0));
}

static CordWorld* world_with(Lab* lab, int count)
{
    return lab_world(lab, "pbd/fig3", "rods[*].pbd.iterations=%d", count);
}

static void write_shapes(Lab* lab, CordVec3 x[METHODS][NODES], const char* state)
{
    for (int m = 0; m < METHODS; m++) {
        for (int k = 0; k < NODES; k++) {
            lab_row(lab, "shapes", lab_text(lab, "%s %s", state, names[m]), x[m][k].x, x[m][k].z);
        }
    }
}

// ---- hanging

static Hang run_hanging(Lab* lab, int count, double time_step, bool kept)
{
    CordWorld* world = world_with(lab, count);
    CordVec3 x[METHODS][NODES];
    Hang h = {.at_rest = {0}};
    for (int i = 0; i < (int)lround(hang / time_step); i++) {
        lab_steps(lab, world, time_step, 1);
        for (int m = 0; m < METHODS; m++) {
            h.at_rest[m] = 0.0;
            cord_rod_positions(world, rod_of(world, false, m), x[m]);
            for (int k = 0; k < NODES; k++) {
                h.at_rest[m] = fmax(h.at_rest[m], fabs(x[m][k].x - x[m][0].x));
            }
            h.greatest[m] = fmax(h.greatest[m], h.at_rest[m]);
        }
    }
    if (kept) {
        write_shapes(lab, x, "hanging");
    }
    return h;
}

static void judge_hanging(Lab* lab)
{
    Hang rows[ROWS], quarter = run_hanging(lab, SCENE_ITERATIONS, 0.25 * step, false);
    double worst = 0.0, left = NAN;
    bool shrinks = true;
    lab_say(lab, "hanging: how far any node goes to the side [mm], at any time and at rest after %g s", hang);
    for (int i = 0; i < ROWS; i++) {
        Hang* h = &rows[i];
        *h = run_hanging(lab, iterations[i], step, iterations[i] == SCENE_ITERATIONS);
        lab_row(lab, "", NULL, iterations[i], 1e3 * h->greatest[FULL], 1e3 * h->at_rest[FULL],
                1e3 * h->greatest[NONE], 1e3 * h->at_rest[NONE], 1e3 * h->greatest[MODIFIED],
                1e3 * h->at_rest[MODIFIED]);
        worst = fmax(worst, h->at_rest[MODIFIED] / h->at_rest[FULL]);
        worst = fmax(worst, h->greatest[MODIFIED] / h->greatest[FULL]);
        left = iterations[i] == SCENE_ITERATIONS ? quarter.at_rest[MODIFIED] / h->at_rest[MODIFIED] : left;
        for (int m = 0; i > 0 && m < METHODS; m++) {
            shrinks = shrinks && h->greatest[m] < rows[i - 1].greatest[m];
        }
    }
    lab_below(lab, "modified gravity bends it, over what full gravity does, by", worst, bent_most, NULL);
    lab_true(lab, "all bend less with more iterations", shrinks, NULL);
    lab_below(lab, "at rest with modified gravity: what a quarter of the step leaves of the bend", left,
              quarter_most, "the square of the step, a sixteenth");
}

// ---- falling

// The ghost points' share s of the mass m is d to the side of the rest, and nothing pulls at it: gravity on
// the rest turns the rod about its centre of mass with s (1 - s) m g d.
static double spin_up(void)
{
    double lever = ghost_share * (1.0 - ghost_share) * ghost_side;
    return lever * gravity / (length * length / 12.0 + lever * ghost_side); // [rad/s^2]
}

static void look_falling(const CordWorld* world, Fall* f, CordVec3 x[METHODS][NODES])
{
    CordVec3 v[NODES];
    for (int m = 0; m < METHODS; m++) {
        cord_rod_positions(world, rod_of(world, true, m), x[m]);
        cord_rod_velocities(world, rod_of(world, true, m), v);
        const CordVec3 *a = &x[m][0], *b = &x[m][NODES - 1];
        double along_x = b->x - a->x, along_z = b->z - a->z;
        double u = v[NODES - 1].x - v[0].x, w = v[NODES - 1].z - v[0].z;
        f->turned[m] = atan2(along_x, -along_z);
        f->spin[m] = (along_x * w - along_z * u) / (along_x * along_x + along_z * along_z);
        f->greatest[m] = fmax(f->greatest[m], fabs(f->spin[m]));
        f->fallen[m] = -a->z;
    }
}

static Fall run_falling(Lab* lab)
{
    CordWorld* world = world_with(lab, SCENE_ITERATIONS);
    CordVec3 x[METHODS][NODES];
    int steps = (int)lround(fall / step);
    Fall f = {.spin = {0}};
    look_falling(world, &f, x);
    write_shapes(lab, x, "at first");
    for (int i = 0; i < steps; i++) {
        lab_steps(lab, world, step, 1);
        look_falling(world, &f, x);
    }
    write_shapes(lab, x, "fallen");
    return f;
}

static void judge_falling(Lab* lab)
{
    Fall f = run_falling(lab);
    double way = 0.5 * gravity * fall * (fall + step); // of Euler's method
    lab_say(lab, "falling: after %g s, undamped", fall);
    for (int m = 0; m < METHODS; m++) {
        lab_row(lab, "falling", names[m], f.spin[m], f.turned[m], f.fallen[m] / way);
    }
    lab_below(lab, "with modified gravity its spin is, at any time [rad/s]", f.greatest[MODIFIED], spin_most,
              "round-off");
    lab_below(lab, "with full gravity its spin is, at any time [rad/s]", f.greatest[FULL], spin_most,
              "round-off");
    lab_near(lab, "without gravity on ghost points it spins [rad/s]", f.spin[NONE], spin_up() * fall,
             theory_most, "s (1 - s) m g d t over the inertia");
}

static void run(Lab* lab)
{
    lab_say(lab,
            "a straight rod of %g m, %d elements, steps of %g s; full gravity on its ghost points, "
            "none, and modified",
            length, NODES - 1, step);
    judge_falling(lab);
    judge_hanging(lab);
}

#define SHAPE(state, method, style, name) LAB_CURVE("shapes", state " " method, "x", "z", style, name)
#define BEND(column, style, name) LAB_CURVE("", NULL, "iterations", "1e-3*{" column "}", style, name)

const Experiment experiment_pber_fig3 = {
    .id = "pber-fig3",
    .about = "PBER figure 3: a rod that hangs and one that falls, for three kinds of gravity on ghost points",
    .source = "PBER figure 3",
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns = "iterations,full: most,at rest,none: most,at rest,mod.: most,at rest", .shown = true},
        {"falling", .columns = "gravity,spin [rad/s],turned [rad],of g t^2/2", .shown = true},
        {"shapes", .columns = "rod,x [m],z [m]"}),
    .panels = LAB_PANELS(
        {.title = "hanging, at rest",
         .x = "x [m]",
         .y = "z [m]",
         .set = "set size ratio -1\nset xtics 0.5\nset xrange [-0.3:0.9]\nset yrange [-1.5:0.2]\nset key "
                "bottom center",
         .curves = LAB_CURVES(SHAPE("hanging", "full", NULL, "full"), SHAPE("hanging", "none", NULL, "none"),
                              SHAPE("hanging", "modified", NULL, "modified"))},
        {.title = "falling, at first and after 0.6 s",
         .x = "x [m]",
         .y = "z [m]",
         .set = "set size ratio -1\nset xtics 0.5\nset xrange [1.1:2.9]\nset yrange [-3.2:0.2]\nset key off",
         .curves = LAB_CURVES(SHAPE("fallen", "full", NULL, ""), SHAPE("fallen", "none", NULL, ""),
                              SHAPE("fallen", "modified", NULL, ""),
                              SHAPE("at first", "full", "lines lw 2 lc rgb '#b0b0b0'", ""),
                              SHAPE("at first", "none", "lines lw 2 lc rgb '#b0b0b0'", ""),
                              SHAPE("at first", "modified", "lines lw 2 lc rgb '#b0b0b0'", ""))},
        {.title = "hanging, greatest bend",
         .x = "iterations",
         .y = "to the side [m]",
         .set = "set logscale xy\nset xrange [4:100]\nset yrange [1e-4:1]\nset xtics (5, 10, 20, 40, "
                "80)\nset key top right",
         .curves = LAB_CURVES(BEND("full: most", "linespoints pt 7", "full"),
                              BEND("none: most", "linespoints pt 7", "none"),
                              BEND("mod.: most", "linespoints pt 7", "modified"))}),
    .layout = "1,3",
};
