// MW, figure 3: a rubber rod under three gravities, in eight modes, beside DER's answer; and its frequencies beside those of beam theory.
#include "mw.h"
#include "reproduce.h"
#include "theory.h"

#include <cordage/solve.h>

#include <math.h>

static const double gravities[] = {4.9, 9.8, 19.6}; // [m/s^2]
static const double allowed[] = {0.01, 0.02, 0.05}; // error of the tip's drop, for each
static const double bend_most = 1e-5,
                    others_most = 2e-4; // error of frequencies: elements are of fourth and of second order
static const double length = 0.2, height = 0.2; // of the rod, and how high it is held [m]
static const MwView view = {{0.16, -0.75, 0.27}, {0.095, 0, 0.155}, 14.0, 0.06, 1.0};
enum { GRAVITIES = 3, BEND_PAIRS = 3, REST_STEPS = 600, MODES_SEEN = 12 };

typedef enum Way { WARPED, LINEAR, SOLVED, WAYS } Way;
static const char* const names[WAYS] = {"warped", "linear", "der"};

typedef struct Droop {
    double drop[WAYS];   // of the tip [m]
    double longer[WAYS]; // length, over that at rest, less 1
} Droop;

// ---- equilibria

static void write_shape(FILE* csv, const CordWorld* world, Way way, double gravity)
{
    int nodes = cord_rod_node_count(world, cord_world_rod(world, 0));
    for (int i = 0; i < nodes; i++) {
        CordVec3 x = mw_node(world, 0, i);
        fprintf(csv, "%s,%g,%.9g,%.9g\n", names[way], gravity, x.x, x.z);
    }
    fprintf(csv, "\n");
}

static CordWorld* open_rod(Way way, double gravity)
{
    char down[64];
    snprintf(down, sizeof down, "gravity=[0,0,-%g]", gravity);
    const char* modal[] = {down, "rods[0].modal.damping_ratio=0.7", "rods[0].modal.linear=true"};
    const char* der[] = {down, "rods[0].model=der", "rods[0].elements=200"};
    return way == SOLVED ? mw_scene("modal/fig3", der, 3) : mw_scene("modal/fig3", modal, way == LINEAR ? 3 : 2);
}

static bool come_to_rest(CordWorld* world, Way way)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    return way == SOLVED ? cord_world_solve(world, &def, &report) == CORD_OK : mw_advance(world, REST_STEPS);
}

static bool droop(FILE* csv, const char* directory, int g, Droop* d)
{
    for (int way = 0; way < WAYS; way++) {
        CordWorld* world = open_rod((Way)way, gravities[g]);
        bool good = world && come_to_rest(world, (Way)way);
        if (good) {
            char name[64];
            d->drop[way] = height - mw_node(world, 0, -1).z;
            d->longer[way] = mw_length(world, 0) - 1.0;
            write_shape(csv, world, (Way)way, gravities[g]);
            snprintf(name, sizeof name, "mw-fig3-%g", gravities[g]);
            if (way == WARPED) {
                mw_picture(world, &view, directory, name);
            }
        }
        cord_world_destroy(world);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool judge_droop(int g, const Droop* d)
{
    double off = d->drop[WARPED] / d->drop[SOLVED] - 1.0;
    bool near = fabs(off) <= allowed[g];
    printf("  %8g %12.6f %12.6f %+9.2f %% %11.6f %+12.3f %% %+11.2f %%   %g %%: %s\n", gravities[g],
           d->drop[SOLVED], d->drop[WARPED], 100.0 * off, d->drop[LINEAR], 100.0 * d->longer[WARPED],
           100.0 * d->longer[LINEAR], 100.0 * allowed[g], mw_verdict(near));
    return near;
}

// ---- frequencies

static double theory_of(const TheoryBeam* beam, CordModeKind kind, int nth)
{
    return kind == CORD_MODE_BEND    ? theory_cantilever_bend(beam, nth)
           : kind == CORD_MODE_TWIST ? theory_cantilever_twist(beam, nth)
                                     : theory_cantilever_stretch(beam, nth);
}

// Bending modes come in pairs; as many pairs are judged as the eight modes of the paper have.
static bool judge_mode(const TheoryBeam* beam, const CordMode* mode, int k, int seen[CORD_MODE_COUPLED + 1])
{
    double frequency = sqrt(mode->omega2) / (2.0 * 3.14159265358979324);
    int nth = mode->kind == CORD_MODE_BEND ? seen[mode->kind]++ / 2 + 1 : ++seen[mode->kind];
    bool bends = mode->kind == CORD_MODE_BEND, judged = !bends || nth <= BEND_PAIRS;
    double exact = theory_of(beam, mode->kind, nth), most = bends ? bend_most : others_most;
    bool good = mode->kind != CORD_MODE_COUPLED && (!judged || fabs(frequency / exact - 1.0) <= most);
    printf("  %4d %-8s %14.7g %14.7g %11.2g %s%s\n", k + 1, cord_mode_kind_name(mode->kind), frequency, exact,
           frequency / exact - 1.0, judged ? "" : "not judged", judged ? mw_verdict(good) : "");
    return good;
}

static bool judge_modes(void)
{
    const char* settings[] = {"rods[0].modal.modes=12"};
    CordWorld* world = mw_scene("modal/fig3", settings, 1);
    if (!world) {
        return false;
    }
    CordRodId rod = cord_world_rod(world, 0);
    CordStiffness s = cord_rod_stiffness(world, rod);
    const TheoryBeam beam = {length, s.EI1, s.GJ, s.EA, s.mass_per_length, s.spin_inertia};
    int seen[CORD_MODE_COUPLED + 1] = {0}, count = cord_rod_mode_count(world, rod);
    bool good = count >= MODES_SEEN;
    printf("frequencies of 31 elements [Hz]; allowed: bending %g in the lowest %d pairs, twist and stretch %g\n",
           bend_most, BEND_PAIRS, others_most);
    printf("  %4s %-8s %14s %14s %11s\n", "mode", "kind", "found", "theory", "error");
    for (int k = 0; k < count; k++) {
        CordMode mode;
        good = cord_rod_mode(world, rod, k, &mode) == CORD_OK && judge_mode(&beam, &mode, k, seen) && good;
    }
    bool all_kinds = seen[CORD_MODE_TWIST] > 0 && seen[CORD_MODE_STRETCH] > 0;
    printf("  one of each kind is among them: %s\n", mw_verdict(all_kinds));
    cord_world_destroy(world);
    return good && all_kinds;
}

// ---- what is left

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "mw-fig3"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset size ratio -1\nset xlabel 'x [m]'\nset ylabel 'z [m]'\n"
            "set xrange [-0.01:0.21]\nset yrange [0.09:0.21]\nset key bottom left\n"
            "z(way, g) = strcol(1) eq way && $2 == g ? $4 : NaN\n"
            "plot for [g in '4.9 9.8 19.6'] 'mw-fig3-shapes.csv' using 3:(z('der', g+0)) skip 1 with lines lw 5 lc rgb '#b8c8dc' "
            "title g eq '4.9' ? 'DER, 200 elements' : '', "
            "for [g in '4.9 9.8 19.6'] '' using 3:(z('linear', g+0)) skip 1 with lines lw 1.5 dt 2 lc rgb 'grey50' "
            "title g eq '4.9' ? 'modes without warping' : '', "
            "for [g in '4.9 9.8 19.6'] '' using 3:(z('warped', g+0)) skip 1 with lines lw 2 lc rgb '#c8442f' "
            "title g eq '4.9' ? 'modes, warped' : ''\n");
    reproduce_plot_close(&p, script);
}

bool mw_fig3_run(const char* directory)
{
    Droop d[GRAVITIES];
    FILE* csv = reproduce_file(directory, "mw-fig3-shapes.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "way,gravity,x_m,z_m\n");
    bool good = true;
    for (int g = 0; g < GRAVITIES && good; g++) {
        good = droop(csv, directory, g, &d[g]);
    }
    fclose(csv);
    if (!good) {
        return false;
    }
    printf("a rubber rod of %g m, 31 elements, 8 modes: the drop of its tip [m], and how much longer it becomes\n",
           length);
    printf("  %8s %12s %12s %11s %11s %14s %13s   %s\n", "gravity", "DER", "warped", "error", "linear",
           "longer: warped", "linear", "allowed");
    bool pass = true;
    for (int g = 0; g < GRAVITIES; g++) {
        pass = judge_droop(g, &d[g]) && pass;
    }
    bool stretched = d[GRAVITIES - 1].longer[LINEAR] > 0.1 && fabs(d[GRAVITIES - 1].longer[WARPED]) < 0.02;
    printf("  without warping the rod becomes longer by more than a tenth under the greatest, with it by less than a fiftieth: %s\n",
           mw_verdict(stretched));
    pass = judge_modes() && pass && stretched;
    printf("mw-fig3: %s\n", mw_verdict(pass));
    fflush(stdout);
    plot(directory);
    return pass;
}
