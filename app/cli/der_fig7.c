// DER, figure 7: localised helical buckling. A long rod, twisted by 27 turns and let shorten by 0.3, buckles into a helix whose amplitude falls off from its middle;
// the theory (van der Heijden and Thompson 2000) is for an infinitely long and finely divided one.
#include "reproduce.h"

#include <cordage/solve.h>

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double length = 9.29, EI = 1.345, GJ = 0.789, shortening = 0.3; // the paper's
static const double turns = 27.0, deviation = 0.9186; // and its theoretical greatest deviation [rad]

typedef struct Rod {
    int edges;
    double* edge;       // lengths (edges)
    CordVec3 *x, *rest; // nodes (edges + 1)
} Rod;

// ---- the theory: the angle phi between tangent and axis, and the angle psi about the axis

static double spread(void) // s*: how far the helix reaches
{
    return shortening / (2.0 * (1.0 - cos(deviation)));
}

static double moment(void)
{
    double c = cos(deviation);
    return 2.0 * EI / spread() * sqrt((1.0 + c) / (1.0 - c));
}

static double cos_phi(double s) // from the middle
{
    double sech = 1.0 / cosh(s / spread());
    return 1.0 - (1.0 - cos(deviation)) * sech * sech;
}

static double psi(double s) // integral of moment / (EI (1 + cos phi)) from the middle, by Simpson's rule
{
    enum { PARTS = 2000 };
    double sum = 0.0, h = s / PARTS;
    for (int i = 0; i <= PARTS; i++) {
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight / (1.0 + cos_phi(i * h));
    }
    return sum * h / 3.0 * moment() / EI;
}

// ---- the start: the theory's shape, its ends straightened and put where the clamps are

static bool make_edges(Rod* r, int edges)
{
    *r = (Rod){.edges = edges};
    r->edge = calloc((size_t)edges, sizeof *r->edge);
    r->x = calloc((size_t)edges + 1, sizeof *r->x);
    r->rest = calloc((size_t)edges + 1, sizeof *r->rest);
    if (!r->edge || !r->x || !r->rest) {
        return false;
    }
    double sum = 0.0;
    for (int j = 0; j < edges; j++) {
        r->edge[j] = j == 0 || j == edges - 1 ? 0.5 : 1.0; // clamped edges are half ones
        sum += r->edge[j];
    }
    for (int j = 0; j < edges; j++) {
        r->edge[j] *= length / sum;
    }
    return true;
}

static CordVec3 moved(CordVec3 a, CordVec3 by, double share)
{
    return (CordVec3){a.x + share * by.x, a.y + share * by.y, a.z + share * by.z};
}

static void lay(Rod* r)
{
    double s = -0.5 * length;
    for (int j = 0; j < r->edges; j++) {
        double mid = s + 0.5 * r->edge[j], c = cos_phi(mid), side = sqrt(1.0 - c * c), angle = psi(mid);
        bool end = j == 0 || j == r->edges - 1;
        CordVec3 t = end ? (CordVec3){1, 0, 0} : (CordVec3){c, side * cos(angle), side * sin(angle)};
        r->x[j + 1] = moved(r->x[j], t, r->edge[j]);
        r->rest[j + 1] = moved(r->rest[j], (CordVec3){1, 0, 0}, r->edge[j]);
        s += r->edge[j];
    }
    CordVec3 last = r->x[r->edges], miss = {length - shortening - last.x, -last.y, -last.z};
    for (int i = 2; i <= r->edges; i++) {
        double share = i >= r->edges - 1 ? 1.0 : (double)(i - 1) / (r->edges - 2);
        r->x[i] = moved(r->x[i], miss, share);
    }
}

static double dot(CordVec3 a, CordVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static CordVec3 tangent(const CordVec3* x, int j)
{
    CordVec3 e = moved(x[j + 1], x[j], -1.0);
    double size = 1.0 / sqrt(dot(e, e));
    return (CordVec3){e.x * size, e.y * size, e.z * size};
}

// The twist with which both end frames have m1 along y, as after `turns` whole turns of a straight rod.
static double start_twist(const Rod* r)
{
    CordVec3 u = {0, 1, 0}, before = {1, 0, 0};
    for (int j = 0; j < r->edges; j++) {
        CordVec3 t = tangent(r->x, j);
        u = moved(u, moved(before, t, 1.0), -dot(u, t) / (1.0 + dot(before, t)));
        before = t;
    }
    double holonomy = atan2(u.z, u.y), near = moment() * length / GJ;
    return -holonomy + 2.0 * pi * round((near + holonomy) / (2.0 * pi));
}

// ---- the equilibrium

static bool clamp_ends(CordWorld* world, CordRodId rod)
{
    CordClampDef def = cord_clamp_def_default();
    CordClampId clamp;
    def.rod = rod;
    def.fix = CORD_FIX_FRAME;
    CordResult first = cord_clamp_create(world, &def, &clamp);
    def.at = cord_at_end();
    return first == CORD_OK && cord_clamp_create(world, &def, &clamp) == CORD_OK;
}

static bool solve(Rod* r)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    CordRodId rod;
    if (cord_world_create(&world_def, &world) != CORD_OK) {
        return false;
    }
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_points(r->x, r->edges + 1);
    def.rest = CORD_REST_SHAPE;
    def.rest_shape = cord_shape_points(r->rest, r->edges + 1);
    def.inextensible = true;
    def.twist = start_twist(r);
    def.m1 = (CordVec3){0, 1, 0};
    def.half_edge_start = def.half_edge_end = true;
    def.stiffness = (CordStiffness){EI, EI, GJ, 1.0, 1.0, 0.0, 0.0};
    CordSolveDef solve_def = cord_solve_def_default();
    CordSolveReport report;
    bool good = cord_rod_create(world, &def, &rod) == CORD_OK && clamp_ends(world, rod) &&
                cord_world_solve(world, &solve_def, &report) == CORD_OK &&
                cord_rod_positions(world, rod, r->x) == CORD_OK;
    if (!good) {
        fprintf(stderr, "%s\n", cord_world_message(world));
    }
    cord_world_destroy(world);
    return good;
}

// The greatest deviation of the tangent: the top of the parabola through the largest and its neighbours.
static double greatest(const Rod* r)
{
    int best = 1;
    for (int j = 1; j < r->edges - 1; j++) {
        best = tangent(r->x, j).x < tangent(r->x, best).x ? j : best;
    }
    double a = acos(tangent(r->x, best - 1).x), b = acos(tangent(r->x, best).x),
           c = acos(tangent(r->x, best + 1).x);
    return b + (a - c) * (a - c) / (8.0 * (2.0 * b - a - c));
}

static void write_envelope(const Rod* r, FILE* csv, int edges)
{
    double s = -0.5 * length, c0 = cos(greatest(r));
    for (int j = 0; j < r->edges; j++) {
        double c = tangent(r->x, j).x;
        fprintf(csv, "%d,%.9g,%.9g\n", edges, (s + 0.5 * r->edge[j]) / spread(), (c - c0) / (1.0 - c0));
        s += r->edge[j];
    }
}

static double measure(int edges, FILE* csv)
{
    Rod r;
    double found = NAN;
    if (make_edges(&r, edges)) {
        lay(&r);
        if (solve(&r)) {
            found = greatest(&r);
            write_envelope(&r, csv, edges);
        }
    }
    free(r.edge), free(r.x), free(r.rest);
    return found;
}

// The paper's resolutions, then finer ones: the order seen, and what it leads to.
static bool converge(FILE* csv)
{
    static const int edges[] = {60, 90, 180, 360, 720, 1440};
    enum { COUNT = sizeof edges / sizeof *edges };
    double phi[COUNT];
    for (int i = 0; i < COUNT; i++) {
        phi[i] = measure(edges[i], csv);
        printf("  %5d edges  phi0 %.6f\n", edges[i], phi[i]);
    }
    double order = log2((phi[COUNT - 2] - phi[COUNT - 3]) / (phi[COUNT - 1] - phi[COUNT - 2]));
    double limit = phi[COUNT - 1] + (phi[COUNT - 1] - phi[COUNT - 2]) / 3.0, error = limit / deviation - 1.0;
    bool pass = fabs(error) < 0.005 && order > 1.8 && order < 2.2; // the order is still settling
    printf("  order %.3f, extrapolated %.6f, theory %.4f, error %.2e: %s\n", order, limit, deviation, error,
           pass ? "pass" : "FAIL");
    return pass;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig7"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script, "set datafile separator ','\nset xlabel 's / s*'\n"
                    "set ylabel '(cos {/Symbol f} - cos {/Symbol f}_0) / (1 - cos {/Symbol f}_0)'\n"
                    "set xrange [-3.5:3.5]\nset yrange [-0.02:1.02]\nset key bottom right\n"
                    "plot tanh(x)**2 with lines lw 2 lc rgb 'black' title 'theory'");
    for (int n = 60; n <= 360; n = n == 60 ? 90 : 2 * n) {
        fprintf(script,
                ", 'der-fig7.csv' using ($1 == %d ? $2 : 1/0):3 with points pt 7 ps 0.6 title 'n = %d'", n, n);
    }
    fprintf(script, "\n");
    reproduce_plot_close(&p, script);
}

bool der_fig7_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig7.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "edges,s,f\n");
    printf("greatest deviation of the tangent, %g turns, shortened by %g\n", turns, shortening);
    bool pass = converge(csv);
    fclose(csv);
    printf("der-fig7: %s\n", pass ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return pass;
}
