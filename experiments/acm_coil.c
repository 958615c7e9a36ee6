#include "acm_coil.h"

#include <math.h>

const double coil_step = 1e-4, coil_tolerance = 1e-3;

static const double landing = 0.026, sample = 0.005; // [s]: it touches the ground at 0.0262 s
static const double radius = 0.004;                  // of the scene's rope [m]

enum { SAMPLES = 14, STEPS = 10 }; // of each sample that count

static CordContactDef contact_of(CordResponse response, bool on)
{
    CordContactDef def = cord_contact_def_default();
    def.on = on;
    def.response = response;
    def.tolerance = coil_tolerance;
    return def;
}

typedef struct Collisions { // what contact is going to find
    int count;
    double depth; // in the mean, over the radius
} Collisions;

// A step without contact, and back.
static Collisions look_ahead(Lab* lab, CordWorld* world, CordResponse response, LabState* state)
{
    const CordContactDef on = contact_of(response, true), off = contact_of(response, false);
    lab_keep(lab, world, state);
    lab_ok(lab, world, cord_world_set_contact(world, &off));
    lab_steps(lab, world, coil_step, 1);
    lab_ok(lab, world, cord_world_set_contact(world, &on));
    const CordContact* all = cord_world_contacts(world);
    double depth = 0.0;
    Collisions c = {0};
    for (int i = 0; i < cord_world_contact_count(world); i++) {
        c.count += all[i].gap < 0.0;
        depth += fmax(0.0, -all[i].gap) / radius;
    }
    c.depth = c.count > 0 ? depth / c.count : 0.0;
    lab_restore(lab, world, state);
    return c;
}

static void take_sample(Lab* lab, CordWorld* world, const char* series, const Collisions* c)
{
    CordStepTimes before = cord_world_step_times(world);
    CordContactReport report = cord_world_contact_report(world);
    int64_t iterations = report.iterations_in_all;
    double deepest = 0.0, most = 0.0;
    for (int i = 0; i < STEPS; i++) {
        lab_steps(lab, world, coil_step, 1);
        report = cord_world_contact_report(world);
        deepest = fmax(deepest, report.deepest);
        most = fmax(most, report.iterations);
    }
    CordStepTimes after = cord_world_step_times(world);
    double mean = (double)(report.iterations_in_all - iterations) / STEPS;
    lab_row(lab, "coil", series, cord_world_time(world), report.contacts, c->count, c->depth, mean, most,
            mean / c->count, 1e3 * (after.contact - before.contact) / STEPS,
            1e3 * (after.forces - before.forces + after.frames - before.frames) / STEPS, deepest);
}

int64_t coil_run(Lab* lab, CordResponse response, const char* series)
{
    CordWorld* world = lab_world_timed(lab, LAB_BY_CPU, "acm/fig7", LAB_AS_SHIPPED);
    CordContactDef contact = contact_of(response, true);
    LabState state = {0};
    lab_ok(lab, world, cord_world_set_contact(world, &contact));
    lab_steps(lab, world, coil_step, (int)nearbyint(landing / coil_step));
    for (int i = 0; i < SAMPLES; i++) {
        lab_steps(lab, world, coil_step, (int)nearbyint(sample / coil_step) - STEPS);
        Collisions c = look_ahead(lab, world, response, &state);
        take_sample(lab, world, series, &c);
    }
    return cord_world_retries(world);
}
