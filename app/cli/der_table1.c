// DER, table 1: milliseconds for a step of each figure's scene, beside the paper's, which were taken on a 2.66 GHz Core 2 Duo.
#include "der_table1.h"

#include "bench_world.h"
#include "reproduce.h"

#include <math.h>

static const double goal = 30.0; // times faster than the paper, in total

typedef struct Row {
    const char* scene;
    bool joined;             // to bodies: fast projection takes no welds
    const char* settings[4]; // explicit steps, the paper's number of vertices; NULL: as the scene is
    Table1Cost paper;        // [ms], and so are its steps
} Row;

static const Row rows[TABLE1_ROWS] = {
    {"der/fig1",
     false,
     {"rods[cord].integrator=verlet", "rods[cord].elements=59", "probes[loop].at.node=30",
      "contact.watch_topology=false"},
     {1, 60, 4.0, 0.026, 0.05, 0.021, 0.21, 0.31}},
    {"der/fig5_v", false, {NULL, NULL}, {5, 49, 1.0, 0.025, 0.018, 0.021, 0.12, 0.18}},
    {"der/fig6", true, {NULL, NULL}, {6, 200, 2.0, 0.072, 0.09, 0.064, 0.81, 1.04}},
    {"der/fig7", false, {NULL, NULL}, {7, 75, 2.0, 0.043, NAN, 0.1, 0.2, 0.34}},
    {"der/fig8", false, {NULL, NULL}, {8, 67, 50.0, 0.039, NAN, 0.096, 0.28, 0.42}},
    {"der/fig9",
     false,
     {"rods[cord].integrator=verlet", "rods[cord].elements=274", "contact.watch_topology=false"},
     {9, 275, 1.0, 0.13, 0.19, 0.17, 0.42, 0.92}},
    {"der/fig10",
     false,
     {"rods[*].integrator=verlet", "rods[*].inextensible=true", "rods[*].elements=20", "materials.plastic.viscosity=0"},
     {10, 31, 1.0, 0.016, 0.13, NAN, 0.13, 0.28}},
    {"der/fig11",
     true,
     {"rods[spring].integrator=verlet", "rods[spring].elements=19"},
     {11, 20, 1.0, 0.0036, NAN, 0.0043, 0.019, 0.027}},
    {"der/fig12", true, {NULL, NULL}, {12, 2158, 0.1, 0.87, NAN, 0.64, 21.0, 22.0}},
};

const Table1Cost* table1_paper(int row)
{
    static Table1Cost seconds[TABLE1_ROWS];
    const Table1Cost* ms = &rows[row].paper;
    seconds[row] =
        (Table1Cost){ms->figure,         ms->vertices,      1e-3 * ms->step,       1e-3 * ms->forces,
                     1e-3 * ms->contact, 1e-3 * ms->frames, 1e-3 * ms->projection, 1e-3 * ms->total};
    return &seconds[row];
}

// ---------------------------------------------------------------------------------------------------- measuring

static int settings_of(const Row* row, const char* lengths, char text[64], const char* settings[5])
{
    int count = 0;
    for (int i = 0; i < 4 && row->settings[i]; i++) {
        settings[count++] = row->settings[i];
    }
    if (lengths) {
        snprintf(text, 64, "rods[*].length_method=%s", lengths);
        settings[count++] = text;
    }
    return count;
}

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

static bool measure_total(const Row* row, const char* const* settings, int count, Table1Cost* cost)
{
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world = reproduce_scene_with(&hooks, row->scene, settings, count);
    if (!world) {
        return false;
    }
    int steps = steps_in_a_round(row);
    cost->vertices = count_vertices(world);
    cost->step = fmin(1e-3 * row->paper.step, 0.8 * cord_world_step_advice(world).step);
    bool good = cord_world_step_many(world, cost->step, 20) == CORD_OK;
    cost->total = good ? bench_time_steps(world, cost->step, steps, 15, 1) / steps : (double)NAN;
    if (!isfinite(cost->total)) {
        fprintf(stderr, "%s\n", cord_world_message(world));
    }
    cord_world_destroy(world);
    return isfinite(cost->total);
}

// The round with the least sum counts: it is the least disturbed one.
static bool measure_phases(const Row* row, const char* const* settings, int count, Table1Cost* cost)
{
    CordWorld* world = reproduce_scene(row->scene, settings, count);
    int steps = steps_in_a_round(row);
    bool good = world && cord_world_step_many(world, cost->step, 20) == CORD_OK;
    double least = INFINITY;
    for (int round = 0; round < 15 && good; round++) {
        CordStepTimes before = cord_world_step_times(world);
        good = cord_world_step_many(world, cost->step, steps) == CORD_OK;
        CordStepTimes after = cord_world_step_times(world);
        double forces = (after.forces - before.forces) / steps, frames = (after.frames - before.frames) / steps;
        double projection = (after.lengths - before.lengths) / steps + (after.bodies - before.bodies) / steps;
        double contact = (after.contact - before.contact) / steps;
        if (forces + contact + frames + projection < least) {
            least = forces + contact + frames + projection;
            cost->forces = forces, cost->frames = frames, cost->projection = projection;
            cost->contact = contact > 0.0 ? contact : (double)NAN;
        }
    }
    cord_world_destroy(world);
    return good;
}

bool table1_measure(int i, const char* lengths, Table1Cost* cost)
{
    char text[64];
    const char* settings[5];
    int count = settings_of(&rows[i], lengths, text, settings);
    *cost = (Table1Cost){.figure = rows[i].paper.figure, .contact = NAN};
    return measure_total(&rows[i], settings, count, cost) && measure_phases(&rows[i], settings, count, cost);
}

// ---------------------------------------------------------------------------------------------------- the table

static void print_cost(const char* who, const Table1Cost* c)
{
    const double phases[] = {c->forces, c->contact, c->frames, c->projection, c->total};
    printf("  %-16s %8d %9.3g", who, c->vertices, 1e3 * c->step);
    for (int i = 0; i < 5; i++) {
        if (isfinite(phases[i])) {
            printf(" %11.4g", 1e6 * phases[i]);
        } else {
            printf(" %11s", "-");
        }
    }
}

static bool compare(int i, const char* lengths, const char* who, FILE* csv, double* total)
{
    const Table1Cost* paper = table1_paper(i);
    Table1Cost c;
    if (!table1_measure(i, lengths, &c)) {
        return false;
    }
    double gain = paper->total / c.total;
    *total = c.total;
    print_cost(who, &c);
    printf(" %6.0f times faster: %s\n", gain, gain >= goal ? "pass" : "FAIL");
    fflush(stdout);
    fprintf(csv, "%d,%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", c.figure, who, c.vertices, 1e3 * c.step,
            1e3 * c.forces, 1e3 * c.frames, 1e3 * c.projection, 1e3 * c.total, 1e3 * paper->total);
    return gain >= goal;
}

static bool print_figure(int i, FILE* csv, double* total)
{
    double other;
    const Table1Cost* paper = table1_paper(i);
    printf("figure %d\n", paper->figure);
    print_cost("paper", paper);
    printf("\n");
    bool pass = compare(i, NULL, "RATTLE", csv, total);
    return rows[i].joined ? pass : compare(i, "fast_projection", "fast projection", csv, &other) && pass;
}

static void plot(const char* directory, const double totals[TABLE1_ROWS])
{
    ReproducePlot p = {.directory = directory, .name = "der-table1"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "$steps << END\n");
    for (int i = 0; i < TABLE1_ROWS; i++) {
        fprintf(script, "%d %.6g %.6g\n", rows[i].paper.figure, rows[i].paper.total, 1e3 * totals[i]);
    }
    fprintf(script,
            "END\nset style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9 border -1\n"
            "set logscale y\nset yrange [0.0005:50]\nset grid y\nset format y '%%g'\nset xlabel 'figure'\n"
            "set ylabel 'one step [ms]'\nset key top left\n"
            "plot $steps using 2:xtic(1) lc rgb '#b8bec6' title 'the paper', "
            "'' using 3 lc rgb '#2455a4' title 'Cordage', "
            "'' using ($2/%g) lc rgb '#e8b04a' title 'the goal, a thirtieth of the paper'\n",
            goal);
    reproduce_plot_close(&p, script);
}

bool der_table1_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-table1.csv");
    if (!csv) {
        return false;
    }
    double totals[TABLE1_ROWS] = {0};
    bool pass = true;
    printf("explicit steps, as long as the paper's where these are stable; at least %.0f times faster in total\n"
           "  %-16s %8s %9s %11s %11s %11s %11s %11s\n",
           goal, "", "vertices", "step [ms]", "forces [us]", "contact", "quasistatic", "projection", "total");
    fprintf(csv, "figure,method,vertices,step_ms,forces_ms,quasistatic_ms,projection_ms,total_ms,paper_total_ms\n");
    for (int i = 0; i < TABLE1_ROWS; i++) {
        pass &= print_figure(i, csv, &totals[i]);
    }
    fclose(csv);
    printf("Figure 10 is a chain of five links here; of the paper's row the update of frames and the total cannot be read, and the total here is the sum of the rest.\n"
           "Contact finds out that nothing touches in figures 1 and 9, which are timed as they begin. Fast projection takes no rods joined to bodies (6, 11, 12).\n"
           "Projection counts bodies' steps, too. Phases are timed by themselves, which costs a little: they may add up to more than the total.\n"
           "The paper's figure 6 adds up to 1.04 ms; its printed total cannot be read with certainty.\n");
    printf("der-table1: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory, totals);
    return pass;
}
