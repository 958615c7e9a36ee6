// DER, figure 7: localised helical buckling. A long rod, twisted by 27 turns and let shorten by 0.3, buckles into a helix whose amplitude falls off from its middle;
// the theory (van der Heijden and Thompson 2000) is for an infinitely long and finely divided one.
//
// The ends are 12 s* from the middle: they do not hold the helix there. In an evenly divided rod it stays where it is put. If one half is divided twice as finely,
// the energies of the two halves differ by the error of division, and the helix would slide into one of them; a hand at the middle node keeps it, which pushes along the axis
// alone. Its force is an error of division, too, and must vanish with the others.
#include "reproduce.h"

#include <cordage/solve.h>

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double length = 9.29, EI = 1.345, GJ = 0.789, shortening = 0.3; // the paper's
static const double turns = 27.0, deviation = 0.9186; // and its theoretical greatest deviation [rad]

typedef struct Rod {
    int edges;
    int middle;         // node halfway along
    bool uneven;        // the edges before it are twice as long as those after it
    double* edge;       // lengths (edges)
    CordVec3 *x, *rest; // nodes (edges + 1)
    double push;        // along the axis, that holds the helix in the middle [N]
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

// One half: clamped edges are half ones.
static void make_half(double* edge, int count, int clamped)
{
    for (int j = 0; j < count; j++) {
        edge[j] = 0.5 * length / (count - 0.5) * (j == clamped ? 0.5 : 1.0);
    }
}

static bool make_edges(Rod* r, int edges, bool uneven)
{
    *r = (Rod){.edges = edges, .middle = uneven ? edges / 3 : edges / 2, .uneven = uneven};
    r->edge = calloc((size_t)edges, sizeof *r->edge);
    r->x = calloc((size_t)edges + 1, sizeof *r->x);
    r->rest = calloc((size_t)edges + 1, sizeof *r->rest);
    if (!r->edge || !r->x || !r->rest) {
        return false;
    }
    make_half(r->edge, r->middle, 0);
    make_half(r->edge + r->middle, edges - r->middle, edges - r->middle - 1);
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

static CordResult clamp_at(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix, CordClampId* clamp)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = rod;
    def.at = at;
    def.fix = fix;
    return cord_clamp_create(world, &def, clamp);
}

static CordResult find_equilibrium(CordWorld* world)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    return cord_world_solve(world, &def, &report);
}

// The pull of the hand across the axis, away from it, once it has gone out by `out` from where it first was.
static CordResult pull_outwards(CordWorld* world, CordClampId hand, CordVec3 side, double out, double* pull,
                                double* along)
{
    CordVec3 force, torque;
    CordQuat still = {0, 0, 0, 1};
    CordResult result = cord_clamp_move(world, hand, moved((CordVec3){0, 0, 0}, side, out), still);
    result = result == CORD_OK ? find_equilibrium(world) : result;
    result = result == CORD_OK ? cord_clamp_reaction(world, hand, &force, &torque) : result;
    *pull = force.y * side.y + force.z * side.z;
    *along = force.x;
    return result;
}

// Held by a hand that does nothing across the axis: how far out that is, by the secant method.
static CordResult hold_in_the_middle(CordWorld* world, Rod* r, CordRodId rod)
{
    CordClampId hand;
    CordVec3 x = r->x[r->middle];
    double out[2] = {0.0, 1e-3}, pull[2], size = sqrt(x.y * x.y + x.z * x.z);
    CordVec3 side = {0, x.y / size, x.z / size};
    CordResult result = clamp_at(world, rod, cord_at_node(r->middle), CORD_FIX_POSITION, &hand);
    result = result == CORD_OK ? pull_outwards(world, hand, side, out[0], &pull[0], &r->push) : result;
    for (int n = 0; n < 30 && result == CORD_OK; n++) {
        result = pull_outwards(world, hand, side, out[1], &pull[1], &r->push);
        if (fabs(pull[1]) < 1e-9 * moment() / spread()) {
            return result;
        }
        double next = out[1] - pull[1] * (out[1] - out[0]) / (pull[1] - pull[0]);
        out[0] = out[1], pull[0] = pull[1], out[1] = next;
    }
    return result == CORD_OK ? CORD_NOT_CONVERGED : result;
}

static bool solve(Rod* r)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    CordRodId rod;
    CordClampId end;
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
    def.stiffness = (CordStiffness){.EI1 = EI, .EI2 = EI, .GJ = GJ, .EA = 1.0, .mass_per_length = 1.0};
    bool good = cord_rod_create(world, &def, &rod) == CORD_OK &&
                clamp_at(world, rod, cord_at_start(), CORD_FIX_FRAME, &end) == CORD_OK &&
                clamp_at(world, rod, cord_at_end(), CORD_FIX_FRAME, &end) == CORD_OK &&
                (r->uneven ? hold_in_the_middle(world, r, rod) : find_equilibrium(world)) == CORD_OK &&
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
    double before = 0.5 * (r->edge[best - 1] + r->edge[best]), after = 0.5 * (r->edge[best] + r->edge[best + 1]);
    double slope = ((b - a) * after / before + (c - b) * before / after) / (before + after);
    double curve = 2.0 * ((c - b) / after - (b - a) / before) / (before + after);
    return b - 0.5 * slope * slope / curve;
}

static void write_envelope(const Rod* r, FILE* csv) // by the theory's deviation, so that what it falls short of can be seen
{
    double s = -0.5 * length, c0 = cos(deviation);
    for (int j = 0; j < r->edges; j++) {
        double c = tangent(r->x, j).x;
        fprintf(csv, "%d,%d,%.9g,%.9g\n", r->uneven, r->edges, (s + 0.5 * r->edge[j]) / spread(),
                (c - c0) / (1.0 - c0));
        s += r->edge[j];
    }
}

typedef struct Found {
    double deviation; // NAN: no equilibrium was found
    double push;
} Found;

static Found measure(int edges, bool uneven, FILE* csv)
{
    Rod r;
    Found found = {NAN, NAN};
    if (make_edges(&r, edges, uneven)) {
        lay(&r);
        if (solve(&r)) {
            found = (Found){greatest(&r), fabs(r.push)};
            write_envelope(&r, csv);
        }
    }
    free(r.edge), free(r.x), free(r.rest);
    return found;
}

// The paper's resolutions, then finer ones: the order seen, and what it leads to. The order is still settling.
enum { DIVISIONS = 6 };
static const int divisions[DIVISIONS] = {60, 90, 180, 360, 720, 1440};

static bool is_second(double order)
{
    return order > 1.8 && order < 2.2;
}

static bool judge(const Found* last, bool uneven)
{
    double step = last[0].deviation - last[-1].deviation;
    double order = log2((last[-1].deviation - last[-2].deviation) / step);
    double limit = last->deviation + step / 3.0, error = limit / deviation - 1.0;
    bool near = fabs(error) < 0.005, second = is_second(order), vanishes = true;
    printf("  phi0: order %.3f, should be 1.8 to 2.2: %s\n", order, second ? "pass" : "FAIL");
    printf("  phi0: extrapolated %.6f rad, theory %.4f, error %.2e, should be below 5e-3: %s\n", limit,
           deviation, error, near ? "pass" : "FAIL");
    if (uneven) {
        double push_order = log2(last[-1].push / last->push);
        vanishes = is_second(push_order);
        printf("  the push vanishes with order %.3f, should be 1.8 to 2.2: %s\n", push_order,
               vanishes ? "pass" : "FAIL");
    }
    return near && second && vanishes;
}

static bool converge(bool uneven, FILE* csv)
{
    Found f[DIVISIONS];
    printf(uneven ? "the second half divided twice as finely, the helix kept in the middle by a push along the axis\n"
                  : "evenly divided\n");
    printf("  edges   phi0 [rad]%s\n", uneven ? "   push [N]" : "");
    for (int i = 0; i < DIVISIONS; i++) {
        f[i] = measure(divisions[i], uneven, csv);
        printf("  %5d   %10.6f", divisions[i], f[i].deviation);
        printf(uneven ? "   %8.4f\n" : "\n", f[i].push);
    }
    return judge(&f[DIVISIONS - 1], uneven);
}

static void plot_half(FILE* script, bool uneven)
{
    fprintf(script, "set title '%s'\nplot tanh(x)**2 with lines lw 2 lc rgb 'black' title 'theory'",
            uneven ? "right half twice as fine" : "evenly divided");
    static const struct {
        int edges;
        const char* color;
    } shown[] = {{60, "#9ecae1"}, {90, "#6baed6"}, {180, "#2171b5"}, {360, "#d94801"}};
    for (int i = 0; i < 4; i++) {
        fprintf(script,
                ", 'der-fig7.csv' using ($1 == %d && $2 == %d ? $3 : 1/0):4 with points pt 7 ps 0.7 lc rgb '%s' title 'n = %d'",
                uneven, shown[i].edges, shown[i].color, shown[i].edges);
    }
    fprintf(script, "\n");
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig7"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset xlabel 's / s*'\n"
            "set ylabel '(cos {/Symbol f} - cos {/Symbol f}_0) / (1 - cos {/Symbol f}_0)'\n"
            "set xrange [-3.5:3.5]\nset yrange [-0.02:1.02]\nset samples 400\nset key bottom right\nset multiplot layout 1,2\n");
    plot_half(script, false);
    plot_half(script, true);
    fprintf(script, "unset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool der_fig7_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig7.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "uneven,edges,s,f\n");
    printf("a rod of %g m, EI %g and GJ %g N m^2, twisted by %g turns, its clamped ends %g m nearer: phi0, the greatest angle between "
           "rod and axis, at rest\n",
           length, EI, GJ, turns, shortening);
    bool even = converge(false, csv), uneven = converge(true, csv);
    fclose(csv);
    printf("der-fig7: %s\n", even && uneven ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory);
    return even && uneven;
}
