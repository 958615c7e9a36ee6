// DER, table 1: milliseconds for a step of each figure's scene, beside the paper's, which were taken on a
// 2.66 GHz Core 2 Duo.
#include "timing.h"

#include <math.h>

static const double goal = 30.0; // times faster than the paper, in total

typedef struct Row {
    const char* scene;
    bool joined;          // to bodies: fast projection takes no welds
    const char* settings; // explicit steps, the paper's number of vertices
    TimingStep paper;     // [ms], and so are its steps
} Row;

static const Row rows[TIMING_TABLE1] = {
    {"der/fig1",
     false,
     "rods[cord].integrator=verlet; rods[cord].elements=59; probes[loop].at.node=30; "
     "contact.watch_topology=false",
     {1, 60, 4.0, 0.026, 0.05, 0.021, 0.21, 0.31}},
    {"der/fig5_v", false, "", {5, 49, 1.0, 0.025, 0.018, 0.021, 0.12, 0.18}},
    {"der/fig6", true, "", {6, 200, 2.0, 0.072, 0.09, 0.064, 0.81, 1.04}},
    {"der/fig7", false, "", {7, 75, 2.0, 0.043, NAN, 0.1, 0.2, 0.34}},
    {"der/fig8", false, "", {8, 67, 50.0, 0.039, NAN, 0.096, 0.28, 0.42}},
    {"der/fig9",
     false,
     "rods[cord].integrator=verlet; rods[cord].elements=274; contact.watch_topology=false",
     {9, 275, 1.0, 0.13, 0.19, 0.17, 0.42, 0.92}},
    {"der/fig10",
     false,
     "rods[*].integrator=verlet; rods[*].inextensible=true; rods[*].elements=20; "
     "materials.plastic.viscosity=0",
     {10, 31, 1.0, 0.016, 0.13, NAN, 0.13, 0.28}},
    {"der/fig11",
     true,
     "rods[spring].integrator=verlet; rods[spring].elements=19",
     {11, 20, 1.0, 0.0036, NAN, 0.0043, 0.019, 0.027}},
    {"der/fig12", true, "", {12, 2158, 0.1, 0.87, NAN, 0.64, 21.0, 22.0}},
};

TimingStep timing_table1_paper(int row)
{
    TimingStep c = rows[row].paper;
    double* ms[] = {&c.step, &c.forces, &c.contact, &c.frames, &c.projection, &c.total};
    for (int i = 0; i < 6; i++) {
        *ms[i] *= 1e-3;
    }
    return c;
}

// ---- measuring

static int count_vertices(const CordWorld* world)
{
    int sum = 0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        sum += cord_rod_node_count(world, cord_world_rod(world, i));
    }
    return sum;
}

// Enough for twenty milliseconds or so.
static int steps_in_a_round(const Row* row)
{
    return (int)fmax(10.0, 1e5 / row->paper.vertices);
}

static void measure_total(Lab* lab, const Row* row, const char* settings, TimingStep* cost)
{
    CordWorld* world = lab_world_timed(lab, LAB_UNTIMED, row->scene, "%s", settings);
    int steps = steps_in_a_round(row);
    cost->vertices = count_vertices(world);
    cost->step = fmin(1e-3 * row->paper.step, 0.8 * cord_world_step_advice(world).step);
    lab_steps(lab, world, cost->step, 20);
    cost->total = lab_time(lab, world, cost->step, steps, 15, 1) / steps;
    lab_discard(lab, world);
}

static void measure_phases(Lab* lab, const Row* row, const char* settings, TimingStep* cost)
{
    CordWorld* world = lab_world(lab, row->scene, "%s", settings);
    lab_steps(lab, world, cost->step, 20);
    CordStepTimes t = lab_phases(lab, world, cost->step, steps_in_a_round(row), 15);
    cost->forces = t.forces, cost->frames = t.frames, cost->projection = t.lengths + t.bodies;
    cost->contact = t.contact > 0.0 ? t.contact : (double)NAN;
    lab_discard(lab, world);
}

TimingStep timing_table1(Lab* lab, int i, const char* lengths)
{
    const char* settings = lab_text(lab, "%s%s%s", rows[i].settings,
                                    lengths ? "; rods[*].length_method=" : "", lengths ? lengths : "");
    TimingStep cost = {.figure = rows[i].paper.figure, .contact = NAN};
    measure_total(lab, &rows[i], settings, &cost);
    measure_phases(lab, &rows[i], settings, &cost);
    return cost;
}

// ---- the table

static void write_row(Lab* lab, const char* who, const TimingStep* c)
{
    lab_row(lab, "", lab_text(lab, "%d %s", c->figure, who), c->vertices, 1e3 * c->step, 1e6 * c->forces,
            1e6 * c->contact, 1e6 * c->frames, 1e6 * c->projection, 1e6 * c->total);
}

// The total of a step, in which lengths are kept in some way [s].
static double compare(Lab* lab, int i, const char* lengths, const char* who)
{
    TimingStep paper = timing_table1_paper(i), c = timing_table1(lab, i, lengths);
    write_row(lab, who, &c);
    lab_above(lab, lab_text(lab, "figure %d, %s: times faster in total", c.figure, who),
              paper.total / c.total, goal, NULL);
    return c.total;
}

static void run(Lab* lab)
{
    lab_say(lab, "explicit steps, as long as the paper's where these are stable; times in microseconds");
    for (int i = 0; i < TIMING_TABLE1; i++) {
        TimingStep paper = timing_table1_paper(i);
        write_row(lab, "paper", &paper);
        double total = compare(lab, i, NULL, "RATTLE");
        if (!rows[i].joined) {
            compare(lab, i, "fast_projection", "fast projection");
        }
        lab_row(lab, "totals", NULL, paper.figure, 1e3 * paper.total, 1e3 * total);
    }
    lab_say(lab, "Figure 10 is a chain of five links here; of the paper's row the update of frames and the "
                 "total cannot be read, and the total here is the sum of the rest.\n"
                 "Contact finds out that nothing touches in figures 1 and 9, which are timed as they begin. "
                 "Fast projection takes no rods joined to bodies (6, 11, 12).\n"
                 "Projection counts bodies' steps, too. Phases are timed by themselves, which costs a "
                 "little: "
                 "they may add up to more than the total.\n"
                 "The paper's figure 6 adds up to 1.04 ms; its printed total cannot be read with certainty.");
}

const Experiment experiment_der_table1 = {
    .id = "der-table1",
    .about = "DER table 1: what a step of each figure costs, phase by phase",
    .source = "DER table 1, on a 2.66 GHz Core 2 Duo",
    .cost = LAB_TIMING,
    .run = run,
    .tables =
        LAB_TABLES({"", .columns = "figure,vertices,step [ms],forces,contact,quasistatic,projection,total",
                    .shown = true},
                   {"totals", .columns = "figure,paper [ms],ours [ms]"}),
    .panels = LAB_PANELS(
        {.x = "figure",
         .y = "one step [ms]",
         .set = "set style histogram clustered gap 1\nset style fill solid 0.9 border -1\nset logscale y\n"
                "set yrange [0.0005:50]\nset format y '%g'\nset key top left",
         .curves =
             LAB_CURVES({"totals", .y = "paper", .with = "histograms lc rgb '#b8bec6'", .title = "the paper"},
                        {"totals", .y = "ours", .with = "histograms lc rgb '#2455a4'", .title = "Cordage"},
                        {"totals", .y = "{paper}/30", .with = "histograms lc rgb '#e8b04a'",
                         .title = "the goal, a thirtieth of the paper"})}),
};
