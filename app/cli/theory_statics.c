// Equilibria of cantilevers and of a hanging chain: the rod is let go under drag until it rests.
#include "theory.h"

#include <cordage/cordage.h>

#include <math.h>
#include <stdlib.h>

#define LENGTH 1.0 // [m]; stiffness EI 1 N m^2 and mass 1 kg/m too: results are dimensionless

// ---------------------------------------------------------------------------------------------------- simulation

// Runs for `time` with steps of 0.8 of the longest stable one, advised anew now and then as tension builds
// up.
static bool settle(CordWorld* world, double time)
{
    enum { ROUNDS = 40 };
    for (int k = 0; k < ROUNDS; k++) {
        CordStepAdvice advice = cord_world_step_advice(world);
        double span = time / ROUNDS;
        int count = (int)ceil(span / (0.8 * advice.step));
        if (cord_world_step_many(world, span / count, count) != CORD_OK) {
            return false;
        }
    }
    return true;
}

static CordRodDef unit_rod(int elements)
{
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = NAN, .mass_per_length = 1.0};
    def.inextensible = true;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){LENGTH, 0, 0}, elements + 1);
    return def;
}

static bool add_drag(CordWorld* world, double per_length)
{
    CordLoadDef drag = cord_load_def_default();
    drag.kind = CORD_LOAD_DRAG;
    drag.along = drag.across = per_length;
    CordLoadId id;
    return cord_load_create(world, &drag, &id) == CORD_OK;
}

static bool add_clamp(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix)
{
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = rod;
    clamp.at = at;
    clamp.fix = fix;
    CordClampId id;
    return cord_clamp_create(world, &clamp, &id) == CORD_OK;
}

static bool add_force(CordWorld* world, CordRodId rod, CordVec3 force)
{
    CordLoadDef load = cord_load_def_default();
    load.rod = rod;
    load.at = cord_at_end();
    load.force = force;
    CordLoadId id;
    return cord_load_create(world, &load, &id) == CORD_OK;
}

static double node_height(const CordWorld* world, CordRodId rod, int node)
{
    int count = cord_rod_node_count(world, rod);
    CordVec3* x = malloc(sizeof *x * (size_t)count);
    double z = NAN;
    if (x && cord_rod_positions(world, rod, x) == CORD_OK) {
        z = x[node].z;
    }
    free(x);
    return z;
}

// How far the tip of a horizontal cantilever comes down under a force at its end and a weight per length.
static double cantilever(int elements, double force, double weight)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, -weight};
    CordWorld* world;
    if (cord_world_create(&world_def, &world) != CORD_OK) {
        return NAN;
    }
    CordRodDef def = unit_rod(elements);
    def.half_edge_start = true;
    CordRodId rod;
    double first = 3.516, tip = NAN; // the lowest frequency: critical damping and e^-30 of it left at the end
    if (cord_rod_create(world, &def, &rod) == CORD_OK &&
        add_clamp(world, rod, cord_at_start(), CORD_FIX_DIRECTION) &&
        add_force(world, rod, (CordVec3){0, 0, -force}) && add_drag(world, 2.0 * first) &&
        settle(world, 30.0 / first)) {
        tip = -node_height(world, rod, elements);
    }
    cord_world_destroy(world);
    return tip;
}

// ---------------------------------------------------------------------------------------------------- the elastica

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

static double elastica_drop(double force, double weight)
{
    double low = 0.0, high = force + weight; // moment at the wall: at most that of the straight rod
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (integrate(middle, force, weight).end_slope > 0.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return integrate(0.5 * (low + high), force, weight).drop;
}

// ---------------------------------------------------------------------------------------------------- cases

double theory_tip_force_small(int elements)
{
    return cantilever(elements, 0.01, 0.0);
}

double theory_tip_force_small_exact(void)
{
    return elastica_drop(0.01, 0.0);
}

double theory_tip_force_large(int elements)
{
    return cantilever(elements, 5.0, 0.0);
}

double theory_tip_force_large_exact(void)
{
    return elastica_drop(5.0, 0.0);
}

double theory_weight_small(int elements)
{
    return cantilever(elements, 0.0, 0.01);
}

double theory_weight_small_exact(void)
{
    return elastica_drop(0.0, 0.01);
}

double theory_weight_large(int elements)
{
    return cantilever(elements, 0.0, 20.0);
}

double theory_weight_large_exact(void)
{
    return elastica_drop(0.0, 20.0);
}

// A chain without bending stiffness between two points 0.7 of its length apart, from a V that has the right
// length.
double theory_catenary(int elements)
{
    const double span = 0.7;
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world;
    if (cord_world_create(&world_def, &world) != CORD_OK) {
        return NAN;
    }
    CordVec3 corners[3] = {{0, 0, 0}, {0.5 * span, 0, -0.5 * sqrt(LENGTH * LENGTH - span * span)}, {span, 0, 0}};
    CordRodDef def = unit_rod(elements);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 0.0;
    def.shape = cord_shape_polyline(corners, 3, elements + 1);
    def.rest = CORD_REST_STRAIGHT;
    CordRodId rod;
    double sag = NAN;
    if (cord_rod_create(world, &def, &rod) == CORD_OK && add_clamp(world, rod, cord_at_start(), CORD_FIX_POSITION) &&
        add_clamp(world, rod, cord_at_end(), CORD_FIX_POSITION) && add_drag(world, 8.0) && settle(world, 12.0)) {
        sag = -node_height(world, rod, elements / 2);
    }
    cord_world_destroy(world);
    return sag;
}

double theory_catenary_exact(void)
{
    const double span = 0.7;
    double low = 0.05, high = 10.0; // 2 a sinh(span / 2a) = L, falling in a
    for (int i = 0; i < 100; i++) {
        double a = 0.5 * (low + high);
        if (2.0 * a * sinh(0.5 * span / a) > LENGTH) {
            low = a;
        } else {
            high = a;
        }
    }
    double a = 0.5 * (low + high);
    return a * (cosh(0.5 * span / a) - 1.0);
}
