// PBER, figure 3: a straight rod that hangs and one that falls, for three ways in which gravity can act on ghost points.
#include "reproduce.h"

#include <math.h>

enum { METHODS = 3, NODES = 21, ROWS = 5, MOMENTS = 2, SCENE_ITERATIONS = 20 };

typedef enum Method { FULL, NONE, MODIFIED } Method;

static const char* const names[METHODS] = {"full", "none", "modified"};

// The scene's: rods of 1 m, of which each method has one that hangs and one that falls.
static const double step = 0.01, hang = 4.0, fall = 0.6, length = 1.0, gravity = 9.81;
static const int iterations[ROWS] = {5, 10, 20, 40, 80};
static const double ghost_share = 0.5; // of the mass
static const double ghost_side = 0.05; // distance of the ghost points: one edge [m]

static const double bent_most = 0.1; // modified gravity, of what full gravity bends: should be so by far
// [rad/s]: the places of both ends, 1 m apart and up to 3 m from the origin, are rounded to 4e-16 m in each of 60 steps of 0.01 s, and each
// of 20 sweeps; were they all to one side, they would add up to this.
static const double spin_most = 1e-10;
// What is left of the bend at rest with a quarter of the step. Nodes fall by g h^2 before the sweeps, and ghosts, which nothing
// pulls, do not: edges turn until lengths have drawn the nodes back up, and as many sweeps leave the same share of that. A
// sixteenth, then, and a half of it over.
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

typedef struct Shapes {
    CordVec3 hanging[METHODS][NODES];
    CordVec3 falling[MOMENTS][METHODS][NODES]; // at first and at last
} Shapes;

// ---- the scene

static CordRodId rod_of(const CordWorld* world, bool falls, int method)
{
    return cord_world_rod(world, method + (falls ? METHODS : 0));
}

static bool advance(CordWorld* world, double h)
{
    if (cord_world_step(world, h) == CORD_OK) {
        return true;
    }
    fprintf(stderr, "%s\n", cord_world_message(world));
    return false;
}

static CordWorld* world_with(int count)
{
    char setting[60];
    snprintf(setting, sizeof setting, "rods[*].pbd.iterations=%d", count);
    return reproduce_scene("pbd/fig3", (const char* const[]){setting}, 1);
}

// ---- hanging

static bool run_hanging(int count, double time_step, Hang* h, CordVec3 x_of[METHODS][NODES])
{
    CordWorld* world = world_with(count);
    bool good = world != NULL;
    *h = (Hang){.at_rest = {0}};
    for (int i = 0; good && i < (int)lround(hang / time_step); i++) {
        good = advance(world, time_step);
        for (int m = 0; m < METHODS; m++) {
            CordVec3* x = x_of[m];
            h->at_rest[m] = 0.0;
            cord_rod_positions(world, rod_of(world, false, m), x);
            for (int k = 0; k < NODES; k++) {
                h->at_rest[m] = fmax(h->at_rest[m], fabs(x[k].x - x[0].x));
            }
            h->greatest[m] = fmax(h->greatest[m], h->at_rest[m]);
        }
    }
    cord_world_destroy(world);
    return good;
}

static bool judge_hanging(const Hang rows[ROWS], const Hang* quarter)
{
    double worst = 0.0, left = 0.0;
    bool shrinks = true;
    for (int i = 0; i < ROWS; i++) {
        worst = fmax(worst, rows[i].at_rest[MODIFIED] / rows[i].at_rest[FULL]);
        worst = fmax(worst, rows[i].greatest[MODIFIED] / rows[i].greatest[FULL]);
        left = iterations[i] == SCENE_ITERATIONS ? quarter->at_rest[MODIFIED] / rows[i].at_rest[MODIFIED] : left;
        for (int m = 0; i > 0 && m < METHODS; m++) {
            shrinks = shrinks && rows[i].greatest[m] < rows[i - 1].greatest[m];
        }
    }
    printf("hanging: how far any node goes to the side [mm], at any time and at rest after %g s\n"
           "  %10s %12s %9s %12s %9s %12s %9s\n",
           hang, "iterations", "full, most", "at rest", "none, most", "at rest", "modified, most", "at rest");
    for (int i = 0; i < ROWS; i++) {
        const Hang* h = &rows[i];
        printf("  %10d %12.3g %9.3g %12.3g %9.3g %14.3g %9.3g\n", iterations[i], 1e3 * h->greatest[FULL],
               1e3 * h->at_rest[FULL], 1e3 * h->greatest[NONE], 1e3 * h->at_rest[NONE],
               1e3 * h->greatest[MODIFIED], 1e3 * h->at_rest[MODIFIED]);
    }
    bool straight = worst < bent_most, swept = left < quarter_most;
    printf("  modified gravity bends it by %.2g of what full gravity does at the most, should be below %g: %s\n",
           worst, bent_most, straight ? "pass" : "FAIL");
    printf("  all bend less with more iterations: %s\n", shrinks ? "pass" : "FAIL");
    printf("  at rest with modified gravity, %d iterations: a quarter of the step leaves %.2g of the bend, should be about 1/16, its square, and below %.2g: %s\n",
           SCENE_ITERATIONS, left, quarter_most, swept ? "pass" : "FAIL");
    return straight && shrinks && swept;
}

// ---- falling

// The ghost points' share s of the mass m is d to the side of the rest, and nothing pulls at it: gravity on the rest turns the rod about its
// centre of mass with s (1 - s) m g d.
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

static bool run_falling(Fall* f, Shapes* shapes)
{
    CordWorld* world = world_with(SCENE_ITERATIONS);
    int steps = (int)lround(fall / step);
    bool good = world != NULL;
    *f = (Fall){.spin = {0}};
    for (int i = 0; good && i <= steps; i++) {
        good = i == 0 || advance(world, step);
        look_falling(world, f, shapes->falling[i > 0]);
    }
    cord_world_destroy(world);
    return good;
}

static bool judge_falling(const Fall* f)
{
    double expected = spin_up() * fall, off = f->spin[NONE] / expected - 1.0;
    bool spins = fabs(off) < theory_most,
         calm = f->greatest[MODIFIED] <= spin_most && f->greatest[FULL] <= spin_most;
    double way = 0.5 * gravity * fall * (fall + step); // of Euler's method
    printf("falling: after %g s, undamped\n  %-22s %12s %12s %12s\n", fall, "gravity on ghosts", names[FULL],
           names[NONE], names[MODIFIED]);
    printf("  %-22s %12.2g %12.3g %12.2g\n", "spin [rad/s]", f->spin[FULL], f->spin[NONE], f->spin[MODIFIED]);
    printf("  %-22s %12.2g %12.3g %12.2g\n", "turned by [rad]", f->turned[FULL], f->turned[NONE],
           f->turned[MODIFIED]);
    printf("  %-22s %12.4g %12.4g %12.4g\n", "fallen by, of g t^2/2", f->fallen[FULL] / way,
           f->fallen[NONE] / way, f->fallen[MODIFIED] / way);
    printf("  with modified gravity, and with full, it has no spin at any time: %.2g and %.2g rad/s, round-off is below %g: %s\n",
           f->greatest[MODIFIED], f->greatest[FULL], spin_most, calm ? "pass" : "FAIL");
    printf("  without gravity on ghost points it spins: %.4g rad/s, should be s (1 - s) m g d t over the inertia, %.4g, within %g %%: %s\n",
           f->spin[NONE], expected, 100.0 * theory_most, spins ? "pass" : "FAIL");
    return calm && spins;
}

// ---- what is left

static void write_rod(FILE* csv, const char* state, int method, double time, const CordVec3* x)
{
    for (int k = 0; k < NODES; k++) {
        fprintf(csv, "%s,%s,%.9g,%.9g,%.9g\n", state, names[method], time, x[k].x, x[k].z);
    }
    fprintf(csv, "\n"); // gnuplot begins another line
}

static bool write_files(const char* directory, const Hang rows[ROWS], const Shapes* shapes)
{
    FILE *hanging = reproduce_file(directory, "pber-fig3.csv"),
         *csv = reproduce_file(directory, "pber-fig3-shapes.csv");
    for (int i = 0; hanging && i < ROWS; i++) {
        const Hang* h = &rows[i];
        fprintf(hanging,
                i == 0 ? "iterations,full_most_m,full_m,none_most_m,none_m,modified_most_m,modified_m\n" : "");
        fprintf(hanging, "%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", iterations[i], h->greatest[FULL], h->at_rest[FULL],
                h->greatest[NONE], h->at_rest[NONE], h->greatest[MODIFIED], h->at_rest[MODIFIED]);
    }
    for (int m = 0; csv && m < METHODS; m++) {
        fprintf(csv, m == 0 ? "state,method,time_s,x_m,z_m\n" : "");
        write_rod(csv, "hanging", m, hang, shapes->hanging[m]);
        for (int i = 0; i < MOMENTS; i++) {
            write_rod(csv, "falling", m, fall * i / (MOMENTS - 1), shapes->falling[i][m]);
        }
    }
    bool good = hanging && csv;
    if (hanging) {
        fclose(hanging);
    }
    if (csv) {
        fclose(csv);
    }
    return good;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "pber-fig3"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(
        script,
        "set datafile separator ','\nset grid\nset multiplot layout 1,3\nset key bottom center\n"
        "set xlabel 'x [m]'\nset ylabel 'z [m]'\nset size ratio -1\nset xtics 0.5\n"
        "z(state, method, time) = strcol(1) eq state && strcol(2) eq method && $3 == time ? $5 : NaN\n"
        "set title 'hanging, at rest'\nset xrange [-0.3:0.9]\nset yrange [-1.5:0.2]\n"
        "plot for [m in 'full none modified'] 'pber-fig3-shapes.csv' using 4:(z('hanging', m, %g)) skip 1 with lines lw 2 title m\n"
        "set title 'falling, at first and after %g s'\nset xrange [1.1:2.9]\nset yrange [-3.2:0.2]\nset key off\n"
        "plot for [m in 'full none modified'] 'pber-fig3-shapes.csv' using 4:(z('falling', m, 0)) skip 1 with lines lw 2 lc rgb '#b0b0b0', "
        "for [m in 'full none modified'] '' using 4:(z('falling', m, %g)) skip 1 with lines lw 2 lt (m eq 'full' ? 1 : m eq 'none' ? 2 : 3)\n"
        "set title 'hanging, greatest bend'\nset xlabel 'iterations'\nset ylabel 'to the side [m]'\nset logscale xy\n"
        "set size noratio\nset xrange [4:100]\nset yrange [1e-4:1]\nset xtics (5, 10, 20, 40, 80)\nset key top right\n"
        "plot for [i=0:2] 'pber-fig3.csv' using 1:2*i+2 skip 1 with linespoints pt 7 title word('full none modified', i+1)\n"
        "unset multiplot\n",
        hang, fall, fall);
    reproduce_plot_close(&p, script);
}

bool pber_fig3_run(const char* directory)
{
    static Shapes shapes;
    CordVec3 other[METHODS][NODES];
    Hang rows[ROWS], quarter;
    Fall f;
    bool good = run_falling(&f, &shapes) && run_hanging(SCENE_ITERATIONS, 0.25 * step, &quarter, other);
    for (int i = 0; good && i < ROWS; i++) {
        good = run_hanging(iterations[i], step, &rows[i],
                           iterations[i] == SCENE_ITERATIONS ? shapes.hanging : other);
    }
    if (!good || !write_files(directory, rows, &shapes)) {
        return false;
    }
    printf("a straight rod of %g m, %d elements, steps of %g s; full gravity on its ghost points, none, and modified\n",
           length, NODES - 1, step);
    bool hangs = judge_hanging(rows, &quarter), falls = judge_falling(&f);
    printf("pber-fig3: %s\n", hangs && falls ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return hangs && falls;
}
