// DER, figure 6: torque transducer. Two bodies, one massive and one light, joined by a cord, float without
// gravity; the massive one spins. Its energy goes over to the light one by way of the cord, and comes back.
// With a straight cord they are a torsional oscillator.
#include "lab.h"

#include <math.h>

static const double inertia1 = 3.6e-5, inertia2 = 9e-6; // of the scene's cylinders about their axes [kg m^2]
static const double length = 2.0;                       // of its cord [m]

enum { SAMPLES = 1000 };
static const double sample = 0.02; // between them [s]

// ---- what is measured at one moment

typedef struct Parts {
    double massive, light, cord; // energies [J]
    double bend;                 // what of the cord's is not twist [J]
    double momentum;             // angular, about the axis [kg m^2/s]
    double twist;                // [rad]
} Parts;

static Parts parts(const CordWorld* world)
{
    CordRodId cord = cord_world_rod(world, 0);
    CordBodyId massive = cord_world_body(world, 0), light = cord_world_body(world, 1);
    CordEnergy e = cord_rod_energy(world, cord);
    return (Parts){.massive = cord_body_energy(world, massive).kinetic,
                   .light = cord_body_energy(world, light).kinetic,
                   .cord = e.kinetic + e.bend + e.twist + e.stretch,
                   .bend = e.kinetic + e.bend + e.stretch,
                   .momentum = cord_rod_momentum(world, cord).angular.x +
                               cord_body_momentum(world, massive).angular.x +
                               cord_body_momentum(world, light).angular.x,
                   .twist = 2.0 * CORD_PI * cord_rod_twist(world, cord)};
}

static double total(Parts p)
{
    return p.massive + p.light + p.cord;
}

// ---- a run

typedef struct Run {
    Parts at[SAMPLES + 1];
    double GJ;   // [N m^2]
    double step; // [s]
    double ms;   // spent on one
} Run;

// Steps of `step`, or, if that is 0, of 0.8 of the longest that is stable; in either case a whole number of
// them to a sample.
static const Run* follow(Lab* lab, const char* settings, double step)
{
    CordWorld* world = lab_world(lab, "der/fig6", "%s", settings);
    Run* r = lab_room(lab, 1, sizeof *r);
    int count = (int)ceil(sample / (step > 0.0 ? step : 0.8 * cord_world_step_advice(world).step) - 1e-9);
    r->GJ = cord_rod_stiffness(world, cord_world_rod(world, 0)).GJ;
    r->step = sample / count;
    r->at[0] = parts(world);
    for (int k = 1; k <= SAMPLES; k++) {
        lab_steps(lab, world, r->step, count);
        r->at[k] = parts(world);
    }
    CordStepTimes t = cord_world_step_times(world);
    r->ms = 1e3 * (t.forces + t.lengths + t.frames + t.bodies + t.implicit) / (SAMPLES * count);
    return r;
}

static double difference(Parts a, Parts b)
{
    return fmax(fmax(fabs(a.massive - b.massive), fabs(a.light - b.light)), fabs(a.cord - b.cord));
}

static void keep(Lab* lab, const Run* r, const char* name)
{
    double energy = total(r->at[0]), momentum = r->at[0].momentum;
    for (int k = 0; k <= SAMPLES; k++) {
        Parts p = r->at[k];
        lab_row(lab, "", name, k * sample, p.massive / energy, p.light / energy, p.cord / energy,
                p.bend / energy, total(p) / energy, fabs(total(p) / energy - 1.0),
                fabs(p.momentum / momentum - 1.0));
    }
}

// ---- the straight cord

static double frequency(double GJ) // [rad/s]
{
    return sqrt(GJ / length * (1.0 / inertia1 + 1.0 / inertia2));
}

// The spins are those of the common turning and of a vibration about it, in which neither body has more
// angular momentum than the other.
static Parts theory(double GJ, double energy, double time)
{
    double c = cos(frequency(GJ) * time), sum = inertia1 + inertia2;
    // 1: the massive one's first
    double spin1 = (inertia1 + inertia2 * c) / sum, spin2 = inertia1 * (1.0 - c) / sum;
    double massive = spin1 * spin1 * energy, light = spin2 * spin2 * energy * inertia2 / inertia1;
    return (Parts){.massive = massive, .light = light, .cord = energy - massive - light};
}

static double theory_error(const Run* r)
{
    double most = 0.0, energy = total(r->at[0]);
    for (int k = 0; k <= SAMPLES; k++) {
        most = fmax(most, difference(r->at[k], theory(r->GJ, energy, k * sample)) / energy);
    }
    return most;
}

// From the first and the last time that the twist passes zero on its way up; between samples it is straight
// there, as a sine is.
static double measured_frequency(const Run* r)
{
    double first = NAN, last = NAN;
    int count = -1;
    for (int k = 1; k <= SAMPLES; k++) {
        double a = r->at[k - 1].twist, b = r->at[k].twist;
        if (a < 0.0 && b >= 0.0) {
            last = (k - 1 + a / (a - b)) * sample;
            first = ++count ? first : last;
        }
    }
    return 2.0 * CORD_PI * count / (last - first);
}

// ---- the two cords

static void judge_kept(Lab* lab, const char* name, const Run* r)
{
    keep(lab, r, name);
    lab_say(lab, "%s, steps of %.3g ms, %.3f ms each", name, 1e3 * r->step, r->ms);
    lab_below(lab, "angular momentum about the axis changes, relatively, by",
              lab_most(lab, "", name, "momentum drift"), 1e-9, "it is kept");
    lab_below(lab, lab_text(lab, "total energy over %g s changes, relatively, by", SAMPLES * sample),
              lab_most(lab, "", name, "drift"), 0.01, "it is kept");
}

// A straight cord would leave 0.36 to the massive body and bring 0.64 to the light one; 0.2 is the most it
// can hold.
static void judge_exchange(Lab* lab, const char* name)
{
    lab_below(lab, "of the energy the massive body keeps, at the least", lab_least(lab, "", name, "massive"),
              0.4, "a straight cord leaves it 0.36");
    lab_above(lab, "of the energy the light body has, at the most", lab_most(lab, "", name, "light"), 0.6,
              "a straight cord brings it 0.64");
    lab_above(lab, "of the energy the cord has, at the most", lab_most(lab, "", name, "cord"), 0.15,
              "a straight cord can hold 0.2");
    lab_say(lab, "  of what the cord has, up to %.3f is not twist", lab_most(lab, "", name, "not twist"));
}

static void measure_bowed(Lab* lab)
{
    const Run *verlet = follow(lab, "", 0.0),
              *midpoint = follow(lab, "rods[cord].integrator=implicit", 0.005);
    judge_kept(lab, "bowed cord by Verlet and projection", verlet);
    judge_exchange(lab, "bowed cord by Verlet and projection");
    judge_kept(lab, "bowed cord by the midpoint rule", midpoint);
    // Later the cord coils up, and what the two differ by grows as any small disturbance does.
    double most = 0.0, uncoiled = 15.0;
    for (int k = 0; k * sample <= uncoiled; k++) {
        most = fmax(most, difference(verlet->at[k], midpoint->at[k]) / total(verlet->at[0]));
    }
    lab_below(lab, lab_text(lab, "up to %g s the two differ in a part, over the energy, by", uncoiled), most,
              0.01, "each other");
}

// At most a turn of twist, so that the cord stays straight.
#define STRAIGHT "rods[cord].shape={\"line\":{\"from\":[0,0,0],\"to\":[2,0,0]}}; bodies[massive].spin=[6,0,0]"

static void measure_straight(Lab* lab)
{
    static const char source[] = "torsional oscillator, sqrt(GJ/L (1/I1 + 1/I2))";
    const Run *verlet = follow(lab, STRAIGHT, 0.0), *midpoint = NULL;
    double error[3];
    for (int k = 0; k <= SAMPLES; k++) {
        Parts p = theory(verlet->GJ, 1.0, k * sample);
        lab_row(lab, "", "theory", k * sample, p.massive, p.light, p.cord, 0.0, 1.0, 0.0, 0.0);
    }
    judge_kept(lab, "straight cord by Verlet and projection", verlet);
    lab_near(lab, "frequency [rad/s]", measured_frequency(verlet), frequency(verlet->GJ), 1e-6,
             source); // (omega h)^2 / 24 is 1e-8, and so is the error of interpolation
    lab_below(lab, "parts of the energy: off by, over the whole", theory_error(verlet), 1e-5, source);
    for (int k = 0; k < 3; k++) {
        midpoint = follow(lab, STRAIGHT "; rods[cord].integrator=implicit", sample / (1 << k));
        error[k] = theory_error(midpoint);
    }
    lab_say(lab,
            "a straight cord, midpoint rule: parts of the energy are off by %.2e, %.2e and %.2e at "
            "steps of %g, %g and %g ms",
            error[0], error[1], error[2], 1e3 * sample, 5e2 * sample, 2.5e2 * sample);
    lab_order(lab, "parts of the energy", error, 3, 1.95, 2.05, source);
    judge_kept(lab, "straight cord by the midpoint rule", midpoint);
}

static void run(Lab* lab)
{
    measure_bowed(lab);
    measure_straight(lab);
}

#define PART(series, column, style, name) LAB_CURVE("", series, "time", column, style, name)
#define SOME(column, style, name) /* every twentieth sample */                                               \
    LAB_CURVE_WHERE("", "straight cord by Verlet and projection", "int({time} / 0.02 + 0.5) % 20 == 0",      \
                    "time", column, style, name)
#define SET "set xrange [0:20]\nset yrange [0:1.08]\nset key outside right\nset rmargin 28"

const Experiment experiment_der_fig6 = {
    .id = "der-fig6",
    .about = "DER figure 6: torque transducer, the energies of two bodies and the cord between them",
    .source = "DER figure 6",
    .run = run,
    .tables =
        LAB_TABLES({"", .columns = "case,time [s],massive,light,cord,not twist,total,drift,momentum drift"}),
    .panels = LAB_PANELS(
        {.title = "a slightly bowed cord, spun at 36 rad/s",
         .y = "energy / total at the start",
         .set = SET,
         .curves = LAB_CURVES(
             PART("bowed cord by Verlet and projection", "massive", "lines lw 2 lc rgb '#2171b5'",
                  "massive body"),
             PART("bowed cord by Verlet and projection", "light", "lines lw 2 lc rgb '#cb181d'",
                  "light body"),
             PART("bowed cord by Verlet and projection", "cord", "lines lw 2 lc rgb '#238b45'", "cord"),
             PART("bowed cord by Verlet and projection", "not twist", "lines lw 2 dt 3 lc rgb '#74c476'",
                  "cord, but for twist"),
             PART("bowed cord by Verlet and projection", "total", "lines lw 2 lc rgb 'black'", "total"))},
        {.title = "a straight cord, spun at 6 rad/s",
         .x = "time [s]",
         .y = "energy / total at the start",
         .set = SET,
         .curves = LAB_CURVES(
             SOME("massive", "points pt 6 ps 0.7 lc rgb '#2171b5'", "massive body"),
             SOME("light", "points pt 6 ps 0.7 lc rgb '#cb181d'", "light body"),
             SOME("cord", "points pt 6 ps 0.7 lc rgb '#238b45'", "cord"),
             PART("straight cord by Verlet and projection", "total", "lines lw 2 lc rgb 'black'", "total"),
             PART("theory", "massive", "lines lc rgb '#2171b5'", "theory"),
             PART("theory", "light", "lines lc rgb '#cb181d'", NULL),
             PART("theory", "cord", "lines lc rgb '#238b45'", NULL))}),
    .layout = "2,1",
};
