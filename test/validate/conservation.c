// What must stay the same, over many steps.
#include "check.h"

#include <cordage/cordage.h>

#include <stdlib.h>

// ---- worlds

static double random_pm(unsigned* seed) // the same numbers everywhere, in [-1, 1]
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

typedef struct Case {
    CordWorld* world;
    CordRodId rod;
} Case;

enum { NODES = 31 };

// A crumpled rod of 1 m with velocities of about 1 m/s at random.
static Case crumpled(CordVec3 gravity, bool closed)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = gravity;
    Case c;
    CHECK_OK(cord_world_create(&world_def, &c.world));
    unsigned seed = 7;
    CordVec3 x[NODES], v[NODES];
    for (int i = 0; i < NODES; i++) {
        double a = 2.0 * 3.14159265358979 * i / NODES;
        CordVec3 line = {i / (NODES - 1.0), 0, 0}, ring = {0.16 * cos(a), 0.16 * sin(a), 0};
        x[i] = closed ? ring : line;
        x[i].x += 0.005 * random_pm(&seed), x[i].y += 0.02 * random_pm(&seed),
            x[i].z += 0.02 * random_pm(&seed);
        v[i] = (CordVec3){random_pm(&seed), random_pm(&seed), 2.0 + random_pm(&seed)};
    }
    CordRodDef def = cord_rod_def_default();
    def.material.young = 1e6;
    def.shape = cord_shape_points(x, NODES);
    def.rest = CORD_REST_STRAIGHT;
    def.closed = closed;
    def.twist = closed ? 2.0 * 3.14159265358979323846 : 0.0;
    CHECK_OK(cord_rod_create(c.world, &def, &c.rod));
    CHECK_OK(cord_rod_set_velocities(c.world, c.rod, v));
    return c;
}

// A rope of 1 m held at one end and let go: from the horizontal it whips about, from 30 degrees it swings.
static Case swinging(bool inextensible, CordLengthMethod method, CordVec3 end)
{
    CordWorldDef world_def = cord_world_def_default();
    Case c;
    CHECK_OK(cord_world_create(&world_def, &c.world));
    CordRodDef def = cord_rod_def_default();
    def.material.young = 1e7;
    def.inextensible = inextensible;
    def.length_method = method;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, end, 21);
    CHECK_OK(cord_rod_create(c.world, &def, &c.rod));
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = c.rod;
    CordClampId id;
    CHECK_OK(cord_clamp_create(c.world, &clamp, &id));
    return c;
}

static double total_energy(const Case* c)
{
    CordEnergy e = cord_rod_energy(c->world, c->rod);
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

// ---- momentum

static void check_momentum(bool closed)
{
    Case c = crumpled((CordVec3){0, 0, 0}, closed);
    double h = 0.5 * cord_world_step_advice(c.world).step;
    CordMomentum before = cord_rod_momentum(c.world, c.rod);
    CHECK_OK(cord_world_step_many(c.world, h, 10000));
    CordMomentum after = cord_rod_momentum(c.world, c.rod);
    double p = fabs(before.linear.z), l = fmax(fabs(before.angular.x), fabs(before.angular.y));
    CHECK_VEC3(after.linear, before.linear, 1e-12 * p);  // internal forces cancel in pairs, to round-off
    CHECK_VEC3(after.angular, before.angular, 1e-9 * l); // each torque cancels to round-off times distance
    cord_world_destroy(c.world);
}

TEST(a_free_open_rod_keeps_its_momentum)
{
    check_momentum(false);
}

TEST(a_free_twisted_ring_keeps_its_momentum)
{
    check_momentum(true);
}

TEST(the_centre_of_mass_falls_on_the_exact_parabola)
{
    CordVec3 g = {1.0, -2.0, -9.81};
    Case c = crumpled(g, false);
    double h = 0.5 * cord_world_step_advice(c.world).step;
    CordMomentum m = cord_rod_momentum(c.world, c.rod);
    double mass = cord_rod_mass(c.world, c.rod);
    CHECK_OK(cord_world_step_many(c.world, h, 10000));
    double t = cord_world_time(c.world);
    CordVec3 expected = {m.center.x + m.linear.x / mass * t + 0.5 * g.x * t * t,
                         m.center.y + m.linear.y / mass * t + 0.5 * g.y * t * t,
                         m.center.z + m.linear.z / mass * t + 0.5 * g.z * t * t};
    CHECK_VEC3(cord_rod_momentum(c.world, c.rod).center, expected, 1e-11); // round-off of 10,000 additions
    cord_world_destroy(c.world);
}

// ---- energy

typedef struct Drift {
    double first, last; // mean energy of the first and the second half [J]
    double least, most; // over all [J]
} Drift;

static Drift run_long(Case* c, double h)
{
    enum { SAMPLES = 1000, STEPS = 100 };
    Drift d = {0, 0, INFINITY, -INFINITY};
    for (int i = 0; i < SAMPLES; i++) {
        CHECK_OK(cord_world_step_many(c->world, h, STEPS));
        double e = total_energy(c);
        *(i < SAMPLES / 2 ? &d.first : &d.last) += e / (SAMPLES / 2);
        d.least = fmin(d.least, e);
        d.most = fmax(d.most, e);
    }
    return d;
}

// The means of the first and the second half of 100,000 steps differ by less than a tenth of what the energy
// swings about its mean, and that is a few millionths of the energy that moves to and fro.
static void check_no_drift(bool inextensible)
{
    Case c = swinging(inextensible, CORD_LENGTH_RATTLE, (CordVec3){0.5, 0, -sqrt(0.75)});
    double h = 0.4 * cord_world_step_advice(c.world).step;
    double scale = cord_rod_mass(c.world, c.rod) * 9.81;
    Drift d = run_long(&c, h);
    print_message("  mean energy rose by %.2g J, and swings by %.2g J, beside %.2g J\n", d.last - d.first,
                  d.most - d.least, scale);
    CHECK(fabs(d.last - d.first) <= 0.1 * (d.most - d.least));
    CHECK(d.most - d.least <= 3e-6 * scale);
    cord_world_destroy(c.world);
}

TEST(an_extensible_rope_does_not_gain_or_lose_energy)
{
    check_no_drift(false);
}

TEST(rattle_does_not_gain_or_lose_energy)
{
    check_no_drift(true);
}

// A chain of ten links without bending stiffness, so that nothing can give back what the projection takes.
TEST(fast_projection_only_loses_energy)
{
    CordWorldDef world_def = cord_world_def_default();
    Case c;
    CHECK_OK(cord_world_create(&world_def, &c.world));
    CordRodDef def = cord_rod_def_default();
    def.stiffness.EI1 = def.stiffness.EI2 = 0.0;
    def.inextensible = true;
    def.length_method = CORD_LENGTH_FAST_PROJECTION;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11);
    CHECK_OK(cord_rod_create(c.world, &def, &c.rod));
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = c.rod;
    CordClampId id;
    CHECK_OK(cord_clamp_create(c.world, &clamp, &id));
    double scale = cord_rod_mass(c.world, c.rod) * 9.81, before = total_energy(&c), start = before,
           most = -INFINITY;
    for (int i = 0; i < 3000; i++) {
        CHECK_OK(cord_world_step(c.world, 1e-3));
        double e = total_energy(&c);
        most = fmax(most, e - before);
        before = e;
    }
    print_message(
        "  fast projection lost %.1f %% of m g L in 3 s at h = 1 ms; the largest rise in a step was %.2g\n",
        100.0 * (start - before) / scale, most / scale);
    CHECK(most <= 1e-6 * scale);         // second order in the step, where it rises at all
    CHECK(start - before > 0.1 * scale); // and it does lose: RATTLE is not what ran
    cord_world_destroy(c.world);
}

TEST_GROUP(conservation, a_free_open_rod_keeps_its_momentum, a_free_twisted_ring_keeps_its_momentum,
           the_centre_of_mass_falls_on_the_exact_parabola, an_extensible_rope_does_not_gain_or_lose_energy,
           rattle_does_not_gain_or_lose_energy, fast_projection_only_loses_energy)
