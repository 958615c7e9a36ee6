// Implicit dynamics against closed forms and fine references: long steps, damping, torsion.
#include "rods.h"

#include <stdlib.h>

// ---- a swing at a tenth of a period per step

// A stiff rod hinged at one end, swinging under its weight: EI / (mu g L^3) = 50, so that it bends by 1e-3 of its
// length, and its bending vibrations, 15 times as fast as the swing and more, are beyond what a tenth of the swing's
// period resolves. Midpoint has no numerical damping: the amplitude, measured as the greatest height over each five
// periods, stays.
static double amplitude_lost(bool inextensible, CordIntegrator integrator)
{
    enum { N = 20, PERIODS = 50 };
    const double angle = 0.5;
    CordWorld* world = make_world((CordVec3){0, 0, -9.81});
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
        run(world, h, 1);
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

VALIDATE(an_inextensible_swing_keeps_its_amplitude, .source = "no loss in 50 periods of ten steps", .tolerance = 1e-2)
{
    return amplitude_lost(true, CORD_INTEGRATOR_MIDPOINT);
}

// Backward Euler, in contrast, has lost most of it: that is what it is for.
TEST(backward_euler_damps_what_it_does_not_resolve)
{
    CHECK(amplitude_lost(false, CORD_INTEGRATOR_BACKWARD_EULER) > 0.5);
}

// ---- a stiff wire

// A metre of steel wire, 1 mm thick, in 200 elements, clamped at one end and let go from the horizontal; its tip is
// followed for 0.1 s.
static CordVec3 wire_tip(double h, double end, CordIntegrator integrator)
{
    enum { N = 200 };
    CordWorld* world = make_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.material.young = 2e11, def.material.poisson = 0.3, def.material.density = 7850.0;
    def.section = cord_section_disc(0.0005);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, N + 1);
    def.half_edge_start = true, def.integrator = integrator;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    run(world, h, (int)(end / h + 0.5));
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

static double wire_limit(void) // longest stable explicit step
{
    CordWorld* world = make_world((CordVec3){0, 0, -9.81});
    CordRodDef def = cord_rod_def_default();
    def.material.young = 2e11, def.material.poisson = 0.3, def.material.density = 7850.0;
    def.section = cord_section_disc(0.0005);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 201);
    def.half_edge_start = true;
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
    double step = cord_world_step_advice(world).step;
    cord_world_destroy(world);
    return step;
}

// The explicit step is a microsecond: sound over 5 mm. A thousand times that is stable and good to 1e-3 of how far
// the tip has gone, with the same rod at a twentieth of that step as the truth; the slowest vibration has a period of
// 1.5 s, that whose shape is still there when the clamp jerks the rod has some 10 ms.
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
    for (int integrator = CORD_INTEGRATOR_MIDPOINT; integrator <= CORD_INTEGRATOR_BACKWARD_EULER; integrator++) {
        CordVec3 tip = wire_tip(2e-3, 4.0, (CordIntegrator)integrator); // 2000 steps, two thousand times the limit
        CHECK(size_of(tip) < 1.0 + 1e-3 && tip.x > 0.0);
    }
}

// ---- damping

// The logarithmic decrement of a cantilever's first bending, let go with a velocity of its mode's shape: 2 pi ratio /
// sqrt(1 - ratio^2) per period.
static double measured_ratio(CordIntegrator integrator, double ratio, double step)
{
    enum { N = 20, PERIODS = 6 };
    const double beta = 1.875104068711961, omega = beta * beta;
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(N);
    def.half_edge_start = true, def.integrator = integrator;
    def.damping_time = cord_damping_time(ratio, omega / (2 * pi));
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordVec3 v[N + 1], x[N + 1];
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i <= N; i++) {
        double s = beta * x[i].x, tip = (cosh(beta) + cos(beta)) / (sinh(beta) + sin(beta));
        v[i] = (CordVec3){0, 0, i < 2 ? 0.0 : 1e-3 * (cosh(s) - cos(s) - tip * (sinh(s) - sin(s)))};
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    double h = step > 0 ? step : 0.5 * cord_world_step_advice(world).step, peaks[2 * PERIODS + 1], a = 0.0, b = 0.0;
    for (int found = 0; found <= 2 * PERIODS;) { // peaks by a parabola through three points
        run(world, h, 1);
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

VALIDATE(explicit_damping_is_what_is_asked_for, .source = "log decrement of a cantilever, ratio 0.03",
         .tolerance = 0.02)
{
    return measured_ratio(CORD_INTEGRATOR_VERLET, 0.03, 0.0) / 0.03 - 1.0;
}

VALIDATE(implicit_damping_is_what_is_asked_for,
         .source = "log decrement of a cantilever, ratio 0.03, 90 steps a period", .tolerance = 0.02)
{
    return measured_ratio(CORD_INTEGRATOR_MIDPOINT, 0.03, 0.02) / 0.03 - 1.0;
}

VALIDATE(strong_damping_is_what_is_asked_for, .source = "log decrement of a cantilever, ratio 0.1", .tolerance = 0.03)
{
    return measured_ratio(CORD_INTEGRATOR_MIDPOINT, 0.1, 0.02) / 0.1 - 1.0;
}

// A rod that turns as a whole is not damped: flat, curved, damped by a second. What stretch its turning makes dies
// out at first (here: none, it is inextensible and stiff), then energy stays.
static double spin_lost(CordIntegrator integrator, bool closed)
{
    enum { N = 20 };
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(N);
    def.shape = closed ? cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, N) : def.shape;
    def.closed = closed, def.integrator = integrator, def.damping_time = 0.01;
    def.stiffness.EI2 = 3.0;
    def.spin = (CordVec3){0, 0, 5}, def.velocity = (CordVec3){0.1, 0, 0};
    CordRodId rod = add_rod(world, &def);
    double h = integrator == CORD_INTEGRATOR_VERLET ? 0.5 * cord_world_step_advice(world).step : 1e-3;
    run(world, h, 1);
    double before = total_energy(world, rod);
    run(world, h, integrator == CORD_INTEGRATOR_VERLET ? 20000 : 2000);
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

// ---- torsion

// A straight rod clamped at one end and free at the other, its frames let go from the twist of the mode'th shape; the
// period between passages of the last frame.
static double torsion_frequency(CordIntegrator integrator, int mode, int elements)
{
    const double GJ = 2.0, inertia = 0.5, k = (mode - 0.5) * pi;
    CordWorld* world = make_world((CordVec3){0, 0, 0});
    CordRodDef def = unit_rod(elements);
    CordVec3 m1[400];
    def.stiffness.GJ = GJ, def.stiffness.spin_inertia = inertia, def.stiffness.EI1 = def.stiffness.EI2 = 100.0;
    def.half_edge_start = true, def.dynamic_twist = true, def.integrator = integrator;
    double edge = 1.0 / (elements - 0.5);
    for (int j = 0; j < elements; j++) {
        double s = j == 0 ? 0.0 : j * edge,
               a = 0.01 * sin(k * s); // frames act at the middles of edges, the clamped one at the end
        m1[j] = (CordVec3){0, cos(a), sin(a)};
    }
    def.m1_along = m1, def.along_count = elements, def.rest = CORD_REST_STRAIGHT;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    double expected = k * sqrt(GJ / inertia), h = 2 * pi / expected / 400, before = 0.0, first = 0.0, last = 0.0;
    for (int found = 0; found <= 4;) {
        run(world, h, 1);
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        double z = m1[elements - 1].z * (mode % 2 ? 1 : -1);
        if (before > 0.0 && z <= 0.0) {
            last = cord_world_time(world) - h * z / (z - before);
            first = found++ == 0 ? last : first;
        }
        before = z;
    }
    cord_world_destroy(world);
    return 4 / (last - first);
}

static double explicit_first(int n)
{
    return torsion_frequency(CORD_INTEGRATOR_VERLET, 1, n);
}

static double explicit_second(int n)
{
    return torsion_frequency(CORD_INTEGRATOR_VERLET, 2, n);
}

static double implicit_second(int n)
{
    return torsion_frequency(CORD_INTEGRATOR_MIDPOINT, 2, n);
}

// The mesh: (k h)^2 / 24; 400 steps a period add 1e-5 (explicit) and -2e-5 (midpoint).
VALIDATE(a_rod_twists_at_its_first_frequency, .source = "1/(4L) sqrt(GJ / (rho Ip)), explicit", .tolerance = 1e-3)
{
    return second_order(explicit_first, 10, 0.25 * sqrt(2.0 / 0.5), 0.3);
}

VALIDATE(a_rod_twists_at_its_second_frequency, .source = "3/(4L) sqrt(GJ / (rho Ip)), explicit", .tolerance = 1e-2)
{
    return second_order(explicit_second, 10, 0.75 * sqrt(2.0 / 0.5), 0.2);
}

VALIDATE(a_rod_twists_at_its_second_frequency_implicitly, .source = "3/(4L) sqrt(GJ / (rho Ip)), midpoint",
         .tolerance = 1e-2)
{
    return second_order(implicit_second, 10, 0.75 * sqrt(2.0 / 0.5), 0.2);
}

// Frames with inertia that turn slowly stay in equilibrium, nearly: a rod twisted by its clamp in many of its periods
// has the energy of its twist, as one without inertia does.
TEST(slow_twist_is_the_same_with_and_without_inertia)
{
    double energy[2];
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        CordWorld* world = make_world((CordVec3){0, 0, 0});
        CordRodDef def = unit_rod(20);
        def.stiffness.spin_inertia = 1e-4, def.dynamic_twist = dynamic, def.integrator = CORD_INTEGRATOR_MIDPOINT;
        def.stiffness.EI1 = def.stiffness.EI2 = 10.0; // it would buckle
        def.inextensible = false;
        CordRodId rod = add_rod(world, &def);
        CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 1.0, 0, 1);
        CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
        turn.ease = CORD_EASE_SMOOTH, end.motions = &turn, end.motion_count = 1;
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        add_clamp(world, &end);
        run(world, 1e-3, 1100);
        energy[dynamic] = cord_rod_energy(world, rod).twist;
        cord_world_destroy(world);
    }
    CHECK_NEAR(energy[0], 0.5 / 0.95, 1e-9);      // GJ angle^2 / 2L between the middles of the clamped edges
    CHECK_NEAR(energy[1] / energy[0], 1.0, 1e-3); // the period, 0.02 s, over the second, squared
}

TEST_MAIN(a_swing_keeps_its_amplitude, an_inextensible_swing_keeps_its_amplitude,
          backward_euler_damps_what_it_does_not_resolve, steel_wire_in_steps_a_thousand_times_the_explicit_limit,
          steel_wire_stays_stable_with_either_integrator, explicit_damping_is_what_is_asked_for,
          implicit_damping_is_what_is_asked_for, strong_damping_is_what_is_asked_for,
          damping_takes_nothing_from_a_rod_that_turns_as_a_whole, a_rod_twists_at_its_first_frequency,
          a_rod_twists_at_its_second_frequency, a_rod_twists_at_its_second_frequency_implicitly,
          slow_twist_is_the_same_with_and_without_inertia)
