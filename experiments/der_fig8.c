// DER, figure 8: Michell's instability. A ring bent from a straight rod loses its circular shape at a twist
// of 2 pi sqrt(3) / (GJ/EI).
#include "lab.h"

#include <cordage/solve.h>

#include <math.h>

enum {
    MAP_NODES = 50,
    RATIOS = 16,
    TWISTS = 16,
    LEVELS = 3
}; // the paper's resolution, and the points of the map

static double theory(double ratio)
{
    return 2.0 * CORD_PI * sqrt(3.0) / ratio;
}

// Ways down in energy from the circle, at rest.
static int unstable(Lab* lab, int nodes, double ratio, double twist)
{
    CordWorld* world = lab_world_empty(lab, (CordVec3){0, 0, 0}, LAB_UNTIMED);
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
    lab_rod(lab, world, &def);
    lab_ok(lab, world, cord_world_solve(world, &solve, &report));
    lab_discard(lab, world);
    return report.unstable;
}

static double threshold(Lab* lab, int nodes, double ratio)
{
    double low = 0.5 * theory(ratio), high = 2.0 * theory(ratio);
    for (int i = 0; i < 50; i++) {
        double mid = 0.5 * (low + high);
        *(unstable(lab, nodes, ratio, mid) > 0 ? &high : &low) = mid;
    }
    return low;
}

static void measure_order(Lab* lab)
{
    double error[LEVELS];
    lab_say(lab, "a straight rod bent into a ring of radius 1 m, EI 1 N m^2, GJ/EI 1, and closed twisted: "
                 "the circle becomes unstable");
    for (int k = 0; k < LEVELS; k++) {
        double found = threshold(lab, 50 << k, 1.0);
        error[k] = found / theory(1.0) - 1.0;
        lab_row(lab, "order", NULL, 50 << k, found, error[k]);
        if (k > 0) { // the band is what the next term of the error leaves of the order
            lab_order(lab, lab_text(lab, "twist at %d nodes", 50 << k), error, k + 1, 1.9, 2.1, NULL);
        }
        if (k == LEVELS - 1) {
            lab_near(lab, lab_text(lab, "twist at %d nodes [rad]", 50 << k), found, theory(1.0), 5e-3, NULL);
        }
    }
}

// Points within 3 % of the discrete threshold may fall on either side.
static void measure_map(Lab* lab)
{
    int wrong = 0, close = 0;
    for (int i = 0; i < RATIOS; i++) {
        double ratio = 0.4 + 1.6 * i / (RATIOS - 1), border = threshold(lab, MAP_NODES, ratio);
        for (int j = 0; j < TWISTS; j++) {
            double twist = 1.0 + 29.0 * j / (TWISTS - 1);
            int ways = unstable(lab, MAP_NODES, ratio, twist);
            bool near = fabs(twist / border - 1.0) <= 0.03;
            close += near;
            wrong += !near && (ways > 0) != (twist > theory(ratio));
            lab_row(lab, "", NULL, ratio, twist, ways);
        }
    }
    lab_say(lab,
            "%d x %d points, GJ/EI 0.4 to 2, twist 1 to 30 rad; %d within 3 %% of the ring's own "
            "threshold are not judged",
            RATIOS, TWISTS, close);
    lab_equal(lab, "points on the wrong side of the theory", wrong, 0, NULL);
}

static void run(Lab* lab)
{
    measure_order(lab);
    measure_map(lab);
}

const Experiment experiment_der_fig8 = {
    .id = "der-fig8",
    .about = "DER figure 8: Michell's instability, the map of stability of a twisted ring",
    .source = "Michell, DER figure 8: 2 pi sqrt(3) / (GJ/EI)",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "ratio,twist,unstable"},
                         {"order", .columns = "nodes,twist [rad],error", .shown = true}),
    .panels = LAB_PANELS(
        {.x = "GJ / EI",
         .y = "twist [rad]",
         .set = "set xrange [0.3:2.1]\nset yrange [0:31]\nset key outside top center horizontal",
         .curves = LAB_CURVES(LAB_CURVE_WHERE("", NULL, "{unstable} == 0", "ratio", "twist",
                                              "points pt 7 ps 1.1 lc rgb '#6db6e8'", "the circle is stable"),
                              LAB_CURVE_WHERE("", NULL, "{unstable} > 0", "ratio", "twist",
                                              "points pt 7 ps 1.1 lc rgb '#7b3f98'", "unstable"),
                              {.y = "2*pi*sqrt(3)/x",
                               .with = "lines lw 2 lc rgb 'black'",
                               .title = "2{/Symbol p}{/Symbol \\326}3 / (GJ/EI)"})}),
};
