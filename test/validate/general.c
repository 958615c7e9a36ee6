// Flat, curved, twisted and tapered rods against closed forms: which way they bend, what they weigh, where
// they come to rest.
#include "rods.h"

// ---- which way a flat rod bends

// Tip deflection of a cantilever of length 1 under a small force; the clamp acts at the very end.
static CordVec3 deflection(const CordStiffness* stiffness, CordVec3 m1, CordVec3 force, int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness = *stiffness, def.m1 = m1, def.half_edge_start = true;
    CordRodId rod = add_held(world, &def);
    add_force(world, rod, cord_at_end(), force);
    solve(world);
    CordVec3 tip = minus(tip_of(world, rod), (CordVec3){1, 0, 0});
    cord_world_destroy(world);
    return tip;
}

static CordStiffness flat(double EI1, double EI2, double EI12)
{
    CordStiffness k = cord_stiffness_unset();
    k.EI1 = EI1, k.EI2 = EI2, k.EI12 = EI12, k.GJ = 1.0, k.EA = 1e4, k.mass_per_length = 1.0;
    return k;
}

// m1 along z: a force along z bends about m2 = t x m1 = -y, a force along y about m1.
TEST(EI1_is_for_bending_about_m1)
{
    CordStiffness k = flat(2.0, 5.0, 0.0);
    double force = 1e-4, z = force / (3 * 5.0), y = force / (3 * 2.0);
    CordVec3 up = deflection(&k, (CordVec3){0, 0, 1}, (CordVec3){0, 0, force}, 40);
    CordVec3 aside = deflection(&k, (CordVec3){0, 0, 1}, (CordVec3){0, force, 0}, 40);
    CHECK_NEAR(up.z / z, 1.0, 1e-3); // the mesh: 1/N^2 is 6e-4
    CHECK_NEAR(up.y, 0.0, 1e-12);
    CHECK_NEAR(aside.y / y, 1.0, 1e-3);
    CHECK_NEAR(aside.z, 0.0, 1e-12);
}

// A rectangle is stiff across its larger width. m1 along z, wide along m1: hard to bend up.
TEST(a_ribbon_bends_the_thin_way)
{
    CordSection section = cord_section_rectangle(0.02, 0.01);
    CordMaterial material = cord_material_default();
    CordStiffness k = cord_stiffness_from(&material, &section);
    CordVec3 up = deflection(&k, (CordVec3){0, 0, 1}, (CordVec3){0, 0, 1e-4}, 20);
    CordVec3 aside = deflection(&k, (CordVec3){0, 0, 1}, (CordVec3){0, 1e-4, 0}, 20);
    CHECK_NEAR(aside.y / up.z, 4.0, 1e-6); // the widths squared; small deflections
}

// Unsymmetrical bending: with I12 the integral of x1 x2 over the section, deflections are F L^3 / 3 times the
// inverse of [EI2 EI12; EI12 EI1] in the plane of m1, m2 (a force along m1 bends about m2).
TEST(EI12_couples_the_two_bendings)
{
    CordStiffness k = flat(2.0, 5.0, 1.5);
    double force = 1e-4, det = 2.0 * 5.0 - 1.5 * 1.5;
    CordVec3 tip = deflection(&k, (CordVec3){0, 0, 1}, (CordVec3){0, 0, force}, 40);
    // m1 = z, m2 = -y
    CHECK_NEAR(tip.z / (force / 3 * 2.0 / det), 1.0, 1e-3);
    CHECK_NEAR(-tip.y / (force / 3 * -1.5 / det), 1.0, 1e-3);
}

// A strip with natural twist, from the wall to the middle of its last edge. The tip follows a
// force F by F times the integral of (1 - s)^2 (cos^2 / EI2 + sin^2 / EI1).
static double twisted_strip(double EI1, double EI2, int elements, int turns)
{
    const double rate = 2 * pi * turns / (1.0 - 0.5 / (elements - 0.5)), force = 1e-6;
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(elements);
    def.stiffness = flat(EI1, EI2, 0.0), def.m1 = (CordVec3){0, 0, 1}, def.half_edge_start = true;
    def.twist = def.rest_twist = 2 * pi * turns;
    CordRodId rod = add_held(world, &def);
    add_force(world, rod, cord_at_end(), (CordVec3){0, 0, force});
    solve(world);
    double sum = 0.0, tip = tip_of(world, rod).z;
    for (int k = 0; k < 1000; k++) {
        double s = (k + 0.5) / 1000, c = cos(rate * s);
        sum += (1 - s) * (1 - s) * (c * c / EI2 + (1 - c * c) / EI1) / 1000;
    }
    cord_world_destroy(world);
    return tip / (force * sum) - 1.0;
}

// Each frame of a node is off its middle by half the twist between them. The mesh leaves a part of 1/N^2 of
// the curvature of the moment and of cos^2, whatever the ratio; at a quarter of a turn from node to node,
// before which nothing warns, it takes cos^2 in two directions only.
TEST(a_twisted_strip_bends_about_its_softer_axis)
{
    const double ratios[] = {1.0, 2.4, 100.0};
    for (int k = 0; k < 3; k++) {
        double coarse = twisted_strip(1.0, ratios[k], 20, 1), fine = twisted_strip(1.0, ratios[k], 40, 1),
               quarter = twisted_strip(1.0, ratios[k], 8, 2);
        print_message("    EI2/EI1 %g: off by %.2g, %.2g; %.2g\n", ratios[k], coarse, fine, quarter);
        CHECK_NEAR(coarse, 0.0, 1e-3);
        CHECK_NEAR(fine, 0.0, 2.5e-4);
        CHECK_NEAR(quarter, 0.0, 2e-2);
    }
}

// The same section described in axes that are turned by 0.4: EI1 = EIa c^2 + EIb s^2, EI2 = EIa s^2 + EIb
// c^2, EI12 = (EIb - EIa) c s.
static void swing(bool turned, bool implicit, CordVec3* x)
{
    double EIa = 0.02, EIb = 0.1, c = cos(0.4), s = sin(0.4);
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = unit_rod(20);
    def.inextensible = false, def.integrator = implicit ? CORD_INTEGRATOR_MIDPOINT : CORD_INTEGRATOR_VERLET;
    def.stiffness = turned ? flat(EIa * c * c + EIb * s * s, EIa * s * s + EIb * c * c, (EIb - EIa) * c * s)
                           : flat(EIa, EIb, 0.0);
    def.stiffness.GJ = 0.05;
    // m1 in the y z plane; p1 = c m1 + s m2 with m2 = t x m1
    CordVec3 m1 = {0, 0, 1}, m2 = {0, -1, 0};
    def.m1 = turned ? m1 : plus(times(m1, c), times(m2, s));
    CordRodId rod = add_held(world, &def);
    run_many(world, implicit ? 1e-3 : 1e-4, implicit ? 300 : 3000);
    CHECK_OK(cord_rod_positions(world, rod, x));
    cord_world_destroy(world);
}

TEST(a_section_is_the_same_in_turned_axes)
{
    for (int implicit = 0; implicit < 2; implicit++) {
        CordVec3 x[21], y[21];
        swing(false, implicit, x);
        swing(true, implicit, y);
        CHECK(fabs(x[20].y) > 0.02); // it goes aside as it falls
        for (int i = 0; i <= 20; i++) {
            CHECK_VEC3(x[i], y[i], 1e-10); // round-off, and Newton's tolerance squared
        }
    }
}

// ---- sections that vary

enum { CONE = 40 };

// A cone of which the tip is 0.4 times as thick as the root; the half edge at the clamp has the section of
// its own middle.
static CordRodId cone(CordWorld* world, int elements, CordSection* sections)
{
    const double root = 0.01, ratio = 0.4;
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, elements + 1);
    def.half_edge_start = true, def.inextensible = true;
    double h = 1.0 / (elements - 0.5);
    for (int j = 0; j < elements; j++) {
        double middle = j == 0 ? 0.25 * h : j * h;
        sections[j] = cord_section_disc(root * (1.0 - (1.0 - ratio) * middle));
    }
    def.sections = sections, def.along_count = elements;
    return add_rod(world, &def);
}

static double cone_mass(int elements)
{
    CordSection sections[4 * CONE];
    CordWorld* world = new_weightless_world();
    double mass = cord_rod_mass(world, cone(world, elements, sections));
    cord_world_destroy(world);
    return mass;
}

// h^2 (1 - k)^2 / 12
VALIDATE(a_cone_weighs_what_it_should, .source = "rho pi r^2 L (1 + k + k^2) / 3", .tolerance = 1e-4)
{
    return second_order(cone_mass(CONE), cone_mass(2 * CONE), 1000.0 * pi * 1e-4 * (1 + 0.4 + 0.16) / 3, 0.1);
}

static double cone_deflection(int elements)
{
    CordSection sections[4 * CONE];
    CordWorld* world = new_weightless_world();
    CordRodId rod = cone(world, elements, sections);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, rod, cord_at_end(), (CordVec3){0, 0, 1e-5});
    solve(world);
    double z = tip_of(world, rod).z;
    cord_world_destroy(world);
    return z;
}

// F/E integral (L - s)^2 / I(s) ds with I = I0 u^4, u = 1 - (1 - k) s/L: (F L^3 / E I0 (1 - k)^3) times the
// integral of (u - k)^2 / u^4 from k to 1, which is (1 - k)^3 / 3k.
VALIDATE(a_cone_bends_as_it_should, .source = "F L^3 / (3 E I0 k), I0 at the root", .tolerance = 1e-3)
{
    double I0 = pi / 4 * 1e-8;
    return second_order(cone_deflection(CONE), cone_deflection(2 * CONE), 1e-5 / (3 * 1e9 * I0 * 0.4), 0.1);
}

// ---- rest shapes

// A straight rod whose rest shape is a turn and a half of a helix: let go, it becomes one. Distances between
// nodes say so.
static double off_rest_shape(CordWorld* world, CordRodId rod, const CordVec3* rest, int nodes)
{
    CordVec3 x[MOST_NODES];
    double most = 0.0;
    CHECK_OK(cord_rod_positions(world, rod, x));
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < i; j++) {
            most = fmax(most, fabs(size_of(minus(x[i], x[j])) - size_of(minus(rest[i], rest[j]))));
        }
    }
    return most;
}

static CordRodId helix_to_be(CordWorld* world, CordIntegrator integrator, bool flat_section, CordVec3* rest)
{
    enum { N = 31 };
    CordWorld* other = new_weightless_world();
    CordRodDef def = unit_rod(N - 1);
    def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.1, 0.2, 1.5, N);
    CordRodId made = add_rod(other, &def);
    double length = cord_rod_length(other, made);
    CHECK_OK(cord_rod_positions(other, made, rest));
    cord_world_destroy(other);
    def.rest = CORD_REST_SHAPE;
    def.rest_shape = def.shape;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){length, 0, 0}, N);
    def.inextensible = false;
    def.stiffness = flat(0.01, flat_section ? 0.03 : 0.01, 0.0), def.stiffness.GJ = 0.02,
    def.stiffness.EA = 1000.0;
    def.integrator = integrator, def.damping_time = integrator == CORD_INTEGRATOR_VERLET ? NAN : 2.0;
    CordRodId rod = add_held(world, &def);
    return rod;
}

TEST(a_rod_is_solved_to_its_rest_shape)
{
    for (int flat_section = 0; flat_section < 2; flat_section++) {
        CordVec3 rest[MOST_NODES];
        CordWorld* world = new_weightless_world();
        CordRodId rod = helix_to_be(world, CORD_INTEGRATOR_VERLET, flat_section, rest);
        CHECK(off_rest_shape(world, rod, rest, 31) > 0.5);
        CordSolveReport report = solve(world);
        CHECK_NEAR(off_rest_shape(world, rod, rest, 31), 0.0, 1e-8);
        // of 0.5 J or so: forces that are left, 1e-9 of the largest, squared
        CHECK_NEAR(report.energy, 0.0, 1e-14);
        cord_world_destroy(world);
    }
}

// Damped and with long implicit steps it goes there, too. Its slowest vibration, 0.3 rad/s or so, dies out
// with 0.3^2 times half the retardation time of 2 s: in 200 s by 1e-8.
TEST(a_rod_comes_to_rest_in_its_rest_shape)
{
    for (int flat_section = 0; flat_section < 2; flat_section++) {
        CordVec3 rest[MOST_NODES];
        CordWorld* world = new_weightless_world();
        CordRodId rod = helix_to_be(world, CORD_INTEGRATOR_BACKWARD_EULER, flat_section, rest);
        run_many(world, 0.05, 4000);
        CHECK_NEAR(off_rest_shape(world, rod, rest, 31), 0.0, 1e-6);
        cord_world_destroy(world);
    }
}

// ---- rest twist

// Held as it is without its rest twist, a rod is under the torque GJ tau; one end let go, it turns by its
// rest twist.
TEST(a_rod_twisted_at_rest_pulls_at_its_clamps_and_untwists)
{
    enum { N = 20 };
    const double twist = 3.0;
    for (int integrator = CORD_INTEGRATOR_VERLET; integrator <= CORD_INTEGRATOR_BACKWARD_EULER;
         integrator++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(N);
        def.stiffness = flat(1.0, 20.0, 0.0), def.half_edge_start = def.half_edge_end = true;
        def.integrator = (CordIntegrator)integrator;
        def.rest_twist = twist;
        CordRodId rod = add_held(world, &def);
        CordClampId end = hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
        CordVec3 force, torque, m1[N];
        run_many(world, 1e-5, 2);
        CHECK_NEAR(cord_rod_twist(world, rod), 0.0, 1e-12);
        CHECK_NEAR(cord_rod_energy(world, rod).twist, 0.5 * twist * twist, 1e-12); // GJ and L are 1
        CHECK_OK(cord_clamp_reaction(world, end, &force, &torque));
        CHECK_NEAR(torque.x, twist, 1e-9); // the rod would turn it on
        CHECK_OK(cord_clamp_destroy(world, end));
        run_many(world, 1e-5, 2);
        CHECK_NEAR(cord_rod_twist(world, rod) * 2 * pi, twist, 1e-9);
        CHECK_NEAR(cord_rod_energy(world, rod).twist, 0.0, 1e-16);
        CHECK_OK(cord_rod_material_frames(world, rod, m1));
        CHECK_NEAR(dot(m1[0], m1[N - 1]), cos(twist), 1e-9);
        cord_world_destroy(world);
    }
}

// ---- energy and momentum

// Flat, curved and twisted at rest, thrown and spun: Verlet keeps momentum to round-off and energy to the
// square of the step.
TEST(a_thrown_ribbon_keeps_momentum_and_energy)
{
    enum { N = 41 };
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = unit_rod(N - 1);
        def.shape = cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.15, 0.2, 1.5, N);
        def.stiffness = flat(0.01, 0.05, 0.005), def.stiffness.GJ = 0.02, def.stiffness.EA = 500.0;
        def.inextensible = inextensible, def.twist = def.rest_twist = 2.0;
        def.velocity = (CordVec3){0.1, 0.2, -0.1}, def.spin = (CordVec3){3, 1, 4};
        CordRodId rod = add_rod(world, &def);
        double h = 0.5 * cord_world_step_advice(world).step;
        run_many(world, h, 1);
        CordMomentum before = cord_rod_momentum(world, rod);
        double energy = total_energy(world, rod), most = 0.0;
        for (int n = 0; n < 200; n++) {
            run_many(world, h, 100);
            most = fmax(most, fabs(total_energy(world, rod) - energy));
        }
        CordMomentum after = cord_rod_momentum(world, rod);
        CHECK_VEC3(after.linear, before.linear, 1e-12 * size_of(before.linear)); // round-off of 20000 steps
        CHECK_VEC3(after.angular, before.angular, 1e-11 * size_of(before.angular));
        CHECK_NEAR(most / energy, 0.0, 2e-3); // (omega h)^2 / 8 of the fastest motion there is energy in
        cord_world_destroy(world);
    }
}

// ---- the longest step

static double draw(unsigned* seed) // 0 to 1
{
    return 0.5 * (1.0 + random_pm(seed));
}

// Wavy rods and rings, of edges that differ by up to six times, stress-free as they are.
static CordRodId add_random_rod(CordWorld* world, int kind, unsigned* seed)
{
    enum { MOST = 52 };
    CordVec3 p[MOST];
    int nodes = 12 + (int)(40 * draw(seed));
    double s = 0.0, wave = 6 * draw(seed), coil = 6 * draw(seed), width = 0.004 + 0.02 * draw(seed);
    for (int i = 0; i < nodes; i++) {
        double u = 2 * M_PI * i / nodes;
        p[i] = kind % 4 == 3 ? (CordVec3){cos(u), sin(u), 0.1 * sin(2 * u)}
                             : (CordVec3){s, 0.2 * sin(wave * s), 0.2 * cos(coil * s)};
        s += 0.05 * (kind % 3 == 0 ? 0.2 + draw(seed) : 1.0);
    }
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_points(p, nodes);
    def.closed = kind % 4 == 3;
    def.section = kind % 2 ? cord_section_rectangle(width, 4 * width) : cord_section_disc(width);
    def.material.young = 1e6;
    def.twist = def.rest_twist = kind % 5 == 2 ? 2.0 : 0.0;
    def.inextensible = kind % 7 == 2;
    def.dynamic_twist = kind % 6 == 4;
    def.damping_time = kind % 8 == 5 ? 1e-5 : 0.0;
    return add_rod(world, &def);
}

// Shaken a little at random, a rod keeps its energy at the advised step, but for what the step makes of the
// fastest waves: they have more of it or less by 1/(1 - (omega h/2)^2) at the worst, which is 25 at 0.98. An
// unstable one grows without end.
TEST(the_advised_step_is_stable_for_rods_of_every_kind)
{
    unsigned seed = 1;
    for (int kind = 0; kind < 24; kind++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = add_random_rod(world, kind, &seed);
        int nodes = cord_rod_node_count(world, rod);
        CordVec3 v[64];
        for (int i = 0; i < nodes; i++) {
            v[i] = (CordVec3){1e-6 * (draw(&seed) - 0.5), 1e-6 * (draw(&seed) - 0.5),
                              1e-6 * (draw(&seed) - 0.5)};
        }
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        double h = 0.98 * cord_world_step_advice(world).step, before = 0.0;
        for (int n = 0; n < 40; n++) {
            CHECK_OK(cord_world_step_many(world, h, 100));
            double energy = total_energy(world, rod);
            before = n == 0 ? energy : before;
            CHECK(energy < 25.0 * before);
        }
        cord_world_destroy(world);
    }
}

TEST_GROUP(general)
