// DER, figure 5: asymmetry of twist. One end of a ribbon that is naturally a V, or a semicircle, is clamped
// and the other turned. Twist stays in the turned half, and only a large turn brings it over to the other: at
// once over the corner of the V, little by little along the semicircle.
#include "lab.h"

#include <cordage/solve.h>

#include <math.h>

static const double turn_rate = 9.0;    // of the scenes' clamps [degrees/s]
static const double radius = 0.3183099; // of the semicircle [m]

static const char v_scene[] = "der/fig5_v", arc_scene[] = "der/fig5_arc";

enum { STOPS = 6, LEVELS = 4, COARSE = 48 }; // the paper has 49 nodes
// Where the twist along the rod is kept [degrees].
static const double stops[STOPS] = {72, 144, 216, 288, 324, 360};

// ---- twist along the rod, from its material frames

typedef struct Ribbon {
    Lab* lab;
    CordWorld* world;
    CordRodId rod;
    int edges;
    double *s, *twist; // of the inner nodes: place [m], twist there [rad] (edges - 1)
    CordVec3 *x, *m1;  // (edges + 1), (edges)
} Ribbon;

static Ribbon ribbon_open(Lab* lab, const char* scene, int edges, const char* more)
{
    Ribbon r = {.lab = lab, .edges = edges};
    size_t count = (size_t)edges + 1;
    r.world = lab_world(lab, scene, "rods[ribbon].elements=%d; %s", edges, more);
    r.s = lab_room(lab, count, sizeof *r.s);
    r.twist = lab_room(lab, count, sizeof *r.twist);
    r.x = lab_room(lab, count, sizeof *r.x);
    r.m1 = lab_room(lab, count, sizeof *r.m1);
    r.rod = cord_world_rod(r.world, 0);
    for (int i = 0; i < edges - 1; i++) { // clamped edges are half ones
        r.s[i] = cord_rod_length(r.world, r.rod) * (i + 0.5) / (edges - 1);
    }
    return r;
}

// The share of the whole twist that is in the turned half; the node in the middle belongs to both.
static double share(Ribbon* r)
{
    double turned = 0.0, sum = 0.0;
    cord_rod_positions(r->world, r->rod, r->x);
    cord_rod_material_frames(r->world, r->rod, r->m1);
    for (int i = 0; i < r->edges - 1; i++) {
        r->twist[i] = 2.0 * CORD_PI * cord_polygon_twist(r->x + i, 3, false, r->m1 + i);
        sum += r->twist[i];
        turned += r->twist[i] * (2 * (i + 1) == r->edges ? 0.5 : 2 * (i + 1) > r->edges);
    }
    return turned / sum;
}

// ---- equilibria, as the end is turned

static CordBranch* start(Ribbon* r, CordBranchMethod method, double degrees, double step)
{
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch = NULL;
    def.method = method;
    def.from = cord_world_time(r->world);
    def.to = degrees / turn_rate;
    def.step = def.most = step;
    lab_ok(r->lab, r->world, cord_branch_create(r->world, &def, &branch));
    return branch;
}

static CordBranchPoint next(const Ribbon* r, CordBranch* branch)
{
    CordBranchPoint point;
    lab_ok(r->lab, r->world, cord_branch_next(branch, &point));
    return point;
}

// From where the ribbon is to a turn of `degrees`, as an experimenter would: over a jump, if need be. The
// share there.
static double turn_to(Ribbon* r, double degrees)
{
    CordBranch* branch = start(r, CORD_BRANCH_NATURAL, degrees, 0.5);
    while (next(r, branch).event != CORD_BRANCH_END) {
    }
    cord_branch_destroy(branch);
    return share(r);
}

static double share_at(Lab* lab, const char* scene, int edges, const char* settings, double degrees)
{
    Ribbon r = ribbon_open(lab, scene, edges, settings);
    return turn_to(&r, degrees);
}

static void keep_twist(Lab* lab, const char* scene, const char* name)
{
    Ribbon r = ribbon_open(lab, scene, COARSE, "");
    double found[STOPS], piece = cord_rod_length(r.world, r.rod) / (r.edges - 1);
    for (int k = 0; k < STOPS; k++) {
        found[k] = turn_to(&r, stops[k]);
        for (int i = 0; i < r.edges - 1; i++) {
            lab_row(lab, "twist", name, stops[k], r.s[i], r.twist[i] / piece);
        }
    }
    lab_row_of(lab, "stops", name, found, STOPS);
}

// The whole branch, around its folds.
typedef struct Path {
    int folds;
    double fold[2];        // the end is turned by [degrees]
    double before;         // share at the first fold
    double after;          // share at the same turn on the branch beyond both folds
    double spread;         // where the share falls below two thirds, before any fold [degrees]; 0: nowhere
    double end;            // share after a whole turn
    double degrees, share; // of the point before
} Path;

static double between(double x0, double y0, double x1, double y1, double x)
{
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

static void note(Path* p, const CordBranchPoint* point, double now)
{
    double degrees = turn_rate * point->time;
    if (point->event == CORD_BRANCH_FOLD && p->folds < 2) {
        p->fold[p->folds++] = turn_rate * point->event_time;
        p->before = p->folds == 1 ? p->share : p->before;
    }
    if (p->folds == 0 && now < 2.0 / 3.0 && p->share >= 2.0 / 3.0) {
        p->spread = between(p->share, p->degrees, now, degrees, 2.0 / 3.0);
    }
    if (p->folds == 2 && p->degrees < p->fold[0] && degrees >= p->fold[0]) {
        p->after = between(p->degrees, p->share, degrees, now, p->fold[0]);
    }
    p->end = p->share = now;
    p->degrees = degrees;
}

static Path trace(Lab* lab, const char* scene, const char* name)
{
    Ribbon r = ribbon_open(lab, scene, COARSE, "");
    Path p = {.share = 1.0};
    CordBranch* branch = start(&r, CORD_BRANCH_ARC, 360.0, 0.5);
    next(&r, branch); // the start, where there is no twist
    for (CordBranchPoint point = next(&r, branch); point.event != CORD_BRANCH_END; point = next(&r, branch)) {
        note(&p, &point, share(&r));
        lab_row(lab, "", name, p.degrees, p.share, point.solve.unstable);
    }
    cord_branch_destroy(branch);
    return p;
}

static void judge(Lab* lab, const Path* v, const Path* arc)
{
    lab_equal(lab, "V: folds of the branch", v->folds, 2, NULL);
    lab_above(lab, lab_text(lab, "V: share just before twist jumps over, at %.1f degrees", v->fold[0]),
              v->before, 0.7, NULL);
    lab_below(lab, "V: share just after", v->after, 0.55, NULL);
    lab_below(lab, "V: turned back, it jumps at [degrees]", v->fold[1], v->fold[0], "hysteresis");
    lab_equal(lab, "V: share below two thirds before it folds, from [degrees]; 0: nowhere", v->spread, 0,
              NULL);
    lab_equal(lab, "semicircle: folds of the branch", arc->folds, 0, NULL);
    lab_between(lab, "semicircle: share below two thirds from [degrees]", arc->spread, 0, v->fold[0],
                "earlier than in the V");
    // Both ends are then held alike, and the two halves are images of each other.
    lab_within(lab, "V: share after a whole turn", v->end, 0.5, 1e-6, "symmetry");
    lab_within(lab, "semicircle: share after a whole turn", arc->end, 0.5, 1e-6, "symmetry");
}

static void say_levels(Lab* lab, const char* what, const double value[LEVELS])
{
    lab_say(lab, "%s at %d, %d, %d and %d elements: %.5f, %.5f, %.5f, %.5f", what, COARSE, 2 * COARSE,
            4 * COARSE, 8 * COARSE, value[0], value[1], value[2], value[3]);
}

static void judge_order(Lab* lab, const char* what, const double value[3], double least, double most)
{
    const double steps[2] = {value[0] - value[1], value[1] - value[2]};
    lab_order(lab, what, steps, 2, least, most, "the elements' order");
}

// Where the twist of the V jumps over [degrees], to 2e-3, by steps of 0.05 degrees at first.
static double fold_at(Lab* lab, int edges)
{
    Ribbon r = ribbon_open(lab, v_scene, edges, "");
    turn_to(&r, 288.0);
    CordBranch* branch = start(&r, CORD_BRANCH_ARC, 360.0, 0.05 / turn_rate);
    CordBranchPoint point = next(&r, branch);
    while (point.event != CORD_BRANCH_FOLD) {
        point = next(&r, branch);
    }
    cord_branch_destroy(branch);
    return turn_rate * point.event_time;
}

static void measure_order(Lab* lab)
{
    double v[LEVELS], arc[LEVELS], fold[LEVELS], beyond[LEVELS - 1];
    for (int k = 0; k < LEVELS; k++) {
        v[k] = share_at(lab, v_scene, COARSE << k, "", 72.0);
        arc[k] = share_at(lab, arc_scene, COARSE << k, "", 72.0);
        fold[k] = fold_at(lab, COARSE << k);
    }
    lab_above(lab, "V: share at 72 degrees", v[0], 0.9, NULL);
    lab_above(lab, "semicircle: share at 72 degrees (above 1: the far half is twisted backwards)", arc[0],
              0.9, NULL);
    say_levels(lab, "semicircle: share at 72 degrees", arc);
    judge_order(lab, "semicircle: share at 72 degrees", arc + 1, 1.9, 2.1);
    // The node in the corner bends by its own finite angle, otherwise than a rod would; it stands for one
    // element of the rod.
    say_levels(lab, "V: share at 72 degrees", v);
    judge_order(lab, "V: share at 72 degrees", v + 1, 0.9, 1.2);
    // Both kinds of error, of opposite signs, are half a degree or so. Without that of first order, by
    // Richardson's extrapolation, that of second order is left: steps of 0.1 and 0.024, known to 4e-3.
    say_levels(lab, "V: degrees at which twist jumps over", fold);
    for (int k = 0; k < LEVELS - 1; k++) {
        beyond[k] = 2.0 * fold[k + 1] - fold[k];
    }
    judge_order(lab, lab_text(lab, "V: degrees at which twist jumps over, extrapolated to %.3f", beyond[2]),
                beyond, 1.7, 2.4);
}

static void measure_equilibria(Lab* lab)
{
    lab_say(lab, "share of the twist in the turned half, as the end is turned by degrees");
    keep_twist(lab, v_scene, "V");
    keep_twist(lab, arc_scene, "semicircle");
    Path v = trace(lab, v_scene, "V"), arc = trace(lab, arc_scene, "semicircle");
    judge(lab, &v, &arc);
    measure_order(lab);
}

// Twist that nothing makes uneven: a round rod straight at rest and bent into the V, and the ribbon straight.
// Then with a corner alone.
#define ROUND "rods[ribbon].section={\"disc\":{\"radius\":0.003}}"

static void measure_even(Lab* lab)
{
    // within what the solve leaves
    lab_say(lab, "without the corner, without the flat section, without both");
    lab_within(lab, "round, straight at rest, bent into the V: share at 144 degrees",
               share_at(lab, v_scene, COARSE, ROUND "; rods[ribbon].rest=straight", 144.0), 0.5, 1e-8,
               "an isotropic rod");
    lab_within(lab, "the ribbon, straight: share at 144 degrees",
               share_at(lab, v_scene, COARSE,
                        "rods[ribbon].shape={\"line\":{\"from\":[-0.5,0,0],\"to\":[0.5,0,0]}}; "
                        "clamps[1].motion[0].rotate.axis=[1,0,0]",
                        144.0),
               0.5, 1e-8, "symmetry");
    // It takes both: a flat section and a corner at rest.
    lab_between(lab, "round, the V at rest: share at 72 degrees", share_at(lab, v_scene, COARSE, ROUND, 72.0),
                0.5, 0.8, "less than the ribbon's");
}

// ---- the frames alone, on a centreline that is held: the pendulum equation

// Frames are held at the middle of the first and last edge, where the semicircle begins and ends, so that
// every node has the same curvature.
static Ribbon open_held(Lab* lab, int edges)
{
    double beyond = 90.0 / (edges - 1);
    Ribbon r =
        ribbon_open(lab, arc_scene, edges,
                    lab_text(lab,
                             "rods[ribbon].shape.circle.degrees=[%.15g,%.15g]; clamps[0].at={\"edge\":0}; "
                             "clamps[1].at={\"edge\":%d}",
                             -beyond, 180.0 + beyond, edges - 1));
    for (int i = 2; i < edges - 1; i++) {
        lab_clamp(lab, r.world, r.rod, cord_at_node(i), cord_clamp_def_default().fix);
    }
    return r;
}

// Turned by theta against its curvature k, the ribbon has V = k^2/2 [EI1 (1 - cos theta)^2 + EI2 sin^2 theta]
// of energy per length and GJ theta'^2 / 2 of twist. Far from the turned end both vanish, so that they are
// equal all along, and the energy is the integral of sqrt(2 GJ V) over theta; by Simpson's rule.
static double held_theory(const Ribbon* r)
{
    enum { PARTS = 200 };
    CordStiffness k = cord_rod_stiffness(r->world, r->rod);
    double sum = 0.0, h = 0.5 * CORD_PI / PARTS;
    for (int i = 0; i <= PARTS; i++) {
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0, c = 1.0 - cos(i * h), s = sin(i * h);
        sum += weight * h / 3.0 * sqrt(k.GJ * (k.EI1 * c * c + k.EI2 * s * s));
    }
    return sum / radius;
}

static double held_error(Lab* lab, int edges)
{
    Ribbon r = open_held(lab, edges);
    turn_to(&r, 90.0);
    CordEnergy energy = cord_rod_energy(r.world, r.rod);
    return (energy.bend + energy.twist) / held_theory(&r) - 1.0;
}

static void measure_held(Lab* lab)
{
    double error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
        error[k] = held_error(lab, COARSE << k);
    }
    lab_say(lab,
            "frames alone, the semicircle held: energy at 90 degrees is off by %.2e, %.2e, %.2e, %.2e at "
            "%d, %d, %d and %d elements",
            error[0], error[1], error[2], error[3], COARSE, 2 * COARSE, 4 * COARSE, 8 * COARSE);
    lab_order(lab, "frames alone: energy", error, LEVELS, 1.9, 2.1, "the pendulum equation");
}

// ---- in time, as the paper has it

static void turn_in_time(Lab* lab, const char* scene, const char* name)
{
    enum { SECONDS = 48, STEPS = 1000 }; // steps of 1 ms, the paper's
    Ribbon r = ribbon_open(lab, scene, COARSE, "");
    double least = 1.0, end = NAN; // least share up to 290 degrees, just before the V's fold
    for (int k = 1; k <= SECONDS; k++) {
        lab_steps(lab, r.world, 1.0 / STEPS, STEPS);
        end = share(&r);
        least = turn_rate * k <= 290.0 ? fmin(least, end) : least;
        lab_row(lab, "", lab_text(lab, "%s in time", name), fmin(turn_rate * k, 360.0), end, 0);
    }
    CordStepTimes t = cord_world_step_times(r.world);
    lab_say(lab,
            "%s, turned in 40 s of simulated time, %d nodes, steps of 1 ms: %.4f ms per step; the "
            "paper's, on its machine: 0.16 without contact",
            name, COARSE + 1, (t.forces + t.lengths + t.frames) / SECONDS);
    if (scene == v_scene) {
        lab_above(lab, "V: least share up to 290 degrees", least, 0.7, "as at rest");
    }
    lab_within(lab, lab_text(lab, "%s: share 8 s after the turn", name), end, 0.5, 0.01, "symmetry");
}

static void run(Lab* lab)
{
    measure_equilibria(lab);
    turn_in_time(lab, v_scene, "V");
    turn_in_time(lab, arc_scene, "semicircle");
    measure_even(lab);
    measure_held(lab);
}

#define STOP(name, at, color)                                                                                \
    LAB_CURVE_WHERE("twist", name, "{degrees} == " #at, "s", "twist", "lines lw 2 lc rgb '" color "'",       \
                    #at "°")
#define TWIST(name, place)                                                                                   \
    {                                                                                                        \
        .title = name, .x = "arc length from the clamped end to the turned one [m]",                         \
        .y = "twist per length [rad/m]",                                                                     \
        .set = place "\nset key top center horizontal maxcols 3\nset xrange [0:1]\nset yrange [-2:12]",      \
        .curves =                                                                                            \
            LAB_CURVES(STOP(name, 72, "#c6dbef"), STOP(name, 144, "#6baed6"), STOP(name, 216, "#2171b5"),    \
                       STOP(name, 288, "#08306b"), STOP(name, 324, "#fd8d3c"), STOP(name, 360, "#a63603"))   \
    }
#define SHARE(series, if_, style, name) LAB_CURVE_WHERE("", series, if_, "degrees", "share", style, name)

const Experiment experiment_der_fig5 = {
    .id = "der-fig5",
    .about = "DER figure 5: asymmetry of twist in a V and a semicircle",
    .source = "DER figure 5",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "shape,degrees,share,unstable"},
                         {"twist", .columns = "shape,degrees,s [m],twist"},
                         {"stops", .columns = "shape,72,144,216,288,324,360", .shown = true}),
    .panels = LAB_PANELS(
        TWIST("V", "set size 0.5,0.52\nset origin 0,0.48"),
        TWIST("semicircle", "set size 0.5,0.52\nset origin 0.5,0.48"),
        {.x = "the end is turned by [degrees]",
         .y = "share of the twist in the turned half",
         .set = "set origin 0,0\nset size 1,0.48\nset xrange [0:360]\nset yrange [0.2:1.2]\nset xtics 36\n"
                "set key opaque bottom left vertical maxrows 6",
         .curves = LAB_CURVES(
             {.y = "0.5", .with = "lines lw 1 dt 2 lc rgb 'black'", .title = "even"},
             SHARE("V", "{unstable} == 0", "lines lw 2 lc rgb '#2171b5'", "V, at rest"),
             SHARE("V in time", NULL, "points pt 6 ps 0.8 lc rgb '#2171b5'", "V, turned in 40 s"),
             SHARE("semicircle", "{unstable} == 0", "lines lw 2 lc rgb '#a63603'", "semicircle, at rest"),
             SHARE("semicircle in time", NULL, "points pt 6 ps 0.8 lc rgb '#a63603'",
                   "semicircle, turned in 40 s"),
             SHARE(NULL, "{unstable} > 0", "lines lw 2 dt 3 lc rgb '#2171b5'", "V, unstable"))}),
    .layout = "", // placed by hand
};
