// DER, figure 8: Michell's instability. A ring bent from a straight rod loses its circular shape at a twist of 2 pi sqrt(3) / (GJ/EI).
#include "reproduce.h"

#include <cordage/solve.h>

#include <math.h>

static const double pi = 3.14159265358979323846;

enum { MAP_NODES = 50, RATIOS = 16, TWISTS = 16 }; // the paper's resolution, and the points of the map

static double theory(double ratio)
{
    return 2.0 * pi * sqrt(3.0) / ratio;
}

// Ways down in energy from the circle, at rest; -1: the solve failed.
static int unstable(int nodes, double ratio, double twist)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    CordRodId rod;
    if (cord_world_create(&world_def, &world) != CORD_OK) {
        return -1;
    }
    CordRodDef def = cord_rod_def_default(); // radius, EI and mass per length are one, as in the paper
    def.shape = cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 1.0, nodes);
    def.closed = true;
    def.rest = CORD_REST_STRAIGHT;
    def.inextensible = true;
    def.twist = twist;
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = ratio, .EA = 1.0, .mass_per_length = 1.0};
    CordSolveDef solve = cord_solve_def_default();
    solve.accept_saddle = true; // the circle itself, stable or not
    CordSolveReport report;
    bool good =
        cord_rod_create(world, &def, &rod) == CORD_OK && cord_world_solve(world, &solve, &report) == CORD_OK;
    cord_world_destroy(world);
    return good ? report.unstable : -1;
}

static double threshold(int nodes, double ratio)
{
    double low = 0.5 * theory(ratio), high = 2.0 * theory(ratio);
    for (int i = 0; i < 50; i++) {
        double mid = 0.5 * (low + high);
        *(unstable(nodes, ratio, mid) > 0 ? &high : &low) = mid;
    }
    return low;
}

static bool measure_order(void)
{
    double error[3];
    bool pass = true;
    printf("a straight rod bent into a ring of radius 1 m, EI 1 N m^2, and closed twisted: twist at which the circle becomes unstable\n"
           "GJ/EI = 1; theory 2 pi sqrt(3) = %.6f rad\n"
           "  nodes   twist [rad]      error\n",
           theory(1.0));
    for (int k = 0; k < 3; k++) {
        int nodes = 50 << k;
        double found = threshold(nodes, 1.0);
        error[k] = found / theory(1.0) - 1.0;
        printf("  %5d   %11.6f   %.2e", nodes, found, error[k]);
        if (k > 0) { // what the next term of the error leaves of the order
            double order = log2(error[k - 1] / error[k]);
            bool second = order > 1.9 && order < 2.1;
            pass &= second;
            printf("   order %.3f, should be 1.9 to 2.1: %s", order, second ? "pass" : "FAIL");
        }
        printf("\n");
    }
    return pass;
}

// Points within 3 % of the discrete threshold may fall on either side.
static bool measure_map(FILE* csv)
{
    int wrong = 0, near = 0;
    fprintf(csv, "ratio,twist,unstable\n");
    for (int i = 0; i < RATIOS; i++) {
        double ratio = 0.4 + 1.6 * i / (RATIOS - 1), border = threshold(MAP_NODES, ratio);
        for (int j = 0; j < TWISTS; j++) {
            double twist = 1.0 + 29.0 * j / (TWISTS - 1);
            int ways = unstable(MAP_NODES, ratio, twist);
            bool close = fabs(twist / border - 1.0) <= 0.03;
            near += close;
            wrong += ways < 0 || (!close && (ways > 0) != (twist > theory(ratio)));
            fprintf(csv, "%.17g,%.17g,%d\n", ratio, twist, ways);
        }
    }
    printf("%d x %d points, GJ/EI 0.4 to 2, twist 1 to 30 rad, %d nodes\n"
           "  on the wrong side of 2 pi sqrt(3) / (GJ/EI): %d, should be 0: %s; %d within 3 %% of the ring's own threshold are not judged\n",
           RATIOS, TWISTS, MAP_NODES, wrong, wrong == 0 ? "pass" : "FAIL", near);
    return wrong == 0;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig8"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset xlabel 'GJ / EI'\nset ylabel 'twist [rad]'\nset xrange [0.3:2.1]\n"
            "set yrange [0:31]\nset samples 400\nset key outside top center horizontal\n"
            "plot 'der-fig8.csv' using 1:($3 == 0 ? $2 : 1/0) with points pt 7 ps 1.1 lc rgb '#6db6e8' title 'the circle is stable', "
            "'' using 1:($3 > 0 ? $2 : 1/0) with points pt 7 ps 1.1 lc rgb '#7b3f98' title 'unstable', "
            "2*pi*sqrt(3)/x with lines lw 2 lc rgb 'black' title '2{/Symbol p}{/Symbol \\326}3 / (GJ/EI)'\n");
    reproduce_plot_close(&p, script);
}

bool der_fig8_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig8.csv");
    if (!csv) {
        return false;
    }
    bool order = measure_order(), map = measure_map(csv);
    fclose(csv);
    printf("der-fig8: %s\n", order && map ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return order && map;
}
