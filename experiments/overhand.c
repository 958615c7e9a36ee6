// Overhand knots. Without friction the loop of a loose one has the radius sqrt(B / 2T): B. Audoly, N.
// Clauvelin and S. Neukirch, Elastic knots, Phys. Rev. Lett. 99, 164301 (2007). With friction the pull that
// draws a knot tight rises with the coefficient of friction, and steeply with the number of crossings: M. K.
// Jawed, P. Dieleman, B. Audoly and P. M. Reis, Untangling the mechanics and topology in the frictional
// response of long overhand elastic knots, Phys. Rev. Lett. 115, 118302 (2015).
#include "lab.h"
#include "loop_shape.h"

#include <cordage/solve.h>

#include <math.h>

static const double bend = 1e-3;       // B [N m^2]
static const double mass = 0.05;       // by length [kg/m]
static const double radius_off = 0.02; // of the extrapolated radius from theory, relative
static const double rest_off = 0.005;  // of a solve from a run at rest, over the length

enum { POINTS = 300, NODES = 400 };

typedef struct Knot {
    CordWorld* world;
    CordRodId rod;
    double thickness, length; // radius of the cord, and how long it is [m]
    int nodes;
    CordVec3 x[NODES];
} Knot;

// ---- knots of any number of crossings

// Two strands that go around each other by 2n + 1 half turns, joined by a loop above, with tails to both
// sides: overhand, double overhand, ...
static int draw(CordVec3* p, int n, double loop, double thickness, double tail)
{
    int crossings = 2 * n + 1, steps = 8 * crossings, count = 0;
    double a = 1.6 * thickness, half = 2.5 * crossings * thickness,
           wide = fmax(loop, 1.2 * half + 3.0 * thickness);
    p[count++] = (CordVec3){-half - tail, -a, 0};
    p[count++] = (CordVec3){-half - 0.5 * tail, -a, 0};
    for (int i = 0; i <= steps; i++) {
        double turn = CORD_PI * crossings * i / steps;
        p[count++] = (CordVec3){half * (2.0 * i / steps - 1.0), -a * cos(turn), a * sin(turn)};
    }
    for (int i = 1; i < 24; i++) {
        double turn = CORD_PI * (1.7 * i / 24 - 0.35);
        p[count++] = (CordVec3){wide * cos(turn), a + loop * (0.9 + sin(turn)), 0};
    }
    for (int i = 0; i <= steps; i++) {
        double turn = CORD_PI * crossings * i / steps;
        p[count++] = (CordVec3){half * (2.0 * i / steps - 1.0), a * cos(turn), -a * sin(turn)};
    }
    p[count++] = (CordVec3){half + 0.5 * tail, -a, 0};
    p[count++] = (CordVec3){half + tail, -a, 0};
    return count;
}

static void hold(Lab* lab, Knot* k, double pull)
{
    for (int i = 0; i < 2; i++) {
        CordMotion motion = cord_motion_translate((CordVec3){i == 0 ? -pull : pull, 0, 0}, 0.0, 1.0);
        CordClampDef def = cord_clamp_def_default();
        CordClampId end;
        def.rod = k->rod;
        def.at = i == 0 ? cord_at_start() : cord_at_end();
        def.motions = &motion;
        def.motion_count = 1;
        lab_ok(lab, k->world, cord_clamp_create(k->world, &def, &end));
    }
}

static void judge_knot(Lab* lab, const Knot* k, int n)
{
    lab_equal(lab, "determinant of the knot", (double)cord_rod_knot(k->world, k->rod), 2 * n + 1, "2 n + 1");
}

// A knot of a wide loop whose ends go apart in a second, until what is left is as long as a circle of the
// radius `loop`.
static Knot tie(Lab* lab, int n, int elements, double thickness, double friction, double wide, double loop)
{
    CordVec3 points[POINTS];
    Knot k = {.thickness = thickness, .nodes = elements + 1};
    k.world = lab_world_empty(lab, (CordVec3){0, 0, 0}, LAB_UNTIMED);
    CordRodDef def = cord_rod_def_default();
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = true;
    def.shape = cord_shape_spline(points, draw(points, n, wide, thickness, 0.15), k.nodes);
    def.section = cord_section_disc(thickness);
    def.rest = CORD_REST_STRAIGHT;
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = bend;
    def.stiffness.mass_per_length = mass;
    k.rod = lab_rod(lab, k.world, &def);
    lab_friction(lab, k.world, friction);
    judge_knot(lab, &k, n);
    cord_rod_positions(k.world, k.rod, k.x);
    k.length = cord_rod_length(k.world, k.rod);
    hold(lab, &k, 0.5 * (k.length - 2.0 * CORD_PI * loop - (k.x[elements].x - k.x[0].x)));
    return k;
}

static double pull_of(const Knot* k) // in the mean of both ends [N]
{
    return 0.5 * (lab_reaction(k->world, 0).x - lab_reaction(k->world, 1).x);
}

// Radius of curvature opposite the crossings, in the mean of a twentieth of the cord.
static double loop_radius(Knot* k)
{
    int middle = k->nodes / 2, reach = k->nodes / 40;
    double sum = 0.0;
    cord_rod_positions(k->world, k->rod, k->x);
    for (int i = middle - reach; i <= middle + reach; i++) {
        sum += loop_curvature(k->x, i);
    }
    return (2 * reach + 1) / sum;
}

// ---- the loose knot

typedef struct Loose {
    double epsilon; // sqrt(thickness / R)
    double share;   // B / (2 T R^2): what bending has of the pull
} Loose;

// In the mean of equilibria along the way: a polygon lies in itself now more and now less easily.
static Loose measure_loose(Lab* lab, double thickness)
{
    enum { STEPS = 12, SKIPPED = 3, ELEMENTS = 280 };
    Knot k = tie(lab, 1, ELEMENTS, thickness, 0.0, 0.06, 0.055);
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    solve.tolerance = 1e-5;
    solve.iterations = 100;
    Loose loose = {0};
    for (int i = 1; i <= STEPS; i++) {
        cord_world_set_time(k.world, (double)i / STEPS);
        CordResult result = cord_world_solve(k.world, &solve, &report);
        lab_ok(lab, k.world, result == CORD_NOT_CONVERGED ? CORD_OK : result);
        if (i > SKIPPED) {
            double radius = loop_radius(&k), pull = pull_of(&k), epsilon = sqrt(thickness / radius);
            double share = bend / (2.0 * pull * radius * radius);
            lab_row(lab, "loose", NULL, 1e3 * thickness, radius, pull, epsilon, share);
            loose.epsilon += epsilon / (STEPS - SKIPPED);
            loose.share += share / (STEPS - SKIPPED);
        }
    }
    return loose;
}

static double at_zero(const Loose* p) // of the parabola through three points
{
    double x = p[0].epsilon, y = p[1].epsilon, z = p[2].epsilon;
    return p[0].share * y * z / ((x - y) * (x - z)) + p[1].share * x * z / ((y - x) * (y - z)) +
           p[2].share * x * y / ((z - x) * (z - y));
}

static void measure_loop(Lab* lab)
{
    static const double thickness[] = {0.004, 0.002, 0.001};
    static const char source[] = "Audoly, Clauvelin and Neukirch 2007: a loose knot, R = sqrt(B/2T)";
    Loose loose[3];
    lab_say(lab, "overhand knot without friction: radius R of its loop under a pull T, for thinner and "
                 "thinner cords of radius r");
    for (int i = 0; i < 3; i++) {
        loose[i] = measure_loose(lab, thickness[i]);
        lab_row(lab, "loops", NULL, 1e3 * thickness[i], loose[i].epsilon, loose[i].share);
    }
    // In the loop, T is bending B / 2R^2 and a tension that is of the order of sqrt(r/R).
    lab_true(lab, "B / (2 T R^2) comes nearer to 1 with thinner cords",
             loose[0].share < loose[1].share && loose[1].share < loose[2].share, source);
    lab_near(lab, "R / sqrt(B/2T), extrapolated to no thickness", 1.0 / sqrt(at_zero(loose)), 1.0, radius_off,
             source);
}

// ---- friction

// The pull in the mean of the last fifth of a second in which the ends go apart.
static double measure_pull(Lab* lab, int n, double friction)
{
    enum { STEPS = 125, MEAN = 25 };
    Knot k = tie(lab, n, 120, 0.003, friction, 0.07, 0.055);
    double sum = 0.0;
    for (int i = 0; i < STEPS; i++) {
        lab_steps(lab, k.world, 1.0 / STEPS, 1);
        sum += i >= STEPS - MEAN ? pull_of(&k) / MEAN : 0.0;
    }
    lab_row(lab, "friction", NULL, 2 * n + 1, friction, loop_radius(&k), sum);
    judge_knot(lab, &k, n);
    return sum;
}

static void measure_friction(Lab* lab)
{
    static const char source[] = "Jawed, Dieleman, Audoly and Reis 2015";
    lab_say(lab, "cord of radius 3 mm, drawn out until 0.35 m of it is left between the ends");
    double smooth = measure_pull(lab, 1, 0.0), some = measure_pull(lab, 1, 0.05),
           more = measure_pull(lab, 1, 0.1);
    double two = measure_pull(lab, 2, 0.1), three = measure_pull(lab, 3, 0.1);
    lab_true(lab, "the pull rises with friction", smooth > 0.0 && some > smooth && more > some, source);
    lab_true(lab, "the pull rises with the number of crossings", two > more && three > two, source);
}

// ---- solve and run

enum { ELEMENTS = 120 };

// Farthest that the nodes of one cord are from the other, over the length. Nothing holds a tight knot at its
// place along a straight cord, so the other is slid along it until they are nearest.
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

// The knot of the scene, a little less tight, so that elements are short beside its loop: run until it rests.
// A solve begins some time before the end of the pull.
static void measure_rest(Lab* lab)
{
    enum { STEPS = 150, BEFORE = 135, RESTS = 100 };
    CordWorld* world = lab_world(lab, "overhand",
                                 "rods[0].elements=120; probes=[]; "
                                 "clamps[0].motion[0].translate.by[0]=-0.145; "
                                 "clamps[1].motion[0].translate.by[0]=0.145");
    LabState before = {0};
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    solve.tolerance = 1e-6;
    solve.iterations = 1000;
    lab_steps(lab, world, 0.02, BEFORE);
    lab_keep(lab, world, &before);
    lab_steps(lab, world, 0.02, STEPS + RESTS - BEFORE);
    const CordVec3* rested = lab_nodes(lab, world, 0);
    lab_restore(lab, world, &before);
    lab_ok(lab, world, cord_world_set_time(world, 3.0));
    lab_ok(lab, world, cord_world_solve(world, &solve, &report));
    lab_below(lab,
              "tight knot without friction, a run that came to rest and a solve from 0.3 s before its end: "
              "apart, over the length",
              apart(rested, lab_nodes(lab, world, 0), cord_rod_length(world, cord_world_rod(world, 0))),
              rest_off, "each other");
}

// ---- the experiment

static void run(Lab* lab)
{
    measure_loop(lab);
    measure_friction(lab);
    measure_rest(lab);
}

const Experiment experiment_overhand = {
    .id = "overhand",
    .about = "overhand knots drawn tight: radius of the loop, friction, crossings; a solve and a run",
    .source = "overhand knots",
    .run = run,
    .tables = LAB_TABLES({"loose", .columns = "r [mm],R [m],pull [N],epsilon,share"},
                         {"loops", .columns = "r [mm],sqrt(r/R),B/(2TR^2)", .shown = true},
                         {"friction", .columns = "crossings,friction,R [m],pull [N]", .shown = true}),
    .panels = LAB_PANELS(
        {.x = "{/Symbol \\326}(r / R)",
         .y = "B / (2 T R^2)",
         .set = "set xrange [0:0.27]\nset yrange [0.4:1.1]\nset key outside top center horizontal\n"
                "f(x) = a + b*x + c*x*x\na = 1; b = 1; c = 1\nset fit quiet logfile '/dev/null'\n"
                "fit f(x) 'overhand-loose.csv' skip 1 using 4:5 via a, b, c",
         .curves = LAB_CURVES({.y = "1",
                               .with = "lines lw 2 dt 2 lc rgb 'black'",
                               .title = "loose knot: Audoly, Clauvelin, "
                                        "Neukirch 2007"},
                              {.y = "f(x)", .with = "lines lw 1 lc rgb '#7b3f98'", .title = "parabola"},
                              LAB_CURVE("loose", NULL, "epsilon", "share",
                                        "points pt 7 ps 1 lc rgb '#2f86c1'", "equilibria"))}),
};
