// DER, figure 6: torque transducer. Two bodies, one massive and one light, joined by a cord, float without gravity; the massive one spins. Its
// energy goes over to the light one by way of the cord, and comes back. With a straight cord they are a torsional oscillator.
#include "reproduce.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
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
                   .twist = 2.0 * pi * cord_rod_twist(world, cord)};
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

// Steps of `step`, or, if that is 0, of 0.8 of the longest that is stable; in either case a whole number of them to a sample.
static bool run(const char* const* settings, int setting_count, double step, Run* r)
{
    CordWorld* world = reproduce_scene("der/fig6", settings, setting_count);
    if (!world) {
        return false;
    }
    int count = (int)ceil(sample / (step > 0.0 ? step : 0.8 * cord_world_step_advice(world).step) - 1e-9);
    bool good = true;
    r->GJ = cord_rod_stiffness(world, cord_world_rod(world, 0)).GJ;
    r->step = sample / count;
    r->at[0] = parts(world);
    for (int k = 1; k <= SAMPLES && good; k++) {
        good = cord_world_step_many(world, r->step, count) == CORD_OK;
        r->at[k] = parts(world);
    }
    if (!good) {
        fprintf(stderr, "%s\n", cord_world_message(world));
    }
    CordStepTimes t = cord_world_step_times(world);
    r->ms = 1e3 * (t.forces + t.lengths + t.frames + t.bodies + t.implicit) / (SAMPLES * count);
    cord_world_destroy(world);
    return good;
}

static double drift(const Run* r) // of the whole energy
{
    double most = 0.0;
    for (int k = 0; k <= SAMPLES; k++) {
        most = fmax(most, fabs(total(r->at[k]) / total(r->at[0]) - 1.0));
    }
    return most;
}

static double momentum_drift(const Run* r)
{
    double most = 0.0;
    for (int k = 0; k <= SAMPLES; k++) {
        most = fmax(most, fabs(r->at[k].momentum / r->at[0].momentum - 1.0));
    }
    return most;
}

static double difference(Parts a, Parts b)
{
    return fmax(fmax(fabs(a.massive - b.massive), fabs(a.light - b.light)), fabs(a.cord - b.cord));
}

static void keep(const Run* r, const char* name, FILE* csv)
{
    double energy = total(r->at[0]);
    for (int k = 0; k <= SAMPLES; k++) {
        Parts p = r->at[k];
        fprintf(csv, "%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.12g\n", name, k * sample, p.massive / energy,
                p.light / energy, p.cord / energy, p.bend / energy, total(p) / energy);
    }
}

// ---- the straight cord

static double frequency(double GJ) // [rad/s]
{
    return sqrt(GJ / length * (1.0 / inertia1 + 1.0 / inertia2));
}

// The spins are those of the common turning and of a vibration about it, in which neither body has more angular momentum than the other.
static Parts theory(double GJ, double energy, double time)
{
    double c = cos(frequency(GJ) * time), sum = inertia1 + inertia2;
    double spin1 = (inertia1 + inertia2 * c) / sum, spin2 = inertia1 * (1.0 - c) / sum; // 1: the massive one's first
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

// From the first and the last time that the twist passes zero on its way up; between samples it is straight there, as a sine is.
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
    return 2.0 * pi * count / (last - first);
}

// ---- verdicts

static bool verdict(bool pass)
{
    printf(": %s\n", pass ? "pass" : "FAIL");
    return pass;
}

static bool judge_kept(const char* name, const Run* r)
{
    printf("%s, steps of %.3g ms, %.3f ms each\n", name, 1e3 * r->step, r->ms);
    printf("  angular momentum about the axis changes by %.1e of itself, should be below 1e-9", momentum_drift(r));
    bool pass = verdict(momentum_drift(r) < 1e-9);
    printf("  total energy changes by %.1e of itself over %g s, should be below 0.01", drift(r), SAMPLES * sample);
    pass &= verdict(drift(r) < 0.01);
    return pass;
}

static bool judge_exchange(const Run* r)
{
    double massive = 1.0, light = 0.0, cord = 0.0, bend = 0.0, energy = total(r->at[0]);
    for (int k = 0; k <= SAMPLES; k++) {
        massive = fmin(massive, r->at[k].massive / energy);
        light = fmax(light, r->at[k].light / energy);
        cord = fmax(cord, r->at[k].cord / energy);
        bend = fmax(bend, r->at[k].bend / energy);
    }
    // A straight cord would leave 0.36 to the massive body and bring 0.64 to the light one; 0.2 is the most it can hold.
    printf("  of the energy the massive body keeps %.3f at the least, the light one has up to %.3f, the cord up to %.3f, of which not twist "
           "%.3f; should be below 0.4, above 0.6, above 0.15",
           massive, light, cord, bend);
    return verdict(massive < 0.4 && light > 0.6 && cord > 0.15);
}

static bool measure_bowed(FILE* csv)
{
    static const char* const implicit[] = {"rods[cord].integrator=implicit"};
    static Run verlet, midpoint;
    if (!run(NULL, 0, 0.0, &verlet) || !run(implicit, 1, 0.005, &midpoint)) {
        return false;
    }
    keep(&verlet, "bowed", csv);
    bool pass = judge_kept("the scene, Verlet and projection", &verlet);
    pass &= judge_exchange(&verlet);
    pass &= judge_kept("the scene, midpoint rule", &midpoint);
    // Later the cord coils up, and what the two differ by grows as any small disturbance does.
    double most = 0.0, uncoiled = 15.0;
    for (int k = 0; k * sample <= uncoiled; k++) {
        most = fmax(most, difference(verlet.at[k], midpoint.at[k]) / total(verlet.at[0]));
    }
    printf("  up to %g s the two differ by %.1e of the energy in a part, should be below 0.01", uncoiled, most);
    pass &= verdict(most < 0.01);
    return pass;
}

static bool measure_straight(FILE* csv, double* omega)
{
    // At most a turn of twist, so that the cord stays straight.
    static const char* const settings[] = {"rods[cord].shape={\"line\":{\"from\":[0,0,0],\"to\":[2,0,0]}}",
                                           "bodies[massive].spin=[6,0,0]", "rods[cord].integrator=implicit"};
    static Run verlet, midpoint;
    if (!run(settings, 2, 0.0, &verlet)) {
        return false;
    }
    keep(&verlet, "straight", csv);
    bool pass = judge_kept("a straight cord, Verlet and projection", &verlet);
    double found = measured_frequency(&verlet), exact = *omega = frequency(verlet.GJ);
    printf("  frequency %.8f rad/s, theory sqrt(GJ/L (1/I1 + 1/I2)) = %.8f, error %.1e, should be below 1e-6",
           found, exact, found / exact - 1.0);
    pass &= verdict(fabs(found / exact - 1.0) < 1e-6); // (omega h)^2 / 24 is 1e-8, and so is the error of interpolation
    printf("  parts of the energy: from theory by up to %.1e of the whole, should be below 1e-5",
           theory_error(&verlet));
    pass &= verdict(theory_error(&verlet) < 1e-5);
    double error[3];
    for (int k = 0; k < 3; k++) {
        error[k] = run(settings, 3, sample / (1 << k), &midpoint) ? theory_error(&midpoint) : NAN;
    }
    double order = log2(error[1] / error[2]);
    printf("a straight cord, midpoint rule\n  parts of the energy: from theory by %.2e, %.2e and %.2e at steps of %g, %g and %g ms; order "
           "%.3f, should be 2 within 0.05",
           error[0], error[1], error[2], 1e3 * sample, 5e2 * sample, 2.5e2 * sample, order);
    pass &= verdict(fabs(order - 2.0) < 0.05);
    pass &= judge_kept("the last of these", &midpoint);
    return pass;
}

// ---- plots

static void plot_parts(FILE* script, const char* name, int every)
{
    static const char* const titles[] = {"massive body", "light body", "cord"};
    static const char* const colors[] = {"#2171b5", "#cb181d", "#238b45"};
    for (int i = 0; i < 3; i++) {
        fprintf(script,
                "%s'der-fig6.csv' using (strcol(1) eq '%s' ? $2 : 1/0):%d every %d with %s lc rgb '%s' title '%s'",
                i ? ", " : "", name, i + 3, every, every > 1 ? "points pt 6 ps 0.7" : "lines lw 2", colors[i],
                titles[i]);
    }
}

static void plot(const char* directory, double omega)
{
    ReproducePlot p = {.directory = directory, .name = "der-fig6"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set encoding utf8\nset datafile separator ','\nset multiplot layout 2,1\nset xrange [0:20]\nset yrange [0:1.08]\n"
            "set ylabel 'energy / total at the start'\nset key outside right\nset rmargin 28\nset samples 1000\n"
            "set title 'a slightly bowed cord, spun at 36 rad/s'\nplot ");
    plot_parts(script, "bowed", 1);
    fprintf(script,
            ", '' using (strcol(1) eq 'bowed' ? $2 : 1/0):6 with lines lw 2 dt 3 lc rgb '#74c476' title 'cord, but for twist', "
            "'' using (strcol(1) eq 'bowed' ? $2 : 1/0):7 with lines lw 2 lc rgb 'black' title 'total'\n");
    fprintf(script,
            "set title 'a straight cord, spun at 6 rad/s'\nset xlabel 'time [s]'\n"
            "c(t) = cos(%.12g*t)\nm(t) = (0.8 + 0.2*c(t))**2\nl(t) = 0.16*(1 - c(t))**2\nplot ",
            omega);
    plot_parts(script, "straight", 20);
    fprintf(script, ", '' using (strcol(1) eq 'straight' ? $2 : 1/0):7 with lines lw 2 lc rgb 'black' title 'total', "
                    "m(x) with lines lc rgb '#2171b5' title 'theory', l(x) with lines lc rgb '#cb181d' notitle, "
                    "1 - m(x) - l(x) with lines lc rgb '#238b45' notitle\nunset multiplot\n");
    reproduce_plot_close(&p, script);
}

bool der_fig6_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "der-fig6.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "case,time,massive,light,cord,cord_not_twist,total\n");
    double omega = 0.0;
    bool bowed = measure_bowed(csv), line = measure_straight(csv, &omega);
    fclose(csv);
    printf("der-fig6: %s\n", bowed && line ? "pass" : "FAIL");
    fflush(stdout);
    plot(directory, omega);
    return bowed && line;
}
