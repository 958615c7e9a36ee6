// Rods with bodies against closed forms: pendulums, torsion, whirling, orders in time and in space, joints.
#include "rods.h"

static const CordVec3 zero = {0, 0, 0};

static CordStiffness stiffness(double EI, double GJ, double EA, double mass_per_length)
{
    return (CordStiffness){.EI1 = EI, .EI2 = EI, .GJ = GJ, .EA = EA, .mass_per_length = mass_per_length};
}

static CordVec3 place_of(CordWorld* world) // of the body
{
    CordVec3 x;
    CordQuat q;
    CHECK_OK(cord_body_pose(world, cord_world_body(world, 0), &x, &q));
    return x;
}

static double body_aside(CordWorld* world, CordRodId rod)
{
    (void)rod;
    return place_of(world).x;
}

static double body_turned(CordWorld* world, CordRodId rod)
{
    CordVec3 x;
    CordQuat q;
    (void)rod;
    CHECK_OK(cord_body_pose(world, cord_world_body(world, 0), &x, &q));
    return q.z;
}

// A body of principal axes of its own, beside the end of a rod.
static CordBodyId weld_askew(CordWorld* world, CordRodId rod, CordVec3 position)
{
    CordBodyDef def = cord_body_def_default();
    const double inertia[6] = {3e-5, 2e-5, 4e-5, 2e-6, -3e-6, 1e-6};
    def.mass = 0.05, def.position = position;
    memcpy(def.inertia, inertia, sizeof inertia);
    CordBodyId id = add_body(world, &def);
    weld(world, rod, cord_at_end(), id, CORD_FIX_FRAME);
    return id;
}

// ---- pendulums

#define G 9.81

// The period of a body of 1 kg that hangs from a light string of 1 m, both let go.
static double swing_period(CordVec3 end, CordVec3 centre, double inertia)
{
    CordWorld* world = new_world((CordVec3){0, 0, -G});
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(zero, end, 9);
    def.stiffness = stiffness(1e-9, 1e-9, 1.0, 1e-4);
    def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    CordBodyDef body = ball_def(centre, 1.0, inertia);
    weld(world, rod, cord_at_end(), add_body(world, &body), CORD_FIX_POSITION);
    double period = period_of(world, rod, body_aside, 1e-4, 0, 3);
    cord_world_destroy(world);
    return period;
}

// A ball on a string: the body, not the string, has the mass.
VALIDATE(a_bob_on_a_string_swings_as_a_pendulum, .source = "2 pi sqrt(L / g) (1 + a^2 / 16)",
         .tolerance = 2e-5) // a^4 of the amplitude, and a twelfth of the string's mass
{
    double a = 0.1;
    CordVec3 end = {sin(a), 0, -cos(a)};
    return swing_period(end, end, 1e-3) / (2.0 * pi * sqrt(1.0 / G) * (1.0 + a * a / 16.0)) - 1.0;
}

// A body welded to the end of a string by a point off its centre: two coupled swings. Small and in its slow
// mode, the body follows the string nearly straight, with omega^2 from the two-link pendulum's matrices.
VALIDATE(a_body_hung_off_its_centre_swings_as_a_double_pendulum,
         .source = "slow mode of M q'' + K q = 0 for a light string and a rigid body", .tolerance = 2e-5)
{
    double e = 0.2, I = 0.02, M11 = 1.0, M12 = e, M22 = I + e * e, K11 = G, K22 = G * e;
    double A = M11 * M22 - M12 * M12, B = M11 * K22 + M22 * K11, C = K11 * K22;
    double omega2 = (B - sqrt(B * B - 4.0 * A * C)) / (2.0 * A);
    double ratio = (K11 - omega2 * M11) / (omega2 * M12), a = 0.01; // body's angle over the string's
    CordVec3 end = {sin(a), 0, -cos(a)};
    CordVec3 centre = {end.x + e * sin(a * ratio), 0, end.z - e * cos(a * ratio)};
    return swing_period(end, centre, I) / (2.0 * pi / sqrt(omega2)) - 1.0;
}

// ---- torsion

// The frequency of a body on a rod that twists, over sqrt(GJ / (L I)).
static double torsion_frequency(CordModel model, int steps_per_period)
{
    double L = 0.8, GJ = 0.02, I = 3e-3, omega = sqrt(GJ / (L * I)), h = 2.0 * pi / omega / steps_per_period;
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    def.model = model;
    def.shape = cord_shape_line(zero, (CordVec3){0, 0, -L}, 17);
    def.half_edge_start = def.half_edge_end = true; // clamp and weld act at the very ends
    def.stiffness = stiffness(1.0, GJ, 100.0, 10.0);
    def.stiffness.spin_inertia = 1e-4 * I; // of which a third counts
    CordRodId rod = add_held(world, &def);
    CordBodyDef body = ball_def((CordVec3){0, 0, -L}, 1.0, I);
    body.spin = (CordVec3){0, 0, 0.5 * omega};
    weld(world, rod, cord_at_end(), add_body(world, &body), CORD_FIX_FRAME);
    double period = period_of(world, rod, body_turned, h, 0, 4);
    cord_world_destroy(world);
    return 2.0 * pi / (period * omega);
}

// Stoermer-Verlet turns it by a step of h in place of 2/omega asin(omega h / 2): the error is (omega h)^2
// / 24.
VALIDATE(a_body_on_a_twisted_rod_turns_back_and_forth, .source = "sqrt(GJ / (L I)), 200 steps a period",
         .tolerance = 5e-5)
{
    return torsion_frequency(CORD_MODEL_DER, 200) - 1.0;
}

VALIDATE(the_torsional_pendulum_is_second_order, .source = "error falls to a quarter with half the step",
         .tolerance = 0.1)
{
    return (torsion_frequency(CORD_MODEL_DER, 100) - 1.0) / (torsion_frequency(CORD_MODEL_DER, 200) - 1.0) -
           4.0;
}

// Position-based rods that are welded step by backward Euler, which turns exp(i omega h) into 1 / (1 - i
// omega h).
TEST(a_torsional_pendulum_of_a_position_based_rod)
{
    const int steps[] = {40, 80, 160, 400};
    for (int i = 0; i < 4; i++) {
        double found = torsion_frequency(CORD_MODEL_PBD, steps[i]), angle = 2.0 * pi / steps[i];
        double truth = atan(angle) / angle;
        print_message("    %d steps to a period: off by %.1e, of which backward Euler %.1e\n", steps[i],
                      found - 1.0, truth - 1.0);
        CHECK_NEAR(found, 1.0, 0.02);
        CHECK_NEAR(found / truth, 1.0, 2e-4); // the law of twist, and passages between steps
    }
}

// ---- whirling

// Two bodies on a light inextensible rod, about their common centre: a rigid dumbbell that a string holds
// together.
VALIDATE(a_whirling_pair_is_held_by_the_tension_of_the_rod, .source = "omega^2 (m L / 2 + mu L^2 / 8)",
         .tolerance = 1e-5)
{
    double L = 1.0, omega = 3.0, m = 2.0, mu = 2e-4;
    CordWorld* world = new_weightless_world();
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){-L / 2, 0, 0}, (CordVec3){L / 2, 0, 0}, 11);
    def.stiffness = stiffness(1e-6, 1e-6, 1.0, mu);
    def.inextensible = true, def.spin = (CordVec3){0, 0, omega};
    CordRodId rod = add_rod(world, &def);
    for (int i = 0; i < 2; i++) {
        double x = i ? L / 2 : -L / 2;
        CordBodyDef body = ball_def((CordVec3){x, 0, 0}, m, 0.01);
        body.velocity = (CordVec3){0, omega * x, 0};
        weld(world, rod, i ? cord_at_end() : cord_at_start(), add_body(world, &body), CORD_FIX_POSITION);
    }
    run(world, 2e-4, 5000);
    double tension[10];
    CHECK_OK(cord_rod_tensions(world, rod, tension));
    cord_world_destroy(world);
    return 0.5 * (tension[4] + tension[5]) / (omega * omega * (m * L / 2.0 + mu * L * L / 8.0)) - 1.0;
}

// ---- order in time

// A bent rod thrown with a body welded askew to its end: where the body is at t = 0.2 s.
static CordVec3 thrown(int count, bool inextensible)
{
    CordWorld* world = new_world((CordVec3){0, 0, -G});
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_ellipse(zero, (CordVec3){1, 0, 0}, (CordVec3){0, 1, 0}, 0.3, 0.3, 13);
    def.shape.angle_to = 0.5 * pi;
    def.rest = CORD_REST_STRAIGHT;
    def.stiffness = stiffness(2e-3, 3e-3, 20.0, 0.1);
    def.inextensible = inextensible;
    CordRodId rod = add_held(world, &def);
    weld_askew(world, rod, (CordVec3){0.01, 0.33, 0.02});
    run(world, 0.2 / count, count);
    CordVec3 x = place_of(world);
    cord_world_destroy(world);
    return x;
}

static double order_of(bool inextensible)
{
    CordVec3 a = thrown(1000, inextensible), b = thrown(2000, inextensible), c = thrown(4000, inextensible);
    return log2(size_of(minus(a, b)) / size_of(minus(b, c)));
}

VALIDATE(a_body_on_an_extensible_rod_is_second_order_in_time, .source = "errors at three steps",
         .tolerance = 0.1)
{
    return order_of(false) - 2.0;
}

VALIDATE(a_body_on_an_inextensible_rod_is_second_order_in_time, .source = "errors at three steps",
         .tolerance = 0.1)
{
    return order_of(true) - 2.0;
}

// ---- energy

// A rod swings with a body at its end, welded askew, for fifty swings, and gets to shake on the way. The
// energy of Stoermer-Verlet is off by (omega h)^2 of what is in each vibration, so that it moves while these
// fill up: but it must not move on from there.
static double drift_of(bool inextensible)
{
    CordWorld* world = new_world((CordVec3){0, 0, -G});
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line(zero, (CordVec3){0.4, 0, 0}, 13);
    def.stiffness = stiffness(2e-3, 3e-3, 200.0, 0.1);
    def.inextensible = inextensible;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    weld_askew(world, rod, (CordVec3){0.42, 0.01, 0.02});
    double before = world_energy(world), h = inextensible ? 1e-4 : 5e-5, sum[2] = {0, 0};
    int steps = (int)(60.0 / h), fifth = steps / 5, count[2] = {0, 0};
    for (int i = 0; i < steps; i++) {
        run(world, h, 1);
        int part = i / fifth == 2 ? 0 : i / fifth == 4 ? 1 : -1;
        if (part >= 0 && i % 20 == 0) {
            sum[part] += world_energy(world) - before;
            count[part]++;
        }
    }
    cord_world_destroy(world);
    return (sum[1] / count[1] - sum[0] / count[0]) / (0.05 * G * 0.4);
}

VALIDATE(fifty_swings_on_an_extensible_rod_lose_no_energy, .source = "the middle against the end",
         .tolerance = 1e-4)
{
    return drift_of(false);
}

VALIDATE(fifty_swings_on_an_inextensible_rod_lose_no_energy, .source = "the middle against the end",
         .tolerance = 1e-4)
{
    return drift_of(true);
}

// ---- joints

static double tip_height(CordWorld* world, CordRodId rod)
{
    return tip_of(world, rod).z;
}

// First frequency of a cantilever of length, stiffness and mass 1, of n elements in one piece or of two
// pieces welded together.
static double cantilever_error(int n, bool joined)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = unit_rod(n);
    def.half_edge_start = true;
    int pieces = joined ? 2 : 1, nodes = n / pieces + 1;
    CordRodId rods[2];
    for (int i = 0; i < pieces; i++) {
        def.half_edge_end = joined && i == 0; // the weld acts at the very end of either piece
        def.shape =
            cord_shape_line((CordVec3){i * 0.5, 0, 0}, (CordVec3){joined ? 0.5 + i * 0.5 : 1.0, 0, 0}, nodes);
        rods[i] = add_rod(world, &def);
    }
    hold(world, rods[0], cord_at_start(), CORD_FIX_DIRECTION);
    for (int i = 0; i < pieces; i++) {
        throw_in_first_shape(world, rods[i], i == 0 ? 2 : 0, 1e-4);
    }
    if (joined) {
        CordJointDef joint = cord_joint_def_default();
        joint.count = 2;
        joint.rods[0] = rods[0], joint.at[0] = cord_at_end();
        joint.rods[1] = rods[1], joint.at[1] = cord_at_start();
        CordBodyId id;
        CHECK_OK(cord_joint_create(world, &joint, &id));
    }
    double period = period_of(world, rods[pieces - 1], tip_height, 0.3 / (n * n), 0, 4);
    cord_world_destroy(world);
    return 2.0 * pi / period / first_bending - 1.0;
}

VALIDATE(two_rods_welded_together_swing_as_one, .source = "1.8751^2 sqrt(EI / mu L^4), 40 elements",
         .tolerance = 1e-3)
{
    return cantilever_error(40, true);
}

VALIDATE(a_welded_joint_leaves_the_rod_second_order, .source = "error falls to a quarter with half the edges",
         .tolerance = 1.0)
{
    return cantilever_error(20, true) / cantilever_error(40, true) - 4.0;
}

TEST_GROUP(bodies)
