// CORDE, table 1: what forces and integration of rods of 50, 100 and 1,000 elements cost, beside the paper's
// figures, which were taken on a 3.8 GHz Xeon.
#include "lab.h"

#include <math.h>

static const double growth_most = 1.3; // of the cost of an element, at 1,000 elements, over the least of any

enum { ROWS = 3, WAYS = 2, ROUNDS = 40 };

typedef struct Cost { // of one step [s]
    double forces, orientations, total;
} Cost;

static const int elements[ROWS] = {50, 100, 1000};
static const Cost paper[ROWS] = {
    {0.051e-3, NAN, 0.069e-3}, {0.096e-3, NAN, 0.131e-3}, {0.91e-3, NAN, 1.24e-3}};

static const struct {
    CordOrientations orientations;
    const char* name;
} ways[WAYS] = {
    {CORD_ORIENTATIONS_EXPLICIT, "explicit orientations"}, // the paper's
    {CORD_ORIENTATIONS_QUASISTATIC, "quasistatic orientations"},
};

// ---- measuring

// A rod of soft rubber, wavy so that every term of the forces counts, falling freely. Elements are as long in
// all: 1 cm, as those of the paper's thread, and ten times as long as thick.
static CordWorld* open_rod(Lab* lab, int row, int way, LabTimed timed)
{
    int nodes = elements[row] + 1;
    CordVec3* x = lab_room(lab, (size_t)nodes, sizeof *x);
    for (int k = 0; k < nodes; k++) {
        double s = 0.01 * k;
        x[k] = (CordVec3){s, 0.02 * sin(7.0 * s), 0.02 * cos(5.0 * s)};
    }
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_CORDE;
    rod.corde.orientations = ways[way].orientations;
    rod.material.young = 1e6;
    rod.shape = cord_shape_points(x, nodes);
    rod.rest = CORD_REST_STRAIGHT;
    CordWorld* world = lab_world_empty(lab, cord_world_def_default().gravity, timed);
    lab_rod(lab, world, &rod);
    return world;
}

static Cost measure(Lab* lab, int row, int way)
{
    CordWorld *world = open_rod(lab, row, way, LAB_UNTIMED), *timed = open_rod(lab, row, way, LAB_BY_WALL);
    int steps = 200000 / elements[row]; // of a round
    double h = 0.5 * cord_world_step_advice(world).step;
    lab_steps(lab, world, h, 100); // warm-up
    lab_steps(lab, timed, h, 100);
    double total = lab_time(lab, world, h, steps, ROUNDS, 1) / steps;
    CordStepTimes phases = lab_phases(lab, timed, h, steps, ROUNDS);
    return (Cost){phases.forces, phases.frames, total};
}

// ---- the table

static void write_row(Lab* lab, const char* who, int row, const Cost* c)
{
    lab_row(lab, "", who, elements[row], 1e6 * c->forces, 1e6 * c->orientations, 1e6 * c->total,
            1e9 * c->total / elements[row], paper[row].total / c->total);
}

static void run(Lab* lab)
{
    lab_say(lab, "one step of a rod that moves freely, straight and round by nature; microseconds");
    for (int row = 0; row < ROWS; row++) {
        write_row(lab, "the paper", row, &paper[row]);
    }
    for (int way = 0; way < WAYS; way++) {
        double least = INFINITY, last = NAN;
        for (int row = 0; row < ROWS; row++) {
            Cost c = measure(lab, row, way);
            write_row(lab, ways[way].name, row, &c);
            last = c.total / elements[row];
            least = fmin(least, last);
        }
        lab_below(lab, lab_text(lab, "%s: cost of an element of 1,000, over the least", ways[way].name),
                  last / least, growth_most, "linear in the number of elements");
    }
    lab_say(lab, "Forces count the step of velocities in, which is part of the paper's integration (0.018, "
                 "0.035 and 0.33 ms). Phases are timed by themselves,\n"
                 "which costs a little: they may add up to more than the total.");
}

const Experiment experiment_corde_table1 = {
    .id = "corde-table1",
    .about = "CORDE table 1: what forces and integration cost by the number of elements",
    .source = "CORDE table 1, on a 3.8 GHz Xeon",
    .cost = LAB_TIMING,
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns = "orientations,elements,forces,frames,total,ns/element,times faster", .shown = true}),
    .panels =
        LAB_PANELS({.x = "elements",
                    .y = "one step [ms]",
                    .set = "set logscale xy\nset xrange [40:1300]\nset yrange [0.0005:5]\nset format y '%g'\n"
                           "set xtics (50, 100, 200, 500, 1000)\nset key top left",
                    .curves = LAB_CURVES(LAB_CURVE("", LAB_EACH, "elements", "1e-3*{total}",
                                                   "linespoints pt 7 ps 1.3 lw 2", NULL))}),
};
