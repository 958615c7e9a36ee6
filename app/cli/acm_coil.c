#include "acm_coil.h"

#include "reproduce.h"
#include "talk.h"

#include <math.h>
#include <stdlib.h>

const double coil_step = 1e-4, coil_tolerance = 1e-3;

static const double landing = 0.026, sample = 0.005; // [s]: it touches the ground at 0.0262 s
static const double radius = 0.004;                  // of the scene's rope [m]

enum { STEPS = 10 }; // of each sample that count

// The processor's time, so that other programs on the machine do not count.
static double clock_now(void* user)
{
    (void)user;
    return talk_cpu_clock();
}

static CordContactDef contact_of(CordResponse response, bool on)
{
    CordContactDef def = cord_contact_def_default();
    def.on = on;
    def.response = response;
    def.tolerance = coil_tolerance;
    return def;
}

// A step without contact, and back: what contact is going to find.
static bool look_ahead(CordWorld* world, CordResponse response, CoilSample* s)
{
    const CordContactDef on = contact_of(response, true), off = contact_of(response, false);
    size_t size = cord_world_state_size(world);
    void* state = malloc(size);
    bool good = state && cord_world_state_get(world, state, size) == CORD_OK &&
                cord_world_set_contact(world, &off) == CORD_OK &&
                cord_world_step(world, coil_step) == CORD_OK && cord_world_set_contact(world, &on) == CORD_OK;
    int count = good ? cord_world_contact_count(world) : 0;
    const CordContact* all = cord_world_contacts(world);
    double depth = 0.0;
    for (int i = 0; i < count; i++) {
        s->collisions += all[i].gap < 0.0;
        depth += fmax(0.0, -all[i].gap) / radius;
    }
    s->depth = s->collisions > 0 ? depth / s->collisions : 0.0;
    good = good && cord_world_state_set(world, state, size) == CORD_OK;
    free(state);
    return good;
}

static bool take_sample(CordWorld* world, CordResponse response, CoilSample* s)
{
    *s = (CoilSample){.near = 0};
    bool good = look_ahead(world, response, s);
    CordStepTimes before = cord_world_step_times(world);
    int64_t iterations = cord_world_contact_report(world).iterations_in_all;
    for (int i = 0; i < STEPS && good; i++) {
        good = cord_world_step(world, coil_step) == CORD_OK;
        CordContactReport report = cord_world_contact_report(world);
        s->near = report.contacts;
        s->deepest = fmax(s->deepest, report.deepest);
        s->most_iterations = report.iterations > s->most_iterations ? report.iterations : s->most_iterations;
    }
    CordStepTimes after = cord_world_step_times(world);
    s->iterations = (double)(cord_world_contact_report(world).iterations_in_all - iterations) / STEPS;
    s->contact = (after.contact - before.contact) / STEPS;
    s->others = (after.forces - before.forces + after.frames - before.frames) / STEPS;
    s->time = cord_world_time(world);
    return good;
}

bool coil_run(CordResponse response, CoilRun* run)
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.clock.now = clock_now;
    CordWorld* world = reproduce_scene_with(&hooks, "acm/fig7", NULL, 0);
    if (!world) {
        return false;
    }
    CordContactDef contact = contact_of(response, true);
    bool good = cord_world_set_contact(world, &contact) == CORD_OK &&
                cord_world_step_many(world, coil_step, (int)nearbyint(landing / coil_step)) == CORD_OK;
    for (int i = 0; i < COIL_SAMPLES && good; i++) {
        good = cord_world_step_many(world, coil_step, (int)nearbyint(sample / coil_step) - STEPS) == CORD_OK &&
               take_sample(world, response, &run->at[i]);
    }
    run->retries = cord_world_retries(world);
    if (!good) {
        fprintf(stderr, "%s\n", cord_world_message(world));
    }
    cord_world_destroy(world);
    return good;
}
