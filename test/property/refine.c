// Equilibria of finer and finer rods, and of different models, approach each other.
#include "relations.h"

#include <cordage/adapt.h>

enum { STATIONS = 9 };

typedef struct Curve { // points at shares of a rod's rest length
    CordVec3 x[STATIONS];
} Curve;

static double curve_distance(const Curve* a, const Curve* b)
{
    double most = 0.0;
    for (int i = 0; i < STATIONS; i++) {
        most = fmax(most, cord_vec3_length(cord_vec3_sub(a->x[i], b->x[i])));
    }
    return most;
}

// The cubic through the four nodes nearest to an arc length. End edges may be half as long as others.
static CordVec3 point_at(const double* arc, const CordVec3* x, int nodes, double s)
{
    int first = 0;
    while (first + 4 < nodes && arc[first + 2] < s) {
        first++;
    }
    CordVec3 sum = {0, 0, 0};
    for (int i = first; i < first + 4; i++) {
        double weight = 1.0;
        for (int k = first; k < first + 4; k++) {
            weight *= k == i ? 1.0 : (s - arc[k]) / (arc[i] - arc[k]);
        }
        sum = cord_vec3_madd(sum, x[i], weight);
    }
    return sum;
}

static void trace(const CordWorld* world, Curve* c)
{
    static CordVec3 x[MOST_NODES];
    static double arc[MOST_NODES];
    CordRodId rod = cord_world_rod(world, 0);
    int nodes = cord_rod_node_count(world, rod);
    cord_rod_positions(world, rod, x), cord_rod_arcs(world, rod, arc);
    for (int i = 0; i < STATIONS; i++) {
        c->x[i] = point_at(arc, x, nodes, arc[nodes - 1] * (i + 1) / STATIONS);
    }
}

static bool equilibrium(const Scene* s, Curve* c, Verdict* v)
{
    CordSolveReport report;
    CordWorld* world = solved(s, &report, v);
    if (world == NULL) {
        return false;
    }
    trace(world, c);
    cord_world_destroy(world);
    return report.unstable == 0;
}

// Twice the elements, twice that and twice that again: differences of positions shrink by 4, less a third for
// terms of higher order, from one doubling to the next. They are compared where they are above the tolerance
// of a solve and so small that the leading term counts and no other equilibrium was found. A rest shape has
// its frame from the first edge, whose direction is of first order.
void check_elements(const Subject* u, Verdict* v)
{
    static Scene finer;
    Curve curve[4];
    double change[4] = {0.0}, length = u->element * u->scene.rods[0].elements, least;
    int order = u->scene.rods[0].rest == REST_SHAPE ? 1 : 2;
    least = pow(2.0, order) / 1.5;
    finer = u->scene;
    v->finding = NOT_TESTED, v->group = OF_POSITION;
    for (int i = 0; i < 4 && v->finding != HOLDS; i++) {
        if (!equilibrium(&finer, &curve[i], v)) {
            return;
        }
        finer.rods[0].elements *= 2;
        change[i] = i > 0 ? curve_distance(&curve[i], &curve[i - 1]) : 0.0;
        if (i < 2 || !(fmax(change[i - 1], change[i]) < 0.02 * length && change[i] > 1e-6 * length)) {
            continue;
        }
        double shrinks = change[i - 1] / change[i];
        v->finding = shrinks >= least ? HOLDS : FAILS, v->ratio = least / shrinks;
        snprintf(v->text, sizeof v->text,
                 "twice the elements change positions by %.3g m, %.3g m, %.3g m: at last %.2f times less, "
                 "order %d",
                 change[1], change[2], change[3], shrinks, order);
    }
}

// ---- models

static double model_distance(const Scene* s, Verdict* v) // -1: not known
{
    static const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE, CORD_MODEL_PBD};
    static Scene other;
    Curve curve[3];
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        other = *s, other.rods[0].model = models[i];
        if (!equilibrium(&other, &curve[i], v)) {
            return -1.0;
        }
        for (int k = 0; k < i; k++) {
            most = fmax(most, curve_distance(&curve[i], &curve[k]));
        }
    }
    return most;
}

// Equilibria of DER, CORDE and implicit position-based rods approach each other at second order.
void check_models(const Subject* u, Verdict* v)
{
    static Scene finer;
    double apart[3], length = u->element * u->scene.rods[0].elements, least = 4.0 / 1.5;
    finer = u->scene, finer.rods[0].integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    finer.rods[0].fast_projection = false;
    for (int i = 0; i < 3; i++) {
        apart[i] = model_distance(&finer, v);
        if (apart[i] < 0.0) {
            return;
        }
        finer.rods[0].elements *= 2;
    }
    v->finding = NOT_TESTED, v->group = OF_POSITION;
    double shrinks = apart[1] / apart[2];
    snprintf(
        v->text, sizeof v->text,
        "models are %.3g m, %.3g m and %.3g m apart with twice the elements each: at last %.2f times less",
        apart[0], apart[1], apart[2], shrinks);
    if (apart[2] <= 1e-6 * length) {
        v->finding = HOLDS;
    } else if (fmax(apart[1], apart[2]) < 0.02 * length) { // or another equilibrium was found
        v->finding = shrinks >= least ? HOLDS : FAILS, v->ratio = least / shrinks;
    }
}

// ---- integrators

static double final_distance(const Scene* a, const Scene* b, Verdict* v) // -1: not known
{
    static Outcome one, other;
    RunDef def = run_def();
    scene_run(a, &def, &one), scene_run(b, &def, &other);
    bool refused = one.refused || other.refused, failed = one.result != CORD_OK || other.result != CORD_OK,
         retried = one.retries + other.retries > 0;
    v->finding = refused ? REFUSED : failed ? RUN_FAILS : retried ? RETRIED : NOT_TESTED;
    return v->finding != NOT_TESTED ? -1.0 : observation_distance(&one.seen, &other.seen).error[OF_POSITION];
}

// An explicit and an implicit run approach each other as the step shrinks, at the lower order of both: twice
// in a row, while they are farther apart than what their solvers leave. While the step is as long as a
// vibration takes, backward Euler damps more of it the shorter the step is, so that the first steps may tell
// nothing.
void check_integrators(const Subject* u, Verdict* v)
{
    static Scene finer, other;
    finer = u->scene;
    bool first = u->scene.seed % 2 == 0;
    int order = first ? 1 : order_of(&u->scene), good = 0;
    double apart = 0.0, shrinks = 0.0, least = pow(2.0, order) / 1.5;
    v->group = OF_POSITION;
    for (int i = 0; i < 7 && good < 2; i++) {
        other = finer;
        other.rods[0].integrator = first ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_MIDPOINT;
        double before = apart;
        apart = final_distance(&finer, &other, v);
        if (apart < 0.0 || (i == 1 && apart > 0.02 * u->element) || apart < 1e-9 * u->element) {
            return;
        }
        shrinks = i < 2 ? 0.0 : before / apart;
        good = shrinks >= least ? good + 1 : 0;
        finer.step *= 0.5, finer.steps *= 2;
    }
    snprintf(v->text, sizeof v->text,
             "explicit and implicit are %.3g m apart, %.2f times less than with twice the step, order %d",
             apart, shrinks, order);
    v->finding = good == 2 ? HOLDS : FAILS, v->ratio = least / shrinks;
}
