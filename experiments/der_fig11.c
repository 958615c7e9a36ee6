// DER, figure 11: Wilberforce's pendulum. A body hangs from a helical spring; let go above its place of rest,
// it goes up and down, then turns to and fro instead, then goes up and down again.
#include "lab.h"

#include <cordage/solve.h>

#include <math.h>

static const double gravity = 9.81;
// of the spring, as in the scene
static const double rest_radius = 0.03, rest_pitch = 0.015, rest_turns = 4.0;
static const double lift = 0.02; // [m]

// forces and torques of the spring by how far its end has gone along the axis and turned about it
typedef struct Matrix {
    double zz, zphi, phiphi; // [N/m], [N], [N m]
} Matrix;

typedef struct Spring {
    double EI, GJ, length, mass;
    double kappa, tau; // at rest
} Spring;

typedef struct Bob {
    CordBodyId id;
    double mass, inertia; // about the vertical
} Bob;

typedef struct Rig {
    Lab* lab;
    CordWorld* world;
    Spring spring;
    Bob bob;
    CordVec3 place; // hung
    double phi, energy;
    Matrix hung, unloaded;
} Rig;

typedef struct Beat {
    double f1, f2; // of the two vibrations that beat [Hz]
    double period; // [s]
} Beat;

typedef struct Sample {
    double time, z, phi, aside;          // from the hung state [s], [m], [rad], [m]
    double vertical, twisting;           // energies [J]
    double total;                        // of everything, from the hung state on [J]
    double vertical_mean, twisting_mean; // over an oscillation
} Sample;

typedef struct Run {
    Sample* samples;
    int count;
} Run;

typedef struct Swing {
    double beat; // [s]
    // shares of the energy, half a beat on: in the twisting motion, and still in the vertical one
    double exchange, left;
    double drift; // largest change of the total, of the energy of the swing
    double aside; // [m]
} Swing;

// ---- the theory

// A helix of curvature kappa and torsion tau stays one as it is pulled and turned (docs/models/der.md). With
// s the sine of its pitch angle and w its angle about the axis by length: kappa = w sqrt(1 - s^2), tau = w s,
// and its end is at z = length s, phi = length w.

// Where no torque acts on its end.
static double turning(const Spring* p, double s)
{
    double c = sqrt(1.0 - s * s);
    return (p->EI * p->kappa * c + p->GJ * p->tau * s) / (p->EI * c * c + p->GJ * s * s);
}

static double pull(const Spring* p, double s)
{
    double c = sqrt(1.0 - s * s), w = turning(p, s);
    return w * (p->GJ * (w * s - p->tau) - p->EI * (w * c - p->kappa) * s / c);
}

static double rest_slope(const Spring* p)
{
    return p->tau / hypot(p->tau, p->kappa);
}

static double hung_slope(const Spring* p, double force)
{
    double low = rest_slope(p), high = 0.99;
    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);
        *(pull(p, mid) < force ? &low : &high) = mid;
    }
    return low;
}

// Second derivatives of its energy, length (EI (kappa - rest kappa)^2 + GJ (tau - rest tau)^2) / 2.
static Matrix helix_matrix(const Spring* p, double s)
{
    double c = sqrt(1.0 - s * s), w = turning(p, s), EI = p->EI, GJ = p->GJ;
    return (Matrix){
        .zz = (EI * w * w * s * s / (c * c) - EI * w * (w * c - p->kappa) / (c * c * c) + GJ * w * w) /
              p->length,
        .zphi = (GJ * (2.0 * w * s - p->tau) - EI * s * (2.0 * w - p->kappa / c)) / p->length,
        .phiphi = (EI * c * c + GJ * s * s) / p->length,
    };
}

// Drawn out so far, vertical motion and twist do not feel each other.
static double uncoupled_slope(const Spring* p)
{
    double low = rest_slope(p), high = 0.5;
    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);
        *(helix_matrix(p, mid).zphi < 0.0 ? &low : &high) = mid;
    }
    return low;
}

// A third of the spring counts: it moves the more, the nearer it is to the body.
static double moving_mass(const Rig* r)
{
    return r->bob.mass + r->spring.mass / 3.0;
}

static double moving_inertia(const Rig* r)
{
    return r->bob.inertia + r->spring.mass * rest_radius * rest_radius / 3.0;
}

static Beat beat_of(const Rig* r, const Matrix* k)
{
    double M = moving_mass(r), I = moving_inertia(r);
    double mean = 0.5 * (k->zz / M + k->phiphi / I), half = 0.5 * (k->zz / M - k->phiphi / I);
    double split = sqrt(half * half + k->zphi * k->zphi / (M * I));
    double f1 = sqrt(mean - split) / (2.0 * CORD_PI), f2 = sqrt(mean + split) / (2.0 * CORD_PI);
    return (Beat){f1, f2, 1.0 / (f2 - f1)};
}

// ---- the pendulum

static double angle_of(CordQuat q) // about z, of a body that hardly leans
{
    return 2.0 * atan2(q.z, q.w);
}

// At rest with a force and a torque on the body, along and about the vertical.
static void solve_pushed(Rig* r, double force, double torque, CordVec3* place, double* phi)
{
    CordLoadDef push = cord_load_def_default(), twist = cord_load_def_default();
    push.kind = CORD_LOAD_FORCE, push.body = r->bob.id, push.force = (CordVec3){0, 0, force};
    twist.kind = CORD_LOAD_TORQUE, twist.body = r->bob.id, twist.torque = (CordVec3){0, 0, torque};
    CordQuat turn;
    CordLoadId loads[2] = {lab_load(r->lab, r->world, &push), lab_load(r->lab, r->world, &twist)};
    lab_solve(r->lab, r->world);
    lab_ok(r->lab, r->world, cord_load_destroy(r->world, loads[0]));
    lab_ok(r->lab, r->world, cord_load_destroy(r->world, loads[1]));
    lab_ok(r->lab, r->world, cord_body_pose(r->world, r->bob.id, place, &turn));
    *phi = angle_of(turn);
}

// The rod's own stiffness, by what small pushes do to it; everything else is free to give way. `force` acts
// all the while.
static Matrix measure_matrix(Rig* r, double force)
{
    const double small[2] = {1e-3 * r->bob.mass * gravity, 1e-5 * r->bob.mass * gravity};
    double give[2][2];
    for (int i = 0; i < 2; i++) {
        CordVec3 place[2];
        double phi[2];
        for (int side = 0; side < 2; side++) {
            double by = side ? small[i] : -small[i];
            solve_pushed(r, force + (i ? 0.0 : by), i ? by : 0.0, &place[side], &phi[side]);
        }
        give[0][i] = (place[1].z - place[0].z) / (2.0 * small[i]);
        give[1][i] = (phi[1] - phi[0]) / (2.0 * small[i]);
    }
    // z goes down as the spring is drawn out, and its right-handed turns are wound on by a turn about -z: the
    // coupling keeps its sign.
    double det = give[0][0] * give[1][1] - give[0][1] * give[1][0];
    return (Matrix){give[1][1] / det, -0.5 * (give[0][1] + give[1][0]) / det, give[0][0] / det};
}

// The body's own numbers, by what momentum it has when it moves and turns.
static void weigh(Rig* r)
{
    CordVec3 v, spin, up = {0, 0, 1};
    r->bob.id = cord_world_body(r->world, 0);
    lab_ok(r->lab, r->world, cord_body_set_velocity(r->world, r->bob.id, up, up));
    CordMomentum p = cord_body_momentum(r->world, r->bob.id);
    cord_body_velocity(r->world, r->bob.id, &v, &spin);
    r->bob.mass = p.linear.z / v.z;
    r->bob.inertia = p.angular.z / spin.z;
    CordRodId rod = cord_world_rod(r->world, 0);
    CordStiffness stiffness = cord_rod_stiffness(r->world, rod);
    double turn = hypot(2.0 * CORD_PI * rest_radius, rest_pitch), rate = 2.0 * CORD_PI / turn;
    r->spring = (Spring){.EI = stiffness.EI1,
                         .GJ = stiffness.GJ,
                         .length = rest_turns * turn,
                         .mass = cord_rod_mass(r->world, rod),
                         .kappa = rate * 2.0 * CORD_PI * rest_radius / turn,
                         .tau = rate * rest_pitch / turn};
}

static double total_energy(const Rig* r)
{
    CordEnergy rod = cord_rod_energy(r->world, cord_world_rod(r->world, 0));
    CordEnergy body = cord_body_energy(r->world, r->bob.id);
    return rod.kinetic + rod.bend + rod.twist + rod.stretch + rod.gravity + body.kinetic + body.gravity;
}

static double hanging(const Rig* r) // on the middle of the spring [N]
{
    return (r->bob.mass + 0.5 * r->spring.mass) * gravity;
}

static Rig rig_make(Lab* lab, const char* integrator, int elements)
{
    Rig r = {.lab = lab};
    r.world = lab_world(lab, "der/fig11", "rods[spring].elements=%d; rods[spring].integrator=%s", elements,
                        integrator);
    weigh(&r);
    lab_solve(lab, r.world);
    r.unloaded = measure_matrix(&r, hanging(&r));
    r.hung = measure_matrix(&r, 0.0);
    solve_pushed(&r, 0.0, 0.0, &r.place, &r.phi);
    r.energy = total_energy(&r);
    return r;
}

// The two vibrations of the rod and the body nearest to those of the matrix. The others swing and lean to the
// side, or are the spring's own.
static Beat measure_modes(Rig* r, Beat near)
{
    enum { MODES = 8 };
    double omega2[MODES], f[2] = {INFINITY, INFINITY}, wanted[2] = {near.f1, near.f2};
    lab_ok(r->lab, r->world, cord_world_modes(r->world, MODES, omega2, NULL));
    for (int i = 0; i < MODES; i++) {
        double frequency = sqrt(fmax(omega2[i], 0.0)) / (2.0 * CORD_PI);
        for (int k = 0; k < 2; k++) {
            f[k] = fabs(frequency - wanted[k]) < fabs(f[k] - wanted[k]) ? frequency : f[k];
        }
    }
    return (Beat){f[0], f[1], 1.0 / (f[1] - f[0])};
}

// ---- the swing

// Each motion has the energy that it would have if the other were held: what is left, the energy of the
// coupling, comes and goes within an oscillation.
static Sample sample(const Rig* r)
{
    CordVec3 at, v, spin;
    CordQuat turn;
    cord_body_pose(r->world, r->bob.id, &at, &turn);
    cord_body_velocity(r->world, r->bob.id, &v, &spin);
    double z = at.z - r->place.z, phi = angle_of(turn) - r->phi;
    return (Sample){
        .time = cord_world_time(r->world),
        .z = z,
        .phi = phi,
        .aside = hypot(at.x - r->place.x, at.y - r->place.y),
        .vertical = 0.5 * (moving_mass(r) * v.z * v.z + r->hung.zz * z * z),
        .twisting = 0.5 * (moving_inertia(r) * spin.z * spin.z + r->hung.phiphi * phi * phi),
        .total = total_energy(r) - r->energy,
    };
}

// From the body held above its place of rest, not turned. Two beats, and an oscillation for the means.
static Run swing(Rig* r, const Beat* beat, double step)
{
    double end = 2.0 * beat->period + 2.0 / (beat->f1 + beat->f2), phi;
    CordVec3 place;
    int steps = (int)ceil(end / step), stride = steps / 8000 + 1;
    Run run = {.samples = lab_room(r->lab, (size_t)(steps / stride + 1), sizeof *run.samples)};
    solve_pushed(r, r->hung.zz * lift, r->hung.zphi * lift, &place, &phi);
    run.samples[run.count++] = sample(r);
    for (int i = 1; i <= steps; i++) {
        lab_steps(r->lab, r->world, step, 1);
        if (i % stride == 0) {
            run.samples[run.count++] = sample(r);
        }
    }
    return run;
}

static void take_means(Run* run, const Beat* beat)
{
    double rate = (run->count - 1) / (run->samples[run->count - 1].time - run->samples[0].time);
    int half = (int)nearbyint(rate / (beat->f1 + beat->f2));
    for (int i = 0; i < run->count; i++) {
        int reach = i < half ? i : i > run->count - 1 - half ? run->count - 1 - i : half, n = 2 * reach + 1;
        Sample* at = &run->samples[i];
        for (int k = i - reach; k <= i + reach; k++) {
            at->vertical_mean += run->samples[k].vertical / n;
            at->twisting_mean += run->samples[k].twisting / n;
        }
    }
}

static double share(const Sample* s) // of the vertical motion
{
    return s->vertical_mean / (s->vertical_mean + s->twisting_mean);
}

// The energy is shared evenly a quarter, three quarters, five and seven quarters of a beat from the start.
static double measured_beat(const Run* run)
{
    double even[4] = {NAN, NAN, NAN, NAN};
    int count = 0;
    for (int i = 1; i < run->count && count < 4; i++) {
        double a = share(&run->samples[i - 1]) - 0.5, b = share(&run->samples[i]) - 0.5;
        if ((count % 2 == 0) == (a > 0.0) && (a > 0.0) != (b > 0.0)) {
            double t = run->samples[i - 1].time;
            even[count++] = t + (run->samples[i].time - t) * a / (a - b);
        }
    }
    return 0.5 * (even[2] - even[0] + even[3] - even[1]);
}

static Swing measure_swing(const Run* run, const Beat* beat)
{
    Swing found = {.beat = measured_beat(run), .left = 1.0};
    double start = run->samples[0].total;
    for (int i = 0; i < run->count; i++) {
        const Sample* s = &run->samples[i];
        if (s->time < beat->period) {
            found.left = fmin(found.left, s->vertical_mean / start);
            found.exchange = fmax(found.exchange, s->twisting_mean / start);
        }
        found.aside = fmax(found.aside, s->aside);
        found.drift = fmax(found.drift, fabs(s->total - start) / start);
    }
    return found;
}

// ---- the experiment

// Drawn out, the spring's coupling changes its sign: it must hang well beyond.
static void judge_coupling(Lab* lab, const Rig* r)
{
    const Spring* p = &r->spring;
    double rest = rest_slope(p), none = uncoupled_slope(p), hung = hung_slope(p, hanging(r));
    lab_say(lab,
            "coupling of the helix: %.5f N at rest, %.1f mm high; none at %.1f mm; %.5f N hung, at "
            "%.1f mm",
            helix_matrix(p, rest).zphi, 1e3 * p->length * rest, 1e3 * p->length * none,
            helix_matrix(p, hung).zphi, 1e3 * p->length * hung);
    lab_below(lab, "coupling of the rod with the body's weight taken off it [N]", r->unloaded.zphi, 0,
              "the helix's sign");
    lab_above(lab, "coupling of the rod as it hangs [N]", r->hung.zphi, 0, "the helix's sign");
}

static void judge_swing(Lab* lab, const Swing* w, const Beat* theory, const Beat* modes)
{
    lab_near(lab, "beat seen [s]", w->beat, theory->period, 0.10, "the helix, closed form");
    lab_near(lab, "beat seen [s]", w->beat, modes->period, 0.01, "the vibrations of rod and body");
    lab_above(lab, "exchange: share of the energy that goes over to twist", w->exchange, 0.85, NULL);
    lab_below(lab, "exchange: share that stays vertical", w->left, 0.15, NULL);
    lab_below(lab, "total energy over two beats: changes, over the swing's, by", w->drift, 0.005,
              "it is kept");
    lab_say(lab, "  the body goes %.0f mm up and down, and %.1f mm aside at the most", 1e3 * lift,
            1e3 * w->aside);
}

static void write_run(Lab* lab, const Run* run)
{
    for (int i = 0; i < run->count; i++) {
        const Sample* s = &run->samples[i];
        double percent = 100.0 / run->samples[0].total;
        lab_row(lab, "", NULL, s->time, 1e3 * s->z, s->phi * 180.0 / CORD_PI, 1e3 * s->aside,
                percent * s->vertical_mean, percent * s->twisting_mean, percent * s->total);
    }
}

// One way of stepping: the beat of the linear theory, of the rod's own stiffness and vibrations, and the one
// seen. step 0: as long as is stable.
static void compare(Lab* lab, const char* integrator, int elements, double step, bool kept)
{
    Rig r = rig_make(lab, integrator, elements);
    Matrix helix = helix_matrix(&r.spring, hung_slope(&r.spring, hanging(&r)));
    Beat theory = beat_of(&r, &helix), matrix = beat_of(&r, &r.hung), modes = measure_modes(&r, matrix);
    step = step > 0.0 ? step : 0.8 * cord_world_step_advice(r.world).step;
    lab_say(lab, "%s steps of %.2g ms, %d elements", integrator, 1e3 * step, elements);
    lab_row(lab, "beats", "helix (closed form)", helix.zz, helix.zphi, helix.phiphi, theory.f1, theory.f2,
            theory.period);
    lab_row(lab, "beats", "rod (its own stiffness)", r.hung.zz, r.hung.zphi, r.hung.phiphi, matrix.f1,
            matrix.f2, matrix.period);
    lab_row(lab, "beats", "rod and body (vibrations)", NAN, NAN, NAN, modes.f1, modes.f2, modes.period);
    Run run = swing(&r, &modes, step);
    take_means(&run, &modes);
    Swing w = measure_swing(&run, &modes);
    judge_swing(lab, &w, &theory, &modes);
    judge_coupling(lab, &r);
    if (kept) {
        write_run(lab, &run);
    }
}

// The beat of finer rods, from their vibrations.
static void converge(Lab* lab)
{
    double beat[3];
    for (int i = 0; i < 3; i++) {
        Rig r = rig_make(lab, "implicit", 96 << i);
        beat[i] = measure_modes(&r, beat_of(&r, &r.hung)).period;
    }
    const double steps[2] = {beat[1] - beat[0], beat[2] - beat[1]};
    lab_say(lab, "beat of 96, 192, 384 elements: %.4f, %.4f, %.4f s; extrapolated %.3f s", beat[0], beat[1],
            beat[2], beat[2] + steps[1] / 3.0);
    lab_order(lab, "beat", steps, 2, 1.8, 2.2, "second order, still settling");
}

static void run(Lab* lab)
{
    compare(lab, "implicit", 96, 0.001, true); // as the scene is
    compare(lab, "verlet", 60, 0.0, false);    // by explicit steps, so short that a coarser rod must do
    converge(lab);
}

#define ENERGY(column, color, name) LAB_CURVE("", NULL, "time", column, "lines lw 2 lc rgb '" color "'", name)

const Experiment experiment_der_fig11 = {
    .id = "der-fig11",
    .about = "DER figure 11: Wilberforce's pendulum, and its beat",
    .source = "DER figure 11",
    .run = run,
    .tables = LAB_TABLES(
        {"", .columns = "time [s],height [mm],angle [deg],aside [mm],vertical [%],twisting [%],total [%]"},
        {"beats", .columns = "of,zz [N/m],zphi [N],phi [N m],f1 [Hz],f2 [Hz],beat [s]", .shown = true}),
    .panels = LAB_PANELS(
        {.y = "height [mm]",
         .right = "angle [deg]",
         .set = "set lmargin 10\nset rmargin 10\nset xrange [0:*]\nset key top center horizontal\n"
                "set yrange [-30:30]\nset y2range [-60:60]",
         .curves =
             LAB_CURVES(LAB_CURVE("", NULL, "time", "height", "lines lw 1.5 lc rgb '#c0392b'", "height"),
                        {"", .x = "time", .y = "angle", .with = "lines lw 1.5 lc rgb '#2455a4'",
                         .title = "angle", .right = true})},
        {.x = "time [s]",
         .y = "energy [% of the start]",
         .set = "set lmargin 10\nset rmargin 10\nset xrange [0:*]\nset key top center horizontal\nset yrange "
                "[0:125]",
         .curves = LAB_CURVES(ENERGY("vertical", "#c0392b", "vertical"),
                              ENERGY("twisting", "#2455a4", "twisting"), ENERGY("total", "black", "total"))}),
    .layout = "2,1",
};
