// MW, figure 3: a rubber rod under three gravities, in eight modes, beside DER's answer.
#include "mw.h"

#include <math.h>

static const double gravities[] = {4.9, 9.8, 19.6}; // [m/s^2]
static const double allowed[] = {0.01, 0.02, 0.05}; // error of the tip's drop, for each
static const double length = 0.2, height = 0.2;     // of the rod, and how high it is held [m]
static const LabView view = {{0.16, -0.75, 0.27}, {0.095, 0, 0.155}, 14.0, 0.06, 1.0};
enum { GRAVITIES = 3, REST_STEPS = 600 };

typedef enum Way { WARPED, LINEAR, SOLVED, WAYS } Way;
static const char* const names[WAYS] = {"warped", "linear", "der"};
static const char* const settings[WAYS] = {
    "rods[0].modal.damping_ratio=0.7",
    "rods[0].modal.damping_ratio=0.7; rods[0].modal.linear=true",
    "rods[0].model=der; rods[0].elements=200",
};

typedef struct Droop {
    double drop;   // of the tip [m]
    double longer; // length, over that at rest, less 1
} Droop;

static Droop droop(Lab* lab, Way way, double gravity)
{
    CordWorld* world = lab_world(lab, "modal/fig3", "gravity=[0,0,-%g]; %s", gravity, settings[way]);
    if (way == SOLVED) {
        lab_solve(lab, world);
    } else {
        lab_steps(lab, world, mw_step, REST_STEPS);
    }
    const CordVec3* x = lab_nodes(lab, world, 0);
    for (int i = 0; i < cord_rod_node_count(world, cord_world_rod(world, 0)); i++) {
        lab_row(lab, "shapes", names[way], gravity, x[i].x, x[i].z);
    }
    if (way == WARPED) {
        lab_picture(lab, world, &view, lab_text(lab, "%g", gravity));
    }
    return (Droop){height - lab_node(lab, world, 0, -1).z, mw_length(lab, world, 0) - 1.0};
}

static void judge_equilibria(Lab* lab)
{
    for (int g = 0; g < GRAVITIES; g++) {
        Droop d[WAYS];
        for (int way = 0; way < WAYS; way++) {
            d[way] = droop(lab, (Way)way, gravities[g]);
        }
        lab_row(lab, "drops", NULL, gravities[g], d[SOLVED].drop, d[WARPED].drop, d[LINEAR].drop,
                100.0 * d[WARPED].longer, 100.0 * d[LINEAR].longer);
        lab_near(lab, lab_text(lab, "drop of the tip under %g m/s^2 [m]", gravities[g]), d[WARPED].drop,
                 d[SOLVED].drop, allowed[g], "a DER solve of 200 elements");
        if (g == GRAVITIES - 1) {
            lab_above(lab, "without warping the rod becomes longer under the greatest, by", d[LINEAR].longer,
                      0.1, "MW figure 3");
            lab_below(lab, "with warping, by", fabs(d[WARPED].longer), 0.02, "MW figure 3");
        }
    }
}

static void run(Lab* lab)
{
    lab_say(lab,
            "a rubber rod of %g m, 31 elements, 8 modes: the drop of its tip [m], and how much longer "
            "it becomes [%%]",
            length);
    judge_equilibria(lab);
}

#define SHAPES(way, g, style, name)                                                                          \
    LAB_CURVE_WHERE("shapes", way, "abs({gravity} - " g ") < 0.01", "x", "z", style, name)
#define ALL(way, style, name)                                                                                \
    SHAPES(way, "4.9", style, name), SHAPES(way, "9.8", style, NULL), SHAPES(way, "19.6", style, NULL)

const Experiment experiment_mw_fig3 = {
    .id = "mw-fig3",
    .about = "MW figure 3: a rubber rod in eight modes under three gravities, beside DER",
    .source = "MW figure 3",
    .run = run,
    .tables =
        LAB_TABLES({"shapes", .columns = "way,gravity [m/s^2],x [m],z [m]"},
                   {"drops", .columns = "gravity,DER,warped,linear,warped [%],linear [%]", .shown = true}),
    .panels = LAB_PANELS(
        {.x = "x [m]",
         .y = "z [m]",
         .set = "set size ratio -1\nset xrange [-0.01:0.21]\nset yrange [0.09:0.21]\nset key bottom left",
         .curves = LAB_CURVES(ALL("der", "lines lw 5 lc rgb '#b8c8dc'", "DER, 200 elements"),
                              ALL("linear", "lines lw 1.5 dt 2 lc rgb 'grey50'", "modes without warping"),
                              ALL("warped", "lines lw 2 lc rgb '#c8442f'", "modes, warped"))}),
};
