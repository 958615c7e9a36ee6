// Overhand knots. Without friction the loop of a loose one has the radius sqrt(B / 2T): B. Audoly, N. Clauvelin and S. Neukirch, Elastic knots, Phys. Rev. Lett. 99, 164301 (2007).
// With friction the pull that draws a knot tight rises with the coefficient of friction, and steeply with the number of crossings: M. K. Jawed, P. Dieleman, B. Audoly and P. M. Reis,
// Untangling the mechanics and topology in the frictional response of long overhand elastic knots, Phys. Rev. Lett. 115, 118302 (2015).
#include "reproduce.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double bend = 1e-3;       // B [N m^2]
static const double mass = 0.05;       // by length [kg/m]
static const double radius_off = 0.02; // of the extrapolated radius from theory, relative
static const double rest_off = 0.005;  // of a solve from a run at rest, over the length

enum { POINTS = 300, NODES = 400 };

typedef struct Knot {
    CordWorld* world;
    CordRodId rod;
    CordClampId ends[2];
    double thickness, length; // radius of the cord, and how long it is [m]
    int nodes;
    CordVec3 x[NODES];
} Knot;

// ---------------------------------------------------------------------------------------------------- knots of any number of crossings

// Two strands that go around each other by 2n + 1 half turns, joined by a loop above, with tails to both sides: overhand, double overhand, ...
static int draw(CordVec3* p, int n, double loop, double thickness, double tail)
{
    int crossings = 2 * n + 1, steps = 8 * crossings, count = 0;
    double a = 1.6 * thickness, half = 2.5 * crossings * thickness,
           wide = fmax(loop, 1.2 * half + 3.0 * thickness);
    p[count++] = (CordVec3){-half - tail, -a, 0};
    p[count++] = (CordVec3){-half - 0.5 * tail, -a, 0};
    for (int i = 0; i <= steps; i++) {
        double turn = pi * crossings * i / steps;
        p[count++] = (CordVec3){half * (2.0 * i / steps - 1.0), -a * cos(turn), a * sin(turn)};
    }
    for (int i = 1; i < 24; i++) {
        double turn = pi * (1.7 * i / 24 - 0.35);
        p[count++] = (CordVec3){wide * cos(turn), a + loop * (0.9 + sin(turn)), 0};
    }
    for (int i = 0; i <= steps; i++) {
        double turn = pi * crossings * i / steps;
        p[count++] = (CordVec3){half * (2.0 * i / steps - 1.0), a * cos(turn), -a * sin(turn)};
    }
    p[count++] = (CordVec3){half + 0.5 * tail, -a, 0};
    p[count++] = (CordVec3){half + tail, -a, 0};
    return count;
}

static CordResult hold(Knot* k, double pull)
{
    CordResult result = CORD_OK;
    for (int i = 0; i < 2 && result == CORD_OK; i++) {
        CordMotion motion = cord_motion_translate((CordVec3){i == 0 ? -pull : pull, 0, 0}, 0.0, 1.0);
        CordClampDef def = cord_clamp_def_default();
        def.rod = k->rod;
        def.at = i == 0 ? cord_at_start() : cord_at_end();
        def.motions = &motion;
        def.motion_count = 1;
        result = cord_clamp_create(k->world, &def, &k->ends[i]);
    }
    return result;
}

// A knot of a wide loop whose ends go apart in a second, until what is left is as long as a circle of the radius `loop`.
static bool tie(Knot* k, int n, int elements, double thickness, double friction, double wide, double loop)
{
    CordVec3 points[POINTS];
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    *k = (Knot){.thickness = thickness, .nodes = elements + 1};
    if (cord_world_create(&world_def, &k->world) != CORD_OK) {
        return false;
    }
    CordRodDef def = cord_rod_def_default();
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = true;
    def.shape = cord_shape_spline(points, draw(points, n, wide, thickness, 0.15), k->nodes);
    def.section = cord_section_disc(thickness);
    def.rest = CORD_REST_STRAIGHT;
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = bend;
    def.stiffness.mass_per_length = mass;
    CordContactDef contact = cord_contact_def_default();
    contact.friction = friction;
    if (cord_rod_create(k->world, &def, &k->rod) != CORD_OK ||
        cord_world_set_contact(k->world, &contact) != CORD_OK ||
        cord_rod_knot(k->world, k->rod) != 2 * n + 1) { // which is the determinant of such a knot
        return false;
    }
    cord_rod_positions(k->world, k->rod, k->x);
    k->length = cord_rod_length(k->world, k->rod);
    return hold(k, 0.5 * (k->length - 2.0 * pi * loop - (k->x[elements].x - k->x[0].x))) == CORD_OK;
}

static double pull_of(const Knot* k) // in the mean of both ends [N]
{
    CordVec3 left, right, torque;
    cord_clamp_reaction(k->world, k->ends[0], &left, &torque);
    cord_clamp_reaction(k->world, k->ends[1], &right, &torque);
    return 0.5 * (left.x - right.x);
}

static double turn_at(const CordVec3* x) // of an edge to the next, by the length of an edge [1/m]
{
    CordVec3 a = {x[0].x - x[-1].x, x[0].y - x[-1].y, x[0].z - x[-1].z};
    CordVec3 b = {x[1].x - x[0].x, x[1].y - x[0].y, x[1].z - x[0].z};
    double la = sqrt(a.x * a.x + a.y * a.y + a.z * a.z), lb = sqrt(b.x * b.x + b.y * b.y + b.z * b.z);
    double c = (a.x * b.x + a.y * b.y + a.z * b.z) / (la * lb);
    return 2.0 * tan(0.5 * acos(fmin(c, 1.0))) / (0.5 * (la + lb));
}

// Radius of curvature opposite the crossings, in the mean of a twentieth of the cord.
static double loop_radius(Knot* k)
{
    int middle = k->nodes / 2, reach = k->nodes / 40;
    double sum = 0.0;
    cord_rod_positions(k->world, k->rod, k->x);
    for (int i = middle - reach; i <= middle + reach; i++) {
        sum += turn_at(k->x + i);
    }
    return (2 * reach + 1) / sum;
}

// ---------------------------------------------------------------------------------------------------- the loose knot

typedef struct Loose {
    double epsilon; // sqrt(thickness / R)
    double share;   // B / (2 T R^2): what bending has of the pull
} Loose;

// In the mean of equilibria along the way: a polygon lies in itself now more and now less easily.
static bool measure_loose(double thickness, int elements, FILE* csv, Loose* loose)
{
    enum { STEPS = 12, SKIPPED = 3 };
    Knot k;
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    solve.tolerance = 1e-5;
    solve.iterations = 100;
    *loose = (Loose){0};
    bool good = tie(&k, 1, elements, thickness, 0.0, 0.06, 0.055);
    for (int i = 1; i <= STEPS && good; i++) {
        cord_world_set_time(k.world, (double)i / STEPS);
        CordResult result = cord_world_solve(k.world, &solve, &report);
        good = result == CORD_OK || result == CORD_NOT_CONVERGED;
        if (good && i > SKIPPED) {
            double radius = loop_radius(&k), pull = pull_of(&k), epsilon = sqrt(thickness / radius);
            double share = bend / (2.0 * pull * radius * radius);
            fprintf(csv, "loose,1,0,%.6g,%.6g,%.6g,%.6g,%.6g\n", thickness, radius, pull, epsilon, share);
            loose->epsilon += epsilon / (STEPS - SKIPPED);
            loose->share += share / (STEPS - SKIPPED);
        }
    }
    cord_world_destroy(k.world);
    return good;
}

static double at_zero(const Loose* p) // of the parabola through three points
{
    double x = p[0].epsilon, y = p[1].epsilon, z = p[2].epsilon;
    return p[0].share * y * z / ((x - y) * (x - z)) + p[1].share * x * z / ((y - x) * (y - z)) +
           p[2].share * x * y / ((z - x) * (z - y));
}

static bool tell_loose(FILE* csv)
{
    static const double thickness[] = {0.004, 0.002, 0.001};
    static const int elements[] = {140, 200, 280};
    Loose loose[3];
    printf("overhand knot without friction: radius R of its loop under a pull T, for thinner and thinner cords of radius r\n"
           "  r [mm]   sqrt(r/R)   B / (2 T R^2)\n");
    for (int i = 0; i < 3; i++) {
        if (!measure_loose(thickness[i], elements[i], csv, &loose[i])) {
            printf("  no equilibrium was found: FAIL\n");
            return false;
        }
        printf("  %6.1f   %9.3f   %13.3f\n", 1e3 * thickness[i], loose[i].epsilon, loose[i].share);
    }
    double limit = 1.0 / sqrt(at_zero(loose)); // in the loop, T is bending B / 2R^2 and a tension that is of the order of sqrt(r/R)
    bool nearer = loose[0].share < loose[1].share && loose[1].share < loose[2].share;
    bool pass = nearer && fabs(limit - 1.0) <= radius_off;
    printf("  extrapolated to 0: R = %.3f sqrt(B/2T), theory 1 (Audoly, Clauvelin and Neukirch 2007), %g %% allowed: %s\n",
           limit, 100.0 * radius_off, pass ? "pass" : "FAIL");
    return pass;
}

// ---------------------------------------------------------------------------------------------------- friction

// The pull in the mean of the last fifth of a second in which the ends go apart; negative: it failed.
static double measure_pull(int n, double friction, FILE* csv)
{
    enum { STEPS = 125, MEAN = 25 };
    Knot k;
    double sum = 0.0;
    bool good = tie(&k, n, 120, 0.003, friction, 0.07, 0.055);
    for (int i = 0; i < STEPS && good; i++) {
        good = cord_world_step(k.world, 1.0 / STEPS) == CORD_OK;
        sum += i >= STEPS - MEAN ? pull_of(&k) / MEAN : 0.0;
    }
    if (good) {
        fprintf(csv, "friction,%d,%.6g,%.6g,%.6g,%.6g,,\n", n, friction, k.thickness, loop_radius(&k), sum);
    } else {
        fprintf(stderr, "%s\n", cord_world_message(k.world));
    }
    good = good && cord_rod_knot(k.world, k.rod) == 2 * n + 1;
    cord_world_destroy(k.world);
    return good ? sum : -1.0;
}

static bool tell_friction(FILE* csv)
{
    static const double friction[] = {0.0, 0.05, 0.1};
    double pull[3], crossed[3];
    printf("cord of radius 3 mm, drawn out until 0.35 m of it is left between the ends\n  pull of an overhand knot with friction");
    for (int i = 0; i < 3; i++) {
        pull[i] = measure_pull(1, friction[i], csv);
        printf("%s %g: %.3f N", i > 0 ? "," : "", friction[i], pull[i]);
    }
    bool rises = pull[0] > 0.0 && pull[1] > pull[0] && pull[2] > pull[1];
    printf("\n    rises with friction (Jawed, Dieleman, Audoly and Reis 2015): %s\n  with friction 0.1 and",
           rises ? "pass" : "FAIL");
    crossed[0] = pull[2];
    for (int n = 1; n <= 3; n++) {
        crossed[n - 1] = n == 1 ? pull[2] : measure_pull(n, 0.1, csv);
        printf("%s %d crossings: %.3f N", n > 1 ? "," : "", 2 * n + 1, crossed[n - 1]);
    }
    bool ranked = crossed[0] > 0.0 && crossed[1] > crossed[0] && crossed[2] > crossed[1];
    printf("\n    rises with the number of crossings (likewise): %s\n", ranked ? "pass" : "FAIL");
    return rises && ranked;
}

// ---------------------------------------------------------------------------------------------------- solve and run

enum { ELEMENTS = 120 };

// Farthest that the nodes of one cord are from the other, over the length. Nothing holds a tight knot at its place along a straight cord, so the other is slid along it until
// they are nearest.
static double apart(const CordVec3* a, const CordVec3* b, double length)
{
    double least = INFINITY, edge = length / ELEMENTS;
    for (int n = -400; n <= 400; n++) {
        double slide = n / 100.0, most = 0.0; // in elements
        for (int i = 5; i <= ELEMENTS - 5; i++) {
            int k = (int)floor(i + slide);
            double t = i + slide - k;
            double x = b[k].x + t * (b[k + 1].x - b[k].x) - slide * edge - a[i].x;
            double y = b[k].y + t * (b[k + 1].y - b[k].y) - a[i].y,
                   z = b[k].z + t * (b[k + 1].z - b[k].z) - a[i].z;
            most = fmax(most, sqrt(x * x + y * y + z * z));
        }
        least = fmin(least, most / length);
    }
    return least;
}

// The knot of the scene, a little less tight, so that elements are short beside its loop: run until it rests. Kept: the state some time before the end of the pull.
static bool rest(CordWorld* world, CordVec3* x, void* before, size_t size)
{
    enum { STEPS = 150, BEFORE = 135, RESTS = 100 };
    bool good = true;
    for (int i = 0; i < STEPS + RESTS && good; i++) {
        good = (i != BEFORE || cord_world_state_get(world, before, size) == CORD_OK) &&
               cord_world_step(world, 0.02) == CORD_OK;
    }
    cord_rod_positions(world, cord_world_rod(world, 0), x);
    return good;
}

static bool tell_rest(void)
{
    static const char* settings[] = {"rods[0].elements=120", "probes=[]",
                                     "clamps[0].motion[0].translate.by[0]=-0.145",
                                     "clamps[1].motion[0].translate.by[0]=0.145"};
    CordWorld* world = reproduce_scene("overhand", settings, 4);
    if (!world) {
        return false;
    }
    CordVec3 run[ELEMENTS + 1], solved[ELEMENTS + 1];
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    solve.tolerance = 1e-6;
    solve.iterations = 1000;
    size_t size = cord_world_state_size(world);
    void* before = malloc(size);
    bool good =
        before && rest(world, run, before, size) && cord_world_state_set(world, before, size) == CORD_OK &&
        cord_world_set_time(world, 3.0) == CORD_OK && cord_world_solve(world, &solve, &report) == CORD_OK;
    cord_rod_positions(world, cord_world_rod(world, 0), solved);
    double most = apart(run, solved, cord_rod_length(world, cord_world_rod(world, 0)));
    bool pass = good && most <= rest_off;
    printf("tight overhand knot without friction, a run that came to rest and a solve from 0.3 s before its end: %.2g of the length apart, %g allowed: %s\n",
           most, rest_off, pass ? "pass" : "FAIL");
    if (!good) {
        printf("  %s\n", cord_world_message(world));
    }
    free(before);
    cord_world_destroy(world);
    return pass;
}

// ---------------------------------------------------------------------------------------------------- the experiment

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "overhand"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset xlabel '{/Symbol \\326}(r / R)'\nset ylabel 'B / (2 T R^2)'\n"
            "set xrange [0:0.27]\nset yrange [0.4:1.1]\nset key outside top center horizontal\n"
            "f(x) = a + b*x + c*x*x\na = 1; b = 1; c = 1\nset fit quiet logfile '/dev/null'\n"
            "fit f(x) 'overhand.csv' using (stringcolumn(1) eq 'loose' ? $7 : 1/0):8 via a, b, c\n"
            "plot 1 with lines lw 2 dt 2 lc rgb 'black' title 'loose knot: Audoly, Clauvelin, Neukirch 2007', f(x) with lines lw 1 lc rgb '#7b3f98' title 'parabola', "
            "'overhand.csv' using (stringcolumn(1) eq 'loose' ? $7 : 1/0):8 with points pt 7 ps 1 lc rgb '#2f86c1' title 'equilibria'\n");
    reproduce_plot_close(&p, script);
}

bool overhand_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "overhand.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "part,unknotting_number,friction,thickness,radius,pull,epsilon,share\n");
    bool loose = tell_loose(csv), friction = tell_friction(csv), rest = tell_rest();
    fclose(csv);
    printf("overhand: %s\n", loose && friction && rest ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return loose && friction && rest;
}
