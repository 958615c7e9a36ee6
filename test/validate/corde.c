// Explicit corde rods against theory, each at second order in the mesh, and what the penalty adds to it.
// Equilibria are reached by stepping under drag, so that it is the rod with the penalty that is measured;
// solves do without it.
#include "kirchhoff.h"

// Length, bending stiffness and mass per length 1, extensible, and so thin that its rotary inertia does not
// matter.
static CordRodDef corde_rod(int elements)
{
    CordRodDef def = unit_rod(elements);
    def.model = CORD_MODEL_CORDE;
    def.inextensible = false;
    def.stiffness.rotary1 = def.stiffness.rotary2 = 1e-7, def.stiffness.spin_inertia = 2e-7;
    return def;
}

static void run_for(CordWorld* world, double time)
{
    double h = 0.9 * cord_world_step_advice(world).step;
    run_many(world, h, (int)(time / h) + 1);
}

// ---- cantilevers

#define SMALL 1e-3 // deflects by a three-thousandth: the square of that is what the linear theory leaves out

// Tip of a cantilever along x under a force across it, at rest: drag damps its slowest vibration, of 3.5
// rad/s, critically, and e^-35 of it is left.
static CordVec3 cantilever(int elements, double force, double penalty)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_rod(elements);
    def.inextensible = force > SMALL; // the elastica is
    def.half_edge_start = true, def.corde.penalty = penalty;
    CordRodId rod = add_held(world, &def);
    add_force(world, rod, cord_at_end(), (CordVec3){0, force, 0});
    add_drag(world, rod, 7.0);
    run_for(world, 10.0);
    CordVec3 tip = tip_of(world, rod);
    cord_world_destroy(world);
    return tip;
}

static double heavy_tip(int elements)
{
    return cantilever(elements, 2.0, NAN).y;
}

VALIDATE(cantilever_tip_under_a_large_load,
         .source = "elastica, F L^2 = 2 EI: the tip goes aside by 0.4935 L", .tolerance = 1e-3)
{
    OdeRod rod = straight_ode();
    rod.force = (CordVec3){0, 2, 0};
    double truth = ode_tip(rod).y;
    CHECK_NEAR(truth, 0.49346, 1e-5); // as tabulated
    return second_order(heavy_tip(20), heavy_tip(40), truth, 0.1);
}

// ---- the penalty

// It is the shear stiffness of a beam: the tip of a cantilever gives way by F L / kappa more, 3 EI / (kappa
// L^2) of its bending, but for the half of an edge that is held. The mesh is off by -(1/4)(l/L)^2. Both
// together, relative, at kappa l^2 / EI of
//
//     elements       1          10          24         100        1000       10000
//        10      2.87e-2     3.79e-4    -1.46e-3    -2.46e-3    -2.74e-3    -2.77e-3
//        20      7.03e-3     1.11e-4    -3.37e-4    -5.81e-4    -6.50e-4    -6.57e-4
//        40      1.74e-3     2.95e-5    -8.12e-5    -1.41e-4    -1.58e-4    -1.60e-4
//
// 24 is what comes by itself: half of what the mesh does, the other way.
TEST(the_penalty_gives_way_as_shear_does)
{
    const int elements[] = {10, 20, 40};
    const double penalties[] = {1e4, 1e3, 100.0, 24.0, 10.0, 1.0};
    for (int i = 0; i < 3; i++) {
        double l = 1.0 / (elements[i] - 0.5), mesh = -0.25 * l * l;
        for (int k = 0; k < 6; k++) {
            double off = cantilever(elements[i], SMALL, penalties[k] / (l * l)).y / (SMALL / 3.0) - 1.0;
            double shear = 3.0 * l * l / penalties[k] * (1.0 - 0.5 * l);
            print_message("    %d elements, penalty %g: off by %.3e\n", elements[i], penalties[k], off);
            // higher powers of the mesh, and of the load
            CHECK_NEAR(off, mesh + shear, 2e-3 * shear + 0.01 * l * l * l + 1e-6);
        }
        double by_itself = cantilever(elements[i], SMALL, NAN).y / (SMALL / 3.0) - 1.0;
        CHECK(fabs(by_itself - mesh) < fabs(mesh)); // less than what the mesh makes of it
    }
}

// ---- a hanging rope

#define SPAN 0.6

// Sag of a rope of length 1 between two pins at equal height. Drag damps its swing, of 5 rad/s or so; e^-30
// of that is left.
static double sag(int elements)
{
    CordVec3 points[] = {{0, 0, 0}, {0.5 * SPAN, 0, -0.4}, {SPAN, 0, 0}}; // two edges of length 1/2
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = corde_rod(elements);
    def.shape = cord_shape_polyline(points, 3, elements + 1);
    def.rest = CORD_REST_STRAIGHT, def.inextensible = true;
    // bends over sqrt(EI / 3 N), a thousandth of an edge
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1e-9;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_POSITION);
    add_drag(world, rod, 10.0);
    run_for(world, 8.0);
    double lowest = -node_of(world, rod, elements / 2).z;
    cord_world_destroy(world);
    return lowest;
}

VALIDATE(a_rope_hangs_in_a_catenary, .source = "a (cosh(d/2a) - 1) with 2 a sinh(d/2a) = L",
         .tolerance = 1e-3)
{
    double low = 0.05, high = 1.0;
    for (int n = 0; n < 60; n++) {
        double a = 0.5 * (low + high);
        *(2.0 * a * sinh(0.5 * SPAN / a) > 1.0 ? &low : &high) = a;
    }
    return second_order(sag(20), sag(40), low * (cosh(0.5 * SPAN / low) - 1.0), 0.1);
}

// ---- vibrations

#define TORSION_DAMPED 0.01 // of critical

static double turned_tip(CordWorld* world, CordRodId rod)
{
    CordVec3 m1[MOST_NODES];
    CHECK_OK(cord_rod_material_frames(world, rod, m1));
    return -m1[cord_rod_edge_count(world, rod) - 1].z;
}

// Twisted evenly and let go, with the inertia of GJ = 1 at a speed of 1: faster vibrations die first, and of
// what is left the damping is known.
static double torsion(int elements)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_rod(elements);
    def.stiffness.rotary1 = def.stiffness.rotary2 = 0.5, def.stiffness.spin_inertia = def.stiffness.EA = 1.0;
    def.half_edge_start = true, def.corde.orientations = CORD_ORIENTATIONS_EXPLICIT;
    def.twist = 0.1, def.m1 = (CordVec3){0, 1, 0};
    def.damping_time = 2.0 * TORSION_DAMPED / (0.5 * pi);
    CordRodId rod = add_held(world, &def);
    double h = 0.25 * cord_world_step_advice(world).step;
    double period = period_of(world, rod, turned_tip, h, 3, 5);
    cord_world_destroy(world);
    return 2.0 * pi / period / sqrt(1.0 - TORSION_DAMPED * TORSION_DAMPED);
}

VALIDATE(a_cantilever_turns_at_its_first_frequency, .source = "pi/2 sqrt(GJ / I L^2)", .tolerance = 1e-3)
{
    return second_order(torsion(10), torsion(20), 0.5 * pi, 0.1);
}

// ---- a twisted rod buckles

// Does a rod between clamped frames, twisted by M L / GJ, leave the straight line? From round-off and a
// millionth, within 6 s: at a hundredth beyond the critical moment it leaves as e^(3 t).
static bool buckles(int elements, double moment)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_rod(elements);
    def.half_edge_start = def.half_edge_end = true;
    def.twist = moment, def.stiffness.EA = 1e3;
    CordRodId rod = add_rod(world, &def);
    hold_ends(world, rod, CORD_FIX_FRAME);
    CordVec3 v[MOST_NODES] = {{0}};
    for (int i = 2; i < elements - 1; i++) {
        v[i] = (CordVec3){0, 1e-6 * sin(pi * i / elements), 1e-6 * sin(2 * pi * i / elements)};
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    run_for(world, 6.0);
    double aside = hypot(node_of(world, rod, elements / 2).y, node_of(world, rod, elements / 2).z);
    cord_world_destroy(world);
    return aside > 1e-4;
}

static double critical_moment(int elements)
{
    double low = 7.0, high = 11.0;
    for (int n = 0; n < 12; n++) {
        double moment = 0.5 * (low + high);
        *(buckles(elements, moment) ? &high : &low) = moment;
    }
    return 0.5 * (low + high);
}

// What a turn of 9 / n rad from edge to edge counts for more, 4 tan(phi/4) / phi, and what bending counts for
// less nearly cancel: with 10 elements it is off by 3e-2, from 20 on by less than 1e-3, which is what it
// takes to leave within 6 s.
VALIDATE(a_twisted_rod_buckles, .source = "clamped ends: M L / EI = 8.9868, tan(x/2) = x/2",
         .tolerance = 2e-3)
{
    double coarse = critical_moment(20) / 8.986818916 - 1.0, fine = critical_moment(40) / 8.986818916 - 1.0;
    print_message("    20 elements: off by %.3g, 40: %.3g\n", coarse, fine);
    return fmax(fabs(coarse), fabs(fine));
}

// ---- a helical spring

#define TURNS 3.0
#define RADIUS 0.1
#define PITCH 0.05

// A helix as shaped, of wire with EI = 1.3 GJ, whose end frames are held, from middle to middle of their
// edges, and pulled apart.
static CordWorld* spring_world(CordModel model, int elements, double pulled, CordClampId* clamp)
{
    CordVec3 x[MOST_NODES];
    CordWorld* world = new_weightless_world();
    CordRodDef def = corde_rod(elements);
    for (int i = 0; i <= elements; i++) {
        double angle = 2 * pi * TURNS * (i - 0.5) / (elements - 1);
        x[i] = (CordVec3){RADIUS * cos(angle), RADIUS * sin(angle), PITCH * angle / (2 * pi)};
    }
    def.shape = cord_shape_points(x, elements + 1), def.model = model;
    def.stiffness.EI1 = def.stiffness.EI2 = 0.013, def.stiffness.GJ = 0.01, def.stiffness.EA = 300.0;
    def.stiffness.mass_per_length = 0.01;
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_translate((CordVec3){0, 0, pulled}, 0, 0.5);
    CordClampDef end = clamp_def(rod, cord_at_end(), CORD_FIX_FRAME);
    end.motions = &motion, end.motion_count = 1;
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    *clamp = add_clamp(world, &end);
    add_drag(world, rod, 0.3);
    return world;
}

static double pull_of(CordWorld* world, CordClampId clamp)
{
    CordVec3 force, torque;
    CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque));
    return -force.z;
}

#define PULLED (1e-3 * RADIUS)

static double spring_stiffness(int elements)
{
    CordClampId clamp;
    CordWorld* world = spring_world(CORD_MODEL_CORDE, elements, PULLED, &clamp);
    run_for(world, 6.0); // drag leaves e^-11
    double force = pull_of(world, clamp);
    cord_world_destroy(world);
    return force / PULLED;
}

// springs.c has der against theory.
static double spring_of_der(int elements)
{
    CordClampId clamp;
    CordWorld* world = spring_world(CORD_MODEL_DER, elements, PULLED, &clamp);
    CHECK_OK(cord_world_set_time(world, 0.5));
    solve(world);
    double force = pull_of(world, clamp);
    cord_world_destroy(world);
    return force / PULLED;
}

VALIDATE(a_helical_spring_is_pulled, .source = "G d^4 / (64 R^3 n), with its pitch and held ends",
         .tolerance = 1e-2)
{
    double truth = (4.0 * spring_of_der(480) - spring_of_der(240)) / 3.0; // without its error of second order
    double simple = 0.01 / (2 * pi * RADIUS * RADIUS * RADIUS * TURNS);   // GJ / (2 pi R^3 n)
    CHECK_NEAR(truth, simple, 0.02 * simple); // the pitch, and ends that do not turn
    return second_order(spring_stiffness(60), spring_stiffness(120), truth, 0.1);
}

TEST_GROUP(corde)
