// MW, figure 4: a helix on a ball that turns, and its rigid copy beside it.
#include "mw.h"
#include "reproduce.h"

#include <math.h>

enum { SOFT, RIGID };                                    // rods of the scene
enum { STEPS = 180, PICTURES = 6 };                      // of the scene; of them
static const double beside = 0.4;                        // along x [m]
static const double speeds_from = 0.5, speeds_to = 0.75; // the first half of the first turn, about z, clockwise [s]
static const CordVec3 ball = {-0.25, 0, 0.3};
static const double deforms_least = 0.03; // of the tip, from where the rigid one is, at some time [m]
static const double length_most = 0.05;   // change of length that warping may make
static const double rigid_most = 1e-4;    // change of the rigid one's distance from start to end, over that
static const double lag_least = 0.1;      // [rad]
static const double moments[PICTURES] = {0.4, 0.7, 1.0, 1.8, 2.8, 4.0};
static const MwView view = {{-0.03, -1.7, 0.55}, {-0.03, 0, 0.28}, 19.0, 0.0, 1.0};

typedef struct Ride {
    double apart;    // of the tips, at the most [m]
    double longer;   // change of length at the most
    double rigidity; // change of the distance from start to end at the most, of the rigid one
    double lag;      // of the tip about the ball's axis, while the first turn speeds up, at the most [rad]
} Ride;

static double azimuth(CordVec3 x)
{
    return atan2(x.y - ball.y, x.x - ball.x);
}

static void look(const CordWorld* world, double span, Ride* r, FILE* csv)
{
    double time = cord_world_time(world);
    CordVec3 tip = mw_node(world, SOFT, -1), rigid = mw_node(world, RIGID, -1);
    rigid.x -= beside;
    double apart = mw_distance(tip, rigid), length = mw_length(world, SOFT);
    r->apart = fmax(r->apart, apart);
    r->longer = fmax(r->longer, fabs(length - 1.0));
    double now = mw_distance(mw_node(world, RIGID, 0), mw_node(world, RIGID, -1));
    r->rigidity = fmax(r->rigidity, fabs(now / span - 1.0));
    if (time > speeds_from && time < speeds_to) {
        r->lag = fmax(r->lag, azimuth(tip) - azimuth(rigid));
    }
    fprintf(csv, "%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g\n", time, tip.x, tip.y, tip.z, rigid.x,
            rigid.y, rigid.z, apart, length - 1.0);
}

static bool ride(CordWorld* world, const char* directory, FILE* csv, Ride* r)
{
    double span = mw_distance(mw_node(world, RIGID, 0), mw_node(world, RIGID, -1));
    int drawn = 0;
    *r = (Ride){.lag = 0.0};
    for (int i = 0; i < STEPS; i++) {
        if (!mw_advance(world, 1)) {
            return false;
        }
        look(world, span, r, csv);
        if (drawn < PICTURES && cord_world_time(world) > moments[drawn] - 0.5 * mw_step) {
            char name[32];
            snprintf(name, sizeof name, "mw-fig4-%d", ++drawn);
            mw_picture(world, &view, directory, name);
        }
    }
    return true;
}

static bool judge(const Ride* r)
{
    bool deforms = r->apart >= deforms_least, keeps = r->longer <= length_most;
    bool rigid = r->rigidity <= rigid_most, lags = r->lag >= lag_least;
    printf("  tip from that of the rigid copy: up to %.3g m, should be more than %g: %s\n", r->apart,
           deforms_least, mw_verdict(deforms));
    printf("  length changes by up to %.2g %%, should be less than %g %%: %s\n", 100.0 * r->longer,
           100.0 * length_most, mw_verdict(keeps));
    printf("  while the first turn speeds up the tip stays behind that of the rigid one by up to %.3g rad, should be more than %g: %s\n",
           r->lag, lag_least, mw_verdict(lags));
    printf("  the rigid copy, start to end, changes by %.2g of that, should be less than %g: %s\n",
           r->rigidity, rigid_most, mw_verdict(rigid));
    return deforms && keeps && rigid && lags;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "mw-fig4"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset multiplot layout 2,1\nset xlabel 'time [s]'\nset ylabel 'tip [m]'\nset key outside right\n"
            "plot for [i=0:2] 'mw-fig4.csv' using 1:5+i skip 1 with lines lw 1.5 dt 2 lt i+1 title word('x y z', i+1).', rigid', "
            "for [i=0:2] '' using 1:2+i skip 1 with lines lw 2 lt i+1 title word('x y z', i+1)\n"
            "set ylabel 'from the rigid one [m]'\nset y2label 'change of length [%%]'\nset ytics nomirror\nset y2tics\n"
            "plot 'mw-fig4.csv' using 1:8 skip 1 with lines lw 2 lc rgb '#c8442f' title 'distance', "
            "'' using 1:(100*$9) skip 1 axes x1y2 with lines lw 1.5 lc rgb '#2455a4' title 'length'\nunset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool mw_fig4_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "mw-fig4.csv");
    CordWorld* world = csv ? mw_scene("modal/fig4", NULL, 0) : NULL;
    Ride r;
    if (csv) {
        fprintf(csv, "time_s,tip_x,tip_y,tip_z,rigid_x,rigid_y,rigid_z,apart_m,longer\n");
    }
    bool good = world && ride(world, directory, csv, &r);
    cord_world_destroy(world);
    if (csv) {
        fclose(csv);
    }
    if (!good) {
        return false;
    }
    printf("a helix of 51 cm, 63 elements, 8 modes, on a ball that turns; steps of 1/30 s\n");
    bool pass = judge(&r);
    printf("mw-fig4: %s\n", mw_verdict(pass));
    fflush(stdout);
    plot(directory);
    return pass;
}
