#include "bench_contact.h"

#include "source.h"

#include <cordage/contact.h>

#include <math.h>

static const BenchTouch failed = {NAN, 0, NAN};

static BenchTouch time_steps(CordWorld* world, double h, int warm, int steps, int rounds)
{
    if (cord_world_step_many(world, h, warm) != CORD_OK) {
        return failed;
    }
    BenchTouch t = {.seconds = bench_time_steps(world, h, steps, rounds, 1) / steps};
    int64_t before = cord_world_contact_report(world).iterations_in_all;
    bool good = cord_world_step_many(world, h, steps) == CORD_OK;
    CordContactReport report = cord_world_contact_report(world);
    t.contacts = report.contacts;
    t.iterations = (double)(report.iterations_in_all - before) / steps;
    return good ? t : failed;
}

static BenchTouch measure(CordWorld* world, double h, int warm, int steps, int rounds)
{
    BenchTouch t = world ? time_steps(world, h, warm, steps, rounds) : failed;
    cord_world_destroy(world);
    return t;
}

static CordResult turn_on(CordWorld* world)
{
    CordContactDef def = cord_contact_def_default();
    return cord_world_set_contact(world, &def);
}

// ---- springs

// Turns begin a thousandth of a radius apart; at rest they would be half as high.
static CordResult add_spring(CordWorld* world, CordVec3 foot, int elements)
{
    const double radius = 0.004, coil = 0.04,
                 turns = elements / 25.3; // turn and turn do not have their nodes side by side
    const CordVec3 up = {0, 0, 1};
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(radius);
    rod.material.young = 1e6;
    rod.shape = cord_shape_helix(foot, up, coil, 2.001 * radius, turns, elements + 1);
    rod.rest = CORD_REST_SHAPE;
    rod.rest_shape = cord_shape_helix(foot, up, coil, radius, turns, elements + 1);
    CordRodId id;
    return cord_rod_create(world, &rod, &id);
}

static CordWorld* open_springs(int springs, int elements)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    if (cord_world_create(&def, &world) != CORD_OK) {
        return NULL;
    }
    const double apart = 0.0885; // [m]: near each other, and yet they do not touch
    int row = (int)ceil(sqrt((double)springs));
    CordResult result = turn_on(world);
    for (int i = 0; i < springs && result == CORD_OK; i++) {
        result = add_spring(world, (CordVec3){apart * (i % row), apart * (i / row), 0}, elements);
    }
    if (result != CORD_OK) {
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

BenchTouch bench_springs(int springs, int elements)
{
    double work = 2e5 / ((double)springs * elements); // some tenths of a second
    CordWorld* world = open_springs(springs, elements);
    double h = world ? 0.5 * cord_world_step_advice(world).step : 0.0;
    return measure(world, h, 40, (int)fmax(2.0, work), springs > 20 ? 2 : 7);
}

double bench_same_steps(int springs, int elements)
{
    enum { WARM = 40, STEPS = 20 };
    double best = INFINITY;
    for (int round = 0; round < (springs > 20 ? 2 : 20 / springs); round++) {
        CordWorld* world = open_springs(springs, elements);
        double h = world ? 0.5 * cord_world_step_advice(world).step : 0.0;
        best = fmin(best, measure(world, h, WARM, STEPS, 1).seconds);
    }
    return best;
}

// ---- the falling coil

BenchTouch bench_coil(void)
{
    CordWorldDef hooks = cord_world_def_default();
    return measure(source_world(&hooks, "acm/fig7", NULL, 0), 1e-4, 900, 20, 5);
}

// ---- the knot

static CordWorld* open_knot(int elements)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world;
    if (cord_world_create(&def, &world) != CORD_OK) {
        return NULL;
    }
    CordRodDef rod = cord_rod_def_default();
    rod.section = cord_section_disc(0.005);
    rod.material.young = 1e7;
    rod.shape = cord_shape_knot("overhand", 0, (CordVec3){0, 0, 0}, 0.15, 0.2, elements + 1);
    rod.rest = CORD_REST_STRAIGHT;
    rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    CordResult result = turn_on(world);
    CordRodId id;
    result = result == CORD_OK ? cord_rod_create(world, &rod, &id) : result;
    for (int k = 0; k < 2 && result == CORD_OK; k++) {
        CordMotion pull = cord_motion_translate((CordVec3){k ? 0.05 : -0.05, 0, 0}, 0.0, 0.2);
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = id;
        clamp.at = k ? cord_at_end() : cord_at_start();
        clamp.motions = &pull;
        clamp.motion_count = 1;
        CordClampId held;
        result = cord_clamp_create(world, &clamp, &held);
    }
    if (result != CORD_OK) {
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

BenchTouch bench_knot(int elements)
{
    return measure(open_knot(elements), 1e-3, 150, 20, 5);
}
