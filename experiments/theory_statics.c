// Equilibria of cantilevers and of a hanging chain: the rod is let go under drag until it rests.
#include "theory.h"

#include <math.h>

#define LENGTH 1.0 // [m]

// ---- simulation

// Runs for `time` with steps of 0.8 of the longest stable one, advised anew now and then as tension builds
// up.
static void settle(Lab* lab, CordWorld* world, double time)
{
    enum { ROUNDS = 40 };
    for (int k = 0; k < ROUNDS; k++) {
        CordStepAdvice advice = cord_world_step_advice(world);
        double span = time / ROUNDS;
        int count = (int)ceil(span / (0.8 * advice.step));
        lab_steps(lab, world, span / count, count);
    }
}

CordRodDef theory_rod(int elements)
{
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = NAN, .mass_per_length = 1.0};
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){LENGTH, 0, 0}, elements + 1);
    return def;
}

static void add_drag(Lab* lab, CordWorld* world, double per_length)
{
    CordLoadDef drag = cord_load_def_default();
    drag.kind = CORD_LOAD_DRAG;
    drag.along = drag.across = per_length;
    lab_load(lab, world, &drag);
}

double theory_cantilever(Lab* lab, int elements, double force, double weight)
{
    CordWorld* world = lab_world_empty(lab, (CordVec3){0, 0, -weight}, LAB_UNTIMED);
    CordRodDef def = theory_rod(elements);
    def.half_edge_start = true;
    CordLoadDef load = cord_load_def_default();
    load.rod = lab_rod(lab, world, &def);
    load.at = cord_at_end();
    load.force = (CordVec3){0, 0, -force};
    lab_clamp(lab, world, load.rod, cord_at_start(), CORD_FIX_DIRECTION);
    lab_load(lab, world, &load);
    double first = 3.516; // the lowest frequency: critical damping and e^-30 of it left at the end
    add_drag(lab, world, 2.0 * first);
    settle(lab, world, 30.0 / first);
    return -lab_node(lab, world, 0, elements).z;
}

// ---- the elastica

// EI theta'' = -(F + q (L - s)) cos theta with theta downwards, theta(0) = 0 and theta'(L) = 0; what comes
// back is theta'(L) and the drop of the tip for a first slope theta'(0).
typedef struct Elastica {
    double end_slope, drop;
} Elastica;

static void derivative(const double y[3], double s, double force, double weight, double out[3])
{
    out[0] = y[1];
    out[1] = -(force + weight * (LENGTH - s)) * cos(y[0]);
    out[2] = sin(y[0]);
}

static Elastica integrate(double slope, double force, double weight)
{
    enum { STEPS = 4000 }; // fourth order: the error is far below 1e-12
    double y[3] = {0.0, slope, 0.0}, h = LENGTH / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double k[4][3], at[3];
        double s = i * h;
        derivative(y, s, force, weight, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            double part = stage == 3 ? h : 0.5 * h;
            for (int j = 0; j < 3; j++) {
                at[j] = y[j] + part * k[stage - 1][j];
            }
            derivative(at, s + part, force, weight, k[stage]);
        }
        for (int j = 0; j < 3; j++) {
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
    }
    return (Elastica){y[1], y[2]};
}

double theory_elastica(double force, double weight)
{
    double low = 0.0, high = force + weight; // moment at the wall: at most that of the straight rod
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(integrate(middle, force, weight).end_slope > 0.0 ? &high : &low) = middle;
    }
    return integrate(0.5 * (low + high), force, weight).drop;
}

// ---- the catenary

// A chain without bending stiffness between two points, from a V that has the right length.
double theory_catenary(Lab* lab, int elements, double span)
{
    CordWorld* world = lab_world_empty(lab, cord_world_def_default().gravity, LAB_UNTIMED);
    CordVec3 corners[3] = {
        {0, 0, 0}, {0.5 * span, 0, -0.5 * sqrt(LENGTH * LENGTH - span * span)}, {span, 0, 0}};
    CordRodDef def = theory_rod(elements);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 0.0;
    def.shape = cord_shape_polyline(corners, 3, elements + 1);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = lab_rod(lab, world, &def);
    lab_clamp(lab, world, rod, cord_at_start(), CORD_FIX_POSITION);
    lab_clamp(lab, world, rod, cord_at_end(), CORD_FIX_POSITION);
    add_drag(lab, world, 8.0);
    settle(lab, world, 12.0);
    return -lab_node(lab, world, 0, elements / 2).z;
}

double theory_catenary_exact(double span)
{
    double low = 0.05, high = 10.0; // 2 a sinh(span / 2a) = L, falling in a
    for (int i = 0; i < 100; i++) {
        double a = 0.5 * (low + high);
        *(2.0 * a * sinh(0.5 * span / a) > LENGTH ? &low : &high) = a;
    }
    double a = 0.5 * (low + high);
    return a * (cosh(0.5 * span / a) - 1.0);
}
