// DER, figure 5: asymmetry of twist. One end of a ribbon that is naturally a V, or a semicircle, is clamped and the other turned. Twist stays
// in the turned half, and only a large turn brings it over to the other: at once over the corner of the V, little by little along the semicircle.
#include "reproduce.h"

#include <cordage/solve.h>

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double turn_rate = 9.0;    // of the scenes' clamps [degrees/s]
static const double radius = 0.3183099; // of the semicircle [m]

static const char v_scene[] = "der/fig5_v", arc_scene[] = "der/fig5_arc";

enum { STOPS = 6, LEVELS = 3, COARSE = 48 }; // the paper has 49 nodes
// Where the twist along the rod is kept [degrees].
static const double stops[STOPS] = {72, 144, 216, 288, 324, 360};

// ---- twist along the rod, from its material frames

typedef struct Ribbon {
    CordWorld* world;
    CordRodId rod;
    int edges;
    double *s, *twist; // of the inner nodes: place [m], twist there [rad] (edges - 1)
    CordVec3 *x, *m1;  // (edges + 1), (edges)
} Ribbon;

static bool ribbon_open(Ribbon* r, const char* scene, int edges, const char* const* more, int more_count)
{
    char elements[64];
    const char* settings[8] = {elements};
    snprintf(elements, sizeof elements, "rods[ribbon].elements=%d", edges);
    for (int i = 0; i < more_count; i++) {
        settings[1 + i] = more[i];
    }
    *r = (Ribbon){.world = reproduce_scene(scene, settings, 1 + more_count), .edges = edges};
    r->s = calloc((size_t)edges, sizeof *r->s);
    r->twist = calloc((size_t)edges, sizeof *r->twist);
    r->x = calloc((size_t)edges + 1, sizeof *r->x);
    r->m1 = calloc((size_t)edges, sizeof *r->m1);
    if (!r->world || !r->s || !r->twist || !r->x || !r->m1) {
        return false;
    }
    r->rod = cord_world_rod(r->world, 0);
    for (int i = 0; i < edges - 1; i++) { // clamped edges are half ones
        r->s[i] = cord_rod_length(r->world, r->rod) * (i + 0.5) / (edges - 1);
    }
    return true;
}

static void ribbon_close(Ribbon* r)
{
    cord_world_destroy(r->world);
    free(r->s), free(r->twist), free(r->x), free(r->m1);
}

// The share of the whole twist that is in the turned half; the node in the middle belongs to both.
static double share(Ribbon* r)
{
    double turned = 0.0, sum = 0.0;
    cord_rod_positions(r->world, r->rod, r->x);
    cord_rod_material_frames(r->world, r->rod, r->m1);
    for (int i = 0; i < r->edges - 1; i++) {
        r->twist[i] = 2.0 * pi * cord_polygon_twist(r->x + i, 3, false, r->m1 + i);
        sum += r->twist[i];
        turned += r->twist[i] * (2 * (i + 1) == r->edges ? 0.5 : 2 * (i + 1) > r->edges);
    }
    return turned / sum;
}

// ---- equilibria, as the end is turned

static CordBranch* start(Ribbon* r, CordBranchMethod method, double degrees)
{
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch = NULL;
    def.method = method;
    def.from = cord_world_time(r->world);
    def.to = degrees / turn_rate;
    def.step = def.most = 0.5;
    if (cord_branch_create(r->world, &def, &branch) != CORD_OK) {
        fprintf(stderr, "%s\n", cord_world_message(r->world));
    }
    return branch;
}

static bool next(const Ribbon* r, CordBranch* branch, CordBranchPoint* point)
{
    if (cord_branch_next(branch, point) != CORD_OK) {
        fprintf(stderr, "%s\n", cord_world_message(r->world));
        return false;
    }
    return true;
}

// From where the ribbon is to a turn of `degrees`, as an experimenter would: over a jump, if need be. The share there.
static double turn_to(Ribbon* r, double degrees)
{
    CordBranch* branch = start(r, CORD_BRANCH_NATURAL, degrees);
    CordBranchPoint point = {0};
    bool good = branch;
    while (good && point.event != CORD_BRANCH_END) {
        good = next(r, branch, &point);
    }
    cord_branch_destroy(branch);
    return good ? share(r) : NAN;
}

static double share_at(const char* scene, int edges, double degrees)
{
    Ribbon r;
    double found = ribbon_open(&r, scene, edges, NULL, 0) ? turn_to(&r, degrees) : NAN;
    ribbon_close(&r);
    return found;
}

static bool keep_twist(const char* scene, const char* name, FILE* csv)
{
    Ribbon r;
    bool good = ribbon_open(&r, scene, COARSE, NULL, 0);
    printf("  %-10s", name);
    for (int k = 0; k < STOPS && good; k++) {
        double found = turn_to(&r, stops[k]), piece = cord_rod_length(r.world, r.rod) / (r.edges - 1);
        good = isfinite(found);
        printf("  %.4f", found);
        for (int i = 0; i < r.edges - 1; i++) {
            fprintf(csv, "%s,%g,%.9g,%.9g\n", name, stops[k], r.s[i], r.twist[i] / piece);
        }
    }
    printf("\n");
    ribbon_close(&r);
    return good;
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

static bool trace(const char* scene, const char* name, int edges, Path* p, FILE* csv)
{
    Ribbon r;
    *p = (Path){.share = 1.0};
    CordBranch* branch = ribbon_open(&r, scene, edges, NULL, 0) ? start(&r, CORD_BRANCH_ARC, 360.0) : NULL;
    CordBranchPoint point = {0};
    bool good = branch && next(&r, branch, &point); // the start, where there is no twist
    while (good && (good = next(&r, branch, &point)) && point.event != CORD_BRANCH_END) {
        note(p, &point, share(&r));
        if (csv) {
            fprintf(csv, "%s,%.9g,%.9g,%d\n", name, p->degrees, p->share, point.solve.unstable);
        }
    }
    cord_branch_destroy(branch);
    ribbon_close(&r);
    return good;
}

// ---- verdicts

static bool verdict(bool pass)
{
    printf(": %s\n", pass ? "pass" : "FAIL");
    return pass;
}

static bool judge(const Path* v, const Path* arc)
{
    double v72 = share_at(v_scene, COARSE, 72.0), arc72 = share_at(arc_scene, COARSE, 72.0);
    printf("  V: share at 72 degrees %.4f, should be above 0.9", v72);
    bool pass = verdict(v72 > 0.9);
    printf("  V: at %.1f degrees the branch folds, and twist jumps over: share %.3f before, %.3f after; turned back, it jumps at %.1f; "
           "should be above 0.7 and below 0.55, and the second fold before the first",
           v->fold[0], v->before, v->after, v->fold[1]);
    pass &= verdict(v->folds == 2 && v->before > 0.7 && v->after < 0.55 && v->fold[1] < v->fold[0]);
    printf("  semicircle: share at 72 degrees %.4f, should be above 0.9 too (above 1: the far half is twisted backwards)",
           arc72);
    pass &= verdict(arc72 > 0.9);
    printf("  semicircle: below two thirds from %.1f degrees on; should be so earlier than in the V, and without a fold",
           arc->spread);
    pass &= verdict(arc->folds == 0 && arc->spread > 0.0 && v->spread == 0.0 && arc->spread < v->fold[0]);
    // Both ends are then held alike, and the two halves are images of each other.
    printf("  after a whole turn: shares %.8f and %.8f, should be 0.5 within 1e-6", v->end, arc->end);
    pass &= verdict(fabs(v->end - 0.5) < 1e-6 && fabs(arc->end - 0.5) < 1e-6);
    return pass;
}

static bool judge_order(const char* what, const double value[LEVELS], double least, double most)
{
    double order = log2((value[0] - value[1]) / (value[1] - value[2]));
    printf("  %s at %d, %d and %d elements: %.5f, %.5f, %.5f; order %.2f, should be %g to %g", what, COARSE,
           2 * COARSE, 4 * COARSE, value[0], value[1], value[2], order, least, most);
    return verdict(order > least && order < most);
}

static bool measure_order(const Path* coarse)
{
    double v[LEVELS], arc[LEVELS], fold[LEVELS] = {coarse->fold[0]};
    for (int k = 0; k < LEVELS; k++) {
        Path p;
        v[k] = share_at(v_scene, COARSE << k, 72.0);
        arc[k] = share_at(arc_scene, COARSE << k, 72.0);
        if (k > 0) {
            fold[k] = trace(v_scene, "", COARSE << k, &p, NULL) ? p.fold[0] : NAN;
        }
    }
    bool pass = judge_order("semicircle: share at 72 degrees", arc, 1.9, 2.1);
    // The node in the corner bends by its own finite angle, otherwise than a rod would; it stands for one element of the rod.
    pass &= judge_order("V: share at 72 degrees", v, 0.9, 1.2);
    pass &= judge_order("V: degrees at which twist jumps over", fold, 0.9, 2.5); // both kinds of error
    return pass;
}

static bool measure_equilibria(FILE* share_csv, FILE* twist_csv)
{
    Path v, arc;
    printf("share of the twist in the turned half, as the end is turned by degrees\n             ");
    for (int k = 0; k < STOPS; k++) {
        printf("%5.0f   ", stops[k]);
    }
    printf("\n");
    bool good = keep_twist(v_scene, "V", twist_csv) && keep_twist(arc_scene, "semicircle", twist_csv) &&
                trace(v_scene, "V", COARSE, &v, share_csv) &&
                trace(arc_scene, "semicircle", COARSE, &arc, share_csv);
    bool pass = good && judge(&v, &arc);
    return good && measure_order(&v) && pass;
}

// Twist that nothing makes uneven: a round rod straight at rest and bent into the V, and the ribbon straight. Then with a corner alone.
static bool measure_even(void)
{
    static const char* const settings[2][2] = {
        {"rods[ribbon].section={\"disc\":{\"radius\":0.003}}", "rods[ribbon].rest=straight"},
        {"rods[ribbon].shape={\"line\":{\"from\":[-0.5,0,0],\"to\":[0.5,0,0]}}",
         "clamps[1].motion[0].rotate.axis=[1,0,0]"}};
    static const char* const names[] = {"round, straight at rest, bent into the V", "the ribbon, straight"};
    bool pass = true;
    for (int i = 0; i < 2; i++) {
        Ribbon r;
        double found = ribbon_open(&r, v_scene, COARSE, settings[i], 2) ? turn_to(&r, 144.0) : NAN;
        ribbon_close(&r);
        printf("  %s: share at 144 degrees %.12f, should be 0.5 within 1e-8, what the solve leaves", names[i],
               found);
        pass &= verdict(fabs(found - 0.5) < 1e-8);
    }
    Ribbon r; // it takes both: a flat section and a corner at rest
    double found = ribbon_open(&r, v_scene, COARSE, settings[0], 1) ? turn_to(&r, 72.0) : NAN;
    ribbon_close(&r);
    printf("  round, the V at rest: share at 72 degrees %.4f, should be above 0.5 and below 0.8", found);
    return verdict(found > 0.5 && found < 0.8) && pass;
}

// ---- the frames alone, on a centreline that is held: the pendulum equation

// Frames are held at the middle of the first and last edge, where the semicircle begins and ends, so that every node has the same curvature.
static bool open_held(Ribbon* r, int edges)
{
    char arc[96], first[] = "clamps[0].at={\"edge\":0}", last[96];
    const char* const settings[] = {arc, first, last};
    double beyond = 90.0 / (edges - 1);
    snprintf(arc, sizeof arc, "rods[ribbon].shape.circle.degrees=[%.15g,%.15g]", -beyond, 180.0 + beyond);
    snprintf(last, sizeof last, "clamps[1].at={\"edge\":%d}", edges - 1);
    if (!ribbon_open(r, arc_scene, edges, settings, 3)) {
        return false;
    }
    CordClampDef def = cord_clamp_def_default();
    CordClampId clamp;
    def.rod = r->rod;
    for (int i = 2; i < edges - 1; i++) {
        def.at = cord_at_node(i);
        if (cord_clamp_create(r->world, &def, &clamp) != CORD_OK) {
            fprintf(stderr, "%s\n", cord_world_message(r->world));
            return false;
        }
    }
    return true;
}

// Turned by theta against its curvature k, the ribbon has V = k^2/2 [EI1 (1 - cos theta)^2 + EI2 sin^2 theta] of energy per length and GJ
// theta'^2 / 2 of twist. Far from the turned end both vanish, so that they are equal all along, and the energy is the integral
// of sqrt(2 GJ V) over theta; by Simpson's rule.
static double held_theory(const Ribbon* r)
{
    enum { PARTS = 200 };
    CordStiffness k = cord_rod_stiffness(r->world, r->rod);
    double sum = 0.0, h = 0.5 * pi / PARTS;
    for (int i = 0; i <= PARTS; i++) {
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0, c = 1.0 - cos(i * h), s = sin(i * h);
        sum += weight * h / 3.0 * sqrt(k.GJ * (k.EI1 * c * c + k.EI2 * s * s));
    }
    return sum / radius;
}

static double held_error(int edges)
{
    Ribbon r;
    double error = NAN;
    if (open_held(&r, edges) && isfinite(turn_to(&r, 90.0))) {
        CordEnergy energy = cord_rod_energy(r.world, r.rod);
        error = (energy.bend + energy.twist) / held_theory(&r) - 1.0;
    }
    ribbon_close(&r);
    return error;
}

static bool measure_held(void)
{
    double error[LEVELS];
    printf("frames alone, the semicircle held: energy at 90 degrees against the pendulum equation\n");
    for (int k = 0; k < LEVELS; k++) {
        error[k] = held_error(COARSE << k);
    }
    double order = log2(error[LEVELS - 2] / error[LEVELS - 1]);
    printf("  errors at %d, %d and %d elements: %.2e, %.2e, %.2e; order %.3f, should be 2 within 0.1", COARSE,
           2 * COARSE, 4 * COARSE, error[0], error[1], error[2], order);
    return verdict(fabs(order - 2.0) < 0.1);
}

// ---- in time, as the paper has it

typedef struct Run {
    double held; // least share up to 306 degrees, just before the V's fold
    double end;  // share in the end
    double ms;   // of a step
} Run;

static bool run(const char* scene, const char* name, Run* out, FILE* csv)
{
    enum { SECONDS = 48, STEPS = 1000 }; // steps of 1 ms, the paper's
    Ribbon r;
    *out = (Run){.held = 1.0};
    bool good = ribbon_open(&r, scene, COARSE, NULL, 0);
    for (int k = 1; k <= SECONDS && good; k++) {
        good = cord_world_step_many(r.world, 1.0 / STEPS, STEPS) == CORD_OK;
        out->end = share(&r);
        out->held = turn_rate * k <= 306.0 ? fmin(out->held, out->end) : out->held;
        fprintf(csv, "%s in time,%.9g,%.9g,0\n", name, fmin(turn_rate * k, 360.0), out->end);
    }
    CordStepTimes t = good ? cord_world_step_times(r.world) : (CordStepTimes){0};
    out->ms = (t.forces + t.lengths + t.frames) / SECONDS;
    ribbon_close(&r);
    return good;
}

static bool measure_time(FILE* csv)
{
    Run v, arc;
    printf("turned in 40 s of simulated time, %d nodes, steps of 1 ms\n", COARSE + 1);
    if (!run(v_scene, "V", &v, csv) || !run(arc_scene, "semicircle", &arc, csv)) {
        return false;
    }
    printf("  V: least share up to 306 degrees %.3f, should be above 0.7 as at rest", v.held);
    bool pass = verdict(v.held > 0.7);
    printf("  8 s after the turn: shares %.4f and %.4f, should be 0.5 within 0.01", v.end, arc.end);
    pass &= verdict(fabs(v.end - 0.5) < 0.01 && fabs(arc.end - 0.5) < 0.01);
    printf("  %.4f and %.4f ms per step; the paper's, on its machine: 0.16 without contact\n", v.ms, arc.ms);
    return pass;
}

// ---- plots

static void plot_twist(FILE* script, const char* name, const char* title)
{
    fprintf(script, "set title '%s'\nplot ", title);
    for (int k = 0; k < STOPS; k++) {
        fprintf(script,
                "%s'der-fig5-twist.csv' using (strcol(1) eq '%s' && $2 == %g ? $3 : 1/0):4 with lines lw 2 lc rgb color[%d] title '%g°'",
                k ? ", " : "", name, stops[k], k + 1, stops[k]);
    }
    fprintf(script, "\n");
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig5"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set encoding utf8\nset datafile separator ','\nset multiplot\nset size 0.5,0.52\n"
                    "array color[6] = ['#c6dbef', '#6baed6', '#2171b5', '#08306b', '#fd8d3c', '#a63603']\n"
                    "set xlabel 'arc length from the clamped end to the turned one [m]'\nset ylabel 'twist per length [rad/m]'\n"
                    "set key top center horizontal maxcols 3\nset xrange [0:1]\nset yrange [-2:12]\n");
    fprintf(script, "set origin 0,0.48\n");
    plot_twist(script, "V", "V");
    fprintf(script, "set origin 0.5,0.48\n");
    plot_twist(script, "semicircle", "semicircle");
    fprintf(script,
            "set origin 0,0\nset size 1,0.48\nset title ''\nset xlabel 'the end is turned by [degrees]'\n"
            "set ylabel 'share of the twist in the turned half'\nset xrange [0:360]\nset yrange [0.2:1.2]\nset xtics 36\n"
            "set key opaque bottom left vertical maxrows 6\nplot 0.5 with lines lw 1 dt 2 lc rgb 'black' title 'even'");
    static const char* const colors[] = {"#2171b5", "#a63603"};
    static const char* const names[] = {"V", "semicircle"};
    for (int i = 0; i < 2; i++) {
        fprintf(script,
                ", 'der-fig5.csv' using (strcol(1) eq '%s' ? $2 : 1/0):($4 == 0 ? $3 : 1/0) with lines lw 2 lc rgb '%s' title '%s, at rest', "
                "'' using (strcol(1) eq '%s in time' ? $2 : 1/0):3 with points pt 6 ps 0.8 lc rgb '%s' title '%s, turned in 40 s'",
                names[i], colors[i], names[i], names[i], colors[i], names[i]);
    }
    fprintf(script,
            ", 'der-fig5.csv' using ($4 > 0 ? $2 : 1/0):3 with lines lw 2 dt 3 lc rgb '%s' title 'V, unstable'",
            colors[0]);
    fprintf(script, "\nunset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool der_fig5_run(const char* directory)
{
    FILE* share_csv = reproduce_file(directory, "der-fig5.csv");
    FILE* twist_csv = share_csv ? reproduce_file(directory, "der-fig5-twist.csv") : NULL;
    bool pass = twist_csv;
    if (twist_csv) {
        fprintf(share_csv, "shape,degrees,share,unstable\n");
        fprintf(twist_csv, "shape,degrees,s,twist\n");
        pass &= measure_equilibria(share_csv, twist_csv);
        pass &= measure_time(share_csv);
        printf("without the corner, without the flat section, without both\n");
        pass &= measure_even();
        pass &= measure_held();
        fclose(twist_csv);
    }
    if (share_csv) {
        fclose(share_csv);
    }
    printf("der-fig5: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    if (twist_csv) {
        plot(directory);
    }
    return pass;
}
