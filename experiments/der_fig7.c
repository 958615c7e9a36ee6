// DER, figure 7: localised helical buckling. A long rod, twisted by 27 turns and let shorten by 0.3, buckles
// into a helix whose amplitude falls off from its middle; the theory (van der Heijden and Thompson 2000) is
// for an infinitely long and finely divided one.
//
// The ends are 12 s* from the middle: they do not hold the helix there. In an evenly divided rod it stays
// where it is put. If one half is divided twice as finely, the energies of the two halves differ by the error
// of division, and the helix would slide into one of them; a hand at the middle node keeps it, which pushes
// along the axis alone. Its force is an error of division, too, and must vanish with the others.
#include "lab.h"

#include <cordage/solve.h>

#include <math.h>

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

static Rod make_edges(Lab* lab, int edges, bool uneven)
{
    Rod r = {.edges = edges, .middle = uneven ? edges / 3 : edges / 2, .uneven = uneven};
    r.edge = lab_room(lab, (size_t)edges, sizeof *r.edge);
    r.x = lab_room(lab, (size_t)edges + 1, sizeof *r.x);
    r.rest = lab_room(lab, (size_t)edges + 1, sizeof *r.rest);
    make_half(r.edge, r.middle, 0);
    make_half(r.edge + r.middle, edges - r.middle, edges - r.middle - 1);
    return r;
}

static void lay(Rod* r)
{
    double s = -0.5 * length;
    for (int j = 0; j < r->edges; j++) {
        double mid = s + 0.5 * r->edge[j], c = cos_phi(mid), side = sqrt(1.0 - c * c), angle = psi(mid);
        bool end = j == 0 || j == r->edges - 1;
        CordVec3 t = end ? (CordVec3){1, 0, 0} : (CordVec3){c, side * cos(angle), side * sin(angle)};
        r->x[j + 1] = cord_vec3_madd(r->x[j], t, r->edge[j]);
        r->rest[j + 1] = cord_vec3_madd(r->rest[j], (CordVec3){1, 0, 0}, r->edge[j]);
        s += r->edge[j];
    }
    CordVec3 last = r->x[r->edges], miss = {length - shortening - last.x, -last.y, -last.z};
    for (int i = 2; i <= r->edges; i++) {
        double share = i >= r->edges - 1 ? 1.0 : (double)(i - 1) / (r->edges - 2);
        r->x[i] = cord_vec3_madd(r->x[i], miss, share);
    }
}

static CordVec3 tangent(const CordVec3* x, int j)
{
    CordVec3 e = cord_vec3_sub(x[j + 1], x[j]);
    return cord_vec3_madd((CordVec3){0, 0, 0}, e, 1.0 / cord_vec3_length(e));
}

// The twist with which both end frames have m1 along y, as after `turns` whole turns of a straight rod.
static double start_twist(const Rod* r)
{
    CordVec3 u = {0, 1, 0}, before = {1, 0, 0};
    for (int j = 0; j < r->edges; j++) {
        CordVec3 t = tangent(r->x, j);
        u = cord_vec3_madd(u, cord_vec3_add(before, t),
                           -cord_vec3_dot(u, t) / (1.0 + cord_vec3_dot(before, t)));
        before = t;
    }
    double holonomy = atan2(u.z, u.y), near = moment() * length / GJ;
    return -holonomy + 2.0 * CORD_PI * round((near + holonomy) / (2.0 * CORD_PI));
}

// ---- the equilibrium

// The pull of the hand across the axis, away from it, once it has gone out by `out` from where it first was.
static double pull_outwards(Lab* lab, CordWorld* world, CordClampId hand, CordVec3 side, double out,
                            double* along)
{
    CordVec3 force, torque;
    CordQuat still = {0, 0, 0, 1};
    lab_ok(lab, world, cord_clamp_move(world, hand, cord_vec3_madd((CordVec3){0, 0, 0}, side, out), still));
    lab_solve(lab, world);
    lab_ok(lab, world, cord_clamp_reaction(world, hand, &force, &torque));
    *along = force.x;
    return force.y * side.y + force.z * side.z;
}

// Held by a hand that does nothing across the axis: how far out that is, by the secant method. False: it was
// not found.
static bool hold_in_the_middle(Lab* lab, CordWorld* world, Rod* r, CordRodId rod)
{
    CordVec3 x = r->x[r->middle];
    double out[2] = {0.0, 1e-3}, size = sqrt(x.y * x.y + x.z * x.z);
    CordVec3 side = {0, x.y / size, x.z / size};
    CordClampId hand = lab_clamp(lab, world, rod, cord_at_node(r->middle), CORD_FIX_POSITION);
    double before = pull_outwards(lab, world, hand, side, out[0], &r->push);
    for (int n = 0; n < 30; n++) {
        double pull = pull_outwards(lab, world, hand, side, out[1], &r->push);
        if (fabs(pull) < 1e-9 * moment() / spread()) {
            return true;
        }
        double next = out[1] - pull * (out[1] - out[0]) / (pull - before);
        out[0] = out[1], before = pull, out[1] = next;
    }
    return false;
}

static bool solve(Lab* lab, Rod* r)
{
    CordWorld* world = lab_world_empty(lab, (CordVec3){0, 0, 0}, LAB_UNTIMED);
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_points(r->x, r->edges + 1);
    def.rest = CORD_REST_SHAPE;
    def.rest_shape = cord_shape_points(r->rest, r->edges + 1);
    def.inextensible = true;
    def.twist = start_twist(r);
    def.m1 = (CordVec3){0, 1, 0};
    def.half_edge_start = def.half_edge_end = true;
    def.stiffness = (CordStiffness){.EI1 = EI, .EI2 = EI, .GJ = GJ, .EA = 1.0, .mass_per_length = 1.0};
    CordRodId rod = lab_rod(lab, world, &def);
    lab_clamp(lab, world, rod, cord_at_start(), CORD_FIX_FRAME);
    lab_clamp(lab, world, rod, cord_at_end(), CORD_FIX_FRAME);
    if (!r->uneven) {
        lab_solve(lab, world);
    } else if (!hold_in_the_middle(lab, world, r, rod)) {
        return false;
    }
    lab_ok(lab, world, cord_rod_positions(world, rod, r->x));
    return true;
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
    double before = 0.5 * (r->edge[best - 1] + r->edge[best]),
           after = 0.5 * (r->edge[best] + r->edge[best + 1]);
    double slope = ((b - a) * after / before + (c - b) * before / after) / (before + after);
    double curve = 2.0 * ((c - b) / after - (b - a) / before) / (before + after);
    return b - 0.5 * slope * slope / curve;
}

// By the theory's deviation, so that what it falls short of can be seen.
static void write_envelope(Lab* lab, const Rod* r)
{
    double s = -0.5 * length, c0 = cos(deviation);
    for (int j = 0; j < r->edges; j++) {
        double c = tangent(r->x, j).x;
        lab_row(lab, "", NULL, r->uneven, r->edges, (s + 0.5 * r->edge[j]) / spread(), (c - c0) / (1.0 - c0));
        s += r->edge[j];
    }
}

// ---- convergence

// The paper's resolutions, then finer ones: the order seen, and what it leads to. The order is still
// settling.
enum { DIVISIONS = 6 };
static const int divisions[DIVISIONS] = {60, 90, 180, 360, 720, 1440};

static void converge(Lab* lab, bool uneven)
{
    double found[DIVISIONS], push[DIVISIONS];
    const char* name = uneven ? "uneven" : "even";
    lab_say(lab, uneven ? "the second half divided twice as finely, the helix kept in the middle by a push "
                          "along the axis"
                        : "evenly divided");
    for (int i = 0; i < DIVISIONS; i++) {
        Rod r = make_edges(lab, divisions[i], uneven);
        lay(&r);
        bool good = solve(lab, &r);
        found[i] = good ? greatest(&r) : (double)NAN;
        push[i] = good ? fabs(r.push) : (double)NAN;
        write_envelope(lab, &r);
        lab_row(lab, "angles", name, divisions[i], found[i], push[i]);
    }
    const double* last = &found[DIVISIONS - 1];
    const double steps[2] = {last[-1] - last[-2], last[0] - last[-1]};
    lab_order(lab, lab_text(lab, "%s: phi0", name), steps, 2, 1.8, 2.2, "second order");
    lab_near(lab, lab_text(lab, "%s: phi0, extrapolated [rad]", name), last[0] + steps[1] / 3.0, deviation,
             0.005, NULL);
    if (uneven) {
        lab_order(lab, "the push vanishes", push, DIVISIONS, 1.8, 2.2, "an error of division, second order");
    }
}

static void run(Lab* lab)
{
    lab_say(lab,
            "a rod of %g m, EI %g and GJ %g N m^2, twisted by %g turns, its clamped ends %g m nearer: "
            "phi0, the greatest angle between rod and axis, at rest",
            length, EI, GJ, turns, shortening);
    converge(lab, false);
    converge(lab, true);
}

#define AT(uneven, n, color)                                                                                 \
    LAB_CURVE_WHERE("", NULL, "{uneven} == " #uneven " && {edges} == " #n, "s", "f",                         \
                    "points pt 7 ps 0.7 lc rgb '" color "'", "n = " #n)
#define PANEL(uneven, name)                                                                                  \
    {                                                                                                        \
        .title = name, .x = "s / s*",                                                                        \
        .y = "(cos {/Symbol f} - cos {/Symbol f}_0) / (1 - cos {/Symbol f}_0)",                              \
        .set = "set xrange [-3.5:3.5]\nset yrange [-0.02:1.02]\nset key bottom right",                       \
        .curves = LAB_CURVES({.y = "tanh(x)**2", .with = "lines lw 2 lc rgb 'black'", .title = "theory"},    \
                             AT(uneven, 60, "#9ecae1"), AT(uneven, 90, "#6baed6"),                           \
                             AT(uneven, 180, "#2171b5"), AT(uneven, 360, "#d94801"))                         \
    }

const Experiment experiment_der_fig7 = {
    .id = "der-fig7",
    .about = "DER figure 7: localised helical buckling, and its envelope",
    .source = "van der Heijden and Thompson 2000, DER figure 7: infinitely long and finely divided",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "uneven,edges,s,f"},
                         {"angles", .columns = "division,edges,phi0 [rad],push [N]", .shown = true}),
    .panels = LAB_PANELS(PANEL(0, "evenly divided"), PANEL(1, "right half twice as fine")),
    .layout = "1,2",
};
