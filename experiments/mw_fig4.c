// MW, figure 4: a helix on a ball that turns, and its rigid copy beside it.
#include "mw.h"

#include <math.h>

enum { SOFT, RIGID };               // rods of the scene
enum { STEPS = 180, PICTURES = 6 }; // of the scene; of them
static const double beside = 0.4;   // along x [m]
// the first half of the first turn, about z, clockwise [s]
static const double speeds_from = 0.5, speeds_to = 0.75;
static const CordVec3 ball = {-0.25, 0, 0.3};
static const double deforms_least = 0.03; // of the tip, from where the rigid one is, at some time [m]
static const double length_most = 0.05;   // change of length that warping may make
static const double rigid_most = 1e-4;    // change of the rigid one's distance from start to end, over that
static const double lag_least = 0.1;      // [rad]
static const double moments[PICTURES] = {0.4, 0.7, 1.0, 1.8, 2.8, 4.0};
static const LabView view = {{-0.03, -1.7, 0.55}, {-0.03, 0, 0.28}, 19.0, 0.0, 1.0};

static double azimuth(CordVec3 x)
{
    return atan2(x.y - ball.y, x.x - ball.x);
}

static double span_of(Lab* lab, const CordWorld* world)
{
    return cord_vec3_distance(lab_node(lab, world, RIGID, 0), lab_node(lab, world, RIGID, -1));
}

static void look(Lab* lab, const CordWorld* world, double span)
{
    double time = cord_world_time(world);
    CordVec3 tip = lab_node(lab, world, SOFT, -1), rigid = lab_node(lab, world, RIGID, -1);
    rigid.x -= beside;
    bool speeds_up = time > speeds_from && time < speeds_to;
    lab_row(lab, "", NULL, time, tip.x, tip.y, tip.z, rigid.x, rigid.y, rigid.z,
            cord_vec3_distance(tip, rigid), fabs(mw_length(lab, world, SOFT) - 1.0),
            fabs(span_of(lab, world) / span - 1.0), speeds_up ? azimuth(tip) - azimuth(rigid) : 0.0);
}

static void run(Lab* lab)
{
    CordWorld* world = lab_world(lab, "modal/fig4", LAB_AS_SHIPPED);
    double span = span_of(lab, world);
    int drawn = 0;
    for (int i = 0; i < STEPS; i++) {
        lab_steps(lab, world, mw_step, 1);
        look(lab, world, span);
        if (drawn < PICTURES && cord_world_time(world) > moments[drawn] - 0.5 * mw_step) {
            lab_picture(lab, world, &view, lab_text(lab, "%d", ++drawn));
        }
    }
    lab_say(lab, "a helix of 51 cm, 63 elements, 8 modes, on a ball that turns; steps of 1/30 s");
    lab_above(lab, "tip from that of the rigid copy, at the most [m]", lab_most(lab, "", NULL, "apart"),
              deforms_least, NULL);
    lab_below(lab, "length changes by, at the most", lab_most(lab, "", NULL, "longer"), length_most,
              "an inextensible helix");
    lab_above(lab, "while the first turn speeds up the tip stays behind the rigid one by, at the most [rad]",
              lab_most(lab, "", NULL, "lag"), lag_least, NULL);
    lab_below(lab, "the rigid copy, start to end, changes by", lab_most(lab, "", NULL, "rigidity"),
              rigid_most, "a rigid body");
}

#define TIP(column, style, name) LAB_CURVE("", NULL, "time", column, style, name)

const Experiment experiment_mw_fig4 = {
    .id = "mw-fig4",
    .about = "MW figure 4: a helix on a ball that turns, and its rigid copy",
    .source = "MW figure 4",
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns =
                 "time [s],tip_x,tip_y,tip_z,rigid_x,rigid_y,rigid_z,apart [m],longer,rigidity,lag [rad]"}),
    .panels = LAB_PANELS(
        {.x = "time [s]",
         .y = "tip [m]",
         .set = "set key outside right",
         .curves = LAB_CURVES(TIP("rigid_x", "lines lw 1.5 dt 2 lt 1 lc 1", "x, rigid"),
                              TIP("rigid_y", "lines lw 1.5 dt 2 lc 2", "y, rigid"),
                              TIP("rigid_z", "lines lw 1.5 dt 2 lc 3", "z, rigid"),
                              TIP("tip_x", "lines lw 2 lc 1", "x"), TIP("tip_y", "lines lw 2 lc 2", "y"),
                              TIP("tip_z", "lines lw 2 lc 3", "z"))},
        {.x = "time [s]",
         .y = "from the rigid one [m]",
         .right = "change of length [%]",
         .set = "set key outside right",
         .curves = LAB_CURVES(TIP("apart", "lines lw 2 lc rgb '#c8442f'", "distance"),
                              {"", .x = "time", .y = "100*{longer}", .with = "lines lw 1.5 lc rgb '#2455a4'",
                               .title = "length", .right = true})}),
    .layout = "2,1",
};
