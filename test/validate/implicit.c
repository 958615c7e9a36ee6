// Implicit dynamics against closed forms and fine references: long steps, damping, torsion.
#include "rods.h"

#include <stdlib.h>

// ---- a swing at a tenth of a period per step

// A stiff rod hinged at one end, swinging under its weight: EI / (mu g L^3) = 50, so that it bends by 1e-3 of
// its length, and its bending vibrations, 15 times as fast as the swing and more, are beyond what a tenth of
// the swing's period resolves. Midpoint has no numerical damping: the amplitude, measured as the greatest
// height over each five periods, stays.
static double amplitude_lost(bool inextensible, CordIntegrator integrator)
{
    enum { N = 20, PERIODS = 50 };
    const double angle = 0.5;
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(N);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 500.0, def.stiffness.EA = 1e6;
    def.inextensible = inextensible, def.integrator = integrator;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){sin(angle), 0, -cos(angle)}, N + 1);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    double period = 2 * pi * sqrt(2.0 / (3.0 * 9.81)) * (1 + angle * angle / 16),
           h = 0.1 * period; // of a thin rod about its end
    double first = 0.0, last = 0.0, height = -INFINITY;
    for (int n = 1; n <= 10 * PERIODS; n++) {
        run_many(world, h, 1);
        height = fmax(height, total_energy(world, rod) - cord_rod_energy(world, rod).kinetic);
        if (n % 50 == 0) {
            first = n == 50 ? height : first;
            last = height;
            height = -INFINITY;
        }
    }
    CHECK_INT(cord_world_retries(world), 0);
    cord_world_destroy(world);
    double lowest = -0.5 * 9.81; // of the centre of mass; the height goes with the square of the amplitude
    return 1.0 - sqrt(fmax(0.0, last - lowest) / (first - lowest));
}

VALIDATE(a_swing_keeps_its_amplitude, .source = "no loss in 50 periods of ten steps", .tolerance = 1e-2)
{
    return amplitude_lost(false, CORD_INTEGRATOR_MIDPOINT);
}

VALIDATE(an_inextensible_swing_keeps_its_amplitude, .source = "no loss in 50 periods of ten steps",
         .tolerance = 1e-2)
{
    return amplitude_lost(true, CORD_INTEGRATOR_MIDPOINT);
}

// Backward Euler, in contrast, has lost most of it: that is what it is for.
TEST(backward_euler_damps_what_it_does_not_resolve)
{
    CHECK(amplitude_lost(false, CORD_INTEGRATOR_BACKWARD_EULER) > 0.5);
}

// ---- a stiff wire

// A metre of steel wire, 1 mm thick, in 200 elements, clamped at one end and let go from the horizontal.
static CordWorld* wire_world(CordIntegrator integrator, CordRodId* rod)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.material.young = 2e11, def.material.poisson = 0.3, def.material.density = 7850.0;
    def.section = cord_section_disc(0.0005);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 201);
    def.half_edge_start = true, def.integrator = integrator;
    *rod = add_held(world, &def);
    return world;
}

static CordVec3 wire_tip(double h, double end, CordIntegrator integrator)
{
    CordRodId rod;
    CordWorld* world = wire_world(integrator, &rod);
    run_many(world, h, (int)(end / h + 0.5));
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

static double wire_limit(void) // longest stable explicit step
{
    CordRodId rod;
    CordWorld* world = wire_world(CORD_INTEGRATOR_VERLET, &rod);
    double step = cord_world_step_advice(world).step;
    cord_world_destroy(world);
    return step;
}

// The explicit step is a microsecond: sound over 5 mm. A thousand times that is stable and good to 1e-3 of
// how far the tip has gone, with the same rod at a twentieth of that step as the truth; the slowest vibration
// has a period of 1.5 s, that whose shape is still there when the clamp jerks the rod has some 10 ms.
VALIDATE(steel_wire_in_steps_a_thousand_times_the_explicit_limit,
         .source = "the same in steps a twentieth as long", .tolerance = 5e-3)
{
    double limit = wire_limit(), h = 1e-3;
    print_message("    explicit limit %.3g s, step %.3g s\n", limit, h);
    CHECK(limit < 1e-5 && h > 100 * limit);
    CordVec3 tip = wire_tip(h, 0.2, CORD_INTEGRATOR_MIDPOINT),
             truth = wire_tip(h / 20, 0.2, CORD_INTEGRATOR_MIDPOINT);
    return size_of(minus(tip, truth)) / fabs(truth.z);
}

TEST(steel_wire_stays_stable_with_either_integrator)
{
    for (int integrator = CORD_INTEGRATOR_MIDPOINT; integrator <= CORD_INTEGRATOR_BACKWARD_EULER;
         integrator++) {
        // 2000 steps, two thousand times the limit
        CordVec3 tip = wire_tip(2e-3, 4.0, (CordIntegrator)integrator);
        CHECK(size_of(tip) < 1.0 + 1e-3 && tip.x > 0.0);
    }
}

// ---- damping

// The logarithmic decrement of a cantilever's first bending, let go with a velocity of its mode's shape: 2 pi
// ratio / sqrt(1 - ratio^2) per period.
static double measured_ratio(CordIntegrator integrator, double ratio, double step)
{
    enum { N = 20, PERIODS = 6 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(N);
    def.half_edge_start = true, def.integrator = integrator;
    def.damping_time = cord_damping_time(ratio, first_bending / (2 * pi));
    CordRodId rod = add_held(world, &def);
    throw_in_first_shape(world, rod, 2, 1e-3);
    double h = step > 0 ? step : 0.5 * cord_world_step_advice(world).step, peaks[2 * PERIODS + 1], a = 0.0,
           b = 0.0;
    for (int found = 0; found <= 2 * PERIODS;) { // peaks by a parabola through three points
        run_many(world, h, 1);
        double c = tip_of(world, rod).z;
        if (fabs(b) > fabs(a) && fabs(b) >= fabs(c) && b != 0.0) {
            peaks[found++] = fabs(b - (c - a) * (c - a) / (8 * (a - 2 * b + c)));
        }
        a = b, b = c;
    }
    cord_world_destroy(world);
    double decrement = log(peaks[2] / peaks[2 * PERIODS]) / (PERIODS - 1);
    return decrement / sqrt(4 * pi * pi + decrement * decrement);
}

TEST(damping_is_what_is_asked_for)
{
    static const struct {
        CordIntegrator integrator;
        double ratio, step; // 0: as an explicit one must be [s]
        double tolerance;
    } cases[] = {{CORD_INTEGRATOR_VERLET, 0.03, 0.0, 0.02},
                 {CORD_INTEGRATOR_MIDPOINT, 0.03, 0.02, 0.02}, // 90 steps a period
                 {CORD_INTEGRATOR_MIDPOINT, 0.1, 0.02, 0.03}};
    for (int i = 0; i < 3; i++) {
        double found = measured_ratio(cases[i].integrator, cases[i].ratio, cases[i].step);
        print_message("    ratio %g: off by %.2g\n", cases[i].ratio, found / cases[i].ratio - 1.0);
        CHECK_NEAR(found / cases[i].ratio, 1.0, cases[i].tolerance);
    }
}

// A rod that turns as a whole is not damped: flat, curved, damped by a second. What stretch its turning makes
// dies out at first (here: none, it is inextensible and stiff), then energy stays.
static double spin_lost(CordIntegrator integrator, bool closed)
{
    enum { N = 20 };
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(N);
    def.shape = closed ? cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, N) : def.shape;
    def.closed = closed, def.integrator = integrator, def.damping_time = 0.01;
    def.stiffness.EI2 = 3.0;
    def.spin = (CordVec3){0, 0, 5}, def.velocity = (CordVec3){0.1, 0, 0};
    CordRodId rod = add_rod(world, &def);
    double h = integrator == CORD_INTEGRATOR_VERLET ? 0.5 * cord_world_step_advice(world).step : 1e-3;
    run_many(world, h, 1);
    double before = total_energy(world, rod);
    run_many(world, h, integrator == CORD_INTEGRATOR_VERLET ? 20000 : 2000);
    double after = total_energy(world, rod);
    cord_world_destroy(world);
    return after / before - 1.0;
}

TEST(damping_takes_nothing_from_a_rod_that_turns_as_a_whole)
{
    for (int closed = 0; closed < 2; closed++) {
        CHECK_NEAR(spin_lost(CORD_INTEGRATOR_VERLET, closed), 0.0, 1e-10);
        CHECK_NEAR(spin_lost(CORD_INTEGRATOR_MIDPOINT, closed), 0.0, 1e-10);
    }
}

// Out of its plane, too: a flat bent rod, stiff enough to stay as it is but for 1e-6 of its energy, tumbles
// by half a degree a step. In such a step the strains halfway in position differ from those at its ends, and
// must not be taken for a motion: that put in 1e-3.
static double tumble_gained(double damping_time)
{
    const CordVec3 through[3] = {{0, 0, 0}, {0.5, 0.2, 0.05}, {1, 0, 0.2}};
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(20);
    def.shape = cord_shape_spline(through, 3, 21), def.rest = CORD_REST_AS_SHAPED;
    def.stiffness.EI1 = def.stiffness.GJ = 1000.0, def.stiffness.EI2 = 3000.0, def.inextensible = true;
    def.m1 = (CordVec3){0, 1, 1}, def.spin = (CordVec3){2, 0.8, 0.4};
    def.integrator = CORD_INTEGRATOR_MIDPOINT, def.damping_time = damping_time;
    CordRodId rod = add_rod(world, &def);
    run_many(world, 4e-3, 500);
    double before = total_energy(world, rod);
    run_many(world, 4e-3, 500);
    double after = total_energy(world, rod);
    cord_world_destroy(world);
    return after / before - 1.0;
}

TEST(damping_neither_takes_nor_gives_as_a_rod_tumbles)
{
    CHECK_NEAR(tumble_gained(0.0), 0.0, 5e-6);
    CHECK_NEAR(tumble_gained(0.1), 0.0, 5e-6);
}

// A damped flat cantilever that falls while its clamp turns: its tip, and the axis of an edge near it, at t =
// 0.2 s. In pairs of steps, the first of which is `first` of the mean.
static void damped_swing(int steps, double first, bool dynamic_twist, double damping_time, CordVec3 tip[2])
{
    enum { N = 10 };
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(N);
    def.stiffness.mass_per_length = 0.1, def.stiffness.EA = 1e3, def.inextensible = false;
    def.stiffness.EI1 = def.stiffness.GJ = 0.01, def.stiffness.EI2 = 0.03, def.stiffness.spin_inertia = 1e-4;
    def.m1 = (CordVec3){0, 1, 1}, def.dynamic_twist = dynamic_twist;
    def.integrator = CORD_INTEGRATOR_MIDPOINT, def.damping_time = damping_time;
    CordRodId rod = add_rod(world, &def);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 2.0, 0, 0.4);
    CordClampDef start = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
    turn.ease = CORD_EASE_SMOOTH, start.motions = &turn, start.motion_count = 1;
    add_clamp(world, &start);
    for (int i = 0; i < steps; i++) {
        run_many(world, (i % 2 ? 2.0 - first : first) * 0.2 / steps, 1);
    }
    CordVec3 m1[N];
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    tip[0] = tip_of(world, rod), tip[1] = m1[N - 2];
    cord_world_destroy(world);
}

TEST(damping_leaves_the_midpoint_rule_at_second_order)
{
    for (int kind = 0; kind < 4; kind++) {
        bool dynamic = kind % 2;
        double first = kind / 2 ? 0.7 : 1.0;
        CordVec3 at[3][2], undamped[2][2];
        for (int i = 0; i < 3; i++) {
            damped_swing(160 << i, first, dynamic, 0.02, at[i]);
        }
        damped_swing(160, first, dynamic, 0.0, undamped[0]);
        damped_swing(320, first, dynamic, 0.0, undamped[1]);
        for (int k = 0; k < 2; k++) { // position, frame
            double coarse = size_of(minus(at[1][k], at[0][k])), fine = size_of(minus(at[2][k], at[1][k]));
            CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
            CHECK(coarse < size_of(minus(undamped[1][k], undamped[0][k])));
        }
    }
}

// ---- readings of damped rods

static const CordIntegrator integrators[4] = {CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_SYMPLECTIC_EULER,
                                              CORD_INTEGRATOR_MIDPOINT, CORD_INTEGRATOR_BACKWARD_EULER};

// A straight rod whose end is turned and pulled at steady rates, and that starts with the velocities this
// takes: moment and tension are the stiffness times (strain + retardation time times its rate), in every
// section and in both clamps.
TEST(a_rod_turned_and_pulled_steadily_reads_the_same_with_every_integrator)
{
    enum { N = 10 };
    const double EA = 50.0, GJ = 0.01, time = 0.2, retardation = 0.1, rate = 0.3, speed = 0.01;
    // between the middles of the clamped edges
    const double moment = GJ / 0.9 * rate * (time + retardation),
                 tension = EA / 0.9 * speed * (time + retardation);
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(N);
        def.stiffness.EA = EA, def.stiffness.GJ = def.stiffness.EI1 = def.stiffness.EI2 = GJ,
        def.inextensible = false;
        def.integrator = integrators[i], def.damping_time = retardation;
        CordRodId rod = add_rod(world, &def);
        CordClampId start = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordMotion motions[] = {cord_motion_rotate((CordVec3){1, 0, 0}, rate, 0, 1),
                                cord_motion_translate((CordVec3){speed, 0, 0}, 0, 1)};
        CordClampId end = hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, motions, 2);
        CordVec3 v[N + 1];
        for (int k = 0; k <= N; k++) {
            double share = k < 2 ? 0.0 : k > N - 2 ? 1.0 : (0.1 * k - 0.05) / 0.9;
            v[k] = (CordVec3){speed * share, 0, 0};
        }
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        bool implicit = integrators[i] >= CORD_INTEGRATOR_MIDPOINT;
        int steps = implicit ? 20 : (int)(1.0 + time / (0.5 * cord_world_step_advice(world).step));
        run_many(world, time / steps, steps);
        CordVec3 force[2], torque[2], section[N], moments[N + 1];
        double tensions[N];
        CHECK_OK(cord_clamp_reaction(world, start, &force[0], &torque[0]));
        CHECK_OK(cord_clamp_reaction(world, end, &force[1], &torque[1]));
        CHECK_OK(cord_rod_section_forces(world, rod, section));
        CHECK_OK(cord_rod_moments(world, rod, moments));
        CHECK_OK(cord_rod_tensions(world, rod, tensions));
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(force[k].x / (k ? -tension : tension), 1.0, 1e-6);
            CHECK_NEAR(torque[k].x / (k ? -moment : moment), 1.0, 1e-6);
        }
        for (int j = 1; j < N - 1; j++) {
            CHECK_NEAR(tensions[j] / tension, 1.0, 1e-6);
            CHECK_NEAR(section[j].x / tension, 1.0, 1e-6);
            CHECK_NEAR(moments[j].x / moment, 1.0, 1e-6);
        }
        cord_world_destroy(world);
    }
}

typedef struct Reading {
    CordVec3 force, torque;   // of the clamp
    CordVec3 section, moment; // near it
    CordVec3 v;               // of the tip
    double tension, along;    // the section force's component along its edge
} Reading;

// A flat soft cantilever 50 ms after it was let go, most of its stresses viscous.
static Reading read_falling(CordIntegrator integrator, double h)
{
    enum { N = 20 };
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(N);
    def.stiffness.mass_per_length = 0.1, def.stiffness.EA = 10.0, def.inextensible = false;
    def.stiffness.EI1 = def.stiffness.GJ = 0.01, def.stiffness.EI2 = 0.02, def.m1 = (CordVec3){0, 1, 1};
    def.integrator = integrator, def.damping_time = 0.05;
    CordRodId rod = add_rod(world, &def);
    CordClampId start = hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    run_many(world, h, (int)(0.05 / h + 0.5));
    CordVec3 section[N], moments[N + 1], v[N + 1];
    double tensions[N];
    CHECK_OK(cord_rod_section_forces(world, rod, section));
    CHECK_OK(cord_rod_moments(world, rod, moments));
    CHECK_OK(cord_rod_tensions(world, rod, tensions));
    CHECK_OK(cord_rod_velocities(world, rod, v));
    CordVec3 edge = minus(node_of(world, rod, 4), node_of(world, rod, 3));
    Reading r = {.section = section[3], .moment = moments[3], .v = v[N], .tension = tensions[3]};
    r.along = dot(section[3], edge) / size_of(edge);
    CHECK_OK(cord_clamp_reaction(world, start, &r.force, &r.torque));
    cord_world_destroy(world);
    return r;
}

static void check_same(CordVec3 a, CordVec3 b, double tolerance)
{
    CHECK_NEAR(size_of(minus(a, b)) / size_of(b), 0.0, tolerance);
}

TEST(a_damped_rod_that_falls_reads_the_same_with_every_integrator)
{
    Reading fine = read_falling(CORD_INTEGRATOR_MIDPOINT, 5e-5);
    for (int i = 0; i < 4; i++) {
        bool midpoint = integrators[i] == CORD_INTEGRATOR_MIDPOINT;
        Reading r = read_falling(integrators[i], midpoint ? 2e-4 : 2e-5);
        // the others' damping is of first order: h over its time is 4e-4
        double tolerance = midpoint ? 3e-5 : 6e-4;
        check_same(r.force, fine.force, tolerance);
        check_same(r.torque, fine.torque, tolerance);
        check_same(r.section, fine.section, tolerance);
        check_same(r.moment, fine.moment, tolerance);
        check_same(r.v, fine.v, tolerance);
        CHECK_NEAR(r.tension / fine.tension, 1.0, tolerance);
        CHECK_NEAR(r.along / r.tension, 1.0, 1e-9);
    }
}

// Positions that are set say nothing about how fast the rod got there: moments are the elastic ones.
TEST(positions_that_are_set_leave_no_viscous_moments)
{
    enum { N = 10 };
    for (int i = 0; i < 4; i++) {
        CordVec3 moments[2][N + 1], x[N + 1];
        for (int damped = 0; damped < 2; damped++) {
            CordWorld* world = new_weightless_world();
            CordRodDef def = unit_rod(N);
            def.stiffness.EI2 = 2.0, def.inextensible = false, def.spin = (CordVec3){0, 0, 0.1};
            def.integrator = integrators[i], def.damping_time = damped ? 0.01 : 0.0;
            CordRodId rod = add_rod(world, &def);
            run_many(world, 1e-5, 5);
            for (int k = 0; k <= N; k++) {
                x[k] = (CordVec3){0.1 * k, 0.01 * k * k, 0.002 * k * k};
            }
            CHECK_OK(cord_rod_set_positions(world, rod, x));
            CHECK_OK(cord_rod_moments(world, rod, moments[damped]));
            run_many(world, 1e-5, 5); // and goes on
            cord_world_destroy(world);
        }
        for (int k = 1; k < N; k++) {
            // the frames before differ by what a step's damping did
            check_same(moments[1][k], moments[0][k], 1e-6);
        }
    }
}

// ---- torsion

static double last_frame(CordWorld* world, CordRodId rod)
{
    CordVec3 m1[MOST_NODES];
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    return m1[cord_rod_edge_count(world, rod) - 1].z;
}

// A straight rod clamped at one end and free at the other, its frames let go from the twist of the mode'th
// shape; the period between passages of the last frame.
static double torsion_frequency(CordIntegrator integrator, int mode, int elements)
{
    const double GJ = 2.0, inertia = 0.5, k = (mode - 0.5) * pi;
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    CordVec3 m1[400];
    def.stiffness.GJ = GJ, def.stiffness.spin_inertia = inertia,
    def.stiffness.EI1 = def.stiffness.EI2 = 100.0;
    def.half_edge_start = true, def.dynamic_twist = true, def.integrator = integrator;
    double edge = 1.0 / (elements - 0.5);
    for (int j = 0; j < elements; j++) {
        double s = j == 0 ? 0.0 : j * edge,
               a = 0.01 * sin(k * s); // frames act at the middles of edges, the clamped one at the end
        m1[j] = (CordVec3){0, cos(a), sin(a)};
    }
    def.m1_along = m1, def.along_count = elements, def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_held(world, &def);
    double period = period_of(world, rod, last_frame, 2 * pi / (k * sqrt(GJ / inertia)) / 400, 0, 5);
    cord_world_destroy(world);
    return 1.0 / period;
}

static double torsion_off(CordIntegrator integrator, int mode, double bend)
{
    double truth = 0.25 * (2 * mode - 1) * sqrt(2.0 / 0.5);
    return second_order(torsion_frequency(integrator, mode, 10), torsion_frequency(integrator, mode, 20),
                        truth, bend);
}

// The mesh: (k h)^2 / 24; 400 steps a period add 1e-5 (explicit) and -2e-5 (midpoint).
VALIDATE(a_rod_twists_at_its_first_frequency, .source = "1/(4L) sqrt(GJ / (rho Ip)), explicit",
         .tolerance = 1e-3)
{
    return torsion_off(CORD_INTEGRATOR_VERLET, 1, 0.3);
}

VALIDATE(a_rod_twists_at_its_second_frequency, .source = "3/(4L) sqrt(GJ / (rho Ip)), explicit",
         .tolerance = 1e-2)
{
    return torsion_off(CORD_INTEGRATOR_VERLET, 2, 0.2);
}

VALIDATE(a_rod_twists_at_its_second_frequency_implicitly, .source = "3/(4L) sqrt(GJ / (rho Ip)), midpoint",
         .tolerance = 1e-2)
{
    return torsion_off(CORD_INTEGRATOR_MIDPOINT, 2, 0.2);
}

// Frames with inertia that turn slowly stay in equilibrium, nearly: a rod twisted by its clamp in many of its
// periods has the energy of its twist, as one without inertia does.
TEST(slow_twist_is_the_same_with_and_without_inertia)
{
    double energy[2];
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(20);
        def.stiffness.spin_inertia = 1e-4, def.dynamic_twist = dynamic,
        def.integrator = CORD_INTEGRATOR_MIDPOINT;
        def.stiffness.EI1 = def.stiffness.EI2 = 10.0; // it would buckle
        def.inextensible = false;
        CordRodId rod = add_rod(world, &def);
        CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 1.0, 0, 1);
        CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        turn.ease = CORD_EASE_SMOOTH, end.motions = &turn, end.motion_count = 1;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
        run_many(world, 1e-3, 1100);
        energy[dynamic] = cord_rod_energy(world, rod).twist;
        cord_world_destroy(world);
    }
    CHECK_NEAR(energy[0], 0.5 / 0.95, 1e-9);      // GJ angle^2 / 2L between the middles of the clamped edges
    CHECK_NEAR(energy[1] / energy[0], 1.0, 1e-3); // the period, 0.02 s, over the second, squared
}

TEST_GROUP(implicit)
